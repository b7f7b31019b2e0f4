"""Cones as keys: two lists of cones have the same key only if their values differ in nothing but the names of leaves,
as in repeated layers, so that what is proved of the first holds of the second. No term is built to find out."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final

from msgspec import Struct

from hecv.relate.graphs.cones import MOST_OPS, NARROW, Cones, Cuts
from hecv.tensors.comprehension import Comprehension, Scalar
from hecv.tensors.definitions import Undefined, definition_of
from hecv.tensors.index_terms import Index, fresh
from hecv.tensors.substitution import Rewriter
from hecv.tensors.tensor_graph import Node, Operand, Ref


class Pattern(Struct, frozen=True):
    """A tensor but for the names of the leaves that it reads, as a number, and these names in order."""

    number: int
    leaves: tuple[str, ...]


class ConeKeys:
    """Makes keys of cones. `known` is what is known of a leaf, by its name.

    What keys are made of is numbered, so that they are short and quickly compared: ops with their attributes and
    types, patterns of tensors, what is known of leaves.
    """

    def __init__(self, known: Callable[[str], Hashable]) -> None:
        self._known: Final = known
        self._numbers: Final[dict[Hashable, int]] = {}
        self._facts: Final[dict[str, int]] = {}
        self._nodes: Final[dict[Cones, dict[int, int | None]]] = {}
        self._fixed: Final[dict[Cones, Mapping[str, int]]] = {}
        self._opaque: Final[dict[Cones, frozenset[int]]] = {}
        self._variables: Final[dict[tuple[int, int], Index]] = {}
        self._patterns: Final[dict[Comprehension, Pattern]] = {}
        self._origins: Final[dict[Comprehension, tuple[Comprehension, int]]] = {}
        self._derived: Final[dict[tuple[int, int], tuple[int, tuple[int, ...]] | None]] = {}
        self._of_fixed: Final[dict[int, Pattern]] = {}

    def new(self) -> ConeKey:
        """A key to which cones are added."""
        return ConeKey(self)

    def number(self, part: Hashable) -> int:
        """The number of a part of keys; equal parts have one."""
        return self._numbers.setdefault(part, len(self._numbers))

    def fact(self, leaf: str) -> int:
        """The number of what is known of a leaf."""
        found = self._facts.get(leaf)
        if found is None:
            found = self._facts[leaf] = self.number(("known", self._known(leaf)))
        return found

    def node(self, cones: Cones, place: int) -> int | None:
        """The number of all that a node is but for the names of values; none for one of narrow integers, whose bounds
        depend on more than what it reads."""
        nodes = self._nodes.get(cones)
        if nodes is None:
            nodes = self._nodes[cones] = {}
        if place not in nodes:
            node = cones.index.graph.nodes[place]
            narrow = any(kind.element in NARROW for kind in node.types)
            nodes[place] = None if narrow else self.number(_without_values(node))
        return nodes[place]

    def is_opaque(self, cones: Cones, place: int) -> bool:
        """Whether the op of a node has no definition, and is a function of which nothing is known."""
        if cones not in self._opaque:
            nodes = cones.index.graph.nodes
            self._opaque[cones] = frozenset(k for k, node in enumerate(nodes) if cones.is_opaque(node))
        return place in self._opaque[cones]

    # Patterns

    def derive(self, part: Comprehension, whole: Comprehension, form: Hashable) -> None:
        """Notes that a tensor is what the form says of another one, so that its pattern follows from that one's."""
        self._origins[part] = whole, self.number(("part", form))

    def assign(self, tensor: Comprehension, pattern: Pattern) -> None:
        """Notes the pattern of a tensor."""
        self._patterns[tensor] = pattern

    def pattern(self, tensor: Comprehension) -> Pattern:
        """The pattern of a tensor."""
        found = self._patterns.get(tensor)
        if found is None:
            origin = self._origins.get(tensor)
            found = self._patterns[tensor] = self._read(tensor) if origin is None else self._part(tensor, *origin)
        return found

    def _part(self, part: Comprehension, whole: Comprehension, form: int) -> Pattern:
        of = self.pattern(whole)
        key = of.number, form
        if key not in self._derived:
            found = self._read(part)
            within = all(name in of.leaves for name in found.leaves)
            self._derived[key] = (found.number, tuple(map(of.leaves.index, found.leaves))) if within else None
        known = self._derived[key]
        return self._read(part) if known is None else Pattern(known[0], tuple(of.leaves[k] for k in known[1]))

    def _read(self, tensor: Comprehension) -> Pattern:
        indices = tuple(self._variable(k, n) for k, n in enumerate(tensor.shape))
        names: dict[str, str] = {}
        rewriter = Rewriter({}, lambda name: names.setdefault(name, f"#{len(names)}"))
        element: Scalar = rewriter.scalar(tensor[indices])
        return Pattern(self.number(("tensor", tensor.shape, tensor.element, element)), tuple(names))

    def _variable(self, place: int, extent: int) -> Index:
        if (place, extent) not in self._variables:
            self._variables[place, extent] = fresh(extent)
        return self._variables[place, extent]

    def fixed(self, cones: Cones, name: str) -> Pattern:
        """The pattern of a leaf, or of a value that no input or parameter changes. Of values that the same ops compute
        of numbers alone, it is found once.

        Raises: Undefined if an op above it has no definition.
        """
        if cones not in self._fixed:
            self._fixed[cones] = self._numbered(cones)
        number = self._fixed[cones].get(name, -1)
        found = self._of_fixed.get(number)
        if found is None:
            found = self.pattern(cones.value(name, {})[0])
            if number >= 0 and not found.leaves:
                self._of_fixed[number] = found
        return found

    def _numbered(self, cones: Cones) -> Mapping[str, int]:
        """The values that ops with definitions compute of nothing: equal numbers for equal computations."""
        index, found = cones.index, dict[str, int]()
        for place, node in enumerate(index.graph.nodes):
            if any(name in index.varying for name in node.results) or definition_of(node.op) is None:
                continue
            kind, operands = self.node(cones, place), index.operands_of(node.results[0]) if node.results else ()
            if kind is not None and all(o in found for o in operands):
                above = tuple(found[o] for o in operands)
                found |= {name: self.number(("fixed", kind, k, above)) for k, name in enumerate(node.results)}
        return found


class ConeKey:
    """A key in the making. Leaves are numbered in the order in which they are met in all its cones."""

    def __init__(self, keys: ConeKeys) -> None:
        self._keys: Final = keys
        self._leaves: Final[dict[str, int]] = {}
        self._rows: Final[list[int]] = []

    def add(
        self, cones: Cones, name: str, cuts: Cuts, dropped: frozenset[str] = frozenset(), inlined: bool = False
    ) -> tuple[str, ...]:
        """Adds the cone of a value as `Cones.value` makes it; the cuts at which it ends, in an order that is the same
        for cones with the same key.

        Requires: no cut is a value that no input or parameter changes.
        Raises: Undefined if it is too long, or has narrow integers.
        """
        index, rows = cones.index, self._rows
        makers, varying = index.makers, index.varying
        numbers: dict[str, int] = {}
        met: list[str] = []
        waiting = [name]
        while waiting:
            current = waiting[-1]
            if current in numbers:
                waiting.pop()
                continue
            cut = None if current in dropped or (inlined and current == name) else cuts.get(current)
            if cut is not None:
                met.append(current)
                self.read(self._keys.pattern(cut))
            elif current not in varying or current not in makers:
                self.read(self._keys.fixed(cones, current))
            else:
                operands = index.operands_of(current)
                missing = [o for o in operands if o not in numbers]
                if missing:
                    waiting += reversed(missing)
                    continue
                place, result = makers[current]
                kind = self._keys.node(cones, place)
                if kind is None or len(numbers) > MOST_OPS:
                    raise Undefined("no key")
                rows += (kind, result, *(numbers[o] for o in operands))
                if self._keys.is_opaque(cones, place):
                    # Which other calls have the same result depends on the terms that it reads.
                    self.read(self._keys.pattern(cones.value(current, cuts, dropped, current == name)[0]))
            numbers[current] = len(numbers)
            waiting.pop()
        rows.append(self._keys.number("value"))
        return tuple(met)

    def read(self, pattern: Pattern) -> None:
        """Adds a tensor."""
        leaves = self._leaves
        self._rows.append(pattern.number)
        for name in pattern.leaves:
            if name in leaves:
                self._rows.append(leaves[name])
            else:
                self._rows += (len(leaves), self._keys.fact(name))
                leaves[name] = len(leaves)

    @property
    def leaves(self) -> tuple[str, ...]:
        """The leaves, in order."""
        return tuple(self._leaves)

    def made(self, form: Hashable) -> Hashable:
        """The key of these cones, joined in a form."""
        return form, tuple(self._rows)


def _without_values(node: Node) -> Hashable:
    """A node with a mark in the place of each value: 1, 1.0 and True are three."""

    def plain(operand: Operand) -> Any:
        if isinstance(operand, Ref):
            return "value"
        if isinstance(operand, tuple):
            return tuple(map(plain, operand))
        return type(operand).__name__, repr(operand)  # 0.0 is not -0.0

    keywords = tuple((key, plain(operand)) for key, operand in node.keywords.items())
    return "op", node.op, tuple(map(plain, node.operands)), keywords, node.types

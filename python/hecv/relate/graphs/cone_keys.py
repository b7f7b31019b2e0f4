"""Cones as keys: two lists of cones have the same key only if their values differ in nothing but the names of leaves,
as in repeated layers, so that what is proved of the first holds of the second. No term is built to find out."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final

from hecv.relate.graphs.cones import MOST_OPS, NARROW, Cones, Cuts
from hecv.tensors.comprehension import Comprehension, Scalar
from hecv.tensors.definitions import Undefined
from hecv.tensors.index_terms import Index, fresh
from hecv.tensors.substitution import Rewriter
from hecv.tensors.tensor_graph import Operand, Ref


class ConeKeys:
    """Makes keys of cones. `known` is what is known of a leaf, by its name."""

    def __init__(self, known: Callable[[str], Hashable]) -> None:
        self._known: Final = known
        self._variables: Final[dict[tuple[int, int], Index]] = {}
        self._patterns: Final[dict[Comprehension, tuple[Hashable, tuple[str, ...]]]] = {}

    def new(self) -> ConeKey:
        """A key to which cones are added."""
        return ConeKey(self)

    def known(self, leaf: str) -> Hashable:
        return self._known(leaf)

    def pattern(self, tensor: Comprehension) -> tuple[Hashable, tuple[str, ...]]:
        """A tensor with numbers for the leaves that it reads, and their names."""
        found = self._patterns.get(tensor)
        if found is None:
            indices = tuple(self._variable(k, n) for k, n in enumerate(tensor.shape))
            names: dict[str, str] = {}
            rewriter = Rewriter({}, lambda name: names.setdefault(name, f"#{len(names)}"))
            element: Scalar = rewriter.scalar(tensor[indices])
            found = self._patterns[tensor] = (tensor.shape, tensor.element, element), tuple(names)
        return found

    def _variable(self, place: int, extent: int) -> Index:
        if (place, extent) not in self._variables:
            self._variables[place, extent] = fresh(extent)
        return self._variables[place, extent]


class ConeKey:
    """A key in the making. Leaves are numbered in the order in which they are met in all its cones."""

    def __init__(self, keys: ConeKeys) -> None:
        self._keys: Final = keys
        self._leaves: Final[dict[str, int]] = {}
        self._rows: Final[list[Hashable]] = []

    def add(self, cones: Cones, name: str, cuts: Cuts, inlined: bool = False) -> None:
        """Adds the cone of a value above these cuts, of which it is none itself if it is `inlined`.

        Raises: Undefined if it is too long, or has narrow integers, whose bounds depend on more than the cone.
        """
        index = cones.index
        numbers: dict[str, int] = {}
        waiting = [name]
        while waiting:
            current = waiting[-1]
            if current in numbers:
                waiting.pop()
                continue
            node = index.node_of(current)
            cut = None if inlined and current == name else cuts.get(current)
            if node is None or cut is not None or current not in index.varying:
                row = self._tensor(cut or cones.value(current, {})[0])
            else:
                missing = [o for o in index.operands_of(current) if o not in numbers]
                if missing:
                    waiting += reversed(missing)
                    continue
                if len(numbers) > MOST_OPS or any(kind.element in NARROW for kind in node.types):
                    raise Undefined("no key")
                operands = tuple(_plain(o, numbers) for o in node.operands)
                keywords = tuple((key, _plain(o, numbers)) for key, o in node.keywords.items())
                row = node.op, operands, keywords, node.types, index.makers[current][1]
            numbers[current] = len(numbers)
            self._rows.append(row)
            waiting.pop()
        self._rows.append("value")

    def _tensor(self, tensor: Comprehension) -> Hashable:
        pattern, names = self._keys.pattern(tensor)
        new = [n for n in names if n not in self._leaves]
        places = tuple(self._leaves.setdefault(n, len(self._leaves)) for n in names)
        return pattern, places, tuple(self._keys.known(n) for n in new)

    def made(self, form: Hashable) -> Hashable:
        """The key of these cones, joined in a form."""
        return form, tuple(self._rows)


def _plain(operand: Operand, numbers: Mapping[str, int]) -> Any:
    """An operand by what it is: 1, 1.0 and True are three."""
    if isinstance(operand, Ref):
        return "value", numbers[operand.name]
    if isinstance(operand, tuple):
        return tuple(_plain(o, numbers) for o in operand)
    return type(operand).__name__, operand

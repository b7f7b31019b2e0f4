"""Values of a graph as tensor comprehensions over its leaves and over values that are cut: the cone above the cuts,
inlined by the definitions of its ops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf, isnan
from time import perf_counter
from typing import Any, Final

from hecv.relate.graphs.graph_index import GraphIndex
from hecv.relate.graphs.opaque_ops import OpaqueOps
from hecv.tensors.comprehension import Comprehension, Read, RealLiteral, Scalar, Select, leaf
from hecv.tensors.definitions import Call, Undefined, definition_of
from hecv.tensors.graph_values import operands_of
from hecv.tensors.index_terms import Index, Term
from hecv.tensors.substitution import subterms
from hecv.tensors.tensor_graph import Node, Operand, Ref
from hecv.tensors.term_bounds import EVERYTHING, INTEGERS, Bounds, within

Cuts = Mapping[str, Comprehension]
"""For each value that is read as a leaf: what it is read as."""

NARROW: Final = ("i8", "i16")
"""Integers that models compute with and that wrap around; that i32 and i64 do not is assumed."""

WIDE: Final = ("i32", "i64")
"""Integers whose overflow is not looked at."""

LEVELS: Final = 4
"""Ops above a result of narrow integers that its bounds are taken from."""

MOST_OPS: Final = 300
"""Ops, at most, of a cone. An attention block without cuts has 60."""


def remembered(tensor: Comprehension, deadline: float = inf) -> Comprehension:
    """The tensor, with each element built once, until a time: after it reading raises Undefined."""
    known: dict[tuple[Index, ...], Scalar] = {}

    def at(*indices: Index) -> Scalar:
        found = known.get(indices)
        if found is None:
            if perf_counter() > deadline:
                raise Undefined("the time limit")
            found = known[indices] = tensor[indices]
        return found

    return Comprehension(tensor.shape, at, tensor.element)


class Cones:
    """The cones of a graph whose leaves are these tensors. Cones that share `opaque` have equal results of a user's ops
    without a definition for equal operands; without it such ops are undefined. After the deadline no element is built:
    reading one raises Undefined.

    Values that no input or parameter changes are the same in all cones, and kept.
    """

    def __init__(
        self,
        index: GraphIndex,
        leaves: Mapping[str, Comprehension],
        opaque: OpaqueOps | None = None,
        deadline: float = inf,
    ) -> None:
        self._deadline: Final = deadline
        self.index: Final = index
        self._opaque: Final = opaque
        self._leaves: Final = leaves
        self._fixed: Final[dict[str, Comprehension]] = {}

    def value(
        self, name: str, cuts: Cuts, dropped: frozenset[str] = frozenset(), inlined: bool = False
    ) -> tuple[Comprehension, tuple[str, ...]]:
        """A value, and the cuts that its cone ends at, in topological order. Cuts that are `dropped` are none, nor is
        the value itself if it is to be `inlined`.

        Raises: Undefined if an op of the cone has no definition.
        """
        if inlined:
            dropped |= {name}
        made: dict[str, Comprehension] = {}
        met = dict[str, None]()
        waiting = [name]
        while waiting:
            current = waiting[-1]
            if current in made or current in self._fixed:
                waiting.pop()
                continue
            if current in cuts and current not in dropped:
                met[current] = None
                made[current] = cuts[current]
                waiting.pop()
                continue
            node = self.index.node_of(current)
            if node is None:
                made[current] = self._leaves[current]
                waiting.pop()
                continue
            operands = self.index.operands_of(current)
            missing = [o for o in operands if o not in made and o not in self._fixed]
            if missing:
                waiting += reversed(missing)
                continue
            known = {o: made.get(o) or self._fixed[o] for o in operands}
            if len(made) > MOST_OPS:
                raise Undefined(f"more than {MOST_OPS} ops stand between it and values that are proved equal")
            if self._opaque is not None and self.is_opaque(node):
                results = self._opaque.results(node, known.__getitem__)
            else:
                results = defined(node, known.__getitem__)
            if any(kind.element in NARROW for kind in node.types):
                self._require_fitting(node, cuts)
            for result, tensor in zip(node.results, results, strict=False):
                if result not in cuts or result in dropped:
                    kept = made if result in self.index.varying else self._fixed
                    kept[result] = remembered(tensor, self._deadline)
            waiting.pop()
        makers = self.index.makers
        frontier = tuple(sorted(met, key=lambda cut: makers[cut]))
        return made.get(name) or self._fixed[name], frontier

    def is_opaque(self, node: Node) -> bool:
        """Whether a node is of an op without a definition, whose results are leaves by the terms of its operands."""
        return self._opaque is not None and self._opaque.covers(node)

    def _require_fitting(self, node: Node, cuts: Cuts) -> None:
        """Narrow integers are exact where the types of the operands, or the bounds of what the ops above them compute,
        show that the result does not wrap around.

        Raises: Undefined if they do not.
        """
        elements = {name: self.index.type_of(name).element for name in operands_of(node)}

        def of_type(read: Read) -> Bounds:
            element = elements.get(read.tensor, "")
            return (0, 1) if element == "i1" else INTEGERS.get(element, EVERYTHING)

        if _fits(defined(node, self._alone), of_type):
            return
        above = self._above(node)
        kept = {name: tensor for name, tensor in cuts.items() if name not in above}
        operands = {name: self.value(name, kept)[0] for name in elements}
        stored = {
            element.tensor: tensor.element
            for tensor in self._leaves.values()
            if 0 not in tensor.shape and isinstance(element := tensor.generic()[1], Read)
        }

        def of_leaf(read: Read) -> Bounds:
            return INTEGERS.get(stored.get(read.tensor, ""), EVERYTHING)

        if not _fits(defined(node, operands.__getitem__), of_leaf):
            raise Undefined(f"{node.op} may leave the range of {node.types[0].element}")

    def _alone(self, name: str) -> Comprehension:
        kind = self.index.type_of(name)
        return leaf(name, kind.shape, kind.element)

    def _above(self, node: Node) -> frozenset[str]:
        """The values that lie up to `LEVELS` ops above a node."""
        found, level = set[str](), operands_of(node)
        for _ in range(LEVELS):
            found.update(level)
            makers = [self.index.node_of(name) for name in level]
            level = tuple(name for maker in makers if maker is not None for name in operands_of(maker))
        return frozenset(found)


def _fits(results: Sequence[Comprehension], of_read: Callable[[Read], Bounds]) -> bool:
    return all(
        within(tensor.generic()[1], *INTEGERS[tensor.element], of_read)
        for tensor in results
        if tensor.element in NARROW and 0 not in tensor.shape
    )


def defined(node: Node, value: Callable[[str], Comprehension]) -> tuple[Comprehension, ...]:
    """The results of a node by the definition of its op.

    Raises: Undefined if it has none, or NaN is an operand.
    """
    definition = definition_of(node.op)
    if definition is None:
        raise Undefined(f"{node.op} has no definition")

    def operand(given: Operand) -> Any:
        if isinstance(given, Ref):
            return value(given.name)
        if isinstance(given, float) and isnan(given):
            raise Undefined(f"{node.op} with nan, which is no real number")
        return tuple(map(operand, given)) if isinstance(given, tuple) else given

    keywords = {key: operand(given) for key, given in node.keywords.items()}
    return definition(Call(node.op, tuple(map(operand, node.operands)), keywords, node.types))


def computes_integers(index: GraphIndex) -> int:
    """How many ops compute integers of 32 or 64 bits, of which a proof assumes that they do not overflow."""
    return sum(
        any(kind.element in WIDE for kind in node.types)
        and any(name in index.live and name in index.varying for name in node.results)
        and definition_of(node.op) is not None
        and (_narrows(node, index) or not moves_elements(node, index))
        for node in index.graph.nodes
    )


def _narrows(node: Node, index: GraphIndex) -> bool:
    """Whether the result is an i32 of an operand that has more values."""
    return node.types[0].element == "i32" and any(
        index.type_of(name).element.startswith(("i64", "f", "bf")) for name in operands_of(node)[:1]
    )


def moves_elements(node: Node, index: GraphIndex) -> bool:
    """Whether the op only moves elements: each element of the result is one of an operand, or a number."""

    def operand(name: str) -> Comprehension:
        kind = index.type_of(name)
        return leaf(name, kind.shape, kind.element)

    try:
        results = defined(node, operand)
        return all(_moved(tensor.generic()[1]) for tensor in results)
    except Undefined:
        return False


def _moved(element: Scalar) -> bool:
    """Whether an element is read at indices, or a number, or chosen by indices among such."""
    match element:
        case Select():
            return not _reads(element.condition) and _moved(element.yes) and _moved(element.no)
        case Read():
            return not any(map(_reads, element.indices))
        case _:
            return isinstance(element, RealLiteral)


def _reads(term: Term) -> bool:
    return any(isinstance(part, Read) for part in subterms(term))

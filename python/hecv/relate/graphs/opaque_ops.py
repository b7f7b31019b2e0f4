"""Ops without a definition as functions of which nothing is known: equal for equal operands (congruence)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final

from hecv.tensors.comprehension import Comprehension, leaf
from hecv.tensors.definitions import definition_of
from hecv.tensors.graph_values import operands_of
from hecv.tensors.index_terms import Index, fresh
from hecv.tensors.tensor_graph import Node, Operand, Ref

FRAMEWORKS: Final = ("aten", "dist", "stablehlo", "chlo", "mhlo")
"""Origins whose ops without a definition are no functions of their operands, or not known to be (`aten.empty`)."""


class OpaqueOps:
    """The results of ops without a definition. Two calls of one op have the same results where attributes, types and
    operands are the same terms; operands that are only provably equal may give different ones, which proves less."""

    def __init__(self) -> None:
        self._known: Final[dict[Hashable, int]] = {}
        self._variables: Final[dict[tuple[int, int], Index]] = {}
        self._calls: Final[dict[str, set[tuple[str, ...]]]] = defaultdict(set)

    @staticmethod
    def covers(node: Node) -> bool:
        """Whether the op is a user's that has no definition, and reads tensors."""
        known = node.op.partition(".")[0] in FRAMEWORKS or definition_of(node.op) is not None
        return not known and bool(operands_of(node))

    def results(self, node: Node, value: Callable[[str], Comprehension]) -> tuple[Comprehension, ...]:
        """The results of a call, each a leaf of its own that only equal calls have."""

        def plain(given: Operand) -> Any:
            if isinstance(given, Ref):
                tensor = value(given.name)
                indices = tuple(self._variable(k, n) for k, n in enumerate(tensor.shape))
                empty = 0 in tensor.shape
                return "value", tensor.shape, tensor.element, None if empty else tensor[indices]
            if isinstance(given, tuple):
                return tuple(map(plain, given))
            return type(given).__name__, repr(given)  # 0.0 is not -0.0

        key = node.op, plain(node.operands), plain(tuple(sorted(node.keywords.items()))), node.types
        number = self._known.setdefault(key, len(self._known))
        self._calls[node.op].add(node.results)
        return tuple(
            leaf(f"{node.op}#{number}.{place}", kind.shape, kind.element) for place, kind in enumerate(node.types)
        )

    def calls(self) -> Mapping[str, int]:
        """How many calls of each op were met."""
        return {op: len(calls) for op, calls in self._calls.items()}

    def _variable(self, place: int, extent: int) -> Index:
        if (place, extent) not in self._variables:
            self._variables[place, extent] = fresh(extent)
        return self._variables[place, extent]

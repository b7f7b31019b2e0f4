"""Terms that are no poison: made without flags of arguments, and of memory to which no poison is stored."""

from __future__ import annotations

from collections.abc import Sequence

from hecv.base.term import Term, literal, postorder
from hecv.base.types import IntType
from hecv.ops import facts_about
from hecv.ops.facts.nonzero_divisors import is_safe
from hecv.program.read_write_sets import number
from hecv.program.tree import Call, Load, MemoryKind, Statement, Store


class ProperTerms:
    """Which terms of a function are no poison where they are evaluated.

    Requires: the tree as read; arguments and their memory hold no poison.
    """

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._memory_of = {s.id: s.memory.id for s in statements if isinstance(s, Load)}
        self._known: dict[int, bool] = {}
        kinds = {s.memory.id: s.memory.kind for s in statements if isinstance(s, Load | Store)}
        arguments = {k for k, kind in kinds.items() if kind is MemoryKind.ARGUMENT}
        self._poisonous = {k for k, kind in kinds.items() if k not in arguments and kind is not MemoryKind.CELL}
        for call in (s for s in statements if isinstance(s, Call)):
            self._poisonous |= {m.id for m in (*call.results, *call.memories)}
        written = [s for s in statements if isinstance(s, Store)]
        while True:
            self._known.clear()
            found = {s.memory.id for s in written if not self(s.value)}
            found |= arguments if (found | self._poisonous) & arguments else set()  # which may overlap
            if found <= self._poisonous:
                break
            self._poisonous |= found

    def __call__(self, term: Term) -> bool:
        for node in postorder((term,)) if term.id not in self._known else ():
            self._known[node.id] = self._is_proper(node) and all(self._known[a.id] for a in node.args)
        return self._known[term.id]

    def _is_proper(self, node: Term) -> bool:
        if node.op == "read":
            memory = self._memory_of.get(number(node, "load"))
            return memory is not None and memory not in self._poisonous
        if node.op == "ub.poison":
            return False
        if node.op in ("const", "arg", "iv", "dim") or node.op.startswith("affine."):
            return True
        plain = all(name in ("predicate", "result") for name, _ in node.attrs)
        facts = facts_about(node.op)
        if facts.shifts:
            by, kind = literal(node.args[1]), node.type
            return plain and isinstance(by, int) and isinstance(kind, IntType) and 0 <= by < kind.width
        return plain and (facts.total or is_safe(node))

"""Poison atoms: what the poison of a term depends on, exactly; a term is poison if and only if one of its atoms is.

An atom is a leaf that may be poison, or an operator that makes poison of non-poison operands. A term whose atoms are
among those of another is not poison where that one is not; with the same atoms both are poison on the same inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Final

from hecv.base.term import Term, TermPool
from hecv.base.theory import FALSE
from hecv.ops import OPERATORS, exposes
from hecv.ops.facts.poison_conditions import CHOOSING, LEAVES, Shapes, without_flags
from hecv.ops.registry import licensed

MOST_ATOMS: Final = 64
"""The most atoms of a term; a term with more is an atom itself."""

Atoms = frozenset[int]
NONE: Final[Atoms] = frozenset()


class Taints:
    """The poison atoms of terms.

    `poisonous` are the leaves that may be poison; `is_proper` proves that an operator with a flag makes no poison from
    its non-poison operands.
    """

    def __init__(self, index_width: int, poisonous: Container[int], is_proper: Callable[[Term], bool]) -> None:
        self._is_proper: Final = is_proper
        self._shapes: Final = Shapes(index_width)
        self._poisonous: Final = poisonous
        self._known: dict[int, Atoms] = {}
        self._opaque: dict[int, bool] = {}

    def of(self, term: Term) -> Atoms:
        """The atoms of `term`.

        Requires: those of its operands were asked for before.
        """
        found = self._known.get(term.id)
        if found is None:
            found = self._atoms(term)
            self._known[term.id] = found = found if len(found) <= MOST_ATOMS else frozenset((term.id,))
        return found

    def know(self, term: Term, atoms: Atoms) -> None:
        """Sets the atoms of a term."""
        self._known[term.id] = atoms

    def _atoms(self, term: Term) -> Atoms:
        if term.op in LEAVES or term.op == "const":
            return frozenset((term.id,)) if term.id in self._poisonous else NONE
        below = [self._known[a.id] for a in term.args]
        if self._makes_poison(term):
            return frozenset((term.id,)).union(*below)
        if term.op == "arith.select":
            return self._of_choice(term, *below)
        operator = OPERATORS.get(term.op)
        if operator is None or not operator.strict:
            return frozenset((term.id,)) if any(below) else NONE
        parts = {b for b in below if b}
        return next(iter(parts)) if len(parts) == 1 else NONE.union(*parts)

    def _of_choice(self, term: Term, condition: Atoms, yes: Atoms, no: Atoms) -> Atoms:
        """Poison in both branches is poison of the choice; in one of them, it depends."""
        certain = condition | (yes & no)
        return certain if yes <= certain and no <= certain else certain | {term.id}

    def _makes_poison(self, term: Term) -> bool:
        if self._shapes.of(term, (True,) * len(term.args)).poison is FALSE:
            return False
        return without_flags(term.attrs) == term.attrs or not self._is_proper(term)

    def is_opaque(self, term: Term) -> bool:
        """Whether the operator, without flags, is no total function with known semantics: only equal operands make it
        equal."""
        found = self._opaque.get(term.id)
        if found is None:
            found = self._opaque[term.id] = self._is_opaque(term)
        return found

    def _is_opaque(self, term: Term) -> bool:
        operator = OPERATORS.get(term.op)
        if operator is None or operator.uninterpreted or term.op in CHOOSING:
            return True
        if licensed(term.attrs) or exposes(term):
            return True
        plain = TermPool().make(term.op, term.args, term.type, without_flags(term.attrs))
        conditions = self._shapes.of(plain, (True,) * len(term.args))
        return conditions.poison is not FALSE or conditions.ub is not FALSE

"""Poison atoms: what the poison of a term depends on, given which total values are equal.

A term is poison exactly if one of its *atoms* is: a leaf that may be poison, or an operator that makes poison of
non-poison operands, which the total values of these operands decide (`nsw`, a shift by too much). A choice whose
branches may be poison, and any operator that is not strict, is an atom that also depends on its operands' atoms. So a
term whose atoms are among those of another is poison only if that one is, whatever program each stands in.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from hecv.base.term import OPAQUE, OPAQUE_PARTIAL, Term, TermPool, postorder
from hecv.base.theory import FALSE
from hecv.kernel.terms.equality_derivation import Equalities
from hecv.ops import OPERATORS
from hecv.ops.facts.poison_conditions import LEAVES, Shapes, without_flags

Atoms = frozenset[int]
NONE: Final[Atoms] = frozenset()
MOST_ATOMS: Final = 64
"""The most atoms of a term; more are merged into one, which is poison exactly if one of them is."""


class Poison:
    """The atoms of terms; `poisonous` are the leaves that may be poison.

    Requires: all equalities are known.
    """

    def __init__(self, pool: TermPool, known: Equalities, poisonous: Container[int], index_width: int) -> None:
        self._pool: Final = pool
        self._known: Final = known
        self._poisonous: Final = poisonous
        self._shapes: Final = Shapes(index_width)
        self._numbers: Final[dict[tuple[object, ...], int]] = {}
        self._atoms: Final[dict[int, Atoms]] = {}

    def enter(self, order: list[Term]) -> None:
        """Computes the atoms of terms, given operands before users."""
        for term in order:
            if term.id not in self._atoms:
                found = self._of(term, [self._atoms[a.id] for a in term.args])
                self._atoms[term.id] = found if len(found) <= MOST_ATOMS else self._one("any of", found)

    def of(self, term: Term) -> Atoms:
        """The atoms of a term."""
        if term.id not in self._atoms:
            self.enter(postorder((term,)))
        return self._atoms[term.id]

    def is_total(self, term: Term) -> bool:
        """Whether the operator at the root is always defined, as its operands show."""
        proper = tuple([not self._atoms[a.id] for a in term.args])
        return self._shapes.of(self._at_literals(term, proper), proper).ub is FALSE

    def _of(self, term: Term, below: list[Atoms]) -> Atoms:
        if term.op == "const":
            return NONE
        if term.op in LEAVES:
            return self._one("leaf", term.id) if term.id in self._poisonous else NONE
        operator = OPERATORS.get(term.op)
        if term.op in (OPAQUE, OPAQUE_PARTIAL) or operator is None:
            return self._one("operator", self.root(term), *below)
        made = self._made(term, below, operator.strict)
        if term.op == "arith.select":
            return made | self._of_choice(term, *below)
        if operator.strict:
            return made.union(*below)
        return made | (self._one("operator", self.root(term), *below) if any(below) else NONE)

    def _made(self, term: Term, below: list[Atoms], strict: bool) -> Atoms:
        """The atom of the poison that the operator makes of proper operands."""
        proper = (True,) * len(below)
        for at in (term, self._at_literals(term, proper)):
            if self._shapes.of(at, proper).poison is FALSE:
                return NONE
        if without_flags(term.attrs) != term.attrs and self._known.is_proper(term):
            return NONE
        return self._one("makes", self.root(term), *(() if strict else below))

    def _of_choice(self, term: Term, condition: Atoms, yes: Atoms, no: Atoms) -> Atoms:
        """Atoms of both arms are atoms of the select; those of one arm only count if it is chosen, so the select is an
        atom."""
        certain = condition | (yes & no)
        if yes <= certain and no <= certain:
            return certain
        chooser = self._known.closure.find(self._known.closure.value(term.args[0]))
        return certain | self._one("choice", chooser, yes, no)

    def root(self, term: Term) -> tuple[object, ...]:
        """The identity of an operator application: the operator at the root, and the values of its operands."""
        closure = self._known.closure
        found = [closure.find(closure.value(a)) for a in term.args]
        operator = OPERATORS.get(term.op)
        if operator is not None and operator.facts.commutative and found[0] > found[1]:
            found[0], found[1] = found[1], found[0]
        return (term.op, term.attrs, term.type, *found)

    def _one(self, *key: object) -> Atoms:
        return frozenset((self._numbers.setdefault(key, len(self._numbers)),))

    def _at_literals(self, term: Term, proper: tuple[bool, ...]) -> Term:
        """The root over the literals that its `proper` operands are known to be."""
        closure = self._known.closure
        pairs = zip(term.args, proper, strict=True)
        args = tuple([(closure.literal(closure.value(a)) if sure else None) or a for a, sure in pairs])
        return term if args == term.args else self._pool.make(term.op, args, term.type, term.attrs)

"""Long chains of one associative operator in a program: their inner operators, and their flattened operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hecv.base.term import Term
from hecv.egraph.normal_forms.operator_chains import family_of
from hecv.ops import facts_about

LONG: Final = 24
"""The number of operands above which a chain is read as a whole."""


class Chains:
    """The chains among the terms of one program, given operands before users."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self._users: dict[int, int] = {}
        for term in terms:
            for a in term.args:
                self._users[a.id] = self._users.get(a.id, 0) + 1
        self._inner: set[int] = set()
        self._lengths: dict[int, int] = {}
        for term in terms:
            if family_of(term.op) is None:
                continue
            inner = [a for a in term.args if self._users[a.id] == 1 and _one_chain(term, a)]
            self._inner.update(a.id for a in inner)
            self._lengths[term.id] = len(term.args) - len(inner) + sum(self._lengths[a.id] for a in inner)

    def is_long(self, term: Term) -> bool:
        """Whether the chain that ends in `term` is long."""
        return self._lengths.get(term.id, 0) > LONG

    def is_inner(self, term: Term) -> bool:
        """Whether `term` is inside a longer chain, which is its only user."""
        return term.id in self._inner

    def operands(self, root: Term) -> list[tuple[Term, int]]:
        """The operands of the chain that ends in `root`; in a sum, with their signs."""
        found: list[tuple[Term, int]] = []
        stack = _signed(root, 1)
        while stack:
            term, sign = stack.pop()
            if term.id in self._inner and _one_chain(root, term):
                stack += _signed(term, sign)
            else:
                found.append((term, sign))
        return found


def _one_chain(user: Term, operand: Term) -> bool:
    family = family_of(user.op)
    return family is not None and family == family_of(operand.op) and user.type == operand.type


def _signed(term: Term, sign: int) -> list[tuple[Term, int]]:
    signs = (sign, -sign) if facts_about(term.op).subtracts else (sign,) * len(term.args)
    return list(zip(term.args, signs, strict=True))

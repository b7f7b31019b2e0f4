"""Reuse of proofs between layers: obligations that differ only in the names of leaves and variables are one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.tensors.algebra.leaf_facts import LeafFacts
from hecv.tensors.algebra.verdicts import Gap, Proof
from hecv.tensors.comprehension import Read, Scalar
from hecv.tensors.index_terms import Index, Variable, index, linear
from hecv.tensors.substitution import Rewriter, subterms

FIRST: Final = 1 << 40
"""The number of the first free variable; all those of definitions have smaller ones."""

NESTED: Final = 1 << 41
"""The number of the first variable of a reduction."""

PLACES: Final = 1 << 10
"""Variables that one reduction may have."""


def numbered(number: int, extent: int) -> Index:
    """The free variable with this number; a dimension of size 1 has the index 0 alone."""
    return linear(0, ((Variable(FIRST + number, extent), 1),)) if extent > 1 else index(0)


def nested(height: int, place: int, extent: int) -> Index:
    """The variable of a reduction, by how deeply reductions are nested in it: equal terms get equal names."""
    return linear(0, ((Variable(NESTED + height * PLACES + place, extent), 1),))


class Obligation(Struct, frozen=True):
    """An obligation with leaves and variables numbered by their first occurrence."""

    key: Any
    names: tuple[str, ...]
    """The leaf that each number stands for."""


class ObligationCache:
    """What was found for obligations: proofs, and gaps that are not for want of budget."""

    def __init__(self) -> None:
        self._found: Final[dict[Any, tuple[Proof | Gap, tuple[str, ...]]]] = {}
        self.hits = 0

    def get(self, obligation: Obligation) -> Proof | Gap | None:
        """What was found for the obligation, in terms of its own leaves."""
        known = self._found.get(obligation.key)
        if known is None:
            return None
        self.hits += 1
        found, names = known
        change = dict(zip(names, obligation.names, strict=True))
        if isinstance(found, Gap):
            return replace(found, text=renamed(found.text, change))
        assumptions = tuple(replace(a, subject=renamed(a.subject, change)) for a in found.assumptions)
        return replace(found, assumptions=assumptions)

    def put(self, obligation: Obligation, found: Proof | Gap) -> None:
        if isinstance(found, Proof) or not found.budget:
            self._found[obligation.key] = found, obligation.names


def obligation(indices: Sequence[Index], left: Scalar, right: Scalar, facts: LeafFacts) -> Obligation:
    """The obligation of two terms. Leaves that definitions of leaves mention keep their names."""
    fixed = _mentioned(left, right, facts)
    names: dict[str, str] = {}
    numbers = count()

    def leaf(name: str) -> str:
        return name if name in fixed else names.setdefault(name, f"#{len(names)}")

    change: dict[Variable, Index] = {}
    for i in indices:
        for atom, _ in i.terms:
            if isinstance(atom, Variable):
                change[atom] = numbered(next(numbers), atom.extent)
    rewriter = Rewriter(change, leaf, nested)
    terms = rewriter.scalar(left), rewriter.scalar(right)
    known = tuple(facts.of(name) for name in names), tuple((name, facts.of(name)) for name in sorted(fixed))
    return Obligation((tuple(change.values()), *terms, known), tuple(names))


def _mentioned(left: Scalar, right: Scalar, facts: LeafFacts) -> frozenset[str]:
    """The leaves in definitions of the leaves of both terms, and in definitions of those."""
    found: set[str] = set()
    waiting = [t.tensor for t in subterms(left, right) if isinstance(t, Read)]
    while waiting:
        fact = facts.of(waiting.pop())
        if fact.equals is not None:
            new = {t.tensor for t in subterms(fact.equals[1]) if isinstance(t, Read)} - found
            found |= new
            waiting += new
    return frozenset(found)


def renamed(text: str, change: Mapping[str, str]) -> str:
    """A text with the names of leaves replaced, alone or where an element is read."""
    if text in change:
        return change[text]
    wanted = "|".join(re.escape(name) for name in sorted(change, key=len, reverse=True))
    return re.sub(rf"(?<![\w.])({wanted})(?=\[)", lambda m: change[m[1]], text) if wanted else text

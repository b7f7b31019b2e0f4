"""Obligations: elements that are to be equal for all values of indices and leaves, decided by the algebra of
comprehensions. Obligations that differ only in the names of leaves and variables, as those of repeated layers, are
decided once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from time import perf_counter, thread_time
from typing import Any, Final

from msgspec import Struct

from hecv.tensors.algebra.equality import prove_equal
from hecv.tensors.algebra.leaf_facts import LeafFact, LeafFacts
from hecv.tensors.algebra.verdicts import Gap, Limits
from hecv.tensors.comprehension import Read, Scalar
from hecv.tensors.index_terms import Index, Term, Variable

SECONDS: Final = 4.0
"""Processor seconds, at most, for one obligation, and a half, a third, a quarter of that where one, two, three seconds
went into what is not proved: what comes after it often cannot be proved either."""


class Answer(Struct, frozen=True):
    """Whether an obligation was proved, by what, and under which assumptions, with their numbers of uses; if not, where
    the proof stopped."""

    proved: bool
    method: str = ""
    gap: str = ""
    assumptions: tuple[tuple[str, int], ...] = ()


class Obligations:
    """The prover of obligations on leaves with these facts, until a time; with `reuse` each is decided once.

    Of terms with symbolic `sizes`, what depends on indices and sizes alone is shown, never assumed: no run is at all of
    them. (A run without symbolic sizes shows where such a divisor is 0.)
    """

    def __init__(self, facts: Mapping[str, LeafFact], deadline: float, reuse: bool = True, sizes: bool = False) -> None:
        self._facts: Final = LeafFacts(facts)
        self._deadline: Final = deadline
        self._reuse: Final = reuse
        self._sizes: Final = sizes
        self._known: Final[dict[Any, Answer]] = {}
        self._lost = 0.0

    def prove(self, indices: Sequence[Index], left: Scalar, right: Scalar) -> Answer:
        """Decides whether two elements are equal for all values of the indices."""
        key = self._key(indices, left, right)
        known = self._known.get(key) if self._reuse else None
        if known is not None:
            return Answer(known.proved, f"{known.method}, again" if known.proved else "", known.gap, known.assumptions)
        seconds = min(SECONDS / (1 + self._lost), self._deadline - perf_counter())
        if seconds <= 0:
            return Answer(False, gap="the time limit")
        started = thread_time()
        found = prove_equal(indices, left, right, self._facts, Limits(seconds=seconds))
        if isinstance(found, Gap):
            answer = Answer(False, gap=found.text)
            self._lost += thread_time() - started
        elif self._sizes and found.on_indices:
            answer = Answer(False, gap=f"not shown for all sizes: {found.on_indices}")
        else:
            counts = Counter[str]()
            for assumption in found.assumptions:
                counts[assumption.kind] += assumption.count
            answer = Answer(True, "normal form", assumptions=tuple(counts.items()))
        self._known[key] = answer
        return answer

    def proves(self, indices: Sequence[Index], left: Scalar, right: Scalar) -> bool:
        """Whether two elements are proved equal for all values of the indices."""
        return self.prove(indices, left, right).proved

    def known(self, leaf: str) -> Hashable:
        """What is known of a leaf; its name if that is what it holds."""
        fact = self._facts.of(leaf)
        return leaf if fact.equals else (fact.integers, fact.whole, fact.boolean, fact.finite, fact.sizes)

    def _key(self, indices: Sequence[Index], left: Scalar, right: Scalar) -> Any:
        """The obligation with leaves and variables numbered in the order in which they are met."""
        numbers: dict[Any, int] = {}
        rows: list[Any] = []
        leaves: dict[str, int] = {}
        variables: dict[int, int] = {}
        for root in (*indices, left, right):
            waiting: list[tuple[Term, bool]] = [(root, False)]
            while waiting:
                term, opened = waiting.pop()
                if term in numbers:
                    continue
                if opened:
                    rows.append(self._row(term, numbers, leaves, variables))
                    numbers[term] = len(rows)
                    continue
                waiting.append((term, True))
                waiting += [(part, False) for part in reversed(_terms_in(term)) if part not in numbers]
        roots = tuple(numbers[root] for root in (*indices, left, right))
        return tuple(rows), roots

    def _row(self, term: Any, numbers: Mapping[Any, int], leaves: dict[str, int], variables: dict[int, int]) -> Any:
        if isinstance(term, Variable):
            return "variable", variables.setdefault(term.identity, len(variables)), term.extent
        if isinstance(term, Read):
            name = term.tensor
            new = name not in leaves
            place = leaves.setdefault(name, len(leaves))
            return "read", place, self.known(name) if new else None, tuple(numbers[i] for i in term.indices)
        return tuple(_plain(part, numbers) for part in term.key)


def _plain(part: Any, numbers: Mapping[Any, int]) -> Any:
    if isinstance(part, Term):
        return numbers[part]
    if isinstance(part, tuple):
        return tuple(_plain(p, numbers) for p in part)
    return part


def _terms_in(term: Term) -> list[Term]:
    """The terms that a term is made of, in order, with the variables that a reduction binds."""
    found: list[Term] = []
    waiting: list[Any] = list(reversed(term.key[1:]))
    while waiting:
        part = waiting.pop()
        if isinstance(part, Term):
            found.append(part)
        elif isinstance(part, tuple):
            waiting += reversed(part)
    return found

"""Proofs about terms without the steps that they do not need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from hecv.kernel.certificate.term_format import Fold, Step, TermProof, UseLaw, UseLemma

MOST_WORK: Final = 10_000
"""Proofs with more steps times terms are left as they are: each step is left out once, and all is checked again."""


def shortened(proof: TermProof, given: int, holds: Callable[[TermProof], bool]) -> TermProof:
    """The proof without steps, lemmas and terms that it does not need, where it is short; `given` terms come first.

    Requires: the proof `holds`.
    """
    if len(proof.steps) * given > MOST_WORK:
        return proof
    steps = list(proof.steps)
    for step in reversed(proof.steps):
        fewer = [s for s in steps if s is not step]
        if holds(_with_steps(proof, fewer, given)):
            steps = fewer
    return _with_steps(proof, steps, given)


def _with_steps(proof: TermProof, steps: Sequence[Step], given: int) -> TermProof:
    """The proof with these steps, and with the lemmas and terms that they name."""
    lemmas = dict.fromkeys(s.lemma for s in steps if isinstance(s, UseLemma))
    numbers = {old: new for new, old in enumerate(lemmas)}
    terms = _needed(proof, [k for s in steps for k in _terms(s)], given)
    rows = [row for k, row in enumerate(proof.terms) if given + k in terms]
    return TermProof(
        tuple([(op, text, attrs, tuple([terms[k] for k in args])) for op, text, attrs, args in rows]),
        tuple([proof.lemmas[k] for k in lemmas]),
        tuple([_moved(s, numbers, terms) for s in steps]),
    )


def _needed(proof: TermProof, named: list[int], given: int) -> dict[int, int]:
    """New numbers for the given terms, and for those that are named or part of one that is."""
    found: set[int] = set()
    while named:
        number = named.pop()
        if number >= given and number not in found:
            found.add(number)
            named += proof.terms[number - given][3]
    return {old: new for new, old in enumerate([*range(given), *sorted(found)])}


def _terms(step: Step) -> tuple[int, ...]:
    match step:
        case UseLemma(_, terms):
            return terms
        case UseLaw(_, _, terms):
            return tuple([k for _, k in terms])
        case Fold(term):
            return (term,)


def _moved(step: Step, lemmas: dict[int, int], terms: dict[int, int]) -> Step:
    match step:
        case UseLemma(lemma, args):
            return UseLemma(lemmas[lemma], tuple([terms[k] for k in args]))
        case UseLaw(law, types, args):
            return UseLaw(law, types, tuple([(name, terms[k]) for name, k in args]))
        case Fold(term):
            return Fold(terms[term])

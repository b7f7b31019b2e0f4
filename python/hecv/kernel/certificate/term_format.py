"""Certificates of term equalities: ground instances of lemmas and laws, which a congruence closure checks.

All equalities are between *total* values, without flags. Poison and undefined behaviour are checked apart: for a flag,
by lemmas that an operator is `proper` (makes no poison); for two whole terms, by `RefinementProof`.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from hecv.kernel.certificate.rejection import Malformed
from hecv.kernel.certificate.term_rows import Rows, rows_data, rows_from

Claim = Literal["equal", "proper"]
By = Literal["smt", "ring", "values", "tested", "trusted"]


class Lemma(Struct, frozen=True):
    """A statement about small terms, for all values of their `leaf` rows, none of them poison.

    What it claims: `equal`, the last two `roots` have one value, flags aside; or `proper`, the operator at the one
    root, with its flags, makes no poison from its operands.

    How it is proved: `smt`, the negation has no model; `text` is that question in SMT-LIB, which the replayer makes
    anew from the rows and compares. `ring`, both sides are one polynomial, of integers modulo a power of two or of
    bits, in each order of what they compare; no text. `values`, the leaves have few values, and both sides are equal
    for all of them; no text. `tested` and `trusted`, not proved: an instance of the user's rule that `text` names,
    which tests confirm, or of which nothing is known.
    """

    rows: Rows
    roots: tuple[int, ...]
    claim: Claim
    by: By
    text: str = ""


class UseLemma(Struct, frozen=True):
    """An instance of a lemma: a term for each of its leaves, in the order of its rows."""

    lemma: int
    terms: tuple[int, ...]


class UseLaw(Struct, frozen=True):
    """An instance of a law of the book: its types, and a term for each of its variables, sorted by name."""

    law: str
    types: tuple[str, ...]
    terms: tuple[tuple[str, int], ...]


class Fold(Struct, frozen=True):
    """Constant folding: the value of an operator whose operands are literals."""

    term: int


Step = UseLemma | UseLaw | Fold


class TermProof(Struct, frozen=True):
    """Equalities between given terms and others: first the given terms are numbered, then those of `terms`, whose
    operands are earlier ones. Unions need no order."""

    terms: Rows = ()
    lemmas: tuple[Lemma, ...] = ()
    steps: tuple[Step, ...] = ()


class Obligation(Struct, frozen=True):
    """A question that the shape of terms decides (`text` is empty), or else Z3, in SMT-LIB."""

    text: str


class Direction(Struct, frozen=True):
    """The claim that one term refines another: where the other is defined, it is; where the other is not poison either,
    it is not poison and has the same value.

    `value` is None if a `TermProof` proves it; `undefined` is None if definedness is not claimed.
    """

    undefined: Obligation | None
    poison: Obligation
    value: Obligation | None


Reading = tuple[str, tuple[tuple[int, str, int], ...]]
"""What flags let the source's term be computed as (`hecv.kernel.terms.fastmath_readings`): extrema of numbers in one
way, by its name; or `arithmetic` by steps, each an op by number, the name of a law, and which of the terms that it
allows."""


class RefinementProof(Struct, frozen=True):
    """How two terms over the same leaves compare (`hecv.dataflow.residual.scalar_refinement.Refinement`).

    `forward`: the target refines the source. `backward`: the converse, if it was proved. `readings`: what flags let the
    source's term be computed as, applied one after the other.
    """

    values: TermProof
    forward: Direction
    backward: Direction | None
    readings: tuple[Reading, ...] = ()


# Plain data


def term_proof_data(proof: TermProof) -> dict[str, Any]:
    """A proof as JSON data."""
    return {
        "terms": rows_data(proof.terms),
        "lemmas": [_lemma_data(lemma) for lemma in proof.lemmas],
        "steps": [_step_data(step) for step in proof.steps],
    }


def term_proof_from(data: Any) -> TermProof:
    """Parses what `term_proof_data` wrote.

    Raises: Malformed.
    """
    match data:
        case {"terms": terms, "lemmas": [*lemmas], "steps": [*steps], **rest} if not rest:
            return TermProof(rows_from(terms), tuple(map(_lemma, lemmas)), tuple(map(_step, steps)))
        case _:
            raise Malformed("a proof about terms has `terms`, `lemmas` and `steps`")


def refinement_data(proof: RefinementProof) -> dict[str, Any]:
    """A proof as JSON data."""
    backward = None if proof.backward is None else _direction_data(proof.backward)
    found = {"values": term_proof_data(proof.values), "forward": _direction_data(proof.forward), "backward": backward}
    readings = [[name, [list(step) for step in steps]] for name, steps in proof.readings]
    return found | ({"readings": readings} if readings else {})


def refinement_from(data: Any) -> RefinementProof:
    """Parses what `refinement_data` wrote.

    Raises: Malformed.
    """
    match data:
        case {"values": values, "forward": forward, "backward": backward, **rest} if rest.keys() <= {"readings"}:
            back = None if backward is None else _direction(backward)
            readings = _readings(rest["readings"]) if rest else ()
            return RefinementProof(term_proof_from(values), _direction(forward), back, readings)
        case _:
            raise Malformed("a refinement has `values`, `forward` and `backward`")


def _readings(data: Any) -> tuple[Reading, ...]:
    match data:
        case [_, *_]:
            return tuple(map(_reading, data))
        case _:
            raise Malformed("readings are a list, left out where it is empty")


def _reading(data: Any) -> Reading:
    match data:
        case [str(name), [*steps]]:
            return name, tuple(map(_licensed, steps))
        case _:
            raise Malformed(f"no reading is written {str(data)[:80]}")


def _licensed(data: Any) -> tuple[int, str, int]:
    match data:
        case [int(number), str(law), int(which)] if bool not in (type(number), type(which)):
            return number, law, which
        case _:
            raise Malformed(f"no step by a licence is written {str(data)[:80]}")


def _lemma_data(lemma: Lemma) -> dict[str, Any]:
    found = {"claim": lemma.claim, "by": lemma.by, "rows": rows_data(lemma.rows), "roots": list(lemma.roots)}
    return found | ({} if lemma.by in ("ring", "values") else {"text": lemma.text})


def _lemma(data: Any) -> Lemma:
    match data:
        case {"claim": "equal" | "proper" as claim, "by": "smt", "rows": rows, "roots": roots, "text": str(text)} if (
            len(data) == 5
        ):
            return Lemma(rows_from(rows), _numbers(roots), claim, "smt", text)
        case {
            "claim": "equal",
            "by": "tested" | "trusted" as by,
            "rows": rows,
            "roots": roots,
            "text": str(text),
        } if len(data) == 5:
            return Lemma(rows_from(rows), _numbers(roots), "equal", by, text)
        case {"claim": "equal", "by": "ring" | "values" as by, "rows": rows, "roots": roots} if len(data) == 4:
            return Lemma(rows_from(rows), _numbers(roots), "equal", by)
        case _:
            raise Malformed(f"no lemma is written {str(data)[:80]}")


def _step_data(step: Step) -> list[Any]:
    match step:
        case UseLemma(lemma, terms):
            return ["lemma", lemma, *terms]
        case UseLaw(law, types, terms):
            return ["law", law, list(types), [list(pair) for pair in terms]]
        case Fold(term):
            return ["fold", term]


def _step(data: Any) -> Step:
    match data:
        case ["lemma", int(number), *terms]:
            return UseLemma(number, _numbers(terms))
        case ["law", str(law), [*types], [*terms]] if all(isinstance(t, str) for t in types):
            return UseLaw(law, tuple(types), tuple(map(_named, terms)))
        case ["fold", int(term)]:
            return Fold(term)
        case _:
            raise Malformed(f"no step is written {str(data)[:80]}")


def _named(data: Any) -> tuple[str, int]:
    match data:
        case [str(name), int(term)]:
            return name, term
        case _:
            raise Malformed(f"no variable is written {str(data)[:80]}")


def _numbers(data: Any) -> tuple[int, ...]:
    if not isinstance(data, list) or not all(type(n) is int for n in data):
        raise Malformed(f"no list of numbers is written {str(data)[:80]}")
    return tuple(data)


def _direction_data(direction: Direction) -> dict[str, Any]:
    names = ("undefined", "poison", "value")
    parts = (direction.undefined, direction.poison, direction.value)
    return {name: None if part is None else part.text for name, part in zip(names, parts, strict=True)}


def _direction(data: Any) -> Direction:
    match data:
        case {"undefined": undefined, "poison": str(poison), "value": value, **rest} if not rest:
            return Direction(_obligation(undefined), Obligation(poison), _obligation(value))
        case _:
            raise Malformed("a direction has `undefined`, `poison` and `value`")


def _obligation(data: Any) -> Obligation | None:
    if data is not None and not isinstance(data, str):
        raise Malformed("an obligation is text")
    return None if data is None else Obligation(data)

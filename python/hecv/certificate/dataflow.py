"""What a proof by array dataflow says, as plain data: who wrote what is read, a table of obligations, and their steps.

Sets and maps are isl text with their parameters. A place is a statement and the number of a term in it
(`hecv.poly.positions.numbered`), or an array and -1 for its initial values. `hecv.replay.dataflow` states the theorem.

The steps of an obligation are a list in the order in which they are needed, each before those of what it leaves over:

| step | what it says |
| --- | --- |
| `k` | the obligation is within entry `k` of the table |
| `none` | it relates nothing |
| `poison` | the source has no value that could be wrong |
| `same` | both are one literal, argument or extent |
| `index` | both are index values that isl shows equal |
| `computed` | both are index values computed with ops that wrap, and equal as integers in range |
| `initial` | both are the initial value of one element |
| `source`, `target` | that side selects by an affine condition; then both of its operands |
| `operands`, `crossed` | both are one operator; then its operands, the first two exchanged where `crossed` |
| `writes` | reads are replaced by what was written, or was there initially; then each with each |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from hecv.certificate.errors import Malformed

WORDS: Final = frozenset(
    ("none", "poison", "same", "index", "computed", "initial", "source", "target", "operands", "crossed", "writes")
)

Place = tuple[str, int]
Step = int | str


@dataclass(frozen=True, slots=True)
class Read:
    """Where one read of a statement has its value from: statements, each with the map to the instances that wrote, and
    the instances that read what was there initially."""

    place: Place
    writes: tuple[tuple[str, str], ...]
    initial: str | None


@dataclass(frozen=True, slots=True)
class Entry:
    """Wherever the relation relates two instances, the term of the source is refined by that of the target."""

    source: Place
    target: Place
    relation: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class DataflowProof:
    """`known` are the parameters for which all is shown. `reads` are those of the source and of the target of arrays
    that are written. `arrays` has the steps of each observable array's contents in the end."""

    known: str
    reads: tuple[tuple[Read, ...], tuple[Read, ...]]
    entries: tuple[Entry, ...]
    arrays: tuple[tuple[str, tuple[Step, ...]], ...]


def dataflow_data(proof: DataflowProof) -> dict[str, Any]:
    """A proof as JSON has it."""
    return {
        "known": proof.known,
        "reads": [[[*r.place, [list(w) for w in r.writes], r.initial] for r in side] for side in proof.reads],
        "entries": [[list(e.source), list(e.target), e.relation, list(e.steps)] for e in proof.entries],
        "arrays": [[name, list(steps)] for name, steps in proof.arrays],
    }


def dataflow_from(data: Any) -> DataflowProof:
    """The proof that `dataflow_data` wrote.

    Raises: Malformed.
    """
    match data:
        case {"known": str(known), "reads": [[*source], [*target]], "entries": [*entries], "arrays": [*arrays], **rest}:
            if rest:
                raise Malformed("a proof by dataflow has a part too many")
            reads = tuple(map(_read, source)), tuple(map(_read, target))
            return DataflowProof(known, reads, tuple(map(_entry, entries)), tuple(map(_array, arrays)))
        case _:
            raise Malformed("a proof by dataflow has `known`, `reads`, `entries` and `arrays`")


def _read(data: Any) -> Read:
    match data:
        case [str(statement), int(term), [*writes], str() | None as initial]:
            return Read((statement, term), tuple(map(_write, writes)), initial)
        case _:
            raise Malformed(f"no read is written {str(data)[:80]}")


def _write(data: Any) -> tuple[str, str]:
    match data:
        case [str(statement), str(text)]:
            return statement, text
        case _:
            raise Malformed(f"no write is written {str(data)[:80]}")


def _entry(data: Any) -> Entry:
    match data:
        case [[str(left), int(one)], [str(right), int(two)], str(relation), steps]:
            return Entry((left, one), (right, two), relation, _steps(steps))
        case _:
            raise Malformed(f"no entry is written {str(data)[:80]}")


def _array(data: Any) -> tuple[str, tuple[Step, ...]]:
    match data:
        case [str(name), steps]:
            return name, _steps(steps)
        case _:
            raise Malformed(f"no array is written {str(data)[:80]}")


def _steps(data: Any) -> tuple[Step, ...]:
    if not isinstance(data, list) or not all(type(s) is int or (isinstance(s, str) and s in WORDS) for s in data):
        raise Malformed(f"no steps are written {str(data)[:80]}")
    return tuple(data)

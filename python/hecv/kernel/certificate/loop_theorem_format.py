"""Certificates of loop theorems: instances of theorems, and equalities of terms.

Terms are rows (`hecv.kernel.certificate.term_rows`); those of index arithmetic need not be in canonical form.
Statements are rows too: a kind, the attributes that are neither terms nor blocks, the terms in groups, and the blocks,
each a list of the numbers of earlier rows:

| kind | attributes | terms | blocks |
| --- | --- | --- | --- |
| `store` | memory, whether it is guarded | subscripts, value | |
| `touch` | whether it is guarded | accesses, terms | |
| `alloc` | memory | extents | |
| `dealloc` | memory | | |
| `loop` | whether it is unsigned, parallel; a third mark where it overwrites | variable, both bounds, step | body |
| `if` | | condition | both branches |
| `while` | | condition | before, after |
| `assert` | | condition | |
| `call` | name, memories, results, whether it is known, how many memories are given | operands | |
| `hole` | in a context, the place | | |

Memories are the numbers that theorems use for them. `hecv.kernel.loop_theorem_check` states the theorem.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from hecv.kernel.certificate.rejection import Malformed
from hecv.kernel.certificate.term_format import RefinementProof, refinement_data, refinement_from
from hecv.kernel.certificate.term_rows import Rows, rows_data, rows_from

Plain = str | int | bool | tuple[int, ...]
Numbers = tuple[int, ...]


class Statement(Struct, frozen=True):
    """A statement as a row."""

    kind: str
    attributes: tuple[Plain, ...]
    terms: tuple[Numbers, ...]
    blocks: tuple[Numbers, ...]


class Copy(Struct, frozen=True):
    """One execution of a part, with these values of its variables."""

    part: int
    values: Numbers


class For(Struct, frozen=True):
    """A loop of a schedule."""

    type: str
    lowers: Numbers
    uppers: Numbers
    step: int
    body: tuple[Schedule, ...]


Schedule = Copy | For


class Scheduled(Struct, frozen=True):
    """The schedule law: parts (blocks over variables of these types) in two orders."""

    parts: tuple[tuple[Numbers, tuple[str, ...]], ...]
    before: tuple[Schedule, ...]
    after: tuple[Schedule, ...]
    reorders: bool


class Applied(Struct, frozen=True):
    """Another theorem, by name, applied to a block; with the place of a statement, and a term, if it needs these."""

    theorem: str
    block: Numbers
    at: int
    by: int | None


class Equation(Struct, frozen=True):
    """A theorem applied inside this many loops, before the `rest` of a block; or in a `context`, a holed program."""

    depth: int
    context: Numbers | None
    rest: Numbers
    of: Scheduled | Applied


class EqualTerms(Struct, frozen=True):
    """Two terms that are equal at every place, with a proof that compares them as scalar code."""

    one: int
    other: int
    proof: RefinementProof


class TheoremsProof(Struct, frozen=True):
    """Equalities, in any order, from which that of the programs follows by congruence."""

    terms: Rows
    statements: tuple[Statement, ...]
    equations: tuple[Equation, ...]
    equal: tuple[EqualTerms, ...]


def theorems_data(proof: TheoremsProof) -> dict[str, Any]:
    """A proof as JSON data."""
    return {
        "terms": rows_data(proof.terms),
        "statements": [
            [s.kind, [_plain(a) for a in s.attributes], [list(g) for g in s.terms], [list(b) for b in s.blocks]]
            for s in proof.statements
        ],
        "equations": [
            [e.depth, None if e.context is None else list(e.context), list(e.rest), _of_data(e.of)]
            for e in proof.equations
        ],
        "equal": [[e.one, e.other, refinement_data(e.proof)] for e in proof.equal],
    }


def theorems_from(data: Any) -> TheoremsProof:
    """Parses what `theorems_data` wrote.

    Raises: Malformed.
    """
    match data:
        case {"terms": terms, "statements": [*statements], "equations": [*equations], "equal": [*equal], **rest} if (
            not rest
        ):
            return TheoremsProof(
                rows_from(terms),
                tuple(map(_statement, statements)),
                tuple(map(_equation, equations)),
                tuple(map(_equal, equal)),
            )
        case _:
            raise Malformed("a proof by theorems has `terms`, `statements`, `equations` and `equal`")


def _plain(value: Plain) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _statement(data: Any) -> Statement:
    match data:
        case [str(kind), [*attributes], [*terms], [*blocks]]:
            plain = tuple(map(_attribute, attributes))
            return Statement(kind, plain, tuple(map(_numbers, terms)), tuple(map(_numbers, blocks)))
        case _:
            raise Malformed(f"no statement is written {str(data)[:80]}")


def _attribute(data: Any) -> Plain:
    if isinstance(data, list):
        return _numbers(data)
    if isinstance(data, str | int | bool):
        return data
    raise Malformed(f"no part of a statement is written {str(data)[:80]}")


def _numbers(data: Any) -> Numbers:
    if not isinstance(data, list) or not all(type(n) is int for n in data):
        raise Malformed(f"no numbers are written {str(data)[:80]}")
    return tuple(data)


def _schedule_data(item: Schedule) -> list[Any]:
    match item:
        case Copy(part, values):
            return ["copy", part, list(values)]
        case For():
            body = [_schedule_data(inner) for inner in item.body]
            return ["for", item.type, list(item.lowers), list(item.uppers), item.step, body]


def _schedule(data: Any) -> Schedule:
    match data:
        case ["copy", int(part), values]:
            return Copy(part, _numbers(values))
        case ["for", str(kind), lowers, uppers, int(step), [*body]] if type(step) is int:
            return For(kind, _numbers(lowers), _numbers(uppers), step, tuple(map(_schedule, body)))
        case _:
            raise Malformed(f"no schedule is written {str(data)[:80]}")


def _of_data(of: Scheduled | Applied) -> list[Any]:
    match of:
        case Scheduled(parts, before, after, reorders):
            sides = [[_schedule_data(item) for item in side] for side in (before, after)]
            return ["schedules", [[list(block), list(types)] for block, types in parts], *sides, reorders]
        case Applied(theorem, block, at, by):
            return ["theorem", theorem, list(block), at, by]


def _of(data: Any) -> Scheduled | Applied:
    match data:
        case ["schedules", [*parts], [*before], [*after], bool(reorders)]:
            sides = tuple(map(_schedule, before)), tuple(map(_schedule, after))
            return Scheduled(tuple(map(_part, parts)), *sides, reorders)
        case ["theorem", str(theorem), block, int(at), int() | None as by] if bool not in (type(at), type(by)):
            return Applied(theorem, _numbers(block), at, by)
        case _:
            raise Malformed(f"no theorem is written {str(data)[:80]}")


def _part(data: Any) -> tuple[Numbers, tuple[str, ...]]:
    match data:
        case [block, [*types]] if all(isinstance(t, str) for t in types):
            return _numbers(block), tuple(types)
        case _:
            raise Malformed(f"no part is written {str(data)[:80]}")


def _equation(data: Any) -> Equation:
    match data:
        case [int(depth), context, rest, of] if type(depth) is int:
            return Equation(depth, None if context is None else _numbers(context), _numbers(rest), _of(of))
        case _:
            raise Malformed(f"no equation is written {str(data)[:80]}")


def _equal(data: Any) -> EqualTerms:
    match data:
        case [int(one), int(other), proof] if bool not in (type(one), type(other)):
            return EqualTerms(one, other, refinement_from(proof))
        case _:
            raise Malformed(f"no terms are written {str(data)[:80]}")

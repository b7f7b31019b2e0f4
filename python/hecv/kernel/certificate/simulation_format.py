"""Certificates of simulations: which loop headers of two functions correspond, and how their values do.

`hecv.kernel.simulation_check` states the theorem, and makes the proof obligations anew.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from hecv.kernel.certificate.rejection import Malformed

Variable = tuple[str, int]
"""What a cell holds (`cell` and its memory), or what a load has read (`load` and its statement)."""

Operand = tuple[str, int, int]
"""A variable of the source (`cell` or `load`), an argument by number (`arg`), an extent by argument and dimension
(`dim`), or a number (`integer`); what is not used is 0."""

KINDS = frozenset(("cell", "load"))
OPERANDS = frozenset(("cell", "load", "arg", "dim", "integer"))


class Kept(Struct, frozen=True):
    """A variable of the target is one of the source plus an `offset`; with no `source`, it is the offset."""

    target: Variable
    source: Variable | None
    offset: int


class Fact(Struct, frozen=True):
    """An invariant of the source: two operands compare as `predicate` (of `arith.cmpi`) says."""

    predicate: str
    left: Operand
    right: Operand


class Move(Struct, frozen=True):
    """To which headers both go on where the first header that the target comes to is `end`: over so many of the
    source's and the target's."""

    end: int
    source: int
    target: int


class Relation(Struct, frozen=True):
    """Headers of both that correspond, by the number of the while in its function, -1 for the entry. `values` says what
    the target's variables are. Where no move is given, both go on to the next header."""

    source: int
    target: int
    values: tuple[Kept, ...] = ()
    facts: tuple[Fact, ...] = ()
    moves: tuple[Move, ...] = ()


class Simulation(Struct, frozen=True):
    """The relations; `memories` pairs memories of the target's own with those of the source's."""

    relations: tuple[Relation, ...]
    memories: tuple[tuple[int, int], ...] = ()


def simulation_data(proof: Simulation) -> dict[str, Any]:
    """A proof as JSON data."""
    return {
        "kind": "simulation",
        "relations": [_relation_data(r) for r in proof.relations],
        "memories": [list(pair) for pair in proof.memories],
    }


def _relation_data(relation: Relation) -> dict[str, Any]:
    return {
        "at": [relation.source, relation.target],
        "values": [[list(k.target), k.source and list(k.source), k.offset] for k in relation.values],
        "facts": [[f.predicate, list(f.left), list(f.right)] for f in relation.facts],
        "moves": [[m.end, m.source, m.target] for m in relation.moves],
    }


def simulation_from(data: dict[str, Any]) -> Simulation:
    """Parses what `simulation_data` wrote.

    Raises: Malformed.
    """
    match data:
        case {"kind": "simulation", "relations": [*relations], "memories": [*memories], **rest} if not rest:
            return Simulation(tuple(map(_relation, relations)), tuple(map(_pair, memories)))
        case _:
            raise Malformed("a simulation has `relations` and `memories`")


def _relation(data: Any) -> Relation:
    match data:
        case {"at": at, "values": [*values], "facts": [*facts], "moves": [*moves], **rest} if not rest:
            source, target = _pair(at)
            return Relation(
                source, target, tuple(map(_kept, values)), tuple(map(_fact, facts)), tuple(map(_move, moves))
            )
        case _:
            raise Malformed("a relation has `at`, `values`, `facts` and `moves`")


def _kept(data: Any) -> Kept:
    match data:
        case [target, source, int(offset)] if type(offset) is int:
            return Kept(_variable(target), None if source is None else _variable(source), offset)
        case _:
            raise Malformed("a variable of the target is one of the source plus a number")


def _variable(data: Any) -> Variable:
    match data:
        case [str(kind), int(which)] if kind in KINDS and type(which) is int:
            return kind, which
        case _:
            raise Malformed("a variable is a cell or a load, by number")


def _fact(data: Any) -> Fact:
    match data:
        case [str(predicate), left, right]:
            return Fact(predicate, _operand(left), _operand(right))
        case _:
            raise Malformed("a fact has a predicate and two operands")


def _operand(data: Any) -> Operand:
    match data:
        case [str(kind), int(one), int(other)] if kind in OPERANDS and bool not in (type(one), type(other)):
            return kind, one, other
        case _:
            raise Malformed("an operand is a variable, an argument, an extent or a number")


def _move(data: Any) -> Move:
    match data:
        case [int(end), int(source), int(target)] if bool not in (type(end), type(source), type(target)):
            return Move(end, source, target)
        case _:
            raise Malformed("a move has a header, and over how many headers either goes")


def _pair(data: Any) -> tuple[int, int]:
    match data:
        case [int(one), int(other)] if bool not in (type(one), type(other)):
            return one, other
        case _:
            raise Malformed("what belongs together is told by two numbers")

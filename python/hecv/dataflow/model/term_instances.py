"""What an obligation of the induction is about: the value of a term at an instance, or an initial value."""

from __future__ import annotations

from msgspec import Struct

from hecv.base.term import Term, postorder
from hecv.base.types import IndexType
from hecv.dataflow.model.scop import Instances


class At(Struct, frozen=True):
    """The value of `term` at an instance of `statement`."""

    statement: Instances
    term: Term

    def key(self) -> Place:
        return (self.statement.name, self.term.id)


class Initial(Struct, frozen=True):
    """The value that an element of `array` has before the program; `undefined` if the program allocates the array."""

    array: str
    undefined: bool

    def key(self) -> Place:
        return (self.array, -1)


class Unsettled(Struct, frozen=True):
    """The value of a read at instances where it depends on which memories overlap which write is read."""

    at: At

    def key(self) -> Place:
        return (self.at.statement.name, -2 - self.at.term.id)


Position = At | Initial | Unsettled
Place = tuple[str, int]


def numbered(statement: Instances) -> list[Term]:
    """The terms of a statement in the order of their numbers in a certificate."""
    return postorder(statement.terms if statement.value is None else (statement.value, *statement.terms))


def settled(position: At | Unsettled) -> At:
    """The position of the read itself, whichever write its value comes from."""
    return position.at if isinstance(position, Unsettled) else position


def is_undefined(position: Position) -> bool:
    """Whether every value refines that of the position: it was never written, or is literally poison."""
    return position.undefined if isinstance(position, Initial) else settled(position).term.op == "ub.poison"


def reads(position: Position) -> bool:
    """Whether the position is a read whose producers do not depend on aliasing."""
    return isinstance(position, At) and position.term.op == "load"


def is_index(term: Term) -> bool:
    """Whether a term may be an index value that isl can express."""
    return isinstance(term.type, IndexType) or term.op in ("iv", "arg")

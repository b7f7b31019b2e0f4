"""Name resolution for dataflow certificates: the places, sets and maps that it names, found in the programs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import islpy as isl

from hecv.dataflow.model.scop import Flattened, Instances
from hecv.dataflow.model.term_instances import At, Initial, Position, Unsettled, numbered
from hecv.dataflow.model.value_dataflow import AnyPieces, Isl, undefined_at_first
from hecv.dataflow.pair_model import Pair
from hecv.kernel.certificate.dataflow_format import Place
from hecv.kernel.certificate.rejection import Rejected

Tuple = tuple[str, int]
"""An isl tuple: its name and its number of dimensions."""

WHOLE: Final = re.compile(r"(\[[^\[\]{}]*\] -> )?\{[^{}]*\}")
"""One set or map and nothing after it: isl would ignore the rest of the text."""

RATIONAL: Final = re.compile(r"\brat\b", re.IGNORECASE)
"""isl's keyword for a set of rational points: `{ rat: A[i] -> B[j] : 2j = i }` has all `i` in its domain."""


def position_at(program: Flattened, place: Place, step: str) -> Position:
    """The position of a place in one of the programs.

    Raises: Rejected if the program has no such place.
    """
    name, number = place
    if number == -1 and name in program.arrays:
        return Initial(name, undefined_at_first(program, name))
    statement = statements(program).get(name)
    if statement is not None:
        terms = numbered(statement)
        if 0 <= number < len(terms):
            return At(statement, terms[number])
        if 0 <= -2 - number < len(terms) and terms[-2 - number] in statement.reads:
            return Unsettled(At(statement, terms[-2 - number]))
    raise Rejected(step, f"there is no term {number} of {name}")


def statements(program: Flattened) -> Mapping[str, Instances]:
    """The statements of a program by name."""
    return {s.name: s for s in program.statements}


def tuple_of(program: Flattened, position: Position) -> Tuple:
    """The isl tuple of the instances of a statement, or of the elements of an array."""
    position = position.at if isinstance(position, Unsettled) else position
    if isinstance(position, At):
        return position.statement.name, len(position.statement.dims)
    array = program.arrays[position.array]
    return array.name, array.private + len(array.extents)


class Texts:
    """Parses the sets and maps of a certificate in the isl space of a pair."""

    def __init__(self, pair: Pair) -> None:
        self._space: Isl = pair.space
        self._names = frozenset(pair.parameters.names.values())

    def parameters(self, text: str, step: str) -> isl.Set:
        """A set of parameters.

        Raises: Rejected.
        """
        found = self._read(isl.Set, text, step)
        if not found.is_params():
            raise Rejected(step, "it is no set of parameters")
        return self._checked(found, step)

    def set(self, text: str, of: Tuple, step: str) -> isl.Set:
        """A set of instances.

        Raises: Rejected.
        """
        found = self._read(isl.Set, text, step)
        if found.is_params() or _tuple(found.get_space(), isl.dim_type.set) != of:
            raise Rejected(step, f"it is no set of {of[0]}")
        return self._checked(found, step)

    def map(self, text: str, source: Tuple, target: Tuple, step: str) -> isl.Map:
        """A relation of instances or elements.

        Raises: Rejected.
        """
        found = self._read(isl.Map, text, step)
        space = found.get_space()
        if (_tuple(space, isl.dim_type.in_), _tuple(space, isl.dim_type.out)) != (source, target):
            raise Rejected(step, f"it is no relation of {source[0]} and {target[0]}")
        return self._checked(found, step)

    def like(self, text: str, other: isl.Map, step: str) -> isl.Map:
        """A relation between the same tuples as those of `other`.

        Raises: Rejected.
        """
        found = self._read(isl.Map, text, step)
        if not found.get_space().has_equal_tuples(other.get_space()):
            raise Rejected(step, "it is a relation of others")
        return self._checked(found, step)

    def _read(self, kind: type[AnyPieces], text: str, step: str) -> AnyPieces:
        if not WHOLE.fullmatch(text):
            raise Rejected(step, "isl does not read it as a whole")
        if RATIONAL.search(text):
            raise Rejected(step, "it is not of whole numbers")
        try:
            return kind.read_from_str(self._space.context, text)
        except isl.Error as error:
            failure = self._space.failure(error)
            raise (Rejected(step, "isl does not read it") if failure is error else failure) from None

    def _checked(self, found: AnyPieces, step: str) -> AnyPieces:
        space = found.get_space()
        count = space.dim(isl.dim_type.param)
        if not {space.get_dim_name(isl.dim_type.param, k) for k in range(count)} <= self._names:
            raise Rejected(step, "it has a parameter that the programs lack")
        return found


def _tuple(space: isl.Space, kind: isl.dim_type) -> Tuple:
    """A tuple of a space; a wrapped one has no name, and is none of a statement or array."""
    return space.get_tuple_name(kind) if space.has_tuple_name(kind) else "", space.dim(kind)

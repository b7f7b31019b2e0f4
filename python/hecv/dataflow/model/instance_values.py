"""Concrete values of a program's terms at single instances, computed from its dataflow (EMERGE 3.2).

They propose which terms of two programs may be equal, and they refute equalities at once. They prove nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

import islpy as isl
from msgspec import Struct

from hecv.base.term import Term, literal
from hecv.base.types import FloatType, IndexType, IntType, OpaqueType, ScalarType
from hecv.base.value import POISON, Scalar
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.model.scop import Instances
from hecv.dataflow.model.value_dataflow import Dataflow, Isl, undefined_at_first, whole

Evaluate = Callable[[Term, tuple[Scalar, ...]], Scalar | None]
"""Applies the operator at the root of a term to values; None if it is undefined or cannot be run."""

Instance = tuple[int, ...]

MOST_VALUES: Final = 4_000
"""The most terms evaluated for one choice of the parameters; beyond that a term has no value."""

SMALL: Final = (9, 70)
"""Upper bounds on the parameters of a sample, tried in turn."""

SOME_SIZE: Final = (5, 3, 2)
"""Lower bounds on the parameters, tried in turn, for samples that should not be tiny."""


class Sample(Struct, frozen=True):
    """A pair of related instances, with the parameters, and a name for these."""

    parameters: isl.Set
    key: str
    source: Instance
    target: Instance


def samples(space: Isl, relation: isl.Map, most: int) -> list[Sample]:
    """A few pairs of a relation, with small parameters if possible."""
    small = _small(space, relation)
    count = relation.dim(isl.dim_type.in_)
    rest: isl.Set | None = None if small.is_empty() else small.wrap()
    found = list[Sample]()
    while len(found) < most and rest is not None:
        point = rest.sample_point()
        numbers = _coordinates(point, isl.dim_type.set)
        parameters = isl.Set.from_point(point).params()
        found.append(Sample(parameters, str(parameters), numbers[:count], numbers[count:]))
        rest = _elsewhere(rest, point)
    return found


def of_some_size(space: Isl, relation: isl.Map) -> isl.Map:
    """The part of a relation with parameters that are not tiny; the whole relation if that is empty.

    Two sums in different order look alike if each has a single summand.
    """
    names = [relation.get_dim_name(isl.dim_type.param, k) for k in range(relation.dim(isl.dim_type.param))]
    for least in SOME_SIZE:
        within = " and ".join(f"{n} >= {least}" for n in names) or "1 = 1"
        some = relation.intersect_params(space.set(f"{{ : {within} }}"))
        if not some.is_empty():
            return some
    return relation


def _small(space: Isl, relation: isl.Map) -> isl.Map:
    names = [relation.get_dim_name(isl.dim_type.param, k) for k in range(relation.dim(isl.dim_type.param))]
    for bound in SMALL:
        within = " and ".join(f"{-bound} <= {n} <= {bound}" for n in names) or "1 = 1"
        small = relation.intersect_params(space.set(f"{{ : {within} }}"))
        if not small.is_empty():
            return small
    return relation


def _elsewhere(rest: isl.Set, point: isl.Point) -> isl.Set | None:
    """The part of a set below or above a point in the first dimension (parameters last) in which there is one; None if
    there is nothing else. Subtracting the point would give one disjunct for each side of it."""
    for kind in (isl.dim_type.set, isl.dim_type.param):
        for k, number in enumerate(_coordinates(point, kind)):
            below, above = (isl.Val.read_from_str(rest.get_ctx(), str(number + step)) for step in (-1, 1))
            for half in (rest.upper_bound_val(kind, k, below), rest.lower_bound_val(kind, k, above)):
                if not half.is_empty():
                    return half
    return None


def _coordinates(point: isl.Point, kind: isl.dim_type) -> Instance:
    count = point.get_space().dim(kind)
    return tuple(whole(point.get_coordinate_val(kind, k)) for k in range(count))


class _Function:
    """A single-valued map with fixed parameters, ready to be applied to instances."""

    def __init__(self, function: isl.Map) -> None:
        plain = function.project_out(isl.dim_type.param, 0, function.dim(isl.dim_type.param))
        made = isl.PwMultiAff.from_map(plain)
        self._results = [made.get_at(k) for k in range(plain.dim(isl.dim_type.out))]
        self._domain = plain.domain().indicator_function()
        self._zero = isl.Point.zero(plain.get_space().domain())

    def __call__(self, at: Instance) -> Instance | None:
        """The image of an instance, None where there is none."""
        point, context = self._zero, self._zero.get_ctx()
        for k, number in enumerate(at):
            point = point.set_coordinate_val(isl.dim_type.set, k, isl.Val.read_from_str(context, str(number)))
        if self._domain.eval(point).is_zero():
            return None
        return tuple(whole(result.eval(point)) for result in self._results)


class Values:
    """The values of one program's terms, for one choice of the parameters.

    An argument, and each element of an argument's memory, has a value made from its name, so both programs of a pair
    see the same inputs.
    """

    def __init__(self, space: Isl, flow: Dataflow, parameters: isl.Set, evaluate: Evaluate) -> None:
        self._space = space
        self._flow = flow
        self._parameters = parameters
        self._evaluate = evaluate
        self._made: dict[tuple[str, Instance, int], Scalar | None] = {}
        self._functions: dict[tuple[str, str], _Function] = {}
        self._writers: dict[tuple[str, Term], list[tuple[Instances, _Function]]] = {}

    def of(self, statement: Instances, term: Term, at: Instance) -> Scalar | None:
        """The value of `term` at an instance of `statement`; None if unknown."""
        stack = [(statement, term, at)]
        while stack:
            where, node, point = stack[-1]
            key = (where.name, point, node.id)
            if key in self._made:
                stack.pop()
                continue
            if len(self._made) > MOST_VALUES:
                return None
            needed = self._needed(where, node, point)
            if isinstance(needed, list):
                missing = [n for n in needed if (n[0].name, n[2], n[1].id) not in self._made]
                if missing:
                    stack.extend(missing)
                    continue
                needed = self._combined(node, [self._made[n[0].name, n[2], n[1].id] for n in needed])
            self._made[key] = needed
            stack.pop()
        return self._made[statement.name, at, term.id]

    def first(self, array: str, element: Instance) -> Scalar | None:
        """The initial value of an element."""
        if undefined_at_first(self._flow.program, array):
            return POISON
        return _made_up((array, element), self._flow.program.arrays[array].memory.element)

    def producer(self, where: Instances, load: Term, at: Instance) -> tuple[Instances, Instance] | None:
        """The instance that wrote what a read reads at an instance; None if nothing was written before."""
        for writer, function in self._fixed(where, load):
            instance = function(at)
            if instance is not None:
                return writer, instance
        return None

    def _combined(self, node: Term, operands: list[Scalar | None]) -> Scalar | None:
        if node.op == "load":
            return operands[0]
        known = [v for v in operands if v is not None]
        return self._evaluate(node, tuple(known)) if len(known) == len(operands) else None

    def _needed(
        self, where: Instances, node: Term, at: Instance
    ) -> Scalar | list[tuple[Instances, Term, Instance]] | None:
        """The value of a node, or what it is computed from."""
        value = literal(node)
        if value is not None:
            return value
        if node.op == "load":
            return self._produced(where, node, at)
        if isinstance(node.type, IndexType) or node.op in ("iv", "arg", "dim"):
            try:
                return self._index(where, node, at)
            except NotAffine:
                pass
        if node.op == "arg":
            return _made_up(("argument", node.attr("number")), node.type)
        return [(where, a, at) for a in node.args] if node.args else None

    def _index(self, where: Instances, node: Term, at: Instance) -> Scalar | None:
        text = where.translator.index(node).text
        found = self._image(where, text, at)
        if found is None:
            return None
        return found[0] % (1 << node.type.width) if isinstance(node.type, IntType) else found[0]

    def _image(self, where: Instances, text: str, at: Instance) -> Instance | None:
        """The value of isl expressions, separated by commas, at an instance."""
        key = (where.name, text)
        if key not in self._functions:
            function = self._space.map(f"{{ {where.tuple_text()} -> [{text}] }}")
            self._functions[key] = _Function(function.intersect_params(self._parameters))
        return self._functions[key](at)

    def _produced(
        self, where: Instances, load: Term, at: Instance
    ) -> Scalar | list[tuple[Instances, Term, Instance]] | None:
        found = self.producer(where, load, at)
        if found is not None:
            assert found[0].value is not None
            return [(found[0], found[0].value, found[1])]
        access = where.reads[load]
        element = self._image(where, ", ".join(access.indices), at) if access.indices else ()
        return None if element is None else self.first(access.array, element)

    def _fixed(self, where: Instances, load: Term) -> list[tuple[Instances, _Function]]:
        """The producers of a read, with the parameters fixed."""
        key = (where.name, load)
        if key not in self._writers:
            given = self._flow.producers[key].writes
            self._writers[key] = [(w, _Function(m.intersect_params(self._parameters))) for w, m in given]
        return self._writers[key]


def _made_up(name: object, type_: ScalarType) -> Scalar:
    """A value of the type that depends on the name only."""
    random = Random(repr(name))
    match type_:
        case IntType(width):
            return random.getrandbits(width)
        case FloatType("f32" | "f64"):
            return random.randint(-(1 << 20), 1 << 20) / 8
        case FloatType() if type_.small:  # what has three digits is a number of each of these formats
            return random.choice((-1, 1)) * random.randint(4, 7) * 2.0 ** random.randint(-3, 1)
        case FloatType():
            return random.randint(-64, 64) / 8
        case IndexType():
            return random.randint(-8, 8)
        case OpaqueType():
            return random.getrandbits(64)

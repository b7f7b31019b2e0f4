"""What isl concludes of random programs (who wrote what is read, which sizes leave the bounds) against plain runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from math import prod
from random import Random

import islpy as isl
import pytest

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import BOOL, INDEX, IndexType, IntType
from hecv.base.value import Buffer, Value
from hecv.dataflow.input_sampling import points
from hecv.dataflow.model.isl_translation import Parameters
from hecv.dataflow.model.scop import Instances
from hecv.dataflow.model.value_dataflow import Budget, Dataflow, Isl, analyse, whole
from hecv.dataflow.pair_model import Pair
from hecv.program.index.exact_integers import signed
from hecv.program.refusal import Refused
from hecv.program.tree import Alloc, Block, Function, If, Loop, Statement, Store, Touch
from hecv.run.interpreter.interpreter import Excluded, Exhausted, Undefined, compile
from soundness.programs import Taste, program
from soundness.running import read

TASTE = Taste(traps=0.0, flags=0.0, index_data=0.0, uninitialised=0.1)
SCALARS = (-2, -1, 0, 1, 2, 3, 5)
EXTENTS = (0, 1, 2, 3, 4, 6, 9)

Point = dict[Term, int]


@dataclass(frozen=True, slots=True)
class Place:
    """An instance of a statement: its isl name and the values of the induction variables around it."""

    statement: str
    ivs: tuple[int, ...]


# A run that only watches addresses.


@dataclass(slots=True)
class Trace:
    """Walks a tree in normal form and notes for each read the instance that wrote the element last."""

    names: dict[int, str]
    values: Point
    last: dict[tuple[int, int, tuple[int, ...]], Place] = field(default_factory=dict)
    lives: dict[int, int] = field(default_factory=dict)
    reads: dict[tuple[Place, Term], Place | None] = field(default_factory=dict)
    ivs: list[int] = field(default_factory=list)

    def block(self, block: Block) -> None:
        for statement in block:
            self.statement(statement)

    def statement(self, statement: Statement) -> None:
        match statement:
            case Store(memory=memory, indices=indices, value=value):
                self.access(statement, (value,))
                element = tuple(self.number(i) for i in indices)
                self.last[memory.id, self.lives.get(memory.id, 0), element] = self.place(statement)
            case Touch(accesses=accesses, terms=terms):
                self.access(statement, (*accesses, *terms))
            case Alloc(memory=memory):
                self.lives[memory.id] = self.lives.get(memory.id, 0) + 1
            case Loop(lowers=lowers, uppers=uppers, step=step, body=body):
                start, stop = max(map(self.number, lowers)), min(map(self.number, uppers))
                for iv in range(start, stop, self.number(step)):
                    self.ivs.append(iv)
                    self.block(body)
                    self.ivs.pop()
            case If(condition=condition, then=then, otherwise=otherwise):
                self.block(then if self.number(condition) else otherwise)
            case _:
                pass

    def place(self, statement: Statement) -> Place:
        return Place(self.names[id(statement)], tuple(self.ivs))

    def access(self, statement: Statement, terms: tuple[Term, ...]) -> None:
        for load in postorder(terms):
            if load.op == "load":
                memory = load.attr("memory")
                assert isinstance(memory, int)
                element = tuple(self.number(i) for i in load.args)
                found = self.last.get((memory, self.lives.get(memory, 0), element))
                self.reads[self.place(statement), load] = found

    def number(self, term: Term) -> int:
        """The value of an index term or an affine condition."""
        args = [self.number(a) for a in term.args]
        match term.op:
            case "const":
                value = int(literal(term) or 0)
                return signed(value, term.type.width) if isinstance(term.type, IntType) and term.type != BOOL else value
            case "arg" if term.type == BOOL:
                return self.values[term] & 1
            case "arg" | "dim":
                return self.values[term]
            case "arith.index_cast":
                return args[0]
            case "iv":
                depth = term.attr("depth")
                assert isinstance(depth, int)
                return self.ivs[depth]
            case "affine.linear":
                constant, coefficients = term.attr("constant"), term.attr("coefficients")
                assert isinstance(constant, int) and isinstance(coefficients, tuple)
                return constant + sum(c * a for c, a in zip(coefficients, args, strict=True))
            case "affine.floordiv":
                divisor = term.attr("divisor")
                assert isinstance(divisor, int)
                return args[0] // divisor
            case "affine.max":
                return max(args)
            case "affine.min":
                return min(args)
            case "arith.andi":
                return args[0] & args[1]
            case "arith.ori":
                return args[0] | args[1]
            case "arith.xori":
                return args[0] ^ args[1]
            case "arith.cmpi":
                left, right = args
                tests = {"eq": left == right, "ne": left != right, "slt": left < right, "sle": left <= right}
                tests |= {"sgt": left > right, "sge": left >= right}
                return int(tests[str(term.attr("predicate"))])
            case other:
                raise AssertionError(f"not affine: {other}")


def numbered(block: Block, side: str) -> dict[int, str]:
    """The isl name of each store and touch, by the identity of the statement."""
    names: dict[int, str] = {}

    def visit(inner: Block) -> None:
        for statement in inner:
            match statement:
                case Store() | Touch():
                    names[id(statement)] = f"{side}{len(names)}"
                case Loop(body=body):
                    visit(body)
                case If(then=then, otherwise=otherwise):
                    visit(then)
                    visit(otherwise)
                case _:
                    pass

    visit(block)
    return names


# What isl says.


def to_ivs(pair: Pair, pool: TermPool, statement: Instances) -> isl.Map:
    """The induction variables' values as a function of the dimensions."""
    depth = len(statement.dims)
    texts = [statement.translator.index(pool.induction(k, INDEX)).text for k in range(depth)]
    return pair.space.map(f"{{ {statement.tuple_text()} -> {statement.name}[{', '.join(texts)}] }}")


def at(pair: Pair, relation: isl.Map, point: Point) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The pairs of a relation for given parameters."""
    fixed = relation.intersect_params(parameters(pair, point))
    inputs, outputs = relation.dim(isl.dim_type.in_), relation.dim(isl.dim_type.out)
    found: list[tuple[tuple[int, ...], tuple[int, ...]]] = []

    def visit(one: isl.Point) -> None:
        row = [int(one.get_coordinate_val(isl.dim_type.set, k).to_python()) for k in range(inputs + outputs)]
        found.append((tuple(row[:inputs]), tuple(row[inputs:])))

    fixed.wrap().foreach_point(visit)
    return found


def parameters(pair: Pair, point: Point) -> isl.Set:
    """The parameters of the point; those that stand for floors follow from their definition."""
    texts = [f"{name} = {point[term]}" for term, name in pair.parameters.names.items() if term in point]
    return pair.space.set(f"{{ : {' and '.join(texts) or '1 = 1'} }}").params()


def expected(pair: Pair, pool: TermPool, flow: Dataflow, point: Point) -> dict[tuple[Place, Term], Place | None]:
    """For each instance of each read who wrote the element, by isl."""
    statements = {s.name: s for s in flow.program.statements if s.statement != -1}
    convert = {name: to_ivs(pair, pool, s) for name, s in statements.items()}
    found: dict[tuple[Place, Term], Place | None] = {}
    for name, statement in statements.items():
        for load in statement.reads:
            producers = flow.producers[name, load]
            for writer, relation in producers.writes:
                moved = relation.apply_domain(convert[name]).apply_range(convert[writer.name])
                for reader, wrote in at(pair, moved, point):
                    key = (Place(name, reader), load)
                    assert key not in found, f"two producers of {key}"
                    found[key] = Place(writer.name, wrote)
            if producers.initial is not None:
                initial = isl.Map.from_domain(producers.initial.apply(convert[name]))
                for reader, _ in at(pair, initial, point):
                    key = (Place(name, reader), load)
                    assert key not in found, f"{key} is both written and initial"
                    found[key] = None
    return found


# Properties.


def analysed(seed: int) -> tuple[TermPool, Function, Pair] | None:
    pool = TermPool()
    function = read(program(seed, TASTE), pool)
    try:
        return pool, function, Pair(pool, function, function, [])
    except Refused:
        return None


def grid(pair: Pair, random: Random, count: int) -> list[Point]:
    """Values for all scalar arguments and extents."""
    leaves = [t for t in pair.parameters.names if t.op in ("arg", "dim")]
    draws = [{t: random.choice(_values(t)) for t in leaves} for _ in range(count)]
    return [dict(d) for d in {tuple(d.items()) for d in draws}]


def _values(leaf: Term) -> tuple[int, ...]:
    if leaf.op == "dim":
        return EXTENTS
    return (0, -1) if leaf.type == BOOL else SCALARS  # an i1 is read as signed


def arguments(function: Function, point: Point) -> tuple[Value, ...]:
    """Arguments of these sizes; every element is 1."""
    values: list[Value] = []
    for argument in function.arguments:
        if argument.memory is None:
            assert argument.term is not None
            value = point.get(argument.term, 1 if isinstance(argument.type, IndexType) else 0)
            values.append(value & 1 if argument.type == BOOL else value)
            continue
        shape = tuple(point.get(e, 3) if (n := literal(e)) is None else int(n) for e in argument.memory.extents)
        values.append(Buffer(shape, [1] * prod(shape)))
    return tuple(values)


def check_producers(seed: int) -> None:
    made = analysed(seed)
    if made is None:
        return
    pool, _, pair = made
    try:
        flow = analyse(pair.space, pair.source.flat)
    except Budget:
        return
    pair.space.renew(NO_LIMIT)
    names = numbered(pair.source.body, "S")
    for point in grid(pair, Random(seed), 5):
        trace = Trace(names, point)
        trace.block(pair.source.body)
        assert expected(pair, pool, flow, point) == trace.reads, (seed, point)


NO_LIMIT = 0
"""Of operations, to isl: what is analysed within a budget is compared at any number of points."""


def check_undefined(seed: int) -> None:
    made = analysed(seed)
    if made is None:
        return
    _, function, pair = made
    try:
        outside = pair.undefined()
    except Budget:
        return
    pair.space.renew(NO_LIMIT)
    code = compile(function)
    for point in grid(pair, Random(seed), 40):
        end = code.run(arguments(function, point), 200_000)
        if not isinstance(end, Excluded | Exhausted):
            inside = outside.intersect(parameters(pair, point)).is_empty()
            assert inside != isinstance(end, Undefined), (seed, point, end)


def check_points(seed: int) -> None:
    made = analysed(seed)
    if made is None:
        return
    _, function, pair = made
    code = compile(function)
    try:
        for point in islice(points(pair, (0, 1, 7, 8), Random(seed)), 12):
            values = arguments(function, dict(point))
            if sum(len(v.data) for v in values if isinstance(v, Buffer)) < 100_000:
                end = code.run(values, 200_000)
                assert not isinstance(end, Undefined), (seed, point, end)
    except Budget:
        return


@pytest.mark.one_in(24)
@pytest.mark.parametrize("seed", range(60))
def test_producers_are_the_last_writers(seed: int) -> None:
    check_producers(seed)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seed", [1434, 1511, 1568, 2582])
def test_maxima_of_which_isl_loses_pieces_at_first(seed: int) -> None:
    check_producers(seed)


@pytest.mark.one_in(20)
@pytest.mark.parametrize("seed", range(100))
def test_undefined_sizes_are_exact(seed: int) -> None:
    check_undefined(seed)


@pytest.mark.one_in(12)
@pytest.mark.parametrize("seed", range(60))
def test_points_are_in_bounds(seed: int) -> None:
    check_points(seed)


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 1400, 50))
def test_sets_on_many(first: int) -> None:
    for seed in range(first, first + 50):
        check_producers(seed)
        check_undefined(seed)
        check_points(seed)


def test_numbers_beyond_the_budget_are_an_error_of_isl() -> None:
    space = Isl(Parameters(index_width=64), (), 1_000_000)
    value = isl.Val.int_from_si(space.context, 7)
    assert whole(value) == 7
    space.renew(1)
    with pytest.raises(isl.Error):
        isl.Set.read_from_str(space.context, "{ [i] : 0 <= i <= 9 }").coalesce()
    with pytest.raises(isl.Error):
        whole(value)

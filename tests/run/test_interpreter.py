"""The reference interpreter on programs built by hand."""

from __future__ import annotations

import time

import numpy as np
import pytest

from hecv.base.diagnostics import Location, Unsupported
from hecv.base.term import Attributes, Term, TermPool
from hecv.base.types import BOOL, INDEX, FloatType, IntType, MemRefType, ScalarType
from hecv.base.value import POISON, Buffer, Scalar, Value
from hecv.program.index import quasi_affine
from hecv.program.tree import (
    Alloc,
    Argument,
    Block,
    Dealloc,
    Evaluate,
    Function,
    If,
    Load,
    Loop,
    Memory,
    MemoryKind,
    Statement,
    Store,
    Touch,
)
from hecv.run.interpreter.interpreter import Excluded, Exhausted, Finished, Outcome, Undefined, compile

F32, F64 = FloatType("f32"), FloatType("f64")
I8, I32, I64 = IntType(8), IntType(32), IntType(64)
TOP = 2**63 - 1


class Build:
    """Makes terms, memories and statements with fresh numbers."""

    def __init__(self) -> None:
        self.pool = TermPool()
        self.arguments: list[Argument] = []
        self.results: list[Memory] = []
        self.next = 100

    def number(self) -> int:
        self.next += 1
        return self.next

    def index(self, value: int | Term) -> Term:
        return value if isinstance(value, Term) else self.pool.integer(value)

    def scalar(self, type_: ScalarType = INDEX) -> Term:
        n = len(self.arguments)
        term = self.pool.argument(n, type_)
        self.arguments.append(Argument(n, f"arg{n}", type_, term, None))
        return term

    def buffer(self, element: ScalarType, *shape: int | None) -> Memory:
        n = len(self.arguments)
        extents = tuple(self.pool.extent(n, k) if e is None else self.pool.integer(e) for k, e in enumerate(shape))
        memory = Memory(n, MemoryKind.ARGUMENT, f"arg{n}", element, extents)
        self.arguments.append(Argument(n, f"arg{n}", MemRefType(shape, element), None, memory))
        return memory

    def local(self, element: ScalarType, *extents: int | Term) -> Memory:
        return Memory(self.number(), MemoryKind.LOCAL, "%local", element, tuple(self.index(e) for e in extents))

    def cell(self, element: ScalarType) -> Memory:
        return Memory(self.number(), MemoryKind.CELL, "cell", element, ())

    def iv(self, depth: int, type_: ScalarType = INDEX) -> Term:
        return self.pool.induction(depth, type_)

    def op(self, name: str, *args: Term, type: ScalarType, **attrs: str | int | bool) -> Term:
        attributes: Attributes = tuple(attrs.items())
        return self.pool.make(f"arith.{name}", args, type, attributes)

    def load(self, memory: Memory, *indices: int | Term) -> Load:
        return Load(self.number(), memory, tuple(self.index(i) for i in indices))

    def of(self, load: Load) -> Term:
        return self.pool.read(load.id, load.memory.element)

    def store(self, memory: Memory, value: Term, *indices: int | Term) -> Store:
        return Store(self.number(), memory, tuple(self.index(i) for i in indices), value)

    def loop(
        self,
        iv: Term,
        lower: int | Term,
        upper: int | Term,
        *body: Statement,
        step: int | Term = 1,
        unsigned: bool = False,
    ) -> Loop:
        bounds = [b if isinstance(b, Term) else self.pool.integer(b, iv.type) for b in (lower, upper, step)]
        return Loop(self.number(), iv, (bounds[0],), (bounds[1],), bounds[2], unsigned, body)

    def returned(self, value: Term) -> Store:
        memory = Memory(self.number(), MemoryKind.RESULT, f"result{len(self.results)}", value.type, ())
        self.results.append(memory)
        return self.store(memory, value)

    def function(self, *body: Statement) -> Function:
        return Function("f", tuple(self.arguments), tuple(self.results), body, None)

    def run(self, *body: Statement, inputs: tuple[Value, ...] = (), budget: int = 5_000_000) -> Outcome:
        return compile(self.function(*body)).run(inputs, budget)


@pytest.fixture
def b() -> Build:
    return Build()


def ones(*shape: int) -> Buffer:
    return Buffer(shape, [1.0] * int(np.prod(shape)))


def finished(outcome: Outcome) -> Finished:
    assert isinstance(outcome, Finished), outcome
    return outcome


def data(outcome: Outcome, argument: int = 0) -> list[Scalar]:
    value = finished(outcome).arguments[argument]
    assert isinstance(value, Buffer)
    return value.data


def result(outcome: Outcome) -> Scalar:
    return finished(outcome).results[0]


def undefined(outcome: Outcome) -> tuple[str, int]:
    assert isinstance(outcome, Undefined), outcome
    return outcome.text, outcome.statement


# Whole programs


def gemm(b: Build, element: FloatType, n: int, m: int, k: int, dynamic: bool = False) -> Function:
    def shape(extent: int) -> int | None:
        return None if dynamic else extent

    x = b.buffer(element, shape(n), shape(k))
    y = b.buffer(element, shape(k), shape(m))
    z = b.buffer(element, shape(n), shape(m))
    i, j, p = b.iv(0), b.iv(1), b.iv(2)
    left, right, sum_ = b.load(x, i, p), b.load(y, p, j), b.load(z, i, j)
    product = b.op("mulf", b.of(left), b.of(right), type=element)
    store = b.store(z, b.op("addf", b.of(sum_), product, type=element), i, j)
    inner = b.loop(p, 0, x.extents[1], left, right, sum_, store)
    return b.function(b.loop(i, 0, x.extents[0], b.loop(j, 0, y.extents[1], inner)))


@pytest.mark.parametrize("dynamic", (False, True))
@pytest.mark.parametrize("name", ("f32", "f64"))
def test_gemm(b: Build, name: str, dynamic: bool) -> None:
    kind = np.float32 if name == "f32" else np.float64
    chance = np.random.default_rng(7)
    x, y, z = (chance.normal(size=s).astype(kind) for s in ((6, 5), (5, 7), (6, 7)))
    expected = z.copy()
    for p in range(5):
        expected += np.outer(x[:, p], y[p]).astype(kind)
    inputs = tuple(Buffer(a.shape, [float(v) for v in a.ravel()]) for a in (x, y, z))
    outcome = compile(gemm(b, FloatType(name), 6, 7, 5, dynamic)).run(inputs)
    assert data(outcome, 2) == [float(v) for v in expected.ravel()]
    assert inputs[2].data == [float(v) for v in z.ravel()], "inputs are left as they are"
    assert finished(outcome).arguments[0] == inputs[0] and finished(outcome).arguments[0] is not inputs[0]


def test_gemm_has_no_checks_and_fits_a_tight_budget(b: Build) -> None:
    executable = compile(gemm(b, F64, 60, 70, 50))
    assert "bounds(" not in executable.source and "POISON" not in executable.source
    steps = 1 + 60 + 60 * 70 + 4 * 60 * 70 * 50
    inputs = (ones(60, 50), ones(50, 70), ones(60, 70))
    assert finished(executable.run(inputs, steps)).steps == steps
    assert executable.run(inputs, steps - 1) == Exhausted(steps - 1)


def test_dynamic_gemm_reads_extents_of_arguments(b: Build) -> None:
    """Subscripts are proved in bounds of an argument whose extent bounds the loop, and checked in the others."""
    executable = compile(gemm(b, F64, 0, 0, 0, dynamic=True))
    assert undefined(executable.run((ones(2, 3), ones(2, 2), ones(2, 2))))[0] == (
        "out of bounds: index 2 of dimension 0, extent 2"
    )


def test_triangular_loop(b: Build) -> None:
    a = b.buffer(F64, 4, 4)
    i, j = b.iv(0), b.iv(1)
    upper = quasi_affine.combine(b.pool, 1, ((i, 1),))
    outcome = b.run(
        b.loop(i, 0, 4, b.loop(j, 0, upper, b.store(a, b.pool.real(9.0, F64), i, j))),
        inputs=(Buffer((4, 4), [0.0] * 16),),
    )
    assert data(outcome) == [9.0 if c <= r else 0.0 for r in range(4) for c in range(4)]


@pytest.mark.parametrize(
    ("lower", "upper", "step", "trips"),
    [(0, 0, 1, 0), (5, 2, 1, 0), (0, 7, 3, 3), (0, 6, 3, 2), (-4, 3, 2, 4), (TOP - 1, TOP, 1, 1), (7, -7, 5, 0)],
)
@pytest.mark.parametrize("literal", (True, False))
def test_trip_count(b: Build, lower: int, upper: int, step: int, trips: int, literal: bool) -> None:
    """Bounds may cross, and a last increment that does not wrap may reach the greatest value."""
    bounds = (lower, upper, step)
    terms = bounds if literal else tuple(b.scalar() for _ in bounds)
    count = b.cell(I32)
    read = b.load(count)
    one = b.pool.integer(1, I32)
    body = (read, b.store(count, b.op("addi", b.of(read), one, type=I32)))
    loop = b.loop(b.iv(0), terms[0], terms[1], *body, step=terms[2])
    end = b.load(count)
    start = (Alloc(b.number(), count), b.store(count, b.pool.integer(0, I32)))
    outcome = b.run(*start, loop, end, b.returned(b.of(end)), inputs=() if literal else bounds)
    assert result(outcome) == trips


def test_bounds_are_the_greatest_and_the_least(b: Build) -> None:
    a, n = b.buffer(I32, 8), b.scalar()
    i = b.iv(0)
    lowers, uppers = (b.pool.integer(2), n), (b.pool.integer(6), quasi_affine.combine(b.pool, 3, ((n, 1),)))
    store = b.store(a, b.pool.integer(1, I32), i)
    loop = Loop(b.number(), i, lowers, uppers, b.pool.integer(1), False, (store,))
    assert data(b.run(loop, inputs=(Buffer((8,), [0] * 8), 1))) == [0, 0, 1, 1, 0, 0, 0, 0]


def test_carried_value_is_a_cell(b: Build) -> None:
    a, total, i = b.buffer(F32, None), b.cell(F32), b.iv(0)
    element, before = b.load(a, i), b.load(total)
    add = b.store(total, b.op("addf", b.of(before), b.of(element), type=F32))
    end = b.load(total)
    body = (
        Alloc(b.number(), total),
        b.store(total, b.pool.real(0.0, F32)),
        b.loop(i, 0, a.extents[0], element, before, add),
        end,
        b.returned(b.of(end)),
    )
    outcome = b.run(*body, inputs=(Buffer((3,), [1.0, 2.0**24, 1.0]),))
    assert result(outcome) == 2.0**24, "each sum is rounded to f32, ties to even"


def test_if_takes_one_branch(b: Build) -> None:
    c, a = b.scalar(BOOL), b.buffer(I32)
    then, otherwise = (b.store(a, b.pool.integer(v, I32)) for v in (1, 2))
    branch = If(b.number(), c, (then,), (otherwise,))
    executable = compile(b.function(branch))
    assert [data(executable.run((bit, Buffer((), [0]))), 1) for bit in (0, 1)] == [[2], [1]]


def test_load_in_a_store_reads_just_before(b: Build) -> None:
    a, i = b.buffer(I32, 4), b.iv(0)
    here = b.pool.load(a.id, (i,), I32)
    doubled = b.op("addi", here, here, type=I32)
    twice = (b.store(a, doubled, i), b.store(a, doubled, i))
    assert data(b.run(b.loop(i, 0, 4, *twice), inputs=(Buffer((4,), [1, 2, 3, 4]),))) == [4, 8, 12, 16]


def test_load_as_a_subscript(b: Build) -> None:
    table, a = b.buffer(INDEX, 3), b.buffer(I32, 3)
    store = b.store(a, b.pool.integer(5, I32), b.pool.load(table.id, (b.index(1),), INDEX))
    executable = compile(b.function(store))
    zeros = Buffer((3,), [0, 0, 0])
    assert data(executable.run((Buffer((3,), [9, 2, 9]), zeros)), 1) == [0, 0, 5]
    assert undefined(executable.run((Buffer((3,), [0, -1, 0]), zeros))) == (
        "out of bounds: index -1 of dimension 0, extent 3",
        store.id,
    )


def test_sibling_loops_share_terms_but_not_values(b: Build) -> None:
    """`iv 0` is one term in both loops; what was computed from it in the first must not be used in the second."""
    a, i, j = b.buffer(INDEX, 40), b.iv(0), b.iv(1)
    square = quasi_affine.multiply(b.pool, i, i)
    first = b.loop(i, 0, 3, b.loop(j, 0, 1, b.store(a, square, square)))
    second = b.loop(i, 4, 6, b.store(a, square, square))
    stored = data(b.run(first, second, inputs=(Buffer((40,), [-1] * 40),)))
    assert {k: v for k, v in enumerate(stored) if v != -1} == {0: 0, 1: 1, 4: 4, 16: 16, 25: 25}


def test_term_in_a_branch_and_after_it(b: Build) -> None:
    c, x, a = b.scalar(BOOL), b.scalar(I32), b.buffer(I32, 2)
    y = b.op("muli", x, x, type=I32)
    branch = If(b.number(), c, (b.store(a, y, 0),), ())
    executable = compile(b.function(branch, b.store(a, y, 1)))
    assert [data(executable.run((bit, 3, Buffer((2,), [0, 0]))), 2) for bit in (0, 1)] == [[0, 9], [9, 9]]


# Memory: life, bounds, initialisation


def test_local_memory_is_new_in_each_iteration(b: Build) -> None:
    """The second iteration must not see what the first one wrote."""
    a, i, local = b.buffer(I32, 2), b.iv(0), b.local(I32, 3)
    read = b.load(local, 1)
    keep = b.store(a, b.of(read), i)
    body = (Alloc(b.number(), local), read, keep, b.store(local, b.pool.integer(7, I32), 1))
    assert data(b.run(b.loop(i, 0, 2, *body), inputs=(Buffer((2,), [0, 0]),))) == [POISON, POISON]


def test_uninitialised_value_may_be_returned_but_not_branched_on(b: Build) -> None:
    local = b.local(BOOL, 2)
    read = b.load(local, 0)
    start = (Alloc(b.number(), local), read)
    assert result(b.run(*start, b.returned(b.of(read)))) is POISON
    branch = If(b.number(), b.of(read), (), ())
    assert undefined(b.run(*start, branch)) == ("branch on poison", branch.id)


def test_poison_passes_through_arithmetic_and_memory(b: Build) -> None:
    local, a = b.local(F32), b.buffer(F32, 2)
    read = b.load(local)
    sum_ = b.op("addf", b.of(read), b.pool.real(1.0, F32), type=F32)
    back = b.load(a, 0)
    body = (Alloc(b.number(), local), read, b.store(a, sum_, 0), back, b.store(a, b.of(back), 1))
    assert data(b.run(*body, inputs=(ones(2),))) == [POISON, POISON]


def test_select_needs_only_the_chosen_operand(b: Build) -> None:
    c, local = b.scalar(BOOL), b.local(I32)
    read = b.load(local)
    chosen = b.op("select", c, b.pool.integer(4, I32), b.of(read), type=I32)
    executable = compile(b.function(Alloc(b.number(), local), read, b.returned(chosen)))
    assert result(executable.run((1,))) == 4
    assert result(executable.run((0,))) is POISON


def test_poison_as_bound_subscript_extent_and_divisor(b: Build) -> None:
    local, a = b.local(INDEX), b.buffer(I32, 4)
    read = b.load(local)
    start = (Alloc(b.number(), local), read)
    poison, zeros = b.of(read), Buffer((4,), [0] * 4)
    for body, text in (
        (b.loop(b.iv(0), 0, poison), "upper bound of a loop is poison"),
        (b.loop(b.iv(0), 0, 4, step=poison), "step of a loop is poison"),
        (b.load(a, poison), "subscript of dimension 0 is poison"),
        (Alloc(b.number(), b.local(I32, poison)), "extent of %local is poison"),
        (Evaluate(b.number(), b.op("divui", poison, poison, type=INDEX)), "divisor of arith.divui is poison"),
    ):
        assert undefined(b.run(*start, body, inputs=(zeros,))) == (text, body.id)


@pytest.mark.parametrize("dynamic", (False, True))
@pytest.mark.parametrize(("i", "j"), [(8, 0), (-1, 0), (0, 3), (0, -2)])
def test_out_of_bounds(b: Build, i: int, j: int, dynamic: bool) -> None:
    a = b.buffer(F32, None if dynamic else 8, 3)
    store = b.store(a, b.pool.real(0.0, F32), b.scalar(), b.scalar())
    dimension, index, extent = (0, i, 8) if not 0 <= i < 8 else (1, j, 3)
    expected = f"out of bounds: index {index} of dimension {dimension}, extent {extent}", store.id
    assert undefined(b.run(store, inputs=(ones(8, 3), i, j))) == expected


def test_out_of_bounds_load_that_is_dead(b: Build) -> None:
    a = b.buffer(F32, 8)
    touch = Touch(b.number(), (b.pool.load(a.id, (b.index(8),), F32),), ())
    assert undefined(b.run(touch, inputs=(ones(8),)))[1] == touch.id


def test_touch_evaluates_every_operator(b: Build) -> None:
    x = b.scalar(I32)
    inner = b.op("divsi", b.pool.integer(6, I32), x, type=I32)
    touch = Touch(b.number(), (), (b.op("addi", inner, inner, type=I32),))
    executable = compile(b.function(touch))
    assert undefined(executable.run((0,))) == ("division by zero", touch.id)
    assert finished(executable.run((2,)))


def test_division_is_undefined_only_where_it_is_evaluated(b: Build) -> None:
    """A use of the term computes a total value; hoisting a use must not make the run undefined."""
    x, c, a = b.scalar(I32), b.scalar(BOOL), b.buffer(I32, 1)
    quotient = b.op("divsi", b.pool.integer(6, I32), x, type=I32)
    evaluate = Evaluate(b.number(), quotient)
    branch = If(b.number(), c, (b.loop(b.iv(0), 0, 1, evaluate, b.store(a, quotient, 0)),), ())
    executable = compile(b.function(branch))
    assert data(executable.run((0, 0, Buffer((1,), [5]))), 2) == [5]
    assert data(executable.run((3, 1, Buffer((1,), [5]))), 2) == [2]
    assert undefined(executable.run((0, 1, Buffer((1,), [5])))) == ("division by zero", evaluate.id)


def test_dealloc_ends_the_life(b: Build) -> None:
    local = b.local(F32, 2)
    alloc, free = Alloc(b.number(), local), Dealloc(b.number(), local)
    again = Dealloc(b.number(), local)
    late = b.load(local, 0)
    assert undefined(b.run(alloc, free, late)) == ("use of dead memory %local", late.id)
    assert undefined(b.run(alloc, free, again)) == ("double free of %local", again.id)
    assert finished(b.run(b.loop(b.iv(0), 0, 3, alloc, b.store(local, b.pool.real(1.0, F32), 0), free)))


def test_dealloc_in_a_loop(b: Build) -> None:
    local, i = b.local(F32, 2), b.iv(0)
    use, free = b.store(local, b.pool.real(1.0, F32), 0), Dealloc(b.number(), local)
    once = compile(b.function(Alloc(b.number(), local), b.loop(i, 0, b.scalar(), use, free)))
    assert finished(once.run((1,)))
    assert undefined(once.run((2,))) == ("use of dead memory %local", use.id)


def test_negative_extent(b: Build) -> None:
    alloc = Alloc(b.number(), b.local(F32, b.scalar()))
    executable = compile(b.function(alloc))
    assert undefined(executable.run((-1,))) == ("negative extent of %local", alloc.id)
    assert finished(executable.run((0,)))


# Budget and assumptions


@pytest.mark.parametrize("nested", (False, True))
def test_huge_loop_is_exhausted(b: Build, nested: bool) -> None:
    a, n = b.buffer(I32, 1), b.scalar()
    store: Block = (b.store(a, b.pool.integer(1, I32), 0),)
    body = (b.loop(b.iv(1), 0, n, *store),) if nested else store
    executable = compile(b.function(b.loop(b.iv(0), 0, n, *body)))
    assert executable.run((Buffer((1,), [0]), TOP), 1000) == Exhausted(1000)


def test_undefined_within_the_budget_of_a_huge_loop(b: Build) -> None:
    a, i = b.buffer(I32, 5), b.iv(0)
    store = b.store(a, b.pool.integer(1, I32), i)
    outcome = b.run(b.loop(i, 0, TOP, store), inputs=(Buffer((5,), [0] * 5),), budget=100)
    assert undefined(outcome) == ("out of bounds: index 5 of dimension 0, extent 5", store.id)
    assert outcome.steps <= 100


def test_huge_allocation_is_exhausted(b: Build) -> None:
    assert b.run(Alloc(b.number(), b.local(F64, b.scalar(), 1000)), inputs=(2**40,)) == Exhausted(5_000_000)


def test_step_must_be_positive(b: Build) -> None:
    loop = b.loop(b.iv(0), 5, 0, step=b.scalar())
    for step in (0, -1):
        assert undefined(b.run(loop, inputs=(step,))) == ("the step of a loop is not positive", loop.id)
    loop = b.loop(b.iv(0), 5, 0, step=0)
    assert undefined(b.run(loop, inputs=(1,)))[1] == loop.id


def i8_loop(b: Build, step: int, unsigned: bool) -> Function:
    a = b.buffer(I8, 256)
    i = b.iv(0, I8)
    at = b.op("index_castui", i, type=INDEX)
    lower, upper = b.scalar(I8), b.scalar(I8)
    return b.function(b.loop(i, lower, upper, b.store(a, i, at), step=step, unsigned=unsigned))


@pytest.mark.parametrize(
    ("lower", "upper", "step", "unsigned", "expected"),
    [
        (0, 127, 100, False, None),  # 0, 100, then 200 wraps
        (0, 101, 27, False, [0, 27, 54, 81]),  # then 108
        (126, 127, 1, False, [126]),
        (250, 3, 1, False, [250, 251, 252, 253, 254, 255, 0, 1, 2]),  # -6 to 3
        (250, 3, 1, True, []),
        (3, 250, 100, True, None),  # 3, 103, 203, then 303 wraps
        (253, 255, 1, True, [253, 254]),
        (0, 255, 200, True, None),
    ],
)
def test_i8_loop(b: Build, lower: int, upper: int, step: int, unsigned: bool, expected: list[int] | None) -> None:
    outcome = compile(i8_loop(b, step, unsigned)).run((Buffer((256,), [7] * 256), lower, upper))
    if expected is None:
        assert undefined(outcome)[0] == "the last increment of a loop wraps"
    else:
        assert [k for k, v in enumerate(data(outcome)) if v == k and k != 7] == sorted(expected)


def test_unsigned_index_loop(b: Build) -> None:
    """-1 is the greatest unsigned index: a loop from -3 to it has two iterations, and one from 0 very many."""
    count = b.buffer(INDEX, 1)
    i = b.iv(0)
    executable = compile(b.function(b.loop(i, b.scalar(), -1, b.store(count, i, 0), unsigned=True)))
    assert data(executable.run((Buffer((1,), [0]), -3))) == [-2]
    assert isinstance(executable.run((Buffer((1,), [0]), 0)), Exhausted)


def test_index_overflow_is_excluded(b: Build) -> None:
    n, a = b.scalar(), b.buffer(I32, 4)
    inputs = (TOP, Buffer((4,), [0] * 4))
    sum_ = b.op("addi", n, n, type=INDEX)
    late = quasi_affine.combine(b.pool, 1, ((n, 1),))
    floor = quasi_affine.floordiv(b.pool, quasi_affine.combine(b.pool, 0, ((n, 3),)), b.pool.integer(2))
    for statement in (b.load(a, sum_), b.load(a, late), b.load(a, floor), b.loop(b.iv(0), 0, late)):
        outcome = b.run(statement, inputs=inputs)
        assert isinstance(outcome, Excluded) and outcome.statement == statement.id
    assert undefined(b.run(b.load(a, n), inputs=inputs))[0].startswith("out of bounds")


def test_index_of_32_bits(b: Build) -> None:
    n = b.scalar()
    double = b.op("addi", n, n, type=INDEX)
    executable = compile(b.function(b.returned(double)), index_width=32)
    assert result(executable.run((2**30 - 1,))) == 2**31 - 2
    assert result(executable.run((2**30,))) == -(2**31)  # it is returned, not a subscript or bound: it wraps


def test_affine_ops(b: Build) -> None:
    x, y = b.scalar(), b.scalar()
    terms = (
        quasi_affine.modulo(b.pool, x, b.pool.integer(5)),
        quasi_affine.ceildiv(b.pool, x, b.pool.integer(4)),
        quasi_affine.extremum(b.pool, "affine.max", (x, y, b.pool.integer(3))),
        quasi_affine.extremum(b.pool, "affine.min", (x, y)),
        quasi_affine.multiply(b.pool, x, y),
        quasi_affine.floordiv(b.pool, x, y),
    )
    executable = compile(b.function(*[b.returned(t) for t in terms]))
    for p, q in ((7, 2), (-7, 2), (0, 9), (13, 13)):
        expected = (p % 5, -(-p // 4), max(p, q, 3), min(p, q), p * q, p // q)
        assert finished(executable.run((p, q))).results == expected


def test_quotient_needs_a_positive_divisor(b: Build) -> None:
    a, x, y = b.buffer(I32, 9), b.scalar(), b.scalar()
    load = b.load(a, quasi_affine.modulo(b.pool, x, y))
    executable = compile(b.function(load))
    zeros = Buffer((9,), [0] * 9)
    assert finished(executable.run((zeros, 7, 3)))
    assert undefined(executable.run((zeros, 7, 0))) == ("division by zero", load.id)
    assert undefined(executable.run((zeros, 7, -3)))[1] == load.id


# Size


def test_deep_shared_term(b: Build) -> None:
    x = x0 = b.scalar(I32)
    for _ in range(10_000):
        x = b.op("addi", x, x, type=I32)
    y = b.op("addi", b.op("muli", x, x, type=I32), x0, type=I32)
    assert result(b.run(b.returned(y), inputs=(5,))) == 5


def test_long_block_builds_in_linear_time() -> None:
    def seconds(n: int) -> float:
        b = Build()
        a = b.buffer(F32, n)
        body: list[Statement] = []
        for k in range(n // 2):
            load = b.load(a, k)
            body += [load, b.store(a, b.op("addf", b.of(load), b.of(load), type=F32), k)]
        start = time.process_time()
        executable = compile(b.function(*body))
        spent = time.process_time() - start
        assert data(executable.run((ones(n),))) == [2.0] * (n // 2) + [1.0] * (n - n // 2)
        return spent

    small, large = seconds(4_000), seconds(20_000)
    assert large < 15 * small + 1


def test_deep_nesting_is_unsupported_with_a_location(b: Build) -> None:
    nest: Statement = b.loop(b.iv(18), 0, 1)
    for depth in reversed(range(18)):
        nest = b.loop(b.iv(depth), 0, 1, nest)
    with pytest.raises(Unsupported, match="18 deep"):
        compile(b.function(nest))
    inner = nest.body[0]
    assert finished(b.run(inner)) and isinstance(inner, Loop)


def test_nested_branches(b: Build) -> None:
    c, a = b.scalar(BOOL), b.buffer(I32, 1)
    nest: Statement = b.store(a, b.pool.integer(3, I32), 0)
    for _ in range(85):
        nest = If(b.number(), c, (nest,), ())
    assert data(b.run(nest, inputs=(1, Buffer((1,), [0]))), 1) == [3]


def test_unknown_op_is_unsupported_where_it_stands(b: Build) -> None:
    store = b.returned(b.pool.make("other.op", (b.scalar(F32),), F32))
    place = Location("f.mlir", 3, 5)
    function = Function("f", tuple(b.arguments), tuple(b.results), (store,), None, {store.id: place})
    with pytest.raises(Unsupported, match=r"other\.op") as caught:
        compile(function)
    assert caught.value.location == place


def test_arguments_are_checked(b: Build) -> None:
    b.buffer(F32, 2)
    executable = compile(b.function())
    for wrong in ((), (1,), (ones(3),), (Buffer((2,), [1.0]),)):
        with pytest.raises(ValueError, match="expected"):
            executable.run(wrong)

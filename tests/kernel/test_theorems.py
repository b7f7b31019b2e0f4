"""The checker of proofs by loop theorems: what it takes for an instance, for well typed, and for unobserved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import pytest
from msgspec.structs import replace
from tests.laws.test_loops_audit import MAKERS, placed

from hecv.base.term import Attributes, Term, TermPool
from hecv.base.types import INDEX, FloatType, IntType
from hecv.dataflow.residual.scalar_refinement import Refinement
from hecv.egraph.programs.program_reduction import Standing
from hecv.egraph.programs.theorem_rounds import Equation as Found
from hecv.kernel.certificate.loop_theorem_format import (
    Applied,
    EqualTerms,
    Equation,
    Statement,
    TheoremsProof,
    theorems_data,
    theorems_from,
)
from hecv.kernel.certificate.rejection import Malformed, Rejected, Uncertified
from hecv.kernel.certificate.term_format import RefinementProof
from hecv.kernel.certificate.term_rows import Row
from hecv.kernel.loop_theorem_check import UNOBSERVED, equalities, follows, is_own
from hecv.kernel.statement_typing import STEP, Trees
from hecv.kernel.terms.solvers import Solver
from hecv.program.tree import Alloc, Block, If, Loop, Memory, MemoryKind, Store
from hecv.prove.loops.statement_rows import TreeRows
from hecv.prove.terms.scalar_cert import certify_refinement
from hecv.theorems.schedules import theorem_instance
from hecv.theorems.schedules.theorem_instance import Instance, Surroundings
from hecv.theorems.transforms import scalar_stores, unroll_peel_strip
from hecv.theorems.user_rules.loop_rule_trials import World, within

SEEDS = 24


def _proof(pool: TermPool, instance: Instance, place: Standing) -> TheoremsProof:
    rows = TreeRows(pool)
    equation = rows.equation(Found(instance.of, place))
    proof = TheoremsProof(tuple(rows.rows), tuple(rows.statements), (equation,), ())
    assert theorems_from(theorems_data(proof)) == proof
    return proof


def _replayed(pool: TermPool, proof: TheoremsProof, programs: tuple[Block, Block], given: Sequence[Term]) -> bool:
    return follows(programs, equalities(pool, programs, proof, given, Solver()))


def _checked(name: str, seed: int) -> tuple[bool, bool]:
    """Whether an instance holds, and whether the checker accepts it and finds what follows. In its context more may be
    known than the instance was asked for; an instance whose types do not fit is left out."""
    world = World(TermPool(), Random(f"{name}{seed}"))
    around, frame = placed(world)
    for instance in MAKERS[name](world, around):
        inside = bool(around.known) or name == "last"
        programs = tuple(within(frame, side) if inside else side for side in (instance.before, instance.after))
        proof = _proof(world.pool, instance, Standing(around.depth, (), lambda b: within(frame, b), inside))
        holds = instance.broken() is None
        try:
            shown = _replayed(world.pool, proof, (programs[0], programs[1]), around.assumptions)
        except Rejected as problem:
            assert problem.step in ("equation 0", STEP), problem
            shown = holds and (problem.step == STEP or "type of its variable" in problem.why)
        alone = follows((programs[0], programs[1]), ())
        assert not alone or programs[0] == programs[1]
        return holds or (shown and inside), shown
    return False, False


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", MAKERS)
def test_what_is_told_of_a_theorem_is_enough_to_state_it(name: str) -> None:
    """The checker accepts an instance exactly where its obligations hold."""
    found = [_checked(name, seed) for seed in range(SEEDS)]
    assert [holds for holds, _ in found] == [shown for _, shown in found]
    assert {shown for _, shown in found} == {False, True}


# Cells


POOL = TermPool()
CELL = Memory(7, MemoryKind.CELL, "c", INDEX, ())
OUT = Memory(1, MemoryKind.ARGUMENT, "o", INDEX, ())
ONE, TWO = POOL.integer(1), POOL.integer(2)
READ = POOL.load(7, (), INDEX)


def _loop(body: Block) -> Loop:
    return Loop(0, POOL.induction(0, INDEX), (POOL.integer(0),), (TWO,), ONE, False, body)


def _if(body: Block) -> If:
    return If(0, POOL.make("arith.cmpi", (ONE, TWO), IntType(1), (("predicate", "slt"),)), body, ())


USE = Store(0, OUT, (), READ)
BEGIN, SET = Alloc(0, CELL), Store(0, CELL, (), ONE)
LAST = (BEGIN, SET, USE)


@pytest.mark.parametrize(
    ("block", "own"),
    [
        (LAST, True),
        ((*LAST, _loop(LAST)), True),
        ((_loop(LAST), _if(LAST)), True),
        ((_loop(LAST), USE), False),
        ((USE, *LAST), False),
        ((_loop((USE, *LAST)),), False),
        ((_if(LAST), _if((USE,))), False),
        ((_if(LAST), _loop((BEGIN, USE)), Store(0, OUT, (), ONE)), True),
        ((*LAST, _loop(LAST), USE), False),
        ((*LAST, _loop((USE,)), USE), True),
        ((*LAST, _loop(LAST), *LAST, USE), True),
        ((*LAST, _loop((USE, *LAST))), False),
    ],
)
def test_who_sees_a_cell(block: Block, own: bool) -> None:
    assert is_own(block, 7) == own


@pytest.mark.parametrize(
    ("program", "seen"),
    [
        (lambda b: b, False),
        (lambda b: (_loop(b),), False),
        (lambda b: (*b, USE), True),
        (lambda b: (_loop(b), USE), True),
        (lambda b: (_loop((USE, *b)),), True),
    ],
)
def test_what_a_cell_holds_in_the_end_must_not_be_seen(program: Callable[[Block], Block], seen: bool) -> None:
    """The sides of `cell-last` differ in that; the theorem is about programs in which nobody reads it."""
    found = Found(_last(), Standing(0, (), program))
    rows = TreeRows(POOL)
    proof = TheoremsProof((), (), (rows.equation(found),), ())
    proof = replace(proof, terms=tuple(rows.rows), statements=tuple(rows.statements))
    programs = program(LAST), program((BEGIN, Store(0, OUT, (), ONE)))
    if seen:
        with pytest.raises(Rejected, match="what the cell holds in the end may be seen"):
            _replayed(POOL, proof, programs, ())
    else:
        assert _replayed(POOL, proof, programs, ())
        alone = replace(proof, equations=(replace(proof.equations[0], context=None),))
        with pytest.raises(Rejected, match="what the cell holds in the end may be seen"):
            _replayed(POOL, alone, programs, ())


def _last() -> theorem_instance.Scheduled | theorem_instance.Applied:
    made = scalar_stores.last(POOL, LAST, 1)
    assert made is not None and made.broken() is None
    return made.of


# Types


F32, I32 = FloatType("f32"), IntType(32)
SOME = Memory(1, MemoryKind.ARGUMENT, "A", F32, (POOL.integer(8),))
PROGRAM: Block = (
    _loop((Store(0, SOME, (POOL.induction(0, INDEX),), POOL.make("arith.addf", (POOL.argument(2, F32),) * 2, F32)),)),
)
LEAVES: tuple[Row, ...] = (
    ("const", "index", (("value", 0),), ()),
    ("arg", "f32", (("number", 2),), ()),
    ("iv", "index", (("depth", 0),), ()),
)


@pytest.mark.parametrize(
    "row",
    [
        ("arith.addf", "f32", (), (1, 0)),
        ("arith.addf", "index", (), (0, 0)),
        ("arith.mulf", "f32", (), (1, 1)),
        ("arith.addf", "f32", (("fastmath", 127),), (1, 1)),
        ("arg", "f64", (("number", 2),), ()),
        ("arg", "index", (("number", 3),), ()),
        ("const", "i8", (("value", 256),), ()),
        ("load", "f32", (("memory", 2),), (0,)),
        ("affine.max", "index", (), (0, 1)),
        ("affine.floordiv", "index", (("divisor", 0),), (2,)),
        ("affine.linear", "index", (("constant", 1), ("coefficients", (1, 2))), (2,)),
        ("iv", "index", (("depth", -1),), ()),
        ("iv", "f32", (("depth", 0),), ()),
        ("affine.quotient", "index", (), ()),
    ],
)
def test_terms_that_mean_nothing(row: Row) -> None:
    with pytest.raises((Rejected, Malformed)):
        Trees(POOL, (PROGRAM, PROGRAM), (*LEAVES, row), (), 64)


@pytest.mark.parametrize(
    "statement",
    [
        Statement("store", (1, False), ((), (1,)), ()),
        Statement("store", (1, False), ((0,), (0,)), ()),
        Statement("store", (5, False), ((0,), (1,)), ()),
        Statement("alloc", (1,), ((1,),), ()),
        Statement("touch", (False,), ((1,), ()), ()),
        Statement("loop", (False, False), ((2,), (1,), (0,), (0,)), ((),)),
        Statement("loop", (False, False), ((0,), (0,), (0,), (0,)), ((),)),
        Statement("loop", (False, False), ((2,), (), (0,), (0,)), ((),)),
        Statement("if", (), ((0,),), ((), ())),
        Statement("while", (), ((1,),), ((), ())),
        Statement("assert", (), ((0,),), ()),
        Statement("call", ("g", (), (), False, 0), ((),), ()),
        Statement("read", (), (), ()),
    ],
)
def test_statements_that_mean_nothing(statement: Statement) -> None:
    with pytest.raises((Rejected, Malformed)):
        Trees(POOL, (PROGRAM, PROGRAM), LEAVES, (statement,), 64)


def test_variables_are_those_of_loops_around() -> None:
    store = Statement("store", (1, False), ((2,), (1,)), ())
    loop = Statement("loop", (False, False), ((2,), (0,), (0,), (0,)), ((0,),))
    hole = Statement("hole", (), (), ())
    trees = Trees(POOL, (PROGRAM, PROGRAM), LEAVES, (store, loop, hole), 64)
    assert trees.block((0,), (INDEX,)) and trees.block((0,), (None,)) and trees.block((1,), ())
    for numbers, scope in (((0,), ()), ((0,), (I32,)), ((1,), (INDEX,)), ((2,), ()), ((3,), ())):
        with pytest.raises((Rejected, Malformed)):
            trees.block(numbers, scope)
    assert trees.block((2, 1), (), with_hole=True)
    with pytest.raises(Malformed):
        trees.block((2, 2), (), with_hole=True)


def test_what_is_no_theorem() -> None:
    for of in (Applied("loop-twice", (), 0, None), Applied(UNOBSERVED, (), 0, None), Applied("loop-once", (), 0, None)):
        proof = TheoremsProof((), (), (Equation(0, None, (), of),), ())
        with pytest.raises(Rejected, match="it is no instance of a theorem"):
            _replayed(POOL, proof, (PROGRAM, PROGRAM), ())


def test_what_is_known_is_read_off_the_program() -> None:
    """`for j = i to n` runs at least once below `for i = 0 to n`."""
    n, i, j = POOL.argument(3, INDEX), POOL.induction(0, INDEX), POOL.induction(1, INDEX)
    inner = Loop(0, j, (i,), (n,), ONE, False, (Store(0, OUT, (), j),))
    outer = Loop(0, i, (POOL.integer(0),), (n,), ONE, False, ())
    made = unroll_peel_strip.peel(POOL, Surroundings(1, (outer,)), inner, True)
    assert made is not None and made.broken() is None
    sides = within((outer,), made.before), within((outer,), made.after)
    proof = _proof(POOL, made, Standing(1, (), lambda b: within((outer,), b), True))
    assert _replayed(POOL, proof, sides, ())
    alone = replace(proof, equations=(replace(proof.equations[0], depth=1, context=None),))
    for other in (alone, _proof(POOL, made, Standing(1, (), _elsewhere, True))):
        with pytest.raises(Rejected, match="the obligation"):
            _replayed(POOL, other, sides, ())


def _elsewhere(block: Block) -> Block:
    return within((Loop(0, POOL.induction(0, INDEX), (POOL.integer(0),), (TWO,), ONE, False, ()),), block)


# Terms


X, Y = POOL.argument(0, I32), POOL.argument(1, I32)
OUT32 = Memory(1, MemoryKind.ARGUMENT, "o", I32, ())


def _add(*args: Term, flags: Attributes = ()) -> Term:
    return POOL.make("arith.addi", args, I32, flags)


def _equal(one: Term, other: Term, proof: RefinementProof, strict: bool = True) -> bool:
    """Whether programs that store these are shown equal by the terms."""
    rows = TreeRows(POOL)
    pair = EqualTerms(rows.term(one), rows.term(other), proof)
    memory = replace(OUT32, element=one.type)
    programs = (Store(0, memory, (), one),), (Store(0, memory, (), other),)
    whole = TheoremsProof(tuple(rows.rows), (), (), (pair,))
    assert theorems_from(theorems_data(whole)) == whole
    return follows(programs, equalities(POOL, programs, whole, (), Solver(), strict))


def _refinement(one: Term, other: Term) -> RefinementProof:
    return certify_refinement(POOL, one, other, Refinement(True, True, True), 64)


def test_terms_that_refine_each_other() -> None:
    one, other = _add(X, _add(Y, X)), _add(_add(X, X), Y)
    proof = _refinement(one, other)
    assert _equal(one, other, proof)
    with pytest.raises((Rejected, Malformed)):
        _equal(one, _add(_add(X, Y), Y), proof)
    with pytest.raises(Rejected, match="they do not refine each other"):
        _equal(one, other, replace(proof, backward=None))


def test_terms_of_which_one_is_less_poison() -> None:
    nsw: Attributes = (("overflow", "nsw"),)
    one, other = _add(X, _add(Y, X), flags=nsw), _add(_add(X, X), Y)
    forward = certify_refinement(POOL, one, other, Refinement(True, True, False), 64)
    with pytest.raises(Rejected, match="they do not refine each other"):
        _equal(one, other, forward)
    with pytest.raises(Uncertified):
        _refinement(one, other)


def test_terms_that_are_not_compared() -> None:
    proof = _refinement(_add(X, Y), _add(Y, X))
    load = POOL.load(1, (), I32)
    zero = POOL.make("arith.muli", (load, POOL.integer(0, I32)), I32)
    exact = POOL.make("affine.mul", (POOL.argument(3, INDEX), POOL.argument(4, INDEX)), INDEX)
    bits = POOL.make("arith.muli", exact.args, INDEX)
    real = POOL.argument(2, F32)
    for one, other, why in (
        (zero, POOL.integer(0, I32), "do not read the same"),
        (exact, bits, "exact index arithmetic"),
        (bits, exact, "exact index arithmetic"),
        (POOL.make("arith.addf", (real, real), F32), real, "floats may be rounded otherwise"),
    ):
        with pytest.raises(Rejected, match=why):
            _equal(one, other, proof, strict=False)

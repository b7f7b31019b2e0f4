"""The normal form and re-rolling change nothing that a run can see, on random programs and after random passes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from random import Random

import pytest
from msgspec.structs import replace

from hecv.base.term import TermPool
from hecv.base.value import Value
from hecv.dataflow.pair_model import Affine
from hecv.normal.branches.conditional_updates import sink_selects
from hecv.normal.branches.subscript_selects import branch_on_selects
from hecv.normal.indirect.scatter_loops import scattered_memories, scatters_as_loops
from hecv.normal.loops.rerolling import reroll
from hecv.normal.loops.strip_joining import join_split_loops
from hecv.normal.memory.copy_propagation import propagate_copies
from hecv.normal.passes import normalize
from hecv.program.index.index_ranges import NOTHING
from hecv.program.tree import Block, Function, If, Loop, Statement, Store, Touch
from hecv.run.interpreter.interpreter import compile

from .programs import PassFailed, Taste, program, transformed
from .running import STEPS, conclusive, inputs, read, unequal

TASTE = Taste(data_conditions=0.1, traps=0.2, uninitialised=0.15, flags=0.1, indirect=0.5, index_data=0.3)
SCATTERED = replace(TASTE, scattered=4.0, index_data=0.5)
"""Programs that update memory at subscripts from memory."""

UNROLLINGS = (
    "affine-loop-unroll{unroll-factor=2}",
    "affine-loop-unroll{unroll-factor=-1}",
    "affine-loop-unroll{unroll-factor=4},affine-loop-unroll{unroll-factor=2}",
    "affine-loop-unroll-jam{unroll-jam-factor=3}",
    "affine-loop-unroll{unroll-factor=3},canonicalize,affine-scalrep",
)


def forms(function: Function, pool: TermPool) -> list[Function]:
    """The function in normal form, re-rolled, with its pieces joined, with what conditions choose in branches or in
    sums, and with updates spread over all elements."""
    affine = Affine(64).condition
    normal = normalize(pool, function)
    again = reroll(pool, function, normal)
    joined = join_split_loops(pool, propagate_copies(pool, again), NOTHING)
    spread_out = scatters_as_loops(
        pool, function, normal, scattered_memories(pool, function, normal, floats=True), floats=True
    )
    chosen = sink_selects(pool, branch_on_selects(pool, normal, affine), affine, floats=True)
    bodies = (normal, again, joined, chosen, *((spread_out,) if spread_out != normal else ()))
    return [replace(function, body=explicit(body)) for body in bodies]


def explicit(block: Block) -> Block:
    """The block with a touch of its value before each store: a store of the normal form evaluates every operator of
    its value, which the interpreter does only where a statement says so."""
    out: list[Statement] = []
    for statement in block:
        match statement:
            case Store(id=number, value=value):
                out += [Touch(number, (), (value,)), statement]
            case Loop(body=body):
                out.append(replace(statement, body=explicit(body)))
            case If(then=then, otherwise=otherwise):
                out.append(replace(statement, then=explicit(then), otherwise=explicit(otherwise)))
            case _:
                out.append(statement)
    return tuple(out)


def disagreement(
    text: str, random: Random, count: int = 12, own: Iterable[tuple[Value, ...]] | None = None
) -> tuple[str, tuple[Value, ...]] | None:
    """What a form of the function does otherwise than the function, and on which of its `own` inputs or random ones."""
    pool = TermPool()
    function = read(text, pool)
    code, *all_forms = [compile(form) for form in (function, *forms(function, pool))]
    for arguments in islice(inputs(function, random) if own is None else own, count):
        given = code.run(arguments, STEPS)
        others = [form.run(arguments, STEPS) for form in all_forms] if conclusive(given) else []
        if not others or not conclusive(*others):
            continue
        for name, other in zip(("the normal form", "re-rolled", "joined", "chosen", "spread"), others, strict=False):
            wrong = unequal(given, other)
            if wrong is not None:
                return f"{name}: {wrong}", arguments
    return None


def check_seed(seed: int, taste: Taste = TASTE) -> None:
    random = Random(seed)
    text = program(seed, taste)
    assert disagreement(text, random) is None, text
    passes = random.choice(UNROLLINGS)
    try:
        unrolled = transformed(text, passes)
    except PassFailed:
        return
    assert disagreement(unrolled, random) is None, f"{passes}\n{text}"


@pytest.mark.one_in(10)
@pytest.mark.parametrize("first", range(0, 150, 10))
def test_forms_agree(first: int) -> None:
    for seed in range(first, first + 10):
        check_seed(seed)


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 2500, 100))
def test_forms_agree_on_many(first: int) -> None:
    for seed in range(first, first + 100):
        check_seed(seed)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("first", range(340, 380, 10))
def test_updates_are_spread_alike(first: int) -> None:
    for seed in range(first, first + 10):
        check_seed(seed, SCATTERED)


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 2000, 100))
def test_many_updates_are_spread_alike(first: int) -> None:
    for seed in range(first, first + 100):
        check_seed(seed, SCATTERED)

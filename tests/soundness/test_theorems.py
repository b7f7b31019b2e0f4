"""Proofs by loop theorems on random programs, on what mlir-opt makes of them, and on slips of the hand in that.

An `Equal` says that both programs do the same on every input, also where they are undefined; runs must agree.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from random import Random

import pytest
from msgspec.structs import replace

from hecv.base.diagnostics import Unsupported
from hecv.base.term import TermPool
from hecv.egraph.programs.theorem_rounds import Budgets, Equal, prove_by_theorems
from hecv.normal.index_canonical import canonicalize_indices
from hecv.normal.memory.load_attachment import Attacher
from hecv.normal.whiles.counted_loops import count_loops
from hecv.program.tree import Function
from hecv.run.interpreter.interpreter import Finished, compile
from hecv.theorems.schedules.name_normalisation import Names, named

from .mutants import mutants
from .programs import PassFailed, Taste, chain, program, transformed
from .running import STEPS, conclusive, inputs, read, unequal
from .test_normal_form import explicit

pytestmark = pytest.mark.egraph

TASTE = Taste(data_conditions=0.3, traps=0.12, uninitialised=0.05, flags=0.08, indirect=0.3, index_data=0.2)
BUDGETS = Budgets(rounds=2, nodes=60_000, seconds=2.0)
RUNS, TRIES = 15, 60
PASSES = (
    "affine-loop-unroll{unroll-factor=2}",
    "affine-loop-unroll{unroll-factor=3}",
    "affine-loop-tile{tile-size=3}",
    "affine-loop-unroll-jam{unroll-jam-factor=2}",
    "affine-loop-fusion",
    "affine-loop-normalize",
    "affine-loop-coalescing",
    "affine-loop-invariant-code-motion",
    "canonicalize",
)


def proved(source: str, target: str, random: Random) -> bool:
    """Whether the pair is proved equal; then runs agree."""
    pool = TermPool()
    first, second = read(source, pool), read(target, pool)
    if not isinstance(prove_by_theorems(pool, first, second, budgets=BUDGETS), Equal):
        return False
    codes, done = (compile(first), compile(second)), 0
    for arguments in islice(inputs(first, random), TRIES):
        ends = [code.run(arguments, 300_000) for code in codes]
        if conclusive(*ends):
            wrong = unequal(*ends)
            assert wrong is None, f"{wrong} on {arguments}\n{source}\n{target}"
            done += isinstance(ends[0], Finished)
        if done == RUNS:
            break
    return True


def readable(text: str) -> bool:
    """Whether a mutant is a program at all."""
    try:
        read(text)
    except Exception:  # of the parser, the verifier, or an op without semantics
        return False
    return True


def sweep(seeds: range, found: Counter[str]) -> None:
    """Programs against themselves transformed, and against mutants of that."""
    for seed in seeds:
        random = Random(f"theorems {seed}")
        text = program(seed, TASTE)
        passes = random.choice(PASSES) if random.random() < 0.7 else chain(random)
        try:
            target = transformed(text, passes)
        except PassFailed:
            continue
        try:
            found["passes"] += proved(text, target, random)
            for mutant in islice((m for m in mutants(target, random) if readable(m.text)), 3):
                found["mutants"] += proved(text, mutant.text, random)
                found["tried"] += 1
        except Unsupported:
            continue


@pytest.mark.one_in(10)
@pytest.mark.parametrize("first", range(0, 20, 4))
def test_what_is_proved_runs_alike(first: int) -> None:
    found: Counter[str] = Counter()
    sweep(range(first, first + 4), found)
    assert found["tried"] >= 4


@pytest.mark.long
def test_what_is_proved_runs_alike_on_many() -> None:
    found: Counter[str] = Counter()
    sweep(range(20, 180), found)
    assert found["passes"] >= 20


def renamed(pool: TermPool, function: Function) -> Function:
    """The function in the normal form that theorems see, under canonical names."""
    names = Names()
    body = canonicalize_indices(pool, count_loops(pool, function), 64)
    made = named(pool, names, function, Attacher(pool, function, body).block(body))
    results = tuple(replace(r, id=names.number("result", k)) for k, r in enumerate(function.results))
    return replace(function, body=explicit(made), results=results)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(40))
def test_names_change_nothing(seed: int) -> None:
    random, pool = Random(seed), TermPool()
    text = transformed(program(seed, TASTE), random.choice(("affine-loop-unroll{unroll-factor=2}", "canonicalize")))
    function = read(text, pool)
    codes = [compile(f) for f in (function, renamed(pool, function))]
    for arguments in islice(inputs(function, random), 12):
        ends = [code.run(arguments, STEPS) for code in codes]
        if conclusive(*ends):
            assert unequal(*ends) is None, text

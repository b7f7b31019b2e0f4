"""Verdicts on random programs, on what mlir-opt makes of them, and on slips of the hand in that.

Everything is decided with `HECV_CROSSCHECK=1`: the proof is tried also where a run refutes, and a proof that a run
contradicts is the verdict `error`. What is said to hold is run again on inputs of this test's own.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from random import Random

import pytest

from hecv.check import Options, check
from hecv.claim.result import Report
from hecv.run.interpreter.interpreter import compile

from .mutants import mutants
from .programs import PassFailed, Taste, chain, program, transformed
from .running import public, read, refuted

PLAIN = Taste()
RARE = Taste(data_conditions=0.05, traps=0.15, uninitialised=0.12, flags=0.12)
RUNS, TRIES = 20, 120
SECONDS = 3.0
"""For one verdict: what takes longer is `unknown`, which is no answer, but no wrong one."""


@pytest.fixture(autouse=True)
def crosscheck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")


def decide(source: str, target: str) -> Report:
    return check(source, target, ("s.mlir", "t.mlir"), Options(seconds=SECONDS))


def sound(source: str, target: str, random: Random) -> str:
    """The verdict on a pair, after everything that can be held against it."""
    report = decide(source, target)
    problems = [d.message for f in report.functions for d in f.diagnostics]
    assert report.verdict != "error", f"{problems}\n{source}\n{target}"
    (function,) = report.functions
    if report.verdict in ("equivalent", "refines"):
        wrong = refuted(source, target, report.verdict, random, RUNS, TRIES)
        assert wrong is None, f"{wrong}\n{source}\n{target}"
    if report.verdict == "not-equivalent":
        assert function.counterexample is not None and "interpreter" in function.counterexample.engines
    return report.verdict


def is_program(text: str) -> bool:
    """Whether a mutant is a program that can be run at all."""
    try:
        compile(read(text, name=public(text)))
    except Exception:  # of the parser, the verifier, or an op without semantics
        return False
    return True


def check_self(seed: int, taste: Taste) -> str:
    source = program(seed, taste)
    return sound(source, source, Random(seed))


def check_chain(seed: int, taste: Taste) -> None:
    source, random = program(seed, taste), Random(seed)
    try:
        target = transformed(source, chain(random))
    except PassFailed:
        return
    sound(source, target, random)


def check_mutants(seed: int, taste: Taste, count: int) -> None:
    source, random = program(seed, taste), Random(seed)
    try:
        target = transformed(source, chain(random))
    except PassFailed:
        target = source
    for mutant in islice((m for m in mutants(target, random) if is_program(m.text)), count):
        sound(source, mutant.text, random)


@pytest.mark.one_in(26)
@pytest.mark.parametrize("seed", range(40))
def test_program_against_itself(seed: int) -> None:
    """Never less than `equivalent`, but for what is named and located as beyond the prover."""
    assert check_self(seed, PLAIN) in ("equivalent", "unknown")


@pytest.mark.one_in(26)
@pytest.mark.parametrize("seed", range(40))
def test_passes(seed: int) -> None:
    check_chain(seed, PLAIN if seed % 2 else RARE)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(100, 108))
def test_mutants(seed: int) -> None:
    check_mutants(seed, PLAIN if seed % 2 else RARE, 4)


PAIRS = sorted((Path(__file__).parents[2] / "lit_tests" / "verify").glob("*/*.tgt.mlir"))
LARGEST = 4_000
"""Characters of a target that is mutated here."""


def _is_one(path: Path) -> bool:
    """A file has one public function."""
    return path.read_text().count("func.func @") == 1


def check_pair(seed: int) -> None:
    """A mutant of the target of some pair of the lit suite."""
    random = Random(f"pair {seed}")
    target = random.choice([p for p in PAIRS if p.stat().st_size <= LARGEST and "-bad" not in p.name and _is_one(p)])
    source = target.with_name(target.name.replace(".tgt.", ".src.")).read_text()
    mutant = next((m for m in islice(mutants(target.read_text(), random), 20) if is_program(m.text)), None)
    if mutant is not None and is_program(source):
        sound(source, mutant.text, random)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(8))
def test_mutants_of_pairs(seed: int) -> None:
    check_pair(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1_000, 1_100))
def test_many_mutants_of_pairs(seed: int) -> None:
    check_pair(seed)


@pytest.mark.long
@pytest.mark.parametrize("first", range(10_000, 10_120, 20))
def test_many(first: int) -> None:
    for seed in range(first, first + 20):
        taste = PLAIN if seed % 2 else RARE
        check_self(seed, taste)
        check_chain(seed, taste)
        check_mutants(seed, taste, 6)

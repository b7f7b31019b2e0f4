"""Random programs on arguments that may overlap: no proof is contradicted by any way in which the arguments lie."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from hecv.base.term import TermPool
from hecv.check import Options, check
from hecv.frontend.mlir import parse, read_pair
from hecv.poly.prove import Pair, Proved, prove
from hecv.verdict.switches import Switches, overlapping

from .overlaps import Program, difference, edited, program, text

MAY = Switches(may_overlap=True)


def pair(seed: int, branches: bool) -> tuple[Program, Program, Random]:
    """A random program, and what up to three edits make of it."""
    random = Random(seed)
    source = target = program(random, branches)
    for _ in range(random.randint(1, 3)):
        target = edited(target, random)
    return source, target, random


def proved(source: str, target: str) -> bool:
    """Whether array dataflow proves the pair for arguments that may overlap."""
    pool = TermPool()
    functions = overlapping(read_pair((parse(source, "s.mlir"), parse(target, "t.mlir")), ("f", "f"), pool), MAY)
    return isinstance(prove(Pair(pool, *functions, [])), Proved)


def proofs(first: int, count: int, branches: bool) -> Counter[tuple[bool, bool]]:
    """How often pairs are proved, and how often they are equal wherever the arguments lie."""
    found: Counter[tuple[bool, bool]] = Counter()
    for seed in range(first, first + count):
        source, target, random = pair(seed, branches)
        where = difference(source, target, random)
        is_proved = proved(text(source), text(target))
        assert not is_proved or where is None, f"seed {seed}, {where}\n{text(source)}\n{text(target)}"
        found[is_proved, where is None] += 1
    return found


@pytest.mark.parametrize("branches", (False, True), ids=("straight", "branches"))
def test_proofs_hold_wherever_arguments_lie(branches: bool) -> None:
    found = proofs(0, 30, branches)
    assert found[True, True] > 10 and found[False, False] > 5, found


@pytest.mark.long
@pytest.mark.parametrize("branches", (False, True), ids=("straight", "branches"))
@pytest.mark.parametrize("first", range(1_000, 5_000, 500))
def test_many_proofs(first: int, branches: bool) -> None:
    found = proofs(first, 500, branches)
    assert found[True, True] > 3 * found[False, True], found


def test_verdicts_hold_wherever_arguments_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    """The proof is tried also where a run refutes, and a proof that a run contradicts is the verdict `error`."""
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    verdicts: Counter[tuple[str, bool]] = Counter()
    for seed in range(100, 110):
        source, target, random = pair(seed, False)
        where = difference(source, target, random)
        report = check(text(source), text(target), ("s.mlir", "t.mlir"), Options(switches=MAY))
        expected = ("not-equivalent", "unknown") if where else ("equivalent", "refines", "unknown")
        assert report.verdict in expected, f"seed {seed}: {report.verdict}, {where}\n{text(source)}\n{text(target)}"
        verdicts[report.verdict, where is None] += 1
    assert verdicts["equivalent", True] > 1 and verdicts["not-equivalent", False] > 1, verdicts

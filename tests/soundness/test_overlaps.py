"""Random programs on arguments that may overlap: no proof is contradicted by any way in which the arguments lie."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from hecv.base.term import TermPool
from hecv.check import Options, check
from hecv.claim.semantic_options import Switches, overlapping
from hecv.dataflow.dataflow_proof import Pair, Proved, prove
from hecv.kernel.certificate.file_format import FunctionProof, Identity
from hecv.kernel.certificate.file_format import Options as Meaning
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.terms.solvers import Solver
from hecv.mlir.importer import read_pair
from hecv.replaying import Pair as Pairing
from hecv.replaying import check_function

from .overlaps import Program, difference, difference_in_bytes, edited, program, text
from .running import parsed

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
    functions = overlapping(read_pair((parsed(source), parsed(target)), ("f", "f"), pool), MAY)
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


@pytest.mark.one_in(6)
@pytest.mark.parametrize("branches", (False, True), ids=("straight", "branches"))
def test_proofs_hold_wherever_arguments_lie(branches: bool) -> None:
    found = proofs(0, 30, branches)
    assert found[True, True] > 10 and found[False, False] > 5, found


@pytest.mark.long
@pytest.mark.parametrize("branches", (False, True), ids=("straight", "branches"))
@pytest.mark.parametrize("first", range(1_000, 2_000, 500))
def test_many_proofs(first: int, branches: bool) -> None:
    found = proofs(first, 500, branches)
    assert found[True, True] > 3 * found[False, True], found


def filled(seed: int) -> tuple[Program, Program, Random]:
    """A random program that stores literals mostly, and what up to three edits make of it."""
    random = Random(seed)
    source = target = program(random, fills=True)
    for _ in range(random.randint(1, 3)):
        target = edited(target, random)
    return source, target, random


def proofs_of_fills(first: int, count: int) -> Counter[tuple[bool, bool]]:
    """How often pairs are proved, and how often they are equal wherever the arguments lie, byte by byte."""
    found: Counter[tuple[bool, bool]] = Counter()
    for seed in range(first, first + count):
        source, target, random = filled(seed)
        where = difference_in_bytes(source, target, random)
        is_proved = proved(text(source), text(target))
        assert not is_proved or where is None, f"seed {seed}, {where}\n{text(source)}\n{text(target)}"
        found[is_proved, where is None] += 1
    return found


@pytest.mark.one_in(2)
def test_proofs_of_fills_hold_wherever_arguments_lie() -> None:
    found = proofs_of_fills(0, 40)
    assert found[True, True] > 10 and found[False, False] > 5, found


@pytest.mark.long
@pytest.mark.parametrize("first", range(1_000, 3_000, 500))
def test_many_proofs_of_fills(first: int) -> None:
    found = proofs_of_fills(first, 500)
    assert found[True, True] > 3 * found[False, True], found


def certificates(first: int, count: int, branches: bool) -> Counter[str]:
    """How certificates of proofs are taken for the pair that they are of, and for one that some overlap tells apart."""
    found: Counter[str] = Counter()
    for seed in range(first, first + count):
        source, target, random = pair(seed, branches)
        if difference(source, target, random) is not None:
            continue
        report = check(text(source), text(target), ("s.mlir", "t.mlir"), Options(switches=MAY, recording=True))
        proof = report.functions[0].certificate
        if proof is None or isinstance(proof.proof, Identity):
            continue
        assert accepted(text(source), text(target), proof) == "", f"seed {seed}\n{text(source)}\n{text(target)}"
        found["right"] += 1
        wrong = edited(target, random)
        if difference(source, wrong, random) is not None:
            assert accepted(text(source), text(wrong), proof), f"seed {seed}\n{text(source)}\n{text(wrong)}"
            found["wrong"] += 1
    return found


def accepted(source: str, target: str, proof: FunctionProof) -> str:
    """Why a proof is refused, nothing where it is not."""
    texts = parsed(source), parsed(target)
    try:
        check_function(Pairing(texts, ("f", "f"), ()), proof, Meaning(may_overlap=True), Solver("z3", 64))
    except Rejected as problem:
        return str(problem)
    return ""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("branches", (False, True), ids=("straight", "branches"))
def test_certificates_hold_wherever_arguments_lie(branches: bool) -> None:
    found = certificates(0, 12, branches)
    assert found["right"] > 3 and found["wrong"] > 1, found


def test_a_certificate_for_arguments_that_are_apart_is_none_for_others() -> None:
    lines = ("%x = affine.load %A[0] : memref<2xi32>", "affine.store %x, %B[0] : memref<2xi32>")
    more = ("%y = affine.load %A[1] : memref<2xi32>", "affine.store %y, %B[1] : memref<2xi32>")
    head = "func.func @f(%A: memref<2xi32>, %B: memref<2xi32>) {"
    source = "\n".join((head, *lines, *more, "return }"))
    target = "\n".join((head, lines[0], more[0], lines[1], more[1], "return }"))
    proof = check(source, target, ("s.mlir", "t.mlir"), Options(recording=True)).functions[0].certificate
    assert proof is not None
    assert accepted(source, target, proof)


@pytest.mark.one_in(2)
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

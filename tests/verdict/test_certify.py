"""Writing a proof down never costs the verdict."""

from __future__ import annotations

from pathlib import Path
from time import sleep

import pytest

from hecv.check import Options, check
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy
from hecv.kernel.certificate.file_format import Dataflow, Theorems
from hecv.kernel.certificate.file_format import Options as Meaning
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.terms.solvers import Solver
from hecv.mlir.importer import parse
from hecv.ops.fastmath_flags import FloatMode
from hecv.prove.terms import sat_sweeping_cert
from hecv.replaying import Pair, check_function

SOURCE = "func.func @f(%a: i32) -> i32 {\n%x = arith.addi %a, %a : i32\nreturn %x : i32\n}"
TARGET = "func.func @f(%a: i32) -> i32 {\n%c = arith.constant 1 : i32\n%x = arith.shli %a, %c : i32\nreturn %x : i32\n}"


@pytest.mark.one_in(6)
def test_a_proof_that_cannot_be_written_down_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*arguments: object) -> None:
        try:
            while True:
                sleep(0.01)
        except Exception:  # what stops it is no error that could be handled
            raise AssertionError from None

    monkeypatch.setattr(sat_sweeping_cert, "certify", slow)
    report = check(SOURCE, TARGET, ("source.mlir", "target.mlir"), Options(recording=True, seconds=4))
    assert report.verdict == "equivalent"
    assert report.functions[0].certificate is None
    assert report.functions[0].uncertified is not None and "time limit" in report.functions[0].uncertified


THEOREMS = Path(__file__).parents[2] / "lit_tests" / "theorems"


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("name", "kind", "floats"),
    [
        ("coalesced", Dataflow, "strict"),
        ("fused", Dataflow, "strict"),
        ("call", Dataflow, "strict"),
        ("parallel", Dataflow, "strict"),
        ("sum", Theorems, "strict"),
        ("sum", Theorems, "reassoc"),
    ],
)
def test_what_loop_theorems_show_is_written_down(name: str, kind: type, floats: FloatMode) -> None:
    """As an induction by dataflow, where there is one."""
    texts = [(THEOREMS / f"{name}.{side}.mlir").read_text() for side in ("src", "tgt")]
    switches = Switches(floats=floats)
    options = Options(strategy=Strategy("theorems"), switches=switches, recording=True, seconds=30)
    (report,) = check(texts[0], texts[1], ("s.mlir", "t.mlir"), options).functions
    assert (report.verdict, report.engine) == ("equivalent", "theorems")
    assert report.certificate is not None and isinstance(report.certificate.proof, kind)
    pair = Pair((parse(texts[0], "s.mlir"), parse(texts[1], "t.mlir")), (report.name, report.name), ())
    check_function(pair, report.certificate, Meaning(floats=floats), Solver())


def copied(bound: str, arguments: str, step: int) -> str:
    """A loop that copies elements one further, `step` of them in each iteration."""
    body = "\n".join(
        f"%x{k} = affine.load %A[%i + {k}] : memref<?xi32>\naffine.store %x{k}, %B[%i + {k + 1}] : memref<?xi32>"
        for k in range(step)
    )
    head = f"func.func @f(%A: memref<?xi32>, %B: memref<?xi32>{arguments}) {{"
    return f"{head}\naffine.for %i = 0 to {bound} step {step} {{\n{body}\n}}\nreturn\n}}"


TWICE = "affine_map<()[s] -> (s * 2)>()[%n]"


@pytest.mark.parametrize(("bound", "arguments", "holds"), [("64", "", True), (TWICE, ", %n: index", False)])
def test_where_indices_may_wrap_the_checker_asks_whether_they_do(bound: str, arguments: str, holds: bool) -> None:
    source, target = copied(bound, arguments, 1), copied(bound, arguments, 2)
    switches = Switches(index_wraps=holds)
    (report,) = check(source, target, ("s.mlir", "t.mlir"), Options(switches=switches, recording=True)).functions
    assert report.certificate is not None, report.uncertified
    pair = Pair((parse(source, "s.mlir"), parse(target, "t.mlir")), ("f", "f"), ())
    check_function(pair, report.certificate, Meaning(), Solver())
    if holds:
        check_function(pair, report.certificate, Meaning(index_wraps=True), Solver())
    else:
        with pytest.raises(Rejected, match="index arithmetic may overflow"):
            check_function(pair, report.certificate, Meaning(index_wraps=True), Solver())


def test_one_operator_with_other_attributes_is_another() -> None:
    """Without NaN the two predicates say the same, and they do not say it of each operand alone."""
    texts = [
        f"func.func @f(%a: f32, %b: f32) -> i1 {{\n%c = arith.cmpf {cmp} : f32\nreturn %c : i1\n}}"
        for cmp in ("olt, %a, %b fastmath<nnan>", "ult, %a, %b")
    ]
    (report,) = check(texts[0], texts[1], ("s.mlir", "t.mlir"), Options(recording=True, seconds=30)).functions
    assert report.verdict == "refines" and report.certificate is not None
    pair = Pair((parse(texts[0], "s.mlir"), parse(texts[1], "t.mlir")), ("f", "f"), ())
    check_function(pair, report.certificate, Meaning(), Solver())

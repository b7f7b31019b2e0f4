"""Which proofs have no certificate: just what docs/certificates.md says, and a check that is replayed counts them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.elements.test_cases import EQUIVALENT as BY_CASES
from tests.elements.test_prove import EQUIVALENT, op_lines, scalar
from tests.kernel.specimens import ALL, BOUNDED, CALLS, DIVISORS, FUSED, INVARIANT, LEMMAS, LOOP, OVERLAP, SAME, TURNS

from hecv.check import Options, check
from hecv.claim.result import FunctionReport, Report
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy
from hecv.report.verdict_json import to_json
from hecv.rule_files.rule_loader import loads

ROOT = Path(__file__).parents[2]
THEOREMS = ROOT / "lit_tests" / "theorems"
REALS = tuple(scalar(op_lines(*lines)) for lines in EQUIVALENT["sigmoid"])


def _function(body: str) -> str:
    return f"func.func @f(%a: f32, %b: f32, %c: f32) -> f32 {{\n{body}\nreturn %r : f32\n}}"


PRODUCT = (
    _function("%p = arith.mulf %a, %b fastmath<reassoc> : f32\n%r = arith.mulf %p, %c fastmath<reassoc> : f32"),
    _function("%p = arith.mulf %a, %c fastmath<reassoc> : f32\n%r = arith.mulf %p, %b fastmath<reassoc> : f32"),
)
DISTRIBUTED = (
    _function("%s = arith.addf %a, %b fastmath<fast> : f32\n%r = arith.mulf %s, %c fastmath<fast> : f32"),
    _function("%p = arith.mulf %a, %c : f32\n%q = arith.mulf %b, %c : f32\n%r = arith.addf %p, %q : f32"),
)


def _blurred(times: int) -> str:
    kind = "tensor<4xf32>"
    ops = "\n".join(f'%{k + 1} = "my.blur"(%{k}) : ({kind}) -> {kind}' for k in range(times))
    return f"func.func @f(%0: {kind}) -> {kind} {{\n{ops}\nreturn %{times} : {kind}\n}}"


BLUR = """from hecv.rules import *

@op("my.blur")
def blur(x): ...

@law
def blur_blur(x):
    return blur(blur(x)), blur(x)
"""

CERTIFIED: dict[str, tuple[tuple[str, str], Options]] = {
    "identity": ((SAME.source, SAME.target), Options()),
    "form": ((LOOP.source, LOOP.target), Options()),
    "sweep": ((LEMMAS.source, LEMMAS.target), Options()),
    "dataflow": ((LOOP.source, LOOP.target), Options(strategy=Strategy("dataflow"))),
    "overlap": ((OVERLAP.source, OVERLAP.target), Options(switches=Switches(may_overlap=True))),
    "turns": ((TURNS.source, TURNS.target), Options()),
    "invariant": ((INVARIANT.source, INVARIANT.target), Options()),
    "fused": ((FUSED.source, FUSED.target), Options()),
    "product": (PRODUCT, Options()),
    "bounded": ((BOUNDED.source, BOUNDED.target), Options()),
    "inputs": ((ALL.source, ALL.target), Options()),
    "divisors": ((DIVISORS.source, DIVISORS.target), Options()),
    "elements": ((REALS[0], REALS[1]), Options(switches=Switches(floats="real"))),
    "calls": ((CALLS.source, CALLS.target), Options()),
    "theorems": (
        ((THEOREMS / "sum.src.mlir").read_text(), (THEOREMS / "sum.tgt.mlir").read_text()),
        Options(strategy=Strategy("theorems")),
    ),
}


def _report(programs: tuple[str, str], options: Options, monkeypatch: pytest.MonkeyPatch) -> Report:
    monkeypatch.setenv("HECV_REPLAY", "1")
    return check(*programs, ("s.mlir", "t.mlir"), options)


def _only(report: Report) -> FunctionReport:
    assert report.verdict in ("equivalent", "refines"), report
    return next(f for f in report.functions if f.name == "f")


@pytest.mark.one_in(10)
@pytest.mark.parametrize("name", CERTIFIED)
def test_proofs_with_a_certificate(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    report = _report(*CERTIFIED[name], monkeypatch)
    assert _only(report).certificate is not None, _only(report).uncertified
    assert to_json(report, {})["uncertified"] == 0


@pytest.mark.one_in(6)
def test_proofs_without_a_certificate_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    report = _report(DISTRIBUTED, Options(), monkeypatch)
    assert _only(report).certificate is None
    (warning,) = report.diagnostics
    assert (warning.severity, warning.name) == ("warning", "not-replayed")
    assert warning.message.startswith("the proof of @f is not checked again: dataflow: ")
    data = to_json(report, {})
    assert data["uncertified"] == 1 and data["functions"][0]["uncertified"] == _only(report).uncertified


def test_a_rule_about_operators_without_semantics_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = Strategy(rules=(loads(BLUR, "blur.py"),), trust=True)
    report = _report((_blurred(2), _blurred(1)), Options(strategy=rules), monkeypatch)
    assert _only(report).uncertified is not None


def test_elements_with_arms_that_have_no_value_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an arm has no value, the checker would have to know that it is not taken."""
    first, second = (scalar(op_lines(*lines)) for lines in BY_CASES["arms-that-are-not-taken"])
    report = _report((first, second), Options(switches=Switches(floats="real")), monkeypatch)
    assert _only(report).uncertified is not None


def test_what_the_documentation_says() -> None:
    """The three kinds above, and no others."""
    text = (ROOT / "docs" / "certificates.md").read_text()
    table = text[text.index("| engine | certificate |") :].split("\n\n")[0]
    rows = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", table, re.MULTILINE)[2:])
    assert not [engine for engine, what in rows.items() if what == "no"]
    limited = {engine: what for engine, what in rows.items() if " but " in what}
    assert limited == {
        "rules of users": "yes, but of rules about operators without semantics",
        "element by element over the reals": "yes, but of arms without a value",
        "what a licence allows within one float term": (
            "yes, but of real arithmetic by flags; under `--fp` of no single flags"
        ),
    }

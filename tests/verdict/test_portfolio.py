"""The list of provers and searches: each is named and described, none is asked out of turn, each can be left out."""

from __future__ import annotations

import pytest
from tests.kernel.specimens import PROGRAMS

from hecv.check import Options, check
from hecv.claim.result import FunctionReport
from hecv.claim.strategy import Strategy
from hecv.prove.pair.prover import Prover
from hecv.prove.portfolio import DATAFLOW, FORM, PORTFOLIO, TEXTS, Search
from hecv.report import verdict_json, verdict_text
from hecv.report.text_lines import Painter

NAMES = ("source.mlir", "target.mlir")
SIMPLE = """func.func @f(%a: i32, %b: i32) -> i32 {{
  %s = arith.addi {} : i32
  return %s : i32
}}"""
SUM, SWAPPED = SIMPLE.format("%a, %b"), SIMPLE.format("%b, %a")

SHOWN_BY = {
    "identity": "identity",
    "results": "full-unrolling",
    "turns": "while-induction",
    "bounded": "bounded-while",
    "threaded": "exit-normalisation",
    "invariant": "closed-form",
    "simulation": "loop-simulation",
    "asserted": "asserted-values",
    "assumed arguments": "assumed-arguments",
    "divisors": "positive-divisors",
    "reals": "elementwise-reals",
    "inputs": "exhaustive-runs",
    "theorems": "loop-theorems",
}
"""What shows specimens of certificates."""


def _report(source: str, target: str, options: Options | None = None) -> FunctionReport:
    (found,) = check(source, target, NAMES, options or Options()).functions
    return found


def test_each_name_stands_for_one_thing() -> None:
    known: dict[str, str] = {}
    for step in PORTFOLIO:
        assert known.setdefault(step.what.name, step.what.text) == step.what.text
        assert "\n" not in step.what.text and not step.what.text.endswith(".")


def test_runs_come_before_what_takes_long() -> None:
    """What is asked before them is settled by comparing two trees."""
    first = next(number for number, step in enumerate(PORTFOLIO) if isinstance(step.what, Search))
    assert [step.what.name for step in PORTFOLIO[:first]] == ["identity", "same-normal-form"]


@pytest.mark.parametrize("name", SHOWN_BY)
def test_the_report_names_the_prover(name: str) -> None:
    programs = PROGRAMS[name]
    report = check(programs.source, programs.target, NAMES, programs.options())
    (found,) = report.functions
    assert found.prover == SHOWN_BY[name]
    shown = verdict_json.to_json(report, {})["functions"][0]
    assert shown["prover"] == SHOWN_BY[name]
    text = verdict_text.render(report, {}, Painter(False), verbose=True)
    assert f"prover: {SHOWN_BY[name]}: {TEXTS[SHOWN_BY[name]]}" in " ".join(text.split())


def test_a_prover_that_is_left_out_is_not_asked() -> None:
    without = frozenset[str]()
    for _ in TEXTS:
        found = _report(SUM, SWAPPED, Options(strategy=Strategy(without=without)))
        assert found.verdict in ("equivalent", "unknown") and found.prover not in without
        if found.prover is None:
            break
        without |= {found.prover}
    assert {DATAFLOW.name, "loop-theorems", "sat-sweeping"} <= without
    assert found.verdict == "unknown"


@pytest.mark.parametrize("name", ["results", "threaded", "asserted", "assumed arguments", "divisors"])
def test_what_is_left_out_is_not_asked_of_a_changed_pair(name: str) -> None:
    """Neither is the change made, where that is left out."""
    inner = {"integer-results", DATAFLOW.name, "sat-sweeping", "while-induction", "bounded-while", FORM.name}
    programs = PROGRAMS[name]
    for without in ({SHOWN_BY[name]}, inner):
        options = Options(strategy=Strategy(without=frozenset(without)))
        found = _report(programs.source, programs.target, options)
        assert found.prover != SHOWN_BY[name]


def test_a_difference_names_no_prover() -> None:
    found = _report(SUM, SIMPLE.format("%a, %a"))
    assert (found.verdict, found.prover) == ("not-equivalent", None)


def test_all_provers_are_in_the_list() -> None:
    from hecv.prove import changed_pair, portfolio

    made = {id(v) for module in (portfolio, changed_pair) for v in vars(module).values() if isinstance(v, Prover)}
    assert made == {id(step.what) for step in PORTFOLIO if isinstance(step.what, Prover)}

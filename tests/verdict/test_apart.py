"""Two texts are parsed by the worker that compares them: the report is that of a check that parses them first."""

from __future__ import annotations

import os
from typing import Any

import pytest

from hecv import check as checking
from hecv.check import Options, check
from hecv.claim.result import Report
from hecv.mlir.importer import parse_both
from hecv.mlir.module import crash_guard, parsed_module

SUM = "func.func @f(%x: i8, %y: i8) -> i8 {\n  %s = arith.addi %x, %y : i8\n  return %s : i8\n}\n"
TURNED = SUM.replace("%x, %y :", "%y, %x :")
WRONG = SUM.replace("addi", "subi")
INVALID = SUM.replace("%s : i8", "%t : i8")
OTHER = SUM.replace("i8", "i16")
TWO = SUM + SUM.replace("@f", "@g")
PRIVATE = SUM.replace("@f", "private @f")
UNKNOWN = SUM.replace("arith.addi %x, %y", '"some.op"(%x)').replace(": i8\n  return", ": (i8) -> i8\n  return")
DEEP = "module {\n" * 100_000 + SUM + "}\n" * 100_000


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What came of workers that parse."""
    found: list[object] = []
    run = checking._checked_apart  # pyright: ignore[reportPrivateUsage]

    def running(*given: Any) -> Any:
        found.append(run(*given))
        return found[-1]

    monkeypatch.setattr(checking, "_checked_apart", running)
    return found


def _parsed_first(texts: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> Report:
    with monkeypatch.context() as patch:
        patch.setattr(checking, "_may_be_apart", lambda *_: False)
        return check(*texts, ("s.mlir", "t.mlir"), Options())


def _said(report: Report) -> object:
    """A report without what takes how long, and what is done for some time."""
    functions = [(f.name, f.verdict, f.engine, f.assumptions, f.unknown, f.counterexample) for f in report.functions]
    return report.verdict, report.internal, report.diagnostics, functions


@pytest.mark.one_in(2)
@pytest.mark.parametrize("texts", [(SUM, TURNED), (SUM, WRONG), (SUM, UNKNOWN), (SUM, SUM)])
def test_a_report_is_the_same(texts: tuple[str, str], apart: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    usual = _parsed_first(texts, monkeypatch)
    assert not apart
    assert _said(check(*texts, ("s.mlir", "t.mlir"), Options())) == _said(usual)
    assert len(apart) == 1 and isinstance(apart[0], Report)


@pytest.mark.parametrize("texts", [(SUM, INVALID), (INVALID, SUM), (SUM, OTHER), (PRIVATE, SUM)])
def test_what_there_is_to_say_of_texts_is_said_as_ever(
    texts: tuple[str, str], apart: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = _parsed_first(texts, monkeypatch)
    assert usual.verdict == "error" and usual.diagnostics and not apart
    assert _said(check(*texts, ("s.mlir", "t.mlir"), Options())) == _said(usual)
    assert apart == [None]


def test_a_crash_of_the_parser_is_a_diagnostic(
    apart: list[object], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(parsed_module, "_check_depth", lambda text, file: None)  # pyright: ignore
    report = check(SUM, DEEP, ("s.mlir", "t.mlir"), Options())
    assert [d.name for d in report.diagnostics] == ["parser-crashed"] and apart == [None]
    assert capfd.readouterr().err == ""


def test_a_text_at_which_the_parser_hangs_takes_no_longer_than_before_the_guard(
    apart: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    def hangs(*given: Any, guarded: bool = True) -> Any:
        while not guarded:
            pass
        return parse_both(*given)

    monkeypatch.setattr(crash_guard, "SECONDS", 1)
    monkeypatch.setattr(checking, "parse_both", hangs)
    assert check(SUM, TURNED, ("s.mlir", "t.mlir"), Options()).verdict == "equivalent"
    assert apart == [None]


def test_a_worker_that_ends_is_not_asked_again(apart: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    def ends(task: Any, stage: Any) -> None:
        stage("proving", 3)
        os.abort()

    monkeypatch.setattr(checking, "decide", ends)
    usual = _parsed_first((SUM, TURNED), monkeypatch)
    report = check(SUM, TURNED, ("s.mlir", "t.mlir"), Options())
    assert _said(report) == _said(usual) and len(apart) == 1
    assert report.functions[0].unknown is not None and "while proving" in report.functions[0].unknown.text


def test_several_functions_are_parsed_first(apart: list[object]) -> None:
    assert check(TWO, TWO, ("s.mlir", "t.mlir"), Options()).verdict == "equivalent"
    assert not apart

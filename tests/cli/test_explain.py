"""`hecv explain` knows every name that is ever printed: the names are collected from the code and its tables."""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, get_args, get_type_hints

import pytest

import hecv
from hecv.book import book
from hecv.claim.result import Evidence, Kind, Unknown, Verdict
from hecv.claim.strategy import Engine
from hecv.cli.main import parser
from hecv.egraph.programs.theorem_rounds import Reason
from hecv.egraph.saturation.runner import StopReason
from hecv.explain import explain
from hecv.glossary import NAMES
from hecv.laws.audit.law_audit import Status
from hecv.normal.passes import names as passes
from hecv.process.worker_pool import Stopped
from hecv.prove.portfolio import PORTFOLIO
from hecv.verdict.model_verdict import ASSUMED, assumption_name

from .conftest import Shell

PACKAGE = Path(hecv.__file__).parent

POSITIONS: Final = {
    "Diagnostic": 1,
    "Assumption": 0,
    "Failure": 0,
    "Misuse": 0,
    "misuse": 0,
    "UnknownName": 0,
    "Problem": 1,
    "_error": 0,
    "_refused": 2,
    "_note": 0,
    "Unknown": 0,
}
"""The functions that are given a name which is printed, and which of their arguments it is."""

_NAME: Final = re.compile(r"[a-z]+(-[a-z]+)*")

COMPUTED: Final = {
    "rule-": ("rule-one-way", "rule-unproved"),
    "floats-": ("floats-reassoc", "floats-real"),
    "lowering-": ("lowering-tosa", "lowering-stablehlo"),
}
"""The names that are put together, by their beginnings."""


@cache
def names_in_code() -> frozenset[str]:
    return frozenset(name for file in PACKAGE.rglob("*.py") for name in _names_in(file))


def _names_in(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            function = node.func
            called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            position = POSITIONS.get(called)
            if position is not None and position < len(node.args):
                yield from _texts(node.args[position])


def _texts(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)) if _NAME.fullmatch(text):
            yield text
        case ast.IfExp(body=one, orelse=other):
            yield from (*_texts(one), *_texts(other))
        case ast.JoinedStr(values=[ast.Constant(value=str(start)), *_]):
            yield from COMPUTED.get(start, ())
        case _:
            pass


def options() -> Iterator[str]:
    for verb in _verbs(parser()):
        for action in verb._actions:
            yield from (name for name in action.option_strings if name.startswith("--") and name != "--help")
            if not isinstance(action, argparse._SubParsersAction):
                yield from map(str, action.choices or ())


def _verbs(given: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    for action in given._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.values()


def tables() -> Iterator[str]:
    hints: Any = get_type_hints(Unknown)
    for literal in (Verdict, Evidence, Kind, hints["reason"], Engine, Reason, StopReason, Status):
        yield from get_args(literal)
    stopped: Any = get_type_hints(Stopped)
    yield from (reason for reason in get_args(stopped["reason"]) if reason != "exception")  # told as internal-error
    yield from map(assumption_name, ASSUMED)
    yield from passes()
    yield from (step.what.name for step in PORTFOLIO)
    yield from map(str, (0, 1, 2, 3, 4))


def test_every_name_of_the_tables_and_the_code_is_explained() -> None:
    missing = [name for name in sorted({*tables(), *names_in_code()}) if not _explained(name)]
    assert not missing


def test_every_option_and_value_is_explained(shell: Shell) -> None:
    for name in sorted({*options()}):
        answer = shell.run("explain", name)
        assert answer.status == 0, answer.err


def test_every_rule_is_explained() -> None:
    assert all(_explained(entry.name) for entry in book())


def _explained(name: str) -> bool:
    try:
        return bool(explain(name))
    except Exception:
        return False


def test_a_name_with_several_meanings_has_them_all() -> None:
    text = explain("refines")
    assert text.count("\n  ") >= 2 and "verdict:" in text and "value of an option:" in text


def test_no_meaning_of_the_glossary_is_left_over() -> None:
    """What nothing prints is explained to nobody."""
    printed = {*tables(), *names_in_code(), *options(), "127", "130", "141", "143"}
    assert not [name for name in NAMES if name not in printed and not _in_code(name)]


def _in_code(name: str) -> bool:
    return any(
        f'"{name}"' in file.read_text(encoding="utf-8") for file in PACKAGE.rglob("*.py") if file.name != "glossary.py"
    )


@pytest.mark.parametrize("name", ["budgett", "--fpp", "not-equivalnt"])
def test_a_name_that_is_unknown_has_a_suggestion(shell: Shell, name: str) -> None:
    answer = shell.run("explain", name)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith("error[unknown-name]: ") and "did you mean" in answer.err

"""Which functions call themselves, also where the text does not name the op in plain letters."""

from __future__ import annotations

import pytest

from hecv.frontend import calls
from hecv.frontend.mlir import parse


@pytest.mark.parametrize("op", [r'"func.c\61ll"(%n) <{callee = @f}> : (i32) -> i32', "func.call @f(%n) : (i32) -> i32"])
def test_a_function_that_calls_itself(op: str) -> None:
    module = parse(f"func.func @f(%n: i32) -> i32 {{ %r = {op} return %r : i32 }}", "f.mlir")
    assert [list(kept) for kept in calls.kept((module, module), ("f", "f"))] == [["f"], ["f"]]


def test_one_that_calls_nothing() -> None:
    module = parse("func.func @f(%n: i32) -> i32 { return %n : i32 }", "f.mlir")
    assert calls.kept((module, module), ("f", "f")) == ({}, {})

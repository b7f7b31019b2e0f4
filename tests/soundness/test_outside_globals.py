"""Globals that may change, around calls of functions without a body, which may read and write them."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.result import FunctionReport

GLOBALS = """
func.func private @p()
func.func private @g(i32) -> i32
func.func private @h(memref<4xi32>)
memref.global @G : memref<4xi32> = dense<1>
memref.global "private" @H : memref<4xi32> = dense<1>
memref.global @Z : memref<f64>
memref.global constant @K : memref<4xi32> = dense<1>
"""
BEGIN = """%G = memref.get_global @G : memref<4xi32>
%H = memref.get_global @H : memref<4xi32>
%Z = memref.get_global @Z : memref<f64>
%K = memref.get_global @K : memref<4xi32>"""
P = "func.call @p() : () -> ()"
STORE = "affine.store %{}, %{}[{}] : memref<4xi32>"
LOAD = "%r = affine.load %{}[0] : memref<4xi32>"
FIVE = "%v = arith.constant 5 : i32"
EACH = """affine.for %i = {} to {} {{
  %v = affine.load %G[%i] : memref<4xi32>
  %w = func.call @g(%v) : (i32) -> i32
  affine.store %w, %G[%i] : memref<4xi32>
}}"""
Z = "affine.store %d, %Z[] : memref<f64>"
X = STORE.format("x", "G", 0)


def function(*ops: str, result: str = "x") -> str:
    body = "\n".join((BEGIN, *ops))
    return f"{GLOBALS}func.func @f(%x: i32, %d: f64, %A: memref<4xi32>) -> i32 {{\n{body}\nreturn %{result} : i32\n}}\n"


def report(source: str, target: str) -> FunctionReport:
    (found,) = check(source, target, ("s.mlir", "t.mlir"), Options()).functions
    return found


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (function(X, STORE.format("x", "G", 1), P), function(STORE.format("x", "G", 1), X, P)),
        (function(FIVE, STORE.format("v", "G", 0), X, P), function(X, P)),
        (function(LOAD.format("G"), X, P, result="r"), function(LOAD.format("G"), X, P, result="r")),
        (function(EACH.format(0, 4)), function(EACH.format(0, 2), EACH.format(2, 4).replace("%v", "%a"))),
        (function(LOAD.format("K"), P, result="r"), function(P, LOAD.format("K"), result="r")),
    ],
)
def test_what_no_call_tells(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_REPLAY", "1")
    assert report(source, target).verdict == "equivalent"


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("source", "target", "kind"),
    [
        (function(P, LOAD.format("G"), result="r"), function(LOAD.format("G"), P, result="r"), "value"),
        (function(X, P), function(P, X), "calls"),
        (function(X, P, LOAD.format("G"), result="r"), function(X, P), "value"),
        (function(X, P, X), function(P, X), "calls"),
        (
            function("affine.store %d, %Z[] : memref<f64>", P),
            function(P, "affine.store %d, %Z[] : memref<f64>"),
            "calls",
        ),
        (
            function(X, "func.call @h(%H) : (memref<4xi32>) -> ()"),
            function("func.call @h(%H) : (memref<4xi32>) -> ()", X),
            "calls",
        ),
        (
            function("func.call @h(%G) : (memref<4xi32>) -> ()"),
            function("func.call @h(%A) : (memref<4xi32>) -> ()"),
            "calls",
        ),
    ],
)
def test_what_a_call_tells(source: str, target: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    found = report(source, target)
    assert found.verdict == "not-equivalent", found.unknown
    assert found.counterexample is not None
    assert found.counterexample.kind == kind
    assert found.counterexample.engines == ("interpreter", "jit")


def test_a_private_global_is_not_written_in_a_run() -> None:
    """What has no body may reach it by functions of the module at most, and need not call these."""
    load = LOAD.format("H")
    assert report(function(P, load, result="r"), function(load, P, result="r")).verdict == "unknown"
    store = STORE.format("x", "H", 0)
    assert report(function(store, P), function(P)).verdict == "not-equivalent"

"""What is added and taken away again is left out of a sum only where that changes nothing."""

from __future__ import annotations

import pytest

from hecv.poly.numbers import Numbers
from hecv.verdict.switches import Switches
from soundness.test_conditions import function, proof

SUM = """  %y = memref.load %B[%c0] : memref<4xTYPE>
  %z = memref.load %B[%c1] : memref<4xTYPE>
  %x = ADD %y, %z : TYPE
  memref.store %x, %C[%c0] : memref<4xTYPE>
"""
TWICE = """  %cell = memref.alloca() : memref<TYPE>
  %y = memref.load %B[%c0] : memref<4xTYPE>
  %z = memref.load %B[%c1] : memref<4xTYPE>
  %x = ADD %y, %z : TYPE
  memref.store %x, %cell[] : memref<TYPE>
  affine.for %i = 0 to 4 {
    %v = affine.load %A[%i] : memref<4xTYPE>
    FIRST
    %o = memref.load %cell[] : memref<TYPE>
    %s = ADD %o, %w : TYPE
    memref.store %s, %cell[] : memref<TYPE>
  }
  BETWEEN
  affine.for %i = 0 to 4 {
    %v = affine.load %A[%i] : memref<4xTYPE>
    SECOND
    %o = memref.load %cell[] : memref<TYPE>
    %s = SUB %o, %w : TYPE
    memref.store %s, %cell[] : memref<TYPE>
  }
  %r = memref.load %cell[] : memref<TYPE>
  memref.store %r, %C[%c0] : memref<4xTYPE>
"""


def shown(
    first: str,
    second: str = "",
    between: str = "",
    kind: str = "i32",
    ops: tuple[str, str] = ("arith.addi", "arith.subi"),
    switches: Switches = Switches(),  # noqa: B008
    before: str = "",
) -> str | None:
    """What shows that a sum to which `first` is added in a loop, and from which `second` is taken in another, is as it
    was."""
    target = before + TWICE.replace("FIRST", first).replace("SECOND", second or first).replace("BETWEEN", between)
    names = ", ".join(f"%{name}: memref<4xTYPE>" for name in "ABC")
    bodies = SUM, target
    # The store is one on both sides, so that only the sum differs.
    source, other = (function(names, (between if body is SUM else "") + body) for body in bodies)
    texts = (t.replace("ADD", ops[0]).replace("SUB", ops[1]).replace("TYPE", kind) for t in (source, other))
    return proof(*texts, switches)


SQUARE = "%w = arith.muli %v, %v : i32"
SHIFT = "%n = arith.constant 1 : i32\n    %w = arith.shli %n, %v : i32"
FLAGGED = "%w = arith.muli %v, %v overflow<nsw> : i32"
FLOAT = "%w = arith.mulf %v, %v : f32"
FLOATS = "arith.addf", "arith.subf"


def test_what_cancels_is_left_out() -> None:
    assert shown(SQUARE) == "array dataflow"
    assert shown(SQUARE, ops=("arith.xori", "arith.xori")) == "array dataflow"


@pytest.mark.parametrize("term", [SHIFT, FLAGGED])
def test_what_may_be_poison_does_not_cancel(term: str) -> None:
    assert shown(term) is None


def test_what_was_stored_over_does_not_cancel() -> None:
    store = "%five = arith.constant 5 : i32\n  memref.store %five, %A[%c1] : memref<4xi32>"
    assert shown(SQUARE, between=store) is None


def test_only_equal_terms_cancel() -> None:
    assert shown(SQUARE, "%w = arith.muli %v, %x : i32") is None
    assert shown(SQUARE, "%w = arith.addi %v, %v : i32") is None


def test_what_is_added_does_not_cancel_what_is_added() -> None:
    assert shown(SQUARE, ops=("arith.addi", "arith.addi")) is None
    assert shown(SQUARE, ops=("arith.ori", "arith.ori")) is None


QUOTIENT = "%w = arith.divf %x, %v : f32"
ROOT = "%w = math.sqrt %v : f32"
INFINITE = "%big = arith.constant 0x7F800000 : f32\n    %w = arith.mulf %v, %big : f32"
QUOTIENTS = """  %held = memref.alloca() : memref<4xf32>
  affine.for %i = 0 to 4 {
    %v = affine.load %A[%i] : memref<4xf32>
    %q = arith.divf %v, %v : f32
    affine.store %q, %held[%i] : memref<4xf32>
  }
"""
HELD = "%w = affine.load %held[%i] : memref<4xf32>"


@pytest.mark.egraph
@pytest.mark.parametrize(("term", "before"), [(QUOTIENT, ""), (ROOT, ""), (INFINITE, ""), (HELD, QUOTIENTS)])
def test_what_may_be_no_real_number_does_not_cancel(term: str, before: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Switches(floats="real")
    assert shown(term, before=before, kind="f32", ops=FLOATS, switches=real) is None
    monkeypatch.setattr(Numbers, "term", lambda self, statement, term: True)
    assert shown(term, before=before, kind="f32", ops=FLOATS, switches=real) == "array dataflow"


@pytest.mark.egraph
def test_floats_cancel_as_real_numbers_only() -> None:
    modes = ("strict", None), ("reassoc", None), ("real", "array dataflow")
    found = [(mode, shown(FLOAT, kind="f32", ops=FLOATS, switches=Switches(floats=mode))) for mode, _ in modes]
    assert found == list(modes)

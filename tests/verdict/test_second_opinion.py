"""Differences that MLIR's own lowering folds away: each op lowered by itself is the second opinion then.

The folds are those of MLIR 22: pairs of what an op computes and what a fold takes it for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hecv.base.value import Scalar
from hecv.check import Options, check
from hecv.claim.result import FunctionReport
from hecv.refute import jit_confirmation
from hecv.refute.differential_runs import Difference, at
from hecv.refute.jit_confirmation import Opinion
from hecv.run.interpreter.interpreter import Finished
from hecv.verdict import refuted

COMPLEX = "func.func @f(%a: complex<f32>, %b: complex<f32>) -> complex<f32> {{\n{}\n  return {} : complex<f32>\n}}"
ZERO = "  %o = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>\n"
REDUCED = (
    "func.func @f(%v: vector<2x3xT>, %w: vector<2x3xT>) -> vector<2x3xT> {{\n"
    "  %r = vector.multi_reduction <{}>, %v, %w [] : vector<2x3xT> to vector<2x3xT>\n  return %r : vector<2x3xT>\n}}"
)
KEPT = "func.func @f(%v: vector<2x3xT>, %w: vector<2x3xT>) -> vector<2x3xT> {\n  return %v : vector<2x3xT>\n}"
ONE = "%o = index.constant 1\n"
INDEX = "func.func @f(%a: index, %b: index) -> {} {{\n  %z = index.constant 0\n{}\n  return %r : {}\n}}"


def _complex(ops: str, result: str) -> str:
    return COMPLEX.format("\n".join(f"  {line.format('complex<f32>')}" for line in ops.split("; ") if line), result)


def _found(source: str, target: str) -> FunctionReport:
    (found,) = check(source, target, ("s.mlir", "t.mlir"), Options()).functions
    return found


@pytest.mark.parametrize(
    ("ops", "result", "folded"),
    [
        ("%s = complex.add %a, %o : {}", "%s", "%a"),
        ("%s = complex.sub %a, %b : {}; %t = complex.add %s, %b : {}", "%t", "%a"),
        ("%s = complex.add %a, %b : {}; %t = complex.sub %s, %b : {}", "%t", "%a"),
        ("%s = complex.log %a : {}; %t = complex.exp %s : {}", "%t", "%a"),
    ],
)
def test_a_fold_of_complex_numbers(ops: str, result: str, folded: str) -> None:
    target = _complex("", folded)
    source = _complex(ops, result).replace("{\n", "{\n" + ZERO, 1)
    found = _found(source, target)
    assert found.verdict == "not-equivalent" and found.counterexample is not None
    assert found.counterexample.engines == ("interpreter", "jit")


def test_what_a_fold_may_do() -> None:
    """`-0.0 - 0.0` is -0.0, so this one is right."""
    source = _complex("%s = complex.sub %a, %o : {}", "%s").replace("{\n", "{\n" + ZERO, 1)
    assert _found(source, _complex("", "%a")).verdict in ("equivalent", "refines")


@pytest.mark.parametrize(
    ("kind", "element"), [("add", "i32"), ("mul", "i8"), ("maxsi", "i16"), ("xor", "i1"), ("minimumf", "f32")]
)
def test_a_reduction_over_no_dimension_keeps_its_accumulator(kind: str, element: str) -> None:
    source, target = (text.replace("T", element) for text in (REDUCED.format(kind), KEPT))
    assert _found(source, target).verdict == "not-equivalent"
    name = f"arith.{kind}{'' if kind in ('maxsi', 'minimumf') else 'i'}"
    body = f"  %r = {name} %v, %w : vector<2x3x{element}>\n  return %r"
    assert _found(source, target.replace("  return %v", body)).verdict == "equivalent"


@pytest.mark.parametrize(
    ("source", "target", "right"),
    [
        ("%s = index.sub %a, %b\n%r = index.cmp sgt(%s, %z)", "%r = index.cmp sgt(%a, %b)", False),
        ("%s = index.sub %a, %b\n%r = index.cmp ult(%s, %b)", "%r = index.cmp ult(%a, %b)", False),
        ("%s = arith.addi %a, %b : index\n%r = arith.cmpi sge, %s, %a : index", "%r = index.cmp sge(%b, %z)", False),
        ("%s = index.sub %a, %b\n%r = index.cmp eq(%s, %z)", "%r = index.cmp eq(%a, %b)", True),
        ("%s = index.sub %a, %b\n%r = index.cmp ne(%z, %s)", "%r = index.cmp ne(%b, %a)", True),
    ],
)
def test_an_index_that_is_compared_wraps(source: str, target: str, right: bool) -> None:
    """It is no subscript and no bound, so nothing is assumed of it."""
    found = _found(*(INDEX.format("i1", body, "i1") for body in (source, target)))
    assert found.verdict in (("equivalent", "refines") if right else ("not-equivalent",))


@pytest.mark.parametrize(
    ("source", "target", "right"),
    [
        ("%s = index.add %a, %b\n%r = index.sub %s, %b", "%r = index.add %a, %z", True),
        ("%t = index.constant 2\n%s = index.mul %a, %t\n%r = index.divs %s, %t", "%r = index.add %a, %z", False),
        (f"{ONE}%s = index.add %a, %o\n%r = index.maxs %s, %a", f"{ONE}%r = index.add %a, %o", False),
    ],
)
def test_an_index_that_is_returned_wraps(source: str, target: str, right: bool) -> None:
    found = _found(*(INDEX.format("index", body, "index") for body in (source, target)))
    assert found.verdict in (("equivalent", "refines") if right else ("not-equivalent",))


LOOP = """func.func @f(%A: memref<?xf32>, %n: index, %x: f32) {{
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %m = arith.addi %n, %c1 : index
  {}
  scf.for %i = %c0 to %m step %c1 {{
    %j = arith.{} %i, %c1 : index
    %k = arith.subi %j, %c1 : index
    memref.store %x, %A[%k] : memref<?xf32>
  }}
  return
}}"""


def test_what_bounds_and_subscripts_are_made_of_does_not_wrap() -> None:
    """`n + 1` is a bound: an input on which it overflows does not count."""
    plain, guarded = LOOP.format("", "addi"), LOOP.format("%q = arith.cmpi sgt, %m, %n : index", "addi")
    assert _found(plain, guarded).verdict == "equivalent"
    flat = plain.replace("%k = arith.subi %j, %c1", "%k = arith.addi %i, %c0")
    assert _found(plain, flat).verdict in ("equivalent", "refines")
    assert _found(plain, LOOP.format("", "subi")).verdict == "not-equivalent"


LEAST = """func.func @f(%x: memref<?xf32>, %b: f32) -> f32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %b) -> f32 {{
    %v = memref.load %x[%i] : memref<?xf32>
    {}
    scf.yield %s : f32
  }}
  return %r : f32
}}"""
CHOSEN = "%g = arith.cmpf {}, %v, %a : f32\n    %s = arith.select %g, %v, %a : f32"


def _only_where(shows: Callable[[Scalar, Scalar], bool], monkeypatch: pytest.MonkeyPatch) -> list[tuple[Scalar, ...]]:
    """Has MLIR's JIT confirm a difference only where it `shows`; gives what it is asked of."""
    asked: list[tuple[Scalar, ...]] = []

    def confirm(*given: Any) -> Opinion:
        difference: Difference = given[2]
        assert difference.place is not None and isinstance(difference.target, Finished)
        values = at(difference.place, difference.source), at(difference.place, difference.target)
        asked.append(values)
        return jit_confirmation.confirm(*given) if shows(*values) else Opinion("MLIR's JIT has another opinion")

    monkeypatch.setattr(refuted, "confirm", confirm)
    return asked


@pytest.mark.parametrize(
    ("predicate", "op"), [("olt", "minimumf"), ("ogt", "maximumf"), ("olt", "minnumf"), ("ult", "minimumf")]
)
def test_a_difference_that_is_not_confirmed_is_not_the_last(
    predicate: str, op: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Zeros of two signs may be one thing to the interpreter and another to the JIT; a NaN shows the difference."""
    _only_where(lambda source, target: source != 0 or target != 0, monkeypatch)
    source, target = LEAST.format(CHOSEN.format(predicate)), LEAST.format(f"%s = arith.{op} %v, %a : f32")
    found = _found(source, target)
    assert found.verdict == "not-equivalent" and found.counterexample is not None
    assert "nan" in str([b.value for b in found.counterexample.inputs])


def test_where_none_is_confirmed_it_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    _only_where(lambda source, target: False, monkeypatch)
    found = _found(LEAST.format(CHOSEN.format("olt")), LEAST.format("%s = arith.minimumf %v, %a : f32"))
    assert found.verdict == "unknown" and found.unknown is not None and "another opinion" in found.unknown.text

"""Loops over `iN` whose bounds are computed of arguments: arithmetic modulo the word, which isl holds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hecv.check import Options, check
from hecv.claim.strategy import Strategy

SOURCE = """
func.func @f(%A: memref<?xi32>, %n: index) {
  affine.for %i = 0 to %n {
    %0 = affine.load %A[%i] : memref<?xi32>
    %1 = arith.muli %0, %0 : i32
    affine.store %1, %A[%i] : memref<?xi32>
  }
  return
}"""


def _narrow(width: int, end: str = "%m") -> str:
    """The loop over `iN`."""
    return f"""
func.func @f(%A: memref<?xi32>, %n: index) {{
  %zero = arith.constant 0 : i{width}
  %one = arith.constant 1 : i{width}
  %m = arith.index_cast %n : index to i{width}
  %up = arith.addi %m, %one : i{width}
  %down = arith.subi %up, %one : i{width}
  %flagged = arith.addi %m, %one overflow<nsw> : i{width}
  %same = arith.subi %flagged, %one : i{width}
  scf.for %k = %zero to {end} step %one : i{width} {{
    %i = arith.index_cast %k : i{width} to index
    %0 = memref.load %A[%i] : memref<?xi32>
    %1 = arith.muli %0, %0 : i32
    memref.store %1, %A[%i] : memref<?xi32>
  }}
  return
}}"""


def _unrolled(rest: str, second: str = "%k1") -> str:
    return f"""
func.func @f(%A: memref<?xi32>, %n: index) {{
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %step = arith.muli %one, %two : i32
  %m = arith.index_cast %n : index to i32
  %left = {rest}
  %end = arith.subi %m, %left : i32
  scf.for %k = %zero to %end step %step : i32 {{
    %i = arith.index_cast %k : i32 to index
    %0 = memref.load %A[%i] : memref<?xi32>
    %1 = arith.muli %0, %0 : i32
    memref.store %1, %A[%i] : memref<?xi32>
    %k1 = arith.addi %k, %one : i32
    %j = arith.index_cast {second} : i32 to index
    %2 = memref.load %A[%j] : memref<?xi32>
    %3 = arith.muli %2, %2 : i32
    memref.store %3, %A[%j] : memref<?xi32>
  }}
  scf.for %k = %end to %m step %one : i32 {{
    %i = arith.index_cast %k : i32 to index
    %0 = memref.load %A[%i] : memref<?xi32>
    %1 = arith.muli %0, %0 : i32
    memref.store %1, %A[%i] : memref<?xi32>
  }}
  return
}}"""


def _verdict(source: str, target: str, *assume: str) -> str:
    options = Options(assume=assume, strategy=Strategy(engine="dataflow"))
    return check(source, target, ("source.mlir", "target.mlir"), options).verdict


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("target", "assume", "verdict"),
    [
        (_narrow(32), ("n >= 0", "n <= 100000"), "equivalent"),
        (_narrow(32), (), "unknown"),  # 2 ** 32 elements are not run
        (_narrow(8), ("n >= 0", "n <= 127"), "equivalent"),
        (_narrow(8), ("n >= -128", "n <= 127"), "equivalent"),
        (_narrow(8), ("n >= 0", "n <= 128"), "not-equivalent"),  # 128 is -128 there
        (_narrow(8), ("n >= -129", "n <= 127"), "not-equivalent"),  # -129 is 127
        (_narrow(8, "%down"), ("n >= 0", "n <= 127"), "equivalent"),  # what wraps forth wraps back
        (_narrow(8, "%up"), ("n >= 0", "n <= 127"), "not-equivalent"),
        (_narrow(8, "%same"), ("n >= 0", "n <= 127"), "unknown"),  # poison where n is 127
    ],
)
def test_a_loop_over_words(target: str, assume: tuple[str, ...], verdict: str) -> None:
    assert _verdict(SOURCE, target, *assume) == verdict


@pytest.mark.parametrize(
    ("target", "verdict"),
    [
        (_unrolled("arith.remsi %m, %two : i32"), "equivalent"),
        (_unrolled("arith.remsi %m, %two : i32", "%k"), "not-equivalent"),
        (_unrolled("arith.addi %zero, %one : i32"), "not-equivalent"),
    ],
)
def test_unrolled_over_words(target: str, verdict: str) -> None:
    """As MLIR unrolls a loop over `i32`."""
    assert _verdict(SOURCE, target, "n >= 0", "n <= 100000") == verdict


@pytest.mark.parametrize(
    ("flags", "verdict"),
    [("", "not-equivalent"), ("overflow<nsw>", "refines")],  # a branch on poison is undefined
)
def test_a_sum_that_wraps(flags: str, verdict: str) -> None:
    """`n + 1 < n` where `n` is the largest number."""
    source = f"""
func.func @f(%A: memref<4xi32>, %n: i32) {{
  %one = arith.constant 1 : i32
  %m = arith.addi %n, %one {flags} : i32
  %p = arith.cmpi slt, %m, %n : i32
  scf.if %p {{
    affine.store %one, %A[0] : memref<4xi32>
  }}
  return
}}"""
    target = "func.func @f(%A: memref<4xi32>, %n: i32) { return }"
    outcome = check(source, target, ("source.mlir", "target.mlir"), Options())
    assert outcome.verdict == verdict
    assert _verdict(source, source) == "equivalent"


def _turns_of(bound: str) -> str:
    """Writes as many elements as a number of four bits says."""
    return f"""
func.func @f(%A: memref<?xf32>, %x: f32, %n: i4) {{
  %zero = arith.constant 0 : i4
  %one = arith.constant 1 : i4
  %three = arith.constant 3 : i4
  %seven = arith.constant 7 : i4
  %c4 = arith.constant 4 : index
  {bound}
  scf.for %i = %zero to %m step %one : i4 {{
    %j = arith.index_cast %i : i4 to index
    memref.store %x, %A[%j] : memref<?xf32>
  }}
  return
}}"""


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("bound", "value"),
    [
        ("%m = arith.andi %n, %three : i4", lambda n: n & 3),
        ("%m = arith.andi %seven, %n : i4", lambda n: n & 7),
        ("%m = arith.andi %n, %zero : i4", lambda n: 0),
        ("%m = arith.shrsi %n, %one : i4", lambda n: n >> 1),
        ("%m = arith.shrsi %n, %three : i4", lambda n: n >> 3),
        ("%m = arith.shli %n, %one : i4", lambda n: (2 * n + 8) % 16 - 8),
    ],
)
def test_bits_of_words_in_bounds(bound: str, value: Callable[[int], int]) -> None:
    """What isl reads of an op is what it computes, of each number."""
    for n in range(-8, 8):
        turns = max(value(n), 0)
        assume = f"n >= {n}", f"n <= {n}"
        right, wrong = (_turns_of(f"%m = arith.constant {k} : i4") for k in (turns, turns + 1 if turns < 7 else 6))
        assert _verdict(_turns_of(bound), right, *assume) == "equivalent", n
        if n in (-3, 5):
            assert _verdict(_turns_of(bound), wrong, *assume) == "not-equivalent", n

"""Conditions of selections in stored values: they are read as exact arithmetic only where nothing overflows."""

from __future__ import annotations

import pytest

from hecv.check import Options, check


def _chosen(condition: str, upper: str = "%n") -> str:
    return f"""
func.func @f(%A: memref<?xi32>, %n: index, %k: index) {{
  %one = arith.constant 1 : index
  %minus = arith.constant -1 : index
  %x = arith.constant 5 : i32
  %y = arith.constant 7 : i32
  affine.for %i = 0 to {upper} {{
    {condition}
    %v = arith.select %c, %x, %y : i32
    affine.store %v, %A[%i] : memref<?xi32>
  }}
  return
}}"""


LEFT = """%m = arith.muli %i, %minus overflow<nsw> : index
    %l = arith.addi %m, %n : index
    %c = arith.cmpi {}, %l, %one : index"""
NEXT = """%l = arith.addi %k, %one{} : index
    %c = arith.cmpi sgt, %l, %k : index"""
ALWAYS = "%c = arith.cmpi eq, %one, %one : index"


def _verdict(source: str, target: str, *assume: str) -> str:
    options = Options(assume=assume)
    return check(source, target, ("source.mlir", "target.mlir"), options).functions[0].verdict


def test_what_is_left_of_a_loop_is_at_least_one() -> None:
    assert _verdict(_chosen(LEFT.format("sge")), _chosen(ALWAYS)) == "equivalent"
    assert _verdict(_chosen(LEFT.format("sgt")), _chosen(ALWAYS)) == "not-equivalent"


@pytest.mark.parametrize("assume", [(), ("k <= 100",)])
def test_the_next_number_is_greater_where_there_is_one(assume: tuple[str, ...]) -> None:
    """Not at the greatest index: there it wraps, and with a flag it is poison."""
    found = _verdict(_chosen(NEXT.format("")), _chosen(ALWAYS), *assume)
    assert found == "equivalent" if assume else found not in ("equivalent", "refines")
    found = _verdict(_chosen(ALWAYS), _chosen(NEXT.format(" overflow<nsw>")), *assume)
    assert found == "equivalent" if assume else found not in ("equivalent", "refines")

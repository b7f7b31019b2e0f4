"""Counters as wide as an `index` that are compared unsigned: signed ones where both ends are plainly not negative."""

from __future__ import annotations

import pytest

from hecv.claim.semantic_options import Switches

from .test_conditions import proof

HEAD = """
func.func @f(%A: memref<?xf32>, %b: index, %x: f32) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
{0}  return
}}
"""
SIGNED = HEAD.format(
    "  scf.for %i = %c0 to %n step %c1 {\n    memref.store %x, %A[%i] : memref<?xf32>\n  }\n",
)
ENDS = """  %first = arith.constant {first} : i64
  %step = arith.constant {step} : i64
  %last = arith.index_cast {of} : index to i64
"""
FOR = """  scf.for unsigned %k = %first to %last step %step : i64 {
    %i = arith.index_cast %k : i64 to index
    memref.store %x, %A[%i] : memref<?xf32>
  }
"""
WHILE = """  %r = scf.while (%k = %first) : (i64) -> i64 {{
    %c = arith.cmpi {predicate}, %k, %last : i64
    scf.condition(%c) %k : i64
  }} do {{
  ^bb0(%k: i64):
    %i = arith.index_cast %k : i64 to index
    memref.store %x, %A[%i] : memref<?xf32>
    %j = arith.addi %k, %step {flags} : i64
    scf.yield %j : i64
  }}
"""


def unsigned(
    predicate: str = "", first: str = "0", step: str = "1", of: str = "%n", flags: str = "", kind: str = "i64"
) -> str:
    loop = WHILE.format(predicate=predicate, flags=flags) if predicate else FOR
    return HEAD.format((ENDS.format(first=first, step=step, of=of) + loop).replace("i64", kind))


@pytest.mark.parametrize("predicate", ["", "ult", "slt"])
def test_from_zero_to_an_extent(predicate: str) -> None:
    target = unsigned(predicate)
    assert proof(SIGNED, target) in ("one form", "array dataflow")
    assert proof(target, SIGNED) in ("one form", "array dataflow")


@pytest.mark.parametrize("flags", ["overflow<nsw>", "overflow<nuw>", "overflow<nsw, nuw>"])
def test_sums_that_do_not_wrap(flags: str) -> None:
    assert proof(SIGNED, unsigned("ult", flags=flags)) in ("one form", "array dataflow")


@pytest.mark.parametrize("predicate", ["", "ult"])
def test_an_end_that_may_be_negative(predicate: str) -> None:
    """As an unsigned number it is greater than all that an index may be, and the source does not run."""
    source = SIGNED.replace("to %n", "to %b")
    assert proof(source, unsigned(predicate, of="%b")) is None


@pytest.mark.parametrize("predicate", ["", "ult"])
def test_a_first_value_that_is_negative(predicate: str) -> None:
    """A loop from -1 does not run unsigned."""
    source = SIGNED.replace("= %c0", "= %m").replace("%c1 =", "%m = arith.constant -1 : index\n  %c1 =")
    target = unsigned(predicate, first="-1")
    assert proof(source, target) is None
    assert proof(target, source) is None


@pytest.mark.parametrize("predicate", ["", "ult"])
def test_other_steps_and_types(predicate: str) -> None:
    """Other steps may wrap, and a narrower type cuts the extent off."""
    two = SIGNED.replace("step %c1", "step %c2").replace("%c1 =", "%c2 = arith.constant 2 : index\n  %c1 =")
    assert proof(two, unsigned(predicate, step="2")) is None
    assert proof(SIGNED, unsigned(predicate, kind="i32")) is None


def test_an_index_of_32_bits() -> None:
    narrow = Switches(index_width=32)
    assert proof(SIGNED, unsigned("ult", kind="i32"), narrow) in ("one form", "array dataflow")
    assert proof(SIGNED, unsigned("ult", kind="i31"), narrow) is None

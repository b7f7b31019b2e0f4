"""Subscripts that are computed in narrower integers: what is exact is found, and what leaves the type is not."""

from __future__ import annotations

import pytest

from hecv.claim.semantic_options import Switches
from soundness.test_conditions import proof

LOOP = """func.func @f(%A: memref<200xf32>, %B: memref<200xf32>) {{
  %c1 = arith.constant 1 : index
  %lo = arith.constant {lo} : index
  %hi = arith.constant {hi} : index
  scf.for %i = %lo to %hi step %c1 {{
    {computed}
    %v = memref.load %A[%k] : memref<200xf32>
    memref.store %v, %B[%k] : memref<200xf32>
  }}
  return
}}
"""
CAST = "%n = arith.{cast} %i : index to {kind}\n"
BACK = "%k = arith.{cast} %m : {kind} to index"


def narrowed(ops: str, kind: str = "i32", cast: str = "index_castui", back: str = "index_cast") -> str:
    """What `ops` make `%m` of `%n`, an integer, to be the subscript."""
    return CAST.format(cast=cast, kind=kind) + ops + "\n" + BACK.format(cast=back, kind=kind)


def shown(direct: str, computed: str, lo: int, hi: int, switches: Switches = Switches()) -> bool:  # noqa: B008
    source, target = (LOOP.format(lo=lo, hi=hi, computed=c) for c in (direct, computed))
    return proof(source, target, switches) is not None


BACKWARDS = "%k = affine.apply affine_map<(d0) -> (15 - d0)>(%i)"
SAME = "%k = affine.apply affine_map<(d0) -> (d0)>(%i)"
MINUS = "%o = arith.constant -1 : i32\n%x = arith.muli %n, %o overflow<nsw> : i32\n"
FROM_15 = "%f = arith.constant 15 : i32\n%m = arith.addi %x, %f overflow<nsw> : i32"
LESS = "%f = arith.constant 15 : i32\n%m = arith.subi %f, %n overflow<nsw, nuw> : i32"
SHIFTED = """%f = arith.constant 15 : i32
%x = arith.subi %n, %f overflow<{flag}> : i32
%m = arith.addi %x, %f : i32"""
LEAST = "%f = arith.constant 9 : i32\n%m = arith.minsi %n, %f : i32"
TWICE = "%s = arith.trunci %n : i32 to i8\n%m = arith.{extended} %s : i8 to i32"


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("direct", "computed", "last", "equal"),
    [
        (BACKWARDS, narrowed(MINUS + FROM_15), 16, True),
        (BACKWARDS, narrowed(LESS), 16, True),
        (SAME, narrowed(SHIFTED.format(flag="nsw")), 16, True),
        (SAME, narrowed(SHIFTED.format(flag="nsw, nuw")), 16, False),
        ("%k = affine.min affine_map<(d0) -> (d0, 9)>(%i)", narrowed(LEAST), 16, True),
        ("%k = affine.min affine_map<(d0) -> (d0, 8)>(%i)", narrowed(LEAST), 16, False),
        (SAME, narrowed("%m = arith.addi %n, %n : i8", "i8"), 16, False),
        (SAME, narrowed(TWICE.format(extended="extui")), 128, True),
        (SAME, narrowed(TWICE.format(extended="extsi")), 128, True),
        (SAME, narrowed(TWICE.format(extended="extsi")), 200, False),
    ],
)
def test_what_fits_is_exact(direct: str, computed: str, last: int, equal: bool) -> None:
    assert shown(direct, computed, 0, last) is equal


MOST = "%z = arith.constant 0 : i64\n%m = arith.maxsi %n, %z : i64"


@pytest.mark.parametrize(("cast", "width", "equal"), [("castui", 64, True), ("castui", 32, False), ("cast", 32, True)])
def test_a_negative_index_that_is_extended_with_zeros_is_another(cast: str, width: int, equal: bool) -> None:
    direct = "%k = affine.max affine_map<(d0) -> (d0, 0)>(%i)"
    computed = narrowed(MOST, "i64", f"index_{cast}")
    assert shown(direct, computed, -1, 8, Switches(index_width=width)) is equal

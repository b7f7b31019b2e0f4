"""Computed positions in vectors of several dimensions, as they are compiled: a difference in them is confirmed."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

TEXT = """func.func @f(%A: memref<2x3x4xTYPE>, %O: memref<2x3x4xTYPE>, %x: TYPE, %i: index, %j: index) {
  %c0 = arith.constant 0 : index
  %z = ub.poison : TYPE
  %v = vector.transfer_read %A[%c0, %c0, %c0], %z {in_bounds = [true, true, true]}
    : memref<2x3x4xTYPE>, vector<2x3x4xTYPE>
  BODY
  vector.transfer_write %w, %O[%c0, %c0, %c0] {in_bounds = [true, true, true]}
    : vector<2x3x4xTYPE>, memref<2x3x4xTYPE>
  return
}
"""
ROW = """%r = vector.extract %v[PLACE] : vector<4xTYPE> from vector<2x3x4xTYPE>
  %w = vector.broadcast %r : vector<4xTYPE> to vector<2x3x4xTYPE>"""
ELEMENT = """%r = vector.extract %v[PLACE, 1] : TYPE from vector<2x3x4xTYPE>
  %w = vector.broadcast %r : TYPE to vector<2x3x4xTYPE>"""
INSERTED = "%w = vector.insert %x, %v[PLACE, 1] : TYPE into vector<2x3x4xTYPE>"
ROW_INSERTED = """%r = vector.extract %v[0, 1] : vector<4xTYPE> from vector<2x3x4xTYPE>
  %w = vector.insert %r, %v[PLACE] : vector<4xTYPE> into vector<2x3x4xTYPE>"""
BODIES = {"row": ROW, "element": ELEMENT, "inserted": INSERTED, "row inserted": ROW_INSERTED}


def _verdict(body: str, kind: str, first: str, second: str) -> str:
    texts = [TEXT.replace("BODY", body.replace("PLACE", place)).replace("TYPE", kind) for place in (first, second)]
    return check(texts[0], texts[1], ("source.mlir", "target.mlir"), Options()).functions[0].verdict


@pytest.mark.parametrize("name", BODIES)
def test_another_position_is_refuted(name: str) -> None:
    assert _verdict(BODIES[name], "f32", "%i, 2", "%i, %j") == "not-equivalent"


def test_other_types() -> None:
    assert _verdict(ROW, "i8", "%i, %j", "%j, %i") == "not-equivalent"
    assert _verdict(ELEMENT, "bf16", "%i, 1", "%j, 1") in ("not-equivalent", "unknown")


def test_the_same_position_is_equal() -> None:
    assert _verdict(ROW, "f32", "%i, %j", "%i, %j") == "equivalent"

"""Masks that are comparisons with a constant of lane numbers, of indices or of integers: what `vector.create_mask` is
made of."""

from __future__ import annotations

import pytest
from tests.soundness.test_conditions import proof


def _copy(mask: str, count: int = 4) -> str:
    kind = f"vector<{count}xf32>"
    return f"""func.func @f(%A: memref<?xf32>, %B: memref<?xf32>, %n: index, %i: index) {{
  %z = arith.constant 0.0 : f32
  %p = vector.broadcast %z : f32 to {kind}
  {mask}
  %v = vector.maskedload %A[%i], %m, %p : memref<?xf32>, vector<{count}xi1>, {kind} into {kind}
  vector.maskedstore %B[%i], %m, %v : memref<?xf32>, vector<{count}xi1>, {kind}
  return
}}"""


def _compared(lanes: str, predicate: str = "sgt", kind: str = "i64", cast: str = "arith.index_cast") -> str:
    count = lanes.count(",") + 1
    vector = f"vector<{count}x{kind}>"
    return _copy(
        f"""%l = arith.constant dense<{lanes}> : {vector}
  %k = {cast} %n : index to {kind}
  %s = vector.broadcast %k : {kind} to {vector}
  %m = arith.cmpi {predicate}, %s, %l : {vector}""",
        count,
    )


MASK = _copy("%m = vector.create_mask %n : vector<4xi1>")
FALLING = """%c3 = arith.constant 3 : index
  %step = vector.step : vector<4xindex>
  %c = vector.broadcast %c3 : index to vector<4xindex>
  %q = arith.subi %c, %step : vector<4xindex>
  %s = vector.broadcast %n : index to vector<4xindex>
  %m = arith.cmpi sgt, %s, %q : vector<4xindex>"""
EQUAL = {
    "as it is made for LLVM": (MASK, _compared("[0, 1, 2, 3]")),
    "by the next number": (MASK, _compared("[1, 2, 3, 4]", "sge")),
    "falling, from below zero": (_copy(FALLING), _compared("[3, 2, 1, 0]")),
    "negative lanes": (_compared("[-2, -1, 0, 1]"), _compared("[-1, 0, 1, 2]", "sge")),
}
BROKEN = {
    "one lane more": (MASK, _compared("[0, 1, 2, 3]", "sge")),
    "one lane less": (MASK, _compared("[1, 2, 3, 4]")),
    "without a sign": (MASK, _compared("[0, 1, 2, 3]", "ugt")),
    "of eight bits": (MASK, _compared("[0, 1, 2, 3]", kind="i8")),
    "of eight bits that wrap": (_compared("[126, 127, 128, 129]"), _compared("[126, 127, -128, -127]", kind="i8")),
    "lanes that are no progression": (MASK, _compared("[0, 1, 3, 2]")),
    "lanes beyond an index of 32 bits": (
        MASK,
        _compared("[4294967296, 4294967297, 4294967298, 4294967299]"),
    ),
}


@pytest.mark.parametrize("name", EQUAL)
def test_lanes_are_functions_of_the_index(name: str) -> None:
    source, target = EQUAL[name]
    assert proof(source, target) is not None
    assert proof(target, source) is not None


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", BROKEN)
def test_other_lanes_are_other_masks(name: str) -> None:
    source, target = BROKEN[name]
    assert proof(source, target) is None
    assert proof(target, source) is None

"""Rows that are read from memory, in buffers that were flattened: `A[32 * B[i] + j]` against `A[B[i], j]`."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

HEAD = """func.func @f(%A: memref<16x32xf32>, %B: memref<?xindex>, %O: memref<?x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = arith.constant SIZE : index
  %count = arith.constant COUNT : index
"""
FLAT = """  %F = memref.reinterpret_cast %A to offset: [0], sizes: [512], strides: [1]
    : memref<16x32xf32> to memref<512xf32, strided<[1]>>
"""
LOOPS = """  scf.for %i = %c0 to %n step %c1 {
    %r = memref.load %B[%i] : memref<?xindex>
    scf.for %j = %c0 to %count step %c1 {
BODY    }
  }
  return
}
"""
PLACE = "      %p = affine.apply affine_map<(d)[s, t] -> (s * SIZE + d)>(%j)[%r, %c0]\n"
ROW, FLAT_ROW = "%A[%r, %j] : memref<16x32xf32>", "%F[%p] : memref<512xf32, strided<[1]>>"
GATHER = """      %v = memref.load AT
      memref.store %v, %O[%i, %j] : memref<?x32xf32>
"""
SCATTER = """      %v = memref.load %O[%i, %j] : memref<?x32xf32>
      memref.store %v, AT
"""
UPDATE = """      %v = memref.load %O[%i, %j] : memref<?x32xf32>
      %w = memref.load AT
      %s = arith.addf %w, %v : f32
      memref.store %s, AT
"""


def _rows(body: str, count: int = 32) -> str:
    text = HEAD + LOOPS.replace("BODY", body.replace("AT", ROW))
    return text.replace("SIZE", "32").replace("COUNT", str(count))


def _flat(body: str, size: int = 32, count: int = 32) -> str:
    text = HEAD + FLAT + LOOPS.replace("BODY", PLACE + body.replace("AT", FLAT_ROW))
    return text.replace("SIZE", str(size)).replace("COUNT", str(count))


def _verdict(source: str, target: str) -> str:
    return check(source, target, ("source.mlir", "target.mlir"), Options()).functions[0].verdict


@pytest.mark.parametrize("body", [GATHER, SCATTER, UPDATE], ids=["gather", "scatter", "update"])
def test_rows_may_lie_in_a_flat_buffer(body: str) -> None:
    assert _verdict(_rows(body), _flat(body)) == _verdict(_flat(body), _rows(body)) == "equivalent"


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("source", "target"),
    [
        (_rows(GATHER), _flat(GATHER, size=31)),
        (_rows(SCATTER), _flat(SCATTER, size=31)),
        (
            _flat(GATHER.replace("%O[%i, %j]", "%O[%i, %c0]"), count=33),
            _rows(GATHER.replace("%O[%i, %j]", "%O[%i, %c0]"), count=33),
        ),
    ],
    ids=["shorter rows", "stores to shorter rows", "beyond the end of a row"],
)
def test_other_rows_are_refuted(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert _verdict(source, target) == "not-equivalent"


def test_a_number_that_cancels_may_still_be_poison(monkeypatch: pytest.MonkeyPatch) -> None:
    """`A[i, r + j - r]` where nothing was written that `r` is read from; that another subscript shows `r` makes it no
    worse."""
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    head = """func.func @f(%A: memref<16x32xf32>, %x: f32) {
  %B = memref.alloc() : memref<4xindex>
  affine.for %i = 0 to 4 {
    %r = affine.load %B[%i] : memref<4xindex>
    %s = arith.addi %r, %i : index
    %p = arith.subi %s, %r : index
    memref.store %x, %A[FIRST, SECOND] : memref<16x32xf32>
  }
  return
}
"""
    plain, cancelled = (head.replace("FIRST", "%i").replace("SECOND", second) for second in ("%i", "%p"))
    assert _verdict(plain, cancelled) == "not-equivalent"
    shown, both = (head.replace("FIRST", "%r").replace("SECOND", second) for second in ("%i", "%p"))
    assert _verdict(shown, both) != "not-equivalent"

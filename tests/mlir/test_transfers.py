"""Transfers that run beside the program: copies where they are waited for at once, refused elsewhere."""

from __future__ import annotations

from textwrap import dedent

import pytest

from hecv.base.diagnostics import Unsupported
from hecv.base.term import TermPool
from hecv.check import Options, check
from hecv.mlir.importer import parse, read_function
from hecv.program.tree_printer import render

OPTIONS = Options(seconds=60, jobs=1)
GIVEN = "%A: memref<16xf32>, %B: memref<8xf32, 1>, %M: memref<4x8xf32>, %i: index, %x: f32"
BEGINNING = """
%tag = memref.alloc() : memref<1xi32>
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%c3 = arith.constant 3 : index
%c8 = arith.constant 8 : index
"""
TO_FAST = "memref<16xf32>, memref<8xf32, 1>, memref<1xi32>"
WAIT = "affine.dma_wait %tag[0], %c8 : memref<1xi32>"
TRANSFER = f"affine.dma_start %A[4], %B[0], %tag[0], %c8 : {TO_FAST}\n{WAIT}"
LOOP = """
affine.for %k = 0 to 8 {
  %v = affine.load %A[%k + 4] : memref<16xf32>
  affine.store %v, %B[%k] : memref<8xf32, 1>
}"""


def function(ops: str) -> str:
    return f"func.func @f({GIVEN}) {{{BEGINNING}{ops}\nreturn\n}}"


def verdict(source: str, target: str) -> str:
    return check(function(source), function(target), ("s.mlir", "t.mlir"), OPTIONS).verdict


def body(ops: str) -> str:
    lines = render(read_function(parse(function(ops), "t.mlir"), "f", TermPool())).splitlines()
    return dedent("\n".join(line for line in lines[1:-1] if "alloc %tag" not in line))


def test_a_transfer_is_a_loop_over_its_elements() -> None:
    assert body(TRANSFER) == dedent(
        """\
        for %i0 = 0 to 8 {
          assert arith.andi(arith.cmpi[sle](0, %i0), arith.cmpi[slt](%i0, 8))
          r0 = load %A[%i0 + 4]
          store r0, %B[%i0]
        }"""
    )


def test_rows_follow_one_another() -> None:
    found = body(
        f"affine.dma_start %M[1, 4], %B[0], %tag[0], %c8 : memref<4x8xf32>, memref<8xf32, 1>, memref<1xi32>\n{WAIT}"
    )
    assert "t0 = ((%i0 + 4) floordiv 8)\n  r0 = load %M[t0 + 1, %i0 - 8*t0 + 4]" in found


@pytest.mark.parametrize(
    "ops",
    [
        LOOP,
        f"memref.dma_start %A[%c3], %B[%c0], %c8, %tag[%c0] : {TO_FAST}\nmemref.dma_wait %tag[%c0], %c8 : memref<1xi32>"
        + LOOP,
        LOOP
        + f"\naffine.dma_start %A[4], %B[0], %tag[0], %c8 : {TO_FAST}\n%o = memref.alloc() : memref<2xf32>\n{WAIT}",
    ],
    ids=["loop", "other transfer before", "allocation between"],
)
def test_transfers_are_proved(ops: str) -> None:
    assert verdict(ops, TRANSFER) == "equivalent"


def test_the_slower_side_is_strided() -> None:
    moved = f"affine.dma_start %A[0], %B[0], %tag[0], %c8, %c3, %c2 : {TO_FAST}\n{WAIT}"
    loops = """
    affine.for %p = 0 to 4 {
      affine.for %q = 0 to 2 {
        %v = affine.load %A[%p * 3 + %q] : memref<16xf32>
        affine.store %v, %B[%p * 2 + %q] : memref<8xf32, 1>
      }
    }"""
    assert verdict(loops, moved) == "equivalent"
    assert verdict(loops.replace("%p * 3", "%p * 2"), moved) != "equivalent"


VECTORS = """
func.func @f(%A: memref<4x4xvector<2xf32>>, %B: memref<6xvector<2xf32>, 1>) {
  %tag = memref.alloc() : memref<1xi32>
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  OPS
  return
}"""
MOVED = """affine.dma_start %A[1, 1], %B[1], %tag[0], %c4, %c4, %c2
    : memref<4x4xvector<2xf32>>, memref<6xvector<2xf32>, 1>, memref<1xi32>
  affine.dma_wait %tag[0], %c4 : memref<1xi32>"""
EACH = """affine.for %p = 0 to 2 {
    affine.for %q = 0 to 2 {
      %v = affine.load %A[%p + 1, %q + 1] : memref<4x4xvector<2xf32>>
      affine.store %v, %B[%p * 2 + %q + 1] : memref<6xvector<2xf32>, 1>
    }
  }"""


def test_vectors_are_elements() -> None:
    texts = [VECTORS.replace("OPS", ops) for ops in (EACH, MOVED, MOVED.replace("%B[1]", "%B[2]"))]
    verdicts = [check(texts[0], t, ("s.mlir", "t.mlir"), OPTIONS).verdict for t in texts[1:]]
    assert verdicts[0] == "equivalent" and verdicts[1] in ("not-equivalent", "unknown")


@pytest.mark.parametrize(
    "ops",
    [
        TRANSFER.replace("%A[4]", "%A[5]"),
        TRANSFER.replace("%B[0]", "%B[1]"),
        TRANSFER.replace("%c8", "%c3"),
        f"affine.store %x, %A[4] : memref<16xf32>\n{TRANSFER}",
    ],
    ids=["source", "target, out of bounds", "fewer", "store before"],
)
def test_other_transfers_are_not(ops: str) -> None:
    assert verdict(LOOP, ops) in ("not-equivalent", "unknown")


START, _ = TRANSFER.split("\n")


@pytest.mark.parametrize(
    "ops",
    [
        START,
        WAIT,
        f"{START}\n%v = affine.load %B[0] : memref<8xf32, 1>\n{WAIT}",
        f"{START}\naffine.store %x, %A[4] : memref<16xf32>\n{WAIT}",
        f"{START}\naffine.for %k = 0 to 1 {{\n{WAIT}\n}}",
        f"{START}\n{START}\n{WAIT}\n{WAIT}",
        f"{START}\naffine.dma_wait %tag[0], %c3 : memref<1xi32>",
        f"%t = affine.load %tag[0] : memref<1xi32>\n{TRANSFER}",
        TRANSFER.replace("%c8", "%i"),
        f"affine.dma_start %A[0], %B[0], %tag[0], %c8, %c3, %c3 : {TO_FAST}\n{WAIT}",
    ],
    ids=[
        "no wait",
        "no start",
        "read while it runs",
        "written while it runs",
        "wait in a loop",
        "two at a time",
        "another number",
        "tag that is read",
        "number that is not known",
        "part of a chunk",
    ],
)
def test_others_are_refused(ops: str) -> None:
    with pytest.raises(Unsupported):
        body(ops)

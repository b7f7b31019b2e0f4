"""Which programs are alike."""

from __future__ import annotations

from msgspec.structs import replace

from hecv.base.term import TermPool
from hecv.mlir.importer import parse, read_function
from hecv.program.structural_equality import same_program, same_shape
from hecv.program.tree import Function

LOOP = """func.func @f(%A: memref<8xi32>, %x: i32) {{
  affine.for %i = 0 to 8 {{
    {body}
    affine.store %r, %A[%i] : memref<8xi32>
  }}
  {after}
  return
}}"""


def _read(pool: TermPool, body: str, after: str = "") -> Function:
    return read_function(parse(LOOP.format(body=body, after=after), "f.mlir"), "f", pool)


def test_shape_is_statements_and_not_what_they_compute() -> None:
    pool = TermPool()
    added = _read(pool, "%r = arith.addi %x, %x : i32")
    divided = _read(pool, "%r = arith.divui %x, %x : i32")
    stored = _read(pool, "%r = arith.addi %x, %x : i32", "affine.store %x, %A[0] : memref<8xi32>")
    assert same_shape(added, divided) and not same_program(added, divided)
    assert not same_shape(added, stored)


def test_shape_is_of_blocks() -> None:
    pool = TermPool()
    inside = _read(pool, "affine.store %x, %A[0] : memref<8xi32>\n %r = arith.addi %x, %x : i32")
    outside = _read(pool, "%r = arith.addi %x, %x : i32", "affine.store %x, %A[0] : memref<8xi32>")
    assert not same_shape(inside, outside)


def test_terms_are_those_of_the_body() -> None:
    """Also of a function made from another whose terms were asked for."""
    pool = TermPool()
    added, divided = (_read(pool, f"%r = arith.{op} %x, %x : i32") for op in ("addi", "divui"))
    assert "arith.addi" in {t.op for t in added.terms}
    assert replace(added, body=divided.body).terms == divided.terms
    assert replace(added, name="g").terms == added.terms

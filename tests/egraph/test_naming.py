"""Copies with memories of their own become the same under canonical names."""

from __future__ import annotations

from hecv.base.term import TermPool
from hecv.mlir.importer import parse, read_function
from hecv.normal.memory.load_attachment import Attacher
from hecv.program.structural_equality import anonymous
from hecv.program.tree import Loop
from hecv.theorems.schedules.name_normalisation import Names, named

CARRIED = """
func.func @f(%A: memref<8xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %r = affine.for %i = 0 to 4 iter_args(%s = %zero) -> f32 {
    %a = affine.load %A[%i] : memref<8xf32>
    %t = arith.addf %s, %a : f32
    affine.yield %t : f32
  }
  %q = affine.for %i = 4 to 8 iter_args(%s = %r) -> f32 {
    %a = affine.load %A[%i] : memref<8xf32>
    %t = arith.addf %s, %a : f32
    affine.yield %t : f32
  }
  return %q : f32
}
"""


def test_a_value_that_is_carried_on_keeps_its_cell() -> None:
    """The sum over 0..8 in two loops has the cell of the sum in one."""
    pool, names = TermPool(), Names()
    body = read_function(parse(CARRIED, "f.mlir"), "f", pool)
    made = anonymous(named(pool, names, body, Attacher(pool, body, body.body).block(body.body)))
    first, second = (s for s in made if isinstance(s, Loop))
    assert first.body == second.body

"""Proofs that need a relation through a floor of an induction variable."""

from __future__ import annotations

import pytest

from hecv.base.term import TermPool
from hecv.check import Options, check
from hecv.dataflow import dataflow_proof
from hecv.dataflow.induction.relation_widening import floors_in, floors_of, loops_around
from hecv.dataflow.pair_model import Pair
from hecv.mlir.importer import parse, read_function

ROWS = """func.func @f(%A: memref<23x23xf64>, %C: memref<23xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 23 {
    %s = affine.for %k = 0 to affine_map<(d) -> (d)>(%i) iter_args(%t = %zero) -> (f64) {
      %a = affine.load %A[%i, %k] : memref<23x23xf64>
      %u = arith.addf %t, %a : f64
      affine.yield %u : f64
    }
    affine.store %s, %C[%i] : memref<23xf64>
  }
  return
}"""
# The second sum has its operands exchanged, so that the copies are no loop again.
BY_TWO = """func.func @f(%A: memref<23x23xf64>, %C: memref<23xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 23 {
    %p = affine.for %k = 0 to affine_map<(d) -> ((d floordiv 2) * 2)>(%i) step 2 iter_args(%t = %zero) -> (f64) {
      %a = affine.load %A[%i, %k] : memref<23x23xf64>
      %u = arith.addf %t, %a : f64
      %b = affine.load %A[%i, %k + 1] : memref<23x23xf64>
      %v = arith.addf %b, %u : f64
      affine.yield %v : f64
    }
    %s = affine.for %k = affine_map<(d) -> ((d floordiv 2) * 2)>(%i) to affine_map<(d) -> (d)>(%i)
        iter_args(%t = %p) -> (f64) {
      %a = affine.load %A[%i, %k] : memref<23x23xf64>
      %u = arith.addf %t, %a : f64
      affine.yield %u : f64
    }
    affine.store %s, %C[%i] : memref<23xf64>
  }
  return
}"""


def test_a_triangular_sum_unrolled_with_its_clean_up_loop() -> None:
    pool = TermPool()
    source, target = (read_function(parse(text, "f.mlir"), "f", pool) for text in (ROWS, BY_TWO))
    assert isinstance(dataflow_proof.prove(Pair(pool, source, target, ())), dataflow_proof.Proved)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("to affine_map<(d) -> (d)>(%i)\n", "to affine_map<(d) -> ((d floordiv 2) * 2)>(%i)\n"),
        ("((d floordiv 2) * 2)>(%i) to", "((d floordiv 4) * 4)>(%i) to"),
    ],
    ids=["clean-up loop that does not run", "clean-up loop that starts too early"],
)
def test_a_wrong_clean_up_loop(right: str, wrong: str) -> None:
    assert right in BY_TWO
    report = check(ROWS, BY_TWO.replace(right, wrong), ("s.mlir", "t.mlir"), Options())
    assert report.verdict == "not-equivalent"


def test_floors_of_a_text() -> None:
    assert list(floors_in("0 <= i0 and (2*(floor((i0 + 1)/2))) < floor((floor((i1)/4))/2)")) == [
        "floor((i0 + 1)/2)",
        "floor((floor((i1)/4))/2)",
        "floor((i1)/4)",
    ]


def test_floors_are_of_the_loops_around_a_statement() -> None:
    """The clean-up loop of one nest says nothing of the variables of another, which have the same names."""
    pool = TermPool()
    first, second = BY_TWO.split("  return\n")[0], ROWS.split("%zero = arith.constant 0.0 : f64\n")[1]
    function = read_function(parse(first + second, "f.mlir"), "f", pool)
    program = Pair(pool, function, function, ()).source.flat
    floors = floors_of(program.statements)
    assert floors
    in_first = [s for s in program.statements if any(loops_around(s) & loops for loops in floors.values())]
    assert in_first and len({s.schedule[0] for s in in_first}) == 1
    assert len({s.schedule[0] for s in program.statements if len(s.dims) > 1}) > 1

"""What a proof knows of the sizes: those for which the source is defined, at first in one piece."""

from __future__ import annotations

import pytest

from hecv.base.term import TermPool
from hecv.check import Options, check
from hecv.dataflow import dataflow_proof
from hecv.dataflow.pair_model import Pair
from hecv.mlir.importer import parse, read_function

NEST = """func.func @f(%A: memref<?x?xf32>, %n: index, %m: index, %x: f32) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.store %x, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}"""


def test_one_piece_first_and_then_exactly() -> None:
    pool = TermPool()
    function = read_function(parse(NEST, "f.mlir"), "f", pool)
    pair = Pair(pool, function, function, ())
    whole, exact = dataflow_proof.inside(pair, pair.undefined())
    assert whole.n_basic_set() == 1 < exact.n_basic_set()
    assert exact.is_subset(whole) and not whole.is_subset(exact)


@pytest.mark.parametrize(("target", "verdict"), [("%A[%j, %i]", "equivalent"), ("%A[%i, %j]", "not-equivalent")])
def test_interchange_of_sizes_in_several_pieces(target: str, verdict: str) -> None:
    exchanged = NEST.replace("%i = 0 to %n", "%i = 0 to %m").replace("%j = 0 to %m", "%j = 0 to %n")
    report = check(NEST, exchanged.replace("%A[%i, %j]", target), ("s.mlir", "t.mlir"), Options())
    assert report.verdict == verdict

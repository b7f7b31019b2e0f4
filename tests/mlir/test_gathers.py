"""`tensor.gather`: what it computes, where it is undefined, and that it is the loops it stands for."""

from __future__ import annotations

import numpy
import pytest

from hecv.base.term import TermPool
from hecv.base.value import Buffer
from hecv.check import Options, check
from hecv.claim.strategy import Strategy
from hecv.mlir.importer import parse, read_function
from hecv.run.interpreter.interpreter import Executable, Finished, Undefined, compile


def gather(source: str, indices: str, dims: str, result: str) -> str:
    """A function that gathers from `%w` by `%at`."""
    return f"""func.func @f(%w: tensor<{source}>, %at: tensor<{indices}>) -> tensor<{result}> {{
  %g = tensor.gather %w[%at] gather_dims([{dims}]) : (tensor<{source}>, tensor<{indices}>) -> tensor<{result}>
  return %g : tensor<{result}>
}}"""


def compiled(text: str) -> Executable:
    return compile(read_function(parse(text, "f.mlir"), "f", TermPool(), by_element=True))


CASES = (
    (gather("4x3xi32", "2x1xindex", "0", "2x3xi32"), (2, 1), (0,), (4, 3)),
    (gather("4x3xi32", "2x1xi64", "0", "2x1x3xi32"), (2, 1), (0,), (4, 3)),
    (gather("4x3xi32", "2x1xindex", "1", "2x4xi32"), (2, 1), (1,), (4, 3)),
    (gather("4x3x2xi32", "5x2xi8", "0, 2", "5x3xi32"), (5, 2), (0, 2), (4, 3, 2)),
    (gather("4x3xi32", "2x2x2xindex", "0, 1", "2x2xi32"), (2, 2, 2), (0, 1), (4, 3)),
)


@pytest.mark.parametrize(("text", "shape", "dims", "extents"), CASES)
def test_what_is_gathered(text: str, shape: tuple[int, ...], dims: tuple[int, ...], extents: tuple[int, ...]) -> None:
    random = numpy.random.default_rng(7)
    source = random.integers(0, 100, extents)
    at = numpy.stack([random.integers(0, extents[d], shape[:-1]) for d in dims], axis=-1)
    places = numpy.moveaxis(source, dims, range(len(dims)))
    wanted = places[tuple(numpy.moveaxis(at, -1, 0))]
    extents_of_result = tuple(map(int, text.rsplit("tensor<", 1)[1].split("xi32")[0].split("x")))
    empty = Buffer(extents_of_result, [0] * wanted.size)
    given = (Buffer(extents, source.ravel().tolist()), Buffer(shape, at.ravel().tolist()), empty)
    end = compiled(text).run(given, 10_000)
    assert isinstance(end, Finished)
    found = end.arguments[2]
    assert isinstance(found, Buffer)
    assert found.data == wanted.ravel().tolist()


@pytest.mark.parametrize("index", (-1, 4))
def test_beyond_the_source(index: int) -> None:
    given = Buffer((4, 3), list(range(12))), Buffer((2, 1), [0, index]), Buffer((2, 3), [0] * 6)
    end = compiled(CASES[0][0]).run(given, 10_000)
    assert isinstance(end, Undefined)


ROWS = """func.func @f(%w: tensor<10x8xf32>, %at: tensor<6x1xindex>) -> tensor<6x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %e = tensor.empty() : tensor<6x8xf32>
  %r = scf.for %i = %c0 to %c6 step %c1 iter_args(%b = %e) -> tensor<6x8xf32> {
    %k = tensor.extract %at[%i, %c0] : tensor<6x1xindex>
    %v = tensor.extract_slice %w[%k, 0] [1, 8] [1, 1] : tensor<10x8xf32> to tensor<1x8xf32>
    %n = tensor.insert_slice %v into %b[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<6x8xf32>
    scf.yield %n : tensor<6x8xf32>
  }
  return %r : tensor<6x8xf32>
}"""
EACH = """#first = affine_map<(d0, d1) -> (d0, 0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @f(%w: tensor<10x8xf32>, %at: tensor<6x1xindex>) -> tensor<6x8xf32> {
  %e = tensor.empty() : tensor<6x8xf32>
  %r = linalg.generic {indexing_maps = [#first, #all], iterator_types = ["parallel", "parallel"]}
      ins(%at : tensor<6x1xindex>) outs(%e : tensor<6x8xf32>) {
  ^bb0(%k: index, %o: f32):
    %j = linalg.index 1 : index
    %v = tensor.extract %w[%k, %j] : tensor<10x8xf32>
    linalg.yield %v : f32
  } -> tensor<6x8xf32>
  return %r : tensor<6x8xf32>
}"""
WHOLE = gather("10x8xf32", "6x1xindex", "0", "6x8xf32")


def verdict(source: str, target: str) -> str:
    return check(source, target, ("source.mlir", "target.mlir"), Options(strategy=Strategy(engine="dataflow"))).verdict


def test_gathered_rows() -> None:
    assert verdict(WHOLE, EACH) == verdict(EACH, ROWS) == "equivalent"


def test_other_rows() -> None:
    assert verdict(EACH, ROWS.replace("%w[%k, 0]", "%w[%i, 0]")) == "not-equivalent"


def test_other_rows_of_what_mlir_cannot_lower() -> None:
    """MLIR's JIT runs it as a loop over elements (`hecv.run.jit.lowering.gather_scatter_loops`)."""
    assert verdict(WHOLE, EACH.replace("(d0, 0)", "(5 - d0, 0)")) == "not-equivalent"

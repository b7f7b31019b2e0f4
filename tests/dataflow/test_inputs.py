"""Which sizes are tried early: one beyond a constant, products of either sign, extents that nothing else determines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from random import Random
from typing import Any

import pytest

from hecv.base.term import Term, TermPool
from hecv.dataflow import input_sampling
from hecv.dataflow.input_sampling import points
from hecv.dataflow.model.parameter_sampling import Sampler
from hecv.dataflow.pair_model import Pair
from hecv.mlir.importer import parse, read_function
from hecv.refute.input_generation import literals

NAMES = "abcdefg"
NEST = "".join(f"affine.for %i{k} = 0 to %{name} {{\n" for k, name in enumerate(NAMES))
DEEP = f"""func.func @f(%A: memref<1xf32>, {", ".join(f"%{name}: index" for name in NAMES)}, %x: f32) {{
  {NEST} affine.store %x, %A[0] : memref<1xf32> {"}" * len(NAMES)}
  return
}}"""
EXTENT = """func.func @f(%A: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  affine.for %i = 0 to %n { affine.store %x, %A[%i] : memref<?xf32> }
  return
}"""
SWEEPS = """func.func @f(%A: memref<?x?xf32>, %t: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %A, %c0 : memref<?x?xf32>
  %m = memref.dim %A, %c1 : memref<?x?xf32>
  affine.for %s = 0 to %t {
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %m {
        %v = affine.load %A[%i - 1, %j] : memref<?x?xf32>
        %w = affine.load %A[%i, %j - 1] : memref<?x?xf32>
        %x = arith.addf %v, %w : f32
        affine.store %x, %A[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}"""
WINDOW = """func.func @f(%I: memref<?x?xf32>, %O: memref<?x?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = memref.dim %I, %c0 : memref<?x?xf32>
  %w = memref.dim %I, %c1 : memref<?x?xf32>
  %n = memref.dim %O, %c0 : memref<?x?xf32>
  %m = memref.dim %O, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %h {
    affine.for %j = 0 to %w {
      affine.store %x, %I[%i, %j] : memref<?x?xf32>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to 4 {
        %v = affine.load %I[%i + %k, %j + %k] : memref<?x?xf32>
        affine.store %v, %O[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}"""
PRODUCT = """func.func @f(%A: memref<?xf32>, %a: index, %b: index, %x: f32) {
  affine.for %i = 0 to affine_map<()[s0, s1] -> (s0 * s1)>()[%a, %b] {
    affine.store %x, %A[%i] : memref<?xf32>
  }
  return
}"""

NOWHERE = """func.func @f(%A: memref<4xf32>, %n: index, %x: f32) {
  affine.store %x, %A[4] : memref<4xf32>
  affine.for %i = 0 to %n { affine.store %x, %A[%i] : memref<4xf32> }
  return
}"""


def tried(text: str, interesting: tuple[int, ...], most: int) -> list[dict[Term, int]]:
    pool = TermPool()
    function = read_function(parse(text, "a.mlir"), "f", pool)
    return list(islice(points(Pair(pool, function, function, []), interesting, Random(0)), most))


def scalars(point: dict[Term, int]) -> list[int]:
    return [value for term, value in point.items() if term.op == "arg"]


def among_small(values: Sequence[int], large: int) -> bool:
    return values.count(large) == 1 and sum(v <= 3 for v in values) == len(values) - 1


@pytest.mark.parametrize("seed", range(3))
def test_each_size_is_once_beyond_a_constant_while_the_others_are_small(seed: int) -> None:
    found = [scalars(p) for p in tried(DEEP, (9, 19), 3 * len(NAMES) + 2)]
    assert {v.index(9) for v in found if among_small(v, 9)} == set(range(len(NAMES)))


def test_deep_nests_start_with_few_iterations() -> None:
    for values in map(scalars, tried(DEEP, (9, 19), 20)):
        product = 1
        for value in values:
            product *= max(1, value)
        assert product <= 20_000


def test_a_product_is_tried_with_factors_of_both_signs() -> None:
    signs = {tuple(v > 0 for v in scalars(p)) for p in tried(PRODUCT, (), 60) if 0 not in scalars(p)}
    assert signs == {(True, True), (True, False), (False, True), (False, False)}


def test_an_extent_that_bounds_a_loop_is_tried_beyond_a_constant() -> None:
    extents = {value for p in tried(EXTENT, (9, 19), 30) for value in p.values()}
    assert {9, 19} <= extents and max(extents) > 4


def test_constants_of_the_target_come_first_and_what_lies_above_them_before_what_lies_below() -> None:
    source, target = (
        read_function(parse(f"func.func @f() {{\n {body}\n return\n}}", "a.mlir"), "f", TermPool())
        for body in (
            "affine.for %i = 0 to 20 { }",
            "affine.for %i = 0 to 20 step 8 { }",
        )
    )
    found = literals((source, target))
    assert [found.index(v) for v in (9, 21, 19, 8, 7)] == sorted(found.index(v) for v in (9, 21, 19, 8, 7))
    assert found[0] == 9


def test_no_size_is_looked_for_without_end_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    point = Sampler.point

    def noted(sampler: Sampler, of: Any) -> object:
        asked.append(of)
        return point(sampler, of)

    monkeypatch.setattr(Sampler, "point", noted)
    assert tried(NOWHERE, (), 1) == [] and len(asked) == input_sampling.DOUBTFUL


def test_extents_are_large_together_with_arguments_where_loops_run_over_both() -> None:
    """Tiles of an in-place stencil are wrong from the second sweep on, and only beyond the first tile."""
    found = tried(SWEEPS, (6,), 60)
    sweeps = next(t for t in found[0] if t.op == "arg")
    assert any(p[sweeps] >= 2 and all(v >= 6 for t, v in p.items() if t is not sweeps) for p in found)


def test_what_a_deep_nest_writes_is_not_left_empty_by_the_window_that_it_reads() -> None:
    written = [[v for t, v in p.items() if t.attr("argument") == 1] for p in tried(WINDOW, (), 24)]
    assert sum(min(extents) > 0 for extents in written) > 12

"""Subscripts that are read from memory: what array dataflow proves of them, and what it must not."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.strategy import Strategy

HEAD = "func.func @f(%A: memref<?xf32>, %B: memref<?xindex>, %C: memref<?xf32>, %n: index) {"
GATHER = """
%k = affine.load %B[I] : memref<?xindex>
%a = memref.load %A[%k] : memref<?xf32>
%c = affine.load %C[I] : memref<?xf32>
%s = arith.addf %a, %c : f32
affine.store %s, %C[I] : memref<?xf32>
"""
SCATTER = """
%k = affine.load %B[I] : memref<?xindex>
%c = affine.load %C[I] : memref<?xf32>
memref.store %c, %A[%k] : memref<?xf32>
"""
MOVED = """
%k = affine.load %B[I] : memref<?xindex>
%a = memref.load %A[%k] : memref<?xf32>
affine.store %a, %A[I] : memref<?xf32>
"""
PLAIN = "affine.for %i = 0 to %n {"
TILED = (
    "affine.for %t = 0 to %n step 4 { affine.for %i = affine_map<(d0) -> (d0)>(%t) to "
    "min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%t)[%n] {"
)
PARALLEL = "affine.parallel (%i) = (0) to (symbol(%n)) {"
BACKWARDS = "%n - 1 - %i"


def _function(loop: str, body: str, at: str = "%i", before: str = "") -> str:
    return f"{HEAD} {before} {loop} {body.replace('I]', at + ']')} {'}' * loop.count('{')} return }}"


def _verdict(source: str, target: str) -> str:
    options = Options(strategy=Strategy(engine="dataflow"))
    return check(source, target, ("source.mlir", "target.mlir"), options).verdict


@pytest.mark.parametrize("body", [GATHER, SCATTER, MOVED])
def test_a_tiled_loop(body: str) -> None:
    assert _verdict(_function(PLAIN, body), _function(TILED, body)) == "equivalent"


def test_loads_in_another_order() -> None:
    assert _verdict(_function(PLAIN, GATHER), _function(PLAIN, GATHER, BACKWARDS)) == "equivalent"


@pytest.mark.parametrize("body", [SCATTER, MOVED])
def test_stores_in_another_order(body: str) -> None:
    """Two subscripts may be equal."""
    assert _verdict(_function(PLAIN, body), _function(PLAIN, body, BACKWARDS)) == "not-equivalent"


def test_an_access_out_of_bounds_that_the_source_does_not_make() -> None:
    last = "%z = arith.constant 0 : index\n%l = memref.load %B[%z] : memref<?xindex>\n"
    early = _function(PLAIN, GATHER, before=last + "%e = memref.load %A[%l] : memref<?xf32>")
    assert _verdict(_function(PLAIN, GATHER), early) == "not-equivalent"


def test_a_parallel_loop_that_stores_is_no_race_by_itself() -> None:
    """Else the source would be undefined on every input, and any target would do."""
    other = SCATTER.replace("%c, %A", "%d, %A").replace("memref.store", "%d = arith.negf %c : f32\nmemref.store")
    assert _verdict(_function(PARALLEL, SCATTER), _function(PARALLEL, other)) == "not-equivalent"


def test_subscripts_that_change() -> None:
    """`B` holds other subscripts when the second loop runs."""
    step = """
    %k = affine.load %B[I] : memref<?xindex>
    %a = memref.load %A[%k] : memref<?xf32>
    affine.store %a, %C[I] : memref<?xf32>
    %z = arith.constant 0 : index
    affine.store %z, %B[I] : memref<?xindex>
    """
    first, second = step.rsplit("    %z", 1)
    apart = f"{PLAIN} %z{second.replace('I]', '%i]')} }}"
    assert _verdict(_function(PLAIN, step), _function(TILED, step)) == "equivalent"
    assert _verdict(_function(PLAIN, step), _function(PLAIN, first, before=apart)) == "not-equivalent"

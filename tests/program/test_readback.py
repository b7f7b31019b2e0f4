"""Values that memory holds are read from there, where what they were computed from is overwritten."""

from __future__ import annotations

import pytest

from hecv.base.term import TermPool, postorder
from hecv.mlir.importer import parse, read_function
from hecv.normal.passes import normalize
from hecv.program.tree import Alloc, Block, Store, walk


def _normal(between: str, use: str) -> Block:
    text = f"""func.func @f(%A: memref<9xf32>, %B: memref<9xf32>, %O: memref<f32>, %n: index) {{
      %v = affine.load %A[0] : memref<9xf32>
      %e = math.exp %v : f32
      affine.store %e, %A[0] : memref<9xf32>
      {between}
      {use}
      return
    }}"""
    pool = TermPool()
    return normalize(pool, read_function(parse(text, "a.mlir"), "f", pool))


def _kept(body: Block) -> int:
    return sum(isinstance(s, Alloc) for s in walk(body))


USE = "affine.store %e, %O[] : memref<f32>"
LATER = "affine.for %i = 0 to %n { affine.store %e, %O[] : memref<f32> }"


@pytest.mark.parametrize("use", [USE, LATER])
@pytest.mark.parametrize(
    "between", ["", "affine.store %v, %B[0] : memref<9xf32>", "affine.store %e, %A[1] : memref<9xf32>"]
)
def test_a_value_is_read_from_where_it_was_stored(between: str, use: str) -> None:
    body = _normal(between.replace("%v", "%e"), use)
    last = [s for s in walk(body) if isinstance(s, Store)][-1]
    assert _kept(body) == 0 and last.value.op == "load"


@pytest.mark.parametrize(
    "between",
    [
        "affine.store %v, %B[0] : memref<9xf32>",  # what was read is needed itself
        "%c = arith.constant 0.0 : f32\naffine.store %c, %A[0] : memref<9xf32>",
        "%c = arith.constant 0.0 : f32\naffine.for %i = 0 to %n { affine.store %c, %A[%i] : memref<9xf32> }",
    ],
)
def test_a_value_that_memory_may_not_hold_any_more_is_kept(between: str) -> None:
    assert _kept(_normal(between, USE)) == 1


def test_in_a_loop_that_overwrites_it_later_it_is_kept() -> None:
    use = "affine.for %i = 0 to %n {\naffine.store %e, %O[] : memref<f32>\n%z = arith.constant 0.0 : f32\n"
    body = _normal("", f"{use} affine.store %z, %A[0] : memref<9xf32>\n}}")
    assert _kept(body) == 1


def test_loads_are_only_put_where_they_are_used() -> None:
    body = _normal("", "affine.store %v, %O[] : memref<f32>")
    loads = [t for s in walk(body) if isinstance(s, Store) for t in postorder((s.value,)) if t.op == "load"]
    assert _kept(body) == 1 and len(loads) == 3

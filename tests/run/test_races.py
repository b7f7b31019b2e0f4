"""Races of parallel loops, as the interpreter finds them."""

from __future__ import annotations

import pytest

from hecv.base.term import TermPool
from hecv.base.value import Buffer
from hecv.mlir.importer import parse, read_function
from hecv.run.interpreter.interpreter import Finished, Outcome, Undefined, compile


def run(body: str) -> Outcome:
    """A run of `body` inside `affine.parallel (%i) = (0) to (4)` over `%A`, 8 elements, and `%B`, 4 x 4."""
    text = f"""
func.func @f(%A: memref<8xi32>, %B: memref<4x4xi32>, %x: i32) {{
  affine.parallel (%i) = (0) to (4) {{
    {body}
  }}
  return
}}"""
    function = read_function(parse(text, "f.mlir"), "f", TermPool())
    return compile(function).run((Buffer((8,), [0] * 8), Buffer((4, 4), [0] * 16), 1))


LOAD, STORE = "affine.load %A[{}] : memref<8xi32>", "affine.store %x, %A[{}] : memref<8xi32>"


@pytest.mark.parametrize(
    "body",
    [
        STORE.format("%i"),
        f"%v = {LOAD.format('%i')}\n {STORE.format('%i')}",
        f"%v = {LOAD.format('0')}\n %w = {LOAD.format('%i + 1')}",
        f"%v = {LOAD.format('%i + 4')}\n {STORE.format('%i')}",
        "%T = memref.alloc() : memref<1xi32>\n affine.store %x, %T[0] : memref<1xi32>",
        "affine.for %j = 0 to 4 { affine.store %x, %B[%i, 0] : memref<4x4xi32> }",
        "affine.parallel (%j) = (0) to (4) { affine.store %x, %B[%i, %j] : memref<4x4xi32> }",
    ],
)
def test_iterations_that_keep_apart(body: str) -> None:
    assert isinstance(run(body), Finished)


@pytest.mark.parametrize(
    ("body", "which", "element"),
    [
        (STORE.format("0"), "iterations 0 and 1", "element 0 of %A"),
        (f"%v = {LOAD.format('%i')}\n {STORE.format('%i + 1')}", "iterations 0 and 1", "element 1 of %A"),
        (f"%v = {LOAD.format('%i + 1')}\n {STORE.format('%i')}", "iterations 0 and 1", "element 1 of %A"),
        (f"{STORE.format('%i floordiv 2')}", "iterations 0 and 1", "element 0 of %A"),
        (
            f"%v = {LOAD.format('7')}\n affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i) {{ {STORE.format('7')} }}",
            "iteration 3 and others",
            "element 7 of %A",
        ),
        (
            "affine.parallel (%j) = (0) to (4) { affine.store %x, %B[%i, 0] : memref<4x4xi32> }",
            "iterations 0 and 1",
            "element 0 of %B",
        ),
        (
            "affine.parallel (%j) = (0) to (4) { affine.store %x, %B[%j, 0] : memref<4x4xi32> }",
            "iterations 0 and 1",
            "element 0 of %B",
        ),
    ],
)
def test_iterations_that_race(body: str, which: str, element: str) -> None:
    end = run(body)
    assert isinstance(end, Undefined)
    assert end.race
    assert end.text == f"a race: {which} of a parallel loop access {element}, and one of them writes"

"""Chains of steps on one element as a loop, and cells that are handed on as one: nothing that a run sees changes."""

from __future__ import annotations

import subprocess
from random import Random

import pytest
from msgspec.structs import replace

from hecv.base.term import TermPool
from hecv.base.value import Buffer
from hecv.mlir.importer import parse, read_function
from hecv.normal.loops.rerolling import reroll
from hecv.normal.loops.strip_joining import join_adjacent_loops, undo_strip_mining
from hecv.normal.memory.copy_propagation import propagate_copies
from hecv.normal.passes import normalize
from hecv.program.structural_equality import anonymous
from hecv.program.tree import Alloc, Block, Function, If, Loop, MemoryKind, walk
from hecv.run.interpreter.interpreter import Finished, compile

SUM = """
func.func @f(%A: memref<40xf32>, %B: memref<40xf32>) {
  affine.for %i = 0 to 40 {
    %a = affine.load %A[%i] : memref<40xf32>
    %s = affine.for %k = 0 to END iter_args(%c = %a) -> f32 {
      %b = affine.load %B[%k] : memref<40xf32>
      %p = arith.mulf %b, %a : f32
      %n = arith.subf %c, %p : f32
      affine.yield %n : f32
    }
    %q = arith.divf %s, %a : f32
    affine.store %q, %A[%i] : memref<40xf32>
  }
  return
}
"""
PLACE = """
func.func @f(%A: memref<40xf32>, %B: memref<40xf32>) {
  affine.for %i = 0 to 40 {
    %a = affine.load %A[%i] : memref<40xf32>
    %x = affine.load %FROM[0] : memref<40xf32>
    %s = arith.addf %a, %x : f32
    %y = affine.load %FROM[1] : memref<40xf32>
    %t = arith.addf %s, %y : f32
    %z = affine.load %FROM[2] : memref<40xf32>
    %u = arith.addf %t, %z : f32
    affine.store %u, %A[%i] : memref<40xf32>
  }
  return
}
"""
TWICE = """
func.func @f(%A: memref<40xf32>, %B: memref<40xf32>) {
  affine.for %i = 0 to 40 {
    %a = affine.load %A[%i] : memref<40xf32>
    %s = arith.mulf %a, %a : f32
    %t = arith.mulf %s, %a : f32
    %u = arith.mulf %t, %a : f32
    affine.store %u, %A[%i] : memref<40xf32>
  }
  return
}
"""


def unrolled(text: str, *factors: int) -> str:
    passes = ",".join(f"affine-loop-unroll{{unroll-factor={factor}}}" for factor in factors)
    command = ["mlir-opt-22", f"--pass-pipeline=builtin.module(func.func({passes}))"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def run(function: Function) -> list[object]:
    random = Random(7)
    given = tuple(Buffer((40,), [float(random.randint(1, 9)) for _ in range(40)]) for _ in range(2))
    end = compile(function).run(given)
    assert isinstance(end, Finished)
    return [x for v in end.arguments if isinstance(v, Buffer) for x in v.data]


def rolled(text: str, overlapping: frozenset[int] = frozenset()) -> Block:
    """The form in which a pair is compared, after runs have shown that it does what the function does."""
    pool = TermPool()
    function = read_function(parse(text, "f.mlir"), "f", pool)
    normal = undo_strip_mining(pool, normalize(pool, function))
    body = propagate_copies(pool, reroll(pool, replace(function, overlapping=overlapping), normal))
    body = join_adjacent_loops(pool, undo_strip_mining(pool, body))
    assert run(function) == run(replace(function, body=body))
    return body


def nest(block: Block) -> list[object]:
    found: list[object] = []
    for statement in block:
        match statement:
            case Loop(body=body):
                found.append(nest(body))
            case If(then=then, otherwise=otherwise):
                found.append((nest(then), nest(otherwise)))
            case _:
                found.append(type(statement).__name__)
    return found


def cells(block: Block) -> int:
    return sum(isinstance(s, Alloc) and s.memory.kind is MemoryKind.CELL for s in walk(block))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("factors", [(2,), (3,), (8,), (32,), (8, 4), (16, 8)], ids=str)
@pytest.mark.parametrize("end", ["37", "affine_map<(d) -> (d)>(%i)"])
def test_unrolled_sums_are_one_loop(factors: tuple[int, ...], end: str) -> None:
    # 37 iterations are one of 32 and five of a clean-up loop: the one has no loop and no cell.
    text = SUM.replace("END", end)
    expected = nest(rolled(text))
    assert expected == [["Alloc", "Store", ["Store"], "Store"]]
    assert nest(rolled(unrolled(text, *factors))) == expected


def test_element_of_memory_is_an_accumulator() -> None:
    assert nest(rolled(PLACE.replace("FROM", "B"))) == [[["Store"]]]


def test_other_elements_are_not() -> None:
    # At i = 1, A[2] is what it was, but A[1] is not.
    assert nest(rolled(PLACE.replace("FROM", "A"))) == [["Store"]]


def test_memory_that_may_overlap_stays() -> None:
    assert nest(rolled(PLACE.replace("FROM", "B"), frozenset((0, 1)))) == [["Store"]]


def test_steps_that_need_the_first_value_stay() -> None:
    assert nest(rolled(TWICE)) == [["Store"]]


def test_cell_that_is_used_again_stays() -> None:
    text = """
func.func @f(%A: memref<40xf32>, %B: memref<40xf32>) {
  %a = affine.load %A[0] : memref<40xf32>
  %s = affine.for %k = 0 to 40 iter_args(%c = %a) -> f32 {
    %b = affine.load %B[%k] : memref<40xf32>
    %n = arith.addf %c, %b : f32
    affine.yield %n : f32
  }
  %t = affine.for %k = 0 to 40 iter_args(%c = %s) -> f32 {
    %b = affine.load %B[%k] : memref<40xf32>
    %n = arith.mulf %c, %b : f32
    affine.yield %n : f32
  }
  %u = arith.subf %t, USED : f32
  affine.store %u, %A[0] : memref<40xf32>
  return
}
"""
    again, not_again = (rolled(text.replace("USED", used)) for used in ("%s", "%a"))
    cells = [
        sum(isinstance(s, Alloc) and s.memory.kind is MemoryKind.CELL for s in walk(b)) for b in (again, not_again)
    ]
    assert cells == [2, 1]


def test_sums_of_three_that_someone_wrote_stay() -> None:
    # Of a value that is no element: rolled, it has less in common with another program.
    text = PLACE.replace("FROM", "B").replace("affine.store %u, %A[%i]", "affine.store %u, %A[39 - %i]")
    assert anonymous(rolled(text)) and nest(rolled(text)) == [["Store"]]

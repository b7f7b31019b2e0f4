"""Re-rolling: what an unroller made comes back as one loop, and nothing else does."""

from __future__ import annotations

import subprocess

import pytest
from msgspec.structs import replace

from hecv.base.term import TermPool, literal
from hecv.base.types import FloatType, IndexType
from hecv.base.value import POISON, Buffer, Value
from hecv.mlir.importer import parse, read_function
from hecv.normal.loops.rerolling import reroll
from hecv.normal.passes import normalize
from hecv.program.tree import Alloc, Block, Function, If, Loop, walk
from hecv.run.interpreter.interpreter import Finished, Undefined, compile

MATMUL = """
func.func @f(%A: memref<8x16xf32>, %B: memref<16x8xf32>, %C: memref<8x8xf32>) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      affine.for %k = 0 to 16 {
        %a = affine.load %A[%i, %k] : memref<8x16xf32>
        %b = affine.load %B[%k, %j] : memref<16x8xf32>
        %c = affine.load %C[%i, %j] : memref<8x8xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : memref<8x8xf32>
      }
    }
  }
  return
}
"""


def unrolled(text: str, passes: str) -> str:
    command = ["mlir-opt-22", f"--pass-pipeline=builtin.module(func.func({passes}))"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def forms(text: str) -> tuple[Function, Function, Function]:
    """The function, its normal form, and the normal form re-rolled."""
    pool = TermPool()
    function = read_function(parse(text, "f.mlir"), "f", pool)
    normal = normalize(pool, function)
    return function, replace(function, body=normal), replace(function, body=reroll(pool, function, normal))


def arguments(function: Function, size: int) -> tuple[Value, ...]:
    values: list[Value] = []
    for argument in function.arguments:
        if argument.memory is None:
            values.append(size)
            continue
        shape = tuple(size + 4 if literal(e) is None else int(str(literal(e))) for e in argument.memory.extents)
        count = 1
        for extent in shape:
            count *= extent
        start = 100 * argument.number
        real = isinstance(argument.memory.element, FloatType)
        modest = isinstance(argument.memory.element, IndexType)
        data = [(start + k) / 4 if real else k % 3 if modest else (start + k) % 100 for k in range(count)]
        values.append(Buffer(shape, [*data]))
    return tuple(values)


def run(function: Function, size: int) -> object:
    end = compile(function).run(arguments(function, size))
    assert isinstance(end, Finished | Undefined)
    if isinstance(end, Undefined):
        return "undefined"
    data = [x for v in end.arguments if isinstance(v, Buffer) for x in v.data]
    return ["poison" if x is POISON else x for x in (*end.results, *data)]


def rolled(text: str) -> Function:
    """The re-rolled form, after runs have shown that it does what the function does."""
    given, normal, again = forms(text)
    for size in (0, 1, 3, 5, 8):
        assert run(given, size) == run(normal, size) == run(again, size), size
    return again


def loops(block: Block) -> int:
    return sum(isinstance(s, Loop) for s in walk(block))


def nest(block: Block) -> list[object]:
    """The statements of a block by kind, nested."""
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


@pytest.mark.parametrize("factor", [2, 3, 4, 8, 16])
def test_unrolled_loop_is_one_loop(factor: int) -> None:
    body = rolled(unrolled(MATMUL, f"affine-loop-unroll{{unroll-factor={factor}}}")).body
    inner: Block = body
    for _ in range(3 if factor == 16 else 4):
        first = inner[0]
        assert isinstance(first, Loop)
        inner = first.body
    assert nest(inner) == ["Store"]


def test_unrolled_twice_is_one_loop() -> None:
    text = unrolled(MATMUL, "affine-loop-unroll{unroll-factor=4},affine-loop-unroll{unroll-factor=2}")
    assert nest(rolled(text).body) == [[[[["Store"]]]]]


def test_jam_is_one_loop() -> None:
    # Of the innermost body: the copies stand side by side.
    body = rolled(unrolled(MATMUL, "affine-loop-unroll-jam{unroll-jam-factor=4}")).body
    assert nest(body) == [[[[["Store"]]]]]


def test_copies_of_loops() -> None:
    text = """
func.func @f(%A: memref<?x?xf32>, %n: index, %x: f32) {
  affine.for %i = 0 to %n { affine.store %x, %A[0, %i] : memref<?x?xf32> }
  affine.for %i = 0 to %n { affine.store %x, %A[1, %i] : memref<?x?xf32> }
  affine.for %i = 0 to %n { affine.store %x, %A[2, %i] : memref<?x?xf32> }
  return
}"""
    assert nest(rolled(text).body) == [[["Store"]]]


def test_copies_of_branches() -> None:
    text = """
func.func @f(%A: memref<20xf32>, %n: index, %x: f32) {
  affine.if affine_set<()[s0] : (s0 - 1 >= 0)>()[%n] { affine.store %x, %A[1] : memref<20xf32> } else {
    affine.store %x, %A[11] : memref<20xf32> }
  affine.if affine_set<()[s0] : (s0 - 2 >= 0)>()[%n] { affine.store %x, %A[2] : memref<20xf32> } else {
    affine.store %x, %A[12] : memref<20xf32> }
  affine.if affine_set<()[s0] : (s0 - 3 >= 0)>()[%n] { affine.store %x, %A[3] : memref<20xf32> } else {
    affine.store %x, %A[13] : memref<20xf32> }
  return
}"""
    text = text.replace("%x: f32", "%x: index").replace("xf32", "xindex")
    assert nest(rolled(text).body) == [[(["Store"], ["Store"])]]


def test_remainder_of_a_division_is_kept() -> None:
    """`(8*i + q) floordiv 8` is `i` for each copy, as long as `q` is below 8: the rewriting may not forget it."""
    text = """
func.func @f(%A: memref<64xi32>, %B: memref<9x9xi32>) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %v = affine.load %A[%i * 8 + %j] : memref<64xi32>
      affine.store %v, %B[(%i * 8 + %j) floordiv 8, (%i * 8 + %j) mod 8] : memref<9x9xi32>
    }
  }
  return
}"""
    for passes in ("affine-loop-unroll{unroll-factor=-1}", "affine-loop-unroll{unroll-factor=3 cleanup-unroll}"):
        rolled(unrolled(text, passes))
        rolled(unrolled(text, f"{passes},canonicalize,cse"))


def test_local_memory_in_copies() -> None:
    text = """
func.func @f(%A: memref<?xf32>) {
  affine.for %i = 0 to 4 {
    %t = memref.alloc() : memref<2xf32>
    %v = affine.load %A[%i] : memref<?xf32>
    affine.store %v, %t[1] : memref<2xf32>
    %w = affine.load %t[1] : memref<2xf32>
    %u = arith.addf %v, %w : f32
    affine.store %u, %A[%i + 1] : memref<?xf32>
    memref.dealloc %t : memref<2xf32>
  }
  return
}"""
    again = rolled(unrolled(text, "affine-loop-unroll{unroll-factor=-1}"))
    assert loops(again.body) == 1 and sum(isinstance(s, Alloc) for s in walk(again.body)) == 1


def test_copies_of_many_statements_alike() -> None:
    """Each copy has six memories of its own: the copy after it begins at the sixth statement of that shape."""
    copy = """
  %tK_P = memref.alloc() : memref<2xf32>
  affine.store %x, %tK_P[Q] : memref<2xf32>
  %wK_P = affine.load %tK_P[Q] : memref<2xf32>
  affine.store %wK_P, %A[K + 6 * P] : memref<?xf32>"""
    parts = [
        copy.replace("P", str(p)).replace("Q", str(p % 2)).replace("K", str(k)) for k in range(4) for p in range(6)
    ]
    again = rolled("func.func @f(%A: memref<?xf32>, %x: f32) {" + "".join(parts) + "\n  return\n}")
    assert sum(isinstance(s, Alloc) for s in walk(again.body)) < 12


LEAVES = """
func.func @f(%A: memref<8xf32>) {
  %s = memref.alloc() : memref<2xf32>
  %v = affine.load %A[0] : memref<8xf32>
  affine.store %v, %s[0] : memref<2xf32>
  %t = memref.alloc() : memref<2xf32>
  %w = affine.load %A[1] : memref<8xf32>
  affine.store %w, %t[0] : memref<2xf32>
  {use}
  return
}"""


@pytest.mark.parametrize("name", ["%s", "%t"])
def test_memory_that_leaves_the_copies_is_not_rolled(name: str) -> None:
    use = f"%u = affine.load {name}[0] : memref<2xf32>\n  affine.store %u, %A[5] : memref<8xf32>"
    assert loops(rolled(LEAVES.replace("{use}", use)).body) == 0


def test_copy_that_uses_the_memory_of_the_copy_before_is_not_rolled() -> None:
    text = """
func.func @f(%A: memref<8xf32>) {
  %s = memref.alloc() : memref<2xf32>
  %v = affine.load %A[0] : memref<8xf32>
  affine.store %v, %s[0] : memref<2xf32>
  %t = memref.alloc() : memref<2xf32>
  %w = affine.load %A[1] : memref<8xf32>
  affine.store %w, %s[0] : memref<2xf32>
  return
}"""
    assert sum(isinstance(s, Alloc) for s in walk(rolled(text).body)) == 2


@pytest.mark.parametrize(
    ("places", "count"),
    [((0, 1, 2, 3), 1), ((0, 2, 4, 6), 1), ((7, 5, 3, 1), 1), ((0, 1, 3, 4), 1), ((0, 1, 3), 1), ((5, 5, 5), 1)],
)
def test_progressions(places: tuple[int, ...], count: int) -> None:
    """Copies come together as far as their constants are in arithmetic progression."""
    stores = "\n".join(
        f"%v{k} = affine.load %B[{p}] : memref<8xf32>\naffine.store %v{k}, %A[{p}, {k}] : memref<8x8xf32>"
        for k, p in enumerate(places)
    )
    text = f"func.func @f(%A: memref<8x8xf32>, %B: memref<8xf32>) {{\n{stores}\nreturn\n}}"
    assert loops(rolled(text).body) == count


@pytest.mark.parametrize("constants", [(1, 2, 4), (3, 3, 5)])
def test_data_that_is_no_progression(constants: tuple[int, ...]) -> None:
    """Integers that are stored are no subscripts: equal or nothing."""
    stores = "\n".join(
        f"%c{k} = arith.constant {c} : i32\naffine.store %c{k}, %A[{k}] : memref<8xi32>"
        for k, c in enumerate(constants)
    )
    text = f"func.func @f(%A: memref<8xi32>) {{\n{stores}\nreturn\n}}"
    again = rolled(text)
    assert sum(1 for _ in walk(again.body)) >= 2


def test_index_data_in_progression() -> None:
    """Stored indices may be rolled, with what is computed from them."""
    stores = "\n".join(
        f"%c{k} = arith.constant {3 * k - 4} : index\n%d{k} = arith.muli %c{k}, %n : index\n"
        f"%e{k} = arith.index_cast %d{k} : index to i8\n"
        f"affine.store %d{k}, %A[{k}] : memref<8xindex>\naffine.store %e{k}, %B[{7 - k}] : memref<8xi8>"
        for k in range(5)
    )
    text = f"func.func @f(%A: memref<8xindex>, %B: memref<8xi8>, %n: index) {{\n{stores}\nreturn\n}}"
    assert loops(rolled(text).body) == 1


def test_copies_within_a_loop_with_loops_inside() -> None:
    """Inner induction variables move one level down, outer ones stay."""
    text = """
func.func @f(%A: memref<?x?xi32>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %v = affine.load %A[%i, %j] : memref<?x?xi32>
      affine.store %v, %A[%j + 1, %i] : memref<?x?xi32>
    }
    affine.for %j = 1 to affine_map<(d0) -> (d0 + 1)>(%i) {
      %v = affine.load %A[%i, %j + 1] : memref<?x?xi32>
      affine.store %v, %A[%j + 2, %i] : memref<?x?xi32>
    }
    affine.for %j = 2 to affine_map<(d0) -> (d0 + 2)>(%i) {
      %v = affine.load %A[%i, %j + 2] : memref<?x?xi32>
      affine.store %v, %A[%j + 3, %i] : memref<?x?xi32>
    }
  }
  return
}"""
    given, normal, again = forms(text)
    assert loops(again.body) == 3
    for size in (0, 1, 2):  # the largest that is in bounds
        assert run(given, size) == run(normal, size) == run(again, size)

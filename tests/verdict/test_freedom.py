"""Runs under `--alias may` and `--index-overflow wrap`: what the default assumes away is tried."""

from __future__ import annotations

from random import Random

import pytest

from hecv.base.term import TermPool
from hecv.base.types import INDEX, IntType, MemRefType
from hecv.base.value import POISON, Buffer, Scalar, Value
from hecv.check import Options, check
from hecv.claim.semantic_options import Switches
from hecv.mlir.importer import parse, read_function
from hecv.refute import aliased_inputs
from hecv.run import jit
from hecv.run.interpreter.interpreter import Finished, Freedom, compile
from soundness.running import read

I32 = IntType(32)

FORWARD = """
func.func @f(%A: memref<4xi32>, %B: memref<4xi32>, %x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  memref.store %x, %A[%c0] : memref<4xi32>
  %c7 = arith.constant 7 : i32
  memref.store %c7, %B[%c0] : memref<4xi32>
  %v = memref.load %A[%c0] : memref<4xi32>
  return %v : i32
}
"""
FORWARDED = FORWARD.replace("return %v", "return %x")

SHIFTED = """
func.func @f(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  affine.for %i = 1 to %n {
    %v = affine.load %A[{from}] : memref<?xf32>
    affine.store %v, %B[{to}] : memref<?xf32>
  }
  return
}
"""
UP = SHIFTED.replace("{from}", "%i").replace("{to}", "%i - 1")
DOWN = SHIFTED.replace("{from}", "%n - %i").replace("{to}", "%n - %i - 1")

COMPARED = """
func.func @f(%i: index, %n: index) -> i1 {
  %c1 = arith.constant 1 : index
  %a = arith.addi %i, %c1 : index
  %b = arith.addi %n, %c1 : index
  %c = arith.cmpi slt, %a, %b : index
  return %c : i1
}
"""
CANCELLED = """
func.func @f(%i: index, %n: index) -> i1 {
  %c = arith.cmpi slt, %i, %n : index
  return %c : i1
}
"""


@pytest.mark.parametrize(("source", "target"), [(FORWARD, FORWARDED), (UP, DOWN)], ids=["forwarding", "reversal"])
def test_arguments_that_share_memory(source: str, target: str) -> None:
    """What is right on arguments that are distinct, and wrong on two that are the same memory."""
    assert check(source, target, ("s.mlir", "t.mlir"), Options()).verdict == "equivalent"
    report = check(source, target, ("s.mlir", "t.mlir"), Options(switches=Switches(may_overlap=True)))
    assert report.verdict == "not-equivalent"
    (function,) = report.functions
    assert function.counterexample is not None and function.counterexample.engines == ("interpreter", "jit")
    assert function.notes == ("%A and %B are the same memory in this input",)


def test_arguments_that_share_memory_alike() -> None:
    options = Options(switches=Switches(may_overlap=True))
    assert check(FORWARD, FORWARD, ("s.mlir", "t.mlir"), options).verdict == "equivalent"
    swapped = FORWARD.replace("return %v", "%w = arith.addi %v, %v : i32\n return %w")
    doubled = FORWARD.replace("return %v", "%c1 = arith.constant 1 : i32\n%w = arith.shli %v, %c1 : i32\n return %w")
    assert check(swapped, doubled, ("s.mlir", "t.mlir"), options).verdict == "equivalent"


def test_an_index_is_drawn_from_its_own_range() -> None:
    """Of 32 bits, also where no size is at stake, and in memory."""
    source = """func.func @f(%A: memref<index>) -> i1 {
      %c1 = index.constant 1
      %j = memref.load %A[] : memref<index>
      %s = index.add %j, %c1
      %r = index.cmp sgt(%s, %j)
      return %r : i1
    }"""
    target = "func.func @f(%A: memref<index>) -> i1 {\n %r = arith.constant true\n return %r : i1\n}"
    for width in (32, 64):
        options = Options(switches=Switches(index_width=width, index_wraps=True))
        report = check(source, target, ("s.mlir", "t.mlir"), options)
        assert report.verdict == "not-equivalent", report.functions[0].unknown


def test_indices_that_wrap() -> None:
    options = Options(switches=Switches(index_wraps=True))
    report = check(COMPARED, CANCELLED, ("s.mlir", "t.mlir"), options)
    assert report.verdict == "not-equivalent"
    found = report.functions[0].counterexample
    assert found is not None and max(abs(b.value) for b in found.inputs if isinstance(b.value, int)) >= 2**63 - 1


def test_the_interpreter_and_the_jit_share_memory() -> None:
    data = [1, 2, 3, 4]
    arguments = (Buffer((4,), list(data)), Buffer((4,), list(data)), 5)
    same = (arguments[0], Buffer((4,), arguments[0].data), 5)
    code = compile(read(FORWARD), freedom=Freedom(may_overlap=True))
    types = [MemRefType((4,), I32), MemRefType((4,), I32), I32]
    for given, value in ((arguments, 5), (same, 7)):
        ours, theirs = code.run(given), jit.run(FORWARD, "f", list(given), types, [I32])
        assert isinstance(ours, Finished) and isinstance(theirs, jit.Finished)
        assert ours.results == theirs.results == (value,)
        assert ours.arguments == theirs.arguments
    assert arguments[0].data == data


def test_poison_in_shared_memory() -> None:
    text = """
    func.func @f(%A: memref<1xi8>, %B: memref<1xi8>) -> i8 {
      %c0 = arith.constant 0 : index
      %c100 = arith.constant 100 : i8
      %p = arith.addi %c100, %c100 overflow<nsw> : i8
      memref.store %p, %A[%c0] : memref<1xi8>
      %b = memref.load %B[%c0] : memref<1xi8>
      %r = arith.addi %b, %c100 : i8
      return %r : i8
    }
    """
    one = Buffer((1,), [3])
    end = compile(read(text), freedom=Freedom(may_overlap=True)).run((one, Buffer((1,), one.data)))
    assert isinstance(end, Finished) and end.results == (POISON,)


def test_index_arithmetic_wraps_like_that_of_the_jit() -> None:
    code = compile(read(COMPARED), freedom=Freedom(index_wraps=True))
    for i, n in ((2**63 - 1, 0), (0, 2**63 - 1), (2**63 - 2, 2**63 - 1), (-(2**63), 5)):
        end, theirs = code.run((i, n)), jit.run(COMPARED, "f", [i, n], [INDEX, INDEX], [IntType(1)])
        assert isinstance(end, Finished) and isinstance(theirs, jit.Finished)
        assert end.results == theirs.results


def test_sharing_outlives_changes() -> None:
    function = read(FORWARD)
    data = (Buffer((4,), [1] * 4), Buffer((4,), [2] * 4), 0)
    shared = aliased_inputs.share([function], data, Random(0))
    assert aliased_inputs.sharing(shared) == ((0, 1, None),) and not aliased_inputs.sharing(data)
    cut = aliased_inputs.kept(shared, (Buffer((2,), [1] * 2), Buffer((2,), [5] * 2), 0))
    assert aliased_inputs.sharing(cut) == ((0, 1, None),)
    assert not aliased_inputs.sharing(aliased_inputs.kept(shared, (Buffer((2,), [1] * 2), Buffer((3,), [5] * 3), 0)))


def test_no_run_shares_where_it_would_say_nothing() -> None:
    other = "func.func @f(%A: memref<4xi32>, %x: memref<f32>, %C: memref<4xi32, strided<[2]>>) { return }"
    assert not aliased_inputs.may_share((read(other), read(other)))
    assert aliased_inputs.may_share((read(UP), read(DOWN)))


def test_only_memrefs_of_the_caller_share_memory() -> None:
    """A tensor, and where a result goes, lie apart from all else."""
    text = """
func.func @f(%A: memref<2xi32>, %t: tensor<2xi32>, %B: memref<2xi32>) -> tensor<2xi32> {
  return %t : tensor<2xi32>
}"""
    function = read_function(parse(text, "f.mlir"), "f", TermPool(), by_element=True)
    given = tuple(Buffer((2,), [n, n]) for n in range(4))
    for seed in range(8):
        shared = aliased_inputs.share([function], given, Random(seed))
        buffers = [v.data for v in shared if isinstance(v, Buffer)]
        assert buffers[2] is buffers[0]
        assert [buffers[k] is given[k].data for k in (0, 1, 3)] == [True] * 3


def windows(starts: tuple[int, int], store: list[Scalar]) -> tuple[Value, ...]:
    """Two buffers of four elements that begin at different elements of one store, and a number."""
    return (*(Buffer((4,), store[at : at + 4], store, at) for at in starts), 5)


@pytest.mark.parametrize(("starts", "value"), [((0, 1), 5), ((1, 0), 7), ((2, 2), 5), ((0, 3), 5)])
def test_the_interpreter_and_the_jit_share_memory_in_part(starts: tuple[int, int], value: int) -> None:
    text = FORWARD.replace("%B[%c0]", "%B[%c1]").replace("%c0 =", "%c1 = arith.constant 1 : index\n  %c0 =")
    assert text != FORWARD
    given = windows(starts, [1, 2, 3, 4, 5, 6, 7])
    code, types = compile(read(text), freedom=Freedom(may_overlap=True)), [MemRefType((4,), I32)] * 2 + [I32]
    ours, theirs = code.run(given), jit.run(text, "f", list(given), types, [I32])
    assert isinstance(ours, Finished) and isinstance(theirs, jit.Finished)
    assert ours.results == theirs.results and ours.arguments == theirs.arguments
    first, second = ours.arguments[:2]
    assert isinstance(first, Buffer) and isinstance(second, Buffer) and first.store is None
    by = starts[1] - starts[0]
    common = range(max(0, by), min(4, 4 + by))
    assert [first.data[k] for k in common] == [second.data[k - by] for k in common]
    assert ours.results == (value,)


def test_parts_outlive_changes() -> None:
    function, given = read(FORWARD), windows((1, 0), [0, 1, 2, 3, 4])
    assert aliased_inputs.sharing(given) == ((0, 1, -1),)
    assert aliased_inputs.notes(function, given) == ("%A begins at element 1 of %B in this input",)
    one, two, _ = aliased_inputs.changed(given, 0, Buffer((4,), [7, 8, 9, 10]))
    assert isinstance(one, Buffer) and isinstance(two, Buffer)
    assert (one.data, two.data) == ([7, 8, 9, 10], [0, 7, 8, 9]) and one.store is two.store
    cut = aliased_inputs.kept(given, (Buffer((2,), [5, 6]), Buffer((3,), [1, 2, 3]), 0))
    assert aliased_inputs.sharing(cut) == ((0, 1, -1),)
    assert [v.data for v in cut if isinstance(v, Buffer)] == [[2, 3], [1, 2, 3]]


def test_shifted_arguments_overlap() -> None:
    function = read(FORWARD)
    data = (Buffer((4,), [1, 2, 3, 4]), Buffer((4,), [5, 6, 7, 8]), 0)
    distances: set[int | None] = set()
    for seed in range(60):
        found = aliased_inputs.shift([function], data, Random(seed))
        ((_, _, distance),) = aliased_inputs.sharing(found)
        distances.add(distance)
        one, two = found[:2]
        assert isinstance(one, Buffer) and isinstance(two, Buffer) and distance is not None
        low, high = max(0, distance), min(4, 4 + distance)
        assert low < high and one.data[low:high] == two.data[low - distance : high - distance]
    assert {-2, -1, 1, 2} <= distances

"""While loops that become counted loops, and those that must not."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from hecv.base.term import TermPool
from hecv.mlir.importer import parse, read_function
from hecv.normal.whiles.counted_loops import count_loops
from hecv.program.tree import Loop, While, walk
from hecv.program.tree_printer import render


def counted(text: str) -> str:
    """The function `@f` with its loops counted, as text."""
    pool = TermPool()
    function = read_function(parse(text, "f.mlir"), "f", pool)
    return render(replace(function, body=count_loops(pool, function)))


def loop(compare: str, step: str = "arith.addi %i, %c1", kind: str = "index", first: str = "%m") -> str:
    return f"""
func.func @f(%n: {kind}, %m: {kind}, %A: memref<?xf32>, %x: f32) -> {kind} {{
  %c0 = arith.constant 0 : {kind}
  %c1 = arith.constant 1 : {kind}
  %c2 = arith.constant 2 : {kind}
  %c9 = arith.constant 9 : {kind}
  %z = arith.constant 0 : index
  %r = scf.while (%i = {first}) : ({kind}) -> {kind} {{
    %c = arith.cmpi {compare} : {kind}
    scf.condition(%c) %i : {kind}
  }} do {{
  ^bb0(%i: {kind}):
    memref.store %x, %A[%z] : memref<?xf32>
    %j = {step} : {kind}
    scf.yield %j : {kind}
  }}
  return %r : {kind}
}}"""


@pytest.mark.parametrize(
    ("compare", "step", "head", "end"),
    [
        ("slt, %i, %n", "arith.addi %i, %c1", "%m to %n {", "max(%m, %n)"),
        ("sle, %i, %n", "arith.addi %c1, %i", "%m to %n + 1 {", "max(%m, %n + 1)"),
        ("sgt, %n, %i", "arith.addi %i, %c2", "%m to %n step 2 {", "%m + 2*(max(((%n - %m + 1) floordiv 2), 0))"),
        ("sgt, %i, %n", "arith.subi %i, %c1", "-%m to -%n {", "-max(-%m, -%n)"),
        ("slt, %i, %n", "arith.addi %i, %c1 overflow<nsw>", "%m to %n {", "max(%m, %n)"),
    ],
)
def test_counters(compare: str, step: str, head: str, end: str) -> None:
    text = counted(loop(compare, step))
    assert f"for %i0 = {head}" in text, text
    assert f"store {end}, %result0" in text, text
    assert "while" not in text


@pytest.mark.parametrize(
    ("compare", "step"),
    [
        ("ult, %i, %n", "arith.addi %i, %c1"),
        ("ugt, %i, %n", "arith.subi %i, %c1"),
        ("eq, %i, %n", "arith.addi %i, %c1"),
        ("slt, %i, %n", "arith.subi %i, %c1"),
        ("slt, %i, %n", "arith.addi %i, %m"),
        ("slt, %i, %n", "arith.muli %i, %c2"),
        ("slt, %i, %i", "arith.addi %i, %c1"),
        ("slt, %c0, %n", "arith.addi %i, %c1"),
    ],
)
def test_what_does_not_count_stays(compare: str, step: str) -> None:
    assert "while {" in counted(loop(compare, step))


@pytest.mark.parametrize(
    ("compare", "step", "counts"),
    [
        ("slt, %i, %n", "arith.addi %i, %c1", True),
        ("slt, %i, %n", "arith.addi %i, %c2", False),  # n = 127: 126 + 2 wraps to -128
        ("slt, %i, %c9", "arith.addi %i, %c2", True),
        ("slt, %i, %n", "arith.addi %i, %c1 overflow<nuw>", False),  # -1 + 1 is poison
    ],
)
def test_narrow_counters_never_wrap(compare: str, step: str, counts: bool) -> None:
    text = counted(loop(compare, step, "i8"))
    assert ("for %i0 = %m to" in text) == counts, text


@pytest.mark.parametrize(
    ("compare", "step", "first", "expected"),
    [
        ("ult, %i, %n", "arith.addi %i, %c1", "%m", "for %i0 = t0 to t1 {"),
        ("sgt, %i, %n", "arith.subi %i, %c1", "%m", "for %i0 = 0 to "),
        ("sle, %i, %n", "arith.addi %i, %c1", "%m", "assert arith.cmpi[ne](%n, 127 : i8)"),
        ("ule, %i, %n", "arith.addi %i, %c1", "%m", "assert arith.cmpi[ne](%n, -1 : i8)"),
        ("uge, %i, %n", "arith.subi %i, %c1", "%m", "assert arith.cmpi[ne](%n, 0 : i8)"),
        ("ult, %i, %c9", "arith.addi %i, %c2", "%m", "to 9 step 2 {"),
        ("ult, %i, %n", "arith.addi %i, %c2", "%m", "while {"),  # n = 255: 254 + 2 wraps to 0
        ("uge, %i, %c0", "arith.subi %i, %c1", "%m", "while {"),  # never ends
        ("ult, %i, %n", "arith.addi %i, %c1 overflow<nsw>", "%m", "while {"),  # 127 + 1 is poison
        ("ugt, %i, %c1", "arith.subi %i, %c2", "%m", "for "),
        ("ugt, %i, %c0", "arith.subi %i, %c2", "%m", "while {"),  # 1 - 2 wraps to 255
        ("ne, %i, %n", "arith.addi %i, %c1", "%c0", "for %i0 = 0 to t0 {"),
        ("ne, %i, %c0", "arith.subi %i, %c1 overflow<nuw>", "%m", "for %i0 = 0 to t0 {"),
        ("ne, %i, %n", "arith.addi %i, %c1 overflow<nuw>", "%m", "while {"),  # n < m is undefined
        ("ne, %i, %n", "arith.addi %i, %c2", "%c0", "while {"),  # an odd number is never met
        ("ne, %n, %i", "arith.subi %i, %c1", "%c0", "for %i0 = 0 to "),
    ],
)
def test_narrow_counters_over_index(compare: str, step: str, first: str, expected: str) -> None:
    text = counted(loop(compare, step, "i8", first))
    assert expected in text, text


@pytest.mark.parametrize(
    ("compare", "step", "first", "expected"),
    [
        ("ult, %i, %n", "arith.addi %i, %c2", "%c0", "assert arith.cmpi[sge](%n, 0)"),
        ("ule, %i, %n", "arith.addi %i, %c1", "%c9", "assert arith.cmpi[sge](%n, 0)"),
        ("ugt, %i, %c0", "arith.subi %i, %c1", "%m", "assert arith.cmpi[sge](%m, 0)"),
        ("ugt, %i, %c0", "arith.subi %i, %c2", "%m", "while {"),  # 1 - 2 is above 0
        ("uge, %i, %c0", "arith.subi %i, %c1", "%m", "while {"),  # never ends
        ("uge, %i, %c1", "arith.subi %i, %c1", "%m", "assert arith.cmpi[sge](%m, 0)"),
        ("ult, %i, %n", "arith.addi %i, %c1", "%m", "while {"),  # -2 is below -1
        ("ne, %i, %n", "arith.addi %i, %c1", "%m", "assert arith.cmpi[sge](%n - %m, 0)"),
        ("ne, %i, %n", "arith.addi %i, %c2", "%c0", "assert arith.cmpi[eq](%n, 2*(%n floordiv 2))"),
    ],
)
def test_what_a_counter_demands(compare: str, step: str, first: str, expected: str) -> None:
    text = counted(loop(compare, step, first=first))
    assert expected in text, text


def test_not_equal_counts_between_literals() -> None:
    assert "for %i0 = 1 to 9 step 2 {" in counted(loop("ne, %i, %c9", "arith.addi %i, %c2", first="%c1"))
    assert "while {" in counted(loop("ne, %i, %c9", "arith.addi %i, %c2", first="%c0"))


def test_a_bound_that_the_loop_changes_is_none() -> None:
    text = counted("""
func.func @f(%A: memref<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.while (%i = %c0) : (index) -> index {
    %n = memref.load %A[] : memref<index>
    %c = arith.cmpi slt, %i, %n : index
    scf.condition(%c) %i : index
  } do {
  ^bb0(%i: index):
    memref.store %i, %A[] : memref<index>
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  }
  return
}""")
    assert "while {" in text


def test_what_is_checked_runs_once_more() -> None:
    text = counted("""
func.func @f(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.while (%i = %c0) : (index) -> index {
    %v = memref.load %A[%i] : memref<?xf32>
    memref.store %v, %B[%i] : memref<?xf32>
    %c = arith.cmpi slt, %i, %n : index
    scf.condition(%c) %i : index
  } do {
  ^bb0(%i: index):
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  }
  return
}""")
    assert "for %i0 = 0 to %n {" in text
    assert "load %A[max(%n, 0)]" in text
    assert ", %B[max(%n, 0)]" in text


def test_inner_loops_move_a_level_down() -> None:
    pool = TermPool()
    function = read_function(
        parse(
            """
func.func @f(%n: index, %A: memref<?x?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.while (%i = %c0) : (index) -> index {
    %c = arith.cmpi slt, %i, %n : index
    scf.condition(%c) %i : index
  } do {
  ^bb0(%i: index):
    affine.for %k = 0 to %n {
      memref.store %x, %A[%i, %k] : memref<?x?xf32>
    }
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  }
  return
}""",
            "f.mlir",
        ),
        "f",
        pool,
    )
    body = count_loops(pool, function)
    loops = [s for s in walk(body) if isinstance(s, Loop)]
    assert [s.iv.attr("depth") for s in loops] == [0, 1]
    assert not any(isinstance(s, While) for s in walk(body))
    assert "store %x, %A[%i0, %i1]" in render(replace(function, body=body))


def test_selectors_are_seen_through() -> None:
    text = counted("""
func.func @f(%n: index, %A: memref<?xf32>, %c: i1) -> i32 {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %flag:2 = scf.if %c -> (i32, index) {
    scf.yield %one, %n : i32, index
  } else {
    scf.yield %two, %c0 : i32, index
  }
  %again = arith.cmpi eq, %flag#0, %one : i32
  scf.if %again {
    %v = memref.load %A[%flag#1] : memref<?xf32>
    memref.store %v, %A[%c0] : memref<?xf32>
  }
  return %one : i32
}""")
    assert "load %A[%n]" in text
    assert text.count("if %c {") == 2

"""Loops with steps that are not known, as whiles: they do what they did, and no wrong twin is proved."""

from __future__ import annotations

import re
from itertools import product
from random import Random

import pytest

from hecv.base.term import TermPool
from hecv.base.value import Buffer, Scalar
from hecv.check import Options, check
from hecv.normal.whiles.variable_steps import stepped
from hecv.program.tree import While, walk
from hecv.run.interpreter.interpreter import compile

from .running import conclusive, read, unequal

STEPS = 20_000


def _program(random: Random) -> str:
    kind, unsigned = random.choice(("i4", "i8", "index")), random.choice(("", "unsigned "))
    unsigned = unsigned if kind != "index" else ""
    by = random.choice(("%s", "%s", "%three"))
    inner = random.choice(
        (
            "%w = arith.addi %v, %k : i32",
            """%w = scf.for %j = %c0 to %c3 step %c1 iter_args(%b = %v) -> i32 {
      %l = memref.load %A[%j] : memref<8xi32>
      %m = arith.index_cast %j : index to i32
      %x = arith.addi %l, %m : i32
      %y = arith.muli %x, %k : i32
      %z = arith.addi %b, %y : i32
      scf.yield %z : i32
    }""",
        )
    )
    cast = "arith.index_cast %i : index to i32" if kind == "index" else f"arith.extsi %i : {kind} to i32"
    return f"""
func.func @f(%lo: {kind}, %hi: {kind}, %s: {kind}, %A: memref<8xi32>) -> i32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %mask = arith.constant 7 : i32
  %three = arith.constant 3 : {kind}
  %none = arith.constant 1 : i32
  %r = scf.for {unsigned}%i = %lo to %hi step {by} iter_args(%v = %none) -> i32 : {kind} {{
    %k = {cast}
    {inner}
    %n = arith.andi %k, %mask : i32
    %at = arith.index_cast %n : i32 to index
    memref.store %w, %A[%at] : memref<8xi32>
    scf.yield %w : i32
  }}
  return %r : i32
}}"""


@pytest.mark.parametrize("seed", range(12))
def test_loops_do_what_they_did(seed: int) -> None:
    random, pool = Random(seed), TermPool()
    text = _program(random)
    function = read(text, pool)
    made = stepped(pool, function)
    assert "step %three" in text or any(isinstance(s, While) for s in walk(made.body))
    codes = [compile(f) for f in (function, made)]
    size = 0 if "%lo: index" in text else 16 if "%lo: i4" in text else 256
    values = (
        (-5, -1, 0, 1, 2, 7) if not size else (0, 1, 3, 5, size // 2 - 1, size // 2 - 2, size // 2, size - 2, size - 1)
    )
    for given in product(values, repeat=3):
        array: list[Scalar] = [random.randrange(9) for _ in range(8)]
        ends = [code.run((*given, Buffer((8,), array)), STEPS) for code in codes]
        if conclusive(*ends):
            assert unequal(*ends) is None, f"{unequal(*ends)} on {given}\n{text}"


FOR = """func.func @f(%A: memref<?xi32>, %lo: i32, %hi: i32, %s: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %r = scf.for %i = %lo to %hi step %s iter_args(%v = %zero) -> i32 : i32 {
    %k = arith.index_cast %i : i32 to index
    %a = memref.load %A[%k] : memref<?xi32>
    %w = arith.addi %v, %a : i32
    memref.store %w, %A[%k] : memref<?xi32>
    scf.yield %w : i32
  }
  return %r : i32
}
"""
WHILE = """func.func @f(%A: memref<?xi32>, %lo: i32, %hi: i32, %s: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %r:2 = scf.while (%i = %lo, %v = %zero) : (i32, i32) -> (i32, i32) {
    %c = arith.cmpi slt, %i, %hi : i32
    scf.condition(%c) %i, %v : i32, i32
  } do {
  ^bb0(%i: i32, %v: i32):
    %k = arith.index_cast %i : i32 to index
    %a = memref.load %A[%k] : memref<?xi32>
    %w = arith.addi %v, %a : i32
    memref.store %w, %A[%k] : memref<?xi32>
    %j = arith.addi %i, %s : i32
    scf.yield %j, %w : i32, i32
  }
  return %r#1 : i32
}
"""


def verdict(source: str, target: str) -> str:
    (found,) = check(source, target, ("src.mlir", "tgt.mlir"), Options()).functions
    return found.verdict


def with_index(text: str) -> str:
    """The program with a counter of type `index`."""
    text = text.replace("%lo: i32, %hi: i32, %s: i32", "%lo: index, %hi: index, %s: index")
    text = text.replace("i32 : i32 {", "i32 {").replace("    %k = arith.index_cast %i : i32 to index\n", "")
    text = text.replace("%A[%k]", "%A[%i]").replace("(i32, i32)", "(index, i32)").replace("%hi : i32", "%hi : index")
    text = re.sub("(%j = .*) : i32", r"\1 : index", text)
    return (
        text.replace("%v : i32, i32", "%v : index, i32")
        .replace("^bb0(%i: i32", "^bb0(%i: index")
        .replace("%w : i32, i32", "%w : index, i32")
    )


def with_literal(text: str) -> str:
    """The program with a step of 4."""
    return (
        text.replace("  %zero =", "  %four = arith.constant 4 : i32\n  %zero =")
        .replace("step %s", "step %four")
        .replace("%i, %s", "%i, %four")
    )


@pytest.mark.one_in(10)
@pytest.mark.parametrize("changed", [str, with_index, with_literal])
def test_a_loop_is_refined_by_its_while(changed: type[str]) -> None:
    """The while goes on where the variable of the loop would leave its type, or where a step is negative."""
    assert verdict(changed(FOR), changed(WHILE)) in ("refines", "equivalent")
    assert verdict(changed(WHILE), changed(FOR)) in ("not-equivalent", "unknown")


@pytest.mark.one_in(10)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("slt", "sle"),
        ("slt", "ult"),
        ("slt", "ne"),
        ("addi %i, %s :", "addi %i, %s overflow<nuw> :"),
        ("addi %i, %s", "subi %i, %s"),
        ("addi %i, %s", "addi %i, %lo"),
        ("%i = %lo", "%i = %s"),
        ("scf.yield %j, %w", "scf.yield %j, %v"),
    ],
)
@pytest.mark.parametrize("changed", [str, with_index])
def test_a_wrong_while_is_not_accepted(old: str, new: str, changed: type[str]) -> None:
    assert old in WHILE
    assert verdict(changed(FOR), changed(WHILE.replace(old, new))) in ("not-equivalent", "unknown")


COUNT = """func.func @f(%n: i8, %m: i8) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %s = arith.constant 3 : i8
  %r = scf.for %i = %m to %n step %s iter_args(%v = %zero) -> i32 : i8 {
    %w = arith.addi %v, %one : i32
    scf.yield %w : i32
  }
  return %r : i32
}
"""
COUNTED = """func.func @f(%n: i8, %m: i8) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %s = arith.constant 3 : i8
  %r:2 = scf.while (%i = %m, %v = %zero) : (i8, i32) -> (i8, i32) {
    %c = arith.cmpi slt, %i, %n : i8
    scf.condition(%c) %i, %v : i8, i32
  } do {
  ^bb0(%i: i8, %v: i32):
    %w = arith.addi %v, %one : i32
    %j = arith.addi %i, %s : i8
    scf.yield %j, %w : i8, i32
  }
  return %r#1 : i32
}
"""


@pytest.mark.parametrize("width", ("i8", "i16"))
def test_loops_that_leave_their_type_are_run(width: str) -> None:
    """Where the bound is the greatest of its type, the while goes on, and the loop is undefined."""
    loop, turns = (text.replace("i8", width) for text in (COUNT, COUNTED))
    assert verdict(turns, loop) == "not-equivalent"
    assert verdict(loop, turns) == "refines"

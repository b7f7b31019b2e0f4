"""Parallel loops that call functions, made loops in order, which refines them; twins that do not, or may not."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

NEST = """
func.func private @g(%i: index, %j: index)
func.func @f(%l: index, %m: index, %u: index, %v: index, %s: index, %t: index) {{
  %o = arith.constant 1 : index
  {}
  return
}}
"""
PARALLEL = """scf.parallel (%i, %j) = (%l, %m) to (%u, %v) step (%s, %t) {
    func.call @g(%i, %j) : (index, index) -> ()
  }"""
IN_ORDER = """scf.for %i = %l to %u step %s {
    scf.for %j = %m to %v step %t {
      func.call @g(%i, %j) : (index, index) -> ()
    }
  }"""
EXCHANGED = """scf.for %j = %m to %v step %t {
    scf.for %i = %l to %u step %s {
      func.call @g(%i, %j) : (index, index) -> ()
    }
  }"""
FORALL = """scf.forall (%i, %j) = (%l, %m) to (%u, %v) step (%s, %t) {
    func.call @g(%i, %j) : (index, index) -> ()
  }"""
TWICE = IN_ORDER.replace(
    "func.call @g(%i, %j)", "func.call @g(%i, %j) : (index, index) -> ()\n      func.call @g(%i, %j)"
)

ROWS = """
func.func private @g(%x: i32) -> i32
func.func @f(%A: memref<8xi32>, %B: memref<8xi32>) {{
  %k = arith.constant 3 : i32
  affine.{} %i = {} {{
    %x = affine.load %A[%i] : memref<8xi32>
    {}
    affine.store %z, %B[%i] : memref<8xi32>
  }}
  return
}}
"""
CALLED = "%y = func.call @g(%x) : (i32) -> i32\n    %z = arith.addi %y, %k : i32"
TURNED = "%y = func.call @g(%x) : (i32) -> i32\n    %z = arith.addi %k, %y : i32"
OTHER = "%y = func.call @g(%k) : (i32) -> i32\n    %z = arith.addi %y, %k : i32"
BESIDE = "%y = func.call @g(%x) : (i32) -> i32\n    %z = arith.subi %y, %k : i32"


def _by_ones(nest: str) -> str:
    return NEST.format(nest.replace("%s, %t", "%o, %o").replace("step %s", "step %o").replace("step %t", "step %o"))


def _rows(loop: str, body: str) -> str:
    text = ROWS.format("for" if loop.startswith("0") else "parallel", loop, body)
    return text.replace("parallel %i", "parallel (%i)")


ANY, EACH = "(0) to (8)", "0 to 8"

WITHIN = """
func.func private @g(%i: index, %M: memref<4xf32>)
func.func @f(%n: index, %c: i1, %M: memref<4xf32>) {{
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  scf.if %c {{
    scf.for %k = %z to %n step %o {{
      scf.{} {{
        func.call @g(%i, %M) : (index, memref<4xf32>) -> ()
      }}
    }}
  }}
  return
}}
"""
SPREAD = WITHIN.format("parallel (%i) = (%z) to (%n) step (%o)")
GATHERED = WITHIN.format("for %i = %z to %n step %o")

PAIRS = {
    "a nest, steps not known": (NEST.format(PARALLEL), NEST.format(IN_ORDER), "refines"),
    "forall, steps not known": (NEST.format(FORALL), NEST.format(IN_ORDER), "refines"),
    "two nests": (NEST.format(PARALLEL + PARALLEL), NEST.format(IN_ORDER + IN_ORDER), "refines"),
    "values of calls": (_rows(ANY, CALLED), _rows(EACH, TURNED), "refines"),
    "under a branch, with memory": (SPREAD, GATHERED, "refines"),
    "the same loop": (NEST.format(PARALLEL), NEST.format(PARALLEL), "equivalent"),
    "a loop in order made parallel": (NEST.format(IN_ORDER), NEST.format(PARALLEL), "unknown"),
    "values of calls, made parallel": (_rows(EACH, CALLED), _rows(ANY, CALLED), "unknown"),
    "with memory, made parallel": (GATHERED, SPREAD, "unknown"),
    "parallel still, after other arithmetic": (_rows(ANY, CALLED), _rows(ANY, BESIDE), "unknown"),
    "columns first": (_by_ones(PARALLEL), _by_ones(EXCHANGED), "unknown"),
    "each call twice": (NEST.format(PARALLEL), NEST.format(TWICE), "unknown"),
    "another step": (NEST.format(PARALLEL), NEST.format(IN_ORDER.replace("step %t", "step %s")), "unknown"),
    "a nest too few": (NEST.format(PARALLEL + PARALLEL), NEST.format(IN_ORDER), "unknown"),
    "another operand": (_rows(ANY, CALLED), _rows(EACH, OTHER), "unknown"),
    "another value": (_rows(ANY, CALLED), _rows(EACH, BESIDE), "unknown"),
    "an iteration too few": (_rows(ANY, CALLED), _rows("0 to 7", CALLED), "unknown"),
    "memory, another bound": (
        SPREAD,
        GATHERED.replace("to %n step %o {\n        func", "to %o step %o {\n        func"),
        "unknown",
    ),
}
"""A run says nothing of a loop that makes its calls in any order, so what is wrong is not refuted. (A target that makes
them in another fixed order is right, and not shown.)"""


@pytest.mark.parametrize("name", PAIRS)
def test_calls_in_parallel_loops(name: str) -> None:
    source, target, wanted = PAIRS[name]
    assert check(source, target, ("source.mlir", "target.mlir"), Options(seconds=40.0)).verdict == wanted

"""What an answer says would help: what it claims of an option holds when the option is given, and it claims no more."""

from __future__ import annotations

import re
import shlex

import pytest

from .conftest import Answer, Shell
from .programs import ADD, FIRST, UNROLL, UNROLLED

CLAIM = re.compile(r"help: (with|without) `([^`]*)` the (functions are equivalent|target refines the source)")

SUM = """
func.func @sum(%A: memref<8xf32>) -> f32 {
  %z = arith.constant 0.0 : f32
  %r = affine.for %i = 0 to 8 iter_args(%s = %z) -> f32 {
    %v = affine.load %A[%i] : memref<8xf32>
    %t = arith.addf %s, %v : f32
    affine.yield %t : f32
  }
  return %r : f32
}
"""
BACKWARDS = SUM.replace("%A[%i]", "%A[7 - %i]")

TIMES_ZERO = """
func.func @f(%x: f32) -> f32 {
  %z = arith.constant 0.0 : f32
  %y = arith.mulf %x, %z : f32
  return %y : f32
}
"""
ZERO = TIMES_ZERO.replace("return %y", "return %z")

TWICE = """
func.func @f(%A: memref<?xi32>, %B: memref<?xi32>, %n: index) {
  affine.for %i = 0 to %n {
    %v = affine.load %A[%i] : memref<?xi32>
    affine.store %v, %B[%i] : memref<?xi32>
  }
  affine.for %i = 0 to %n {
    %v = affine.load %A[%i] : memref<?xi32>
    affine.store %v, %B[%i] : memref<?xi32>
  }
  return
}
"""
ONCE = TWICE[: TWICE.index("  affine.for")] + TWICE[TWICE.rindex("  affine.for") :]

FILL = """
func.func @f(%A: memref<?xi32>, %pid: index, %n: index, %x: i32) {
  affine.for %i = %pid to %n {
    affine.store %x, %A[%i] : memref<?xi32>
  }
  return
}
"""
FILL_ALSO = FILL.replace("  return", "  affine.store %x, %A[%pid] : memref<?xi32>\n  return")

LEFT = """
func.func @f(%A: memref<?xi32>, %left: index, %n: index, %x: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %d = arith.subi %left, %i : index
    %p = arith.cmpi sgt, %d, %c0 : index
    scf.if %p {
      memref.store %x, %A[%i] : memref<?xi32>
    }
  }
  return
}
"""
BELOW = LEFT.replace("arith.subi %left, %i", "arith.addi %left, %c0").replace("sgt, %d, %c0", "sgt, %d, %i")


def claims(answer: Answer) -> list[str]:
    """The options with which, or without which, the answer says that the pair is proved."""
    return [f"{word} {option}" for word, option, _ in CLAIM.findall(answer.said)]


def holds(shell: Shell, claim: str, source: str, target: str) -> bool:
    word, _, option = claim.partition(" ")
    given = [] if word == "without" else shlex.split(option)
    return shell.check(source, target, *given).status == 0


@pytest.mark.parametrize(
    ("source", "target", "options", "claim"),
    [
        (UNROLL, UNROLLED, (), "with --assume 'lb <= 10'"),
        (SUM, BACKWARDS, (), "with --fp reassoc"),
        (TIMES_ZERO, ZERO, (), "with --fp real"),
        (TWICE, ONCE, ("--alias", "may"), "without --alias may"),
        (LEFT, BELOW, (), "with --assume 'left >= 0'"),
    ],
)
def test_what_is_claimed_holds(shell: Shell, source: str, target: str, options: tuple[str, ...], claim: str) -> None:
    answer = shell.check(source, target, *options)
    assert answer.status in (1, 3) and claims(answer) == [claim]
    assert holds(shell, claim, source, target)


@pytest.mark.parametrize(
    ("source", "target", "options"),
    [
        (ADD, FIRST, ()),
        (UNROLL, UNROLLED.replace("addi", "subi"), ()),
        (SUM, SUM.replace("0.0", "1.0"), ()),
        (TIMES_ZERO, ZERO.replace("0.0", "2.0"), ()),
        (TWICE, ONCE.replace("%A[%i]", "%B[%i]"), ("--alias", "may")),
        (FILL, FILL_ALSO, ()),
    ],
)
def test_nothing_is_claimed_of_what_is_wrong_anyway(
    shell: Shell, source: str, target: str, options: tuple[str, ...]
) -> None:
    answer = shell.check(source, target, *options)
    assert answer.status == 1 and all(holds(shell, claim, source, target) for claim in claims(answer)), answer.said
    assert not [claim for claim in claims(answer) if "--assume" not in claim]


def test_a_limit_names_its_option(shell: Shell) -> None:
    source, target = UNROLL, UNROLLED
    answer = shell.check(source, target, "--time-limit", "0.001")
    assert answer.status == 3 and "help: `--time-limit 0.004` gives it four times as long" in answer.said


def test_what_has_no_semantics_may_be_declared(shell: Shell) -> None:
    named = '"vendor.op"(%a, %b) {in = @m} : (i32, i32) -> i32'  # memory that it may reach by a name
    unknown = "memref.global @m : memref<4xi32>\n" + ADD.replace("arith.addi %a, %b : i32", named)
    answer = shell.check(unknown, unknown)
    assert answer.status == 3 and "help: if `vendor.op` only computes a value, declare that" in answer.said
    llvm = ADD.replace("arith.addi %a, %b : i32", "llvm.freeze %a : i32")
    assert "help: compare the programs before they are lowered to llvm" in shell.check(llvm, llvm).said


def test_help_is_in_json(shell: Shell) -> None:
    (function,) = shell.check(UNROLL, UNROLLED, "--format", "json").json()["functions"]
    assert function["help"] == ["with `--assume 'lb <= 10'` the functions are equivalent"]
    assert function["source"]["file"] == "src.mlir" and function["target"]["file"] == "tgt.mlir"


def test_a_step_of_a_pipeline_is_not_told_to_be_checked_in_steps(shell: Shell) -> None:
    shell.write("in.mlir", UNROLL)
    answer = shell.run("opt", "in.mlir", "--pass-pipeline=affine-loop-unroll{unroll-factor=2}")
    assert answer.status == 1 and claims(answer) == ["with --assume 'lb <= 10'"]
    assert "smaller steps" not in answer.said

"""Which functions call themselves, also where the text does not name the op in plain letters."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.mlir.control import recursive_calls
from hecv.mlir.importer import parse


@pytest.mark.parametrize("op", [r'"func.c\61ll"(%n) <{callee = @f}> : (i32) -> i32', "func.call @f(%n) : (i32) -> i32"])
def test_a_function_that_calls_itself(op: str) -> None:
    module = parse(f"func.func @f(%n: i32) -> i32 {{ %r = {op} return %r : i32 }}", "f.mlir")
    assert [list(kept) for kept in recursive_calls.kept((module, module), ("f", "f"))] == [["f"], ["f"]]


def test_one_that_calls_nothing() -> None:
    module = parse("func.func @f(%n: i32) -> i32 { return %n : i32 }", "f.mlir")
    assert recursive_calls.kept((module, module), ("f", "f")) == ({}, {})


PRIVATE = """
func.func private @double(%x: i32) -> i32 { %r = arith.addi %x, %x : i32 return %r : i32 }
func.func private @square(%x: i32) -> i32 { %r = arith.muli %x, %x : i32 return %r : i32 }
"""
CONSTANTS = """
  %d = func.constant @double : (i32) -> i32
  %s = func.constant @square : (i32) -> i32
"""


def _function(body: str) -> str:
    return f"{PRIVATE}func.func @f(%x: i32, %p: i1, %q: i1) -> i32 {{{body}  return %r : i32\n}}"


def _verdict(source: str, target: str) -> str:
    return check(_function(source), _function(target), ("s.mlir", "t.mlir"), Options()).verdict


def test_a_call_of_a_constant() -> None:
    indirect = CONSTANTS + "  %r = func.call_indirect %s(%x) : (i32) -> i32\n"
    assert _verdict(indirect, "  %r = func.call @square(%x) : (i32) -> i32\n") == "equivalent"
    assert _verdict("  %r = func.call @double(%x) : (i32) -> i32\n", indirect) == "not-equivalent"


CHOSEN = """
  %k = arith.select %p, {0}, {1} : (i32) -> i32
  %l = arith.select %q, %k, %s : (i32) -> i32
  %r = func.call_indirect %l(%x) : (i32) -> i32
"""
BRANCHES = """
  %b = arith.andi %p, %q : i1
  %r = scf.if %b -> i32 {
    %v = func.call @double(%x) : (i32) -> i32
    scf.yield %v : i32
  } else {
    %v = func.call @square(%x) : (i32) -> i32
    scf.yield %v : i32
  }
"""


@pytest.mark.egraph
def test_a_call_of_what_selections_choose() -> None:
    assert _verdict(CONSTANTS + CHOSEN.format("%d", "%s"), BRANCHES) == "equivalent"
    assert _verdict(CONSTANTS + CHOSEN.format("%s", "%d"), BRANCHES) == "not-equivalent"


def test_a_function_that_is_chosen_elsewhere() -> None:
    """What a branch yields is not known to be a constant."""
    body = CONSTANTS + (
        "  %l = scf.if %p -> ((i32) -> i32) {\n    scf.yield %d : (i32) -> i32\n"
        "  } else {\n    scf.yield %s : (i32) -> i32\n  }\n  %r = func.call_indirect %l(%x) : (i32) -> i32\n"
    )
    assert _verdict(body, BRANCHES) == "unknown"


def test_a_call_of_a_constant_may_be_recursive() -> None:
    call = "%c = func.constant @f : (i32) -> i32\n%r = func.call_indirect %c(%n) : (i32) -> i32"
    text = f"func.func @f(%n: i32) -> i32 {{ {call} return %r : i32 }}"
    module = parse(text, "f.mlir")
    assert [list(kept) for kept in recursive_calls.kept((module, module), ("f", "f"))] == [["f"], ["f"]]


def test_code_that_is_not_reached_may_choose_from_itself() -> None:
    dead = "  cf.br ^end\n^dead:\n  %k = arith.select %p, %k, %k : (i32) -> i32\n"
    body = (
        dead + "  %v = func.call_indirect %k(%x) : (i32) -> i32\n  cf.br ^end\n^end:\n  %r = arith.addi %x, %x : i32\n"
    )
    assert _verdict(body, "  %r = func.call @double(%x) : (i32) -> i32\n") in ("equivalent", "unknown")

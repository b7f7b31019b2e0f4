"""Pairs that differ in just what one side condition of what is asked last is for: loops copied out, whiles.

Each was seen to be called equal, or to refine, by the one engine that is asked here, without it.
"""

from __future__ import annotations

import pytest

from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy
from hecv.prove.changed_pair import EXITS_BOUND, EXITS_INDUCTION, UNROLLED
from hecv.prove.loops import loop_theorems
from hecv.prove.pair.pair_context import Case, Task
from hecv.prove.pair.prover import Budget
from hecv.prove.portfolio import CHANGED, INDUCTION, PARTS, THEOREMS

from .running import parsed_pair
from .test_conditions import function

ARGUMENTS = (
    "%n: index, %m: index, %k: i32, %l: i32, %x: f32, %y: f32, "
    "%A: memref<128xi32>, %B: memref<16xi32>, %C: memref<16xi1>"
)
HEAD = """  %one = arith.constant 1 : index
  %no = arith.constant 0 : i32
  %least = arith.constant -1 : index
"""


def case(source: str, target: str) -> Case:
    modules = parsed_pair(*(function(ARGUMENTS, HEAD + body) for body in (source, target)))
    return Case(Task(modules, ("f", "f"), (), Switches(), Strategy(), 0, crosscheck=True), lambda stage, runs: None)


def stored(place: str = "%c0", value: str = "%k") -> str:
    return f"    memref.store {value}, %A[{place}] : memref<128xi32>\n"


# Loops copied out (`hecv.normal.summaries.full_unrolling`)


def four(body: str, head: str = "affine.for %i = 0 to 4") -> str:
    return f"  {head} {{\n{body}  }}\n"


READ = "    %b = memref.load %B[%i] : memref<16xi32>\n"
FROM_BELOW = f"    %at = arith.addi %i, %one : index\n{stored('%at')}"
FLAG = "    %c = memref.load %C[%i] : memref<16xi1>\n"
QUOTIENT = "    %q = arith.divsi %k, %l : i32\n"
CHOSEN = f"    %v = arith.select %c, %q, %k : i32\n{stored('%i', '%v')}"
BRANCHED = f"""    %v = scf.if %c -> i32 {{
{QUOTIENT}      scf.yield %q : i32
    }} else {{
      scf.yield %k : i32
    }}
{stored("%i", "%v")}"""
BRANCH_ON_POISON = """    %s = arith.addi %k, %l overflow<nsw> : i32
    %p = arith.cmpi slt, %s, %k : i32
    scf.if %p {
    }
"""
NARROW = """  %first = arith.constant 0 : i8
  %end = arith.constant 127 : i8
  %step = arith.constant 64 : i8
  scf.for %i = %first to %end step %step : i8 {
    %at = arith.index_cast %i : i8 to index
    memref.store %k, %A[%at] : memref<128xi32>
  }
"""

COPIED = {
    "iterations-that-race": (
        four(READ + stored("%c0", "%b")),
        four(READ + stored("%c0", "%b"), "affine.parallel (%i) = (0) to (4)"),
    ),
    # The last increment leaves the type.
    "a-variable-that-wraps": (
        f"  %at = arith.constant 64 : index\n{stored()}{stored('%at')}",
        NARROW,
    ),
    # -1 is the greatest number there.
    "a-literal-without-sign": (
        four(FROM_BELOW, "scf.for %i = %least to %c4 step %one"),
        four(FROM_BELOW, "scf.for unsigned %i = %least to %c4 step %one"),
    ),
    # What a branch divides by may be 0 where it is not taken.
    "a-quotient-of-a-branch": (four(FLAG + BRANCHED), four(FLAG + QUOTIENT + CHOSEN)),
    "a-branch-that-does-nothing": (four(stored("%i")), four(BRANCH_ON_POISON + stored("%i"))),
}


@pytest.mark.egraph
@pytest.mark.parametrize("name", COPIED)
def test_copies_that_differ_are_not_proved(name: str) -> None:
    assert UNROLLED.prove(case(*COPIED[name]), CHANGED) is None


# Whiles, and loops with a step that is not known (`hecv.normal.summaries.cutpoints`,
# `hecv.normal.whiles.variable_steps`, `hecv.kernel.while_induction_check`)


def turning(before: str = "", after: str = "") -> str:
    return f"""{before}  %r = scf.while (%i = %k) : (i32) -> i32 {{
    %on = arith.cmpi sgt, %i, %no : i32
    scf.condition(%on) %i : i32
  }} do {{
  ^bb0(%i: i32):
    %next = arith.xori %i, %l : i32
    scf.yield %next : i32
  }}
{after}{stored("%c0", "%r")}"""


FREED = "  %t = memref.alloc() : memref<4xi32>\n  memref.dealloc %t : memref<4xi32>\n"

WHILES = {
    "memory-that-is-freed": (turning(), turning(FREED, "  memref.store %k, %t[%c0] : memref<4xi32>\n")),
    "a-step-of-iterations-that-race": (
        four(stored(), "scf.for %i = %c0 to %n step %m"),
        four(stored(), "scf.parallel (%i) = (%c0) to (%n) step (%m)"),
    ),
    # A sum of two NaNs is either of them.
    "which-nan-is-carried": tuple(
        f"""  %s = arith.addf {operands} : f32
  %r:2 = scf.while (%f = %s, %i = %k) : (f32, i32) -> (f32, i32) {{
    %on = arith.cmpi sgt, %i, %l : i32
    scf.condition(%on) %f, %i : f32, i32
  }} do {{
  ^bb0(%f: f32, %i: i32):
    %g = arith.mulf %f, %y : f32
    %next = arith.divsi %i, %l : i32
    scf.yield %g, %next : f32, i32
  }}
  %bits = arith.bitcast %r#0 : f32 to i32
{stored("%c0", "%bits")}"""
        for operands in ("%x, %y", "%y, %x")
    ),
}


@pytest.mark.egraph
@pytest.mark.parametrize("name", WHILES)
def test_whiles_that_differ_are_not_proved(name: str) -> None:
    asked = case(*WHILES[name])
    assert INDUCTION.prove(asked, PARTS) is None
    assert EXITS_INDUCTION.prove(asked, PARTS) is None
    assert EXITS_BOUND.prove(asked, PARTS) is None


# Loop theorems (`hecv.egraph.programs.theorem_rounds`), whose laws of floats do not say which NaN


def shown(negation: str) -> str:
    return f"""  %u = arith.constant 1.0 : f32
  %z = arith.constant -0.0 : f32
  %s = {negation} : f32
  %r = math.copysign %u, %s : f32
  %bits = arith.fptosi %r : f32 to i32
{stored("%c0", "%bits")}"""


@pytest.mark.egraph
def test_a_sign_that_shows_which_nan_is_not_proved() -> None:
    """The engine itself knows of floats what holds up to that."""
    asked = case(shown("arith.negf %x"), shown("arith.subf %z, %x"))
    assert THEOREMS.prove(asked, Budget()) is None
    known = loop_theorems.prove(asked.pool, asked.functions, (), Strategy())
    assert known is not None and known.equal

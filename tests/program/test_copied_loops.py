"""Loops over stages as copies: runs of both forms agree, butterflies and sorting networks are proved, and what must
not be copied is not."""

from __future__ import annotations

from random import Random

import pytest

from hecv.base.term import TermPool
from hecv.normal.loops import affine_unrolling
from hecv.normal.loops.affine_unrolling import unroll_for_affine
from hecv.program.tree import Loop, walk
from soundness.running import read
from soundness.test_conditions import function, proof
from soundness.test_normal_form import disagreement

CONSTANTS = "\n".join(f"  %k{k} = arith.constant {k} : index" for k in (2, 3, 8))
ARGUMENTS = "%A: memref<8xi32>, %B: memref<?xi32>, %n: index"

STAGES = """  {outer} {{
    %h = arith.shli %c1, %s : index
    {inner} {{
      {place}
      %j = arith.addi %i, %h : index
      %a = memref.load %A[%i] : memref<8xi32>
      %b = memref.load %A[%j] : memref<8xi32>
      %x = arith.{op} %a, %b : i32
      %y = arith.subi %a, %b : i32
      memref.store %x, %A[%i] : memref<8xi32>
      memref.store %y, %A[%j] : memref<8xi32>
    }}
  }}
"""
IN_ORDER = "scf.for %s = %c0 to %k3 step %c1"
PLACES = "scf.for %p = %c0 to %c4 step %c1"
BY_DIVISION = """%high = arith.divui %p, %h : index
      %low = arith.remui %p, %h : index
      %twice = arith.muli %high, %k2 : index
      %base = arith.muli %twice, %h : index
      %i = arith.addi %base, %low : index"""
BY_BITS = """%t = arith.subi %h, %c1 : index
      %low = arith.andi %p, %t : index
      %high = arith.subi %p, %low : index
      %twice = arith.shli %high, %c1 : index
      %i = arith.ori %twice, %low : index"""
BY_LOOPS = """  affine.for %s = 0 to 3 {
    %h = arith.shli %c1, %s : index
    %step = arith.shli %k2, %s : index
    scf.for %low = %c0 to %h step %c1 {
      scf.for %i = %low to %k8 step %step {
        %j = arith.xori %i, %h : index
        %a = memref.load %A[%i] : memref<8xi32>
        %b = memref.load %A[%j] : memref<8xi32>
        %x = arith.addi %b, %a : i32
        %y = arith.subi %a, %b : i32
        memref.store %x, %A[%i] : memref<8xi32>
        memref.store %y, %A[%j] : memref<8xi32>
      }
    }
  }
"""


def stages(outer: str = IN_ORDER, inner: str = PLACES, place: str = BY_DIVISION, op: str = "addi") -> str:
    return function(ARGUMENTS, CONSTANTS + "\n" + STAGES.format(outer=outer, inner=inner, place=place, op=op))


def by_loops() -> str:
    return function(ARGUMENTS, CONSTANTS + "\n" + BY_LOOPS)


def loops(text: str) -> int:
    """How many loops are left of a function."""
    pool = TermPool()
    given = read(text, pool)
    return sum(isinstance(s, Loop) for s in walk(unroll_for_affine(pool, given, given.body)))


CARRIED = """  %r = scf.for %s = %c0 to %k3 step %c1 iter_args(%v = %n) -> index {
    %h = arith.shli %c1, %s : index
    %q = scf.for %i = %h to %k8 step %h iter_args(%w = %v) -> index {
      %a = memref.load %A[%i] : memref<8xi32>
      memref.store %a, %A[%h] : memref<8xi32>
      %u = arith.addi %w, %i : index
      scf.yield %u : index
    }
    scf.yield %q : index
  }
  %low = arith.index_cast %r : index to i32
  memref.store %low, %A[%c0] : memref<8xi32>
"""


@pytest.mark.parametrize(
    "text",
    [
        stages(),
        stages(place=BY_BITS),
        by_loops(),
        stages(outer="scf.for %s = %c1 to %k3 step %k2"),
        stages(outer="scf.for %s = %k3 to %c0 step %c1"),
        function(ARGUMENTS, CONSTANTS + "\n" + CARRIED),
        stages(outer="%last = arith.constant -1 : index\n  scf.for unsigned %s = %last to %k3 step %c1"),
    ],
)
def test_runs_agree(text: str) -> None:
    assert disagreement(text, Random(1), 8) is None


@pytest.mark.parametrize(
    "target", [stages(place=BY_BITS), by_loops(), stages(inner="scf.parallel (%p) = (%c0) to (%c4) step (%c1)")]
)
def test_butterflies_are_proved(target: str) -> None:
    assert proof(stages(), target) == "array dataflow"


@pytest.mark.egraph
@pytest.mark.parametrize(
    "target",
    [
        stages(op="subi"),
        stages(outer="scf.for %s = %c0 to %k2 step %c1"),
        stages(place=BY_BITS.replace("ori", "xori").replace("%t = arith.subi %h, %c1", "%t = arith.subi %h, %c0")),
    ],
)
def test_other_stages_are_not(target: str) -> None:
    assert proof(stages(), target) is None


def test_which_loops_are_copied() -> None:
    assert loops(stages()) == 3
    assert loops(stages(outer="scf.for %s = %c0 to %n step %c1")) == 2
    assert loops(stages(outer="scf.for %s = %c0 to %k3 step %n")) == 2


def test_a_loop_over_more_than_half_of_all_indices_stays() -> None:
    """Its iterations are more than a range of Python's may count."""
    first = f"%first = arith.constant {-(1 << 62) - 1} : index\n  %last = arith.constant {1 << 62} : index\n  "
    assert loops(stages(outer=first + "scf.for %s = %first to %last step %c1")) == 2


def test_no_more_copies_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(affine_unrolling, "MOST_STATEMENTS", 8)
    assert loops(stages()) == 2


RACING = "scf.parallel (%s) = (%c0) to (%k3) step (%c1)"
"""Stages in any order, each of which reads what others write."""


def test_a_race_stays_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parallel loop as copies would be one in order, which the pair then is."""
    assert proof(stages(), stages(outer=RACING)) is None
    monkeypatch.setattr(affine_unrolling, "in_order", lambda loop: True)
    assert proof(stages(), stages(outer=RACING)) is not None


LOCAL = """  {outer} {{
    %h = arith.shli %c1, %s : index
    %L = memref.alloc() : memref<8xi32>
    %a = memref.load %A[%h] : memref<8xi32>
    memref.store %a, %L[%h] : memref<8xi32>
    %b = memref.load %L[%c1] : memref<8xi32>
    memref.store %b, %A[%s] : memref<8xi32>
  }}
"""


def test_a_loop_with_an_allocation_is_not_copied() -> None:
    text = function(ARGUMENTS, CONSTANTS + "\n" + LOCAL.format(outer=IN_ORDER))
    assert loops(text) == 1


COUNTED = """  scf.for %s = %c0 to %k2 step %c1 {
    %h = arith.shli %c1, %s : index
    %v = memref.load %C[%h] : memref<4xindex>
    %first = arith.shrsi %v, %c1 : index
    %r:2 = scf.while (%i = %c0, %f = %first) : (index, index) -> (index, index) {
      %c = arith.cmpi slt, %i, %n : index
      scf.condition(%c) %i, %f : index, index
    } do {
    ^bb0(%i: index, %f: index):
      memref.store %f, %D[%s, %i] : memref<2x8xindex>
      %j = arith.addi %i, %c1 : index
      %g = arith.addi %f, %k2 : index
      scf.yield %j, %g : index, index
    }
  }
"""
APART = """  %v0 = memref.load %C[%c1] : memref<4xindex>
  %first0 = arith.shrsi %v0, %c1 : index
  %cell = memref.alloca() : memref<index>
  memref.store %first0, %cell[] : memref<index>
  scf.for %i = %c0 to %n step %c1 {{
    %now = memref.load %cell[] : memref<index>
    %m = arith.muli %i, %k2 : index
    %v = arith.addi {begin}, %m : index
    memref.store %v, %D[%c0, %i] : memref<2x8xindex>
    %next = arith.addi %v, %k2 : index
    memref.store %next, %cell[] : memref<index>
  }}
  %v1 = memref.load %C[%k2] : memref<4xindex>
  %first1 = arith.shrsi %v1, %c1 : index
  scf.for %i = %c0 to %n step %c1 {{
    %m = arith.muli %i, %k2 : index
    %v = arith.addi %first1, %m : index
    memref.store %v, %D[%c1, %i] : memref<2x8xindex>
  }}
"""


@pytest.mark.parametrize("begin", ["%first0", "%now"])
def test_each_copy_has_cells_of_its_own(begin: str) -> None:
    """Statements of two copies have one number: what a loop of one writes is not what that of the other does."""
    arguments = "%C: memref<4xindex>, %D: memref<2x8xindex>, %n: index"
    source, target = (function(arguments, CONSTANTS + "\n" + body) for body in (COUNTED, APART.format(begin=begin)))
    shown = proof(source, target)
    assert (shown == "array dataflow") if begin == "%first0" else shown is None

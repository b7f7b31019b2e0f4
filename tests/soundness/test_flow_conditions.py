"""Pairs that differ in just what one side condition of array dataflow is for: sums in another order, relations that are
widened, values that are followed to where they were made, memory that may overlap.

Each was seen to be called equal, or to refine, without it.
"""

from __future__ import annotations

import pytest

from hecv.claim.semantic_options import Switches

from .test_conditions import BACKWARDS, PREFIXES, SCALARS, TEMPORARY, TOTAL, function, proof, total

OVERLAPPING = Switches(may_overlap=True)
MEMREF = "memref<16xi32>"


# How often an operand counts (`hecv.dataflow.reductions.reduction_bags`, `hecv.dataflow.reductions.transitive_closure`,
# `hecv.dataflow.reductions.bag_matching`)

ONE_MORE = f"""  affine.store %k, %B[0] : {MEMREF}
  affine.for %i = 1 to 2 {{
    %u = affine.load %B[0] : {MEMREF}
    %s = arith.addi %u, %l : i32
    affine.store %s, %B[0] : {MEMREF}
  }}
"""
DOUBLED = f"""  %t = memref.alloc() : {MEMREF}
  %v = memref.alloc() : {MEMREF}
  affine.store %k, %t[0] : {MEMREF}
  affine.for %i = 1 to 6 {{
    affine.store %l, %v[%i] : {MEMREF}
    affine.if affine_set<(d0) : (d0 - 2 >= 0)>(%i) {{
      %b = affine.load %t[%i - 1] : {MEMREF}
      affine.store %b, %v[%i] : {MEMREF}
    }}
    %u = affine.load %t[%i - 1] : {MEMREF}
    %w = affine.load %v[%i] : {MEMREF}
    %s = arith.addi %u, %w : i32
    affine.store %s, %t[%i] : {MEMREF}
  }}
  %r = affine.load %t[5] : {MEMREF}
  affine.store %r, %B[0] : {MEMREF}
"""
TWO_PREFIXES = f"""{PREFIXES}  %r = affine.load %t[15] : {MEMREF}
  %o = affine.load %t[14] : {MEMREF}
  %w = arith.addi %r, %o : i32
  affine.store %w, %B[0] : {MEMREF}
"""


def alternating(last: str) -> str:
    """Sums of elements of `%A` that two buffers hold in turn; `last` is stored."""
    return f"""  %u = memref.alloc() : {MEMREF}
  %v = memref.alloc() : {MEMREF}
  affine.store %k, %v[0] : {MEMREF}
  affine.for %i = 1 to 6 {{
    %a = affine.load %v[%i - 1] : {MEMREF}
    %b = affine.load %A[%i] : {MEMREF}
    %c = arith.addi %a, %b : i32
    affine.store %c, %u[%i] : {MEMREF}
    %d = affine.load %u[%i] : {MEMREF}
    %e = affine.load %A[%i + 8] : {MEMREF}
    %f = arith.addi %d, %e : i32
    affine.store %f, %v[%i] : {MEMREF}
  }}
  %x = affine.load %u[5] : {MEMREF}
  %y = affine.load %v[3] : {MEMREF}
  %z = arith.addi %x, %y : i32
  affine.store {last}, %B[0] : {MEMREF}
"""


ONCE_EACH = (
    f"  affine.store %k, %B[0] : {MEMREF}\n"
    + total(head="%i = 1 to 6")
    + total(head="%i = 1 to 5", place="%i + 8").replace("%i", "%j")
)

COUNTS = {
    # Two ways lead from an instance to the one before it.
    "two-ways-to-an-instance": (ONE_MORE, DOUBLED),
    # Two reads lead to what one chain has in common.
    "two-reads-of-a-chain": (TOTAL + total(), TWO_PREFIXES),
    "two-chains-in-turn": (ONCE_EACH, alternating("%z")),
    # Both sums of the source are of what the target sums up once.
    "two-sums-in-one": (TOTAL + total() + BACKWARDS, TOTAL + total(place="15 - %i")),
    "greatest-of-more": (
        TOTAL + total(by="maxsi %s, %a", head="%i = 0 to 15"),
        TOTAL + total(by="maxsi %s, %a", place="15 - %i"),
    ),
}


@pytest.mark.parametrize("name", COUNTS)
def test_sums_that_differ_are_not_proved(name: str) -> None:
    source, target = (function(SCALARS, body) for body in COUNTS[name])
    assert proof(source, target) is None


def test_chains_in_turn_are_a_sum() -> None:
    """What is between the two is what the last of the pairs above tests."""
    assert proof(function(SCALARS, ONCE_EACH), function(SCALARS, alternating("%x"))) == "array dataflow"


# Which NaN a float is (`hecv.dataflow.reductions.reassociation`)


def greatest(place: str) -> str:
    return f"""  %z = arith.constant 0xFF800000 : f32
  %s = affine.for %i = 0 to 16 iter_args(%m = %z) -> f32 {{
    %v = affine.load %F[{place}] : memref<16xf32>
    %w = arith.maximumf %m, %v : f32
    affine.yield %w : f32
  }}
  %b = arith.bitcast %s : f32 to i32
  affine.store %b, %A[0] : {MEMREF}
"""


def test_which_nan_a_greatest_number_is_depends_on_the_order() -> None:
    arguments = f"%F: memref<16xf32>, %A: {MEMREF}"
    assert proof(function(arguments, greatest("%i")), function(arguments, greatest("15 - %i"))) is None


# Where instances are related that do not run, or values followed that may be another
# (`hecv.dataflow.induction.relation_widening`, `cases`, `made`, `assured`, `cuts`, `idle`)

FOUR = f"%n: index, %k: i32, %l: i32, %A: {MEMREF}, %B: {MEMREF}, %C: {MEMREF}, %D: {MEMREF}"
APART = ((0, "A", 0), (1, "A", 7), (2, "C", 3), (3, "D", 1))
READ_APART = "".join(
    f"  %r{k} = affine.load %t[{k}] : {MEMREF}\n  affine.store %r{k}, %{to}[{place}] : {MEMREF}\n"
    for k, to, place in APART
)


def quotients(count: int) -> str:
    """So many quotients, of which four are used."""
    return f"""{TEMPORARY}  affine.for %i = 0 to {count} {{
    %b = affine.load %B[%i] : {MEMREF}
    %v = arith.divsi %k, %b : i32
    affine.store %v, %t[%i] : {MEMREF}
  }}
{READ_APART}"""


def lanes(op: str, by: str) -> str:
    """Three elements, of which two are by what was stored."""
    return f"""  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  affine.store %two, %C[0] : {MEMREF}
  affine.store %four, %C[1] : {MEMREF}
  affine.store %one, %D[0] : {MEMREF}
  affine.store %two, %D[1] : {MEMREF}
  affine.for %i = 0 to 3 {{
    %c = affine.load %{by}[%i] : {MEMREF}
    %v = arith.{op} %k, %c : i32
    affine.store %v, %A[%i] : {MEMREF}
  }}
"""


POISON = "  %sum = arith.addi %k, %l overflow<nsw> : i32\n  %c = arith.cmpi slt, %sum, %k : i32\n"
COPY = f"  %x = affine.load %B[0] : {MEMREF}\n  affine.store %x, %A[0] : {MEMREF}\n"
EITHER_COPY = f"""{TEMPORARY}{POISON}  %x = affine.load %B[0] : {MEMREF}
  affine.store %x, %t[0] : {MEMREF}
  affine.store %x, %t[1] : {MEMREF}
  %y = affine.load %t[0] : {MEMREF}
  %z = affine.load %t[1] : {MEMREF}
  %s = arith.select %c, %y, %z : i32
  affine.store %s, %A[0] : {MEMREF}
"""
STORED = f"  affine.store %k, %A[0] : {MEMREF}\n"
ASSERTED = '  %p = arith.cmpi sge, %n, %c0 : index\n  cf.assert %p, "p"\n'
ASSERTED_EITHER = f"""{ASSERTED}{POISON}  %true = arith.constant 1 : i1
  %h = arith.select %c, %p, %true : i1
  cf.assert %h, "h"
"""
TWICE_EIGHT = f"""  %one = arith.constant 1 : i32
  affine.for %i = 0 to 8 {{
    %w = arith.shli %l, %one : i32
    affine.store %w, %A[%i] : {MEMREF}
  }}
"""
# The elements that are read are one up to the third, which one loop wrote, and two beyond.
OF_TWO_LOOPS = f"""  %t = memref.alloc() : {MEMREF}
  %e = memref.alloc() : {MEMREF}
  %two = arith.constant 2 : i32
  affine.for %i = 0 to 3 {{
    %b = affine.load %B[%i] : {MEMREF}
    affine.store %b, %t[%i] : {MEMREF}
  }}
  affine.for %i = 3 to 16 {{
    %b = affine.load %C[%i] : {MEMREF}
    affine.store %b, %t[%i] : {MEMREF}
  }}
  affine.for %i = 0 to 16 {{
    %b = arith.muli %l, %two : i32
    affine.store %b, %e[%i] : {MEMREF}
  }}
  affine.for %i = 0 to 8 {{
    %m = affine.min affine_map<(d0) -> (d0 - 2, 1)>(%i)
    %h = affine.max affine_map<(d0) -> (d0, 0)>(%m)
    %at = arith.addi %i, %h : index
    %x = affine.load %t[%i] : {MEMREF}
    %y = memref.load %t[%at] : {MEMREF}
    %z = arith.xori %x, %y : i32
    %d = affine.load %e[%i] : {MEMREF}
    %w = arith.addi %z, %d : i32
    affine.store %w, %A[%i] : {MEMREF}
  }}
"""


def overwriting(body: str = "", after: str = "") -> str:
    return f"""{TEMPORARY}  affine.for %i = 0 to 4 {{
    %b = affine.load %B[%i] : {MEMREF}
    affine.store %b, %A[0] : {MEMREF}
{body}  }}
{after}"""


KEPT_EARLY = f"""    affine.if affine_set<(d0) : (d0 - 2 == 0)>(%i) {{
      %a = affine.load %A[0] : {MEMREF}
      affine.store %a, %t[0] : {MEMREF}
    }}
"""
PUT_BACK = f"  %r = affine.load %t[0] : {MEMREF}\n  affine.store %r, %A[0] : {MEMREF}\n"

FOLLOWED = {
    # An instance that does not run is none that divides by the same.
    "a-relation-beyond-the-loops": (quotients(4), quotients(5)),
    # What is left of a relation that is taken apart by what was stored.
    "lanes-that-nothing-was-stored-to": (lanes("muli", "C"), lanes("shli", "D")),
    "one-of-two-copies-by-poison": (COPY, EITHER_COPY),
    "one-of-two-conditions-by-poison": (ASSERTED + STORED, ASSERTED_EITHER + STORED),
    "elements-of-two-loops": (TWICE_EIGHT, OF_TWO_LOOPS),
    # What is put back is from before the last write, by the same statement.
    "a-copy-of-an-older-value": (overwriting(), overwriting(KEPT_EARLY, PUT_BACK)),
}


@pytest.mark.egraph
@pytest.mark.parametrize("name", FOLLOWED)
def test_values_that_differ_are_not_proved(name: str) -> None:
    source, target = (function(FOUR, body) for body in FOLLOWED[name])
    assert proof(source, target) is None


# What a program is undefined by, and which memory is one (`hecv.dataflow.obligations.undefined_domain`, `races`,
# `statements`)

NARROW = f"%u: i8, %k: i32, %l: i32, %A: memref<128xi32>, %B: {MEMREF}"
BY_INDEX = """  %e = arith.index_cast %u : i8 to index
  %three = arith.constant 3 : index
  scf.for %i = %c0 to %e step %three {
    memref.store %k, %A[%i] : memref<128xi32>
  }
"""
# Its last increment may leave the type.
BY_BYTE = """  %first = arith.constant 0 : i8
  %three = arith.constant 3 : i8
  scf.for %j = %first to %u step %three : i8 {
    %i = arith.index_cast %j : i8 to index
    memref.store %k, %A[%i] : memref<128xi32>
  }
"""


def diagonals(value: str) -> str:
    """Iterations of two loops store to one element, those of the inner one alone do not."""
    return f"""  affine.for %t = 0 to 2 {{
    affine.parallel (%i) = (0) to (4) {{
      affine.store {value}, %B[%i + %t] : {MEMREF}
    }}
  }}
"""


HANDED_ON = f"""    %b = affine.load %t[%i] : {MEMREF}
    affine.store %b, %B[%i] : {MEMREF}
    affine.store %b, %t[%i + 1] : {MEMREF}
"""
ONE_BUFFER = f"{TEMPORARY}  affine.store %k, %t[0] : {MEMREF}\n  affine.for %i = 0 to 8 {{\n{HANDED_ON}  }}\n"
A_BUFFER_EACH = f"""  affine.for %i = 0 to 8 {{
  {TEMPORARY}    affine.if affine_set<(d0) : (d0 == 0)>(%i) {{
      affine.store %k, %t[0] : {MEMREF}
    }}
{HANDED_ON}  }}
"""

RUNS = {
    "a-variable-that-wraps": (BY_INDEX, BY_BYTE),
    "iterations-of-the-loop-around": (diagonals("%k"), diagonals("%l")),
    "a-buffer-of-each-iteration": (ONE_BUFFER, A_BUFFER_EACH),
}


@pytest.mark.parametrize("name", RUNS)
def test_programs_that_are_undefined_elsewhere_are_not_proved(name: str) -> None:
    source, target = (function(NARROW, body) for body in RUNS[name])
    assert proof(source, target) is None


# Memory that may overlap

HELD = "  %t = memref.alloca() : memref<i32>\n  affine.store %k, %t[] : memref<i32>\n"
WRITTEN = f"  affine.store %l, %B[0] : {MEMREF}\n"


def held(by: str) -> str:
    return f"""  affine.for %i = 0 to 4 {{
    %a = affine.load %A[%i] : {MEMREF}
    %s = affine.load %t[] : memref<i32>
    %w = arith.{by} %s, %a : i32
    affine.store %w, %t[] : memref<i32>
  }}
"""


SHOWN = f"  %r = affine.load %t[] : memref<i32>\n  affine.store %r, %C[0] : {MEMREF}\n"
ZEROS = f"""  %z = arith.constant 0 : i32
  affine.for %i = 0 to 16 {{
    affine.store %z, %A[%i] : {MEMREF}
  }}
{WRITTEN}"""
SUM_OF_ZEROS = f"""  %v = affine.for %i = 0 to 16 iter_args(%s = %z) -> (i32) {{
    %a = affine.load %A[%i] : {MEMREF}
    %w = arith.addi %s, %a : i32
    affine.yield %w : i32
  }}
  affine.store %v, %C[0] : {MEMREF}
"""
COPIED_AND_BACK = f"""  %t = memref.alloca() : {MEMREF}
  affine.for %i = 0 to 16 {{
    %a = affine.load %A[%i] : {MEMREF}
    affine.store %a, %t[%i] : {MEMREF}
  }}
{WRITTEN}  affine.for %i = 0 to 16 {{
    %a = affine.load %t[%i] : {MEMREF}
    affine.store %a, %A[%i] : {MEMREF}
  }}
"""

OVERLAPS = {
    "taken-away-after-a-write": (
        f"{WRITTEN}  affine.store %k, %C[0] : {MEMREF}\n",
        HELD + held("addi") + WRITTEN + held("subi") + SHOWN,
    ),
    "zeros-that-are-written-over": (ZEROS + SUM_OF_ZEROS, f"{ZEROS}  affine.store %z, %C[0] : {MEMREF}\n"),
    "copied-back-after-a-write": (WRITTEN, COPIED_AND_BACK),
}


@pytest.mark.parametrize("name", OVERLAPS)
def test_values_that_differ_where_memory_overlaps_are_not_proved(name: str) -> None:
    source, target = (function(FOUR, body) for body in OVERLAPS[name])
    assert proof(source, target) == "array dataflow"
    assert proof(source, target, OVERLAPPING) is None


def twice(count: int, after: str = "") -> str:
    """Sums up what is read so many times, from the second on perhaps through `%C`."""
    return f"""  %first = arith.addi %k, %l : i32
  affine.store %first, %B[0] : {MEMREF}
  %z = arith.constant 0 : i32
  %v = affine.for %i = 0 to {count} iter_args(%s = %z) -> (i32) {{
    %b = affine.load %B[0] : {MEMREF}
    %w = arith.addi %s, %b : i32
    affine.store %l, %C[%i] : {MEMREF}
    affine.yield %w : i32
  }}
{after}"""


def test_what_may_have_been_written_over_counts() -> None:
    once = twice(1, f"  affine.store %l, %C[1] : {MEMREF}\n")
    source, target = (function(FOUR, body, "i32", "%v : i32") for body in (once, twice(2)))
    assert proof(source, target, OVERLAPPING) is None

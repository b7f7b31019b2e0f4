"""What loops carry in closed form: runs of both forms agree, and proofs that need the form are found."""

from __future__ import annotations

from random import Random

import pytest

from soundness.test_conditions import proof
from soundness.test_normal_form import disagreement

CARRIED = """func.func @f(%n: index, %m: index, %A: memref<?xf32>, %B: memref<8xf32>, %C: memref<?xindex>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %true = arith.constant true
  %l = arith.constant 0 : index
  %r = scf.for %i = {bounds} iter_args(%p = {first}) -> ({kind}) {{
    {seen}
    memref.store %q, %C[%i] : memref<?xindex>
    {next}
    scf.yield %z : {kind}
  }}
  {after}
  return
}}
"""
AS_IT_IS = "%q = arith.addi %p, %c0 : index"
NEXT = {
    "toggle": "%z = arith.subi %c1, %p : index",
    "toggle-from-7": "%z = arith.subi %c7, %p : index",
    "wrap": "%y = arith.addi %p, %c1 : index\n %z = arith.remui %y, %c3 : index",
    "wrap-signed": "%y = arith.addi %p, %c2 : index\n %z = arith.remsi %y, %c7 : index",
    "wrap-by-choice": """%y = arith.addi %p, %c1 : index
    %e = arith.cmpi eq, %y, %c3 : index
    %z = arith.select %e, %c0, %y : index""",
    "stays": "%z = arith.remui %p, %c2 : index",
    "count": "%z = arith.addi %p, %c3 : index",
    "count-by-unknown": "%z = arith.addi %p, %m : index",
    "fall": "%z = arith.subi %p, %c2 : index",
    "flagged": "%z = arith.addi %p, %c3 overflow<nsw> : index",
    "last": "%z = arith.addi %i, %c1 : index",
    "remainder": "%y = arith.addi %i, %c1 : index\n %z = arith.remsi %y, %c2 : index",
    "chosen": "%y = arith.cmpi slt, %i, %m : index\n %z = arith.select %y, %i, %m : index",
    "grows": "%z = arith.muli %p, %c2 : index",
    "loaded": "%z = memref.load %C[%i] : memref<?xindex>",
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("bounds", ["%l to %n step %c1", "%c2 to %n step %c3", "%m to %n step %c2"])
@pytest.mark.parametrize("name", NEXT)
def test_runs_agree(name: str, bounds: str) -> None:
    for first in ("%c0", "%c2", "%m"):
        after = "memref.store %r, %C[%c0] : memref<?xindex>"
        text = CARRIED.format(bounds=bounds, first=first, kind="index", seen=AS_IT_IS, next=NEXT[name], after=after)
        assert disagreement(text, Random(1), 8) is None


def test_a_flag_that_changes() -> None:
    seen = "%q = arith.select %p, %c3, %c7 : index"
    text = CARRIED.format(
        bounds="%m to %n step %c1", first="%true", kind="i1", seen=seen, next="%z = arith.xori %p, %true : i1", after=""
    )
    assert disagreement(text, Random(1), 8) is None


PARITY = "%q = affine.apply affine_map<(d0) -> (d0 mod 2)>(%i)"


def shown(
    name: str, seen: str, first: str = "%c0", bounds: str = "%l to %n step %c1", after: tuple[str, str] = ("", "")
) -> str | None:
    """What shows that the carried value is the one that `seen` computes, and after the loop the one of `after`."""
    carried = CARRIED.format(bounds=bounds, first=first, kind="index", seen=AS_IT_IS, next=NEXT[name], after=after[0])
    same = "%z = arith.addi %c0, %c0 : index"
    direct = CARRIED.format(bounds=bounds, first="%c0", kind="index", seen=seen, next=same, after=after[1])
    return proof(direct, carried)


@pytest.mark.parametrize(
    ("name", "seen", "first", "equal"),
    [
        ("toggle", PARITY, "%c0", True),
        ("toggle", PARITY, "%c1", False),
        ("remainder", PARITY, "%c0", True),
        ("remainder", PARITY, "%c2", False),
        ("wrap", PARITY.replace("2", "3"), "%c0", True),
        ("wrap", PARITY, "%c0", False),
        ("last", "%q = arith.addi %i, %c0 : index", "%c0", True),
        ("last", "%q = arith.addi %i, %c1 : index", "%c0", False),
    ],
)
def test_a_parity_is_the_remainder_of_the_iteration(name: str, seen: str, first: str, equal: bool) -> None:
    assert (shown(name, seen, first) == "array dataflow") == equal


@pytest.mark.parametrize(("first", "equal"), [("%c0", True), ("%c1", False)])
def test_a_ring_that_begins_anew_by_a_choice(first: str, equal: bool) -> None:
    seen = PARITY.replace("2", "3")
    assert (shown("wrap-by-choice", seen, first) == "array dataflow") == equal


END = "%v = memref.load %B[%c1] : memref<8xf32>\n memref.store %v, %A[{}] : memref<?xf32>"


@pytest.mark.parametrize(
    ("name", "seen", "first", "end", "equal"),
    [
        ("last", "%q = arith.addi %i, %c0 : index", "%c0", "max(d0, 0)", True),
        ("last", "%q = arith.addi %i, %c0 : index", "%c0", "d0", False),
        ("toggle", PARITY, "%c0", "max(d0, 0) mod 2", True),
        ("toggle", PARITY, "%c0", "(max(d0, 0) + 1) mod 2", False),
        ("count", "%q = affine.apply affine_map<(d0) -> (3 * d0)>(%i)", "%c0", "3 * max(d0, 0)", True),
    ],
)
def test_what_is_carried_last_is_what_an_iteration_more_would_begin_with(
    name: str, seen: str, first: str, end: str, equal: bool
) -> None:
    most = "%w = arith.maxsi %n, %c0 : index\n" if "max" in end else "%w = arith.addi %n, %c0 : index\n"
    place = end.replace("max(d0, 0)", "d0")
    direct = f"{most} %e = affine.apply affine_map<(d0) -> ({place})>(%w)\n" + END.format("%e")
    assert (shown(name, seen, first, after=(END.format("%r"), direct)) == "array dataflow") == equal


def test_one_that_is_what_another_was_an_iteration_before() -> None:
    text = """func.func @f(%A: memref<9xf32>, %B: memref<9xf32>) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c7 = arith.constant 7 : index
      %r:2 = scf.for %i = %c0 to %c7 step %c1 iter_args(%p = %c0, %q = %c1) -> (index, index) {{
        %v = memref.load %A[{at}] : memref<9xf32>
        memref.store %v, %B[%i] : memref<9xf32>
        %n = arith.addi %i, %c2 : index
        scf.yield %q, %n : index, index
      }}
      return
    }}"""
    assert proof(text.format(at="%i"), text.format(at="%p")) == "array dataflow"
    assert proof(text.format(at="%i"), text.format(at="%q")) is None

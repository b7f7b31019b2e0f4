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


@pytest.mark.parametrize("bounds", ["%l to %n step %c1", "%c2 to %n step %c3", "%m to %n step %c2"])
@pytest.mark.parametrize("name", NEXT)
def test_runs_agree(name: str, bounds: str) -> None:
    for first in ("%c0", "%c2", "%m"):
        text = CARRIED.format(bounds=bounds, first=first, kind="index", seen=AS_IT_IS, next=NEXT[name])
        assert disagreement(text, Random(1), 8) is None


def test_a_flag_that_changes() -> None:
    seen = "%q = arith.select %p, %c3, %c7 : index"
    text = CARRIED.format(
        bounds="%m to %n step %c1", first="%true", kind="i1", seen=seen, next="%z = arith.xori %p, %true : i1"
    )
    assert disagreement(text, Random(1), 8) is None


PARITY = "%q = affine.apply affine_map<(d0) -> (d0 mod 2)>(%i)"


def shown(name: str, seen: str, first: str = "%c0", bounds: str = "%l to %n step %c1") -> str | None:
    """What shows that the carried value is the one that `seen` computes."""
    carried = CARRIED.format(bounds=bounds, first=first, kind="index", seen=AS_IT_IS, next=NEXT[name])
    direct = CARRIED.format(
        bounds=bounds, first="%c0", kind="index", seen=seen, next="%z = arith.addi %c0, %c0 : index"
    )
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

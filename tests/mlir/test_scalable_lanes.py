"""Elementwise functions on scalable vectors are compared as functions of one lane."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.result import Report
from hecv.mlir.importer import parse_both
from hecv.mlir.module.scalable_lanes import as_lanes

KINDS = {"v": "vector<[4]xf32>", "w": "vector<2x[4]xf32>", "i": "vector<[8]xi32>", "m": "vector<[8]xi1>"}


def function(body: str, kind: str = KINDS["v"], others: str = "") -> str:
    arguments = f"%a: {kind}, %b: {kind}, %x: f32, %n: i32, %c: i1, %k: index"
    return f"func.func @f({arguments}) -> {kind} {{\n{body}\nreturn %r : {kind}\n}}\n{others}"


def ops(*lines: str, kind: str = KINDS["v"]) -> str:
    """Ops on vectors of a kind, without the types."""
    return function("\n".join(f"{line} : {kind}" for line in lines), kind)


TWICE = ops("%t = arith.constant dense<2.0>", "%r = arith.mulf %a, %t")
LOOP = """%z = arith.constant 0 : index
%o = arith.constant 1 : index
%r = scf.for %j = %z to %k step %o iter_args(%s = %a) -> (vector<[4]xf32>) {{
  %t = arith.addf {} : vector<[4]xf32>
  scf.yield %t : vector<[4]xf32>
}}"""
BROADCAST = "%t = vector.broadcast %x : f32 to vector<[4]xf32>\n%r = arith.mulf {} : vector<[4]xf32>"
MASK = """%m = arith.cmpi {}, %a, %b : vector<[8]xi32>
%r = arith.select %m, %a, %b : vector<[8]xi1>, vector<[8]xi32>"""

EQUAL = {
    "commuted": (ops("%r = arith.mulf %a, %b"), ops("%r = arith.mulf %b, %a")),
    "of two dimensions": tuple(ops(f"%r = arith.addf {o}", kind=KINDS["w"]) for o in ("%a, %b", "%b, %a")),
    "doubled": (ops("%r = arith.addf %a, %a"), TWICE),
    "regrouped integers": (
        ops("%s = arith.addi %a, %b", "%r = arith.addi %s, %a", kind=KINDS["i"]),
        ops("%s = arith.addi %a, %a", "%r = arith.addi %b, %s", kind=KINDS["i"]),
    ),
    "a broadcast": (function(BROADCAST.format("%t, %a")), function(BROADCAST.format("%a, %t"))),
    "in a loop": (function(LOOP.format("%s, %b")), function(LOOP.format("%b, %s"))),
    "a maximum": (
        function(MASK.format("sgt"), KINDS["i"]),
        ops("%r = arith.maxsi %a, %b", kind=KINDS["i"]),
    ),
}

WRONG = {
    "another op": (ops("%r = arith.mulf %a, %b"), ops("%r = arith.addf %a, %b")),
    "another literal": (ops("%r = arith.addf %a, %a"), TWICE.replace("2.0", "3.0")),
    "a minimum": (function(MASK.format("slt"), KINDS["i"]), ops("%r = arith.maxsi %a, %b", kind=KINDS["i"])),
    "another scalar": (
        function(BROADCAST.format("%t, %a")),
        function("%y = arith.addf %x, %x : f32\n" + BROADCAST.format("%t, %a").replace("%x", "%y")),
    ),
    "a trap": (
        ops("%r = arith.addi %a, %b", kind=KINDS["i"]),
        ops("%t = arith.divsi %a, %b", "%r = arith.addi %a, %b", kind=KINDS["i"]),
    ),
}


def answer(source: str, target: str) -> Report:
    return check(source, target, ("s.mlir", "t.mlir"), Options(seconds=30))


@pytest.mark.parametrize("name", EQUAL)
def test_lanes_are_equal(name: str) -> None:
    report = answer(*EQUAL[name])
    assert report.verdict == "equivalent"
    assert "scalable-lanes" in [a.id for a in report.functions[0].assumptions]


@pytest.mark.parametrize("name", WRONG)
def test_lanes_differ(name: str) -> None:
    assert answer(*WRONG[name]).verdict == "not-equivalent"


MOVED = """%e = vector.extract %a[{}] : f32 from vector<[4]xf32>
%r = vector.broadcast %e : f32 to vector<[4]xf32>"""


def test_what_moves_lanes_is_not_of_one_lane() -> None:
    assert answer(function(MOVED.format(0)), function("%r = arith.addf %a, %b : vector<[4]xf32>")).verdict == "unknown"
    assert answer(function(MOVED.format(0)), function(MOVED.format(1))).verdict == "unknown"
    assert answer(function(MOVED.format(1)), function(MOVED.format(1))).verdict == "equivalent"


def test_other_lengths_are_another_type() -> None:
    other = ops("%r = arith.mulf %a, %b").replace("[4]", "[8]")
    assert answer(ops("%r = arith.mulf %a, %b"), other).verdict == "error"


def test_what_is_called_stays_as_it_is() -> None:
    caller = """func.func @g(%a: vector<[4]xf32>, %x: f32, %n: i32, %c: i1, %k: index) -> vector<[4]xf32> {
      %r = call @f(%a, %a, %x, %n, %c, %k)
        : (vector<[4]xf32>, vector<[4]xf32>, f32, i32, i1, index) -> vector<[4]xf32>
      return %r : vector<[4]xf32>
    }"""
    text = function("%r = arith.mulf %a, %b : vector<[4]xf32>", others=caller)
    modules = parse_both((text, text), ("s.mlir", "t.mlir"))
    assert not any(m.lanes for m in as_lanes(modules))
    assert answer(text, text).verdict == "equivalent"

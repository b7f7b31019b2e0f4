"""Loops that count unsigned numbers, or until a counter is equal to its end: what they are, and what they are not."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from hecv.base.term import TermPool
from hecv.base.value import Buffer
from hecv.check import Options, check
from hecv.claim.semantic_options import Switches
from hecv.normal.passes import normalize
from hecv.run.interpreter.interpreter import Finished, Undefined, compile

from .running import read, unequal
from .test_conditions import proof
from .test_normal_form import explicit

HEAD = """func.func private @g(i32)
func.func @f(%n: {kind}, %m: index, %A: memref<?xi32>, %x: i32) {{
  %c0 = arith.constant 0 : {kind}
  %c1 = arith.constant 1 : {kind}
  %c2 = arith.constant 2 : {kind}
  %c3 = arith.constant 3 : {kind}
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
"""
STORE = "    memref.store %x, %A[%i0] : memref<?xi32>\n"
CALL = STORE + "    func.call @g(%x) : (i32) -> ()\n"


def element(cast: str, kind: str = "i32") -> str:
    """A store at the counter."""
    if kind == "index":
        return "    memref.store %x, %A[%i] : memref<?xi32>\n"
    return f"    %at = arith.{cast} %i : {kind} to index\n    memref.store %x, %A[%at] : memref<?xi32>\n"


def program(kind: str, body: str) -> str:
    return f"{HEAD.format(kind=kind)}{body}  return\n}}\n"


def branches(compare: str, step: str, body: str, kind: str = "i32", first: str = "%c0") -> str:
    """A loop through a back-edge."""
    return program(
        kind,
        f"""  cf.br ^head({first} : {kind})
^head(%i: {kind}):
  %c = arith.cmpi {compare} : {kind}
  cf.cond_br %c, ^body, ^end
^body:
{body}  %j = {step} : {kind}
  cf.br ^head(%j : {kind})
^end:
""",
    )


def rotated(compare: str, body: str, guard: str, kind: str = "i32") -> str:
    """A loop that tests behind its body."""
    return program(
        kind,
        f"""  %p = arith.cmpi {guard} : {kind}
  cf.cond_br %p, ^body(%c0 : {kind}), ^end
^body(%i: {kind}):
{body}  %j = arith.addi %i, %c1 : {kind}
  %c = arith.cmpi {compare} : {kind}
  cf.cond_br %c, ^body(%j : {kind}), ^end
^end:
""",
    )


def loop(body: str, kind: str = "i32", word: str = "", end: str = "%n", step: str = "%c1", first: str = "%c0") -> str:
    return program(kind, f"  scf.for {word} %i = {first} to {end} step {step} : {kind} {{\n{body}  }}\n")


def over_index(body: str, cast: str = "index_castui", end: str = "%e", kind: str = "i32") -> str:
    head = f"  %e = arith.{cast} %n : {kind} to index\n  %more = arith.addi %e, %i1 : index\n"
    return program(kind, f"{head}  scf.for %i = %i0 to {end} step %i1 {{\n{body}  }}\n")


UP, DOWN = "arith.addi %i, %c1", "arith.subi %i, %c1"
AT = element("index_castui")
AT_INDEX = element("", "index")

RIGHT = {
    "below": (loop(AT, word="unsigned"), branches("ult, %i, %n", UP, AT)),
    "until": (loop(AT, word="unsigned"), branches("ne, %i, %n", UP, AT)),
    "as-index": (over_index(AT_INDEX), branches("ult, %i, %n", UP, AT)),
    "down": (loop(STORE, word="unsigned"), branches("ne, %i, %c0", DOWN, STORE, first="%n")),
    "down-above": (loop(STORE, word="unsigned"), branches("ugt, %i, %c0", DOWN, STORE, first="%n")),
    "signed": (over_index(STORE, "index_cast"), branches("sgt, %i, %c0", DOWN, STORE, first="%n")),
    "rotated-until": (loop(AT, word="unsigned"), rotated("ne, %j, %n", AT, "ne, %n, %c0")),
    "rotated-below": (loop(AT, word="unsigned"), rotated("ult, %j, %n", AT, "ult, %c0, %n")),
    "through-the-last": (branches("ule, %i, %n", UP, AT), over_index(AT_INDEX, end="%more")),
    "index-until": (branches("ne, %i, %n", UP, AT_INDEX, "index"), loop(AT_INDEX, "index")),
    "index-below": (branches("ult, %i, %n", UP, AT_INDEX, "index"), branches("ne, %i, %n", UP, AT_INDEX, "index")),
    "index-unsigned": (loop(AT_INDEX, "index", "unsigned"), loop(AT_INDEX, "index")),
    "calls": (branches("ult, %i, %n", UP, CALL), loop(CALL, word="unsigned")),
}
ONE_WAY = {"through-the-last", "index-until", "index-unsigned"}
"""Where the source does not end the target does."""

WRONG = {
    # Nothing is below a negative number but as unsigned.
    "signed-as-unsigned": (loop(STORE), branches("ult, %i, %n", UP, STORE)),
    "unsigned-as-signed": (branches("ult, %i, %n", UP, STORE), loop(STORE)),
    "up-to-unsigned": (branches("ule, %i, %n", UP, STORE), branches("sle, %i, %n", UP, STORE)),
    "index-signed-as-unsigned": (loop(STORE, "index"), branches("ult, %i, %n", UP, STORE, "index")),
    "index-signed-as-unsigned-loop": (loop(STORE, "index"), loop(STORE, "index", "unsigned")),
    # The target does not end where the source does.
    "last-of-all": (over_index(STORE, end="%more"), branches("ule, %i, %n", UP, STORE)),
    "index-never-met": (loop(STORE, "index"), branches("ne, %i, %n", UP, STORE, "index")),
    "down-past-the-end": (loop(STORE, word="unsigned"), branches("uge, %i, %c0", DOWN, STORE, first="%n")),
    # Steps that go past the end, and around.
    "steps-of-two": (loop(STORE, word="unsigned", step="%c2"), branches("ult, %i, %n", "arith.addi %i, %c2", STORE)),
    "steps-past": (loop(STORE, word="unsigned", step="%c2"), branches("ne, %i, %n", "arith.addi %i, %c2", STORE)),
    # Poison from the middle of the type on.
    "flagged": (loop(AT, word="unsigned"), branches("ult, %i, %n", UP + " overflow<nsw>", AT)),
    # One turn less.
    "one-less": (loop(AT, word="unsigned"), branches("ult, %i, %n", UP, AT, first="%c1")),
    "rotated-unguarded": (loop(AT, word="unsigned"), rotated("ne, %j, %n", AT, "ult, %c1, %n")),
    # From the middle of the type on a number is negative where it is cast as signed.
    "cast": (over_index(AT_INDEX), branches("ult, %i, %n", UP, element("index_cast"))),
    "end": (over_index(AT_INDEX, "index_cast"), branches("ult, %i, %n", UP, AT)),
    # What calls may not end shows.
    "endless-calls": (branches("ne, %i, %n", UP, CALL, "index"), loop(CALL, "index")),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right(name: str) -> None:
    found = proof(*RIGHT[name])
    assert found is not None
    assert (found == "refines") == (name in ONE_WAY)


@pytest.mark.parametrize("name", WRONG)
def test_wrong(name: str) -> None:
    assert proof(*WRONG[name]) is None


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("name", "verdict"),
    [("signed-as-unsigned", "not-equivalent"), ("rotated-unguarded", "not-equivalent"), ("one-less", "not-equivalent")],
)
def test_verdicts(name: str, verdict: str) -> None:
    assert check(*WRONG[name], ("source.mlir", "target.mlir"), Options()).verdict == verdict


@pytest.mark.parametrize("step", [1, 2, 3, 5, 100, 200])
@pytest.mark.parametrize("end", ["%n", "%e"])
def test_unsigned_loops_are_what_they_were(step: int, end: str) -> None:
    text = f"""
func.func @f(%m: i8, %n: i8, %A: memref<256xi32>) -> i32 {{
  %s = arith.constant {step} : i8
  %e = arith.constant 250 : i8
  %z = arith.constant 0 : i32
  %r = scf.for unsigned %i = %m to {end} step %s iter_args(%a = %z) -> i32 : i8 {{
    %at = arith.index_castui %i : i8 to index
    %v = arith.extsi %i : i8 to i32
    memref.store %v, %A[%at] : memref<256xi32>
    %b = arith.addi %a, %v : i32
    scf.yield %b : i32
  }}
  return %r : i32
}}"""
    pool = TermPool()
    function = read(text, pool)
    normal = normalize(pool, function)
    codes = [compile(f) for f in (function, replace(function, body=explicit(normal)))]
    for m in (0, 1, 127, 128, 200, 249, 250, 255):
        for n in (0, 1, 7, 126, 127, 128, 200, 254, 255):
            ends = [code.run((m, n, Buffer((256,), [0] * 256)), 100_000) for code in codes]
            assert isinstance(ends[0], Finished | Undefined)
            assert unequal(*ends) is None, (m, n, ends)


AHEAD = """func.func @f(%u: i8) -> i8 {{
  %first = arith.constant {first} : i8
  %one = arith.constant 1 : i8
  %a = arith.constant {ahead} : i8
  %r:2 = scf.while (%t = %first, %s = %one) : (i8, i8) -> (i8, i8) {{
    %x = arith.addi %t, %a : i8
    %c = arith.cmpi {predicate}, %x, %u : i8
    scf.condition(%c) %t, %s : i8, i8
  }} do {{
  ^bb0(%t: i8, %s: i8):
    %n = arith.{op} %t, %one {flag} : i8
    %d = arith.addi %s, %s : i8
    scf.yield %n, %d : i8, i8
  }}
  return %r#1 : i8
}}"""


@pytest.mark.parametrize(
    ("first", "ahead", "predicate", "op", "flag"),
    [
        (126, 10, "slt", "addi", "nsw"),
        (-2, 2, "ult", "addi", "nuw"),
        (-2, 2, "ne", "addi", "nuw"),
        (3, 5, "ugt", "subi", "nuw"),
    ],
)
def test_what_is_behind_a_counter_may_wrap(first: int, ahead: int, predicate: str, op: str, flag: str) -> None:
    """A flag of its sum is then poison, though what is compared does not wrap."""
    source, target = (
        AHEAD.format(first=first, ahead=ahead, predicate=predicate, op=op, flag=f) for f in ("", f"overflow<{flag}>")
    )
    assert proof(source, target) is None
    assert check(source, target, ("source.mlir", "target.mlir"), Options()).verdict == "not-equivalent"


def test_a_negative_literal_is_greater_than_all_others() -> None:
    text = """func.func @f(%x: i32) -> i32 {{
  %m = arith.constant -3 : index
  %e = arith.constant 5 : index
  %one = arith.constant 1 : index
  %r = scf.for {unsigned} %i = %m to %e step %one iter_args(%s = %x) -> (i32) {{
    %n = arith.addi %s, %s : i32
    scf.yield %n : i32
  }}
  return %r : i32
}}"""
    ops = "%c = arith.constant 256 : i32\n%r = arith.muli %x, %c : i32\nreturn %r : i32"
    eight = f"func.func @f(%x: i32) -> i32 {{\n{ops}\n}}"
    for unsigned, verdict in (("unsigned", "not-equivalent"), ("", "equivalent")):
        found = check(text.format(unsigned=unsigned), eight, ("s.mlir", "t.mlir"), Options())
        assert found.verdict == verdict
    assert proof(text.format(unsigned="unsigned"), eight) is None


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("first", "wraps"), [("0", "unknown"), ("9223372036854775800", "not-equivalent")])
def test_an_unsigned_index_beyond_the_signed_ones_is_assumed_away(first: str, wraps: str) -> None:
    """It steps by 1, so nothing else in the text is index arithmetic. From 0 it goes on for years."""
    source = f"""func.func @f(%n: index, %A: memref<1xi32>, %x: i32) {{
  %first = arith.constant {first} : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for unsigned %i = %first to %n step %c1 {{
    memref.store %x, %A[%c0] : memref<1xi32>
  }}
  return
}}"""
    target = source.replace("scf.for unsigned", "scf.for")
    report = check(source, target, ("source", "target"), Options())
    assert report.verdict == "refines"
    assert "index-overflow" in {a.id for f in report.functions for a in f.assumptions}
    options = Options(switches=Switches(index_wraps=True), seconds=10.0)
    assert check(source, target, ("source", "target"), options).verdict == wraps

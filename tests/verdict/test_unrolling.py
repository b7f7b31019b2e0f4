"""Short loops against what they compute, in closed form or straight-line code."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy
from hecv.mlir.importer import new_context, parse
from hecv.prove.changed_pair import UNROLLED
from hecv.prove.pair.pair_context import Case, Task
from hecv.prove.portfolio import CHANGED


def loop(body: str, first: str, end: int, arguments: str = "%x: i32", kind: str = "i32") -> str:
    return f"""
func.func @f({arguments}) -> {kind} {{
  %zero = arith.constant 0 : {kind}
  %one = arith.constant 1 : {kind}
  %end = arith.constant {end} : {kind}
  %r = scf.for %i = %zero to %end step %one iter_args(%a = {first}) -> {kind} : {kind} {{
{body}    scf.yield %b : {kind}
  }}
  return %r : {kind}
}}"""


def straight(body: str, arguments: str = "%x: i32", kind: str = "i32") -> str:
    return f"func.func @f({arguments}) -> {kind} {{\n{body}  return %r : {kind}\n}}"


POWER = loop("    %b = arith.muli %a, %x : i32\n", "%one", 5)
SQUARES = """  %s = arith.muli %x, %x : i32
  %q = arith.muli %s, %s : i32
  %r = arith.muli %q, {last} : i32
"""
BITS = loop(
    "    %v = arith.shrui %x, %i : i32\n    %l = arith.andi %v, %one : i32\n    %b = arith.addi %a, %l : i32\n",
    "%zero",
    32,
)
BYTE = "    %v = arith.shrui %x, %i : i32\n    %l = arith.andi %v, %one : i32\n    %b = arith.xori %a, %l : i32\n"
PARITY = loop(BYTE, "%zero", 32)
FOLDED = "".join(
    f"  %k{k} = arith.constant {by} : i32\n"
    f"  %s{k} = arith.shrui %{'x' if k == 0 else f'p{k - 1}'}, %k{k} : i32\n"
    f"  %p{k} = arith.xori %{'x' if k == 0 else f'p{k - 1}'}, %s{k} : i32\n"
    for k, by in enumerate((16, 8, 4, 2, 1))
)
LAST = "  %one = arith.constant 1 : i32\n  %r = arith.andi %p{last}, %one : i32\n"
BRANCH = """
func.func @f(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %end = arith.constant 5 : i32
  cf.br ^head(%zero, %one : i32, i32)
^head(%i: i32, %a: i32):
  %c = arith.cmpi ult, %i, %end : i32
  cf.cond_br %c, ^body, ^end
^body:
  %b = arith.muli %a, %x : i32
  %j = arith.addi %i, %one : i32
  cf.br ^head(%j, %b : i32, i32)
^end:
  return %a : i32
}"""
SUM = loop("    %t = arith.muli %i, %x : i32\n    %b = arith.addi %a, %t : i32\n", "%zero", 10)
FLAGGED = loop("    %b = arith.addi %a, %x overflow<nsw> : i32\n", "%zero", 4)
TIMES = "  %k = arith.constant {by} : i32\n  %r = arith.muli %x, %k : i32\n"

PAIRS = {
    "power": (POWER, straight(SQUARES.format(last="%x")), straight(SQUARES.format(last="%s"))),
    "branches": (BRANCH, straight(SQUARES.format(last="%x")), straight(SQUARES.format(last="%q"))),
    "parity": (PARITY, straight(FOLDED + LAST.format(last=4)), straight(FOLDED + LAST.format(last=3))),
    "sum": (SUM, straight(TIMES.format(by=45)), straight(TIMES.format(by=46))),
}


def shown(source: str, target: str) -> bool:
    """Whether copying loops out shows a pair, which runs are not asked about."""
    context = new_context()
    modules = parse(source, "source.mlir", context), parse(target, "target.mlir", context)
    case = Case(Task(modules, ("f", "f"), (), Switches(), Strategy(), 0, crosscheck=True), lambda stage, runs: None)
    return UNROLLED.prove(case, CHANGED) is not None


@pytest.mark.one_in(6)
@pytest.mark.egraph
@pytest.mark.parametrize("name", PAIRS)
def test_pairs(name: str) -> None:
    source, right, wrong = PAIRS[name]
    assert shown(source, right)
    assert not shown(source, wrong)


@pytest.mark.egraph
def test_a_population_count() -> None:
    right = straight("  %r = math.ctpop %x : i32\n")
    assert shown(BITS, right)
    assert not shown(BITS, straight("  %r = math.ctlz %x : i32\n"))
    assert not shown(loop(BITS[BITS.index("    %v") : BITS.index("    scf")], "%zero", 31), right)


@pytest.mark.egraph
def test_poison_on_the_way_counts() -> None:
    """Sums that may be poison are refined by a product that is not; not the other way round."""
    product = straight(TIMES.format(by=4))
    assert check(FLAGGED, product, ("source.mlir", "target.mlir"), Options()).verdict == "refines"
    assert not shown(product, FLAGGED)


LEADING = """
func.func @f(%x: i32, %y: i32) -> i32 {
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %all = arith.constant 32 : i32
  %from = arith.constant 1 : index
  %to = arith.constant 32 : index
  %empty = arith.cmpi eq, %x, %z : i32
  %r = scf.if %empty -> (i32) {
    scf.yield %all : i32
  } else {
    %p:2 = scf.for %i = %from to %to step %from iter_args(%v = %x, %n = %z) -> (i32, i32) {
      %c = arith.cmpi slt, %v, %z : i32
      %q:2 = scf.if %c -> (i32, i32) {
        scf.yield %v, %n : i32, i32
      } else {
        %m = arith.addi %n, %one : i32
        %w = arith.shli %v, %one : i32
        scf.yield %w, %m : i32, i32
      }
      scf.yield %q#0, %q#1 : i32, i32
    }
    scf.yield %p#1 : i32
  }
  return %r : i32
}"""
"""What `convert-math-to-funcs` makes of `math.ctlz`."""


@pytest.mark.one_in(6)
@pytest.mark.egraph
def test_leading_zeros_by_a_loop_under_a_condition() -> None:
    count = straight("  %r = math.ctlz %x : i32\n", "%x: i32, %y: i32")
    assert shown(count, LEADING)
    assert shown(LEADING, count)
    assert check(count, LEADING, ("source.mlir", "target.mlir"), Options()).verdict == "equivalent"
    wrong = (
        ("%to = arith.constant 32", "%to = arith.constant 31"),
        ("%all = arith.constant 32", "%all = arith.constant 31"),
        ("cmpi slt, %v, %z", "cmpi sgt, %v, %z"),
        ("shli %v, %one", "shrui %v, %one"),
    )
    for old, new in wrong:
        assert old in LEADING
        assert not shown(count, LEADING.replace(old, new))


@pytest.mark.one_in(2)
@pytest.mark.egraph
def test_a_branch_on_poison_that_does_nothing_stays() -> None:
    """It is undefined where a sum wraps, which the source allows."""
    count = straight("  %r = math.ctlz %x : i32\n", "%x: i32, %y: i32")
    sum_ = "%s = arith.addi %x, %y overflow<nsw> : i32\n  %odd = arith.cmpi slt, %s, %z : i32\n  "
    branch = "%d = scf.if %odd -> i32 { scf.yield %x : i32 } else { scf.yield %y : i32 }\n  return"
    poisoned = LEADING.replace("%empty =", f"{sum_}%empty =").replace("return", branch)
    assert not shown(count, poisoned)
    assert check(count, poisoned, ("source.mlir", "target.mlir"), Options()).verdict == "not-equivalent"
    assert shown(count, poisoned.replace(" overflow<nsw>", ""))

"""Whiles against what they compute: invariants, and that loops end."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy
from hecv.mlir.importer import new_context, parse
from hecv.prove.pair.pair_context import Case, Task
from hecv.prove.pair.prover import Budget
from hecv.prove.whiles.closed_form import prove_closed


def loop(
    turn: str, goes_on: str = "cmpi ne, %i, %zero", first: str = "%zero", back: str = "%j, %m", width: int = 32
) -> str:
    """`%i` is at first `%x`, `%n` is `first`; the result is the last `%n`."""
    kind = f"i{width}"
    return f"""
func.func @f(%x: {kind}, %y: {kind}) -> {kind} {{
  %zero = arith.constant 0 : {kind}
  %one = arith.constant 1 : {kind}
  %all = arith.constant {width} : {kind}
  %r:2 = scf.while (%i = %x, %n = {first}) : ({kind}, {kind}) -> ({kind}, {kind}) {{
    %c = arith.{goes_on} : {kind}
    scf.condition(%c) %i, %n : {kind}, {kind}
  }} do {{
  ^bb0(%i: {kind}, %n: {kind}):
{turn.replace("KIND", kind)}    scf.yield {back} : {kind}, {kind}
  }}
  return %r#1 : {kind}
}}"""


def formula(body: str, width: int = 32) -> str:
    kind = f"i{width}"
    return f"func.func @f(%x: {kind}, %y: {kind}) -> {kind} {{\n{body.replace('KIND', kind)}  return %r : {kind}\n}}"


LOWEST = """    %d = arith.subi %i, %one : KIND
    %j = arith.andi %i, %d : KIND
    %m = arith.addi %n, %one : KIND
"""
BITS = """    %b = arith.andi %i, %one : KIND
    %j = arith.shrui %i, %one : KIND
    %m = arith.{} %n, %b : KIND
"""
LENGTH = "    %j = arith.shrui %i, %one : KIND\n    %m = arith.subi %n, %one : KIND\n"
COUNT, ZEROS = (formula(f"  %r = math.{op} %x : KIND\n") for op in ("ctpop", "ctlz"))
PARITY = formula("  %o = arith.constant 1 : KIND\n  %p = math.ctpop %x : KIND\n  %r = arith.andi %p, %o : KIND\n")


def proved(source: str, target: str) -> str | None:
    """What is shown of a pair of which runs are not asked."""
    context = new_context()
    modules = parse(source, "source.mlir", context), parse(target, "target.mlir", context)
    case = Case(Task(modules, ("f", "f"), (), Switches(), Strategy(), 0, crosscheck=True), lambda stage, runs: None)
    found = prove_closed(case, Budget())
    return None if found is None else "equivalent" if found.one_way is None else "refines"


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("turning", "closed"),
    [
        pytest.param(loop(LOWEST), COUNT, id="bits, each once"),
        pytest.param(loop(BITS.format("addi")), COUNT, id="all bits"),
        pytest.param(loop(BITS.format("xori")), PARITY, id="parity"),
        pytest.param(loop(LENGTH, first="%all"), ZEROS, id="leading zeros"),
        pytest.param(loop(BITS.format("addi"), width=64), formula("  %r = math.ctpop %x : KIND\n", 64), id="64 bits"),
    ],
)
def test_a_while_that_computes_a_formula(turning: str, closed: str) -> None:
    assert proved(turning, closed) == "equivalent"
    assert proved(closed, turning) == "equivalent"


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(loop(LOWEST, first="%one"), id="begins at 1"),
        pytest.param(loop(LOWEST, "cmpi ugt, %i, %one"), id="ends too early"),
        pytest.param(loop(LOWEST, "cmpi sgt, %i, %zero"), id="ends at once where negative"),
        pytest.param(loop(BITS.format("ori")), id="another operator"),
        pytest.param(loop(LOWEST, back="%m, %j"), id="values change places"),
        pytest.param(loop(LOWEST.replace("%i, %d", "%y, %d")), id="of another argument"),
        pytest.param(loop(LOWEST.replace("addi %n, %one :", "addi %n, %one overflow<nsw> :")), id="may be poison"),
    ],
)
def test_a_while_that_does_not(wrong: str) -> None:
    assert proved(COUNT, wrong) is None
    assert proved(wrong, COUNT) is None


def test_a_loop_that_may_not_end() -> None:
    """It gives 0 wherever it ends: what it is refined by, and does not refine."""
    stays = loop("    %j = arith.ori %i, %one : KIND\n    %m = arith.addi %n, %zero : KIND\n")
    zero = formula("  %r = arith.constant 0 : KIND\n")
    assert proved(stays, zero) == "refines"
    assert proved(zero, stays) is None


def test_a_loop_that_runs_around() -> None:
    """It goes up until the type ends, and on: no value falls or rises at each turn."""
    around = loop("    %j = arith.addi %i, %one : KIND\n    %m = arith.addi %n, %zero : KIND\n")
    assert proved(formula("  %r = arith.constant 0 : KIND\n"), around) is None


def test_a_branch_on_poison_in_what_is_not_used() -> None:
    """Shifts by the width are poison, and branches on poison undefined."""
    branch = """    %s = arith.shrui %i, %all : KIND
    %q = arith.cmpi eq, %s, %zero : KIND
    %u = scf.if %q -> KIND {
      scf.yield %i : KIND
    } else {
      scf.yield %n : KIND
    }
"""
    assert proved(COUNT, loop(branch + LOWEST)) is None
    defined = branch.replace("%i, %all", "%i, %one")
    assert proved(COUNT, loop(defined + LOWEST)) == "equivalent"


def test_a_loop_in_a_loop() -> None:
    """Which may not end."""
    inner = """    %w = scf.while (%k = %i) : (KIND) -> KIND {
      %p = arith.cmpi ne, %k, %zero : KIND
      scf.condition(%p) %k : KIND
    } do {
    ^bb0(%k: KIND):
      scf.yield %k : KIND
    }
"""
    assert proved(COUNT, loop(inner + LOWEST)) is None


@pytest.mark.egraph
def test_the_verdict() -> None:
    report = check(loop(LOWEST), COUNT, ("s.mlir", "t.mlir"), Options())
    assert report.verdict == "equivalent"
    assert [rule.name for rule in report.functions[0].rules] == ["while-invariant"]
    assert check(loop(LOWEST, first="%one"), COUNT, ("s.mlir", "t.mlir"), Options()).verdict == "not-equivalent"

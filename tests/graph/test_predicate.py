"""Branches on data as selections, through the verdicts that rest on them."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.verdict.strategy import Strategy


def _verdict(source: str, target: str, strategy: Strategy | None = None) -> str:
    options = Options(strategy=strategy or Strategy())
    return check(source, target, ("source.mlir", "target.mlir"), options).verdict


def _loop(body: str, bounds: str = "0 to 32") -> str:
    return f"""
func.func @f(%A: memref<32xi32>, %B: memref<32xi32>, %C: memref<32xi32>) {{
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  affine.for %i = {bounds} {{
    %a = affine.load %A[%i] : memref<32xi32>
    %b = affine.load %B[%i] : memref<32xi32>
    %p = arith.cmpi sgt, %a, %zero : i32
    {body}
  }}
  return
}}"""


DIVIDED = """scf.if %p {
      %q = arith.divsi %b, %a : i32
      affine.store %q, %C[%i] : memref<32xi32>
    }"""
SPECULATED = """%q = arith.divsi %b, %a : i32
    scf.if %p {
      affine.store %q, %C[%i] : memref<32xi32>
    }"""


def test_the_same_branch_in_another_loop() -> None:
    tiled = _loop(DIVIDED).replace("affine.for %i = 0 to 32 {", "affine.for %t = 0 to 4 { affine.for %k = 0 to 8 {")
    tiled = tiled.replace("    %a =", "    %i = affine.apply affine_map<(d0, d1) -> (8 * d0 + d1)>(%t, %k)\n    %a =")
    tiled = tiled.replace("  return", "  }\n  return")
    assert _verdict(_loop(DIVIDED), tiled) == "equivalent"


def test_a_division_stays_under_its_condition() -> None:
    assert _verdict(_loop(DIVIDED), _loop(SPECULATED)) == "not-equivalent"
    assert _verdict(_loop(SPECULATED), _loop(DIVIDED)) == "refines"


def test_a_branch_that_yields_is_a_selection() -> None:
    branch = """%r = scf.if %p -> i32 { scf.yield %a : i32 } else { scf.yield %zero : i32 }
    affine.store %r, %C[%i] : memref<32xi32>"""
    maximum = "%r = arith.maxsi %a, %zero : i32\n affine.store %r, %C[%i] : memref<32xi32>"
    assert _verdict(_loop(branch), _loop(maximum)) == "equivalent"
    assert _verdict(_loop(branch), _loop(maximum.replace("maxsi", "minsi"))) == "not-equivalent"


def test_a_condition_that_the_branch_changes() -> None:
    once = """scf.if %p {
      affine.store %zero, %A[%i] : memref<32xi32>
      affine.store %b, %C[%i] : memref<32xi32>
    }"""
    again = """scf.if %p {
      affine.store %zero, %A[%i] : memref<32xi32>
    }
    %a2 = affine.load %A[%i] : memref<32xi32>
    %p2 = arith.cmpi sgt, %a2, %zero : i32
    scf.if %p2 {
      affine.store %b, %C[%i] : memref<32xi32>
    }"""
    assert _verdict(_loop(once), _loop(once)) == "equivalent"
    assert _verdict(_loop(once), _loop(again)) == "not-equivalent"


def test_nested_branches() -> None:
    nested = """scf.if %p {
      %s = arith.cmpi slt, %b, %zero : i32
      scf.if %s {
        affine.store %b, %C[%i] : memref<32xi32>
      } else {
        affine.store %a, %C[%i] : memref<32xi32>
      }
    }"""
    flat = """%s = arith.cmpi slt, %b, %zero : i32
    scf.if %p {
      %m = arith.select %s, %b, %a : i32
      affine.store %m, %C[%i] : memref<32xi32>
    }"""
    assert _verdict(_loop(nested), _loop(flat)) == "equivalent"
    assert _verdict(_loop(nested), _loop(flat.replace("%s, %b, %a", "%s, %a, %b"))) == "not-equivalent"


@pytest.mark.parametrize(("bounds", "verdict"), [("0 to 31", "equivalent"), ("0 to 32", "unknown")])
def test_an_access_under_a_condition_may_be_out_of_bounds(bounds: str, verdict: str) -> None:
    """The proof does not know that the condition fails at the last iteration, and says so."""
    store = "affine.store {}, %C[%i + 1] : memref<32xi32>"
    source = _loop(f"scf.if %p {{ {store.format('%b')} }}", bounds)
    target = _loop(f"scf.if %p {{ %c = arith.addi %b, %zero : i32\n {store.format('%c')} }}", bounds)
    assert _verdict(source, target, Strategy(engine="dataflow")) == verdict
    assert _verdict(source, target) == "equivalent"  # by loop theorems: the accesses are the same


def test_a_branch_on_poison_may_not_be_made_up() -> None:
    source = _loop("""%x = arith.shli %one, %b : i32
    %y = arith.addi %x, %zero : i32
    affine.store %y, %C[%i] : memref<32xi32>""")
    target = _loop("""%x = arith.shli %one, %b : i32
    %s = arith.cmpi eq, %x, %zero : i32
    scf.if %s { affine.store %zero, %C[%i] : memref<32xi32> } else { affine.store %x, %C[%i] : memref<32xi32> }""")
    assert _verdict(source, target) == "not-equivalent"
    assert _verdict(target, source) == "refines"


def test_an_access_of_an_assertion_under_a_condition_may_be_out_of_bounds() -> None:
    """The source is defined where the condition does not hold, and then the target stores something else."""
    asserting = """scf.if %p {
      %y = affine.load %C[%i + 32] : memref<32xi32>
      %s = arith.cmpi sgt, %y, %zero : i32
      cf.assert %s, "positive"
    }"""
    source, other = _loop(asserting, "0 to 1"), _loop("affine.store %one, %B[%i] : memref<32xi32>", "0 to 1")
    assert _verdict(source, other) == "not-equivalent"
    assert _verdict(source, _loop("", "0 to 1")) == "refines"


@pytest.mark.parametrize(
    ("negation", "holds"),
    [
        ("%q = arith.cmpi sle, %a, %zero : i32", True),
        ("%true = arith.constant true\n %q = arith.xori %p, %true : i1", True),
        ("%q = arith.cmpi slt, %a, %zero : i32", False),
    ],
)
def test_a_branch_turned_round(negation: str, holds: bool) -> None:
    """Also where the branch changes what its condition reads."""
    straight = """scf.if %p {
      affine.store %b, %A[%i] : memref<32xi32>
    } else {
      affine.store %one, %C[%i] : memref<32xi32>
    }"""
    turned = f"""{negation}
    scf.if %q {{
      affine.store %one, %C[%i] : memref<32xi32>
    }} else {{
      affine.store %b, %A[%i] : memref<32xi32>
    }}"""
    assert _verdict(_loop(straight), _loop(turned)) == ("equivalent" if holds else "not-equivalent")


def test_a_float_comparison_turned_round_knows_of_nan() -> None:
    branch = """
func.func @f(%A: memref<2xf32>, %C: memref<1xf32>) {{
  %x = affine.load %A[0] : memref<2xf32>
  %y = affine.load %A[1] : memref<2xf32>
  %p = arith.cmpf {}, %x, %y : f32
  scf.if %p {{ affine.store {}, %C[0] : memref<1xf32> }} else {{ affine.store {}, %C[0] : memref<1xf32> }}
  return
}}"""
    source = branch.format("olt", "%x", "%y")
    assert _verdict(source, branch.format("uge", "%y", "%x")) == "equivalent"
    assert _verdict(source, branch.format("oge", "%y", "%x")) == "not-equivalent"


def test_a_value_made_within_a_branch() -> None:
    """What a branch yields within another is compared as if the outer one were always taken."""
    yielding = """scf.if %p {
      %q = arith.cmpi slt, %b, %a : i32
      %m = scf.if %q -> (i32) { scf.yield %a : i32 } else { scf.yield %zero : i32 }
      affine.store %m, %A[%i] : memref<32xi32>
    }"""
    choosing = """scf.if %p {
      %q = arith.cmpi slt, %b, %a : i32
      %m = arith.select %q, %a, %zero : i32
      affine.store %m, %A[%i] : memref<32xi32>
    }"""
    dataflow = Strategy(engine="dataflow")
    assert _verdict(_loop(yielding), _loop(choosing), dataflow) == "equivalent"
    assert _verdict(_loop(yielding), _loop(choosing.replace("%a, %zero", "%zero, %a")), dataflow) == "not-equivalent"

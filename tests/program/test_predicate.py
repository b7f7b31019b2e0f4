"""Branches on data as selections, through the verdicts that rest on them."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.strategy import Strategy


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


@pytest.mark.one_in(3)
@pytest.mark.parametrize("bounds", ["0 to 31", "0 to 32"])
def test_an_access_under_a_condition_may_be_out_of_bounds(bounds: str) -> None:
    """At the last iteration the condition may hold: then both are undefined, by one condition."""
    store = "affine.store {}, %C[%i + 1] : memref<32xi32>"
    source = _loop(f"scf.if %p {{ {store.format('%b')} }}", bounds)
    target = _loop(f"scf.if %p {{ %c = arith.addi %b, %zero : i32\n {store.format('%c')} }}", bounds)
    assert _verdict(source, target, Strategy(engine="dataflow")) == "equivalent"
    assert _verdict(source, target) == "equivalent"


MASKED = """
func.func @f(%A: memref<?xi32>, %B: memref<?xi32>, %n: index) {
  %zero = arith.constant dense<0> : vector<4xi32>
  %none = arith.constant 0 : i32
  affine.for %i = 0 to %n step 4 {
    %a = vector.transfer_read %A[%i], %none : memref<?xi32>, vector<4xi32>
    %p = arith.cmpi sgt, %a, %zero : vector<4xi32>
    vector.transfer_write %a, %B[%i], %p : vector<4xi32>, memref<?xi32>
  }
  return
}"""
PEELED = """
func.func @f(%A: memref<?xi32>, %B: memref<?xi32>, %n: index) {
  %zero = arith.constant dense<0> : vector<4xi32>
  %none = arith.constant 0 : i32
  affine.for %i = 0 to affine_map<()[s0] -> (s0 - s0 mod 4)>()[%n] step 4 {
    %a = vector.transfer_read %A[%i], %none {in_bounds = [true]} : memref<?xi32>, vector<4xi32>
    %p = arith.cmpi sgt, %a, %zero : vector<4xi32>
    vector.transfer_write %a, %B[%i], %p {in_bounds = [true]} : vector<4xi32>, memref<?xi32>
  }
  affine.for %i = max affine_map<()[s0] -> (s0 - s0 mod 4, 0)>()[%n] to %n {
    %a = affine.load %A[%i] : memref<?xi32>
    %p = arith.cmpi sgt, %a, %none : i32
    scf.if %p {
      affine.store %a, %B[%i] : memref<?xi32>
    }
  }
  return
}"""
SCALAR = """
func.func @f(%A: memref<?xi32>, %B: memref<?xi32>, %n: index) {
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi32>
    %p = arith.cmpi sgt, %a, %zero : i32
    scf.if %p {
      affine.store %a, %B[%i] : memref<?xi32>
    }
  }
  return
}"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("source", "target", "sizes", "verdict"),
    [
        (SCALAR, MASKED, ("dim(A, 0) = n", "dim(B, 0) = n"), "equivalent"),
        (SCALAR, MASKED, ("dim(A, 0) = n",), "refines"),  # the source may be beyond the end of B
        (SCALAR, MASKED, ("dim(A, 0) >= n", "dim(B, 0) = n"), "equivalent"),
        (SCALAR, MASKED, ("dim(A, 0) = n + 1", "dim(B, 0) = n + 1"), "not-equivalent"),  # an element more
        (MASKED, SCALAR, ("dim(A, 0) = n",), "not-equivalent"),  # beyond the end of B
        (SCALAR, PEELED, (), "equivalent"),  # undefined where one condition holds, beyond the end of B
        (SCALAR, PEELED.replace("sgt, %a, %zero", "sge, %a, %zero"), (), "not-equivalent"),
    ],
)
def test_a_mask_of_data_within_what_is_there(source: str, target: str, sizes: tuple[str, ...], verdict: str) -> None:
    """A lane is stored where it is within the memref, which isl holds, and where the mask is on, which is data."""
    outcome = check(source, target, ("source.mlir", "target.mlir"), Options(assume=sizes))
    assert outcome.verdict == verdict


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


NESTED = """%h = arith.cmpi slt, %i, %half : index
    scf.if %h {
      %s = arith.shli %a, %b : i32
      %q = arith.cmpi sgt, %s, %b : i32
      scf.if %q {
        affine.store %b, %C[%i] : memref<32xi32>
      }
    }"""
AT_ONCE = """%h = arith.cmpi slt, %i, %half : index
    %s = arith.shli %a, %b : i32
    %q = arith.cmpi sgt, %s, %b : i32
    %no = arith.constant false
    %yes = arith.constant true
    %both = {}
    scf.if %both {{ {} }} else {{ {} }}"""
STORED = "affine.store %b, %C[%i] : memref<32xi32>"


@pytest.mark.parametrize(
    ("condition", "then", "otherwise", "verdict"),
    [
        ("arith.andi %q, %h : i1", STORED, "", "not-equivalent"),  # branches on poison where `h` does not hold
        ("arith.select %h, %q, %no : i1", STORED, "", "equivalent"),
        ("arith.select %q, %h, %no : i1", STORED, "", "not-equivalent"),  # the same
        ("arith.select %h, %q, %yes : i1", STORED, "", "not-equivalent"),
        ("arith.select %h, %yes, %q : i1", STORED, "", "not-equivalent"),
        ("arith.select %h, %yes, %q : i1", "", STORED, "not-equivalent"),
    ],
)
def test_two_branches_as_one(condition: str, then: str, otherwise: str, verdict: str) -> None:
    """What is poison where the condition on indices decides must not be branched on."""
    half = "%half = arith.constant 1 : index\n  affine.for"
    source = _loop(NESTED).replace("affine.for", half)
    target = _loop(AT_ONCE.format(condition, then, otherwise)).replace("affine.for", half)
    assert _verdict(source, target) == verdict
    if verdict == "equivalent":
        assert _verdict(source, target, Strategy(engine="dataflow")) == verdict
        assert _verdict(target, source) == verdict
    elif "andi" in condition:
        assert _verdict(target, source, Strategy(engine="dataflow")) == "refines"


def test_both_sides_of_a_branch_on_indices_and_data() -> None:
    """`p or q` is undone for either side, with a copy of what both ways lead to."""
    both = "%half = arith.constant 16 : index\n  affine.for"
    condition = "%h = arith.cmpi slt, %i, %half : index\n %r = arith.ori %h, %p : i1\n"
    source = _loop(condition + f"scf.if %r {{ {STORED} }} else {{ {STORED.replace('%b', '%a')} }}")
    split = """affine.for %i = 0 to 16 {
    %b = affine.load %B[%i] : memref<32xi32>
    affine.store %b, %C[%i] : memref<32xi32>
  }
  affine.for %i = 16 to 32 {
    %a = affine.load %A[%i] : memref<32xi32>
    %b = affine.load %B[%i] : memref<32xi32>
    %p = arith.cmpi sgt, %a, %zero : i32
    %c = arith.select %p, %b, %a : i32
    affine.store %c, %C[%i] : memref<32xi32>
  }
  return
}"""
    target = _loop("").split("affine.for")[0] + split
    source = source.replace("affine.for", both)
    assert _verdict(source, target) == "equivalent"
    assert _verdict(source, target.replace("%p, %b, %a", "%p, %a, %b")) == "not-equivalent"
    assert _verdict(source, target.replace("16", "17")) == "not-equivalent"


CHOSEN = """
func.func @f(%c: memref<2xi1>, %A: memref<8xf32>, %B: memref<{wide}xf32>, %R: memref<8xf32>) {{
  %m = affine.load %c[0] : memref<2xi1>
  %T = memref.alloc() : memref<8xf32>
  scf.if %m {{
    affine.for %i = 0 to {then} {{
      %v = affine.load %A[%i] : memref<8xf32>
      affine.store %v, %T[%i] : memref<8xf32>
    }}
  }} else {{
    affine.for %i = 0 to 8 {{
      %v = affine.load %B[%i] : memref<{wide}xf32>
      affine.store %v, %T[%i] : memref<8xf32>
    }}
  }}
  affine.for %i = 0 to 8 {{
    %v = affine.load %T[%i] : memref<8xf32>
    affine.store %v, %R[%i] : memref<8xf32>
  }}
  return
}}"""
SELECTED = """
func.func @f(%c: memref<2xi1>, %A: memref<8xf32>, %B: memref<{wide}xf32>, %R: memref<8xf32>) {{
  %m = affine.load %c[{at}] : memref<2xi1>
  affine.for %i = 0 to 8 {{
    %a = affine.load %A[%i] : memref<8xf32>
    %b = affine.load %B[%i] : memref<{wide}xf32>
    %v = arith.select %m, {values} : f32
    affine.store %v, %R[%i] : memref<8xf32>
  }}
  return
}}"""


@pytest.mark.parametrize(
    ("then", "wide", "at", "values", "verdict"),
    [
        (8, 8, 0, "%a, %b", "equivalent"),
        (8, 8, 0, "%b, %a", "not-equivalent"),
        (8, 8, 1, "%a, %b", "not-equivalent"),
        (7, 8, 0, "%a, %b", "refines"),
        (8, 7, 0, "%a, %b", "not-equivalent"),
    ],
    ids=["same", "turned-round", "another-condition", "fewer-iterations", "beyond-the-end-of-what-is-not-chosen"],
)
def test_a_loop_on_either_side_is_one_loop(then: int, wide: int, at: int, values: str, verdict: str) -> None:
    source = CHOSEN.format(then=then, wide=wide)
    assert _verdict(source, SELECTED.format(at=at, wide=wide, values=values)) == verdict


def test_a_loop_on_either_side_of_the_target_is_one_loop() -> None:
    given = SELECTED.format(at=0, wide=8, values="%a, %b")
    assert _verdict(given, CHOSEN.format(then=8, wide=8)) == "equivalent"
    assert _verdict(given, CHOSEN.format(then=7, wide=8)) == "not-equivalent"


OWN = """
func.func @f(%c: memref<64xi1>, %A: memref<64xi1>) {{
  {before}
  scf.if %m {{
    affine.for %i = 0 to 64 {{
      %v = affine.load %c[%i] : memref<64xi1>
      affine.store %v, %A[%i] : memref<64xi1>
    }}
  }} else {{
    affine.for %i = 0 to 64 {{
      affine.store %m, %A[%i] : memref<64xi1>
    }}
  }}
  return
}}"""
OWN_SELECTED = """
func.func @f(%c: memref<64xi1>, %A: memref<64xi1>) {{
  {before}
  affine.for %i = 0 to 64 {{
    {within}
    %v = affine.load %c[%i] : memref<64xi1>
    %w = arith.select %m, %v, %m : i1
    affine.store %w, %A[%i] : memref<64xi1>
  }}
  return
}}"""


def test_a_condition_that_the_loops_on_either_side_change() -> None:
    read = "%m = affine.load %A[3] : memref<64xi1>"
    source = OWN.format(before=read)
    assert _verdict(source, OWN_SELECTED.format(before=read, within="")) == "equivalent"
    assert _verdict(source, OWN_SELECTED.format(before="", within=read)) == "not-equivalent"

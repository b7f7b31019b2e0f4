"""Pairs whose normal forms are one but for what a side condition of `hecv.dataflow.same_normal_form` is for."""

from __future__ import annotations

import pytest

from .test_conditions import function, proof

ARGUMENTS = "%n: index, %m: index, %k: index, %x: f32, %y: f32, %A: memref<4xf32>, %C: memref<2xi1>"
LESS = "  %c = arith.cmpf olt, %x, %y : f32\n"
READ = "    %v = memref.load %A[%n] : memref<4xf32>\n"
SCRATCH = """    %t = memref.alloc() : memref<4xf32>
    memref.store %x, %t[%n] : memref<4xf32>
"""
ALL = f"    scf.for %i = %c0 to %n step %c1 {{\n{READ.replace('[%n]', '[%i]')}    }}\n"


def either(body: str) -> tuple[str, str]:
    """Done where a condition on data holds, and where it does not."""
    return f"{LESS}  scf.if %c {{\n{body}  }}", f"{LESS}  scf.if %c {{\n  }} else {{\n{body}  }}"


def side_by_side(branch: str) -> str:
    return f"""  affine.parallel (%i) = (0) to (2) {{
    %c = affine.load %C[%i] : memref<2xi1>
    scf.if %c {branch}
    affine.if affine_set<(d0) : (-d0 >= 0)>(%i) {{
      affine.store %x, %A[0] : memref<4xf32>
    }}
  }}"""


def in_rows(branch: str) -> str:
    """Reads an element that is known only if `%m` is a place in a row."""
    return f"""{LESS}  affine.for %i = 0 to min affine_map<()[s0] -> (4, s0)>()[%k] {{
    %q = affine.apply affine_map<(d0)[s0, s1] -> ((d0 * s0 + s1) floordiv s0)>(%i)[%n, %m]
    scf.if %c {branch}
  }}"""


ROW = "{\n    %v = memref.load %A[%q] : memref<4xf32>\n}"
FIRST = "{\n    %v = affine.load %A[0] : memref<4xf32>\n}"

PAIRS = {
    # When a statement that writes nothing runs is not in the form.
    "guarded-read": either(READ),
    "guarded-reads": either(ALL),
    "guarded-scratch": either(SCRATCH),
    # That it is in bounds, isl would say under a premise.
    "guarded-read-of-a-row": (in_rows(ROW), in_rows("{ } else " + ROW)),
    "guarded-read-that-races": (side_by_side(FIRST), side_by_side("{ } else " + FIRST)),
}


@pytest.mark.egraph  # what the accesses demand is compared under conditions that differ
@pytest.mark.parametrize("name", PAIRS)
def test_a_pair_that_differs_is_not_proved(name: str) -> None:
    source, target = (function(ARGUMENTS, body) for body in PAIRS[name])
    assert proof(source, target) is None


def test_a_guarded_read_in_bounds_is_no_obstacle() -> None:
    first, _ = either("    affine.for %i = 0 to 4 {\n      %v = affine.load %A[%i] : memref<4xf32>\n    }\n")
    second = first.replace("0 to 4", "1 to 5").replace("[%i]", "[%i - 1]")
    assert proof(function(ARGUMENTS, first), function(ARGUMENTS, second)) == "one form"

"""Conditions on what bounds of loops compute: that a bound does not overflow is assumed where the loop is reached."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

LOOP = """
func.func @f(%A: memref<?xf32>, %B: memref<1xf32>, %n: index, %p: i1, %x: f32) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %u = arith.subi %n, %c1 : index
  BEFORE
    scf.for %i = %c1 to %u step %c1 {
      memref.store %x, %A[%i] : memref<?xf32>
    }
  AFTER
  return
}
"""
ALWAYS = ("", "")
GUARDED = ("%q = arith.cmpi slt, %c1, %u : index\n scf.if %q {", "}")
ON_DATA = ("%e = memref.load %B[%c0] : memref<1xf32>\n %d = arith.cmpf ogt, %e, %x : f32\n scf.if %d {", "}")
"""On data, so that an `scf.for` may not be reached."""


def _nest(parts: tuple[str, str], last: str = "") -> str:
    text = LOOP.replace("BEFORE", parts[0]).replace("AFTER", parts[1] + last)
    return text.replace("%c1 = arith", "%c0 = arith.constant 0 : index\n  %c1 = arith", 1)


def _verdict(source: str, target: str) -> str:
    return check(source, target, ("source.mlir", "target.mlir"), Options()).verdict


@pytest.mark.one_in(2)
def test_a_loop_may_be_guarded_by_its_bounds() -> None:
    """`n - 1` of the least `n` is the greatest number: the loop's own bound excludes it."""
    assert _verdict(_nest(ALWAYS), _nest(GUARDED)) == "equivalent"
    assert _verdict(_nest(GUARDED), _nest(ALWAYS)) == "equivalent"


def test_a_guard_that_is_too_narrow() -> None:
    narrow = (GUARDED[0].replace("%c1, %u", "%c2, %u"), "}")
    assert _verdict(_nest(ALWAYS), _nest(narrow)) == "not-equivalent"


def test_nothing_is_assumed_of_a_loop_that_may_not_be_reached() -> None:
    """For the least `n` the first comparison holds and the second does not."""
    store = "%o = arith.cmpi {}\n scf.if %o {{\n memref.store %x, %B[%c0] : memref<1xf32>\n }}"
    exact, wrapping = (_nest(ON_DATA, "\n" + store.format(c)) for c in ("sle, %n, %c2 : index", "sle, %u, %c1 : index"))
    inside = "memref.store %x, %A[%i] : memref<?xf32>", "memref.store %x, %C[%c0] : memref<1xf32>"
    exact, wrapping = (t.replace("%B: ", "%C: memref<1xf32>, %B: ").replace(*inside) for t in (exact, wrapping))
    assert _verdict(exact, wrapping) in ("unknown", "not-equivalent")


def test_an_unsigned_division_by_one() -> None:
    """What a trip count is for a loop of step 1, whatever its sign."""
    divided = ALWAYS[0] + "%o = arith.divui %u, %c1 : index"
    assert _verdict(_nest(ALWAYS), _nest((divided, "")).replace("to %u", "to %o")) == "equivalent"

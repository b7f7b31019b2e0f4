"""Lanes that hold different constants: a relation is taken apart by which literal is read."""

from __future__ import annotations

import copy

import pytest
from tests.kernel.pairs import Pair, certified, replayed
from tests.soundness.test_conditions import proof

from hecv.kernel.certificate.rejection import Malformed, Rejected

pytestmark = pytest.mark.egraph


def lanes(constants: str, body: str) -> str:
    return f"""func.func @f(%x: vector<4xi32>) -> vector<4xi32> {{
  %c = arith.constant dense<{constants}> : vector<4xi32>
{body}
  return %r : vector<4xi32>
}}"""


SHIFTED = lanes("[0, 1, 2, 3]", "%r = arith.shli %x, %c : vector<4xi32>")
DIVIDED = lanes("[0, 1, 2, 3]", "%r = arith.shrui %x, %c : vector<4xi32>")
PAIRS = {
    "a product as a shift": (lanes("[1, 2, 4, 8]", "%r = arith.muli %x, %c : vector<4xi32>"), SHIFTED),
    "a quotient as a shift": (lanes("[1, 2, 4, 8]", "%r = arith.divui %x, %c : vector<4xi32>"), DIVIDED),
    "one more": (
        lanes("[3, 5, 7, 9]", "%p = arith.muli %x, %c : vector<4xi32>\n%r = arith.addi %p, %x : vector<4xi32>"),
        lanes("[4, 6, 8, 10]", "%r = arith.muli %x, %c : vector<4xi32>"),
    ),
}
BROKEN = {
    "one lane differs": (lanes("[1, 2, 4, 9]", "%r = arith.muli %x, %c : vector<4xi32>"), SHIFTED),
    "lanes change places": (lanes("[2, 1, 4, 8]", "%r = arith.muli %x, %c : vector<4xi32>"), SHIFTED),
    "one lane traps": (DIVIDED, lanes("[1, 2, 4, 0]", "%r = arith.divui %x, %c : vector<4xi32>")),
    "one lane is poison": (
        lanes("[1, 2, 4, 8]", "%r = arith.muli %x, %c : vector<4xi32>"),
        lanes("[0, 1, 2, 32]", "%r = arith.shli %x, %c : vector<4xi32>"),
    ),
}


def stored(product: str, table: str = "") -> str:
    """Products of elements, of which two are literals and one is what the caller gave."""
    return f"""func.func @f(%M: memref<3xi32>, %x: memref<3xi32>, %y: memref<3xi32>) {{
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  affine.store %c1, %M[0] : memref<3xi32>
  affine.store %c2, %M[1] : memref<3xi32>
{table}
  affine.for %i = 0 to 3 {{
    %a = affine.load %x[%i] : memref<3xi32>
    {product}
    affine.store %p, %y[%i] : memref<3xi32>
  }}
  return
}}"""


GIVEN = stored("%b = affine.load %M[%i] : memref<3xi32>\n    %p = arith.muli %a, %b : i32")
TABLE = "  %T = memref.alloc() : memref<3xi32>\n" + "\n".join(
    f"  affine.store %c{k}, %T[{k}] : memref<3xi32>" for k in range(3)
)
LITERAL = stored("%b = affine.load %T[%i] : memref<3xi32>\n    %p = arith.shli %a, %b : i32", TABLE)


def test_an_element_that_was_there_before_is_a_case() -> None:
    assert proof(GIVEN, LITERAL) is proof(LITERAL, GIVEN) is None


@pytest.mark.parametrize("name", PAIRS)
def test_each_lane_is_an_equation_of_its_own(name: str) -> None:
    assert proof(*PAIRS[name]) is not None


@pytest.mark.parametrize("name", BROKEN)
def test_no_lane_is_left_out(name: str) -> None:
    assert proof(*BROKEN[name]) is None


def test_cases_are_replayed_and_leave_nothing_over() -> None:
    pair = Pair(*PAIRS["a product as a shift"])
    data, _ = certified(pair)
    assert replayed(data, pair)
    steps = [s for e in data["entries"] for s in e[3]] + [s for _, found in data["arrays"] for s in found]
    number = next(k for k, s in enumerate(steps) if isinstance(s, dict) and "cases" in s)
    assert len(steps[number]["cases"]) == 4
    for k in range(4):
        forged = copy.deepcopy(data)
        found = [s for e in forged["entries"] for s in e[3]] + [s for _, own in forged["arrays"] for s in own]
        cases = found[number]["cases"]
        cases[k] = cases[k - 1]
        with pytest.raises((Rejected, Malformed)):
            replayed(forged, pair)

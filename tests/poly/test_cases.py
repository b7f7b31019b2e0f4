"""Lanes that hold different constants: a relation is taken apart by which literal is read."""

from __future__ import annotations

import copy

import pytest
from tests.replay.pairs import Pair, certified, replayed
from tests.soundness.test_conditions import proof

from hecv.certificate.errors import Malformed, Rejected

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

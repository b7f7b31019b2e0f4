"""Certificates of chains in another order: what is recorded is accepted, and bags that are not right are rejected."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from tests.kernel.pairs import Pair, certified, of_files, replayed

from hecv.claim.semantic_options import Switches
from hecv.kernel.certificate.file_format import Options
from hecv.kernel.certificate.rejection import Rejected

ROWS = """
func.func @f(%A: memref<16x8xTYPE>, %z: TYPE) -> TYPE {
  %s = affine.for %i = 0 to 16 iter_args(%outer = %z) -> (TYPE) {
    %t = affine.for %j = 0 to 8 iter_args(%inner = %outer) -> (TYPE) {
      %a = affine.load %A[%i, %j] : memref<16x8xTYPE>
      %n = OPERATOR %inner, %a : TYPE
      affine.yield %n : TYPE
    }
    affine.yield %t : TYPE
  }
  return %s : TYPE
}"""
COLUMNS = """
func.func @f(%A: memref<16x8xTYPE>, %z: TYPE) -> TYPE {
  %s = affine.for %j = 0 to 8 iter_args(%outer = %z) -> (TYPE) {
    %t = affine.for %i = 0 to 16 iter_args(%inner = %outer) -> (TYPE) {
      %a = affine.load %A[%i, %j] : memref<16x8xTYPE>
      %n = OPERATOR %inner, %a : TYPE
      affine.yield %n : TYPE
    }
    affine.yield %t : TYPE
  }
  return %s : TYPE
}"""


def _sums(operator: str = "arith.addi", kind: str = "i32", target: str = "") -> Pair:
    source, other = (text.replace("OPERATOR", operator).replace("TYPE", kind) for text in (ROWS, COLUMNS))
    return Pair(source, other.replace(operator, target) if target else other)


@cache
def _text(pair: Pair, floats: str = "strict") -> str:
    assert floats in ("strict", "reassoc", "real")
    data, converse = certified(pair, switches=Switches(floats=floats))
    assert replayed(data, pair, options=Options(floats=floats)) == converse
    return json.dumps(data)


def _regrouped(data: Any) -> Any:
    return next(s for e in (*data["entries"], *data["arrays"]) for s in e[-1] if isinstance(s, dict))


@pytest.mark.parametrize(
    ("pair", "floats"),
    [
        (_sums(), "strict"),
        (_sums("arith.maximumf", "f32"), "strict"),
        (_sums("arith.addf", "f32"), "reassoc"),
        (_sums("arith.mulf", "f32"), "real"),
        (of_files("affine-super-vectorize/tails"), "strict"),
        (of_files("affine-super-vectorize/integer-sum"), "strict"),
        (of_files("fp/partial-sums"), "reassoc"),
    ],
)
def test_chains_in_another_order_are_accepted(pair: Pair, floats: str) -> None:
    assert _regrouped(json.loads(_text(pair, floats)))["matches"]


@pytest.mark.parametrize("name", ["tails", "integer-sum", "clamp"])
def test_chains_say_nothing_of_a_wrong_target(name: str) -> None:
    data, _ = certified(of_files(f"affine-super-vectorize/{name}"))
    with pytest.raises(Rejected):
        replayed(data, of_files(f"affine-super-vectorize/{name}", bad=True))


def test_a_sum_of_floats_needs_its_licence() -> None:
    pair = _sums("arith.addf", "f32")
    data = json.loads(_text(pair, "reassoc"))
    with pytest.raises(Rejected, match="has other operands"):
        replayed(data, pair)


def test_another_operator_is_no_chain() -> None:
    with pytest.raises(Rejected, match="has other operands"):
        replayed(json.loads(_text(_sums())), _sums(target="arith.muli"))


def test_the_target_has_no_flags_of_its_own() -> None:
    """In another order `nsw` may be broken."""
    text = COLUMNS.replace(": TYPE\n      affine", "overflow<nsw> : TYPE\n      affine")
    flagged = Pair(_sums().source, text.replace("OPERATOR", "arith.addi").replace("TYPE", "i32"))
    with pytest.raises(Rejected, match="flags of their own"):
        replayed(json.loads(_text(_sums())), flagged)


MASKED = """
func.func @f(%A: memref<8xf32>, %z: f32) -> f32 {
  %zero = arith.constant ZERO : f32
  %s = affine.for %i = 0 to 8 iter_args(%sum = %z) -> (f32) {
    %a = affine.load %A[%i] : memref<8xf32>
    %n = arith.addf %sum, %a : f32
    affine.yield %n : f32
  }
  %r = arith.addf %s, %zero : f32
  return %r : f32
}"""


def test_a_zero_that_is_added_keeps_its_sign() -> None:
    """-0 changes nothing, +0 makes +0 of a sum of zeros that are all -0."""
    source = MASKED.replace("  %r = arith.addf %s, %zero : f32\n", "").replace("return %r", "return %s")
    source = source.replace("  %zero = arith.constant ZERO : f32\n", "")
    neutral, other = (Pair(source, MASKED.replace("ZERO", z)) for z in ("-0.0", "0.0"))
    data = json.loads(_text(neutral, "reassoc"))
    with pytest.raises(Rejected, match=r"only one of the chains has a \+0"):
        replayed(data, other, options=Options(floats="reassoc"))


COUNTED = """
func.func @f(%A: memref<16xf32>, %s: memref<f32>, %n: index) {
  affine.for %i = 0 to %n {
    %o = affine.load %s[] : memref<f32>
    %a = affine.load %A[%i] : memref<16xf32>
    %r = arith.addf %o, %a fastmath<reassoc> : f32
    affine.store %r, %s[] : memref<f32>
  }
  return
}"""
STEP = """  %unit = arith.constant -0.0 : f32
  %last = affine.load %s[] : memref<f32>
  %t = arith.addf %last, %unit fastmath<reassoc> : f32
  affine.store %t, %s[] : memref<f32>
  return"""


def test_a_flag_counts_where_nothing_is_summed_up() -> None:
    """Where the loop does not run, `s` is as it was, and `s + -0.0` is poison of a NaN."""
    source, target = COUNTED, COUNTED.replace("  return", STEP)
    plain, back = Pair(source, target), Pair(target, source)
    more, step = (text.replace("reassoc", "reassoc,nnan") for text in (source, target))
    flagged, fewer = Pair(more, step), Pair(step, more)
    with pytest.raises(Rejected, match="are run where none of the source's is"):
        replayed(json.loads(_text(plain)), flagged)
    assert replayed(json.loads(_text(plain)), plain)
    assert replayed(json.loads(_text(back)), back)
    assert not replayed(json.loads(_text(back)), fewer)


Edit = Callable[[Any], object]


EACH_WITH_EACH = (
    "{ SFR0[] -> [S2[i0, i1] -> T2[j0, j1]] : 0 <= i0 < 16 and 0 <= i1 < 8 and 0 <= j0 < 8 and 0 <= j1 < 16 }"
)

EDITS: dict[str, tuple[Edit, str]] = {
    "another family": (lambda s: s.update(family="arith.muli"), "has other operands|no links|neither"),
    "no family": (lambda s: s.update(family="arith.none"), "no chains"),
    "no variant": (lambda s: s.update(variant=1), "not regrouped here"),
    "fewer instances": (lambda s: s["bags"][0][-1].__setitem__(3, "{ SFR0[] -> S0[] : 1 = 0 }"), "other instances"),
    "another root": (lambda s: s["bags"][0].pop(0), "another root"),
    "an action less": (lambda s: s["bags"][0][0][4].pop(), "other operands"),
    "a read that stops": (lambda s: s["bags"][0][0][4].__setitem__(0, ["stop"]), "reached at other instances"),
    "a writer less": (lambda s: s["bags"][0][0][4].__setitem__(0, ["follow"]), "other writers"),
    "a way to itself": (lambda s: s["bags"][0][0][4].__setitem__(0, ["follow", 0]), "another term"),
    "a way to nowhere": (lambda s: s["bags"][0][0][4].__setitem__(0, ["follow", -1]), "no node"),
    "a selection": (lambda s: s["bags"][0][0][4].__setitem__(0, ["select", 1, 1]), "select one of two"),
    "another sign": (lambda s: s["bags"][0][1].__setitem__(2, True), "another term"),
    "pieces without a partner": (lambda s: s["matches"].pop(), "in no pair"),
    "a pair that occurs twice": (lambda s: s["matches"].append(s["matches"][0]), "in two pairs"),
    "an instance in many pairs": (lambda s: s["matches"][0].__setitem__(2, EACH_WITH_EACH), "in two pairs"),
    "no such piece": (lambda s: s["matches"][0].__setitem__(0, 17), "no such piece"),
}


@pytest.mark.parametrize("name", EDITS)
def test_bags_that_are_not_right_are_rejected(name: str) -> None:
    edit, why = EDITS[name]
    data = json.loads(_text(_sums()))
    edit(_regrouped(data))
    with pytest.raises(Rejected, match=why):
        replayed(data, _sums())


def test_pieces_that_differ_are_left_over() -> None:
    """A bijection that pairs other elements is one, too; then the elements differ."""
    data = json.loads(_text(_sums()))
    reversed_rows = "T2[j0 = i1, j1 = 15 - i0]"
    pairs = _regrouped(data)["matches"][0]
    pairs[2] = f"{{ SFR0[] -> [S2[i0, i1] -> {reversed_rows}] : 0 <= i0 < 16 and 0 <= i1 < 8 }}"
    with pytest.raises(Rejected, match="elements differ"):
        replayed(data, _sums())


WINDOWS = of_files("sliding-window/sums")


@cache
def _window() -> str:
    data, converse = certified(WINDOWS, "window")
    assert replayed(data, WINDOWS, "window") == converse
    return json.dumps(data)


def _cancelled(data: Any) -> Any:
    steps = (s for e in (*data["entries"], *data["arrays"]) for s in e[-1] if isinstance(s, dict))
    return next(side for s in steps for side in s["cancelled"] if side)


CLAIMS: dict[str, tuple[Edit, str]] = {
    "nothing cancels": (lambda c: c.clear(), "in no pair"),
    "no such piece": (lambda c: c[0].__setitem__(1, 17), "no such piece"),
    "a piece with itself": (lambda c: c[0].__setitem__(1, c[0][0]), "do not cancel"),
    "cancelled twice": (lambda c: c.append(c[0]), "do not cancel there"),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_pieces_that_do_not_cancel_are_rejected(name: str) -> None:
    edit, why = CLAIMS[name]
    data = json.loads(_window())
    edit(_cancelled(data))
    with pytest.raises(Rejected, match=why):
        replayed(data, WINDOWS, "window")


ONCE = """
func.func @f(%A: memref<8xi32>, %B: memref<8xi32>, %C: memref<8xi32>) {
  %t = memref.alloc() : memref<8xi32>
  affine.for %i = 0 to 8 {
    %a = affine.load %A[%i] : memref<8xi32>
    %m = arith.muli %a, %a : i32
    affine.store %m, %t[%i] : memref<8xi32>
  }
  affine.for %i = 0 to 8 {
    %a = affine.load %t[7 - %i] : memref<8xi32>
    %b = affine.load %B[%i] : memref<8xi32>
    %s = arith.addi %a, %b : i32
    affine.store %s, %C[%i] : memref<8xi32>
  }
  return
}"""
TWICE = ONCE.replace("    affine.store %s", "    %r = arith.addi %s, %a : i32\n    affine.store %r")


@pytest.mark.parametrize("written", [1, 2])
def test_what_is_read_counts_once(written: int) -> None:
    """A read that is claimed to have its value from one write twice would be summed up twice."""

    def eight(text: str, name: str) -> str:
        return f"{{ {text} : 0 <= {name} <= 7 }}"

    def claims(side: str, i: str, term: int, times: int) -> list[Any]:
        own, end = f"{side}1[{i}]", f"{side}FA2[{i}]"
        write = [f"{side}0", eight(f"{own} -> {side}0[7 - {i}]", i)]
        before, after = [f"{side}1", term, [write] * times, None], [f"{side}1", eight(f"{end} -> {own}", i)]
        return [before, [f"{side}FA2", 1, [after], None]]

    def node(name: str, term: int, at: str, i: str, *actions: list[Any]) -> list[Any]:
        return [name, term, False, eight(f"{name[0]}FA2[{i}] -> {name}[{at}]", i), [*actions]]

    stop = ["stop"]
    source = [
        node("SFA2", 1, "i", "i", ["follow", 1]),
        node("S1", 4, "i", "i", ["follow", *range(2, 2 + written)], stop),
        *[node("S0", 2, "7 - i", "i", stop)] * written,
    ]
    target = [node("TFA2", 1, "j", "j", ["follow", 1]), node("T1", 5, "j", "j", stop, stop, stop)]
    pairs = [(0, 1, "S1[i]"), (1, 0, "S0[7 - i]"), (2, 2, "S0[7 - i]")][: 1 + written]
    matches = [[k, n, eight(f"SFA2[i] -> [{left} -> T1[i]]", "i")] for k, n, left in pairs]
    bags = {"family": "arith.addi", "variant": 0, "bags": [source, target], "cancelled": [[], []], "matches": matches}
    read = ["writes", "initial"]
    steps = [bags, *read, *["writes", "operands", *read, *read] * written]
    data = {
        "known": "{ : }",
        "idle": [[], []],
        "reads": [claims("S", "i", 2, written), claims("T", "j", 2, 1)],
        "entries": [],
        "arrays": [["A2", steps]],
    }
    why = "a write by S0 is claimed twice" if written == 2 else "a piece is in no pair"
    with pytest.raises(Rejected, match=why):
        replayed(data, Pair(ONCE, TWICE))

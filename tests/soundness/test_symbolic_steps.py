"""Loops with a step that is an argument, or that is assumed."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.result import FunctionReport

ARGUMENTS = "%A: memref<?xf32>, %B: memref<?xf32>, %l: index, %u: index, %s: index, %t: index, %x: f32"
CONSTANTS = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n"


def function(body: str, result: str = "%x : f32") -> str:
    return f"func.func @f({ARGUMENTS}) -> {result.partition(':')[2]} {{\n{CONSTANTS}{body}return {result}\n}}\n"


def loop(body: str, upper: str = "%u", step: str = "%s", lower: str = "%l") -> str:
    return f"scf.for %i = {lower} to {upper} step {step} {{\n{body}}}\n"


def parallel(body: str, step: str = "%s") -> str:
    return f"scf.parallel (%i) = (%l) to (%u) step ({step}) {{\n{body}scf.reduce\n}}\n"


STORE = "memref.store %x, %A[%i] : memref<?xf32>\n"
OTHER = "memref.store %x, %B[%i] : memref<?xf32>\n"
DOUBLE = (
    "%v = memref.load %B[%i] : memref<?xf32>\n%w = arith.addf %v, %x : f32\nmemref.store %w, %A[%i] : memref<?xf32>\n"
)
TURNED = DOUBLE.replace("%v, %x", "%x, %v")
SUM = """%r = scf.for %i = %l to %u step %s iter_args(%a = %x) -> f32 {{
%v = memref.load %B[%i] : memref<?xf32>
%w = arith.addf {} : f32
scf.yield %w : f32
}}
"""
NEXT = "%j = arith.addi %i, %s : index\nmemref.store %x, %A[%j] : memref<?xf32>\n"
INNER = "scf.for %k = %c0 to %t step %i {{\nmemref.store %x, {}[%k] : memref<?xf32>\n}}\n"

EQUAL = {
    "in parallel": (loop(STORE), parallel(STORE)),
    "operands exchanged": (loop(DOUBLE), loop(TURNED)),
    "distributed": (loop(STORE + OTHER), loop(STORE) + loop(OTHER)),
    "fused and in parallel": (loop(STORE) + loop(OTHER), parallel(STORE + OTHER)),
    "a step that an outer loop gives": (loop(INNER.format("%A"), lower="%c1"), loop(INNER.format("%A"), lower="%c1")),
    "a computed step": (
        "%d = arith.muli %s, %t : index\n" + loop(STORE, step="%d"),
        "%d = arith.muli %t, %s : index\n" + loop(STORE, step="%d"),
    ),
}

WRONG = {
    "another step": (loop(STORE), loop(STORE, step="%t")),
    "another lower bound": (loop(STORE), loop(STORE, lower="%c0")),
    "every index": (loop(STORE), loop(STORE, step="%c1")),
    "another upper bound": (loop(STORE), loop(STORE, upper="%t")),
    "another place": (loop(STORE), loop(OTHER)),
    "the place after": (loop(STORE), loop(NEXT)),
    "a race": (
        loop("memref.store %x, %A[%c0] : memref<?xf32>\n"),
        parallel("memref.store %x, %A[%c0] : memref<?xf32>\n"),
    ),
}


NEIGHBOUR = "%j = arith.addi %i, %c1 : index\nmemref.store %y, %A[%j] : memref<?xf32>\n"
MADE = "%y = arith.addf %x, %x : f32\n"


def test_a_race_of_each_index_is_none_of_steps() -> None:
    """A source in which neighbours race is defined where the step is 2."""
    source = function(MADE + parallel(STORE + NEIGHBOUR))
    other = function(MADE + loop(STORE + NEIGHBOUR.replace("%y", "%x")))
    assert report(source, other).verdict in ("not-equivalent", "unknown")
    assert report(source, function(MADE + loop(STORE + NEIGHBOUR))).verdict in ("refines", "unknown")


def report(source: str, target: str, *assume: str) -> FunctionReport:
    found = check(source, target, ("s.mlir", "t.mlir"), Options(seconds=30, assume=assume))
    assert found.functions, found.diagnostics
    return found.functions[0]


@pytest.mark.parametrize("name", EQUAL)
def test_the_same_iterations(name: str) -> None:
    assert report(*map(function, EQUAL[name])).verdict == "equivalent"


def test_a_sum_by_steps() -> None:
    source, target = (function(SUM.format(operands), "%r : f32") for operands in ("%a, %v", "%v, %a"))
    assert report(source, target).verdict == "equivalent"
    assert report(source, target.replace("addf", "subf")).verdict in ("not-equivalent", "unknown")


@pytest.mark.parametrize("name", WRONG)
def test_other_iterations(name: str) -> None:
    assert report(*map(function, WRONG[name])).verdict in ("not-equivalent", "unknown")


@pytest.mark.parametrize("step", [1, 2, 8])
def test_a_step_that_is_assumed(step: int) -> None:
    source = function(loop(STORE))
    target = function(f"%k = arith.constant {step} : index\n" + parallel(STORE, "%k"))
    assert report(source, target, f"s = {step}").verdict == "equivalent"
    assert report(source, target, f"s >= {step}").verdict in ("not-equivalent", "unknown")
    assert report(source, target, f"s = {step + 1}").verdict in ("not-equivalent", "unknown")

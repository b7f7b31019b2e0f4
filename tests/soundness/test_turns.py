"""Whiles that are not counted: a function is what its parts are one after the other, and no wrong twin is proved."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from hecv.base.diagnostics import InputError
from hecv.base.term import TermPool
from hecv.base.value import Buffer, Scalar, Value
from hecv.check import Options, check
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy
from hecv.normal.summaries.cutpoints import Cut, cut
from hecv.normal.whiles.counted_loops import count_loops
from hecv.program.tree import Function, While, walk
from hecv.prove.pair.pair_context import Case, Task
from hecv.prove.portfolio import PARTS
from hecv.prove.whiles.while_methods import BY_INDUCTION
from hecv.run.interpreter.interpreter import Exhausted, Finished, Outcome, compile

from .running import conclusive, parsed_pair, read, unequal
from .test_whiles import STEPS_OF_ALL
from .whiles import program

PAIRS = Path(__file__).parents[2] / "lit_tests" / "verify" / "lift-cf-to-scf"


def at_while(pool: TermPool, function: Function) -> Cut | None:
    body = count_loops(pool, function)
    return cut(pool, function, body) if any(isinstance(s, While) for s in walk(body)) else None


def run_parts(parts: Cut, arguments: tuple[Value, ...], in_two: bool) -> Outcome:
    """What the parts make of the arguments; with `in_two` a turn is its test and the step behind it."""
    count = len(arguments)
    carried, going, left = parts.carried, parts.going, parts.left
    first, last = compile(parts.first_part(carried)), compile(parts.last_part(left))
    test = compile(parts.test(carried, going, left) if in_two else parts.turn(carried, left))
    step = compile(parts.step(going, carried))
    end = first.run(arguments, STEPS_OF_ALL)
    for _ in range(STEPS_OF_ALL):
        if not isinstance(end, Finished):
            return end
        end = test.run((*end.arguments[:count], *end.results), STEPS_OF_ALL)
        if not isinstance(end, Finished):
            return end
        onward = end.results[1 : 1 + len(going if in_two else carried)]
        if not end.results[0]:
            state = end.results[1 + len(onward) :]
            return _shortened(last.run((*end.arguments[:count], *state), STEPS_OF_ALL), count)
        given = (*end.arguments[:count], *onward)
        end = step.run(given, STEPS_OF_ALL) if in_two else replace(end, arguments=given[:count], results=onward)
    return Exhausted(STEPS_OF_ALL)


def _shortened(end: Outcome, count: int) -> Outcome:
    return replace(end, arguments=end.arguments[:count]) if isinstance(end, Finished) else end


def check_seed(seed: int) -> bool:
    """Whether the loop of this seed is not counted; if so, its parts are run."""
    random, pool = Random(seed), TermPool()
    text = program(random)
    function = read(text, pool)
    parts = at_while(pool, function)
    if parts is None:
        return False
    code = compile(function)
    narrow = "@f(%n: i8" in text
    for n in (-128, -3, -1, 0, 1, 2, 5, 127) if narrow else (-3, -1, 0, 1, 2, 5):
        for m in (-3, 0, 2, 7):
            array: list[Scalar] = [random.randrange(-9, 9) % (1 << 32) for _ in range(8)]
            given = (*(v % 256 if narrow else v for v in (n, m)), Buffer((8,), array))
            whole = code.run(given, STEPS_OF_ALL)
            for in_two in (False, True) if conclusive(whole) else ():
                end = run_parts(parts, given, in_two)
                assert conclusive(end) and unequal(whole, end) is None, f"{whole} {end} on {n}, {m}\n{text}"
    return True


@pytest.mark.one_in(6)
@pytest.mark.parametrize("first", range(0, 60, 20))
def test_parts_do_what_the_function_does(first: int) -> None:
    assert sum(check_seed(seed) for seed in range(first, first + 20)) >= 2


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 2000, 250))
def test_parts_of_many_functions_do_what_these_do(first: int) -> None:
    for seed in range(first, first + 250):
        check_seed(seed)


def verdict(source: str, target: str, name: str) -> str:
    try:
        report = check(source, target, ("src.mlir", "tgt.mlir"), Options(functions=(name,)))
    except InputError as problem:
        raise AssertionError(problem) from problem
    (found,) = report.functions
    return found.verdict


WRONG = [
    ("gcd", "arith.remui %x, %y", "arith.remui %y, %x"),
    ("gcd", "scf.yield %y, %rest", "scf.yield %rest, %y"),
    ("gcd", "scf.condition(%more) %x, %y : i32, i32", "scf.condition(%more) %y, %x : i32, i32"),
    ("gcd", "return %r#0", "return %r#1"),
    ("gcd", "cmpi ne, %y, %zero", "cmpi ne, %x, %zero"),
    ("root", "scf.yield %next", "scf.yield %sum"),
    ("root", "memref.store %next", "memref.store %sum"),
    ("root", "cmpf ogt", "cmpf uge"),
    ("root", "(%x = %a) : (f64) -> f64", "(%x = %tolerance) : (f64) -> f64"),
    ("find", "scf.yield %false : i1", "scf.yield %true : i1"),
    ("find", "cmpi eq, %v", "cmpi ne, %v"),
    ("jacobi", "affine.store %b, %A[%i]", "affine.store %b, %A[%i - 1]"),
    ("jacobi", "scf.yield %most, %next", "scf.yield %change, %next"),
    ("jacobi", "%c = affine.load %A[%i + 1]", "%c = affine.load %B[%i + 1]"),
    ("jacobi", "return %r#1 : i32", "%v = arith.addi %r#1, %i1 : i32\n  return %v : i32"),
    ("cg", "scf.yield %next : f64", "scf.yield %s : f64"),
    ("cg", "arith.divf %next, %s", "arith.divf %s, %next"),
    ("cg", "affine.store %bi, %p[%i]", "affine.store %zero, %p[%i]"),
]


@pytest.mark.one_in(22)
@pytest.mark.parametrize(("name", "old", "new"), WRONG)
def test_a_wrong_twin_is_not_proved(name: str, old: str, new: str) -> None:
    source = (PAIRS / "whiles.src.mlir").read_text()
    begin = source.index(f"@{name}(")
    assert source.count(old, begin) >= 1
    wrong = source[:begin] + source[begin:].replace(old, new, 1)
    if "%true" in new:
        wrong = wrong.replace(
            "%false = arith.constant false", "%false = arith.constant false\n  %true = arith.constant true"
        )
    assert verdict(source, wrong, name) in ("not-equivalent", "unknown")


def test_what_is_read_before_it_is_written_is_no_scratch() -> None:
    """The second turn reads what the first one wrote into a buffer that either part would have anew."""
    text = """
func.func @f(%A: memref<4xf32>, %eps: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %B = memref.alloc() : memref<4xf32>
  memref.store %one, %B[%c0] : memref<4xf32>
  %r = scf.while (%s = %one) : (f32) -> f32 {
    %more = arith.cmpf olt, %s, %eps : f32
    scf.condition(%more) %s : f32
  } do {
  ^bb0(%s: f32):
    %v = memref.load %B[%c0] : memref<4xf32>
    %w = arith.addf %v, %FACTOR : f32
    memref.store %w, %B[%c0] : memref<4xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  return %r : f32
}
"""
    assert verdict(text.replace("%FACTOR", "%one"), text.replace("%FACTOR", "%s"), "f") in ("not-equivalent", "unknown")


def test_poison_that_is_carried_is_no_premise() -> None:
    """The source carries poison of which it makes nothing in the end; a target may not rely on what is shown of
    values."""
    text = """
func.func @f(%n: i32, %a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %bad = ub.poison : i32
  %r:2 = scf.while (%x = %n, %p = %FIRST) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi ne, %x, %zero : i32
    scf.condition(%more) %x, %p : i32, i32
  } do {
  ^bb0(%x: i32, %p: i32):
    %half = arith.shrui %x, %p : i32
    scf.yield %half, %p : i32, i32
  }
  return %r#1 : i32
}
"""
    source, target = text.replace("%FIRST", "%a"), text.replace("%FIRST", "%bad")
    assert verdict(source, target, "f") in ("not-equivalent", "unknown")


def test_what_is_returned_before_the_loop_has_ended_is_no_part() -> None:
    """The last part alone is compared by what it returns: nothing of that stands in it here."""
    text = """
func.func @f(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %value = arith.constant VALUE : i32
  %r = scf.while (%x = %n) : (i32) -> i32 {
    %more = arith.cmpi ne, %x, %zero : i32
    scf.condition(%more) %x : i32
  } do {
  ^bb0(%x: i32):
    %half = arith.shrui %x, %one : i32
    scf.yield %half : i32
  }
  return %value : i32
}
"""
    modules = parsed_pair(text.replace("VALUE", "7"), text.replace("VALUE", "8"))
    pair = Case(Task(modules, ("f", "f"), (), Switches(), Strategy(), 0, crosscheck=False), lambda stage, runs: None)

    def is_proved(source: Function, target: Function) -> bool:
        return BY_INDUCTION.prove(replace(pair.goal(), functions=(source, target)), PARTS) is not None

    source, target = pair.functions
    assert is_proved(source, source)
    assert not is_proved(source, target)
    early = [replace(f, body=(f.body[-1], *f.body[:-1])) for f in pair.functions]
    assert not is_proved(early[0], early[0])
    assert not is_proved(early[0], early[1])

"""Simulations between loop headers: what passes make of whiles that do not count is proved, and no wrong twin is."""

from __future__ import annotations

import pytest
from tests.soundness.running import parsed, parsed_pair
from tests.verdict.loop_programs import DECODER, HEAP, LOWER_BOUND, MERGE, PEELED, PROBE, ROW, UNION_FIND, WHOLE, row
from torch_mlir.passmanager import PassManager

from hecv.base.term import TermPool
from hecv.check import Options, check, meaning_of
from hecv.kernel.certificate.file_format import read, render
from hecv.mlir.importer import read_pair
from hecv.process.worker_pool import Limits
from hecv.prove.portfolio import STEPS
from hecv.prove.whiles.simulation import Simulated, simulate
from hecv.replaying import Accepted, certificate_of, replay

NAMES = ("source.mlir", "target.mlir")
PROGRAMS = {
    "heap": HEAP,
    "merge": MERGE,
    "union-find": UNION_FIND,
    "lower-bound": LOWER_BOUND,
    "probe": PROBE,
    "decoder": DECODER,
}
PIPELINES = {
    "cf": "convert-scf-to-cf",
    "canonicalize": "canonicalize,cse",
    "cf-and-more": "convert-scf-to-cf,canonicalize,cse,sccp",
    "back": "convert-scf-to-cf,lift-cf-to-scf,canonicalize",
    "ranges": "int-range-optimizations,loop-invariant-code-motion,canonicalize",
    "while": "scf-for-to-while,canonicalize",
}


def lowered(text: str, pipeline: str) -> str:
    """What passes make of a function."""
    module = parsed(text).module
    PassManager.parse(f"builtin.module(func.func({pipeline}))", context=module.context).run(module.operation)
    return str(module)


def simulated(source: str, target: str, seconds: float = 20.0) -> Simulated | None:
    pool = TermPool()
    return simulate(pool, read_pair(parsed_pair(source, target), ("f", "f"), pool, 64), 64, seconds)


def changed(text: str, before: str, after: str) -> str:
    assert text.count(before) == 1, before
    return text.replace(before, after)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_passes_are_proved(name: str, pipeline: str) -> None:
    found = simulated(PROGRAMS[name], lowered(PROGRAMS[name], PIPELINES[pipeline]))
    assert found is not None and found.converse


WRONG = {
    "guard off by one": ("heap", "%hr = arith.cmpi slt, %l2, %n", "%hr = arith.cmpi sle, %l2, %n"),
    "condition off by one": ("heap", "%in = arith.cmpi slt, %l1, %n", "%in = arith.cmpi sle, %l1, %n"),
    "compare swapped": ("heap", "%g = arith.cmpi sgt, %b, %a", "%g = arith.cmpi sgt, %a, %b"),
    "stores swapped": ("heap", "memref.store %v, %h[%big]", "memref.store %w, %h[%big]"),
    "merge not stable": ("merge", "%le = arith.cmpi sle, %a, %b", "%le = arith.cmpi slt, %a, %b"),
    "step of half a run": ("merge", "scf.for %lo = %c0 to %n step %w2", "scf.for %lo = %c0 to %n step %wd"),
    "runs may overlap": ("merge", "%mid = arith.minsi %m0, %n", "%mid = arith.maxsi %m0, %n"),
    "halving skips nothing": ("union-find", "memref.store %g, %p[%i]", "memref.store %q, %p[%i]"),
    "linked the other way": ("union-find", "memref.store %r, %p[%s]", "memref.store %s, %p[%r]"),
    "bound may stay": ("lower-bound", "%m1 = arith.addi %mid, %c1", "%m1 = arith.addi %mid, %c0"),
    "upper bound": ("lower-bound", "%less = arith.cmpi slt, %v, %key", "%less = arith.cmpi sle, %v, %key"),
    "key before empty": ("probe", "%c = arith.andi %e, %d : i1", "%c = arith.ori %e, %d : i1"),
    "no way round": ("probe", "%wrap = arith.cmpi eq, %i1, %cap", "%wrap = arith.cmpi eq, %i, %cap"),
    "mask too short": ("decoder", "%x3f = arith.constant 63", "%x3f = arith.constant 31"),
    "two bytes of three": ("decoder", "%two = arith.cmpi ult, %b, %xe0", "%two = arith.cmpi ule, %b, %xe0"),
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("twin", WRONG)
def test_wrong_twins_are_not_proved(twin: str) -> None:
    name, before, after = WRONG[twin]
    wrong = changed(PROGRAMS[name], before, after)
    assert simulated(PROGRAMS[name], lowered(wrong, PIPELINES["cf"]), STEPS.seconds) is None


def test_a_load_before_its_guard_may_be_out_of_bounds() -> None:
    """`%b` is loaded whether or not there is a right child: the source loads less, so the converse is shown alone."""
    load = "      %b = memref.load %h[%l2] : memref<?xi32>\n"
    hoisted = changed(HEAP, load, "")
    hoisted = changed(hoisted, "    %big = scf.if", "    %b = memref.load %h[%l2] : memref<?xi32>\n    %big = scf.if")
    assert simulated(HEAP, hoisted) is None
    found = simulated(hoisted, HEAP)
    assert found is not None and not found.converse


def test_what_is_never_defined_is_refined_by_anything() -> None:
    """On a positive key the source reads beyond an array of one element, the target does not."""
    text = """func.func @f(%A: memref<1xi32>, %key: i32) -> i32 {
  %c = arith.constant INDEX : index
  %z = arith.constant 0 : i32
  %r = scf.while (%s = %key) : (i32) -> i32 {
    %g = arith.cmpi sgt, %s, %z : i32
    scf.condition(%g) %s : i32
  } do {
  ^bb0(%s: i32):
    %v = memref.load %A[%c] : memref<1xi32>
    %t = arith.subi %s, %v : i32
    scf.yield %t : i32
  }
  return %r : i32
}"""
    source, target = text.replace("INDEX", "1"), text.replace("INDEX", "0")
    found = simulated(source, target)
    assert found is not None and not found.converse
    assert simulated(target, source) is None


def test_turns_before_the_loop() -> None:
    for source, target in ((WHOLE, PEELED), (PEELED, WHOLE)):
        found = simulated(source, target)
        assert found is not None and found.converse
    late = changed(PEELED, "(%i = %c1, %s = %v0)", "(%i = %c0, %s = %v0)")
    assert simulated(WHOLE, late) is None


@pytest.mark.parametrize("factor", [2, 3, 4])
def test_several_turns_for_one(factor: int) -> None:
    found = simulated(ROW, row(factor))
    assert found is not None and found.converse


@pytest.mark.parametrize("wrong", [row(2, last=0), row(2, left="%b"), row(4, last=2)])
def test_turns_that_are_not_there(wrong: str) -> None:
    assert simulated(ROW, wrong) is None


def test_one_function_may_not_go_on_alone() -> None:
    """The target waits for nothing in a loop of its own: it need not end where the source does."""
    source = "func.func @f(%x: i32) -> i32 {\n  return %x : i32\n}"
    target = """func.func @f(%x: i32) -> i32 {
  %z = arith.constant 0 : i32
  scf.while : () -> () {
    %c = arith.cmpi ne, %x, %z : i32
    scf.condition(%c)
  } do {
    scf.yield
  }
  return %x : i32
}"""
    assert simulated(source, target) is None and simulated(target, source) is None


def test_the_report_and_its_certificate() -> None:
    target = lowered(MERGE, PIPELINES["cf"])
    (found,) = check(MERGE, target, NAMES, Options(recording=True)).functions
    assert (found.verdict, found.prover, found.uncertified) == ("equivalent", "loop-simulation", None)
    assert found.certificate is not None
    text = render(certificate_of((MERGE, target), meaning_of(Options()), [found.certificate]))
    assert read(text).functions == (found.certificate,)
    assert isinstance(replay(text, (MERGE, target), NAMES, "z3", Limits(60.0, 4096)), Accepted)


PLACED = """
func.func @f(%A: memref<16xi32>, %n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %i1 = arith.constant 1 : index
  %g = arith.constant 1234567891 : i32
  %mx = arith.constant 2147483647 : i32
  %msk = arith.constant 1610612735 : i32
  %n1 = arith.andi %n, %msk : i32
  %r = scf.while (%v = %n1) : (i32) -> i32 {
    %c = arith.cmpi ne, %v, %c0 : i32
    scf.condition(%c) %v : i32
  } do {
  ^bb0(%v: i32):
    %e = arith.cmpi eq, %v, %g : i32
    %w = arith.select %e, %mx, %c0 : i32
    %s = arith.addi %w, %c1FLAGS : i32
    %m = arith.andi %s, %c7 : i32
    %p = arith.index_cast %m : i32 to index
    %q = arith.addi %p, %i1 : index
    memref.store %v, %A[%q] : memref<16xi32>
    %h = arith.shrui %v, %c1 : i32
    %x = arith.andi ORDER : i32
    scf.yield %x : i32
  }
  return %r : i32
}
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("flags", "verdict"), [("", "equivalent"), (" overflow<nsw>", "unknown")])
def test_a_sum_in_a_subscript_does_not_overflow_where_its_operands_are_no_poison(flags: str, verdict: str) -> None:
    """With the flag the subscript is poison for one `%n`, which no run meets."""
    texts = (PLACED.replace("FLAGS", f).replace("ORDER", o) for f, o in (("", "%h, %v"), (flags, "%v, %h")))
    assert check(*texts, ("s.mlir", "t.mlir"), Options(seconds=20)).verdict == verdict

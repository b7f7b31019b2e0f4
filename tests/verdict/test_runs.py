"""Runs: what counts as a difference, how inputs are made, how counterexamples shrink, where they point."""

from __future__ import annotations

import math
import struct
from itertools import islice
from random import Random

import pytest

from hecv.base.term import TermPool
from hecv.base.value import POISON, Buffer, Scalar, refined
from hecv.check import Options, check
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy
from hecv.mlir.importer import parse, read_function
from hecv.program.tree import Function
from hecv.prove.pair.pair_context import Case, Task
from hecv.refute.differential_runs import Element, Trials
from hecv.refute.input_generation import STYLES, Draw, Style, guesses, literals, places_by_memory
from hecv.refute.shrinking import prefer_value, shrink
from hecv.verdict.localisation import last_writer


def read(text: str, pool: TermPool | None = None) -> Function:
    return read_function(parse(text, "a.mlir"), "f", pool or TermPool())


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        (1, 1, True),
        (1, 2, False),
        (POISON, 5, True),
        (POISON, POISON, True),
        (5, POISON, False),
        (0.0, -0.0, False),
        (-0.0, -0.0, True),
        (math.nan, -math.nan, True),
        (math.nan, 0.0, False),
        (0.0, math.nan, False),
        (math.inf, -math.inf, False),
    ],
)
def test_refinement_of_scalars(source: Scalar, target: Scalar, expected: bool) -> None:
    assert refined(source, target) is expected


STORE = """
func.func @f(%A: memref<?xf32>, %n: index, %x: f32) {{
  affine.for %i = 0 to %n {{
    affine.store %x, %A[%i {offset}] : memref<?xf32>
  }}
  {more}
  return
}}
"""


def trials(source: str, target: str) -> Trials:
    pool = TermPool()
    return Trials(read(source, pool), read(target, pool))


def test_runs_on_which_the_source_is_undefined_say_nothing() -> None:
    both = trials(STORE.format(offset="", more=""), STORE.format(offset="+ 1", more=""))
    assert both.attempt((Buffer((1,), [0.0]), 2, 1.0)) is None
    assert (both.runs, both.undefined) == (0, 1)
    found = both.attempt((Buffer((2,), [0.0, 0.0]), 2, 1.0))
    assert found is not None and found.kind == "undefined-behavior" and found.place is None
    found = both.attempt((Buffer((3,), [0.0, 0.0, 0.0]), 2, -0.0))
    assert found is not None and found.kind == "value"
    assert found.place == Element("argument", 0, 0)


def test_a_run_that_is_cut_short_says_nothing_and_is_not_missed() -> None:
    both = trials(STORE.format(offset="", more=""), STORE.format(offset="+ 1", more=""))
    given = Buffer((9,), [0.0] * 9), 8, 1.0
    assert both.attempt(given, 4) is None
    assert (both.runs, both.cut, both.skipped()) == (0, 1, None)
    assert both.attempt(given) is not None and (both.runs, both.cut) == (1, 1)


SLOW_FOR_ALL = """
func.func @f(%A: memref<1000x1000xf32>, %n: index, %x: f32) {
  affine.for %i = 0 to 1000 {
    affine.for %j = 0 to 1000 {
      affine.store %x, %A[%i, %j] : memref<1000x1000xf32>
    }
  }
  affine.for %i = 0 to %n {
    affine.store %x, %A[0, %i] : memref<1000x1000xf32>
  }
  return
}
"""


@pytest.mark.one_in(2)
def test_where_every_run_is_long_one_is_run_all_the_same() -> None:
    one = parse(SLOW_FOR_ALL, "a.mlir")
    task = Task((one, one), ("f", "f"), (), Switches(), Strategy(), 0, False)
    case = Case(task, lambda stage, runs: None)
    assert case.inputs.has_sizes()
    assert case.inputs.first_search(0.1, 64) is None
    assert case.trials.cut >= 1 and case.trials.runs >= 1


def test_the_sign_of_zero_is_a_difference_in_memory() -> None:
    both = trials(STORE.format(offset="", more=""), STORE.format(offset="", more=""))
    assert both.attempt((Buffer((2,), [math.nan, -0.0]), 1, -0.0)) is None
    other = STORE.format(offset="", more="%z = arith.constant 0.0 : f32\n  affine.store %z, %A[0] : memref<?xf32>")
    found = trials(STORE.format(offset="", more=""), other).attempt((Buffer((1,), [5.0]), 1, -0.0))
    assert found is not None and found.kind == "value"


def test_poison_is_reported_before_a_value() -> None:
    """MLIR's JIT, which a difference in values needs, is not given what ends with poison."""
    head = "func.func @f(%A: memref<2xi32>) {\n %t = memref.alloc() : memref<i32>\n %c = arith.constant 7 : i32"
    tail = "memref.dealloc %t : memref<i32>\n return }"
    wrong = """
      affine.store %c, %A[0] : memref<2xi32>
      %p = affine.load %t[] : memref<i32>
      affine.store %p, %A[1] : memref<2xi32>"""
    pool = TermPool()
    trials = Trials(read(f"{head} {tail}", pool), read(f"{head} {wrong} {tail}", pool))
    difference = trials.attempt((Buffer((2,), [1, 2]),))
    assert difference is not None and (difference.kind, difference.place) == ("poison", Element("argument", 0, 1))


def test_shrinking() -> None:
    source = STORE.format(offset="", more="")
    both = trials(source, STORE.format(offset="+ 1", more=""))
    found = both.attempt((Buffer((40,), [float(k) for k in range(40)]), 33, 2.5))
    assert found is not None
    small = shrink(both, read(source), found, lambda _: True)
    assert small.kind == "value"
    buffer, count, _ = small.arguments
    assert isinstance(buffer, Buffer) and count == 1 and buffer.shape == (2,)


def test_shrinking_ends_by_the_clock() -> None:
    """A difference that was seen is not lost to the time limit on a busy machine."""
    source = STORE.format(offset="", more="")
    both = trials(source, STORE.format(offset="+ 1", more=""))
    found = both.attempt((Buffer((40,), [0.0] * 40), 33, 2.5))
    assert found is not None
    assert shrink(both, read(source), found, lambda _: True, seconds=0) is found
    assert prefer_value(both, read(source), found, lambda _: True, 0) is found


def test_shrinking_respects_assumptions() -> None:
    source = STORE.format(offset="", more="")
    both = trials(source, STORE.format(offset="+ 1", more=""))
    found = both.attempt((Buffer((40,), [0.0] * 40), 33, 2.5))
    assert found is not None
    small = shrink(both, read(source), found, lambda values: isinstance(values[1], int) and values[1] >= 7)
    assert small.arguments[1] == 7


LATE = """
func.func @f(%n: i32) -> i32 {
  %first = arith.constant 50 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %r = scf.while (%i = %first) : (i32) -> i32 {
    %more = arith.cmpi ne, %i, %n : i32
    scf.condition(%more) %i : i32
  } do {
  ^bb0(%i: i32):
    %j = arith.addi %i, %one : i32
    scf.yield %j : i32
  }
  %s = arith.addi %r, $ : i32
  return %s : i32
}"""


@pytest.mark.one_in(2)
def test_shrinking_takes_no_longer_runs() -> None:
    """Of the inputs that look smaller, those below 50 run for ever: each took as long as all of it may."""
    source, target = (LATE.replace("$", name) for name in ("%one", "%two"))
    both = trials(source, target)
    found = both.attempt((60,))
    assert found is not None
    small = shrink(both, read(source), found, lambda _: True)
    assert small.kind == "value" and isinstance(small.arguments[0], int) and 50 <= small.arguments[0] <= 60
    assert both.cut and not both.source_long


def test_last_writer() -> None:
    text = """
    func.func @f(%A: memref<4xf32>, %x: f32) {
      affine.store %x, %A[0] : memref<4xf32>
      affine.for %i = 0 to 3 {
        affine.store %x, %A[%i] : memref<4xf32>
      }
      return
    }
    """
    pool = TermPool()
    function = read(text, pool)
    inputs = (Buffer((4,), [0.0] * 4), 1.0)
    lines = [last_writer(pool, function, inputs, Element("argument", 0, k)) for k in range(4)]
    assert lines[3] is None
    assert {function.locations[k].line for k in lines[:3] if k is not None} == {5}


def test_last_writer_where_memory_says_what_is_written() -> None:
    text = """
    func.func @f(%A: memref<4xindex>, %B: memref<4xindex>) {
      affine.for %i = 0 to 3 {
        %k = affine.load %B[%i] : memref<4xindex>
        affine.store %k, %B[%i + 1] : memref<4xindex>
        memref.store %i, %A[%k] : memref<4xindex>
      }
      return
    }
    """
    function = read(text, TermPool())
    inputs = (Buffer((4,), [7] * 4), Buffer((4,), [2, 9, 9, 9]))
    lines = [last_writer(TermPool(), function, inputs, Element("argument", 0, k)) for k in range(4)]
    assert [k is None for k in lines] == [True, True, False, True]


MIXED = """
func.func @f(%A: memref<?x3xf16>, %B: memref<2xbf16>, %C: memref<4xf32>, %D: memref<i8>, %n: index, %b: i1, %x: f64) {
  %c = arith.constant 12 : index
  return
}
"""


@pytest.mark.parametrize("style", Style)
def test_inputs_are_values_of_their_types(style: Style) -> None:
    function = read(MIXED)
    for seed, point in enumerate(islice(guesses(function, literals([function]), Random(1)), 8)):
        arguments = Draw(function, (12,), Random(seed), modest=False).arguments(point, style)
        again = Draw(function, (12,), Random(seed), modest=False).arguments(point, style)
        assert arguments is not None and repr(arguments) == repr(again)
        halves, brains, floats, byte, _, bit, _ = arguments
        assert isinstance(halves, Buffer) and isinstance(brains, Buffer) and isinstance(floats, Buffer)
        assert len(halves.data) == 3 * halves.shape[0]
        for value in halves.data:
            assert refined(value, struct.unpack("<e", struct.pack("<e", value))[0])
        for value in brains.data:
            packed = struct.pack(">f", value)
            assert packed[2:] == b"\0\0" and refined(value, struct.unpack(">f", packed)[0])
        for value in floats.data:
            assert refined(value, struct.unpack("<f", struct.pack("<f", value))[0])
        assert isinstance(byte, Buffer) and 0 <= byte.data[0] < 256 and bit in (0, 1)  # type: ignore[operator]


ROWS = """
func.func @f(%ends: memref<?xindex>, %A: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %l = memref.load %ends[%i] : memref<?xindex>
    %j = arith.addi %i, %c1 : index
    %h = memref.load %ends[%j] : memref<?xindex>
    scf.for %k = LOWER to %h step %c1 {
      memref.store %z, %A[%k] : memref<?xf32>
    }
  }
  return
}
"""


def test_rows_that_are_read_from_memory_may_be_long() -> None:
    function = read(ROWS.replace("LOWER", "%l"))
    random, longest = Random(1), list[int]()
    draw = Draw(function, (7,), random, modest=places_by_memory(function))
    for number, point in enumerate(islice(guesses(function, (7,), random), 400)):
        ends, elements, n = draw.arguments(point, STYLES[number % len(STYLES)]) or ((), (), 0)
        assert isinstance(ends, Buffer) and isinstance(elements, Buffer) and isinstance(n, int)
        rows = [(int(a), int(b)) for a, b in zip(ends.data[:n], ends.data[1 : n + 1], strict=False)]
        if 0 < n < len(ends.data) and all(0 <= a <= len(elements.data) >= b for a, b in rows):
            longest.append(max(b - a for a, b in rows))
    assert len(longest) > 40 and 7 in longest and max(longest) > 8


def test_only_places_that_are_read_keep_integers_small() -> None:
    assert places_by_memory(read(ROWS.replace("LOWER", "%c0")))
    assert not places_by_memory(read(ROWS.replace("LOWER", "%c0").replace("to %h step", "to %n step")))


def test_inputs_that_are_too_large_are_not_made() -> None:
    function = read("func.func @f(%A: memref<100000x100000xf32>) {\n  return\n}")
    assert Draw(function, (), Random(0), modest=False).arguments({}, Style.PLAIN) is None


def test_a_target_may_take_more_steps_than_its_source() -> None:
    again = "affine.for %i = 0 to %n {{ affine.store %{value}, %A[%i] : memref<?xf32> }}\n"
    doubled = "%y = arith.addf %x, %x : f32\n"
    more = again.format(value="x") * 2 + doubled + again.format(value="y")
    pool = TermPool()
    pair = read(STORE.format(offset="", more=""), pool), read(STORE.format(offset="", more=more), pool)
    arguments = (Buffer((60,), [0.0] * 60), 60, 1.0)
    for budget, found in ((100, True), (70, True), (50, False)):
        assert (Trials(*pair, budget=budget).attempt(arguments) is not None) is found, budget


MAXIMUM = """func.func @f(%A: memref<40xi32>) -> i32 {{
  %z = arith.constant {first} : i32
  %r = affine.for %i = 0 to 40 iter_args(%s = %z) -> i32 {{
    %a = affine.load %A[%i] : memref<40xi32>
    %t = arith.maxsi %s, %a : i32
    affine.yield %t : i32
  }}
  return %r : i32
}}"""


def test_some_inputs_are_below_zero_everywhere() -> None:
    """Only these show from what a maximum starts."""
    texts = MAXIMUM.format(first=-(1 << 31)), MAXIMUM.format(first=0)
    assert check(*texts, ("source.mlir", "target.mlir"), Options()).functions[0].verdict == "not-equivalent"


CLAMPED = """func.func @f(%X: memref<8xindex>, %W: memref<8xi32>, %B: memref<8xi32>) {{
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 8 {{
    %k = affine.load %X[{0}] : memref<8xindex>
    %w = affine.load %W[{0}] : memref<8xi32>
    %b = memref.load %B[%k] : memref<8xi32>
    %s = arith.addi %b, %w : i32
    %n = arith.maxsi %s, %zero : i32
    memref.store %n, %B[%k] : memref<8xi32>
  }}
  return
}}
"""


def test_what_is_no_subscript_is_drawn_from_all_numbers() -> None:
    """Of what is not negative the order of clamped sums does not show."""
    texts = CLAMPED.format("%i"), CLAMPED.format("7 - %i")
    assert check(*texts, ("s.mlir", "t.mlir"), Options(seconds=30)).verdict == "not-equivalent"

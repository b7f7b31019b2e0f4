"""The interpreter computes what MLIR's compiled code computes, on programs as they come and on edits of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from hecv.mlir.importer import parse
from hecv.run.interpreter.interpreter import Finished

from . import agreement
from .agreement import COLUMNS, compared, differing, edited
from .mutants import parses
from .subjects import GROWERS, grown

LIT_TESTS = Path(__file__).parents[2] / "lit_tests"
PROGRAM = """
func.func @f(%A: memref<?xi32>, %n: index, %x: i32) -> i32 {
  affine.for %i = 0 to %n {
    %v = affine.load %A[%i] : memref<?xi32>
    %w = arith.addi %v, %x : i32
    affine.store %w, %A[%i] : memref<?xi32>
  }
  return %x : i32
}
func.func @traps() -> i32 {
  %c0 = arith.constant 0 : i32
  %q = arith.divsi %c0, %c0 : i32
  return %q : i32
}
func.func @unread(%x: i32) -> i32 {
  %y = "some.op"(%x) : (i32) -> i32
  return %y : i32
}
func.func private @outside(i32)
func.func @calls(%x: i32) {
  call @outside(%x) : (i32) -> ()
  return
}
"""


def counted(text: str, index_width: int = 64) -> Counter[str]:
    return sum((Counter(one.counted) for one in compared(text, index_width)), Counter[str]())


def test_each_function_is_counted() -> None:
    found = {one.function: set(one.counted) for one in compared(PROGRAM)}
    assert found["f"] == {"functions", "agree", "runs"}
    assert found["traps"] == {"functions", "undefined"}
    assert found["unread"] == {"functions", "unread"}
    assert "wrong" not in found["calls"] and set().union(*found.values()) <= set(COLUMNS)


def test_a_difference_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interpreter that returned another number."""
    defined = agreement.defined

    def lies(*given: object) -> object:
        return [(a, Finished((e.results[0] ^ 1,), e.arguments, 0)) for a, e in defined(*given)]  # type: ignore[arg-type]

    monkeypatch.setattr(agreement, "defined", lies)
    (one,) = compared(PROGRAM.split("func.func @traps")[0])
    assert one.counted == {"functions": 1, "wrong": 1} and "by the interpreter" in one.said


def test_what_counts_as_a_difference() -> None:
    assert not differing((1.0, float("nan")), (1.0, float("nan")), False)
    assert differing((0.0,), (-0.0,), False) and differing((1.0,), (1.001,), False)
    assert not differing((1.0,), (1.001,), True) and differing((1,), (2,), True)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("number", range(len(GROWERS)))
def test_random_programs(number: int) -> None:
    subject, random = grown(70_000 + number), Random(number)
    texts = (subject.source, edited(subject.source, random))
    for text in texts:
        found = (
            None if text is None else [o for o in compared(text, subject.switches.index_width) if "wrong" in o.counted]
        )
        assert not found, (found, text)


def test_inputs_are_numbers_of_their_format() -> None:
    """A number that a format does not have is given to neither."""
    text = "func.func @f(%x: f8E5M2) -> f8E5M2 {\n  %y = arith.negf %x : f8E5M2\n  return %y : f8E5M2\n}\n"
    assert counted(text)["agree"] == 1


@pytest.mark.one_in(8)
def test_edits_are_programs_and_others() -> None:
    random = Random(5)
    made = {edited(PROGRAM, random) for _ in range(8)} - {None}
    assert len(made) > 2 and PROGRAM not in made and all(parses(text) for text in made if text)
    assert parse(edited("// a comment\n" + PROGRAM, random) or "", "f.mlir") and edited("module {}\n", random) is None

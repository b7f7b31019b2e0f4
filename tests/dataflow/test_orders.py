"""Proofs that need a relation in which dimensions have an order, or the right order of operands."""

from __future__ import annotations

from pathlib import Path

import pytest

from hecv.base.term import TermPool
from hecv.check import Options, check
from hecv.claim.strategy import Strategy
from hecv.dataflow import dataflow_proof
from hecv.mlir.importer import parse, read_function
from hecv.prove.terms.scalar_comparison import Comparer
from soundness.programs import transformed

DIRECT = """func.func @f(%b: memref<SIZExf64>, %x: memref<SIZExf64>) {
  affine.for %i = 0 to 20 {
    %v = affine.load %b[%i] : memref<SIZExf64>
    affine.store %v, %x[%i] : memref<SIZExf64>
    %r = affine.load %x[%i] : memref<SIZExf64>
    %q = arith.addf %r, %r : f64
    affine.store %q, %x[%i] : memref<SIZExf64>
  }
  return
}"""
COPIED = """func.func @f(%b: memref<SIZExf64>, %x: memref<SIZExf64>) {
  affine.for %i = 0 to 20 {
    %v = affine.load %b[%i] : memref<SIZExf64>
    affine.store %v, %x[%i] : memref<SIZExf64>
    %t = memref.alloc() : memref<20xf64>
    affine.for %j = 0 to 20 {
      %c = affine.load %x[%j] : memref<SIZExf64>
      affine.store %c, %t[%j] : memref<20xf64>
    }
    %r = affine.load %t[%i] : memref<20xf64>
    %q = arith.addf %r, %r : f64
    BEFORE
    affine.for %j = 0 to 20 {
      %c = affine.load %t[%j] : memref<20xf64>
      affine.store %c, %x[%j] : memref<SIZExf64>
    }
    AFTER
  }
  return
}"""
INTO_COPY = "affine.store %q, %t[%i] : memref<20xf64>"
INTO_WHOLE = "affine.store %q, %x[%i] : memref<SIZExf64>"


def copied(before: str, after: str, size: str = "20") -> str:
    return COPIED.replace("BEFORE", before).replace("AFTER", after).replace("SIZE", size)


@pytest.mark.parametrize("size", ["20", "?"])
@pytest.mark.parametrize(("before", "after"), [(INTO_COPY, ""), ("", INTO_WHOLE)], ids=["into copy", "after copy-out"])
def test_an_array_that_is_copied_in_and_out_of_each_iteration(before: str, after: str, size: str) -> None:
    """What was computed is copied on where `j <= i`, or where `j < i`; all else has its initial value."""
    pool = TermPool()
    texts = DIRECT.replace("SIZE", size), copied(before, after, size)
    source, target = (read_function(parse(text, "f.mlir"), "f", pool) for text in texts)
    assert isinstance(dataflow_proof.prove(dataflow_proof.Pair(pool, source, target, ())), dataflow_proof.Proved)


def test_what_is_not_copied_out_is_lost() -> None:
    """The last iteration's value is stored to the copy after that was copied out."""
    wrong = copied("", INTO_COPY)
    report = check(DIRECT.replace("SIZE", "20"), wrong, ("s.mlir", "t.mlir"), Options())
    assert report.verdict == "not-equivalent"


ADI = Path(__file__).parents[2] / "benchmarks" / "polybench" / "adi.mlir"


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [("", "", "equivalent"), ("constant 152.14285714285714", "constant 152.14285714285", "not-equivalent")],
    ids=["right", "a coefficient that is off"],
)
def test_coefficients_that_are_folded_and_change_sides(old: str, new: str, verdict: str) -> None:
    """`c * x` with `c` computed from literals is matched with `x * 37.8` in that order: the other order was followed
    through every recurrence."""
    folded = transformed(ADI.read_text(), "canonicalize")
    assert old in folded
    report = check(ADI.read_text(), folded.replace(old, new), ("s.mlir", "t.mlir"), Options(jobs=1))
    assert report.verdict == verdict


@pytest.mark.one_in(2)
def test_the_budget_goes_to_the_proof_and_not_to_values_of_operands() -> None:
    """After scalar replacement a read stands against what was written: the operators around it tell the order, and
    what concrete values would say of each, with all that they are computed from, is not asked."""
    text = ADI.with_name("adi_dyn.mlir").read_text()
    pool = TermPool()
    targets = transformed(text, "affine-loop-unroll{unroll-factor=4},affine-scalrep")
    source, target = (read_function(parse(t, "f.mlir"), "adi", pool) for t in (text, targets))
    scalars = Comparer(pool, 64, Strategy(), "strict", False).scalars
    outcome = dataflow_proof.prove(
        dataflow_proof.Pair(pool, source, target, ()), dataflow_proof.OPERATIONS // 4, scalars
    )
    assert isinstance(outcome, dataflow_proof.Proved)
    assert outcome.converse

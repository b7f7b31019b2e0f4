"""What a process loads before it starts to work."""

from __future__ import annotations

import subprocess
import sys

import pytest

SLOW = (
    "numpy",
    "z3",
    "egglog",
    "torch",
    "hecv.rules",
    "hecv.patterns",
    "hecv.laws",
    "hecv.theorems",
    "hecv.egraph",
    "hecv.sweep",
    "hecv.elements.element_prover",
    "torch_mlir.dialects.func",
)

LOOP = """
func.func @f(%a: memref<4xi32>, %x: i32) {
  affine.for %i = 0 to 4 {
    affine.store %x, %a[%i] : memref<4xi32>
  }
  return
}
"""


def test_a_check_loads_nothing_slow_that_it_may_not_need() -> None:
    code = f"import sys, hecv.check; print([name for name in {SLOW!r} if name in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (ended.stdout.strip(), ended.returncode) == ("[]", 0), ended.stderr


def test_a_proof_by_dataflow_loads_nothing_more() -> None:
    task = "Task((one, one), ('f', 'f'), (), Switches(), Strategy(), 0, False)"
    code = f"""
import sys
from hecv.mlir.importer import parse
from hecv.prove.pair.pair_context import Task
from hecv.verdict.decision import decide
from hecv.claim.strategy import Strategy
from hecv.claim.semantic_options import Switches
one = parse({LOOP!r}, "a.mlir")
print(decide({task}, lambda stage, runs: None).verdict, [name for name in {SLOW!r} if name in sys.modules])
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (ended.stdout.strip(), ended.returncode) == ("equivalent []", 0), ended.stderr


def test_numpy_can_be_loaded_afterwards() -> None:
    code = "import hecv.mlir, numpy; print(numpy.zeros(2).sum())"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ended.stdout.strip() == "0.0", ended.stderr


@pytest.mark.parametrize(("verb", "floats"), [("check", "strict"), ("models", "real")])
def test_help_names_the_default_of_its_verb(verb: str, floats: str) -> None:
    command = [sys.executable, "-m", "hecv", verb, "--help"]
    said = " ".join(subprocess.run(command, capture_output=True, text=True, timeout=60).stdout.split())
    assert f"real arithmetic (default: {floats})" in said

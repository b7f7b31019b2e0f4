"""What mlir-opt 22 prints after real passes is read; a tool that is missing fails the test."""

from __future__ import annotations

import subprocess

from hecv.base.term import TermPool
from hecv.mlir.importer import parse, read_function
from hecv.program.tree import Function, Load, Loop, Store, walk
from hecv.program.tree_printer import render

GEMM = """
func.func @gemm(%A: memref<64x64xf64>, %B: memref<64x64xf64>, %C: memref<64x64xf64>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      affine.for %k = 0 to 64 {
        %a = affine.load %A[%i, %k] : memref<64x64xf64>
        %b = affine.load %B[%k, %j] : memref<64x64xf64>
        %p = arith.mulf %a, %b : f64
        %c = affine.load %C[%i, %j] : memref<64x64xf64>
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<64x64xf64>
      }
    }
  }
  return
}
"""


def after(passes: str, *, generic: bool = False) -> Function:
    """GEMM after a pipeline on its function."""
    flags = ["--mlir-print-op-generic"] if generic else []
    command = ["mlir-opt-22", f"--pass-pipeline=builtin.module(func.func({passes}))", *flags]
    text = subprocess.run(command, input=GEMM, capture_output=True, text=True, check=True).stdout
    return read_function(parse(text, "out.mlir"), "gemm", TermPool())


def counts(function: Function) -> tuple[int, int, int]:
    """How many loops, loads and stores there are."""
    statements = list(walk(function.body))
    return tuple(sum(isinstance(s, kind) for s in statements) for kind in (Loop, Load, Store))  # type: ignore[return-value]


def test_tiled_and_unrolled() -> None:
    assert counts(after("affine-loop-tile{tile-size=8},affine-loop-unroll{unroll-factor=4}")) == (6, 12, 4)


def test_unroll_and_jam() -> None:
    assert counts(after("affine-loop-unroll-jam{unroll-jam-factor=4}")) == (3, 12, 4)


def test_generic_form_reads_as_the_pretty_one() -> None:
    passes = "affine-loop-unroll{unroll-factor=2}"
    pretty, generic = after(passes), after(passes, generic=True)
    assert render(pretty) == render(generic)


def test_unrolled_with_stores_forwarded_to_loads() -> None:
    assert counts(after("affine-loop-unroll{unroll-factor=4},affine-scalrep")) == (3, 9, 4)


def test_lowered_to_scf() -> None:
    assert counts(after("affine-loop-tile{tile-size=5},lower-affine")) == (6, 3, 1)

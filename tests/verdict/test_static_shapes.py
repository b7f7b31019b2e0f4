"""Pairs of static shapes that are too long for the interpreter: compiled as soon as literal bounds show them safe."""

from __future__ import annotations

import pytest
from tests.soundness.running import read

from hecv.check import Options, check
from hecv.refute.static_bounds import stays_in_bounds


def _product(size: int, copies: int, wrong: int = -1) -> str:
    """`C += A * B`, with copies of the body for so many columns; number `wrong` subtracts."""
    kind = f"memref<{size}x{size}xf32>"
    body = "\n".join(
        f"""
        %a{k} = affine.load %A[%i, %k] : {kind}
        %b{k} = affine.load %B[%k, %j + {k}] : {kind}
        %c{k} = affine.load %C[%i, %j + {k}] : {kind}
        %m{k} = arith.mulf %a{k}, %b{k} : f32
        %s{k} = arith.{"subf" if k == wrong else "addf"} %c{k}, %m{k} : f32
        affine.store %s{k}, %C[%i, %j + {k}] : {kind}"""
        for k in range(copies)
    )
    return f"""
func.func @f(%A: {kind}, %B: {kind}, %C: {kind}) {{
  affine.for %i = 0 to {size} {{
    affine.for %j = 0 to {size} step {copies} {{
      affine.for %k = 0 to {size} {{{body}
      }}
    }}
  }}
  return
}}"""


@pytest.mark.parametrize("wrong", [0, 3])
def test_one_wrong_copy_is_found_by_compiled_code(wrong: int) -> None:
    source, target = _product(128, 1), _product(128, 4, wrong)
    (found,) = check(source, target, ("source.mlir", "target.mlir"), Options(seconds=60.0)).functions
    assert found.verdict == "not-equivalent" and found.counterexample is not None
    assert found.counterexample.engines == ("slice", "jit")
    assert found.localization is not None and found.localization.target is not None


def test_all_copies_right_are_proved() -> None:
    source, target = _product(128, 1), _product(128, 4)
    assert check(source, target, ("source.mlir", "target.mlir"), Options(seconds=60.0)).verdict == "equivalent"


ACCESS = """
func.func @f(%A: memref<16xf32>, %n: index, %P: memref<16xindex>) {{
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  {loop} {{
    %p = affine.load %P[0] : memref<16xindex>
    {store}
  }}
  return
}}"""
PLAIN = "affine.store %x, %A[%i] : memref<16xf32>"


@pytest.mark.parametrize(
    ("loop", "store", "is_safe"),
    [
        ("affine.for %i = 0 to 16", PLAIN, True),
        ("affine.for %i = 0 to 17", PLAIN, False),
        ("affine.for %i = -1 to 16", PLAIN, False),
        ("affine.for %i = 0 to 16 step 4", "affine.store %x, %A[%i + 3] : memref<16xf32>", True),
        ("affine.for %i = 0 to 16 step 4", "affine.store %x, %A[%i + 4] : memref<16xf32>", False),
        ("affine.for %i = 1 to 17 step 4", "affine.store %x, %A[%i + 2] : memref<16xf32>", True),
        ("affine.for %i = 0 to %n", PLAIN, False),
        ("affine.for %i = 0 to min affine_map<(d0) -> (d0, 16)>(%n)", PLAIN, True),
        ("affine.for %i = 0 to 64", "affine.store %x, %A[%i floordiv 4] : memref<16xf32>", True),
        ("affine.for %i = 0 to 65", "affine.store %x, %A[%i floordiv 4] : memref<16xf32>", False),
        ("affine.for %i = 0 to 16", "memref.store %x, %A[%p] : memref<16xf32>", False),
        ("affine.parallel (%i) = (0) to (16)", PLAIN, False),
        ("affine.for %i = 0 to 0", "affine.store %x, %A[%i + 15] : memref<16xf32>", True),
    ],
)
def test_literal_bounds(loop: str, store: str, is_safe: bool) -> None:
    assert stays_in_bounds(read(ACCESS.format(loop=loop, store=store))) == is_safe


def test_memory_that_was_not_written_is_not_given_to_compiled_code() -> None:
    text = """
func.func @f(%A: memref<16xf32>) {
  %t = memref.alloc() : memref<16xf32>
  affine.for %i = 0 to 16 {
    %x = affine.load %t[%i] : memref<16xf32>
    affine.store %x, %A[%i] : memref<16xf32>
  }
  return
}"""
    assert not stays_in_bounds(read(text))

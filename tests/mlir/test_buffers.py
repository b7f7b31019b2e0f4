"""Targets that take and return memrefs where the source has tensors."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.mlir.importer import Signature, same_signature


def _signature(takes: tuple[str, ...], gives: tuple[str, ...]) -> Signature:
    text = f"({', '.join(takes)}) -> ({', '.join(gives)})"
    return Signature("f", "func.func", None, tuple(f"arg{k}" for k in range(len(takes))), takes, gives, text, True)


@pytest.mark.parametrize(
    ("source", "target", "same"),
    [
        ("tensor<4x?xf32>", "memref<4x?xf32>", True),
        ("tensor<4xf32>", "memref<4xf32, strided<[?], offset: ?>>", True),
        ("memref<4xf32>", "memref<4xf32>", True),
        ("tensor<4xf32>", "memref<5xf32>", False),
        ("tensor<4xf32>", "memref<?xf32>", False),
        ("tensor<4xf32>", "memref<4xf64>", False),
        ("memref<4xf32>", "tensor<4xf32>", False),
        ("vector<4xf32>", "memref<4xf32>", False),
        ("tensor<4xf32, #e>", "memref<4xf32, #e>", False),
    ],
)
def test_types_that_are_compared(source: str, target: str, same: bool) -> None:
    assert same_signature(_signature((source,), ()), _signature((target,), ())) is same
    assert same_signature(_signature((), ("i32", source)), _signature((), ("i32", target))) is same
    assert not same_signature(_signature((source,), ()), _signature((target, "i32"), ()))


TENSOR = """func.func @f(%t: tensor<4xf32>{}, %x: f32) -> f32 {{
  %c0 = arith.constant 0 : index
  %u = tensor.insert %x into %t[%c0] : tensor<4xf32>
  %r = tensor.extract %u[%c0] : tensor<4xf32>
  return %r : f32
}}"""
IN_PLACE = """func.func @f(%t: memref<4xf32>, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  memref.store %x, %t[%c0] : memref<4xf32>
  %r = memref.load %t[%c0] : memref<4xf32>
  return %r : f32
}"""
APART = IN_PLACE.replace("memref.store %x", "%a = memref.alloc() : memref<4xf32>\n  memref.store %x").replace(
    "%t[%c0]", "%a[%c0]"
)


@pytest.mark.parametrize(
    ("said", "target", "expected"),
    [
        ("", IN_PLACE, "equivalent"),
        (" {bufferization.writable = true}", IN_PLACE, "equivalent"),
        (" {bufferization.writable = false}", IN_PLACE, "unknown"),
        (" {bufferization.writable = false}", APART, "equivalent"),
    ],
)
def test_a_buffer_that_is_not_writable(said: str, target: str, expected: str) -> None:
    assert check(TENSOR.format(said), target, ("s.mlir", "t.mlir"), Options()).verdict == expected

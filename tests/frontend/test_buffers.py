"""Targets that take and return memrefs where the source has tensors."""

from __future__ import annotations

import pytest

from hecv.frontend.mlir import Signature, same_signature


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

"""Calls a compiled function: arguments placed in memory, results read from memory."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from itertools import accumulate
from math import prod
from operator import mul

import numpy as np
from msgspec import Struct

from hecv.base.types import FloatType, IndexType, IntType, Layout, MemRefType, Type
from hecv.base.value import Buffer, Poison, Value
from hecv.run.jit.abi.element_encoding import Array, decode, encode, scalar_of, struct_of
from hecv.run.jit.abi.jit_outcome import Finished, Refused, Signature
from hecv.run.jit.llvm_compilation import Compiled

LARGEST_BUFFER = 1 << 24
"""Elements of a buffer with gaps, at most."""


class Argument(Struct, frozen=True):
    """One argument in memory: its elements, and what is passed (the scalar, or a pointer to the descriptor)."""

    elements: Array
    passed: Array
    descriptor: Array | None = None  # `passed` holds its address
    places: Array | None = None  # where the elements of the buffer are, where they are apart

    def held(self) -> Array:
        """The elements of the buffer in order."""
        return self.elements if self.places is None else self.elements[self.places]


def call(compiled: Compiled, arguments: Sequence[Value], signature: Signature) -> Finished:
    """Calls the function through its C wrapper (MLIR docs, LLVM IR Target, "C-compatible wrapper emission").

    Raises: Refused.
    """
    inputs = signature.inputs()
    if len(arguments) != len(inputs):
        raise Refused(f"{len(arguments)} arguments given, expected {len(inputs)}")
    width = signature.index_width
    placed = _placed(arguments, inputs, width)
    answers = compiled.answers
    if answers is not None:
        answers.inputs = {
            n: a.held() for n, (a, v) in enumerate(zip(placed, arguments, strict=True)) if isinstance(v, Buffer)
        }
        answers.made = 0
        if any(a.places is not None for a in placed):
            raise Refused("unsupported: a function without a body, and a buffer with gaps")
    results = np.zeros(1, struct_of(signature.results, width))
    passed = [argument.passed for argument in placed]
    if answers is not None and signature.globals:
        where = np.zeros(len(signature.globals), np.int64)
        told = _descriptor(where, 0, where.shape, [1], width)
        passed.append(_address(told))
        answers.globals = {
            len(signature.types) + k: (where[k : k + 1], kind) for k, (_, kind) in enumerate(signature.globals)
        }
        answers.globals |= {n: answers.globals[k] for n, k in signature.same}
    if len(signature.results) == 1:
        passed.append(results)
    elif signature.results:  # a struct, to which a pointer is the first argument
        passed.insert(0, _address(results))
    compiled.entry((ctypes.c_void_p * len(passed))(*(cell.ctypes.data for cell in passed)))
    return Finished(
        tuple(decode(results[f"f{k}"], type)[0] for k, type in enumerate(signature.results)),
        tuple(
            Buffer(value.shape, decode(argument.held(), scalar_of(type))) if isinstance(value, Buffer) else value
            for argument, value, type in zip(placed, arguments, inputs, strict=True)
        ),
        0 if answers is None else answers.made,
    )


def same_as_globals(arguments: Sequence[Value], count: int) -> tuple[tuple[int, int], ...]:
    """The arguments that are globals, after the first `count`, each with the global's number."""
    held = {id(v.data): n for n, v in enumerate(arguments) if n >= count and isinstance(v, Buffer)}
    given = ((n, v) for n, v in enumerate(arguments[:count]) if isinstance(v, Buffer))
    return tuple((n, held[id(v.data)]) for n, v in given if id(v.data) in held)


def _placed(arguments: Sequence[Value], types: Sequence[Type], index_width: int) -> list[Argument]:
    """Puts the arguments into memory. Buffers that share elements are in one place, or are windows of it.

    Raises: Refused.
    """
    placed: list[Argument] = []
    memories: dict[int, Array] = {}
    for value, type in zip(arguments, types, strict=True):
        known = None
        if isinstance(value, Buffer) and isinstance(type, MemRefType) and type.layout is None:
            shared = value.data if value.store is None else value.store
            if id(shared) not in memories:
                memories[id(shared)] = encode(shared, type.element, index_width)
            known = memories[id(shared)][value.start : value.start + len(value.data)]
        placed.append(_place(value, type, index_width, known))
    return placed


def _place(value: Value, type: Type, index_width: int, known: Array | None = None) -> Argument:
    """Puts an argument into memory; `known` are its elements if another argument already has them there.

    Raises: Refused.
    """
    match value, type:
        case Buffer(shape, data), MemRefType():
            fits = len(shape) == len(type.shape) and all(n in (m, None) for m, n in zip(shape, type.shape, strict=True))
            if not fits or len(data) != prod(shape):
                raise Refused(f"a buffer of shape {shape} with {len(data)} elements is no {type}")
            if type.layout is not None and not _is_usual(type.layout, shape):
                return _place_apart(value, type, type.layout, index_width)
            elements = encode(data, type.element, index_width) if known is None else known
            descriptor = _descriptor(elements, 0, shape, _row_major(shape), index_width)
            return Argument(elements, _address(descriptor), descriptor)
        case int() | float() | Poison(), IntType() | IndexType() | FloatType():
            scalar = encode([value], type, index_width)
            return Argument(scalar, scalar)
        case _:
            raise Refused(f"{value!r} is no {type}")


def _is_usual(layout: Layout, shape: tuple[int, ...]) -> bool:
    """True if a buffer of this layout is row-major without gaps, when its dynamic strides are."""
    if layout.strides is None or layout.offset:
        return False
    return all(s in (None, usual) for s, usual in zip(layout.strides, _row_major(shape), strict=True))


def _place_apart(value: Buffer, type: MemRefType, layout: Layout, index_width: int) -> Argument:
    """Puts a buffer into memory with the strides of its type; dynamic ones are as in a row-major buffer.

    Raises: Refused.
    """
    if layout.strides is None:
        raise Refused(f"unsupported layout {layout.text}")
    usual, shape, offset = _row_major(value.shape), value.shape, layout.offset or 0
    strides = [u if s is None else s for s, u in zip(layout.strides, usual, strict=True)]
    places = np.full(shape, offset, np.int64)
    for axis, stride in enumerate(strides):
        places += stride * np.arange(shape[axis]).reshape([-1 if k == axis else 1 for k in range(len(shape))])
    places = places.reshape(-1)
    size = 1 + int(places.max(initial=0))
    if places.min(initial=0) < 0 or np.unique(places).size != places.size or size > LARGEST_BUFFER:
        raise Refused(f"a buffer of shape {shape} does not lie in memory as {layout.text}")
    elements = encode([0] * size, type.element, index_width)
    elements[places] = encode(value.data, type.element, index_width)
    descriptor = _descriptor(elements, offset, shape, strides, index_width)
    return Argument(elements, _address(descriptor), descriptor, places)


def _row_major(shape: tuple[int, ...]) -> list[int]:
    return [*accumulate(shape[:0:-1], mul, initial=1)][::-1] if shape else []


def _descriptor(elements: Array, offset: int, shape: tuple[int, ...], strides: list[int], index_width: int) -> Array:
    """The struct {allocated, aligned, offset, sizes, strides}."""
    indices = f"{1 + 2 * len(shape)}{'q' if index_width == 64 else 'i'}"
    address = elements.ctypes.data
    packed = struct.pack(f"PP{indices}", address, address, offset, *shape, *strides)
    return np.frombuffer(packed, np.uint8)


def _address(array: Array) -> Array:
    """A cell with the address of `array`. The caller must keep the array alive."""
    return np.array([array.ctypes.data], np.uintp)

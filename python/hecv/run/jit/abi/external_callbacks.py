"""Callbacks for functions without a body: compiled code calls back here and gets the answers of the interpreter."""

from __future__ import annotations

import ctypes
import math
import os
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from msgspec import Struct, field
from torch_mlir import ir

from hecv.base.types import INDEX, FloatType, IndexType, IntType, MemRefType, ScalarType
from hecv.base.value import Scalar
from hecv.run.evaluation.external_functions import Made, Site, mismatch
from hecv.run.jit.abi.element_encoding import Array, decode, encode, format_of, struct_of
from hecv.run.jit.abi.jit_outcome import Diverged, Refused

# The bindings are typed in small part.
IR: Any = ir

_FLOATS: Final = {"f32": ctypes.c_float, "f64": ctypes.c_double}
_ELEMENTS: Final = {"f16", "bf16", *_FLOATS}


class Callee(Struct):
    """A function without a body as compiled code calls it: its operand and result types."""

    name: str
    inputs: tuple[ScalarType | MemRefType, ...]
    results: tuple[ScalarType, ...]


class Answers(Struct):
    """The answers of functions without a body, call by call.

    `diverge` is told of a call that is not in the `script`, and does not return. `inputs` are the elements of the
    caller's memories, by argument number.
    """

    script: tuple[Made, ...]
    index_width: int
    diverge: Callable[[Diverged], None]
    inputs: dict[int, Array] = field(default_factory=dict[int, Array])
    globals: dict[int, tuple[Array, MemRefType]] = field(default_factory=dict[int, tuple[Array, MemRefType]])
    made: int = 0
    _kept: list[Any] = field(default_factory=list[Any])

    def code(self, callee: Callee) -> Any:
        """A C function for the callee, with the convention of `llvm.emit_c_interface`. It lives as long as this
        object."""
        takes = [ctypes.c_void_p if isinstance(t, MemRefType) else self._register(t) for t in callee.inputs]
        several = len(callee.results) > 1
        gives = self._register(callee.results[0]) if len(callee.results) == 1 else None

        def answer(*given: Any) -> Any:
            try:
                place, values = (given[0], given[1:]) if several else (0, given)
                results = self._answer(callee, values)
                if several:
                    self._write_struct(place, callee, results)
                return results[0] if gives is not None else None
            except Exception:  # ctypes would print it and go on
                os.abort()

        found = ctypes.CFUNCTYPE(gives, *([ctypes.c_void_p] if several else []), *takes)(answer)
        self._kept.append(found)
        return ctypes.cast(found, ctypes.c_void_p)

    def _register(self, kind: ScalarType) -> Any:
        match kind:
            case IntType(width) if width <= 64:
                return ctypes.c_uint64
            case IndexType():
                return ctypes.c_int64 if self.index_width == 64 else ctypes.c_int32
            case FloatType(name) if name in _FLOATS:
                return _FLOATS[name]
            case _:
                raise Refused(f"unsupported: a function without a body with a value of type {kind}")

    def _answer(self, callee: Callee, values: Sequence[Any]) -> tuple[Scalar, ...]:
        given = list(zip(callee.inputs, values, strict=True))
        operands = tuple(_masked(v, t) for t, v in given if not isinstance(t, MemRefType))
        views = [(t, self._view(v, t)) for t, v in given if isinstance(t, MemRefType)]
        number, script = self.made, self.script
        if number == len(script) or script[number].site.callee != callee.name:
            self.diverge(Diverged(number + 1))
        made = script[number]
        if any(made.site.viewed):
            operands += self._seen_as(made.site, given, views)
        contents = [decode(view.reshape(-1), t.element) for t, view in views]
        contents += [decode(a, m.element) for a, m in self._rest(made.site)]
        if mismatch(script, number, made.site, operands, contents) is not None:
            self.diverge(Diverged(number + 1))
        self._write(made, [view for _, view in views])
        self.made += 1
        return made.results

    def _seen_as(
        self, site: Site, given: Sequence[tuple[Any, Any]], views: list[tuple[MemRefType, Array]]
    ) -> tuple[int, ...]:
        """What the operands of a call say of the views passed to it.

        A view of an input is replaced in `views` by the whole input. Another input than the expected one ends the run.
        """
        found = [sum(1 << k for k, count in enumerate(site.viewed) if count)]
        descriptors = [v for v, t in ((v, t) for t, v in given) if isinstance(t, MemRefType)]
        for k, (kind, _) in enumerate(views):
            number = site.inputs[k]
            if not site.viewed[k]:
                continue
            index = ctypes.c_int64 if self.index_width == 64 else ctypes.c_int32
            where = (index * (1 + 2 * len(kind.shape))).from_address(descriptors[k] + 16)
            found += where
            if number is None:
                continue
            held = self._held(number)
            if ctypes.c_void_p.from_address(descriptors[k] + 8).value != held.ctypes.data:
                self.diverge(Diverged(self.made + 1))
            views[k] = kind, held
        return tuple(found)

    def _rest(self, site: Site) -> list[tuple[Array, Any]]:
        """The memories that a callee sees without being passed them."""
        beyond = zip(site.inputs[site.given :], site.visible[site.given :], strict=True)
        return [(self._held(n), memory) for n, memory in beyond if n is not None]

    def _held(self, number: int) -> Array:
        """The elements of an input as they are now."""
        if number not in self.globals:
            return self.inputs[number]
        address, kind = self.globals[number]
        dtype = format_of(kind.element, self.index_width)
        size = math.prod(n or 0 for n in kind.shape) * dtype.itemsize
        return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(int(address[0]))).view(dtype)

    def _write(self, made: Made, views: list[Array]) -> None:
        site = made.site
        for number, position, value in made.writes:
            encoded = encode([value], site.visible[number].element, self.index_width)[0]
            if number < site.given:
                view = views[number]
                view[np.unravel_index(position, view.shape) if view.shape else ()] = encoded
            else:
                self._rest(site)[number - site.given][0][position] = encoded

    def _view(self, descriptor: int, kind: MemRefType) -> Array:
        """The elements that a memref descriptor refers to."""
        index = ctypes.c_int64 if self.index_width == 64 else ctypes.c_int32
        rank, dtype = len(kind.shape), format_of(kind.element, self.index_width)
        aligned = ctypes.c_void_p.from_address(descriptor + 8).value or 0
        offset, *rest = (index * (1 + 2 * rank)).from_address(descriptor + 16)
        size = dtype.itemsize
        first = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(aligned + offset * size)).view(dtype)
        return np.lib.stride_tricks.as_strided(first, rest[:rank], [size * stride for stride in rest[rank:]])

    def _write_struct(self, place: int, callee: Callee, results: tuple[Scalar, ...]) -> None:
        dtype = struct_of(callee.results, self.index_width)
        held = np.ctypeslib.as_array((ctypes.c_uint8 * dtype.itemsize).from_address(place)).view(dtype)
        for k, (kind, value) in enumerate(zip(callee.results, results, strict=True)):
            held[f"f{k}"] = encode([value], kind, self.index_width)[0]


def _masked(value: Any, kind: ScalarType) -> Scalar:
    """A value as registers hold it; bits beyond its width are ignored."""
    return value & ((1 << kind.width) - 1) if isinstance(kind, IntType) else value


def callee_of(op: Any) -> Callee:
    """The callee of a declaration.

    Raises: Refused for types that are passed neither in registers nor as a memref.
    """
    kind = op.attributes["function_type"].value
    name = op.attributes["sym_name"].value
    return Callee(name, tuple(map(_type, kind.inputs)), tuple(_scalar(t) for t in kind.results))


def _type(source: Any) -> ScalarType | MemRefType:
    if not isinstance(source, IR.MemRefType):
        return _scalar(source)
    element = _scalar(source.element_type, in_memory=True)
    return MemRefType((None,) * source.rank, element)


def _scalar(source: Any, in_memory: bool = False) -> ScalarType:
    text = str(source)
    if isinstance(source, IR.IntegerType) and source.is_signless:
        return IntType(source.width)
    if isinstance(source, IR.IndexType):
        return INDEX
    if text in (_ELEMENTS if in_memory else _FLOATS):
        return FloatType(text)
    raise Refused(f"unsupported: a function without a body with a value of type {text}")

"""Runs cases by MLIR's JIT: one module for many cases, one call for all inputs of a case.

A value of any type travels in two 64-bit words, and is cut or reinterpreted inside the compiled code.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from hecv.base.types import INDEX, FloatType, IndexType, IntType, MemRefType, ScalarType
from hecv.base.value import Buffer, Poison, Scalar, Value
from hecv.run.jit import Failed, run_many

from .cases import Case

WORD = (1 << 64) - 1
WORDS = MemRefType((None, 2), IntType(64))
CODES = {"f16": ("e", "H"), "f32": ("f", "I"), "f64": ("d", "Q")}


def run(
    cases: Sequence[Case], inputs: Sequence[Sequence[tuple[Scalar, ...]]], index_width: int
) -> list[list[Scalar] | str]:
    """The result of each case on each of its inputs, or why there is none.

    Requires: no input makes its case undefined or poison.
    """
    operands = max(len(case.types) for case in cases)
    calls = [_arguments(k, case, given, operands) for k, (case, given) in enumerate(zip(cases, inputs, strict=True))]
    types = [INDEX, *[WORDS] * (operands + 1)]
    found: list[list[Scalar] | str] = []
    outcomes = run_many(_module(cases, operands), "main", calls, types, (), index_width=index_width)
    for case, outcome in zip(cases, outcomes, strict=True):
        if isinstance(outcome, Failed):
            found.append(outcome.reason)
            continue
        result = outcome.arguments[-1]
        assert isinstance(result, Buffer)
        words = [int(w) for w in result.data if not isinstance(w, Poison)]
        found.append([_value(low | high << 64, case.result) for low, high in zip(words[::2], words[1::2], strict=True)])
    return found


def _arguments(number: int, case: Case, inputs: Sequence[tuple[Scalar, ...]], operands: int) -> list[Value]:
    size = len(inputs)
    buffers = [
        Buffer((size, 2), [w for x in inputs for w in _words(x[k], case.types[k])])
        if k < len(case.types)
        else Buffer((0, 2), [])
        for k in range(operands)
    ]
    return [number, *buffers, Buffer((size, 2), [0] * (2 * size))]


def _words(value: Scalar, type_: ScalarType) -> tuple[int, int]:
    match type_, value:
        case FloatType("bf16"), float():
            return int(struct.unpack("I", struct.pack("f", value))[0]) >> 16, 0
        case FloatType(name), float():
            code, whole = CODES[name]
            return int(struct.unpack(whole, struct.pack(code, value))[0]), 0
        case _, int():
            return value & WORD, value >> 64 & WORD
        case _:
            raise AssertionError((value, type_))


def _value(words: int, type_: ScalarType) -> Scalar:
    match type_:
        case FloatType("bf16"):
            return float(struct.unpack("f", struct.pack("I", (words & 0xFFFF) << 16))[0])
        case FloatType(name):
            code, whole = CODES[name]
            return float(struct.unpack(code, struct.pack(whole, words & (1 << struct.calcsize(whole) * 8) - 1))[0])
        case IndexType():
            return (words & WORD ^ 1 << 63) - (1 << 63)
        case IntType(width):
            return words & (1 << width) - 1


# MLIR text


def _module(cases: Sequence[Case], operands: int) -> str:
    names = "".join(f"%m{k}: {WORDS}, " for k in range(operands)) + f"%out: {WORDS}"
    types = ", ".join([str(WORDS)] * (operands + 1))
    given = "".join(f"%m{k}, " for k in range(operands)) + "%out"
    functions = "\n".join(_function(k, case, names) for k, case in enumerate(cases))
    switch = "\n".join(
        f"case {k} {{ func.call @f{k}({given}) : ({types}) -> ()\nscf.yield }}" for k in range(len(cases))
    )
    main = f"func.func @main(%k: index, {names}) {{\nscf.index_switch %k\n{switch}\ndefault {{}}\nreturn\n}}"
    return f"{functions}\n{main}\n"


def _function(number: int, case: Case, names: str) -> str:
    loads = "\n".join(_load(k, t) for k, t in enumerate(case.types))
    result = f"%r#{case.which}" if case.line.startswith("%r:") else "%r"
    return f"""func.func private @f{number}({names}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %out, %c0 : {WORDS}
  scf.for %i = %c0 to %n step %c1 {{
    {loads}
    {case.line}
    {_store(result, case.result)}
  }}
  return
}}"""


def _load(k: int, type_: ScalarType) -> str:
    """`%x<k>` from the words of element `%i`."""
    low = f"%x{k}_low = memref.load %m{k}[%i, %c0] : {WORDS}\n"
    match type_:
        case IntType(64):
            return f"%x{k} = memref.load %m{k}[%i, %c0] : {WORDS}"
        case IntType(width) if width < 64:
            return low + f"%x{k} = arith.trunci %x{k}_low : i64 to {type_}"
        case IntType(128):
            return (
                low
                + f"""%x{k}_high = memref.load %m{k}[%i, %c1] : {WORDS}
              %x{k}_0 = arith.extui %x{k}_low : i64 to i128
              %x{k}_1 = arith.extui %x{k}_high : i64 to i128
              %x{k}_64 = arith.constant 64 : i128
              %x{k}_2 = arith.shli %x{k}_1, %x{k}_64 : i128
              %x{k} = arith.ori %x{k}_0, %x{k}_2 : i128"""
            )
        case IndexType():
            return low + f"%x{k} = arith.index_cast %x{k}_low : i64 to index"
        case FloatType("f64"):
            return low + f"%x{k} = arith.bitcast %x{k}_low : i64 to f64"
        case FloatType(name):
            cut = f"%x{k}_cut = arith.trunci %x{k}_low : i64 to i{name.strip('bf')}\n"
            return low + cut + f"%x{k} = arith.bitcast %x{k}_cut : i{name.strip('bf')} to {name}"
        case _:
            raise AssertionError(type_)


def _store(result: str, type_: ScalarType) -> str:
    """The words of `result` to element `%i` of `%out`."""
    put = f"memref.store %word, %out[%i, %c0] : {WORDS}"
    match type_:
        case IntType(64):
            return put.replace("%word", result)
        case IntType(width) if width < 64:
            return f"%word = arith.extui {result} : {type_} to i64\n{put}"
        case IntType(128):
            return f"""%word = arith.trunci {result} : i128 to i64
              %high_64 = arith.constant 64 : i128
              %high_1 = arith.shrui {result}, %high_64 : i128
              %high = arith.trunci %high_1 : i128 to i64
              memref.store %high, %out[%i, %c1] : {WORDS}
              {put}"""
        case IndexType():
            return f"%word = arith.index_cast {result} : index to i64\n{put}"
        case FloatType("f64"):
            return f"%word = arith.bitcast {result} : f64 to i64\n{put}"
        case FloatType(name):
            bits = f"i{name.strip('bf')}"
            return f"%cut = arith.bitcast {result} : {name} to {bits}\n%word = arith.extui %cut : {bits} to i64\n{put}"
        case _:
            raise AssertionError(type_)

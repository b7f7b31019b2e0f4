"""8-bit floats emulated as their bits: LLVM has no such types, and MLIR does not lower all of them.

A table converts a value to f32. An op is computed in f32 (casts from integers or wider floats, and `math.fma`, in f64)
and rounded by comparing with the midpoints between numbers of the format. Between ops a value is its bits.
"""

from __future__ import annotations

import math
import re
from typing import Any, Final

from torch_mlir import ir

from hecv.run.evaluation.softfloat import FORMATS, SMALL
from hecv.run.jit.abi.jit_outcome import Refused
from hecv.run.jit.float_emulation.float_bits import as_bits, hold_bits, vector_of_bits
from hecv.run.jit.float_emulation.vector_unrolling import elementwise, reduction
from hecv.run.jit.lowering.op_replacement import replace_each

# The bindings are typed in small part.
IR: Any = ir

_MENTION: Final = re.compile(r"(?<=[x<(,: ])(f8\w+)(?=[>,)\s])")
_MOVES: Final = ("memref.", "affine.", "scf.", "cf.", "func.", "builtin.", "ub.", "vector.")
_COMPUTED: Final = frozenset(f"vector.{n}" for n in ("contract", "fma", "multi_reduction", "outerproduct", "scan"))
"""Vector ops that compute, and do not only move elements."""
_WHOLE: Final = frozenset({"arith.bitcast", "arith.select"})
IN_F32: Final = frozenset(
    f"{dialect}.{name}"
    for dialect, names in (
        ("arith", "addf subf mulf divf remf negf maximumf minimumf maxnumf minnumf cmpf fptosi fptoui"),
        ("math", "absf sqrt floor ceil round roundeven trunc"),
        ("math", "acos acosh asin asinh atan atanh cbrt cos cosh erf erfc exp exp2 expm1"),
        ("math", "log log10 log1p log2 sin sinh tan tanh atan2 powf"),
        ("llvm.intr", "copysign is.fpclass"),
    )
    for name in names.split()
)
"""Ops that f32 between two roundings computes exactly enough, as it has more than twice the digits; or that are
defined as those of f32, rounded."""
_NORMAL: Final = "264"
"""The mask of `is.fpclass` for normal numbers, which are others in f32."""


def without_small(module: Any, text: str) -> Any:
    """A module that computes the same over i8; the same module if it has no 8-bit floats. `text` shows its types.

    Raises: Refused.
    """
    named = set(_MENTION.findall(text))
    if not named:
        return module
    if not named <= SMALL.keys():
        raise Refused(f"unsupported: {', '.join(sorted(named - SMALL.keys()))}")
    _declare(module, named)
    replace_each(module, _mentions, _replace)
    hold_bits(module, lambda name: SMALL[name].code if name in SMALL else None)
    text = module.operation.get_asm(assume_verified=True)
    for name in named:
        text = _declaration_removed(text, name)
    text = _MENTION.sub("i8", text).rstrip().removesuffix("}") + "\n".join(map(_functions, sorted(named))) + "\n}"
    try:
        return IR.Module.parse(text, module.context)
    except IR.MLIRError as error:
        raise Refused(f"unsupported: floats of 8 bits here: {error.error_diagnostics[0].message}") from error


def _widen(name: str) -> str:
    return f"hecv.widen.{name}"


def _narrow(name: str) -> str:
    return f"hecv.narrow.{name}"


def _declare(module: Any, names: set[str]) -> None:
    """Declares the functions that convert a number to f32, and an f64 to a number."""
    for name in sorted(names):
        for symbol, kind in ((_widen(name), f"({name}) -> f32"), (_narrow(name), f"(f64) -> {name}")):
            own = IR.Module.parse(f'func.func private @"{symbol}"{kind}', module.context)
            module.body.append(next(iter(own.body.operations)))


def _declaration_removed(text: str, name: str) -> str:
    for symbol in (_widen(name), _narrow(name)):
        text = re.sub(rf" *func\.func private @{re.escape(symbol)}\(.*\n", "", text)
    return text


def _mentions(kind: Any) -> bool:
    return bool(_MENTION.search(f" {kind} "))


def _is_small(kind: Any) -> bool:
    return str(kind) in SMALL


def _replace(op: Any) -> None:
    """Replaces an op by ops on f32 or f64."""
    name, context = op.name, op.context
    if name == "vector.reduction":
        return reduction(op, _replace)
    computes = name.startswith(("arith.", "math.", "llvm.intr."))
    if computes and any(isinstance(v.type, IR.VectorType) for v in (*op.operands, *op.results)):
        return _constant(op) if name == "arith.constant" else elementwise(op, _replace_here)
    f32, f64 = IR.F32Type.get(context), IR.F64Type.get(context)
    if name == "arith.extf" and _is_small(op.operands[0].type):
        made = _as(_f32(op.operands[0]), op.result.type)
    elif name in ("arith.truncf", "arith.convertf") and "roundingmode" not in op.attributes:
        source = op.operands[0]
        wide = _f32(source) if _is_small(source.type) else source
        made = _number(_as(wide, f64), op.result.type)
    elif name in ("arith.sitofp", "arith.uitofp") and op.operands[0].type.width <= 53:
        made = _number(_made(name, op.operands, f64), op.result.type)
    elif name == "math.fma":
        made = _fused(op, f64)
    elif name in IN_F32 and not ("bit" in op.attributes and str(op.attributes["bit"]).startswith(_NORMAL)):
        result = f32 if _is_small(op.result.type) else op.result.type
        attributes = {n: op.attributes[n] for n in op.attributes if n != "fastmath"}
        made = _made(name, [_f32(v) if _is_small(v.type) else v for v in op.operands], result, attributes)
        made = _number(_as(made, f64), op.result.type) if _is_small(op.result.type) else made
    elif name == "arith.constant" and _is_small(op.result.type):
        code = SMALL[str(op.result.type)].code(op.attributes["value"].value)
        i8 = IR.IntegerType.get_signless(8, context)
        value = IR.IntegerAttr.get(i8, code - 256 if code > 127 else code)
        bits = _made("arith.constant", [], i8, {"value": value})
        made = _made("arith.bitcast", [bits], op.result.type)
    elif name in _WHOLE or (name.startswith(_MOVES) and name not in _COMPUTED):
        return
    else:
        raise Refused(f"unsupported: {name} on a float of 8 bits")
    op.result.replace_all_uses_with(made)
    op.erase()


def _fused(op: Any, f64: Any) -> Any:
    """A fused multiply-add in f64, where the product is exact, and so is the sum if it does not overflow: both are
    multiples of 2**-34, the least number squared, and no number is as great as 2**17."""
    left, right, addend = (_as(_f32(v), f64) for v in op.operands)
    total = _made("arith.addf", [_made("arith.mulf", [left, right], f64), addend], f64)
    return _number(total, op.result.type)


def _replace_here(op: Any) -> None:
    with IR.InsertionPoint(op):
        _replace(op)


def _constant(op: Any) -> None:
    """Replaces a constant vector by its bits."""
    kind = op.result.type
    bits = vector_of_bits(kind)
    value = as_bits(op.attributes["value"], bits, SMALL[str(kind.element_type)].code)
    made = _made("arith.bitcast", [_made("arith.constant", [], bits, {"value": value})], kind)
    op.result.replace_all_uses_with(made)
    op.erase()


def _made(name: str, operands: Any, kind: Any, attributes: Any = None) -> Any:
    return IR.Operation.create(name, results=[kind], operands=list(operands), attributes=attributes or {}).result


def _call(symbol: str, value: Any, kind: Any) -> Any:
    return _made("func.call", [value], kind, {"callee": IR.FlatSymbolRefAttr.get(symbol, kind.context)})


def _f32(value: Any) -> Any:
    return _call(_widen(str(value.type)), value, IR.F32Type.get(value.type.context))


def _number(value: Any, kind: Any) -> Any:
    return _call(_narrow(str(kind)), value, kind)


def _as(value: Any, kind: Any) -> Any:
    """A float cast to a format that may be wider, or narrower if the value is one of that format."""
    if value.type == kind:
        return value
    wider = IR.FloatType(kind).width > IR.FloatType(value.type).width
    return _made("arith.extf" if wider else "arith.truncf", [value], kind)


# The tables


def _functions(name: str) -> str:
    """The text of both functions and of their tables."""
    form, small = FORMATS[name], SMALL[name]
    values = ", ".join(_hex32(v) for v in small.values)
    finite = [v for v in small.values[:128] if math.isfinite(v)]
    step = finite[-1] - finite[-2]
    halves = [(a + b) / 2 for a, b in zip(finite, [*finite[1:], finite[-1] + step], strict=True)]
    beyond = len(finite) if form.infinite else small.nan
    limits, count = ", ".join(map(repr, halves)), len(halves)
    nan, sign = _i8(small.nan), "%zero_is_one" if not form.minus_zero else "%true"
    return f"""
  memref.global "private" constant @"hecv.values.{name}" : memref<256xf32> = dense<[{values}]>
  memref.global "private" constant @"hecv.halves.{name}" : memref<{count}xf64> = dense<[{limits}]>
  func.func private @"{_widen(name)}"(%code: i8) -> f32 {{
    %table = memref.get_global @"hecv.values.{name}" : memref<256xf32>
    %at = arith.index_castui %code : i8 to index
    %value = memref.load %table[%at] : memref<256xf32>
    return %value : f32
  }}
  func.func private @"{_narrow(name)}"(%value: f64) -> i8 {{
    %table = memref.get_global @"hecv.halves.{name}" : memref<{count}xf64>
    %low = arith.constant 0 : index
    %high = arith.constant {count} : index
    %step = arith.constant 1 : index
    %zero = arith.constant 0 : i8
    %one = arith.constant 1 : i8
    %true = arith.constant true
    %nan = arith.constant {nan} : i8
    %beyond = arith.constant {_i8(beyond)} : i8
    %last = arith.constant {_i8(count)} : i8
    %minus = arith.constant -128 : i8
    %size = math.absf %value : f64
    %count = scf.for %k = %low to %high step %step iter_args(%n = %zero) -> i8 {{
      %half = memref.load %table[%k] : memref<{count}xf64>
      %more = arith.cmpf ogt, %size, %half : f64
      %tie = arith.cmpf oeq, %size, %half : f64
      %code = arith.index_cast %k : index to i8
      %bit = arith.andi %code, %one : i8
      %odd = arith.cmpi ne, %bit, %zero : i8
      %up = arith.andi %tie, %odd : i1
      %counts = arith.ori %more, %up : i1
      %next = arith.addi %n, %one : i8
      %m = arith.select %counts, %next, %n : i8
      scf.yield %m : i8
    }}
    %overflows = arith.cmpi uge, %count, %last : i8
    %code = arith.select %overflows, %beyond, %count : i8
    %bits = arith.bitcast %value : f64 to i64
    %none = arith.constant 0 : i64
    %negative = arith.cmpi slt, %bits, %none : i64
    %zero_is_one = arith.cmpi ne, %count, %zero : i8
    %signed = arith.andi %negative, {sign} : i1
    %with = arith.ori %code, %minus : i8
    %made = arith.select %signed, %with, %code : i8
    %unordered = arith.cmpf uno, %value, %value : f64
    %result = arith.select %unordered, %nan, %made : i8
    return %result : i8
  }}"""


def _i8(code: int) -> int:
    return code - 256 if code > 127 else code


def _hex32(value: float) -> str:
    """A literal of an f32."""
    if value != value:
        return "0x7FC00000"
    if math.isinf(value):
        return "0x7F800000" if value > 0 else "0xFF800000"
    return repr(value)

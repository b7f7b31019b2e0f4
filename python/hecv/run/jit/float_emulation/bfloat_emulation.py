"""bf16 emulated as the upper half of an f32: each op is computed in f32 and rounded; between ops a value is its bits.

Not left to LLVM: on a machine with AVX512-BF16, a value that only lives across a branch loses its denormals (2**-133,
returned after a loop, comes out as 0). Nor to MLIR's arith-emulate-unsupported-floats, which does not round between
ops.
"""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from torch_mlir import ir, passmanager

from hecv.run.jit.abi.jit_outcome import Refused
from hecv.run.jit.float_emulation.float_bits import as_bits, hold_bits, vector_of_bits
from hecv.run.jit.float_emulation.round_to_odd import odd_f32, odd_sum
from hecv.run.jit.lowering.op_replacement import replace_each

# The bindings are typed in small part.
IR: Any = ir
PASSES: Any = passmanager

_MENTION: Final = re.compile(r"(?<=[x<(,: ])bf16(?=[>,)\s])")
_MOVES: Final = ("memref.", "affine.", "scf.", "cf.", "func.", "vector.", "builtin.", "ub.")
_WHOLE: Final = frozenset({"arith.bitcast", "arith.select", "arith.constant"})
IN_F32: Final = frozenset(
    f"{dialect}.{name}"
    for dialect, names in (
        ("arith", "addf subf mulf divf remf negf maximumf minimumf maxnumf minnumf cmpf fptosi fptoui flush_denormals"),
        ("llvm.intr", "copysign is.fpclass"),
        ("math", "absf sqrt floor ceil round roundeven trunc"),
        ("math", "acos acosh asin asinh atan atanh cbrt cos cosh erf erfc exp exp2 expm1"),
        ("math", "log log10 log1p log2 sin sinh tan tanh atan2 powf"),
    )
    for name in names.split()
)
"""Ops that f32 between two roundings computes exactly enough, as it has more than twice the digits of bf16; or that
MLIR itself computes in f32."""
_COMBINES: Final = (
    "vector.reduction",
    "vector.multi_reduction",
    "vector.contract",
    "vector.fma",
    "vector.outerproduct",
)
EXACT_BITS: Final = 24
"""Integers up to this width are exact in f32."""


def without_bf16(module: Any, text: str) -> Any:
    """A module that computes the same over i16; the same module if it has no bf16. `text` shows its types.

    Raises: Refused.
    """
    if not _MENTION.search(text):
        return module
    replace_each(module, _is_bf16, _replace)
    expand = "builtin.module(func.func(arith-expand{include-bf16=1}))"
    PASSES.PassManager.parse(expand, module.context).run(module.operation)
    replace_each(module, _is_bf16, _replace_constant)  # after the pass, which folds
    hold_bits(module, lambda name: _code if name == "bf16" else None)
    text = _MENTION.sub("i16", module.operation.get_asm(assume_verified=True))
    try:
        return IR.Module.parse(text, module.context)
    except IR.MLIRError as error:
        raise Refused("unsupported: bf16 other than in scalar and vector arithmetic") from error


def _element(kind: Any) -> Any:
    return kind.element_type if isinstance(kind, IR.VectorType) else kind


def _is_bf16(kind: Any) -> bool:
    return isinstance(_element(kind), IR.BF16Type)


def _as(kind: Any, element: Any) -> Any:
    return IR.VectorType.get(kind.shape, element) if isinstance(kind, IR.VectorType) else element


def _replace(op: Any) -> None:
    """Replaces an op on bf16 by ops on f32 or on bits."""
    name, context = op.name, op.context
    f32 = IR.F32Type.get(context)
    if name == "arith.extf" and _element(op.result.type) != f32:
        made = [_cast("arith.extf", _widened(op.operands[0], f32), op.result.type)]
    elif name == "arith.truncf" and _element(op.operands[0].type) == f32 and "roundingmode" not in op.attributes:
        return
    elif name == "arith.truncf" and "roundingmode" not in op.attributes:
        made = [_narrowed(odd_f32(op.operands[0]), op.result.type)]
    elif name in ("arith.sitofp", "arith.uitofp") and _element(op.operands[0].type).width <= EXACT_BITS:
        made = [_narrowed(_cast(name, op.operands[0], _as(op.result.type, f32)), op.result.type)]
    elif name == "math.fma":
        made = [_fused(op)]
    elif name in IN_F32:
        made = _in_f32(op, f32)
    elif name == "arith.extf" or name in _WHOLE or (name.startswith(_MOVES) and name not in _COMBINES):
        return
    else:
        raise Refused(f"unsupported: {name} on bf16")
    for old, new in zip(op.results, made, strict=True):
        old.replace_all_uses_with(new)
    op.erase()


def _in_f32(op: Any, f32: Any) -> list[Any]:
    operands = [_widened(v, f32) if _is_bf16(v.type) else v for v in op.operands]
    results = [_as(r.type, f32) if _is_bf16(r.type) else r.type for r in op.results]
    attributes = {name: op.attributes[name] for name in op.attributes if name != "fastmath"}
    made = IR.Operation.create(op.name, results=results, operands=operands, attributes=attributes)
    return [_narrowed(n, o.type) if _is_bf16(o.type) else n for n, o in zip(made.results, op.results, strict=True)]


def _fused(op: Any) -> Any:
    """A fused multiply-add in f64, where the product of two bf16 is exact."""
    f64 = _as(op.result.type, IR.F64Type.get(op.context))
    left, right, addend = (_cast("arith.extf", _widened(v, IR.F32Type.get(op.context)), f64) for v in op.operands)
    product = IR.Operation.create("arith.mulf", results=[f64], operands=[left, right]).result
    return _narrowed(odd_f32(odd_sum(product, addend)), op.result.type)


def _widened(value: Any, f32: Any) -> Any:
    return _cast("arith.extf", value, _as(value.type, f32))


def _narrowed(value: Any, kind: Any) -> Any:
    return _cast("arith.truncf", value, kind)


def _cast(name: str, value: Any, kind: Any) -> Any:
    return IR.Operation.create(name, results=[kind], operands=[value]).result


def _replace_constant(op: Any) -> None:
    """Replaces a constant by its bits."""
    if op.name != "arith.constant":
        return
    kind, value = op.result.type, op.attributes["value"]
    i16 = IR.IntegerType.get_signless(16, op.context)
    if isinstance(kind, IR.VectorType):
        bits = as_bits(value, vector_of_bits(kind), _code)
    else:
        bits = IR.IntegerAttr.get(i16, int(_bits(np.array(value.value, np.float32)).view(np.int16)))
    made = IR.Operation.create("arith.constant", results=[_as(kind, i16)], attributes={"value": bits}).result
    op.result.replace_all_uses_with(_cast("arith.bitcast", made, kind))
    op.erase()


def _bits(values: NDArray[np.float32]) -> NDArray[np.uint16]:
    """The upper halves of f32 values."""
    return (values.view(np.uint32) >> 16).astype(np.uint16)


def _code(value: float) -> int:
    """The bits of a number of the format."""
    return int(_bits(np.array([value], np.float32))[0])

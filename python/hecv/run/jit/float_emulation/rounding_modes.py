"""Casts with a rounding mode: compiled code only rounds to nearest, and MLIR's lowering does not change the mode.

The result of a cast to nearest is moved one step if it went the wrong way. Without the sign, the bits of a float are
ordered as its magnitude.
"""

from __future__ import annotations

from typing import Any, Final

from torch_mlir import ir

from hecv.run.jit.lowering.op_replacement import replace_each

# The bindings are typed in small part.
IR: Any = ir

_FORMATS: Final = ("f16", "bf16", "f32")
_MODES: Final = ("downward", "upward", "toward_zero", "to_nearest_away")
_OGT, _OLT, _OEQ, _SLT = 2, 4, 1, 2


def without_rounding_modes(module: Any) -> None:
    """Replaces the casts in place."""
    replace_each(module, lambda kind: str(_element(kind)) in _FORMATS, _replace)


def _element(kind: Any) -> Any:
    return kind.element_type if isinstance(kind, IR.VectorType) else kind


def _replace(op: Any) -> None:
    if op.name != "arith.truncf" or "roundingmode" not in op.attributes:
        return
    mode, kind = _mode(op), op.result.type
    if str(_element(kind)) not in _FORMATS:
        return
    (value,) = op.operands
    nearest = made("arith.truncf", [value], kind)
    op.result.replace_all_uses_with(_corrected(mode, value, nearest) if mode in _MODES else nearest)
    op.erase()


def _mode(op: Any) -> str:
    number = IR.IntegerAttr(op.attributes["roundingmode"]).value
    return ("to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away")[number]


def _corrected(mode: str, value: Any, nearest: Any) -> Any:
    """`value` rounded by `mode`, from `nearest`, its rounding to nearest."""
    back = made("arith.extf", [nearest], value.type)
    bits = like(nearest.type, IR.IntegerType.get_signless(_element(nearest.type).width))
    held = made("arith.bitcast", [nearest], bits)
    one, zero = constant(bits, 1), constant(bits, 0)
    outward, inward = (made(name, [held, one], bits) for name in ("arith.addi", "arith.subi"))
    negative = compared("arith.cmpi", _SLT, held, zero)
    match mode:
        case "downward":
            wrong, step = compared("arith.cmpf", _OGT, back, value), chosen(negative, outward, inward)
        case "upward":
            wrong, step = compared("arith.cmpf", _OLT, back, value), chosen(negative, inward, outward)
        case "toward_zero":
            wrong, step = compared("arith.cmpf", _OGT, size(back), size(value)), inward
        case _:
            wrong, step = _tie(value, back, made("arith.bitcast", [outward], nearest.type)), outward
    return made("arith.bitcast", [chosen(wrong, step, held)], nearest.type)


def _tie(value: Any, back: Any, further: Any) -> Any:
    """True if `value` is the midpoint between `back`, which is nearer to zero, and `further`."""
    here, beyond = size(value), size(made("arith.extf", [further], value.type))
    gaps = (made("arith.subf", pair, value.type) for pair in ([here, size(back)], [beyond, here]))
    return compared("arith.cmpf", _OEQ, *gaps)


def size(value: Any) -> Any:
    """The absolute value."""
    return made("math.absf", [value], value.type)


def chosen(condition: Any, first: Any, second: Any) -> Any:
    """A selection."""
    return made("arith.select", [condition, first, second], first.type)


def made(name: str, operands: list[Any], kind: Any, attributes: Any = None) -> Any:
    """The result of a new op."""
    return IR.Operation.create(name, results=[kind], operands=operands, attributes=attributes or {}).result


def compared(name: str, predicate: int, left: Any, right: Any) -> Any:
    """A comparison of floats or of integers, by the number of its predicate."""
    attribute = IR.IntegerAttr.get(IR.IntegerType.get_signless(64), predicate)
    kind = like(left.type, IR.IntegerType.get_signless(1))
    return made(name, [left, right], kind, {"predicate": attribute})


def constant(kind: Any, number: int) -> Any:
    """An integer of a type, or a vector of it."""
    one = IR.IntegerAttr.get(_element(kind), number)
    value = IR.DenseElementsAttr.get_splat(kind, one) if isinstance(kind, IR.VectorType) else one
    return made("arith.constant", [], kind, {"value": value})


def like(kind: Any, element: Any) -> Any:
    """A type of another element, a vector where `kind` is one."""
    return IR.VectorType.get(kind.shape, element) if isinstance(kind, IR.VectorType) else element

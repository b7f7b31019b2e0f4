"""Casts that are not rounded to nearest: compiled code has one rounding mode, and MLIR's lowering does not change it.

A cast to nearest is taken a step further where it went the wrong way. The bits of a float, without the sign, are in the
order of its magnitude.
"""

from __future__ import annotations

from typing import Any, Final

from torch_mlir import ir

from hecv.execute.jit.walk import replace_each

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
    made = _made("arith.truncf", [value], kind)
    if mode in _MODES:
        made = _corrected(mode, value, made)
    op.result.replace_all_uses_with(made)
    op.erase()


def _mode(op: Any) -> str:
    number = IR.IntegerAttr(op.attributes["roundingmode"]).value
    return ("to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away")[number]


def _corrected(mode: str, value: Any, nearest: Any) -> Any:
    """`value` rounded by `mode`, where `nearest` is what it is rounded to nearest."""
    back = _made("arith.extf", [nearest], value.type)
    bits = _like(nearest.type, IR.IntegerType.get_signless(_element(nearest.type).width))
    held = _made("arith.bitcast", [nearest], bits)
    one, zero = _constant(bits, 1), _constant(bits, 0)
    outward, inward = (_made(name, [held, one], bits) for name in ("arith.addi", "arith.subi"))
    negative = _compared("arith.cmpi", _SLT, held, zero)
    match mode:
        case "downward":
            wrong, step = _compared("arith.cmpf", _OGT, back, value), _chosen(negative, outward, inward)
        case "upward":
            wrong, step = _compared("arith.cmpf", _OLT, back, value), _chosen(negative, inward, outward)
        case "toward_zero":
            wrong, step = _compared("arith.cmpf", _OGT, _size(back), _size(value)), inward
        case _:
            wrong, step = _tie(value, back, _made("arith.bitcast", [outward], nearest.type)), outward
    return _made("arith.bitcast", [_chosen(wrong, step, held)], nearest.type)


def _tie(value: Any, back: Any, further: Any) -> Any:
    """Whether `value` lies in the middle between `back`, which is nearer to zero, and `further`."""
    size, beyond = _size(value), _size(_made("arith.extf", [further], value.type))
    gaps = (_made("arith.subf", pair, value.type) for pair in ([size, _size(back)], [beyond, size]))
    return _compared("arith.cmpf", _OEQ, *gaps)


def _size(value: Any) -> Any:
    return _made("math.absf", [value], value.type)


def _chosen(condition: Any, first: Any, second: Any) -> Any:
    return _made("arith.select", [condition, first, second], first.type)


def _made(name: str, operands: list[Any], kind: Any, attributes: Any = None) -> Any:
    return IR.Operation.create(name, results=[kind], operands=operands, attributes=attributes or {}).result


def _compared(name: str, predicate: int, left: Any, right: Any) -> Any:
    attribute = IR.IntegerAttr.get(IR.IntegerType.get_signless(64), predicate)
    kind = _like(left.type, IR.IntegerType.get_signless(1))
    return _made(name, [left, right], kind, {"predicate": attribute})


def _constant(kind: Any, number: int) -> Any:
    one = IR.IntegerAttr.get(_element(kind), number)
    value = IR.DenseElementsAttr.get_splat(kind, one) if isinstance(kind, IR.VectorType) else one
    return _made("arith.constant", [], kind, {"value": value})


def _like(kind: Any, element: Any) -> Any:
    return IR.VectorType.get(kind.shape, element) if isinstance(kind, IR.VectorType) else element

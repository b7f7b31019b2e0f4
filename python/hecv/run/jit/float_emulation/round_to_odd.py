"""Rounding to odd: a value rounded so, then rounded to at least two bits fewer, is as if it had been rounded once.

If a format lacks a number, it is rounded to the neighbour whose last bit is set. The other neighbour, which is nearer
or the other end of a tie, is one step away in its bits.

Cites: Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", IEEE TC 2008.
"""

from __future__ import annotations

from typing import Any

from torch_mlir import ir

from hecv.run.jit.float_emulation.rounding_modes import chosen, compared, constant, like, made, size

# The bindings are typed in small part.
IR: Any = ir

_OGT, _ONE, _EQ, _SLT = 2, 6, 0, 2


def odd_f32(value: Any) -> Any:
    """An f64 (or a vector of them) as f32, rounded to odd; NaN and infinities stay."""
    f32 = like(value.type, IR.F32Type.get(value.type.context))
    nearest = made("arith.truncf", [value], f32)
    back = made("arith.extf", [nearest], value.type)
    inexact = compared("arith.cmpf", _ONE, back, value)
    return _to_odd(nearest, inexact, compared("arith.cmpf", _OGT, size(back), size(value)))


def odd_sum(left: Any, right: Any) -> Any:
    """The sum of two f64 (or vectors of them), rounded to odd.

    Requires: no partial result overflows, as for products of two bf16.
    """
    kind = left.type

    def minus(a: Any, b: Any) -> Any:
        return made("arith.subf", [a, b], kind)

    total = made("arith.addf", [left, right], kind)
    part = minus(total, left)
    error = made("arith.addf", [minus(left, minus(total, part)), minus(right, part)], kind)
    none = made("arith.subf", [total, total], kind)  # +0; NaN where the sum is not finite, as `error` is then
    inexact = compared("arith.cmpf", _ONE, error, none)
    bits = like(kind, IR.IntegerType.get_signless(64))
    signs = made("arith.xori", [made("arith.bitcast", [v], bits) for v in (error, total)], bits)
    return _to_odd(total, inexact, compared("arith.cmpi", _SLT, signs, constant(bits, 0)))


def _to_odd(nearest: Any, inexact: Any, inwards: Any) -> Any:
    """`nearest`, or if that is `inexact` with last bit 0, its neighbour: towards zero if `inwards`, otherwise away
    from zero."""
    width = (nearest.type.element_type if isinstance(nearest.type, IR.VectorType) else nearest.type).width
    bits = like(nearest.type, IR.IntegerType.get_signless(width))
    held = made("arith.bitcast", [nearest], bits)
    one = constant(bits, 1)
    even = compared("arith.cmpi", _EQ, made("arith.andi", [held, one], bits), constant(bits, 0))
    moved = (made(name, [held, one], bits) for name in ("arith.subi", "arith.addi"))
    stepped = chosen(inwards, *moved)
    steps = made("arith.andi", [inexact, even], even.type)
    return made("arith.bitcast", [chosen(steps, stepped, held)], nearest.type)

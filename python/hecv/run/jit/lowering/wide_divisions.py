"""Rounded quotients wider than 64 bits, by other ops: MLIR's own lowering takes -1 for 2**64 - 1 there."""

from __future__ import annotations

from typing import Any, Final

from torch_mlir import ir

from hecv.run.jit.lowering.op_replacement import replace_each

# The bindings are typed in small part.
IR: Any = ir

_ROUNDED: Final = ("arith.floordivsi", "arith.ceildivsi")
_NE, _SLT, _EQ = 1, 2, 0


def without_wide_rounding(module: Any) -> None:
    """Replaces the quotients in place."""
    replace_each(module, _is_wide, _replace)


def _is_wide(kind: Any) -> bool:
    return isinstance(kind, IR.IntegerType) and kind.width > 64


def _replace(op: Any) -> None:
    """A quotient rounded to zero, adjusted by one if there is a remainder: for a floor if its sign differs from the
    divisor's, for a ceiling if it is the same."""
    if op.name not in _ROUNDED:
        return
    (left, right), kind = op.operands, op.result.type
    floor = op.name == _ROUNDED[0]
    zero = _made("arith.constant", [], kind, {"value": IR.IntegerAttr.get(kind, 0)})
    quotient, rest = (_made(f"arith.{name}", [left, right], kind) for name in ("divsi", "remsi"))
    signs = [_compared(_SLT, value, zero) for value in (rest, right)]
    turned = _compared(_NE if floor else _EQ, *signs)
    both = _made("arith.andi", [_compared(_NE, rest, zero), turned], turned.type)
    one = _made("arith.extui", [both], kind)
    op.result.replace_all_uses_with(_made("arith.subi" if floor else "arith.addi", [quotient, one], kind))
    op.erase()


def _made(name: str, operands: list[Any], kind: Any, attributes: Any = None) -> Any:
    return IR.Operation.create(name, results=[kind], operands=operands, attributes=attributes or {}).result


def _compared(predicate: int, left: Any, right: Any) -> Any:
    context = left.type.context
    attribute = IR.IntegerAttr.get(IR.IntegerType.get_signless(64, context), predicate)
    return _made("arith.cmpi", [left, right], IR.IntegerType.get_signless(1, context), {"predicate": attribute})

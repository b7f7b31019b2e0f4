"""What `tosa.apply_scale` requires of its operands, as assertions.

    REQUIRE(multiplier >= 0)
    REQUIRE(2 <= shift && shift <= 62)
    REQUIRE(value >= (-1 << (shift - 1)) && value < (1 << (shift - 1)))

Elsewhere its result is unpredictable.

Cites: TOSA 1.0 specification, `apply_scale_32` and `apply_scale_16`.
"""

from __future__ import annotations

from typing import Any, Final

from torch_mlir import ir

# The bindings are typed in small part.
IR: Any = ir

SCALE: Final = "tosa.apply_scale"
SCALING: Final = (SCALE, "tosa.rescale")
"""Ops of which the specification says that they are made of it."""
SHIFTS: Final = (2, 62)
_DEMANDED: Final = "hecv.demanded"


def demand_scales(module: Any) -> None:
    """Adds an assertion before each `tosa.apply_scale` on numbers, in place.

    Raises: MLIRError for one on vectors or tensors.
    """
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name == SCALE and _DEMANDED not in op.attributes:
            found.append(op)
        return IR.WalkResult.ADVANCE

    module.operation.walk(visit)
    for op in found:
        op.attributes[_DEMANDED] = IR.UnitAttr.get(op.context)
        with op.context, op.location, IR.InsertionPoint(op):
            _demand(op)


def _demand(op: Any) -> None:
    value, multiplier, shift = op.operands
    if not all(isinstance(v.type, IR.IntegerType) for v in op.operands):
        raise IR.MLIRError(f"{SCALE} on {value.type}", [])
    wide = IR.IntegerType.get_signless(64)

    def make(name: str, kind: Any, *operands: Any, **attributes: Any) -> Any:
        return IR.Operation.create(name, results=[kind], operands=operands, attributes=attributes).result

    def literal(number: int, kind: Any) -> Any:
        return make("arith.constant", kind, value=IR.IntegerAttr.get(kind, number))

    def compare(predicate: int, left: Any, right: Any) -> Any:
        number = IR.IntegerAttr.get(wide, predicate)
        return make("arith.cmpi", IR.IntegerType.get_signless(1), left, right, predicate=number)

    def both(left: Any, right: Any) -> Any:
        return make("arith.andi", left.type, left, right)

    at_least, below, at_most = 5, 2, 3  # of arith.cmpi, signed
    scaled, by = (make("arith.extsi", wide, v) if v.type != wide else v for v in (value, shift))
    inside = both(compare(at_least, by, literal(SHIFTS[0], wide)), compare(at_most, by, literal(SHIFTS[1], wide)))
    one = literal(1, wide)
    # A shift that is out of range would be poison.
    shifted = make("arith.select", wide, inside, make("arith.subi", wide, by, one), one)
    bound = make("arith.shli", wide, one, shifted)
    least = make("arith.subi", wide, literal(0, wide), bound)
    small = both(compare(at_least, scaled, least), compare(below, scaled, bound))
    positive = compare(at_least, multiplier, literal(0, multiplier.type))
    message = IR.StringAttr.get(f"operands of {SCALE} are out of range")
    condition = both(both(inside, small), positive)
    IR.Operation.create("cf.assert", operands=[condition], attributes={"msg": message})

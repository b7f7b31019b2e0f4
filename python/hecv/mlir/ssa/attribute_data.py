"""MLIR attributes and types as plain data, and back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from msgspec import Struct
from torch_mlir import ir

Plain = int | float | bool | str | tuple["Plain", ...]
"""An attribute as plain data; an attribute of another kind is its text."""

_PREDICATES: Final = {
    "arith.cmpi": ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"),
    "arith.cmpf": (
        *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
        *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
    ),
}
_MOST_ELEMENTS: Final = 64
"""Elements of an attribute, at most; a longer one is its text unless all elements are equal."""


class TypeData(Struct, frozen=True):
    """A type: its text, its element type's text (its own for a scalar), the bits of an element (0 if unknown), and
    its extents: None for a type without any, with None for a dynamic one."""

    text: str
    element: str
    width: int
    shape: tuple[int | None, ...] | None


def type_data(source: ir.Type) -> TypeData:
    """A type as plain data."""
    text = str(source)
    if text.startswith("!torch.vtensor<["):
        return _torch_tensor(text)
    if not isinstance(source, ir.ShapedType):
        return TypeData(text, text, _width(source), None)
    element = source.element_type
    shape: tuple[int | None, ...] | None = None
    if source.has_rank:
        shape = tuple(None if source.is_dynamic_dim(k) else source.get_dim_size(k) for k in range(source.rank))
    return TypeData(text, str(element), _width(element), shape)


def _torch_tensor(text: str) -> TypeData:
    """Example: `!torch.vtensor<[2,?],f32>`."""
    extents, _, rest = text.removeprefix("!torch.vtensor<[").partition("]")
    shape = tuple(int(e) if e.strip().isdigit() else None for e in extents.split(",") if e.strip())
    element = rest.strip(",>")
    digits = element.lstrip("bfsui")
    return TypeData(text, element, int(digits) if digits.isdigit() else 0, shape)


def _width(source: ir.Type) -> int:
    if isinstance(source, ir.IntegerType | ir.FloatType):
        return source.width
    return 64 if isinstance(source, ir.IndexType) else 0


def plain(op: str, name: str, attribute: ir.Attribute) -> Plain:
    """An attribute of the op called `op` as plain data."""
    match attribute:
        case ir.BoolAttr():
            return attribute.value
        case ir.IntegerAttr() if name == "predicate" and op in _PREDICATES:
            return _PREDICATES[op][attribute.value]
        case ir.IntegerAttr() | ir.FloatAttr() | ir.StringAttr():
            return attribute.value
        case ir.TypeAttr():
            return str(attribute.value)
        case ir.UnitAttr():
            return True
        case ir.FlatSymbolRefAttr():
            return attribute.value
        case ir.ArrayAttr():
            return tuple(plain(op, "", part) for part in attribute)
        case ir.DenseI64ArrayAttr() | ir.DenseI32ArrayAttr() | ir.DenseI8ArrayAttr() | ir.DenseI16ArrayAttr():
            return tuple(int(v) for v in attribute)
        case ir.DenseF32ArrayAttr() | ir.DenseF64ArrayAttr():
            return tuple(float(v) for v in attribute)
        case ir.DenseBoolArrayAttr():
            return tuple(bool(v) for v in attribute)
        case ir.DenseIntElementsAttr() | ir.DenseFPElementsAttr():
            return _elements(op, attribute)
        case _:
            return _enumerated(str(attribute))


def _elements(op: str, attribute: ir.DenseIntElementsAttr | ir.DenseFPElementsAttr) -> Plain:
    """The elements in row-major order, a single one for a splat; text if there are many."""
    if attribute.is_splat:
        return plain(op, "", attribute.get_splat_value())
    try:
        if len(attribute) > _MOST_ELEMENTS:
            return str(attribute)
        return tuple(attribute)
    except (TypeError, ValueError):
        return str(attribute)


def _enumerated(text: str) -> str:
    """The keywords of an enumeration, `nsw,nuw` for `#arith.overflow<nsw, nuw>`; any other text as it is."""
    if text.startswith("#") and text.endswith(">") and text.count("<") == 1:
        words = [word.strip() for word in text[text.index("<") + 1 : -1].split(",")]
        if all(word.isidentifier() for word in words):
            return ",".join(words)
    return text


def literal(op: ir.Operation) -> int | float | bool | None:
    """The number that a constant op is, or that all its elements are; None for any other op."""
    if not op.name.endswith(("constant", ".const", "constant.int", "constant.float")) or len(op.operands):
        return None
    for name in ("value", "values"):
        if name in op.attributes:
            found = plain(op.name, name, op.attributes[name])
            return found if isinstance(found, int | float) else None
    return None


# Back


def candidates(op: str, name: str, value: Plain) -> Iterator[ir.Attribute]:
    """Attributes that a value may stand for, likeliest first; the op's verifier decides.

    Requires: a context is entered.
    """
    match value:
        case bool():
            yield ir.BoolAttr.get(value)
            yield ir.UnitAttr.get()
        case int():
            for width in (64, 32, 8):
                yield ir.IntegerAttr.get(ir.IntegerType.get_signless(width), value)
            yield ir.IntegerAttr.get(ir.IndexType.get(), value)
        case float():
            for kind in (ir.F32Type.get(), ir.F64Type.get()):
                yield ir.FloatAttr.get(kind, value)
        case str():
            yield from _from_text(op, name, value)
        case tuple():
            yield from _from_tuple(value)


def _from_text(op: str, name: str, value: str) -> Iterator[ir.Attribute]:
    if name == "predicate" and value in _PREDICATES.get(op, ()):
        yield ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _PREDICATES[op].index(value))
    enumerations = {"overflow": "overflow", "overflowFlags": "overflow", "fastmath": "fastmath"}
    if name in enumerations and op.startswith("arith."):
        yield ir.Attribute.parse(f"#arith.{enumerations[name]}<{value}>")
    if value.startswith("#") or ":" in value or "<" in value:
        with suppress(ir.MLIRError):
            yield ir.Attribute.parse(value)
    yield ir.StringAttr.get(value)


def _from_tuple(value: tuple[Plain, ...]) -> Iterator[ir.Attribute]:
    if all(type(v) is int for v in value):
        numbers = [int(str(v)) for v in value]
        yield ir.DenseI64ArrayAttr.get(numbers)
        yield ir.DenseI32ArrayAttr.get(numbers)
        i64 = ir.IntegerType.get_signless(64)
        yield ir.ArrayAttr.get([ir.IntegerAttr.get(i64, n) for n in numbers])
        kind = ir.RankedTensorType.get([len(numbers)], i64)
        yield ir.DenseElementsAttr.get([ir.IntegerAttr.get(i64, n) for n in numbers], kind)
        return
    yield ir.ArrayAttr.get([next(candidates("", "", v)) for v in value])


def constant(user: str, kind: ir.Type, value: int | float | bool) -> tuple[str, str, ir.Attribute] | None:
    """A literal of a type for an op called `user`: (op name, attribute name, attribute); None if there is none.

    Requires: a context is entered.
    """
    shaped = isinstance(kind, ir.ShapedType)
    element = kind.element_type if isinstance(kind, ir.ShapedType) else kind
    number = _number(element, value)
    if number is None:
        return None
    dialect = user.split(".", 1)[0]
    if not shaped:
        return ("arith.constant", "value", number)
    if not kind.has_static_shape:
        return None
    splat = ir.DenseElementsAttr.get_splat(kind, number)
    if dialect == "tosa":
        return ("tosa.const", "values", splat)
    return ("stablehlo.constant" if dialect == "stablehlo" else "arith.constant", "value", splat)


def _number(element: ir.Type, value: int | float | bool) -> ir.Attribute | None:
    if isinstance(element, ir.FloatType):
        return ir.FloatAttr.get(element, float(value))
    if isinstance(value, float) and not value.is_integer():
        return None
    if isinstance(element, ir.IntegerType | ir.IndexType):
        return _integer(element, int(value))
    return None


def _integer(element: ir.IntegerType | ir.IndexType, value: int) -> ir.Attribute:
    if isinstance(element, ir.IntegerType):
        half = 1 << (element.width - 1)
        value = (value + half) % (2 * half) - half
    return ir.IntegerAttr.get(element, value)

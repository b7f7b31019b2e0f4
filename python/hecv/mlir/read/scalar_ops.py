"""Scalar ops: constants, and the operators of `hecv.ops`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import isnan, nan

from torch_mlir import ir

from hecv.base.term import Attributes, Term, TermPool
from hecv.base.theory import ROUNDINGS
from hecv.base.types import BOOL, INDEX, FloatType, IndexType, IntType, OpaqueType, ScalarType
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.mlir.read.uninterpreted_ops import read_opaque
from hecv.ops import OPERATORS
from hecv.ops.fastmath_flags import flags_of
from hecv.ops.index import SYNONYMS
from hecv.ops.math import math
from hecv.ops.transcendental import transcendental

CAN_BE_UNDEFINED = frozenset(
    {"arith.divsi", "arith.divui", "arith.remsi", "arith.remui"}
    | {"arith.ceildivsi", "arith.ceildivui", "arith.floordivsi", "math.ipowi"}
)
"""Ops that are emitted as `Evaluate` even if their value is unused."""

_INTEGERS = "addi subi muli divsi divui remsi remui ceildivsi ceildivui floordivsi andi ori xori shli shrsi shrui"
_EXTREMA = "maxsi maxui minsi minui maximumf minimumf maxnumf minnumf"
_FLOATS = "addf subf mulf divf remf negf flush_denormals"
_CLASSES = frozenset({"math.isfinite", "math.isinf", "math.isnan", "math.isnormal"})

SAME_TYPE = (
    frozenset(f"arith.{name}" for name in f"{_INTEGERS} {_EXTREMA} {_FLOATS}".split())
    | frozenset({**math.operators, **transcendental.operators}) - _CLASSES
)
"""Ops whose result has the type of the first operand; asking MLIR for a type costs more than the rest of the op."""

_MEANINGFUL = frozenset({IntType, IndexType, FloatType})

_COMPARE_INTEGERS = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_COMPARE_FLOATS = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)
_OVERFLOW = {
    "#arith.overflow<none>": (),
    "#arith.overflow<nsw>": (("overflow", "nsw"),),
    "#arith.overflow<nuw>": (("overflow", "nuw"),),
    "#arith.overflow<nsw, nuw>": (("overflow", "nsw,nuw"),),
}

_CASTS = frozenset({"arith.extf", "arith.truncf"})
"""Ops that may be contracted on 8-bit floats too."""

_FASTMATH = re.compile(r"#arith\.fastmath<(.*)>")
_FLAGS = ("reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn")
_INDEX_PREDICATE = re.compile(r"#index<cmp_predicate (\w+)>")
_NAN = {
    **{"f16": "0x7E00", "bf16": "0x7FC0", "f32": "0x7FC00000", "f64": "0x7FF8000000000000"},
    **{"f8E5M2": "0x7E", "f8E4M3": "0x7C", "f8E3M4": "0x78", "f8E4M3FN": "0x7F"},
    **dict.fromkeys(("f8E5M2FNUZ", "f8E4M3FNUZ", "f8E4M3B11FNUZ"), "0x80"),
}
"""The NaN that arithmetic makes, by format, as MLIR prints it."""


def _read_overflow(reader: Reader, op: ir.Operation, attribute: ir.Attribute) -> Attributes:
    found = _OVERFLOW.get(str(attribute))
    return reader.reject(op, f"unknown flags `{attribute}`") if found is None else found


def _read_fastmath(reader: Reader, op: ir.Operation, attribute: ir.Attribute) -> Attributes:
    """The flags by name, in MLIR's order; `fast` is all of them."""
    matched = _FASTMATH.fullmatch(str(attribute))
    named = set(matched[1].replace(" ", "").split(",")) if matched else {"?"}
    if not named <= {*_FLAGS, "fast", "none"}:
        reader.reject(op, f"unknown flags `{attribute}`")
    return _fastmath(frozenset(_FLAGS) if "fast" in named else frozenset(named))


def _fastmath(named: frozenset[str]) -> Attributes:
    flags = ",".join(f for f in _FLAGS if f in named)
    return (("fastmath", flags),) if flags else ()


def with_flag(attributes: Attributes, flag: str) -> Attributes:
    """Fast-math flags with one more."""
    return _fastmath(flags_of(attributes) | {flag})


def fastmath_of(reader: Reader, op: ir.Operation) -> Attributes:
    """The fast-math flags of an op, where it has any."""
    return _read_fastmath(reader, op, op.attributes["fastmath"]) if "fastmath" in op.attributes else ()


def _read_rounding(reader: Reader, op: ir.Operation, attribute: ir.Attribute) -> Attributes:
    mode = ROUNDINGS[ir.IntegerAttr(attribute).value]
    if mode == "to_nearest_even":
        return ()
    if op.name not in ("arith.truncf", "arith.convertf"):
        reader.reject(op, f"the rounding mode `{mode}` is not supported")
    return (("rounding", mode),)


def _read_index_predicate(reader: Reader, op: ir.Operation, attribute: ir.Attribute) -> Attributes:
    matched = _INDEX_PREDICATE.fullmatch(str(attribute))
    return (("predicate", matched[1]),) if matched else reader.reject(op, f"unknown predicate `{attribute}`")


def _read_poison(reader: Reader, op: ir.Operation, attribute: ir.Attribute) -> Attributes:
    return () if str(attribute) == "#ub.poison" else reader.reject(op, f"`{attribute}` is not supported")


def _read_predicate(reader: Reader, op: ir.Operation, attribute: ir.Attribute) -> Attributes:
    names = _COMPARE_FLOATS if op.name == "arith.cmpf" else _COMPARE_INTEGERS
    return (("predicate", names[ir.IntegerAttr(attribute).value]),)


def _flag(name: str) -> Callable[[Reader, ir.Operation, ir.Attribute], Attributes]:
    def read(reader: Reader, op: ir.Operation, attribute: ir.Attribute) -> Attributes:
        return ((name, True),)

    return read


def _read_unstated(reader: Reader, op: ir.Operation, attribute: ir.Attribute) -> Attributes:
    """Rejects a flag of another version of MLIR: in this one it is a note, which neither licenses nor forbids
    anything."""
    reader.reject(op, "`isDisjoint` is no attribute of it in this version of MLIR")


_ATTRIBUTES: Mapping[str, Callable[[Reader, ir.Operation, ir.Attribute], Attributes]] = {
    "overflowFlags": _read_overflow,
    "fastmath": _read_fastmath,
    "roundingmode": _read_rounding,
    "predicate": _read_predicate,
    "pred": _read_index_predicate,
    "value": _read_poison,
    "isExact": _flag("exact"),
    "nonNeg": _flag("nneg"),
    "isDisjoint": _read_unstated,
}
"""Decoders of the inherent attributes of scalar ops; any other attribute is a note of some tool and is ignored."""


def _read_attributes(reader: Reader, op: ir.Operation) -> Attributes:
    """The attributes of `op` that its semantics depends on, each decoded once."""
    found: Attributes = ()
    attributes = op.attributes
    for name in attributes:
        decode = _ATTRIBUTES.get(name)
        if decode is not None:
            attribute = attributes[name]
            key = (op.name, name, attribute)
            part = reader.decoded.get(key)
            if part is None:
                part = reader.decoded[key] = decode(reader, op, attribute)
            found += part
    return found


def read_scalar_op(reader: Reader, op: ir.Operation) -> None:
    """Reads an operator of `hecv.ops`: a term of the same name, or of the op that it is a synonym of.

    Example: `%s = arith.addi %a, %b overflow<nsw> : i32`.
    """
    name = op.name
    if name in SYNONYMS:
        name = SYNONYMS[name]
    operands = reader.terms(op, op.operands)
    kinds = {type(t.type) for t in operands}
    if not kinds <= _MEANINGFUL:
        if name != "arith.select" or operands[0].type != BOOL:
            return read_opaque(reader, op)
        reader.scalars[op.result] = reader.pool.make(name, operands, operands[1].type)
        return None
    attributes = _read_attributes(reader, op)
    small = FloatType in kinds and any(isinstance(t.type, FloatType) and t.type.small for t in operands)
    if small and _without_meaning(reader, op, name, attributes):
        return read_opaque(reader, op)
    if name in SAME_TYPE:
        result = op.result
        term = reader.scalars[result] = reader.pool.make(name, operands, operands[0].type, attributes)
        if name in CAN_BE_UNDEFINED:
            reader.evaluate(op, term)
        return
    results = op.results
    for number, result in enumerate(results):
        kind = reader.scalar_type(op, result.type)
        if isinstance(kind, OpaqueType):
            return read_opaque(reader, op)
        small = isinstance(kind, FloatType) and kind.small
        if small and _without_meaning(reader, op, name, attributes):
            return read_opaque(reader, op)
        if name == "arith.bitcast":
            reader.scalars[result] = _bitcast(reader.pool, operands[0], kind)
            continue
        which = (("result", number),) if len(results) > 1 else ()
        reader.scalars[result] = reader.pool.make(name, operands, kind, (*attributes, *which))


def _bitcast(pool: TermPool, operand: Term, kind: ScalarType) -> Term:
    """The same bits as another type; of nested casts only the last remains, or none if it is back to the first type.

    No cast changes the bits, not even those of a NaN.

    Cites: LLVM LangRef, bitcast; behavior of floating-point NaN values.
    """
    if operand.op == "arith.bitcast":
        operand = operand.args[0]
    return operand if operand.type == kind else pool.make("arith.bitcast", (operand,), kind)


def _without_meaning(reader: Reader, op: ir.Operation, name: str, attributes: Attributes) -> bool:
    """True if an op on 8-bit floats is an uninterpreted function.

    Raises: Unsupported if that would be per element.
    """
    flags = {"nnan", "nneg", "contract"} if name in _CASTS else {"nnan", "nneg"}
    known = name in OPERATORS and not flags_of(attributes) - flags
    if not known and reader.lanes:
        reader.reject(op, "on floats of 8 bits it is not supported, or not with these flags")
    return not known


def _read_sincos(reader: Reader, op: ir.Operation) -> None:
    """Example: `%s, %c = math.sincos %x : f32`."""
    operand = reader.term(op, op.operands[0])
    if isinstance(operand.type, OpaqueType):
        return read_opaque(reader, op)
    attributes = _read_attributes(reader, op)
    for name, result in zip(("math.sin", "math.cos"), op.results, strict=True):
        reader.scalars[result] = reader.pool.make(name, (operand,), operand.type, attributes)


def _read_constant(reader: Reader, op: ir.Operation) -> None:
    result = op.result
    if isinstance(result.type, ir.ShapedType) and isinstance(result.type.element_type, ir.ComplexType):
        reader.reject(op, f"a constant of type `{result.type}` is not supported here")
    attribute = op.attributes["value"]
    kind = reader.scalar_type(op, result.type)
    if isinstance(kind, OpaqueType):
        return read_opaque(reader, op)
    reader.scalars[result] = literal_of(reader, op, attribute, kind)


def literal_of(reader: Reader, op: ir.Operation, attribute: ir.Attribute, kind: ScalarType) -> Term:
    """An attribute as a literal of a scalar type."""
    pool = reader.pool
    match attribute, kind:
        case ir.FloatAttr(), FloatType() if isnan(attribute.value):
            return _nan(pool, str(attribute), kind)
        case ir.FloatAttr(), FloatType():
            one_zero = kind.small and kind.name.endswith("UZ") and not attribute.value
            return pool.real(0.0 if one_zero else attribute.value, kind)
        case ir.BoolAttr() | ir.IntegerAttr(), IntType(width):
            return pool.integer(int(attribute.value) % (1 << width), kind)
        case ir.IntegerAttr(), _:
            return pool.integer(attribute.value, INDEX)
        case _:
            reader.reject(op, f"the constant `{attribute}` is not supported")


def _nan(pool: TermPool, text: str, kind: FloatType) -> Term:
    """A NaN; a NaN other than the usual one is a term of its own."""
    encoding = text.split()[0]
    if encoding == _NAN[kind.name]:
        return pool.real(nan, kind)
    return pool.make("const", (), kind, (("value", nan.hex()), ("encoding", encoding)))


def _reject_scaling(reader: Reader, op: ir.Operation) -> None:
    reader.reject(op, "block-scaled formats (OCP MX) are not supported")


HANDLERS: Mapping[str, Handler] = {
    **dict.fromkeys(SYNONYMS, read_scalar_op),
    "arith.constant": _read_constant,
    "index.constant": _read_constant,
    "index.bool.constant": _read_constant,
    "math.sincos": _read_sincos,
    "arith.scaling_extf": _reject_scaling,
    "arith.scaling_truncf": _reject_scaling,
}

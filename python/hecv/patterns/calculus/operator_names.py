"""The operators that rule files may name, by dialect, and the families that they belong to."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from hecv.base.theory import ROUNDINGS
from hecv.ops import OPERATORS
from hecv.ops.arith import PREDICATES as predicates
from hecv.ops.arith_floats import PREDICATES as float_predicates
from hecv.ops.index import SYNONYMS
from hecv.ops.registry import Operator
from hecv.patterns.calculus.pattern_ast import Declaration, Value
from hecv.patterns.calculus.tensor_signatures import TABLES

SCALAR: Final = ("arith", "math", "index")
"""The dialects whose ops have a meaning in hecv."""

DIALECTS: Final = (*SCALAR, *TABLES)

COMPARISONS: Final = {
    *("arith.cmpi", "arith.cmpf", "index.cmp", "complex.eq", "complex.neq", "stablehlo.compare"),
    *("tosa.equal", "tosa.greater", "tosa.greater_equal"),
    *(f"torch.aten.{name}.{kind}" for name in ("eq", "ne", "lt", "le", "gt", "ge") for kind in ("Tensor", "Scalar")),
}

CASTS: Final = {
    *("index.casts", "index.castu", "tensor.cast", "tensor.bitcast", "tosa.cast"),
    *("stablehlo.convert", "stablehlo.bitcast_convert", "torch.aten.to.dtype", "torch.prims.convert_element_type"),
}
"""Casts outside `arith`, where the casts are the ops that take the type of their result."""

_UNARY: Final = {
    "complex": "conj cos exp expm1 log log1p neg rsqrt sign sin sqrt tan tanh",
    "linalg": "abs ceil erf exp floor log negf reciprocal round rsqrt sqrt square tanh",
    "tosa": "abs bitwise_not ceil clamp clz cos erf exp floor log logical_not negate reciprocal rsqrt sigmoid sin tanh",
    "stablehlo": (
        "abs cbrt ceil cosine count_leading_zeros exponential exponential_minus_one floor log log_plus_one logistic "
        "negate not popcnt round_nearest_afz round_nearest_even rsqrt sign sine sqrt tan tanh"
    ),
    "torch": (
        "abs acos acosh asin asinh atan atanh bitwise_not ceil celu cos cosh elu erf erfinv exp exp2 expm1 fix floor "
        "frac gelu hardsigmoid hardswish leaky_relu log log10 log1p log2 log_sigmoid mish neg reciprocal relu relu6 "
        "round rsqrt selu sgn sigmoid sign silu sin sinh softplus sqrt square tan tanh trunc"
    ),
}

_BINARY: Final = {
    "complex": "add atan2 div mul pow sub",
    "linalg": "add div div_unsigned max min mul powf sub",
    "tosa": (
        "add arithmetic_right_shift bitwise_and bitwise_or bitwise_xor intdiv logical_and logical_left_shift "
        "logical_or logical_right_shift logical_xor maximum minimum mul pow sub"
    ),
    "stablehlo": (
        "add and atan2 divide maximum minimum multiply or power remainder shift_left shift_right_arithmetic "
        "shift_right_logical subtract xor"
    ),
    "torch": (
        "add.Tensor atan2 bitwise_and.Tensor bitwise_or.Tensor bitwise_xor.Tensor copysign.Tensor div.Tensor fmax fmin "
        "fmod.Tensor maximum minimum mul.Tensor pow.Tensor_Tensor remainder.Tensor sub.Tensor"
    ),
}

_COMMUTATIVE: Final = {
    "linalg": "add max min mul",
    "tosa": ("add bitwise_and bitwise_or bitwise_xor equal logical_and logical_or logical_xor maximum minimum mul"),
    "stablehlo": "add and maximum minimum multiply or xor",
    "torch": (
        "bitwise_and.Tensor bitwise_or.Tensor bitwise_xor.Tensor eq.Tensor fmax fmin logical_and logical_or "
        "logical_xor maximum minimum mul.Tensor ne.Tensor"
    ),
}

_LAYOUT: Final = {
    "vector": "shape_cast transpose",
    "tensor": "collapse_shape expand_shape reshape",
    "linalg": "transpose",
    "tosa": "reshape reverse transpose",
    "stablehlo": "dynamic_reshape reshape reverse transpose",
    "torch": (
        "expand flatten.using_ints flip movedim.int numpy_T permute reshape squeeze squeeze.dim t transpose.int "
        "unflatten.int unsqueeze view"
    ),
}

_REDUCTIONS: Final = {
    "vector": "multi_reduction reduction",
    "tosa": "reduce_all reduce_any reduce_max reduce_min reduce_product reduce_sum",
    "torch": "all.dim amax amin any.dim logsumexp max.dim mean mean.dim min.dim prod prod.dim_int sum sum.dim_IntList",
}

_CONTRACTIONS: Final = {
    "vector": "contract outerproduct",
    "linalg": "batch_matmul batch_matvec batch_vecmat contract dot matmul matvec mmt4d vecmat",
    "tosa": "matmul matmul_t",
    "stablehlo": "dot dot_general",
    "torch": "bmm dot linear matmul mm mv outer",
}


def _full(table: Mapping[str, str]) -> Iterator[str]:
    """The names of a table with those of their dialects."""
    for dialect, names in table.items():
        prefix = "torch.aten" if dialect == "torch" else dialect
        yield from (f"{prefix}.{name}" for name in names.split())


LISTED: Final[Mapping[str, frozenset[str]]] = {
    "unary_pointwise": frozenset(_full(_UNARY)),
    "binary_pointwise": frozenset(_full(_BINARY)),
    "commutative": frozenset(_full(_COMMUTATIVE)),
    "comparison": frozenset(COMPARISONS),
    "cast": frozenset(CASTS),
    "layout": frozenset(_full(_LAYOUT)),
    "reduction": frozenset(_full(_REDUCTIONS)),
    "contraction": frozenset(_full(_CONTRACTIONS)),
}

FAMILIES: Final[Mapping[str, str]] = {
    "unary_pointwise": "element by element, of one value, with a result of its type",
    "binary_pointwise": "element by element, of two values, with a result of their type",
    "pointwise": "element by element, of any number of values; casts and comparisons, too",
    "commutative": "the first two operands may be exchanged",
    "comparison": "the truth of a relation of two values, element by element",
    "cast": "the same elements in another type",
    "layout": "the same elements in another order or shape",
    "reduction": "elements along dimensions, combined",
    "contraction": "sums of products: matrix products and their like",
}
"""What the operators of a family compute."""


# Values of attributes

_FLAGS: Final[Mapping[str, tuple[str, ...]]] = {
    "overflow": ("none", "nsw", "nuw"),
    "fastmath": ("none", "reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "fast"),
}
"""Flags in MLIR's printing order."""
_SWITCHES: Final = ("exact", "nneg", "disjoint")


def attribute_values(op: str, name: str) -> tuple[Value, ...] | None:
    """The possible values of an attribute of a scalar op, for flags each alone; None if it may be any."""
    if op in OPERATORS or op in SYNONYMS:
        if name == "predicate":
            return tuple(float_predicates if op == "arith.cmpf" else predicates)
        if name == "rounding":
            return ROUNDINGS
        if name in _SWITCHES:
            return (False, True)
        return _FLAGS.get(name)
    return None


def in_order(name: str, value: Value) -> Value:
    """The value of an attribute, with each flag once and in MLIR's order: `nuw, nsw` is `nsw,nuw`."""
    order = _FLAGS.get(name)
    if order is None or not isinstance(value, str):
        return value
    given = {flag.strip() for flag in value.split(",")}
    return ",".join(flag for flag in order if flag in given) if given <= {*order} else value


def is_attribute_value(op: str, name: str, value: Value) -> bool:
    """Whether the op's attribute may have this value; flags are separated by commas."""
    allowed = attribute_values(op, name)
    if allowed is None:
        return True
    if name in _FLAGS:
        return isinstance(value, str) and all(flag.strip() in allowed for flag in value.split(","))
    return any(value == one and type(value) is type(one) for one in allowed)


# Declarations


def _scalar(name: str, operator: Operator) -> Declaration:
    """The declaration of an op whose meaning is a function: operands are positional, attributes are keywords."""
    parameters = inspect.signature(operator.semantics).parameters.values()
    operands = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    attributes = tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name not in ("to", "result"))
    results = 2 if any(p.name == "result" for p in parameters) else 1
    families = frozenset(_scalar_families(name, operator, len(operands)))
    keeps = families & {"unary_pointwise", "binary_pointwise"}
    own = 1 if name == "arith.select" else 0
    kept = own if keeps or name in ("arith.select", "math.fma", "math.clampf") else None
    return Declaration(name, len(operands), results, families, attributes, operator.facts.commutative, type=kept)


TRUTHS: Final = {"arith.cmpi", "arith.cmpf", "math.isfinite", "math.isinf", "math.isnan", "math.isnormal"}
"""The scalar ops with a result of type i1."""


def _scalar_families(name: str, operator: Operator, arity: int) -> Iterator[str]:
    if operator.facts.commutative:
        yield "commutative"
    if name.endswith("_extended") or not arity:
        return
    yield "pointwise"
    if operator.typed:
        yield "cast"
    elif name in TRUTHS:
        yield from ["comparison"] if arity == 2 else []
    elif arity in (1, 2):
        yield "unary_pointwise" if arity == 1 else "binary_pointwise"


def _listed_families(name: str) -> Iterator[str]:
    found = [family for family, names in LISTED.items() if name in names]
    yield from found
    if {"unary_pointwise", "binary_pointwise", "comparison", "cast"} & set(found):
        yield "pointwise"


def _table(dialect: str, table: str) -> Iterator[Declaration]:
    """The declarations of a table of signatures (see `hecv.patterns.calculus.tensor_signatures`)."""
    for line in table.strip().replace("\n    ", " ").split("\n"):
        signature, _, names = line.partition(": ")
        words = signature.split()
        arity = None if words[0] == "*" else int(words[0])
        results, attributes = (int(words[2]), words[3:]) if "->" in words else (1, words[1:])
        for name in names.split():
            full = f"{dialect}.{name}"
            families = frozenset(_listed_families(full))
            yield Declaration(full, arity, results, families, tuple(attributes), "commutative" in families)


def _declarations() -> dict[str, Declaration]:
    """Every op of every dialect; those of `index` are as the ops of `arith` that they are read as."""
    found = {n: _scalar(n, o) for n, o in OPERATORS.items() if n.split(".")[0] in SCALAR}
    found |= {name: replace(found[same], name=name) for name, same in SYNONYMS.items()}
    found |= {d.name: d for dialect, table in TABLES.items() for d in _table(dialect, table)}
    return found


DECLARATIONS: Final[Mapping[str, Declaration]] = _declarations()
"""The ops of the known dialects by their full names."""

ATTRIBUTES: Final = frozenset(a for d in DECLARATIONS.values() for a in d.attributes)
"""The attributes that some op has."""


def declaration(name: str, declared: Mapping[str, Declaration] = DECLARATIONS) -> Declaration | None:
    """The declaration of an operator: the rule file's own, or that of its dialect."""
    return declared.get(name) or DECLARATIONS.get(name)


def families(name: str, declared: Mapping[str, Declaration] = DECLARATIONS) -> frozenset[str]:
    """The families that the operator of this name belongs to; none if it is unknown."""
    found = declaration(name, declared)
    return frozenset() if found is None else found.families

"""What rule files import: `from hecv.rules import pattern, rule`; the decorators, and the ops by dialect."""

from __future__ import annotations

from typing import Final

from hecv.patterns.calculus.loop_rules import Body, Bound, Number, in_order, independent, loop
from hecv.patterns.calculus.quantities import is_power_of_two, log2
from hecv.patterns.tracing.decorators import law, loop_rule, op, pattern, rule
from hecv.patterns.tracing.dialect_namespaces import Dialect, Family, fun, some_type, var
from hecv.patterns.tracing.traced_values import defined

__all__ = [
    "Body",
    "Bound",
    "Number",
    "arith",
    "binary_pointwise",
    "cast",
    "commutative",
    "comparison",
    "complex",
    "contraction",
    "defined",
    "fun",
    "in_order",
    "independent",
    "index",
    "is_power_of_two",
    "law",
    "layout",
    "linalg",
    "log2",
    "loop",
    "loop_rule",
    "math",
    "op",
    "pattern",
    "pointwise",
    "reduction",
    "rule",
    "some_type",
    "stablehlo",
    "tensor",
    "torch",
    "tosa",
    "ub",
    "unary_pointwise",
    "var",
    "vector",
]

arith: Final = Dialect("arith")
math: Final = Dialect("math")
index: Final = Dialect("index")
vector: Final = Dialect("vector")
complex: Final = Dialect("complex")
tensor: Final = Dialect("tensor")
linalg: Final = Dialect("linalg")
tosa: Final = Dialect("tosa")
stablehlo: Final = Dialect("stablehlo")
torch: Final = Dialect("torch")
ub: Final = Dialect("ub")

unary_pointwise: Final = Family("unary_pointwise")
binary_pointwise: Final = Family("binary_pointwise")
pointwise: Final = Family("pointwise")
commutative: Final = Family("commutative")
comparison: Final = Family("comparison")
cast: Final = Family("cast")
layout: Final = Family("layout")
reduction: Final = Family("reduction")
contraction: Final = Family("contraction")

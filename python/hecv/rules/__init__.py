"""Laws of operators and loops, and the language that rule files are written in: `from hecv.rules import pattern, rule`.

`law` and `pattern` are the decorators here, and no longer the modules of these names. Import from those by full names,
as in `from hecv.rules.law import Law`.
"""

from __future__ import annotations

from typing import Final

# Here, because a module that is imported later takes the name `law`.
import hecv.rules.law  # noqa: F401  # pyright: ignore[reportUnusedImport]
from hecv.rules.loops.language import Body, Bound, Number, in_order, independent, loop
from hecv.rules.pattern.namespaces import Dialect, Family, fun, some_type, var
from hecv.rules.pattern.quantities import is_power_of_two, log2
from hecv.rules.pattern.tracing import law, loop_rule, op, pattern, rule
from hecv.rules.pattern.values import defined

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

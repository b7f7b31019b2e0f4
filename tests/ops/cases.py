"""Every operator on every signature that MLIR's verifier accepts, with each of its flags, and inputs for it.

Nothing here is a list of operators: the number of operands and the attributes come from the semantics' own signature,
and the types are those for which the generic form of the op verifies. So a new operator is covered by being there.
"""

from __future__ import annotations

import inspect
import itertools
import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from string import Template
from typing import Any

from torch_mlir import ir

from hecv.base.term import Attribute, Attributes, Term, TermPool
from hecv.base.theory import ROUNDINGS
from hecv.base.types import BOOL, INDEX, FloatType, IndexType, IntType, ScalarType
from hecv.base.value import Scalar
from hecv.ops import OPERATORS, Operator

WIDTHS = (1, 2, 3, 4, 8, 16, 32, 64, 128)
FORMATS = ("f16", "bf16", "f32", "f64")
TYPES: tuple[ScalarType, ...] = (*map(IntType, WIDTHS), INDEX, *map(FloatType, FORMATS))


@dataclass(frozen=True, slots=True)
class Case:
    """One operator at one signature. `line` is its MLIR text on `%x0`, `%x1`..., with the results `%r:n` of types
    `results`, of which the term is number `which`."""

    operator: Operator
    types: tuple[ScalarType, ...]
    results: tuple[ScalarType, ...]
    which: int
    attributes: Attributes
    line: str

    @property
    def result(self) -> ScalarType:
        return self.results[self.which]

    def term(self, pool: TermPool, operands: tuple[Term, ...]) -> Term:
        return pool.make(self.operator.name, operands, self.result, self.attributes)

    def __str__(self) -> str:
        attributes = "".join(f" {k}={v}" for k, v in self.attributes)
        return f"{self.operator.name}{attributes} ({', '.join(map(str, self.types))}) -> {self.result}"


# Attributes

INTEGER_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
FLOAT_PREDICATES = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)
Choice = tuple[Attribute | None, str]
"""What the term says, None for nothing, and the MLIR property that says it."""

CHOICES: dict[str, list[Choice]] = {
    "overflow": [
        (None, "overflowFlags = #arith.overflow<none>"),
        *[(f, f"overflowFlags = #arith.overflow<{f}>") for f in ("nsw", "nuw", "nsw,nuw")],
    ],
    "fastmath": [(None, ""), *[(f, f"fastmath = #arith.fastmath<{f}>") for f in ("nnan", "ninf", "nnan,ninf")]],
    "rounding": [(None, ""), *[(mode, f"roundingmode = {k} : i32") for k, mode in enumerate(ROUNDINGS)]],
    "exact": [(None, ""), (True, "isExact")],
    "nneg": [(None, ""), (True, "nonNeg")],
    "disjoint": [(None, ""), (True, "")],  # no version of MLIR in use has the flag: the JIT runs the op without it
}


def choices(operator: Operator, keyword: str) -> list[Choice]:
    """The values of a keyword of the semantics."""
    if keyword != "predicate":
        return CHOICES[keyword]
    if operator.name.startswith("index."):
        return [(p, f"pred = #index<cmp_predicate {p}>") for p in INTEGER_PREDICATES]
    names = FLOAT_PREDICATES if operator.name == "arith.cmpf" else INTEGER_PREDICATES
    return [(p, f"predicate = {k} : i64") for k, p in enumerate(names)]


# Signatures


def signatures(count: int) -> Iterator[tuple[ScalarType, ...]]:
    """Types of `count` operands: all alike, or the first or the last unlike the others."""
    if count == 0:
        yield ()
        return
    for t in TYPES:
        yield (t,) * count
    for odd in (BOOL, IntType(8), IntType(32), INDEX) if count > 1 else ():
        yield from ((odd, *[t] * (count - 1)) for t in TYPES if t != odd)
        yield from ((*[t] * (count - 1), odd) for t in TYPES if t != odd and count == 2)


def results_for(types: tuple[ScalarType, ...], several: bool) -> Iterable[tuple[ScalarType, ...]]:
    """Types of the results of an op on operands of these types."""
    if several:
        return ((types[-1], BOOL), (types[-1], types[-1]))
    return ((t,) for t in TYPES) if len(types) <= 1 else ((t,) for t in dict.fromkeys((types[-1], types[0], BOOL)))


@cache
def context() -> Any:
    return ir.Context()


def verifies(line: str, types: Sequence[ScalarType]) -> bool:
    """MLIR's parser and verifier accept the op."""
    arguments = ", ".join(f"%x{k}: {t}" for k, t in enumerate(types))
    try:
        ir.Module.parse(f"func.func @f({arguments}) {{\n{line}\nreturn\n}}", context())
    except ir.MLIRError:
        return False
    return True


def line_of(name: str, types: Sequence[ScalarType], results: Sequence[ScalarType], properties: Sequence[str]) -> str:
    """The op in MLIR's generic form."""
    operands = ", ".join(f"%x{k}" for k in range(len(types)))
    inherent = ", ".join(p for p in properties if p)
    signature = f"({', '.join(map(str, types))}) -> ({', '.join(map(str, results))})"
    return f'%r:{len(results)} = "{name}"({operands}) {f"<{{{inherent}}}>" if inherent else ""} : {signature}'


@cache
def cases(name: str) -> tuple[Case, ...]:
    """The cases of an operator."""
    operator = OPERATORS[name]
    if name in OWN:
        return tuple(own_cases(operator))
    parameters = inspect.signature(operator.semantics).parameters.values()
    count = sum(p.kind is not p.KEYWORD_ONLY for p in parameters)
    keywords = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name not in ("to", "result")]
    several = any(p.name == "result" for p in parameters)
    found: list[Case] = []
    for types in signatures(count):
        for results in results_for(types, several):
            found += signature_cases(operator, types, results, keywords, several)
    return tuple(found)


def signature_cases(
    operator: Operator,
    types: tuple[ScalarType, ...],
    results: tuple[ScalarType, ...],
    keywords: list[str],
    several: bool,
) -> Iterator[Case]:
    """The cases at one signature, if the op verifies there: each value of one attribute at a time, and all results."""
    options = [choices(operator, k) for k in keywords]
    plain = tuple(o[0] for o in options)
    if not verifies(line_of(operator.name, types, results, [text for _, text in plain]), types):
        return
    single = ((*plain[:k], option, *plain[k + 1 :]) for k, o in enumerate(options) for option in o[1:])
    for chosen in (plain, *single):
        line = line_of(operator.name, types, results, [text for _, text in chosen])
        said = tuple((k, value) for k, (value, _) in zip(keywords, chosen, strict=True) if value is not None)
        for which in range(len(results)):
            number: Attributes = (("result", which),) if several else ()
            yield Case(operator, types, results, which, (*said, *number), line)


# Operators that are no op of MLIR: what the reader makes them of, or a text that says the same

BRANCH = """%r = scf.if %x0 -> i1 {
  %yes = arith.constant true
  scf.yield %yes : i1
} else {
  %no = arith.constant false
  scf.yield %no : i1
}"""

SAME = "%zero = arith.constant 0 : index\n%r = arith.addi %x0, %zero : index"

OWN: dict[str, list[tuple[tuple[ScalarType, ...], Attributes, str]]] = {
    "affine.linear": [
        (
            (INDEX,),
            (("constant", 5), ("coefficients", (-3,))),
            "%r = affine.apply affine_map<(a) -> (-3 * a + 5)>(%x0)",
        ),
        (
            (INDEX, INDEX),
            (("constant", 0), ("coefficients", (1, 4))),
            "%r = affine.apply affine_map<(a, b) -> (a + 4 * b)>(%x0, %x1)",
        ),
    ],
    "affine.floordiv": [
        ((INDEX,), (("divisor", d),), f"%r = affine.apply affine_map<(a) -> (a floordiv {d})>(%x0)")
        for d in (1, 2, 7, 64)
    ],
    "affine.max": [
        ((INDEX, INDEX), (), "%r = affine.max affine_map<(a, b) -> (a, b)>(%x0, %x1)"),
        ((INDEX, INDEX, INDEX), (), "%r = affine.max affine_map<(a, b, c) -> (a, b, c)>(%x0, %x1, %x2)"),
    ],
    "affine.min": [
        ((INDEX, INDEX), (), "%r = affine.min affine_map<(a, b) -> (a, b)>(%x0, %x1)"),
        ((INDEX, INDEX, INDEX), (), "%r = affine.min affine_map<(a, b, c) -> (a, b, c)>(%x0, %x1, %x2)"),
    ],
    "affine.mul": [((INDEX, INDEX), (), "%r = affine.apply affine_map<()[a, b] -> (a * b)>()[%x0, %x1]")],
    "affine.within": [((INDEX, INDEX), (), SAME)],
    "affine.below": [((INDEX, INDEX), (), SAME)],
    "affine.quotient": [((INDEX, INDEX), (), "%r = arith.floordivsi %x0, %x1 : index")],
    "control.branch": [((BOOL,), (), BRANCH)],
    "control.assert": [((BOOL,), (), f'cf.assert %x0, "broken"\n{BRANCH}')],
}


QUIET = {"f16": 0x7E00, "bf16": 0x7FC0, "f32": 0x7FC00000, "f64": 0x7FF8000000000000}
WHICH_NAN = Template("""%nan = arith.cmpf uno, %x0, %x0 : $f
%chosen = arith.bitcast %x1 : $i to $f
%is = arith.cmpf uno, %chosen, %chosen : $f
%quiet = arith.constant $quiet : $i
%other = arith.ori %x1, %quiet : $i
%any = arith.select %is, %x1, %other : $i
%bits = arith.bitcast %x0 : $f to $i
%r = arith.select %nan, %any, %bits : $i""")
WHICH_SIGN = Template("""%nan = arith.cmpf uno, %x1, %x1 : $f
%one = arith.constant 1.0 : $f
%minus = arith.constant -1.0 : $f
%any = arith.select %x2, %minus, %one : $f
%sign = arith.select %nan, %any, %x1 : $f
%r = math.copysign %x0, %sign : $f""")

for _name, _quiet in QUIET.items():
    _float, _bits = FloatType(_name), IntType(int(_name.strip("bf")))
    _texts = [t.substitute(f=_float, i=_bits, quiet=_quiet) for t in (WHICH_NAN, WHICH_SIGN)]
    OWN.setdefault("chosen.bitcast", []).append(((_float, _bits), (), _texts[0]))
    OWN.setdefault("chosen.copysign", []).append(((_float, _float, BOOL), (), _texts[1]))


def own_cases(operator: Operator) -> Iterator[Case]:
    for types, attributes, text in OWN[operator.name]:
        result = types[-1] if operator.name == "chosen.bitcast" else types[0]
        yield Case(operator, types, (result,), 0, attributes, text)


# Inputs


def integers(width: int) -> list[int]:
    """All residues of a narrow type; of a wide one, those at the edges and a few random ones."""
    if width <= 4:
        return list(range(1 << width))
    half = 1 << (width - 1)
    edges = [0, 1, 2, 7, width - 1, width, half - 1, half, half + 1, 2 * half - 2, 2 * half - 1]
    chance = random.Random(width)
    return [*edges, *(chance.randrange(2 * half) for _ in range(3))]


def indices(width: int) -> list[int]:
    half = 1 << (width - 1)
    return [0, 1, 2, 3, 7, width - 1, width, 1000, -1, -2, -7, 1 << 20, -(1 << 20), half - 1, -half]


def floats(name: str) -> list[float]:
    """Each kind of number, ties of conversions among them."""
    significant, least, top = {
        "f16": (11, -24, 16),
        "bf16": (8, -133, 128),
        "f32": (24, -149, 128),
        "f64": (53, -1074, 1024),
    }[name]
    greatest = math.ldexp(2**significant - 1, top - significant)
    next_to_1 = 1 + math.ldexp(1, 1 - significant)
    positive = [0.0, math.ldexp(1, least), math.ldexp(1, least + significant - 1), 0.5, 1.0, next_to_1, 1.5, 2.5]
    positive += [127.0, 128.0, greatest, math.inf]
    return [math.nan, *positive, *(-x for x in positive)]


def values(type_: ScalarType, index_width: int) -> Sequence[int | float]:
    """Inputs of a type, in the encoding of `hecv.base.value`."""
    match type_:
        case IntType(width):
            return integers(width)
        case IndexType():
            return indices(index_width)
        case FloatType(name):
            return floats(name)


MOST = 256
"""All pairs of i4."""

FEW = 64
"""Inputs of a case whose flags only add poison to what the plain case computes."""


def inputs(case: Case, index_width: int) -> list[tuple[Scalar, ...]]:
    """Tuples of values: all of them, or an even choice where they are too many."""
    most = FEW if any(name == "fastmath" for name, _ in case.attributes) else MOST
    ranges = [values(t, index_width) for t in case.types]
    whole = math.prod(map(len, ranges))
    tuples: Iterator[tuple[Scalar, ...]] = itertools.product(*ranges)
    if whole <= most:
        return list(tuples)
    kept = set(random.Random(whole).sample(range(whole), most))
    return [x for k, x in enumerate(tuples) if k in kept]

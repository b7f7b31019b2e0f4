"""What the interpreter and Z3 say of one case, input by input."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hecv.base.term import TermPool
from hecv.base.theory import INTEGER
from hecv.base.types import BOOL, INDEX, FloatType, IndexType, MemRefType, ScalarType
from hecv.base.value import POISON, Buffer, Poison, Scalar
from hecv.program.tree import Alloc, Argument, Evaluate, Function, If, Load, Loop, Memory, MemoryKind, Statement, Store
from hecv.run.evaluation.op_templates import Patterns
from hecv.run.evaluation.python_expressions import NAMESPACE, LeftOpen
from hecv.run.interpreter.interpreter import Executable, Outcome, compile
from hecv.smt.term_encoding import Encoder, Operand
from hecv.smt.z3_goals import python_value
from hecv.smt.z3_theory import Z3

from .cases import Case

Given = tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """What an engine says: `value` is total, and None where it is left open or not looked at."""

    value: Scalar | None
    poison: bool
    ub: bool

    @property
    def proper(self) -> bool:
        """Defined, not poison, and not left open."""
        return not self.ub and not self.poison and self.value is not None


def same(left: Scalar | None, right: Scalar | None, type_: ScalarType, index_width: int) -> bool:
    """Equality of values: one NaN, two zeros, `index` modulo its range."""
    if isinstance(left, float) and isinstance(right, float):
        return (left != left and right != right) or struct.pack("d", left) == struct.pack("d", right)
    if isinstance(left, int) and isinstance(right, int) and isinstance(type_, IndexType):
        return (left - right) % (1 << index_width) == 0
    return type(left) is type(right) and left == right


# The interpreter's text


def texts(case: Case, index_width: int) -> Callable[[Given], Result]:
    """The op as the interpreter's patterns say it."""
    pool = TermPool()
    operands = tuple(pool.make("leaf", (), t, (("number", k),)) for k, t in enumerate(case.types))
    found = Patterns(index_width).make(case.term(pool, operands), (False,) * len(operands), False)
    names = [f"a{k}" for k in range(len(operands))]

    def function(text: str | None) -> Callable[..., Any]:
        return eval(f"lambda {', '.join(names)}: {text and text.format(*names)}", dict(NAMESPACE))

    value = function(f"round_f32({found.value})" if found.f32 else found.value)
    poison, ub = function(found.poison), function(found.ub)

    def result(given: Given) -> Result:
        undefined = bool(ub(*given))
        spoilt = not undefined and bool(poison(*given))
        looked = not (undefined or spoilt) or POISON not in given
        try:
            return Result(value(*given) if looked else None, spoilt, undefined)
        except LeftOpen:
            return Result(None, spoilt, undefined)

    return result


# Z3


class Formulas:
    """The op in Z3, evaluated by substitution."""

    def __init__(self, case: Case, index_width: int) -> None:
        encoder = self.encoder = Encoder(index_width)
        operator = case.operator
        outcome = encoder.outcome(operator, case.types, case.result, case.attributes)
        sorts = [INTEGER if operator.exact and t == INDEX else encoder.sort_of(t) for t in case.types]
        self.sorts = sorts
        self.variables = [
            Operand(encoder.variable(f"x{k}", s), Z3.Bool(f"p{k}", encoder.context)) for k, s in enumerate(sorts)
        ]
        named = {f"x{k}": v for k, v in enumerate(self.variables)}
        value, poison, ub = encoder.translate_all((outcome.value, outcome.poison, outcome.ub), named)
        # One application of a function that means nothing: all three are evaluated by one substitution.
        triple = Z3.Function("triple", *[f.sort() for f in (value, poison, ub)], Z3.BoolSort(encoder.context))
        self.triple = triple(value, poison, ub)
        self.proper = Z3.substitute(self.triple, *[(v.poison, encoder.false) for v in self.variables])

        self.literals: dict[tuple[int, str], Any] = {}

    def literal(self, k: int, value: Scalar) -> Any:
        key = (k, repr(value))
        if key not in self.literals:
            self.literals[key] = self.encoder.literal(0 if isinstance(value, Poison) else value, self.sorts[k])
        return self.literals[key]

    def result(self, given: Given) -> Result | None:
        """What Z3 says; None where poison or undefined behaviour depend on a function that it does not know."""
        pairs = [(v.value, self.literal(k, x)) for k, (v, x) in enumerate(zip(self.variables, given, strict=True))]
        spoilt = POISON in given
        if spoilt:
            true, false = self.encoder.true, self.encoder.false
            pairs += [(v.poison, true if x is POISON else false) for v, x in zip(self.variables, given, strict=True)]
        formula = self.triple if spoilt else self.proper
        value, poison, ub = Z3.simplify(Z3.substitute(formula, *pairs)).children()
        if not all(Z3.is_true(f) or Z3.is_false(f) for f in (poison, ub)):
            return None
        undefined, wrong = bool(python_value(ub)), bool(python_value(poison))
        is_literal = Z3.is_bv_value(value) or Z3.is_int_value(value) or Z3.is_fp_value(value)
        looked = is_literal and not (spoilt and (undefined or wrong))
        return Result(python_value(value) if looked else None, wrong and not undefined, undefined)


# Whole programs of the interpreter


def compiled(case: Case, index_width: int) -> Executable:
    """`program(case)` as Python."""
    return compile(program(case), index_width=index_width)


def program(case: Case) -> Function:
    """`for i: out[i] = op(x0[i], x1[i], ...)`, where `xk` is a local copy of argument `k`. The copy leaves out elements
    that argument `n + k`, a mask, does not have: never written, they are poison."""
    pool = TermPool()
    n, iv = len(case.types), pool.induction(0, INDEX)
    types = (*case.types, *[BOOL] * n, case.result)
    given = [Memory(k, MemoryKind.ARGUMENT, f"m{k}", t, (pool.extent(k, 0),)) for k, t in enumerate(types)]
    size = pool.extent(2 * n, 0)
    local = [Memory(100 + k, MemoryKind.LOCAL, f"x{k}", t, (size,)) for k, t in enumerate(case.types)]
    copies: list[Statement] = []
    for k in range(n):
        value, kept = Load(300 + k, given[k], (iv,)), Load(400 + k, given[n + k], (iv,))
        store = Store(500 + k, local[k], (iv,), pool.read(value.id, case.types[k]))
        copies += [value, kept, If(600 + k, pool.read(kept.id, BOOL), (store,), ())]
    loads = [Load(700 + k, memory, (iv,)) for k, memory in enumerate(local)]
    term = case.term(pool, tuple(pool.read(load.id, load.memory.element) for load in loads))
    apply = (*loads, Evaluate(800, term), Store(801, given[-1], (iv,), term))
    bounds = (pool.integer(0),), (size,), pool.integer(1), False
    body = (
        *[Alloc(200 + k, memory) for k, memory in enumerate(local)],
        Loop(900, iv, *bounds, tuple(copies)),
        Loop(901, iv, *bounds, apply),
    )
    arguments = tuple(Argument(k, f"m{k}", MemRefType((None,), m.element), None, m) for k, m in enumerate(given))
    return Function("f", arguments, (), body, None)


def zero(type_: ScalarType) -> Scalar:
    return 0.0 if isinstance(type_, FloatType) else 0


def run(executable: Executable, case: Case, given: Sequence[Given]) -> Outcome:
    """One run of `program(case)`."""
    columns = [[x[k] for x in given] for k in range(len(case.types))]
    values = [[zero(t) if v is POISON else v for v in c] for t, c in zip(case.types, columns, strict=True)]
    masks: list[list[Scalar]] = [[int(v is not POISON) for v in c] for c in columns]
    buffers = [*values, *masks, [zero(case.result)] * len(given)]
    return executable.run([Buffer((len(given),), b) for b in buffers])

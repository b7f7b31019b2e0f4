"""Assumptions: linear constraints over arguments, from `--assume`, and what every verdict takes for granted."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isfinite, isinf
from typing import Final, NoReturn

from msgspec import Struct

from hecv.base.diagnostics import Diagnostic, InputError, Location
from hecv.base.term import OPAQUE, Term, TermPool, literal
from hecv.base.types import BOOL, INDEX, IndexType, IntType
from hecv.base.value import Buffer, Value
from hecv.claim.result import Assumption
from hecv.claim.semantic_options import (
    Switches,
    computes_floats,
    computes_indices,
    has_open_layouts,
    has_several_memrefs,
)
from hecv.claim.unspecified_ops import left_open
from hecv.program.index import quasi_affine
from hecv.program.index.exact_integers import signed
from hecv.program.tree import Call, Function, Role, walk
from hecv.run.interpreter.outcome_analysis import terms_of

SWITCH: Final = "--assume"
"""The file name in locations of an assumption; line `k` is the `k`-th one given."""

NONNEG: Final = "nonneg"


_TOKEN: Final = re.compile(r"\s*(?:(%?[A-Za-z_$][\w$.]*|%\d+)|(\d+)|(<=|>=|==|[<>=+\-*(),])|(\S))", re.ASCII)
MOST_DIGITS: Final = 80
DEEPEST: Final = 100
"""The deepest nesting of parentheses and signs."""

_PREDICATES: Final = {"<=": "sle", "<": "slt", ">=": "sge", ">": "sgt", "==": "eq", "=": "eq"}
_COMPARE: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "sle": operator.le,
    "slt": operator.lt,
    "sge": operator.ge,
    "sgt": operator.gt,
    "eq": operator.eq,
}


class Parameter(Struct, frozen=True):
    """An argument in the text of an assumption: its names and its MLIR type."""

    number: int
    name: str
    type: str


class Leaf(Struct, frozen=True):
    """The value of a scalar argument, or one extent of a memref argument."""

    argument: int
    dimension: int | None


class Constraint(Struct, frozen=True):
    """`constant + sum(coefficient * leaf) <predicate> 0`, with its original text."""

    text: str
    predicate: str
    constant: int
    coefficients: tuple[tuple[Leaf, int], ...]

    def term(self, pool: TermPool, function: Function) -> Term:
        """The constraint as an i1 term over the arguments of `function`."""
        parts = tuple((_leaf_term(pool, function, leaf), c) for leaf, c in self.coefficients)
        left = quasi_affine.combine(pool, self.constant, parts)
        return pool.make("arith.cmpi", (left, pool.integer(0)), BOOL, (("predicate", self.predicate),))

    def holds(self, function: Function, values: Sequence[Value]) -> bool:
        """Whether the constraint holds on concrete arguments."""
        total = self.constant + sum(c * _leaf_value(function, values, leaf) for leaf, c in self.coefficients)
        return _COMPARE[self.predicate](total, 0)


def _leaf_term(pool: TermPool, function: Function, leaf: Leaf) -> Term:
    argument = function.arguments[leaf.argument]
    if leaf.dimension is not None:
        assert argument.memory is not None
        return argument.memory.extents[leaf.dimension]
    assert argument.term is not None
    if isinstance(argument.type, IndexType):
        return argument.term
    return pool.make("arith.index_cast", (argument.term,), INDEX)


def _leaf_value(function: Function, values: Sequence[Value], leaf: Leaf) -> int:
    value, kind = values[leaf.argument], function.arguments[leaf.argument].type
    if leaf.dimension is not None:
        assert isinstance(value, Buffer)
        return value.shape[leaf.dimension]
    assert isinstance(value, int)
    return signed(value, kind.width) if isinstance(kind, IntType) else value


# Parsing


def parse_assumption(text: str, line: int, parameters: Sequence[Parameter]) -> tuple[Constraint, ...]:
    """The constraints of one `--assume` text, the `line`-th, on the arguments of one function.

    Raises: InputError if it is no linear constraint or names no argument; the location points into the text.
    """
    if text.strip() == NONNEG:
        numbers = [p.number for p in parameters if _is_number(p.type)]
        return tuple(Constraint(NONNEG, "sge", 0, ((Leaf(n, None), 1),)) for n in numbers)
    return (_Parser(text, line, parameters).constraint(),)


def _is_number(kind: str) -> bool:
    """Whether a type is `index` or an integer that has a sign: an i1 is a truth value."""
    return kind == "index" or (re.fullmatch(r"i\d+", kind) is not None and kind != "i1")


class _Token(Struct, frozen=True):
    text: str
    kind: str
    column: int


_Sum = dict[Leaf | None, int]
"""A linear form: the coefficient of each leaf; that of None is the constant."""


class _Parser:
    """`sum (<= | < | >= | > | = | ==) sum` with `+ - *`, parentheses, names and `dim(NAME, K)`."""

    def __init__(self, text: str, line: int, parameters: Sequence[Parameter]) -> None:
        self._text = text
        self._line = line
        self._tokens = list(_tokens(text))
        self._at = 0
        self._depth = 0
        self._named = {f"arg{p.number}": p for p in parameters} | {p.name: p for p in parameters}

    def constraint(self) -> Constraint:
        left = self._sum()
        comparison = self._next()
        if comparison.text not in _PREDICATES:
            self._fail(comparison, "expected a comparison: <= < >= > = or ==")
        right = self._sum()
        if self._peek().kind != "end":
            self._fail(self._peek(), "expected the end of the assumption")
        for leaf, coefficient in right.items():
            left[leaf] = left.get(leaf, 0) - coefficient
        if max(map(abs, left.values()), default=0) >= 10**MOST_DIGITS:
            self._fail(comparison, f"a number has more than {MOST_DIGITS} digits")
        leaves = tuple((leaf, c) for leaf, c in left.items() if leaf is not None and c)
        return Constraint(self._text.strip(), _PREDICATES[comparison.text], left.get(None, 0), leaves)

    def _sum(self) -> _Sum:
        total = self._product()
        while self._peek().text in ("+", "-"):
            sign = 1 if self._next().text == "+" else -1
            for leaf, coefficient in self._product().items():
                total[leaf] = total.get(leaf, 0) + sign * coefficient
        return total

    def _product(self) -> _Sum:
        total = self._factor()
        while self._peek().text == "*":
            star = self._next()
            other = self._factor()
            if any(leaf is not None for leaf in total):
                total, other = other, total
            if any(leaf is not None for leaf in total):
                self._fail(star, "a product of two variables is not linear")
            factor = total.get(None, 0)
            total = {leaf: factor * c for leaf, c in other.items()}
        return total

    def _factor(self) -> _Sum:
        token = self._next()
        match token.kind, token.text:
            case "number", _:
                return {None: self._number(token)}
            case "symbol", "-":
                return {leaf: -c for leaf, c in self._within(token, self._factor).items()}
            case "symbol", "(":
                inner = self._within(token, self._sum)
                self._expect(")")
                return inner
            case "name", "dim" if self._peek().text == "(":
                return self._extent()
            case "name", _:
                parameter = self._parameter(token)
                if not _is_number(parameter.type):
                    self._fail(token, f"`{token.text}` has type {parameter.type}, expected an integer or index")
                return {Leaf(parameter.number, None): 1}
            case _:
                self._fail(token, "expected a number, an argument or dim(ARGUMENT, K)")

    def _number(self, token: _Token) -> int:
        if len(token.text) > MOST_DIGITS:
            self._fail(token, f"a number has more than {MOST_DIGITS} digits")
        return int(token.text)

    def _within(self, token: _Token, read: Callable[[], _Sum]) -> _Sum:
        """What stands behind a parenthesis or a sign."""
        self._depth += 1
        if self._depth > DEEPEST:
            self._fail(token, f"parentheses and signs are nested more than {DEEPEST} deep")
        found = read()
        self._depth -= 1
        return found

    def _extent(self) -> _Sum:
        self._expect("(")
        token = self._next()
        parameter = self._parameter(token)
        if not parameter.type.startswith("memref<"):
            self._fail(token, f"`{token.text}` has type {parameter.type}, expected a memref")
        self._expect(",")
        dimension = self._next()
        rank = _rank(parameter.type)
        if dimension.kind != "number" or self._number(dimension) >= rank:
            self._fail(dimension, f"expected a dimension of {parameter.type}: a number below {rank}")
        self._expect(")")
        return {Leaf(parameter.number, self._number(dimension)): 1}

    def _parameter(self, token: _Token) -> Parameter:
        found = self._named.get(token.text.removeprefix("%"))
        if token.kind != "name" or found is None:
            names = ", ".join(dict.fromkeys(p.name for p in self._named.values()))
            self._fail(token, f"expected the name of an argument, found `{token.text}`", f"there are: {names}")
        return found

    def _peek(self) -> _Token:
        return self._tokens[self._at]

    def _next(self) -> _Token:
        token = self._tokens[self._at]
        if token.kind != "end":
            self._at += 1
        return token

    def _expect(self, symbol: str) -> None:
        token = self._next()
        if token.text != symbol:
            self._fail(token, f"expected `{symbol}`")

    def _fail(self, token: _Token, message: str, hint: str | None = None) -> NoReturn:
        place = Location(SWITCH, self._line, token.column)
        usage = hint or "write a linear constraint, as in --assume 'n >= 1' or --assume 'dim(A, 0) = 2*n', or nonneg"
        raise InputError(Diagnostic("error", "invalid-assumption", message, place, usage))


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    at = 0
    kinds = ("name", "number", "symbol", "stray")
    while match := _TOKEN.match(text, at):
        kind = kinds[(match.lastindex or 4) - 1]
        found.append(_Token(match[match.lastindex or 0], kind, match.start(match.lastindex or 0) + 1))
        at = match.end()
    return [*found, _Token("end of text", "end", len(text) + 1)]


def _rank(memref: str) -> int:
    """The rank of a memref type in MLIR's text."""
    shape = re.match(r"memref<((?:(?:\?|\d+)x)*)", memref)
    return shape[1].count("x") if shape else 0


# What verdicts rest on


ROUNDED: Final = "literals stand for the simplest numbers that round to them"
INFINITE: Final = "an infinite literal is beyond all numbers, and exp(-inf) is 0"
FLOATS: Final = {
    "reassoc": "float sums and products may be computed in any order",
    "real": "floats are real numbers: nothing is rounded, infinite or NaN, zero has no sign and is no divisor",
}


def _taken_as_functions(functions: Sequence[Function]) -> list[Assumption]:
    """What is assumed of ops without semantics here, by their names."""
    terms = [t for f in functions for t in f.opaque]
    if not terms:
        return []
    names = sorted({str(t.attr("name")) for t in terms})
    text = f"ops without semantics here are functions of their operands and attributes: {', '.join(names)}"
    found = [Assumption("opaque-functions", text, None)]
    total = sorted({str(t.attr("name")) for t in terms if t.op == OPAQUE})
    if total:
        text = f"these are defined on all operands, and no less where an operand is less poison: {', '.join(total)}"
        found.append(Assumption("opaque-total", text, None))
    return found


def _promised(function: Function, switches: Switches) -> Iterator[Assumption]:
    """What the source says of its arguments (`hecv.mlir.aliasing.memref_assumptions`)."""
    names = [f"%{a.name}" for a in function.arguments]
    for one, other in sorted(function.distinct) if switches.may_overlap else ():
        text = f"{names[one]} and {names[other]} do not overlap, as memref.distinct_objects or llvm.noalias says"
        yield Assumption("args-said-distinct", text, None)
    for memory, count in sorted(function.aligned):
        yield Assumption(
            "args-aligned", f"{names[memory]} is aligned to {count} bytes, as memref.assume_alignment says", None
        )


def _rebased(functions: Sequence[Function]) -> Iterator[Assumption]:
    """What is taken of accesses through an offset and strides that are not known
    (`hecv.mlir.read.strided_metadata`)."""
    everywhere = [g for f in functions for g in (f, *f.callees.values())]
    names = sorted({f.memories()[number].name for f in everywhere for number in f.rebased})
    if names:
        text = f"accesses through the offset and strides of %{', %'.join(names)} lie within its extents"
        yield Assumption("strides-within", text, None)


def _undeclared(functions: Sequence[Function]) -> Iterator[Assumption]:
    """What is assumed of ops that neither MLIR nor the user knows, by their names."""
    names = sorted({name for f in functions for name in f.undeclared})
    if names:
        text = f"ops that nobody declares do no more than functions without a body may do: {', '.join(names)}"
        yield Assumption("undeclared-ops", text, None)


def of_calls(functions: Sequence[Function]) -> tuple[Assumption, ...]:
    """The assumption that functions without a body return, and free nothing, if some are called."""
    calls = (s for f in functions for s in walk(f.body) if isinstance(s, Call) and not s.known)
    called = {s.callee for s in calls if not s.prints}
    text = f"functions without a body return and free nothing: {', '.join(f'@{name}' for name in sorted(called))}"
    return (Assumption("calls-return", text, None),) if called else ()


def may_free(functions: Sequence[Function]) -> bool:
    """Whether a function without a body can reach memory, which it could free."""
    calls = (s for f in functions for s in walk(f.body) if isinstance(s, Call) and not s.known)
    return any(call.memories for call in calls)


def of_literals(functions: Sequence[Function]) -> tuple[Assumption, ...]:
    """The assumption on literals of a proof over the reals: which numbers those of the functions may be read as."""
    values = [v for f in functions for t in terms_of(f) if isinstance(v := literal(t), float)]
    found = [Assumption("literals-rounded", ROUNDED, "--fp")] if any(map(isfinite, values)) else []
    return (*found, *([Assumption("infinite-literals", INFINITE, "--fp")] if any(map(isinf, values)) else []))


def of_lowering(dialects: Iterable[str]) -> tuple[Assumption, ...]:
    """The assumptions of a verdict on what MLIR lowers ops of these dialects to."""
    return tuple([Assumption(f"lowering-{d}", f"ops of {d} are what MLIR lowers them to", None) for d in dialects])


def assumed(functions: Sequence[Function], given: Sequence[Constraint], switches: Switches) -> tuple[Assumption, ...]:
    """The assumptions of a verdict on these functions."""
    found: list[Assumption] = []
    whose = "arguments, globals and their memory" if functions[0].globals else "arguments and their memory"
    if functions[0].inputs():
        found.append(Assumption("inputs-proper", f"{whose} hold no poison", None))
    if has_several_memrefs(functions[0]) and not switches.may_overlap:
        which = "memref arguments and globals" if functions[0].globals else "memref arguments"
        found.append(Assumption("args-distinct", f"{which} do not overlap", "--alias"))
    found += _promised(functions[0], switches)
    if has_open_layouts(functions[0]) and not switches.may_overlap:
        text = "the elements of a memref argument with dynamic strides do not overlap"
        found.append(Assumption("elements-distinct", text, "--alias"))
    found += _rebased(functions)
    pairs = zip(functions[0].arguments, functions[-1].arguments, strict=True)
    if any(a.role is Role.VALUE and a.text != b.text for a, b in pairs):
        text = "the buffer of a tensor argument holds nothing else, and no one reads it after the call"
        found.append(Assumption("tensor-buffers", text, None))
    if any(map(computes_indices, functions)) and not switches.index_wraps:
        text = "index arithmetic in subscripts and bounds, and affine expressions, do not overflow"
        found.append(Assumption("index-overflow", text, "--index-overflow"))
    found += _taken_as_functions(functions)
    found += _undeclared(functions)
    if any(f.launches for f in functions):
        text = "gpu.launch runs each thread once, in any order, and none where a size is not positive"
        found.append(Assumption("launch-threads", text, None))
    if functions[0].lane:
        found.append(
            Assumption("scalable-lanes", "scalable vectors have at least one lane; values are those of one", None)
        )
    found += left_open(functions, switches.floats)
    if switches.floats != "real" and any(f.rounds for f in (functions[-1], *functions[-1].callees.values())):
        found.append(Assumption("contract-rounds", "vector.contract rounds each product before it is added", None))
    if switches.floats != "strict" and any(map(computes_floats, functions)):
        found.append(Assumption(f"floats-{switches.floats}", FLOATS[switches.floats], "--fp"))
    texts = dict.fromkeys(c.text for c in given)
    return (*found, *(Assumption("assume", text, SWITCH) for text in texts))

"""Python text templates, one for each op that occurs in a program."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from msgspec import Struct, field
from msgspec.structs import replace

from hecv.base.diagnostics import Unsupported
from hecv.base.term import Attributes, Term, literal
from hecv.base.theory import INTEGER, BitsSort, Constant, Expression, FloatSort, Sort, Variable, bits, sort_of
from hecv.base.types import IndexType, ScalarType
from hecv.ops import OPERATORS, facts_about
from hecv.ops.registry import Operator
from hecv.run.evaluation.python_expressions import Pattern, exact, modular, pattern, real, signed, unsigned


class Patterns(Struct):
    """The templates made so far; `index_width` is the width of `index`.

    With `index_wraps`, ops on `index` wrap as others do; otherwise they give the exact integer, so that a run can be
    excluded when it overflows.
    """

    index_width: int
    index_wraps: bool = False
    made: dict[tuple[object, ...], Pattern] = field(default_factory=dict[tuple[object, ...], Pattern])
    plain: dict[tuple[object, ...], bool] = field(default_factory=dict[tuple[object, ...], bool])
    alive: list[ScalarType] = field(default_factory=list[ScalarType])
    """Types that are looked up by their address; keeping them alive ensures that no other type gets it."""

    def of(self, term: Term, proper: tuple[bool, ...]) -> Pattern:
        """The template of the root of `term`; `proper[k]`: operand `k` cannot be poison.

        Literal operands are considered only if the op can be poison or undefined for some operand.
        """
        key, found = self._general(term, proper)
        if (found.poison or found.ub) and any(a.op == "const" for a in term.args):
            values = tuple(a.attrs if a.op == "const" else None for a in term.args)
            special = self.made.get((key, values))
            if special is None:
                special = self.made[key, values] = self.make(term, proper, True)
            return special
        return found

    def harmless(self, term: Term, proper: tuple[bool, ...]) -> bool:
        """True if the root of `term` makes no poison and is defined for all operands; literal operands then do not
        change its template."""
        found = self._general(term, proper)[1]
        return not found.poison and not found.ub

    def is_plain(self, term: Term) -> bool:
        """`harmless` for operands that cannot be poison, with a fast lookup.

        Raises: Unsupported if an op has no semantics.
        """
        key = (term.op, term.attrs, id(term.type), *[id(a.type) for a in term.args])
        found = self.plain.get(key)
        if found is None:
            self.alive += [term.type, *[a.type for a in term.args]]
            found = self.plain[key] = self.harmless(term, (True,) * len(term.args))
        return found

    def wrapping(self) -> Patterns:
        """Templates of the same kind by which ops on `index` wrap."""
        if self.index_wraps:
            return self
        if type(self) is Patterns:
            return usual(self.index_width, True)
        return replace(self, index_wraps=True, made={}, plain={}, alive=[])

    def _general(self, term: Term, proper: tuple[bool, ...]) -> tuple[tuple[object, ...], Pattern]:
        """The template for any operands of the same types, and its key."""
        key = (term.op, term.attrs, term.type, proper, *[(a.type, a.op == "const") for a in term.args])
        found = self.made.get(key)
        if found is None:
            found = self.made[key] = self.make(term, proper, False)
        return key, found

    def make(self, term: Term, proper: tuple[bool, ...], literals: bool) -> Pattern:
        """The template, from the op's semantics; with `literals`, literal operands are constants."""
        operator = OPERATORS.get(term.op)
        if operator is None:
            raise Unsupported(f"op {term.op}", None)
        operands: list[Expression] = []
        for k, a in enumerate(term.args):
            sort = self.sort(operator, a.type)
            constant = _constant(a, sort) if literals else None
            two = isinstance(a.type, IndexType) and sort != INTEGER
            operands.append(constant or Variable(sort, f"{{{k}}}", proper[k], signed=two))
        to = self.sort(operator, term.type)
        outcome = operator.outcome(tuple(operands), to, _known(term.attrs))
        wraps = isinstance(term.type, IndexType) and facts_about(term.op).wraps is not None and not self.index_wraps
        return pattern(outcome, _text(term.type, to, wraps), wraps)

    def sort(self, operator: Operator, type_: ScalarType) -> Sort:
        """The sort of an operand or result of the operator."""
        exact_index = operator.exact and isinstance(type_, IndexType)
        return INTEGER if exact_index else sort_of(type_, self.index_width)


@cache
def usual(index_width: int, index_wraps: bool) -> Patterns:
    """Templates shared between functions: the meaning of an op does not depend on the function."""
    return Patterns(index_width, index_wraps)


def _known(attributes: Attributes) -> Attributes:
    """The attributes that have an effect: MLIR also prints flags that are off."""
    return tuple((k, v) for k, v in attributes if v not in ("none",))


def _constant(term: Term, sort: Sort) -> Constant | None:
    value = literal(term)
    if value is None:
        return None
    return bits(int(value), sort) if isinstance(sort, BitsSort) else Constant(sort, value)


def _text(type_: ScalarType, sort: Sort, wraps: bool) -> Callable[[Expression], str]:
    """The printer of values in the encoding of `type_` (`hecv.base.value`)."""
    if isinstance(sort, FloatSort):
        return real
    if sort == INTEGER:
        return exact
    if isinstance(type_, IndexType):
        return modular if wraps else signed
    return unsigned

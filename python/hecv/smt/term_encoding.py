"""Encodes program terms in Z3: each operator by its own semantics in the theory, so that nothing is stated twice.

A term becomes a triple: a total value that ignores flags, the condition under which that value is poison, and the
condition under which evaluating the term is undefined behaviour. Every operator of a term is evaluated, so the last is
a disjunction over all its nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from hecv.base.diagnostics import Unsupported
from hecv.base.term import Attributes, Term, literal
from hecv.base.theory import INTEGER, Expression, Outcome, Sort, sort_of
from hecv.base.theory import Variable as TheoryVariable
from hecv.base.types import IndexType, ScalarType
from hecv.ops import OPERATORS, exposes
from hecv.ops.facts.poison_conditions import CHOOSING, LEAVES, PROPER_LEAVES
from hecv.ops.registry import Operator, licensed
from hecv.smt.z3_theory import Z3, Formula, Operand, Translator, Truth, Unencodable

__all__ = ["Encoded", "Encoder", "Formula", "Leaf", "Operand", "Truth", "Unencodable"]


class Encoded(Struct, frozen=True):
    """A term in Z3. An `index` value is a bit-vector; if an operator over exact integers made it, `exact` is that
    integer."""

    value: Formula
    poison: Truth
    ub: Truth
    exact: Formula | None = None


Leaf = Callable[[Term], Encoded | None]


class Encoder(Translator):
    """Encodes terms and expressions in one Z3 context of its own."""

    def __init__(self, index_width: int = 64) -> None:
        super().__init__()
        self.index_width: Final = index_width
        self._outcomes: dict[tuple[object, ...], Outcome] = {}

    def sort_of(self, type_: ScalarType) -> Sort:
        """The sort of the values of a type, with `index` as a bit-vector.

        Raises: Unencodable.
        """
        try:
            return sort_of(type_, self.index_width)
        except Unsupported as problem:
            raise Unencodable(problem.text) from None

    def leaf(self, term: Term) -> Encoded:
        """The variables of a leaf: its value, and whether it is poison if it can be."""
        name = " ".join([term.op, *[str(v) for _, v in term.attrs], *[f"t{a.id}" for a in term.args], str(term.type)])
        value = self.variable(name, self.sort_of(term.type))
        proper = term.op in PROPER_LEAVES or ("proper", True) in term.attrs
        return Encoded(value, self.false if proper else Z3.Bool(f"poison {name}", self.context), self.false)

    def term(self, root: Term, leaf: Leaf | None = None) -> Encoded:
        """`root` in Z3. `leaf` gives the encoding of chosen terms; None means the variables of `Encoder.leaf`.

        Raises: Unencodable.
        """
        return self.terms((root,), leaf)[0]

    def terms(self, roots: tuple[Term, ...], leaf: Leaf | None = None) -> list[Encoded]:
        """`term` for several roots, each node once. Iterative, so depth is not limited.

        Raises: Unencodable.
        """
        done: dict[int, Encoded] = {}
        stack: list[tuple[Term, bool]] = [(root, False) for root in reversed(roots)]
        while stack:
            term, ready = stack.pop()
            if term.id in done:
                continue
            if ready:
                done[term.id] = self._node(term, [done[a.id] for a in term.args], leaf)
            else:
                stack.append((term, True))
                stack.extend((a, False) for a in reversed(term.args))
        return [done[root.id] for root in roots]

    def _node(self, term: Term, args: list[Encoded], leaf: Leaf | None) -> Encoded:
        below = self.any_of(*[a.ub for a in args])
        if term.op == "const":
            return self._constant(term)
        if term.op in LEAVES:
            found = (leaf and leaf(term)) or self.leaf(term)
            # An address that is poison is undefined behaviour.
            return Encoded(found.value, found.poison, self.any_of(found.ub, below, *[a.poison for a in args]))
        operator = OPERATORS.get(term.op)
        if operator is None:
            raise Unencodable(f"{term.op} has no semantics")
        return self._operator(operator, term, args, below)

    def _constant(self, term: Term) -> Encoded:
        value = literal(term)
        assert value is not None
        return Encoded(self.literal(value, self.sort_of(term.type)), self.false, self.false)

    def _chosen(self, term: Term, args: list[Encoded]) -> Formula:
        """An uninterpreted function of the operands."""
        name = " ".join([term.op, *[f"{k}={v}" for k, v in term.attrs]])
        return self.abstraction(name, tuple(a.value for a in args), self.sort(self.sort_of(term.type)))

    def _operator(self, operator: Operator, term: Term, args: list[Encoded], below: Truth) -> Encoded:
        if licensed(term.attrs):
            flags = " ".join(str(value) for _, value in term.attrs)
            raise Unencodable(f"{term.op} {flags} may compute something else than its semantics says")
        if exposes(term):
            raise Unencodable(f"{term.op} shows which NaN its operand is")
        outcome = self.outcome(operator, tuple(a.type for a in term.args), term.type, term.attrs)
        sorts = [self._operand_sort(operator, a.type) for a in term.args]
        operands = {
            f"x{k}": Operand(self._view(a, sort), a.poison) for k, (a, sort) in enumerate(zip(args, sorts, strict=True))
        }
        value, poison, ub = self.translate_all((outcome.value, outcome.poison, outcome.ub), operands)
        undefined = self.any_of(ub, below)
        if term.op in CHOOSING:
            return Encoded(self._chosen(term, args), poison, undefined)
        if outcome.value.sort != INTEGER:
            return Encoded(value, poison, undefined)
        return Encoded(Z3.Int2BV(value, self.index_width), poison, undefined, value)

    def outcome(
        self, operator: Operator, types: tuple[ScalarType, ...], to: ScalarType, attributes: Attributes
    ) -> Outcome:
        """The outcome of an operator on variables `x0`, `x1`... of these types.

        Raises: Unencodable if the semantics does not know an attribute.
        """
        key = (operator.name, types, to, attributes)
        if key not in self._outcomes:
            operands: tuple[Expression, ...] = tuple(
                TheoryVariable(self._operand_sort(operator, t), f"x{k}") for k, t in enumerate(types)
            )
            try:
                self._outcomes[key] = operator.outcome(operands, self._operand_sort(operator, to), attributes)
            except Unsupported as problem:
                raise Unencodable(problem.text) from None
        return self._outcomes[key]

    def _operand_sort(self, operator: Operator, type_: ScalarType) -> Sort:
        if operator.exact and isinstance(type_, IndexType):
            return INTEGER
        return self.sort_of(type_)

    def _view(self, encoded: Encoded, sort: Sort) -> Formula:
        """The value in the sort that an operator expects."""
        if sort != INTEGER:
            return encoded.value
        return Z3.BV2Int(encoded.value, is_signed=True) if encoded.exact is None else encoded.exact

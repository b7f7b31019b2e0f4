"""Affine maps and integer sets, compiled once into functions that build canonical terms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from msgspec import Struct
from torch_mlir import ir

from hecv.base.term import Term, TermPool, literal
from hecv.base.types import BOOL
from hecv.program.index import quasi_affine

Operands = tuple[Term, ...]
Quotients = list[Term]
Recipe = Callable[[TermPool, Operands, Quotients], Term]
"""Builds a term from operands (dims, then symbols); appends divisions that may be undefined to the list."""

DEEPEST_EXPRESSION = 100

_SET = re.compile(r"affine_set<(\(.*?\)(?:\[.*?\])?) : \((.*)\)>\Z")
_CONSTRAINT = re.compile(r"(.*) (>=|==) 0\Z")


class TooDeep(Exception):
    """An affine expression is nested deeper than `DEEPEST_EXPRESSION`."""


class Form(Struct, frozen=True):
    """A linear expression in the operands: `constant + sum(coefficients[k] * operands[k])`."""

    constant: int
    coefficients: tuple[tuple[int, int], ...]


def compile_map(source: ir.AffineMap) -> tuple[Recipe, ...]:
    """One recipe for each result of the map.

    Raises: TooDeep.
    """
    return tuple(_recipe(_compile(e, source.n_dims, 0)) for e in source.results)


def linear_forms(source: ir.AffineMap) -> tuple[Form | None, ...]:
    """The results of the map as linear forms, None for those that are not linear.

    Raises: TooDeep.
    """
    compiled = (_compile(e, source.n_dims, 0) for e in source.results)
    return tuple(form if isinstance(form, Form) else None for form in compiled)


def steps_of(source: ir.AffineMap) -> tuple[Recipe, ...]:
    """Intermediate values of the map's results that may overflow although the results do not: products, and dividends.

    Sums are right in the end whatever overflows on the way.

    Raises: TooDeep.
    """
    return tuple(_recipe(_compile(e, source.n_dims, 0)) for r in source.results for e in _steps(r))


class Membership(Struct, frozen=True):
    """An integer set: `test` builds the `i1` term that operands are in it, a conjunction of comparisons with zero;
    `steps` are the intermediate values of its expressions."""

    test: Recipe
    steps: tuple[Recipe, ...]


def compile_set(source: ir.Attribute) -> Membership:
    """The membership test of an integer set.

    The bindings give no access to a set's constraints, so its text is parsed: MLIR prints each as `e >= 0` or `e == 0`.
    """
    matched = _SET.match(str(source))
    assert matched is not None, f"not an integer set: {source}"
    space, constraints = matched.groups()
    parts = [_CONSTRAINT.match(c) for c in constraints.split(", ")] if constraints else []
    assert all(parts), f"not constraints: {constraints}"
    texts = ", ".join(p[1] for p in parts if p)
    predicates = tuple("sge" if p[2] == ">=" else "eq" for p in parts if p)
    attribute = ir.Attribute.parse(f"affine_map<{space} -> ({texts})>", source.context)
    expressions = ir.AffineMapAttr(attribute).value
    recipes = compile_map(expressions)

    def build(pool: TermPool, operands: Operands, quotients: Quotients) -> Term:
        zero = pool.integer(0)
        result: Term | None = None
        for recipe, predicate in zip(recipes, predicates, strict=True):
            value = recipe(pool, operands, quotients)
            test = pool.make("arith.cmpi", (value, zero), BOOL, (("predicate", predicate),))
            result = test if result is None else pool.make("arith.andi", (result, test), BOOL)
        return pool.integer(1, BOOL) if result is None else result

    return Membership(build, steps_of(expressions))


def _steps(source: ir.AffineExpr) -> Iterator[ir.AffineExpr]:
    if not isinstance(source, ir.AffineBinaryExpr):
        return
    yield from _steps(source.lhs)
    yield from _steps(source.rhs)
    if isinstance(source, ir.AffineMulExpr):
        yield source
    elif not isinstance(source, ir.AffineAddExpr) and isinstance(source.lhs, ir.AffineBinaryExpr):
        yield source.lhs


def _compile(source: ir.AffineExpr, dims: int, depth: int) -> Form | Recipe:
    """A linear form if the expression is linear, otherwise a recipe."""
    if depth > DEEPEST_EXPRESSION:
        raise TooDeep
    match source:
        case ir.AffineDimExpr():
            return Form(0, ((source.position, 1),))
        case ir.AffineSymbolExpr():
            return Form(0, ((dims + source.position, 1),))
        case ir.AffineConstantExpr():
            return Form(source.value, ())
        case _:
            assert isinstance(source, ir.AffineBinaryExpr)
            left, right = _compile(source.lhs, dims, depth + 1), _compile(source.rhs, dims, depth + 1)
            return _binary(source, left, right)


def _binary(source: ir.AffineExpr, left: Form | Recipe, right: Form | Recipe) -> Form | Recipe:
    match source:
        case ir.AffineAddExpr():
            if isinstance(left, Form) and isinstance(right, Form):
                return _add(left, right)
            operation = _sum
        case ir.AffineMulExpr():
            for factor, other in ((left, right), (right, left)):
                if isinstance(factor, Form) and not factor.coefficients and isinstance(other, Form):
                    return _scale(other, factor.constant)
            operation = _product
        case ir.AffineFloorDivExpr():
            operation = _floordiv
        case ir.AffineCeilDivExpr():
            operation = _ceildiv
        case _:
            operation = _mod
    first, second = _recipe(left), _recipe(right)

    def build(pool: TermPool, operands: Operands, quotients: Quotients) -> Term:
        return operation(pool, first(pool, operands, quotients), second(pool, operands, quotients), quotients)

    return build


def _add(left: Form, right: Form) -> Form:
    sums = dict(left.coefficients)
    for position, coefficient in right.coefficients:
        sums[position] = sums.get(position, 0) + coefficient
    return Form(left.constant + right.constant, tuple((p, c) for p, c in sums.items() if c))


def _scale(form: Form, factor: int) -> Form:
    scaled = tuple((p, c * factor) for p, c in form.coefficients) if factor else ()
    return Form(form.constant * factor, scaled)


def _recipe(source: Form | Recipe) -> Recipe:
    if not isinstance(source, Form):
        return source
    constant, coefficients = source.constant, source.coefficients
    if not coefficients:
        return lambda pool, operands, quotients: pool.integer(constant)
    if constant == 0 and len(coefficients) == 1 and coefficients[0][1] == 1:
        position = coefficients[0][0]
        return lambda pool, operands, quotients: operands[position]
    return lambda pool, operands, quotients: quasi_affine.combine(
        pool, constant, tuple([(operands[p], c) for p, c in coefficients])
    )


def _sum(pool: TermPool, left: Term, right: Term, quotients: Quotients) -> Term:
    return quasi_affine.add(pool, left, right)


def _product(pool: TermPool, left: Term, right: Term, quotients: Quotients) -> Term:
    return quasi_affine.multiply(pool, left, right)


def _floordiv(pool: TermPool, left: Term, right: Term, quotients: Quotients) -> Term:
    quotient = quasi_affine.floordiv(pool, left, right)
    value = literal(right)
    if value is None or value <= 0:
        quotients.append(quotient)
    return quotient


def _ceildiv(pool: TermPool, left: Term, right: Term, quotients: Quotients) -> Term:
    negated = quasi_affine.combine(pool, 0, ((left, -1),))
    return quasi_affine.combine(pool, 0, ((_floordiv(pool, negated, right, quotients), -1),))


def _mod(pool: TermPool, left: Term, right: Term, quotients: Quotients) -> Term:
    quotient = _floordiv(pool, left, right, quotients)
    return quasi_affine.subtract(pool, left, quasi_affine.multiply(pool, right, quotient))

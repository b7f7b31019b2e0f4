"""`affine.delinearize_index` and `affine.linearize_index`: one index as digits of a mixed radix, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from itertools import accumulate

from torch_mlir import ir

from hecv.base.term import Term, literal
from hecv.base.types import INDEX
from hecv.mlir.read.affine_apply import note
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.mlir.read.memref_views import product
from hecv.program.index import quasi_affine

_DISJOINT = re.compile(r"%\d+ = affine\.linearize_index disjoint\b")


def _basis(reader: Reader, op: ir.Operation, dynamic: tuple[Term, ...]) -> tuple[Term, ...]:
    """The elements of the basis: literals, and operands where it is dynamic."""
    absent = ir.ShapedType.get_dynamic_size()
    rest = iter(dynamic)
    static = ir.DenseI64ArrayAttr(op.attributes["static_basis"])
    return tuple([next(rest) if n == absent else reader.pool.integer(n) for n in static])


def _quotient(reader: Reader, op: ir.Operation, dividend: Term, divisor: Term) -> Term:
    """`floor(dividend / divisor)`, undefined if the divisor is not positive."""
    quotient = quasi_affine.floordiv(reader.pool, dividend, divisor)
    value = literal(divisor)
    if value is None or value <= 0:
        reader.evaluate(op, quotient)
    return quotient


def _read_delinearize(reader: Reader, op: ir.Operation) -> None:
    """The digits of an index in a mixed radix; the first digit is unbounded.

    Poison:  under an outer bound, all digits, if the index is negative or not below the product of the basis: MLIR
             removes divisions that do nothing below it.
    Example: `%z, %y, %x = affine.delinearize_index %i into (%n, 16, 8) : index, index, index`.
    """
    pool = reader.pool
    whole, *dynamic = reader.terms(op, op.operands)
    results = list(op.results)
    basis = _basis(reader, op, tuple(dynamic))
    if len(basis) == len(results):
        whole = _said(reader, "affine.within", whole, product(pool, basis))
    for result, radix in zip(results[:0:-1], basis[::-1], strict=False):
        quotient = _quotient(reader, op, whole, radix)
        reader.scalars[result] = quasi_affine.subtract(pool, whole, quasi_affine.multiply(pool, radix, quotient))
        whole = quotient
    reader.scalars[results[0]] = whole


def _read_linearize(reader: Reader, op: ir.Operation) -> None:
    """The index with these digits.

    Poison:  under `disjoint`, if a digit is not below its element of the basis, if that is negative, or if a digit but
             the first is.
    Cites:   LangRef, affine.linearize_index: the computation does not overflow in the signed sense, which is recorded
             for each product and each intermediate sum.
    Example: `%i = affine.linearize_index disjoint [%z, %y, %x] by (%n, 16, 8) : index`.
    """
    pool = reader.pool
    count = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[0]
    operands = reader.terms(op, op.operands)
    digits, basis = operands[:count], _basis(reader, op, operands[count:])
    inner = basis[len(basis) - count + 1 :]
    # A property that is no attribute: the bindings show it in the text alone.
    disjoint = _DISJOINT.match(str(op)) is not None
    whole = _said(reader, "affine.below", digits[0], basis[0]) if disjoint and len(basis) == count else digits[0]
    for digit, radix in zip(digits[1:], inner, strict=True):
        bounded = _said(reader, "affine.within", digit, radix) if disjoint else digit
        whole = quasi_affine.add(pool, quasi_affine.multiply(pool, whole, radix), bounded)
    reader.scalars[op.result] = whole
    strides = (product(pool, inner[k:]) for k in range(count))
    products = [quasi_affine.multiply(pool, d, s) for d, s in zip(digits, strides, strict=True)]
    note(reader, op, (*products, *accumulate(products, partial(quasi_affine.add, pool))))


def _said(reader: Reader, op: str, index: Term, bound: Term) -> Term:
    """`index`, which the program states is less than `bound`."""
    low, high = literal(index), literal(bound)
    if isinstance(low, int) and isinstance(high, int) and 0 <= low < high:
        return index
    reader.has_stated = True
    return reader.pool.make(op, (index, bound), INDEX)


HANDLERS: Mapping[str, Handler] = {
    "affine.delinearize_index": _read_delinearize,
    "affine.linearize_index": _read_linearize,
}

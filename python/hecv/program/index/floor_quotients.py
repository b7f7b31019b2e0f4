"""Floor division of indices in one canonical form, by a literal or by an index.

A divisor that is not a literal is positive wherever the quotient is defined (`affine.quotient`).
"""

from __future__ import annotations

from hecv.base.term import Term, TermPool, postorder
from hecv.program.index import quasi_affine


def floordiv(pool: TermPool, dividend: Term, divisor: Term) -> Term:
    """`floor(dividend / divisor)`. As under a floor by a literal, the first coefficient is made positive."""
    quotient = quasi_affine.floordiv(pool, dividend, divisor)
    form = quasi_affine.linear(dividend)
    if quotient.op != "affine.quotient" or not form.terms or form.terms[0][1] >= 0:
        return quotient
    mirrored = quasi_affine.floordiv(pool, quasi_affine.combine(pool, -1, ((dividend, -1),)), divisor)
    return quasi_affine.combine(pool, -1, ((mirrored, -1),))


def ceildiv(pool: TermPool, dividend: Term, divisor: Term) -> Term:
    """`ceil(dividend / divisor)`."""
    negated = quasi_affine.combine(pool, 0, ((dividend, -1),))
    return quasi_affine.combine(pool, 0, ((floordiv(pool, negated, divisor), -1),))


def modulo(pool: TermPool, dividend: Term, divisor: Term) -> Term:
    """`dividend - divisor * floor(dividend / divisor)`."""
    return quasi_affine.subtract(
        pool, dividend, quasi_affine.multiply(pool, divisor, floordiv(pool, dividend, divisor))
    )


def is_modulo(pool: TermPool, term: Term) -> bool:
    """True if an index term has the form `x - d * floor(x / d)`, which is not negative."""
    quotients = [t for t in postorder((term,)) if t.op == "affine.quotient"]
    pairs = ((d, q.args[1]) for q in quotients for d in (q.args[0], quasi_affine.combine(pool, -1, ((q.args[0], -1),))))
    return any(modulo(pool, dividend, divisor) is term for dividend, divisor in pairs)

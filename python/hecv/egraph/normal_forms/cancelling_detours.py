"""Cancelling detours: a target that is equal over the reals but loses precision that the source keeps.

Flags license what distribution, factoring and folded literals make of a term. Over the reals `x` is also `(x + 1.0e9) -
1.0e9`, `(x * 1.0e-30) * 1.0e30` and `(x * z) / z`, which lose `x` on the way: these are no reorderings of `x`. So what
cancels in a sum or product of the target has to cancel in one of the source of the same value, to the same amount; and
the literals by which the target multiplies and divides are no further from 1 than those of the source, or than the
product that these make.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from fractions import Fraction

from msgspec import Struct, field

from hecv.base.ring_polynomials import Rational, rational_product, rational_sum
from hecv.egraph.normal_forms.float_forms import RING, SUMS, Regrouping
from hecv.egraph.normal_forms.operator_chains import NormalNode
from hecv.egraph.total_terms import Dag, literal_of

_SLACK = 1e-9
"""The tolerance of a sum of logarithms."""


class Detours(Struct):
    """The detours in the arithmetic below each node: which products cancel, with the sum of the magnitudes of their
    coefficients; which factors are also divisors, and how often; and how far from 1, in powers of two, products of
    literals may be."""

    dag: Dag
    forms: Regrouping
    nodes: Mapping[int, NormalNode]
    _cancelled: dict[int, Rational | None] = field(default_factory=dict[int, Rational | None])
    _divided: dict[int, Mapping[int, int]] = field(default_factory=dict[int, Mapping[int, int]])
    _reaches: dict[int, float] = field(default_factory=dict[int, float])

    def are_of(self, ours: Set[int], theirs: Set[int], root: int) -> bool:
        """Whether the nodes that are only in `theirs` take no other detours than nodes of `ours` of the same value.

        `root` is the root of theirs: its value is used, as operands of other operators are.
        """
        self._look()
        used = {a for n in theirs if self._op(n) not in RING for a in self.dag.entries[n].args} | {root}
        new = [n for n in sorted(theirs - ours) if n in self.nodes and self._op(n) in RING]
        peers = {n: [p for p in ours if self._same(n, p)] for n in new}
        return all(
            self._cancels_no_more(n, peers[n])
            and self._divides_no_more(n, peers[n])
            and (n not in used or self._is_near(n, peers[n]))
            for n in new
        )

    def _same(self, number: int, other: int) -> bool:
        return self._op(other) in RING and self.forms.find(number) == self.forms.find(other)

    def _op(self, number: int) -> str:
        return self.dag.entries[number].symbol.op

    def _look(self) -> None:
        for number, node in self.nodes.items():
            args = [o.number for o in node.operands]
            self._reaches[number] = self._reach(node, [self._reaches[a] for a in args])
            made = [self.forms.rational(a) for a in args]
            self._cancelled[number] = _cancelling(node, made)
            self._divided[number] = _divided(node, made)

    def _reach(self, node: NormalNode, operands: Sequence[float]) -> float:
        value = literal_of(node.symbol)
        match node.symbol.op:
            case "arith.mulf" | "arith.divf":
                return sum(operands)
            case "math.fma":
                return max(operands[0] + operands[1], operands[2])
            case op if op in RING:
                return max(operands)
            case _:
                return _exponent(Fraction(value)) if isinstance(value, float) and math.isfinite(value) else 0.0

    def _is_near(self, number: int, peers: Sequence[int]) -> bool:
        """Whether literals take a node no further from 1 than its peers, or than what they make."""
        own = max(map(_exponent, self.forms.rational(number).values()), default=0.0)
        return self._reaches[number] <= max(own, 0.0, *[self._reaches.get(p, 0.0) for p in peers]) + _SLACK

    def _cancels_no_more(self, number: int, peers: Sequence[int]) -> bool:
        known: Rational = {}
        for peer in peers:
            for product, amount in (self._cancelled.get(peer) or {}).items():
                known[product] = max(amount, known.get(product, amount))
        cancelled = self._cancelled[number]
        return cancelled is not None and all(amount <= known.get(m, 0) for m, amount in cancelled.items())

    def _divides_no_more(self, number: int, peers: Sequence[int]) -> bool:
        known = [self._divided.get(peer, {}) for peer in peers]
        return all(any(n <= of.get(k, 0) for of in known) for k, n in self._divided[number].items())


def _exponent(value: Fraction) -> float:
    """How many powers of two a number is from 1."""
    return abs(math.log2(abs(value.numerator)) - math.log2(value.denominator)) if value else 0.0


def _cancelling(node: NormalNode, operands: Sequence[Rational]) -> Rational | None:
    """The products that cancel, in whole or in part, in what an operator makes; None where that is too long."""
    signs = [o.sign for o in node.operands]
    found = _made(node.symbol.op, list(zip(operands, signs, strict=True)))
    whole = _made(node.symbol.op, [({m: abs(c) for m, c in of.items()}, 1) for of in operands])
    if found is None or whole is None:
        return None
    return {m: c for m, c in whole.items() if abs(found.get(m, 0)) < c}


def _divided(node: NormalNode, operands: Sequence[Rational]) -> Mapping[int, int]:
    """The factors by which a product is multiplied and divided, or that stand for a quotient by their inverse, and how
    often."""
    found: Counter[int] = Counter()
    match node.symbol.op:
        case "arith.mulf":
            parts = [_powers(of) for of in operands]
        case "math.fma":
            parts = [_powers(of) for of in operands[:2]]
        case "arith.divf":
            inverse = _powers(operands[1])
            found = Counter({-1 - k: n for k, n in inverse.items() if k < 0})
            parts = [_powers(operands[0]), Counter({-1 - k: n for k, n in inverse.items()})]
        case _:
            return found
    whole = sum(parts, Counter[int]())
    for k in [k for k in whole if k >= 0 and -1 - k in whole]:
        within = sum(min(part[k], part[-1 - k]) for part in parts)
        found[k] += min(whole[k], whole[-1 - k]) - within
    return {k: n for k, n in found.items() if n}


def _powers(rational: Rational) -> Counter[int]:
    """How often each factor, or inverse, occurs in one product of a sum at most."""
    found: Counter[int] = Counter()
    for monomial in rational:
        found |= Counter(monomial)
    return found


def _made(op: str, operands: Sequence[tuple[Rational, int]]) -> Rational | None:
    """What an operator makes of sums with signs; nothing of those in which nothing cancels."""
    match op:
        case "arith.mulf":
            return rational_product([of for of, _ in operands])
        case "math.fma":
            product = rational_product([operands[0][0], operands[1][0]])
            return None if product is None else rational_sum([(product, 1), operands[2]])
        case op if op in SUMS:
            return rational_sum(operands)
        case _:
            return {}

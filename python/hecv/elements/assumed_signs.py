"""Signs of sums: what their form shows, and what is assumed in a case of a proof.

A sign is a set of the possible ones (negative, zero, positive), as bits. What the form shows holds at every point where
the sum has a value: squares and roots are not negative, exponentials are positive.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import Final, cast

from hecv.elements.real_sums import IDEMPOTENT, MOST_WORK, ZERO, Key, Sum, Sums

NEGATIVE: Final = 1
NIL: Final = 2
POSITIVE: Final = 4
ANY: Final = 7

FLIPPED: Final = (0, 4, 2, 6, 1, 5, 3, 7)
"""The signs of `-a`, indexed by those of `a`."""

Sign = int

LEAVES: Final = frozenset({"leaf", "bit", "prime", "pi", "arith.sitofp", "arith.uitofp"})
"""Atoms without operands."""

PARTIAL: Final = frozenset({"log", *(f"math.{op}" for op in ("tan", "asin", "acos", "acosh", "atanh"))})
"""Functions that are undefined somewhere."""


class Assumed(Sums):
    """The signs of sums; `replaced` maps leaves, by their key, to their value in the current case."""

    def __init__(self, longest: int, work: int = MOST_WORK) -> None:
        super().__init__(longest, work)
        self.replaced: dict[Key, Sum] = {}
        self._assumed: dict[Sum, Sign] = {}
        self._shown: dict[Sum, Sign] = {}

    @property
    def in_case(self) -> bool:
        """Whether anything is assumed."""
        return bool(self._assumed or self.replaced)

    @contextmanager
    def assuming(
        self, signs: Iterable[tuple[Sum, Sign]], replaced: Mapping[tuple[object, ...], Sum]
    ) -> Generator[None]:
        """A context in which sums have these signs, and leaves are replaced."""
        before = self._assumed, self.replaced
        self._assumed, self.replaced = {}, dict(replaced)
        for sum_, sign in signs:
            key, flip = self.direction(sum_)
            self._assumed[key] = self._assumed.get(key, ANY) & (FLIPPED[sign] if flip else sign)
        try:
            yield
        finally:
            self._assumed, self.replaced = before

    def atom(self, *key: object) -> Sum:
        """A leaf, or an uninterpreted function, as a sum."""
        found = self.replaced.get(key) if self.replaced else None
        return super().atom(*key) if found is None else found

    def direction(self, sum_: Sum) -> tuple[Sum, bool]:
        """The representative of all sums known to agree in sign, and whether its sign is the opposite of that of
        `sum_`.

        Example: `exp(a) - exp(b)` has the sign of `a - b`.
        Requires: it is not 0.
        """
        inner = self.reduced(sum_).inner
        parts = self.sums[inner]
        if len(parts) == 2 and sum(parts.values()) == 0:
            above, below = sorted(parts, key=lambda m: -parts[m])
            if not self.monomials[above].factors and not self.monomials[below].factors:
                return self.direction(self.subtract(self.monomials[above].exponent, self.monomials[below].exponent))
        factor, inner = self.signed(inner)
        return inner, factor < 0

    def sign(self, sum_: Sum) -> Sign:
        """The signs that a sum may have, under the assumptions."""
        value = self.constant(sum_)
        if value is not None:
            return POSITIVE if value > 0 else NEGATIVE if value < 0 else NIL
        shown = self.shown(sum_)
        key, flip = self.direction(sum_)
        known = self._assumed.get(key, ANY) & (self.shown(key) if key != sum_ else ANY)
        return shown & (FLIPPED[known] if flip else known) or shown

    def shown(self, sum_: Sum) -> Sign:
        """The signs that a sum may have by its form."""
        known = self._shown.get(sum_)
        if known is None:
            signs = [
                self._of_monomial(m) if c > 0 else FLIPPED[self._of_monomial(m)] for m, c in self.sums[sum_].items()
            ]
            known = self._shown[sum_] = self._of_all(signs)
        return known

    def _of_all(self, signs: list[Sign]) -> Sign:
        """The sign of a sum of numbers with these signs."""
        if not signs:
            return NIL
        for side in (POSITIVE, NEGATIVE):
            if all(s & FLIPPED[side] == 0 for s in signs):
                return side if side in signs else side | NIL
        return ANY

    def _of_monomial(self, monomial: int) -> Sign:
        sign = POSITIVE
        for atom, power in self.monomials[monomial].factors:
            sign = _product(sign, self._of_power(atom, power))
            if sign == ANY:
                break
        return sign

    def _of_power(self, atom: int, power: int) -> Sign:
        kind, *of = self.atoms[atom]
        if kind in ("prime", "pi"):
            return POSITIVE
        inner = self.shown(int(str(of[0]))) if kind == "sum" else self.of_logarithm(atom)
        if kind in IDEMPOTENT or kind == "part":
            inner = POSITIVE | NIL
        if power % 4 == 0 or power % 2:  # a square, or a root
            inner = POSITIVE if inner in (POSITIVE, NEGATIVE) else POSITIVE | NIL
        return inner & ~NIL or inner if power < 0 else inner

    def of_logarithm(self, atom: int) -> Sign:
        """The sign of a logarithm of a number; any sign for other atoms."""
        kind, *of = self.atoms[atom]
        value = self.constant(int(str(of[0]))) if kind == "log" else None
        return ANY if value is None or value <= 0 else POSITIVE if value > 1 else NIL if value == 1 else NEGATIVE

    # Sums with a value everywhere

    def is_total(self, sum_: Sum) -> bool:
        """Whether a sum has a value at every point: it has no logarithms, and its divisors and the operands of its
        roots have signs, by their form, that allow them."""
        return all(self._is_total_monomial(m) for m in self.sums[sum_])

    def _is_total_monomial(self, monomial: int) -> bool:
        whole = self.monomials[monomial]
        exponent = whole.exponent == ZERO or self.is_total(whole.exponent)
        return exponent and all(self._is_total_power(a, p) for a, p in whole.factors)

    def _is_total_power(self, atom: int, power: int) -> bool:
        if power < 0 and self.shown(self.power_of(atom, 2)) != POSITIVE:
            return False
        if power % 2 and self.shown(self.power_of(atom, 2)) & NEGATIVE:
            return self.atoms[atom][0] == "prime"
        known = self.atoms[atom][0] not in PARTIAL or self.of_logarithm(atom) != ANY
        return known and all(map(self.is_total, self.operands(atom)))

    def operands(self, atom: int) -> list[Sum]:
        """The sums that an atom is a function of."""
        kind, *of = self.atoms[atom]
        if kind in LEAVES:
            return []
        if kind == "maximum":
            return sorted(cast(frozenset[Sum], of[0]))
        return [int(str(of[0]))]


def _product(left: Sign, right: Sign) -> Sign:
    """The signs of a product."""
    found = NIL if (left | right) & NIL else 0
    if (left & POSITIVE and right & POSITIVE) or (left & NEGATIVE and right & NEGATIVE):
        found |= POSITIVE
    if (left & POSITIVE and right & NEGATIVE) or (left & NEGATIVE and right & POSITIVE):
        found |= NEGATIVE
    return found

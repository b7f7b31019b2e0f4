"""Case split on signs: an element that two programs compute by comparisons, proved equal in each case.

`max(x, 0)` and `x * (x > 0)` have different normal forms, but where `x > 0` both are `x`, and elsewhere both are 0.
What an expression compares is split into the cases "positive" and "not positive", and so on, and both terms are read
again under the case: only the arms of selects that are taken count, for the values and for where they have one.

The cases are exhaustive: only sums that have a value at every point are split. A case that contradicts itself
(`hecv.elements.fourier_motzkin`) is left out. Where the source has no value nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct, field

from hecv.base.term import Term
from hecv.elements.assumed_signs import ANY, FLIPPED, NEGATIVE, NIL, POSITIVE, Sign
from hecv.elements.definedness import live, undefined
from hecv.elements.expression_signs import Signs
from hecv.elements.fourier_motzkin import is_contradictory
from hecv.elements.infinities import MIXED, NotReal, NoValue
from hecv.elements.real_field import Field
from hecv.elements.real_sums import ONE, UNIT, ZERO, Key, Sum, TooLarge
from hecv.elements.real_terms import Need, Reals, inner_sums

MOST_SPLITS: Final = 12
"""The most assumptions of one case."""

MOST_CASES: Final = 128
"""The most cases of one element."""

MOST_READ: Final = 120_000
"""The most terms read in all cases of a proof."""


class Assumption(Struct, frozen=True):
    """A sum has one of some signs, or an input truth value is `bit`."""

    of: Sum
    sign: Sign
    bit: Key | None = None


class Decided(Struct, frozen=True):
    """Whether the target's term refines the source's in all cases, and whether the converse holds."""

    forward: bool
    back: bool

    def both(self, other: Decided) -> Decided:
        """What holds in both."""
        return Decided(self.forward and other.forward, self.back and other.back)


NEITHER: Final = Decided(False, False)


class Cases(Struct):
    """Compares terms case by case; the limit on terms read is shared by all."""

    algebra: Field
    left: int = MOST_READ
    infinite: bool = False
    rounded: dict[str, str] = field(default_factory=dict[str, str])
    _count: int = 0
    _valued: bool = False
    _inner: set[int] = field(default_factory=set[int])

    def decide(self, source: Term, target: Term) -> Decided:
        """Whether the target's term refines the source's. If neither has a value anywhere, nothing is proved."""
        self._count, self._valued = MOST_CASES, False
        self._inner = inner_sums((source, target))
        try:
            found = self._case(source, target, ())
        except TooLarge:
            return NEITHER
        return found if self._valued else NEITHER

    def _case(self, source: Term, target: Term, assumed: tuple[Assumption, ...]) -> Decided:
        self._count -= 1
        if self._count < 0 or len(assumed) > MOST_SPLITS:
            raise TooLarge
        facts = [(a.of, a.sign) for a in assumed if a.bit is None]
        if is_contradictory(self.algebra, facts):
            return Decided(True, True)
        replaced = self._replaced(assumed)
        with self.algebra.assuming(facts, replaced):
            found = _Read(Reals(self.algebra), facts, source, target, self._inner)
            decided, candidates = found.decide()
            self.left -= len(found.reals.values)
            if self.left < 0:
                raise TooLarge
            split = next(self._splits(candidates, assumed), None)
        self._valued |= found.valued
        self.infinite |= found.reals.infinite
        self.rounded |= found.reals.rounded
        if split is None or (decided.forward and decided.back):
            return decided
        parts = [self._case(source, target, (*assumed, a)) for a in split]
        whole = parts[0]
        for part in parts[1:]:
            whole = whole.both(part)
        return whole if whole.forward or not decided.forward else decided

    def _replaced(self, assumed: Sequence[Assumption]) -> dict[Key, Sum]:
        """What leaves are in a case: truth values that are assumed, and leaves of sums that are 0."""
        found: dict[Key, Sum] = {a.bit: ONE if a.sign == POSITIVE else ZERO for a in assumed if a.bit is not None}
        signs: dict[Sum, Sign] = {}
        for a in assumed:
            if a.bit is None:
                key, flip = self.algebra.direction(a.of)
                signs[key] = signs.get(key, ANY) & (FLIPPED[a.sign] if flip else a.sign)
        for of, sign in signs.items():
            solved = self._solved(of, found) if sign == NIL else None
            if solved is not None:
                found[solved[0]] = solved[1]
        return found

    def _solved(self, of: Sum, known: Mapping[Key, Sum]) -> tuple[Key, Sum] | None:
        """A leaf that is of the first degree in a sum that is 0, and what it then is."""
        f = self.algebra
        for monomial, coefficient in f.sums[of].items():
            factors = f.monomials[monomial].factors
            if len(factors) != 1 or factors[0][1] != 2 or f.monomials[monomial].exponent != ZERO:
                continue
            atom = factors[0][0]
            rest = f.add(((of, 1), (f.power_of(atom, 2), -coefficient)))
            alone = f.atoms[atom][0] == "leaf" and atom not in set(self._atoms(rest))
            if alone and f.atoms[atom] not in known:
                return f.atoms[atom], f.scale(rest, -1 / coefficient)
        return None

    # What to split

    def _splits(self, candidates: Sequence[Sum], assumed: Sequence[Assumption]) -> Iterator[tuple[Assumption, ...]]:
        """Ways to split the case, by atoms in sums that matter, the innermost first."""
        for sum_ in candidates:
            for atom in self._atoms(sum_):
                split = self._split(atom)
                if split is not None and not any(a in assumed for a in split):
                    yield split

    def _split(self, atom: int) -> tuple[Assumption, ...] | None:
        f = self.algebra
        key = f.atoms[atom]
        if key[0] == "bit":
            return Assumption(ZERO, POSITIVE, key), Assumption(ZERO, NIL, key)
        if key[0] == "maximum":
            first, second, *_ = f.operands(atom)
            of, rest = f.subtract(first, second), NIL
        elif key[0] in ("part", "positive", "zero"):
            of, rest = f.operands(atom)[0], NIL
        else:
            return None
        if not f.is_total(of) or any(self._is_split(a) for a in self._atoms(of)):
            return None
        if key[0] == "zero":
            return Assumption(of, POSITIVE), Assumption(of, NEGATIVE), Assumption(of, NIL)
        return Assumption(of, POSITIVE), Assumption(of, NEGATIVE | rest)

    def _is_split(self, atom: int) -> bool:
        return self.algebra.atoms[atom][0] in ("part", "positive", "zero", "maximum")

    def _atoms(self, sum_: Sum) -> Iterator[int]:
        """The atoms that a sum is made of, those within others first."""
        f, seen = self.algebra, set[int]()
        sums = set[Sum]()

        def within(of: Sum) -> Iterator[int]:
            if of < 0 or of in sums:
                return
            sums.add(of)
            for monomial in f.sums[of]:
                if monomial == UNIT:
                    continue
                whole = f.monomials[monomial]
                if whole.exponent != ZERO:
                    yield from within(whole.exponent)
                for atom, _ in whole.factors:
                    if atom not in seen:
                        seen.add(atom)
                        for inner in f.operands(atom):
                            yield from within(inner)
                        yield atom

        return within(sum_)


class _Read:
    """Both terms, read in one case."""

    def __init__(
        self, reals: Reals, facts: Sequence[tuple[Sum, Sign]], source: Term, target: Term, inner: set[int]
    ) -> None:
        self.reals = reals
        self._facts = facts
        self._terms = source, target
        self._inner = inner
        self.valued = False

    def decide(self) -> tuple[Decided, list[Sum]]:
        """What is known in this case, and the sums that a split would help to decide."""
        sides = [self._read(t) for t in self._terms]
        conditions = self._conditions()
        if "nothing" in sides:  # where a side has no value, nothing is claimed of the other
            return Decided(sides[0] == "nothing", sides[1] == "nothing"), conditions
        if "open" in sides:
            return NEITHER, conditions
        left, right = (self.reals.value(t) for t in self._terms)
        if MIXED in (left, right):
            return NEITHER, conditions
        if left != right:
            if min(left, right) < 0:
                return NEITHER, conditions
            if not self._equal(left, right):
                return NEITHER, [self.reals.algebra.subtract(left, right), *conditions]
        self.valued = True
        source, target = self._terms
        return Decided(self._is_defined(source, target), self._is_defined(target, source)), conditions

    def _read(self, term: Term) -> str:
        """Whether a side could be read: there is `nothing` where it has no value, whatever is selected."""
        try:
            self.reals.read_one(term, self._inner)
        except NoValue:
            selections = (t for t in live(self.reals, (term,)) if t.op == "arith.select")
            decided = all(self.reals.values.get(t.args[0].id) in (ZERO, ONE) for t in selections)
            return "nothing" if decided else "open"
        except NotReal:
            return "open"
        return "read"

    def _equal(self, left: Sum, right: Sum) -> bool:
        """The expressions are equal, or differ by a multiple of what is 0 in this case."""
        f = self.reals.algebra
        if f.equal(left, right):
            return True
        rest = f.subtract(left, right)
        return any(sign == NIL and self._divides(s, rest) for s, sign in self._facts)

    def _divides(self, of: Sum, rest: Sum) -> bool:
        """`rest` is a multiple of `of`: of `x * (y - z)` only what has the factor `x` too, as that may be what is 0."""
        f = self.reals.algebra
        one, whole = f.content(of), f.content(rest)
        if f.signed(one.primitive)[1] != f.signed(whole.primitive)[1]:
            return False
        powers = dict(f.monomials[whole.monomial].factors)
        return all(powers.get(atom, 0) >= power for atom, power in f.monomials[one.monomial].factors if power > 0)

    def _is_defined(self, given: Term, asked: Term) -> bool:
        """Both sides have a value, what they do not select too, wherever one side has."""
        signs = Signs(self.reals)
        for sum_, sign in self._facts:
            for need in _needs(self.reals.algebra, sum_, sign):
                signs.give(need)
        return not undefined(signs, (given,), (asked,))

    def _conditions(self) -> list[Sum]:
        """What is not decided of selections."""
        values = self.reals.values
        selections = [t for t in live(self.reals, self._terms) if t.op == "arith.select"]
        found = [values.get(t.args[0].id, ZERO) for t in selections]
        return list(dict.fromkeys(s for s in found if s > ONE))


def _needs(algebra: Field, of: Sum, sign: Sign) -> list[Need]:
    """What it says of a sum that it has one of some signs."""
    if sign == POSITIVE | NEGATIVE:
        return [Need("nonzero", of)]
    if not sign & NEGATIVE and sign & POSITIVE:
        return [Need("nonnegative" if sign & NIL else "positive", of)]
    if not sign & POSITIVE and sign & NEGATIVE:
        return [Need("nonnegative" if sign & NIL else "positive", algebra.scale(of, -1))]
    return []

"""Normal forms of float sums and products under reassociation, and over the reals.

Under `reassoc` a sum is a bag of operands with signs, a product a bag of factors with one sign. IEEE zeros, infinities
and NaN are kept: a sum is -0 only if all of its operands are, in any order and grouping, so -0 is the neutral element;
+0 beside +0 is one +0; the sign of a product is that of its factors. Literals are computed only if the result is exact
in every order, so all this holds of exact sums and products, and no two literals ever meet.

Over the reals (`--fp real`, ops with all fast-math flags) the values are those of a field, and zero has no sign: sums
of products with rational coefficients; casts between formats change nothing and `fma` is not rounded in between. The
inverse of an operand is one more factor; the inverse of 0 is taken to be 0, as all here is total. An operand and its
inverse cancel only if the operand is known not to be 0 (`admit`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Set
from fractions import Fraction
from typing import Final, Literal

from msgspec import Struct

from hecv.base.ring_polynomials import Rational, rational_product, rational_sum
from hecv.base.types import FloatType
from hecv.egraph.normal_forms.bitvector_forms import VIEW, Form, NormalForms, View
from hecv.egraph.normal_forms.exact_sums import as_float, exact_product, exact_sum
from hecv.egraph.normal_forms.operator_chains import NormalNode, Operand, family_of
from hecv.egraph.total_terms import Symbol, ValueType, literal_of, literal_symbol
from hecv.ops import facts_about

Level = Literal["reassoc", "real"]

SUMS: Final = frozenset({"arith.addf", "arith.subf"})
CASTS: Final = frozenset({"arith.extf", "arith.truncf", "arith.convertf"})
RING: Final = SUMS | CASTS | {"arith.mulf", "arith.divf", "arith.negf", "math.fma"}
"""Operators that are interpreted over the reals."""


def float_family(op: str, level: Level, ops: Set[str]) -> str | None:
    """The family of an operator of integers, or of floats among `ops`, that is a link of chains at a level."""
    facts = facts_about(op)
    family = facts.family(op)
    if family is None or not facts_about(family).regroups:
        return family_of(op)
    # Not `subf`: -(a + b) is -0 where (-a) + (-b) is +0, as for a = 1, b = -1.
    return family if op in ops and (level == "real" or not facts.subtracts) else None


MOST_OPERANDS: Final = 4 * VIEW
"""The most operands of a sum or product that its users see; a larger one is one operand."""

MOST_BITS: Final = 4_096
"""The most bits of the coefficients of a sum that its users see: repeated `x * x` doubles them, and the factors."""

Atom = Hashable
"""An operand of a bag: the number of a class, or the key of a product whose sign went elsewhere."""


class _Bag(Struct, frozen=True):
    """A chain as its users see it: operands with signs, literals, and for a product its own sign."""

    family: Literal["sum", "product", "negation"]
    items: tuple[tuple[Atom, int, int], ...]
    literals: tuple[float, ...] = ()
    sign: int = 1


class Regrouping(NormalForms):
    """Classes of nodes by normal form, with float sums and products of operators in `ops`.

    Under `reassoc`, `folded` has the nodes in which literals were folded; none unless it `folds`.
    """

    def __init__(
        self, size: int, index_width: int, level: Level, ops: frozenset[str] = RING, folds: bool = True
    ) -> None:
        super().__init__(size, index_width)
        self.level: Final[Level] = level
        self.folded: Final = set[int]()
        self.ops: Final = ops
        self._folds = folds
        self._home = 0
        self._bags: dict[int, _Bag] = {}
        self._rationals: dict[int, Rational] = {}
        self._kinds: dict[int, ValueType] = {}
        self._nonzero: set[int] = set()
        self._denominators: dict[Hashable, int] = {}
        self._size = size
        self._bag: _Bag | None = None
        self._rational: Rational | None = None

    def enter(self, home: int, node: NormalNode) -> None:
        """As `NormalForms.enter`."""
        self._bag, self._rational, self._home = None, None, home
        self._kinds.setdefault(home, node.symbol.type)
        super().enter(home, node)
        number = self.find(home)
        if self._bag is not None:
            self._bags.setdefault(number, self._bag)
        if self._rational is not None:
            self._rationals.setdefault(number, self._rational)

    def admit(self, number: int) -> None:
        """Records that a class is not 0."""
        rational = self.rational(number)
        if len(rational) == 1:
            ((monomial, _),) = rational.items()
            self._nonzero.update(k if k >= 0 else -1 - k for k in monomial)
        elif rational:
            self._nonzero.add(self._denominator(_primitive(rational)[0]))

    def is_nonzero(self, number: int) -> bool:
        """Whether a class is known not to be 0."""
        rational = self.rational(number)
        if len(rational) == 1:
            ((monomial, _),) = rational.items()
            return all((k if k >= 0 else -1 - k) in self._nonzero for k in monomial)
        return bool(rational) and self._denominator(_primitive(rational)[0]) in self._nonzero

    def rational(self, number: int) -> Rational:
        """A class as a sum of products of other classes and of inverses, over the reals."""
        return self._as_rational(self.find(number))

    def is_finite_literal(self, number: int) -> bool:
        """Whether a class is a literal that is neither infinite nor NaN."""
        return self._literal_value(self.find(number)) is not None

    def _form(self, symbol: Symbol, operands: list[Operand]) -> Form:
        form = None
        if isinstance(symbol.type, FloatType) and not symbol.unknown:
            form = self._real(symbol, operands) if self.level == "real" else self._regrouped(symbol, operands)
        return form or super()._form(symbol, operands)

    # Regrouping

    def _regrouped(self, symbol: Symbol, operands: list[Operand]) -> Form | None:
        match symbol.op:
            case "arith.addf" | "arith.subf" if symbol.op in self.ops:
                return self._sum(symbol.type, operands)
            case "arith.mulf" if symbol.op in self.ops:
                return self._product(symbol.type, operands)
            case "arith.negf":
                return self._negation(symbol.type, operands[0].number)
            case _:
                return None

    def _signed(self, number: int) -> tuple[Atom, int]:
        """An operand without its sign, and the sign."""
        bag = self._bags.get(number)
        if bag is None or bag.family == "sum":
            return number, 1
        if bag.family == "negation":
            return bag.items[0][0], -1
        return ("product", self._kinds[number], bag.items, bag.literals), bag.sign

    def _literal_value(self, number: int) -> float | None:
        symbol = self._literals.get(number)
        value = None if symbol is None else literal_of(symbol)
        return value if isinstance(value, float) and math.isfinite(value) else None

    def _sum(self, type_: ValueType, operands: Iterable[Operand]) -> Form:
        items: Counter[tuple[Atom, int]] = Counter()
        literals: list[float] = []
        for operand in operands:
            value = self._literal_value(operand.number)
            bag = self._bags.get(operand.number)
            if value is not None:
                literals.append(value * operand.sign)
            elif bag is not None and bag.family == "sum" and operand.sign > 0:
                items.update({(atom, sign): count for atom, sign, count in bag.items})
                literals += bag.literals
            else:
                atom, sign = self._signed(operand.number)
                items[atom, sign * operand.sign] += 1
        folded = _folded_sum(literals, str(type_), self._folds)
        self._note_folded(literals, folded, bool(items))
        neutral = bool(items) and folded == (0.0,) and math.copysign(1.0, folded[0]) < 0
        return self._sum_form(type_, _sorted(items), () if neutral else folded)

    def _sum_form(
        self, type_: ValueType, items: tuple[tuple[Atom, int, int], ...], literals: tuple[float, ...]
    ) -> Form:
        rule = "float-sum-normal-form"
        if not items and len(literals) == 1:
            return self._number(literals[0], type_, rule)
        if len(items) == 1 and not literals and items[0][2] == 1:
            atom, sign, _ = items[0]
            return self._alone(type_, atom, sign, rule)
        bag = _Bag("sum", items, literals)
        if len(items) + len(literals) <= MOST_OPERANDS:
            self._bag = bag
        return Form(("float-sum", type_, items, _texts(literals)), rule)

    def _alone(self, type_: ValueType, atom: Atom, sign: int, rule: str) -> Form:
        """The form of an atom with a sign."""
        if isinstance(atom, int):
            return Form(("class", atom), rule) if sign > 0 else self._negated(type_, atom)
        assert isinstance(atom, tuple)
        return self._product_form(type_, atom[2], atom[3], sign)

    def _negated(self, type_: ValueType, atom: int) -> Form:
        self._bag = _Bag("negation", ((atom, 1, 1),))
        return Form(("float-negation", type_, atom), "float-sum-normal-form")

    def _negation(self, type_: ValueType, number: int) -> Form:
        value = self._literal_value(number)
        if value is not None:
            return self._number(-value, type_, "constant-folding")
        atom, sign = self._signed(number)
        return self._alone(type_, atom, -sign, "float-sum-normal-form")

    def _product(self, type_: ValueType, operands: Iterable[Operand]) -> Form:
        items: Counter[tuple[Atom, int]] = Counter()
        literals: list[float] = []
        sign = 1
        for operand in operands:
            value = self._literal_value(operand.number)
            bag = self._bags.get(operand.number)
            if value is not None:
                literals.append(value)
            elif bag is not None and bag.family == "product":
                items.update({(atom, one): count for atom, one, count in bag.items})
                literals += bag.literals
                sign *= bag.sign
            else:
                atom, own = self._signed(operand.number)
                items[atom, 1] += 1
                sign *= own
        sign *= -1 if sum(math.copysign(1.0, v) < 0 for v in literals) % 2 else 1
        folded = _folded_product([abs(v) for v in literals], str(type_), self._folds)
        self._note_folded([v for v in literals if abs(v) != 1], folded, bool(items))
        return self._product_form(type_, _sorted(items), folded, sign)

    def _note_folded(self, literals: list[float], folded: tuple[float, ...], among_others: bool) -> None:
        """Notes that literals became fewer; of literals alone the value is the same, and zeros change none."""
        if among_others and sum(map(bool, literals)) > sum(map(bool, folded)):
            self.folded.add(self._home)

    def _product_form(
        self, type_: ValueType, items: tuple[tuple[Atom, int, int], ...], literals: tuple[float, ...], sign: int
    ) -> Form:
        rule = "float-product-normal-form"
        if not items and len(literals) <= 1:
            return self._number(sign * (literals[0] if literals else 1.0), type_, rule)
        if len(items) == 1 and not literals and items[0][2] == 1 and isinstance(items[0][0], int):
            atom = items[0][0]
            return Form(("class", atom), rule) if sign > 0 else self._negated(type_, atom)
        if len(items) + len(literals) <= MOST_OPERANDS:
            self._bag = _Bag("product", items, literals, sign)
        return Form(("float-product", type_, items, _texts(literals), sign), rule)

    def _number(self, value: float, type_: ValueType, rule: str) -> Form:
        return Form(("literal", literal_symbol(value, type_)), rule)

    # Over the reals

    def _real(self, symbol: Symbol, operands: list[Operand]) -> Form | None:
        value = literal_of(symbol)
        if value is not None:
            return self._number(value + 0.0, symbol.type, "constant-folding") if math.isfinite(value) else None
        if symbol.op not in RING & self.ops or any(not isinstance(t, FloatType) for t in symbol.operands):
            return None
        parts = [(self._as_rational(o.number), o.sign) for o in operands]
        match symbol.op:
            case "arith.addf" | "arith.subf":
                found = rational_sum(parts)
            case "arith.negf":
                found = rational_sum([(parts[0][0], -1)])
            case "arith.mulf":
                found = rational_product([p for p, _ in parts])
            case "math.fma":
                product = rational_product([parts[0][0], parts[1][0]])
                found = None if product is None else rational_sum([(product, 1), parts[2]])
            case "arith.divf":
                inverse = self._inverse(parts[1][0])
                found = None if inverse is None else rational_product([parts[0][0], inverse])
            case _:
                found = parts[0][0]
        return None if found is None else self._rational_form(self._cancelled(found), symbol.type)

    def _as_rational(self, number: int) -> Rational:
        value = self._literal_value(number)
        if value is not None:
            return {(): Fraction(value)} if value else {}
        return self._rationals.get(number, {(number,): Fraction(1)})

    def _inverse(self, rational: Rational) -> Rational | None:
        """The inverse; None of 0."""
        if not rational:
            return None
        if len(rational) == 1:
            ((monomial, coefficient),) = rational.items()
            return {tuple(sorted(-1 - k for k in monomial)): 1 / coefficient}
        primitive, factor = _primitive(rational)
        return {(-1 - self._denominator(primitive),): 1 / factor}

    def _denominator(self, primitive: Hashable) -> int:
        """The number that stands for a sum that is divided by."""
        return self._denominators.setdefault(primitive, self._size + len(self._denominators))

    def _cancelled(self, rational: Rational) -> Rational:
        """Without factors beside their inverses, as far as they are known not to be 0."""
        if not self._nonzero or all(k >= 0 for monomial in rational for k in monomial):
            return rational
        return rational_sum([({self._without(monomial): c}, 1) for monomial, c in rational.items()])

    def _without(self, monomial: tuple[int, ...]) -> tuple[int, ...]:
        counts = Counter(monomial)
        for k in [k for k in counts if k >= 0 and k in self._nonzero]:
            common = min(counts[k], counts[-1 - k])
            counts[k] -= common
            counts[-1 - k] -= common
        return tuple(sorted(counts.elements()))

    def _rational_form(self, rational: Rational, type_: ValueType) -> Form:
        rule = "real-field-normal-form"
        if not rational or set(rational) == {()}:
            value = as_float(rational.get((), Fraction(0)), str(type_))
            if value is not None:
                return self._number(value, type_, rule)
        if len(rational) == 1:
            ((monomial, coefficient),) = rational.items()
            if coefficient == 1 and len(monomial) == 1 and self._kinds.get(monomial[0]) == type_:
                return Form(("class", monomial[0]), rule)
        if _is_modest(rational):
            self._rational = rational
        return Form(("real", type_, frozenset(rational.items())), rule, View())


def _is_modest(rational: Rational) -> bool:
    """Whether users may compute with a sum: it has few products, of few factors, and short coefficients."""
    if len(rational) > MOST_OPERANDS or sum(map(len, rational)) > 2 * MOST_OPERANDS:
        return False
    return sum((c.numerator * c.denominator).bit_length() for c in rational.values()) <= MOST_BITS


def _primitive(rational: Rational) -> tuple[Hashable, Fraction]:
    """A sum divided by its first coefficient, as a key, and that coefficient."""
    first = rational[min(rational)]
    return frozenset((monomial, c / first) for monomial, c in rational.items()), first


def _sorted(items: Counter[tuple[Atom, int]]) -> tuple[tuple[Atom, int, int], ...]:
    """The operands in an order that does not depend on how they were met."""
    return tuple(sorted(((atom, sign, count) for (atom, sign), count in items.items()), key=_order))


def _order(item: tuple[Atom, int, int]) -> tuple[bool, int, str, int]:
    atom = item[0]
    return (True, atom, "", item[1]) if isinstance(atom, int) else (False, 0, repr(atom), item[1])


def _folded_sum(literals: list[float], format_: str, folds: bool) -> tuple[float, ...]:
    """The literals of a sum, computed where it `folds` and that is exact, without zeros that change nothing."""
    rest = [v for v in literals if v]
    positive = any(not v and math.copysign(1.0, v) > 0 for v in literals)
    total = exact_sum(rest, format_) if folds and len(rest) > 1 else None
    if total is not None:
        rest, positive = ([total], positive) if total else ([], True)
    if rest:
        return tuple(sorted(rest))
    # Of zeros alone, -0 is the sum of nothing.
    return (0.0,) if positive else (-0.0,) if literals else ()


def _folded_product(literals: list[float], format_: str, folds: bool) -> tuple[float, ...]:
    """The factors that are literals, none negative, computed where it `folds` and that is exact."""
    rest = [v for v in literals if v != 1]
    total = exact_product(rest, format_) if folds and len(rest) > 1 else None
    return tuple(sorted(rest)) if total is None else (total,) if total != 1 else ()


def _texts(literals: tuple[float, ...]) -> tuple[str, ...]:
    """Literals as keys: zeros of both signs are two."""
    return tuple(v.hex() for v in literals)

"""Normal forms of integer sums, products, bitwise operators and extrema, computed beside the e-graph.

Nodes are entered operands first. Two nodes with one normal form are in one class. This decides congruence, ring
identities modulo `2**width`, identities of bitwise operators, and the order and repetition of operands of minimum and
maximum, which would blow up the e-graph. Only the modulus depends on the width, so it holds at all widths.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from itertools import combinations
from typing import Any, Final, NamedTuple, cast

from hecv.base.ring_polynomials import (
    Boolean,
    Ring,
    boolean_product,
    boolean_sum,
    boolean_union,
    ring_product,
    ring_sum,
)
from hecv.base.types import IntType
from hecv.egraph.normal_forms.operator_chains import NormalNode, Operand, family_of
from hecv.egraph.session import Contradiction
from hecv.egraph.total_terms import EXACT, Symbol, ValueType, literal_of, literal_symbol, width_of
from hecv.ops import OPERATORS, facts_about
from hecv.ops.facts.poison_conditions import CHOOSING

VIEW: Final = 64
"""The most monomials or operands of a class that its users see; a larger class is an atom."""


Members = tuple[tuple[int, int], ...]
"""The operands of a chain in order, each with how often it occurs."""


class View(NamedTuple):
    """The other forms of a class: as a polynomial, bits, and so on."""

    ring: Ring | None = None
    boolean: Boolean | None = None
    members: tuple[Symbol, Members] | None = None


UNSEEN: Final = View()


class Form(NamedTuple):
    """A normal form: a key that determines the value, and the name of the reasoning; `also` is another key of the same
    value."""

    key: Hashable
    rule: str
    view: View = UNSEEN
    also: Hashable | None = None


BITWISE: Final = frozenset({"arith.andi", "arith.ori", "arith.xori"})
OF_BITS: Final = BITWISE | {"arith.addi", "arith.subi", "arith.muli"}
"""Operators of the boolean ring, and those of one bit."""
COMPARISONS: Final = {
    **{"eq": ("eq", False, False), "ne": ("eq", False, True)},
    **{"slt": ("slt", False, False), "sgt": ("slt", True, False)},
    **{"sle": ("slt", True, True), "sge": ("slt", False, True)},
    **{"ult": ("ult", False, False), "ugt": ("ult", True, False)},
    **{"ule": ("ult", True, True), "uge": ("ult", False, True)},
}
"""Integer predicates, each in terms of a basic one: which, whether operands are exchanged, and whether it is negated.
"""

CAST_DEPTH: Final = 4
"""The depth to which operands of a cast are expanded."""

SUMMANDS: Final = 5
"""The most conjunctions whose exclusive or is also read as a sum."""

CONGRUENCE: Final = "congruence"


class NormalForms:
    """Classes of nodes by normal form. Classes are numbers chosen by the caller, each below `size`.

    `bare`: only congruence and commutativity, no other normal forms.
    """

    def __init__(self, size: int, index_width: int, bare: bool = False) -> None:
        self.index_width: Final = index_width
        self._bare: Final = bare
        self.uses: dict[str, int] = {}
        self.merged: list[tuple[int, int]] = []
        self._parents: list[int] = list(range(size))
        self._views: dict[int, View] = {}
        self._homes: dict[Hashable, int] = {}
        self._literals: dict[int, Symbol] = {}
        self._spread: set[int] = set()
        """Classes of which all bits are equal: the sign extension of a bit."""

    def find(self, number: int) -> int:
        """The representative of the class of `number`."""
        parents = self._parents
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number

    def literal(self, number: int) -> Symbol | None:
        """The literal that a class is known to equal; None if there is none."""
        return self._literals.get(self.find(number))

    def enter(self, home: int, node: NormalNode) -> None:
        """Adds `node` to class `home`; classes whose nodes have one normal form are merged.

        Raises: Contradiction if two literals would be equal.
        """
        symbol, find, homes = node.symbol, self.find, self._homes
        operands = [Operand(find(number), sign) for number, sign in node.operands]
        form = self._form(symbol, operands)
        home = find(home)
        tag, subject = cast(tuple[Any, Any], form.key[:2] if isinstance(form.key, tuple) else (None, None))
        keys = [form.key] if form.also is None else [form.key, form.also]
        if tag == "literal":
            self._literals.setdefault(home, subject)
        elif tag == "class":
            home = self._joined(find(subject), home, form.rule)
            del keys[0]
        for key in keys:
            if key in homes:
                home = self._joined(find(homes[key]), home, form.rule)
        if len(operands) == len(symbol.operands) > 0 and not (tag == "apply" and subject is symbol):
            # What is known of a class grows: a node that was entered before may have another form by now.
            plain = self._apply(symbol, operands)
            keys.append(plain.key)
            if plain.key in homes:
                home = self._joined(find(homes[plain.key]), home, plain.rule)
        for key in keys:
            homes.setdefault(key, home)
            self._note(home, key)
        if self._views.get(home, UNSEEN) == UNSEEN:
            self._views[home] = form.view

    def _note(self, number: int, key: Hashable) -> None:
        """Notes what is known of a class of this form."""
        if isinstance(key, tuple) and key[0] == "apply":
            symbol = cast(Symbol, key[1])
            if symbol.op == "arith.extsi" and self._width(symbol.operands[0]) == 1:
                self._spread.add(number)

    def _joined(self, known: int, home: int, rule: str) -> int:
        if known != home:
            self._merge(known, home)
            self.uses[rule] = self.uses.get(rule, 0) + 1
        return known

    def equate(self, known: int, home: int) -> None:
        """Merges two classes, for a reason of the caller's; the one with a view lends it to the other.

        Raises: Contradiction if two literals would be equal.
        """
        known, home = self.find(known), self.find(home)
        if known == home:
            return
        if self._views.get(known, UNSEEN) == UNSEEN and home in self._views:
            self._views[known] = self._views[home]
        self._merge(known, home)

    def _merge(self, known: int, home: int) -> None:
        literals = {self._literals[c] for c in (known, home) if c in self._literals}
        if len(literals) > 1:
            raise Contradiction(f"two literals in one class: {literals}")
        self._parents[home] = known
        self.merged.append((known, home))
        self._literals.update((known, literal) for literal in literals)
        if known not in self._views and home in self._views:
            self._views[known] = self._views[home]

    def _form(self, symbol: Symbol, operands: list[Operand]) -> Form:
        width = self._width(symbol.type)
        if symbol.unknown:
            return self._apply(symbol, operands)
        value = literal_of(symbol)
        if value is not None:
            return self._literal(value, symbol.type)
        if self._bare:
            return self._apply(symbol, operands)
        form = self._ring(symbol, operands, width) if width != 1 else None
        if form is None and width:
            form = self._boolean(symbol, operands, width) or self._chain(symbol, operands, width)
        if form is None and symbol.op in ("arith.trunci", "arith.extui", "arith.extsi"):
            form = self._cast(symbol, operands[0].number, CAST_DEPTH)
        if form is None and symbol.op == "arith.cmpi":
            form = self._comparison(symbol, operands)
        return form or self._apply(symbol, operands)

    def _width(self, type_: ValueType) -> int:
        return width_of(type_, self.index_width)

    def _apply(self, symbol: Symbol, operands: list[Operand]) -> Form:
        numbers = [o.number for o in operands]
        if _commutes(symbol) and numbers[:2] != sorted(numbers[:2]):
            numbers[:2] = sorted(numbers[:2])
            return Form(("apply", symbol, *numbers), f"{symbol.op.split('.')[-1]}-commutes")
        return Form(("apply", symbol, *numbers), CONGRUENCE)

    def _literal(self, value: int | float, type_: ValueType) -> Form:
        view = View()
        width = self._width(type_)
        if isinstance(value, int) and (width or type_ == EXACT):
            ones = (1 << width) - 1
            residue = value & ones if width else value
            boolean: Boolean = {frozenset(): residue} if width and residue else {}
            view = View({(): residue} if residue else {}, boolean if width else None)
        return Form(("literal", literal_symbol(value, type_)), "constant-folding", view)

    # Sums and products

    def _ring(self, symbol: Symbol, operands: list[Operand], width: int) -> Form | None:
        modulus = (1 << width) if width else 0
        numbers = [o.number for o in operands]
        attrs = dict(symbol.attrs)
        match symbol.op:
            case "arith.addi" | "arith.subi":
                found = ring_sum(((self._as_ring(o.number), o.sign) for o in operands), modulus)
            case "arith.muli" | "affine.mul":
                found = ring_product([self._as_ring(n) for n in numbers], modulus)
            case "affine.linear":
                factors, constant = attrs["coefficients"], attrs["constant"]
                assert isinstance(factors, tuple) and isinstance(constant, int)
                parts = [(self._as_ring(n), factor) for n, factor in zip(numbers, factors, strict=True)]
                found = ring_sum([*parts, ({(): 1}, constant)], modulus)
            case "arith.shli":
                found = self._shifted(numbers, width, modulus)
            case _:
                return None
        return self._ring_form(found, symbol.type, width) if found is not None else None

    def _shifted(self, numbers: list[int], width: int, modulus: int) -> Ring | None:
        """The first class shifted left by the second, a literal."""
        amount = self._as_ring(numbers[1])
        if any(monomial for monomial in amount):
            return None
        bits = amount.get((), 0)
        return ring_sum([(self._as_ring(numbers[0]), 1 << bits)], modulus) if bits < width else {}

    def _as_ring(self, number: int) -> Ring:
        view = self._views.get(number)
        return {(number,): 1} if view is None or view.ring is None else view.ring

    def _ring_form(self, ring: Ring, type_: ValueType, width: int) -> Form:
        rule = "integer-ring-normal-form"
        ones = (1 << width) - 1
        if not ring or (len(ring) == 1 and () in ring):
            return self._constant(ring.get((), 0), type_, rule)
        if len(ring) == 1:
            ((monomial, coefficient),) = ring.items()
            if coefficient == 1 and len(monomial) == 1:
                return Form(("class", monomial[0]), rule)
        boolean: Boolean | None = None
        atoms = [m[0] for m, c in ring.items() if len(m) == 1 and c == ones]
        if width and len(ring) == 2 and len(atoms) == 1 and ring.get(()) == ones:
            boolean = boolean_sum((self._as_boolean(atoms[0], ones), {frozenset(): ones}))
        view = View(ring if _fits(ring) else None, boolean)
        return Form(("ring", type_, frozenset(ring.items())), rule, view)

    def _constant(self, residue: int, type_: ValueType, rule: str) -> Form:
        """The form of a literal, given modulo `2**width`."""
        width = self._width(type_)
        signed = str(type_) == "index" and residue >> (width - 1)
        form = self._literal(residue - (1 << width) if signed else residue, type_)
        return Form(form.key, rule, form.view)

    # Bitwise operators

    def _boolean(self, symbol: Symbol, operands: list[Operand], width: int) -> Form | None:
        if symbol.op not in (BITWISE if width > 1 else OF_BITS):
            return None
        ones = (1 << width) - 1
        factors = [self._as_boolean(o.number, ones) for o in operands]
        match symbol.op:
            case "arith.xori":
                found = boolean_sum(factors)
            case "arith.addi" | "arith.subi":
                found = boolean_sum(factors)
            case "arith.andi" | "arith.muli":
                found = boolean_product(factors, ones)
            case _:
                found = boolean_union(factors, ones)
        if found is None:
            return self._members(symbol, operands, width) if symbol.op in ("arith.andi", "arith.ori") else None
        return self._boolean_form(found, symbol.type, width)

    def _as_boolean(self, number: int, ones: int) -> Boolean:
        view = self._views.get(number)
        return {frozenset((number,)): ones} if view is None or view.boolean is None else view.boolean

    def _boolean_form(self, boolean: Boolean, type_: ValueType, width: int) -> Form:
        rule = "boolean-ring-normal-form"
        ones = (1 << width) - 1
        empty: frozenset[int] = frozenset()
        if not boolean or (len(boolean) == 1 and empty in boolean):
            return self._constant(boolean.get(empty, 0), type_, rule)
        atoms = [next(iter(m)) for m, c in boolean.items() if len(m) == 1 and c == ones]
        if len(boolean) == 1 and len(atoms) == 1:
            return Form(("class", atoms[0]), rule)
        if len(boolean) == 2 and len(atoms) == 1 and boolean.get(empty) == ones and width > 1:
            # A complement is a sum as well: ~x = -1 - x.
            ring = ring_sum([(self._as_ring(atoms[0]), -1), ({(): 1}, -1)], 1 << width)
            form = self._ring_form(ring, type_, width)
            return Form(form.key, rule, View(form.view.ring, boolean))
        ring = self._as_sum(boolean, type_, width)
        also = None if ring is None else ("ring", type_, frozenset(ring.items()))
        view = View(ring, boolean if _fits(boolean) else None)
        return Form(("boolean", type_, frozenset(boolean.items())), rule, view, also)

    def _as_sum(self, boolean: Boolean, type_: ValueType, width: int) -> Ring | None:
        """An exclusive sum of few conjunctions as a sum of conjunctions: `x ^ y = x + y - 2*(x & y)`."""
        if len(boolean) > SUMMANDS or width == 1:
            return None
        if len(boolean) == 1:
            ((atoms, mask),) = boolean.items()
            return self._conjunction(atoms, mask, type_, width) if self._is_linear(atoms, mask, width) else None
        parts: list[tuple[Ring, int]] = []
        for count in range(1, len(boolean) + 1):
            for chosen in combinations(boolean.items(), count):
                atoms: frozenset[int] = frozenset().union(*[m for m, _ in chosen])
                mask = (1 << width) - 1
                for _, bits in chosen:
                    mask &= bits
                parts.append((self._conjunction(atoms, mask, type_, width), (-2) ** (count - 1)))
        ring = ring_sum(parts, 1 << width)
        return ring if _fits(ring) else None

    def _is_linear(self, atoms: frozenset[int], mask: int, width: int) -> bool:
        """Whether a conjunction is a sum: of a spread bit and a mask, or of what the complement of a mask leaves."""
        return (len(atoms) == 1 and next(iter(atoms)) in self._spread) or bool(mask >> (width - 1) and atoms)

    def _conjunction(self, atoms: frozenset[int], mask: int, type_: ValueType, width: int) -> Ring:
        """A conjunction as a polynomial: a literal, what its only atom is, or a class of its own."""
        if not mask or not atoms:
            return {(): mask} if mask else {}
        if mask == (1 << width) - 1 and len(atoms) == 1:
            return self._as_ring(*atoms)
        ones = (1 << width) - 1
        if len(atoms) == 1 and next(iter(atoms)) in self._spread:
            return {tuple(atoms): -mask & ones}
        if mask != ones and mask >> (width - 1):
            # Of a mask and its complement one is taken: x & m = x - (x & ~m).
            whole = self._conjunction(atoms, ones, type_, width)
            return ring_sum([(whole, 1), (self._conjunction(atoms, ones & ~mask, type_, width), -1)], 1 << width)
        boolean: Boolean = {atoms: mask}
        form = Form(("boolean", type_, frozenset(boolean.items())), CONGRUENCE, View(None, boolean))
        return self._as_ring(self._class_of(form))

    # Casts of sums and conjunctions, comparisons

    def _class_of(self, form: Form) -> int:
        """The class of a form, a new one where there is none."""
        if isinstance(form.key, tuple) and form.key[0] == "class":
            return self.find(form.key[1])
        for key in (form.key, form.also):
            if key is not None and key in self._homes:
                return self.find(self._homes[key])
        number = len(self._parents)
        self._parents.append(number)
        self._homes[form.key] = number
        self._note(number, form.key)
        self._views[number] = form.view
        if isinstance(form.key, tuple) and form.key[0] == "literal":
            self._literals[number] = form.key[1]
        return number

    def _cast(self, symbol: Symbol, number: int, depth: int) -> Form | None:
        """A cast of bitwise operators is those of the casts, and a truncation of a sum or product is that of the
        truncations; None where that says nothing. `depth` bounds how often what is cast is looked into."""
        view = self._views.get(number, UNSEEN)
        width = self._width(symbol.type)
        before, after = (1 << self._width(symbol.operands[0])) - 1, (1 << width) - 1
        if view.boolean is not None and not _is_atom(view.boolean, number):
            parts: list[Boolean] = []
            for atoms, mask in view.boolean.items():
                bits: Boolean = {frozenset(): _cast_mask(symbol.op, mask, before, after, bool(atoms))}
                classes = [self._as_boolean(self._cast_class(symbol, a, depth - 1), after) for a in atoms]
                part = boolean_product([*classes, bits], after) if bits[frozenset()] else {}
                if part is None:
                    return None
                parts.append(part)
            return self._boolean_form(boolean_sum(parts), symbol.type, width)
        if symbol.op != "arith.trunci" or view.ring is None or width == 1:
            return None
        terms: list[tuple[Ring, int]] = []
        for monomial, coefficient in view.ring.items():
            product = ring_product([self._as_ring(self._cast_class(symbol, a, depth - 1)) for a in monomial], after + 1)
            if product is None:
                return None
            terms.append((product, coefficient))
        return self._ring_form(ring_sum(terms, after + 1), symbol.type, width)

    def _cast_class(self, symbol: Symbol, number: int, depth: int) -> int:
        """The class of the cast of a class."""
        number = self.find(number)
        view = self._views.get(number, UNSEEN)
        inner = not _is_atom(view.boolean, number) or (symbol.op == "arith.trunci" and not _is_atom(view.ring, number))
        form = self._cast(symbol, number, depth) if inner and depth else None
        return self._class_of(form or self._apply(symbol, [Operand(number)]))

    def _comparison(self, symbol: Symbol, operands: list[Operand]) -> Form | None:
        """A comparison as one of `eq`, `slt`, `ult`, or the complement of one."""
        predicate = str(dict(symbol.attrs)["predicate"])
        name, swapped, negated = COMPARISONS[predicate]
        numbers = [o.number for o in (reversed(operands) if swapped else operands)]
        if name == "eq":
            numbers.sort()
        plain = Symbol(symbol.op, (("predicate", name),), symbol.type, symbol.operands)
        number = self._class_of(Form(("apply", plain, *numbers), CONGRUENCE))
        if not negated:
            return Form(("class", number), "cmpi-normal-form")
        boolean = boolean_sum((self._as_boolean(number, 1), {frozenset(): 1}))
        form = self._boolean_form(boolean, symbol.type, 1)
        return Form(form.key, "cmpi-normal-form", form.view, form.also)

    # Chains of other operators, of which order does not matter

    def _chain(self, symbol: Symbol, operands: list[Operand], width: int) -> Form | None:
        other = symbol.op not in OF_BITS and family_of(symbol.op) == symbol.op
        return self._members(symbol, operands, width) if other else None

    def _members(self, symbol: Symbol, operands: list[Operand], width: int) -> Form:
        """A chain without what changes nothing, and without repetition where that does not matter."""
        facts = facts_about(symbol.op)
        rule = f"{symbol.op.split('.')[-1]}-ac-normal-form"
        members: Counter[int] = Counter()
        for operand in operands:
            view = self._views.get(operand.number)
            known = view.members if view is not None else None
            members.update(dict(known[1]) if known is not None and known[0] == symbol else (operand.number,))
        values = {number: self._residue(number, width) for number in members}
        absorbing, neutral = facts.absorbing_in(width), facts.neutral_in(IntType(width))
        if absorbing is not None and absorbing in values.values():
            return self._constant(absorbing, symbol.type, rule)
        if neutral is not None and neutral in values.values():
            members = Counter({n: count for n, count in members.items() if values[n] != neutral})
            if not members:
                return self._constant(int(neutral), symbol.type, rule)
        if facts.idempotent:
            members = Counter(set(members))
        whole = tuple(sorted(members.items()))
        if len(whole) == 1 and whole[0][1] == 1:
            return Form(("class", whole[0][0]), rule)
        seen = (symbol, whole) if members.total() <= VIEW else None
        return Form(("members", symbol.op, symbol.attrs, symbol.type, whole), rule, View(members=seen))

    def _residue(self, number: int, width: int) -> int | None:
        """The literal that a class is, as an unsigned number."""
        symbol = self._literals.get(number)
        value = None if symbol is None else literal_of(symbol)
        return value % (1 << width) if isinstance(value, int) else None


def _is_atom(polynomial: Ring | Boolean | None, number: int) -> bool:
    """Whether a polynomial says nothing of a class but that it is itself."""
    return polynomial is None or (len(polynomial) == 1 and all(tuple(m) == (number,) for m in polynomial))


def _cast_mask(op: str, mask: int, before: int, after: int, bounded: bool) -> int:
    """The mask of a conjunction after a cast from `before` to `after`, the masks of all ones; of one that is `bounded`
    by the cast of a class, ones stay ones."""
    if op == "arith.trunci":
        return mask & after
    if mask == before and (bounded or op == "arith.extsi"):
        return after
    return mask | (after & ~before) if op == "arith.extsi" and mask > before >> 1 else mask


def _fits(polynomial: Ring | Boolean) -> bool:
    return len(polynomial) <= VIEW and sum(len(m) for m in polynomial) <= 2 * VIEW


def _commutes(symbol: Symbol) -> bool:
    operator = OPERATORS.get(symbol.op)
    return operator is not None and operator.facts.commutative and not symbol.unknown and symbol.op not in CHOOSING

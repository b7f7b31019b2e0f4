"""Congruence closure over total values of terms: what follows from given equalities by equal operands alone.

Flags that only make poison are dropped. An operator whose fast-math licences let it compute something else than its
semantics says is an uninterpreted function of its operands and licences; an operator that shows which NaN a float is
equals itself only. Index arithmetic of `affine` computes exact integers, all else on `index` computes bit-vectors: the
two are different types, with a conversion each way, since an equality modulo `2**width` says nothing of exact integers.
That the exact integers of the programs are in range does not help: a certificate has terms of its own.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Final

from hecv.base.term import Term
from hecv.base.types import FloatType, IndexType
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.terms.valid_literals import is_literal
from hecv.ops import OPERATORS, exposes
from hecv.ops.facts.poison_conditions import CHOOSING, POISON_FLAGS
from hecv.ops.fastmath_flags import licences_of

Symbol = tuple[object, ...]

TO_EXACT: Final[Symbol] = ("to exact",)
TO_BITS: Final[Symbol] = ("to bits",)


class Closure:
    """Congruence classes of values, by number; two values are equal if `find` gives one number."""

    def __init__(self, index_width: int = 64) -> None:
        self._index_width: Final = index_width
        self._parents: list[int] = []
        self._sizes: list[int] = []
        self._nodes: list[tuple[int, tuple[int, ...]]] = []
        self._users: list[list[int]] = []
        self._known: dict[tuple[object, ...], int] = {}
        self._symbols: dict[Symbol, int] = {}
        self._commutative: list[bool] = []
        self._literals: dict[int, Term] = {}
        self._values: dict[int, tuple[int, bool]] = {}
        self._alive: list[Term] = []
        """Terms may be of several pools: they are known by identity, and have to stay alive."""

    # Terms

    def value(self, root: Term) -> int:
        """The number of a term's value, as a bit-vector for type `index`; not recursive, so depth is no limit."""
        number, exact = self._enter(root)
        return self.as_bits(number) if exact else number

    def exact(self, root: Term) -> int:
        """The number of the exact integer that a term of type `index` stands for."""
        number, exact = self._enter(root)
        return number if exact else self.as_exact(number)

    def as_bits(self, number: int) -> int:
        """The bit-vector of an exact integer."""
        return self.apply(self.symbol(TO_BITS), (number,))

    def as_exact(self, number: int) -> int:
        """The signed integer of a bit-vector."""
        return self.apply(self.symbol(TO_EXACT), (number,))

    def _enter(self, root: Term) -> tuple[int, bool]:
        known = self._values
        stack = [root]
        while stack:
            term = stack[-1]
            if id(term) in known:
                stack.pop()
                continue
            missing = [a for a in term.args if id(a) not in known]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            known[id(term)] = self._entered(term)
            self._alive.append(term)
        return known[id(root)]

    def _entered(self, term: Term) -> tuple[int, bool]:
        exact = takes_exact(term)
        operands = tuple([self._operand(a, exact) for a in term.args])
        number = self._node(self.symbol(symbol_of(term)), operands)
        if term.op == "const" and is_literal(term, self._index_width):
            self._literals.setdefault(self.find(number), term)
        return number, exact and isinstance(term.type, IndexType)

    def _operand(self, term: Term, exact: bool) -> int:
        return self.exact(term) if exact and isinstance(term.type, IndexType) else self.value(term)

    # Instances

    @property
    def symbols(self) -> Container[Symbol]:
        """The symbols that occur."""
        return self._symbols

    def symbol(self, symbol: Symbol) -> int:
        """The number of a symbol."""
        found = self._symbols.setdefault(symbol, len(self._symbols))
        if found == len(self._commutative):
            operator = OPERATORS.get(str(symbol[0]))
            self._commutative.append(operator is not None and operator.facts.commutative and symbol[-1] is True)
        return found

    def apply(self, symbol: int, operands: Sequence[int]) -> int:
        """The value of an operator applied to values."""
        return self._node(symbol, tuple(operands))

    def cast(self, exact: bool) -> int:
        """The symbol of the cast from bit-vectors to exact integers (`exact`), or back."""
        return self.symbol(TO_EXACT if exact else TO_BITS)

    # Classes

    def find(self, number: int) -> int:
        """The representative of a value's class."""
        parents = self._parents
        root = number
        while parents[root] != root:
            root = parents[root]
        while parents[number] != root:
            parents[number], number = root, parents[number]
        return root

    def same(self, one: int, other: int) -> bool:
        """Whether two values are known to be equal."""
        return self.find(one) == self.find(other)

    def literal(self, number: int) -> Term | None:
        """The literal of its type that a value is known to equal; None if there is none."""
        return self._literals.get(self.find(number))

    def union(self, one: int, other: int) -> None:
        """Merges two values, and all that is equal by congruence.

        Raises: Rejected if two literals would be equal.
        """
        pending = [(one, other)]
        while pending:
            one, other = map(self.find, pending.pop())
            if one == other:
                continue
            if self._sizes[one] < self._sizes[other]:
                one, other = other, one
            self._parents[other] = one
            self._sizes[one] += self._sizes[other]
            self._merge_literals(one, other)
            moved = self._users[other]
            self._users[other] = []
            for user in moved:
                known = self._known.setdefault(self._key(user), user)
                if self.find(known) != self.find(user):
                    pending.append((known, user))
            self._users[one] += moved

    def _merge_literals(self, one: int, other: int) -> None:
        known = self._literals.pop(other, None)
        if known is None:
            return
        found = self._literals.setdefault(one, known)
        if symbol_of(found) != symbol_of(known):
            raise Rejected("congruence", f"two literals would be equal: {found} and {known}")

    def _key(self, node: int) -> tuple[object, ...]:
        symbol, operands = self._nodes[node]
        found = [self.find(k) for k in operands]
        if self._commutative[symbol] and found[0] > found[1]:
            found[0], found[1] = found[1], found[0]
        return (symbol, *found)

    def _node(self, symbol: int, operands: tuple[int, ...]) -> int:
        found = [self.find(k) for k in operands]
        if self._commutative[symbol] and found[0] > found[1]:
            found[0], found[1] = found[1], found[0]
        key = (symbol, *found)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = len(self._nodes)
            self._nodes.append((symbol, operands))
            self._parents.append(known)
            self._sizes.append(1)
            self._users.append([])
            for operand in set(found):
                self._users[operand].append(known)
        return known


def takes_exact(term: Term) -> bool:
    """Whether the operator at the root takes and gives operands of type `index` as exact integers."""
    operator = OPERATORS.get(term.op)
    return operator is not None and operator.exact


def gives_exact(term: Term) -> bool:
    """Whether the value of a term is an exact integer."""
    return takes_exact(term) and isinstance(term.type, IndexType)


def symbol_of(term: Term) -> Symbol:
    """The function symbol of the operator or leaf at the root, without flags that only make poison.

    Its last part says whether the two operands may be exchanged.
    """
    types = tuple([a.type for a in term.args])
    if exposes(term):
        return (term.op, term.attrs, term.type, types, ("only", term.id))
    licences = tuple(sorted(licences_of(term.attrs)))
    if term.op == "const":
        return (term.op, _literal_key(term), term.type)
    kept = tuple([a for a in term.attrs if a[0] not in POISON_FLAGS and a[0] != "fastmath"])
    exchanges = not licences and term.op not in CHOOSING and len(term.args) == 2 and types[0] == types[1]
    return (term.op, kept, term.type, types, licences, exchanges)


def _literal_key(term: Term) -> object:
    value = term.attr("value")
    return float.fromhex(value).hex() if isinstance(value, str) and isinstance(term.type, FloatType) else value

"""Operand multisets in place of the laws of associativity and commutativity, for long chains.

In both directions such a law makes an e-node for every subset of a chain. Two chains of one operator with the same
multiset of operands are equal by these laws; comparing the multisets needs none of the e-nodes in between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct, field

from hecv.base.term import Term
from hecv.egraph.enode_order import operands_first
from hecv.egraph.programs.program_nodes import TermSymbol
from hecv.egraph.session import Classes, Session
from hecv.patterns.equations.equations import Equation, Operation, Pattern, Variable
from hecv.patterns.equations.law_record import Instance

SHORT: Final = 6
"""The most operands of a chain that is left to the laws, which also combine it with other laws."""

VIEW: Final = 64
"""The most operands of a chain with several users that these see; a longer one is one operand."""

Families = Mapping[TermSymbol, str]
"""Associative and commutative operators, each with the name of its associativity law."""


def symbol_of(operation: Operation) -> TermSymbol:
    """The operator of a pattern at its types."""
    return TermSymbol(operation.op, operation.attrs, operation.kind.type, tuple(a.kind.type for a in operation.args))


def families(instances: Iterable[Instance]) -> Families:
    """The operators that the laws declare associative and commutative."""
    associating: dict[TermSymbol, str] = {}
    commuting: set[TermSymbol] = set()
    for instance in instances:
        left = instance.equation.left
        if not isinstance(left, Operation):
            continue
        if associates(instance.equation):
            associating.setdefault(symbol_of(left), instance.law.name)
        elif _commutes(instance.equation):
            commuting.add(symbol_of(left))
    return {symbol: name for symbol, name in associating.items() if symbol in commuting}


def associates(equation: Equation) -> bool:
    """Whether the equation is `(x * y) * z = x * (y * z)`, in either direction."""
    sides = equation.left, equation.right
    return any(_leans(one, 0) and _leans(other, 1) and _same(one, other) for one, other in (sides, sides[::-1]))


def _leans(side: Pattern, at: int) -> bool:
    """Whether the side is an operator on three variables, the one inside at its operand `at`."""
    if not isinstance(side, Operation) or len(side.args) != 2:
        return False
    inner, other = side.args[at], side.args[1 - at]
    if not isinstance(inner, Operation) or symbol_of(inner) != symbol_of(side) or not isinstance(other, Variable):
        return False
    return all(isinstance(a, Variable) for a in inner.args)


def _same(one: Pattern, other: Pattern) -> bool:
    """Whether the sides have one operator, and the same three variables in the same order."""
    names = list(_variables(one)), list(_variables(other))
    operators = isinstance(one, Operation) and isinstance(other, Operation) and symbol_of(one) == symbol_of(other)
    return operators and names[0] == names[1] and len(set(names[0])) == 3


def _variables(side: Pattern) -> Iterator[str]:
    match side:
        case Operation(args=args):
            for a in args:
                yield from _variables(a)
        case Variable(name=name):
            yield name
        case _:
            pass


def _commutes(equation: Equation) -> bool:
    left, right = equation.left, equation.right
    if not isinstance(left, Operation) or not isinstance(right, Operation) or symbol_of(left) != symbol_of(right):
        return False
    two = len(left.args) == 2 and all(isinstance(a, Variable) and not a.literal for a in left.args)
    return two and left.args[0] != left.args[1] and right.args == left.args[::-1]


def long_ones(terms: Sequence[Term], known: Families) -> Families:
    """The families with a long chain.

    Requires: the terms have their operands before them.
    """
    found: dict[TermSymbol, str] = {}
    lengths: dict[int, int] = {}
    symbols: dict[int, TermSymbol] = {}
    for term in terms:
        symbol = symbols[term.id] = TermSymbol(term.op, term.attrs, term.type, tuple(a.type for a in term.args))
        if symbol in known:
            lengths[term.id] = sum(lengths[a.id] if symbols[a.id] == symbol else 1 for a in term.args)
            if lengths[term.id] > SHORT:
                found[symbol] = known[symbol]
    return found


class Bags(Struct):
    """The chains of one e-graph as multisets; `merged` has the pairs of classes with one multiset, and the law."""

    session: Session
    classes: Classes
    families: Families
    merged: list[tuple[int, int, str]] = field(default_factory=list[tuple[int, int, str]])
    _names: dict[int, str] = field(default_factory=dict[int, str])
    _ranks: dict[int, int] = field(default_factory=dict[int, int])
    _links: dict[tuple[int, int], tuple[int, ...]] = field(default_factory=dict[tuple[int, int], tuple[int, ...]])
    """Operands of a class in a family, from a node over classes of lower rank."""
    _sizes: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    _users: dict[int, set[tuple[int, int]]] = field(default_factory=dict[int, set[tuple[int, int]]])
    _parents: dict[int, int] = field(default_factory=dict[int, int])

    def __post_init__(self) -> None:
        self._names = {self.session.symbol(symbol): name for symbol, name in self.families.items()}
        chained: list[tuple[int, int, tuple[int, ...]]] = []
        for home, node in operands_first(self.classes.nodes):
            rank = self._ranks.setdefault(home, len(self._ranks))
            for a in node.args:
                self._users.setdefault(a, set()).add((home, node.symbol))
            if node.symbol in self._names:
                chained.append((home, node.symbol, node.args))
                if all(self._ranks[a] < rank for a in node.args):
                    self._links.setdefault((home, node.symbol), node.args)
        homes: dict[tuple[int, frozenset[tuple[int, int]]], int] = {}
        for home, symbol, args in chained:
            if not self._inner(home, symbol):
                key = symbol, frozenset(Counter(self._operands(symbol, args)).items())
                self._join(homes.setdefault(key, home), home, self._names[symbol])

    def _inner(self, home: int, symbol: int) -> bool:
        """Whether the class is nothing but a part of one longer chain."""
        users = self._users.get(home, set())
        return len(users) == 1 and next(iter(users))[1] == symbol and (home, symbol) in self._links

    def _seen(self, home: int, symbol: int) -> bool:
        """Whether users see the operands of a class, and not the class as one operand."""
        return (home, symbol) in self._links and (self._inner(home, symbol) or self._size(home, symbol) <= VIEW)

    def _size(self, home: int, symbol: int) -> int:
        """How many operands a class is seen with."""
        stack = [home]
        while stack:
            top = stack[-1]
            args = self._links.get((top, symbol), ())
            missing = [a for a in args if (a, symbol) in self._links and (a, symbol) not in self._sizes]
            stack += missing
            if not missing:
                stack.pop()
                sizes = [self._sizes.get((a, symbol), 1) for a in args]
                self._sizes[top, symbol] = sum(s if s <= VIEW else 1 for s in sizes)
        return self._sizes[home, symbol]

    def _operands(self, symbol: int, args: tuple[int, ...]) -> Iterator[int]:
        stack = list(args)
        while stack:
            home = stack.pop()
            if self._seen(home, symbol):
                stack += self._links[home, symbol]
            else:
                yield self._find(home)

    def _find(self, home: int) -> int:
        while home in self._parents:
            home = self._parents[home]
        return home

    def _join(self, known: int, home: int, law: str) -> None:
        one, other = self._find(known), self._find(home)
        if one != other:
            self._parents[other] = one
            self.merged.append((one, other, law))

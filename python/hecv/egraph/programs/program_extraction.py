"""Extraction: terms read back from e-classes, the simplest one of each class.

Ties are broken alike for every copy of an unrolled body, whose classes differ only in constants: terms are compared by
their operators first and by their constants last.
"""

from __future__ import annotations

import heapq
from hashlib import blake2b

from msgspec import Struct, field

from hecv.base.term import Attribute, Term, TermPool
from hecv.egraph.programs.program_nodes import LIST, TermSymbol
from hecv.egraph.session import Classes, Node, Session
from hecv.program.index import quasi_affine

MAX_CONSTANTS = 64
MAX_SIZE = 1 << 40

Key = tuple[int, bytes, tuple[int, ...]]


class Reader(Struct):
    """Extracts the simplest term of each class of one e-graph."""

    pool: TermPool
    session: Session
    classes: Classes
    _chosen: dict[int, tuple[Key, Node]] = field(default_factory=dict[int, tuple[Key, Node]])
    _terms: dict[int, Term] = field(default_factory=dict[int, Term])

    def __post_init__(self) -> None:
        """Chooses a node for each class that holds terms, simplest classes first (Knuth, Dijkstra)."""
        users: dict[int, list[tuple[int, Node]]] = {}
        missing: dict[tuple[int, Node], int] = {}
        queue: list[tuple[Key, int, int, Node]] = []
        count = 0
        for home, nodes in enumerate(self.classes.nodes):
            for node in nodes:
                if not self._is_term(node):
                    continue
                missing[home, node] = len(set(node.args))
                for operand in set(node.args):
                    users.setdefault(operand, []).append((home, node))
                if not node.args:
                    queue.append((self._key(node), count, home, node))
                    count += 1
        heapq.heapify(queue)
        while queue:
            key, _, home, node = heapq.heappop(queue)
            if home in self._chosen:
                continue
            self._chosen[home] = key, node
            for user in users.get(home, ()):
                missing[user] -= 1
                if not missing[user] and user[0] not in self._chosen:
                    count += 1
                    heapq.heappush(queue, (self._key(user[1]), count, *user))

    def _is_term(self, node: Node) -> bool:
        key = self.session.key(node.symbol)
        return isinstance(key, TermSymbol) or key == LIST

    def _key(self, node: Node) -> Key:
        """Size, shape, constants. A node's operands are chosen before it, so that the key of a term exceeds theirs."""
        symbol = self.session.key(node.symbol)
        below = [self._chosen[a][0] for a in node.args]
        size = min(MAX_SIZE, 1 + sum(k[0] for k in below))
        own: list[int] = []
        shape = blake2b(repr(_shape(symbol, own)).encode(), digest_size=8)
        for _, digest, _ in below:
            shape.update(digest)
        constants = tuple(c for k in ((0, b"", tuple(own)), *below) for c in k[2])
        return size, shape.digest(), constants[:MAX_CONSTANTS]

    def term(self, number: int) -> Term | None:
        """The simplest term equal to the one with the goal's `number`."""
        home = self.classes.of.get(number)
        return None if home is None or home not in self._chosen else self._term(home)

    def _term(self, root: int) -> Term:
        stack = [root]
        while stack:
            home = stack[-1]
            operands = self._operands(self._chosen[home][1])
            missing = [o for o in operands if o not in self._terms]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            if home not in self._terms:
                self._terms[home] = self._made(home, tuple(self._terms[o] for o in operands))
        return self._terms[root]

    def _made(self, home: int, args: tuple[Term, ...]) -> Term:
        symbol = self.session.key(self._chosen[home][1].symbol)
        assert isinstance(symbol, TermSymbol)
        made = self.pool.make(symbol.op, args, symbol.type, symbol.attrs)
        # Index arithmetic has its operands in the order of the pool.
        return in_order(self.pool, made) if symbol.op.startswith("affine.") else made

    def _operands(self, node: Node) -> list[int]:
        """The classes of the operands, those in lists too."""
        found: list[int] = []
        for operand in node.args:
            inner = self._chosen[operand][1]
            found += self._operands(inner) if self.session.key(inner.symbol) == LIST else [operand]
        return found


def _shape(symbol: object, constants: list[int]) -> object:
    """The symbol without index and integer constants, which go to `constants`."""
    if not isinstance(symbol, TermSymbol):
        return symbol
    attrs: list[tuple[str, Attribute]] = []
    for name, value in symbol.attrs:
        if symbol.op in ("const", "affine.linear") and isinstance(value, int):
            constants.append(value)
        else:
            attrs.append((name, value))
    return symbol.op, tuple(attrs), str(symbol.type), tuple(map(str, symbol.operands))


def in_order(pool: TermPool, term: Term) -> Term:
    """Index arithmetic with the same operands, in canonical form."""
    stands = tuple(pool.make("operand", (), a.type, (("place", k),)) for k, a in enumerate(term.args))
    stand = pool.make(term.op, stands, term.type, term.attrs)
    return quasi_affine.remade(pool, stand, term.args)

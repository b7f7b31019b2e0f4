"""Programs as e-nodes, and back.

A term is a node of its operator on its operands, a statement a node on its terms and blocks, a block a list of
statements. A class stands for a function of the free variables (induction variables by depth, arguments, extents) and
of the memory: statements and blocks give another memory, or undefined; terms give a value, poison or undefined.
Operators keep their flags: two terms that differ in when they are poison are not equal here.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from hecv.base.term import Attributes, Term, TermPool, postorder
from hecv.base.types import ScalarType
from hecv.egraph.session import Goal, Node, Session
from hecv.program.statement_parts import parts_of
from hecv.program.tree import Block, Statement

WIDEST = 6
"""The most operands of one e-node; more are held in lists."""


class TermSymbol(Struct, frozen=True):
    """The symbol of a term: all of it except its operands, but with their types."""

    op: str
    attrs: Attributes
    type: ScalarType
    operands: tuple[ScalarType, ...]


class StatementSymbol(Struct, frozen=True):
    """The symbol of a statement: `shape` is the statement without terms and blocks, `counts` how many of each kind it
    has."""

    shape: Statement
    counts: tuple[int, ...]


LIST = ("list",)
NIL, CONS = ("block", "nil"), ("block", "cons")


class Programs(Struct):
    """The terms and blocks of one goal, hash-consed: what is added twice has one number."""

    pool: TermPool
    session: Session
    goal: Goal
    _nodes: dict[Node, int] = field(default_factory=dict[Node, int])
    _terms: dict[int, int] = field(default_factory=dict[int, int])
    _blocks: dict[Block, int] = field(default_factory=dict[Block, int])

    def node(self, key: object, args: Sequence[int] = ()) -> int:
        """The number of a node."""
        while len(args) > WIDEST:
            args = [self.node(LIST, args[k : k + WIDEST]) for k in range(0, len(args), WIDEST)]
        made = Node(self.session.symbol(key), tuple(args))
        if made not in self._nodes:
            self._nodes[made] = self.goal.add([made])[0]
        return self._nodes[made]

    def term(self, root: Term) -> int:
        """The number of a term."""
        for term in postorder((root,)) if root.id not in self._terms else ():
            if term.id not in self._terms:
                key = TermSymbol(term.op, term.attrs, term.type, tuple(a.type for a in term.args))
                self._terms[term.id] = self.node(key, [self._terms[a.id] for a in term.args])
        return self._terms[root.id]

    def known(self, term: Term) -> int | None:
        """The number of a term that was added."""
        return self._terms.get(term.id)

    def block(self, block: Block) -> int:
        """The number of a block."""
        number = self.node(NIL)
        for statement in reversed(block):
            number = self.node(CONS, (self.statement(statement), number))
        return number

    def statement(self, statement: Statement) -> int:
        """The number of a statement."""
        shape, terms, blocks = parts_of(statement)
        counts = tuple(map(len, terms))
        args = [self.term(t) for group in terms for t in group]
        args += [self._known(b) for b in blocks]
        return self.node(StatementSymbol(shape, counts), args)

    def _known(self, block: Block) -> int:
        number = self._blocks.get(block)
        if number is None:
            number = self._blocks[block] = self.block(block)
        return number

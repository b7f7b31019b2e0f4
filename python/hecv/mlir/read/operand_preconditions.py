"""Operand preconditions of `affine.delinearize_index` with an outer bound and of `affine.linearize_index disjoint`.

If the precondition fails, the result is poison: MLIR simplifies by it (`delinearize %i into (1, 8)` becomes `%i`), and
moves such ops to where they are not used. The tree treats it as any other poison. A poison subscript, bound, extent or
condition is undefined, which an assertion before the statement says. A value that is stored, passed on or divided
becomes a selection of poison.
"""

from __future__ import annotations

from functools import reduce

from msgspec.structs import replace

from hecv.base.term import Term, postorder
from hecv.base.types import BOOL, INDEX
from hecv.mlir.read.function_reader import Reader
from hecv.program.index import quasi_affine
from hecv.program.tree import Assert, Block, Call, Evaluate, If, Loop, Statement, Store, While, roots

Terms = tuple[Term, ...]

_PASSING = frozenset(("affine.linear", "affine.floordiv", "affine.mul", "affine.max", "affine.min"))
"""Ops that are poison if an operand is, and never undefined."""

TEXT = "what an op says of its index is not so"


class Stated:
    """Writes out the preconditions that the ops of a function state."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._pool = reader.pool
        self._memo: dict[Term, Term] = {}
        self._chosen: dict[Term, tuple[Term, Term]] = {}
        self._saying: dict[Term, bool] = {}

    def block(self, block: Block) -> Block:
        """The block with assertions, and with values as selections of poison."""
        found: list[Statement] = []
        for statement in block:
            found += self._asserted(statement.id, self._strict(statement))
            found.append(self._inner(statement))
        return tuple(found)

    def value(self, root: Term) -> Term:
        """The term, with each operand poison where its precondition fails."""
        for node in postorder((root,)):
            if node not in self._memo:
                args = tuple([self._memo[a] for a in node.args])
                self._memo[node] = self._remade(node, args)
        return self._memo[root]

    def _remade(self, node: Term, args: Terms) -> Term:
        """The term over other operands. Selections of poison become one selection, if a poison operand makes the
        term poison."""
        passes = node.op in quasi_affine.STATED or node.op in _PASSING
        chosen = [self._chosen[a] for a in args if a in self._chosen] if passes else []
        if chosen:
            args = tuple([self._chosen[a][1] if a in self._chosen else a for a in args])
        made = quasi_affine.remade(self._pool, node, args)
        conditions = [condition for condition, _ in chosen]
        if node.op in quasi_affine.STATED:
            conditions.append(self._holds(made))
            made = made.args[0]
        return self._selected(reduce(self._both, dict.fromkeys(conditions)), made) if conditions else made

    def _selected(self, condition: Term, chosen: Term) -> Term:
        nothing = self._pool.make("ub.poison", (), INDEX)
        made = self._pool.make("arith.select", (condition, chosen, nothing), INDEX)
        self._chosen[made] = condition, chosen
        return made

    def _holds(self, node: Term) -> Term:
        """The precondition on the first operand of a term."""
        index, bound = node.args
        return self._both(
            self._compared("sle", self._pool.integer(0), index if node.op == "affine.within" else bound),
            self._compared("slt", index, bound),
        )

    def _compared(self, predicate: str, left: Term, right: Term) -> Term:
        return self._pool.make("arith.cmpi", (left, right), BOOL, (("predicate", predicate),))

    def _both(self, left: Term, right: Term) -> Term:
        return self._pool.make("arith.andi", (left, right), BOOL)

    def _strict(self, statement: Statement) -> Terms:
        """The terms of a statement that are undefined if poison, except the condition of a while loop."""
        match statement:
            case Store(indices=indices):
                return indices
            case Evaluate() | Call() | While():
                return ()
            case _:
                return roots(statement)

    def _asserted(self, place: int, terms: Terms) -> list[Statement]:
        """Assertions of the preconditions in terms that must not be poison; for an arm of a selection, where it is
        chosen."""
        found: dict[Term, None] = {}
        seen: set[tuple[Term, Terms]] = set()
        stack: list[tuple[Term, Terms]] = [(t, ()) for t in reversed(terms)]
        while stack:
            term, unless = stack.pop()
            if (term, unless) in seen or not self._says(term):
                continue
            seen.add((term, unless))
            if term.op in quasi_affine.STATED:
                found[self._either(*unless, self._holds(term))] = None
            if term.op == "arith.select" and not any(map(self._says, term.args[1:])):
                stack.append((term.args[0], unless))
            elif term.op == "arith.select":
                chosen, then, otherwise = term.args
                other = self._pool.make("arith.xori", (chosen, self._pool.integer(1, BOOL)), BOOL)
                stack += [(otherwise, (*unless, chosen)), (then, (*unless, other)), (chosen, unless)]
            else:
                stack += [(a, unless) for a in reversed(term.args)]
        return [Assert(self._reader.number_at(place), condition, TEXT) for condition in found]

    def _says(self, term: Term) -> bool:
        """True if a term contains a precondition."""
        for node in postorder((term,)) if term not in self._saying else ():
            if node not in self._saying:
                self._saying[node] = node.op in quasi_affine.STATED or any(self._saying[a] for a in node.args)
        return self._saying[term]

    def _either(self, *conditions: Term) -> Term:
        *others, last = conditions
        for other in others:
            last = self._pool.make("arith.ori", (other, last), BOOL)
        return last

    def _inner(self, statement: Statement) -> Statement:
        match statement:
            case Store(value=value):
                return replace(statement, value=self.value(value))
            case Evaluate(term=term):
                return replace(statement, term=self.value(term))
            case Call(operands=operands):
                return replace(statement, operands=tuple(map(self.value, operands)))
            case If(then=then, otherwise=otherwise):
                return replace(statement, then=self.block(then), otherwise=self.block(otherwise))
            case Loop(body=body):
                return replace(statement, body=self.block(body))
            case While(before=before, condition=condition, after=after):
                last = self._asserted(statement.id, (condition,))
                return replace(statement, before=(*self.block(before), *last), after=self.block(after))
            case _:
                return statement

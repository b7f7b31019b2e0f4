"""Type checker for the statements of a certificate: a theorem about an ill-typed statement means nothing.

Checked: memories and calls are those of the programs, operators occur at types at which the programs have them, index
arithmetic is in canonical form, and an induction variable belongs to an enclosing loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeVar

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import BOOL, INDEX, IndexType, IntType, ScalarType
from hecv.kernel.certificate.loop_theorem_format import Numbers, Statement
from hecv.kernel.certificate.rejection import Malformed, Rejected
from hecv.kernel.certificate.term_rows import Row, Rows, type_of
from hecv.kernel.terms.valid_literals import is_literal
from hecv.program.index import quasi_affine
from hecv.program.statement_parts import parts_of
from hecv.program.tree import (
    Alloc,
    Assert,
    Block,
    Call,
    Dealloc,
    Evaluate,
    If,
    Loop,
    Memory,
    Store,
    Touch,
    While,
    walk,
)
from hecv.program.tree import Statement as Tree

Scope = tuple[ScalarType | None, ...]
"""The types of the enclosing induction variables, outermost first; None if any type will do."""

STEP: Final = "statements"

ARITHMETIC: Final = frozenset(
    ("affine.linear", "affine.floordiv", "affine.quotient", "affine.mul", "affine.max", "affine.min")
)
"""The index arithmetic that theorems build."""

Signature = tuple[object, ...]
Item = TypeVar("Item")


class Trees:
    """The terms and statements of a certificate about two programs."""

    def __init__(
        self, pool: TermPool, programs: tuple[Block, Block], terms: Rows, statements: Sequence[Statement], width: int
    ) -> None:
        """Raises: Malformed, Rejected."""
        self._pool: Final = pool
        self._width: Final = width
        self.memories: Final[Mapping[int, Memory]] = _memories(programs)
        self._calls: Final = {s for p in programs for s in map(_call, walk(p)) if s is not None}
        roots = tuple([t for p in programs for s in walk(p) for group in parts_of(s)[1] for t in group])
        self._known: Final = {_signature(t) for t in postorder(roots)}
        self._hole: Final = Evaluate(0, pool.make("hole", (), INDEX))
        self._in_range: Final[set[int]] = set()
        self._terms: list[Term] = []
        for row in terms:
            self._terms.append(self._term(row))
        self._statements: list[Tree] = []
        for row in statements:
            self._statements.append(self._statement(row))

    def term(self, number: int) -> Term:
        """The term with a number.

        Raises: Malformed.
        """
        return self._at(self._terms, number)

    def terms(self, numbers: Iterable[int]) -> tuple[Term, ...]:
        """Several terms."""
        return tuple([self.term(k) for k in numbers])

    def block(self, numbers: Numbers, scope: Scope, with_hole: bool = False) -> Block:
        """The block of these statements, inside loops over variables of the types of `scope`.

        Raises: Malformed; Rejected if it is not well typed there.
        """
        block = tuple([self._at(self._statements, k) for k in numbers])
        if sum(s is self._hole for s in walk(block)) != int(with_hole):
            raise Malformed("a context has one hole, and what is no context has none")
        _require_scoped(block, scope)
        return block

    def is_hole(self, statement: Tree) -> bool:
        """Whether a statement is the hole of a context."""
        return statement is self._hole

    def _at(self, items: Sequence[Item], number: int) -> Item:
        if not 0 <= number < len(items):
            raise Malformed("a number stands for no earlier row")
        return items[number]

    # Terms

    def _term(self, row: Row) -> Term:
        op, text, attrs, numbers = row
        kind, args = type_of(text), self.terms(numbers)
        term = self._pool.make(op, args, kind, attrs)
        if op == "const":
            if args or [name for name, _ in attrs] != ["value"] or not is_literal(term, self._width):
                raise Rejected(STEP, f"no literal of type {kind} is {attrs}")
        elif op == "iv":
            self._require_variable(term)
        elif op in ARITHMETIC:
            return self._arithmetic(term)
        elif _signature(term) not in self._known and not _is_sum(term):
            raise Rejected(STEP, f"{op} is not at types at which the programs have it")
        return term

    @staticmethod
    def _require_variable(term: Term) -> None:
        counts = not term.args and isinstance(term.type, IndexType | IntType)
        match term.attrs:
            case (("depth", int(depth)),) if depth >= 0 and counts:
                return
            case _:
                raise Malformed("an induction variable has a depth")

    def _require_element(self, memory: Memory, indices: Sequence[Term], kind: ScalarType) -> None:
        whole = len(indices) == len(memory.extents) and all(isinstance(i.type, IndexType) for i in indices)
        if not whole or kind != memory.element:
            raise Rejected(STEP, f"there is no such element of memory {memory.id}")

    def _arithmetic(self, term: Term) -> Term:
        """Index arithmetic in canonical form."""
        if term.type != INDEX or not term.args or not all(isinstance(a.type, IndexType) for a in term.args):
            raise Rejected(STEP, f"{term.op} is of indices")
        if not _is_formed(term):
            raise Malformed(f"no index arithmetic is written {term.op} {term.attrs}")
        stands = [self._pool.make("operand", (), INDEX, (("place", k),)) for k in range(len(term.args))]
        found = quasi_affine.remade(self._pool, self._pool.make(term.op, tuple(stands), INDEX, term.attrs), term.args)
        self._require_in_range(found)
        return found

    def _require_in_range(self, root: Term) -> None:
        """Checks that literals are in range: canonical forms compute with integers of any size, and `4 * 2**62` has the
        bits of 0."""
        waiting = [root]
        while waiting:
            term = waiting.pop()
            if term.op == "const" and not is_literal(term, self._width):
                raise Rejected(STEP, f"no literal of type {term.type} is {term}")
            fresh = [a for a in term.args if a.id not in self._in_range]
            self._in_range.update(a.id for a in fresh)
            waiting += fresh

    # Statements

    def _statement(self, row: Statement) -> Tree:
        groups = tuple([self.terms(group) for group in row.terms])
        blocks = tuple([tuple([self._at(self._statements, k) for k in block]) for block in row.blocks])
        return self._simple(row, groups) if not blocks else self._nested(row, groups, blocks)

    def _simple(self, row: Statement, groups: tuple[tuple[Term, ...], ...]) -> Tree:
        match row.kind, row.attributes, groups:
            case "store", (int(number), bool(guarded)), (indices, (value,)):
                memory = self._memory(number)
                self._require_element(memory, indices, value.type)
                return Store(0, memory, indices, value, guarded)
            case "touch", (bool(guarded),), (accesses, terms) if all(a.op == "load" for a in accesses):
                return Touch(0, accesses, terms, guarded)
            case "alloc", (int(number),), (extents,):
                memory = self._memory(number)
                if len(extents) != len(memory.extents) or not all(isinstance(e.type, IndexType) for e in extents):
                    raise Rejected(STEP, f"memory {number} has other extents")
                return Alloc(0, replace(memory, extents=extents))
            case "dealloc", (int(number),), ():
                return Dealloc(0, self._memory(number))
            case "assert", (), ((condition,),) if condition.type == BOOL:
                return Assert(0, condition, "")
            case "call", (str(name), tuple() as memories, tuple() as results, bool(known), int(given)), (operands,):
                places = tuple(map(self._memory, memories)), tuple(map(self._memory, results))
                call = Call(0, name, operands, *places, known, given)
                if _call(call) not in self._calls:
                    raise Rejected(STEP, f"the programs do not call {name} so")
                return call
            case "hole", (), ():
                return self._hole
            case _:
                raise Malformed(f"no statement is written {row.kind}")

    def _nested(self, row: Statement, groups: tuple[tuple[Term, ...], ...], blocks: tuple[Block, ...]) -> Tree:
        match row.kind, row.attributes, groups, blocks:
            case "loop", (bool(unsigned), bool(parallel), *more), ((iv,), lowers, uppers, (step,)), (body,):
                typed = lowers and uppers and all(t.type == iv.type for t in (*lowers, *uppers, step))
                if more not in ([], [True]):
                    raise Malformed("a loop overwrites, or nothing is said of it")
                if iv.op != "iv" or not typed:
                    raise Rejected(STEP, "a loop has bounds and a step of the type of its variable")
                return Loop(0, iv, lowers, uppers, step, unsigned, body, parallel, overwrites=bool(more))
            case "if", (), ((condition,),), (then, otherwise) if condition.type == BOOL:
                return If(0, condition, then, otherwise)
            case "while", (), ((condition,),), (before, after) if condition.type == BOOL:
                return While(0, before, condition, after)
            case _:
                raise Malformed(f"no statement is written {row.kind}")

    def _memory(self, number: int) -> Memory:
        if number not in self.memories:
            raise Rejected(STEP, f"the programs have no memory {number}")
        return self.memories[number]


def require_visible(terms: Iterable[Term], scope: Scope) -> None:
    """Checks that terms use only the induction variables in scope.

    Raises: Rejected.
    """
    for term in postorder(tuple(terms)):
        if term.op == "iv":
            depth = term.attr("depth")
            assert isinstance(depth, int)
            if depth >= len(scope) or scope[depth] not in (None, term.type):
                raise Rejected(STEP, f"an induction variable at depth {depth} is that of no loop around it")


def _require_scoped(block: Block, scope: Scope) -> None:
    for statement in block:
        if isinstance(statement, Evaluate):
            continue
        require_visible((t for group in parts_of(statement)[1] for t in group), scope)
        inside = scope
        if isinstance(statement, Loop):
            if statement.iv.attr("depth") != len(scope):
                raise Rejected(STEP, "the variable of a loop is called by how many loops are around it")
            inside = (*scope, statement.iv.type)
        for inner in parts_of(statement)[2]:
            _require_scoped(inner, inside)


def _memories(programs: tuple[Block, Block]) -> dict[int, Memory]:
    found: dict[int, Memory] = {}
    for statement in (s for p in programs for s in walk(p)):
        match statement:
            case Store(memory=memory) | Alloc(memory=memory) | Dealloc(memory=memory):
                found.setdefault(memory.id, memory)
            case Call(memories=memories, results=results):
                found |= {m.id: m for m in (*memories, *results) if m.id not in found}
            case _:
                pass
    return found


def _call(statement: Tree) -> Signature | None:
    """What a call is but its operands, and their types."""
    if not isinstance(statement, Call):
        return None
    return parts_of(statement)[0], tuple([t.type for t in statement.operands])


def _signature(term: Term) -> Signature:
    return term.op, term.attrs, term.type, tuple([a.type for a in term.args])


def _is_sum(term: Term) -> bool:
    """Whether it is a sum of integers without flags, as the next value of a variable is."""
    kinds = [a.type for a in term.args]
    return term.op == "arith.addi" and not term.attrs and isinstance(term.type, IntType) and kinds == [term.type] * 2


def _is_formed(term: Term) -> bool:
    """Whether an operator of index arithmetic has the attributes and operands that it needs."""
    match term.op, term.attrs, len(term.args):
        case "affine.linear", (("constant", int()), ("coefficients", tuple() as factors)), count:
            return len(factors) == count
        case "affine.floordiv", (("divisor", int(divisor)),), 1:
            return divisor > 0
        case (("affine.quotient" | "affine.mul"), (), 2):
            return True
        case (("affine.max" | "affine.min"), (), _):
            return True
        case _:
            return False

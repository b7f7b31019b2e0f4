"""Trees of statements, and theorems about them, as rows of a certificate
(`hecv.kernel.certificate.loop_theorem_format`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from hecv.base.term import Term, TermPool
from hecv.base.types import INDEX
from hecv.kernel.certificate.loop_theorem_format import (
    Applied,
    Copy,
    Equation,
    Numbers,
    Plain,
    Schedule,
    Scheduled,
    Statement,
)
from hecv.kernel.certificate.loop_theorem_format import For as Written
from hecv.kernel.certificate.rejection import Uncertified
from hecv.kernel.certificate.term_rows import Row, type_text
from hecv.kernel.loop_theorem_check import UNOBSERVED
from hecv.program.statement_parts import parts_of
from hecv.program.tree import Alloc, Block, Call, Dealloc, Evaluate, If, Loop, Store, Touch, While
from hecv.program.tree import Statement as Tree
from hecv.theorems.schedules import theorem_instance
from hecv.theorems.schedules.schedule_tree import For
from hecv.theorems.schedules.schedule_tree import Schedule as Made

if TYPE_CHECKING:
    from hecv.egraph.programs.theorem_rounds import Equation as Found


class TreeRows(Struct):
    """Terms and statements as rows, each once."""

    pool: TermPool
    rows: list[Row] = field(default_factory=list[Row])
    statements: list[Statement] = field(default_factory=list[Statement])
    _terms: dict[int, int] = field(default_factory=dict[int, int])
    _known: dict[Statement, int] = field(default_factory=dict[Statement, int])

    def term(self, term: Term) -> int:
        """The number of a term."""
        if term.id not in self._terms:
            args = self.terms(term.args)
            self._terms[term.id] = len(self.rows)
            self.rows.append((term.op, type_text(term.type), term.attrs, args))
        return self._terms[term.id]

    def terms(self, terms: Sequence[Term]) -> Numbers:
        """The numbers of several."""
        return tuple([self.term(t) for t in terms])

    def block(self, block: Block) -> Numbers:
        """The numbers of the statements of a block."""
        return tuple(map(self._statement, block))

    def _statement(self, tree: Tree) -> int:
        kind, attributes, first = _head(tree)
        groups, blocks = ((), ()) if isinstance(tree, Evaluate) else parts_of(tree)[1:]
        if kind in ("if", "assert"):
            groups = groups[:1]  # nothing is left of what its arithmetic rests on
        made = Statement(kind, attributes, tuple(map(self.terms, (*first, *groups))), tuple(map(self.block, blocks)))
        if made not in self._known:
            self._known[made] = len(self.statements)
            self.statements.append(made)
        return self._known[made]

    # Equations

    def equation(self, found: Found) -> Equation:
        """An equation as plain data."""
        place = found.place
        unobserved = isinstance(found.of, theorem_instance.Applied) and found.of.theorem == UNOBSERVED
        of = self._of(found.of)
        if not (place.inside or unobserved):
            return Equation(place.depth, None, self.block(place.rest), of)
        if place.program is None:
            raise Uncertified("theorems", "it is not known in which program a theorem was used")
        hole = Evaluate(0, self.pool.make("hole", (), INDEX))
        return Equation(0, self.block(place.program((hole, *place.rest))), (), of)

    def _of(self, of: theorem_instance.Scheduled | theorem_instance.Applied) -> Scheduled | Applied:
        if isinstance(of, theorem_instance.Applied):
            by = None if of.by is None else self.term(of.by)
            return Applied(of.theorem, self.block(of.block), of.at, by)
        parts = tuple([(self.block(p.block), tuple(map(type_text, p.types))) for p in of.parts])
        before, after = (tuple(map(self._item, side)) for side in (of.before, of.after))
        return Scheduled(parts, before, after, of.reorders)

    def _item(self, item: Made) -> Schedule:
        if isinstance(item, For):
            body = tuple(map(self._item, item.body))
            return Written(type_text(item.type), self.terms(item.lowers), self.terms(item.uppers), item.step, body)
        return Copy(item.part, self.terms(item.values))


def _head(tree: Tree) -> tuple[str, tuple[Plain, ...], tuple[tuple[Term, ...], ...]]:
    """The kind of a statement, what it is besides terms and blocks, and the terms that stand before the others."""
    match tree:
        case Store(memory=memory, guarded=guarded):
            return "store", (memory.id, guarded), ()
        case Touch(guarded=guarded):
            return "touch", (guarded,), ()
        case Alloc(memory=memory):
            return "alloc", (memory.id,), ()
        case Dealloc(memory=memory):
            return "dealloc", (memory.id,), ()
        case Loop(iv=iv, unsigned=unsigned, parallel=parallel, overwrites=overwrites):
            return "loop", (unsigned, parallel, *([True] if overwrites else [])), ((iv,),)
        case If():
            return "if", (), ()
        case While():
            return "while", (), ()
        case Call(callee=callee, known=known, given=given):
            memories, results = (tuple([m.id for m in side]) for side in (tree.memories, tree.results))
            return "call", (callee, memories, results, known, given), ()
        case Evaluate():
            return "hole", (), ()
        case _:
            return "assert", (), ()

"""Replays a proof by loop theorems: two programs are equal, for all inputs and all sizes.

A block stands for a function of the induction variables of the loops around it and of the memory, to another memory or
undefined; a term for a value, poison or undefined. The certificate lists equalities of such functions, in any order;
the checker decides by congruence closure whether the equality of the programs follows. An equality is

1. of two blocks, or of two programs around them, by a theorem (`hecv.theorems`, docs/theorems.md). The certificate
   gives what it states; both sides, and the obligations, are made from that anew. What is known of the place is read
   off the program;
2. of two terms that refine each other (`hecv.kernel.terms.refinement_check`), read the same elements, and convert the
   same exact integers to bits. An index term that is itself an exact integer is not allowed: operators on bits say
   nothing of its value. The exact integers of the programs are in range, and a theorem reads the condition of a branch
   as exact. Failing case: that `2**64*n - 1` is at most the greatest index is true of its bits; in a branch of no
   program, or of a loop that runs there once, it would say that `n` is not positive.

The theorem `cell-last` is special: its sides differ in the final contents of a cell. It is an equality of programs
alone, in which nothing reads the cell except what follows its allocation, in the same block.

Programs are brought into the form that theorems see (`hecv.theorems.schedules.name_normalisation`), which is trusted,
as are the theorems with their obligations, and isl. Nothing is searched for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import FloatType, IndexType
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.kernel.certificate.loop_theorem_format import (
    Applied,
    Copy,
    EqualTerms,
    Equation,
    Schedule,
    Scheduled,
    TheoremsProof,
    theorems_from,
)
from hecv.kernel.certificate.rejection import Malformed, Rejected
from hecv.kernel.certificate.term_rows import type_of
from hecv.kernel.statement_typing import Scope, Trees, require_visible
from hecv.kernel.terms.congruence_closure import Closure, gives_exact, takes_exact
from hecv.kernel.terms.refinement_check import check_refinement
from hecv.kernel.terms.solvers import Solver
from hecv.ops import exposes
from hecv.program.statement_parts import parts_of
from hecv.program.structural_equality import anonymous
from hecv.program.tree import Alloc, Block, Call, Function, If, Loop, Statement, While, walk
from hecv.run.interpreter.outcome_analysis import terms_of
from hecv.theorems.schedules import theorem_instance
from hecv.theorems.schedules.block_accesses import names, operands
from hecv.theorems.schedules.name_normalisation import Names, theorem_form
from hecv.theorems.schedules.no_wrap_premises import Unshown
from hecv.theorems.schedules.schedule_tree import Copy as Run
from hecv.theorems.schedules.schedule_tree import For, Part
from hecv.theorems.schedules.schedule_tree import Schedule as Made
from hecv.theorems.schedules.theorem_instance import INDEX_WIDTH, Branch, Surroundings
from hecv.theorems.transforms.theorem_reconstruction import stated

UNOBSERVED: Final = "cell-last"


def replay_theorems(
    data: Any,
    pool: TermPool,
    functions: tuple[Function, Function],
    constraints: Sequence[Term],
    solver: Solver,
    strict: bool = True,
) -> None:
    """Checks that two functions are equal; `data` is what `hecv.kernel.certificate.loop_theorem_format` writes.

    Unless floats are `strict` (rounded as written), no equality of terms with floats is accepted.
    Requires: arguments do not overlap, and index arithmetic does not overflow.
    Raises: Rejected if the proof fails; Malformed if `data` has another form.
    """
    programs = forms(pool, functions, constraints)
    if not follows(programs, equalities(pool, programs, theorems_from(data), constraints, solver, strict)):
        raise Rejected("congruence", "the programs are not shown to be equal")


def equalities(
    pool: TermPool,
    programs: tuple[Block, Block],
    proof: TheoremsProof,
    constraints: Sequence[Term],
    solver: Solver,
    strict: bool = True,
) -> list[Equality]:
    """The equalities of a proof about two programs, checked, in order: first blocks and programs, then terms.

    Raises: Rejected if one of them is not proved; Malformed.
    """
    trees = Trees(pool, programs, proof.terms, proof.statements, INDEX_WIDTH)
    found: list[Equality] = []
    for number, equation in enumerate(proof.equations):
        found.append(_Equation(pool, trees, tuple(constraints), f"equation {number}").sides(equation))
    strict = strict and not any(isinstance(s, Call) for p in programs for s in walk(p))
    for number, equal in enumerate(proof.equal):
        found.append(_equal_terms(pool, trees, equal, solver, strict, f"terms {number}"))
    return found


def follows(programs: tuple[Block, Block], known: Sequence[Equality]) -> bool:
    """Whether the equality of two programs follows from the `known` equalities by congruence."""
    nodes = _Nodes()
    for equality in known:
        nodes.enter(equality)
    return nodes.are_equal(programs)


def forms(pool: TermPool, functions: tuple[Function, Function], constraints: Sequence[Term]) -> tuple[Block, Block]:
    """Both functions in the form that theorems see.

    Raises: Rejected if theorems do not apply to them.
    """
    if any(exposes(t) for f in functions for t in terms_of(f)):
        raise Rejected("programs", "an op shows which NaN a float is, or has no semantics")
    numbers = Names()
    try:
        first, second = (anonymous(theorem_form(pool, numbers, f, tuple(constraints))) for f in functions)
    except (Unshown, NotAffine) as problem:
        raise Rejected("programs", f"index arithmetic in a condition may overflow: {problem}") from None
    return first, second


class Equality(Struct, frozen=True):
    """Two equal blocks or terms; or two `whole` programs that are equal to an observer, whose local memory may differ
    in the end."""

    one: Block | Term
    other: Block | Term
    whole: bool = False


class _Nodes:
    """Terms, blocks and programs in a congruence closure; flags are part of an operator."""

    def __init__(self) -> None:
        self._closure: Final = Closure()
        self._terms: Final[dict[int, int]] = {}

    def enter(self, equality: Equality) -> None:
        """Merges the nodes of both sides."""
        self._closure.union(*(self._side(side, equality.whole) for side in (equality.one, equality.other)))

    def are_equal(self, programs: tuple[Block, Block]) -> bool:
        """Whether two programs are known to be equal."""
        return self._closure.same(*map(self._program, programs))

    def _side(self, side: Block | Term, whole: bool) -> int:
        if isinstance(side, Term):
            return self._term(side)
        return self._program(side) if whole else self._block(side)

    def _term(self, root: Term) -> int:
        for term in postorder((root,)):
            if term.id not in self._terms:
                kinds = tuple([a.type for a in term.args])
                symbol = ("term", term.op, term.attrs, term.type, kinds)
                self._terms[term.id] = self._node(symbol, [self._terms[a.id] for a in term.args])
        return self._terms[root.id]

    def _block(self, block: Block) -> int:
        number = self._node(("nil",), ())
        for statement in reversed(block):
            shape, groups, blocks = parts_of(statement)
            symbol = ("statement", shape, tuple(map(len, groups)))
            operands = [*[self._term(t) for group in groups for t in group], *map(self._block, blocks)]
            number = self._node(("cons",), (self._node(symbol, operands), number))
        return number

    def _program(self, block: Block) -> int:
        """The node of a program; the final contents of its local memory are not observable."""
        return self._node(("program",), (self._block(block),))

    def _node(self, symbol: tuple[object, ...], operands: Sequence[int]) -> int:
        return self._closure.apply(self._closure.symbol(symbol), operands)


class Hole(Struct, frozen=True):
    """The place of a hole: the types of the variables of the loops around it, the loops and branches around it
    (`known`), what follows it in its block, and the program with a block in its place."""

    scope: Scope
    rest: Block
    known: tuple[Loop | Branch, ...]
    filled: Callable[[Block], Block]
    whole: bool = True
    """Whether the surroundings of the hole are a whole program."""


class _Equation(Struct, frozen=True):
    pool: TermPool
    trees: Trees
    assumptions: tuple[Term, ...]
    step: str

    def sides(self, equation: Equation) -> Equality:
        """The equality that a theorem gives.

        Raises: Rejected if it is not proved.
        """
        if equation.depth < 0:
            raise Malformed(f"{self.step} stands below less than no loops")
        hole = self._hole(equation)
        around = Surroundings(len(hole.scope), hole.known, self.assumptions)
        made = stated(self.pool, around, self._stated(equation.of, hole.scope))
        if made is None:
            raise Rejected(self.step, "it is no instance of a theorem")
        broken = made.broken()
        if broken is not None:
            raise Rejected(self.step, f"the obligation '{broken}' does not hold")
        rest = () if equation.context is not None else self.trees.block(equation.rest, hole.scope)
        before, after = (hole.filled((*side, *rest)) for side in (made.before, made.after))
        unobserved = isinstance(equation.of, Applied) and equation.of.theorem == UNOBSERVED
        if unobserved:
            self._require_unobserved(hole, made.before, (before, after))
        return Equality(before, after, unobserved)

    def _require_unobserved(self, hole: Hole, block: Block, programs: tuple[Block, Block]) -> None:
        first = block[0]
        cell = first.memory.id if isinstance(first, Alloc) else None
        if cell is None or hole.rest or not (hole.whole and all(is_own(p, cell) for p in programs)):
            raise Rejected(self.step, "what the cell holds in the end may be seen")

    def _hole(self, equation: Equation) -> Hole:
        if equation.context is None:
            return Hole((None,) * equation.depth, (), (), lambda block: block, whole=False)
        if equation.depth or equation.rest:
            raise Malformed(f"{self.step} stands where its context says")
        context = self.trees.block(equation.context, (), with_hole=True)
        found = hole_of(context, self.trees.is_hole)
        if found is None:
            raise Malformed(f"{self.step} has its hole where a condition is evaluated")
        return found

    # What is stated

    def _stated(self, of: Scheduled | Applied, scope: Scope) -> theorem_instance.Scheduled | theorem_instance.Applied:
        if isinstance(of, Applied):
            by = None if of.by is None else self.trees.term(of.by)
            require_visible(() if by is None else (by,), scope)
            return theorem_instance.Applied(of.theorem, self.trees.block(of.block, scope), of.at, by)
        parts: list[Part] = []
        for numbers, texts in of.parts:
            types = tuple(map(type_of, texts))
            parts.append(Part(self.trees.block(numbers, (*scope, *types)), types))
        before, after = (tuple([self._item(i, scope, parts) for i in side]) for side in (of.before, of.after))
        return theorem_instance.Scheduled(tuple(parts), before, after, of.reorders)

    def _item(self, item: Schedule, scope: Scope, parts: Sequence[Part]) -> Made:
        if isinstance(item, Copy):
            values = self.trees.terms(item.values)
            require_visible(values, scope)
            if not 0 <= item.part < len(parts) or tuple([v.type for v in values]) != parts[item.part].types:
                raise Rejected(self.step, "a part has a value of its type for each variable")
            return Run(item.part, values)
        kind = type_of(item.type)
        lowers, uppers = self.trees.terms(item.lowers), self.trees.terms(item.uppers)
        require_visible((*lowers, *uppers), scope)
        if not lowers or not uppers or any(t.type != kind for t in (*lowers, *uppers)):
            raise Rejected(self.step, "a loop has bounds of the type of its variable")
        body = tuple([self._item(inner, (*scope, kind), parts) for inner in item.body])
        return For(0, kind, lowers, uppers, item.step, body)


def hole_of(
    block: Block, is_hole: Callable[[Statement], bool], scope: Scope = (), known: tuple[Loop | Branch, ...] = ()
) -> Hole | None:
    """The place of the hole in a block; None if there is none, or it is in what a while does before its condition."""
    for at, statement in enumerate(block):
        if is_hole(statement):
            return Hole(scope, block[at + 1 :], known, lambda b, k=at: (*block[:k], *b, *block[k + 1 :]))
        for field, inner, types, facts in _insides(statement):
            found = hole_of(inner, is_hole, (*scope, *types), (*known, *facts))
            if found is not None:
                return replace(found, filled=_within(block, at, field, found))
    return None


def _within(block: Block, at: int, field: str, inner: Hole) -> Callable[[Block], Block]:
    def filled(hole: Block) -> Block:
        whole = replace(block[at], **{field: inner.filled(hole)})
        return (*block[:at], whole, *block[at + 1 :])

    return filled


def _insides(statement: Statement) -> list[tuple[str, Block, Scope, tuple[Loop | Branch, ...]]]:
    """The blocks of a statement in which a theorem may be applied, by name, with what is known in them."""
    match statement:
        case Loop(body=body):
            return [("body", body, (statement.iv.type,), (statement,))]
        case If(condition=condition, then=then, otherwise=otherwise):
            branches = (("then", then, True), ("otherwise", otherwise, False))
            return [(name, block, (), (Branch(condition, holds),)) for name, block, holds in branches]
        case While(after=after):
            return [("after", after, (), ())]
        case _:
            return []


def is_own(block: Block, cell: int) -> bool:
    """Whether a cell is used only after its allocation in the same block, and not after another one within that."""
    behind = False
    for statement in block:
        if isinstance(statement, Alloc) and statement.memory.id == cell:
            behind = True
            continue
        within = any(isinstance(s, Alloc) and s.memory.id == cell for s in walk((statement,)))
        if cell not in names((statement,)) or (behind and not within):
            continue
        if not isinstance(statement, Loop | If):
            return False
        used = any(t.attr("memory") == cell for o in operands(statement) for t in reads(o))
        if (used and not behind) or not all(is_own(inner, cell) for inner in parts_of(statement)[2]):
            return False
        behind = False
    return True


def _equal_terms(pool: TermPool, trees: Trees, equal: EqualTerms, solver: Solver, strict: bool, step: str) -> Equality:
    """Two terms that are equal.

    Raises: Rejected where it is not shown.
    """
    one, other = trees.term(equal.one), trees.term(equal.other)
    if reads(one) != reads(other) or one.type != other.type:
        raise Rejected(step, "they do not read the same elements")
    if isinstance(one.type, IndexType) and (takes_exact(one) or takes_exact(other)):
        raise Rejected(step, "nothing is said of exact index arithmetic")
    if arithmetic(one) != arithmetic(other):
        raise Rejected(step, "they do not take the same exact integers for bits")
    if not strict and any(isinstance(t.type, FloatType) for t in postorder((one, other))):
        raise Rejected(step, "floats may be rounded otherwise, or a call look at them bit by bit")
    try:
        shown = check_refinement(pool, one, other, equal.proof, solver, INDEX_WIDTH)
    except Rejected as problem:
        raise Rejected(f"{step}, {problem.step}", problem.why) from None
    if not all(shown):
        raise Rejected(step, "they do not refine each other")
    return Equality(one, other)


def reads(term: Term) -> frozenset[Term]:
    """The loads in a term."""
    return frozenset([t for t in postorder((term,)) if t.op == "load"])


def arithmetic(root: Term) -> frozenset[Term]:
    """The exact integers that a term converts to bits: index arithmetic and loop variables that are an operand of an
    operator on bits, or the term itself."""
    taken = [root, *[a for t in postorder((root,)) if not takes_exact(t) for a in t.args]]
    return frozenset([t for t in taken if gives_exact(t) or t.op == "iv"])

"""Transition systems: a function that computes integers by one while, as terms.

The terms are the initial values, the next values after an iteration, the condition, and the results. Each cell that the
loop changes becomes a variable, which stands for its value at the top of an iteration.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from hecv.base.term import Term, TermPool, literal, postorder, rebuild
from hecv.base.types import IntType
from hecv.normal.summaries.full_unrolling import forwarded
from hecv.ops import OPERATORS, facts_about
from hecv.program.block_cloning import is_cell
from hecv.program.read_write_sets import written_cells
from hecv.program.tree import Alloc, Assert, Block, Function, If, Load, MemoryKind, Statement, Store, While, roots, walk

LEAVES: Final = frozenset({"const", "arg", "leaf"})
"""Terms without operands."""


class Turning(Struct, frozen=True):
    """The transition system of a function.

    `variables` are leaves, `first` their initial values, and `following` their values after an iteration, which runs
    where `condition` holds; where it does not, `results` are returned.
    """

    variables: tuple[Term, ...]
    first: tuple[Term, ...]
    condition: Term
    following: tuple[Term, ...]
    results: tuple[Term, ...]


def turning(pool: TermPool, function: Function) -> Turning | None:
    """The transition system of the function; None if it does anything else, or something that may be poison or
    undefined."""
    place = next((k for k, s in enumerate(function.body) if isinstance(s, While)), None)
    if place is None or not _is_plain(function, 1):
        return None
    head, loop, tail = function.body[:place], function.body[place], function.body[place + 1 :]
    assert isinstance(loop, While)
    held: dict[int, Term] = {}
    begun = forwarded(pool, head, held)
    cells = [c for c in sorted(written_cells((loop,))) if c in held]
    names = {c: pool.make("leaf", (), held[c].type, (("number", n), ("proper", True))) for n, c in enumerate(cells)}
    lives = {c: names.get(c, value) for c, value in held.items()}
    turned = forwarded(pool, (*loop.before, Assert(-1, loop.condition, "")), lives)
    after = dict(lives)
    again, ended = forwarded(pool, loop.after, after), forwarded(pool, tail, lives)
    results, checked = _stored(function, ended), turned[-1]
    assert isinstance(checked, Assert)
    if results is None or any(map(_writes_more, walk((*head, loop)))) or any(c not in after for c in cells):
        return None
    if not _is_total((*begun, *turned, *again, *ended)):
        return None
    first, following = (tuple([values[c] for c in cells]) for values in (held, after))
    return Turning(tuple(names.values()), first, checked.condition, following, results)


def computed(pool: TermPool, function: Function) -> tuple[Term, ...] | None:
    """The results of a function that only computes them, as integer terms; None for any other function."""
    if not _is_plain(function, 0):
        return None
    block = forwarded(pool, function.body, {})
    return _stored(function, block) if _is_total(block) else None


class Guess(Struct, frozen=True):
    """A loop invariant to try: a formula with a variable in place of some arguments (`now`, both by number); with
    `so_far`, this combined with what an operator has accumulated in a variable."""

    now: tuple[tuple[int, int], ...]
    so_far: tuple[str, int] | None = None


def accumulating() -> tuple[str, ...]:
    """Operators that accumulate values, and from whose results the first value can be taken away again."""
    return tuple([op for op, o in OPERATORS.items() if o.facts.associative and o.facts.undone_by])


def guessed(pool: TermPool, loop: Turning, formula: Term, guess: Guess) -> Term | None:
    """The invariant as a term over variables and arguments, of the type of the formula; None if there are no such
    variables or arguments, or if they have other types."""
    given = _in_place(loop, formula, guess.now)
    if given is None:
        return None
    now = rebuild(pool, formula, given.get, {})
    if guess.so_far is None:
        return now
    op, number = guess.so_far
    undone_by = facts_about(op).undone_by
    if op not in accumulating() or not 0 <= number < len(loop.variables) or loop.variables[number].type != now.type:
        return None
    variable, first = loop.variables[number], loop.first[number]
    so_far = variable if literal(first) == 0 else pool.make(undone_by, (variable, first), variable.type)
    return pool.make(op, (so_far, now), now.type)


def _in_place(loop: Turning, formula: Term, now: Sequence[tuple[int, int]]) -> dict[Term, Term] | None:
    """The variables in place of arguments."""
    arguments = {t.attr("number"): t for t in postorder((formula,)) if t.op == "arg"}
    found: dict[Term, Term] = {}
    for number, place in now:
        argument = arguments.get(number)
        variable = loop.variables[place] if 0 <= place < len(loop.variables) else None
        if argument is None or variable is None or argument.type != variable.type or argument in found:
            return None
        found[argument] = variable
    return found


def _is_total(block: Block) -> bool:
    """True if all terms of a block, conditions of branches included, are of integers and never poison or undefined."""
    terms = postorder(tuple([t for s in walk(block) for t in roots(s)]))
    return all(
        isinstance(t.type, IntType) and (t.op in LEAVES or facts_about(t.op).total or _shifts(t)) and _unflagged(t)
        for t in terms
    )


def _shifts(term: Term) -> bool:
    """True if a term is a shift by a literal less than its width."""
    by = literal(term.args[1]) if facts_about(term.op).shifts else None
    return isinstance(by, int) and isinstance(term.type, IntType) and by < term.type.width


def _unflagged(term: Term) -> bool:
    return term.op in LEAVES or all(name == "predicate" for name, _ in term.attrs)


def _is_plain(function: Function, whiles: int) -> bool:
    """True if a function has nothing but cells, branches, stores of results, and `whiles` while loops."""
    statements = tuple(walk(function.body))
    found = sum(isinstance(s, While) for s in statements)
    return not function.returned and found == whiles and all(map(_computes, statements))


def _computes(statement: Statement) -> bool:
    match statement:
        case Load(memory=memory):
            return memory.kind is MemoryKind.CELL
        case Store(memory=memory):
            return memory.kind in (MemoryKind.CELL, MemoryKind.RESULT) and not statement.indices
        case Alloc():
            return is_cell(statement)
        case _:
            return isinstance(statement, If | While)


def _writes_more(statement: Statement) -> bool:
    return isinstance(statement, Store) and statement.memory.kind is not MemoryKind.CELL


def _stored(function: Function, block: Block) -> tuple[Term, ...] | None:
    """What a block stores to each result, once; None if it does more, or loads what is not known."""
    found: dict[int, Term] = {}
    for statement in block:
        inner = any(map(_writes_more, walk((statement,)))) if isinstance(statement, If) else False
        if inner or isinstance(statement, Load | While):
            return None
        if isinstance(statement, Store) and _writes_more(statement):
            if statement.memory.id in found:
                return None
            found[statement.memory.id] = statement.value
    wanted = [m.id for m in function.results]
    return tuple([found[m] for m in wanted]) if sorted(found) == sorted(wanted) else None

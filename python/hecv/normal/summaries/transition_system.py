"""A function that computes integers by one while, as terms: the values before it, a turn, and what is made of the last.

Cells become variables: one for each that the loop changes, which stands for its value at the head of a turn.
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


class Turning(Struct, frozen=True):
    """What such a function does. `variables` are leaves, `first` their values before the first turn and `following`
    those after a turn, which is made where `condition` holds; where it does not, `results` are returned."""

    variables: tuple[Term, ...]
    first: tuple[Term, ...]
    condition: Term
    following: tuple[Term, ...]
    results: tuple[Term, ...]


def turning(pool: TermPool, function: Function) -> Turning | None:
    """What the function does, None where it does anything else, or something that may be poison or undefined."""
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
    """The results of a function that only computes them, of integers; None of any other."""
    if not _is_plain(function, 0):
        return None
    block = forwarded(pool, function.body, {})
    return _stored(function, block) if _is_total(block) else None


class Guess(Struct, frozen=True):
    """What may stay as it is from turn to turn: a formula with a variable in the place of some arguments (`now`, both
    by number); with `so_far`, that and what was accumulated in a variable, by an operator."""

    now: tuple[tuple[int, int], ...]
    so_far: tuple[str, int] | None = None


def accumulating() -> tuple[str, ...]:
    """Operators by which values are accumulated, and of which the first value can be taken away again."""
    return tuple([op for op, o in OPERATORS.items() if o.facts.associative and o.facts.undone_by])


def guessed(pool: TermPool, loop: Turning, formula: Term, guess: Guess) -> Term | None:
    """A guess as a term over variables and arguments, of the type of the formula; None where there are no such
    variables or arguments, or of other types."""
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
    """Variables in the place of arguments."""
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
    """Whether all terms of a block are of integers, and never poison or undefined: conditions of branches, too."""
    terms = postorder(tuple([t for s in walk(block) for t in roots(s)]))
    return all(
        isinstance(t.type, IntType) and (t.op in LEAVES or facts_about(t.op).total or _shifts(t)) and _unflagged(t)
        for t in terms
    )


def _shifts(term: Term) -> bool:
    """Whether a term is a shift by less than its width."""
    by = literal(term.args[1]) if facts_about(term.op).shifts else None
    return isinstance(by, int) and isinstance(term.type, IntType) and by < term.type.width


def _unflagged(term: Term) -> bool:
    return term.op in LEAVES or all(name == "predicate" for name, _ in term.attrs)


def _is_plain(function: Function, whiles: int) -> bool:
    """Whether a function has nothing but cells, branches, stores of results and so many whiles."""
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
    """What a block without loads of what is not known stores to each result, once; None where it does more."""
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

"""No-wrap premises: the index arithmetic in a program's conditions does not wrap, so its normal form is exact.

The normal form reads conditions as exact arithmetic, and `exact` of a branch or an assertion notes what that rests on.
Each note is proved to hold wherever its statement runs, so the theorems need not carry it.
"""

from __future__ import annotations

import islpy as isl
from msgspec.structs import replace

from hecv.base.term import Term, TermPool
from hecv.base.types import IndexType
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.model.value_dataflow import Isl
from hecv.program.tree import Assert, Block, If, Loop, Statement, While
from hecv.theorems.schedules.isl_schedules import OPAQUE, Reader
from hecv.theorems.schedules.schedule_equality import OPERATIONS
from hecv.theorems.schedules.theorem_instance import Branch, Surroundings

HALF = 1 << 63
Known = tuple[Loop | Branch, ...]


class Unshown(Exception):
    """A condition whose arithmetic may wrap; `statement` is the id of its branch or assertion."""

    def __init__(self, statement: int) -> None:
        super().__init__(f"statement {statement}")
        self.statement = statement


def exact(pool: TermPool, block: Block, assumptions: tuple[Term, ...]) -> Block:
    """The block without the notes on what its conditions rest on.

    Raises: Unshown if one of them is not proved.
    """
    return _block(pool, block, Surroundings(0, (), assumptions))


def _block(pool: TermPool, block: Block, around: Surroundings) -> Block:
    return tuple(_statement(pool, s, around) for s in block)


def _statement(pool: TermPool, statement: Statement, around: Surroundings) -> Statement:
    match statement:
        case Loop(body=body):
            inside = replace(around, depth=around.depth + 1, known=(*around.known, statement))
            return replace(statement, body=_block(pool, body, inside))
        case If(condition=condition):
            _require(pool, statement, around)
            yes, no = (replace(around, known=(*around.known, Branch(condition, holds))) for holds in (True, False))
            then, otherwise = _block(pool, statement.then, yes), _block(pool, statement.otherwise, no)
            return replace(statement, then=then, otherwise=otherwise, exact=())
        case Assert():
            _require(pool, statement, around)
            return replace(statement, exact=())
        case While(before=before, after=after):
            return replace(statement, before=_block(pool, before, around), after=_block(pool, after, around))
        case _:
            return statement


def _require(pool: TermPool, statement: If | Assert, around: Surroundings) -> None:
    if not all(_holds(pool, term, around) for term in statement.exact):
        raise Unshown(statement.id)


def _holds(pool: TermPool, term: Term, around: Surroundings) -> bool:
    """Whether an index term is in the range of `index`, or an i1 term true, wherever the place is reached."""
    reader = Reader(pool, around)
    try:
        if isinstance(term.type, IndexType):
            text = reader.text(term, {})
            broken = f"({text} < {-HALF} or {text} >= {HALF})"
        else:
            broken = reader.condition(term, False)
        ranges = [f"{-HALF} <= {name} < {HALF}" for leaf, name in reader.parameters.names.items() if _is_index(leaf)]
        space = Isl(reader.parameters, [*reader.given, *ranges], OPERATIONS)
        return bool(space.set(f"{{ : {broken} }}").params().intersect(space.known).is_empty())
    except (NotAffine, isl.Error):
        return False


def _is_index(leaf: Term) -> bool:
    """Whether it is a value of type `index`, and none that stands for an exact term."""
    if leaf.op not in ("arg", "dim", "iv") or not isinstance(leaf.type, IndexType):
        return False
    return leaf.op != "arg" or int(str(leaf.attr("number"))) < OPAQUE

"""Trap obligations: each operator that may be undefined is total, or the other program evaluates it on equal operands.

The dataflow does not reach an operator that may be undefined and has no effect (an assertion, a division whose value is
not used). Which instances of the other program evaluate the same operator is guessed here, and then proved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Final

import islpy as isl

from hecv.base.term import Term, postorder
from hecv.base.types import INDEX
from hecv.dataflow.induction.wellfounded_induction import Induction
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.model.poison_free import Proper
from hecv.dataflow.model.scop import Flattened, Instances
from hecv.dataflow.model.term_instances import At
from hecv.dataflow.model.value_dataflow import Dataflow, Isl
from hecv.dataflow.obligations.static_assertions import is_assured
from hecv.dataflow.pair_model import Pair, same_instances

MOST_CANDIDATES: Final = 3
"""The most operators of another shape that are tried, if assertions stand for all accesses under branches."""

MOST_NODES: Final = 200
"""The most nodes of a term that its shape counts."""


def uncovered(
    pair: Pair, induction: Induction, flow: Dataflow, proper: Proper, side: str
) -> tuple[Instances, Term] | None:
    """An operator that may be undefined and that the other side does not evaluate on equal operands; None if there is
    none."""
    for statement in flow.program.statements:
        domain = flow.domains[statement.name]
        for term in postorder(statement.terms):
            if term.op not in pair.partial or proper.defined(statement, term):
                continue
            known = domain.intersect_params(pair.space.known)
            if induction.covers(statement, term, known) or is_assured(pair.space, proper, statement, term, known):
                continue
            if not _matched(pair, induction, statement, term, side, known):
                return statement, term
    return None


def _matched(pair: Pair, induction: Induction, statement: Instances, term: Term, side: str, domain: isl.Set) -> bool:
    """Whether the other side evaluates the same operator on equal operands: at the same iterations, or on the same
    elements.

    Equal values are not enough: `-1 / z` and `-1 / (z == 0 ? 1 : z)` are equal wherever both are defined.
    """
    other = pair.source.flat if side == "T" else pair.target.flat
    in_parts: list[tuple[At, At, isl.Map]] = []
    for candidate, theirs in _candidates(other, statement, term):
        first, second = (candidate, statement) if side == "T" else (statement, candidate)
        one, two = (theirs, term) if side == "T" else (term, theirs)
        for relation in _relations(pair, induction, At(first, one), At(second, two), other.asserted):
            if not domain.is_subset(relation.range() if side == "T" else relation.domain()):
                in_parts.append((At(first, one), At(second, two), relation))
            elif _proved(induction, At(first, one), At(second, two), relation) and induction.covers(
                statement, term, domain
            ):
                return True
    for left, right, relation in in_parts:
        reached = domain.intersect(relation.range() if side == "T" else relation.domain())
        if reached.is_empty() or induction.covers(statement, term, reached):
            continue
        if _proved(induction, left, right, relation) and induction.covers(statement, term, domain):
            return True
    return False


def _relations(pair: Pair, induction: Induction, source: At, target: At, asserted: bool) -> Iterator[isl.Map]:
    """Guesses at which instances two operators have equal operands, the likeliest first."""
    first, second = source.statement, target.statement
    if asserted:
        yield from islice(_around(induction, first, second), MOST_CANDIDATES)
    if len(first.dims) == len(second.dims):
        yield same_instances(pair, first, second)
    yield same_operands(pair.space, first, source.term, second, target.term)


def _around(induction: Induction, source: Instances, target: Instances) -> Iterator[isl.Map]:
    """The proved relations between instances of statements in the loops around both."""
    seen: set[str] = set()
    for relation in induction.related(source, target):
        if str(relation) not in seen:
            seen.add(str(relation))
            yield relation


def _proved(induction: Induction, source: At, target: At, relation: isl.Map) -> bool:
    proved = induction.prove(source, target, relation)
    if proved:
        induction.traps.append((source, target, relation))
    return proved


def _candidates(other: Flattened, statement: Instances, term: Term) -> list[tuple[Instances, Term]]:
    """Places of the same operator in the other program, those with a similar shape first; if assertions stand for
    accesses, only a few of the others."""
    found = [(s, t) for s in other.statements for t in postorder(s.terms) if t.op == term.op]
    shape = _shape(statement, term)
    far = [((shape - theirs) + (theirs - shape)).total() for theirs in (_shape(s, t) for s, t in found)]
    ranked = sorted(range(len(found)), key=lambda k: far[k])
    if other.asserted:
        ranked = [k for place, k in enumerate(ranked) if not far[k] or place < MOST_CANDIDATES]
    return [found[k] for k in ranked]


def _shape(statement: Instances, term: Term) -> Counter[str]:
    """What a term is made of: its operators, the arrays that it reads, and the arguments and extents in its indices."""
    found: Counter[str] = Counter()
    stack = [term]
    while stack and found.total() < MOST_NODES:
        node = stack.pop()
        if node.op == "load":
            name = statement.reads[node].array
            found[name if name.startswith("A") else "load"] += 1
        elif node.op in ("arg", "dim") or node.type != INDEX:
            found[f"{node.op} {node.attrs}"] += 1
            stack += node.args
        else:
            found["index"] += 1
            stack += [t for t in postorder(node.args) if t.op in ("arg", "dim", "load")]
    return found


def same_operands(space: Isl, source: Instances, left: Term, target: Instances, right: Term) -> isl.Map:
    """The instances at which the terms read the same elements and have equal indices, as far as both have one shape."""
    equal = list(_equalities(source, left, target, right))
    where = " and ".join([source.domain_text(), target.domain_text(), *equal])
    text = f"{{ {source.tuple_text()} -> {target.tuple_text()} : {where} }}"
    return space.coalesced(space.map(text).intersect_params(space.known))


def _equalities(source: Instances, left: Term, target: Instances, right: Term) -> Iterator[str]:
    pairs = [(left, right)]
    seen: set[tuple[int, int]] = set()
    while pairs:
        one, two = pairs.pop()
        if (one.id, two.id) in seen:
            continue
        seen.add((one.id, two.id))
        if one.op == "load" and two.op == "load":
            first, second = source.reads[one], target.reads[two]
            if first.array == second.array:
                yield from (f"{i} = {j}" for i, j in zip(first.indices, second.indices, strict=True))
        elif one.type == two.type == INDEX and (text := _equal(source, one, target, two)):
            yield text
        elif one.op == two.op and len(one.args) == len(two.args):
            pairs.extend(zip(one.args, two.args, strict=True))


def _equal(source: Instances, left: Term, target: Instances, right: Term) -> str | None:
    try:
        return f"{source.translator.index(left).text} = {target.translator.index(right).text}"
    except NotAffine:
        return None

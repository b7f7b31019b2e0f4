"""Directed graph partitioning (PYPM, section 2): the parts of a program that match a pattern."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic, InputError
from hecv.mlir.ssa.ssa_graph import Meaning, Program
from hecv.patterns.calculus.matches import Match
from hecv.patterns.calculus.pattern_ast import RuleFile
from hecv.patterns.machine.machine import Search
from hecv.patterns.machine.pattern_program import compiled
from hecv.rewrite.block_subject import BlockSubject
from hecv.rewrite.replacement_cone import NoMeaning, cone
from hecv.rewrite.rewrite_limits import Reached, Watch, cuts


class Part(Struct, frozen=True):
    """One match: the ops that make its value, and the values that they take, those of the pattern's variables first."""

    meaning: Meaning
    operands: tuple[int, ...]


class Parts(Struct, frozen=True):
    """The parts of a program in order; none if a `limit` was reached before all were found. `notes` list what the
    search did not look at."""

    parts: tuple[Part, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    limit: Reached | None = None


def partition(program: Program, file: RuleFile, pattern: str, watch: Watch | None = None) -> Parts:
    """The matches of a pattern, disjoint except for constants.

    Of two that overlap, the one whose value comes last is taken; it is the larger one if one contains the other.
    Raises: InputError if the file has no such pattern.
    """
    if pattern not in file.definitions:
        hint = "there are: " + ", ".join(file.definitions) if file.definitions else "the file has none"
        message = f"{file.path} has no pattern `{pattern}`"
        raise InputError(Diagnostic("error", "missing-pattern", message, help=hint))
    definitions, watch = compiled(file.definitions), watch or Watch()
    found: list[Part] = []
    notes: dict[Diagnostic, None] = {}
    for block in range(len(program.blocks)):
        search = Search(definitions, BlockSubject.of(program, file.operators, block), frozen=True)
        matches = _matches(program, search, pattern, block, watch)
        notes |= dict.fromkeys(cuts(search))
        if isinstance(matches, str):
            return Parts((), tuple(notes), matches)
        found += reversed(list(_chosen(program, matches)))
    return Parts(tuple(found), tuple(notes))


def _matches(program: Program, search: Search, pattern: str, block: int, watch: Watch) -> dict[int, Match] | Reached:
    """The first match at each op of a block: operands before users, so that what is found out of the ones serves the
    others, however deep a pattern goes."""
    found: dict[int, Match] = {}
    for number in program.ops(block):
        limit = watch.reached()
        if limit is not None:
            return limit
        results = program.op(number).results
        match = search.first(pattern, results[0]) if len(results) == 1 else None
        if match is not None:
            found[number] = match
    return found


def _chosen(program: Program, matches: Mapping[int, Match]) -> Iterator[Part]:
    """The matches that become parts, the last first."""
    taken: set[int] = set()
    for number in reversed(list(matches)):
        part = None if number in taken else _part(program, matches[number], program.op(number).results[0])
        own = set() if part is None else {n for n in part.meaning.ops if program.op(n).operands}
        if part is not None and not own & taken:
            taken |= own
            yield part


def _part(program: Program, match: Match, value: int) -> Part | None:
    """What the match is a part of; None where that is no function of its operands."""
    leaves = tuple(dict.fromkeys(match.terms.values()))
    try:
        meaning, others = cone(program, value, leaves)
    except NoMeaning:
        return None
    every = (*leaves, *others)
    kept = sorted(set(meaning.inputs.values()))
    inputs = {place: kept.index(k) for place, k in meaning.inputs.items()}
    return Part(replace(meaning, inputs=inputs), tuple(every[k] for k in kept))

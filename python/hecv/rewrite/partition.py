"""Directed graph partitioning (PYPM, section 2): the parts of a program that match a pattern."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from hecv.base.diag import Diagnostic, InputError
from hecv.frontend.ssa import Meaning, Program
from hecv.rewrite.cone import NoMeaning, cone
from hecv.rewrite.subject import BlockSubject
from hecv.rules.pattern.core import RuleFile
from hecv.rules.pattern.machine import Search
from hecv.rules.pattern.program import compiled


@dataclass(frozen=True, slots=True)
class Part:
    """One match: what makes its value, and the values that this takes, those of the pattern's variables first."""

    meaning: Meaning
    operands: tuple[int, ...]


def partition(program: Program, file: RuleFile, pattern: str) -> tuple[Part, ...]:
    """The matches of a pattern in program order. No two have an op in common but constants: of two that overlap the one
    whose value comes last is taken, which is the greater where one holds the other.

    Raises: InputError where the file has no such pattern.
    """
    if pattern not in file.definitions:
        hint = "there are: " + ", ".join(file.definitions) if file.definitions else "the file has none"
        message = f"{file.path} has no pattern `{pattern}`"
        raise InputError(Diagnostic("error", "missing-pattern", message, help=hint))
    definitions = compiled(file.definitions)
    found: list[Part] = []
    for block in range(len(program.blocks)):
        search = Search(definitions, BlockSubject.of(program, file.operators, block), frozen=True)
        found += reversed(list(_parts(program, search, pattern, block)))
    return tuple(found)


def _parts(program: Program, search: Search, pattern: str, block: int) -> Iterator[Part]:
    """The matches in a block, the last first."""
    taken: set[int] = set()
    for number in reversed(program.ops(block)):
        results = program.op(number).results
        if number in taken or len(results) != 1:
            continue
        part = _part(program, search, pattern, results[0])
        own = set() if part is None else {n for n in part.meaning.ops if program.op(n).operands}
        if part is not None and not own & taken:
            taken |= own
            yield part


def _part(program: Program, search: Search, pattern: str, value: int) -> Part | None:
    match = search.first(pattern, value)
    if match is None:
        return None
    leaves = tuple(dict.fromkeys(match.terms.values()))
    try:
        meaning, others = cone(program, value, leaves)
    except NoMeaning:
        return None
    every = (*leaves, *others)
    kept = sorted(set(meaning.inputs.values()))
    inputs = {place: kept.index(k) for place, k in meaning.inputs.items()}
    return Part(replace(meaning, inputs=inputs), tuple(every[k] for k in kept))

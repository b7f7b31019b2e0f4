"""Edits of statements with all that is in them: what a pass does that does not look at what depends on what.

Statements are dropped, done twice, exchanged, moved out of a region or into one; loops are split, fused, exchanged,
reversed, made parallel. Where nothing depends on the order, the mutant is right.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from .insertions import is_placed

Lines = list[str]
Span = tuple[int, int]
"""The lines of a statement, the last one excluded."""

FOR = re.compile(r"(\s*)(affine|scf)\.for (%\w+) = ")
SHORT = 40
"""Lines of a statement that is moved, at most."""


def drop_statement(lines: Lines, at: int, random: Random) -> Lines | None:
    """A statement that is no store is missing, with all that is in it."""
    span = statement(lines, at)
    if span is None or re.search(r"^\s*return\b|\bstore\b|\.store ", lines[at]):
        return None
    rest = [*lines[:at], *lines[span[1] :]]
    return None if any(_uses(rest[at:], name) for name in _results(lines[at])) else rest


def repeat_statement(lines: Lines, at: int, random: Random) -> Lines | None:
    """A statement that has an effect is done twice."""
    span = statement(lines, at)
    effect = r"\bstore\b|\.store|call |copy |rmw |insert|^\s*(?:affine|scf|linalg)\.|= (?:affine\.for|scf\.)"
    if span is None or not re.search(effect, lines[at]) or "yield" in lines[at]:
        return None
    head, *more = lines[span[0] : span[1]]
    again = [re.sub(r"^\s*%\w+(:\d+)? = ", r"%zzd\1 = ", head), *more]
    return [*lines[:at], *again, *lines[at:]]


def swap_statements(lines: Lines, at: int, random: Random) -> Lines | None:
    """A statement and the next one are exchanged."""
    first = statement(lines, at)
    second = None if first is None else statement(lines, first[1])
    if (
        first is None
        or second is None
        or any(_uses([lines[k] for k in range(*second)], n) for n in _results(lines[at]))
    ):
        return None
    return [*lines[:at], *lines[second[0] : second[1]], *lines[first[0] : first[1]], *lines[second[1] :]]


def hoist_statement(lines: Lines, at: int, random: Random) -> Lines | None:
    """A statement of a region stands before the op that has the region."""
    span, above = statement(lines, at), _opening(lines, at)
    if span is None or above is None or not is_placed(lines, above):
        return None
    return [*lines[:above], *lines[span[0] : span[1]], *lines[above:at], *lines[span[1] :]]


def sink_statement(lines: Lines, at: int, random: Random) -> Lines | None:
    """A statement stands at the beginning of a region of the next one."""
    span = statement(lines, at)
    into = None if span is None else statement(lines, span[1])
    if span is None or into is None or into[1] - into[0] < 3:
        return None
    opened = [k for k in range(*into) if lines[k].endswith("{")]
    if not opened:
        return None
    place = random.choice(opened)
    return [*lines[:at], *lines[span[1] : place + 1], *lines[span[0] : span[1]], *lines[place + 1 :]]


def swap_loops(lines: Lines, at: int, random: Random) -> Lines | None:
    """Two loops of which one stands in the other are exchanged."""
    heads = [FOR.match(line) for line in lines[at : at + 2]]
    if len(heads) < 2 or not all(heads) or "iter_args" in lines[at] + lines[at + 1]:
        return None
    return [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]


def split_loop(lines: Lines, at: int, random: Random) -> Lines | None:
    """A loop is two, each with a part of the body; values of the first part are computed again."""
    parts = _loop(lines, at)
    if parts is None or len(parts) < 2:
        return None
    split = random.randrange(1, len(parts))
    cut, end = parts[split][0], parts[-1][1]
    values = [lines[k] for k, past in parts[:split] if past == k + 1 and _results(lines[k])]
    return [*lines[:cut], lines[end], lines[at], *values, *lines[cut:]]


def fuse_loops(lines: Lines, at: int, random: Random) -> Lines | None:
    """A loop and the next one, which has the same bounds, are one."""
    first, found = statement(lines, at), FOR.match(lines[at])
    head = None if first is None or first[1] >= len(lines) else FOR.match(lines[first[1]])
    second = None if head is None or first is None else statement(lines, first[1])
    if first is None or second is None or found is None or head is None or "iter_args" in lines[at]:
        return None
    if lines[at][found.end() :] != lines[second[0]][head.end() :]:
        return None
    body = lines[second[0] + 1 : second[1]]
    names = {head[3]: found[3]} | {n: f"%zz{n[1:]}" for line in body for n in _results(line)}
    for old, new in names.items():
        body = [re.sub(rf"{old}(?!\w)", new, line) for line in body]
    return [*lines[: first[1] - 1], *body, *lines[second[1] :]]


def reverse_loop(lines: Lines, at: int, random: Random) -> Lines | None:
    """A loop from 0 counts down."""
    found = re.match(r"\s*affine\.for (%\w+) = 0 to (\d+|%\w+) \{$", lines[at])
    span = statement(lines, at)
    if found is None or span is None:
        return None
    name, bound = found[1], found[2]
    last, operand = ("s0 - 1", f"[{bound}]") if bound.startswith("%") else (str(int(bound) - 1), "[]")
    symbol = "[s0]" if bound.startswith("%") else "[]"
    made = f"%zzr = affine.apply affine_map<(d0){symbol} -> ({last} - d0)>({name}){operand}"
    body = [re.sub(rf"{name}(?!\w)", "%zzr", line) for line in lines[at + 1 : span[1]]]
    return [*lines[: at + 1], made, *body, *lines[span[1] :]]


def parallel_loop(lines: Lines, at: int, random: Random) -> Lines | None:
    """The iterations of a loop are done in any order."""
    counted = re.match(r"\s*affine\.for (%\w+) = (\d+|%\w+) to (\d+|%\w+)( step \d+)? \{$", lines[at])
    if counted is not None:
        low, high = (f"symbol({b})" if b.startswith("%") else b for b in (counted[2], counted[3]))
        step = "" if counted[4] is None else f" step ({counted[4].split()[-1]})"
        head = f"affine.parallel ({counted[1]}) = ({low}) to ({high}){step} {{"
        return [*lines[:at], head, *lines[at + 1 :]]
    stepped = re.match(r"\s*scf\.for (%\w+) = (%[\w#]+) to (%[\w#]+) step (%[\w#]+) \{$", lines[at])
    if stepped is None:
        return None
    head = f"scf.parallel ({stepped[1]}) = ({stepped[2]}) to ({stepped[3]}) step ({stepped[4]}) {{"
    return [*lines[:at], head, *lines[at + 1 :]]


Edit = Callable[[Lines, int, Random], Lines | None]
REARRANGEMENTS: tuple[Edit, ...] = (
    drop_statement,
    repeat_statement,
    swap_statements,
    hoist_statement,
    sink_statement,
    swap_loops,
    split_loop,
    fuse_loops,
    reverse_loop,
    parallel_loop,
)


def statement(lines: Lines, at: int) -> Span | None:
    """The statement that begins on a line; None where none does, or a long one."""
    if at >= len(lines) or not is_placed(lines, at):
        return None
    depth = 0
    for k in range(at, min(at + SHORT, len(lines))):
        depth += sum(lines[k].count(c) for c in "{(") - sum(lines[k].count(c) for c in "})")
        if depth == 0:
            return at, k + 1
    return None


def _opening(lines: Lines, at: int) -> int | None:
    """The line of the op in whose region a line stands."""
    depth = 0
    for k in range(at - 1, -1, -1):
        line = lines[k]
        depth += line.count("}") - line.count("{")
        if depth < 0:
            return None if line.lstrip().startswith("}") else k
        if depth == 0 and line.lstrip().startswith("}") and line.endswith("{"):
            return None  # of the other part of a branch
    return None


def _loop(lines: Lines, at: int) -> list[Span] | None:
    """The statements of the body of a loop that carries nothing."""
    span = statement(lines, at)
    if span is None or FOR.match(lines[at]) is None or "iter_args" in lines[at]:
        return None
    parts: list[Span] = []
    place = at + 1
    while place < span[1] - 1:
        part = statement(lines, place)
        if part is None:
            return None
        parts.append(part)
        place = part[1]
    return parts


def _results(line: str) -> list[str]:
    head, equals, _ = line.partition(" = ")
    return re.findall(r"%\w+", head) if equals and line.lstrip().startswith("%") else []


def _uses(lines: Lines, name: str) -> bool:
    return any(re.search(rf"{name}(?!\w)", line) for line in lines)

"""Removes idle fast-math flags, those that license nothing in either program.

A sum contracts with a product, a cast with a cast, and a reciprocal comes from a quotient: an op that has the flag and
meets no such op computes what it does without it. A flag is removed only if it is idle in both programs, so that ops
with the same flags keep the same flags.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import MemRefType
from hecv.mlir.module.parsed_module import ParsedModule
from hecv.ops.fastmath_flags import EVERY, LICENCES, active_licences, contracts_casts_alone, flags_of, licences_of
from hecv.ops.registry import licensed
from hecv.program.term_substitution import rewrite
from hecv.program.tree import Block, Call, Function, If, Load, Loop, Store, While, walk

_NAME: Final = "fastmath"
_NARROWED: Final = frozenset({"arith.truncf", "arith.convertf"})
_CAST: Final = _NARROWED | {"arith.extf"}
_COMPARED: Final = "arith.cmpf"
_PASSING: Final = frozenset(
    {"arith.select", "arith.negf", "math.absf", "math.copysign", "math.clampf"}
    | {f"arith.{name}" for name in ("maximumf", "minimumf", "maxnumf", "minnumf")}
)
"""Ops that commute with a narrowing of their operands: `-trunc(x)` is `trunc(-x)`."""


def has_flags(modules: tuple[ParsedModule, ParsedModule]) -> bool:
    """True if a float op of either module may have a fast-math flag."""
    return any(module.may_have((_NAME,)) for module in modules)


def without_idle(functions: tuple[Function, Function], pool: TermPool) -> tuple[Function, Function]:
    """Both functions without the licences that have no effect in either.

    Functions with calls that are not inlined, or with uninterpreted ops, keep theirs.
    """
    if any(f.opaque or any(isinstance(s, Call) for s in walk(f.body)) for f in functions):
        return functions
    flagged = [[t for t in f.terms if licensed(t.attrs)] for f in functions]
    idle, apart = LICENCES, False
    for function, terms in zip(functions, flagged, strict=True):
        ops = {(t.op, t.attrs) for t in terms if t.op != _COMPARED}
        active = active_licences(ops)
        if "contract" in active and contracts_casts_alone(ops) and not _casts_meet(function, terms):
            active, apart = active - {"contract"}, apart or _may_overlap(function)
        idle -= active
    if not any(_left_out(t, idle) for terms in flagged for t in terms):
        return functions
    apart = apart and "contract" in idle
    first, second = (_without(f, pool, idle) for f in functions)
    return replace(first, apart=apart), replace(second, apart=apart)


def _without(function: Function, pool: TermPool, idle: frozenset[str]) -> Function:
    made: dict[int, Term] = {}

    def change(root: Term) -> Term:
        for term in postorder((root,)) if root.id not in made else ():
            if term.id not in made:
                args, attrs = tuple([made[a.id] for a in term.args]), term.attrs
                if out := _left_out(term, idle):
                    left = ",".join(sorted(flags_of(tuple(a for a in attrs if a[0] == _NAME)) - out))
                    attrs = tuple((n, left) if n == _NAME else (n, v) for n, v in attrs if n != _NAME or left)
                same = args == term.args and attrs == term.attrs
                made[term.id] = term if same else pool.make(term.op, args, term.type, attrs)
        return made[root.id]

    return replace(function, body=rewrite(function.body, change))


def _left_out(term: Term, idle: frozenset[str]) -> frozenset[str]:
    """The licences of an op that are ignored: idle ones, and all of a comparison, which never rounds and ignores the
    sign of zero.

    Arithmetic with every flag keeps them: together they stand for the reals.
    """
    if term.op == _COMPARED:
        return licences_of(term.attrs)
    return frozenset() if flags_of(term.attrs) >= EVERY else licences_of(term.attrs) & idle


def _casts_meet(function: Function, terms: list[Term]) -> bool:
    """True if a narrowed float may be cast again, by casts that may be contracted.

    A narrowed float passes through selections, memory and everything not known to compute something else.
    """
    narrowed = {t.id for t in terms if t.op in _NARROWED}
    accesses = tuple(_accesses(function.body))
    loads = {a.statement.id: a for a in accesses if isinstance(a.statement, Load)}
    stores = [a for a in accesses if isinstance(a.statement, Store)]
    holding: list[_Access] = []
    while True:
        passed = _passed(function.terms, narrowed, loads, holding)
        found = [a for a in stores if isinstance(a.statement, Store) and a.statement.value.id in passed]
        if len(found) == len(holding):
            return any(t.op in _CAST and t.args[0].id in passed for t in terms)
        holding = found


class _Access(Struct, frozen=True):
    """A load or store with its enclosing loops, outermost first; None stands for a while loop."""

    statement: Load | Store
    around: tuple[Loop | None, ...]
    number: int


def _accesses(block: Block) -> Iterator[_Access]:
    """The accesses of a block, numbered in program order."""
    for number, (statement, around) in enumerate(_enclosed(block, ())):
        yield _Access(statement, around, number)


def _enclosed(block: Block, around: tuple[Loop | None, ...]) -> Iterator[tuple[Load | Store, tuple[Loop | None, ...]]]:
    for statement in block:
        match statement:
            case Load() | Store():
                yield statement, around
            case Loop():
                yield from _enclosed(statement.body, (*around, statement))
            case While():
                yield from _enclosed(statement.before, (*around, None))
                yield from _enclosed(statement.after, (*around, None))
            case If():
                yield from _enclosed(statement.then, around)
                yield from _enclosed(statement.otherwise, around)
            case _:
                pass


def _is_seen(store: _Access, load: _Access) -> bool:
    """True if the load may read what is stored.

    It does not if both are in the same loops, each loop's variable is a subscript at the same position in both, and the
    load comes first: each element then belongs to one iteration, which reads it first.
    """
    if store.statement.memory.id != load.statement.memory.id:
        return False
    if not load.around or [s and s.id for s in load.around] != [s and s.id for s in store.around]:
        return True
    pairs = [(a.id, b.id) for a, b in zip(load.statement.indices, store.statement.indices, strict=True)]
    told = all(loop is not None and (loop.iv.id, loop.iv.id) in pairs for loop in load.around)
    return not (told and load.number < store.number)


def _passed(terms: tuple[Term, ...], narrowed: set[int], loads: dict[int, _Access], holding: list[_Access]) -> set[int]:
    """The terms that may be a narrowed float, given the stores of one."""
    passed = set(narrowed)
    for term in terms:
        match term.op:
            case "read":
                found = any(_is_seen(a, loads[_number(term, "load")]) for a in holding)
            case "load":
                found = any(a.statement.memory.id == _number(term, "memory") for a in holding)
            case _ if _computes(term):
                found = False
            case _:
                found = any(a.id in passed for a in term.args)
        if found:
            passed.add(term.id)
    return passed


def _number(term: Term, name: str) -> int:
    number = dict(term.attrs)[name]
    assert isinstance(number, int)
    return number


def _computes(term: Term) -> bool:
    return term.op.startswith(("arith.", "math.")) and term.op not in _PASSING


def _may_overlap(function: Function) -> bool:
    """True if elements of the caller's memory may overlap and nothing excludes it."""
    shared = [a for a in function.inputs() if a.memory is not None and a.is_shared()]
    layouts = (a.type.layout for a in shared if isinstance(a.type, MemRefType))
    return len(shared) > 1 or any(layout is not None and not layout.distinct for layout in layouts)

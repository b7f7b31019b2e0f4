"""Static analysis before a run: where poison and freed memory may occur, and whether outcomes are nondeterministic."""

from __future__ import annotations

from hecv.base.term import Term, postorder
from hecv.ops import OPERATORS
from hecv.ops.facts.poison_conditions import CHOOSING
from hecv.ops.fastmath_flags import active_licences
from hecv.ops.registry import licensed
from hecv.program.tree import (
    Alloc,
    Block,
    Call,
    Dealloc,
    Evaluate,
    Function,
    If,
    Load,
    Loop,
    MemoryKind,
    Returned,
    Statement,
    Store,
    While,
    roots,
    walk,
)
from hecv.run.codegen.term_code import number_of
from hecv.run.evaluation.op_templates import Patterns


def possible_poison(
    function: Function, order: list[Term], patterns: Patterns, may_overlap: bool = False, proper_calls: bool = False
) -> set[int]:
    """The ids of the terms that may be poison: the least fixpoint over stores and loads.

    `order` has every term, operands first. A local memory initially holds poison. All other poison comes from ops and,
    unless `proper_calls`, from calls. If arguments `may_overlap`, what one holds the others may hold.
    """
    return poison_in(function, order, patterns, may_overlap, proper_calls)[0]


def poison_in(
    function: Function, order: list[Term], patterns: Patterns, may_overlap: bool = False, proper_calls: bool = False
) -> tuple[set[int], set[int]]:
    """The ids of the terms and of the memories that may hold poison, see `possible_poison`."""
    statements = list(walk(function.body))
    loads = {s.id: s.memory.id for s in statements if isinstance(s, Load)}
    stored: dict[int, list[int]] = {}
    inputs = [a.memory.id for a in function.inputs() if a.memory is not None] if may_overlap else []
    for s in statements:
        if isinstance(s, Store):
            same = inputs if s.memory.id in inputs else (s.memory.id,)
            stored.setdefault(s.value.id, []).extend(same)
    memories = {s.memory.id for s in statements if isinstance(s, Alloc) and s.memory.kind is MemoryKind.LOCAL}
    if not proper_calls:
        memories |= {m.id for s in statements if isinstance(s, Call) for m in (*s.memories, *s.results)}
    terms: set[int] = set()
    late: set[int] = set()
    for term in order:
        if _may_be_poison(term, terms, memories, loads, patterns):
            terms.add(term.id)
            for memory in stored.get(term.id, ()):
                if memory not in memories:
                    memories.add(memory)
                    late.add(memory)
    if late:
        _add_late(order, late, terms, memories, (loads, stored), patterns)
    return terms, memories


def _add_late(
    order: list[Term],
    late: set[int],
    terms: set[int],
    memories: set[int],
    uses: tuple[dict[int, int], dict[int, list[int]]],
    patterns: Patterns,
) -> None:
    """Adds what may be poison because of memories found to be `late`, after some terms had been visited.

    `uses` are the memory that each load reads, and the memories that hold each term.
    """
    loads, stored = uses
    dependents: dict[object, list[Term]] = {}
    for term in order:
        for source in (*[a.id for a in term.args], *_memory_read(term, loads)):
            dependents.setdefault(source, []).append(term)
    pending = [term for memory in late for term in dependents.get(("memory", memory), ())]
    while pending:
        term = pending.pop()
        if term.id in terms or not _may_be_poison(term, terms, memories, loads, patterns):
            continue
        terms.add(term.id)
        pending.extend(dependents.get(term.id, ()))
        for memory in stored.get(term.id, ()):
            if memory not in memories:
                memories.add(memory)
                pending.extend(dependents.get(("memory", memory), ()))


def _memory_read(term: Term, loads: dict[int, int]) -> tuple[tuple[str, int], ...]:
    if term.op == "read":
        return (("memory", loads[number_of(term, "load")]),)
    return (("memory", number_of(term, "memory")),) if term.op == "load" else ()


def _may_be_poison(term: Term, terms: set[int], memories: set[int], loads: dict[int, int], patterns: Patterns) -> bool:
    match term.op:
        case "const" | "arg" | "dim" | "iv":
            return False
        case "read" | "load":
            return any(memory in memories for _, memory in _memory_read(term, loads))
        case _:
            if patterns.is_plain(term) and (not terms or terms.isdisjoint([a.id for a in term.args])):
                return False
            return patterns.of(term, tuple([a.id not in terms for a in term.args])).poison is not None


def chooses(function: Function) -> bool:
    """True if an op is nondeterministic by nature: two correct runs of the function may differ."""
    return any(term.op in CHOOSING for f in (function, *function.callees.values()) for term in terms_of(f))


def leaves_choice(function: Function) -> bool:
    """True if two correct runs of the function may differ, by the nature of an op or by its fast-math flags."""
    return any(term.op in CHOOSING or licensed(term.attrs) for term in terms_of(function))


def shows_order(function: Function) -> bool:
    """True if results may depend on the order of a parallel loop's iterations without a race, as for sums or
    products of floats."""
    loops = (s for s in walk(function.body) if isinstance(s, Loop) and s.parallel)
    inside = (s for loop in loops for s in walk(loop.body) if isinstance(s, Store))
    return any(s.memory.kind is MemoryKind.CELL and licensed(s.value.attrs) for s in inside)


def has_one_outcome(function: Function) -> bool:
    """True if each op is defined and not poison for all non-poison operands, and none is nondeterministic.

    If only memory can be undefined, and accesses are shown to be in bounds and initialised, the function may be
    compiled and run: every correct compiler gives the same results.
    """
    if leaves_choice(function) or function.callees:
        return False
    patterns = Patterns(64)
    for term in terms_of(function):
        if term.op in OPERATORS:
            found = patterns.of(term, tuple(True for _ in term.args))
            if found.poison is not None or found.ub is not None or found.open:
                return False
    return True


def terms_of(function: Function) -> list[Term]:
    """Every term of a function, operands before users."""
    return list(function.terms)


def active_in(function: Function) -> frozenset[str]:
    """The licences that flags give and that have an effect, in a function and its callees."""
    ops = {(t.op, t.attrs) for f in (function, *function.callees.values()) for t in f.terms if t.attrs}
    return active_licences({(op, attributes) for op, attributes in ops if licensed(attributes)})


def containing(order: list[Term], op: str) -> set[int]:
    """The ids of the terms in which `op` occurs; `order` has operands before users."""
    found: set[int] = set()
    for term in order if any(t.op == op for t in order) else ():
        if term.op == op or any(a.id in found for a in term.args):
            found.add(term.id)
    return found


def placing(function: Function) -> set[int]:
    """The ids of the terms of which a subscript, a bound, an extent, an assertion or an `affine` expression is made,
    also through cells and local memory. Of index arithmetic in these it is assumed that it does not overflow.

    The condition of a while is a bound, and so is what a call is given.
    """
    held: dict[int, list[Term]] = {}
    loads: dict[int, int] = {}
    found: list[Term] = []
    told = {function.results[k].id for r in function.returned for k in r.scalars(_rank(function, r))}
    for s in walk(function.body):
        match s:
            case Load():
                found += s.indices
                loads[s.id] = s.memory.id
            case Store():
                found += s.indices
                found += (s.value,) if s.memory.id in told else ()
                held.setdefault(s.memory.id, []).append(s.value)
            case Evaluate() | If():
                pass
            case _:
                found += roots(s)
    found += [a for t in function.terms if t.op == "load" or _is_exact(t) for a in t.args]
    own = {m for m, memory in function.memories().items() if memory.kind in (MemoryKind.CELL, MemoryKind.LOCAL)}
    seen: set[int] = set()
    while found:
        term = found.pop()
        if term.id in seen:
            continue
        seen.add(term.id)
        found += term.args
        memory = next((m for _, m in _memory_read(term, loads)), None)
        if memory in own:
            found += held.pop(memory, [])
    return seen


def _rank(function: Function, returned: Returned) -> int:
    """The number of dimensions of a returned memref."""
    taken = next(a.memory for a in function.arguments if a.number == returned.taken)
    assert taken is not None
    return len(taken.extents)


def _is_exact(term: Term) -> bool:
    operator = OPERATORS.get(term.op)
    return operator is not None and operator.exact


def possibly_dead(function: Function) -> tuple[set[int], set[int]]:
    """The ids of statements that may use a memory after its `Dealloc`, and of these memories."""
    if not any(isinstance(s, Dealloc) for s in walk(function.body)):
        return set(), set()
    statements: set[int] = set()
    memories: set[int] = set()
    loaded: dict[int, frozenset[int]] = {}

    def visit(block: Block, dead: set[int]) -> set[int]:
        for s in block:
            used = dead & _used(s, loaded) if dead else dead
            if used:
                statements.add(s.id)
                memories.update(used)
            match s:
                case Alloc():
                    dead = dead - {s.memory.id}
                case Dealloc():
                    dead = dead | {s.memory.id}
                case Loop():
                    again = dead | {x.memory.id for x in walk(s.body) if isinstance(x, Dealloc)}
                    dead = dead | visit(s.body, again)
                case While():
                    again = dead | {x.memory.id for x in walk((s,)) if isinstance(x, Dealloc)}
                    dead = dead | visit(s.before, again) | visit(s.after, again)
                case If():
                    dead = visit(s.then, dead) | visit(s.otherwise, dead)
                case _:
                    pass
        return dead

    visit(function.body, set())
    return statements, memories


def _used(statement: Statement, loaded: dict[int, frozenset[int]]) -> set[int]:
    """The memories a statement uses; `loaded` remembers those that terms load from."""
    used: set[int] = set()
    for root in roots(statement):
        if root.id not in loaded:
            for t in postorder((root,)):
                own = frozenset((number_of(t, "memory"),)) if t.op == "load" else frozenset[int]()
                loaded[t.id] = own.union(*[loaded[a.id] for a in t.args])
        used |= loaded[root.id]
    if isinstance(statement, Load | Store | Dealloc):
        used.add(statement.memory.id)
    if isinstance(statement, Call):
        used.update(m.id for m in statement.memories)
    return used

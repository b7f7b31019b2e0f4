"""Access relations of a block, as isl maps from its induction variables; what isl cannot express is "any element".

A call of a function without a body accesses every memory that it can reach, and the world state: two calls are never
exchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import islpy as isl
from msgspec import Struct

from hecv.base.term import Term, TermPool, postorder
from hecv.dataflow.model.isl_translation import NotAffine, Parameters, Quasi
from hecv.dataflow.model.value_dataflow import Isl
from hecv.program.tree import (
    Alloc,
    Assert,
    Block,
    Call,
    Dealloc,
    Evaluate,
    If,
    Load,
    Loop,
    Statement,
    Store,
    Touch,
    While,
    walk,
)
from hecv.theorems.schedules.schedule_tree import Part, depth_of, step_of, uses


class Texts(Protocol):
    """Translates index terms, see `hecv.theorems.schedules.isl_schedules.Reader`."""

    parameters: Parameters

    def text(self, term: Term, own: dict[int, Quasi], found: set[Term] | None = None) -> str: ...


def operands(statement: Statement) -> tuple[Term, ...]:
    """The terms of a statement itself, without those of the blocks that it encloses."""
    match statement:
        case Load(indices=indices):
            return indices
        case Store(indices=indices, value=value):
            return (*indices, value)
        case Alloc(memory=memory):
            return memory.extents
        case Dealloc():
            return ()
        case Evaluate(term=term):
            return (term,)
        case Touch(accesses=accesses, terms=terms):
            return (*accesses, *terms)
        case Loop():
            return (*statement.lowers, *statement.uppers, statement.step)
        case If() | Assert():
            return (statement.condition, *statement.exact)
        case While(condition=condition):
            return (condition,)
        case Call():
            return statement.operands


def sees(block: Block, depth: int) -> bool:
    """Whether the induction variable at `depth` occurs in the block."""
    memo: dict[int, bool] = {}
    return any(uses(t, depth, memo) for s in walk(block) for t in operands(s))


def changed(block: Block) -> frozenset[int]:
    """The memories that the block may write, allocate or deallocate."""
    found: set[int] = set()
    for statement in walk(block):
        match statement:
            case Store(memory=memory) | Alloc(memory=memory) | Dealloc(memory=memory):
                found.add(memory.id)
            case Call(memories=memories, results=results):
                found.update(m.id for m in (*memories, *results))
            case _:
                pass
    return frozenset(found)


def private(block: Block) -> frozenset[int]:
    """The private memories of the block: each run allocates them at the top of the block, before any use."""
    named: set[int] = set()
    own: set[int] = set()
    for statement in block:
        if isinstance(statement, Alloc) and statement.memory.id not in named:
            own.add(statement.memory.id)
        named |= names((statement,))
    return frozenset(own)


def names(block: Block) -> set[int]:
    """Every memory that the block names."""
    loads = {t for s in walk(block) for t in postorder(operands(s)) if t.op == "load"}
    return set(changed(block)) | {_memory(t) for t in loads}


def _memory(load: Term) -> int:
    memory = load.attr("memory")
    assert isinstance(memory, int)
    return memory


class Access(Struct, frozen=True):
    """Elements of a memory that an instance accesses; an index of None is any element. `dims` are the loops inside the
    part."""

    memory: str
    indices: tuple[str | None, ...]
    dims: tuple[str, ...]
    constraints: tuple[str, ...]
    write: bool


class Accesses:
    """The access relations of one part; `relation` makes isl maps of them."""

    def __init__(self, pool: TermPool, texts: Texts, depth: int, part: Part) -> None:
        self._texts = texts
        self._depth = depth
        self.count = len(part.types)
        own = {depth + k: Quasi(f"x{k}", False, False) for k in range(self.count)}
        self.private = private(part.block)
        self.found: dict[Access, None] = {}
        self._block(part.block, own, (), ())

    def _block(self, block: Block, own: dict[int, Quasi], dims: tuple[str, ...], constraints: tuple[str, ...]) -> None:
        for statement in block:
            self._statement(statement, own, dims, constraints)

    def _statement(
        self, statement: Statement, own: dict[int, Quasi], dims: tuple[str, ...], constraints: tuple[str, ...]
    ) -> None:
        for load in postorder(operands(statement)):
            if load.op == "load":
                self._access(_memory(load), load.args, own, dims, constraints, False)
        match statement:
            case Store(memory=memory, indices=indices):
                self._access(memory.id, indices, own, dims, constraints, True)
            case Alloc(memory=memory) | Dealloc(memory=memory):
                self._whole(memory.id, len(memory.extents), dims, constraints)
            case Loop():
                inner = f"y{len(dims)}"
                within = {**own, depth_of(statement.iv): Quasi(inner, False, False)}
                ranges = self._range(statement, inner, own)
                self._block(statement.body, within, (*dims, inner), (*constraints, *ranges))
            case If():
                self._block(statement.then, own, dims, constraints)
                self._block(statement.otherwise, own, dims, constraints)
            case While():
                self._block(statement.before, own, dims, constraints)
                self._block(statement.after, own, dims, constraints)
            case Call():
                self.found[Access("calls", (), dims, constraints, True)] = None
                for memory in (*statement.memories, *statement.results):
                    self._whole(memory.id, len(memory.extents), dims, constraints)
            case _:
                pass

    def _range(self, loop: Loop, dim: str, own: dict[int, Quasi]) -> Iterator[str]:
        if loop.unsigned:
            return
        for bound in loop.lowers:
            text = self._text(bound, own)
            if text is not None:
                yield f"{text} <= {dim}"
        for bound in loop.uppers:
            text = self._text(bound, own)
            if text is not None:
                yield f"{dim} < {text}"
        step = step_of(loop)
        low = self._text(loop.lowers[0], own) if len(loop.lowers) == 1 else None
        if low is not None and step is not None and step > 1:
            yield f"({dim} - ({low})) mod {step} = 0"

    def _text(self, term: Term, own: dict[int, Quasi]) -> str | None:
        """The text of a term whose value is the same whenever the part runs; None where that is not seen."""
        if any(t.op in ("load", "read") for t in postorder((term,))):
            return None
        try:
            return self._texts.text(term, own, set())
        except NotAffine:
            return None

    def _access(
        self,
        memory: int,
        indices: tuple[Term, ...],
        own: dict[int, Quasi],
        dims: tuple[str, ...],
        constraints: tuple[str, ...],
        write: bool,
    ) -> None:
        texts = tuple(self._text(i, own) for i in indices)
        self.found[Access(f"M{memory}", texts, dims, constraints, write)] = None

    def _whole(self, memory: int, rank: int, dims: tuple[str, ...], constraints: tuple[str, ...]) -> None:
        self.found[Access(f"M{memory}", (None,) * rank, dims, constraints, True)] = None

    def relation(self, space: Isl, access: Access) -> isl.Map:
        """From the part's variables to the elements accessed."""
        values = ", ".join(f"x{k}" for k in range(self.count))
        elements = [f"m{k}" for k in range(len(access.indices))]
        equal = [f"{m} = {i}" for m, i in zip(elements, access.indices, strict=True) if i is not None]
        body = " and ".join([*equal, *access.constraints]) or "1 = 1"
        within = f"exists {', '.join(access.dims)} : {body}" if access.dims else body
        return space.map(f"{{ [{values}] -> {access.memory}[{', '.join(elements)}] : {within} }}")


def conflicts(
    space: Isl, first: Accesses, second: Accesses, pairs: isl.Map, aside: frozenset[int] = frozenset()
) -> bool:
    """Whether there is a dependence: in some pair of instances one writes an element that the other accesses.

    Memories that both allocate anew in each run do not count, nor do those set `aside`.
    """
    exempt = {f"M{m}" for m in first.private & second.private | aside}
    plain = _untupled(pairs)
    for one in first.found:
        for other in second.found:
            if one.memory != other.memory or one.memory in exempt or not (one.write or other.write):
                continue
            same = first.relation(space, one).apply_range(second.relation(space, other).reverse())
            if not same.intersect(plain).is_empty():
                return True
    return False


def _untupled(pairs: isl.Map) -> isl.Map:
    """The relation without the names of its tuples."""
    named: list[Callable[[isl.Map], isl.Map]] = [
        lambda m: m.reset_tuple_id(isl.dim_type.in_),
        lambda m: m.reset_tuple_id(isl.dim_type.out),
    ]
    for strip in named:
        pairs = strip(pairs)
    return pairs

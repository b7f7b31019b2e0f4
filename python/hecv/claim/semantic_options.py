"""Semantic options: the semantics that a user can switch, and what a proof cannot handle under each choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.diagnostics import Unsupported
from hecv.base.term import Term
from hecv.base.types import FloatType, IndexType, IntType, MemRefType, OpaqueType, ScalarType
from hecv.claim.index_overflow import may_wrap
from hecv.ops.fastmath_flags import FloatMode
from hecv.program.tree import Call, Function, Load, Loop, Store, walk
from hecv.run.interpreter.interpreter import Freedom
from hecv.run.interpreter.outcome_analysis import terms_of

DISTINCT_IN_TARGET: Final = "the target takes arguments to be distinct that the source does not (--alias may)"


class Switches(Struct, frozen=True):
    """The semantic options `--index-width`, `--index-overflow wrap`, `--alias may` and `--fp`."""

    index_width: int = 64
    index_wraps: bool = False
    may_overlap: bool = False
    floats: FloatMode = "strict"

    def freedom(self) -> Freedom:
        """What a run may do beyond the default assumptions."""
        return Freedom(self.index_wraps, self.may_overlap)


def unproved(functions: tuple[Function, Function], switches: Switches, given: Sequence[Term]) -> str | None:
    """Why a proof with exact indices and arguments that do not overlap does not apply under the switches; None if it
    does.

    The i1 terms `given` are assumed to hold.
    """
    if _indices_matter(functions, switches, given):
        return "index arithmetic may overflow (--index-overflow wrap)"
    if switches.may_overlap and not functions[1].distinct <= functions[0].distinct:
        return DISTINCT_IN_TARGET
    return "memref arguments may overlap (--alias may)" if _overlap_matters(functions, switches) else None


def unproved_by_dataflow(functions: tuple[Function, Function], switches: Switches, given: Sequence[Term]) -> str | None:
    """Why array dataflow, which handles overlapping arguments, does not apply under the switches; None if it does."""
    if not _overlap_matters(functions, switches):
        return unproved(functions, switches, given)
    if _indices_matter(functions, switches, given):
        return "index arithmetic may overflow (--index-overflow wrap)"
    if not functions[1].distinct <= functions[0].distinct:
        return DISTINCT_IN_TARGET
    if has_open_layouts(functions[0]):
        return "elements of a memref argument may overlap (--alias may)"
    if any(map(_races_by_overlap, functions)):
        return "iterations of a parallel loop may race where memref arguments overlap (--alias may)"
    if any(f.alone & f.overlapping for f in functions):
        return "a copy leaves open what it does where memref arguments overlap in part (--alias may)"
    kinds = {a.memory.element for a in functions[0].inputs() if a.memory is not None and a.is_shared()}
    if len(kinds) > 1 and not all(map(_has_whole_bytes, kinds)):
        return "elements that have no whole number of bytes may overlap others (--alias may)"
    return None


def overlapping(functions: tuple[Function, Function], switches: Switches) -> tuple[Function, Function]:
    """The functions with the memories that may overlap under the switches.

    Raises: Unsupported if a parallel loop updates memory atomically that another access may overlap, or if casts could
        be contracted through memory.
    """
    if not _overlap_matters(functions, switches):
        return functions
    if any(f.apart for f in functions):
        raise Unsupported("casts may be contracted (`fastmath`) where arguments overlap", functions[1].location)
    for function, loop in ((f, s) for f in functions for s in walk(f.body) if isinstance(s, Loop) and s.updated):
        raise Unsupported("atomic updates of memory that may overlap other memory", function.locations.get(loop.id))
    shared = [a.is_shared() for a in functions[0].inputs()]
    first, second = (
        frozenset(a.memory.id for a, is_shared in zip(f.inputs(), shared, strict=True) if is_shared and a.memory)
        for f in functions
    )
    distinct = functions[0].distinct  # what the source says of inputs holds for both
    return (
        replace(functions[0], overlapping=first),
        replace(functions[1], overlapping=second, distinct=functions[1].distinct | distinct),
    )


def require_wide(functions: tuple[Function, Function], switches: Switches) -> None:
    """Checks that no floats of 8 bits are to be regrouped: not all of their formats have infinities and two zeros.

    Raises: Unsupported.
    """
    if switches.floats == "strict":
        return
    for kind in {t.type for f in functions for t in terms_of(f)}:
        if isinstance(kind, FloatType) and kind.small:
            text = f"under `--fp {switches.floats}`, floats of type {kind} are not supported"
            raise Unsupported(text, functions[1].location)


def _races_by_overlap(function: Function) -> bool:
    """Whether a parallel loop may race because inputs overlap: it writes one, and accesses another."""
    shared = {a.memory.id for a in function.inputs() if a.memory is not None and a.is_shared()}
    loops = (s for s in walk(function.body) if isinstance(s, Loop) and s.parallel)
    for loop in loops:
        inner = list(walk(loop.body))
        written = {s.memory.id for s in inner if isinstance(s, Store)} & shared
        accessed = written | {s.memory.id for s in inner if isinstance(s, Load)} & shared
        if any(isinstance(s, Call) for s in inner) or (written and len(accessed) > 1):
            return True
    return False


def _indices_matter(functions: tuple[Function, Function], switches: Switches, given: Sequence[Term]) -> bool:
    """Whether index arithmetic may wrap under the switches."""
    width = switches.index_width
    return switches.index_wraps and any(computes_indices(f) and may_wrap(f, width, given) for f in functions)


def _overlap_matters(functions: tuple[Function, Function], switches: Switches) -> bool:
    """Whether some input may overlap another, or itself, and one of them is written."""
    overlaps = has_several_memrefs(functions[0]) or has_open_layouts(functions[0])
    return switches.may_overlap and overlaps and any(map(_writes_inputs, functions))


def _has_whole_bytes(kind: ScalarType) -> bool:
    if isinstance(kind, OpaqueType):
        return False  # it is not known
    return not isinstance(kind, IntType) or kind.width % 8 == 0


def computes_indices(function: Function) -> bool:
    """Whether an index is computed: by an op, a step other than 1, or any step of a loop that compares unsigned, which
    may go beyond the greatest signed index."""
    if any(isinstance(t.type, IndexType) and t.args and t.op != "load" for t in function.terms):
        return True
    loops = any(isinstance(s, Loop) and _steps_beyond(s) for s in walk(function.body))
    return loops or any(map(computes_indices, function.callees.values()))


def _steps_beyond(loop: Loop) -> bool:
    """Whether a step of a loop may leave the range of `index`."""
    return loop.step.attrs != (("value", 1),) or (loop.unsigned and isinstance(loop.iv.type, IndexType))


def computes_floats(function: Function) -> bool:
    """Whether an op has a float operand or result."""
    return any(isinstance(x.type, FloatType) for t in function.terms if t.args and t.op != "load" for x in (t, *t.args))


def has_several_memrefs(function: Function) -> bool:
    """Whether two inputs may share memory."""
    return sum(a.is_shared() for a in function.inputs()) >= 2


def has_open_layouts(function: Function) -> bool:
    """Whether two elements of one argument may share memory, because of its strides."""
    layouts = (a.type.layout for a in function.arguments if isinstance(a.type, MemRefType))
    return any(layout is not None and not layout.distinct for layout in layouts)


def _writes_inputs(function: Function) -> bool:
    """Whether an input is written, by the function or by one that it may call; what has no body may write all memory,
    whatever overlaps."""
    shared = {a.memory.id for a in function.inputs() if a.memory is not None and a.is_shared()}
    own = any(isinstance(s, Store) and s.memory.id in shared for s in walk(function.body))
    return own or any(_writes_inputs(replace(callee, callees={})) for callee in function.callees.values())

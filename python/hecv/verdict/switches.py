"""The semantics that a user can switch, and what a proof cannot hold under each choice."""

from __future__ import annotations

from dataclasses import dataclass

from hecv.base.term import postorder
from hecv.base.types import FloatType, IndexType, MemRefType
from hecv.dialects.licences import FloatMode
from hecv.execute.interpreter import Freedom
from hecv.graph.text import roots
from hecv.graph.tree import Function, Loop, Store, walk


@dataclass(frozen=True, slots=True)
class Switches:
    """`--index-width`, `--index-overflow wrap`, `--alias may` and `--fp`."""

    index_width: int = 64
    index_wraps: bool = False
    may_overlap: bool = False
    floats: FloatMode = "strict"

    def freedom(self) -> Freedom:
        """What a run may do beyond the assumptions that are made by default."""
        return Freedom(self.index_wraps, self.may_overlap)


def unproved(functions: tuple[Function, Function], switches: Switches) -> str | None:
    """Why array dataflow, which computes indices exactly and keeps arguments apart, says nothing under the switches;
    None where it does."""
    if switches.index_wraps and any(map(computes_indices, functions)):
        return "index arithmetic may overflow (--index-overflow wrap)"
    overlaps = has_several_memrefs(functions[0]) or has_open_layouts(functions[0])
    if switches.may_overlap and overlaps and any(map(_writes_inputs, functions)):
        return "memref arguments may overlap (--alias may)"
    return None


def computes_indices(function: Function) -> bool:
    """Whether an index is the result of arithmetic: of an op, or of a step other than 1."""
    terms = postorder(tuple(t for s in walk(function.body) for t in roots(s)))
    if any(t.args and isinstance(t.type, IndexType) and t.op != "load" for t in terms):
        return True
    return any(isinstance(s, Loop) and s.step.attrs != (("value", 1),) for s in walk(function.body))


def computes_floats(function: Function) -> bool:
    """Whether an op takes or makes a float."""
    terms = postorder(tuple(t for s in walk(function.body) for t in roots(s)))
    return any(isinstance(x.type, FloatType) for t in terms if t.args and t.op != "load" for x in (t, *t.args))


def has_several_memrefs(function: Function) -> bool:
    """Whether two inputs could share memory."""
    return sum(a.is_shared() for a in function.inputs()) >= 2


def has_open_layouts(function: Function) -> bool:
    """Whether two elements of one argument could share memory, because of its strides."""
    layouts = (a.type.layout for a in function.arguments if isinstance(a.type, MemRefType))
    return any(layout is not None and not layout.distinct for layout in layouts)


def _writes_inputs(function: Function) -> bool:
    shared = {a.memory.id for a in function.inputs() if a.memory is not None and a.is_shared()}
    return any(isinstance(s, Store) and s.memory.id in shared for s in walk(function.body))

"""`bufferization.clone`, read as a copy. LangRef lets the clone alias its source.

Cites: bufferization dialect, `clone`: "valid implementations may alias the input and output views or create an actual
       copy; mutating the source or result after the clone operation thus leads to undefined behavior". It is read as a
       copy only if neither is written afterwards. Source and clone each live until they are freed themselves. A
       returned clone might be the caller's own memref, and is unsupported.
"""

from __future__ import annotations

from collections.abc import Mapping

from torch_mlir import ir

from hecv.base.types import MemRefType
from hecv.mlir.memory.memref_copies import copy
from hecv.mlir.memory.memref_ops import allocate
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.mlir.read.memref_views import whole
from hecv.program.tree import Alloc, Block, Call, Loop, Statement, Store, While, walk


def _read_clone(reader: Reader, op: ir.Operation) -> None:
    """Example: `%b = bufferization.clone %a : memref<?xf32> to memref<?xf32>`."""
    source, kind = reader.view(op, op.operands[0]), reader.type_of(op, op.result.type)
    assert isinstance(kind, MemRefType)
    known = [None if n is None else reader.pool.integer(n) for n in kind.shape]
    fits = len(known) == len(source.extents) and all(n in (None, e) for n, e in zip(known, source.extents, strict=True))
    if kind.layout is not None or not fits:
        reader.reject(op, f"a clone of the type `{op.result.type}` is not supported")
    made = allocate(reader, op, kind, source.extents)
    copy(reader, op, source, whole(reader.pool, made), source.extents)
    reader.alone.add(source.memory.id)
    reader.cloned[made.id] = op, source.memory
    reader.views[op.result] = whole(reader.pool, made)


def require_unwritten_clones(reader: Reader) -> None:
    """Raises: Unsupported if a clone or its source may be written after the clone was made."""
    body = tuple(reader.block)
    for made, (op, source) in reader.cloned.items():
        if any(isinstance(s, Call) for s in walk(body)):
            reader.reject(
                op, "a clone in a function with calls is not supported: a call may write the clone or its source"
            )
        if sum(_writes(s, made) for s in walk(body)) > 1:  # one is the clone itself
            reader.reject(op, "a clone that may be written is not supported")
        if _is_written_later(body, source.id, made):
            reader.reject(op, f"%{source.name} may be written after it was cloned, which is not supported")


def _is_written_later(body: Block, source: int, made: int) -> bool:
    """True if a memory may be written after its clone was made: below it in the text, or in another iteration."""
    seen = False
    for statement in walk(body):
        again = isinstance(statement, Loop | While) and _makes(statement, made) and not _makes(statement, source)
        if again and any(_writes(s, source) for s in walk((statement,))):
            return True
        if seen and _writes(statement, source):
            return True
        seen |= isinstance(statement, Alloc) and statement.memory.id == made
    return False


def _makes(statement: Statement, memory: int) -> bool:
    return any(isinstance(s, Alloc) and s.memory.id == memory for s in walk((statement,)))


def _writes(statement: Statement, memory: int) -> bool:
    return isinstance(statement, Store) and statement.memory.id == memory


HANDLERS: Mapping[str, Handler] = {"bufferization.clone": _read_clone}

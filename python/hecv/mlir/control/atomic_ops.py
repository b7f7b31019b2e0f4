"""Atomic updates: `memref.atomic_rmw` and `memref.generic_atomic_rmw`.

Outside parallel loops an update is a load and a store. Inside one, it is so in any order of the iterations if its
operator is associative and commutative, the old value is not used, and the loop accesses the memory in no other way;
such memories are noted on the loop (`Loop.updated`). For floats, any order is one that `reassoc` licenses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from torch_mlir import ir

from hecv.base.term import Term, postorder
from hecv.mlir.control.parallel_ops import LOOPS, combines
from hecv.mlir.read.function_reader import Handler, Reader
from hecv.mlir.read.memref_views import View
from hecv.ops import facts_about
from hecv.ops.atomic_rmw import UPDATES, kind_in
from hecv.ops.fastmath_flags import flags_of
from hecv.program.tree import Store

BESIDE: Final = frozenset({"gpu.launch", "omp.parallel", "async.execute"})
"""Ops, apart from parallel loops, whose regions run concurrently with something."""


def _is_parallel(reader: Reader, op: ir.Operation) -> bool:
    """True if the update is in a parallel loop. Rejects an update that may run concurrently elsewhere."""
    around, found = op.parent, False
    while around is not None:
        if around.name in BESIDE:
            reader.reject(op, f"an atomic update within `{around.name}` is not supported")
        found = found or around.name in LOOPS
        around = around.parent
    if len(reader.calls) > 1:
        reader.reject(op, "an atomic update within a function that is called is not supported")
    return found


def _in_any_order(reader: Reader, op: ir.Operation, old: Term, new: Term) -> Term:
    """The value that an update in a parallel loop stores: the same in any order, or regrouped so that any order is
    allowed."""
    if list(op.result.uses):
        reader.reject(op, "what an atomic update in a parallel loop finds depends on the order")
    others = [a for a in new.args if a is not old]
    fits = combines(new.op) and not flags_of(new.attrs)
    if not fits or len(new.args) != 2 or len(others) != 1 or old in postorder((others[0],)):
        reader.reject(op, "what atomic updates in a parallel loop store depends on the order")
    licence = (("fastmath", "reassoc"),) if facts_about(new.op).regroups else ()
    return reader.pool.make(new.op, new.args, new.type, licence)


def _update(reader: Reader, op: ir.Operation, view: View, indices: tuple[Term, ...], old: Term, new: Term) -> None:
    """Emits the store of an update; `old` is its load."""
    parallel = _is_parallel(reader, op)
    new = _in_any_order(reader, op, old, new) if parallel else new
    reader.store_element(op, view, indices, new)
    if parallel and reader.block and isinstance(store := reader.block[-1], Store):
        reader.updates |= {int(str(old.attr("load"))): new.op, store.id: new.op}


def _read_atomic_rmw(reader: Reader, op: ir.Operation) -> None:
    """Example: `%old = memref.atomic_rmw addi %v, %A[%i] : (i32, memref<4xi32>) -> i32`."""
    operand, memref, *subscripts = op.operands
    view, indices, value = reader.view(op, memref), reader.terms(op, subscripts), reader.term(op, operand)
    old = reader.load_element(op, view, indices)
    kind = kind_in(str(op))
    if kind != "assign" and kind not in UPDATES:
        reader.reject(op, f"the kind `{kind}` is not supported")
    new = value if kind == "assign" else reader.pool.make(UPDATES[kind], (old, value), old.type)
    _update(reader, op, view, indices, old, new)
    reader.scalars[op.result] = old


def _read_generic_atomic_rmw(reader: Reader, op: ir.Operation) -> None:
    """The region computes the new value from the old one; the result is the old value."""
    memref, *subscripts = op.operands
    view, indices = reader.view(op, memref), reader.terms(op, subscripts)
    body = op.regions[0].blocks[0]
    old = reader.scalars[body.arguments[0]] = reader.load_element(op, view, indices)
    reader.read_block(body)
    end = body.operations[len(body.operations) - 1].operation
    _update(reader, op, view, indices, old, reader.terms(end, end.operands)[0])
    reader.scalars[op.result] = old


def _read_nothing(reader: Reader, op: ir.Operation) -> None:
    """A terminator whose operands the op around it reads."""


HANDLERS: Mapping[str, Handler] = {
    "memref.atomic_rmw": _read_atomic_rmw,
    "memref.generic_atomic_rmw": _read_generic_atomic_rmw,
    "memref.atomic_yield": _read_nothing,
}

"""Views that a loop makes and passes to its next iteration: their shape is static, their offsets are carried values.

`memref.subview %A[%k, 0]` differs between iterations only by `%k`. Its shape is known before the body is read, from the
op and what it views: a view with one parameter for each value that the loop computes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from torch_mlir import ir

from hecv.base.term import Term, TermPool
from hecv.base.types import INDEX
from hecv.mlir.aliasing.memref_origins import Inside, reached
from hecv.mlir.aliasing.selected_memrefs import leaves, substituted, terms_of
from hecv.mlir.read.function_reader import Reader
from hecv.mlir.read.memref_views import View

MAKERS: Final = frozenset({"memref.subview", "memref.collapse_shape", "memref.expand_shape", "memref.transpose"})
"""Ops on one memref and indices whose result is a view that these determine."""


class Moving(Struct, frozen=True):
    """A view with `parameters`, terms for carried values; without any it is loop-invariant."""

    view: View
    parameters: tuple[Term, ...] = ()

    def at(self, pool: TermPool, values: tuple[Term, ...]) -> View:
        """The view for values of the parameters."""
        if not self.parameters:
            return self.view
        found = substituted(pool, self.view, dict(zip(self.parameters, values, strict=True)))
        assert isinstance(found, View)
        return found

    def values(self, pool: TermPool, view: View) -> tuple[Term, ...] | None:
        """The parameter values for which it is `view`; None if it is another one, or they are not found.

        A view that implies bounds of an index counts as one that does not: an access then states them.
        """
        if not self.parameters:
            return () if self.view == view else None
        own, given = list(terms_of(self.view)), list(terms_of(view))
        if self.view.memory is not view.memory or len(own) != len(given):
            return None
        found: dict[Term, Term] = {}
        for term, value in zip(own, given, strict=True):
            if term in self.parameters:
                found.setdefault(term, value)
        if any(p not in found for p in self.parameters):
            return None
        values = tuple(found[p] for p in self.parameters)
        here = self.at(pool, values)
        if len(here.implied) != len(view.implied) or any(
            h and not v for h, v in zip(here.implied, view.implied, strict=True)
        ):
            return None
        return values if replace(view, implied=here.implied) == here else None


class Probe:
    """Finds the shapes of views made in a loop whose body has not been read yet."""

    def __init__(self, reader: Reader, is_inside: Inside) -> None:
        self._reader = reader
        self._is_inside = is_inside
        self._under: set[ir.Value] = set()

    def shapes(self, values: Sequence[ir.Value]) -> Iterator[Moving]:
        """The views that memrefs carried by the loop can be; none for what is not found."""
        for source in reached(values, self._is_inside):
            if not self._is_inside(source):
                known = self._reader.views.get(source)
                yield from map(Moving, leaves(known) if known is not None else ())
            elif source not in self._under:
                yield from self._made(source)

    def _made(self, value: ir.Value) -> Iterator[Moving]:
        """The views that an op in the loop makes of its source."""
        if isinstance(value, ir.BlockArgument) or value.owner.operation.name not in MAKERS:
            return
        op = value.owner.operation
        self._under.add(value)
        for below in list(self.shapes([op.operands[0]])):
            yield self._read(op, below)
        self._under.remove(value)

    def _read(self, op: ir.Operation, below: Moving) -> Moving:
        """The result of a view op, by its own handler; its side conditions are emitted later, where the op is read."""
        reader, base = self._reader, op.operands[0]
        indices = {v: self._index(op, v) for v in list(op.operands)[1:]}
        known = {v: reader.scalars[v] for v in indices if v in reader.scalars}
        views = {v: reader.views[v] for v in (base, op.result) if v in reader.views}
        reader.scalars.update(indices)
        reader.views[base] = below.view
        outer = reader.enter(op)
        reader.handlers[op.name](reader, op)
        reader.leave(outer)
        view = reader.views[op.result]
        assert isinstance(view, View)
        for value in indices:
            del reader.scalars[value]
        reader.scalars.update(known)
        del reader.views[base], reader.views[op.result]
        reader.views.update(views)
        own = tuple(t for v, t in indices.items() if self._is_inside(v))
        return Moving(view, (*below.parameters, *own))

    def _index(self, op: ir.Operation, value: ir.Value) -> Term:
        """An index; one computed by the loop is a parameter, about which nothing is known."""
        reader = self._reader
        return reader.pool.read(reader.number(op), INDEX) if self._is_inside(value) else reader.term(op, value)

"""Sends terms between processes, each of which has a term pool of its own."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from io import BytesIO
from typing import Any, Final

from msgspec import Struct

from hecv.base.term import Attributes, Term, TermPool
from hecv.base.types import ScalarType


class Parcel(Struct, frozen=True):
    """All terms of a pool as columns by `id` (operators, operand counts, operand ids, attributes, types), and
    pickled data in which terms are ids."""

    ops: list[str]
    counts: list[int]
    operands: list[int]
    attributes: list[Attributes]
    types: list[ScalarType]
    data: bytes


class _Packer(pickle.Pickler):
    def persistent_id(self, obj: Any) -> int | None:
        return obj.id if type(obj) is Term else None


class _Unpacker(pickle.Unpickler):
    def __init__(self, data: bytes, terms: list[Term]) -> None:
        super().__init__(BytesIO(data))
        self._terms: Final = terms

    def persistent_load(self, pid: Any) -> Term:
        return self._terms[pid]


def packed(pool: TermPool, value: Any) -> Parcel:
    """`value`, built of terms of the pool and picklable data, with all terms of the pool."""
    terms, stream = pool.terms(), BytesIO()
    _Packer(stream, pickle.HIGHEST_PROTOCOL).dump(value)
    return Parcel(
        [t.op for t in terms],
        [len(t.args) for t in terms],
        [a.id for t in terms for a in t.args],
        [t.attrs for t in terms],
        [t.type for t in terms],
        stream.getvalue(),
    )


def unpacked(pool: TermPool, parcel: Parcel, ordered: Callable[[str], bool]) -> Any | None:
    """The packed value over terms of this pool, which are made in the same order as there.

    None if an operator whose operands are `ordered` by their age has them in another order in this pool.
    """
    known = {t.type: t.type for t in pool.terms()}  # what is known of a type is looked up by identity
    terms: list[Term] = []
    make, operands, start = pool.make, parcel.operands, 0
    for op, count, attributes, type_ in zip(parcel.ops, parcel.counts, parcel.attributes, parcel.types, strict=True):
        end = start + count
        numbers = operands[start:end]
        args = tuple([terms[k] for k in numbers])
        if count > 1 and ordered(op) and _ranks(numbers) != _ranks([a.id for a in args]):
            return None
        terms.append(make(op, args, known.setdefault(type_, type_), attributes))
        start = end
    return _Unpacker(parcel.data, terms).load()


def _ranks(numbers: list[int]) -> list[int]:
    """The rank of each number."""
    return sorted(range(len(numbers)), key=numbers.__getitem__)

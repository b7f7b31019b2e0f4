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
    """All terms of a pool by their `id`, as columns: operators, how many operands they have, the numbers of all these,
    attributes and types; and pickled data in which terms are their numbers."""

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
    """`value`, made of terms of a pool and of what can be pickled, with all terms of that."""
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
    """What was packed, of terms of this pool, in which they are made in the order in which they were made there; None
    where the operands of an operator that has them `ordered` by when they were made are in another order here."""
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
    """The positions of numbers in their order."""
    return sorted(range(len(numbers)), key=numbers.__getitem__)

"""Masked lanes of a reduction: a lane that is switched off contributes the neutral element.

A piece whose term is a `select` on an affine condition is split into two, each at its instances. A piece that reads
such a select, or a literal, is replaced by what was written there, if no two of its instances read the same element. A
piece is a literal where its term is a literal that changes nothing (`hecv.dataflow.reductions.constant_terms`), as the
product of two lanes that are off.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.model.term_instances import At
from hecv.dataflow.model.value_dataflow import Dataflow, Isl
from hecv.dataflow.reductions.constant_terms import Literals
from hecv.dataflow.reductions.reassociation import Piece
from hecv.dataflow.reductions.reduction_bags import leads_one_way

DEEPEST: Final = 6
"""The most selects and copies in a row that are looked through."""


class Pieces:
    """Splits the pieces of one program's bags."""

    def __init__(self, space: Isl, flow: Dataflow, literals: Literals) -> None:
        self._space = space
        self._flow = flow
        self._literals = literals

    def apart(self, pieces: tuple[Piece, ...], op: str, deep: bool) -> tuple[Piece, ...]:
        """The same bag with selects replaced by what they select; with `deep`, also reads by what was written."""
        parts = (part for piece in pieces for part in self._parts(piece, DEEPEST, deep))
        return tuple(found for part in parts for found in self.settled(part, op) or (part,))

    def settled(self, piece: Piece, op: str) -> list[Piece] | None:
        """The piece where it is no neutral literal, then the neutral literals where it is one; None if it is nowhere
        one."""
        return self._literals.settled(piece, op)

    def step(self, piece: Piece, deep: bool) -> tuple[str, list[Piece]]:
        """How a piece is split: by what it selects (`select`), by what was written (`follow`), or not (`stop`); with
        the resulting pieces."""
        found: tuple[str, list[Piece] | None] = "stop", None
        if piece.at.term.op == "arith.select":
            found = "select", self._selected(piece)
        elif piece.at.term.op == "load" and self._leads_on(piece.at, DEEPEST, deep):
            found = "follow", self._written(piece)
        name, parts = found
        return ("stop", []) if parts is None else (name, parts)

    def _parts(self, piece: Piece, depth: int, deep: bool) -> Iterator[Piece]:
        if piece.instances.is_empty():
            return
        name, found = self.step(piece, deep) if depth else ("stop", [])
        if name == "stop":
            yield piece
            return
        for part in found:
            yield from self._parts(part, depth - 1, deep)

    def _selected(self, piece: Piece) -> list[Piece] | None:
        """Both operands of a selection; None where its condition is not affine."""
        statement = piece.at.statement
        condition, *branches = piece.at.term.args
        try:
            texts = [statement.translator.condition(condition, holds) for holds in (True, False)]
        except NotAffine:
            return None
        found: list[Piece] = []
        for text, branch in zip(texts, branches, strict=True):
            where = self._space.set(f"{{ {statement.tuple_text()} : {text} }}")
            found.append(Piece(At(statement, branch), piece.negative, piece.instances.intersect_range(where)))
        return found

    def _written(self, piece: Piece) -> list[Piece] | None:
        """What was written where a piece reads; None where that is not always so, or one instance of it would count
        more than once."""
        producers = self._flow.producers[piece.at.statement.name, piece.at.term]
        found: list[Piece] = []
        for writer, step in producers.certain():
            if writer.value is None or not leads_one_way(piece.instances, step):
                return None
            found.append(Piece(At(writer, writer.value), piece.negative, piece.instances.apply_range(step)))
        without = producers.without_write()
        unwritten = without is not None and not piece.instances.intersect_range(without).is_empty()
        return None if unwritten else found

    def _leads_on(self, at: At, depth: int, deep: bool) -> bool:
        """Whether what is read is, through copies, a selection or a literal; if `deep`, whether it was computed."""
        if at.term.op != "load":
            return deep or at.term.op in ("arith.select", "const")
        if not depth:
            return False
        writers = (writer for writer, _ in self._flow.producers[at.statement.name, at.term].writes)
        return any(w.value is not None and self._leads_on(At(w, w.value), depth - 1, deep) for w in writers)

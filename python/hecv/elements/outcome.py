"""How a proof element by element ends (`hecv.elements.prove`)."""

from __future__ import annotations

from msgspec import Struct


class Same(Struct, frozen=True):
    """The target refines the source; `one_way` says why the converse was not shown. `rounded` are the literals that
    were taken for other numbers, `infinite` tells that infinities were computed with."""

    elements: int
    one_way: str | None
    rounded: tuple[str, ...]
    infinite: bool


class Open(Struct, frozen=True):
    """What was not shown: an element that the statements `source` and `target` wrote, where it is about one."""

    text: str
    source: int | None = None
    target: int | None = None

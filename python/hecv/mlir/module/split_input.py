"""Files of several programs, separated by a marker, as `mlir-opt --split-input-file` reads them."""

from __future__ import annotations

from typing import Final

MARKER: Final = "// -----"
"""The default of `mlir-opt --split-input-file`."""

NEAR: Final = 2
"""Characters of the marker that may be missing where mlir-opt warns of a near miss, and does not split."""


def split_input(text: str, marker: str = MARKER) -> tuple[str, ...]:
    """The programs of a text, each behind so many line breaks and spaces that its locations are those in the text.

    A marker counts wherever it stands, if something follows it; a near miss (`// ---`, `// -----0`) does not. Empty
    programs stay.

    Cites: MLIR, splitAndProcessBuffer.
    """
    stem, suffix = marker[:-NEAR], marker[-NEAR:]
    starts, position = [0], text.find(stem)
    while stem and position >= 0:
        end = position + len(marker)
        if text.startswith(suffix, position + len(stem)) and text[end : end + 1] not in ("", "0"):
            starts.append(end)
        position = text.find(stem, position + len(stem))
    ends = [*(start - len(marker) for start in starts[1:]), len(text)]
    return tuple(_padding(text, start) + text[start:end] for start, end in zip(starts, ends, strict=True))


def _padding(text: str, start: int) -> str:
    line = text.count("\n", 0, start)
    return "\n" * line + " " * (start - text.rfind("\n", 0, start) - 1)

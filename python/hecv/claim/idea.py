"""An idea of what may turn an answer: a change of the question, which is still to be decided."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from hecv.claim.semantic_options import Switches


class Idea(Struct, frozen=True):
    """A change of the question: an assumption more, or other switches.

    `option` names it, as in "with `--fp reassoc`". Of the ideas of a `group` at most one is told. `otherwise` is what
    may be said if nothing is proved under the change.
    """

    group: Literal["assume", "fp", "alias", "index"]
    option: str
    assume: str | None = None
    switches: Switches | None = None
    otherwise: str | None = None

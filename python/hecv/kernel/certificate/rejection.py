"""Rejections: why a certificate is not accepted."""

from __future__ import annotations

from typing import Final


class Malformed(Exception):
    """The text is no certificate of this version."""


class Rejected(Exception):
    """The certificate does not prove what it claims: `step` says which part of it fails, `why` for which reason."""

    def __init__(self, step: str, why: str) -> None:
        super().__init__(f"{step}: {why}")
        self.step: Final = step
        self.why: Final = why


class Uncertified(Exception):
    """There is no certificate of a proof: `engine` found it, `why` it cannot be written down."""

    def __init__(self, engine: str, why: str) -> None:
        super().__init__(f"{engine}: {why}")
        self.engine: Final = engine
        self.why: Final = why

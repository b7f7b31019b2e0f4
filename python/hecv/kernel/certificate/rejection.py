"""Rejections: why a certificate is not accepted."""

from __future__ import annotations

from typing import Final


class Malformed(Exception):
    """The text is no certificate of this version."""


class Rejected(Exception):
    """The certificate does not prove its claim: `step` is the part that fails, `why` the reason."""

    def __init__(self, step: str, why: str) -> None:
        super().__init__(f"{step}: {why}")
        self.step: Final = step
        self.why: Final = why


class Uncertified(Exception):
    """A proof without a certificate: `engine` found it, `why` says why it cannot be written down."""

    def __init__(self, engine: str, why: str) -> None:
        super().__init__(f"{engine}: {why}")
        self.engine: Final = engine
        self.why: Final = why

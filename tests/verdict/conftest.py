"""The processes that a decision starts beside its own."""

from __future__ import annotations

import pytest

from hecv.process.forked_child import Beside


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Beside]:
    """The processes that are started from here on."""
    found: list[Beside] = []
    start = Beside.__init__

    def starting(self: Beside, *works: object, **options: object) -> None:
        found.append(self)
        start(self, *works, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Beside, "__init__", starting)
    return found

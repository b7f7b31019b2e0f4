"""The page of the book is current."""

from __future__ import annotations

from pathlib import Path

from hecv.rules.catalogue import page
from hecv.rules.laws import BOOK

PAGE = Path(__file__).parents[2] / "docs" / "laws.md"


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m hecv.rules.catalogue > docs/laws.md"


def test_the_page_has_every_law() -> None:
    text = page()
    assert all(f"| {law.name} |" in text for law in BOOK)

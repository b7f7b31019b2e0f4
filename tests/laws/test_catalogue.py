"""The page of the book is current."""

from __future__ import annotations

from pathlib import Path

from hecv.laws.all_laws import BOOK
from hecv.laws.catalogue import page

PAGE = Path(__file__).parents[2] / "docs" / "laws.md"


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m hecv.laws.catalogue > docs/laws.md"


def test_the_page_has_every_law() -> None:
    text = page()
    assert all(f"| {law.name} |" in text for law in BOOK)

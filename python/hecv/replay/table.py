"""The digest of the rule table: of the files that say the laws of the book."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import hecv


@cache
def table_digest() -> str:
    """The SHA-256 of the files of `hecv/rules`, with their names; another table may give a name to another law."""
    found = hashlib.sha256()
    for file in sorted((Path(hecv.__file__).parent / "rules").glob("*.py")):
        found.update(f"{file.name} {file.stat().st_size}\n".encode())
        found.update(file.read_bytes())
    return found.hexdigest()

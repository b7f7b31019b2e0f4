"""The digest of the rule table: a hash of the files that state the laws of the book."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

import hecv

FOLDERS: Final = ("laws", "patterns/equations", "rules")
"""The folders of the laws and of the language that they are written in."""


@cache
def table_digest() -> str:
    """The SHA-256 of the files that state the laws, with their names; another table may give a name to another law."""
    found, package = hashlib.sha256(), Path(hecv.__file__).parent
    for file in sorted(file for folder in FOLDERS for file in (package / folder).rglob("*.py")):
        found.update(f"{file.relative_to(package).as_posix()} {file.stat().st_size}\n".encode())
        found.update(file.read_bytes())
    return found.hexdigest()

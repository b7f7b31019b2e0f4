"""The totals of many runs in one file of JSON: each seed is counted once, and what was counted stays."""

import fcntl
import json
import os
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Table = dict[str, Counter[str]]
"""Rows of columns."""


class Counted(Exception):
    """The seed was counted before."""


@dataclass(frozen=True, slots=True)
class Tallies:
    """The totals of `what` in the file `place`. Several runs may add to it at a time."""

    place: Path
    what: str

    def begin(self, seed: int, versions: Mapping[str, str]) -> None:
        """Notes that a seed is counted from now on.

        Raises: Counted where it was before.
        """
        with self._changed() as whole:
            section = whole.setdefault(self.what, {"seeds": [], "cpu_seconds": 0, "finds": 0, "rows": {}})
            if seed in section["seeds"]:
                raise Counted(f"seed {seed} of {self.what} is in {self.place.name}")
            section["seeds"] = sorted((*section["seeds"], seed))
            whole["versions"] = dict(versions)

    def add(self, table: Table, finds: int, cpu_seconds: float) -> None:
        """Adds what was counted since the last time."""
        with self._changed() as whole:
            section = whole[self.what]
            section["cpu_seconds"] = round(section["cpu_seconds"] + cpu_seconds, 1)
            section["finds"] += finds
            for kind, row in table.items():
                total = Counter(section["rows"].get(kind, {})) + row
                section["rows"][kind] = dict(sorted(total.items(), key=lambda one: -one[1]))

    def rows(self) -> Table:
        """The totals."""
        rows = self._read().get(self.what, {}).get("rows", {})
        return {kind: Counter(row) for kind, row in rows.items()}

    def _read(self) -> dict[str, Any]:
        return json.loads(self.place.read_text()) if self.place.exists() else {}

    @contextmanager
    def _changed(self) -> Generator[dict[str, Any]]:
        """The contents of the file, which are written whole after what is done to them, or not at all."""
        folder = os.open(self.place.parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            whole = self._read()
            yield whole
            made = self.place.with_suffix(f".{os.getpid()}")
            made.write_text(json.dumps(whole, indent=1) + "\n")
            made.replace(self.place)
        finally:
            os.close(folder)

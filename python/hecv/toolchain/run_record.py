"""The report of one run of a tool: a JSON file, schema `hecv.run/1`, named by a hash of command, input and output.

Light: imported before the tool starts.
"""

from __future__ import annotations

import json
import os
from typing import Any, Final, NamedTuple

SCHEMA: Final = "hecv.run/1"


class Run(NamedTuple):
    """A run of a tool that has ended, and how it is to be validated.

    `command` is as it was given, `program` the path of the tool. `source` and `target` are what it read and wrote, None
    if that is not known; `names` are the names of both. `status` is the exit status, negative for a signal, None if the
    tool has not been run. `limit` is in seconds, for the whole run, of which each function gets a share, unless `each`
    gives its seconds. With `merged`, standard error is in `target`.
    """

    command: list[str]
    program: str
    names: tuple[str, str]
    source: bytes | None = None
    target: bytes | None = None
    status: int | None = None
    split: str | None = None
    output_split: str = ""
    doubtful: str | None = None
    merged: bool = False
    limit: float = 0.0
    each: float | None = None


def unvalidated(run: Run, reason: str, detail: str | None = None) -> dict[str, Any]:
    """The report on a run that is not validated, for this reason."""
    return {
        "schema": SCHEMA,
        "command": run.command,
        "directory": os.getcwd(),
        "source": run.names[0],
        "target": run.names[1],
        "status": run.status,
        "validated": False,
        "reason": reason,
        "detail": detail,
        "verdict": None,
        "seconds": 0.0,
        "identical": [],
        "left_out": [],
        "functions": [],
        "diagnostics": [],
    }


def write_record(folder: str, run: Run, record: dict[str, Any]) -> None:
    """Writes the report into the folder, completely or not at all.

    Raises: OSError.
    """
    from hashlib import sha256
    from tempfile import mkstemp

    content = [json.dumps(run.command).encode(errors="surrogateescape"), run.source or b"", run.target or b""]
    name = sha256(b"\0".join(sha256(part).digest() for part in content)).hexdigest()[:24]
    text = json.dumps(record, indent=1, allow_nan=False).encode(errors="backslashreplace")
    handle, temporary = mkstemp(prefix=f".{name}.", dir=folder)
    try:
        with open(handle, "wb") as file:
            file.write(text + b"\n")
        os.chmod(temporary, 0o644)
        os.replace(temporary, os.path.join(folder, f"{name}.json"))
    except BaseException:
        os.unlink(temporary)
        raise

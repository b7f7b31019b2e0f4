"""`import hecv.lit; hecv.lit.wrap(config)` in a `lit.cfg.py`: every run of mlir-opt in the suite is validated.

No test changes: each tool gets a shim, a program of the same name that runs `hecv wrap -- TOOL`. Shims stand for the
tools in substitutions, and come first on the path. Light: lit imports it.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

REPORTS: Final = "hecv-reports"
SHIMS: Final = "hecv-shims"
PASSED_ON: Final = ("HECV_REPORT_DIR", "HECV_FAIL", "HECV_TIME_LIMIT")
"""Variables that tests get from lit's own environment."""

_SHIM: Final = """#!/bin/sh
exec {python} -P -c {code} {tool} "$@"
"""
_CODE: Final = "import sys; sys.path.append({package!r}); from hecv.toolchain.tool_run import main; main()"


def wrap(
    config: Any,
    tools: Sequence[str] = ("mlir-opt",),
    *,
    reports: str | None = None,
    fail: bool = False,
    time_limit: float | None = None,
) -> None:
    """Has the runs of these tools validated in all tests of the suite.

    Reports go to the folder `reports`, by default that of HECV_REPORT_DIR, or `hecv-reports` in the suite's
    `test_exec_root`: `hecv report` sums them up. With `fail`, a test fails in which a run is refuted. `time_limit` is
    in seconds, for the validation of a run. A tool is also known by a name with a version, as `mlir-opt-22`.

    Raises: ValueError if there are no tools.
    """
    if isinstance(tools, str) or not tools:
        raise ValueError(f"tools is a sequence of names of programs, not {tools!r}")
    here = sys._getframe(1).f_globals.get("__file__", "lit.cfg.py")  # lit's default for test_exec_root
    root = Path(config.test_exec_root or Path(here).parent).absolute()
    environment = config.environment
    environment |= {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    environment["HECV_REPORT_DIR"] = os.path.abspath(
        reports or environment.get("HECV_REPORT_DIR") or root / REPORTS
    )
    if fail:
        environment["HECV_FAIL"] = "1"
    if time_limit is not None:
        environment["HECV_TIME_LIMIT"] = f"{time_limit:g}"
    _apply(config, tuple(tools), root / SHIMS)
    if hasattr(config, "finish"):  # what the rest of the file adds
        config.finish = partial(_finish, config, tuple(tools), root / SHIMS)


def _finish(config: Any, tools: tuple[str, ...], shims: Path, lit_config: Any) -> None:
    """Called by lit after the configuration file."""
    del config.finish
    _apply(config, tools, shims)
    config.finish(lit_config)


def _apply(config: Any, tools: tuple[str, ...], shims: Path) -> None:
    """Puts shims into the substitutions and at the front of the path; again has no effect."""
    environment = config.environment
    folders = [f for f in environment.get("PATH", "").split(os.pathsep) if f != str(shims)]
    known = "|".join(map(re.escape, tools))
    word = re.compile(rf"(?<![^\s\"'(])(?P<path>(?:[^\s\"'()]*/)?(?P<name>(?:{known})(?:-\d+)?))(?![^\s\"')])")

    def replaced(found: re.Match[str]) -> str:
        path = found["path"] if "/" in found["path"] else _which(found["name"], folders)
        if path is None or Path(path).parent.parent == shims or Path(path).parent == shims:
            return found[0]
        return str(_shim(shims / f"{len(found['name'])}" , path))

    config.substitutions = [
        (key, word.sub(replaced, value)) if isinstance(value, str) else (key, value)
        for key, value in config.substitutions
    ]

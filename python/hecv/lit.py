"""`import hecv.lit; hecv.lit.wrap(config)` in a `lit.cfg.py`: every run of mlir-opt in the suite is validated.

No test changes: each tool gets a shim, a program of the same name that runs `hecv wrap -- TOOL`. Shims stand for the
tools in substitutions, and come first on the path. A server that ends with lit validates the runs. Light: lit imports
it.
"""

from __future__ import annotations

import atexit
import os
import re
import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from inspect import currentframe
from pathlib import Path
from shutil import rmtree, which
from tempfile import mkdtemp, mkstemp
from types import FrameType
from typing import Any, Final

from hecv.server import client

REPORTS: Final = "hecv-reports"
SHIMS: Final = "hecv-shims"
PASSED_ON: Final = ("HECV_REPORT_DIR", "HECV_FAIL", "HECV_TIME_LIMIT")
"""Variables that tests get from lit's own environment."""

_SHIM: Final = """#!/bin/sh
exec {} -P -c {} {} "$@"
"""
_CODE: Final = "import sys; sys.path.insert(0, {package!r}); from hecv.toolchain.tool_run import main; main()"


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
    root = Path(config.test_exec_root or _folder_of(currentframe())).absolute()
    environment = config.environment
    environment |= {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    environment["HECV_REPORT_DIR"] = os.path.abspath(reports or environment.get("HECV_REPORT_DIR") or root / REPORTS)
    if fail:
        environment["HECV_FAIL"] = "1"
    if time_limit is not None:
        environment["HECV_TIME_LIMIT"] = f"{time_limit:g}"
    _apply(config, tuple(tools), root / SHIMS)
    if hasattr(config, "finish"):  # what the rest of the file adds
        config.finish = partial(_finish, config, tuple(tools), root / SHIMS)


def _folder_of(frame: FrameType | None) -> Path:
    """The folder of the configuration file that calls `wrap`: lit's default of `test_exec_root`."""
    caller = frame and frame.f_back
    return Path(caller.f_globals.get("__file__", "lit.cfg.py") if caller else "lit.cfg.py").parent


def _finish(config: Any, tools: tuple[str, ...], shims: Path, lit_config: Any) -> None:
    """Called by lit after the configuration file."""
    del config.finish
    _apply(config, tools, shims)
    _start_server(config.environment)
    config.finish(lit_config)


def _start_server(environment: dict[str, str]) -> None:
    """Has a server that ends with this process validate the runs, where none is there and one can be started."""
    if client.VARIABLE in os.environ:
        environment.setdefault(client.VARIABLE, os.environ[client.VARIABLE])
    if client.VARIABLE in environment:
        return
    folder = mkdtemp(prefix="hecv")
    atexit.register(rmtree, folder, ignore_errors=True)
    with suppress(OSError):  # each run loads hecv for itself
        environment |= client.start(f"{folder}/socket", environment)


def _apply(config: Any, tools: tuple[str, ...], shims: Path) -> None:
    """Puts shims into the substitutions and at the front of the path; again has no effect."""
    environment, first = config.environment, str(shims / "path")
    folders = [f for f in (environment.get("PATH") or os.defpath).split(os.pathsep) if f != first]
    known = "|".join(map(re.escape, tools))
    word = re.compile(rf"(?<![^\s\"'(])(?:[^\s\"'()]*/)?(?:{known})(?:-\d+)?(?![^\s\"')])")

    def replaced(found: re.Match[str]) -> str:
        path = found[0] if "/" in found[0] else _which(found[0], folders)
        if path is None or not os.path.isabs(path) or not os.path.isfile(path) or shims in Path(path).parents:
            return found[0]
        folder = sha256(os.path.dirname(path).encode()).hexdigest()[:8]
        quoted = found.string[found.start() - 1 : found.start()] in ("'", '"')
        shim = _shim(shims / folder, path)
        return shim if quoted else shlex.quote(shim)

    config.substitutions = [
        (key, word.sub(replaced, value) if isinstance(value, str) else value) for key, value in config.substitutions
    ]
    for name in _names(tools, folders):
        path = _which(name, folders)
        if path is not None:
            _shim(shims / "path", path)
    environment["PATH"] = os.pathsep.join([first, *folders])


def _names(tools: tuple[str, ...], folders: Sequence[str]) -> set[str]:
    """The names of the tools on the path, with and without versions."""
    versioned = re.compile("(?:" + "|".join(map(re.escape, tools)) + r")-\d+")
    there = (name for folder in folders if os.path.isdir(folder) for name in os.listdir(folder))
    return {*tools, *(name for name in there if versioned.fullmatch(name))}


def _which(name: str, folders: Sequence[str]) -> str | None:
    return which(name, path=os.pathsep.join(folders))


def _shim(folder: Path, tool: str) -> str:
    """Writes the shim of a tool into the folder, and gives its path."""
    code = _CODE.format(package=str(Path(__file__).resolve().parents[1]))
    text = _SHIM.format(*map(shlex.quote, (sys.executable, code, os.path.abspath(tool))))
    shim = folder / os.path.basename(tool)
    folder.mkdir(parents=True, exist_ok=True)
    handle, name = mkstemp(dir=folder)  # other processes may read the same file, or make it
    with open(handle, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(name, 0o755)
    os.replace(name, shim)
    return str(shim)

"""`hecv doctor`: each tool and library, its version, and for what is missing what needs it and how to get it."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import hecv
from hecv.cli.terminal import USAGE, version_of

EXITS: Final = "exit status: 0 all that is required is there; 2 something required is missing or does not work"
SCHEMA: Final = "hecv.doctor/1"
SECONDS: Final = 60.0
"""What a program gets to say its version, and a library to be loaded."""

REINSTALL: Final = "pip install --force-reinstall"
LLVM: Final = Path("/usr/lib/llvm-22/bin")
"""Where Debian puts tools of LLVM 22 that are not on the path."""

PLUGIN: Final = Path(hecv.__file__).parents[2] / "build" / "passes" / "HecvPasses.so"
PIPELINE: Final = "builtin.module(func.func(hecv-annotate))"

State = Literal["present", "missing", "unfit", "broken"]


@dataclass(frozen=True, slots=True)
class Library:
    """A Python distribution. `accepts` is as in pyproject.toml; `module`, which is loaded to see whether it works, is
    given for those that every check needs."""

    name: str
    distribution: str
    accepts: str
    needed_by: str
    get: str
    module: str | None = None

    @property
    def required(self) -> bool:
        return self.module is not None


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of one part. `problem` says what is wrong with one that is unfit or broken; `path` is where a
    file was found."""

    name: str
    required: bool
    state: State
    version: str | None
    needed_by: str
    get: str
    problem: str | None = None
    path: str | None = None


def _required(name: str, distribution: str, accepts: str, module: str, needed_by: str) -> Library:
    return Library(name, distribution, accepts, needed_by, f"pip install '{distribution}{accepts}'", module)


def _extra(name: str, distribution: str, accepts: str, needed_by: str, extra: str) -> Library:
    return Library(name, distribution, accepts, needed_by, f"pip install 'hecv[{extra}]'")


TESTS: Final = "the tests (make test)"

LIBRARIES: Final = (
    _required("mlir", "torch-mlir", ">=20261001", "torch_mlir.ir", "reading MLIR, passes, the JIT"),
    _required("islpy", "islpy", ">=2026.2", "islpy", "proofs about loops"),
    _required("egglog", "egglog", ">=13.2,<14", "egglog", "proofs by laws and by loop theorems"),
    _required("z3", "z3-solver", ">=4.13", "z3", "obligations of proofs, audits, replay"),
    _required("numpy", "numpy", ">=2.0", "numpy", "the JIT"),
    _required("msgspec", "msgspec", ">=0.19", "msgspec", "every command"),
    _extra("cvc5", "cvc5", ">=1.3", "hecv replay --solver cvc5", "cvc5"),
    _extra("torch", "torch", ">=2.13", "hecv models, of PyTorch; rewriting of torch.fx graphs", "torch"),
    _extra("jax", "jax", ">=0.10", "hecv models, of JAX", "jax"),
    _extra("jaxlib", "jaxlib", ">=0.10", "hecv models, of JAX", "jax"),
    _extra("transformers", "transformers", ">=5", "benchmarks/patterns.py", "models"),
    _extra("pytest", "pytest", ">=8", TESTS, "test"),
    _extra("hypothesis", "hypothesis", ">=6.100", TESTS, "test"),
    _extra("lit", "lit", ">=18", TESTS, "test"),
    _extra("ml-dtypes", "ml-dtypes", ">=0.5", TESTS, "test"),
    _extra("ruff", "ruff", ">=0.6", f"{TESTS}, make lint", "test"),
    _extra("pyright", "pyright", ">=1.1.400", "make lint", "test"),
)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.set_defaults(verb=run)


def run(options: argparse.Namespace) -> int:
    """`hecv doctor`"""
    found = [*_own(), *_libraries(), *_tools()]
    sys.stdout.write(as_json(found) if options.format == "json" else as_text(found))
    return 0 if healthy(found) else USAGE


def healthy(found: list[Finding]) -> bool:
    """Whether all that is required is there and works."""
    return all(part.state == "present" for part in found if part.required)


def as_json(found: list[Finding]) -> str:
    parts = [
        {
            "name": part.name,
            "required": part.required,
            "state": part.state,
            "version": part.version,
            "needed_by": part.needed_by,
            "get": part.get,
            "problem": part.problem,
            "path": part.path,
        }
        for part in found
    ]
    return json.dumps({"schema": SCHEMA, "healthy": healthy(found), "parts": parts}, indent=1) + "\n"


def as_text(found: list[Finding]) -> str:
    """A line a part; below one that is not usable, what needs it and how to get it."""
    width = max(len(part.name) for part in found)
    lines = list[str]()
    for title, required in (("required", True), ("optional", False)):
        lines.append(title)
        for part in found:
            if part.required == required:
                lines += _lines(part, width)
    wrong = [part.name for part in found if part.required and part.state != "present"]
    lines.append(f"not usable: {', '.join(wrong)}" if wrong else "all that is required is there")
    return "".join(f"{line}\n" for line in lines)


def _lines(part: Finding, width: int) -> Iterator[str]:
    where = None if part.path is None else f"({part.path})"
    shown = (part.version, None if part.state == "present" else part.state, where)
    yield f"  {part.name:{width}}  {' '.join(filter(None, shown))}"
    if part.state != "present":
        yield from (f"    = {line}" for line in filter(None, [part.problem]))
        yield f"    = needed by: {part.needed_by}"
        yield f"    = get it: {part.get}"


# Python


def _own() -> Iterator[Finding]:
    """The interpreter and this package, without which no line would be printed."""
    yield Finding("python", True, "present", sys.version.split()[0], "every command", "python.org")
    yield Finding("hecv", True, "present", hecv.__version__, "every command", "make setup")


def _libraries() -> list[Finding]:
    """The required ones are loaded, side by side, each in a process of its own: a broken one may crash."""
    loads = {one.name: _load(one.module) for one in LIBRARIES if one.module is not None}
    return [inspected(one, version_of(one.distribution), loads.get(one.name)) for one in LIBRARIES]


def _load(module: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", f"import {module}"]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")


def inspected(one: Library, version: str | None, loading: subprocess.Popen[str] | None) -> Finding:
    """What is to be said of a library of this version, if any, which a process may be loading."""
    problem = None if loading is None else _load_problem(loading)
    state: State = "present"
    if version is None:
        state, problem = "missing", None
    elif not fits(version, one.accepts):
        state, problem = "unfit", f"version {version}, expected {one.accepts}"
    elif problem is not None:
        state = "broken"
    get = f"{REINSTALL} '{one.distribution}{one.accepts}'" if state == "broken" else one.get
    return Finding(one.name, one.required, state, version, one.needed_by, get, problem)


def _load_problem(loading: subprocess.Popen[str]) -> str | None:
    """How loading ended, where it failed."""
    try:
        _, said = loading.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        loading.kill()
        loading.communicate()
        return f"not loaded within {SECONDS:.0f} s"
    if loading.returncode == 0:
        return None
    return said.strip().rpartition("\n")[2] or f"loading it ended with status {loading.returncode}"


def fits(version: str, accepts: str) -> bool:
    """Whether a version is among those of a list of bounds such as `>=13.2,<14`."""
    return all(_within(_numbers(version), bound.strip()) for bound in accepts.split(","))


def _within(version: tuple[int, ...], bound: str) -> bool:
    limit = _numbers(bound.lstrip("<>="))
    return version < limit if bound.startswith("<") else version >= limit


def _numbers(version: str) -> tuple[int, ...]:
    """The leading numbers: 2.13.0 of 2.13.0+cpu."""
    found = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()


# Programs


def _tools() -> Iterator[Finding]:
    optimizer = find("mlir-opt")
    debian = "apt-get install mlir-22-tools (make tools), or give the path of another one to --tool"
    yield _tool("mlir-opt", optimizer, "hecv opt --tool; the pass plugin; the tests", debian)
    yield _tool("FileCheck", find("FileCheck"), TESTS, "apt-get install llvm-22-tools (make tools)")
    yield plugin(PLUGIN, optimizer)


def find(tool: str) -> str | None:
    """The tool of LLVM 22, or what goes by its name."""
    return shutil.which(f"{tool}-22") or shutil.which(tool, path=str(LLVM)) or shutil.which(tool)


def _tool(name: str, path: str | None, needed_by: str, get: str) -> Finding:
    if path is None:
        return Finding(name, False, "missing", None, needed_by, get)
    answer = _output([path, "--version"])
    version = re.search(r"version (\S+)", answer.stdout) if answer else None
    if answer is None or version is None:
        return Finding(name, False, "broken", None, needed_by, get, "--version names no version", path)
    return Finding(name, False, "present", version[1], needed_by, get, path=path)


def plugin(file: Path, optimizer: str | None) -> Finding:
    """The pass plugin at this place: it has no version of its own but that of the mlir-opt that loads it."""
    name, needed_by, get, path = "pass plugin", "hecv-annotate in mlir-opt; the tests", "make plugin", str(file)
    if not file.is_file():
        return Finding(name, False, "missing", None, needed_by, get)
    if optimizer is None:
        return Finding(name, False, "broken", None, needed_by, get, "there is no mlir-opt to load it", path)
    done = _output([optimizer, f"--load-pass-plugin={file}", f"--pass-pipeline={PIPELINE}"], "module {}\n")
    if done is None or done.returncode != 0:
        return Finding(name, False, "broken", None, needed_by, get, f"{optimizer} does not load it", path)
    return Finding(name, False, "present", hecv.__version__, needed_by, get, path=path)


def _output(command: list[str], given: str = "") -> subprocess.CompletedProcess[str] | None:
    """What a program said; None where it cannot be started or does not end."""
    try:
        return subprocess.run(
            command, input=given, capture_output=True, text=True, errors="replace", check=False, timeout=SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return None

"""Whole processes: `hecv` is run as a user runs it, in a process that is forked from one that has loaded it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import hecv
import serving

PACKAGE = str(Path(hecv.__file__).parent.parent)
SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Answer:
    """How a process ended and what it wrote."""

    status: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def said(self) -> str:
        """Both outputs, with single spaces: prose is wrapped anywhere."""
        return " ".join(f"{self.out} {self.err}".split())


@dataclass(frozen=True, slots=True)
class Shell:
    """A folder with files, and `hecv` to run in it."""

    folder: Path
    server: str

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(dedent(text).lstrip("\n"))
        return name

    def run(self, *arguments: str, given: str | None = None, **environment: str) -> Answer:
        env = {k: v for k, v in os.environ.items() if not k.startswith("HECV_")} | environment
        files = [os.memfd_create(name) for name in ("in", "out", "err")]
        try:
            os.pwrite(files[0], (given or "").encode(), 0)
            status = serving.ask(self.server, str(self.folder), env, arguments, files, SECONDS)
            out, err = (_text(file) for file in files[1:])
            return Answer(status, out, err)
        finally:
            for file in files:
                os.close(file)

    def check(self, source: str, target: str, *options: str, **environment: str) -> Answer:
        """`hecv check` on two texts, in `src.mlir` and `tgt.mlir`."""
        files = self.write("src.mlir", source), self.write("tgt.mlir", target)
        return self.run("check", *files, *options, **environment)


def _text(file: int) -> str:
    with open(file, closefd=False) as stream:
        stream.seek(0)
        return stream.read()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    place = str(tmp_path_factory.mktemp("server") / "s")
    with serving.forked(place):
        yield place


@pytest.fixture
def shell(tmp_path: Path, server: str) -> Shell:
    return Shell(tmp_path, server)


@pytest.fixture
def verdict(shell: Shell) -> Callable[..., dict[str, Any]]:
    """The JSON report on two texts, with HECV_CROSSCHECK: every verdict has to survive it."""

    def ask(source: str, target: str, *options: str) -> dict[str, Any]:
        answer = shell.check(source, target, *options, "--format", "json", HECV_CROSSCHECK="1")
        report = answer.json()
        expected = {"equivalent": 0, "refines": 0, "not-equivalent": 1, "unknown": 3}
        if "equivalent" in options:
            expected["refines"] = 3
        assert answer.status == expected[report["verdict"]], answer
        return report

    return ask

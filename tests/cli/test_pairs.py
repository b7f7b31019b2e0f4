"""The verdicts of the lit suite, each in a process forked from one that has loaded hecv.

lit runs the same lines through a shell and FileCheck, which takes several times as long, and checks also in which order
they print what they do, and what they do not.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from .conftest import Shell

ROOT: Final = Path(__file__).parents[2] / "lit_tests"

RUN: Final = re.compile(
    r"// RUN: %exits (?P<status>\d) hecv check (?P<arguments>[^|]*[^| ])(?: \| FileCheck %s(?P<options>.*))?"
)
CHECK: Final = re.compile(
    r"// (?P<prefix>\w+?)(-DAG|-NEXT)?: (?P<first>\{\{\^\}\})?(?P<text>((?!\{\{|\[\[).)+)$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Line:
    """What a RUN line of a file runs, the status it must exit with, and texts and verdicts that it must print."""

    name: str
    arguments: tuple[str, ...]
    status: int
    texts: tuple[str, ...]
    verdicts: tuple[str, ...]

    def of_one_file(self) -> bool:
        """Whether a file is compared with itself."""
        return self.arguments[0] == self.arguments[1]


def lines() -> Iterator[Line]:
    for file in sorted(ROOT.rglob("*.tgt.mlir")):
        text = file.read_text()
        for number, line in enumerate(text.splitlines(), 1):
            found = RUN.fullmatch(line)
            if found is not None:
                arguments = found["arguments"].replace("%s", str(file)).replace("%S", str(file.parent))
                checks = [m for m in CHECK.finditer(text) if m["prefix"] == prefix(found["options"])]
                texts, verdicts = (
                    tuple(spaced(m["text"]) for m in checks if bool(m["first"]) == f) for f in (False, True)
                )
                name = f"{file.relative_to(ROOT)}:{number}"
                yield Line(name, tuple(shlex.split(arguments)), int(found["status"]), texts, verdicts)


def prefix(options: str | None) -> str | None:
    """What lines that FileCheck looks at begin with; None where it is not run."""
    found = re.search(r"--check-prefix=(\w+)", options or "")
    return None if options is None else "CHECK" if found is None else found[1]


def spaced(text: str) -> str:
    """Spaces in a row count as one."""
    return " ".join(text.split())


LINES: Final = tuple(lines())


def named(chosen: Sequence[Line]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("line", chosen, ids=lambda line: line.name)


def test_every_target_has_a_verdict() -> None:
    with_verdicts = {line.name.partition(":")[0] for line in LINES}
    assert with_verdicts == {str(f.relative_to(ROOT)) for f in ROOT.rglob("*.tgt.mlir")}


@pytest.mark.one_in(8)
@named([line for line in LINES if not line.of_one_file()])
def test_pair(shell: Shell, line: Line) -> None:
    decide(shell, line)


@pytest.mark.one_in(18)
@named([line for line in LINES if line.of_one_file()])
def test_file_against_itself(shell: Shell, line: Line) -> None:
    decide(shell, line)


@pytest.mark.one_in(24)
@named([line for line in LINES if line.status == 0 and not line.of_one_file()])
def test_proof_is_accepted_when_replayed(shell: Shell, line: Line) -> None:
    decide(shell, line, HECV_REPLAY="1")


def decide(shell: Shell, line: Line, **environment: str) -> None:
    answer = shell.run("check", *line.arguments, **environment)
    assert answer.status == line.status, answer
    said = [spaced(text) for text in answer.out.splitlines()]
    for text in line.texts:
        assert any(text in s for s in said), f"{text} is not in {answer}"
    for verdict in line.verdicts:
        assert any(s.startswith(verdict) for s in said), f"{verdict} is not in {answer}"

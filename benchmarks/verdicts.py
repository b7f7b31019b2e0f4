"""The table of verdicts: every pair that hecv is tried on, with what was decided, how, and whether a certificate of it
is accepted. Two tables from two states of the code show what a change of the code decides otherwise.

`python benchmarks/verdicts.py --out before.json`, the change, `python benchmarks/verdicts.py --against before.json`:
exits with 1 where an entry differs. The pairs are those of the lit suite (each `hecv check` of a RUN line that reads
two files), the kernel table (`kernels.py`) and HEC's loop table (`loops.py`). Commands are run by processes forked from
one that has loaded hecv, two at a time.
"""

import argparse
import json
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import product, takewhile
from pathlib import Path
from threading import local

from loop_pairs import HEC_STEPS, kernel_pairs
from loop_pairs import make as make_loops
from targets import FOLDER, FORMS, KERNELS, PASSES, Tools, add_tool_options, make_target, read_tools, source_path

ROOT = FOLDER.parent
SUITE = ROOT / "lit_tests"
sys.path.insert(0, str(ROOT / "tests"))

import serving  # noqa: E402

TABLES = ("suite", "kernels", "loops")


@dataclass(frozen=True, slots=True)
class Entry:
    """What was decided of one pair: for each function its name, verdict, evidence and engine; `certificate` is
    `accepted`, `refused`, or why there is none."""

    verdict: str
    functions: tuple[tuple[str | None, ...], ...]
    certificate: str | None


def suite_checks() -> Iterator[tuple[str, list[str]]]:
    """The checks of the lit suite: a name, and the arguments behind `hecv check`."""
    for file in sorted(SUITE.rglob("*.mlir")):
        text = re.sub(r"\\\n// RUN:", " ", file.read_text())
        commands = re.findall(r"RUN: (?:%exits \d )?hecv check (.*)", text)
        for number, command in enumerate(commands):
            lexer = shlex.shlex(command.replace("2>&1", ""), posix=True, punctuation_chars="|>")
            lexer.whitespace_split = True
            words = list(takewhile(lambda w: w not in ("|", ">"), lexer))
            words = [w.replace("%s", str(file)).replace("%S", str(file.parent)) for w in words]
            if "%t" in command or "-" in words or "--format" in words or "--certificate" in words:
                continue
            yield f"suite {file.relative_to(SUITE)} {number}", words


def kernel_checks(tools: Tools, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """The cells of the kernel table, under the assumption that sizes are not negative."""
    for kernel, form, pass_name in product(KERNELS, FORMS, PASSES):
        source = source_path(kernel, form)
        target = folder / f"{source.stem}.{pass_name}.mlir"
        if make_target(tools, source, pass_name, target).exit == 0:
            yield f"kernels {source.stem} {pass_name}", [str(source), str(target), "--assume", "nonneg"]


def loop_checks(tools: Tools, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """The cells of HEC's loop table."""
    for number, pair in enumerate(kernel_pairs("hec", KERNELS, HEC_STEPS, ("constant",))):
        target = folder / f"loops.{number}.mlir"
        if make_loops(tools, pair, target).failure is None:
            yield f"loops {pair.row} {pair.column}", [str(pair.source), str(target)]


def checks(tools: Tools, folder: Path, tables: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The checks of the chosen tables; what mlir-opt makes lies in the folder."""
    if "suite" in tables:
        yield from suite_checks()
    if "kernels" in tables:
        yield from kernel_checks(tools, folder)
    if "loops" in tables:
        yield from loop_checks(tools, folder)


class Runner:
    """Runs commands by a server, and keeps what they print in files of one thread each."""

    def __init__(self, socket: str, folder: Path, seconds: float) -> None:
        self._socket, self._folder, self._seconds = socket, folder, seconds
        self._own = local()

    def run(self, arguments: Sequence[str]) -> dict[str, object]:
        """The JSON object that a command prints."""
        out, null = self._file("out"), os.open(os.devnull, os.O_RDWR)
        with open(out, "w+b") as answer:
            serving.ask(self._socket, str(ROOT), dict(os.environ), list(arguments), (null, answer.fileno(), null))
            os.close(null)
            answer.seek(0)
            return json.loads(answer.read() or b"{}")

    def entry(self, check: tuple[str, list[str]]) -> tuple[str, Entry]:
        """The entry of one pair."""
        name, arguments = check
        certificate = self._file("certificate")
        certificate.unlink(missing_ok=True)
        limit = ["--time-limit", str(self._seconds)]
        report = self.run(["check", *arguments, *limit, "--format", "json", "--certificate", str(certificate)])
        functions = tuple(
            (f["name"], f["verdict"], f["evidence"], f["engine"])
            for f in report.get("functions", [])  # type: ignore[attr-defined]
        )
        accepted = None
        if certificate.exists():
            answer = self.run(
                ["replay", str(certificate), *(a for a in arguments if a.endswith(".mlir")), "--format", "json"]
            )
            accepted = "accepted" if answer.get("answer") == "accepted" else "refused"
        return name, Entry(str(report.get("verdict", "none")), functions, accepted)

    def _file(self, kind: str) -> Path:
        if not hasattr(self._own, "folder"):
            self._own.folder = Path(tempfile.mkdtemp(dir=self._folder))
        return self._own.folder / kind


def differences(before: dict[str, object], after: dict[str, object]) -> Iterator[str]:
    """The entries in which two tables differ."""
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            yield f"{name}\n  before {json.dumps(before.get(name))}\n  after  {json.dumps(after.get(name))}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_tool_options(parser)
    parser.add_argument("--tables", default=",".join(TABLES), help=f"of {', '.join(TABLES)}; default all")
    parser.add_argument("--only", default="", help="entries whose names have this text")
    parser.add_argument("--out", type=Path, default=FOLDER / "verdicts.json")
    parser.add_argument("--against", type=Path, help="a table to compare with")
    options = parser.parse_args()
    tools, tables = read_tools(parser, options), options.tables.split(",")
    with tempfile.TemporaryDirectory() as folder, serving.server() as socket, ThreadPoolExecutor(2) as pool:
        wanted = [c for c in checks(tools, Path(folder), tables) if options.only in c[0]]
        runner = Runner(socket, Path(folder), tools.time_limit)
        table: dict[str, object] = {}
        for name, entry in pool.map(runner.entry, wanted):
            table[name] = asdict(entry)
            print(f"[{len(table)}/{len(wanted)}] {name}: {entry.verdict} {entry.certificate or ''}", file=sys.stderr)
    table = json.loads(json.dumps(table))
    options.out.write_text(json.dumps(table, indent=1) + "\n")
    if options.against is None:
        return 0
    before = {k: v for k, v in json.loads(options.against.read_text()).items() if k in table or not options.only}
    found = list(differences(before, table))
    print(*found, f"{len(table)} entries, {len(found)} differ", sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())

"""What lines of a test suite cost: `hecv check` by itself, `hecv check` run by a server (`hecv serve`), and
`mlir-opt | FileCheck` on the same file, also under `hecv wrap`.

Takes every so many of the lit suite's checks of two files, and the smallest pair, an addition, as often. Each is run in
all ways one after the other, so that all times come from the same minutes of the same machine. Prints and writes
(`serve.json`) seconds by the clock, of processors, those of the server's processes included, and their median a line;
and the start of Python for comparison. Exits with 1 where a check ends otherwise with a server.
"""

import argparse
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from measure import Process, run
from targets import FOLDER, Tools, add_tool_options, positive, read_tools, tool_versions
from verdicts import suite_checks

CLIENT = FOLDER.parent / "python" / "hecv" / "server" / "client.py"
CHECKED = "// CHECK: {{func|module}}\n"
LIMIT = 60.0


SMALLEST = "func.func @f(%a: i32, %b: i32) -> i32 {{\n  %s = arith.addi {} : i32\n  return %s : i32\n}}\n"


@dataclass(slots=True)
class Way:
    """A way to run a line, with what its runs took: `seconds` by the clock, `cpu_seconds` of processors. `server` is
    the process that does the work."""

    command: Sequence[str]
    place: str = ""
    server: int | None = None
    seconds: list[float] = field(default_factory=list[float])
    cpu_seconds: list[float] = field(default_factory=list[float])

    def run(self, arguments: Sequence[str], time_limit: float) -> Process:
        """Runs a line."""
        os.environ["HECV_SERVER"] = self.place
        before = self._served()
        process = run([*self.command, *arguments], time_limit)
        self.seconds.append(process.seconds)
        self.cpu_seconds.append(process.cpu_seconds + self._served() - before)
        return process

    def _served(self) -> float:
        """Processor time of the server and of the children that it waited for."""
        if self.server is None:
            return 0.0
        fields = Path(f"/proc/{self.server}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def row(self, unit: float) -> dict[str, float]:
        """What all its runs took; `times` is processor time in units."""
        total = sum(self.cpu_seconds)
        median = statistics.median(self.cpu_seconds)
        found = {"seconds": sum(self.seconds), "cpu_seconds": total, "median": median, "times": total / unit}
        return {name: round(value, 3) for name, value in found.items()}


@contextmanager
def served(hecv: Sequence[str], command: Sequence[str], place: str) -> Iterator[Way]:
    """A way with a server of its own."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with subprocess.Popen([*hecv, "serve", "--socket", place], stdout=subprocess.PIPE, env=environment) as server:
        assert server.stdout is not None and server.stdout.readline(), "the server does not start"
        try:
            yield Way(command, place, server.pid)
        finally:
            server.terminate()


def measured(lines: Sequence[tuple[str, list[str]]], tools: Tools) -> tuple[dict[str, dict[str, float]], list[str]]:
    """What the lines took in each way, and which of them end otherwise with a server."""
    script = [sys.executable, "-I", "-S", str(CLIENT)]
    filecheck = shutil.which("FileCheck-22") or "/usr/lib/llvm-22/bin/FileCheck"
    different: list[str] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "check").write_text(CHECKED)
        piped = f'"$1" --canonicalize --cse "$0" | {filecheck} {shlex.quote(str(folder / "check"))}'
        os.environ["HECV_REPORT_DIR"] = str(folder / "reports")  # there is nothing to validate for without one
        wrapped = ["sh", "-c", f"{shlex.join(tools.hecv)} wrap -- {piped}"]
        checks = {
            "hecv check": Way(tools.hecv),
            "served": stack.enter_context(served(tools.hecv, tools.hecv, str(folder / "a"))),
            "served, client.py": stack.enter_context(served(tools.hecv, script, str(folder / "b"))),
        }
        others = {
            "mlir-opt | FileCheck": Way(["sh", "-c", piped]),
            "wrapped": Way(wrapped),
            "wrapped, served": stack.enter_context(served(tools.hecv, wrapped, str(folder / "c"))),
            "python -I -S": Way([sys.executable, "-I", "-S", "-c", ""]),
            "python": Way([sys.executable, "-c", ""]),
        }
        for name, arguments in lines:
            if len({way.run(["check", *arguments], tools.time_limit).exit for way in checks.values()}) != 1:
                different.append(name)
            for way in others.values():
                way.run([arguments[0], tools.mlir_opt], LIMIT)
    unit = sum(others["mlir-opt | FileCheck"].cpu_seconds)
    return {name: way.row(unit) for name, way in {**checks, **others}.items()}, different


def main() -> int:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--lines", type=positive, default=100, metavar="N")
    parser.add_argument("--output", type=Path, default=FOLDER / "serve.json", metavar="FILE")
    add_tool_options(parser)
    options = parser.parse_args()
    tools = read_tools(parser, options)
    report = {"schema": "hecv.benchmark.serve/1", "versions": tool_versions(tools), "cpus": os.cpu_count()}
    lines = list(suite_checks())
    lines = lines[:: max(1, len(lines) // options.lines)][: options.lines]
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        pair = [Path(folder) / name for name in ("src.mlir", "tgt.mlir")]
        for file, operands in zip(pair, ("%a, %b", "%b, %a"), strict=True):
            file.write_text(SMALLEST.format(operands))
        smallest = [("smallest", list(map(str, pair)))] * len(lines)
        for title, chosen in (("suite", lines), ("smallest", smallest)):
            rows, different = measured(chosen, tools)
            print(f"{title}: {len(chosen)} lines, {len(different)} end otherwise with a server", *different, sep="\n")
            for name, row in rows.items():
                print(f"  {name:22}", *(f"{key} {value:<8}" for key, value in row.items()))
            report[title] = {"lines": len(chosen), "different": different, "ways": rows}
            wrong += different
    options.output.write_text(json.dumps(report, indent=1) + "\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())

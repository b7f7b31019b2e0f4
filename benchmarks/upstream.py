"""MLIR's own test suite: what its runs of mlir-opt change, and what hecv decides of it.

`python benchmarks/upstream.py --mlir-test llvm-project/mlir/test --folders Affine,SCF` takes each RUN line of each test
file that calls mlir-opt, runs it (a tool whose output another reads, too), and compares every function that the run
changed with what it was, chunk by chunk, each in `--seconds`. `--verify-diagnostics` is left out, for it prints no
program; a run that fails is counted, and nothing of it compared.

Results of runs are appended to a file of JSON lines (`--results`): a benchmark that is started again goes on where it
ended. Prints a table by folder, and writes it (`upstream.json`): functions, identical, decided, refuted, unknown by
reason, seconds; and again without functions that have ops of no dialect, or of a dialect of tests (`registered`). Lists
each refutation with its run and an input.
"""

import argparse
import fcntl
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from hecv.base.diagnostics import InputError
from hecv.mlir.importer import parse
from hecv.mlir.module.purity import inner_ops
from hecv.mlir.module.split_input import split_input
from hecv.mlir.module.unregistered_ops import is_known
from hecv.process.worker_pool import Limits, Stage, Stopped, run_all
from hecv.server.preload import preload
from hecv.toolchain.run_record import Run, unvalidated
from hecv.toolchain.run_validation import examined
from hecv.toolchain.tool_command import MARKER, read_command
from targets import FOLDER, positive

TOOL = re.compile(r"mlir-opt(-\d+)?")
TOOL_LIMIT = 60.0
"""Seconds for a run of the tool."""

RUN_LIMIT = 3600.0
MEGABYTES = 1 << 16
"""Limits of a process that compares what one run changed: those of each function are hecv's own."""

LEFT_OUT_OPTIONS = ("-verify-diagnostics", "--verify-diagnostics")
DECIDED = ("equivalent", "refines", "not-equivalent")
MOST_REASONS = 40


@dataclass(frozen=True, slots=True)
class Line:
    """A command that a test runs, one pipe after the other: its tools up to the first that is not mlir-opt.

    `number` is that of its line in the file.
    """

    file: Path
    number: int
    stages: tuple[tuple[str, ...], ...]


# RUN lines


def lines_of(file: Path, scratch: str) -> Iterator[Line]:
    """The RUN lines of a test that call mlir-opt first, with the substitutions of lit (`%s`, `%S`, `%p`, `%t`, those
    that the file defines)."""
    text = file.read_text(encoding="utf-8", errors="replace")
    known = {"%{fs-sep}": "/"}
    for number, kind, words in directives(text):
        if kind != "RUN":
            name, _, value = words.partition("=")
            known[name.strip()] = value.strip()
            continue
        for command in commands(substituted(words, file, scratch, known)):
            stages = tuple(tool_stages(command))
            if stages:
                yield Line(file, number, stages)


def directives(text: str) -> Iterator[tuple[int, str, str]]:
    """RUN, DEFINE and REDEFINE with the number of their lines; a line that ends in a backslash goes on in the next."""
    waiting: tuple[int, str, str] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        found = re.search(r"\b(RUN|DEFINE|REDEFINE):(.*)", line)
        if found is None:
            continue
        first, kind, before = waiting or (number, found[1], "")
        words = f"{before} {found[2].strip()}".strip()
        waiting = (first, kind, words[:-1]) if words.endswith("\\") else None
        if waiting is None:
            yield first, kind, words


def substituted(words: str, file: Path, scratch: str, known: Mapping[str, str]) -> str:
    """The words with what lit puts in place of `%...`."""
    for _ in known:  # a definition may use others
        words = re.sub(r"%\{[^{}]*\}", lambda found: known.get(found[0], found[0]), words)
    values = {"%s": file, "%S": file.parent, "%p": file.parent, "%t": f"{scratch}/t", "%%": "%"}
    return re.sub(r"%(?:%|[sSpt]\b)", lambda found: str(values[found[0]]), words)


def commands(line: str) -> Iterator[list[list[str]]]:
    """The commands of a line, each as the words of what its pipe connects."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        tokens = list(lexer)
    except ValueError:  # quotes that a shell would not accept either
        return
    command: list[list[str]] = [[]]
    for token in tokens:
        if token in ("&&", "||", ";"):
            yield command
            command = [[]]
        elif token == "|":
            command.append([])
        else:
            command[-1].append(token)
    yield command


def tool_stages(command: list[list[str]]) -> Iterator[tuple[str, ...]]:
    """The arguments of the tools at the start of a pipe that are mlir-opt."""
    for position, words in enumerate(command):
        if not words or not TOOL.fullmatch(words[0]):
            return
        arguments = [w for w in unredirected(words[1:]) if w not in LEFT_OUT_OPTIONS]
        if position == 0 and "<" in words:
            arguments.append(words[words.index("<") + 1])
        yield tuple(arguments)


def unredirected(words: Sequence[str]) -> list[str]:
    """The words without `> FILE`, `2>&1` and the like."""
    kept, rest = list[str](), iter(words)
    for word in rest:
        if word[0] in "<>" or word == "&>":
            next(rest, None)
            if kept and kept[-1] in ("1", "2"):
                kept.pop()
        else:
            kept.append(word)
    return kept


# One line


def measured(line: Line, tool: str, root: Path, seconds: float) -> list[dict[str, Any]]:
    """The results of a line, one for each of its tools."""
    with tempfile.TemporaryDirectory() as scratch:
        found, given = list[dict[str, Any]](), b""
        for position, arguments in enumerate(line.stages):
            words = [a.replace("%SCRATCH%", scratch) for a in arguments]
            begin = perf_counter()
            run, reason = tool_run(tool, words, given, scratch, seconds)
            spent = perf_counter() - begin
            name = {"file": str(line.file.relative_to(root)), "line": line.number, "stage": position}
            shown = ["mlir-opt", *(w.replace(f"{root}/", "").replace(scratch, "%t") for w in words)]
            record, _ = (unvalidated(run, reason), "") if reason else examined(run)
            found.append({**name, "command": shlex.join(shown), "tool_seconds": spent, **kept(record, run)})
            if reason:
                break
            given = run.target or b""
        return found


def tool_run(tool: str, words: list[str], given: bytes, scratch: str, seconds: float) -> tuple[Run, str]:
    """A run of the tool with what it read and wrote, and why there is nothing to compare, if so."""
    plan = read_command(words)
    run = Run([tool, *words], tool, (plan.source, plan.target), each=seconds)
    run = run._replace(split=plan.split, output_split=plan.output_split)
    if plan.refusal is not None:
        return run, plan.refusal
    try:
        source = given if plan.source == "-" else Path(plan.source).read_bytes()
        done = subprocess.run([tool, *words], input=given, capture_output=True, cwd=scratch, timeout=TOOL_LIMIT)
    except OSError:
        return run, "the input cannot be read"
    except subprocess.TimeoutExpired:
        return run, "the tool does not end"
    if done.returncode:
        return run, f"the tool failed with exit status {done.returncode}"
    path = Path(scratch, plan.target)
    if plan.target != "-" and not path.is_file():
        return run, "the output was not written, or cannot be read"
    target = done.stdout if plan.target == "-" else path.read_bytes()
    return run._replace(status=0, source=source, target=target), ""


def kept(record: Mapping[str, Any], run: Run) -> dict[str, Any]:
    """What is kept of the report of a run."""
    strange = unregistered(run, [f for f in record["functions"] if f["verdict"] != "identical"])
    functions = [
        {
            "chunk": f.get("chunk"),
            "name": f["name"],
            "verdict": f["verdict"],
            "seconds": f["seconds"],
            "unregistered": (f.get("chunk") or 1, f["name"]) in strange,
            "unknown": f["unknown"],
            "inputs": f["counterexample"] and f["counterexample"]["inputs"],
            "difference": f["counterexample"] and f["counterexample"]["difference"],
        }
        for f in record["functions"]
    ]
    same = {name: record[name] for name in ("validated", "reason", "detail", "left_out")}
    failures = [d["message"] for d in record["diagnostics"] if d["severity"] == "error"]
    return {**same, "identical": len(record["identical"]), "functions": functions, "failures": failures}


def unregistered(run: Run, functions: Sequence[Mapping[str, Any]]) -> set[tuple[int, str]]:
    """The chunk and name of those functions that have ops of no dialect here, before the run or after it."""
    found = set[tuple[int, str]]()
    texts = [(data or b"").decode(errors="replace") for data in (run.source, run.target)]
    for text, marker in zip(texts, (run.split, run.output_split), strict=True):
        chunks = [text] if run.split is None else split_input(text, marker or MARKER)
        for number in {f.get("chunk") or 1 for f in functions}:
            try:
                module = parse(chunks[number - 1], "-", guarded=False)
            except InputError:  # the names of files matter to none that hecv compared
                continue
            for name, op in module.symbols.items():
                if op.name == "func.func" and not all(is_known(o, frozenset()) for o in inner_ops(op)):
                    found.add((number, name))
    return found


# All lines


def append(place: Path, results: Sequence[Mapping[str, Any]]) -> None:
    """Adds lines to the file of results, all or none."""
    with place.open("a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write("".join(json.dumps(r) + "\n" for r in results))


def read_results(place: Path) -> list[dict[str, Any]]:
    """The results so far; what was being written when the benchmark ended is dropped."""
    whole = place.read_text(encoding="utf-8") if place.exists() else ""
    complete = whole[: whole.rfind("\n") + 1]
    if complete != whole:
        place.write_text(complete, encoding="utf-8")
    return [json.loads(line) for line in complete.splitlines()]


def work(line: Line, tool: str, root: Path, seconds: float, place: Path, stage: Stage) -> None:
    """Measures a line, in a process of its own."""
    stage(f"{line.file.relative_to(root)}:{line.number}", 0)
    append(place, measured(line, tool, root, seconds))


def measure(lines: Sequence[Line], tool: str, root: Path, options: argparse.Namespace) -> None:
    """Measures the lines, and adds their results to the file."""
    preload()
    seen = set[str]()

    def tick(number: int, stage: str, seconds: float) -> None:
        if stage not in seen and stage != "start":
            seen.add(stage)
            print(f"[{number + 1}/{len(lines)}] {stage}", file=sys.stderr, flush=True)

    works = [partial(work, line, tool, root, options.seconds, options.results) for line in lines]
    for line, outcome in zip(lines, run_all(works, Limits(RUN_LIMIT, MEGABYTES), tick, options.jobs), strict=True):
        if isinstance(outcome, Stopped):
            run = Run([tool], tool, ("-", "-"))
            name = {"file": str(line.file.relative_to(root)), "line": line.number, "stage": 0, "command": ""}
            record = kept(unvalidated(run, f"hecv: {outcome.reason}", outcome.text), run)
            append(options.results, [{**name, "tool_seconds": 0.0, **record}])


# The table


@dataclass(slots=True)
class Row:
    """What became of the functions of a folder. `left_out` were not compared; `changed` are all others that are not
    identical, and those of them without unregistered ops are `registered`."""

    runs: int = 0
    not_compared: int = 0
    identical: int = 0
    left_out: int = 0
    changed: int = 0
    decided: int = 0
    refuted: int = 0
    registered: int = 0
    registered_decided: int = 0
    failed: int = 0
    seconds: float = 0.0
    tool_seconds: float = 0.0
    unknown: Counter[str] = field(default_factory=Counter[str])

    def add(self, result: Mapping[str, Any]) -> None:
        """Counts one run."""
        self.runs += 1
        self.not_compared += not result["validated"]
        self.identical += result["identical"]
        self.left_out += len(result["left_out"])
        self.tool_seconds += result["tool_seconds"]
        for function in result["functions"]:
            decided = function["verdict"] in DECIDED
            self.changed += 1
            self.decided += decided
            self.refuted += function["verdict"] == "not-equivalent"
            self.registered += not function["unregistered"]
            self.registered_decided += decided and not function["unregistered"]
            self.failed += function["verdict"] == "error"
            self.seconds += function["seconds"]
            if not decided:
                self.unknown[reason_of(function)] += 1

    def data(self) -> dict[str, Any]:
        """The row as plain data."""
        numbers = asdict(self) | {"unknown": dict(self.unknown.most_common(MOST_REASONS))}
        return numbers | {"seconds": round(self.seconds, 1), "tool_seconds": round(self.tool_seconds, 1)}


def reason_of(function: Mapping[str, Any]) -> str:
    """Why a function is not decided, without what is its own: names and numbers."""
    why = function["unknown"]
    if why is None:
        return "hecv failed"
    text = re.sub(r"(?<![\w.])-?\d[\d.]*", "N", re.sub(r"[@%][\w$.#-]+", "NAME", why["text"]))
    return f"{why['reason']}: {text.splitlines()[0][:120]}"


def folder_of(file: str) -> str:
    """The folder of the table: a dialect, a conversion, or what lies beside these."""
    parts = Path(file).parts
    return "/".join(parts[: 2 if parts[0] in ("Dialect", "Conversion") else 1])


def table_of(results: Sequence[Mapping[str, Any]]) -> dict[str, Row]:
    """The rows by folder, then the total."""
    rows = {folder: Row() for folder in sorted({folder_of(r["file"]) for r in results})}
    total = Row()
    for result in results:
        rows[folder_of(result["file"])].add(result)
        total.add(result)
    return {**rows, "total": total}


def show(rows: Mapping[str, Row], results: Sequence[Mapping[str, Any]]) -> None:
    """Prints the table, the commonest reasons, and the refutations."""
    print(f"{'':24} {'runs':>5} {'same':>6} {'changed':>7} {'decided':>12} {'registered':>13} {'refuted':>7} {'s':>7}")
    for name, row in rows.items():
        shares = shown(row.decided, row.changed), shown(row.registered_decided, row.registered)
        print(
            f"{name:24} {row.runs:5} {row.identical:6} {row.changed:7} {shares[0]:>12} {shares[1]:>13} "
            f"{row.refuted:7} {row.seconds:7.0f}"
        )
    for reason, count in rows["total"].unknown.most_common(MOST_REASONS):
        print(f"{count:5} {reason}")
    for result in results:
        for function in result["functions"]:
            if function["verdict"] in ("not-equivalent", "error"):
                where = f"{result['file']}:{result['line']}"
                print(f"\n{function['verdict']}: @{function['name']} (chunk {function['chunk']}) {where}")
                print(f"  {result['command']}\n  {json.dumps(function['inputs'])[:200]}\n  {function['difference']}")


def shown(count: int, total: int) -> str:
    return f"{count} ({count / total:.0%})" if total else "-"


# The command


def read_options() -> tuple[argparse.Namespace, str]:
    """The options, and the path of the tool."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--mlir-test", type=Path, required=True, metavar="DIR", help="the folder mlir/test of llvm-project")
    add("--tool", help="default: mlir-opt-22 or mlir-opt on PATH")
    add("--folders", default="", metavar="A,B", help="as Affine, Transforms, Conversion/SCFToControlFlow; default: all")
    add("--one-in", type=positive, default=1, metavar="N", help="only every so many of the runs")
    add("--seconds", type=float, default=10.0, help="time limit of a function (default: 10)")
    add("--jobs", type=positive, default=2, help="runs at a time (default: 2)")
    add("--out", type=Path, default=FOLDER / "upstream.json")
    add("--results", type=Path, metavar="FILE", help="results of runs (default: that of --out, as .jsonl)")
    options = parser.parse_args()
    options.mlir_test = options.mlir_test.resolve()
    options.results = options.results or options.out.with_suffix(".jsonl")
    if not options.mlir_test.is_dir():
        parser.error(f"no folder {options.mlir_test}: name the folder mlir/test of llvm-project with --mlir-test")
    if not options.seconds > 0:
        parser.error(f"--seconds is {options.seconds:g}, expected more than 0")
    names = [options.tool] if options.tool else ["mlir-opt-22", "mlir-opt"]
    tool = next(filter(None, map(shutil.which, names)), None)
    if tool is None:
        parser.error(f"no command {' or '.join(names)}; name one with --tool")
    options.folders = [
        found_folder(parser, options.mlir_test, name) for name in filter(None, options.folders.split(","))
    ]
    return options, os.path.abspath(tool)


def found_folder(parser: argparse.ArgumentParser, root: Path, name: str) -> Path:
    """The folder of this name; a usage error if there is none."""
    places = [root / name, root / "Dialect" / name, root / "Conversion" / name]
    found = next((place for place in places if place.is_dir()), None)
    if found is None:
        parser.error(f"no folder {name} in {root}, {root / 'Dialect'} or {root / 'Conversion'}")
    return found


def main() -> int:
    options, tool = read_options()
    root: Path = options.mlir_test
    files = sorted({f for folder in options.folders or [root] for f in folder.rglob("*.mlir")})
    lines = [line for file in files if "Inputs" not in file.parts for line in lines_of(file, "%SCRATCH%")]
    lines = lines[:: options.one_in]
    if not lines:
        print(f"no RUN line calls mlir-opt in {', '.join(map(str, options.folders or [root]))}", file=sys.stderr)
        return 2
    wanted = {(str(line.file.relative_to(root)), line.number) for line in lines}
    done = {(r["file"], r["line"]) for r in read_results(options.results)}
    measure([x for x in lines if (str(x.file.relative_to(root)), x.number) not in done], tool, root, options)
    results = [r for r in read_results(options.results) if (r["file"], r["line"]) in wanted]
    rows = table_of(results)
    show(rows, results)
    versions = subprocess.run([tool, "--version"], capture_output=True, text=True).stdout
    found = re.search(r"version (\S+)", versions)
    whole = {
        "mlir-opt": found[1] if found else "not said",
        "seconds_a_function": options.seconds,
        "one_in": options.one_in,
        "folders": {name: row.data() for name, row in rows.items()},
    }
    options.out.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

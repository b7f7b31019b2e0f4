"""The soundness table: what tries to make hecv lie, and what it answers.

`python benchmarks/soundness.py mutants` makes single edits of the targets of the pairs in `lit_tests` and of the
kernels after passes, as many of each kind. Workers judge one after the other (`tests/soundness/judging.py`): of those
that a run tells apart, none may be called equivalent or refining, and of some the proof is tried, too.
`python benchmarks/soundness.py programs` does so with random programs, their images under chains of passes, and mutants
of those. `python benchmarks/soundness.py hostile` gives the command line, each of its verbs, files that are cut off,
scrambled, huge or deeply nested. All print what they find with the files to see it again, write `soundness.json`, and
exit with 1 where there is something.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

from targets import FOLDER, Tools, add_tool_options, make_target, positive, read_tools, source_path, tool_versions

ROOT = FOLDER.parent
sys.path.insert(0, str(ROOT / "tests"))

from hecv.check import Options, check  # noqa: E402
from hecv.cli.main import main as hecv_main  # noqa: E402
from hecv.verdict.result import Report  # noqa: E402
from hecv.verdict.worker import Limits, Stage, Stopped, run_all  # noqa: E402
from soundness.hostile import adversarial, spoiled  # noqa: E402
from soundness.judging import COLUMNS as JUDGED  # noqa: E402
from soundness.judging import Judge, Judged, Subject, options_of  # noqa: E402
from soundness.mutants import EDITS, kind_of, mutants  # noqa: E402
from soundness.programs import PassFailed, Taste, chain, program, transformed  # noqa: E402
from soundness.running import refuted  # noqa: E402

PASSES = ("unroll-2", "tile-16", "lower-cse", "lower-cf-canon")
KERNELS = ("gemm", "mvt", "trisolv", "jacobi_1d")
LARGEST = 12_000
"""Characters of a file that is mutated, at most."""

SECONDS, PROOF_SECONDS = 20.0, 6.0
"""For one verdict on a mutant, and for the proof of one that a run refutes."""

RARE = Taste(data_conditions=0.05, traps=0.15, uninitialised=0.12, flags=0.12)
RUNS, TRIES, STEPS = 12, 60, 200_000
COLUMNS = ("mutants", "killed", "unknown", "refines", "equivalent", "wrong")
BATCH = 500
"""Mutants between two lines that say how far it is."""
MEGABYTES, LIMIT = 4096, 30.0
"""Of memory and of seconds, for one answer.

In workers, whose time goes by while others run, each has several times as many seconds.
"""
Table = dict[str, Counter[str]]


def pairs(tools: Tools) -> Iterator[Subject]:
    """Pairs whose target is right: those of the lit suite, and kernels after passes."""
    for target in sorted((ROOT / "lit_tests").glob("**/*.tgt.mlir")):
        source = target.with_name(target.name.removesuffix(".tgt.mlir") + ".src.mlir")
        if source.exists() and max(source.stat().st_size, target.stat().st_size) <= LARGEST:
            text = target.read_text()
            name = f"{target.parent.name}/{target.name.removesuffix('.tgt.mlir')}"
            yield Subject(name, source.read_text(), text, *options_of(text))
    for kernel in KERNELS:
        source = source_path(kernel, "dynamic")
        for passes in PASSES:
            with tempfile.NamedTemporaryFile(suffix=".mlir") as made:
                path = Path(made.name)
                if make_target(tools, source, passes, path).exit == 0:
                    yield Subject(f"{kernel}/{passes}", source.read_text(), path.read_text())


def decided(source: str, mutant: str, seconds: float, **environment: str) -> Report:
    """The verdict, with some variables of the environment set."""
    os.environ.update(environment)
    try:
        return check(source, mutant, ("source.mlir", "mutant.mlir"), Options(seconds=seconds))
    finally:
        for name in environment:
            del os.environ[name]


def said(report: Report) -> str:
    """What the diagnostics of a report say."""
    return "; ".join(d.message for f in report.functions for d in f.diagnostics)


def judged(source: str, mutant: str, random: Random) -> tuple[str, str]:
    """The column that a mutant counts in, and what is to be said of a wrong one; no column for what is no program.

    Of what a run refutes the proof is tried all the same: it must not succeed.
    """
    report = decided(source, mutant, SECONDS)
    match report.verdict:
        case "error":
            return ("wrong", said(report)) if report.internal else ("", "")
        case "not-equivalent":
            again = decided(source, mutant, PROOF_SECONDS, HECV_CROSSCHECK="1")
            return ("wrong", said(again)) if again.internal else ("killed", "")
        case "unknown":
            return "unknown", ""
        case verdict:
            try:
                wrong = refuted(source, mutant, verdict, random, RUNS, TRIES, STEPS)
            except Exception as problem:  # of what this table's own reading cannot run
                return verdict, f"not run: {problem}"
            return (verdict, "") if wrong is None else ("wrong", wrong)


def kept(folder: Path, name: str, texts: Sequence[str]) -> str:
    """Where a find was written, as a command that shows it."""
    paths = [folder / f"{name}.{side}.mlir" for side in ("src", "tgt")]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return f"HECV_CROSSCHECK=1 hecv check {paths[0]} {paths[1]}"


def mutate(tools: Tools, options: argparse.Namespace, folder: Path) -> tuple[Table, list[str]]:
    """`count` mutants of each kind, judged in workers that take one after the other."""
    judge = Judge(list(pairs(tools)), options.seed, options.every, SECONDS)
    table: Table = {kind_of(edit): Counter() for edit in EDITS}
    finds: list[str] = []
    whole = options.count * len(EDITS)
    deadline = time.time() + 60 * options.minutes
    for first in range(0, whole, BATCH):
        if time.time() > deadline:
            break
        numbers = range(first, min(first + BATCH, whole))
        works = [partial(_judged, judge, number) for number in numbers]
        outcomes = run_all(works, Limits(6 * SECONDS, MEGABYTES), lambda *now: None, options.jobs)
        for number, outcome in zip(numbers, outcomes, strict=True):
            kind = kind_of(EDITS[number % len(EDITS)])
            if isinstance(outcome, Stopped):
                failed = outcome.reason == "exception"
                table[kind].update(("mutants", "wrong" if failed else "unknown"))
                finds += [f"{kind}, number {number}: {outcome.text}"] if failed else []
            elif outcome is not None:
                table[kind].update(outcome.columns)
                if "wrong" in outcome.columns:
                    finds.append(f"{kind} of {outcome.subject}, line {outcome.line}: {outcome.said}")
                    finds.append("  " + kept(folder, f"{kind}-{number}", outcome.texts))
        done = sum(table.values(), Counter[str]())
        print(f"{numbers.stop} of {whole}: " + ", ".join(f"{c} {done[c]}" for c in JUDGED), flush=True)
        print(*finds, sep="\n", end="\n" if finds else "", flush=True)
    print(f"{'kind of edit':18}" + "".join(f"{c:>11}" for c in JUDGED))
    for kind, row in table.items():
        print(f"{kind:18}" + "".join(f"{row[c]:>11}" for c in JUDGED), flush=True)
    return table, finds


def _judged(judge: Judge, number: int, stage: Stage) -> Judged | None:
    """What a worker does for one mutant."""
    return judge(number)


def grow(tools: Tools, options: argparse.Namespace, folder: Path) -> tuple[Table, list[str]]:
    """`count` random programs against themselves, against what a chain of passes of mlir-opt makes of them, and against
    a mutant of that. A pass that a run refutes is no find: it is kept as a possible bug of the compiler."""
    table: Table = {kind: Counter() for kind in ("itself", "passes", "mutant")}
    finds: list[str] = []
    print(f"{'kind':18}" + "".join(f"{c:>11}" for c in COLUMNS), flush=True)
    for number in range(options.seed * 100_000, options.seed * 100_000 + options.count):
        random = Random(number)
        source = program(number, Taste() if number % 2 else RARE)
        passes = chain(random)
        try:
            target = transformed(source, passes)
        except PassFailed:
            target = source
        mutant = next(mutants(target, random), None)
        for kind, other in (("itself", source), ("passes", target), ("mutant", mutant.text if mutant else source)):
            column, text = judged(source, other, random)
            if kind == "itself" and column == "killed":
                column, text = "wrong", "a program differs from itself"
            if not column:
                continue
            table[kind].update(("mutants", column))
            if kind == "passes" and column == "killed":
                print(f"{passes}: refuted; " + kept(folder, f"pass-{number}", (source, other)), flush=True)
            if column == "wrong":
                finds.append(f"{kind}, seed {number}: {text}\n  " + kept(folder, f"{kind}-{number}", (source, other)))
    for kind, row in table.items():
        print(f"{kind:18}" + "".join(f"{row[c]:>11}" for c in COLUMNS), flush=True)
    return table, finds


def attack(tools: Tools, options: argparse.Namespace, folder: Path) -> tuple[Table, list[str]]:
    """The command line on adversarial files, a process each, and each of its verbs on `count` spoiled ones, in workers
    that take one after the other."""
    table: Table = {"adversarial": Counter(), **{verb: Counter() for verb in VERBS}}
    finds: list[str] = []
    for case in adversarial(1):
        paths, arguments = written(folder, "check", case.name, case.source, case.target)
        count(table["adversarial"], finds, paths, arguments, answered([*tools.hecv, *arguments], 4 * LIMIT))
    given = spoiled_files(list(pairs(tools)), options)
    while batch := list(islice(given, BATCH)):
        made = [(verb, *written(folder, *one)) for one in batch for verb in one[:1]]
        works = [partial(_answered, arguments, folder / "said") for _, _, arguments in made]
        outcomes = run_all(works, Limits(4 * LIMIT, 4 * MEGABYTES), lambda *now: None, 1)
        for (verb, paths, arguments), outcome in zip(made, outcomes, strict=True):
            known = ("wrong", outcome.text) if isinstance(outcome, Stopped) else outcome
            count(table[verb], finds, paths, arguments, known)
        print(f"{sum(row['files'] for row in table.values())} files, {len(finds)} finds", flush=True)
    for kind, counted in table.items():
        print(f"{kind:18}" + ", ".join(f"{k} {n}" for k, n in counted.items()), flush=True)
    return table, finds


def spoiled_files(subjects: Sequence[Subject], options: argparse.Namespace) -> Iterator[tuple[str, str, bytes, bytes]]:
    """A verb, a name, and a source with what became of its target or of a rule file, without end but for `count`."""
    random = Random(options.seed)
    rules = [path.read_text() for path in sorted((ROOT / "examples" / "rules").glob("*.py"))]
    for number in range(options.count):
        for verb in VERBS:
            subject = random.choice(subjects)
            text = spoiled(random.choice(rules) if verb == "rules" else subject.target, random)
            name = f"spoiled-{verb}-{options.seed}-{number}"
            yield verb, name, subject.source.encode(), text.encode("utf-8", "replace")


def written(folder: Path, verb: str, name: str, source: bytes, target: bytes) -> tuple[list[Path], list[str]]:
    """Where two files were written, and the arguments of the command line that give them to a verb."""
    paths = [folder / f"{name}.{side}" for side in ("src.mlir", "tgt.py" if verb == "rules" else "tgt.mlir")]
    for path, contents in zip(paths, (source, target), strict=True):
        path.write_bytes(contents)
    limits = ["--time-limit", f"{LIMIT:g}", "--memory-limit", str(MEGABYTES)]
    return paths, [verb, *asked(verb, *paths, folder), *([] if verb in ("graph", "rules") else limits)]


def count(
    row: Counter[str], finds: list[str], paths: Sequence[Path], arguments: Sequence[str], known: tuple[str, str]
) -> None:
    """Counts an answer; files of a find are kept."""
    answer, text = known
    row.update(("files", answer))
    if answer == "wrong":
        finds.append(f"{text}\n  hecv {' '.join(arguments)}")
        return
    for path in paths:
        path.unlink()


def _answered(arguments: Sequence[str], said: Path, stage: Stage) -> tuple[str, str]:
    """How the command line answers in this process, which is a worker's own."""
    with said.open("w+b") as out:
        for stream in (1, 2):
            os.dup2(out.fileno(), stream)
        status = hecv_main(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
    return judged_answer(status, said.read_text(errors="replace"))


VERBS = ("check", "graph", "opt", "rewrite", "rules")


def asked(verb: str, source: Path, spoiled_one: Path, folder: Path) -> list[str]:
    """The arguments of a verb that is given a spoiled file."""
    spoiled_path, out = str(spoiled_one), str(folder / "out.mlir")
    match verb:
        case "check":
            return [str(source), spoiled_path]
        case "opt":
            return [spoiled_path, "--pass-pipeline", "builtin.module(canonicalize,cse)", "-o", out]
        case "rewrite":
            return [spoiled_path, "--rules", str(ROOT / "examples" / "rules" / "gelu.py"), "-o", out]
        case "rules":
            return ["--rules", spoiled_path, "--audit", "--widths", "1,4", "--time-limit", "1"]
        case _:
            return [spoiled_path]


ANSWERS = {0: "equal", 1: "not equivalent", 2: "diagnostic", 3: "unknown"}


def answered(command: Sequence[str], limit: float) -> tuple[str, str]:
    """How a process answered."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return "wrong", f"no answer within {limit:g} s"
    return judged_answer(done.returncode, done.stdout + done.stderr)


def judged_answer(status: int, out: str) -> tuple[str, str]:
    """What an answer is, `wrong` where the process failed, or said what does not go with its exit status."""
    if "Traceback" in out or status not in ANSWERS:
        return "wrong", f"exit {status}: {out[-400:]}"
    answer = ANSWERS[status]
    said = {"not equivalent": ("not equivalent: ", "failed "), "diagnostic": ("error[",), "unknown": ("unknown: ",)}
    if any(word in out for word in said.get(answer, ("",))):
        return answer, ""
    return "wrong", f"exit {status} without a word: {out[-400:]}"


def cpu(who: int) -> float:
    """CPU seconds of this process, or of its children."""
    used = getrusage(who)
    return used.ru_utime + used.ru_stime


RUNNERS = {"mutants": mutate, "programs": grow, "hostile": attack}


def main() -> int:
    """Runs one of the three, and says what it found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=tuple(RUNNERS))
    parser.add_argument("--count", type=positive, default=20, help="mutants of each kind, programs, or spoiled files")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=math.inf, help="no more mutants are begun after these")
    parser.add_argument("--every", type=positive, default=10, help="the proof of one killed mutant in so many is tried")
    parser.add_argument("--jobs", type=positive, default=1, help="workers for mutants")
    parser.add_argument("--folder", type=Path, help="where finds are written (default: a new one)")
    add_tool_options(parser)
    options = parser.parse_args()
    tools = read_tools(parser, options)
    folder = options.folder or Path(tempfile.mkdtemp(prefix="hecv-soundness-"))
    folder.mkdir(parents=True, exist_ok=True)
    started = time.time()
    table, finds = RUNNERS[options.what](tools, options, folder)
    place = FOLDER / "soundness.json"
    whole = json.loads(place.read_text()) if place.exists() else {}
    whole["versions"] = tool_versions(tools)
    whole[options.what] = {
        **{"seed": options.seed, "count": options.count, "seconds": round(time.time() - started)},
        **{"cpu_seconds": round(sum(map(cpu, (RUSAGE_SELF, RUSAGE_CHILDREN))))},
        **{"rows": {kind: dict(row) for kind, row in table.items()}, "finds": len(finds)},
    }
    place.write_text(json.dumps(whole, indent=2) + "\n")
    for find in finds:
        print(find)
    return 1 if finds else 0


if __name__ == "__main__":
    sys.exit(main())

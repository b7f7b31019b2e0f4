"""The soundness table: what tries to make hecv lie, and what it answers.

`python benchmarks/soundness.py mutants` makes single edits of the targets of the pairs in `lit_tests`, of kernels after
passes, and of random programs after passes, as many of each kind and none twice. Workers judge one after the other
(`tests/soundness/judging.py`): none of those that a run tells apart may be called equivalent or refining, by hecv or by
any of its engines asked alone.
`python benchmarks/soundness.py programs` gives all of hecv random programs against themselves, their images under
chains of passes, mutants of those, mutants written otherwise or as the source, and two images against each other;
verdicts on the same two programs must not contradict each other. `python benchmarks/soundness.py hostile` gives the
command line, each of its verbs, files and options that are cut off, scrambled, huge or deeply nested
(`benchmarks/spoiling.py`). `python benchmarks/soundness.py agree` runs functions of the lit suite, random programs, and
edits of a token of these by the interpreter and by MLIR's JIT: they compute the same wherever a run is defined
(`benchmarks/agreeing.py`); `--only FILE` shows a find again. `python benchmarks/soundness.py chains` checks chains
of random passes on random programs and on sources of pairs, pass by pass (`benchmarks/piping.py`); what is refuted is
printed, and may be a bug of the compiler. All print what they find with the files to see it again, and exit with 1
where there is something.

With `--add` what is counted is added to the totals in `soundness.json`, as it is counted: a run may be ended at any
time. A seed is counted once; mutants of the pairs are shared out among the seeds from 0 to 15, others have random
programs alone. `python benchmarks/soundness.py totals` prints the totals.
"""

import argparse
import math
import os
import shlex
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

from agreeing import KINDS as TEXTS
from agreeing import Text, held, of_the_suite, text_of
from piping import COLUMNS as PIPED
from piping import differences, piping, row_of, said_of
from spoiling import KINDS as ATTACKED
from spoiling import LIMIT, LIMITS, MEGABYTES, Attack, answered, answered_here, attacks, load
from tallies import Counted, Table, Tallies
from targets import FOLDER, Tools, add_tool_options, make_target, positive, read_tools, source_path, tool_versions

ROOT = FOLDER.parent
sys.path.insert(0, str(ROOT / "tests"))

from hecv.check import Options, check  # noqa: E402
from hecv.claim.result import Report  # noqa: E402
from hecv.process.worker_pool import Limits, Stage, Stopped, run_all  # noqa: E402
from soundness.agreement import COLUMNS as COMPARED  # noqa: E402
from soundness.agreement import Compared  # noqa: E402
from soundness.hostile import adversarial  # noqa: E402
from soundness.judging import (  # noqa: E402
    BLOCK,
    Judge,
    Judged,
)
from soundness.judging import COLUMNS as JUDGED  # noqa: E402
from soundness.mutants import EDITS, kind_of, mutants, parses, spelt  # noqa: E402
from soundness.programs import PassFailed, run_pipeline  # noqa: E402
from soundness.running import refuted  # noqa: E402
from soundness.subjects import CONTROL, Subject, grown, options_of  # noqa: E402

PASSES = ("unroll-2", "tile-16", "lower-cse", "lower-cf-canon")
KERNELS = ("gemm", "mvt", "trisolv", "jacobi_1d")
LARGEST = 12_000
"""Characters of a file that is mutated, at most."""

SECONDS, PROOF_SECONDS = 20.0, 6.0
"""For one verdict on a mutant, and for the proof of one that a run refutes."""

RUNS, TRIES, STEPS = 12, 60, 200_000
COLUMNS = ("mutants", "killed", "unknown", "refines", "equivalent", "wrong")
BATCHES = {"mutants": 4 * BLOCK, "programs": 4, "hostile": 700, "agree": 40, "chains": 4}
"""How many are counted at a time."""
OF_ITS_OWN = 64
"""Of spoiled inputs one in so many is given to a process that does nothing else."""
MISSES = 20
"""Mutants of a random program that may be no programs."""
PARTS = 16
"""So many seeds share out the edits of the pairs; seeds from here on have random programs alone."""
Batch = tuple[Table, list[str]]
"""What was counted, and what was found."""


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


def decided(subject: Subject, mutant: str, seconds: float, **environment: str) -> Report:
    """The verdict, with some variables of the environment set."""
    os.environ.update(environment)
    options = Options(seconds=seconds, switches=subject.switches)
    try:
        return check(subject.source, mutant, ("source.mlir", "mutant.mlir"), options)
    finally:
        for name in environment:
            del os.environ[name]


def said(report: Report) -> str:
    """What the diagnostics of a report say."""
    return "; ".join(d.message for f in report.functions for d in f.diagnostics)


def judged(subject: Subject, mutant: str, random: Random) -> tuple[str, str]:
    """The column that a mutant counts in, and what is to be said of a wrong one; no column for what is no program.

    Of what a run refutes the proof is tried all the same: it must not succeed.
    """
    report = decided(subject, mutant, SECONDS)
    match report.verdict:
        case "error":
            return ("wrong", said(report)) if report.internal else ("", "")
        case "not-equivalent":
            again = decided(subject, mutant, PROOF_SECONDS, HECV_CROSSCHECK="1")
            return ("wrong", said(again)) if again.internal else ("killed", "")
        case "unknown":
            return "unknown", "; ".join(f.unknown.text for f in report.functions if f.unknown is not None)
        case verdict:
            try:
                wrong = (
                    None
                    if subject.switches.may_overlap
                    else refuted(subject.source, mutant, verdict, random, RUNS, TRIES, STEPS)
                )
            except Exception as problem:  # of what this table's own reading cannot run
                return verdict, f"not run: {problem}"
            return (verdict, "") if wrong is None else ("wrong", wrong)


def kept(folder: Path, name: str, texts: Sequence[str]) -> str:
    """Where a find was written, as a command that shows it."""
    paths = [folder / f"{name}.{side}.mlir" for side in ("src", "tgt")]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return f"HECV_CROSSCHECK=1 hecv check {paths[0]} {paths[1]}"


def mutate(tools: Tools, options: argparse.Namespace, folder: Path) -> Iterator[Batch]:
    """`count` mutants of each kind, judged in workers that take one after the other."""
    judge = Judge(list(pairs(tools)), options.seed, options.every, SECONDS, PARTS, growing=True)
    whole = options.count * len(EDITS)
    for first in range(0, whole, BATCHES["mutants"]):
        numbers = range(first, min(first + BATCHES["mutants"], whole))
        works = [partial(_judged, judge, number) for number in numbers]
        outcomes = run_all(works, Limits(6 * SECONDS, MEGABYTES), lambda *now: None, options.jobs)
        table: Table = {kind_of(edit): Counter() for edit in EDITS}
        finds: list[str] = []
        for number, outcome in zip(numbers, outcomes, strict=True):
            kind = kind_of(EDITS[number % len(EDITS)])
            if isinstance(outcome, Stopped):
                failed = outcome.reason == "exception"
                table[kind].update(("mutants", "wrong" if failed else "unknown"))
                finds += [f"{kind}, number {number}: {outcome.text}"] if failed else []
            elif outcome is not None:
                table[kind].update(outcome.columns)
                if "wrong" in outcome.columns:
                    shown = kept(folder, f"{kind}-{options.seed}-{number}", outcome.texts)
                    finds.append(f"{kind} of {outcome.subject}, line {outcome.line}: {outcome.said}\n  {shown}")
        yield table, finds


def _judged(judge: Judge, number: int, stage: Stage) -> Judged | None:
    """What a worker does for one mutant."""
    return judge(number)


def grow(tools: Tools, options: argparse.Namespace, folder: Path) -> Iterator[Batch]:
    """`count` random programs against themselves, against what a chain of passes of mlir-opt makes of them, and against
    a mutant of that; that mutant as MLIR writes every op alike, and as the source; and what two chains make against
    each other. A pass that a run refutes is no find: it is kept as a possible bug of the compiler."""
    first = options.seed * 1_000_000
    for start in range(first, first + options.count, BATCHES["programs"]):
        table: Table = {kind: Counter() for kind in ATTACKED}
        finds: list[str] = []
        for number in range(start, min(start + BATCHES["programs"], first + options.count)):
            random, subject = Random(number), grown(number)
            columns: dict[str, str] = {}
            for kind, one in variants(subject, random):
                column, text = judged(one, one.target, random)
                name = f"{kind}-{subject.name}"
                against = CONTRADICTS.get(kind)
                if kind == "itself" and column == "killed":
                    column, text = "wrong", "a program differs from itself"
                elif against is not None and contradict(column, columns.get(against, "")):
                    column, text = "wrong", f"{column}, but {columns[against]} as {against}"
                columns[kind] = column
                table[kind].update(("mutants", column) if column else ())
                files = (one.source, one.target)
                if (kind in RIGHT and column == "killed") or (kind != "mutant" and column == "unknown"):
                    print(f"{kind}: {column} {text}: {kept(folder, name, files)}", flush=True)
                if column == "wrong":
                    finds.append(f"{name}: {text}\n  " + kept(folder, name, files))
        yield table, finds


KINDS = ("itself", "passes", "mutant", "spelt", "mirrored", "images")
RIGHT = ("passes", "images")
"""Pairs that are refuted by a bug of the compiler, or where one side has less behaviours than the program."""
CONTRADICTS = {"spelt": "mutant", "mirrored": "mutant"}
"""Of what another verdict says something, too."""


def variants(subject: Subject, random: Random) -> Iterator[tuple[str, Subject]]:
    """The pairs that are made of a program and its target, those that others are held against first."""
    yield "itself", replace(subject, target=subject.source)
    if subject.target != subject.source:
        yield "passes", subject
    mutant = next((m.text for m in islice(mutants(subject.target, random), MISSES) if parses(m.text)), None)
    if mutant is not None:
        yield "mutant", replace(subject, target=mutant)
        yield "spelt", replace(subject, target=spelt(mutant))
        yield "mirrored", replace(subject, source=mutant, target=subject.source)
    with suppress(PassFailed):
        image = run_pipeline(subject.source, f"builtin.module({random.choice(CONTROL)})")
        if image not in (subject.source, subject.target):
            yield "images", replace(subject, source=image, target=subject.target)


def contradict(first: str, second: str) -> bool:
    """Whether one of two verdicts on the same programs is wrong, whichever way they are compared."""
    return {first, second} == {"killed", "equivalent"}


def attack(tools: Tools, options: argparse.Namespace, folder: Path) -> Iterator[Batch]:
    """The command line on adversarial files, a process each, and each of its verbs on `count` spoiled inputs, in
    workers that take one after the other."""
    table: Table = {"adversarial": Counter()}
    finds: list[str] = []
    for case in adversarial(1) if options.seed % PARTS == 0 else ():
        paths = [folder / f"{case.name}.{side}.mlir" for side in ("src", "tgt")]
        for path, contents in zip(paths, (case.source, case.target), strict=True):
            path.write_bytes(contents)
        arguments = ("check", *map(str, paths), *LIMITS)
        count(table["adversarial"], finds, paths, arguments, answered(tools.hecv, 4 * LIMIT, Attack(arguments, ())))
    yield table, finds
    load()
    given = attacks(list(pairs(tools)), options.seed, options.count, folder)
    while batch := list(islice(given, BATCHES["hostile"])):
        table, finds = {kind: Counter() for kind in ATTACKED}, []
        made = [(kind, one.written(), one) for kind, one in batch]
        works = [
            partial(_answered, one, tools.hecv if number % OF_ITS_OWN == 0 else (), folder / "said")
            for number, (_, _, one) in enumerate(made)
        ]
        outcomes = run_all(works, Limits(8 * LIMIT, 4 * MEGABYTES), lambda *now: None, 1)
        for (kind, paths, one), outcome in zip(made, outcomes, strict=True):
            known = ("wrong", outcome.text) if isinstance(outcome, Stopped) else outcome
            count(table[kind], finds, paths, one.arguments, known)
        yield table, finds


def _answered(one: Attack, command: Sequence[str], said: Path, stage: Stage) -> tuple[str, str]:
    """What a worker does for one attack: it is the command line itself, or starts the `command`."""
    return answered(command, 4 * LIMIT, one) if command else answered_here(one, said)


def count(
    row: Counter[str], finds: list[str], paths: Sequence[Path], arguments: Sequence[str], known: tuple[str, str]
) -> None:
    """Counts an answer; files of a find are kept."""
    answer, text = known
    row.update(("files", answer))
    if answer == "wrong":
        finds.append(f"{text}\n  hecv {shlex.join(arguments)}")
        return
    for path in paths:
        path.unlink()


def agree(tools: Tools, options: argparse.Namespace, folder: Path) -> Iterator[Batch]:
    """The interpreter against MLIR's compiled code on `count` texts, of each kind in turn, or on one file `only`."""
    if options.only is not None:
        width = options.index_width
        yield from _agreed([Text(str(options.only), options.only.read_text(), width)], [TEXTS[0]], options, folder)
        return
    files = of_the_suite()
    for first in range(0, options.count, BATCHES["agree"]):
        numbers = range(first, min(first + BATCHES["agree"], options.count))
        made = [(TEXTS[n % len(TEXTS)], text_of(files, options.seed, n)) for n in numbers]
        kinds = [kind for kind, one in made if one is not None]
        yield from _agreed([one for _, one in made if one is not None], kinds, options, folder)


def _agreed(texts: Sequence[Text], kinds: Sequence[str], options: argparse.Namespace, folder: Path) -> Iterator[Batch]:
    """What comes of some texts of some kinds, in workers that take one after the other."""
    table: Table = {kind: Counter() for kind in TEXTS}
    finds: list[str] = []
    outcomes = run_all(
        [partial(_held, one) for one in texts], Limits(8 * SECONDS, MEGABYTES), lambda *now: None, options.jobs
    )
    for number, (one, kind, outcome) in enumerate(zip(texts, kinds, outcomes, strict=True)):
        found = outcome if not isinstance(outcome, Stopped) else [Compared("?", {"wrong": 1}, outcome.text)]
        for each in found:
            table[kind].update(each.counted)
            if "wrong" in each.counted:
                path = folder / f"agree-{options.seed}-{len(finds)}-{number}.mlir"
                path.write_text(one.text)
                again = f"python benchmarks/soundness.py agree --only {path} --index-width {one.index_width}"
                finds.append(f"{one.name} @{each.function}: {each.said}\n  {again}")
    yield table, finds


def _held(one: Text, stage: Stage) -> list[Compared]:
    """What a worker does for one text."""
    return held(one)


def pipe(tools: Tools, options: argparse.Namespace, folder: Path) -> Iterator[Batch]:
    """`count` chains of passes, on random programs and on sources of pairs in turn, with a row for each pass."""
    made, fixed = piping(tools), list(pairs(tools))
    for number in range(options.count):
        random = Random(f"chained {options.seed} {number}")
        subject = grown(random.randrange(10**9)) if number // 2 % 2 == 0 else random.choice(fixed)
        chain, report = made.run(subject, options.seed, number)
        table: Table = {}
        finds: list[str] = []
        for step in report.steps:
            name, column = row_of(step)
            table.setdefault(name, Counter()).update(("steps", column))
            if column in ("refuted", "unknown", "failed", "wrong"):
                path = folder / f"chain-{options.seed}-{number}.mlir"
                path.write_text(subject.source)
                what = ", ".join(differences(step)) or said_of(report)
                told = f"{name} of {subject.name}: {column} {what}\n  hecv opt {path} {chain}"
                print(told, flush=True)
                finds += [told] if column == "wrong" else []
        if report.total.internal and not finds:
            finds.append(f"{subject.name}: {said_of(report)}\n  {chain}")
        yield table, finds


RUNNERS = {"mutants": mutate, "programs": grow, "hostile": attack, "agree": agree, "chains": pipe}
HOSTILE = ("files", "equal", "not equivalent", "diagnostic", "unknown", "wrong")
HEADS = {"mutants": JUDGED, "programs": COLUMNS, "hostile": HOSTILE, "agree": COMPARED, "chains": PIPED}


def show(what: str, table: Table) -> None:
    """Prints a table."""
    head = HEADS[what]
    wide, first = max(map(len, head)) + 1, max(map(len, (*table, what))) + 1
    whole = sum(table.values(), Counter[str]())
    print(f"{what:{first}}" + "".join(f"{c:>{wide}}" for c in head))
    for kind, row in {**table, "all": whole}.items():
        print(f"{kind:{first}}" + "".join(f"{row[c]:>{wide}}" for c in head), flush=True)


def spent() -> float:
    """CPU seconds of this process and of its children that have ended."""
    return sum(used.ru_utime + used.ru_stime for used in map(getrusage, (RUSAGE_SELF, RUSAGE_CHILDREN)))


def counted(batches: Iterator[Batch], tallies: Tallies | None, deadline: float) -> tuple[Table, list[str]]:
    """The sums of what the batches count, which is added to the `tallies` as it comes; none is begun after the
    `deadline`."""
    table: Table = {}
    finds: list[str] = []
    before = 0.0
    for rows, found in batches:
        for kind, row in rows.items():
            table.setdefault(kind, Counter()).update(row)
        finds += found
        if tallies is not None:
            tallies.add(rows, len(found), spent() - before)
        before = spent()
        done = sum(table.values(), Counter[str]())
        print(f"{before:.0f} s: " + ", ".join(f"{c} {n}" for c, n in done.items()), *found, sep="\n", flush=True)
        if time.time() > deadline:
            break
    return table, finds


def read_options(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """The options of the command line."""
    parser.add_argument("what", choices=(*RUNNERS, "totals"))
    parser.add_argument("--count", type=positive, default=20, help="mutants of each kind, programs, files, or chains")
    parser.add_argument("--seed", type=int, default=0)
    totals = FOLDER / "soundness.json"
    parser.add_argument("--totals", type=Path, default=totals, help="the file of totals (default: soundness.json)")
    parser.add_argument("--add", action="store_true", help="add what is counted to the totals")
    parser.add_argument("--minutes", type=float, default=math.inf, help="no more are begun after these")
    parser.add_argument("--every", type=positive, default=100, help="slow engines are asked of one mutant in so many")
    parser.add_argument("--jobs", type=positive, default=1, help="workers for mutants")
    parser.add_argument("--only", type=Path, help="agree: the one file")
    parser.add_argument("--index-width", type=int, default=64, help="agree: bits of an index of that file")
    parser.add_argument("--folder", type=Path, help="where finds are written (default: a new one)")
    add_tool_options(parser)
    return parser.parse_args()


def main() -> int:
    """Runs one of them, and says what it found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options = read_options(parser)
    # Python may keep bytecode, as it does for users: without it each process of hecv compiles all of hecv first.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if options.what == "totals":
        for what in RUNNERS:
            show(what, Tallies(options.totals, what).rows())
        return 0
    tools = read_tools(parser, options)
    folder = options.folder or Path(tempfile.mkdtemp(prefix="hecv-soundness-"))
    folder.mkdir(parents=True, exist_ok=True)
    tallies = Tallies(options.totals, options.what) if options.add else None
    try:
        if tallies is not None:
            tallies.begin(options.seed, tool_versions(tools))
    except Counted as known:
        parser.error(str(known))
    batches = RUNNERS[options.what](tools, options, folder)
    table, finds = counted(batches, tallies, time.time() + 60 * options.minutes)
    show(options.what, table)
    print(*finds, sep="\n")
    return 1 if finds else 0


if __name__ == "__main__":
    sys.exit(main())

"""The command line under hostile input: what each verb is given, and whether what it answers is an answer."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import islice
from pathlib import Path
from random import Random

from targets import FOLDER

ROOT = FOLDER.parent
sys.path.insert(0, str(ROOT / "tests"))

from hecv.cli.main import main as hecv_main  # noqa: E402
from hecv.laws.all_laws import LAWS  # noqa: E402
from hecv.process.worker_pool import Limits, Stopped, run_apart  # noqa: E402
from soundness.forged import forged  # noqa: E402
from soundness.hostile import spoiled  # noqa: E402
from soundness.odd import (  # noqa: E402
    NUMERIC,
    UNUSUAL,
    VALUES,
    crossed,
    encoded,
    generic,
    places,
    rule_file,
    with_function,
)
from soundness.subjects import Subject, options_of  # noqa: E402

MEGABYTES, LIMIT = 4096, 30.0
"""Of memory and of seconds, for one answer.

In workers, whose time goes by while others run, each has several times as many seconds.
"""
LIMITS = ("--time-limit", f"{LIMIT:g}", "--memory-limit", str(MEGABYTES))
CSE = "--pass-pipeline=builtin.module(cse)"
RULES = ROOT / "examples" / "rules"
MODELS = ROOT / "examples" / "models" / "attention.py"

OPTIONS = (
    *(("--assume", text) for text in ("n >= 1", "dim(A, 0) = n", "2 * n <= m + 3", "n mod 4 = 0", "nonneg")),
    *(("--func", "f"), ("--index-width", "32"), ("--index-overflow", "wrap"), ("--alias", "may"), ("--fp", "real")),
    *(("--engine", "theorems"), ("--node-limit", "1000"), ("--seed", "3"), ("--jobs", "2"), ("--relation", "refines")),
)
"""Of `hecv check`, with a value that is spoiled."""


@dataclass(frozen=True, slots=True)
class Attack:
    """A command line of hecv and the files it names, with their contents; `refused` tells that it must not succeed."""

    arguments: tuple[str, ...]
    files: tuple[tuple[Path, str], ...]
    refused: bool = False

    def written(self) -> list[Path]:
        """Where the files now are."""
        for path, text in self.files:
            path.write_text(text, encoding="utf-8", errors="surrogatepass")
        return [path for path, _ in self.files]


Make = Callable[[Subject, Random, Path], Attack]
"""An attack on a verb by the texts of a subject; files have the path as their stem."""


def _pair(subject: Subject, text: str, stem: Path) -> tuple[tuple[Path, str], ...]:
    return (Path(f"{stem}.src.mlir"), subject.source), (Path(f"{stem}.tgt.mlir"), text)


def _attack(files: tuple[tuple[Path, str], ...], verb: str, *arguments: str) -> Attack:
    return Attack((verb, *arguments), files)


def _check(subject: Subject, random: Random, stem: Path) -> Attack:
    files = _pair(subject, spoiled(subject.target, random), stem)
    how = ("--format", "json") if random.random() < 0.3 else ()
    return _attack(files, "check", *map(str, dict(files)), *how, *LIMITS)


def _options(subject: Subject, random: Random, stem: Path) -> Attack:
    files = _pair(subject, subject.target, stem)
    if random.random() < 0.3:
        value = random.choice(VALUES)
        return _attack(files, "check", *map(str, dict(files)), *LIMITS, f"{random.choice(NUMERIC)}={value}")
    name, value = random.choice(OPTIONS)
    value = spoiled(value, random).replace("\0", "") if random.random() < 0.8 else value
    return _attack(files, "check", *map(str, dict(files)), f"{name}={value}", *LIMITS)


def _graph(subject: Subject, random: Random, stem: Path) -> Attack:
    files = _pair(subject, spoiled(subject.target, random), stem)[1:]
    return _attack(files, "graph", *map(str, dict(files)))


def _opt(subject: Subject, random: Random, stem: Path) -> Attack:
    files = _pair(subject, spoiled(subject.target, random), stem)[1:]
    pipeline = "builtin.module(canonicalize,cse)"
    pipeline = spoiled(pipeline, random).replace("\0", "") if random.random() < 0.2 else pipeline
    return _attack(
        files,
        "opt",
        *map(str, dict(files)),
        f"--pass-pipeline={pipeline}",
        "-o",
        str(stem.with_name("out.mlir")),
        *LIMITS,
    )


def _rewrite(subject: Subject, random: Random, stem: Path) -> Attack:
    rules = RULES / "gelu.py"
    files = _pair(subject, spoiled(subject.target, random), stem)[1:]
    named = [*map(str, dict(files))]
    if random.random() < 0.3:
        own = Path(f"{stem}.py")
        text = rules.read_text()
        text = rule_file(text, random) if random.random() < 0.3 else spoiled(text, random)
        files = (*_pair(subject, subject.target, stem)[1:], (own, text))
        rules = own
    return _attack(files, "rewrite", *named, "--rules", str(rules), "-o", str(stem.with_name("out.mlir")), *LIMITS)


def _rules(subject: Subject, random: Random, stem: Path) -> Attack:
    """Loop rules are listed more often than audited, which takes thousands of random loops each."""
    text = random.choice(sorted(RULES.glob("*.py"))).read_text()
    text = rule_file(text, random) if random.random() < 0.3 else spoiled(text, random)
    files = ((Path(f"{stem}.py"), text),)
    audited = "@loop_rule" not in text or random.random() < 0.02
    how = ("--audit", "--widths", "1,4", "--time-limit", "1") if audited else ()
    return _attack(files, "rules", "--rules", f"{stem}.py", *how)


def _replay(subject: Subject, random: Random, stem: Path) -> Attack:
    """A right certificate that is spoiled: it is never accepted of what it does not say."""
    files, certificate = _pair(subject, subject.target, stem), Path(f"{stem}.json")
    text = _certificate(subject, files, certificate)
    wrong = spoiled(text, random)
    arguments = ("replay", str(certificate), *map(str, dict(files)), *LIMITS)
    return Attack(arguments, (*files, (certificate, wrong)), not _is_same(text, wrong))


_written: dict[str, str] = {}
"""The certificates of subjects, by their names: to write one takes longer than to replay many that are spoiled."""

WRITING = Limits(4 * LIMIT, 4 * MEGABYTES)
"""For one certificate."""


def _certificate(subject: Subject, files: tuple[tuple[Path, str], ...], place: Path) -> str:
    """The certificate of a subject, as `hecv check` writes it; one that says nothing where it writes none."""
    if subject.name not in _written:
        check = _attack(files, "check", *map(str, dict(files)), *_meant(subject), "--certificate", str(place))
        _said(check, place)
        _written[subject.name] = place.read_text() if place.exists() else "{}"
    return _written[subject.name]


def _meant(subject: Subject) -> list[str]:
    """The options under which a target is right."""
    switches = subject.switches
    return [
        *("--fp", switches.floats, "--alias", "may" if switches.may_overlap else "distinct"),
        *("--index-width", str(switches.index_width)),
        *("--index-overflow", "wrap" if switches.index_wraps else "exclude"),
        *(f"--assume={text}" for text in subject.assume),
    ]


def _said(attack: Attack, place: Path) -> str:
    """What hecv answers to a command in a worker of its own."""
    attack.written()
    found = run_apart(lambda _: answered_here(attack, place.with_name("said")), WRITING, lambda *now: None)
    return "" if isinstance(found, Stopped) else found[0]


# Forgeries


@dataclass(frozen=True, slots=True)
class Forgery:
    """A certificate of a right pair, and a target that is seen not to be equivalent under the same options."""

    name: str
    source: str
    wrong: str
    certificate: str


WRONG = "-bad.tgt.mlir"
FORGED = 12
"""So many pairs of a seed have certificates that are forged."""


def forgeries(random: Random, folder: Path) -> Iterator[Forgery]:
    """Pairs of the lit suite with wrong targets beside right ones, as long as there are any."""
    wrongs = sorted((ROOT / "lit_tests").glob(f"**/*{WRONG}"))
    for wrong in random.sample(wrongs, len(wrongs)):
        base = str(wrong).removesuffix(WRONG)
        right, source = Path(f"{base}.tgt.mlir"), Path(f"{base}.src.mlir")
        if not (right.exists() and source.exists()):
            continue
        subject = Subject(base, source.read_text(), right.read_text(), *options_of(right.read_text()))
        stem = folder / f"forged-{right.parent.name}-{wrong.name.removesuffix(WRONG)}"
        place = Path(f"{stem}.json")
        certificate = _certificate(subject, _pair(subject, subject.target, stem), place)
        files = _pair(subject, wrong.read_text(), stem)
        refuted = _said(_attack(files, "check", *map(str, dict(files)), *_meant(subject)), place) == "not equivalent"
        for path in (place, *dict(files)):
            path.unlink(missing_ok=True)
        if certificate != "{}" and refuted:
            yield Forgery(base, subject.source, wrong.read_text(), certificate)


def _forge(pairs: Sequence[Forgery], random: Random, stem: Path) -> Attack:
    """A certificate of another target, or with parts of one, under a digest made anew: it is never accepted."""
    pair, other = random.choice(pairs), random.choice(pairs)
    texts = pair.source, pair.wrong
    paths = (Path(f"{stem}.json"), Path(f"{stem}.src.mlir"), Path(f"{stem}.tgt.mlir"))
    certificate = forged(pair.certificate, other.certificate, texts, random)
    files = tuple(zip(paths, (certificate, *texts), strict=True))
    return Attack(("replay", *map(str, paths), *LIMITS), files, True)


def _is_same(first: str, second: str) -> bool:
    """Whether two texts are the same JSON."""
    try:
        return json.loads(first) == json.loads(second)
    except (ValueError, RecursionError):
        return False


def _explain(subject: Subject, random: Random, stem: Path) -> Attack:
    names = ("arith.shli", "loop-array-dataflow", "math.sincos", *(law.name for law in LAWS[:20]))
    return _attack((), "explain", "--", spoiled(random.choice(names), random).replace("\0", ""))


def _models(subject: Subject, random: Random, stem: Path) -> Attack:
    files = ((Path(f"{stem}.py"), spoiled(MODELS.read_text(), random)),)
    return _attack(files, "models", f"{MODELS}:merged", f"{stem}.py:separate", *LIMITS)


def _files(subject: Subject, random: Random, stem: Path) -> Attack:
    """A path that is no file to read or to write, where one is read or written."""
    files, odd = _pair(subject, subject.target, stem), random.choice(places(stem.parent))
    source, target = map(str, dict(files))
    out = str(stem.with_name("out.mlir"))
    commands = (
        *(("check", odd, target), ("check", source, odd), ("check", source, target, "--rules", odd)),
        *(("check", source, target, "--certificate", odd), ("check", source, target, "--certificate", source)),
        *(("graph", odd), ("replay", odd, source, target), ("replay", source, odd, target), ("replay", source, target)),
        *(("opt", odd, CSE, "-o", out), ("opt", source, CSE, "-o", odd), ("rules", "--rules", odd)),
        *(("opt", source, CSE, "-o", out, "--save-steps", source), ("models", f"{odd}:f", f"{source}:f")),
        ("rewrite", source, "--rules", str(RULES / "gelu.py"), "-o", odd),
    )
    return _attack(files, *random.choice(commands))


ATTACKS: dict[str, Make] = {
    "files": _files,
    **{"check": _check, "options": _options, "graph": _graph, "opt": _opt, "rewrite": _rewrite},
    **{"rules": _rules, "replay": _replay, "explain": _explain, "models": _models},
}
KINDS = (*ATTACKS, "forged")
SELDOM = {"rules": 4, "models": 1000}
"""Attacks that take long are one in so many."""
CERTIFIED = 24
"""So many subjects of a seed have certificates that are spoiled."""


VARIED = ("check", "graph", "opt", "rewrite")
"""Attacks on programs that may be odd as a whole."""


def varied(subject: Subject, other: Subject, random: Random) -> Subject:
    """The subject, or one with an odd target: with parts of another, in the generic form, of an unusual dialect, or
    encoded in another way; before it is spoiled."""
    text, kind = subject.target, random.random()
    if kind < 0.1:
        text = crossed(text, other.target, random)
    elif kind < 0.2:
        text = with_function(text, other.target, random)
    elif kind < 0.3:
        text = generic(text)
    elif kind < 0.4:
        text = encoded(text, random)
    elif kind < 0.5:
        text = random.choice(UNUSUAL)
        return replace(subject, source=generic(text) if random.random() < 0.3 else text, target=text)
    return replace(subject, target=text)


def attacks(subjects: Sequence[Subject], seed: int, count: int, folder: Path) -> Iterator[tuple[str, Attack]]:
    """So many attacks of each kind, and fewer of those that take long."""
    random = Random(seed)
    certified = random.sample(subjects, min(CERTIFIED, len(subjects)))
    pairs = list(islice(forgeries(random, folder), min(FORGED, count)))
    for number in range(count):
        if pairs:
            yield "forged", _forge(pairs, Random(random.random()), folder / f"forged-{seed}-{number}")
        for kind, make in ATTACKS.items():
            subject = random.choice(certified if kind == "replay" else subjects)
            if kind in VARIED:
                subject = varied(subject, random.choice(subjects), Random(random.random()))
            own = Random(random.random())
            if number % SELDOM.get(kind, 1) == 0:
                yield kind, make(subject, own, folder / f"spoiled-{kind}-{seed}-{number}")


LOADED = ("hecv.replaying", "hecv.rewriting", "hecv.pipeline", "hecv.explain", "hecv.models")
FORMS = ("verdict_text", "verdict_json", "pipeline_text", "rewrite_text")
"""What verbs load when they are used, and the modules of `hecv.report` among it."""


def load() -> None:
    """Loads that once, for all workers that are forked afterwards, and for what these fork."""
    for name in (*LOADED, *(f"hecv.report.{form}" for form in FORMS)):
        import_module(name)


# Answers

ANSWERS = {0: "equal", 1: "not equivalent", 2: "diagnostic", 3: "unknown"}
UNREAD = ("unsupported-op", "time-limit", "memory-limit", "crash")
"""Why `hecv graph` has nothing to show of a program."""
SAID = {
    "not equivalent": ("not equivalent: ", "failed ", "rejected", '"not-equivalent"'),
    "diagnostic": ("error[", "error: ", '"error"'),
    "unknown": ("unknown: ", '"unknown"', "refines: ", *(f"error[{why}]" for why in UNREAD)),
}
"""What goes with an exit status."""


def answered(command: Sequence[str], limit: float, attack: Attack) -> tuple[str, str]:
    """How a process of its own answers, which `command` starts; seconds count as far as there is a core for them."""
    words, pipe = [*command, *attack.arguments], subprocess.PIPE
    with subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True, errors="replace") as process:
        spent = 0.0
        while spent < limit:
            with suppress(subprocess.TimeoutExpired):
                out, error = process.communicate(timeout=1)
                return judged_answer(attack, process.returncode, out + error)
            spent += max(_share(), LEAST_SHARE)
        process.kill()
    return "wrong", f"no answer within {limit:g} s"


LEAST_SHARE = 0.05
"""Of a core: what gets less has to answer all the same, some time."""


def _share() -> float:
    """The share of a core that a short piece of work gets now."""
    began, worked = time.perf_counter(), time.process_time()
    while time.process_time() - worked < 0.01:
        pass
    return min(1.0, 0.01 / (time.perf_counter() - began))


def answered_here(attack: Attack, said: Path) -> tuple[str, str]:
    """How the command line answers in this process, which is a worker's own."""
    with said.open("w+b") as out:
        for stream in (1, 2):
            os.dup2(out.fileno(), stream)
        try:
            status = hecv_main(attack.arguments)
        except SystemExit as ended:  # of the parser of options
            status = ended.code if isinstance(ended.code, int) else 1
        sys.stdout.flush()
        sys.stderr.flush()
    return judged_answer(attack, status, said.read_text(errors="replace"))


def is_json(text: str) -> bool:
    """Whether the last line that opens an object, and what follows, is JSON."""
    start = text.find("{")
    try:
        json.JSONDecoder().raw_decode(text[max(start, 0) :])
    except ValueError:
        return False
    return True


def judged_answer(attack: Attack, status: int, out: str) -> tuple[str, str]:
    """What an answer is, `wrong` where the process failed, or said what does not go with its exit status."""
    if "json" in attack.arguments and not is_json(out):
        return "wrong", f"exit {status}, and no JSON: {out[-400:]}"
    if status == 0 and attack.refused:
        return "wrong", "a spoiled certificate is accepted"
    if "Traceback" in out or status not in ANSWERS:
        return "wrong", f"exit {status}: {out[-400:]}"
    answer = ANSWERS[status]
    if any(word in out for word in SAID.get(answer, ("",))):
        return answer, ""
    return "wrong", f"exit {status} without a word: {out[-400:]}"

"""Directives in files: what `hecv check` has to find of a pair of programs.

    // HECV: equivalent --assume 'n >= 1'     in NAME.tgt.mlir beside NAME.src.mlir, or in a file of two chunks
    // VERIFY, // VERIFY-INCORRECT            in either file of a pair

Cites: MLIR-TV, tests/README.md, for the second form.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Literal, get_args

from msgspec import Struct

from hecv.base.diagnostics import Diagnostic, InputError, Location
from hecv.check import Options
from hecv.mlir.module.source_text import read_text
from hecv.mlir.module.split_input import split_input

Expected = Literal["equivalent", "refines", "not-equivalent", "unknown"]

SOURCE: Final = ".src.mlir"
TARGET: Final = ".tgt.mlir"
BAD: Final = "-bad"
"""What the name of a wrong target ends with; its source may be that of the right one."""

_OURS: Final = re.compile(r"^[ \t]*//[ \t]*HECV:[ \t]*(.*?)[ \t\r]*$", re.MULTILINE)
_OF_MLIR_TV: Final = re.compile(
    r"^//[ \t]*(VERIFY-INCORRECT|VERIFY|UNSUPPORTED|(?:EXPECT|ARGS)[ \t]?:.*?)[ \t\r]*$", re.MULTILINE
)
_HELP: Final = f"one of {', '.join(get_args(Expected))}, then options of `hecv check`"

ReadOptions = Callable[[list[str]], Options]
"""Reads options of `hecv check`; raises InputError."""


class Directive(Struct, frozen=True):
    """What has to be found of a pair. `text` is the directive; `skipped` says why it is not tried."""

    location: Location
    text: str
    expected: Expected
    options: Options
    skipped: str | None = None

    def holds(self, verdict: str) -> bool:
        """True if the verdict is the expected one; equivalent programs also refine each other."""
        return verdict == self.expected or (self.expected == "refines" and verdict == "equivalent")


class Pair(Struct, frozen=True):
    """Two programs with their directives; `names` are the names of their files."""

    names: tuple[str, str]
    texts: tuple[str, str]
    directives: tuple[Directive, ...]


def pairs_in(place: str, read: ReadOptions) -> list[Pair]:
    """The pairs with directives in a folder and the folders in it, or that which a file belongs to.

    Raises: InputError with all directives that are malformed; if there are no directives, or no such file.
    """
    path, problems, found = Path(place), list[Diagnostic](), list[Pair]()
    if path.is_dir():
        files = sorted(f for f in path.rglob("*.mlir") if not any(p.startswith(".") for p in f.relative_to(path).parts))
    else:
        files = [path.with_name(f"{path.name.removesuffix(SOURCE)}{TARGET}") if path.name.endswith(SOURCE) else path]
    for file in files:
        try:
            found += _pairs_of(file, read)
        except InputError as problem:
            problems += problem.diagnostics
    if problems:
        raise InputError(*problems)
    if not found:
        hint = "write `// HECV: equivalent` into NAME.tgt.mlir beside NAME.src.mlir"
        raise InputError(Diagnostic("error", "no-directives", f"there are no directives in {place}", help=hint))
    return found


def _pairs_of(file: Path, read: ReadOptions) -> Iterator[Pair]:
    """The pair of which a file is the target, or which is in the file."""
    if file.name.endswith(SOURCE):
        _require_target(file)
        return
    if file.name.endswith(TARGET):
        source = _source_of(file)
        if source is None and _OURS.search(read_text(str(file))):
            stem = file.name.removesuffix(TARGET)
            hint = f"the source of {file.name} is {stem}{SOURCE}"
            raise InputError(Diagnostic("error", "source-missing", f"{file} has no source", help=hint))
        if source is None:
            return
        texts, names = (read_text(str(source)), read_text(str(file))), (str(source), str(file))
        directives = [*_ours(texts[1], names[1], read), *_of_mlir_tv(texts, names, read)]
    else:
        text, names = read_text(str(file)), (str(file), str(file))
        directives = [*_ours(text, names[0], read)]
        if not directives:
            return
        chunks = split_input(text, directives[0].options.split or "// -----")
        if len(chunks) != 2:
            message = f"{file} has {len(chunks)} chunks, expected 2: the source and the target"
            hint = "a line // ----- separates them"
            raise InputError(Diagnostic("error", "directive-malformed", message, directives[0].location, hint))
        texts = chunks[0], chunks[1]
    if directives:
        yield Pair(names, texts, tuple(directives))


def _require_target(source: Path) -> None:
    """Raises: InputError, located, if a source has a directive of its own, or a keyword of MLIR-TV and no target."""
    text, target = read_text(str(source)), source.name.removesuffix(SOURCE) + TARGET
    found, problem = _OURS.search(text), "a directive stands in a source"
    if found is None and not source.with_name(target).exists():
        found, problem = _OF_MLIR_TV.search(text), f"{source} has no target"
    if found is not None:
        place = _location(text, str(source), found.start(1))
        raise InputError(Diagnostic("error", "directive-malformed", problem, place, f"the target is {target}"))


def _source_of(target: Path) -> Path | None:
    stem = target.name.removesuffix(TARGET)
    places = (target.with_name(f"{name}{SOURCE}") for name in (stem, stem.removesuffix(BAD)))
    return next((place for place in places if place.exists()), None)


def _ours(text: str, file: str, read: ReadOptions) -> Iterator[Directive]:
    """The directives `// HECV:` of a text.

    Raises: InputError, located, where one is malformed.
    """
    for found in _OURS.finditer(text):
        place = _location(text, file, found.start(1))
        word, _, rest = found[1].partition(" ")
        expected = next((e for e in get_args(Expected) if e == word), None)
        if expected is None:
            message = f"a directive expects '{word}'" if word else "a directive does not say what is expected"
            raise InputError(Diagnostic("error", "directive-malformed", message, place, _HELP))
        try:
            options = read(shlex.split(rest))
        except ValueError as problem:
            why = str(problem).lower()
            raise InputError(Diagnostic("error", "directive-malformed", f"a directive has {why}", place)) from None
        except InputError as problem:
            first = problem.diagnostics[0]
            raise InputError(Diagnostic("error", "directive-malformed", first.message, place, first.help)) from None
        yield Directive(place, f"HECV: {found[1]}", expected, options)


def _of_mlir_tv(texts: tuple[str, str], files: tuple[str, str], read: ReadOptions) -> Iterator[Directive]:
    """The keyword of a pair of MLIR-TV.

    Raises: InputError, located, if there are two.
    """
    both = zip(texts, files, strict=True)
    found = [(m[1], _location(text, file, m.start(1))) for text, file in both for m in _OF_MLIR_TV.finditer(text)]
    keywords = [(word, place) for word, place in found if not word.startswith("ARGS")]
    if not keywords:
        return
    word, place = keywords[0]
    for other, second in keywords[1:]:
        if other != word:
            message = f"{other} and {word} exclude each other"
            raise InputError(Diagnostic("error", "directive-malformed", message, second, "leave one of them"))
    reorders = any("-associative" in text for text, _ in found if text.startswith("ARGS"))
    options = read(["--fp", "reassoc"] if reorders else [])
    skipped = None
    if word == "UNSUPPORTED":
        skipped = "marked UNSUPPORTED"
    elif word.startswith("EXPECT"):
        skipped = "expects messages of mlir-tv"
    expected: Expected = "not-equivalent" if word == "VERIFY-INCORRECT" else "refines"
    yield Directive(place, word, expected, options, skipped)


def _location(text: str, file: str, start: int) -> Location:
    return Location(file, text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start))

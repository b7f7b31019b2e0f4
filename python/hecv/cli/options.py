"""Options shared by `check`, `opt`, `models` and `rewrite`: the relation to show, its semantics, the proof strategy."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NoReturn

from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic, InputError
from hecv.report.formats import FORMATS
from hecv.report.text_lines import wrapped


class Parser(argparse.ArgumentParser):
    """An argument parser that raises usage errors, so that they are reported as every other error is.

    `alone` are options with the value that each has without one; a value is given after `=` only.
    """

    alone: Mapping[str, str] = MappingProxyType({})

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]: it has overloads
        self, args: Any = None, namespace: Any = None
    ) -> Any:
        given = [f"{a}={self.alone[a]}" if a in self.alone else a for a in args or ()]
        return super().parse_known_args(given, namespace)

    def error(self, message: str) -> NoReturn:
        hint = f"`{self.prog} --help` lists what there is"
        raise InputError(Diagnostic("error", "usage", message, help=hint))

    def described(self) -> Iterator[tuple[str, str]]:
        """Each option with its help and its values."""
        for action in self._actions:
            text = (action.help or "").replace("%(default)s", str(action.default))
            values = "" if action.choices is None else f"; one of {', '.join(map(str, action.choices))}"
            yield from ((name, f"{text}{values}") for name in action.option_strings if name.startswith("--"))


def described(verbs: Mapping[str, Parser]) -> Mapping[str, str]:
    """Each option with its help, and the verbs that take it."""
    found: dict[str, dict[str, list[str]]] = {}
    for verb, parser in verbs.items():
        for name, text in parser.described():
            found.setdefault(name, {}).setdefault(text, []).append(verb)
    return {name: "\n".join(_lines(texts)) for name, texts in found.items()}


def _lines(texts: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for text, verbs in texts.items():
        yield from wrapped("", f"option of {', '.join(verbs)}: {text}", 2)


EXITS: Final = (
    "exit status: 0 equivalent or refines; 1 not equivalent; 2 bad input; 3 unknown, and refines under "
    "--relation equivalent; 4 a bug of hecv"
)
DEVICES: Final = ("cpu", "cuda", "auto")
GREATEST_LIMIT: Final = 10_000_000


def positive(convert: Callable[[str], Any]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        value = convert(text)
        if not 0 < value <= GREATEST_LIMIT:
            raise argparse.ArgumentTypeError(f"{text} is not a positive number up to {GREATEST_LIMIT:,}")
        return value

    read.__name__ = "number"
    return read


def split_option(parser: Any) -> None:
    """Adds the option of mlir-opt that splits files of several programs."""
    usage = "the files have several programs with this between them (default: // -----, where both have it)"
    parser.add_argument(SPLIT, metavar="MARKER", help=usage)
    parser.alone = {SPLIT: MARKER}


SPLIT: Final = "--split-input-file"
MARKER: Final = "// -----"
PROVING: Final = "prove with the rules of this file (repeatable)"


def decision_options(parser: argparse.ArgumentParser, rules: str = PROVING) -> None:
    """Adds the options that determine what has to hold, under which semantics, and how it is proved.

    `rules` is the help text of the option for a rule file.
    """
    add = parser.add_argument
    add("--func", metavar="NAME", action="append", default=[], help="check only this function (repeatable)")
    add("--relation", choices=("refines", "equivalent"), default="refines", help="what has to hold (default: refines)")
    add("--assume", metavar="A", action="append", default=[], help="'n >= 1', 'dim(A, 0) = n' or nonneg (repeatable)")
    add("--index-width", type=int, choices=(32, 64), default=64, help="bits of the index type (default: 64)")
    add(
        "--index-overflow",
        choices=("exclude", "wrap"),
        default="exclude",
        help="of index arithmetic: assumed not to happen, or wraps",
    )
    add(
        "--alias",
        choices=("distinct", "may"),
        default="distinct",
        help="whether memref arguments may overlap (default: distinct)",
    )
    add(
        "--fp",
        choices=("strict", "reassoc", "real"),
        default="strict",
        help="floats: IEEE-754, sums and products in any order, or real arithmetic (default: %(default)s)",
    )
    add("--engine", choices=("auto", "dataflow", "theorems"), default="auto", help="what proves (default: auto)")
    add("--rules", metavar="R.py", action="append", default=[], help=rules)
    add("--trust", action="store_true", help="use rules that could not be proved, too; the verdict says so")
    add("--no-static-laws", action="store_true", help="prove without laws but those of --rules")
    add("--no-dynamic-rules", action="store_true", help="prove without array dataflow and loop theorems")
    add("--node-limit", metavar="N", type=positive(int), default=10_000, help="e-nodes a question (default: 10,000)")
    add("--time-limit", metavar="S", type=positive(float), default=60.0, help="seconds a function (default: 60)")
    add("--memory-limit", metavar="MB", type=positive(int), default=8192, help="megabytes a function (default: 8192)")
    add("--seed", metavar="N", type=int, default=0, help="of the random inputs (default: 0)")
    add("--jobs", metavar="N", type=positive(int), help="functions at a time (default: one a core)")
    add("--format", choices=tuple(FORMATS), default="text", help="of the answer (default: text)")
    add("-v", "--verbose", action="store_true", help="also say what the proof took")


def settings_of(options: argparse.Namespace) -> Any:
    """The `Options` of `hecv.check` from the command line."""
    from hecv.check import Options
    from hecv.claim.semantic_options import Switches
    from hecv.claim.strategy import Strategy

    return Options(
        tuple(name.removeprefix("@") for name in options.func),
        options.relation,
        tuple(options.assume),
        options.time_limit,
        options.memory_limit,
        options.seed,
        options.jobs,
        Switches(options.index_width, options.index_overflow == "wrap", options.alias == "may", options.fp),
        Strategy(options.engine, not options.no_static_laws, not options.no_dynamic_rules, options.node_limit),
        advise=True,
    )


def with_rules(settings: Any, options: argparse.Namespace) -> tuple[Any, dict[str, str]]:
    """The options with the user's rules, and the texts of their files.

    Raises: InputError if a file is not a valid rule file.
    """
    if not options.rules:
        return settings, {}
    from hecv.cli.rulefiles import load_rules
    from hecv.mlir.importer import read_text

    files = tuple(load_rules(options.rules))
    names = [rule.name for file in files for rule in file.rules]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(Diagnostic("error", "rule-duplicate", f"two rules are called '{twice}'", help="rename one"))
    strategy = replace(settings.strategy, rules=files, trust=options.trust)
    return replace(settings, strategy=strategy), {file.path: read_text(file.path) for file in files}

"""Ablation: what each normal-form pass and each prover earns: each is left out in turn, and the pairs are counted that
are then no longer proved.

`python benchmarks/ablation.py` prints a row for each pass and prover and writes `ablation.json`. The pairs are those of
`verdicts.py` with two files. A pass is left out of the pairs that it changes, a prover of the pairs that it decides; on
all others it makes no difference. With `--most N` of at most N pairs each, spread over all; with `--only NAMES` their
rows alone are printed, and nothing is written.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from multiprocessing.pool import Pool
from pathlib import Path

from msgspec.structs import replace

from hecv.check import Options, check
from hecv.cli.check import add_options
from hecv.cli.options import Parser, settings_of, with_rules
from hecv.mlir.module.source_text import read_text
from hecv.normal.passes import flat as flat_passes
from hecv.prove.portfolio import TEXTS
from targets import FOLDER, add_tool_options, positive, read_tools
from verdicts import TABLES, checks

PROVED = ("equivalent", "refines")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The verdict on a pair, the passes that changed it, and the provers that decided it."""

    verdict: str
    passes: tuple[str, ...]
    provers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A pass or a prover: the pairs it is used on, those that it was left out of, and those that are lost then."""

    kind: str
    name: str
    text: str
    used: int
    tried: int
    lost: tuple[str, ...]


def files_of(arguments: Sequence[str]) -> list[str]:
    """The programs among the arguments of a check."""
    return [a for a in arguments if a.endswith(".mlir")]


def decide(job: tuple[str, Sequence[str], float, str | None]) -> tuple[str, Outcome]:
    """The outcome of one check without one pass or prover."""
    name, arguments, seconds, without = job
    parser = Parser()
    add_options(parser)
    options = parser.parse_args(arguments)
    settings: Options = replace(settings_of(options), seconds=seconds, jobs=1)
    settings, _ = with_rules(settings, options)
    strategy = replace(settings.strategy, without=frozenset(() if without is None else (without,)))
    texts = read_text(options.source), read_text(options.target)
    report = check(*texts, (options.source, options.target), replace(settings, strategy=strategy))
    passes = dict.fromkeys(p for f in report.functions for p in f.passes)
    provers = dict.fromkeys(f.prover for f in report.functions if f.prover is not None)
    return name, Outcome(report.verdict, tuple(passes), tuple(provers))


def rows(
    pool: Pool, jobs: dict[str, Sequence[str]], before: dict[str, Outcome], seconds: float, most: int, only: list[str]
) -> Iterator[Row]:
    """A row for each pass and prover, or for those that are named, with at most so many pairs each."""
    listed = [("pass", one.name, one.text) for one in flat_passes()]
    listed += [("prover", name, text) for name, text in TEXTS.items()]
    for kind, name, text in dict.fromkeys(one for one in listed if not only or one[1] in only):
        used = [n for n, o in before.items() if name in (o.passes if kind == "pass" else o.provers)]
        some = used[:: max(1, -(-len(used) // most))]
        found = dict(pool.imap_unordered(decide, [(n, jobs[n], seconds, name) for n in some]))
        lost = tuple(sorted(n for n, o in found.items() if o.verdict not in PROVED))
        print(f"{kind:7} {name:26} used {len(used):4}  tried {len(some):4}  lost {len(lost):4}", flush=True)
        yield Row(kind, name, text, len(used), len(some), lost)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_tool_options(parser)
    parser.add_argument("--tables", default=",".join(TABLES), help=f"of {', '.join(TABLES)}; default all")
    parser.add_argument("--jobs", type=positive, default=2)
    parser.add_argument("--most", type=positive, default=60, help="pairs that a pass or prover is left out of")
    parser.add_argument("--only", help="names of passes and provers, with commas")
    options = parser.parse_args()
    tools = read_tools(parser, options)
    only = options.only.split(",") if options.only else []
    with tempfile.TemporaryDirectory() as folder, get_context("fork").Pool(options.jobs, maxtasksperchild=200) as pool:
        wanted = checks(tools, Path(folder), options.tables.split(","))
        jobs = {name: arguments for name, arguments in wanted if len({*files_of(arguments)}) == 2}
        work = [(name, arguments, tools.time_limit, None) for name, arguments in jobs.items()]
        outcomes = dict(pool.imap_unordered(decide, work))
        before = {name: outcome for name, outcome in outcomes.items() if outcome.verdict in PROVED}
        print(f"{len(jobs)} pairs, {len(before)} proved", flush=True)
        found = list(rows(pool, jobs, before, tools.time_limit, options.most, only))
    if only:
        return 0
    table = {"pairs": len(jobs), "proved": len(before), "rows": [asdict(row) for row in found]}
    (FOLDER / "ablation.json").write_text(json.dumps(table, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

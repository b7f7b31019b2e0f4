"""Certificates: what writing a proof down and checking it again cost beside the proof.

For each pair `hecv check` runs without and with `--certificate`, then `hecv replay`; all are CPU seconds, process start
included. The pairs are those of the lit suite (by pass), a part of HEC's loop table and of the datapath table. It
prints a table and writes `certificates.json`; it exits with 1 when a certificate is refused.
"""

import argparse
import json
import re
import shlex
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from datapath_pairs import Recipe, make
from loop_pairs import HEC_STEPS, kernel_pairs
from loop_pairs import make as make_loops
from measure import read_report, run
from targets import FOLDER, Tools, add_tool_options, positive, read_tools, tool_versions

SUITE = FOLDER.parent / "lit_tests"
KERNELS = ("gemm", "atax", "trisolv", "covariance")
COLUMNS = ("T16", "U8", "T16-U8", "U16-U8")
LINES = (100, 1_000, 10_000)


@dataclass(frozen=True, slots=True)
class Row:
    """One pair that is proved: CPU seconds of the three commands, and bytes of the certificate; without one `why` says
    what is missing."""

    table: str
    name: str
    lines: int
    engine: str
    kind: str | None
    why: str | None
    proof: float
    writing: float
    replay: float | None
    size: int | None
    refused: str | None

    @property
    def ratio(self) -> float | None:
        """Replay time by proof time."""
        return None if self.replay is None else self.replay / self.proof


def measure(tools: Tools, folder: Path, table: str, name: str, files: tuple[Path, Path], *more: str) -> Row | None:
    """The row of a pair; None where it is not proved."""
    pair = [str(f) for f in files]
    plain = run([*tools.hecv, "check", *pair, "--format", "json", *more], tools.time_limit)
    report = read_report(plain)
    if report["verdict"] not in ("equivalent", "refines"):
        return None
    out = folder / "certificate.json"
    out.unlink(missing_ok=True)
    written = run([*tools.hecv, "check", *pair, "--format", "json", *more, "--certificate", str(out)], tools.time_limit)
    lines = max(len(f.read_text().splitlines()) for f in files)
    engines = "+".join(sorted({str(f["engine"]) for f in report["functions"]}))
    if not out.exists():
        messages = [d["message"] for d in read_report(written).get("diagnostics", []) if d["name"] == "no-certificate"]
        why = messages[0] if messages else "the verdict is another one with a certificate"
        return Row(table, name, lines, engines, None, why, plain.cpu_seconds, written.cpu_seconds, None, None, None)
    replay = run([*tools.hecv, "replay", str(out), *pair, "--format", "json"], tools.time_limit)
    answer = json.loads(replay.stdout or "{}")
    refused = None if replay.exit == 0 else f"{answer.get('step')}: {answer.get('why')}"
    kinds = "+".join(sorted({f["kind"] for f in answer.get("functions", [])}))
    times = plain.cpu_seconds, written.cpu_seconds, replay.cpu_seconds
    return Row(table, name, lines, engines, kinds, None, *times, out.stat().st_size, refused)


def suite_pairs() -> Iterator[tuple[str, tuple[Path, Path], list[str]]]:
    """The pairs of the lit suite with the options that their tests give; those with rules of users are left out."""
    for source in sorted((*SUITE.glob("verify/*/*.src.mlir"), *SUITE.glob("theorems/*.src.mlir"))):
        target = source.with_name(source.name.replace(".src.", ".tgt."))
        command = re.search(r"RUN:.*hecv check ([^|\n]*)", target.read_text()) if target.exists() else None
        if command is None or "--rules" in command[1]:
            continue
        options = [w for w in shlex.split(command[1].replace("2>&1", "")) if not w.startswith("%")]
        yield f"{source.parent.name}/{source.name.removesuffix('.src.mlir')}", (source, target), options


def measure_all(tools: Tools, folder: Path, tables: Sequence[str]) -> Iterator[Row | None]:
    """Every row of the chosen tables."""
    if "suite" in tables:
        for name, files, options in suite_pairs():
            yield measure(tools, folder, "suite", name, files, *options)
    if "loops" in tables:
        steps = {column: HEC_STEPS[column] for column in COLUMNS}
        for pair in kernel_pairs("hec", KERNELS, steps, ("constant",)):
            target = folder / "target.mlir"
            if make_loops(tools, pair, target).failure is None:
                name = f"{pair.row} {pair.column}"
                yield measure(tools, folder, "loops", name, (pair.source, target))
    if "datapath" in tables:
        for recipe in (Recipe(shape, lines, 0) for lines in LINES for shape in ("function", "loop", "functions")):
            made, files = make(recipe), (folder / "source.mlir", folder / "target.mlir")
            files[0].write_text(made.source)
            files[1].write_text(made.target)
            yield measure(tools, folder, "datapath", recipe.name, files)


def report_row(row: Row) -> None:
    """Prints one row."""
    if row.replay is None:
        print(f"{row.table:9} {row.name:52} {row.lines:6} {row.proof:7.2f} {row.writing:7.2f}  {row.why}")
        return
    mark = f"  REFUSED {row.refused}" if row.refused else ""
    print(
        f"{row.table:9} {row.name:52} {row.lines:6} {row.proof:7.2f} {row.writing:7.2f} {row.replay:7.2f} "
        f"{row.size:8} {row.kind}{mark}"
    )


def summary(rows: Sequence[Row]) -> dict[str, dict[str, float | int]]:
    """For each table: proofs, certificates, median and worst time of replay by that of the proof, median size."""
    found: dict[str, dict[str, float | int]] = {}
    for table in dict.fromkeys(r.table for r in rows):
        mine = [r for r in rows if r.table == table]
        done = [r for r in mine if r.ratio is not None and not r.refused]
        ratios, sizes = [r.ratio for r in done if r.ratio], [r.size for r in done if r.size]
        found[table] = {
            "proofs": len(mine),
            "certificates": len(done),
            "refused": sum(r.refused is not None for r in mine),
            "replay_by_proof_median": round(statistics.median(ratios), 2) if ratios else 0,
            "replay_by_proof_worst": round(max(ratios), 2) if ratios else 0,
            "bytes_median": int(statistics.median(sizes)) if sizes else 0,
        }
    return found


def main() -> int:
    """Measure, print and write; 1 where a certificate is refused."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--table", action="append", choices=("suite", "loops", "datapath"), help="(repeatable)")
    parser.add_argument("--most", type=positive, metavar="N", help="only so many pairs")
    parser.add_argument("--output", type=Path, default=FOLDER / "certificates.json", metavar="FILE")
    add_tool_options(parser)
    options = parser.parse_args()
    tools = read_tools(parser, options)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for row in measure_all(tools, Path(folder), options.table or ("suite", "loops", "datapath")):
            if row is not None:
                report_row(row)
                rows.append(row)
            if options.most is not None and len(rows) >= options.most:
                break
    found = summary(rows)
    for table, values in found.items():
        print(f"{table:9} {', '.join(f'{name} {value}' for name, value in values.items())}")
    kinds = Counter(r.kind or "none" for r in rows)
    print(f"kinds     {', '.join(f'{kind} {count}' for kind, count in kinds.most_common())}")
    result = {
        "schema": "hecv.benchmark.certificates/1",
        "versions": tool_versions(tools),
        "summary": found,
        "rows": [asdict(r) | {"ratio": r.ratio} for r in rows],
    }
    options.output.write_text(json.dumps(result, indent=1) + "\n")
    return 1 if any(r.refused for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())

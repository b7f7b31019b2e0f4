"""The pairs of `loops.py`: a source, the steps that make its target, and how they are run.

A step is a pipeline of mlir-opt, or a number: HEC's T, which strip-mines each outermost loop by it and touches nothing
else. mlir-opt has no such pass (its tiling takes whole bands and changes the order of iterations), so it is done here,
on the text that mlir-opt prints.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from kernels import assumptions
from measure import Process, run
from targets import FOLDER, FORMS, MLIR_OPT_LIMIT, Tools, on_functions, source_path

POLYBENCH = tuple(
    sorted(
        path.stem
        for path in (FOLDER / "polybench").glob("*.mlir")
        if not path.stem.endswith("_dyn") and path.stem != "cnn_forward"
    )
)

Step = int | str


def unroll(factor: int) -> str:
    """Unrolls innermost loops."""
    return on_functions(f"affine-loop-unroll{{unroll-factor={factor}}}")


def jam(factor: int) -> str:
    """Unrolls outer loops and fuses the copies of what they hold."""
    return on_functions(f"affine-loop-unroll-jam{{unroll-jam-factor={factor}}}")


def band_tile(size: int) -> str:
    """Tiles whole bands of loops, whether that is legal or not."""
    return on_functions(f"affine-loop-tile{{tile-size={size}}}")


HEC_STEPS: dict[str, tuple[Step, ...]] = {
    **{f"T{size}": (size,) for size in (2, 4, 8, 16, 32, 64)},
    **{f"U{factor}": (unroll(factor),) for factor in (8, 16, 32, 64)},
    "T16-U8": (16, unroll(8)),
    "U16-T8": (unroll(16), 8),
    "U8-U4": (unroll(8), unroll(4)),
    "U16-U8": (unroll(16), unroll(8)),
}
"""The columns of HEC's Table 4; a column is applied from left to right."""

BAND_STEPS: dict[str, tuple[Step, ...]] = {f"band-{size}": (band_tile(size),) for size in (2, 4, 8, 16, 32, 64)}

FUSED = "affine-loop-fusion,affine-loop-tile,affine-loop-unroll-jam,affine-scalrep,affine-super-vectorize"
CHAIN_STEPS: dict[str, tuple[Step, ...]] = {
    "scalar": (on_functions(FUSED),),
    "vector-4": (on_functions(f"{FUSED}{{virtual-vector-size=4}}"),),
    "levels": (2, 4, 4, jam(4), unroll(4), on_functions("affine-scalrep,affine-loop-invariant-code-motion")),
}
"""`scalar` is the pipeline with its defaults, under which the last pass vectorises nothing."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One cell of a table; `assume` are the sets of assumptions to try in turn until there is a proof."""

    table: str
    row: str
    column: str
    source: Path
    steps: tuple[Step, ...]
    assume: tuple[tuple[str, ...], ...] = ((),)
    engine: str = "auto"


@dataclass(frozen=True, slots=True)
class Made:
    """A target that was made, what it took, and how long it is; `failure` says why there is none."""

    seconds: float
    cpu_seconds: float
    lines: int
    failure: str | None


def make(tools: Tools, pair: Pair, target: Path) -> Made:
    """Writes the pair's target; the seconds are those of mlir-opt alone."""
    processes = [mlir_opt(tools, pair.source, "builtin.module()", target)]
    for step in pair.steps:
        if processes[-1].exit != 0:
            break
        if isinstance(step, int):
            try:
                target.write_text(strip_mine(target.read_text(), step))
            except NotStripped as problem:
                return Made(0.0, 0.0, 0, str(problem))
            step = "builtin.module()"
        # Not in place: mlir-opt maps its input into memory.
        given = target.rename(target.with_suffix(".before.mlir"))
        processes.append(mlir_opt(tools, given, step, target))
    last = processes[-1]
    failure = None if last.exit == 0 else failure_text(last)
    lines = 0 if failure else target.read_text().count("\n")
    # The first only prints the source; it is part of what is compared only where nothing follows.
    counted = processes[1:] or processes
    return Made(sum(p.seconds for p in counted), sum(p.cpu_seconds for p in counted), lines, failure)


class NotStripped(Exception):
    """An outermost loop that `strip_mine` does not read."""


def mlir_opt(tools: Tools, source: Path, pipeline: str, target: Path) -> Process:
    """Runs a pipeline on a file."""
    return run([tools.mlir_opt, str(source), f"--pass-pipeline={pipeline}", "-o", str(target)], MLIR_OPT_LIMIT)


def failure_text(process: Process) -> str:
    """Why mlir-opt wrote nothing, in a line."""
    if process.exit < 0:
        return f"mlir-opt crashed with signal {-process.exit}"
    _, _, message = process.stderr.partition("error: ")
    return f"mlir-opt: {message.splitlines()[0] if message else 'failed'}"


# HEC's T

LOOP = re.compile(r"^    affine\.for (%\w+) = (.+) to (.+?)(?: step (\d+))? \{$")
MAPPED = re.compile(r"^(?:min )?#(\w+)\((.*?)\)(?:\[(.*?)\])?$")
ALIAS = re.compile(r"^#(\w+) = affine_map<\((.*?)\)(?:\[(.*?)\])? -> \((.*)\)>$")


def strip_mine(text: str, size: int) -> str:
    """The program with each outermost loop of its functions made two: over strips of `size` iterations, and in one.

    Requires: a module as mlir-opt prints it.
    Raises: NotStripped where an outermost loop carries values.
    """
    lines = text.splitlines()
    aliases = {m[1]: m for m in map(ALIAS.match, lines) if m}
    made: list[str] = []
    depth_closes = False
    for line in lines:
        loop = LOOP.match(line)
        if loop:
            made += strip_heads(loop, size, aliases)
            depth_closes = True
        elif depth_closes and line == "    }":
            made += ["    }", "    }"]
            depth_closes = False
        elif line.startswith("    ") and " = affine.for " in line[4:] and line[4] == "%":
            raise NotStripped("T is for outermost loops that carry no values")
        else:
            made.append(line)
    return "\n".join(made) + "\n"


def strip_heads(loop: re.Match[str], size: int, aliases: dict[str, re.Match[str]]) -> Iterator[str]:
    """The heads of the loop over strips and of the loop in one."""
    variable, lower, upper, step = loop[1], loop[2], loop[3], int(loop[4] or 1)
    strip = f"{variable}_strip"
    yield f"    affine.for {strip} = {lower} to {upper} step {size * step} {{"
    dims, symbols, results, operands = read_bound(upper, aliases)
    names = f"({', '.join([*dims, 'strip'])})" + (f"[{', '.join(symbols)}]" if symbols else "")
    given = f"({', '.join([*operands[0], strip])})" + (f"[{', '.join(operands[1])}]" if symbols else "")
    ends = f"min affine_map<{names} -> (strip + {size * step}, {results})>{given}"
    begins = f"affine_map<(strip) -> (strip)>({strip})"
    yield f"    affine.for {variable} = {begins} to {ends}{f' step {step}' if step > 1 else ''} {{"


def read_bound(
    text: str, aliases: dict[str, re.Match[str]]
) -> tuple[list[str], list[str], str, tuple[list[str], list[str]]]:
    """The dimensions, symbols and results of the map that a bound is, and its operands."""
    if text.isdecimal():
        return [], [], text, ([], [])
    if text.startswith("%"):
        return [], ["end"], "end", ([], [text])
    found = MAPPED.match(text)
    if found is None or found[1] not in aliases:
        raise NotStripped(f"a bound that is not read: {text}")
    alias = aliases[found[1]]
    return names_in(alias[2]), names_in(alias[3]), alias[4], (names_in(found[2]), names_in(found[3]))


def names_in(text: str | None) -> list[str]:
    """The names of a list between commas."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


# Tables


def kernel_pairs(
    table: str,
    kernels: Sequence[str],
    columns: dict[str, tuple[Step, ...]],
    forms: Sequence[str],
    engine: str = "auto",
) -> Iterator[Pair]:
    """The pairs of a table with a row for each kernel and form."""
    for kernel in kernels:
        for form in forms:
            for column, steps in columns.items():
                row, source = f"{kernel}{FORMS[form]}", source_path(kernel, form)
                yield Pair(table, row, column, source, steps, tuple(assumptions(kernel, form)), engine)


NESTED_FACTORS = (2, 3, 4, 6, 8, 10, 12, 14, 16, 24, 32, 48, 64)
THEOREM_FACTORS = (2, 3, 4, 6, 8, 10, 12, 14, 16)
NESTED_EXTENTS = {"unroll twice": (4, 4, 4096), "jam and unroll": (128, 4, 128)}
"""NI, NK and NJ: mlir-opt unrolls a loop no further than it runs, and jams the first loop of a function."""


def nested_source(folder: Path, column: str) -> Path:
    """gemm with the extents for one way to unroll it."""
    path = folder / f"gemm.{column.partition(' ')[0]}.mlir"
    extents = dict(zip(("19", "23", "29"), map(str, NESTED_EXTENTS[column]), strict=True))
    text = source_path("gemm", "constant").read_text()
    path.write_text(re.sub(r"(?<=[<x ])(19|23|29)(?=[x .{,])", lambda found: extents[found[1]], text))
    return path


def nested_pairs(folder: Path, largest: int) -> Iterator[Pair]:
    """k by k copies of the inner statement of gemm: unrolled twice, and jammed and unrolled."""
    sources = {column: nested_source(folder, column) for column in NESTED_EXTENTS}
    for engine, factors in (("auto", NESTED_FACTORS), ("theorems", THEOREM_FACTORS)):
        for k in factors:
            ways: dict[str, tuple[Step, ...]] = {
                "unroll twice": (unroll(k), unroll(k)),
                "jam and unroll": (jam(k), unroll(k)),
            }
            for column, steps in ways.items() if k <= largest else ():
                yield Pair("nested", f"{k}x{k}", column, sources[column], steps, engine=engine)


SCHEDULES = FOLDER / "schedules"
SCHEDULE = "builtin.module(transform-interpreter,func.func(convert-linalg-to-loops,canonicalize,cse))"


def schedule_pairs() -> Iterator[Pair]:
    """Operations of linalg, tiled over several levels with their loops interchanged, and unrolled."""
    for path in sorted(SCHEDULES.glob("*.mlir")):
        yield Pair("schedules", path.stem, "tile, interchange, unroll", path, (SCHEDULE,), ((), ("nonneg",)))


# One large file

SYMBOL = re.compile(r"#(?=(?:map|set)\d*\b)")


def write_large(tools: Tools, folder: Path, lines: int) -> tuple[Path, Path, int, Made]:
    """A file of functions and one of what they became, of so many lines: every kernel by each of HEC's columns, again
    and again; with the number of functions."""
    parts: list[tuple[str, str]] = []
    total, seconds, cpu_seconds = 0, 0.0, 0.0
    made: dict[tuple[str, str], tuple[str, str]] = {}
    for kernel, (column, steps) in cycle([(k, c) for c in HEC_STEPS.items() for k in POLYBENCH]):
        if total >= lines:
            break
        if (kernel, column) not in made:
            target = folder / f"{kernel}.{column}.mlir"
            pair = Pair("large", kernel, column, source_path(kernel, "constant"), steps)
            done = make(tools, pair, target)
            if done.failure:
                continue
            seconds, cpu_seconds = seconds + done.seconds, cpu_seconds + done.cpu_seconds
            printed = folder / f"{kernel}.printed.mlir"
            mlir_opt(tools, pair.source, "builtin.module()", printed)
            made[kernel, column] = printed.read_text(), target.read_text()
        own = tuple(renamed(text, f"f{len(parts)}_") for text in made[kernel, column])
        parts.append((own[0], own[1]))
        total += own[1].count("\n")
    files = folder / "large.source.mlir", folder / "large.target.mlir"
    for side, path in enumerate(files):
        path.write_text("".join(part[side] for part in parts))
    return files[0], files[1], len(parts), Made(seconds, cpu_seconds, total, None)


def renamed(text: str, prefix: str) -> str:
    """What a printed module holds, with its function and its aliases under names of their own."""
    text = SYMBOL.sub(f"#{prefix}", text)
    text = re.sub(r"(?<=func\.func @)(?=\w)", prefix, text)
    head, _, body = text.partition("module {\n")
    return head + body.rstrip().removesuffix("}")

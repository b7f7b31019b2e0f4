"""Looks for chains of loop passes that are not decided, or decided wrongly.

`python benchmarks/hunt.py --first 0 --count 100 --keep DIR` makes random chains of 3 to 6 passes of mlir-opt, each for
a kernel of PolyBench in one of its forms or for the nests of `lit_tests/loops`, and checks source against target. It
prints a line for each chain that is not proved, keeps its files, and ends with how many there were of each verdict. A
chain is made from its number alone. With `--against`, what another chain makes of the kernel is the source. A kernel
with symbolic sizes is taken with sizes that are not negative. The exit status is 1 where a chain is `unknown` or
`error`; `not-equivalent` is an answer, because a pass may be wrong.
"""

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from kernels import FAILED, assumptions
from loop_pairs import POLYBENCH
from measure import PROVED, Check, check, run
from targets import FOLDER, FORMS, MLIR_OPT_LIMIT, Tools, add_tool_options, read_tools, source_path

NESTS = FOLDER.parent / "lit_tests" / "loops"
SHORTEST, LONGEST = 3, 6
LONGEST_TARGET = 4_000
"""Targets of more lines are left out: speed is the matter of other tables."""

AFFINE = (
    "affine-loop-unroll{unroll-factor=2}",
    "affine-loop-unroll{unroll-factor=4}",
    "affine-loop-unroll{unroll-factor=3 cleanup-unroll}",
    "affine-loop-unroll-jam{unroll-jam-factor=2}",
    "affine-loop-unroll-jam{unroll-jam-factor=3}",
    "affine-loop-tile{tile-size=4}",
    "affine-loop-tile{tile-size=5}",
    "affine-loop-tile{tile-size=16}",
    "affine-loop-tile{tile-size=4 separate}",
    "affine-loop-normalize",
    "affine-loop-coalescing",
    "affine-loop-fusion",
    "affine-loop-fusion{maximal}",
    "affine-loop-invariant-code-motion",
    "affine-scalrep",
    "affine-data-copy-generate{generate-dma=false fast-mem-space=0}",
    "affine-data-copy-generate{generate-dma=false fast-mem-space=0 fast-mem-capacity=1}",
    "affine-parallelize",
    "affine-simplify-structures",
    "affine-simplify-min-max",
    "test-affine-loop-unswitch",
    "canonicalize",
    "cse",
)
LAST_AFFINE = ("affine-super-vectorize{virtual-vector-size=4}",)
SCF = (
    "scf-for-loop-peeling",
    "scf-for-loop-canonicalization",
    "scf-for-loop-range-folding",
    "scf-for-loop-specialization",
    "scf-parallel-loop-tiling{parallel-loop-tile-sizes=4}",
    "loop-invariant-code-motion",
    "control-flow-sink",
    "test-loop-unrolling{unroll-factor=2 loop-depth=1}",
    "canonicalize",
    "cse",
)
ENDS = ("", "", "", "scf-for-to-while", "convert-scf-to-cf", "convert-scf-to-cf,canonicalize,lift-cf-to-scf")


@dataclass(frozen=True, slots=True)
class Chain:
    """A source, the pipeline that makes its target, and the assumptions to try in turn."""

    source: Path
    pipeline: str
    assume: tuple[tuple[str, ...], ...]


def chain(number: int) -> Chain:
    """The chain with a number."""
    random = Random(number)
    source, assume = _source(random)
    return Chain(source, _pipeline(random), assume)


def other(number: int) -> str:
    """The pipeline of another chain, for the same source."""
    return _pipeline(Random(f"other {number}"))


def _pipeline(random: Random) -> str:
    length = random.randint(SHORTEST, LONGEST)
    lowered = random.randrange(1, 2 * length)
    first = [random.choice(AFFINE) for _ in range(min(lowered, length))]
    if random.random() < 0.1:
        first += LAST_AFFINE
    stages = [f"func.func({','.join(first)})"]
    if lowered < length:
        after = [random.choice(SCF) for _ in range(length - lowered)] + [random.choice(ENDS)]
        stages += ["lower-affine", f"func.func({','.join(filter(None, after))})"]
    return f"builtin.module({','.join(stages)})"


def _source(random: Random) -> tuple[Path, tuple[tuple[str, ...], ...]]:
    nests = sorted(NESTS.glob("*.src.mlir"))
    if random.random() < 0.1:
        return random.choice(nests), ((), ("nonneg",))
    kernel, form = random.choice((*POLYBENCH, "cnn_forward")), random.choice(tuple(FORMS))
    return source_path(kernel, form), tuple(assumptions(kernel, form)[-1:])


def made(tools: Tools, source: Path, pipeline: str, target: Path) -> bool:
    """Whether mlir-opt made a target, and no very long one."""
    ran = run([tools.mlir_opt, str(source), f"--pass-pipeline={pipeline}", "-o", str(target)], MLIR_OPT_LIMIT)
    return ran.exit == 0 and target.read_text().count("\n") <= LONGEST_TARGET


def against(tools: Tools, given: Chain, pipeline: str, source: Path) -> Chain | None:
    """The chain with what another pipeline makes of its source; None where mlir-opt makes nothing of that."""
    if not made(tools, given.source, pipeline, source):
        return None
    return replace(given, source=source, assume=(("nonneg",),) if given.assume[-1] else given.assume)


def decided(tools: Tools, given: Chain, target: Path) -> Check | None:
    """How a chain is decided; None where mlir-opt made no target, or a very long one."""
    if not made(tools, given.source, given.pipeline, target):
        return None
    found = [check(tools.hecv, given.source, target, assume, tools.time_limit) for assume in given.assume]
    return next((c for c in found if c.verdict in PROVED), found[-1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_tool_options(parser)
    parser.add_argument("--first", type=int, default=0, help="the number of the first chain")
    parser.add_argument("--count", type=int, default=100, help="how many chains")
    parser.add_argument("--against", action="store_true", help="compare with what another chain makes of the source")
    parser.add_argument("--keep", type=Path, default=Path("hunt"), help="where targets that are not proved are kept")
    options = parser.parse_args()
    tools = read_tools(parser, options)
    options.keep.mkdir(parents=True, exist_ok=True)
    verdicts: Counter[str] = Counter()
    for number in range(options.first, options.first + options.count):
        given: Chain | None = chain(number)
        kernel, target = given.source.name, options.keep / f"{number}.mlir"
        source = options.keep / f"{number}.src.mlir"
        if options.against:
            given = against(tools, given, other(number), source)
        found = None if given is None else decided(tools, given, target)
        verdicts["no target" if found is None else found.verdict] += 1
        if found is None or found.verdict in PROVED:
            target.unlink(missing_ok=True)
            source.unlink(missing_ok=True)
        if given is not None and found is not None and (found.verdict not in PROVED or found.cpu_seconds > 10):
            print(f"{number} {found.verdict} {kernel} {found.cpu_seconds:.1f} s", found.note or "", flush=True)
            print(f"  {given.pipeline}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()))
    return 1 if any(verdicts[v] for v in FAILED) else 0


if __name__ == "__main__":
    sys.exit(main())

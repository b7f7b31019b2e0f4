"""The kernels, the passes, and mlir-opt that makes a target from the two."""

import argparse
import platform
import re
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from random import Random

from measure import Process, hecv_versions, run

FOLDER = Path(__file__).parent
MLIR_OPT_LIMIT = 60.0

KERNELS = (
    "gemm",
    "lu",
    "2mm",
    "atax",
    "bicg",
    "gesummv",
    "mvt",
    "trisolv",
    "trmm",
    "cnn_forward",
    "jacobi_1d",
    "seidel_2d",
)
FORMS = {"constant": "", "dynamic": "_dyn"}


def on_functions(passes: str) -> str:
    """The pipeline that runs the passes on every function."""
    return f"builtin.module(func.func({passes}))"


CHAINS = 6
CHAINS_SEED = 12
CHAIN_LENGTH = 5
ON_AFFINE = (
    "affine-loop-coalescing",
    "affine-loop-fusion",
    "affine-loop-invariant-code-motion",
    "affine-loop-normalize",
    "affine-loop-tile{tile-size=8}",
    "affine-loop-unroll-jam{unroll-jam-factor=2}",
    "affine-loop-unroll{unroll-factor=4}",
    "affine-scalrep",
    "affine-simplify-structures",
    "canonicalize",
    "cse",
)
ON_SCF = (
    "canonicalize",
    "control-flow-sink",
    "cse",
    "loop-invariant-code-motion",
    "scf-for-loop-canonicalization",
    "scf-for-loop-peeling",
)


def random_chains(seed: int, count: int) -> list[str]:
    """Pipelines of random passes: those on `affine`, `lower-affine` at some place or not at all, those on `scf`."""
    random = Random(seed)
    return [on_functions(",".join(random_chain(random))) for _ in range(count)]


def random_chain(random: Random) -> list[str]:
    """The passes of one chain."""
    lowered = random.randrange(1, CHAIN_LENGTH + 2)
    before = [random.choice(ON_AFFINE) for _ in range(min(lowered, CHAIN_LENGTH))]
    after = [random.choice(ON_SCF) for _ in range(CHAIN_LENGTH - lowered - 1)]
    return [*before, *(["lower-affine"] if lowered < CHAIN_LENGTH else []), *after]


UNROLL_8 = "affine-loop-unroll{unroll-factor=8}"
UNROLL_16 = "affine-loop-unroll{unroll-factor=16}"
TILE_16 = "affine-loop-tile{tile-size=16}"
PASSES = {
    "self": "builtin.module()",
    "canonicalize": on_functions("canonicalize"),
    "cse": on_functions("cse"),
    "licm": on_functions("affine-loop-invariant-code-motion"),
    "normalize": on_functions("affine-loop-normalize"),
    "scalrep": on_functions("affine-scalrep"),
    "unroll-2": on_functions("affine-loop-unroll{unroll-factor=2}"),
    "unroll-8": on_functions(UNROLL_8),
    "unroll-16-8": on_functions(f"{UNROLL_16},{UNROLL_8}"),
    "tile-16": on_functions(TILE_16),
    "tile-unroll": on_functions(f"{TILE_16},{UNROLL_8}"),
    "fusion": on_functions("affine-loop-fusion"),
    "jam-4": on_functions("affine-loop-unroll-jam{unroll-jam-factor=4}"),
    "coalesce": on_functions("affine-loop-coalescing"),
    "lower": on_functions("lower-affine"),
    "lower-canon": on_functions("lower-affine,canonicalize"),
    "lower-cse": on_functions("lower-affine,canonicalize,cse"),
    "parallel": on_functions("affine-parallelize"),
    "lower-cf": on_functions("lower-affine,convert-scf-to-cf"),
    "lower-cf-canon": on_functions("lower-affine,convert-scf-to-cf,canonicalize,cse"),
    "lift": on_functions("lower-affine,convert-scf-to-cf,canonicalize,lift-cf-to-scf"),
    "coalesce-lower": on_functions("affine-loop-coalescing,lower-affine,canonicalize,cse"),
    **{f"chain-{k}": chain for k, chain in enumerate(random_chains(CHAINS_SEED, CHAINS), 1)},
}


@dataclass(frozen=True, slots=True)
class Tools:
    """The commands under test, each as far as its first argument."""

    hecv: tuple[str, ...]
    mlir_opt: str
    time_limit: float


def source_path(kernel: str, form: str) -> Path:
    """The file of a kernel in one of its forms."""
    return FOLDER / "polybench" / f"{kernel}{FORMS[form]}.mlir"


def make_target(tools: Tools, source: Path, pass_name: str, target: Path) -> Process:
    """Write the source after the pass to `target`; `self` only prints it again, with new names."""
    pipeline = f"--pass-pipeline={PASSES[pass_name]}"
    command = [tools.mlir_opt, str(source), pipeline, "-o", str(target)]
    return run(command, MLIR_OPT_LIMIT)


def positive(text: str) -> int:
    """The count that an option gives."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"count is {text}, expected at least 1")
    return int(text)


def add_tool_options(parser: argparse.ArgumentParser) -> None:
    """The options that `read_tools` reads."""
    parser.add_argument("--mlir-opt", help="default: mlir-opt-22 or mlir-opt on PATH")
    parser.add_argument("--hecv", help="command line of hecv (default: this Python's -m hecv)")
    parser.add_argument("--time-limit", type=float, default=120.0, help="seconds a check")


def read_tools(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Tools:
    """The commands that the options name; a usage error where one is not there."""
    names = [options.mlir_opt] if options.mlir_opt else ["mlir-opt-22", "mlir-opt"]
    mlir_opt = next(filter(None, map(shutil.which, names)), None)
    if mlir_opt is None:
        parser.error(f"no command {' or '.join(names)}; name one with --mlir-opt")
    hecv = tuple(shlex.split(options.hecv)) if options.hecv else (sys.executable, "-m", "hecv")
    if shutil.which(hecv[0]) is None:
        parser.error(f"no command {hecv[0]}; name it with --hecv")
    return Tools(hecv, mlir_opt, options.time_limit)


def tool_versions(tools: Tools) -> dict[str, str]:
    """The versions of everything that a number depends on."""
    text = run([tools.mlir_opt, "--version"], MLIR_OPT_LIMIT).stdout
    found = re.search(r"version (\S+)", text)
    mlir_opt = found.group(1) if found else "not said"
    versions = hecv_versions(tools.hecv, source_path("gemm", "constant"), tools.time_limit)
    return {"mlir-opt": mlir_opt, "python": platform.python_version(), **versions}

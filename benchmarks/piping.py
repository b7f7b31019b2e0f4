"""Random chains of passes of mlir-opt, on random programs and on sources of the lit suite, each pass checked apart as
`hecv opt` does."""

import shlex
import sys
from collections import Counter
from dataclasses import dataclass
from random import Random

from hunt import AFFINE, SCF
from targets import FOLDER, Tools

ROOT = FOLDER.parent
sys.path.insert(0, str(ROOT / "tests"))

from hecv.check import Options  # noqa: E402
from hecv.mlir.passes.mlir_opt import Tool  # noqa: E402
from hecv.mlir.passes.pass_runner import Runner  # noqa: E402
from hecv.mlir.passes.python_bindings import Bindings  # noqa: E402
from hecv.pipeline import PipelineReport, Step, run_pipeline  # noqa: E402
from soundness.subjects import Subject  # noqa: E402

COLUMNS = ("steps", "unchanged", "equivalent", "refines", "unknown", "refuted", "failed", "wrong")
"""Of the steps, those that leave the program as it is, and what is said of the others. A pass may be wrong, so that one
is `refuted` is no find of its own."""

SECONDS = 10.0
ANY = (
    *(
        "canonicalize",
        "cse",
        "sccp",
        "canonicalize,cse",
        "remove-dead-values",
        "mem2reg",
        "sroa",
        "symbol-dce",
        "inline",
    ),
    *("int-range-optimizations", "arith-int-range-narrowing{int-bitwidths-supported=8,16,32}", "arith-expand"),
    *("arith-unsigned-when-equivalent", "control-flow-sink", "loop-invariant-code-motion", "math-uplift-to-fma"),
    *("loop-invariant-subset-hoisting", "canonicalize{top-down=false region-simplify=aggressive}"),
)
OF_DIALECT = {
    "affine.": (*AFFINE, "lower-affine", "lower-affine", "affine-expand-index-ops", "affine-loop-coalescing"),
    "scf.": (
        *SCF,
        *("scf-for-to-while", "convert-scf-to-cf", "scf-forall-to-for", "scf-forall-to-parallel"),
        *("scf-parallel-loop-fusion", "scf-parallel-loop-specialization", "scf-uplift-while-to-for"),
    ),
    "cf.": ("lift-cf-to-scf", "canonicalize{region-simplify=aggressive}"),
    "memref.": (
        *(
            "fold-memref-alias-ops",
            "expand-strided-metadata",
            "normalize-memrefs",
            "memref-expand",
            "promote-buffers-to-stack",
        ),
        *("buffer-hoisting", "buffer-loop-hoisting", "ownership-based-buffer-deallocation"),
        *("resolve-shaped-type-result-dims", "affine-raise-from-memref", "reify-result-shapes"),
    ),
    "vector.": (
        "convert-vector-to-scf",
        "convert-vector-to-scf{full-unroll}",
        "lower-vector-mask",
        "lower-vector-multi-reduction",
    ),
    "linalg.": (
        *("convert-linalg-to-loops", "convert-linalg-to-affine-loops", "linalg-generalize-named-ops"),
        *("linalg-fuse-elementwise-ops", "linalg-inline-scalar-operands", "linalg-fold-unit-extent-dims"),
        *("linalg-specialize-generic-ops", "convert-linalg-to-parallel-loops", "linalg-block-pack-matmul"),
    ),
    "tensor.": ("fold-tensor-subset-ops", "resolve-ranked-shaped-type-result-dims", "convert-tensor-to-linalg"),
    "complex.": ("convert-complex-to-standard",),
}
"""Passes by a dialect that a program has; those that a runner does not have are left out of its pipelines."""
AFTER = {"affine.": "scf.", "scf.": "cf.", "vector.": "scf.", "linalg.": "affine."}
"""What a dialect may be lowered to."""
SHORTEST, LONGEST = 2, 5


@dataclass(slots=True)
class Piping:
    """Makes and checks chains. Passes are run in turn by the bindings and by mlir-opt, which are of two versions."""

    tools: Tools
    known: dict[bool, frozenset[str]]

    def passes(self, text: str, random: Random, by_tool: bool) -> str:
        """A chain of passes for a program."""
        dialects = {d for d in OF_DIALECT if d in text}
        dialects |= {AFTER[d] for d in dialects if d in AFTER}
        mine = [p for d in sorted(dialects) for p in OF_DIALECT[d]]
        known = [p for p in (*mine, *mine, *ANY) if p.split("{")[0].split(",")[0] in self.known[by_tool]]
        return ",".join(random.choice(known) for _ in range(random.randint(SHORTEST, LONGEST)))

    def run(self, subject: Subject, seed: int, number: int) -> tuple[str, PipelineReport]:
        """The chain of a number, as options of `hecv opt`, and what comes of it."""
        random, by_tool = Random(f"chain {seed} {number}"), number % 2 == 1
        chain = self.passes(subject.source, random, by_tool)
        runner: Runner = Tool(self.tools.mlir_opt) if by_tool else Bindings()
        options = Options(seconds=SECONDS, switches=subject.switches, assume=subject.assume)
        report = run_pipeline(subject.source, "source.mlir", chain, runner, options)
        tool = ["--tool", self.tools.mlir_opt] if by_tool else []
        return shlex.join([f"--pass-pipeline={chain}", *tool, *switches_of(subject)]), report


def switches_of(subject: Subject) -> list[str]:
    """The switches of hecv under which a subject means what it does."""
    given = subject.switches
    switches = [*(("--alias", "may") if given.may_overlap else ()), "--fp", given.floats]
    switches += ["--index-width", str(given.index_width), *(f"--assume={text}" for text in subject.assume)]
    return [*switches, *(("--index-overflow", "wrap") if given.index_wraps else ())]


def piping(tools: Tools) -> Piping:
    """What makes chains of the passes that there are."""
    return Piping(tools, {False: frozenset(Bindings().names()), True: frozenset(Tool(tools.mlir_opt).names())})


def row_of(step: Step) -> tuple[str, str]:
    """The pass of a step and the column it counts in."""
    verdict = step.report.verdict
    column = {"error": "wrong" if step.report.internal else "failed", "not-equivalent": "refuted"}.get(verdict, verdict)
    return step.executed.name, column if step.changed or column != "equivalent" else "unchanged"


def differences(step: Step) -> Counter[str]:
    """Of what kinds the counterexamples of a step are, with the engines that showed them."""
    found = (f.counterexample for f in step.report.functions)
    return Counter(f"{c.kind} by {' and '.join(c.engines)}" for c in found if c is not None)


def said_of(report: PipelineReport) -> str:
    """What the diagnostics say of what hecv got wrong."""
    reports = (report.total, *(s.report for s in report.steps))
    inner = (d.message for r in reports for f in r.functions for d in f.diagnostics)
    return "; ".join([*(d.message for r in reports for d in r.diagnostics), *inner])

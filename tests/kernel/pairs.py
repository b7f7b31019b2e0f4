"""Pairs of functions whose proofs by array dataflow are written down and replayed, in one process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hecv.base.term import TermPool
from hecv.claim.assumptions import Parameter, parse_assumption
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy
from hecv.dataflow.pair_model import OPERATIONS
from hecv.kernel import dataflow_check
from hecv.kernel.certificate.file_format import Options
from hecv.kernel.terms.solvers import Solver
from hecv.mlir.importer import ParsedModule, functions, parse, read_pair
from hecv.prove.dataflow.array_dataflow import Flow, attempt
from hecv.prove.dataflow.dataflow_cert import certify
from hecv.prove.pair.pair_context import Case, Task

PAIRS = Path(__file__).parents[2] / "lit_tests" / "verify"


@dataclass(frozen=True)
class Pair:
    """Two texts, each with functions of the same names, and what is assumed of them."""

    source: str
    target: str
    assume: tuple[str, ...] = ()

    def task(self, function: str = "", switches: Switches | None = None) -> Task:
        """What a worker is asked about the function, the first where none is named."""
        modules = parse(self.source, "source.mlir"), parse(self.target, "target.mlir")
        found = functions(modules[0])
        number = next((k for k, f in enumerate(found) if f.name == function), 0)
        names = found[number].name, functions(modules[1])[number].name
        named = zip(found[number].argument_names, found[number].argument_types, strict=True)
        parameters = [Parameter(k, n, t) for k, (n, t) in enumerate(named)]
        constraints = tuple(c for text in self.assume for c in parse_assumption(text, 1, parameters))
        return Task(modules, names, constraints, switches or Switches(), Strategy(), 0, False)


def of_files(name: str, *assume: str, bad: bool = False) -> Pair:
    """The pair `pass/name` of the lit suite, or that with its wrong target."""
    target = PAIRS / f"{name}{'-bad' if bad else ''}.tgt.mlir"
    return Pair((PAIRS / f"{name}.src.mlir").read_text(), target.read_text(), assume)


def certified(pair: Pair, function: str = "", switches: Switches | None = None) -> tuple[Any, bool]:
    """The certificate of the proof about a pair, and whether the converse is proved too.

    Raises: Uncertified.
    """
    case = Case(pair.task(function, switches), lambda stage, runs: None)
    found = attempt(case, OPERATIONS)
    assert isinstance(found, Flow)
    made, converse = certify(case, found)
    return made.data, converse


def replayed(data: Any, pair: Pair, function: str = "", options: Options | None = None) -> bool:
    """Whether the certificate shows the converse too.

    Raises: Rejected, Malformed.
    """
    task, pool = pair.task(function), TermPool()
    modules: tuple[ParsedModule, ParsedModule] = task.modules
    read = read_pair(modules, task.names, pool)
    constraints = [c.term(pool, read[0]) for c in task.constraints]
    return dataflow_check.replay(data, pool, read, constraints, options or Options(), Solver("z3")).converse

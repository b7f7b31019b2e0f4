"""The engines that prove, asked one by one of a pair: what `hecv check` would not ask of what a run refutes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from hecv.base.diagnostics import Unsupported
from hecv.claim import call_induction
from hecv.dataflow.dataflow_proof import Proved
from hecv.elements.element_outcome import Same
from hecv.program.structural_equality import same_program
from hecv.program.tree import While, walk
from hecv.prove.exhaustive_runs import Exhausted
from hecv.prove.pair_context import Case, Known, Task
from hecv.prove.transforms.asserted_values import prove_informed
from hecv.prove.transforms.loop_unrolling import prove_unrolled
from hecv.prove.transforms.strengthened_target import prove_stricter
from hecv.prove.whiles.closed_form import prove_closed
from hecv.prove.whiles.exit_normalisation import prove_apart
from hecv.prove.whiles.while_induction import Turned
from hecv.verdict import decision

SHORT, LONG = 15_000, 1_000_000
"""isl operations for a proof by array dataflow; what is read of texts that were read before takes none."""

PATIENT: Final = ("long", "last", "long", "swept", "last", "theorems")
"""What is tried in turn of a few, as it takes long: array dataflow (loops that are not counted turn by turn), a sweep,
loop theorems, and what is asked last of all."""


@dataclass(slots=True)
class Attempt:
    """How the engines fared: the columns of those that took the pair, and which shows what, if any does."""

    columns: list[str] = field(default_factory=list[str])
    proof: tuple[str, str] | None = None


def read_case(task: Task, known: Known) -> Case | None:
    """The pair for the engines; None where one has no semantics, or the proof of one alone says nothing."""
    try:
        case = Case(task, lambda stage, runs: None, known)
    except Unsupported:
        return None
    return None if call_induction.calls(case.functions) else case


def attempt(case: Case, turn: int | None) -> Attempt:
    """What the engines say; those that take long are left out where there is no `turn`."""
    made = Attempt()
    made.proof = _brief(case, made)
    if made.proof is None and turn is not None:
        made.proof = _patient(case, PATIENT[turn % len(PATIENT)], made)
    if made.columns:
        made.columns.insert(0, "tried")
    return made


def _brief(case: Case, made: Attempt) -> tuple[str, str] | None:
    if same_program(*case.functions):
        return "identity", "equivalent"
    if case.has_one_form():
        return "the normal form", "equivalent"
    if case.task.switches.floats == "real":
        by_element = case.prove_by_element()
        if by_element is not None:
            made.columns.append("elements")
        if isinstance(by_element, Same):
            return "element by element", _verdict(by_element.one_way is None)
    return _by_dataflow(case, SHORT, "flow", made)


def _by_dataflow(case: Case, operations: int, column: str, made: Attempt) -> tuple[str, str] | None:
    found = case.prove(operations)
    if found is not None:
        made.columns.append(column)
    return ("array dataflow", _verdict(found.converse)) if isinstance(found, Proved) else None


def _by_turns(case: Case, made: Attempt) -> tuple[str, str] | None:
    if case.pair is not None or case.is_long:
        return None
    made.columns.append("long")
    turned = case.prove_by_turns() or _apart(case)
    return None if turned is None else ("turn by turn", _verdict(turned.one_way is None))


def _apart(case: Case) -> Turned | None:
    if not all(any(isinstance(s, While) for s in walk(f.body)) for f in case.functions):
        return None
    return prove_apart(case, True) or prove_apart(case, False)


def _patient(case: Case, which: str, made: Attempt) -> tuple[str, str] | None:
    if which == "long":
        return _by_dataflow(case, LONG, "long", made) or _by_turns(case, made)
    if which == "last":
        return _last(case, made)
    if which != "theorems":
        swept = case.sweep(True)
        if swept is not None:
            made.columns.append("swept")
            return ("a sweep", _verdict(swept.converse)) if swept.equal else None
    theorems = case.prove_by_theorems()
    if theorems is not None:
        made.columns.append("theorems")
    return ("loop theorems", "equivalent") if theorems is not None and theorems.equal else None


def _last(case: Case, made: Attempt) -> tuple[str, str] | None:
    """What `hecv check` asks where the other engines have failed; of what a run refutes it asks none of most."""
    if case.is_long:
        return None
    made.columns.append("last")
    if prove_stricter(case) is not None:
        return "positive divisors", "refines"
    if (informed := prove_informed(case)) is not None:
        return "assertions", _verdict(informed.converse)
    if (copied := prove_unrolled(case)) is not None:
        return "loops copied out", _verdict(copied.converse)
    if (closed := prove_closed(case)) is not None:
        return "an invariant", _verdict(closed.converse)
    if (bounded := case.prove_bounded()) is not None:
        return "a bound on turns", _verdict(bounded.one_way is None)
    everything = decision.run_on_all(case)
    shown = isinstance(everything, Exhausted)
    return ("runs on all inputs", _verdict(everything.converse)) if shown else None


def _verdict(converse: bool) -> str:
    return "equivalent" if converse else "refines"

"""The engines that prove, asked one by one of a pair: what `hecv check` would not ask of what a run refutes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from hecv.base.diagnostics import Unsupported
from hecv.claim import call_induction
from hecv.prove.changed_pair import EXITS_BOUND, EXITS_INDUCTION, INFORMED, STRICTER, UNROLLED
from hecv.prove.pair.pair_context import Case, Known, Task
from hecv.prove.pair.prover import Answer, Budget, Prover, Shown
from hecv.prove.portfolio import (
    BOUND,
    CHANGED,
    CLOSED_FORM,
    DATAFLOW,
    ELEMENTS,
    FORM,
    IDENTITY,
    INDUCTION,
    INPUTS,
    PARTS,
    SWEEP_ALONE,
    THEOREMS,
)

SHORT, LONG = 15_000, 1_000_000
"""isl operations for a proof by array dataflow; what is read of texts that were read before takes none."""

BRIEFLY: Final = Budget(seconds=5.0)
"""For a sweep."""

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


def _shown(name: str, found: Answer) -> tuple[str, str] | None:
    """Which verdict is shown, by what."""
    return (name, "equivalent" if found.one_way is None else "refines") if isinstance(found, Shown) else None


def _brief(case: Case, made: Attempt) -> tuple[str, str] | None:
    shown = _first(case, {"identity": (IDENTITY, Budget()), "the normal form": (FORM, Budget())})
    if shown is not None:
        return shown
    by_element = ELEMENTS.prove(case, Budget())
    if by_element is not None:
        made.columns.append("elements")
    return _shown("element by element", by_element) or _by_dataflow(case, SHORT, "flow", made)


def _first(case: Case, provers: Mapping[str, tuple[Prover, Budget]]) -> tuple[str, str] | None:
    """What the first of these shows that shows something."""
    answers = (_shown(name, prover.prove(case, budget)) for name, (prover, budget) in provers.items())
    return next((shown for shown in answers if shown is not None), None)


def _by_dataflow(case: Case, operations: int, column: str, made: Attempt) -> tuple[str, str] | None:
    found = DATAFLOW.prove(case, Budget(operations))
    if found is not None:
        made.columns.append(column)
    return _shown("array dataflow", found)


def _by_turns(case: Case, made: Attempt) -> tuple[str, str] | None:
    if case.pair is not None or case.is_long or case.task.switches.floats != "strict":
        return None
    made.columns.append("long")
    return _first(
        case,
        {
            "turn by turn": (INDUCTION, PARTS),
            "exits, turn by turn": (EXITS_INDUCTION, PARTS),
            "exits, with a bound": (EXITS_BOUND, PARTS),
        },
    )


def _patient(case: Case, which: str, made: Attempt) -> tuple[str, str] | None:
    if which == "long":
        return _by_dataflow(case, LONG, "long", made) or _by_turns(case, made)
    if which == "last":
        return _last(case, made)
    if which != "theorems" and case.may_sweep():
        made.columns.append("swept")
        return _shown("a sweep", SWEEP_ALONE.prove(case, BRIEFLY))
    theorems = THEOREMS.prove(case, Budget())
    if theorems is not None:
        made.columns.append("theorems")
    return _shown("loop theorems", theorems)


def _last(case: Case, made: Attempt) -> tuple[str, str] | None:
    """What `hecv check` asks where the other engines have failed; of what a run refutes it asks none of most."""
    if case.is_long:
        return None
    made.columns.append("last")
    provers = {
        "positive divisors": (STRICTER, CHANGED),
        "assertions": (INFORMED, CHANGED),
        "loops copied out": (UNROLLED, CHANGED),
        "an invariant": (CLOSED_FORM, Budget()),
        "a bound on turns": (BOUND, PARTS),
        "runs on all inputs": (INPUTS, CHANGED),
    }
    return _first(case, provers)

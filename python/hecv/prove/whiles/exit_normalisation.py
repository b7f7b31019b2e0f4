"""Proofs about functions with the ways through their whiles apart (`hecv.normal.whiles.loop_exits`)."""

from __future__ import annotations

from typing import Final

from hecv.claim.semantic_options import unproved, unproved_by_dataflow
from hecv.normal.whiles.loop_exits import both_threaded
from hecv.program.tree import Function, While, walk
from hecv.prove.pair_context import TURN_SECONDS, Case
from hecv.prove.whiles.while_induction import Turned, prove_by_turns

RULE: Final = "while-ways-apart"


def prove_apart(case: Case, by_turns: bool) -> Turned | None:
    """The outcome of the proof about functions with the ways through their whiles apart, by induction over turns or by
    a bound on them; None where there are no such ways, where it is not shown, or where a switch excludes the pair."""
    strategy, switches = case.task.strategy, case.task.switches
    if case.pair is not None or not strategy.dataflow or switches.floats != "strict":
        return None
    excluded = unproved if by_turns else unproved_by_dataflow
    if excluded(case.functions, switches, case.constrain) is not None:
        return None
    functions = both_threaded(case.pool, case.functions, switches.index_width)
    if functions is None:
        return None
    found = _by_turns(case, functions) if by_turns else _bounded(case, functions)
    case.apart = found
    return found


def _by_turns(case: Case, functions: tuple[Function, Function]) -> Turned | None:
    return prove_by_turns(case.pool, functions, case.task.switches.index_width, case.prove_part, TURN_SECONDS)


def _bounded(case: Case, functions: tuple[Function, Function]) -> Turned | None:
    outcome = case.prove_part(functions, True)
    if outcome is None:
        return None
    count = min(sum(isinstance(s, While) for s in walk(f.body)) for f in functions)
    return Turned(outcome.one_way, outcome.statistics, count, None)

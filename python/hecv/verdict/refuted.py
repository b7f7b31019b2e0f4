"""The verdict on a pair of which a run showed a difference: shrunk, confirmed by MLIR's JIT, and with its place."""

from __future__ import annotations

from time import perf_counter
from typing import Final

from hecv.base.diagnostics import Diagnostic
from hecv.base.value import Buffer
from hecv.claim import call_induction
from hecv.claim.result import Binding, FunctionReport, Localization, Unknown
from hecv.dataflow.dataflow_proof import Stuck
from hecv.program.tree import Function
from hecv.prove.dataflow import array_dataflow
from hecv.prove.dataflow.array_dataflow import Flow
from hecv.prove.pair.pair_context import Case
from hecv.prove.pair.prover import Proof
from hecv.refute import aliased_inputs
from hecv.refute.differential_runs import Difference, at
from hecv.refute.element_slice import slice_of
from hecv.refute.jit_confirmation import Engine, Opinion, confirm
from hecv.refute.shrinking import prefer_value, shrink
from hecv.run.interpreter.interpreter import Finished, compile
from hecv.verdict.counterexample import brief, describe
from hecv.verdict.localisation import of_difference

REORDERED: Final = (
    "parallel loops of the target began with their last iteration: their order is open, so their float sums and"
    " products may be rounded in any order (which --fp reassoc allows)"
)

FOLDED: Final = (
    "MLIR's own lowering folds ops of the {}: with these folds its JIT computes another value, with each op lowered by"
    " itself the one that is shown"
)

MOST_OTHERS: Final = 6
OTHERS_SECONDS: Final = 8.0
"""Other inputs, and seconds, that are spent where MLIR's JIT does not confirm a difference."""
MOST_RUNS: Final = 1000

LONGER: Final = 25_000_000
"""Steps of a run that is to confirm what compiled code computes."""

SHARES: Final = 4
"""Each search for a smaller input takes at most such a share of the time that is left: a difference that was seen is
not lost to the time limit."""

LEFT_FOR_PLACE: Final = 0.75
"""The share of the time limit that has to be left for a proof that only serves to find the place of a difference."""

BRIEF_OPERATIONS: Final = 1_000_000
"""isl operations for a proof that only serves to find the place of a difference."""


def refuted(case: Case, found: Difference, stuck: Stuck | None, proof: Proof | None = None) -> FunctionReport:
    """A difference that was seen: smaller, confirmed, and with its place. A proof on trust that a run contradicts shows
    that a trusted rule is wrong, any other `proof` that hecv is."""
    trusted = () if proof is None else proof.shown.trusted
    notes = (wrong_rules(trusted),) if trusted else ()
    proved = proof is not None and not trusted
    case.enter("shrinking the counterexample")
    found = prefer_value(case.trials, case.functions[0], found, case.inputs.allowed, case.seconds_left() / SHARES)
    difference = shrink(
        case.trials, case.functions[0], found, case.inputs.allowed, seconds=case.seconds_left() / SHARES
    )
    engines: tuple[Engine, ...] = ("interpreter",)
    if difference.reordered:
        notes += (REORDERED,)
    elif found.kind in ("value", "calls"):
        engines = ("interpreter", "jit")
        difference, opinion = _confirmed(case, difference, found)
        if opinion.problem is not None and not proved:
            return _unconfirmed(case, difference, opinion.problem)
        notes += tuple(FOLDED.format(side) for side in opinion.folded)
    case.enter("looking for the place")
    calls = call_induction.calls(case.functions)
    of_result = difference.place is not None and difference.place.kind == "result"
    if stuck is None and of_result and not calls and case.seconds_left() > LEFT_FOR_PLACE * case.task.seconds:
        again = array_dataflow.attempt(case, BRIEF_OPERATIONS)
        stuck = again if isinstance(again, Stuck) else None
        if isinstance(again, Flow) and case.comparer.trusted():
            notes = (wrong_rules(case.comparer.trusted()),)
        else:
            proved |= isinstance(again, Flow)
    notes += aliased_inputs.notes(case.functions[0], difference.arguments)
    counterexample = describe(case.functions, difference, engines)
    if proved:
        return _contradiction(case, counterexample.inputs, counterexample.difference)
    return FunctionReport(
        case.task.names[0],
        "not-equivalent",
        counterexample=counterexample,
        localization=_locate(case, difference, stuck, counterexample.difference),
        notes=notes,
    )


def _confirmed(case: Case, difference: Difference, found: Difference) -> tuple[Difference, Opinion]:
    """A difference that MLIR's JIT confirms: the smaller one, the one that was `found`, or one on another input. If it
    confirms none, the first with its opinion.

    The interpreter and the JIT may differ on one input for a reason of their own, as the sign of a zero that an op
    leaves open, where another input shows what the functions differ in.
    """
    modules, width = case.task.modules, case.task.switches.index_width

    def opinion(of: Difference) -> Opinion:
        case.enter("running the counterexample by MLIR's JIT")
        return confirm(modules, case.functions, of, width)

    first = opinion(difference)
    if first.problem is None:
        return difference, first
    if difference is not found and (second := opinion(found)).problem is None:
        return found, second
    seen, deadline = {_values(found)}, perf_counter() + min(OTHERS_SECONDS, case.seconds_left() / 2)
    while len(seen) <= MOST_OTHERS and perf_counter() < deadline:
        case.enter("running on other inputs")
        other = case.inputs.search(deadline - perf_counter(), MOST_RUNS)
        if other is None:
            break
        if other.kind != found.kind or other.reordered or _values(other) in seen:
            continue
        seen.add(_values(other))
        if (third := opinion(other)).problem is None:
            smaller = _smaller(case, other)
            fourth = third if smaller is other else opinion(smaller)
            return (smaller, fourth) if fourth.problem is None else (other, third)
    return difference, first


def _smaller(case: Case, difference: Difference) -> Difference:
    """A difference in the same values on a smaller input."""
    values = _values(difference)
    return shrink(
        case.trials,
        case.functions[0],
        difference,
        case.inputs.allowed,
        lambda found: _values(found) == values,
        case.seconds_left() / SHARES,
    )


def _values(difference: Difference) -> str:
    """What the sides have where they first differ."""
    place = difference.place
    ends = (difference.source, difference.target)
    return repr([at(place, end) for end in ends if isinstance(end, Finished)]) if place is not None else ""


def refuted_compiled(case: Case, found: Difference, stuck: Stuck | None) -> FunctionReport:
    """A difference that MLIR's JIT showed on an input that is too long for the interpreter, which is given more time to
    confirm it: without that nothing is refuted."""
    case.enter("running the counterexample for longer")
    slices = _slices(case, found)
    agrees = None if slices is None else _by_slices(case, slices, found)
    again = case.trials.longer(found.arguments, LONGER) if agrees is None else None
    if again is None and agrees is None:
        return _unconfirmed(case, found, f"the interpreter does not finish in {LONGER:,} steps", "MLIR's JIT")
    if agrees is False or (again is not None and (again == "same" or again.place != found.place)):
        return _unconfirmed(case, found, "the interpreter computes another value", "MLIR's JIT")
    engine: Engine = "slice" if agrees else "interpreter"
    counterexample = describe(case.functions, found, (engine, "jit"))
    return FunctionReport(
        case.task.names[0],
        "not-equivalent",
        counterexample=counterexample,
        localization=_locate(case, found, stuck, counterexample.difference, slices if agrees else None),
    )


def _slices(case: Case, found: Difference) -> tuple[Function, Function] | None:
    """What computes the element that differs, on each side; None if that is not known."""
    place = found.place
    if place is None or place.kind != "argument":
        return None
    held = found.arguments[place.number]
    if not isinstance(held, Buffer):
        return None
    source, target = (slice_of(case.pool, f, place.number, place.position, held.shape) for f in case.functions)
    return None if source is None or target is None else (source, target)


def _by_slices(case: Case, slices: tuple[Function, Function], found: Difference) -> bool | None:
    """Whether the interpreter computes the same two values of the element that differs; None if it does not finish."""
    assert found.place is not None
    for function, end in zip(slices, (found.source, found.target), strict=True):
        ran = compile(function, index_width=case.task.switches.index_width).run(found.arguments, LONGER)
        if not isinstance(ran, Finished) or not isinstance(end, Finished):
            return None
        if repr(at(found.place, ran)) != repr(at(found.place, end)):
            return False
    return True


def wrong_rules(rules: tuple[str, ...]) -> str:
    """What a run says of rules that were taken on trust."""
    names = ", ".join(f"'{name}'" for name in rules)
    what, wrong = ("the rule", "it is") if len(rules) == 1 else ("the rules", "one of them is")
    return f"with {what} {names}, taken on trust, the functions were shown equal: {wrong} wrong"


def _locate(
    case: Case, difference: Difference, stuck: Stuck | None, text: str, slices: tuple[Function, Function] | None = None
) -> Localization | None:
    """The statements behind a difference, which are in the `slices` if there are any."""
    return of_difference(case.pool, case.task.modules, slices or case.functions, difference, stuck, text)


def _unconfirmed(case: Case, difference: Difference, problem: str, finder: str = "the interpreter") -> FunctionReport:
    shown = describe(case.functions, difference, ("interpreter",))
    inputs = ", ".join(f"%{b.name} = {brief(b.value, b.type)}" for b in shown.inputs)
    text = f"{finder} finds a difference ({shown.difference}) on {inputs}, but {problem}"
    unknown = Unknown("no-proof", text, case.functions[1].location)
    localization = _locate(case, difference, None, shown.difference)
    return FunctionReport(case.task.names[0], "unknown", unknown=unknown, localization=localization)


def _contradiction(case: Case, arguments: tuple[Binding, ...], difference: str) -> FunctionReport:
    """A proof and a run that exclude each other: hecv is wrong, whichever of them is."""
    task = case.task
    inputs = ", ".join(f"%{b.name} = {b.text} {brief(b.value, b.type, 10_000)}" for b in arguments)
    files = " ".join(m.file for m in task.modules)
    message = (
        f"a proof that @{task.names[0]} of the target refines the source contradicts a run: "
        f"{difference}; input: {inputs}; reproduce with "
        f"HECV_CROSSCHECK=1 hecv check {files} --func {task.names[0]} --seed {task.seed}"
    )
    hint = "this is a bug of hecv: please report it with both files"
    diagnostic = Diagnostic("error", "proof-contradicts-run", message, case.functions[1].location, hint)
    return FunctionReport(task.names[0], "error", diagnostics=(diagnostic,))

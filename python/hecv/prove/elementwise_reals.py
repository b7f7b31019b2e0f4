"""The prover element by element over the reals (`hecv.elements`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hecv.base.value import Buffer, Scalar, Value
from hecv.claim.assumptions import INFINITE, ROUNDED
from hecv.claim.result import Assumption, RuleUse
from hecv.claim.semantic_options import unproved
from hecv.elements.element_outcome import SMALL, Open, Same, budget_of
from hecv.prove.dataflow.array_dataflow import one_way
from hecv.prove.pair.pair_context import Case
from hecv.prove.pair.prover import Budget, Shown
from hecv.refute.input_generation import Style, dynamic_extents
from hecv.run.interpreter.interpreter import Finished, compile

if TYPE_CHECKING:
    from hecv.kernel.certificate.file_format import Elements

RULE: Final = "real-element-normal-form"

MOST_SHOWN: Final = 4
"""So many literals are named in an assumption."""


def prove(case: Case, budget: Budget) -> Shown | Open | None:
    """The proof element by element; None where floats are no real numbers, where control flow or a subscript depends on
    an input, or where a switch excludes the pair. Without a share of the time it takes some seconds.

    That neither side has a race or an access out of bounds is seen in one run that finishes, as both are the same on
    all inputs if the functions can be unfolded at all; assertions are part of the proof.
    """
    switches = case.task.switches
    if switches.floats != "real" or not case.trials.runnable or dynamic_extents(case.functions[0]):
        return None
    arguments = case.inputs.draw.arguments({}, Style.PLAIN)
    if arguments is None or unproved(case.functions, switches, case.constrain) is not None:
        return None
    from hecv.elements import element_prover  # few pairs are compared over the reals

    limits = budget_of(budget.share * case.seconds_left()) if budget.share else SMALL
    found = element_prover.prove(case.pool, case.functions, switches.index_width, limits)
    if isinstance(found, Open):
        return found
    for side, function in zip(("source", "target"), case.functions, strict=True):
        executable = compile(function, index_width=switches.index_width)
        ends = (executable.run(some, case.trials.budget) for some in (arguments, tuple(map(_ones, arguments))))
        if not any(isinstance(end, Finished) for end in ends):
            return Open(f"no run of the {side} was seen to finish")
    rules = (RuleUse(RULE, "static", found.elements, "proved"),)
    return Shown("elements", rules, one_way(found.one_way), found.elements, assumptions=assumed_of(found))


def certify(case: Case, shown: Shown) -> tuple[Elements, bool]:
    """The certificate: how many elements there are, as the checker finds the normal forms itself.

    Raises: Rejected.
    """
    from hecv.kernel.certificate.file_format import Elements  # few pairs are compared over the reals
    from hecv.kernel.reals.elementwise_check import replay_elements

    width = case.task.switches.index_width
    return Elements(shown.found), replay_elements(case.pool, case.functions, shown.found, width)


def _ones(value: Value) -> Value:
    """A value of ones in the shape of another: few assertions reject them."""
    if isinstance(value, Buffer):
        return Buffer(value.shape, [_one(x) for x in value.data])
    return _one(value)


def _one(value: Scalar) -> Scalar:
    return 1.0 if isinstance(value, float) else 1


def assumed_of(found: Same) -> tuple[Assumption, ...]:
    """What the proof takes for granted, besides that floats are real numbers."""
    more: list[Assumption] = []
    if found.rounded:
        shown = ", ".join(found.rounded[:MOST_SHOWN])
        rest = len(found.rounded) - MOST_SHOWN
        text = f"{ROUNDED}: {shown}"
        more.append(Assumption("literals-rounded", text + (f" and {rest} more" if rest > 0 else ""), "--fp"))
    if found.infinite:
        more.append(Assumption("infinite-literals", INFINITE, "--fp"))
    return tuple(more)

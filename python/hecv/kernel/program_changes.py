"""Changes of both functions of a pair after which a proof about what was made is a proof about the pair.

Who searches for a proof makes a change, and who checks the certificate makes it again from the programs that it reads,
and then checks the proof about what was made. The changes themselves are trusted, as the normal form is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool
from hecv.kernel.certificate.rejection import Rejected
from hecv.normal.branches.idle_branches import without_idle_branches
from hecv.normal.index_canonical import compares_computed_indices
from hecv.normal.loops.carried_ranges import with_carried_ranges
from hecv.normal.loops.ordered_calls import has_unordered_calls, with_ordered_calls
from hecv.normal.loops.symbolic_steps import guarded_by_steps, has_symbolic_steps
from hecv.normal.memory.lookup_tables import without_look_ups
from hecv.normal.preconditions.assertion_facts import informed, says
from hecv.normal.preconditions.assumed_arguments import with_assumed_arguments
from hecv.normal.preconditions.positive_divisors import stricter
from hecv.normal.summaries.full_unrolling import both_unrolled
from hecv.normal.whiles.loop_exits import both_threaded
from hecv.program.tree import Function

Both = tuple[Function, Function]


class Change(Struct, frozen=True):
    """`make` gives both functions changed, None where there is nothing to change, as `absent` then says; it is given
    the i1 terms that are assumed of the inputs. Each function does what it did on inputs that count, where the
    `converse` may be shown. Else the target was changed, and does what it did where it is still defined, or the source
    was, and does what it may do.

    Requires: index arithmetic does not overflow, as of a proof by array dataflow.
    """

    name: str
    make: Callable[[TermPool, Both, Sequence[Term], int], Both | None]
    absent: str
    converse: bool = True


def _with_positive_divisors(pool: TermPool, both: Both, given: Sequence[Term], index_width: int) -> Both | None:
    made = stricter(pool, *both)
    return None if made is None else (both[0], made)


def _with_asserted_values(pool: TermPool, both: Both, given: Sequence[Term], index_width: int) -> Both | None:
    return (informed(pool, both[0]), informed(pool, both[1])) if any(map(says, both)) else None


def _with_modular_conditions(pool: TermPool, both: Both, given: Sequence[Term], index_width: int) -> Both | None:
    if not any(compares_computed_indices(f.body) for f in both):
        return None
    return replace(both[0], modular=True), replace(both[1], modular=True)


def _with_guarded_steps(pool: TermPool, both: Both, given: Sequence[Term], index_width: int) -> Both | None:
    if not any(map(has_symbolic_steps, both)):
        return None
    return guarded_by_steps(pool, both[0]), guarded_by_steps(pool, both[1])


def _with_ordered_calls(pool: TermPool, both: Both, given: Sequence[Term], index_width: int) -> Both | None:
    if not has_unordered_calls(both[0]):
        return None
    made = with_ordered_calls(both[0]), both[1]
    return _with_guarded_steps(pool, made, given, index_width) or made


def _without_idle_branches(pool: TermPool, both: Both, given: Sequence[Term], index_width: int) -> Both | None:
    return _if_new(both, (without_idle_branches(pool, both[0]), without_idle_branches(pool, both[1])))


def _with_idle_accesses(pool: TermPool, both: Both, given: Sequence[Term], index_width: int) -> Both | None:
    source, target = (without_idle_branches(pool, f) for f in both)
    wider = without_idle_branches(pool, target, exact=False)
    return None if wider is target else (source, wider)


def _without_look_ups(pool: TermPool, both: Both, given: Sequence[Term], index_width: int) -> Both | None:
    made = without_look_ups(pool, both[0], index_width), without_look_ups(pool, both[1], index_width)
    return _if_new(both, made)


def _with_carried_ranges(pool: TermPool, both: Both, given: Sequence[Term], index_width: int) -> Both | None:
    plain = without_look_ups(pool, both[0], index_width), without_look_ups(pool, both[1], index_width)
    made = with_carried_ranges(pool, plain[0], index_width), with_carried_ranges(pool, plain[1], index_width)
    return _if_new(plain, made)


def _if_new(before: Both, after: Both) -> Both | None:
    """What was made, if anything was."""
    return None if before[0] is after[0] and before[1] is after[1] else after


POSITIVE_DIVISORS: Final = Change(
    "positive-divisors",
    _with_positive_divisors,
    "the source says of no divisor of the target that it is positive",
    converse=False,
)
ASSERTED_VALUES: Final = Change("asserted-values", _with_asserted_values, "no assertion says anything of values")
ASSUMED_ARGUMENTS: Final = Change(
    "assumed-arguments", with_assumed_arguments, "nothing is assumed of a scalar argument"
)
FULL_UNROLLING: Final = Change(
    "full-unrolling", lambda pool, both, given, width: both_unrolled(pool, both, width), "there is no short loop"
)
EXIT_NORMALISATION: Final = Change(
    "exit-normalisation",
    lambda pool, both, given, width: both_threaded(pool, both, width),
    "there is no while, or there are too many ways through one",
)
MODULAR_CONDITIONS: Final = Change(
    "modular-conditions", _with_modular_conditions, "no condition compares computed indices"
)
SYMBOLIC_STEPS: Final = Change("symbolic-steps", _with_guarded_steps, "the step of each loop over indices is known")
ORDERED_CALLS: Final = Change(
    "ordered-calls", _with_ordered_calls, "no parallel loop of the source calls a function", converse=False
)
IDLE_BRANCHES: Final = Change(
    "idle-branches", _without_idle_branches, "no store writes what is there, and no branch avoids only such stores"
)
IDLE_ACCESSES: Final = Change(
    "idle-accesses", _with_idle_accesses, "no branch of the target avoids only stores of what is there", converse=False
)
LOOK_UPS: Final = Change(
    "look-ups", _without_look_ups, "no table is looked up that one loop fills, or that is constant"
)
CARRIED_RANGES: Final = Change("carried-ranges", _with_carried_ranges, "no loop carries an integer within bounds")

CHANGES: Final = (
    POSITIVE_DIVISORS,
    ASSERTED_VALUES,
    ASSUMED_ARGUMENTS,
    FULL_UNROLLING,
    EXIT_NORMALISATION,
    MODULAR_CONDITIONS,
    SYMBOLIC_STEPS,
    ORDERED_CALLS,
    IDLE_BRANCHES,
    IDLE_ACCESSES,
    LOOK_UPS,
    CARRIED_RANGES,
)


def change_named(name: str) -> Change:
    """The change of this name.

    Raises: Rejected where there is none.
    """
    for change in CHANGES:
        if change.name == name:
            return change
    raise Rejected("via", "there is no change of this name")


def changed(change: Change, pool: TermPool, both: Both, given: Sequence[Term], index_width: int) -> Both:
    """Both functions changed; `given` is assumed of the inputs.

    Raises: Rejected where there is nothing to change.
    """
    made = change.make(pool, both, given, index_width)
    if made is None:
        raise Rejected(change.name, change.absent)
    return made

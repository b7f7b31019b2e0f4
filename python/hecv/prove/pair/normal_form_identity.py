"""Whether two long functions have one normal form (`hecv.dataflow.same_normal_form`), or array dataflow shows them
equal without a law, found beside this process.

That takes about as long as to compile and to run them, and neither needs the other.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.dataflow.dataflow_proof import Proved, prove
from hecv.dataflow.pair_model import Pair
from hecv.dataflow.same_normal_form import is_same
from hecv.program.structural_equality import same_program
from hecv.program.tree import Function, Loop, While, walk
from hecv.prove.terms.sat_sweeping import Orders
from hecv.refute.input_generation import dynamic_extents, indexes_by_inputs

BESIDE: Final = "normal-form-beside"
"""The name of the prover."""

FIRST_OPERATIONS: Final = 1_000_000
"""Of isl."""

LONG: Final = 5_000
"""Of functions with fewer terms each, forms are compared in this process: most take a few milliseconds."""


class Formed(Struct, frozen=True):
    """Whether both functions have one form, by which `passes`, and how many loops were `counted` and `rerolled` for it.
    Where the forms differ, how array dataflow `proved` the functions equal all the same, if so."""

    same: bool
    counted: int
    rerolled: int
    passes: tuple[str, ...]
    proved: Proved | None = None


def may_be_formed(functions: tuple[Function, Function], orders: Orders) -> bool:
    """Whether two functions with these terms are long enough, and run on any inputs: of others, isl says on which."""
    if max(map(len, orders)) < LONG or same_program(*functions) or any(map(indexes_by_inputs, functions)):
        return False
    return all(f.known for f in functions) and not dynamic_extents(functions[0])


def formed(pair: Pair, dataflow: bool) -> Formed:
    """How the normal forms of a pair compare, and what `dataflow` shows, where it may be asked."""
    counts = new_loops(pair)
    if is_same(pair):
        return Formed(True, *counts, pair.passes)
    # A pair that calls others has more to be said of it.
    outcome = prove(pair, FIRST_OPERATIONS) if dataflow and not pair.outside else None
    proved = replace(outcome, grounds=None) if isinstance(outcome, Proved) and outcome.converse else None
    return Formed(False, *counts, pair.passes, proved)


def new_loops(pair: Pair) -> tuple[int, int]:
    """How many loops were counted (`hecv.normal.whiles.counted_loops`) and how many re-rolling made, on both sides."""
    counted = rerolled = 0
    for side in (pair.source, pair.target):
        given = {s.id for s in walk(side.function.body) if isinstance(s, Loop)}
        whiles = {s.id for s in walk(side.function.body) if isinstance(s, While)}
        made = [s.id for s in walk(side.body) if isinstance(s, Loop) and s.id not in given]
        counted += sum(number in whiles for number in made)
        rerolled += sum(number not in whiles for number in made)
    return counted, rerolled

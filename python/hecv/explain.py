"""`hecv explain`: what a rule that a verdict names, or an operator, means, from its docstring."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import cleandoc, signature
from typing import Any, Final

from hecv.base.diag import InputError
from hecv.book import entry_of, unknown
from hecv.dialects import OPERATORS
from hecv.dialects.index import SYNONYMS
from hecv.egraph import local, widths, windows
from hecv.elements import prove
from hecv.execute import everywhere
from hecv.graph import asserted, counted, divisors, exits, identity, indexed_rows, reroll, unrolled, whiles
from hecv.poly import equivalence, reductions, sameness
from hecv.replay import turns
from hecv.rules import clamps, fastmath
from hecv.rules.laws import BOOK
from hecv.rules.loops import bands, cells, digits, iteration, jam, marks, order
from hecv.rules.pattern.core import Declaration
from hecv.rules.pattern.operators import DECLARATIONS
from hecv.smt import refine
from hecv.verdict import closed, exhaustive, recursion

DYNAMIC: Final[Mapping[str, Any]] = {
    "loop-array-dataflow": equivalence,
    "loop-count": counted,
    "loop-reroll": reroll,
    "loop-reduction": reductions,
    "identical-programs": identity,
    "same-normal-form": sameness,
    "real-element-normal-form": prove,
    "smt-refinement": refine,
    "smt-window": local,
    "one-width": widths,
    "sweep-window": windows,
    "all-values": everywhere,
    "loop-unroll": iteration.unroll,
    "loop-unrolled-whole": unrolled,
    "while-invariant": closed,
    "while-ways-apart": exits,
    "loop-unroll-full": iteration.unroll_fully,
    "loop-one-trip": iteration.unroll_fully,
    "loop-zero-trip": iteration.unroll_fully,
    "loop-split": iteration.split,
    "loop-join": iteration.join,
    "loop-peel": iteration.peel,
    "loop-strip-mine": iteration.strip_mine,
    "loop-normalise": iteration.normalise,
    "loop-coalesce": bands.coalesce,
    "loop-interchange": bands.interchange,
    "loop-jam": jam.jam,
    "loop-fuse": order.fuse,
    "loop-distribute": order.distribute,
    "loop-once": order.once,
    "loop-digits": digits.split_digits,
    "loop-bounds": iteration.bounded,
    "loop-sequential": marks.sequential,
    "loop-signed": marks.signed,
    "swap": order.swap,
    "cell-forward": cells.forward,
    "cell-last": cells.last,
    "touch-nothing": cells.idle,
    "call-induction": recursion,
    "while-induction": turns,
    "while-bounded": whiles,
    "all-inputs": exhaustive,
    "positive-divisor": divisors,
    "place-in-row": indexed_rows,
    "asserted-condition": asserted,
}
"""What states each rule that is no law: a theorem, or the prover's module."""

LICENSED: Final[Mapping[str, Any]] = {
    fastmath.EXTREMUM: fastmath.extrema,
    clamps.RULE: clamps,
    **{law.name: law.rewrite for law in fastmath.LICENSED},
}
"""What states each rule that flags allow, or that an op leaves open."""


def explain(name: str) -> str:
    """What a rule or an operator means.

    Raises: InputError where there is none of this name.
    """
    stated = DYNAMIC.get(name, LICENSED.get(name))
    if stated is not None:
        return "\n".join([name, *_indented(cleandoc(stated.__doc__ or ""))]) + "\n"
    found = next((law for law in BOOK if law.name == name), None)
    if found is not None:
        law = entry_of(found)
        lines = [*law.lines, *([law.why] if law.why else []), law.proved or "", f"stands in {law.place}"]
        return "\n".join([law.name, *[f"  {line}" for line in lines]]) + "\n"
    declared = DECLARATIONS.get(name)
    if declared is None:
        there = [*DYNAMIC, *LICENSED, *(law.name for law in BOOK), *DECLARATIONS]
        raise InputError(unknown("law, theorem or operator", name, there))
    return "\n".join(_explained(declared)) + "\n"


def _indented(text: str) -> Iterator[str]:
    yield from (f"  {line}".rstrip() for line in text.split("\n"))


def _explained(declared: Declaration) -> Iterator[str]:
    """An operator: its signature, its docstring where it has a meaning here, its families."""
    operator = OPERATORS.get(SYNONYMS.get(declared.name, declared.name))
    operands = ["..."] if declared.arity is None else [f"x{k + 1}" for k in range(declared.arity)]
    if operator is not None:
        operands = list(signature(operator.semantics).parameters)[: declared.arity]
    yield f"{declared.name}({', '.join([*operands, *[f'{name}=' for name in declared.attributes]])})"
    text = cleandoc(operator.semantics.__doc__ or "") if operator is not None else ""
    meaning = text or "no meaning here: the proof takes it for a function of its operands and attributes"
    yield from _indented(meaning)
    if declared.name in SYNONYMS:
        yield f"  It is read as {SYNONYMS[declared.name]}."
    if declared.families:
        yield f"  Families: {', '.join(sorted(declared.families))}."

"""`hecv explain NAME`: print what a name means that a report prints, or an operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import cleandoc, signature
from typing import Any, Final

from hecv.base.diagnostics import InputError
from hecv.book import entry_of, unknown
from hecv.claim import call_induction
from hecv.dataflow import same_normal_form
from hecv.dataflow.induction import wellfounded_induction
from hecv.dataflow.reductions import reduction_equality
from hecv.egraph.normal_forms import integer_narrowing
from hecv.elements import element_prover
from hecv.glossary import NAMES
from hecv.kernel import simulation_check, while_induction_check
from hecv.laws.all_laws import BOOK
from hecv.laws.floats import clamp_expansion, fastmath_licences
from hecv.normal import index_canonical
from hecv.normal.branches import idle_branches
from hecv.normal.loops import carried_ranges, ordered_calls, rerolling, symbolic_steps
from hecv.normal.memory import lookup_tables
from hecv.normal.passes import flat
from hecv.normal.preconditions import assertion_facts, assumed_arguments, in_bounds_rows, positive_divisors
from hecv.normal.summaries import full_unrolling
from hecv.normal.whiles import counted_loops, loop_exits, trip_bound
from hecv.ops import OPERATORS
from hecv.ops.index import SYNONYMS
from hecv.patterns.calculus.operator_names import DECLARATIONS
from hecv.patterns.calculus.pattern_ast import Declaration
from hecv.program import structural_equality
from hecv.prove import exhaustive_runs
from hecv.prove.pair.prover import Prover
from hecv.prove.portfolio import PORTFOLIO, Reading, Search
from hecv.prove.whiles import closed_form
from hecv.report.text_lines import wrapped
from hecv.run.evaluation import exhaustive_evaluation
from hecv.smt import term_refinement
from hecv.sweep import window_prover
from hecv.sweep.cuts import term_windows
from hecv.theorems.transforms import (
    coalesce_interchange,
    fusion_distribution,
    loop_decoalescing,
    loop_marks,
    scalar_stores,
    unroll_and_jam,
    unroll_peel_strip,
)

DYNAMIC: Final[Mapping[str, Any]] = {
    "loop-array-dataflow": wellfounded_induction,
    "loop-count": counted_loops,
    "loop-reroll": rerolling,
    "loop-reduction": reduction_equality,
    "identical-programs": structural_equality,
    "same-normal-form": same_normal_form,
    "real-element-normal-form": element_prover,
    "smt-refinement": term_refinement,
    "smt-window": window_prover,
    "one-width": integer_narrowing,
    "sweep-window": term_windows,
    "all-values": exhaustive_evaluation,
    "loop-unroll": unroll_peel_strip.unroll,
    "loop-unrolled-whole": full_unrolling,
    "while-invariant": closed_form,
    "while-ways-apart": loop_exits,
    "loop-unroll-full": unroll_peel_strip.unroll_fully,
    "loop-one-trip": unroll_peel_strip.unroll_fully,
    "loop-zero-trip": unroll_peel_strip.unroll_fully,
    "loop-split": unroll_peel_strip.split,
    "loop-join": unroll_peel_strip.join,
    "loop-peel": unroll_peel_strip.peel,
    "loop-strip-mine": unroll_peel_strip.strip_mine,
    "loop-normalise": unroll_peel_strip.normalise,
    "loop-coalesce": coalesce_interchange.coalesce,
    "loop-interchange": coalesce_interchange.interchange,
    "loop-jam": unroll_and_jam.jam,
    "loop-fuse": fusion_distribution.fuse,
    "loop-distribute": fusion_distribution.distribute,
    "loop-once": fusion_distribution.once,
    "loop-digits": loop_decoalescing.split_digits,
    "loop-bounds": unroll_peel_strip.bounded,
    "loop-sequential": loop_marks.sequential,
    "loop-signed": loop_marks.signed,
    "swap": fusion_distribution.swap,
    "cell-forward": scalar_stores.forward,
    "cell-last": scalar_stores.last,
    "touch-nothing": scalar_stores.idle,
    "call-induction": call_induction,
    "while-induction": while_induction_check,
    "while-bounded": trip_bound,
    "loop-simulation": simulation_check,
    "all-inputs": exhaustive_runs,
    "positive-divisor": positive_divisors,
    "place-in-row": in_bounds_rows,
    "asserted-condition": assertion_facts,
    "assumed-argument": assumed_arguments,
    "loop-step-guarded": symbolic_steps,
    "loop-calls-ordered": ordered_calls,
    "index-modulo": index_canonical,
    "idle-branch": idle_branches,
    "table-look-up": lookup_tables,
    "carried-range": carried_ranges,
}
"""The theorem, or the prover's module, whose docstring states each rule that is not a law."""

LICENSED: Final[Mapping[str, Any]] = {
    fastmath_licences.EXTREMUM: fastmath_licences.extrema,
    clamp_expansion.RULE: clamp_expansion,
    **{law.name: law.rewrite for law in fastmath_licences.LICENSED},
}
"""The statement of each rule that a flag licenses, or that an op leaves open."""


_KINDS: Final = {Prover: "prover", Search: "search for a counterexample", Reading: "preparation"}

LISTED: Final[Mapping[str, tuple[str, str, str]]] = {
    **{one.name: ("normal-form pass", one.text, "hecv/normal/passes.py") for one in flat()},
    **{step.what.name: (_KINDS[type(step.what)], step.what.text, "hecv/prove/portfolio.py") for step in PORTFOLIO},
}
"""What each pass and step of the two lists is, by the name that reports give."""


def explain(name: str, options: Mapping[str, str] = {}) -> str:
    """The meaning of a name, as text; all meanings, where it has several. `options` are those of the command line, with
    what they mean.

    Raises: InputError for an unknown name.
    """
    found = [*_rules(name), *_listed(name), *_words(name)]
    declared = DECLARATIONS.get(name)
    found += [] if declared is None else ["\n".join(_explained(declared))]
    option = options.get(name, options.get(f"--{name}")) if not found or name in options else None
    found += [] if option is None else ["\n".join([name, *_indented(option)])]
    if not found:
        there = [*DYNAMIC, *LICENSED, *(law.name for law in BOOK), *LISTED, *DECLARATIONS, *NAMES, *options]
        raise InputError(unknown("name that hecv prints, and no operator", name, there))
    return "\n\n".join(found) + "\n"


def _rules(name: str) -> Iterator[str]:
    stated = DYNAMIC.get(name, LICENSED.get(name))
    if stated is not None:
        yield "\n".join([name, *_indented(cleandoc(stated.__doc__ or ""))])
        return
    found = next((law for law in BOOK if law.name == name), None)
    if found is not None:
        law = entry_of(found)
        lines = [*law.lines, *([law.why] if law.why else []), law.proved or "", f"stands in {law.place}"]
        yield "\n".join([law.name, *[f"  {line}" for line in lines]])


def _listed(name: str) -> Iterator[str]:
    if name in LISTED:
        kind, text, module = LISTED[name]
        yield f"{name}\n  {kind}: {text}\n  stands in {module}"


def _words(name: str) -> Iterator[str]:
    meanings = NAMES.get(name.removeprefix("exit "), ())
    if meanings:
        lines = (line for m in meanings for line in wrapped(f"  {m.kind}: ", m.text, 4))
        yield "\n".join([name, *lines])


def _indented(text: str) -> Iterator[str]:
    yield from (f"  {line}".rstrip() for line in text.split("\n"))


def _explained(declared: Declaration) -> Iterator[str]:
    """The text on an operator: signature, docstring if it has semantics here, families."""
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

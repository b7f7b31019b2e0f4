"""The verdict on two models from the relation of their graphs: report, assumptions, and the ops that differ."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from hecv.base.diagnostics import Diagnostic, Location
from hecv.base.types import FloatType, IntType, MemRefType, ScalarType
from hecv.base.value import Buffer
from hecv.claim.result import (
    Assumption,
    Binding,
    Counterexample,
    FunctionReport,
    Localization,
    ModelPairs,
    ModelRule,
    Place,
    Trap,
    Unknown,
)
from hecv.parameters.captured_model import CapturedGraph
from hecv.parameters.parameter_relation import Own, Ref, text_of
from hecv.relate.graph_relation import GraphRelation
from hecv.relate.graphs.cones import computes_integers
from hecv.relate.graphs.failing_lookup import FailingLookup
from hecv.relate.graphs.graph_index import GraphIndex
from hecv.relate.graphs.lookups import FILLED, IN_RANGE, IN_TABLE, lookups_of
from hecv.relate.pair_proofs import OPAQUE
from hecv.relate.rule_library import fired_rules
from hecv.relate.state.leaf_relation import SCALES
from hecv.tensors.tensor_graph import Node, SourceLine, TensorGraph, TensorType

MOST_NAMED: Final = 20
"""Names, at most, that an assumption lists."""

_NO_NAME: Final = re.compile(r"[^a-z0-9]+")
_NUMBER: Final = re.compile(r"\.(\d+)\.")

ASSUMED: Final = {
    "finite elements": "elements of tensors are finite",
    "nonzero divisor": "divisors are not zero",
    "literals equal": "literals that differ by at most 1e-9, relative, are equal",
    "large negative = -inf": "large negative literals stand for minus infinity",
    "nonnegative under a root": "what roots are taken of is not negative",
    "positive argument of log": "what logarithms are taken of is positive",
    "exp(-inf) = 0": "exp(-inf) is 0",
    "nonempty maximum": "of what a maximum is taken there is at least one element",
    IN_RANGE: "indices that the source does not look up are within the tables that the target looks them up in",
    OPAQUE: "ops without a definition give equal results for equal operands",
}
"""What proofs assume, by its kind (`hecv.tensors.algebra`)."""

_CAPTURES: Final = {"torch": "torch.export records", "jax": "JAX lowers to in StableHLO"}


def model_verdict(
    name: str,
    found: GraphRelation,
    models: tuple[CapturedGraph, CapturedGraph],
    seconds: float,
    known: Collection[str] = (),
) -> FunctionReport:
    """The report on one pair of models; `known` are the keys of the rules that a library has."""
    graphs, leaves = (models[0].graph, models[1].graph), found.leaves
    counterexample = _counterexample(found, graphs) if found.verdict == "not-equivalent" else None
    return FunctionReport(
        name,
        found.verdict,
        seconds,
        "proved" if found.verdict == "equivalent" else None,
        engine="relation" if found.verdict == "equivalent" else None,
        assumptions=tuple(_assumptions(found, models)),
        runs=len(SCALES) * found.ways,
        unknown=_unknown(found) if found.verdict == "unknown" else None,
        counterexample=counterexample,
        localization=_localization(found),
        notes=tuple(_notes(found)),
        conditions=tuple(map(str, found.sizes)),
        models=ModelPairs(
            found.layers,
            found.nodes,
            found.candidates,
            found.proved,
            tuple(found.methods.items()),
            tuple((n, text_of(e)) for n, e in leaves.parameters.items()),
            tuple(
                ModelRule(r.name, r.kind, r.evidence, r.rule.statement, tuple(r.fired.items()), r.rule.key in known)
                for r in fired_rules(found.fired, *graphs)
            ),
        ),
        phases=found.phases,
        diagnostics=tuple(_warnings(found)),
    )


def failing_verdict(
    name: str, found: FailingLookup, graphs: tuple[TensorGraph, TensorGraph], seconds: float
) -> FunctionReport:
    """The report on a target that looks up what is out of range where the source runs."""
    lookup, source = found.lookup, graphs[0]
    place = _place(lookup.node)
    text = f"index {found.value} is out of range: {_op(lookup.node)} reads a dimension of size {lookup.extent}"
    inputs = tuple(_binding(x.name, x.type, found.inputs[x.name]) for x in source.leaves if x.kind == "input")
    trap = Trap(text, None if place is None else place.location)
    return FunctionReport(
        name,
        "not-equivalent",
        seconds,
        runs=1,
        counterexample=Counterexample(
            "undefined-behavior", inputs, _results(source, found.results), trap, ("torch",), text
        ),
        localization=Localization(None, place, text),
    )


def _notes(found: GraphRelation) -> Iterator[str]:
    if found.sizes:
        every = f"for every {', every '.join(map(str, found.sizes))}"
        at = ", ".join(f"{symbol.called} = {found.at[symbol.name]}" for symbol in found.sizes)
        yield f"at {at}, {every} asked for" if found.verdict == "not-equivalent" else every
    layers = f"{found.layers} layers, " if found.layers > 1 else ""
    proved = f", {found.proved} proved" if found.verdict != "not-equivalent" else ""
    yield f"{layers}{found.nodes[0]} and {found.nodes[1]} ops, {found.candidates} pairs of equal values{proved}"
    yield ", ".join(f"{phase} {seconds:.1f} s" for phase, seconds in found.phases)
    if found.mismatch is not None and found.mismatch.reads:
        yield f"nothing of the source is known to be what that op reads: {', '.join(found.mismatch.reads)}"
    if found.verdict == "not-equivalent" and found.leaves.fresh:
        yield f"parameters whose values repeat were given others for the run: {_listed(found.leaves.fresh)}"


def _warnings(found: GraphRelation) -> Iterator[Diagnostic]:
    if found.leaves.unused:
        text = f"no parameter of the target is made of these of the source: {', '.join(found.leaves.unused)}"
        yield Diagnostic("warning", "parameter-unused", text)
    if found.undefined:
        text = f"NaN is among the elements of {', '.join(found.undefined)} in both models' runs"
        hint = "a verdict on a function that is undefined says little: see the assumptions about logarithms and roots"
        yield Diagnostic("warning", "result-undefined", text, help=hint)


# Assumptions


def _assumptions(found: GraphRelation, models: tuple[CapturedGraph, CapturedGraph]) -> Iterator[Assumption]:
    yield Assumption("floats-real", "floats are real numbers: neither rounding nor overflow is compared", "--fp")
    ops = sum(computes_integers(GraphIndex(model.graph)) for model in models)
    if ops:
        yield Assumption("integers-exact", f"integers of 32 and 64 bits do not overflow ({ops} ops)", None)
    leaves = found.leaves
    state = {n: e for n, e in leaves.parameters.items() if n not in leaves.rounded}
    same = [n for n, e in state.items() if e == Ref(n)]
    if same:
        same = list(dict.fromkeys(map(_of_layers, same)))
        yield Assumption("inputs-related", f"parameters of one name are equal: {_listed(same)}", "--inputs")
    made: dict[str, list[str]] = {}
    for name, expression in state.items():
        if expression != Ref(name) and not isinstance(expression, Own):
            text = f"{name} = {text_of(expression)}"
            made.setdefault(_of_layers(text), []).append(text)
    if made:
        shown = [texts[0] if len(texts) == 1 else f"{text} ({len(texts)} times)" for text, texts in made.items()]
        text = f"parameters are related: {_listed(shown, '; ')}"
        yield Assumption("inputs-related", text, "--inputs")
    if leaves.kept:
        yield Assumption(
            "buffers-constant", f"buffers keep the values that they have: {_listed(leaves.kept)}", "--inputs"
        )
    for table in leaves.tables:
        text = (
            f"`{table.name}` of the {table.side} is {table.form.text}, from which what is stored differs by at most "
            f"{table.form.deviation:.1e}"
        )
        yield Assumption("table-sampled", text, "--inputs")
    if leaves.rounded:
        text = f"buffers are equal that differ by the rounding of their storage: {_listed(leaves.rounded)}"
        yield Assumption("buffers-rounded", text, "--inputs")
    if found.lowest:
        text = f"the least finite number in masks ({found.lowest}) stands for minus infinity"
        yield Assumption("mask-infinite", text, None)
    for name, count in found.assumed.items():
        yield Assumption(assumption_name(name), f"{ASSUMED.get(name, name)} ({count} uses)", None)
    literals = list(dict.fromkeys(text for model in models for text in model.literals))
    if literals:
        text = f"literals stand for the numbers that were rounded to them: {_listed(literals)}"
        yield Assumption("literals-exact", text, None)
    if any(m.framework == "jax" and lookups_of(GraphIndex(m.graph)) for m in models):
        yield Assumption(IN_TABLE, FILLED, None)
    how = " and ".join(dict.fromkeys(_CAPTURES[model.framework] for model in models))
    text = f"the ops that {how} are what the models compute, by definitions that were compared with torch"
    yield Assumption("capture-trusted", text, None)


def assumption_name(kind: str) -> str:
    """The name in reports of what proofs assume of this kind."""
    return _NO_NAME.sub("-", kind).strip("-")


def _of_layers(text: str) -> str:
    """A relation without the numbers of layers, if there is one number alone."""
    numbers = set(_NUMBER.findall(text))
    return _NUMBER.sub(".*.", text) if len(numbers) == 1 else text


def _listed(names: Sequence[str], separator: str = ", ") -> str:
    shown = names[:MOST_NAMED]
    more = len(names) - len(shown)
    return separator.join([*shown, f"and {more} more"] if more > 0 else shown)


# Where they differ


def _unknown(found: GraphRelation) -> Unknown:
    place = found.place[1] or found.place[0]
    location = None if place is None else location_of(place)
    if found.difference is not None:
        text = (
            f"the outputs differ by {found.difference.relative:.1e}, relative: more than by rounding in f64, but the "
            "rounding of stored tables may explain it"
        )
        return Unknown("no-proof", text, location)
    assert found.unproved is not None
    pair = found.unproved.pair
    text = f"{_value(pair.source)} of the source and {_value(pair.target)} of the target: {found.unproved.gap}"
    return Unknown("no-proof", text, location)


def _value(name: str) -> str:
    return f"`{name.removeprefix('%')}`"


def _localization(found: GraphRelation) -> Localization | None:
    if found.mismatch is None:
        return None
    target, path = found.mismatch.target, found.place[1].path if found.place[1] else ""
    if target is None:
        return None
    where = f" in `{path}`" if path else ""
    because = f"{_op(target)}{where}: the source has its operands, and no value that equals its result"
    if found.mismatch.constants is not None:
        ours, theirs = found.mismatch.constants
        because = f"{_op(target)}{where}, of constants: {theirs:.7g} where the source has {ours:.7g}"
    return Localization(_place(found.mismatch.source), _place(target), because)


def _op(node: Node) -> str:
    return f"`{node.op.removesuffix('.default')}`"


def _place(node: Node | None) -> Place | None:
    if node is None or node.place is None:
        return None
    return Place(location_of(node.place), node.op.removesuffix(".default"))


def location_of(place: SourceLine) -> Location:
    """The line with the column where its text begins."""
    column = 1
    try:
        with open(place.file, encoding="utf-8") as file:
            line = next((text for k, text in enumerate(file, 1) if k == place.line), "")
            column += len(line) - len(line.lstrip())
    except (OSError, UnicodeDecodeError):
        pass
    return Location(place.file, place.line, column)


def _counterexample(found: GraphRelation, graphs: tuple[TensorGraph, TensorGraph]) -> Counterexample:
    source = graphs[0]
    inputs = tuple(_binding(x.name, x.type, found.inputs[x.name]) for x in source.leaves if x.kind == "input")
    sides = [_results(graph, results) for graph, results in zip(graphs, found.results, strict=True)]
    assert found.difference is not None
    worst = found.difference
    name = source.outputs[worst.output][0]
    text = f"{name} differs: the source has {worst.source:.7g} where the target has {worst.target:.7g}"
    return Counterexample("value", inputs, sides[0], sides[1], ("torch",), text)


def _results(graph: TensorGraph, values: Mapping[str, Any]) -> tuple[Binding, ...]:
    types = {name: kind for node in graph.nodes for name, kind in zip(node.results, node.types, strict=True)}
    types |= {x.name: x.type for x in graph.leaves}
    return tuple(_binding(name, types[ref.name], values[ref.name]) for name, ref in graph.outputs)


def _binding(name: str, kind: TensorType, array: Any) -> Binding:
    element = _element(kind.element)
    values: list[Any] = array.reshape(-1).tolist()
    if isinstance(element, IntType):
        values = [int(v) % (1 << element.width) for v in values]
    text = f"tensor<{kind}>"
    return Binding(name, name, MemRefType(kind.shape, element), Buffer(kind.shape, values), text)


def _element(name: str) -> ScalarType:
    width = re.fullmatch(r"i(\d+)", name)
    return IntType(int(width[1])) if width else FloatType("f64" if name.startswith(("f", "bf")) else name)

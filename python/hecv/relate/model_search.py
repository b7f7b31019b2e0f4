"""The search for pairs of equal values in two graphs: both are run, pairs are proved, and where outputs differ the
first op is located (EMERGE, Algorithm 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from time import perf_counter
from typing import Any, Final, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from hecv.capture.value_process import Request
from hecv.parameters.parameter_relation import Expression, names_in
from hecv.relate.candidate_pairs import Candidate, computed_values, find_candidates
from hecv.relate.cone_rules import ConeRules
from hecv.relate.graph_relation import (
    Arrays,
    GraphRelation,
    Run,
    SearchOptions,
    UnmatchedParameters,
    Values,
)
from hecv.relate.graphs.cones import Cones
from hecv.relate.graphs.graph_index import GraphIndex, repeated_blocks
from hecv.relate.graphs.layouts import identity
from hecv.relate.graphs.lookups import (
    IN_RANGE,
    Lookup,
    all_lookups,
    in_range,
    input_ranges,
    is_same,
    lookups_of,
    settle,
)
from hecv.relate.mismatch import (
    ABOVE_STORAGE,
    JITTER,
    PLAIN,
    ROUNDING,
    OutputDifference,
    Shared,
    largest_difference,
    locate_mismatch,
    on_both_sides,
    other_values,
    without_rounding,
)
from hecv.relate.obligations import Obligations
from hecv.relate.pair_proofs import PairProofs, Unproved
from hecv.relate.state.input_sets import CONFIRMING, LARGE, RANDOM, Draw, input_sets, of_size, on_boundaries
from hecv.relate.state.leaf_relation import SCALES, TARGET, relate_leaves
from hecv.relate.state.state_matching import value_of
from hecv.tensors.algebra.leaf_facts import LeafFact, fact_of_array
from hecv.tensors.comprehension import Comprehension, leaf
from hecv.tensors.index_terms import Index
from hecv.tensors.tensor_graph import Node, Scaled, SourceLine

_PERTURBED: Final = 2.0**-22
"""Change of stored tables, relative to their largest element, that shows what their rounding makes of the outputs. In a
row p it is p + 1 times as large: angles are rounded, too."""


class AllSizes(Struct, frozen=True):
    """Two graphs with `Size`s for their symbols, and the index variables of these."""

    source: GraphIndex
    target: GraphIndex
    variables: tuple[Index, ...]


class NotANumber(Exception):
    """An output of a run is NaN."""


class Clock:
    """Seconds by phase."""

    def __init__(self) -> None:
        self.phases: dict[str, float] = {}
        self._started = perf_counter()

    def end(self, phase: str) -> None:
        now = perf_counter()
        self.phases[phase] = self.phases.get(phase, 0.0) + now - self._started
        self._started = now


class ModelSearch:
    def __init__(
        self,
        source: GraphIndex,
        target: GraphIndex,
        given: Mapping[str, Expression],
        run: Run,
        deadline: float,
        clock: Clock,
        search: SearchOptions,
        scales: tuple[float, ...] = SCALES,
        draw: Draw = RANDOM,
        every: AllSizes | None = None,
    ) -> None:
        self._every: Final = every
        self._given: Final = given
        self._search: Final = search
        self._scales: Final = scales
        self._draw: Final = draw
        self._source: Final = source
        self._target: Final = target
        self._run: Final = run
        self._deadline: Final = deadline
        self._clock: Final = clock
        self._undefined: tuple[str, ...] = ()
        self._leaves: Final = relate_leaves(source, target, given)
        if self._leaves.unmatched:
            raise UnmatchedParameters(self._leaves.unmatched)
        self._computed: Final = tuple(computed_values(index, search.computing) for index in (source, target))
        self._outputs: Final = [
            (a.name, b.name) for (_, a), (_, b) in zip(source.graph.outputs, target.graph.outputs, strict=True)
        ]
        self._lookups: Final = lookups_of(source), lookups_of(target)
        self._inputs: Final = input_sets(source, range(len(scales)), draw)
        names = {b: a for a, b in zip(*map(_inputs_of, (source, target)), strict=True)}
        mine, other = self._sides()
        theirs = {names[name]: span for name, span in input_ranges(other).items() if name in names}
        self._ranges: Final = input_ranges(mine), theirs
        self._clock.end("parameters")

    def refutation(self, values: Values, numbers: bool) -> GraphRelation | None:
        """The verdict if outputs differ plainly.

        Raises: NotANumber if an output is no number, although `numbers` are expected.
        """
        self._require_numbers(values, numbers)
        found = self._compared(
            values, find_candidates(self._computed[1], self._computed[0], values[1], values[0])[1], 0
        )
        return found if found is not None and found.verdict == "not-equivalent" else None

    def _require_numbers(self, values: Values, numbers: bool) -> None:
        for side, found in enumerate(values):
            if numbers and any(np.isnan(v[pair[side]]).any() for v in found for pair in self._outputs):
                raise NotANumber
        self._undefined = tuple(
            name for name, ref in self._source.graph.outputs if any(np.isnan(v[ref.name]).any() for v in values[0])
        )
        self._clock.end("values")

    def decide(self, values: Values, numbers: bool = True) -> GraphRelation:
        """The verdict, given the values of both sides in each input set.

        Raises: NotANumber if an output is no number, although `numbers` are expected.
        """
        self._require_numbers(values, numbers)
        sources, targets = values
        names = self._computed[1], self._computed[0]
        candidates, alike = find_candidates(*names, targets, sources, self._search.moments)
        self._clock.end("matching")
        differing = self._compared((sources, targets), alike, len(candidates))
        if differing is not None:
            return differing
        proofs = self._proofs(self._ranges)
        for candidate in candidates:
            proofs.prove(candidate)
        gaps = [proofs.prove_output(*pair) for pair in self._outputs]
        self._clock.end("proof")
        if any(gaps):
            return self._on_other_inputs() or self._unknown(proofs, gaps, len(candidates))
        beyond = self._look_up(proofs, candidates, (sources[0], targets[0]))
        self._clock.end("proof")
        if beyond is not None:
            return self._out_of_range(proofs, beyond, len(candidates))
        return self._report("equivalent", len(candidates), proofs)

    def _compared(self, values: Values, alike: Mapping[str, str], candidates: int) -> GraphRelation | None:
        """The verdict if outputs differ by more than rounding."""
        differences = largest_difference(*values, self._outputs)
        if not any(d.relative > ROUNDING for d in differences):
            return None
        worst = max(differences, key=lambda d: d.relative)
        plain, shared = False, Shared(alike)
        if worst.relative > PLAIN:
            again, noise = self._once_more(worst, values)
            differences = largest_difference(again[:1], again[1:], self._outputs)
            confirmed = bool(differences) and differences[0].relative > PLAIN
            plain = confirmed and worst.relative > ABOVE_STORAGE * noise
            shared = self._shared_values(alike, again)
        self._clock.end("values")
        return self._differing(worst, plain, shared, values, candidates)

    def _on_other_inputs(self) -> GraphRelation | None:
        """A refutation on large inputs, or on numbers at which conditions change, if all outputs are finite there."""
        for draw in (of_size(LARGE), on_boundaries((self._source.graph, self._target.graph))):
            if perf_counter() > self._deadline:
                break
            other = ModelSearch(
                self._source,
                self._target,
                self._given,
                self._run,
                self._deadline,
                self._clock,
                self._search,
                (1.0,),
                draw,
            )
            found = other._differing_outputs()
            if found is not None and found.verdict == "not-equivalent":
                return found
        return None

    def _differing_outputs(self) -> GraphRelation | None:
        values = self.run()
        outputs = [found[pair[side]] for side in range(2) for found in values[side] for pair in self._outputs]
        if not all(np.isfinite(output).all() for output in outputs):
            return None
        candidates, alike = find_candidates(self._computed[1], self._computed[0], values[1], values[0])
        return self._compared(values, alike, len(candidates))

    def _look_up(
        self, proofs: PairProofs, candidates: Sequence[Candidate], values: tuple[Arrays, Arrays]
    ) -> Lookup | None:
        """A look-up of the target that may be out of range where none of the source is: by what the source's look-ups
        say alone, while proofs suppose that those of the target are in range too.

        They are settled in topological order. What comes before one depends on look-ups alone that are settled, so
        that pairs before it may be proved again for it, without that supposition.
        """
        source, target = self._sides()
        cones, facts = Cones(target, self._tensors(1)), self._facts(self._ranges[:1])
        shown, makers, proved = self._proofs(self._ranges[:1]), self._target.makers, 0
        if self._every is not None:
            obligations, known = self._obligations(self._ranges[:1]), tuple(all_lookups(source))
            for lookup in all_lookups(target):
                if not in_range(lookup, cones, facts, self._every.variables, obligations.proves) and not any(
                    is_same(lookup, x, target, source) and not shown.prove_output(x.index, lookup.index) for x in known
                ):
                    return lookup
            return None
        for lookup in self._lookups[1]:
            found = settle(lookup, self._lookups[0], cones, facts, values, shown.prove_output)
            if found == "open" and lookup.index in makers:
                while proved < len(candidates) and makers[candidates[proved].target] < makers[lookup.index]:
                    shown.prove(candidates[proved])
                    proved += 1
                found = settle(lookup, self._lookups[0], cones, facts, values, shown.prove_output)
            if found == "open":
                return lookup
            if found == "assumed":
                proofs.assumed[IN_RANGE] += 1
        for kind, count in shown.assumed.items():
            proofs.assumed.setdefault(kind, count)
        return None

    def _once_more(
        self, worst: OutputDifference, values: tuple[Sequence[Arrays], Sequence[Arrays]]
    ) -> tuple[tuple[Arrays, Arrays], float]:
        """The outputs on other inputs, with integers, booleans and constants; and how much the outputs change,
        relative, by rounding alone (`_roundings`)."""
        confirming: list[Request] = []
        for side, index in enumerate((self._source, self._target)):
            wanted = list(dict.fromkeys([*(pair[side] for pair in self._outputs), *other_values(index)]))
            once_more = input_sets(self._source, (CONFIRMING,), self._draw)
            inputs = self._sets(side, once_more, (self._scales[worst.number],))
            confirming.append(Request(index.graph, self._shared(side), inputs, wanted))
        changed = list(self._roundings(worst.number))
        (ours,), (theirs,), *rounded = self._run([*confirming, *(request for _, _, request in changed)])
        found = [
            difference.relative
            for (side, number, _), after in zip(changed, rounded, strict=True)
            for difference in largest_difference(
                values[side][number : number + 1], after, [(pair[side], pair[side]) for pair in self._outputs]
            )
        ]
        return (ours, theirs), max(found, default=0.0)

    def _roundings(self, number: int) -> Iterator[tuple[int, int, Request]]:
        """The side, the input set, and a run of it in which something changes by more than its rounding: all that ops
        compute in f64, much where large numbers cancel, or a number that is rounded down is an integer but for
        rounding; and what one side alone stores."""
        outputs = [[pair[side] for pair in self._outputs] for side in range(2)]
        for side in range(2):
            graph, shared = self._side(side)[0].graph, self._shared(side)
            inputs = self._sets(side, self._inputs[number : number + 1], self._scales[number : number + 1])
            for jitter in (JITTER, -JITTER):
                yield side, number, Request(graph, shared, inputs, outputs[side], jitter)
        for side in range(2):
            index, shared = self._side(side)[0], self._shared(side)
            random, related = np.random.default_rng(side), self._leaves.related()[side]
            alone = [
                x.name
                for x in index.graph.leaves
                if x.kind in ("buffer", "constant") and x.type.element in ("f32", "bf16", "f16")
                if x.name not in related and x.name in index.live
            ]
            if alone:
                shared |= {name: _perturbed(shared[name], random) for name in alone}
                inputs = self._sets(side, self._inputs[:1], self._scales[:1])
                yield side, 0, Request(index.graph, shared, inputs, outputs[side])

    def _shared_values(self, alike: Mapping[str, str], again: tuple[Arrays, Arrays]) -> Shared:
        """What both sides have in a run."""
        values = [
            {name: found[name] for name in other_values(index)}
            for index, found in zip((self._source, self._target), again, strict=True)
        ]
        return Shared(alike, (values[0], values[1]), on_both_sides(*values))

    # Values

    def requests(self) -> list[Request]:
        """The runs of both sides that `decide` is given."""
        return [
            Request(index.graph, self._shared(side), self._sets(side), self._wanted(side))
            for side, index in enumerate((self._source, self._target))
        ]

    def run(self) -> Values:
        sources, targets = self._run(self.requests())
        return sources, targets

    def _shared(self, side: int) -> dict[str, Any]:
        index, arrays = self._side(side)
        return {x.name: arrays[x.name] for x in index.graph.leaves if x.kind != "input"}

    def _side(self, side: int) -> tuple[GraphIndex, Arrays]:
        if side == 0:
            return self._source, self._leaves.source_arrays
        return self._target, self._leaves.target_arrays

    def _sets(
        self, side: int, inputs: Sequence[Arrays] | None = None, scales: Sequence[float] = ()
    ) -> list[dict[str, Any]]:
        """The leaves of one side in each input set: inputs, and the source's parameters where they are scaled, with
        what the target has of these."""
        pairs = list(zip(_inputs_of(self._source), _inputs_of(self._side(side)[0]), strict=True))
        given = [{b: values[a] for a, b in pairs} for values in inputs or self._inputs]
        return [
            values if scale == 1 else {**values, **self._scaled(side, scale)}
            for values, scale in zip(given, scales or self._scales, strict=True)
        ]

    def _scaled(self, side: int, scale: float) -> Arrays:
        arrays, kinds = self._leaves.source_arrays, {x.name: x.kind for x in self._target.graph.leaves}
        scaled = {x.name for x in self._source.graph.leaves if x.kind == "parameter" and "f" in x.type.element}
        if side == 0:
            return {name: Scaled(arrays[name], scale) for name in scaled}

        def made(name: str, expression: Expression) -> Any:
            over = frozenset(names_in(expression))
            if over <= scaled and kinds[name] == "parameter":  # expressions are linear
                return Scaled(self._leaves.target_arrays[name], scale)
            return value_of(expression, {n: arrays[n] * (scale if n in scaled else 1) for n in over})

        related = self._leaves.parameters.items()
        return {n: made(n, e) for n, e in related if n in kinds and scaled & set(names_in(e))}

    def _wanted(self, side: int) -> list[str]:
        lookups = self._lookups[side] if self._every is None else all_lookups(self._side(side)[0])
        names = [*self._computed[side], *(x.index for x in lookups)]
        return list(dict.fromkeys([*names, *(pair[side] for pair in self._outputs)]))

    # Verdicts

    def _proofs(self, ranges: Sequence[Mapping[str, tuple[int, int]]]) -> PairProofs:
        source, target = (
            (index, Cones(index, self._tensors(side), None, self._deadline)) for side, index in enumerate(self._sides())
        )
        facts, options = self._facts(ranges), (self._search.known, self._search.cuts)
        prove = Obligations(facts, self._deadline, self._search.reuse, self._every is not None).prove
        if self._every is not None:  # rules are of numbers
            return PairProofs(source, target, prove, self._deadline, self._every.variables, cuts=self._search.cuts)
        rules = ConeRules(self._source, self._target, self._leaves, facts)
        return PairProofs(source, target, prove, self._deadline, (), rules.rule_of, *options)

    def _obligations(self, ranges: Sequence[Mapping[str, tuple[int, int]]]) -> Obligations:
        return Obligations(self._facts(ranges), self._deadline, sizes=self._every is not None)

    def _sides(self) -> tuple[GraphIndex, GraphIndex]:
        """The graphs that proofs are about."""
        return (self._source, self._target) if self._every is None else (self._every.source, self._every.target)

    def _tensors(self, side: int) -> Mapping[str, Comprehension]:
        """The leaves of one side in proofs."""
        found = (self._leaves.source, self._leaves.target)[side]
        if self._every is None:
            return found
        own = [x for x in self._every.source.graph.leaves if x.kind == "input"]
        pairs = zip(_inputs_of(self._side(side)[0]), own, strict=True)
        return {**found, **{name: leaf(x.name, x.type.shape, x.type.element) for name, x in pairs}}

    def _facts(self, ranges: Sequence[Mapping[str, tuple[int, int]]]) -> dict[str, LeafFact]:
        """What is known of leaves that keep their values, and of inputs that are indices, from their ranges."""
        found: dict[str, LeafFact] = {}
        for side in range(2):
            index, arrays = self._side(side)
            for x in index.graph.leaves:
                if x.name in self._leaves.kept:
                    name = x.name if side == 0 else f"{TARGET}{x.name}"
                    found[name] = _fact(arrays[x.name])
        for name in {name for each in ranges for name in each}:
            spans = [each[name] for each in ranges if name in each]
            found[name] = LeafFact(integers=(max(s[0] for s in spans), min(s[1] for s in spans)))
        return found

    def _report(
        self, verdict: Literal["equivalent", "not-equivalent", "unknown"], candidates: int, proofs: PairProofs | None
    ) -> GraphRelation:
        return GraphRelation(
            verdict,
            self._leaves,
            repeated_blocks(self._target.graph),
            (len(self._source.graph.nodes), len(self._target.graph.nodes)),
            candidates,
            len(proofs.proved) if proofs else 0,
            proofs.methods if proofs else {},
            proofs.assumed if proofs else {},
            0,
            tuple(self._clock.phases.items()),
            undefined=() if verdict == "not-equivalent" else self._undefined,
            fired=tuple(proofs.fired) if proofs else (),
        )

    def _differing(
        self,
        worst: OutputDifference,
        plain: bool,
        shared: Shared,
        values: tuple[Sequence[Arrays], Sequence[Arrays]],
        candidates: int,
    ) -> GraphRelation:
        """Outputs that differ: a refutation if they differ plainly."""
        outputs = self._outputs[worst.output]
        mismatch = locate_mismatch(self._source, self._target, outputs, shared, self._leaves.kept)
        ours, theirs = (side[worst.number] for side in values)
        results = (
            {a: ours[a] for a, _ in self._outputs},
            {b: without_rounding(ours[a], theirs[b]) for a, b in self._outputs},
        )
        return replace(
            self._report("not-equivalent" if plain else "unknown", candidates, None),
            mismatch=mismatch,
            difference=worst,
            place=(_line(mismatch.source), _line(mismatch.target)),
            inputs=self._inputs[worst.number],
            results=results,
        )

    def _out_of_range(self, proofs: PairProofs, beyond: Lookup, candidates: int) -> GraphRelation:
        source, target = self._outputs[0]
        gap = (
            f"`{beyond.index.removeprefix('%')}`, an index of `{beyond.node.op.removesuffix('.default')}`, may be out "
            f"of the range of {beyond.extent} where the source's look-up of it is not"
        )
        pair = Candidate(target, source, identity(self._target.type_of(target).shape))
        report = self._report("unknown", candidates, proofs)
        return replace(report, unproved=Unproved(pair, gap), place=(None, _line(beyond.node)))

    def _unknown(self, proofs: PairProofs, gaps: Sequence[str], candidates: int) -> GraphRelation:
        """The first pair without a proof, or else the first output."""
        k = next(k for k, gap in enumerate(gaps) if gap)
        source, target = self._outputs[k]
        shape = self._target.type_of(target).shape
        output = Unproved(Candidate(target, source, identity(shape)), gaps[k])
        first = proofs.unproved[0] if proofs.unproved else output
        places = _line(self._source.node_of(first.pair.source)), _line(self._target.node_of(first.pair.target))
        return replace(self._report("unknown", candidates, proofs), unproved=first, place=places)


def _inputs_of(index: GraphIndex) -> list[str]:
    return [x.name for x in index.graph.leaves if x.kind == "input"]


def _perturbed(array: Any, random: np.random.Generator) -> Any:
    rows = np.arange(1.0, 1 + max(array.shape, default=1))
    longest = int(np.argmax(array.shape)) if array.ndim else 0
    growing = rows.reshape([-1 if d == longest else 1 for d in range(array.ndim)]) if array.ndim else 1.0
    largest = np.abs(array).max(initial=0.0, where=np.isfinite(array))
    return array + _PERTURBED * largest * growing * random.uniform(-1, 1, array.shape)


def _fact(array: Any) -> LeafFact:
    """What is known of a leaf that keeps its value."""
    if array.dtype.kind == "f":
        return LeafFact(finite=bool(np.isfinite(array).all()), sizes=array.shape)
    return fact_of_array(array)


def _line(node: Node | None) -> SourceLine | None:
    return None if node is None else node.place

"""`hecv refine`: does a distributed program refine the sequential model (GraphGuard)?

capture the sequential program and each rank's  ->  all ranks as one graph  ->  relate the given tensors  ->  run both
->  relate every sequential value to tensors of the ranks  ->  prove a clean expression for each output
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any, Final, Literal, cast

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic, InputError, Location, Unsupported
from hecv.capture.capture_process import parse_spec
from hecv.capture.rank_process import capture_ranks, capture_sequential
from hecv.capture.value_process import Request, run_graphs
from hecv.process.worker_main import COLLECTIONS, searched_at
from hecv.refine.clean_expressions import Expression, Tensor, Unclean, array_of, choices, tensors_in
from hecv.refine.derived_laws import LawUse
from hecv.refine.expression_text import code_of, text_of
from hecv.refine.given_tensors import GivenTensors, given_at, relate_given, sizes_text, values_at
from hecv.refine.inference import Inference
from hecv.refine.joined_graph import Deadlock, Joined
from hecv.refine.rank_candidates import Candidates
from hecv.refine.rank_lookups import open_lookup
from hecv.refine.relation_file import RelationFile, read_relation
from hecv.refine.sized_programs import Programs, at_all_sizes, at_example, at_some_sizes, stated_sizes
from hecv.refine.stated_relation import with_stated
from hecv.relate.graphs.cones import Cones, defined
from hecv.relate.graphs.graph_index import GraphIndex
from hecv.relate.graphs.lookups import IN_TABLE, Lookup, input_ranges, lookups_of
from hecv.relate.graphs.opaque_ops import OpaqueOps
from hecv.relate.obligations import Obligations
from hecv.tensors.algebra.leaf_facts import LeafFact
from hecv.tensors.comprehension import Comprehension, leaf
from hecv.tensors.definitions.op_definition import is_integer
from hecv.tensors.definitions.user_definitions import user_definitions
from hecv.tensors.graph_values import operands_of
from hecv.tensors.index_terms import Index, Undefined
from hecv.tensors.tensor_graph import Leaf, Node, Ref, SourceLine, Symbols, TensorGraph
from hecv.tensors.term_values import evaluate

Verdict = Literal["refines", "not-equivalent", "unknown"]
ORDER: Final[tuple[Verdict, ...]] = ("refines", "unknown", "not-equivalent")
"""From best to worst."""

PLAIN: Final = 1e-6
"""Relative difference from which on values on a run are taken as different."""

ROUNDING: Final = 1e-12
"""What rounding in f64 leaves, relative to the largest value that a run computes on the way (below `LARGEST`)."""

LARGEST: Final = 1e6
"""Numbers from here on are taken for those of masks."""

Progress = Callable[[str, float], None]


class Settings(Struct, frozen=True):
    """Limits of one refinement: seconds for the decision (capture does not count), megabytes of each child; and where
    torch runs the programs."""

    seconds: float = 120.0
    megabytes: int = 16_000
    capture_seconds: float = 600.0
    device: str = "cpu"


class Blocked(Struct, frozen=True):
    """The first op without a relation, and the relations of what it reads; or, where all ops have one, the op of the
    ranks that makes what they return (`returned`), and the relation that `inputs` has of the sequential output; or the
    op of a rank that may look up beyond its table (`looks_up`)."""

    op: str
    place: SourceLine | None
    inputs: tuple[tuple[str, str], ...]
    why: str = ""
    returned: bool = False
    looks_up: bool = False


class Counterexample(Struct, frozen=True):
    """An output whose expected relation fails on a run: the place of the largest difference and both values there."""

    output: str
    relation: str
    index: tuple[int, ...]
    expected: float
    found: float
    inputs: str
    at: Mapping[str, int] = {}
    """The values of symbolic sizes on this run."""


class Conflict(Struct, frozen=True):
    """Ranks that do not agree on a collective, with the lines."""

    text: str
    places: tuple[tuple[int, SourceLine | None], ...]


class Degree(Struct, frozen=True):
    """The answer for one number of ranks."""

    ranks: int
    verdict: Verdict
    seconds: float
    outputs: Mapping[str, str] = {}
    code: Mapping[str, str] = {}
    """The outputs in Python (`code_of`)."""
    given: Mapping[str, str] = {}
    alone: tuple[str, ...] = ()
    blocked: Blocked | None = None
    counterexample: Counterexample | None = None
    deadlock: Conflict | None = None
    unknown: str = ""
    nodes: tuple[int, int] = (0, 0)
    related: int = 0
    assumptions: Mapping[str, int] = {}
    phases: Mapping[str, float] = {}
    laws: tuple[LawUse, ...] = ()
    logged: Mapping[str, str] = {}
    """The relations of the values that the sequential program logs; empty where there is none."""
    ops: Mapping[str, int] = {}
    """What is supposed of a user's ops, and of how many calls."""
    sizes: Symbols = ()
    """The symbolic sizes, for all values of which the answer holds."""
    ways: tuple[Mapping[str, int], ...] = ()
    """Their values that were run."""


class RefinementReport(Struct, frozen=True):
    """The answers for all degrees; the worst counts."""

    specs: tuple[str, str]
    verdict: Verdict
    degrees: tuple[Degree, ...]
    seconds: float
    problems: tuple[Diagnostic, ...] = ()
    """Why there is no answer for some numbers of ranks where there is one for others."""


def run_refinement(
    specs: tuple[str, str],
    ranks: Sequence[int],
    relation: str | None,
    settings: Settings,
    progress: Progress = lambda stage, seconds: None,
    definitions: str | None = None,
) -> RefinementReport:
    """Decides for each number of ranks whether the second program refines the first; `definitions` is a file that
    defines ops (`user_definitions`).

    Raises: InputError if a program cannot be captured, the relation is none of these programs, or a definition is
    wrong; where this is so for some numbers of ranks alone, the report has the problems instead.
    """
    if definitions is not None:
        with user_definitions(definitions) as defined_ops:
            return _run(specs, ranks, relation, settings, progress, defined_ops)
    return _run(specs, ranks, relation, settings, progress, {})


def _run(
    specs: tuple[str, str],
    ranks: Sequence[int],
    relation: str | None,
    settings: Settings,
    progress: Progress,
    defined_ops: Mapping[str, Location],
) -> RefinementReport:
    started = perf_counter()
    text = _read(relation)
    progress("capturing the sequential program", 0.0)
    degrees: list[Degree] = []
    problems: list[Diagnostic] = []
    try:
        whole = capture_sequential(specs[0], settings.capture_seconds, settings.megabytes)
        (sequential,) = whole.graphs
    except Unsupported as problem:
        passed = perf_counter() - started
        unknown = tuple(Degree(count, "unknown", passed, unknown=f"{specs[0]}: {problem}") for count in ranks)
        return RefinementReport(specs, "unknown", unknown, passed)
    for count in ranks:
        since = perf_counter()
        progress(f"capturing {count} ranks", since - started)
        try:
            made = capture_ranks(specs[1], count, settings.capture_seconds, settings.megabytes)
            programs, captured = made.graphs, perf_counter()
            progress(f"relating {count} ranks", captured - started)
            sizes = stated_sizes(sequential, programs)
            example, *others = (at_example(graph, sizes) for graph in (sequential, *programs))
            given = read_relation(relation, text, example, others) if relation else RelationFile()
            given = with_stated(given, made.leaves, made.outputs, sequential, programs)
            own = any(n.op.partition(".")[0] not in ("aten", "dist") for g in (sequential, *programs) for n in g.nodes)
            files = [parse_spec(spec)[0] for spec in specs] if own else []
            of_jax = whole.framework == "jax", made.framework == "jax"
            found = decide(sequential, programs, given, settings, captured - since, files, None, defined_ops, of_jax)
        except Unsupported as problem:
            found = Degree(count, "unknown", perf_counter() - since, unknown=str(problem))
        except InputError as problem:
            if len(ranks) == 1:
                raise
            problems += [replace(d, message=f"on {count} ranks: {d.message}") for d in problem.diagnostics]
            continue
        degrees.append(found)
    if not degrees:
        raise InputError(*problems)
    worst = max(degrees, key=lambda d: ORDER.index(d.verdict))
    return RefinementReport(specs, worst.verdict, tuple(degrees), perf_counter() - started, tuple(problems))


Run = Callable[[Sequence[Request]], Sequence[Sequence[Mapping[str, Any]]]]
"""Runs graphs: the wanted values for each request and input set."""


def decide(
    sequential: TensorGraph,
    ranks: Sequence[TensorGraph],
    given: RelationFile,
    settings: Settings,
    capture: float = 0.0,
    files: Sequence[str] = (),
    run: Run | None = None,
    defined_ops: Mapping[str, Location] | None = None,
    of_jax: tuple[bool, bool] = (False, False),
) -> Degree:
    """Decides whether captured programs of all ranks refine a captured sequential one. `capture` are the seconds that
    the capture took, `files` the user's, which may register ops; `run` runs graphs, by default in a child process;
    `defined_ops` are the ops that the user defined, with the places of their definitions; `of_jax` says which side is a
    program of JAX.

    Raises: InputError if the relation contradicts the example values, or a definition the op; Unsupported.
    """

    def in_child(requests: Sequence[Request]) -> Sequence[Sequence[Mapping[str, Any]]]:
        return run_graphs(requests, files, settings.seconds, settings.megabytes, settings.device)

    decision = _Decision(sequential, ranks, given, settings, run or in_child, defined_ops or {}, of_jax)
    with searched_at(COLLECTIONS):
        return decision.decide(capture)


def _read(relation: str | None) -> str:
    if relation is None:
        return ""
    try:
        return Path(relation).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(Diagnostic("error", "relation-error", f"{relation}: {problem}")) from None


class _Runs(Struct, frozen=True):
    """The values of both sides on the input sets, at these values of symbolic sizes."""

    at: Mapping[str, int]
    ours: Sequence[Mapping[str, Any]]
    theirs: Sequence[Mapping[str, Any]]


class _Decision:
    def __init__(
        self,
        sequential: TensorGraph,
        ranks: Sequence[TensorGraph],
        given: RelationFile,
        settings: Settings,
        run: Run,
        defined_ops: Mapping[str, Location],
        of_jax: tuple[bool, bool],
    ) -> None:
        self._run, self._of_jax = run, of_jax
        self._sequential, self._ranks, self._file, self._settings = sequential, ranks, given, settings
        self._defined, self._opaque = defined_ops, OpaqueOps()
        self._size = len(ranks)
        self._outputs = [{name: ref.name for name, ref in graph.outputs} for graph in ranks]
        self._symbols = stated_sizes(sequential, ranks)

    def decide(self, capture: float) -> Degree:
        started = perf_counter()
        try:
            ways = at_some_sizes(self._sequential, self._ranks, self._symbols)
            every = at_all_sizes(self._sequential, self._ranks, self._symbols) if self._symbols else ways[0]
        except Deadlock as problem:
            conflict = Conflict(problem.text, problem.places)
            return Degree(self._size, "not-equivalent", perf_counter() - started, deadlock=conflict)
        except Undefined as problem:
            raise Unsupported(f"what ranks do together depends on a size: {problem}", None) from None
        examples = [at_example(graph, self._symbols) for graph in (self._sequential, *self._ranks)]
        given = relate_given(examples[0], examples[1:], self._file)
        kept = self._kept(given)
        self._sequential, self._ranks, joined = self._with_outputs(every.sequential, kept), every.ranks, every.joined
        if not self._sequential.outputs:
            text = "the sequential program returns no tensor and changes none in place: there is nothing to compare"
            raise InputError(Diagnostic("error", "relation-error", text))
        names = [{**joined.names[r]} for r in range(self._size)]
        outputs = [{n: joined.names[r][v] for n, v in self._outputs[r].items()} for r in range(self._size)]
        runs = self._values([replace(way, sequential=self._with_outputs(way.sequential, kept)) for way in ways], given)
        ours, theirs = runs[0].ours, runs[0].theirs
        for graph, values in ((ways[0].sequential, ours), (ways[0].joined.graph, theirs)):
            self._check_definitions(graph, values)
        tensors = given_at(self._sequential, self._ranks, self._file, given.found) if self._symbols else given
        ran = perf_counter()
        inference = self._inference(joined, tensors, given.alone, names, started, every.variables)
        known = [e for lines in given.found.values() for e in lines]
        groups = dict.fromkeys(
            frozenset(cast("tuple[int, ...]", node.keywords["group"]))
            for graph in self._ranks
            for node in graph.nodes
            if "group" in node.keywords
        )
        inference.infer(Candidates(names, theirs, known, groups), ours)
        proved = perf_counter()
        changed = {f"{name}.after": self._changed(lines) for name, lines in given.found.items()}
        found = self._answers(inference, Candidates(outputs, theirs, known, groups), outputs, runs, changed)
        assumed = Counter(inference.assumed)
        if found.verdict == "refines":
            found = self._looked_up(found, inference, given.alone, assumed, started)
        found = self._by_names(found, every.variables)
        phases = {"capture": capture, "values": ran - started, "proof": proved - ran}
        return Degree(
            self._size,
            found.verdict,
            perf_counter() - started,
            found.outputs,
            found.code,
            {n: " and ".join(self._given_text(e) for e in lines) for n, lines in given.found.items() if lines},
            given.alone,
            found.blocked,
            found.counterexample,
            None,
            found.unknown,
            (len(self._sequential.nodes), len(joined.graph.nodes)),
            len(inference.related),
            dict(assumed),
            phases,
            inference.laws.uses(),
            self._logged(inference),
            self._supposed(joined),
            self._symbols,
            tuple(run.at for run in runs) if self._symbols else (),
        )

    def _by_names(self, found: Degree, variables: Sequence[Index]) -> Degree:
        """The answer with names of symbolic sizes for their variables, which count from the least value of each."""

        def named(text: str) -> str:
            if "the size " not in text:
                return text  # what the normal form leaves has variables of its own
            for symbol, variable in zip(self._symbols, variables, strict=True):
                shown = variable.text()
                text = re.sub(rf"\b{shown} \+ {symbol.least}\b", symbol.called, text)
                text = re.sub(rf"\b{shown}\b", f"({symbol.called} - {symbol.least})", text)
            return text

        blocked = found.blocked and replace(found.blocked, why=named(found.blocked.why))
        return replace(found, unknown=named(found.unknown), blocked=blocked)

    def _kept(self, given: GivenTensors) -> tuple[tuple[str, Ref], ...]:
        """What the sequential program leaves as it is although a rank changes what is related to it."""
        names = {name for name, _ in self._sequential.outputs}
        return tuple(
            (f"{name}.after", Ref(name))
            for name, lines in given.found.items()
            if f"{name}.after" not in names and self._changed(lines)
        )

    def _changed(self, lines: Sequence[Expression]) -> frozenset[Tensor]:
        """The tensors of these expressions that ranks change in place, as outputs."""
        after = (Tensor(f"{t.name}.after", t.rank) for e in lines for t in tensors_in(e))
        return frozenset(t for t in after if t.name in self._outputs[t.rank])

    @staticmethod
    def _with_outputs(graph: TensorGraph, kept: tuple[tuple[str, Ref], ...]) -> TensorGraph:
        return replace(graph, outputs=graph.outputs + kept)

    def _values(self, ways: Sequence[Programs], given: GivenTensors) -> list[_Runs]:
        """The values of both graphs on the input sets at some sizes: all values at the first ones, and outputs."""
        inputs: list[tuple[list[dict[str, Any]], list[dict[str, Any]]]] = []
        requests: list[Request] = []
        for number, way in enumerate(ways):
            sets = values_at(way.sequential, way.ranks, self._file, given.found, way.at) if way.at else given.sets
            ours = [dict(s) for s, _ in sets]
            theirs = [{f"{t.name}@{t.rank}": a for t, a in d.items()} for _, d in sets]
            inputs.append((ours, theirs))
            for graph, leaves in ((way.sequential, ours), (way.joined.graph, theirs)):
                all_of = [n for node in graph.nodes for n in node.results]
                made, outputs = set(all_of), dict.fromkeys(ref.name for _, ref in graph.outputs)
                requests.append(Request(graph, {}, leaves, all_of if not number else [n for n in outputs if n in made]))
        found = iter(self._run(requests))
        return [
            _Runs(
                way.at,
                [{**a, **b} for a, b in zip(ours, next(found), strict=True)],
                [{**a, **b} for a, b in zip(theirs, next(found), strict=True)],
            )
            for way, (ours, theirs) in zip(ways, inputs, strict=True)
        ]

    # Ops of the user

    def _defining(self, node: Node) -> Location | None:
        """Where the user defines the op of a node."""
        return self._defined.get(node.op) or self._defined.get(node.op.rpartition(".")[0])

    def _check_definitions(self, graph: TensorGraph, runs: Sequence[Mapping[str, Any]]) -> None:
        """Compares what the user's definitions say with what the ops computed on the runs, except where they name
        functions of which nothing is known.

        Raises: InputError.
        """
        index = GraphIndex(graph)

        def value(name: str) -> Comprehension:
            kind = index.type_of(name)
            return leaf(name, kind.shape, kind.element)

        for node in graph.nodes:
            place = self._defining(node)
            if place is None:
                continue
            for name, result in zip(node.results, defined(node, value), strict=True):
                for run in runs:
                    with suppress(KeyError):
                        try:
                            made = evaluate(result, run)
                        except (IndexError, TypeError, ValueError) as problem:
                            text = f"the definition of `{node.op}` has no values: {problem}"
                            raise InputError(Diagnostic("error", "definition-error", text, place)) from None
                        at = _largest(run[name], made, _rounding({n: run[n] for n in (name, *operands_of(node))}))
                        if at is not None:
                            where = ", ".join(map(str, at))
                            text = f"the definition of `{node.op}` gives {float(made[at])!r} at [{where}], the op gives"
                            text += f" {float(run[name][at])!r}{f', called at {node.place}' if node.place else ''}"
                            raise InputError(Diagnostic("error", "definition-error", text, place))

    def _supposed(self, joined: Joined) -> Mapping[str, int]:
        """What is supposed of the user's ops, and of how many calls."""
        nodes = (*self._sequential.nodes, *joined.graph.nodes)
        found = Counter(f"{n.op.removesuffix('.default')} as defined" for n in nodes if self._defining(n) is not None)
        for op, count in self._opaque.calls().items():
            found[f"{op.removesuffix('.default')} equal for equal operands"] = count
        return dict(found)

    def _logged(self, inference: Inference) -> Mapping[str, str]:
        have = [set(names) for names in inference.names]
        found: dict[str, str] = {}
        for node in self._sequential.nodes:
            for name in node.results:
                related = inference.related.get(name)
                if not name.startswith("%"):
                    found[name] = ""
                    if related is not None:
                        ranks_of = lambda t: [r for r in range(self._size) if not t or t in have[r]]  # noqa: E731
                        found[name] = text_of(related.expressions[0], ranks_of)
        return found

    def _looked_up(
        self, found: Degree, inference: Inference, alone: Sequence[str], assumed: Counter[str], started: float
    ) -> Degree:
        """The answer, unless a rank may look up beyond a table where the sequential program does not."""
        facts = self._facts(inference.sequential) | self._facts(inference.joined, ())
        deadline = started + self._settings.seconds
        leaving, taken = open_lookup(inference, facts, alone, deadline)
        assumed.update(taken)
        sides = zip((inference.sequential, inference.joined), self._of_jax, strict=True)
        filled = sum(not _is_clamped(x, index) for index, of_jax in sides if of_jax for x in lookups_of(index))
        if filled:
            assumed[IN_TABLE] = filled
        if leaving is None:
            return found
        blocked = Blocked(leaving.node.op, leaving.node.place, (), looks_up=True)
        return replace(found, verdict="unknown", unknown=leaving.text, blocked=blocked)

    def _facts(self, index: GraphIndex, looked_up: Collection[str] | None = None) -> dict[str, LeafFact]:
        """What is known of leaves where a program runs: of these, or all, that what it looks up is in range too."""
        spans = input_ranges(index)
        kept = spans if looked_up is None else {n: span for n, span in spans.items() if n in looked_up}
        return {x.name: _fact(x, kept.get(x.name)) for x in index.graph.leaves}

    def _inference(
        self,
        joined: Joined,
        given: GivenTensors,
        alone: Collection[str],
        names: Sequence[Mapping[str, str]],
        started: float,
        sizes: tuple[Index, ...],
    ) -> Inference:
        index, other = GraphIndex(self._sequential), GraphIndex(joined.graph)
        leaves = {f"{t.name}@{t.rank}": c for t, c in given.ranks.items()}
        deadline = started + self._settings.seconds
        prover = Obligations(self._facts(index) | self._facts(other, alone), deadline, sizes=bool(sizes))
        opaque = None if sizes else self._opaque  # which of its operands' sizes such an op depends on is not known
        ours, theirs = (index, Cones(index, given.sequential, opaque)), (other, Cones(other, leaves, opaque))
        return Inference(ours, theirs, names, prover, deadline, given.found, sizes)

    def _given_text(self, expression: Expression) -> str:
        have = [{x.name for x in g.leaves} for g in self._ranks]
        return text_of(expression, lambda n: [r for r in range(self._size) if not n or n in have[r]])

    def _output_text(self, expression: Expression) -> str:
        return text_of(expression, lambda n: [r for r in range(self._size) if not n or n in self._outputs[r]])

    # Outputs

    def _answers(
        self,
        inference: Inference,
        candidates: Candidates,
        outputs: Sequence[Mapping[str, str]],
        runs: Sequence[_Runs],
        changed: Mapping[str, Collection[Tensor]],
    ) -> Degree:
        """Relates each output; what the sequential program changes in place is `changed` in place by the ranks."""
        found: dict[str, str] = {}
        code: dict[str, str] = {}
        unknown, blocked = "", None
        ways = [candidates, *(Candidates(outputs, run.theirs) for run in runs[1:])]
        verdict: Verdict
        for name, ref in self._sequential.outputs:
            each = [[run[ref.name] for run in way.ours] for way in runs]
            expected = self._file.outputs.get(name, ())
            for expression, way in product(expected, range(len(runs))):
                rounding = [_rounding(run) for run in runs[way].ours]
                failure = self._fails(name, expression, ways[way], each[way], rounding)
                if failure is not None:
                    blocked = self._blocked(inference, name, ref.name, outputs)
                    failure = replace(failure, at=runs[way].at)
                    return Degree(self._size, "not-equivalent", 0.0, found, blocked=blocked, counterexample=failure)
            values = each[0]
            holding = expected or candidates.of_family(name, values) or candidates.of(values, name)
            if not expected and (places := changed.get(name)):
                holding = [e for e in holding if all(t in places for t in tensors_in(e))]
            proposed = [e for e in holding if all(w.holds(e, v) for w, v in zip(ways[1:], each[1:], strict=True))]
            if holding and not proposed and not unknown:
                text, at = self._output_text(holding[0]), sizes_text(runs[0].at)
                other = next(
                    r.at for w, v, r in zip(ways[1:], each[1:], runs[1:], strict=True) if not w.holds(holding[0], v)
                )
                unknown = f"`{name}` = `{text}` holds where {at}, and fails where {sizes_text(other)}"
            gaps = [inference.prove(ref.name, e, names=outputs) for e in proposed]
            good = [e for e, gap in zip(proposed, gaps, strict=True) if gap is None]
            if good and (not expected or len(good) == len(expected)):
                found[name], code[name] = self._output_text(good[0]), code_of(good[0])
                continue
            if not unknown:
                unknown = f"no clean expression over the ranks' outputs has the value of `{name}`"
                unknown += f", as where {sizes_text(runs[0].at)}" if self._symbols else ""
                if proposed:
                    text = self._output_text(proposed[0])
                    why = next((gap.text for gap in gaps if gap is not None), "")
                    unknown = f"`{name}` = `{text}` holds on all runs, but is not proved: {why}"
            if unknown:
                blocked = blocked or self._blocked(inference, name, ref.name, outputs)
        verdict = "unknown" if unknown else "refines"
        return Degree(self._size, verdict, 0.0, found, code, blocked=blocked, unknown=unknown)

    def _fails(
        self,
        name: str,
        expression: Expression,
        candidates: Candidates,
        values: Sequence[Any],
        rounding: Sequence[float],
    ) -> Counterexample | None:
        """The run on which an expected relation fails, its replications included."""
        text, place = self._output_text(expression), self._file.output_places.get(name)
        for run, value in enumerate(values):
            try:
                made = array_of(expression, lambda t, k=run: candidates.array(t, k))
            except Unclean as problem:
                raise InputError(Diagnostic("error", "relation-error", f"`{name}`: {problem}", place)) from None
            if made.shape != value.shape:
                text = f"`{name}` has sizes {list(value.shape)}, `{text}` has {list(made.shape)}"
                raise InputError(Diagnostic("error", "relation-error", text, place))
            what = "the example values" if run == 0 else "random values"
            for choice in choices(expression):
                other = array_of(choice, lambda t, k=run: candidates.array(t, k))
                index = _largest(value, other, rounding[run])
                if index is not None:
                    return Counterexample(name, text, index, float(value[index]), float(other[index]), what)
        return None

    def _blocked(
        self, inference: Inference, output: str, name: str, outputs: Sequence[Mapping[str, str]]
    ) -> Blocked | None:
        """What stands between a value of the sequential program and an output of the ranks."""
        have = [set(names) for names in inference.names]

        def text(expression: Expression) -> str:
            return text_of(expression, lambda t: [r for r in range(self._size) if not t or t in have[r]])

        related = {n: text(found.expressions[0]) for n, found in inference.related.items()}
        value = inference.blocked(name)
        if value is None:
            made = next((names[output] for names in outputs if output in names), "")
            node = inference.joined.node_of(made)
            return node and Blocked(node.op, node.place, ((output, related.get(name, name)),), returned=True)
        node = inference.sequential.node_of(value)
        assert node is not None
        inputs = tuple((o, related[o]) for o in dict.fromkeys(operands_of(node)) if o in related)
        gap = inference.gaps.get(value)
        return Blocked(node.op, node.place, inputs, "" if gap is None else gap.text)


def _fact(leaf: Leaf, span: tuple[int, int] | None) -> LeafFact:
    """What is known of a leaf: its type, and that integers that are looked up in a table are among its rows."""
    kind = leaf.type.element
    return LeafFact(whole=is_integer(kind), boolean=kind == "i1", integers=span, sizes=leaf.type.shape)


def _is_clamped(lookup: Lookup, index: GraphIndex) -> bool:
    """Whether an index is clamped to the table, as JAX does unless it fills in NaN."""
    node = index.node_of(index.origin(lookup.index))
    return node is not None and node.op.startswith("aten.clamp.")


def _rounding(run: Mapping[str, Any]) -> float:
    """What rounding may leave of a value that is 0 over the reals, on a run with these values."""
    largest = 1.0
    for array in run.values():
        if np.asarray(array).dtype.kind == "f" and np.asarray(array).size:
            sizes = np.abs(array)
            largest = max(largest, float(np.max(sizes, where=sizes < LARGEST, initial=0.0)))
    return ROUNDING * largest


def _largest(left: Any, right: Any, rounding: float) -> tuple[int, ...] | None:
    """Where two arrays differ most, if they differ plainly."""
    if not left.size:
        return None
    with np.errstate(invalid="ignore"):
        ours, theirs = np.asarray(left, np.float64), np.asarray(right, np.float64)
        apart = np.where(ours == theirs, 0.0, np.abs(ours - theirs))
        apart = np.where(np.isnan(apart), np.where(np.isnan(ours) & np.isnan(theirs), 0.0, np.inf), apart)
    scale = float(np.max(np.abs(ours), where=np.isfinite(ours), initial=0.0))
    place = np.unravel_index(int(np.argmax(apart)), apart.shape)
    return tuple(map(int, place)) if apart[place] > max(PLAIN * scale, rounding) else None

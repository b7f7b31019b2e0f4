"""`hecv models`: capture two Python models, relate their parameters, and decide whether they compute the same.

capture both, each in a process of its own
  over the reals    ->  graphs of tensors  ->  pairs of equal values, proved one by one  (`hecv.relate.model_relation`)
  other semantics, a certificate, ops of JAX that graphs do not have  ->  MLIR  (`hecv.lowered_models`)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from time import perf_counter
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic, InputError, Location, Unsupported
from hecv.capture.capture_process import UnsupportedSizes, capture, capture_graph, parse_spec
from hecv.capture.value_process import Request, run_graphs
from hecv.check import Options, Progress, failed
from hecv.claim.result import FunctionReport, summarize
from hecv.lowered_models import ModelsReport, compare_models, name_of, unknown_report, unmatched_report
from hecv.mlir.module.source_text import require_writable, write_text
from hecv.parameters.captured_model import Captured, CapturedGraph, FailedRun, Tensor
from hecv.parameters.model_agreement import (
    given_relation,
    require_inputs,
    require_names,
    require_results,
    require_sizes,
)
from hecv.relate.graph_relation import USUAL, SearchOptions, UnmatchedParameters
from hecv.relate.graphs.failing_lookup import failing_lookup
from hecv.relate.model_relation import relate_graphs
from hecv.relate.rule_library import KnownRule, fired_rules, library_text, merged, read_library
from hecv.relate.rule_validation import refused
from hecv.tensors.tensor_graph import SourceLine, Symbols, TensorType
from hecv.verdict.model_verdict import failing_verdict, location_of, model_verdict

TICK: Final = 0.25
"""Seconds between two progress reports."""

Made = TypeVar("Made")


def run_models(
    specs: tuple[str, str],
    relation: str | None,
    options: Options,
    progress: Progress = lambda name, stage, seconds: None,
    device: str = "cpu",
    library: str | None = None,
) -> ModelsReport:
    """Checks that the second model refines the first; `relation` is a file that relates their parameters, `device`
    where torch runs the graphs, and `library` a file of rules that is read, and written with those of this pair.

    Raises: InputError if a model cannot be captured, the parameters cannot be related, or the library cannot be read or
    written.
    """
    started = perf_counter()
    if library is not None and (options.switches.floats != "real" or options.recording or options.assume):
        text = "rules are made where models are decided by relations: without --fp, --assume and --certificate"
        raise InputError(Diagnostic("error", "rule-library", text))
    known = ()
    if library is not None:
        require_writable(library)
        known = read_library(library)

    def both(work: Callable[[str], Made]) -> tuple[Made, Made]:
        with ThreadPoolExecutor(2) as pool:
            waiting = [pool.submit(work, spec) for spec in specs]
            while not all(w.done() for w in waiting):
                wait(waiting, TICK)
                progress(name_of(specs), "capturing", perf_counter() - started)
        return waiting[0].result(), waiting[1].result()

    def lowered(before: Unsupported | None = None) -> ModelsReport:
        try:
            pair = both(lambda spec: capture(spec, options.seconds, options.megabytes))
        except Unsupported as later:
            problem = before if before is not None and before.location is not None else later
            return ModelsReport(unknown_report(specs, problem.text, problem.location, options, started), {})
        return compare_models(specs, pair, relation, options, progress, started)

    if options.switches.floats != "real" or options.recording or options.assume:
        return lowered()
    try:
        models = both(lambda spec: capture_graph(spec, options.seconds, options.megabytes))
    except UnsupportedSizes as problem:
        return ModelsReport(unknown_report(specs, problem.text, problem.location, options, started), {})
    except Unsupported as problem:  # the lowering may know the op; it says so if not
        return lowered(problem)
    files = [parse_spec(spec)[0] for spec in specs]

    def run(requests: Sequence[Request]) -> Sequence[Sequence[Any]]:
        progress(name_of(specs), "running", perf_counter() - started)
        return run_graphs(requests, files, options.seconds, options.megabytes, device)

    return compare_graphs(specs, models, relation, options, run, started, library, known)


def compare_graphs(
    specs: tuple[str, str],
    models: tuple[CapturedGraph, CapturedGraph],
    relation: str | None,
    options: Options,
    run: Callable[[Sequence[Request]], Sequence[Sequence[Any]]],
    started: float | None = None,
    library: str | None = None,
    known: Sequence[KnownRule] = (),
    search: SearchOptions = USUAL,
) -> ModelsReport:
    """`run_models` on captured graphs; `run` runs them, and `known` are the rules of the library.

    Raises: InputError if the models take or return different things.
    """
    started = perf_counter() if started is None else started
    captured = perf_counter() - started
    sizes = models[0].sizes
    require_sizes(specs, models)
    source, target = map(_described, (_example(model, sizes) for model in models))
    require_names(specs, (source, target))
    require_inputs(specs, source, target)
    require_results(specs, source, target)
    given = {} if relation is None else given_relation(relation, source, target)
    graphs = models[0].graph, models[1].graph
    if models[0].failed is not None:
        raise _not_run(models[0].failed)
    try:
        if models[1].failed is not None:
            beyond = failing_lookup(*graphs, run)
            if beyond is None:
                raise _not_run(models[1].failed)
            report = failing_verdict(name_of(specs), beyond, graphs, perf_counter() - started)
            return _summed(report, options, _texts((beyond.lookup.node.place,)))
        deadline = started + captured + options.seconds
        wrong = refused(known, run, deadline)
        keys = frozenset(rule.rule.key for rule in known if rule.name not in wrong)
        found = relate_graphs(*graphs, given, run, deadline, replace(search, known=keys), sizes)
    except Unsupported as problem:
        return ModelsReport(unknown_report(specs, problem.text, problem.location, options, started), {})
    except UnmatchedParameters as problem:
        return unmatched_report(specs, source, problem.names, options, started)
    found = replace(found, phases=(("capture", captured), *found.phases))
    if sizes:
        models = models[0].at(found.at), models[1].at(found.at)
    report = model_verdict(name_of(specs), found, models, perf_counter() - started, keys)
    if library is not None:
        made = [rule for rule in fired_rules(found.fired, *graphs) if rule.rule.is_rewrite]
        rules = merged(known, wrong, made)
        if rules != tuple(known):
            write_text(library, library_text(rules))
        places = {rule.name: Location(library, rule.line, 1) for rule in known}
        warnings = [
            Diagnostic("warning", "rule-refused", f"rule '{name}' proposes nothing: {text}", places[name])
            for name, text in wrong.items()
        ]
        new = sum(rule.rule.key not in {old.rule.key for old in known} for rule in rules)
        note = f"{len(rules)} rules in {library}, {new} of them new; {len(wrong)} refused"
        report = replace(report, notes=(*report.notes, note), diagnostics=(*report.diagnostics, *warnings))
    return _summed(report, options, _texts(found.place))


def _summed(report: FunctionReport, options: Options, texts: Mapping[str, str]) -> ModelsReport:
    summary = summarize(failed((), options), (report,))
    return ModelsReport(replace(summary, seconds=report.seconds), texts)


def _not_run(failed: FailedRun) -> InputError:
    place = None if failed.place is None else location_of(failed.place)
    return InputError(Diagnostic("error", "model-error", failed.text, place))


def _example(model: CapturedGraph, sizes: Symbols) -> CapturedGraph:
    """The model with the example's sizes."""
    return model.at({symbol.name: symbol.example for symbol in sizes}) if sizes else model


def _described(model: CapturedGraph) -> Captured:
    """What a model takes and returns."""
    graph = model.graph
    types = {name: kind for node in graph.nodes for name, kind in zip(node.results, node.types, strict=True)}
    types |= {x.name: x.type for x in graph.leaves}
    arguments = tuple(_tensor(x.name, x.kind, x.type) for x in graph.leaves if x.kind != "constant")
    results = tuple(_tensor(name, "input", types[ref.name]) for name, ref in graph.outputs)
    return Captured(model.framework, "", arguments, results, model.fixed, model.given)


def _tensor(name: str, kind: Any, type_: TensorType) -> Tensor:
    return Tensor(name, kind, type_.shape, f"tensor<{type_}>", ())


def _texts(places: Iterable[SourceLine | None]) -> dict[str, str]:
    """The Python files that the report points into."""
    texts: dict[str, str] = {}
    for place in places:
        if place is not None:
            try:
                texts[place.file] = Path(place.file).read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                continue
    return texts

"""Two models as MLIR: relate their parameters, give both one signature, and check one against the other.

`hecv.check` then decides them element by element, over the reals unless told otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic, InputError, Location, Unsupported
from hecv.base.term import TermPool
from hecv.base.value import Buffer
from hecv.check import Options, Progress, check_modules, failed
from hecv.claim.result import Assumption, FunctionReport, Report, Unknown, summarize
from hecv.mlir.importer import parse, read_alone
from hecv.parameters.captured_model import Captured, Tensor
from hecv.parameters.model_agreement import given_relation, require_inputs, require_names, unmatched, width_of
from hecv.parameters.model_composition import MAIN, compose
from hecv.parameters.parameter_relation import Own, Ref, text_of
from hecv.relate.state.lowered_state import RelatedState, relate_state
from hecv.run.interpreter.interpreter import Finished, compile

CLOSE: Final = 1e-3
"""Relative difference, at most, between the lowered program and the framework, in f32."""

MOST_STEPS: Final = 5_000_000


class ModelsReport(Struct, frozen=True):
    """The report, and the texts that its locations refer to."""

    report: Report
    texts: Mapping[str, str]


def compare_models(
    specs: tuple[str, str],
    models: tuple[Captured, Captured],
    relation: str | None,
    options: Options,
    progress: Progress = lambda name, stage, seconds: None,
    started: float | None = None,
) -> ModelsReport:
    """Checks that the second model refines the first; `relation` is a file that relates their parameters, `specs` are
    their names.

    Raises: InputError if the parameters cannot be related.
    """
    started = perf_counter() if started is None else started
    source, target = models
    require_names(specs, models)
    require_inputs(specs, source, target)
    given = {} if relation is None else given_relation(relation, source, target)
    related = relate_state(source.state(), target.state(), given)
    if related.unmatched:
        return unmatched_report(specs, source, related.unmatched, options, started)
    return _decide(specs, models, related, options, progress, started)


def name_of(specs: tuple[str, str]) -> str:
    """The name of the pair in a report: the source's function."""
    return specs[0].rpartition(":")[2]


def _decide(
    specs: tuple[str, str],
    models: tuple[Captured, Captured],
    related: RelatedState,
    options: Options,
    progress: Progress,
    started: float,
) -> ModelsReport:
    source, target = models
    own = _valued(source, related)
    common = tuple(a for a in source.arguments if a.kind == "input" or a.name not in own)
    texts = compose(source, common, dict.fromkeys(own, Own())), compose(target, common, related.expressions)
    files = tuple(f"{spec} ({model.framework}, lowered to linalg)" for spec, model in zip(specs, models, strict=True))
    arguments = {MAIN: tuple(t.name for t in common)}
    parsed = [replace(parse(text, file), arguments=arguments) for text, file in zip(texts, files, strict=True)]
    departures = [_departure(model) for model in models]
    for spec, departure in zip(specs, departures, strict=True):
        if departure:
            text = f"{spec}: {departure}"
            return ModelsReport(
                unknown_report(specs, text, None, options, started), dict(zip(files, texts, strict=True))
            )
    report = check_modules((parsed[0], parsed[1]), options, progress)
    trusted = _trusted(models, [spec for spec, d in zip(specs, departures, strict=True) if d is None])
    functions = tuple(_told(f, specs, models, related, own, trusted) for f in report.functions)
    more = tuple(_warnings(specs, related, own))
    report = replace(report, functions=functions, diagnostics=(*more, *report.diagnostics))
    return ModelsReport(replace(report, seconds=perf_counter() - started), dict(zip(files, texts, strict=True)))


def unknown_report(
    specs: tuple[str, str], text: str, place: Location | None, options: Options, started: float
) -> Report:
    seconds = perf_counter() - started
    found = FunctionReport(name_of(specs), "unknown", seconds, unknown=Unknown("unsupported-op", text, place))
    return replace(summarize(failed((), options), (found,)), seconds=seconds)


def unmatched_report(
    specs: tuple[str, str], source: Captured, names: Sequence[str], options: Options, started: float
) -> ModelsReport:
    """The report that parameters of the target are not known to be made of the source's."""
    text, hint = unmatched(specs, source, names)
    seconds = perf_counter() - started
    found = FunctionReport(name_of(specs), "unknown", seconds, unknown=Unknown("no-proof", text, None), help=(hint,))
    return ModelsReport(replace(summarize(failed((), options), (found,)), seconds=seconds), {})


def _valued(source: Captured, related: RelatedState) -> frozenset[str]:
    """The source's buffers from which nothing of the target is made: they keep their values."""
    buffers = {t.name for t in source.state() if t.kind == "buffer"}
    return frozenset(buffers & set(related.unused))


# What the report says


def _told(
    report: FunctionReport,
    specs: tuple[str, str],
    models: tuple[Captured, Captured],
    related: RelatedState,
    own: frozenset[str],
    trusted: Assumption,
) -> FunctionReport:
    assumptions = (*report.assumptions, *_assumed(related, own), *_fixed(specs, models), trusted)
    return replace(report, name=name_of(specs), assumptions=assumptions)


def _assumed(related: RelatedState, own: frozenset[str]) -> list[Assumption]:
    same = [n for n, e in related.expressions.items() if e == Ref(n)]
    made = [f"{n} = {text_of(e)}" for n, e in related.expressions.items() if e != Ref(n) and not isinstance(e, Own)]
    kept = [n for n, e in related.expressions.items() if isinstance(e, Own)]
    found: list[Assumption] = []
    if same:
        text = f"parameters of one name are equal: {', '.join(same)}"
        found.append(Assumption("inputs-related", text, "--inputs"))
    found += [Assumption("inputs-related", f"parameters are related: `{text}`", "--inputs") for text in made]
    if kept or own:
        text = f"buffers keep the values that they have: {', '.join([*sorted(own), *kept])}"
        found.append(Assumption("buffers-constant", text, "--inputs"))
    return found


def _fixed(specs: tuple[str, str], models: tuple[Captured, Captured]) -> list[Assumption]:
    """The non-tensor arguments of the models, and their tensors that are neither parameters nor buffers."""
    fixed = {f"{spec} is called with {', '.join(m.fixed)}" for spec, m in zip(specs, models, strict=True) if m.fixed}
    what = "that are neither parameters nor buffers keep the values that they have"
    kept = {f"tensors of {s} {what}: {', '.join(m.constant)}" for s, m in zip(specs, models, strict=True) if m.constant}
    found = [Assumption("arguments-constant", text, None) for text in sorted(fixed)]
    return found + [Assumption("tensors-constant", text, None) for text in sorted(kept)]


def _trusted(models: tuple[Captured, Captured], not_run: Sequence[str]) -> Assumption:
    """The assumption that the lowered programs are the models; `not_run` are those that no run has compared."""
    paths = {"torch": "torch.export and torch-mlir", "jax": "JAX and StableHLO"}
    names = dict.fromkeys(paths[m.framework] for m in models)
    run = "it was run on the example arguments"
    if not_run:
        run = f"that of {' and of '.join(dict.fromkeys(not_run))} could not be run on the example arguments"
    return Assumption("lowering-trusted", f"the lowering of {' and of '.join(names)} is right; {run}", None)


def _warnings(specs: tuple[str, str], related: RelatedState, own: frozenset[str]) -> list[Diagnostic]:
    left = [n for n in related.unused if n not in own]
    if not left:
        return []
    text = f"no parameter of {specs[1]} is made of these of {specs[0]}: {', '.join(left)}"
    return [Diagnostic("warning", "parameter-unused", text)]


# The lowering against the framework


def _departure(model: Captured) -> str | None:
    """How the lowered program differs from the framework on the example: empty if it does not, None if it cannot be
    run here."""
    try:
        function = read_alone(parse(model.text, "example"), MAIN, TermPool())
        executable = compile(function) if function.known else None
    except (Unsupported, InputError):
        return None
    if executable is None or any(not t.values and math.prod(t.shape) for t in (*model.arguments, *model.results)):
        return None
    results = [Buffer(r.shape, [0.0] * math.prod(r.shape)) for r in model.results]
    arguments = [_buffer(a) for a in model.arguments]
    if len(function.inputs()) != len(arguments) + len(results):
        return None
    end = executable.run([*arguments, *results], MOST_STEPS)
    if not isinstance(end, Finished):
        return None
    for expected, found in zip(model.results, end.arguments[len(arguments) :], strict=True):
        assert isinstance(found, Buffer)
        for k, (want, have) in enumerate(zip(expected.values, found.data, strict=True)):
            if not isinstance(have, int | float):
                return f"the lowered program leaves element {k} of {expected.name} open, the model computes {want:g}"
            if not _near(want, _as_read(have, expected), width_of(expected) is not None):
                return f"the lowered program computes {have:g} for element {k} of {expected.name}, the model {want:g}"
    return ""


def _buffer(tensor: Tensor) -> Buffer:
    width = width_of(tensor)
    return Buffer(tensor.shape, [*tensor.values] if width is None else [int(v) % (1 << width) for v in tensor.values])


def _as_read(value: int | float, tensor: Tensor) -> float:
    """A value as the framework reads it: integers are signed, except truth values."""
    width = width_of(tensor) or 1
    negative = isinstance(value, int) and width > 1 and value >> (width - 1)
    return value - (1 << width) if negative else value


def _near(want: float, have: float, exact: bool) -> bool:
    if not (math.isfinite(want) and math.isfinite(have)) or exact:
        return want == float(have) or (want != want and have != have)
    return abs(want - have) <= CLOSE * max(1.0, abs(want))

"""`hecv models`: capture two Python models as MLIR, relate their parameters, and check one against the other.

capture both, each in a process of its own  ->  relate the parameters  ->  two functions of one signature
            ->  `hecv.check`, over the reals unless told otherwise
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from time import perf_counter
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic, InputError, Location, Unsupported
from hecv.base.term import TermPool
from hecv.base.value import Buffer
from hecv.capture.capture_process import capture
from hecv.check import Options, Progress, check_modules, failed
from hecv.claim.result import Assumption, FunctionReport, Report, Unknown, summarize
from hecv.mlir.importer import parse, read_alone
from hecv.mlir.module.source_text import read_text
from hecv.parameters.captured_model import Captured, Tensor
from hecv.parameters.model_composition import MAIN, compose
from hecv.parameters.parameter_matching import Related, relate
from hecv.parameters.parameter_relation import (
    BadRelation,
    Expression,
    Own,
    Ref,
    names_in,
    parse_relation,
    shape_of,
    text_of,
)
from hecv.run.interpreter.interpreter import Finished, compile

CLOSE: Final = 1e-3
"""Relative difference, at most, between the lowered program and the framework, in f32."""

LARGEST: Final = 1 << 53
"""Integers below this are exact as floats; larger ones may not be."""

MOST_STEPS: Final = 5_000_000
TICK: Final = 0.25
"""Seconds between two progress reports."""


class ModelsReport(Struct, frozen=True):
    """The report, and the texts that its locations refer to."""

    report: Report
    texts: Mapping[str, str]


def run_models(
    specs: tuple[str, str],
    relation: str | None,
    options: Options,
    progress: Progress = lambda name, stage, seconds: None,
) -> ModelsReport:
    """Checks that the second model refines the first; `relation` is a file that relates their parameters.

    Raises: InputError if a model cannot be captured, or the parameters cannot be related.
    """
    started = perf_counter()
    with ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(capture, spec, options.seconds, options.megabytes) for spec in specs]
        while not all(w.done() for w in waiting):
            wait(waiting, TICK)
            progress(_name(specs), "capturing", perf_counter() - started)
    try:
        source, target = (w.result() for w in waiting)
    except Unsupported as problem:
        return ModelsReport(_unknown(specs, problem.text, problem.location, options, started), {})
    return compare_models(specs, (source, target), relation, options, progress, started)


def compare_models(
    specs: tuple[str, str],
    models: tuple[Captured, Captured],
    relation: str | None,
    options: Options,
    progress: Progress = lambda name, stage, seconds: None,
    started: float | None = None,
) -> ModelsReport:
    """`run_models` on captured models; `specs` are their names.

    Raises: InputError if the parameters cannot be related.
    """
    started = perf_counter() if started is None else started
    source, target = models
    _require_names(specs, models)
    _require_inputs(specs, source, target)
    given = {} if relation is None else _given(relation, source, target)
    related = relate(source.state(), target.state(), given)
    _require_related(specs, source, related)
    return _decide(specs, models, related, options, progress, started)


def _name(specs: tuple[str, str]) -> str:
    return specs[0].rpartition(":")[2]


def _decide(
    specs: tuple[str, str],
    models: tuple[Captured, Captured],
    related: Related,
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
            return ModelsReport(_unknown(specs, text, None, options, started), dict(zip(files, texts, strict=True)))
    report = check_modules((parsed[0], parsed[1]), options, progress)
    trusted = _trusted(models, [spec for spec, d in zip(specs, departures, strict=True) if d is None])
    functions = tuple(_told(f, specs, models, related, own, trusted) for f in report.functions)
    more = tuple(_warnings(specs, related, own))
    report = replace(report, functions=functions, diagnostics=(*more, *report.diagnostics))
    return ModelsReport(replace(report, seconds=perf_counter() - started), dict(zip(files, texts, strict=True)))


def _unknown(specs: tuple[str, str], text: str, place: Location | None, options: Options, started: float) -> Report:
    seconds = perf_counter() - started
    found = FunctionReport(_name(specs), "unknown", seconds, unknown=Unknown("unsupported-op", text, place))
    return replace(summarize(failed((), options), (found,)), seconds=seconds)


# What the models have in common


def _require_names(specs: tuple[str, str], models: tuple[Captured, Captured]) -> None:
    """Raises: InputError if a name is ambiguous among the parameters."""
    for spec, model in zip(specs, models, strict=True):
        names = Counter(t.name for t in model.state())
        twice = ", ".join(f"`{name}`" for name, count in names.items() if count > 1)
        if twice:
            text, hint = f"{spec} has several parameters of one name: {twice}", "give them keys that differ"
            raise InputError(Diagnostic("error", "parameter-ambiguous", text, help=hint))


def _require_inputs(specs: tuple[str, str], source: Captured, target: Captured) -> None:
    """Raises: InputError if the models take different inputs, or their results have different names."""
    first, second = ([t.type for t in model.inputs()] for model in (source, target))
    if first != second:
        text = f"{specs[1]} takes inputs ({', '.join(second)}), expected ({', '.join(first)})"
        raise _mismatch(text, "example_args have to agree in number, shapes and types, in their order")
    if source.fixed and target.fixed and source.fixed != target.fixed:
        text = f"{specs[1]} is called with {', '.join(target.fixed)}, expected {', '.join(source.fixed)}"
        raise _mismatch(text, "arguments that are no tensors are part of the program: give both the same")
    for what, ours, theirs in zip(("inputs", "results"), source.keys(), target.keys(), strict=True):
        if ours and theirs and ours != theirs:
            text = f"{specs[1]} has {what} with the keys {', '.join(theirs)}, expected {', '.join(ours)}"
            raise _mismatch(text, "what stands in dictionaries is paired by keys")
    if source.given != target.given:
        given = [", ".join(model.given) or "nothing else" for model in (source, target)]
        text = f"beside tensors {specs[1]} returns {given[1]}, expected {given[0]}"
        raise _mismatch(text, "only tensors are compared: return the same of the rest, or leave it out")


def _mismatch(text: str, hint: str) -> InputError:
    return InputError(Diagnostic("error", "signature-mismatch", text, help=hint))


def _given(path: str, source: Captured, target: Captured) -> dict[str, Expression]:
    """The relation in a file: the table `parameters`, from the target's names to expressions.

    Raises: InputError.
    """
    try:
        data = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as problem:
        raise InputError(Diagnostic("error", "relation-error", f"{path}: {problem}")) from None
    table = data.get("parameters", {})
    hint = 'a table [parameters] with lines "target.name" = "expression over source names"'
    if set(data) - {"parameters"} or not isinstance(table, dict):
        raise InputError(Diagnostic("error", "relation-error", f"{path} is no relation of parameters", help=hint))
    wanted = {t.name: t for t in target.state()}
    sources = {t.name: t for t in source.state()}
    return {name: _read(path, name, text, wanted, sources) for name, text in _flat(table)}


def _flat(table: Mapping[str, object], prefix: str = "") -> list[tuple[str, object]]:
    """The entries of a table. An unquoted name with dots is a table in a table."""
    found: list[tuple[str, object]] = []
    for key, value in table.items():
        name = f"{prefix}{key}"
        found += _flat(value, f"{name}.") if isinstance(value, dict) else [(name, value)]
    return found


def _read(
    path: str, name: str, text: object, wanted: Mapping[str, Tensor], sources: Mapping[str, Tensor]
) -> Expression:
    problem = hint = None
    if name not in wanted:
        problem = f"the target has no parameter `{name}`"
        hint = f"there are: {', '.join(wanted) or 'none'}"
    elif not isinstance(text, str):
        problem = f"`{name}` is given {text!r}, expected an expression in quotes"
    else:
        try:
            found = parse_relation(text, sources)
            shape = wanted[name].shape if isinstance(found, Own) else shape_of(found, sources)
            other = next((n for n in names_in(found) if sources[n].element != wanted[name].element), None)
            if isinstance(found, Own) and not _is_exact(wanted[name]):
                raise BadRelation("its value has integers that are too large")
            if shape == wanted[name].shape and other is None:
                return found
            problem = f"`{name}` has shape {list(wanted[name].shape)}, {text_of(found)} has {list(shape)}"
            if other is not None:
                elements = wanted[name].element, sources[other].element
                problem = f"`{name}` has elements of {elements[0]}, `{other}` of {elements[1]}"
        except BadRelation as error:
            problem = f"`{name}`: {error}"
            hint = f"the source has: {', '.join(sources) or 'no parameters'}"
    raise InputError(Diagnostic("error", "relation-error", f"{path}: {problem}", help=hint))


def _is_exact(tensor: Tensor) -> bool:
    """True if the values of a tensor are held exactly: integers that no `float` represents are rounded."""
    return _width(tensor) is None or all(abs(v) < LARGEST for v in tensor.values)


def _require_related(specs: tuple[str, str], source: Captured, related: Related) -> None:
    if not related.unmatched:
        return
    names = ", ".join(related.unmatched)
    text = f"nothing of {specs[0]} is known to be these parameters of {specs[1]}: {names}"
    there = ", ".join(f"{t.name} {list(t.shape)}" for t in source.state()) or "none"
    hint = (
        "state what they are made of by --inputs R.toml, or give both models the same values (one seed, one state "
        f"dict) so that it can be found; the source has: {there}"
    )
    raise InputError(Diagnostic("error", "parameter-unmatched", text, help=hint))


def _valued(source: Captured, related: Related) -> frozenset[str]:
    """The source's buffers from which nothing of the target is made: they keep their values."""
    buffers = {t.name for t in source.state() if t.kind == "buffer"}
    return frozenset(buffers & set(related.unused))


# What the report says


def _told(
    report: FunctionReport,
    specs: tuple[str, str],
    models: tuple[Captured, Captured],
    related: Related,
    own: frozenset[str],
    trusted: Assumption,
) -> FunctionReport:
    assumptions = (*report.assumptions, *_assumed(related, own), *_fixed(specs, models), trusted)
    return replace(report, name=_name(specs), assumptions=assumptions)


def _assumed(related: Related, own: frozenset[str]) -> list[Assumption]:
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


def _warnings(specs: tuple[str, str], related: Related, own: frozenset[str]) -> list[Diagnostic]:
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
            if not _near(want, _as_read(have, expected), _width(expected) is not None):
                return f"the lowered program computes {have:g} for element {k} of {expected.name}, the model {want:g}"
    return ""


def _buffer(tensor: Tensor) -> Buffer:
    width = _width(tensor)
    return Buffer(tensor.shape, [*tensor.values] if width is None else [int(v) % (1 << width) for v in tensor.values])


def _as_read(value: int | float, tensor: Tensor) -> float:
    """A value as the framework reads it: integers are signed, except truth values."""
    width = _width(tensor) or 1
    negative = isinstance(value, int) and width > 1 and value >> (width - 1)
    return value - (1 << width) if negative else value


def _width(tensor: Tensor) -> int | None:
    """The width of an integer element."""
    found = re.search(r"(?:x|<)i(\d+)>$", tensor.type)
    return None if found is None else int(found[1])


def _near(want: float, have: float, exact: bool) -> bool:
    if not (math.isfinite(want) and math.isfinite(have)) or exact:
        return want == float(have) or (want != want and have != have)
    return abs(want - have) <= CLOSE * max(1.0, abs(want))

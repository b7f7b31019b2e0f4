"""What two captured models must have in common, and the relation of their parameters that a file states."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from hecv.base.diagnostics import Diagnostic, InputError
from hecv.mlir.module.source_text import read_text
from hecv.parameters.captured_model import Captured, CapturedGraph, Tensor
from hecv.parameters.parameter_relation import (
    BadRelation,
    Expression,
    Own,
    names_in,
    parse_relation,
    shape_of,
    text_of,
)
from hecv.tensors.symbolic_sizes import SizeExpression
from hecv.tensors.tensor_graph import TensorGraph, TensorType

LARGEST: Final = 1 << 53
"""Integers below this are exact as floats; larger ones may not be."""


def require_names(specs: tuple[str, str], models: tuple[Captured, Captured]) -> None:
    """Raises: InputError if a name is ambiguous among the parameters."""
    for spec, model in zip(specs, models, strict=True):
        names = Counter(t.name for t in model.state())
        twice = ", ".join(f"`{name}`" for name, count in names.items() if count > 1)
        if twice:
            text, hint = f"{spec} has several parameters of one name: {twice}", "give them keys that differ"
            raise InputError(Diagnostic("error", "parameter-ambiguous", text, help=hint))


def require_inputs(specs: tuple[str, str], source: Captured, target: Captured) -> None:
    """Raises: InputError if the models take different inputs, or their results have different names."""
    first, second = ([t.type for t in model.inputs()] for model in (source, target))
    if first != second:
        text = f"{specs[1]} takes inputs ({', '.join(second)}), expected ({', '.join(first)})"
        raise mismatch(text, "example_args have to agree in number, shapes and types, in their order")
    if source.fixed and target.fixed and source.fixed != target.fixed:
        text = f"{specs[1]} is called with {', '.join(target.fixed)}, expected {', '.join(source.fixed)}"
        raise mismatch(text, "arguments that are no tensors are part of the program: give both the same")
    for what, ours, theirs in zip(("inputs", "results"), source.keys(), target.keys(), strict=True):
        if ours and theirs and ours != theirs:
            text = f"{specs[1]} has {what} with the keys {', '.join(theirs)}, expected {', '.join(ours)}"
            raise mismatch(text, "what stands in dictionaries is paired by keys")
    if source.given != target.given:
        given = [", ".join(model.given) or "nothing else" for model in (source, target)]
        text = f"beside tensors {specs[1]} returns {given[1]}, expected {given[0]}"
        raise mismatch(text, "only tensors are compared: return the same of the rest, or leave it out")


def require_sizes(specs: tuple[str, str], models: tuple[CapturedGraph, CapturedGraph]) -> None:
    """Raises: InputError if the models state different symbolic sizes, or their results have different ones."""
    ours, theirs = (tuple((s.name, s.least, s.most) for s in model.sizes) for model in models)
    if ours != theirs:
        stated = [", ".join(map(str, model.sizes)) or "none" for model in models]
        text = f"{specs[1]} has the symbolic sizes {stated[1]}, expected {stated[0]}"
        raise mismatch(text, "return the same dynamic_shapes of both models")
    if not ours:
        return
    called = {s.name: s.called for s in models[0].sizes}
    kinds = [{x.name: x.type for x in m.graph.leaves} | _types(m.graph) for m in models]
    inputs = [[x.name for x in m.graph.leaves if x.kind == "input"] for m in models]
    results = [[ref.name for _, ref in m.graph.outputs] for m in models]
    for what, names in (("takes inputs", inputs), ("gives results", results)):
        shapes = [[kind[name].shape for name in part] for kind, part in zip(kinds, names, strict=True)]
        if shapes[0] != shapes[1]:
            texts = [", ".join(_text_of_shape(shape, called) for shape in part) for part in shapes]
            raise mismatch(
                f"{specs[1]} {what} ({texts[1]}), expected ({texts[0]})", "shapes have to agree for all sizes"
            )


def _types(graph: TensorGraph) -> dict[str, TensorType]:
    return {name: kind for node in graph.nodes for name, kind in zip(node.results, node.types, strict=True)}


def _text_of_shape(shape: tuple[Any, ...], called: Mapping[str, str]) -> str:
    return "x".join(n.text(called) if isinstance(n, SizeExpression) else str(n) for n in shape)


def mismatch(text: str, hint: str) -> InputError:
    return InputError(Diagnostic("error", "signature-mismatch", text, help=hint))


def given_relation(path: str, source: Captured, target: Captured) -> dict[str, Expression]:
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
    return width_of(tensor) is None or all(abs(v) < LARGEST for v in tensor.values)


def require_results(specs: tuple[str, str], source: Captured, target: Captured) -> None:
    """Raises: InputError if the models do not return tensors of the same types."""
    first, second = ([t.type for t in model.results] for model in (source, target))
    if first != second:
        text = f"{specs[1]} returns ({', '.join(second)}), expected ({', '.join(first)})"
        raise mismatch(text, "both models have to return tensors of the same shapes and types, in the same order")


def unmatched(specs: tuple[str, str], source: Captured, names: Sequence[str]) -> tuple[str, str]:
    """That parameters of the target have no expression, and what to do about it."""
    text = f"nothing of {specs[0]} is known to be these parameters of {specs[1]}: {', '.join(names)}"
    there = ", ".join(f"{t.name} {list(t.shape)}" for t in source.state()) or "none"
    hint = (
        "state what they are made of by --inputs R.toml, or give both models the same values (one seed, one state "
        f"dict) so that it can be found; the source has: {there}"
    )
    return text, hint


def width_of(tensor: Tensor) -> int | None:
    """The width of an integer element; None for floats."""
    found = re.search(r"(?:x|<)i(\d+)>$", tensor.type)
    return None if found is None else int(found[1])

"""Runs graphs of tensors by torch in f64, `python -m hecv.torch.graph_runner REQUEST OUT FILE...`.

Floats of every width are f64 here, also where an op names a narrower type: casts between floats are the identity over
the reals.

REQUEST is an archive: graphs, input sets (the values of all leaves) and the names of the wanted values; OUT will be
one with the wanted values of each graph and set, and why ops could not be run. The user's Python files FILE are run
first if an op is not torch's own: they may register it.
"""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

import torch

from hecv.tensors.graph_files import graph_from_plain, open_archive, write_archive
from hecv.tensors.graph_values import operands_of, refs_in
from hecv.tensors.tensor_graph import Node, Operand, Ref, Scaled, TensorGraph

_DTYPES: Final = {
    "f16": torch.float64,
    "bf16": torch.float64,
    "f32": torch.float64,
    "f64": torch.float64,
    "i1": torch.bool,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
}


_SUMS: Final = ("sum", "mean", "cumsum", "mm", "bmm", "addmm", "baddbmm", "matmul", "linear", "dot", "mv")
"""Ops that add up many numbers: the result is rounded, also to an integer, where these are no integers."""

_SMOOTH: Final = (
    *("exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "tanh", "sinh", "cosh", "erf", "atan"),
    *("sigmoid", "logsigmoid", "log_sigmoid", "softplus", "silu", "gelu", "mish", "softmax", "_softmax", "log_softmax"),
    *("_log_softmax", "logsumexp", "logaddexp", "scaled_dot_product_attention"),
)
"""Functions that have integers as values at 0 and 1 alone: elsewhere an integer, or the operand itself, is rounded."""


class NotRun(Exception):
    """An op that torch does not run here; the text says why."""


def run_graph(
    graph: TensorGraph, leaves: Mapping[str, Any], wanted: frozenset[str], jitter: float = 0.0, device: str = "cpu"
) -> dict[str, Any]:
    """The wanted values of a graph, as NumPy arrays, from those of its leaves; its ops run on the device.

    Each float that an op computes, as one that may be rounded, is changed by at most `jitter`, relative: equal ones
    alike, and not those that are exact: those that an operand has, of either sign, or that are integers, unless the op
    has rounded them.

    Raises: NotRun.
    """
    kept = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with torch.no_grad():
            return _values(graph, leaves, wanted, jitter, torch.device(device))
    finally:
        torch.set_default_dtype(kept)


def _values(
    graph: TensorGraph, leaves: Mapping[str, Any], wanted: frozenset[str], jitter: float, device: torch.device
) -> dict[str, Any]:
    # A value is on the device until its last use, and a leaf from its first.
    reads = [operands_of(node) for node in graph.nodes]
    uses = Counter(ref for operands in reads for ref in operands)
    found: dict[str, Any] = {}
    live: dict[str, Any] = {}
    for node, operands in zip(graph.nodes, reads, strict=True):
        live |= {ref: _leaf(leaves[ref], device) for ref in operands if ref not in live}
        try:
            made = _run(node, live, device)
        except NotRun:
            raise
        except Exception as problem:
            text = str(problem).strip().partition("\n")[0]
            place = f" at {node.place}" if node.place else ""
            raise NotRun(f"torch does not run {node.op}{place} in f64: {text}") from problem
        for name, value in zip(node.results, made, strict=True):
            live[name] = value.double() if value.is_floating_point() else value
            if jitter and value.is_floating_point():
                live[name] = _jittered(live[name], node, live, jitter)
            if name in wanted:
                found[name] = live[name].detach().cpu().contiguous().numpy().copy()
        for ref in operands:
            uses[ref] -= 1
            if not uses[ref]:
                del live[ref]
    for leaf in graph.leaves:
        if leaf.name in wanted:
            found[leaf.name] = _leaf(leaves[leaf.name], torch.device("cpu")).numpy()
    return found


def _leaf(value: Any, device: torch.device) -> Any:
    """The value of a leaf on the device, floats in f64."""
    array, factor = (value.array, value.factor) if isinstance(value, Scaled) else (value, 1.0)
    tensor = torch.as_tensor(array, device=device)
    tensor = tensor.double() if tensor.is_floating_point() else tensor
    return tensor if factor == 1 else tensor * factor


def _jittered(value: Any, node: Node, live: Mapping[str, Any], jitter: float) -> Any:
    noise = torch.sin(value.contiguous().view(torch.int64).remainder(1_000_003).double())
    return torch.where(_is_exact(value, node, live), value, value * (1 + jitter * noise))


def _is_exact(value: Any, node: Node, live: Mapping[str, Any]) -> Any:
    """Where a value that an op computed is not rounded. The error of a sum of two numbers is computed (Knuth's
    TwoSum)."""
    kind = node.op.partition(".")[2].partition(".")[0]
    operands = [live[ref] for ref in operands_of(node) if live[ref].is_floating_point()]
    infinite = ~value.isfinite()
    if kind in _SMOOTH:
        same = [x for x in operands if x.shape == value.shape] if len(operands) == 1 else []
        return infinite | ((value == value.round()) & ((same[0] == 0) | (same[0] == 1))) if same else infinite
    exact = value == value.round()
    if kind in _SUMS:
        return infinite | exact if all(bool((x == x.round()).all()) for x in operands) else infinite
    for operand in operands:
        exact |= among(value.abs().contiguous(), operand.abs().contiguous())
    if kind in ("add", "sub", "rsub"):
        one, other = (live[o.name] if isinstance(o, Ref) else cast(float, o) for o in node.operands[:2])
        one, other = (other, one) if kind == "rsub" else (one, other)
        factor = cast(float, node.keywords.get("alpha", node.operands[2] if len(node.operands) > 2 else 1))
        other = other * (factor if kind == "add" else -factor)
        rest = value - one
        exact &= (one - (value - rest)) + (other - rest) == 0
    return infinite | exact


def among(values: Any, elements: Any) -> Any:
    """Where finite values are among the elements, which may be many more: the longer of both is not sorted."""
    ordered = values[values.isfinite()].unique()
    if elements.numel() <= values.numel() or not ordered.numel():
        return torch.isin(values, elements)
    flat, last = elements.reshape(-1), ordered.numel() - 1
    at = torch.searchsorted(ordered, flat).clamp(max=last)
    found = torch.zeros_like(ordered, dtype=torch.bool)
    found[at[ordered[at] == flat]] = True
    at = torch.searchsorted(ordered, values).clamp(max=last)
    return found[at] & (ordered[at] == values)


def _run(node: Node, live: Mapping[str, Any], device: torch.device) -> list[Any]:
    if node.op == "dist.reduce":
        return [_reduced(node, live)]
    if node.op == "dist.concat":
        return [torch.cat([live[name] for name in refs_in(node.operands[0])], cast(int, node.operands[1]))]
    function, positional, others = _operator(node.op)
    operands = [_value(o, kind, live, device) for o, kind in zip(node.operands, positional, strict=True)]
    keywords = {name: _value(node.keywords[name], kind, live, device) for name, kind in others if name in node.keywords}
    made = function(*operands, **keywords)
    return [t for t in made if t is not None] if isinstance(made, (list, tuple)) else [made]


def _reduced(node: Node, live: Mapping[str, Any]) -> Any:
    """A reduction over ranks (`hecv.refine.joined_graph`)."""
    parts = torch.stack([live[name] for name in refs_in(node.operands[0])])
    match node.operands[1]:
        case "sum":
            return parts.sum(0)
        case "avg":
            return parts.mean(0)
        case "product":
            return parts.prod(0)
        case kind:
            return parts.amax(0) if kind == "max" else parts.amin(0)


@cache
def _operator(name: str) -> tuple[Any, list[str], list[tuple[str, str]]]:
    """An op, with the types of its operands, and the names and types of its keywords."""
    namespace, op, overload = name.split(".")
    try:
        function = getattr(getattr(getattr(torch.ops, namespace), op), overload)
    except AttributeError:
        raise NotRun(f"torch has no op {name} here") from None
    arguments = function._schema.arguments
    positional = [str(a.real_type) for a in arguments if not a.kwarg_only]
    return function, positional, [(a.name, str(a.real_type)) for a in arguments if a.kwarg_only]


def _value(operand: Operand, kind: str, live: Mapping[str, Any], device: torch.device) -> Any:
    if isinstance(operand, Ref):
        return live[operand.name]
    if isinstance(operand, tuple):
        return [_value(o, kind, live, device) for o in operand]
    if isinstance(operand, str):
        if "ScalarType" in kind:
            return _DTYPES[operand]
        if "Device" in kind:
            return device
        if "Layout" in kind or "MemoryFormat" in kind:
            return getattr(torch, operand)
    return operand


def _register(files: Iterable[str]) -> None:
    """Runs the user's files for the ops that they register; what they print goes to standard error."""
    for number, file in enumerate(files):
        sys.path.insert(0, str(Path(file).resolve().parent))
        spec = importlib.util.spec_from_file_location(f"{Path(file).stem}_{number}", file)
        if spec is not None and spec.loader is not None:
            # An op that this does not register is reported as one that is not there.
            with suppress(Exception):
                spec.loader.exec_module(importlib.util.module_from_spec(spec))


def device_of(wanted: str) -> str:
    """The device that `cpu`, `cuda` or `auto` is here.

    Raises: NotRun if torch cannot use a GPU.
    """
    if wanted == "cpu" or (wanted == "auto" and not torch.cuda.is_available()):
        return "cpu"
    if not torch.cuda.is_available():
        raise NotRun(f"torch {torch.__version__} finds no GPU that it can use")
    return "cuda"


def main(request: str, out: str, *files: str) -> None:
    with open_archive(Path(request)) as (plain, arrays):
        answer, found = _answer(plain, arrays, files)
    write_archive(Path(out), answer, found)


def _answer(plain: Any, arrays: Mapping[str, Any], files: Iterable[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What `main` writes for a request."""
    try:
        device = device_of(plain["device"])
    except NotRun as problem:
        return {"problems": [], "refused": str(problem)}, {}
    if any(not node[0].startswith("aten.") for data in plain["graphs"] for node in data["nodes"]):
        _register(dict.fromkeys(files))
    found: dict[str, Any] = {}
    problems: list[list[Any]] = []
    for side, data in enumerate(plain["graphs"]):
        graph, wanted = graph_from_plain(data, {}), frozenset(plain["wanted"][side])
        sets: int = plain["sets"]
        for number in range(sets):
            # What all sets share stands after the last of them.
            keys = {leaf.name: f"{side}/{number}/{leaf.name}" for leaf in graph.leaves}
            leaves = {n: arrays[k if k in arrays else f"{side}/{sets}/{n}"] for n, k in keys.items()}
            try:
                values = run_graph(graph, leaves, wanted, plain["jitter"][side], device)
            except NotRun as problem:
                problems.append([side, str(problem)])
                break
            found |= {f"{side}/{number}/{name}": value for name, value in values.items()}
    return {"problems": problems, "refused": None}, found


if __name__ == "__main__":
    main(*sys.argv[1:])

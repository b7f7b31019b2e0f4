"""Captures a JAX program of several devices, by `shard_map` or by shardings alone, as the program of each.

`shard_map` has the program of a device in StableHLO, with its collectives. Where shardings alone say what a device has,
XLA's partitioner makes that program, and it is read as the partitioner leaves it, before fusion.
"""

from __future__ import annotations

import inspect
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import jax
import numpy as np
from jaxlib import _jax  # pyright: ignore[reportAttributeAccessIssue]
from jaxlib.mlir import ir
from msgspec import Struct

from hecv.jax.function_capture import ELEMENTS, failure_of, flattened, graph_of, unknown_element
from hecv.jax.graph_emitter import GraphEmitter, NotRead
from hecv.jax.sharding_layouts import Part, assembled, cut, parts_of_shardings, parts_of_tiles
from hecv.jax.stablehlo_reader import StableHloReader, logged_in_scope
from hecv.parameters.captured_model import Failure, path_of
from hecv.tensors.logged_tensors import logging_to
from hecv.tensors.tensor_graph import TensorGraph, TensorType

_PASS: Final = "spmd-partition.*"
_AFTER: Final = "after_spmd-partitioning"


class WrongDevices(Exception):
    """A program on another number of devices than there are ranks."""


class RankPrograms(Struct, frozen=True):
    """The programs of all ranks; `leaves` and `outputs` are, by name, the expression over ranks of the tensor that the
    program as a whole takes or gives, as its shardings say."""

    graphs: tuple[TensorGraph, ...]
    leaves: dict[str, str]
    outputs: dict[str, str]


class _Program(Struct, frozen=True):
    """The program of a device: its body, and the parts of arguments and results by device."""

    module: Any
    body: Any
    arguments: list[list[Part]]
    results: list[list[Part]]


def is_of_jax(arguments: Any) -> bool:
    """Whether an array of JAX is among arguments."""
    return any(isinstance(leaf, jax.Array) for leaf in jax.tree_util.tree_leaves(arguments))


def capture_alone(function: Callable[..., Any], arguments: tuple[Any, ...], name: str) -> TensorGraph | Failure:
    """A sequential program; names as `capture_sharded` has them."""
    found = capture_sharded(function, arguments, name, 1)
    return found if isinstance(found, Failure) else found.graphs[0]


@logging_to(logged_in_scope)
def capture_sharded(
    function: Callable[..., Any], arguments: tuple[Any, ...], name: str, ranks: int
) -> RankPrograms | Failure:
    """The program of each of several devices. Inputs have the names of the function's parameters (with keys and places
    of what lies in structures), what lies in a dictionary the path of its keys, results `out`, `out.0`, or their keys.
    """
    jax.clear_caches()  # traces in which nothing is logged
    leaves = jax.tree_util.tree_flatten_with_path(arguments)[0]
    results = jax.tree_util.tree_flatten_with_path(jax.eval_shape(function, *arguments))[0]
    unknown = unknown_element([leaf for _, leaf in (*leaves, *results)])
    if unknown is not None:
        return Failure("unsupported-op", f"arrays of {unknown} are not supported", unsupported=True)
    shapes = [tuple(leaf.shape) for _, leaf in results]
    names = _names(function, [path for path, _ in leaves], arguments)
    outputs = [_output_name(path_of(path)) for path, _ in results]
    arrays = [np.asarray(leaf) for _, leaf in leaves]
    try:
        program = _program(function, arguments, [a.shape for a in arrays], shapes, ranks)
        graphs = tuple(
            _of_rank(rank, ranks, program, name, list(zip(names, arrays, strict=True)), outputs)
            for rank in range(ranks)
        )
    except NotRead as problem:
        return failure_of(problem)
    except WrongDevices as problem:
        hint = "make the mesh of jax.devices(), of which there are as many as ranks"
        return Failure("devices-mismatch", str(problem), help=hint)
    return RankPrograms(
        graphs,
        _relations([n for n, _ in names], program.arguments),
        _relations(outputs, program.results),
    )


def _relations(names: Sequence[str], parts: Sequence[list[Part]]) -> dict[str, str]:
    made = {n: assembled(each, n) for n, each in zip(names, parts, strict=True)}
    return {n: text for n, text in made.items() if text is not None}


def _of_rank(
    rank: int,
    ranks: int,
    program: _Program,
    name: str,
    given: Sequence[tuple[tuple[str, str], Any]],
    outputs: Sequence[str],
) -> TensorGraph:
    emitter = GraphEmitter(lambda stored, _: stored)
    reader = StableHloReader(program.module, emitter, rank)
    values = [
        emitter.leaf(n, kind, TensorType(part.shape, ELEMENTS[str(part.dtype)]), part)
        for ((n, kind), array), parts in zip(given, program.arguments, strict=True)
        for part in (cut(array, parts[rank]),)
    ]
    return graph_of(name, emitter, outputs, reader.read(program.body, values))


def _program(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    given: Sequence[tuple[int, ...]],
    made: Sequence[tuple[int, ...]],
    ranks: int,
) -> _Program:
    jitted: Any = function if hasattr(function, "lower") else jax.jit(function, keep_unused=True)
    lowered = jitted.lower(*arguments)
    module = lowered.compiler_ir("stablehlo")
    devices = int(ir.IntegerAttr(module.operation.attributes["mhlo.num_partitions"]).value)
    if devices != ranks:
        raise WrongDevices(f"the program runs on {devices} devices, expected {ranks}")
    reader = StableHloReader(module, GraphEmitter(lambda stored, _: stored))
    body = reader.function("main")
    if ranks == 1:
        if len(body.arguments) != len(given):
            flat, arrays = flattened(function, arguments)
            module = jax.jit(flat, keep_unused=True).lower(*arrays).compiler_ir("stablehlo")
            body = StableHloReader(module, GraphEmitter(lambda stored, _: stored)).function("main")
        return _Program(module, body, [[_whole(s)] for s in given], [[_whole(s)] for s in made])
    if len(body.arguments) != len(given):
        raise NotRead("the program leaves arguments unused: give none that it does not use")
    return _by_hand(module, body, given, made) or _partitioned(lowered, module, given, made, ranks)


def _whole(shape: tuple[int, ...]) -> Part:
    return tuple((0, size) for size in shape)


def _by_hand(
    module: Any, body: Any, given: Sequence[tuple[int, ...]], made: Sequence[tuple[int, ...]]
) -> _Program | None:
    """The program of `shard_map` over all axes of its mesh, if there is nothing around it."""
    ops = [op.operation for op in body.operations]
    if len(ops) != 2 or ops[0].name != "sdy.manual_computation":
        return None
    if list(ops[0].operands) != list(body.arguments) or list(ops[1].operands) != list(ops[0].results):
        return None
    manual = set(re.findall(r'"([^"]+)"', str(ops[0].attributes["manual_axes"])))
    used = {axis for op in module.body.operations if op.operation.name == "sdy.mesh" for axis in _axes(op.operation)}
    if manual != used:
        return None
    arguments = parts_of_shardings(module, ops[0].attributes["in_shardings"], given)
    results = parts_of_shardings(module, ops[0].attributes["out_shardings"], made)
    return _Program(module, ops[0].regions[0].blocks[0], arguments, results)


def _axes(mesh: Any) -> list[str]:
    return re.findall(r'"([^"]+)"\s*=\s*\d+', str(mesh.attributes["mesh"]).partition("{")[0])


def _partitioned(
    lowered: Any, module: Any, given: Sequence[tuple[int, ...]], made: Sequence[tuple[int, ...]], ranks: int
) -> _Program:
    """The program that XLA's partitioner makes."""
    with tempfile.TemporaryDirectory(prefix="hecv-") as folder:
        options = {"xla_dump_to": folder, "xla_dump_hlo_pass_re": _PASS, "xla_dump_hlo_as_proto": True}
        lowered.compile(compiler_options=options)
        dumps = sorted(p for p in Path(folder).iterdir() if _AFTER in p.name and p.name.endswith(".hlo.pb"))
        if not dumps:
            raise NotRead("XLA's partitioner left no program")
        text = _jax.mlir.hlo_to_stablehlo(_module_of(dumps[-1].read_bytes()))
    found = ir.Module.parse(text, context=module.context)
    body = StableHloReader(found, GraphEmitter(lambda stored, _: stored)).function("main")
    attributes = found.operation.attributes
    arguments = [ir.StringAttr(a).value for a in ir.ArrayAttr(attributes["mhlo.spmd_parameters_shardings"])]
    results = _split(ir.StringAttr(attributes["mhlo.spmd_output_sharding"]).value, len(made))
    return _Program(
        found,
        body,
        [parts_of_tiles(text, shape, ranks) for text, shape in zip(arguments, given, strict=True)],
        [parts_of_tiles(text, shape, ranks) for text, shape in zip(results, made, strict=True)],
    )


def _split(text: str, count: int) -> list[str]:
    """The shardings of a tuple, `{{replicated}, {devices=[2]<=[2]}}`; of one result its own."""
    inner = re.findall(r"\{(?:[^{}]|\{[^{}]*\})*\}", text[1:-1]) if text.startswith("{{") else [text]
    if len(inner) != count:
        raise NotRead(f"shardings {text} of {count} results")
    return inner


def _module_of(data: bytes) -> bytes:
    """The `HloModuleProto` in an `HloProto`: its field 1, after a tag of one byte and the length as a varint."""
    if not data or data[0] != 0x0A:
        raise NotRead("XLA wrote a program in another form")
    size = shift = 0
    at = 1
    while True:
        byte = data[at]
        at, size, shift = at + 1, size | (byte & 0x7F) << shift, shift + 7
        if byte < 0x80:
            return data[at : at + size]


def _names(
    function: Callable[..., Any], paths: Sequence[tuple[Any, ...]], arguments: tuple[Any, ...]
) -> list[tuple[str, str]]:
    """The names and kinds of arguments."""
    own: list[str] = []
    with suppress(ValueError, TypeError):
        own = [p.name for p in inspect.signature(function).parameters.values() if p.kind != p.VAR_POSITIONAL]
    spelled = [path_of(path) for path in paths]
    held = [isinstance(arguments[path[0].idx], dict) and len(path) > 1 for path in paths]
    uses = Counter(".".join(map(str, path[1:])) for path, h in zip(spelled, held, strict=True) if h)
    found: list[tuple[str, str]] = []
    for (first, *rest), is_held in zip(spelled, held, strict=True):
        name = own[first] if isinstance(first, int) and first < len(own) else f"input{first}"
        short = ".".join(map(str, rest))
        if is_held and uses[short] == 1:
            found.append((short, "parameter"))
        else:
            found.append((".".join([name, *map(str, rest)]), "parameter" if is_held else "input"))
    return found


def _output_name(path: Sequence[int | str]) -> str:
    return ".".join(["out", *map(str, path)] if not path or isinstance(path[0], int) else map(str, path))

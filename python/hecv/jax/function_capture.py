"""Captures a JAX function as a graph of tensors: lowered to StableHLO, and read in ops with definitions.

A dictionary among the arguments holds parameters, named by the path of their keys; any other array is an input.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, Final

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from hecv.jax.graph_emitter import GraphEmitter, NotRead, Value
from hecv.jax.stablehlo_reader import StableHloReader, float_literals
from hecv.parameters.captured_model import CapturedGraph, Failure, Kind, named, path_of
from hecv.tensors.logged_tensors import with_logged
from hecv.tensors.tensor_graph import Ref, TensorGraph, TensorType

ELEMENTS: Final = {
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "bool": "i1",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
}
_DTYPES: Final = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32}

LARGEST: Final = 1e30
"""Literals from here on are taken as they are: masks have the least finite number of their type."""

Names = list[tuple[str, Kind]]


def capture_function(function: Callable[..., Any], arguments: tuple[Any, ...], name: str) -> CapturedGraph | Failure:
    """The function as a graph of tensors, with the values of its parameters and of its example inputs."""
    leaves = jax.tree_util.tree_flatten_with_path(arguments)[0]
    results = jax.tree_util.tree_flatten_with_path(jax.eval_shape(function, *arguments))[0]
    unknown = unknown_element([leaf for _, leaf in (*leaves, *results)])
    if unknown is not None:
        return Failure("unsupported-op", f"arrays of {unknown} are not supported", unsupported=True)
    names = argument_names([path for path, _ in leaves], arguments)
    flat, arrays = flattened(function, arguments)
    module = jax.jit(flat, keep_unused=True).lower(*arrays).compiler_ir("stablehlo")
    emitter = GraphEmitter(exact_literals(flat, arrays))
    reader = StableHloReader(module, emitter)
    try:
        given = [give(emitter, *each, array) for each, array in zip(names, arrays, strict=True)]
        made = reader.read(reader.function("main"), given)
        outputs = [named("result", k, path_of(path)) for k, (path, _) in enumerate(results)]
        graph = graph_of(name, emitter, outputs, made)
    except NotRead as problem:
        return failure_of(problem)
    literals = tuple(f"{stored!r} for {exact!r}" for stored, exact in emitter.taken.items())
    return CapturedGraph("jax", graph, literals=literals)


def failure_of(problem: NotRead) -> Failure:
    """Why a program is no graph of tensors, with its line."""
    place = f" ({problem.place})" if problem.place else ""
    return Failure("unsupported-op", f"{problem}{place}", unsupported=True)


def graph_of(name: str, emitter: GraphEmitter, outputs: Sequence[str], made: Sequence[Value]) -> TensorGraph:
    """The graph with these results."""
    refs = [emitter.name(value) for value in made]
    nodes = emitter.needed([*refs, *(value for value, _ in emitter.logged)])
    outcome = tuple((n, Ref(ref)) for n, ref in zip(outputs, refs, strict=True))
    graph = TensorGraph(name, tuple(emitter.leaves.values()), nodes, outcome, emitter.arrays)
    return with_logged(graph, emitter.logged)


def give(emitter: GraphEmitter, name: str, kind: str, array: Any) -> Value:
    """An argument as a leaf."""
    found = np.asarray(array)
    return emitter.leaf(name, kind, TensorType(tuple(found.shape), ELEMENTS[str(found.dtype)]), found)


def flattened(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Callable[..., Any], list[Any]]:
    """The function as one of the arrays in its arguments, and these."""
    arrays, structure = jax.tree_util.tree_flatten(arguments)
    return lambda *given: function(*jax.tree_util.tree_unflatten(structure, given)), [jnp.asarray(a) for a in arrays]


def exact_literals(function: Callable[..., Any], arrays: Sequence[Any]) -> Callable[[float, str], float]:
    """For a literal as it is stored, the number that was rounded to it: one that the function computes with in f64, or
    else the shortest decimal."""
    found: set[float] = set()
    try:
        with jax.enable_x64(True):
            wide = [jnp.asarray(a, jnp.float64) if jnp.issubdtype(a.dtype, jnp.floating) else a for a in arrays]
            found = float_literals(jax.jit(function, keep_unused=True).lower(*wide).compiler_ir("stablehlo"))
    except Exception:  # a function that takes no f64: decimals have to do
        found = set()

    def exact(stored: float, element: str) -> float:
        dtype = _DTYPES.get(element)
        if dtype is None or not abs(stored) < LARGEST or stored == round(stored):
            return stored
        near = {x for x in found if float(np.asarray(x).astype(dtype)) == stored}
        if len(near) == 1:
            return near.pop()
        return stored if stored in near else float(str(np.asarray(stored).astype(dtype)))

    return exact


def unknown_element(arrays: Sequence[Any]) -> str | None:
    """An element type that has no counterpart in graphs of tensors."""
    dtypes = (str(a.dtype if hasattr(a, "dtype") else jnp.asarray(a).dtype) for a in arrays)
    return next((name for name in dtypes if name not in ELEMENTS), None)


def argument_names(paths: list[tuple[Any, ...]], arguments: tuple[Any, ...]) -> Names:
    """The names and kinds of arguments. A parameter is named by its key, with more of its path if keys are
    ambiguous."""
    held = [len(path) > 1 and isinstance(arguments[path[0].idx], dict) for path in paths]
    spellings: tuple[Callable[[tuple[Any, ...]], str], ...] = (
        lambda path: ".".join(map(str, path_of(path)[1:])),
        lambda path: f"argument{path[0].idx}.{'.'.join(map(str, path_of(path)[1:]))}",
        jax.tree_util.keystr,
    )
    uses = Counter(spell(path) for path, h in zip(paths, held, strict=True) if h for spell in spellings)
    found: Names = []
    inputs = count()
    for path, is_held in zip(paths, held, strict=True):
        if is_held:
            found.append((next(s for s in (spell(path) for spell in spellings) if uses[s] == 1), "parameter"))
        else:
            found.append((named("input", next(inputs), path_of(path)[1:]), "input"))
    return found

"""Captures a torch module as a graph of tensors: `torch.export`, with aten's ops as the module called them.

Composite ops (`linear`, `scaled_dot_product_attention`, `layer_norm`) stay whole. Ops that change a tensor in place are
replaced by functional ones, `torch.vmap` by ops on batches, and ops without a definition (`mse_loss`, `pixel_shuffle`)
by what torch says that they are made of.
"""

from __future__ import annotations

import inspect
import operator
import os
import re
import traceback
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, Final

import numpy as np
import torch
from msgspec.structs import replace
from torch import fx, nn
from torch._decomp import decomposition_table
from torch._dynamo.exc import UserError
from torch.export.graph_signature import InputKind, OutputKind
from torch.fx.experimental.symbolic_shapes import ConstraintViolationError
from torch.utils._sympy.value_ranges import ValueRangeError

from hecv.parameters.captured_model import UNSUPPORTED_SIZES, CapturedGraph, FailedRun, Failure, named
from hecv.parameters.export_errors import explained
from hecv.tensors.definitions import definition_of
from hecv.tensors.definitions.op_definition import is_integer
from hecv.tensors.graph_values import operands_of
from hecv.tensors.tensor_graph import Leaf, Node, Operand, Ref, SourceLine, TensorGraph, TensorType
from hecv.torch.dynamic_shapes import DOCUMENTED, BadShapes, SizeReader, refusal_text, shapes_of_tensors, unchecked
from hecv.torch.module_calls import ELEMENTS, ModuleCall, call_module, same_plain_results, uncalled
from hecv.torch.pytrees import Leaves, filled, plain_of, result_leaves, tensors_of

Overload: Any = torch._ops.OpOverload  # pyright: ignore[reportPrivateUsage]
_HIGHER: Any = torch._ops.HigherOrderOperator  # pyright: ignore[reportPrivateUsage]
_MODULE: Final = "module"
_FRAME: Final = re.compile(r'File "([^"]+)", line (\d+), in [^\n]*\n *([^\n]*)')
_FRAMEWORK: Final = tuple(os.path.dirname(f) + os.sep for f in (inspect.getfile(torch), inspect.getfile(np), __file__))
_MAPPING: Final = "torch._functorch.predispatch"
_ALIASING: Final = ("aten::detach_", "aten::lift_fresh_copy")
"""Ops marked as in place, or as copies of constants, that change no element: `aten.detach` has the same value."""
_CHECKS: Final = ("aten::_assert_tensor_metadata", "aten::_assert_async", "aten::sym_constrain_range_for_size")
"""Ops without results that only check what the export has fixed."""
_ROUNDS: Final = 6
"""Times, at most, that what ops are made of is decomposed."""
_KINDS: Final = {
    InputKind.PARAMETER: "parameter",
    InputKind.BUFFER: "buffer",
    InputKind.CONSTANT_TENSOR: "constant",
    InputKind.USER_INPUT: "input",
}


_REFUSED: Final = (UserError, ConstraintViolationError, ValueRangeError)


class Unsupported(Exception):
    """A part of an exported program that a graph of tensors cannot hold, and the line that it is of."""

    def __init__(self, text: str, place: SourceLine | None = None) -> None:
        super().__init__(text)
        self.place = place


class _Flat(nn.Module):
    """A module as a function from the tensors in its arguments to those in its results.

    All results are passed to `note`.
    """

    def __init__(self, module: nn.Module, arguments: tuple[Any, ...], noted: list[Leaves]) -> None:
        super().__init__()
        self.module = module
        self.fill = lambda tensors: filled(arguments, tensors)
        self.note = noted.append

    def forward(self, *tensors: torch.Tensor) -> list[torch.Tensor]:
        found = result_leaves(self.module(*self.fill(tensors)))
        self.note(found)
        return tensors_of(found)


def capture_graph(
    module: nn.Module, arguments: tuple[Any, ...], name: str, dynamic: Any = None
) -> CapturedGraph | Failure:
    """The module as a graph of tensors, with the values of its parameters, buffers and constants, and of its example
    inputs. A model that does not run because an index is out of range is exported all the same. With `dynamic` shapes,
    as `torch.export` takes them, sizes are symbolic."""
    if dynamic is not None:
        return _with_symbols(module, arguments, name, dynamic)
    failed: Exception | None = None
    try:
        call = call_module(module, _state_of(module), arguments)
    except (IndexError, RuntimeError) as problem:
        call, failed = uncalled(arguments), problem
    if isinstance(call, Failure):
        return call
    if failed is None:
        return _exported(module, arguments, name, call, None)
    with suppress(Exception):
        found = _exported(module, arguments, name, call, failed)
        if isinstance(found, CapturedGraph):
            return found
    raise failed


def _state_of(module: nn.Module) -> dict[str, torch.Tensor]:
    return {n: t.detach() for n, t in (*module.named_parameters(), *module.named_buffers())}


def _with_symbols(module: nn.Module, arguments: tuple[Any, ...], name: str, dynamic: Any) -> CapturedGraph | Failure:
    try:
        call = call_module(module, _state_of(module), arguments)
        if isinstance(call, Failure):
            return _not_symbolic(call)
        stated = shapes_of_tensors(module, arguments, call.given, dynamic)
        found = _exported(module, arguments, name, call, None, stated)
    except BadShapes as problem:
        return Failure("dynamic-shapes", str(problem), help=DOCUMENTED)
    except _REFUSED as problem:
        if explained(problem):
            raise
        return Failure("dynamic-shapes", f"torch.export refuses dynamic_shapes: {refusal_text(problem)}")
    return _not_symbolic(found) if isinstance(found, Failure) else found


def _not_symbolic(found: Failure) -> Failure:
    return replace(found, name=UNSUPPORTED_SIZES) if found.unsupported else found


def _exported(
    module: nn.Module,
    arguments: tuple[Any, ...],
    name: str,
    call: ModuleCall,
    failed: Exception | None,
    stated: tuple[Any, ...] | None = None,
) -> CapturedGraph | Failure:
    noted: list[Leaves] = []
    with torch.no_grad(), user_frames():
        program = torch.export.export(
            _Flat(module, arguments, noted),
            tuple(call.tensors),
            dynamic_shapes=None if stated is None else {"tensors": stated},
            strict=False,
        )
        granted = unchecked(program, stated or (), _user_inputs(program))
        if granted:
            text = f"torch.export takes for granted of sizes: {granted}"
            return Failure("unsupported-op", f"{text}; state a `Dim` with a range where that holds", unsupported=True)
        if any(_changes(node) or _maps(node) for part in _graphs(program.graph_module) for node in part.nodes):
            program = program.run_decompositions({})
        program = _decomposed(program)
    if failed is not None:
        call.results = noted[0]
    other = same_plain_results(call, [plain_of(found) for found in noted])
    if other is not None:
        return other
    try:
        reader = _Reader(program, call, stated)
        graph = reader.read(name)
    except Unsupported as problem:
        line, file = (problem.place.line, problem.place.file) if problem.place else (0, "")
        return Failure("unsupported-op", str(problem), line, unsupported=True, file=file)
    return CapturedGraph(
        "torch", graph, plain_of(call.given), call.plain, failed and _failed_run(failed), sizes=reader.sizes.symbols
    )


def _decomposed(program: Any) -> Any:
    """The program with torch's decompositions of ops without a definition, and of what these are made of.

    A round traces the whole program anew, so there is none for what an earlier one has left as it was.
    """
    tried = set[Any]()
    for _ in range(_ROUNDS):
        nodes = (node for part in _graphs(program.graph_module) for node in part.nodes)
        unknown = tried | {node.target for node in nodes if _is_undefined(node)}
        known: Any = {**decomposition_table, **torch.export.default_decompositions()} if unknown > tried else {}
        table = {op: known[op] for op in unknown if op in known}
        if not table.keys() - tried:
            break
        try:
            program = program.run_decompositions(table)
        except Exception:  # what a decomposition does not know: the op stays
            break
        tried = unknown
    return program


def _is_undefined(node: fx.Node) -> bool:
    """Whether a node has an op on tensors that has no definition. Sizes are read from the graph's symbols."""
    target: Any = node.target
    is_size = isinstance(node.meta.get("val"), (torch.SymInt, torch.SymFloat))
    return isinstance(target, Overload) and not is_size and definition_of(operator_name(target)) is None


def _failed_run(problem: Exception) -> FailedRun:
    """The exception, with the innermost line of the user's code in its traceback."""
    own = [f for f in traceback.extract_tb(problem.__traceback__) if not is_framework(f.filename)]
    place = SourceLine(own[-1].filename, own[-1].lineno or 0, own[-1].line or "") if own else None
    text = str(problem).strip().partition("\n")[0]
    return FailedRun(f"{type(problem).__name__}: {text}", place)


@contextmanager
def user_frames() -> Generator[None]:
    """Lets the export note the innermost frame of the user's code for each op. By itself it notes only frames of
    functions called `forward`."""
    tracer: Any = fx.proxy.TracerBase
    kept = tracer._filter_traceback_frames

    def filtered(_: object, frames: traceback.StackSummary) -> traceback.StackSummary:
        return traceback.StackSummary.from_list([f for f in frames if not is_framework(f.filename)][-1:])

    tracer._filter_traceback_frames = filtered
    try:
        yield
    finally:
        tracer._filter_traceback_frames = kept


@cache
def is_framework(file: str) -> bool:
    return os.path.abspath(file).startswith(_FRAMEWORK) or file.startswith("<")


def _graphs(module: fx.GraphModule) -> Iterator[fx.Graph]:
    yield from (part.graph for part in module.modules() if isinstance(part, fx.GraphModule))


def _changes(node: fx.Node) -> bool:
    """Whether an op changes an operand."""
    target: Any = node.target
    return isinstance(target, Overload) and target._schema.is_mutable and target._schema.name not in _ALIASING


def _maps(node: fx.Node) -> bool:
    """Whether a node begins or ends a `torch.vmap`."""
    return node.op == "call_function" and getattr(node.target, "__module__", "") == _MAPPING


class _Reader:
    """Reads an exported program; `values` has the operand for each of its nodes."""

    def __init__(self, program: Any, call: ModuleCall, stated: tuple[Any, ...] | None = None) -> None:
        self._program = program
        self._call = call
        inputs = _user_inputs(program)
        self.sizes = SizeReader(program, stated or [None] * len(inputs), call.tensors, inputs)
        self._leaves: dict[str, Leaf] = {}
        self._arrays: dict[str, Any] = {}
        self._nodes: list[Node] = []
        self._shared: dict[tuple[Any, ...], Ref] = {}

    def read(self, name: str) -> TensorGraph:
        module: fx.GraphModule = self._program.graph_module
        placeholders = _placeholders(self._program)
        values: dict[fx.Node, Operand] = dict(zip(placeholders, self._inputs(placeholders), strict=True))
        made = self._graph(module, values, "")
        specs = self._program.graph_signature.output_specs
        if any(spec.kind != OutputKind.USER_OUTPUT for spec in specs):
            raise Unsupported("the exported program changes a buffer or an input")
        paths = [path for path, leaf in self._call.results if isinstance(leaf, torch.Tensor)]
        names = [named("result", k, path) for k, path in enumerate(paths)]
        outputs = tuple((n, _single(value)) for n, value in zip(names, made, strict=True))
        return TensorGraph(name, tuple(self._leaves.values()), tuple(self._nodes), outputs, self._arrays)

    # Leaves

    def _inputs(self, placeholders: Sequence[fx.Node]) -> Iterator[Ref]:
        paths = iter([path for path, leaf in self._call.given if isinstance(leaf, torch.Tensor)])
        tensors = iter(self._call.tensors)
        for number, spec in enumerate(self._program.graph_signature.input_specs):
            kind = _KINDS.get(spec.kind)
            if kind is None:
                raise Unsupported(f"the exported program takes a {spec.kind.name.lower()}")
            if kind == "input":
                position = sum(leaf.kind == "input" for leaf in self._leaves.values())
                kind_of = self._type(placeholders[number].meta["val"])
                yield self._leaf(named("input", position, next(paths)), kind, next(tensors), kind_of)
                continue
            tensor = self._state(spec.target)
            if not isinstance(tensor, torch.Tensor):
                raise Unsupported(f"`{_path(spec.target)}` is no tensor")
            key = (tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype)
            if tensor.numel() == 0 or tensor.data_ptr() == 0:
                key = (number,)
            if key not in self._shared:
                self._shared[key] = self._leaf(_path(spec.target), kind, tensor)
            yield self._shared[key]

    def _state(self, target: str) -> Any:
        found = self._program.state_dict.get(target)
        return self._program.constants.get(target) if found is None else found

    def _leaf(self, name: str, kind: str, tensor: torch.Tensor, type_: TensorType | None = None) -> Ref:
        while name in self._leaves:
            name += "'"
        self._leaves[name] = Leaf(name, type_ or type_of(tensor), kind)
        self._arrays[name] = _stored(tensor) if kind == "parameter" else array_of(tensor)
        return Ref(name)

    # Nodes

    def _graph(self, module: fx.GraphModule, values: dict[fx.Node, Operand], prefix: str) -> Sequence[Operand]:
        """Reads a graph whose placeholders have these values; the values that it returns."""
        for node in module.graph.nodes:
            if node.op == "output":
                made = node.args[0]
                return [self._operand(a, values) for a in (made if isinstance(made, (list, tuple)) else (made,))]
            if node.op == "get_attr":
                found = _attribute(module, node.target)
                if isinstance(found, torch.Tensor):
                    values[node] = self._leaf(f"{prefix}{node.target}", "constant", found)
            elif node.op == "call_function":
                try:
                    self._call_function(module, node, values, prefix)
                except Unsupported as problem:
                    raise Unsupported(str(problem), problem.place or place_of(node)) from None
        raise AssertionError("a graph without an output")

    def _call_function(
        self, module: fx.GraphModule, node: fx.Node, values: dict[fx.Node, Operand], prefix: str
    ) -> None:
        target: Any = node.target
        made = node.meta.get("val")
        if isinstance(made, (torch.SymInt, torch.SymFloat)):
            values[node] = self._size(made)
        elif target is operator.getitem:
            whole, position = values[_node(node.args[0])], node.args[1]
            if isinstance(whole, tuple) and isinstance(position, int):
                values[node] = whole[position]
                return
            assert isinstance(whole, Ref) and position == 0
            values[node] = whole
        elif isinstance(target, Overload):
            if target._schema.name not in _CHECKS:
                self._op(target, node, values, prefix)
        elif isinstance(target, _HIGHER) and str(target).startswith("wrap_with"):
            values[node] = tuple(self._inlined(module, node, values, prefix))
        elif isinstance(target, _HIGHER) and str(target) == "cond":
            values[node] = tuple(self._chosen(module, node, values, prefix))
        else:
            what = getattr(target, "__name__", str(target))
            raise Unsupported(f"the exported program calls `{what}`: sizes or control flow depend on values")

    def _inlined(
        self, module: fx.GraphModule, node: fx.Node, values: dict[fx.Node, Operand], prefix: str
    ) -> Sequence[Operand]:
        """The body of a region that sets the gradient or autocast mode."""
        arguments = list(node.args)
        at = next(k for k, a in enumerate(arguments) if isinstance(a, fx.Node) and a.op == "get_attr")
        body = _attribute(module, str(_node(arguments[at]).target))
        placeholders = [n for n in body.graph.nodes if n.op == "placeholder"]
        inner = {p: self._operand(a, values) for p, a in zip(placeholders, arguments[at + 1 :], strict=True)}
        return self._graph(body, inner, f"{prefix}{node.name}.")

    def _chosen(
        self, module: fx.GraphModule, node: fx.Node, values: dict[fx.Node, Operand], prefix: str
    ) -> Iterator[Operand]:
        """The results of `torch.cond`: of both functions, and then chosen by the condition.

        Raises: Unsupported if a function reads integers: a look-up that is not taken may be out of range.
        """
        condition, *functions, given = node.args
        before = len(self._nodes)
        made: list[Sequence[Operand]] = []
        for number, function in enumerate(functions):
            body = _attribute(module, str(_node(function).target))
            placeholders = [n for n in body.graph.nodes if n.op == "placeholder"]
            operands = self._operand(given, values)
            assert isinstance(operands, tuple)
            inner = dict(zip(placeholders, operands, strict=True))
            made.append(self._graph(body, inner, f"{prefix}{node.name}.{number}."))
        types = {name: t for n in self._nodes for name, t in zip(n.results, n.types, strict=True)}
        types |= {x.name: x.type for x in self._leaves.values()}
        read = {types[name].element for n in self._nodes[before:] for name in operands_of(n)}
        if any(is_integer(element) and element != "i1" for element in read):
            raise Unsupported("a function of `torch.cond` reads integers, which may be indices")
        place, scalar = place_of(node), Ref(f"%{prefix}{node.name}.condition")
        chosen = self._operand(condition, values)
        if not isinstance(chosen, Ref):
            raise Unsupported("the condition of `torch.cond` is no tensor")
        self._nodes.append(
            Node("aten.reshape.default", (chosen, ()), {}, (scalar.name,), (TensorType((), "i1"),), place)
        )
        for number, (yes, no, value) in enumerate(zip(*made, node.meta["val"], strict=True)):
            name = f"%{prefix}{node.name}.{number}"
            operands = scalar, yes, no
            self._nodes.append(Node("aten.where.self", operands, {}, (name,), (type_of(value),), place))
            yield Ref(name)

    def _op(self, target: Any, node: fx.Node, values: dict[fx.Node, Operand], prefix: str) -> None:
        operands: list[Operand] = []
        keywords: dict[str, Operand] = {}
        given = list(node.args)
        for position, argument in enumerate(target._schema.arguments):
            if position < len(given) and not argument.kwarg_only:
                value = given[position]
            elif argument.name in node.kwargs:
                value = node.kwargs[argument.name]
            else:
                value = argument.default_value if argument.has_default_value() else None
            read = self._operand(value, values)
            if argument.kwarg_only:
                keywords[argument.name] = read
            else:
                operands.append(read)
        made = node.meta.get("val")
        if made is None:
            return
        several = isinstance(made, (list, tuple))
        tensors = list(made) if several else [made]
        if not all(isinstance(t, torch.Tensor) for t in tensors):
            raise Unsupported(f"`{operator_name(target)}` gives a number that depends on values")
        name = f"%{prefix}{node.name}"
        results = tuple(f"{name}.{k}" for k in range(len(tensors))) if several else (name,)
        types = tuple(map(self._type, tensors))
        op = operator_name(target)
        if target._schema.name in _ALIASING:
            op, operands, keywords = "aten.detach.default", operands[:1], {}
        self._nodes.append(Node(op, tuple(operands), keywords, results, types, place_of(node)))
        values[node] = tuple(map(Ref, results)) if several else Ref(name)

    def _type(self, tensor: torch.Tensor) -> TensorType:
        sizes: Any = tuple(map(self._size, tensor.shape))
        return TensorType(sizes, ELEMENTS.get(tensor.dtype, str(tensor.dtype)))

    def _size(self, value: Any) -> Any:
        """A size of a tensor, or a number made of such."""
        found = self.sizes.size(value)
        if found is None and not self.sizes.symbols:
            raise Unsupported("the size of a tensor depends on values")
        if found is None:
            raise Unsupported(f"{self.sizes.text(value)} is no affine expression over the sizes of inputs")
        return found

    def _operand(self, value: Any, values: dict[fx.Node, Operand]) -> Operand:
        match value:
            case fx.Node():
                return values[value]
            case list() | tuple():
                return tuple(self._operand(v, values) for v in value)
            case _:
                return attribute(value)


def attribute(value: Any) -> Operand:
    """An operand that holds no tensor: a number, a text, a type of elements, a place or layout of memory.

    Raises: Unsupported for another one.
    """
    match value:
        case bool() | int() | float() | str() | None:
            return value
        case torch.dtype():
            return ELEMENTS.get(value, str(value))
        case torch.device() | torch.layout() | torch.memory_format():
            return str(value).removeprefix("torch.")
        case _:
            raise Unsupported(f"an operand is a `{type(value).__name__}`")


def operator_name(target: Any) -> str:
    """The name of an operator with its overload: `aten.linear.default`, `aten.add.Tensor`."""
    namespace, _, name = target._schema.name.partition("::")
    return f"{namespace}.{name}.{target._schema.overload_name or 'default'}"


def _single(value: Operand) -> Ref:
    assert isinstance(value, Ref)
    return value


def _node(value: Any) -> fx.Node:
    assert isinstance(value, fx.Node)
    return value


def _attribute(module: nn.Module, path: str) -> Any:
    found: Any = module
    for part in path.split("."):
        found = getattr(found, part)
    return found


def _path(name: str) -> str:
    """The path of a part of the user's module."""
    return name.removeprefix(f"{_MODULE}.")


def _placeholders(program: Any) -> list[fx.Node]:
    return [node for node in program.graph_module.graph.nodes if node.op == "placeholder"]


def _user_inputs(program: Any) -> list[fx.Node]:
    specs = zip(_placeholders(program), program.graph_signature.input_specs, strict=True)
    return [node for node, spec in specs if spec.kind == InputKind.USER_INPUT]


def type_of(tensor: torch.Tensor) -> TensorType:
    shape: tuple[Any, ...] = tuple(tensor.shape)
    if not all(isinstance(n, int) for n in shape):
        raise Unsupported("the size of a tensor depends on values")
    return TensorType(shape, ELEMENTS.get(tensor.dtype, str(tensor.dtype)))


def array_of(tensor: torch.Tensor) -> Any:
    tensor = tensor.detach().cpu()
    return (tensor.double() if tensor.is_floating_point() else tensor).numpy().copy()


def _stored(tensor: torch.Tensor) -> Any:
    """A parameter in the narrowest type of NumPy that holds its values. It is the model's own memory where that is of
    this type: nothing runs the model afterwards."""
    wide = tensor.is_floating_point() and tensor.dtype != torch.float64
    return tensor.detach().cpu().to(torch.float32).contiguous().numpy() if wide else array_of(tensor)


def place_of(node: fx.Node) -> SourceLine | None:
    frames: Iterable[tuple[str, str, str]] = _FRAME.findall(node.meta.get("stack_trace") or "")
    own = [f for f in frames if not is_framework(f[0])]
    if not own:
        return None
    file, line, text = own[-1]
    stack = list((node.meta.get("nn_module_stack") or {}).values())
    path = str(stack[-1][0]) if stack else ""
    path = path.replace("L['self'].", "").replace("L['self']", "")
    return SourceLine(file, int(line), text.strip(), "" if path == _MODULE else _path(path))

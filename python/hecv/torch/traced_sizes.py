"""The sizes that `dynamic_shapes` states of a program that is traced by `make_fx`: its inputs as fake tensors with
symbols for sizes, and what the trace takes for granted of these."""

from __future__ import annotations

import operator
import traceback
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import sympy
import torch
from msgspec import Struct
from torch import fx
from torch._dynamo.source import ConstantSource
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StrictMinMaxConstraint
from torch.utils._sympy.value_ranges import ValueRanges

from hecv.tensors.symbolic_sizes import SizeExpression, SizeProduct
from hecv.tensors.tensor_graph import LARGEST, SizeSymbol, SourceLine, Symbols, TensorType
from hecv.torch.dynamic_shapes import LEAST, BadShapes, affine, expression_of, number_of
from hecv.torch.graph_capture import Overload, Unsupported, array_of, is_framework, place_of, user_frames
from hecv.torch.module_calls import ELEMENTS
from hecv.torch.op_trace import Call, Constant, OpTrace, Traced

SYMBOLIC: Final = (torch.SymInt, torch.SymFloat, torch.SymBool)

Entries = Mapping[str, Mapping[int, Any] | None]
"""By the name of an input: what is stated of its dimensions."""


class Granted(Struct, frozen=True):
    """What a trace takes for granted of sizes, and where in the user's program."""

    text: str
    place: SourceLine | None


class _Guards(list[Any]):
    """The guards of a trace, which notes where the user's program made each."""

    def __init__(self) -> None:
        super().__init__()
        self.places: list[SourceLine | None] = []

    def append(self, guard: Any, /) -> None:
        super().append(guard)
        frames = [f for f in traceback.extract_stack() if not is_framework(f.filename)]
        last = frames[-1] if frames else None
        self.places.append(None if last is None else SourceLine(last.filename, last.lineno or 0, last.line or ""))


class TracedSizes:
    """Symbols for the sizes of inputs, fake tensors of these sizes, and the sizes of a trace as expressions.

    Raises: BadShapes if what is stated does not fit the inputs.
    """

    def __init__(self, stated: Entries, inputs: Mapping[str, torch.Tensor]) -> None:
        self._env: Final = ShapeEnv()
        self._guards: Final = _Guards()
        self._env.guards = self._guards
        self.mode: Final = FakeTensorMode(shape_env=self._env, allow_non_fake_inputs=True)
        self._symbols: Final[dict[str, tuple[SizeSymbol, torch.SymInt]]] = {}
        self._names: Final[dict[Any, str]] = {}
        self._orders: Final[dict[Any, tuple[Any, ...]]] = {}
        self._fakes: Final = {n: self._fake(n, inputs[n], entry) for n, entry in stated.items() if entry is not None}
        if not self._symbols:
            raise BadShapes("dynamic_shapes states no dimension of a tensor")

    @property
    def symbols(self) -> Symbols:
        return tuple(symbol for symbol, _ in self._symbols.values())

    # Inputs

    def fake(self, name: str, tensor: torch.Tensor) -> torch.Tensor:
        """The tensor that stands for an input, parameter or buffer in the trace."""
        found = self._fakes.get(name)
        return self.mode.from_tensor(tensor, static_shapes=True) if found is None else found

    def _fake(self, name: str, tensor: torch.Tensor, entry: Mapping[int, Any]) -> torch.Tensor:
        if type(tensor) is not torch.Tensor:
            raise BadShapes(f"`{name}` is a `{type(tensor).__name__}`: symbolic sizes are for plain tensors")
        if not tensor.is_contiguous():
            raise BadShapes(f"`{name}` is not contiguous: symbolic sizes are for contiguous tensors")
        sizes: list[Any] = list(tensor.shape)
        for axis, dim in entry.items():
            sizes[axis] = self._size(name, axis, sizes[axis], dim)
        with self.mode:
            return torch.empty(sizes, dtype=tensor.dtype).requires_grad_(tensor.requires_grad)

    def _size(self, name: str, axis: int, size: int, dim: Any) -> Any:
        """The size of a dimension of which this is stated, and which has this size in the example."""
        where = f"dimension {axis} of `{name}`"
        if dim is None or dim is torch.export.Dim.STATIC:
            return size
        if isinstance(dim, int):
            if dim != size:
                raise BadShapes(f"{where} is stated as {dim}, the example has {size}")
            return size
        if not isinstance(dim, torch.export.Dim):
            raise BadShapes(f"{where} is stated as `{dim}`: give it a name, as in Dim('tokens', max=4096)")
        root: Any = getattr(dim, "root", dim)
        function: Any = getattr(dim, "fn", lambda n: n)
        offset = int(function(sympy.Integer(0)))
        factor = int(function(sympy.Integer(1))) - offset
        example, rest = divmod(size - offset, factor)
        if rest:
            raise BadShapes(f"{where} is stated as {dim.__name__}, the example has {size}")
        return self._symbol(root, where, example) * factor + offset

    def _symbol(self, root: Any, where: str, example: int) -> torch.SymInt | int:
        least, most = max(number_of(root.min, LEAST), LEAST), min(number_of(root.max, LARGEST), LARGEST)
        name = str(root.__name__)
        symbol = SizeSymbol(name, name, least, most, example)
        known = self._symbols.get(name)
        if known is not None and known[0] != symbol:
            before = known[0]
            if (before.least, before.most) != (least, most):
                raise BadShapes(f"`{name}` has two ranges: {before}, and at {where} {symbol}")
            raise BadShapes(f"`{name}` is {before.example} in the example, and {example} at {where}")
        if known is not None:
            return known[1]
        if least >= most:
            raise BadShapes(f"{symbol}: a symbolic size has two values at least, all of them {LEAST} or more")
        if not least <= example <= most:
            hint = f"take an example of {LEAST} or more" if example < LEAST else "take another example"
            raise BadShapes(f"`{name}` is {example} in the example at {where}, and stated as {symbol}: {hint}")
        source, span = ConstantSource(name), StrictMinMaxConstraint(warn_only=False, vr=ValueRanges(least, most))
        made = self._env.create_symbol(example, source, DimDynamic.DYNAMIC, span)
        size: Any = self._env.create_symintnode(made, hint=example, source=source)
        self._names[made] = name
        self._symbols[name] = symbol, size
        return size

    # What was traced

    def granted(self) -> Granted | None:
        """The first condition on sizes that the trace takes for granted beside their ranges; none if there is none."""
        for guard, place in zip(self._guards, self._guards.places, strict=True):
            if not self._holds(guard.expr):
                return Granted(self._spoken(guard.expr), place)
        asserts: Any = self._env.deferred_runtime_asserts
        if asserts:
            return Granted("; ".join(self._spoken(a.expr) for each in asserts.values() for a in each), None)
        for made, name in self._names.items():
            symbol, span = self._symbols[name][0], self._env.var_to_range[made]
            if made in self._env.replacements or (span.lower, span.upper) != (symbol.least, symbol.most):
                return Granted(f"{name} is from {span.lower} to {span.upper}", None)
        return None

    def _holds(self, condition: Any) -> bool:
        """Whether a condition is shown to hold for all values of the symbols."""
        parts: Any = condition.args
        if isinstance(condition, sympy.And):
            return all(map(self._holds, parts))
        if isinstance(condition, sympy.Or):
            return any(map(self._holds, parts))
        if isinstance(condition, sympy.Eq):
            return self._is_at_least(parts[0], parts[1]) and self._is_at_least(parts[1], parts[0])
        if isinstance(condition, (sympy.Ge, sympy.Gt)):
            return self._is_at_least(parts[0], parts[1] + int(isinstance(condition, sympy.Gt)))
        if isinstance(condition, (sympy.Le, sympy.Lt)):
            return self._is_at_least(parts[1], parts[0] + int(isinstance(condition, sympy.Lt)))
        return condition == sympy.true

    def _is_at_least(self, left: Any, right: Any) -> bool:
        """Whether `left >= right` for all values of the symbols, quotients rounded down included: `n // d >= k` is
        `n >= k * d`, and `k >= n // d` is `(k + 1) * d > n`, for positive d."""
        if type(left).__name__ == "FloorDiv" and self._is_at_least(left.args[1], sympy.Integer(1)):
            return self._is_at_least(left.args[0], right * left.args[1])
        if type(right).__name__ == "FloorDiv" and self._is_at_least(right.args[1], sympy.Integer(1)):
            return self._is_at_least((left + 1) * right.args[1], right.args[0] + 1)
        least = {made: made + self._symbols[name][0].least for made, name in self._names.items()}
        try:  # with each symbol as what it is above its least value
            above: Any = sympy.Poly(sympy.expand((left - right).subs(least, simultaneous=True)), *self._names)
        except sympy.PolynomialError:
            return False
        return all(coefficient.is_nonnegative is True for _, coefficient in above.terms())

    def trace(
        self,
        program: Callable[..., Sequence[torch.Tensor]],
        tensors: Mapping[str, torch.Tensor],
        decompositions: Mapping[Any, Callable[..., Any]],
    ) -> OpTrace:
        """The ops of a program on fake tensors for these ones, by `make_fx`.

        Raises: what the program raises; Unsupported.
        """
        given = [self.fake(n, t) for n, t in tensors.items()]
        make = make_fx(program, dict(decompositions), tracing_mode="real", record_stack_traces=True)
        with user_frames(), _without_assignments(), self.mode:
            traced = make(*given)
        self._note_merges(traced.graph)
        storages = {t.untyped_storage().data_ptr() for t in tensors.values()} - {0}
        return _Steps(traced, storages).read()

    def _note_merges(self, graph: fx.Graph) -> None:
        """Notes of which dimensions, in which order, those are made that a trace merges: a size tells no order."""
        for node in graph.nodes:
            made, source = _value(node), _value(node.args[0]) if node.args else None
            if not isinstance(made, torch.Tensor) or not isinstance(source, torch.Tensor):
                continue
            shape = [f for size in source.shape for f in self._factors(sympy.sympify(expression_of(size)))]
            for size in made.shape:
                whole = sympy.expand(sympy.sympify(expression_of(size)))
                if whole in self._orders or whole.is_Integer or affine(whole, self._names) is not None:
                    continue
                runs = (shape[i:j] for i in range(len(shape)) for j in range(i + 2, len(shape) + 1))
                run = next((r for r in runs if sympy.expand(sympy.prod(r) - whole) == 0), None)
                if run is not None:
                    self._orders[whole] = tuple(run)

    def _factors(self, size: Any) -> tuple[Any, ...]:
        return self._orders.get(sympy.expand(size), (size,))

    def size(self, value: Any) -> int | SizeExpression | SizeProduct:
        """A size or number of the trace.

        Raises: Unsupported if it is no product of affine expressions over the symbols.
        """
        if isinstance(value, torch.SymBool):
            raise Unsupported(f"a condition on sizes, `{self._spoken(value.node.expr)}`, is a value of the program")
        expression = sympy.sympify(expression_of(value))
        expression = expression.replace(lambda e: type(e).__name__ == "ToFloat", lambda e: e.args[0])
        if expression.is_Integer:
            return int(expression)
        if not expression.free_symbols <= set(self._names):
            raise Unsupported("the size of a tensor depends on values")
        whole = affine(expression, self._names)
        if whole is not None:
            return whole
        factors = self._orders.get(sympy.expand(expression)) or _factored(expression)
        found = [int(f) if f.is_Integer else affine(f, self._names) for f in factors]
        if None in found or not found:
            raise Unsupported(f"`{self._spoken(expression)}` is no product of affine expressions over sizes")
        return SizeProduct(tuple(f for f in found if f is not None))

    def _spoken(self, expression: Any) -> str:
        """An expression over symbols by the names that the user gave."""
        renamed = expression.subs({made: sympy.Symbol(name, integer=True) for made, name in self._names.items()})
        signs = {sympy.Eq: "==", sympy.Ne: "!="}
        sign = next((s for kind, s in signs.items() if isinstance(renamed, kind)), None)
        return str(renamed) if sign is None else f"{renamed.args[0]} {sign} {renamed.args[1]}"


class _Steps:
    """The nodes of a symbolic trace as calls of ops."""

    def __init__(self, module: fx.GraphModule, storages: Collection[int]) -> None:
        self._module, self._storages = module, storages
        self._values: dict[fx.Node, Any] = {}
        self._steps: list[Call | Constant] = []
        self._arguments: list[Traced] = []

    def read(self) -> OpTrace:
        """Raises: Unsupported."""
        for node in self._module.graph.nodes:
            match node.op:
                case "placeholder":
                    self._values[node] = _traced(node.meta["val"])
                    self._arguments.append(self._values[node])
                case "get_attr":
                    self._values[node] = self._attribute(node.target)
                case "call_function":
                    self._values[node] = self._call(node)
                case _:
                    results = [self._values[n] for n in node.args[0]]
                    return OpTrace(self._steps, self._arguments, results)
        raise AssertionError("a graph without an output")

    def _attribute(self, path: str) -> Any:
        found: Any = self._module
        for part in path.split("."):
            found = getattr(found, part)
        if not isinstance(found, torch.Tensor):
            return found
        if found.untyped_storage().data_ptr() in self._storages:
            raise Unsupported("a tensor has a part of the memory of an argument, and no op of torch has made it")
        self._steps.append(Constant(path, _traced(found), array_of(found)))
        return self._steps[-1].made

    def _call(self, node: fx.Node) -> Any:
        target: Any = node.target
        if isinstance(node.meta.get("val"), SYMBOLIC):
            return node.meta["val"]
        if target is operator.getitem:
            return self._value(node.args[0])[node.args[1]]
        if not isinstance(target, Overload):
            raise Unsupported(f"the program calls `{getattr(target, '__name__', target)}`")
        if target._schema.name in ("c10d::recv_", "c10d::recv_any_source_"):  # `recv` or `irecv`: not in a trace
            raise Unsupported(f"a receive with symbolic sizes, at {place_of(node)}")
        made = _traced(node.meta.get("val"))
        args: tuple[Any, ...] = tuple(map(self._value, node.args))
        kwargs = {n: self._value(v) for n, v in node.kwargs.items()}
        self._steps.append(Call(target, args, kwargs, made, node.name, place_of(node)))
        return made

    def _value(self, value: Any) -> Any:
        if isinstance(value, fx.Node):
            return self._values[value]
        return tuple(self._value(v) for v in value) if isinstance(value, (list, tuple)) else value  # pyright: ignore


def _traced(made: Any) -> Any:
    if isinstance(made, torch.Tensor):
        return Traced(made, symbolic_type(made))
    return tuple(map(_traced, made)) if isinstance(made, (list, tuple)) else made  # pyright: ignore


@contextmanager
def _without_assignments() -> Generator[None]:
    """Refuses `t.data = x`, which such a trace does not see."""
    kind: Any = torch.Tensor
    kept = torch._C.TensorBase.data  # pyright: ignore

    def assign(tensor: torch.Tensor, value: torch.Tensor) -> None:
        raise Unsupported("the program assigns to the data of a tensor, with symbolic sizes")

    kind.data = property(lambda tensor: kept.__get__(tensor), assign)
    try:
        yield
    finally:
        del kind.data


def _factored(expression: Any) -> tuple[Any, ...]:
    """The factors of a polynomial; of those in which it does not matter which dimension is which."""
    factor_list: Any = sympy.factor_list
    try:
        number, factors = factor_list(expression)
    except sympy.PolynomialError:
        return ()
    if not number.is_Integer:
        return ()
    found = [factor for factor, power in sorted(factors, key=lambda f: str(f[0])) for _ in range(power)]
    return (*([number] if number != 1 else []), *found)


def _value(node: Any) -> Any:
    return node.meta.get("val") if isinstance(node, fx.Node) else None


def symbolic_type(tensor: torch.Tensor) -> TensorType:
    """The type of a traced tensor, with the sizes of the trace."""
    return TensorType(tuple(tensor.shape), ELEMENTS.get(tensor.dtype, str(tensor.dtype)))

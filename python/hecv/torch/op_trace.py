"""Runs a program and records the ops of torch that it calls, below autograd: forward and backward.

It sees what `make_fx` sees of a program that runs on its example values, and keeps one record an op instead of a node
of FX with a fake tensor and a stack trace. Values that leave torch (`item()`, `numpy()`) end the trace, but for those
that depend on no argument of the program.
"""

from __future__ import annotations

import builtins
import keyword
import linecache
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from types import FrameType
from typing import Any, Final, Literal

import torch
from msgspec import Struct
from torch.fx.experimental.proxy_tensor import ProxyTorchDispatchMode, PythonKeyTracer, disable_autocast_cache
from torch.multiprocessing.reductions import StorageWeakRef
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakTensorKeyDictionary

from hecv.tensors.tensor_graph import SourceLine, TensorType
from hecv.torch.graph_capture import Overload, Unsupported, array_of, is_framework, operator_name, type_of

_ATEN: Final[Any] = torch.ops.aten
_PRIM: Final[Any] = torch.ops.prim
_PLAIN: Final = (torch.Tensor, torch.nn.Parameter)
_WHOLE: Final = (_ATEN.size.default, _ATEN.stride.default, _ATEN.storage_offset.default)
"""Composite ops that are not taken apart: they give numbers."""
_UNSET: Final = ("empty", "new_empty", "empty_like", "empty_strided", "new_empty_strided", "empty_permuted")
"""Ops whose results have any values."""
_COPIES: Final[Any] = (torch.tensor, torch.as_tensor, torch.asarray, torch.Tensor.new_tensor, torch.Tensor.new)
"""Functions that read the tensors in a list of numbers without an op."""
_COMPOSITE: Final = torch._C.DispatchKey.CompositeImplicitAutograd  # pyright: ignore[reportPrivateUsage]
_HAS_KERNEL: Final = torch._C._dispatch_has_kernel_for_dispatch_key  # pyright: ignore[reportPrivateUsage]
_OLD: Final = type(torch.FloatTensor)
_RESERVED: Final = frozenset((*keyword.kwlist, *dir(builtins), "inf", "nan", "device", "torch", "pytree"))
"""Names that no value has: `sum_1` is the first sum."""


class Traced:
    """A tensor that a program has at one time: type, offset in its storage, and whether its elements lie in order."""

    __slots__ = ("contiguous", "offset", "type")

    def __init__(self, tensor: torch.Tensor, kind: TensorType | None = None) -> None:
        self.type: TensorType = type_of(tensor) if kind is None else kind
        self.offset, self.contiguous = tensor.storage_offset(), tensor.is_contiguous()


class _Lists(TorchFunctionMode):
    """Shows lists that become tensors."""

    def __init__(self, see: Callable[[Any], None]) -> None:
        super().__init__()
        self._see: Final = see

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if any(func is f for f in _COPIES):
            self._see([v for v in (*args, *kwargs.values()) if isinstance(v, (list, tuple))])
        return func(*args, **kwargs)


class _OldType:
    """A type of tensors by its old name (`torch.FloatTensor`), which shows the lists that it makes tensors of."""

    def __init__(self, kind: Any, see: Callable[[Any], None]) -> None:
        self.kind: Final = kind
        self._see: Final = see

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._see([a for a in args if isinstance(a, (list, tuple))])
        return self.kind(*args, **kwargs)

    def __instancecheck__(self, value: Any) -> bool:
        return isinstance(value, self.kind)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.kind, name)


class Call(Struct):
    """A call of an op. `args`, `kwargs` and `made` are what it was given and returned, with `Traced` for tensors."""

    target: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    made: Any
    name: str
    place: SourceLine | None
    blocks: bool = False
    """Whether it is a receive that returns when the tensor is there (`recv`, not `irecv`)."""


class Constant(Struct):
    """A tensor that the program has not computed and was not given, and its values when it was first used."""

    name: str
    made: Traced
    array: Any


class OpTrace(Struct):
    """The calls of a program in their order, in which constants stand where they are first used; and what its arguments
    and results are."""

    steps: Sequence[Call | Constant]
    arguments: Sequence[Traced]
    results: Sequence[Traced]


class _Memory:
    """A storage that the trace knows, by the first tensor that it saw of it. The reference keeps another storage from
    getting the address. `fixed`: no argument of the program has a part in the values; `frozen`: a constant stands for
    it, so that it must not be written; `written`: an op may have written it; `lent`: NumPy may read it at any time."""

    __slots__ = ("fixed", "form", "frozen", "lent", "origin", "reference", "traced", "written")

    def __init__(
        self, tensor: torch.Tensor, traced: Traced, origin: Literal["argument", "constant", "op"], fixed: bool
    ) -> None:
        self.reference = StorageWeakRef(tensor.untyped_storage())
        self.traced, self.form, self.origin, self.fixed = traced, _form(tensor), origin, fixed
        self.frozen, self.written, self.lent = origin == "constant", False, False


class OpRecorder(ProxyTorchDispatchMode):
    """Records the ops of a program. To code that asks (`get_proxy_mode`), it is a trace of `make_fx`."""

    supports_higher_order_operators = True

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing is compiled meanwhile

    def __init__(self, decompositions: Mapping[Any, Callable[..., Any]]) -> None:
        super().__init__(PythonKeyTracer(), "real")
        self.assigned: list[torch.Tensor] = []
        """Tensors that the program has assigned to by `t.data = x`."""
        self._decompositions = decompositions
        self._known: Any = WeakTensorKeyDictionary()
        self._memories: dict[int, _Memory] = {}
        self._steps: list[Call | Constant] = []
        self._counts: dict[str, int] = {}
        self._failure: Exception | None = None

    def trace(self, program: Callable[..., Sequence[torch.Tensor]], tensors: Sequence[torch.Tensor]) -> OpTrace:
        """Runs the program on tensors.

        Raises: what the program raises; Unsupported, or RuntimeError where it reads values of tensors.
        """
        arguments = [self._given(t) for t in tensors]
        eager = torch.compiler.set_stance("force_eager")
        lists = _Lists(self._see_list)
        with self._seeing_assignments(), self._seeing_values(), disable_autocast_cache(), eager, lists, self:
            made = program(*tensors)
        if self._failure is not None:  # although the program has caught it
            raise self._failure
        results = [self._operand(t) for t in made]
        return OpTrace(self._steps, arguments, results)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if not isinstance(func, Overload):
            raise self._fail(Unsupported(f"the program calls `{getattr(func, '__name__', func)}`"))
        if func is _PRIM.device.default:
            return func(*args, **kwargs)
        tensors = list(_tensors((args, tuple(kwargs.values()))))
        if not all(type(t) in _PLAIN or t in self._known for t in tensors):
            return NotImplemented  # a subclass says what it is made of
        if func in self._decompositions:
            with self:
                return self._decompositions[func](*args, **kwargs)
        if _is_composite(func, tensors[0].device.type if tensors else ""):
            with self:
                made = func.decompose(*args, **kwargs)
            if made is not NotImplemented:
                return made
        if func is _ATEN.is_nonzero.default and args[0].numel() == 1:
            with self:
                return (args[0] != 0).item()
        facts = _facts(func)
        fixed = facts.function and all(self._is_fixed(t) for t in tensors)
        if facts.gives_value:
            if fixed:
                return func(*args, **kwargs)
            raise self._fail(RuntimeError(f"{operator_name(func)} reads values of tensors"))
        if facts.chooses_size and not fixed and (func is not _ATEN.index.Tensor or _is_masked(args[1])):
            raise self._fail(RuntimeError(f"DynamicOutputShapeException: {operator_name(func)}"))
        if func is _ATEN.lift_fresh.default:  # of what torch.tensor made: later writes are no writes of a constant
            func = _ATEN.lift_fresh_copy.default
        call = Call(func, self._operand(args), {n: self._operand(v) for n, v in kwargs.items()}, None, "", None)
        made = func(*args, **kwargs)
        self._note_writes(facts, args, kwargs, fixed)
        call.made = self._result(made, fixed)
        call.name, call.place = self._name(func.overloadpacket.__name__), _place()
        call.blocks = func._schema.name == "c10d::recv_" and _is_called_by("recv")
        self._steps.append(call)
        return made

    def _note_writes(self, facts: _Facts, args: tuple[Any, ...], kwargs: Mapping[str, Any], fixed: bool) -> None:
        if facts.written is None:
            return
        given = [args[k] if k < len(args) else kwargs.get(name) for k, name in facts.written]
        for tensor in _tensors(given):
            memory = self._memory(tensor)
            if memory is None:
                continue
            memory.written, memory.fixed = True, memory.fixed and fixed
            if memory.lent and not fixed:
                raise self._fail(Unsupported("the program changes a tensor of which NumPy has the memory"))
            if memory.frozen and memory.origin == "argument":
                raise self._fail(Unsupported("the program changes a tensor of which another one is a part"))

    def _fail(self, problem: Exception) -> Exception:
        self._failure = self._failure or problem
        return problem

    # Tensors

    def _given(self, tensor: torch.Tensor) -> Traced:
        """An argument of the program."""
        traced = self._known[tensor] = self._traced(tensor)
        self._remember(tensor, traced, "argument", False)
        return traced

    def _result(self, made: Any, fixed: bool) -> Any:
        if isinstance(made, torch.Tensor):
            traced = self._known[made] = self._traced(made)
            self._remember(made, traced, "op", fixed)
            return traced
        if isinstance(made, (list, tuple)):
            return tuple(self._result(m, fixed) for m in made)  # pyright: ignore[reportUnknownVariableType]
        return made

    def _operand(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            found = self._known.get(value)
            return self._untraced(value) if found is None else found
        if isinstance(value, (list, tuple)):
            return tuple(self._operand(v) for v in value)  # pyright: ignore[reportUnknownVariableType]
        return value

    def _untraced(self, tensor: torch.Tensor) -> Traced:
        """A tensor that no op has made: a constant, or another tensor in the place of a known one, as `nn.Parameter(x)`
        is."""
        traced = self._known[tensor] = self._traced(tensor)
        memory = self._memory(tensor)
        if memory is not None and memory.form == _form(tensor) and memory.origin != "constant":
            detach = _ATEN.detach.default
            self._steps.append(Call(detach, (memory.traced,), {}, traced, self._name("detach"), _place()))
            return traced
        if memory is not None and (memory.origin == "op" or memory.written):
            text = "a tensor has a part of the memory of another one, and no op of torch has made it"
            raise self._fail(Unsupported(text))
        kind = "_param_constant" if isinstance(tensor, torch.nn.Parameter) else "_tensor_constant"
        count = self._counts.get(kind, 0)
        self._counts[kind] = count + 1
        self._steps.append(Constant(f"{kind}{count}", traced, array_of(tensor)))
        self._remember(tensor, traced, "constant", True).frozen = True
        return traced

    def _traced(self, tensor: torch.Tensor) -> Traced:
        if tensor.layout != torch.strided:
            raise self._fail(Unsupported("a tensor is sparse"))
        return Traced(tensor)

    def _memory(self, tensor: torch.Tensor) -> _Memory | None:
        return self._memories.get(tensor.untyped_storage()._cdata)  # pyright: ignore[reportPrivateUsage]

    def _remember(
        self, tensor: torch.Tensor, traced: Traced, origin: Literal["argument", "constant", "op"], fixed: bool
    ) -> _Memory:
        """What is known of the storage of a tensor from the first time on."""
        found = self._memory(tensor)
        if found is None:
            found = _Memory(tensor, traced, origin, fixed)
            self._memories[found.reference.cdata] = found
        return found

    def _is_fixed(self, tensor: torch.Tensor) -> bool:
        """Whether the values of a tensor depend on no argument of the program."""
        memory = self._memory(tensor)
        return memory is None or memory.fixed

    def _name(self, op: str) -> str:
        """A name for the result of an op: `mm`, `mm_1`, `sum_1`."""
        base = op[2:-2] if op.startswith("__") and op.endswith("__") else op
        count = self._counts.get(base, 1 if base in _RESERVED else 0)
        self._counts[base] = count + 1
        return f"{base}_{count}" if count else base

    # What torch does not dispatch

    @contextmanager
    def _seeing_assignments(self) -> Generator[None]:
        """Sees `t.data = x`: from then on `t` is what `x` is."""
        kind: Any = torch.Tensor
        kept = torch._C.TensorBase.data  # pyright: ignore

        def assign(tensor: torch.Tensor, value: torch.Tensor) -> None:
            kept.__set__(tensor, value)
            self.assigned.append(tensor)
            if value in self._known:
                self._known[tensor] = self._known[value]
            elif tensor in self._known:
                del self._known[tensor]

        kind.data = property(lambda tensor: kept.__get__(tensor), assign)
        try:
            yield
        finally:
            del kind.data

    def _see_list(self, values: Any) -> None:
        """Lists of numbers of which a tensor is made: one of tensors is read without an op."""
        if not all(self._is_fixed(t) for t in _tensors(values)):
            raise self._fail(RuntimeError("_local_scalar_dense: a tensor is made of a list of values of tensors"))

    @contextmanager
    def _seeing_values(self) -> Generator[None]:
        """Sees values that leave torch without an op."""
        kind: Any = torch.Tensor
        old = [(torch, name) for name, value in vars(torch).items() if type(value) is _OLD]
        places = [(kind, name) for name in ("numpy", "tolist", "__dlpack__", "__init__", "type")]
        places += [(module, "to_dlpack") for module in (torch, torch.utils.dlpack) if hasattr(module, "to_dlpack")]
        kept = [(where, name, getattr(where, name), name in vars(where)) for where, name in (*places, *old)]

        def seen(name: str, read: Any) -> Callable[..., Any]:
            if type(read) is _OLD:
                return _OldType(read, self._see_list)

            def method(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
                if name == "type":
                    return read(tensor, *(a.kind if isinstance(a, _OldType) else a for a in args), **kwargs)
                if name == "__init__":
                    return self._see_list([a for a in args if isinstance(a, (list, tuple))])
                if type(tensor) in _PLAIN and self._is_fixed(tensor):
                    memory = self._memory(tensor)
                    if memory is not None and name != "tolist":
                        memory.lent = True
                    return read(tensor, *args, **kwargs)
                text = "_local_scalar_dense" if name == "tolist" else ".numpy() is not supported"
                raise self._fail(RuntimeError(f"{text}: `{name}` reads values of tensors"))

            return method

        for where, name, read, _ in kept:
            setattr(where, name, seen(name, read))
        try:
            yield
        finally:
            for where, name, read, own in kept:
                if own:
                    setattr(where, name, read)
                else:
                    delattr(where, name)


class _Facts(Struct, frozen=True):
    """What is known of an op: whether its results are a function of its operands, whether it gives values of tensors as
    numbers, whether these choose the size of its result, and which operands it may write, by number and name."""

    function: bool
    gives_value: bool
    chooses_size: bool
    written: tuple[tuple[int, str], ...] | None


@cache
def _facts(func: Any) -> _Facts:
    namespace, _, name = func._schema.name.partition("::")
    pure = namespace in ("aten", "prims") and name not in _UNSET
    arguments = list(enumerate(func._schema.arguments))
    named = namespace in ("aten", "prims", "_c10d_functional", "hecv")  # by the schemas of others, what they write
    written = [(k, a.name) for k, a in arguments if not named or (a.alias_info is not None and a.alias_info.is_write)]
    return _Facts(
        pure and torch.Tag.nondeterministic_seeded not in func.tags,
        torch.Tag.data_dependent_output in func.tags,
        torch.Tag.dynamic_output_shape in func.tags,
        tuple(written) or None,
    )


@cache
def _is_composite(func: Any, device: str) -> bool:
    """Whether autograd makes an op of others, where no gradients are noted as well (`torch.inference_mode`)."""
    if func in _WHOLE or not (_COMPOSITE in func.py_kernels or _HAS_KERNEL(func.name(), _COMPOSITE)):
        return False
    if not device:
        return True
    key: Any = torch._C._parse_dispatch_key(torch._C._dispatch_key_for_device(device))  # pyright: ignore
    return not _HAS_KERNEL(func.name(), key)


def _is_masked(indices: Sequence[Any]) -> bool:
    return any(isinstance(t, torch.Tensor) and t.dtype in (torch.bool, torch.uint8) for t in indices)


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for v in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _tensors(v)


def _form(tensor: torch.Tensor) -> tuple[Any, ...]:
    """Where the elements of a tensor are in its storage."""
    return tensor.storage_offset(), tensor.shape, tensor.stride(), tensor.dtype


def sharing(tensors: Sequence[torch.Tensor]) -> list[frozenset[int]]:
    """The sets of tensors that have memory in common, by their numbers."""
    spans: list[tuple[int, int, int, int]] = []
    for number, tensor in enumerate(tensors):
        if tensor.layout == torch.strided and tensor.numel():
            last: Any = sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))
            first: Any = tensor.storage_offset()
            ends: tuple[int, int] = first, first + last + 1
            key: int = tensor.untyped_storage()._cdata  # pyright: ignore[reportPrivateUsage]
            spans.append((key, ends[0] * tensor.itemsize, ends[1] * tensor.itemsize, number))
    found: list[set[int]] = []
    storage, end = 0, 0
    for key, start, stop, number in sorted(spans):
        if key != storage or start >= end:
            found.append(set())
            storage, end = key, 0
        found[-1].add(number)
        end = max(end, stop)
    return [frozenset(s) for s in found if len(s) > 1]


def _place() -> SourceLine | None:
    """The innermost line of the user's code that runs."""
    frame: FrameType | None = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
    while frame is not None and frame.f_code is not _TRACE:
        file = frame.f_code.co_filename
        if not is_framework(file):
            return _source_line(file, frame.f_lineno)
        frame = frame.f_back
    return None


def _is_called_by(function: str) -> bool:
    """Whether a function of torch with this name calls what runs."""
    frame: FrameType | None = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
    while frame is not None and frame.f_code is not _TRACE:
        if frame.f_code.co_name == function and is_framework(frame.f_code.co_filename):
            return True
        frame = frame.f_back
    return False


_TRACE: Final = OpRecorder.trace.__code__


@cache
def _source_line(file: str, line: int) -> SourceLine:
    return SourceLine(file, line, linecache.getline(file, line).strip())

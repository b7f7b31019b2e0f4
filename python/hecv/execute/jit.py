"""Runs a function by MLIR's own compiler: lowered to LLVM, compiled and called in a child process.

This is a second opinion, next to the interpreter, on what a function does. The child owns everything that can go wrong
(a compiler that crashes, compiled code that crashes, loops or allocates without end); the parent only forks, waits,
and reads plain data from a pipe. Linux only: `/proc`, `fork`.
"""

from __future__ import annotations

import ctypes
import faulthandler
import json
import os
import re
import resource
import signal
import struct
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil, prod
from multiprocessing.connection import Connection, Pipe
from operator import mul
from pathlib import Path
from typing import Any, NoReturn, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

# 30 ms together, of which the engine is 0.5 ms; imported before the fork, so that no child pays for them.
from torch_mlir import execution_engine, ir, passmanager  # pyright: ignore[reportMissingTypeStubs]

from hecv.base.types import BOOL, FloatType, IndexType, IntType, Layout, MemRefType, ScalarType, Type
from hecv.base.value import Buffer, Poison, Scalar, Value

# The bindings are typed in small part.
IR: Any = ir
PASSES: Any = passmanager
ENGINE: Any = execution_engine

LARGEST_BUFFER = 1 << 24
"""Elements of a buffer with gaps, at most."""

Array = NDArray[Any]
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Finished:
    """The call returned: its results, and the arguments as they are after it (buffers updated)."""

    results: tuple[Scalar, ...]
    arguments: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Failed:
    """The call has no result: not compiled, crashed, out of time, or a type or value that has no form in memory."""

    reason: str


JitOutcome = Finished | Failed


@dataclass(frozen=True, slots=True)
class _Signature:
    """The types by which the function is called."""

    types: tuple[Type, ...]
    results: tuple[ScalarType, ...]
    index_width: int
    globals: tuple[tuple[str, MemRefType], ...] = ()

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.types))}) -> ({', '.join(map(str, self.results))})"

    def inputs(self) -> tuple[Type, ...]:
        """The types of the arguments, then those of the globals."""
        return (*self.types, *(kind for _, kind in self.globals))


class _Refused(Exception):
    """Raised in the child where the outcome is `Failed`; its text is the reason."""


# The parent.


def run(
    text: str,
    function: str,
    arguments: Sequence[Value],
    types: Sequence[Type],
    results: Sequence[ScalarType],
    *,
    globals: Sequence[tuple[str, MemRefType]] = (),
    seconds: float = 20.0,
    megabytes: int = 4096,
    index_width: int = 64,
) -> JitOutcome:
    """The outcome of one call of `@function` in the module `text`: `run_many` with one call."""
    limits: dict[str, Any] = {"seconds": seconds, "megabytes": megabytes, "index_width": index_width}
    limits["globals"] = globals
    return run_many(text, function, [arguments], types, results, **limits)[0]


def run_many(
    text: str,
    function: str,
    calls: Sequence[Sequence[Value]],
    types: Sequence[Type],
    results: Sequence[ScalarType],
    *,
    globals: Sequence[tuple[str, MemRefType]] = (),
    seconds: float = 20.0,
    megabytes: int = 4096,
    index_width: int = 64,
) -> list[JitOutcome]:
    """The outcome of each call of `@function` in the module `text`: one compilation and one child for all.

    A call that crashes or runs out of time ends the child: the calls before it keep their results, those after it are
    not run. `seconds` bounds the compilation and all calls together, `megabytes` what the child maps beyond what this
    process has mapped. Every buffer gets storage of its own; the values given are left as they are.

    `globals` are symbols of `memref.global`s; the last values of each call are their contents before it, and the last
    arguments of its outcome those after it.

    Requires: no call depends on what an earlier one left in another mutable `memref.global`.
    """
    deadline = time.monotonic() + seconds
    signature = _Signature(tuple(types), tuple(results), index_width, tuple(globals))
    reader, writer = Pipe(duplex=False)
    pid = os.fork()
    if pid == 0:
        _live(writer, seconds, megabytes, lambda: _serve(writer.send, text, function, calls, signature))
    writer.close()
    try:
        return _collect(reader, pid, len(calls), seconds, deadline)
    finally:
        reader.close()
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _collect(reader: Connection, pid: int, count: int, seconds: float, deadline: float) -> list[JitOutcome]:
    """The outcomes of `count` calls, from what the child sends and from how it ends."""
    outcomes: list[JitOutcome] = []
    compiled = False
    try:
        if failed := _receive(reader, deadline):
            return [failed] * count
        compiled = True
        while len(outcomes) < count:
            outcomes.append(_receive(reader, deadline))
        return outcomes
    except TimeoutError:
        end = f"timed out after {seconds:g} s"
    except EOFError:
        end = _end(pid)
    if not compiled:
        return [Failed(f"the compiler {end}")] * count
    not_run = Failed(f"not run: an earlier call {end}")
    return [*outcomes, Failed(end), *[not_run] * (count - len(outcomes) - 1)]


def _receive(reader: Connection, deadline: float) -> Any:
    """The child's next message.

    Raises: TimeoutError at the deadline, EOFError where the child has ended.
    """
    if not reader.poll(max(0.0, deadline - time.monotonic())):
        raise TimeoutError
    message = reader.recv()
    if isinstance(message, RuntimeError):
        raise message
    return message


def _end(pid: int) -> str:
    """How the child ended; leaves it to be reaped."""
    end = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert end is not None
    if end.si_code == os.CLD_EXITED:
        return f"exited with status {end.si_status}"
    return f"crashed with {signal.Signals(end.si_status).name}"


# The child.


def _live(writer: Connection, seconds: float, megabytes: int, work: Callable[[], None]) -> NoReturn:
    """Runs `work` within the limits and ends the process, without the parent's exit handlers and unflushed output."""
    try:
        _confine(writer.fileno(), seconds, megabytes)
        work()
    except Exception:
        writer.send(RuntimeError(traceback.format_exc()))
    finally:
        os._exit(0)


_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGABRT, signal.SIGILL)


def _confine(pipe: int, seconds: float, megabytes: int) -> None:
    """Cuts this process off from the parent's files, terminal and signal handlers, and sets its limits."""
    # Before the descriptors: pytest's faulthandler holds a copy of the terminal and would write to it on a crash.
    faulthandler.disable()
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    # A pipe of another child that is open here would hide the end of that child from the parent.
    os.closerange(3, pipe)
    os.closerange(pipe + 1, os.sysconf("SC_OPEN_MAX"))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.dup2(os.memfd_create("stderr"), 2)  # `_first_error` reads it
    # The parent may have changed rounding or flushed denormals; and compiled code looks for libm in the global scope.
    ctypes.CDLL("libm.so.6", ctypes.RTLD_GLOBAL).fesetenv(ctypes.c_void_p(-1))
    # Division of i128, and conversions between f16 and f64 or i128, are calls of the compiler's runtime library.
    ctypes.CDLL("libgcc_s.so.1", ctypes.RTLD_GLOBAL)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    _limit(resource.RLIMIT_AS, pages * resource.getpagesize() + (megabytes << 20))
    # Should the parent be killed: the child then ends by itself, also in a loop without end.
    _limit(resource.RLIMIT_CPU, ceil(seconds) + 1)
    _limit(resource.RLIMIT_FSIZE, 1 << 20)
    _limit(resource.RLIMIT_CORE, 0)
    # A `memref.alloca` in a loop body is freed only at the return; the shell's 8 MiB are soon full of them.
    _limit(resource.RLIMIT_STACK, 1 << 30)


def _limit(what: int, value: int) -> None:
    """Sets a soft limit, below the hard one."""
    hard = resource.getrlimit(what)[1]
    resource.setrlimit(what, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _serve(
    send: Callable[[Any], None], text: str, function: str, calls: Sequence[Sequence[Value]], signature: _Signature
) -> None:
    """Sends None once the function is compiled (or the failure), then the outcome of each call as it ends."""
    compiled = _attempt(_compile, text, function, signature)
    if isinstance(compiled, Failed):
        return send(compiled)
    send(None)
    for arguments in calls:
        send(_attempt(_call, compiled, arguments, signature))


def _attempt(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | Failed:
    """What `work` returns, or why it cannot."""
    try:
        return work(*args, **kwargs)
    except _Refused as refused:
        return Failed(str(refused))
    except MemoryError:
        return Failed("out of memory")


# Compiling.


@dataclass(frozen=True, slots=True)
class _Compiled:
    """Machine code: `entry` takes an array of pointers, one to each argument and one to where results go."""

    entry: Callable[[Any], None]
    engine: Any  # owns the code
    runtime: Any  # what the code calls


def _compile(text: str, function: str, signature: _Signature) -> _Compiled:
    """Machine code for `@function`.

    Raises: _Refused.
    """
    for type in (*signature.inputs(), *signature.results):
        _format(_scalar(type), signature.index_width)
    module, symbol = _parse(text, function, signature)
    _lower(module, signature.index_width)
    copy = _memref_copy(signature.index_width)
    try:
        # Level 0: the optimiser may make anything of a program whose behaviour is undefined, also a plausible result.
        engine = ENGINE.ExecutionEngine(module, opt_level=0, enable_object_dump=False)
        engine.raw_register_runtime("memrefCopy", ctypes.cast(copy, ctypes.c_void_p))
        address = engine.raw_lookup(f"_mlir_ciface_{symbol}")
    except RuntimeError as error:
        raise _Refused(f"could not compile: {_not_lowered(module) or _first_error() or error}") from error
    if not address:
        raise _Refused(f"could not compile: {_first_error()}")
    return _Compiled(ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address), engine, copy)


def _parse(text: str, function: str, signature: _Signature) -> tuple[Any, str]:
    """The module of `text`, ready to lower, and the symbol that `@function` has in it.

    Every definition is renamed: a function `@free` or `@expf` would otherwise be called in place of the C library's.
    """
    context = IR.Context()
    context.enable_multithreading(False)  # each thread would reserve 64 MiB of the memory limit
    context.allow_unregistered_dialects = True  # attributes of other tools; their ops fail to lower
    try:
        module: Any = IR.Module.parse(text, context)
    except IR.MLIRError as error:
        raise _Refused(f"could not parse: {_diagnostic(error)}") from error
    entry = _wrap(module, function, signature)
    symbol = ""
    for n, op in enumerate(list(module.body.operations)):
        if "sym_name" not in op.attributes or _is_declaration(op):
            continue
        name = op.attributes["sym_name"].value
        unique = f"hecv.{n}.{name}"
        IR.SymbolTable.replace_all_symbol_uses(name, unique, module.operation)
        IR.SymbolTable.set_symbol_name(op, unique)
        wanted = name == entry and op.operation.name == "func.func"
        op.attributes["sym_visibility"] = IR.StringAttr.get("public" if wanted else "private", context)
        if wanted:
            op.attributes["llvm.emit_c_interface"] = IR.UnitAttr.get(context)
            symbol = unique
    if not symbol:
        raise _Refused(f"the module defines no function @{function}")
    return module, symbol


def _wrap(module: Any, function: str, signature: _Signature) -> str:
    """The symbol to call: a function added to `module` that also sets globals and reads them back, where there are any.

    Raises: _Refused where the function or a global is not as it has to be.
    """
    symbols = {op.attributes["sym_name"].value: op for op in module.body.operations if "sym_name" in op.attributes}
    called = symbols.get(function)
    if called is None or called.operation.name != "func.func" or _is_declaration(called):
        raise _Refused(f"the module defines no function @{function}")
    _check_type(called, function, signature)
    if not signature.globals:
        return function
    context = module.context
    for name, _ in signature.globals:
        held = symbols[name].attributes
        if "constant" in held:
            del held["constant"]
        # A declaration has no storage; what it holds at first is overwritten anyway.
        held["initial_value"] = IR.UnitAttr.get(context)
    entry = f"{function}.with.globals"
    while entry in symbols:
        entry += "."
    # Its symbols have to be known where it is parsed; then it moves.
    declared = [f"func.func private @{json.dumps(function)}{signature}"]
    declared += [f"memref.global @{json.dumps(name)} : {kind}" for name, kind in signature.globals]
    own = IR.Module.parse("\n".join([*declared, _wrapper(entry, function, signature)]), context)
    module.body.append(list(own.body.operations)[-1])
    return entry


def _wrapper(entry: str, function: str, signature: _Signature) -> str:
    """A function of the arguments and a buffer for each global."""
    arguments = [f"%a{k}" for k in range(len(signature.types))]
    buffers = [f"%g{k}" for k in range(len(signature.globals))]
    takes = zip([*arguments, *buffers], signature.inputs(), strict=True)
    results = ", ".join(map(str, signature.results))
    gives = ", ".join(f"%r#{k}" for k in range(len(signature.results)))
    before, after = [], []
    for buffer, (name, kind) in zip(buffers, signature.globals, strict=True):
        before.append(f"{buffer}_own = memref.get_global @{json.dumps(name)} : {kind}")
        before.append(f"memref.copy {buffer}, {buffer}_own : {kind} to {kind}")
        after.append(f"memref.copy {buffer}_own, {buffer} : {kind} to {kind}")
    count = len(signature.results)
    call = f"{f'%r:{count} = ' if count else ''}func.call @{json.dumps(function)}({', '.join(arguments)}) : {signature}"
    end = f"func.return {gives} : {results}" if count else "func.return"
    head = f"func.func @{json.dumps(entry)}({', '.join(f'{v}: {t}' for v, t in takes)}) -> ({results}) {{"
    return "\n".join([head, *before, call, *after, end, "}"])


def _is_declaration(op: Any) -> bool:
    """Whether a function has no body."""
    return len(op.regions) == 1 and not list(op.regions[0].blocks)


def _check_type(op: Any, function: str, signature: _Signature) -> None:
    """Refuses a function of another type: a call by the wrong convention writes anywhere."""
    if op.type != IR.Type.parse(str(signature), op.context):
        raise _Refused(f"@{function} has type {op.type}, expected {signature}")


def _lower(module: Any, index_width: int) -> None:
    """Lowers the module to the LLVM dialect, in place.

    Raises: _Refused.
    """
    try:
        PASSES.PassManager.parse("builtin.module(symbol-dce)", module.context).run(module.operation)
        for op in module.body.operations:
            if op.operation.name == "func.func" and _is_declaration(op):
                raise _Refused(f"unsupported: @{op.sym_name.value} has no body")
        _lower_math(module)
        if _has_mapped_layouts(module):
            PASSES.PassManager.parse("builtin.module(normalize-memrefs)", module.context).run(module.operation)
        PASSES.PassManager.parse(_pipeline(index_width), module.context).run(module.operation)
    except IR.MLIRError as error:
        raise _Refused(f"could not lower: {_diagnostic(error)}") from error
    # On a machine with AVX512-BF16, a value that only lives across a branch loses its denormals: 2**-133, returned
    # after a loop, comes out as 0.
    if re.search(r"(\b|x)bf16\b", str(module)):
        raise _Refused("unsupported type bf16")


_INTRINSICS = {
    "math.absi": ("llvm.intr.abs", {"is_int_min_poison": "false"}),
    "math.ctlz": ("llvm.intr.ctlz", {"is_zero_poison": "false"}),
    "math.cttz": ("llvm.intr.cttz", {"is_zero_poison": "false"}),
    "math.ctpop": ("llvm.intr.ctpop", {}),
    "math.copysign": ("llvm.intr.copysign", {}),
    "math.isnan": ("llvm.intr.is.fpclass", {"bit": "3 : i32"}),
    "math.isinf": ("llvm.intr.is.fpclass", {"bit": "516 : i32"}),
    "math.isfinite": ("llvm.intr.is.fpclass", {"bit": "504 : i32"}),
    "math.isnormal": ("llvm.intr.is.fpclass", {"bit": "264 : i32"}),
}
"""As `convert-math-to-llvm` has them."""


def _lower_math(module: Any) -> None:
    """Lowers the ops that the C library has no function for: `convert-math-to-libm` refuses a module with one of them,
    and `convert-math-to-llvm` would make `exp(x) - 1` of expm1."""
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name in _INTRINSICS or op.name == "math.sincos":
            found.append(op)
        return IR.WalkResult.ADVANCE

    module.operation.walk(visit)
    _ = module.context.dialects["llvm"]  # loads it
    for op in found:
        with op.location, IR.InsertionPoint(op):
            for old, new in zip(op.results, _lowered_math(op), strict=True):
                old.replace_all_uses_with(new)
        op.erase()


def _lowered_math(op: Any) -> list[Any]:
    """The results of other ops for those of `op`."""
    kind, operands = op.results[0].type, list(op.operands)
    if op.name == "math.sincos":
        return [IR.Operation.create(n, results=[kind], operands=operands).result for n in ("math.sin", "math.cos")]
    name, texts = _INTRINSICS[op.name]
    attributes = {k: IR.Attribute.parse(text, op.context) for k, text in texts.items()}
    return [IR.Operation.create(name, results=[kind], operands=operands, attributes=attributes).result]


def _has_mapped_layouts(module: Any) -> bool:
    """Whether a buffer may lie in memory by an affine map, which has no conversion to LLVM."""
    return re.search(r"memref<[^<>]*, (#map|affine_map<)", str(module)) is not None


def _not_lowered(module: Any) -> str:
    """The first op that has no conversion to LLVM, if any; the casts around it say less."""
    left: list[str] = []

    def visit(op: Any) -> Any:
        if not op.name.startswith(("llvm.", "builtin.")):
            left.append(f"no conversion to LLVM of '{op.name}'")
        return IR.WalkResult.ADVANCE

    module.operation.walk(visit)
    return left[0] if left else ""


def _pipeline(index_width: int) -> str:
    """The passes from affine, linalg, scf, vector, memref, math, index and arith to LLVM.

    `lower-affine` comes first: other passes fold ops as they go, and folding is wrong for some `affine.for` (MLIR takes
    the bound `i mod 2` for 1).
    """
    index = f"{{index-bitwidth={index_width}}}"
    return f"""builtin.module(
        lower-affine, convert-linalg-to-loops, expand-realloc, memref-expand, lower-affine,
        scf-forall-to-for, convert-vector-to-scf, convert-scf-to-cf, expand-strided-metadata, lower-affine,
        math-expand-ops{{ops=rsqrt,clampf}}, convert-math-to-funcs, convert-math-to-libm,
        arith-expand{{include-flush-denormals=1}},
        convert-vector-to-llvm, finalize-memref-to-llvm{index}, convert-arith-to-llvm{index},
        convert-index-to-llvm{index}, convert-ub-to-llvm{index}, convert-cf-to-llvm{index},
        convert-func-to-llvm{index}, reconcile-unrealized-casts)"""


def _diagnostic(error: Any) -> str:
    """The first diagnostic of an MLIRError, with its place in the text."""
    first = error.error_diagnostics[0]
    place = str(first.location).removeprefix('loc("-":').removesuffix(")")
    return f"{place}: {first.message.strip()}"


def _first_error() -> str:
    """The first line that C++ wrote to stderr; LLVM says there what Python does not get to see."""
    return os.pread(2, 4096, 0).decode(errors="replace").partition("\n")[0]


def _memref_copy(index_width: int) -> Any:
    """The C function `memrefCopy(index size, ranked *source, ranked *target)`, by which strided copies are made."""
    index = ctypes.c_int64 if index_width == 64 else ctypes.c_int32

    def view(ranked: int, size: int) -> Array:
        rank = index.from_address(ranked).value
        descriptor = ctypes.c_void_p.from_address(ranked + 8).value or 0
        aligned = ctypes.c_void_p.from_address(descriptor + 8).value or 0
        offset, *rest = (index * (1 + 2 * rank)).from_address(descriptor + 16)
        first = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(aligned + offset * size)).view(f"V{size}")
        return np.lib.stride_tricks.as_strided(first, rest[:rank], [size * stride for stride in rest[rank:]])

    def copy(size: int, source: int, target: int) -> None:
        try:
            view(target, size)[...] = view(source, size)
        except Exception:  # ctypes would print it and go on as if copied
            os.abort()

    return ctypes.CFUNCTYPE(None, index, ctypes.c_void_p, ctypes.c_void_p)(copy)


# Calling.


@dataclass(frozen=True, slots=True)
class _Argument:
    """One argument in memory: its elements, and what is passed (the scalar, or a pointer to the descriptor)."""

    elements: Array
    passed: Array
    descriptor: Array | None = None  # `passed` holds its address
    places: Array | None = None  # where the elements of the buffer are, where they are apart

    def held(self) -> Array:
        """The elements of the buffer in order."""
        return self.elements if self.places is None else self.elements[self.places]


def _call(compiled: _Compiled, arguments: Sequence[Value], signature: _Signature) -> Finished:
    """Calls the function through its C wrapper (MLIR docs, LLVM IR Target, "C-compatible wrapper emission").

    Raises: _Refused.
    """
    inputs = signature.inputs()
    if len(arguments) != len(inputs):
        raise _Refused(f"{len(arguments)} arguments given, expected {len(inputs)}")
    width = signature.index_width
    placed = [_place(value, type, width) for value, type in zip(arguments, inputs, strict=True)]
    fields = [(f"f{k}", _format(type, width)) for k, type in enumerate(signature.results)]
    results = np.zeros(1, np.dtype(fields, align=True))
    passed = [argument.passed for argument in placed]
    if len(fields) == 1:
        passed.append(results)
    elif fields:  # a struct, to which a pointer is the first argument
        passed.insert(0, _address(results))
    compiled.entry((ctypes.c_void_p * len(passed))(*(cell.ctypes.data for cell in passed)))
    return Finished(
        tuple(_decode(results[f"f{k}"], type)[0] for k, type in enumerate(signature.results)),
        tuple(
            Buffer(value.shape, _decode(argument.held(), _scalar(type))) if isinstance(value, Buffer) else value
            for argument, value, type in zip(placed, arguments, inputs, strict=True)
        ),
    )


def _place(value: Value, type: Type, index_width: int) -> _Argument:
    """Puts an argument into memory.

    Raises: _Refused.
    """
    match value, type:
        case Buffer(shape, data), MemRefType():
            fits = len(shape) == len(type.shape) and all(n in (m, None) for m, n in zip(shape, type.shape, strict=True))
            if not fits or len(data) != prod(shape):
                raise _Refused(f"a buffer of shape {shape} with {len(data)} elements is no {type}")
            if type.layout is not None:
                return _place_apart(value, type, type.layout, index_width)
            elements = _encode(data, type.element, index_width)
            descriptor = _descriptor(elements, 0, shape, _row_major(shape), index_width)
            return _Argument(elements, _address(descriptor), descriptor)
        case int() | float() | Poison(), IntType() | IndexType() | FloatType():
            scalar = _encode([value], type, index_width)
            return _Argument(scalar, scalar)
        case _:
            raise _Refused(f"{value!r} is no {type}")


def _place_apart(value: Buffer, type: MemRefType, layout: Layout, index_width: int) -> _Argument:
    """Puts a buffer into memory by the strides of its type; dynamic ones are as in a row-major buffer.

    Raises: _Refused.
    """
    if layout.strides is None:
        raise _Refused(f"unsupported layout {layout.text}")
    usual, shape, offset = _row_major(value.shape), value.shape, layout.offset or 0
    strides = [u if s is None else s for s, u in zip(layout.strides, usual, strict=True)]
    places = np.full(shape, offset, np.int64)
    for axis, stride in enumerate(strides):
        places += stride * np.arange(shape[axis]).reshape([-1 if k == axis else 1 for k in range(len(shape))])
    places = places.reshape(-1)
    size = 1 + int(places.max(initial=0))
    if places.min(initial=0) < 0 or np.unique(places).size != places.size or size > LARGEST_BUFFER:
        raise _Refused(f"a buffer of shape {shape} does not lie in memory as {layout.text}")
    elements = _encode([0] * size, type.element, index_width)
    elements[places] = _encode(value.data, type.element, index_width)
    descriptor = _descriptor(elements, offset, shape, strides, index_width)
    return _Argument(elements, _address(descriptor), descriptor, places)


def _row_major(shape: tuple[int, ...]) -> list[int]:
    return [*accumulate(shape[:0:-1], mul, initial=1)][::-1] if shape else []


def _descriptor(elements: Array, offset: int, shape: tuple[int, ...], strides: list[int], index_width: int) -> Array:
    """The struct {allocated, aligned, offset, sizes, strides}."""
    indices = f"{1 + 2 * len(shape)}{'q' if index_width == 64 else 'i'}"
    address = elements.ctypes.data
    packed = struct.pack(f"PP{indices}", address, address, offset, *shape, *strides)
    return np.frombuffer(packed, np.uint8)


def _address(array: Array) -> Array:
    """A cell with the address of `array`, which the caller keeps alive."""
    return np.array([array.ctypes.data], np.uintp)


# Elements in memory.


def _scalar(type: Type) -> ScalarType:
    """The type of the elements."""
    return type.element if isinstance(type, MemRefType) else type


def _format(type: ScalarType, index_width: int) -> np.dtype[Any]:
    """How memory holds one element.

    Raises: _Refused.
    """
    match type:
        case IntType(1):
            return np.dtype(np.uint8)
        case IntType(8 | 16 | 32 | 64 as width):
            return np.dtype(f"u{width // 8}")
        case IndexType() if index_width in (32, 64):
            return np.dtype(f"i{index_width // 8}")
        case FloatType("f16" | "f32" | "f64" as name):
            return np.dtype(f"f{int(name[1:]) // 8}")
        case IndexType():
            raise _Refused(f"unsupported index width {index_width}")
        case _:
            raise _Refused(f"unsupported type {type}")


def _encode(data: Sequence[Scalar], type: ScalarType, index_width: int) -> Array:
    """The elements in memory, at a multiple of 64 bytes, with a margin around them.

    Raises: _Refused on poison, and on what is not exactly a value of the type.
    """
    if any(isinstance(value, Poison) for value in data):
        raise _Refused("unsupported: poison in an argument")
    try:
        with np.errstate(over="ignore"):
            packed = np.array(data, _format(type, index_width))
    except (OverflowError, ValueError) as error:
        raise _Refused(f"an argument is no {type}: {error}") from error
    for value, held in zip(data, _decode(packed, type), strict=True):
        if value != held and value == value:
            raise _Refused(f"{value!r} is no {type}")
    room = np.zeros(packed.nbytes + 192, np.uint8)
    start = 64 + -room.ctypes.data % 64
    elements = room[start : start + packed.nbytes].view(packed.dtype)
    elements[...] = packed
    return elements


def _decode(elements: Array, type: ScalarType) -> list[Scalar]:
    """The values that the elements stand for."""
    return (elements & 1).tolist() if type == BOOL else elements.tolist()

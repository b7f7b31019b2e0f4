"""Wrapper functions around the called function: vectors and memrefs in buffers, and globals set and read back."""

from __future__ import annotations

import json
from collections.abc import Container, Sequence
from typing import Any

from numpy import ndindex
from torch_mlir import ir

from hecv.base.types import MemRefType, Type
from hecv.run.jit.abi import complex_buffers
from hecv.run.jit.abi.jit_outcome import Refused, Signature
from hecv.run.jit.abi.returned_buffers import declarations, identities

# The bindings are typed in small part.
IR: Any = ir


def wrapped(module: Any, function: str, signature: Signature) -> str:
    """The symbol to call: a function added to `module` that also sets globals and reads them back, if there are any.

    Raises: Refused if the function or a global is not as required.
    """
    symbols = {op.attributes["sym_name"].value: op for op in module.body.operations if "sym_name" in op.attributes}
    called = symbols.get(function)
    if called is None or called.operation.name != "func.func" or is_declaration(called):
        raise Refused(f"the module defines no function @{function}")
    context = module.context
    kind = type_of(called)
    passed = (*kind.inputs, *kind.results)
    if any(isinstance(t, IR.VectorType) or complex_buffers.is_complex(t) for t in passed) or any(
        isinstance(t, IR.MemRefType) for t in kind.results
    ):
        function, called = _with_buffers(module, called, symbols, signature)
    _check_type(called, function, signature)
    if not signature.globals:
        return function
    for name, _ in signature.globals:
        held = symbols[name].attributes
        if "constant" in held:
            del held["constant"]
        # A declaration has no storage; what it holds at first is overwritten anyway.
        held["initial_value"] = IR.UnitAttr.get(context)
    entry = _fresh(f"{function}.with.globals", symbols)
    declared = [f"func.func private @{json.dumps(function)}{signature}"]
    declared += [f"memref.global @{json.dumps(name)} : {kind}" for name, kind in signature.globals]
    _add(module, [*declared, _wrapper(entry, function, signature)])
    return entry


def _fresh(name: str, symbols: Container[str]) -> str:
    while name in symbols:
        name += "."
    return name


def _add(module: Any, text: Sequence[str]) -> Any:
    """Adds the last op of `text` to `module`, and gives it. The earlier ops declare its symbols, so that it can be
    parsed."""
    own = IR.Module.parse("\n".join(text), module.context)
    module.body.append(list(own.body.operations)[-1])
    return list(module.body.operations)[-1]


def _with_buffers(module: Any, called: Any, symbols: Container[str], signature: Signature) -> tuple[str, Any]:
    """A wrapper function added to `module`, and its symbol.

    It loads vector arguments from buffers, and copies each memref or vector result to an additional argument. Complex
    numbers in a memref are copied both ways. Additional results say which buffers were returned, if asked.
    """
    function, kinds = called.attributes["sym_name"].value, type_of(called)
    entry = _fresh(f"{function}.with.buffers", symbols)
    lines: list[str] = []
    passed = [_buffer(t) if isinstance(t, IR.VectorType) or complex_buffers.is_complex(t) else t for t in kinds.inputs]
    takes = [f"%a{k}: {t}" for k, t in enumerate(passed)]
    given = [_given(lines, f"%a{k}", t) for k, t in enumerate(kinds.inputs)]
    count = len(kinds.results)
    call = f"func.call @{json.dumps(function)}({', '.join(given)}) : {kinds}"
    lines.append(f"%r:{count} = {call}" if count else call)
    for k, kind in enumerate(kinds.inputs):
        if isinstance(kind, IR.MemRefType) and complex_buffers.is_complex(kind):
            complex_buffers.give_back(lines, given[k], kind, f"%a{k}")
    outer = [k for k, t in enumerate(kinds.results) if isinstance(t, IR.MemRefType | IR.VectorType | IR.ComplexType)]
    takes += [f"%b{k}: {_buffer(kinds.results[k])}" for k in outer]
    for k in outer:
        _give_back(lines, f"%r#{k}", kinds.results[k], f"%b{k}")
    own = [(f"%r#{k}", str(t)) for k, t in enumerate(kinds.results) if k not in outer]
    own += [(value, "index") for value in identities(lines, given, kinds, signature)]
    head = f"func.func @{json.dumps(entry)}({', '.join(takes)}) -> ({', '.join(t for _, t in own)}) {{"
    end = f"func.return {', '.join(v for v, _ in own)} : {', '.join(t for _, t in own)}" if own else "func.return"
    declared = [*declarations(signature), f"func.func private @{json.dumps(function)}{kinds}"]
    return entry, _add(module, [*declared, head, *lines, end, "}"])


def _buffer(kind: Any) -> Any:
    """The type of the buffer for a memref, a vector or a complex number: row-major without gaps."""
    if complex_buffers.is_complex(kind):
        return complex_buffers.buffer(kind)
    return IR.MemRefType.get(kind.shape, kind.element_type, loc=IR.Location.unknown(kind.context))


def _given(lines: list[str], name: str, kind: Any) -> str:
    """The value passed for the argument `name`; appends the ops that make it.

    It is loaded element by element: LLVM packs the bits of a vector loaded as a whole.
    """
    if complex_buffers.is_complex(kind):
        return complex_buffers.given(lines, name, kind)
    if not isinstance(kind, IR.VectorType):
        return name
    made = f"{name}.v"
    lines.append(f"{made} = ub.poison : {kind}")
    for number, at in enumerate(ndindex(*kind.shape)):
        subscripts = _subscripts(lines, f"{name}.l{number}", at)
        lines.append(f"{name}.e{number} = memref.load {name}[{subscripts}] : {_buffer(kind)}")
        lines.append(
            f"{name}.v{number} = vector.insert {name}.e{number}, {made} {list(at)} : {kind.element_type} into {kind}"
        )
        made = f"{name}.v{number}"
    return made


def _subscripts(lines: list[str], name: str, at: tuple[int, ...]) -> str:
    """Constants for `at`, as operands."""
    lines += [f"{name}.{d} = arith.constant {i} : index" for d, i in enumerate(at)]
    return ", ".join(f"{name}.{d}" for d in range(len(at)))


def _give_back(lines: list[str], value: str, kind: Any, buffer: str) -> None:
    """Appends ops that copy a result to its buffer."""
    if complex_buffers.is_complex(kind):
        return complex_buffers.give_back(lines, value, kind, buffer)
    target = _buffer(kind)
    if isinstance(kind, IR.MemRefType):
        lines.append(f"memref.copy {value}, {buffer} : {kind} to {target}")
        return
    for number, at in enumerate(ndindex(*kind.shape)):
        subscripts = _subscripts(lines, f"{buffer}.s{number}", at)
        lines.append(f"{buffer}.e{number} = vector.extract {value}{list(at)} : {kind.element_type} from {kind}")
        lines.append(f"memref.store {buffer}.e{number}, {buffer}[{subscripts}] : {target}")


def _wrapper(entry: str, function: str, signature: Signature) -> str:
    """A wrapper that takes the arguments and a buffer for each global, and gives the addresses of globals if asked."""
    arguments = [f"%a{k}" for k in range(len(signature.types))]
    given = list(arguments)
    buffers = [f"%g{k}" for k in range(len(signature.globals))]
    takes = [f"{v}: {t}" for v, t in zip([*arguments, *buffers], signature.inputs(), strict=True)]
    if signature.answered:
        takes.append(f"%where: {_where(signature)}")
    results = ", ".join(map(str, signature.results))
    gives = ", ".join(f"%r#{k}" for k in range(len(signature.results)))
    before, after = [], []
    for buffer, (name, kind) in zip(buffers, signature.globals, strict=True):
        before.append(f"{buffer}_own = memref.get_global @{json.dumps(name)} : {kind}")
        before.append(f"memref.copy {buffer}, {buffer}_own : {kind} to {kind}")
        after.append(f"memref.copy {buffer}_own, {buffer} : {kind} to {kind}")
    for k, number in signature.same:
        given[k] = f"%same{k}"
        own = number - len(signature.types)
        before += _recast(given[k], f"%g{own}_own", signature.globals[own][1], arguments[k], signature.types[k])
    for k, (_, kind) in enumerate(signature.globals if signature.answered else ()):
        before.append(f"%g{k}_at = memref.extract_aligned_pointer_as_index %g{k}_own : {kind} -> index")
        before.append(f"%g{k}_c = arith.constant {k} : index")
        before.append(f"memref.store %g{k}_at, %where[%g{k}_c] : {_where(signature)}")
    count = len(signature.results)
    call = f"{f'%r:{count} = ' if count else ''}func.call @{json.dumps(function)}({', '.join(given)}) : {signature}"
    end = f"func.return {gives} : {results}" if count else "func.return"
    head = f"func.func @{json.dumps(entry)}({', '.join(takes)}) -> ({results}) {{"
    return "\n".join([head, *before, call, *after, end, "}"])


def _recast(name: str, value: str, kind: Type, shaped: str, wanted: Type) -> list[str]:
    """Ops that view a global as a memref of the wanted type, with the extents of another one."""
    assert isinstance(wanted, MemRefType)
    lines: list[str] = []
    sizes: list[str] = []
    for d, extent in enumerate(wanted.shape):
        lines.append(f"{name}.d{d} = arith.constant {d} : index")
        lines.append(f"{name}.n{d} = memref.dim {shaped}, {name}.d{d} : {wanted}")
        sizes.append(f"{name}.n{d}" if extent is None else str(extent))
    strides = ["1"]
    for d in reversed(range(1, len(sizes))):
        inner = strides[0]
        if inner.isdigit() and sizes[d].isdigit():
            strides.insert(0, str(int(inner) * int(sizes[d])))
            continue
        if inner.isdigit():
            lines.append(f"{name}.k{d} = arith.constant {inner} : index")
            inner = f"{name}.k{d}"
        lines.append(f"{name}.s{d} = arith.muli {inner}, {name}.n{d} : index")
        strides.insert(0, f"{name}.s{d}")
    where = f"offset: [0], sizes: [{', '.join(sizes)}], strides: [{', '.join(strides[: len(sizes)])}]"
    return [*lines, f"{name} = memref.reinterpret_cast {value} to {where} : {kind} to {wanted}"]


def _where(signature: Signature) -> str:
    """The type of the argument that receives the addresses of globals."""
    return f"memref<{len(signature.globals)}xindex>"


def type_of(op: Any) -> Any:
    """The type of a function."""
    return op.attributes["function_type"].value


def is_declaration(op: Any) -> bool:
    """True if a function has no body."""
    return len(op.regions) == 1 and not list(op.regions[0].blocks)


def _check_type(op: Any, function: str, signature: Signature) -> None:
    """Rejects a function of another type: a call with the wrong convention could write anywhere."""
    if type_of(op) != IR.Type.parse(str(signature), op.context):
        raise Refused(f"@{function} has type {type_of(op)}, expected {signature}")

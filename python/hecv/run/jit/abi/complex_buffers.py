"""Complex numbers at the ABI: a buffer of floats whose last dimension holds the two parts."""

from __future__ import annotations

from typing import Any

from torch_mlir import ir

# The bindings are typed in small part.
IR: Any = ir


def is_complex(kind: Any) -> bool:
    """True for the type of complex numbers, and of a memref of them."""
    return isinstance(_number(kind), IR.ComplexType)


def buffer(kind: Any) -> Any:
    """The type of the buffer that holds the parts."""
    shape = kind.shape if isinstance(kind, IR.MemRefType) else []
    return IR.MemRefType.get([*shape, 2], _number(kind).element_type, loc=IR.Location.unknown(kind.context))


def given(lines: list[str], name: str, kind: Any) -> str:
    """The value passed for the buffer `name`; appends the ops that make it."""
    own = f"{name}.own"
    if not isinstance(kind, IR.MemRefType):
        _load(lines, name, "", own, kind, buffer(kind))
        return own
    _extents(lines, own, name, buffer(kind), kind.rank)
    dynamic = ", ".join(f"{own}.n{d}" for d in range(kind.rank) if kind.is_dynamic_dim(d))
    lines.append(f"{own} = memref.alloc({dynamic}) : {kind}")
    indices = _enter(lines, own, kind.rank)
    _load(lines, name, indices, f"{own}.z", kind.element_type, buffer(kind))
    lines += [f"memref.store {own}.z, {own}[{indices}] : {kind}", *"}" * kind.rank]
    return own


def give_back(lines: list[str], value: str, kind: Any, name: str) -> None:
    """Appends ops that copy a number, or the elements of a memref, to the buffer `name`."""
    made = f"{name}.back"
    if not isinstance(kind, IR.MemRefType):
        return _store(lines, value, "", name, made, kind, buffer(kind))
    _extents(lines, made, value, kind, kind.rank)
    indices = _enter(lines, made, kind.rank)
    lines.append(f"{made}.z = memref.load {value}[{indices}] : {kind}")
    _store(lines, f"{made}.z", indices, name, made, kind.element_type, buffer(kind))
    lines += "}" * kind.rank


def _number(kind: Any) -> Any:
    return kind.element_type if isinstance(kind, IR.MemRefType) else kind


def _extents(lines: list[str], made: str, value: str, kind: Any, rank: int) -> None:
    for d in range(rank):
        lines.append(f"{made}.d{d} = arith.constant {d} : index")
        lines.append(f"{made}.n{d} = memref.dim {value}, {made}.d{d} : {kind}")


def _enter(lines: list[str], made: str, rank: int) -> str:
    """Opens a loop for each dimension, and gives the subscripts."""
    lines += [f"affine.for {made}.i{d} = 0 to {made}.n{d} {{" for d in range(rank)]
    return ", ".join(f"{made}.i{d}" for d in range(rank))


def _subscripts(lines: list[str], made: str, indices: str, part: int) -> str:
    lines.append(f"{made}.p{part} = arith.constant {part} : index")
    return ", ".join(filter(None, (indices, f"{made}.p{part}")))


def _load(lines: list[str], name: str, indices: str, made: str, kind: Any, held: Any) -> None:
    for k in (0, 1):
        lines.append(f"{made}.e{k} = memref.load {name}[{_subscripts(lines, made, indices, k)}] : {held}")
    lines.append(f"{made} = complex.create {made}.e0, {made}.e1 : {kind}")


def _store(lines: list[str], value: str, indices: str, name: str, made: str, kind: Any, held: Any) -> None:
    for k, part in enumerate(("re", "im")):
        lines.append(f"{made}.e{k} = complex.{part} {value} : {kind}")
        lines.append(f"memref.store {made}.e{k}, {name}[{_subscripts(lines, made, indices, k)}] : {held}")

"""Identifies the buffers that compiled code returns, by comparing addresses of results and inputs.

Buffers are numbered as in `hecv.mlir.aliasing.returned_memrefs`: inputs first, then the function's own allocations.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from torch_mlir import ir

from hecv.program.tree import STANDINGS
from hecv.run.jit.abi.jit_outcome import Signature

# The bindings are typed in small part.
IR: Any = ir


def identities(lines: list[str], given: Sequence[str], kinds: Any, signature: Signature) -> list[str]:
    """Appends ops that identify the buffers of the results `%r#k` of a call, and gives what they compute: number,
    offset and strides of each that is asked for. The call was `given` its arguments."""
    if not signature.shown:
        return []
    inputs: list[tuple[str, int]] = []
    for k, kind in enumerate(kinds.inputs):
        if isinstance(kind, IR.MemRefType):
            inputs.append((_address(lines, f"%id.a{k}", given[k], kind), k))
    for k, (name, kind) in enumerate(signature.globals):
        lines.append(f"%id.own{k} = memref.get_global @{json.dumps(name)} : {kind}")
        inputs.append((_address(lines, f"%id.g{k}", f"%id.own{k}", kind), len(signature.types) + k))
    found: list[str] = []
    own: list[tuple[str, int]] = []
    for k in signature.shown:
        name, kind = f"%id.r{k}", kinds.results[k]
        own.append((_address(lines, name, f"%r#{k}", kind), len(signature.inputs()) + STANDINGS * k))
        found += _place(lines, name, f"%r#{k}", kind, inputs, own)
    return found


def declarations(signature: Signature) -> list[str]:
    """Declarations of the symbols that the ops use."""
    return [f"memref.global @{json.dumps(n)} : {kind}" for n, kind in signature.globals] if signature.shown else []


def _address(lines: list[str], name: str, value: str, kind: Any) -> str:
    lines.append(f"{name} = memref.extract_aligned_pointer_as_index {value} : {kind} -> index")
    return name


def _place(
    lines: list[str], name: str, value: str, kind: Any, inputs: list[tuple[str, int]], own: list[tuple[str, int]]
) -> list[str]:
    """The number, offset and strides of a result: those of the first buffer with the same address."""
    number = f"{name}.n"
    lines.append(f"{number} = arith.constant {own[-1][1]} : index")
    for place, (other, code) in enumerate(reversed((*inputs, *own[:-1]))):
        same, made = f"{name}.s{place}", f"{name}.n{place}"
        lines.append(f"{same} = arith.cmpi eq, {name}, {other} : index")
        lines.append(f"{made}.c = arith.constant {code} : index")
        lines.append(f"{made} = arith.select {same}, {made}.c, {number} : index")
        number = made
    base = IR.MemRefType.get(
        [], kind.element_type, memory_space=kind.memory_space, loc=IR.Location.unknown(kind.context)
    )
    rank = kind.rank
    parts = [
        f"{name}.base",
        f"{name}.offset",
        *(f"{name}.z{d}" for d in range(rank)),
        *(f"{name}.t{d}" for d in range(rank)),
    ]
    types = ", ".join(["index"] * (1 + 2 * rank))
    lines.append(f"{', '.join(parts)} = memref.extract_strided_metadata {value} : {kind} -> {base}, {types}")
    return [number, parts[1], *parts[2 + rank :]]

"""Reads a function of StableHLO as ops of a graph of tensors: calls inlined, loops with a known number of iterations
unrolled, branches by a known choice or as selections."""

from __future__ import annotations

import linecache
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import jax
import ml_dtypes
import numpy as np
from jaxlib.mlir import ir

from hecv.jax.graph_emitter import FLOATS, UNSIGNED, GraphEmitter, NotRead, Value
from hecv.jax.integer_folding import COMPARISONS, WHOLE, folded
from hecv.jax.stablehlo_collectives import COLLECTIVES, collective
from hecv.jax.stablehlo_ops import Op, gathered, joined_by, most_starts, translate
from hecv.tensors.tensor_graph import SourceLine, TensorType

MOST_ITERATIONS: Final = 1_024
"""Iterations, at most, of a loop that is unrolled."""

LARGEST: Final = 2.0**24
"""Whole numbers below this are exact in f32, and their sums and products in f64."""

MOST_NODES: Final = 200_000
"""Ops, at most, of a graph."""

_OWN: Final = str(Path(__file__).resolve().parents[1])
_FRAME: Final = re.compile(r'"([^"]+)":(\d+):\d+')
_SCOPES: Final = re.compile(r'^loc\("([^"]*)"')
_LOGGED: Final = "hecv.log:"
_LOG_SCOPE: Final = re.compile(rf"{_LOGGED}([\w.]+)")
_SCOPE: Final = re.compile(r"[A-Za-z_][\w.]*")
_NUMBER: Final = re.compile(r"0x[0-9A-F]+|[-+]?[\d.]+(?:[eE][-+]?\d+)?")
_NARROW: Final = {"bf16": (ml_dtypes.bfloat16, np.uint16), "f16": (np.float16, np.uint16)}

SAME: Final = ("optimization_barrier", "sharding_constraint", "reshard", "Sharding", "copy", "reduce_precision")
"""Ops, and targets of custom calls, that give what they are given; rounding to fewer bits is none over the reals."""


def type_of(type_: Any) -> TensorType:
    """The type of a value.

    Raises: NotRead if it is no tensor of a known size and element.
    """
    if not isinstance(type_, ir.RankedTensorType) or not type_.has_static_shape:
        raise NotRead(f"a value of type {type_}")
    element = str(type_.element_type)
    if element not in FLOATS and element not in UNSIGNED and not re.fullmatch(r"i(1|8|16|32|64)", element):
        raise NotRead(f"arrays of {element} are not supported")
    return TensorType(tuple(type_.shape), element)


def float_literals(module: Any) -> set[float]:
    """The numbers that constants of a module have which are one float in f64 everywhere."""
    found: set[float] = set()

    def visit(operation: Any) -> Any:
        if operation.name == "stablehlo.constant":
            value = operation.attributes["value"]
            if value.is_splat and "f64" in str(value.type):
                found.add(float(value.get_splat_value().value))
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


class StableHloReader:
    """Reads functions of a module into an emitter. `rank` is the number of the device that runs them, where they are
    the program of one of several."""

    def __init__(self, module: Any, emitter: GraphEmitter, rank: int | None = None) -> None:
        self._emitter: Final = emitter
        self._rank: Final = rank
        self._functions: Final[dict[str, Any]] = {
            ir.StringAttr(op.operation.attributes["sym_name"]).value: op.operation
            for op in module.body.operations
            if op.operation.name == "func.func"
        }
        self._module: Final = module
        self._origins: Final[dict[str | None, Op]] = {}
        self._collectives = 0

    def function(self, name: str) -> Any:
        """The body of a function."""
        return self._functions[name].regions[0].blocks[0]

    def read(self, block: Any, arguments: Sequence[Value], around: Mapping[Any, Value] = {}) -> list[Value]:
        """What a block returns.

        Raises: NotRead.
        """
        values: dict[Any, Value] = {**around, **dict(zip(block.arguments, arguments, strict=True))}
        for op in block.operations:
            operation = op.operation
            name = operation.name.rpartition(".")[2]
            if name == "return":
                return [values[v] for v in operation.operands]
            if len(self._emitter.nodes) > MOST_NODES:
                raise NotRead(f"a program of more than {MOST_NODES} ops", self._emitter.place)
            before = self._emitter.place
            self._emitter.place = place_of(operation.location) or before
            try:
                made = self._made(name, operation, values)
            except NotRead as problem:
                raise problem if problem.place else NotRead(str(problem), self._emitter.place) from None
            self._emitter.place = before
            values |= dict(zip(operation.results, made, strict=True))
        raise AssertionError("a block without a return")

    def _made(self, name: str, operation: Any, values: Mapping[Any, Value]) -> list[Value]:
        operands = [values[v] for v in operation.operands]
        match name:
            case "constant":
                return [self._constant(operation)]
            case "call":
                callee = ir.FlatSymbolRefAttr(operation.attributes["callee"]).value
                return self.read(self.function(callee), operands)
            case "composite":
                callee = ir.FlatSymbolRefAttr(operation.attributes["decomposition"]).value
                return self.read(self.function(callee), operands)
            case "custom_call":
                return self._custom_call(operation, operands)
            case "manual_computation":
                if [v.type for v in operation.operands] != [v.type for v in operation.regions[0].blocks[0].arguments]:
                    raise NotRead("a program of several devices: `hecv refine` takes it")
                return self.read(operation.regions[0].blocks[0], operands, values)
            case "while":
                return self._while(operation, operands, values)
            case "case" | "if":
                return self._case(name, operation, operands[0], values)
            case _ if name in SAME:
                logged = _logged_as(operation.location)
                if logged is not None:
                    self._emitter.logged += [(self._emitter.name(value), logged) for value in operands]
                return operands
            case "partition_id" | "replica_id":
                return [self._number_of_rank(name)]
            case _ if name in COLLECTIVES:
                types = [v.type for v in operation.results]
                return [self._collective(name, operation, *each) for each in zip(operands, types, strict=True)]
            case _:
                return [self._op(name, operation, operands)]

    def _op(self, name: str, operation: Any, operands: Sequence[Value]) -> Value:
        types = tuple(type_of(v.type) for v in operation.results)
        op = Op(name, tuple(operands), types, operation)
        if len(types) != 1:
            raise NotRead(f"no definition of {operation.name}")
        known = self._known(op)
        if name == "select" and operands[0].number is not None:
            return operands[1] if operands[0].number else operands[2]
        if name == "select" and any(x.number is not None and x.number != x.number for x in operands):
            return self._filled(op)
        whole = self._whole(op)
        if whole is not None:
            return whole
        if known is not None and any(x.element in UNSIGNED for x in (types[0], *operands)):
            return self._emitter.constant(known, types[0])
        unsigned = next((x.element for x in operands if x.element in UNSIGNED and x.known is None), None)
        if unsigned or op.element in UNSIGNED:
            raise NotRead(f"{operation.name} of {unsigned or op.element}")
        found = translate(self._emitter, op)
        if found.name is not None:
            self._origins.setdefault(found.name, op)
        return Value(found.type, found.name, known if known is not None else found.known, found.number)

    def _known(self, op: Op) -> Any:
        if not all(x.known is not None or (x.number is not None and x.element not in FLOATS) for x in op.operands):
            return None
        arrays = [np.full(x.shape, x.number) if x.known is None else x.known for x in op.operands]
        if op.name == "compare":
            return COMPARISONS[op.word("comparison_direction")](*arrays)
        boolean = op.name == "convert" and op.element == "i1"
        return folded(op.name, arrays, op.shape, op.element, {**op.numbers(), "boolean": [boolean]})

    def _whole(self, op: Op) -> Value | None:
        """The result of an op on floats that are whole numbers, each the same everywhere: exact, as where elements are
        counted."""
        numbers = [x.number for x in op.operands if x.number is not None and x.element in FLOATS]
        if not numbers or len(numbers) < len(op.operands) or not all(abs(n) < LARGEST and n % 1 == 0 for n in numbers):
            return None
        if op.name == "compare":
            found = bool(COMPARISONS[op.word("comparison_direction")](*numbers))
            return Value(op.types[0], known=np.full(op.shape, found), number=found)
        return Value(op.types[0], number=float(WHOLE[op.name](*numbers))) if op.name in WHOLE else None

    def _constant(self, operation: Any) -> Value:
        kind = type_of(operation.results[0].type)
        return self._emitter.constant(array_of(operation.attributes["value"], kind), kind)

    def _custom_call(self, operation: Any, operands: list[Value]) -> list[Value]:
        target = ir.StringAttr(operation.attributes["call_target_name"]).value
        name = target.rpartition(".")[2]
        if name in SAME:
            return operands
        try:
            return [self._op(name, operation, operands)]
        except NotRead:
            raise NotRead(f"no definition of the custom call `{target}`") from None

    # Control

    def _while(self, operation: Any, state: list[Value], values: Mapping[Any, Value]) -> list[Value]:
        condition, body = (region.blocks[0] for region in operation.regions)
        for _ in range(MOST_ITERATIONS):
            (again,) = self.read(condition, state, values)
            if again.known is None:
                raise NotRead("a loop whose number of iterations depends on data")
            if not again.known:
                return state
            state = self.read(body, state, values)
        raise NotRead(f"a loop of more than {MOST_ITERATIONS} iterations")

    def _case(self, name: str, operation: Any, choice: Value, values: Mapping[Any, Value]) -> list[Value]:
        """All branches, of which a selection takes one where the choice depends on data: they have no effects."""
        branches = [region.blocks[0] for region in operation.regions]
        if choice.known is not None:
            number = int(choice.known)
            if name == "if":
                number = 0 if number else 1
            number = number if 0 <= number < len(branches) else len(branches) - 1
            return self.read(branches[number], [], values)
        emitter = self._emitter
        made = [self.read(branch, [], values) for branch in branches]
        found = made[-1]
        for k, results in reversed(list(enumerate(made[:-1]))):
            taken = choice
            if name == "case":
                taken = emitter.two("eq.Tensor", choice, emitter.full(k, (), choice.element), "i1")
            found = [
                emitter.emit("where.self", (taken, yes, no), yes.shape, yes.element)
                for yes, no in zip(results, found, strict=True)
            ]
        return found

    # Look-ups that fill

    def _filled(self, op: Op) -> Value:
        """`select(index in range, gather(x, index), NaN)` is the look-up itself, at an index that has to be in range.

        Raises: NotRead for another program that makes NaN.
        """
        mask, picked = op.operands[0], self._origins.get(op.operands[1].name)
        if picked is None or picked.name != "gather" or not self._is_range(mask, picked):
            raise NotRead("a program that makes NaN on purpose")
        return gathered(self._emitter, picked, clamped=False)

    def _is_range(self, mask: Value, picked: Op) -> bool:
        """Whether a mask holds exactly where the one index of a gather is in range."""
        origin = self._origins.get(mask.name)
        while origin is not None and origin.name in ("broadcast_in_dim", "reshape"):
            origin = self._origins.get(origin.operands[0].name)
        if origin is None or origin.name != "reduce" or joined_by(origin) != "and":
            return False
        both = self._origins.get(origin.operands[0].name)
        if both is None or both.name != "and":
            return False
        last = most_starts(picked)
        found: set[str] = set()
        for part in both.operands:
            test = self._origins.get(part.name)
            if test is None or test.name != "compare" or test.operands[0].name != picked.operands[1].name:
                return False
            direction, bound = test.word("comparison_direction"), test.operands[1].known
            if bound is None or last is None or not np.all(bound == {"GE": 0, "LE": last}.get(direction, -1)):
                return False
            found.add(direction)
        return found == {"GE", "LE"}

    # Ranks

    def _number_of_rank(self, name: str) -> Value:
        if self._rank is None:
            raise NotRead("a program of one device among several: `hecv refine` takes it")
        return Value(TensorType((), "ui32"), known=np.array(self._rank if name == "partition_id" else 0, np.uint32))

    def _collective(self, name: str, operation: Any, operand: Value, type_: Any) -> Value:
        if self._rank is None:
            raise NotRead("a collective: `hecv refine` takes programs of several devices")
        self._collectives += 1
        op = Op(name, (operand,), (type_of(type_),), operation)
        return collective(self._emitter, self._module, op, self._rank, self._collectives)


def array_of(attribute: Any, kind: TensorType) -> Any:
    """The elements of a constant."""
    if kind.element in _NARROW:
        return _narrow_floats(str(attribute), kind)
    if kind.element == "i1":
        found = np.array(
            [bool(x) for x in attribute] if not attribute.is_splat else bool(attribute.get_splat_value().value)
        )
    else:
        found = np.array(attribute)
    return _filling(found, kind)


def _filling(found: Any, kind: TensorType) -> Any:
    """The elements in the shape of the type; one stands for all."""
    return np.array(np.broadcast_to(found.reshape(kind.shape if found.size != 1 else ()), kind.shape))


def _narrow_floats(text: str, kind: TensorType) -> Any:
    """Floats of 16 bits, for which the bindings have no buffer, as text: numbers, bits, or bytes in hexadecimal."""
    dtype, bits = _NARROW[kind.element]
    body = text.partition("<")[2].rpartition(">")[0].rpartition(">")[0]
    if body.startswith('"0x'):
        found = np.frombuffer(bytes.fromhex(body[3:-1]), dtype)
    else:
        numbers = [
            np.array(int(n, 16), bits).view(dtype) if n.startswith("0x") else np.array(float(n), dtype)
            for n in _NUMBER.findall(body)
        ]
        found = np.array(numbers, dtype)
    return _filling(found.astype(np.float64), kind)


def logged_in_scope(tensor: Any, name: str) -> Any:
    """Marks a value of a program that is traced: a barrier in a scope that has the name (`logging_to`)."""
    with jax.named_scope(f"{_LOGGED}{name}"):
        return jax.lax.optimization_barrier(tensor)


def _logged_as(location: Any) -> str | None:
    """The name that the program gives to a value, if it is the one of a forward pass."""
    scopes = _SCOPES.match(str(location))
    found = None if scopes is None or "transpose(" in scopes[1] else _LOG_SCOPE.search(scopes[1])
    return None if found is None else found[1]


def place_of(location: Any) -> SourceLine | None:
    """The innermost line of the user's program, with the names of the scopes around the op."""
    text = str(location)
    frame = next((f for f in _FRAME.finditer(text) if not f[1].startswith(_OWN)), None)
    if frame is None:
        return None
    file, line = frame[1], int(frame[2])
    scopes = _SCOPES.match(text)
    names = scopes[1].split("/")[1:-1] if scopes else []
    path = ".".join(n for n in names if _SCOPE.fullmatch(n))
    return SourceLine(file, line, linecache.getline(file, line).strip(), path)

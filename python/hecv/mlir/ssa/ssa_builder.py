"""Builds new ops in a module under edit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Final

from msgspec import Struct
from torch_mlir import ir
from torch_mlir.dialects.linalg import fill_builtin_region

from hecv.mlir.ssa.attribute_data import Plain, candidates, constant
from hecv.mlir.ssa.ssa_graph import Program

_MOST_ATTEMPTS: Final = 64
_WITH_PAYLOAD: Final = "linalg."


class CannotBuild(Exception):
    """The op cannot be built: an attribute, an operand or a type does not fit."""


class Request(Struct, frozen=True):
    """An op to be built. If `types` is None, they are inferred, or else each is `otherwise`."""

    name: str
    operands: tuple[int, ...]
    attributes: tuple[tuple[str, Plain], ...] = ()
    results: int = 1
    type: str | None = None
    otherwise: str | None = None


def build(program: Program, request: Request, before: int) -> int:
    """Builds an op before another; gives its number.

    Raises: CannotBuild.
    """
    place = program.handles[before]
    with place.context, place.location:
        registered = program.module.module.context.is_registered_operation(request.name)
        if not registered and "." not in request.name:
            return program.enter(_call(program, request, place), before)
        problem = f"`{request.name}` cannot be made"
        for attributes in islice(_attributes(program, request), _MOST_ATTEMPTS):
            try:
                return program.enter(_create(program, request, attributes, place, registered), before)
            except (ir.MLIRError, ValueError, TypeError) as error:
                problem = _reason(error)
    raise CannotBuild(problem)


def build_literal(program: Program, value: int | float | bool, type_: str, user: str, before: int) -> int:
    """Builds a constant, as an op called `user` takes it; gives the number of its value.

    Raises: CannotBuild.
    """
    place = program.handles[before]
    with place.context, _nameless(place.location):
        found = constant(user, _type(type_), value)
        if found is None:
            raise CannotBuild(f"there is no literal {value} of type {type_}")
        name, key, attribute = found
        try:
            op = ir.Operation.create(name, [_type(type_)], [], {key: attribute}, ip=ir.InsertionPoint(place))
            _verify(op)
        except (ir.MLIRError, ValueError) as error:
            raise CannotBuild(_reason(error)) from None
        return program.op(program.enter(op, before)).results[0]


def _nameless(location: ir.Location) -> ir.Location:
    """The location without the name that a value has there."""
    return location.child_loc if isinstance(location, ir.NameLoc) else location


def _attributes(program: Program, request: Request) -> Iterator[dict[str, ir.Attribute]]:
    """The possible readings of the attributes; those that the program uses come first."""
    names = [name for name, _ in request.attributes]
    choices: list[list[ir.Attribute]] = []
    for name, value in request.attributes:
        seen = program.seen.get((request.name, name, repr(value)))
        choices.append([] if seen is None else [seen])
        try:
            choices[-1].extend(candidates(request.name, name, value))
        except (ir.MLIRError, ValueError) as error:
            raise CannotBuild(f"attribute `{name}`: {_reason(error)}") from None
    for chosen in product(*choices):
        yield dict(zip(names, chosen, strict=True))


def _create(
    program: Program, request: Request, attributes: dict[str, ir.Attribute], place: ir.Operation, registered: bool
) -> ir.Operation:
    operands = [program.handle(v) for v in request.operands]
    types = _types(request, operands, attributes, registered)
    payload = registered and request.name.startswith(_WITH_PAYLOAD)
    if payload:
        attributes = attributes | {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(operands) - 1, 1])}
    op = ir.Operation.create(request.name, types, operands, attributes, regions=1 if payload else 0, ip=False)
    ir.InsertionPoint(place).insert(op)
    try:
        if payload:
            fill_builtin_region(op)
        _verify(op)
    except (ir.MLIRError, ValueError):
        op.erase()
        raise
    return op


def _types(
    request: Request, operands: Sequence[ir.Value], attributes: dict[str, ir.Attribute], registered: bool
) -> list[ir.Type]:
    if request.type is not None:
        return [_type(request.type)] * request.results
    inferred = _inferred(request, operands, attributes) if registered else None
    if inferred is not None:
        return inferred
    if request.otherwise is not None:
        return [_type(request.otherwise)] * request.results
    if not operands:
        raise CannotBuild(f"the type of `{request.name}` is not known: say `type=`")
    return [operands[0].type] * request.results


def _inferred(
    request: Request, operands: Sequence[ir.Value], attributes: dict[str, ir.Attribute]
) -> list[ir.Type] | None:
    """The result types that the op infers; None if it does not."""
    try:
        op = ir.Operation.create(request.name, None, list(operands), attributes, ip=False, infer_type=True)
        return [r.type for r in op.results]
    except (ir.MLIRError, ValueError, TypeError):
        pass
    try:
        types = [operands[0].type] * request.results if operands else []
        draft = ir.Operation.create(request.name, types, list(operands), attributes, ip=False)
        parts = ir.InferShapedTypeOpInterface(draft).inferReturnTypeComponents(list(operands))
    except (ir.MLIRError, ValueError, TypeError, IndexError):
        return None
    # The element types are not asked for: the bindings abort where the op does not say them, which few ops do.
    element = operands[0].type.element_type if isinstance(operands[0].type, ir.ShapedType) else None
    kinds = [ir.RankedTensorType.get(p.shape, element) for p in parts if p.has_rank and element]
    return kinds if len(kinds) == len(parts) else None


def _call(program: Program, request: Request, place: ir.Operation) -> ir.Operation:
    """A call of a private function without a body, which is declared if it is not yet."""
    operands = [program.handle(v) for v in request.operands]
    types = _types(request, operands, {}, False)
    kind = ir.FunctionType.get([v.type for v in operands], types)
    symbol = _declared(program, request.name, kind)
    attributes: dict[str, ir.Attribute] = {"callee": ir.FlatSymbolRefAttr.get(symbol)}
    return ir.Operation.create("func.call", types, operands, attributes, ip=ir.InsertionPoint(place))


def _declared(program: Program, name: str, kind: ir.FunctionType) -> str:
    """The symbol of the declared function of this type: its name, with a number if another type has the name."""
    symbols = program.module.symbols
    assert isinstance(symbols, dict)
    for number in range(len(symbols) + 1):
        symbol = name if number == 0 else f"{name}__{number}"
        existing = symbols.get(symbol)
        if existing is None:
            break
        same = existing.name == "func.func" and ir.TypeAttr(existing.attributes["function_type"]).value == kind
        if same and not len(existing.regions[0].blocks):
            return symbol
    else:
        raise CannotBuild(f"no name is left for @{name}")
    attributes = {
        "sym_name": ir.StringAttr.get(symbol),
        "function_type": ir.TypeAttr.get(kind),
        "sym_visibility": ir.StringAttr.get("private"),
    }
    body = program.module.module.body
    symbols[symbol] = ir.Operation.create(
        "func.func", [], [], attributes, regions=1, loc=ir.Location.unknown(), ip=ir.InsertionPoint(body)
    )
    return symbol


def _type(text: str) -> ir.Type:
    try:
        return ir.Type.parse(text)
    except ir.MLIRError:
        raise CannotBuild(f"`{text}` is no type") from None


def _verify(op: ir.Operation) -> None:
    op.verify()


def _reason(error: Exception) -> str:
    told = error.error_diagnostics if isinstance(error, ir.MLIRError) else []
    return told[0].message.strip() if told else str(error).strip().split("\n")[0]

"""Functions of the dialect `llvm` on scalars as functions of `func`, which are what is compared.

    llvm.func @f(%x: i32) -> i32 {              func.func @f(%x: i32) -> i32 {
      %c = llvm.mlir.constant(1 : i32) : i32      %c = arith.constant 1 : i32
      %s = llvm.add %x, %c overflow<nsw> : i32    %s = arith.addi %x, %c overflow<nsw> : i32
      llvm.return %s : i32                        return %s : i32
    }                                           }

Several results are a struct in LLVM: one that is put together for the return, or taken apart after a call, is raised
to several results. A function is raised if all of it can be, and all that refers to it; any other is left as it is.
Ops on scalars in functions of `func` are raised, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from torch_mlir import ir

from hecv.mlir.llvm.llvm_ops import COUNTERPARTS, UNIT, VALUE, Flags, Unraised, converted, flags_in, is_value

FUNCTION: Final = "llvm.func"
PREFIX: Final = "llvm."
MENTIONED: Final = re.compile(r'llvm\.func|= "?llvm\.')
"""Functions and ops of the dialect in a text; attributes look otherwise."""

_CALL: Final = "llvm.call"
_INSERT, _EXTRACT = "llvm.insertvalue", "llvm.extractvalue"
_BRANCHES: Final = {"llvm.br": "cf.br", "llvm.cond_br": "cf.cond_br", "llvm.switch": "cf.switch"}
_SEGMENTS: Final = "operandSegmentSizes"
_BRANCH_FLAGS: Final = frozenset({_SEGMENTS, "case_values", "case_operand_segments", "branch_weights"})
_CALL_FLAGS: Final = frozenset({_SEGMENTS, "callee", "branch_weights"})
"""Weights are hints, and are dropped."""

_OP: Final = re.compile(r'\s*(?:%[^=]* = )?"([\w.$-]+)"\(.*?\)(?:\[.*?\])?(?: <\{(.*?)\}>)? (?::|\(\{)')
_TYPE: Final = re.compile(r"!llvm\.func<(.*?) \((.*)\)>")
_STRUCT: Final = re.compile(r"(?:!llvm\.)?struct<\((.*)\)>")
_SYMBOL: Final = re.compile(r'@("[^"]*"|[\w.$-]+)')

_PLAIN: Final = {
    "CConv": ("#llvm.cconv<ccc>",),
    "TailCallKind": ("#llvm.tailcallkind<none>",),
    "fastmathFlags": ("#llvm.fastmath<none>",),
    "op_bundle_sizes": ("array<i32>",),
    "unnamed_addr": ("0 : i64", "1 : i64", "2 : i64"),
    "visibility_": ("0 : i64", "1 : i64", "2 : i64"),
    "linkage": ("#llvm.linkage<external>", "#llvm.linkage<internal>", "#llvm.linkage<private>"),
}
"""The values of attributes with which a function or a call is raised. `linkage` becomes a visibility; the others say
what is usual, and are dropped."""

_KEPT: Final = frozenset({"sym_name", "sym_visibility", "arg_attrs", "res_attrs", "no_unwind", "will_return"})
"""Attributes of functions that are handed on, as are those of another dialect."""


Part = ir.Value | tuple[ir.Operation, int]
"""A value, or a result of a call by its number."""


def raise_functions(module: ir.Module) -> bool:
    """Raises what can be raised, in place; the program's meaning does not change. True if anything was."""
    tops = [view.operation for view in module.body.operations]
    found = {_name(op): op for op in tops if op.name == FUNCTION}
    inner = {op: _flagged(op) for op in tops if op.name in (FUNCTION, "func.func") and PREFIX in str(op)}
    raised = {name: op for name, op in found.items() if _is_plain(op, inner[op])}
    left = -1
    while left != len(raised):
        left = len(raised)
        kept = [op for op in tops if op.name != FUNCTION or _name(op) not in raised]
        named = {symbol for op in kept for symbol in _referred(op, inner.get(op))} if raised else set[str]()
        raised = {n: op for n, op in raised.items() if n not in named and _symbols(op) <= raised.keys()}
    changed = bool(raised)
    for op, inside in inner.items():
        if op.name == FUNCTION and _name(op) in raised:
            _raise(op, inside)
            continue
        calls = [one for one, flags in inside if flags is not None and _is_plain_call(one, flags)]
        calls = [one for one in calls if ir.FlatSymbolRefAttr(one.attributes["callee"]).value in raised]
        for one in calls:
            _raise_call(one)
        _erase(calls)
        if op.name == "func.func":
            made = [_raise_value(one, flags) for one, flags in inside if flags is not None and one.name != _CALL]
            changed |= any(made)
    return changed


def _referred(op: ir.Operation, inside: list[tuple[ir.Operation, Flags | None]] | None) -> set[str]:
    """The symbols that an op which is not raised refers to otherwise than by calls of values."""
    if inside is None:
        return _symbols(op)
    parts = [one for one, flags in inside if flags is None or not _is_plain_call(one, flags)]
    texts = [str(one.attributes[name]) for one in (op, *parts) for name in one.attributes if name != "sym_name"]
    return {name.strip('"') for text in texts for name in _SYMBOL.findall(text)}


def _is_plain_call(op: ir.Operation, flags: Flags) -> bool:
    return op.name == _CALL and _has_counterpart(op, flags) and all(is_value(result.type) for result in op.results)


def _flagged(top: ir.Operation) -> list[tuple[ir.Operation, Flags | None]]:
    """The ops within, outer ones first, each with its inherent attributes; None where these are not plain. The
    bindings do not list all of them: of `llvm.add` not `overflow<nsw>`."""
    ops: list[ir.Operation] = []
    for region in top.regions:
        for block in region.blocks:
            for view in block.operations:
                view.operation.walk(lambda op: ops.append(op) or ir.WalkResult.ADVANCE, ir.WalkOrder.PRE_ORDER)
    lines = top.get_asm(print_generic_op_form=True, enable_debug_info=False, assume_verified=True).splitlines()
    printed = [m for m in map(_OP.match, lines[1:]) if m is not None]
    if [m[1] for m in printed] != [op.name for op in ops]:
        return [(op, None) for op in ops]
    return [(op, _flags(m[2] or "")) for op, m in zip(ops, printed, strict=True)]


def _flags(text: str) -> Flags | None:
    try:
        return flags_in(text)
    except Unraised:
        return None


def _name(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["sym_name"]).value


def _symbols(op: ir.Operation) -> set[str]:
    """The symbols that an op refers to, itself left out."""
    own = _name(op) if "sym_name" in op.attributes else ""
    return {name.strip('"') for name in _SYMBOL.findall(str(op))} - {own}


# What can be raised


def _is_plain(op: ir.Operation, inside: list[tuple[ir.Operation, Flags | None]]) -> bool:
    """True if a function is on scalars, and each op of it has a counterpart."""
    attributes = {name: str(op.attributes[name]) for name in op.attributes}
    rest = [name for name in attributes if not _is_kept(name) and name != "function_type"]
    if any(attributes[name] not in _PLAIN.get(name, ()) for name in rest) or _signature(op) is None:
        return False
    blocks = list(op.regions[0].blocks)
    kinds = [argument.type for block in blocks for argument in block.arguments]
    return all(map(is_value, kinds)) and all(flags is not None and _has_counterpart(o, flags) for o, flags in inside)


def _is_kept(name: str) -> bool:
    return name in _KEPT or "." in name


def _signature(op: ir.Operation) -> ir.FunctionType | None:
    """The type of a function on scalars; None for another one."""
    matched = _TYPE.fullmatch(str(op.attributes["function_type"]))
    if matched is None:
        return None
    struct = _STRUCT.fullmatch(matched[1])
    results = [] if matched[1] == "void" else _split(struct[1]) if struct else [matched[1]]
    inputs = _split(matched[2])
    if not all(map(VALUE.fullmatch, (*inputs, *results))):
        return None
    kinds = ([ir.Type.parse(text, op.context) for text in part] for part in (inputs, results))
    with op.context:
        return ir.FunctionType.get(*kinds)


def _split(text: str) -> list[str]:
    return text.split(", ") if text else []


def _has_counterpart(op: ir.Operation, flags: Flags) -> bool:
    try:
        match op.name:
            case "llvm.call":
                plain = all(name in _CALL_FLAGS or text in _PLAIN.get(name, ()) for name, text in flags.items())
                return plain and "callee" in flags and all(map(_is_result, op.results)) and _takes_values(op)
            case "llvm.return":
                return len(op.operands) == 0 or bool(_parts(op.operands[0]))
            case "llvm.extractvalue":
                return _taken(op) is not None
            case "llvm.insertvalue":
                return _position(op) is not None and is_value(op.operands[1].type) and _starts(op.result)
            case "llvm.mlir.poison" | "llvm.mlir.undef" if _STRUCT.fullmatch(str(op.result.type)):
                return True  # of which each part is replaced, or it is no function that is raised
            case "llvm.br" | "llvm.cond_br" | "llvm.switch":
                return flags.keys() <= _BRANCH_FLAGS and _takes_values(op)
            case _:
                return _value(op, flags) is not None
    except Unraised:
        return False


def _takes_values(op: ir.Operation) -> bool:
    return all(is_value(operand.type) for operand in op.operands)


def _is_result(value: ir.Value) -> bool:
    struct = _STRUCT.fullmatch(str(value.type))
    return is_value(value.type) or (struct is not None and all(map(VALUE.fullmatch, _split(struct[1]))))


def _value(op: ir.Operation, flags: Flags) -> tuple[str, dict[str, str]] | None:
    """The op of another dialect with the value of this one, and its attributes; None if there is none.

    Raises: Unraised where an attribute has no counterpart.
    """
    if len(op.results) != 1 or not is_value(op.result.type) or not _takes_values(op):
        return None
    kind = str(op.result.type)
    match op.name:
        case "llvm.mlir.constant":
            given = op.attributes["value"]
            if isinstance(given, ir.IntegerAttr) and isinstance(op.result.type, ir.IntegerType):
                given = ir.IntegerAttr.get(op.result.type, given.value)  # `0 : index` is a constant of i64
            typed = getattr(given, "type", None)
            return ("arith.constant", {"value": str(given)}) if typed == op.result.type else None
        case "llvm.mlir.zero":
            return "arith.constant", {"value": _zero(kind)}
        case "llvm.mlir.poison":
            return "ub.poison", {"value": "#ub.poison"}
        case "llvm.bitcast" if "vector" in kind + str(op.operands[0].type):
            return None  # one of arith keeps the shape
        case _:
            counterpart = COUNTERPARTS.get(op.name)
            return None if counterpart is None else (counterpart.name, converted(counterpart, flags))


def _zero(kind: str) -> str:
    element = kind.rpartition("x")[2].rstrip(">")
    zero = "0" if element.startswith("i") else "0.0"
    return f"dense<{zero}> : {kind}" if kind.startswith("vector") else f"{zero} : {kind}"


# Structs


def _position(op: ir.Operation) -> int | None:
    """The place in a struct that an op reads or writes; None if it is within a part of it."""
    position = list(ir.DenseI64ArrayAttr(op.attributes["position"]))
    return position[0] if len(position) == 1 and _STRUCT.fullmatch(str(op.operands[0].type)) else None


def _taken(op: ir.Operation) -> Part | None:
    """The part of a struct that `llvm.extractvalue` gives: a value, or a result of a call; None if it is not known."""
    position = _position(op)
    return None if position is None else _part(op.operands[0], position)


def _starts(struct: ir.Value) -> bool:
    """True if a struct is put together from a first one: where no run comes, two may be made of each other."""
    met: list[ir.Operation] = []
    while not isinstance(struct.owner, ir.Block) and struct.owner.name == _INSERT:
        if struct.owner in met:
            return False
        met.append(struct.owner)
        struct = struct.owner.operands[0]
    return True


def _part(struct: ir.Value, position: int) -> Part | None:
    """A part of a struct: a value, or a result of a call; None if it is not known, or was never put in."""
    if not _starts(struct):
        return None
    while not isinstance(struct.owner, ir.Block):
        op = struct.owner
        if op.name == _CALL:
            return op, position
        if op.name != _INSERT:
            return None
        place = _position(op)
        if place is None:
            return None
        if place == position:
            return op.operands[1]
        struct = op.operands[0]
    return None


def _parts(value: ir.Value) -> list[Part] | None:
    """The parts of what a function returns; None if one is not known."""
    struct = _STRUCT.fullmatch(str(value.type))
    if struct is None:
        return [value] if is_value(value.type) else None
    found = [_part(value, k) for k in range(len(_split(struct[1])))]
    known = [part for part in found if part is not None]
    return known if len(known) == len(found) else None


# Raising


def _raise(op: ir.Operation, inside: list[tuple[ir.Operation, Flags | None]]) -> None:
    """Replaces a function, in place."""
    kind = _signature(op)
    assert kind is not None
    attributes: dict[str, ir.Attribute] = {n: op.attributes[n] for n in op.attributes if _is_kept(n)}
    if str(op.attributes["linkage"]) != "#llvm.linkage<external>" or not op.regions[0].blocks:
        attributes["sym_visibility"] = ir.StringAttr.get("private", op.context)
    attributes["function_type"] = ir.TypeAttr.get(kind, op.context)
    made = ir.Operation.create("func.func", attributes=attributes, regions=1, loc=op.location, ip=ir.InsertionPoint(op))
    for block in list(op.regions[0].blocks):
        block.append_to(made.regions[0])
    calls = {o.result: _raise_call(o) for o, _ in inside if o.name == _CALL and len(o.results)}

    def given(part: Part) -> ir.Value:
        return part if isinstance(part, ir.Value) else calls[part[0].result][part[1]]

    left = list[ir.Operation]()
    for one, flags in inside:
        if one.name == _EXTRACT:
            taken = _taken(one)
            assert taken is not None
            one.result.replace_all_uses_with(given(taken))
        elif one.name == _CALL and not len(one.results):
            _raise_call(one)
        elif one.name == "llvm.return":
            parts = _parts(one.operands[0]) if len(one.operands) else []
            assert parts is not None
            _create(one, "func.return", [], list(map(given, parts)), {})
        elif one.name in _BRANCHES:
            _raise_branch(one)
        elif flags is not None and _raise_value(one, flags):
            continue
        left.append(one)
    _erase(left)
    op.erase()


def _erase(ops: list[ir.Operation]) -> None:
    """Erases ops that only use each other."""
    while ops:
        kept = list[ir.Operation]()
        for op in reversed(ops):
            if any(any(True for _ in result.uses) for result in op.results):
                kept.append(op)
            else:
                op.erase()
        assert len(kept) < len(ops), "uses go round in a circle"
        ops = kept[::-1]


def _create(
    op: ir.Operation,
    name: str,
    results: Sequence[ir.Type],
    operands: Sequence[ir.Value],
    attributes: dict[str, ir.Attribute],
) -> ir.Operation:
    """Makes an op before another one, with its place in the text and its successors."""
    successors = list(op.successors)
    place = ir.InsertionPoint(op)
    return ir.Operation.create(
        name, list(results), list(operands), attributes, successors or None, loc=op.location, ip=place
    )


def _raise_call(op: ir.Operation) -> list[ir.Value]:
    """Makes the call of a function that is raised; its results."""
    kinds: list[ir.Type] = []
    for result in op.results:
        struct = _STRUCT.fullmatch(str(result.type))
        texts = [str(result.type)] if struct is None else _split(struct[1])
        kinds += [ir.Type.parse(text, op.context) for text in texts]
    made = _create(op, "func.call", kinds, list(op.operands), {"callee": op.attributes["callee"]})
    if len(op.results) and is_value(op.result.type):
        op.result.replace_all_uses_with(made.result)
    return list(made.results)


def _raise_branch(op: ir.Operation) -> None:
    attributes: dict[str, ir.Attribute] = {}
    if op.name != "llvm.br":
        attributes = {n: op.attributes[n] for n in _BRANCH_FLAGS - {"branch_weights"} if n in op.attributes}
    _create(op, _BRANCHES[op.name], [], list(op.operands), attributes)


def _raise_value(op: ir.Operation, flags: Flags) -> bool:
    """Replaces an op by its counterpart, if it has one."""
    try:
        found = _value(op, flags)
    except Unraised:
        return False
    if found is None:
        return False
    name, texts = found
    unit = ir.UnitAttr.get(op.context)
    attributes = {n: unit if text == UNIT else ir.Attribute.parse(text, op.context) for n, text in texts.items()}
    made = _create(op, name, [op.result.type], list(op.operands), attributes)
    op.result.replace_all_uses_with(made.result)
    op.erase()
    return True

"""Prints a module under edit: as it is, with introduced ops expanded, or with matched parts outlined into functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from torch_mlir import ir

from hecv.base.diagnostics import Diagnostic, InputError
from hecv.mlir.module.parsed_module import locate
from hecv.mlir.ssa.ssa_graph import Meaning, Program


class Outline(Struct, frozen=True):
    """A part to be outlined: the function's name, what it stands for, and the values passed to it."""

    name: str
    meaning: Meaning
    operands: tuple[int, ...]


def text(program: Program, meanings: Mapping[int, Meaning] | None = None) -> str:
    """The module's text without dead ops; ops in `meanings` are expanded.

    Raises: InputError if MLIR's verifier rejects it.
    """
    copy = program.module.module.operation.clone()
    place = dict(zip(_walk(program.module.module.operation), _walk(copy.operation), strict=True))
    ops = [place[handle] for handle in program.handles]
    dead = [ops[n] for n in sorted(program.dead) if not program.is_inside_dead(n)]
    if meanings is not None:
        waiting = [(ops[n], n) for n in meanings if n not in program.dead]
        while waiting:
            op, number = waiting.pop()
            copies = _write_out(program, ops, op, meanings[number])
            waiting += [(copy, n) for n, copy in copies.items() if n in meanings]
            dead.append(op)
    _erase(dead)
    _drop_unused_declarations(copy.operation, program.given)
    return _printed(copy.operation, program)


def _write_out(
    program: Program, ops: Sequence[ir.Operation], op: ir.Operation, meaning: Meaning
) -> dict[int, ir.Operation]:
    """Replaces an introduced op by what it stands for; gives the copies by the ops that they are of."""
    copies: dict[int, ir.Operation] = {}
    with ir.InsertionPoint(op):
        root = _instance(program, ops, meaning, list(op.operands), copies)
    op.results[0].replace_all_uses_with(root)
    return copies


def _instance(
    program: Program,
    ops: Sequence[ir.Operation],
    meaning: Meaning,
    operands: Sequence[ir.Value],
    copies: dict[int, ir.Operation] | None = None,
) -> ir.Value:
    """Copies of what an op stands for, on given operands, at the insertion point; gives the value.

    `ops` are the ops, by number, of the module or of a copy of it.
    """
    made = {} if copies is None else copies
    for number in meaning.ops:
        made[number] = copy = ops[number].clone().operation
        for position in range(len(copy.operands)):
            given = meaning.inputs.get((number, position))
            if given is None:
                maker, result = meaning.wires[number, position]
                copy.operands[position] = made[maker].results[result]
            else:
                copy.operands[position] = operands[given]
    root = program.value(meaning.root)
    assert root.op is not None
    return made[root.op].results[root.result]


def outlined(program: Program, parts: Sequence[Outline]) -> str:
    """The module's text with each part as a private function, called in place of its root. The module is edited.

    Raises: InputError if MLIR's verifier rejects it.
    """
    calls = [(part, _outline(program, part)) for part in parts]
    for part, call in calls:
        program.handle(part.meaning.root).replace_all_uses_with(call.results[0])
    inside = dict.fromkeys(n for part in parts for n in part.meaning.ops)
    _erase_unused([program.handles[n] for n in inside])
    return _printed(program.module.module.operation, program)


def _outline(program: Program, part: Outline) -> ir.Operation:
    """Makes the function of a part, and a call of it before the part's root."""
    values = [program.handle(v) for v in part.operands]
    result = program.handle(part.meaning.root)
    maker = program.value(part.meaning.root).op
    assert maker is not None
    root = program.handles[maker]
    with root.context, root.location:
        kind = ir.FunctionType.get([v.type for v in values], [result.type])
        attributes: dict[str, ir.Attribute] = {
            "sym_name": ir.StringAttr.get(part.name),
            "function_type": ir.TypeAttr.get(kind),
            "sym_visibility": ir.StringAttr.get("private"),
        }
        body = ir.InsertionPoint(program.module.module.body)
        function = ir.Operation.create("func.func", [], [], attributes, regions=1, ip=body)
        entry = ir.Block.create_at_start(function.regions[0], kind.inputs, [v.location for v in values])
        with ir.InsertionPoint(entry):
            value = _instance(program, program.handles, part.meaning, list(entry.arguments))
            ir.Operation.create("func.return", [], [value])
        callee: dict[str, ir.Attribute] = {"callee": ir.FlatSymbolRefAttr.get(part.name)}
        return ir.Operation.create("func.call", kind.results, values, callee, ip=ir.InsertionPoint(root))


def _walk(op: ir.Operation) -> Iterator[ir.Operation]:
    """An op and everything in it, in a fixed order."""
    yield op
    for region in op.regions:
        for block in region.blocks:
            for view in block.operations:
                yield from _walk(view.operation)


def _erase(dead: Sequence[ir.Operation]) -> None:
    """Erases ops whose results are used among themselves only."""
    left = _erase_unused(dead)
    assert not left, f"a dead op is used: {left[0]}"


def _erase_unused(candidates: Sequence[ir.Operation]) -> list[ir.Operation]:
    """Erases unused ops until none is left; gives the others."""
    left, before = list(candidates), len(candidates) + 1
    while len(left) < before:
        before = len(left)
        kept: list[ir.Operation] = []
        for op in reversed(left):
            if any(True for r in op.results for _ in r.uses):
                kept.append(op)
            else:
                op.erase()
        left = kept[::-1]
    return left


def _drop_unused_declarations(module: ir.Operation, given: frozenset[str]) -> None:
    """Erases declarations that an edit made and that nothing calls any more."""
    called = {str(op.attributes["callee"]).removeprefix("@") for op in _walk(module) if op.name == "func.call"}
    for view in list(module.regions[0].blocks[0].operations):
        op = view.operation
        if op.name != "func.func" or len(op.regions[0].blocks):
            continue
        symbol = ir.StringAttr(op.attributes["sym_name"]).value
        if symbol not in given and symbol not in called:
            op.erase()


def _printed(module: ir.Operation, program: Program) -> str:
    try:
        module.verify()
    except ir.MLIRError as problem:
        found = problem.error_diagnostics
        message = found[0].message.strip() if found else str(problem)
        place = locate(found[0].location, program.module.file) if found else None
        hint = "a rule made ops that MLIR's verifier rejects"
        raise InputError(Diagnostic("error", "invalid-rewrite", message, place, hint)) from None
    return module.get_asm(use_name_loc_as_prefix=True).rstrip("\n") + "\n"

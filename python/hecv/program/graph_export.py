"""Exports the program graph to JSON and to Graphviz."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from hecv.base.diagnostics import Location
from hecv.base.term import Term, postorder
from hecv.program.tree import (
    Alloc,
    Assert,
    Block,
    Call,
    Dealloc,
    Evaluate,
    Function,
    If,
    Load,
    Loop,
    Memory,
    Statement,
    Store,
    Touch,
    While,
    roots,
    walk,
)
from hecv.program.tree_printer import memory_names

SCHEMA = "hecv.graph/1"


def to_json(function: Function) -> dict[str, Any]:
    """The function as plain data. Terms stand in one table, operands before users, and are referred to by their index
    there.

    Ensures: `json.loads(json.dumps(x)) == x`.
    """
    memories = [m for _, m in sorted(function.memories().items())]
    terms = _terms(function, memories)
    number = {t.id: k for k, t in enumerate(terms)}.__getitem__
    return {
        "schema": SCHEMA,
        "name": function.name,
        "location": _place(function.location),
        "arguments": [
            {
                "number": a.number,
                "name": a.name,
                "type": str(a.type),
                "term": None if a.term is None else number(a.term.id),
                "memory": None if a.memory is None else a.memory.id,
            }
            for a in function.arguments
        ],
        "results": [m.id for m in function.results],
        "globals": [g.memory.id for g in function.globals if g.memory is not None],
        "constants": [
            {"memory": c.memory.id, "contents": None if c.contents is None else [number(t.id) for t in c.contents]}
            for c in function.constants
        ],
        "memories": [_memory(m, number) for m in memories],
        "terms": [_term(t, number) for t in terms],
        "body": [_statement(s, function, number) for s in function.body],
    }


def _terms(function: Function, memories: list[Memory]) -> list[Term]:
    found = [a.term for a in function.arguments if a.term is not None]
    found += [t for m in memories for t in m.extents]
    found += [t for c in function.constants for t in c.contents or ()]
    for statement in walk(function.body):
        if isinstance(statement, Loop):
            found.append(statement.iv)
        found += roots(statement)
    return postorder(tuple(found))


def _place(location: Location | None) -> dict[str, Any] | None:
    return None if location is None else {"file": location.file, "line": location.line, "column": location.column}


def _memory(memory: Memory, number: Callable[[int], int]) -> dict[str, Any]:
    return {
        "id": memory.id,
        "kind": memory.kind.value,
        "name": memory.name,
        "element": str(memory.element),
        "extents": [number(t.id) for t in memory.extents],
    }


def _term(term: Term, number: Callable[[int], int]) -> dict[str, Any]:
    attrs = {name: list(value) if isinstance(value, tuple) else value for name, value in term.attrs}
    return {
        "id": number(term.id),
        "op": term.op,
        "args": [number(a.id) for a in term.args],
        "attrs": attrs,
        "type": str(term.type),
    }


def _statement(statement: Statement, function: Function, number: Callable[[int], int]) -> dict[str, Any]:
    def numbers(terms: tuple[Term, ...]) -> list[int]:
        return [number(t.id) for t in terms]

    def block(statements: Block) -> list[dict[str, Any]]:
        return [_statement(s, function, number) for s in statements]

    match statement:
        case Load(_, memory, indices):
            data = {"memory": memory.id, "indices": numbers(indices)}
        case Store(_, memory, indices, value):
            data = {"memory": memory.id, "indices": numbers(indices), "value": number(value.id)}
        case Alloc(_, memory) | Dealloc(_, memory):
            data = {"memory": memory.id}
        case Evaluate(_, term):
            data = {"term": number(term.id)}
        case Assert(_, condition, text, exact):
            data = {"condition": number(condition.id), "text": text, "exact": numbers(exact)}
        case Call(_, callee, operands, memories, results):
            data = {"callee": callee, "operands": numbers(operands), "memories": [m.id for m in memories]}
            data |= {"results": [m.id for m in results]}
        case Touch(_, accesses, terms):
            data = {"accesses": numbers(accesses), "terms": numbers(terms)}
        case Loop(_, iv, lowers, uppers, step, unsigned, body):
            data = {"iv": number(iv.id), "lowers": numbers(lowers), "uppers": numbers(uppers)}
            data |= {"step": number(step.id), "unsigned": unsigned, "parallel": statement.parallel, "body": block(body)}
        case While(_, before, condition, after):
            data = {"before": block(before), "condition": number(condition.id), "after": block(after)}
        case If(_, condition, then, otherwise):
            data = {"condition": number(condition.id), "then": block(then), "otherwise": block(otherwise)}
    kind = type(statement).__name__.lower()
    place = _place(function.locations.get(statement.id))
    return {"id": statement.id, "kind": kind, "location": place, **data}


def to_dot(function: Function) -> str:
    """The function as a Graphviz graph: boxes are statements, ellipses terms, clusters loops and branches.

    Solid edges carry values from operand to user; dotted edges give the order of the statements of a block.
    """
    names = memory_names(function)
    lines = [f"digraph {_quote(function.name)} {{", "  node [fontname=monospace, fontsize=10];"]
    lines += _dot_block(function.body, names, "  ")
    lines += _dot_terms(function, names)
    return "\n".join([*lines, "}"]) + "\n"


def _dot_block(block: Block, names: dict[int, str], indent: str) -> Iterator[str]:
    for statement in block:
        node = f"{indent}s{statement.id} [shape=box, label={_quote(_head(statement, names))}];"
        match statement:
            case Loop():
                yield f"{indent}subgraph cluster_{statement.id} {{"
                yield f"{indent}  label={_quote('loop')};"
                yield "  " + node
                yield from _dot_block(statement.body, names, indent + "  ")
                yield indent + "}"
            case If():
                yield node
                parts = (("then", statement.then), ("else", statement.otherwise))
                yield from _dot_parts(statement, parts, names, indent)
            case While():
                yield node
                parts = (("before", statement.before), ("do", statement.after))
                yield from _dot_parts(statement, parts, names, indent)
            case _:
                yield node
    for before, after in pairwise(block):
        yield f"{indent}s{before.id} -> s{after.id} [style=dotted];"


def _dot_parts(
    statement: Statement, parts: tuple[tuple[str, Block], ...], names: dict[int, str], indent: str
) -> Iterator[str]:
    """One cluster for each nested block of a statement."""
    for label, inner in parts:
        yield f"{indent}subgraph cluster_{statement.id}_{label} {{"
        yield f"{indent}  label={_quote(label)};"
        yield from _dot_block(inner, names, indent + "  ")
        yield indent + "}"


def _head(statement: Statement, names: dict[int, str]) -> str:
    match statement:
        case Load() | Store() | Alloc() | Dealloc():
            return f"{type(statement).__name__.lower()} %{names[statement.memory.id]}"
        case Loop():
            return f"{'parallel' if statement.parallel else 'for'} %i{statement.iv.attr('depth')}"
        case _:
            return type(statement).__name__.lower()


def _dot_terms(function: Function, names: dict[int, str]) -> Iterator[str]:
    """Nodes of terms, and edges into terms and statements; a `read` is the node of its `Load`."""
    loads = {s.id for s in walk(function.body) if isinstance(s, Load)}

    def node(term: Term) -> str:
        load = term.attr("load") if term.op == "read" else None
        return f"s{load}" if load in loads else f"t{term.id}"

    everything = tuple(t for s in walk(function.body) for t in roots(s))
    for term in postorder(everything):
        if node(term)[0] == "t":
            label = " ".join([term.op, *(str(v) for _, v in term.attrs)])
            yield f"  {node(term)} [shape=ellipse, label={_quote(label)}];"
        for argument in term.args:
            yield f"  {node(argument)} -> {node(term)};"
    for statement in walk(function.body):
        for root in roots(statement):
            yield f"  {node(root)} -> s{statement.id};"


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'

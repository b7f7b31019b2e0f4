"""Rule files as JSON, schema `hecv.patterns/1`: what another tool needs to match and rewrite as hecv does.

    {"schema": "hecv.patterns/1", "path": "half.py", "operators": [],
     "definitions": [{"name": "half", "parameters": [{"name": "x"}], "body": 2, "nodes": [
       {"kind": "variable", "name": "x"},
       {"kind": "constant", "value": 2.0},
       {"kind": "apply", "op": "arith.divf", "args": [0, 1]}]}],
     "rules": []}

The nodes of a pattern, its guards included, and those of a rule are lists in which each refers to earlier ones by
position: parts that are shared are written once, and depth is no limit. Keys with a default may be left out. A number
with a point or an exponent is a float; those without a decimal form are `{"float": "inf"}`, `"-inf"` and `"nan"`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, cast, get_args

from hecv.base.diagnostics import Diagnostic, InputError
from hecv.patterns.calculus.pattern_ast import (
    TRUE,
    Branch,
    Declaration,
    Definition,
    Expression,
    Parameter,
    Pattern,
    Place,
    Replacement,
    Rule,
    RuleFile,
    Value,
)
from hecv.patterns.machine.wellformed import problems
from hecv.rule_files.json_fields import list_of, object_of, read_fields, read_nodes, reference, text_of
from hecv.rule_files.json_positions import Path, Wrong, place, read
from hecv.rule_files.json_schema import DECLARATION, KINDS, NAMES, PARAMETER, PLACE, Family, defaults

SCHEMA: Final = "hecv.patterns/1"

_Node = Expression | Pattern | Replacement


# Writing


def dumps(file: RuleFile) -> str:
    """The rule file as JSON text, one node a line."""
    return "\n".join(_lines(to_json(file), "")) + "\n"


def to_json(file: RuleFile) -> dict[str, Any]:
    """The rule file as plain data.

    Raises: InputError if it has loop rules, which have no such form.
    """
    if file.loops:
        text = f"{file.path} has loop rules, which have no JSON form"
        raise InputError(Diagnostic("error", "loop-rules", text, help="move them to a file of their own"))
    return {
        "schema": SCHEMA,
        "path": file.path,
        "operators": [
            _fields(declaration, DECLARATION, {}) | _placed(declaration.place)
            for declaration in file.operators.values()
        ],
        "definitions": [_definition(definition) for definition in file.definitions.values()],
        "rules": [_rule(rule) for rule in file.rules],
    }


def _lines(data: Any, indent: str) -> Iterable[str]:
    """JSON text in which only lists of objects and what holds them take more than a line."""
    inner = indent + " "
    if isinstance(data, list) and any(isinstance(item, dict) for item in cast("list[Any]", data)):
        return _enclosed("[", "]", [_lines(item, inner) for item in cast("list[Any]", data)], indent)
    if isinstance(data, dict) and any(isinstance(item, list) for item in cast("dict[str, Any]", data).values()):
        rows = [_member(key, item, inner) for key, item in cast("dict[str, Any]", data).items()]
        return _enclosed("{", "}", rows, indent) if "kind" not in data else [indent + json.dumps(data)]
    return [indent + json.dumps(data)]


def _member(key: str, item: Any, indent: str) -> list[str]:
    rows = list(_lines(item, indent))
    rows[0] = f"{indent}{json.dumps(key)}: {rows[0].lstrip()}"
    return rows


def _enclosed(opening: str, closing: str, items: Sequence[Iterable[str]], indent: str) -> list[str]:
    rows = [indent + opening]
    for item in items:
        rows += item
        rows[-1] += ","
    rows[-1] = rows[-1].removesuffix(",")
    return [*rows, indent + closing]


def _definition(definition: Definition) -> dict[str, Any]:
    numbers, nodes = _numbered((definition.body,))
    return {
        "name": definition.name,
        "parameters": [_fields(parameter, PARAMETER, {}) for parameter in definition.parameters],
        "body": numbers[id(definition.body)],
        "nodes": nodes,
    } | _placed(definition.place)


def _rule(rule: Rule) -> dict[str, Any]:
    numbers, nodes = _numbered([part for branch in rule.branches for part in (branch.guard, branch.replacement)])
    branches = [{"guard": numbers[id(b.guard)], "replacement": numbers[id(b.replacement)]} for b in rule.branches]
    return {
        "name": rule.name,
        "pattern": rule.pattern,
        "parameters": [_fields(parameter, PARAMETER, {}) for parameter in rule.parameters],
        "branches": branches,
        "nodes": nodes,
    } | _placed(rule.place)


def _placed(held: Place | None) -> dict[str, Any]:
    return {} if held is None else {"place": _fields(held, PLACE, {})}


def _numbered(roots: Iterable[_Node]) -> tuple[dict[int, int], list[dict[str, Any]]]:
    """Numbers of nodes by identity, and the nodes in this order: parts before what they are parts of."""
    numbers: dict[int, int] = {}
    nodes: list[dict[str, Any]] = []
    stack = [(root, False) for root in reversed(list(roots))]
    while stack:
        node, ready = stack.pop()
        if id(node) in numbers:
            continue
        if not ready:
            stack.append((node, True))
            stack.extend((part, False) for part in reversed(_parts(node)))
            continue
        name = NAMES[type(node)]
        numbers[id(node)] = len(nodes)
        nodes.append({"kind": name} | _fields(node, KINDS[name].fields, numbers))
    return numbers, nodes


def _parts(node: _Node) -> list[_Node]:
    found: list[_Node] = []
    for name, form in KINDS[NAMES[type(node)]].fields.items():
        held = getattr(node, name)
        if form == "computations":
            found += [value for _, value in held]
        elif form.endswith("*"):
            found += held
        elif form.rstrip("?") in get_args(Family) and held is not None:
            found.append(held)
    return found


def _fields(held: Any, forms: Mapping[str, str], numbers: Mapping[int, int]) -> dict[str, Any]:
    """The fields of a record, without those that have their default value."""
    usual = defaults(type(held))
    return {
        name: _written(getattr(held, name), form, numbers)
        for name, form in forms.items()
        if name not in usual or getattr(held, name) != usual[name]
    }


def _written(held: Any, form: str, numbers: Mapping[int, int]) -> Any:
    match form:
        case "value" | "number":
            return _value(held)
        case "attributes":
            return [[name, _value(value)] for name, value in held]
        case "computations":
            return [[name, numbers[id(value)]] for name, value in held]
        case "texts":
            return list(held)
        case "set":
            return sorted(held)
        case _ if form.endswith("*"):
            return [numbers[id(part)] for part in held]
        case _ if form.rstrip("?") in get_args(Family):
            return numbers[id(held)]
        case _:
            return held


def _value(value: Value) -> Any:
    if isinstance(value, tuple):
        return [_value(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    return value


# Reading


def loads(text: str, path: str) -> RuleFile:
    """The rule file of a JSON text; `path` is the text's name in messages.

    Raises: InputError if the text is not JSON, not of the schema, or not well-formed.
    """
    data = read(text, path)
    try:
        file = from_json(data)
    except Wrong as wrong:
        raise InputError(_diagnostic(text, path, wrong)) from None
    found = problems(file.definitions, file.rules)
    if found:
        names: dict[str, Path] = {rule.name: ("rules", i) for i, rule in enumerate(file.rules)}
        names |= {name: ("definitions", i) for i, name in enumerate(file.definitions)}
        raise InputError(*[_diagnostic(text, path, Wrong(names[p.definition], p.text), p.kind) for p in found])
    return file


def _diagnostic(text: str, path: str, wrong: Wrong, name: str = "invalid-rules") -> Diagnostic:
    return Diagnostic("error", name, wrong.message, place(text, path, wrong.path))


def from_json(data: Any) -> RuleFile:
    """The rule file of plain data.

    Raises: Wrong if the data are not of the schema.
    """
    held = object_of(data, (), ("schema", "path"), ("operators", "definitions", "rules"))
    if held["schema"] != SCHEMA:
        raise Wrong(("schema",), f"the schema is `{held['schema']}`, expected `{SCHEMA}`")
    declarations = _named(held, "operators", _read_declaration)
    definitions = _named(held, "definitions", _read_definition)
    rules = _named(held, "rules", _read_rule)
    return RuleFile(text_of(held["path"], ("path",)), declarations, definitions, tuple(rules.values()))


def _named(held: dict[str, Any], key: str, read_one: Callable[[Any, Path], Any]) -> dict[str, Any]:
    """The records of a list, by their names."""
    found: dict[str, Any] = {}
    for position, item in enumerate(list_of(held.get(key, []), (key,))):
        record = read_one(item, (key, position))
        if record.name in found:
            raise Wrong((key, position, "name"), f"`{record.name}` is there already")
        found[record.name] = record
    return found


def _read_declaration(data: Any, path: Path) -> Declaration:
    optional = [name for name in DECLARATION if name not in ("name", "arity")]
    held = object_of(data, path, ("name", "arity"), (*optional, "place"))
    return Declaration(**read_fields(held, DECLARATION, path), place=_read_place(held, path))


def _read_definition(data: Any, path: Path) -> Definition:
    held = object_of(data, path, ("name", "parameters", "body", "nodes"), ("place",))
    nodes = read_nodes(held["nodes"], (*path, "nodes"))
    body = reference(held["body"], (*path, "body"), "pattern", nodes)
    name = text_of(held["name"], (*path, "name"))
    return Definition(name, _read_parameters(held, path), body, _read_place(held, path))


def _read_rule(data: Any, path: Path) -> Rule:
    held = object_of(data, path, ("name", "pattern", "parameters", "branches", "nodes"), ("place",))
    nodes = read_nodes(held["nodes"], (*path, "nodes"))
    branches: list[Branch] = []
    for position, item in enumerate(list_of(held["branches"], (*path, "branches"))):
        at = (*path, "branches", position)
        branch = object_of(item, at, ("replacement",), ("guard",))
        guarded = "guard" in branch
        guard = reference(branch["guard"], (*at, "guard"), "expression", nodes) if guarded else TRUE
        branches.append(Branch(guard, reference(branch["replacement"], (*at, "replacement"), "replacement", nodes)))
    name, pattern = (text_of(held[key], (*path, key)) for key in ("name", "pattern"))
    return Rule(name, pattern, _read_parameters(held, path), tuple(branches), _read_place(held, path))


def _read_parameters(held: dict[str, Any], path: Path) -> tuple[Parameter, ...]:
    found: list[Parameter] = []
    for position, item in enumerate(list_of(held["parameters"], (*path, "parameters"))):
        at = (*path, "parameters", position)
        found.append(Parameter(**read_fields(object_of(item, at, ("name",), ("sort",)), PARAMETER, at)))
    return tuple(found)


def _read_place(held: dict[str, Any], path: Path) -> Place | None:
    if "place" not in held:
        return None
    at = (*path, "place")
    return Place(**read_fields(object_of(held["place"], at, ("file", "line"), ()), PLACE, at))

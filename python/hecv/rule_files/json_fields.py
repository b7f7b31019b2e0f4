"""Readers of the fields of JSON records, by the forms that `hecv.rule_files.json_schema` gives them.

Raises: Wrong, in each function, if the data do not have the form.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, cast, get_args

from hecv.patterns.calculus.pattern_ast import Sort, Value
from hecv.rule_files.json_positions import Path, Wrong
from hecv.rule_files.json_schema import KINDS, Family, defaults

Read = tuple[Family, Any]


def read_nodes(data: Any, path: Path) -> list[Read]:
    """Nodes with their families; each refers to earlier ones."""
    nodes: list[Read] = []
    for position, item in enumerate(list_of(data, path)):
        at = (*path, position)
        name = object_of(item, at, ("kind",), None)["kind"]
        kind = KINDS.get(name) if isinstance(name, str) else None
        if kind is None:
            raise Wrong((*at, "kind"), f"there are no nodes of kind `{name}`")
        optional = defaults(kind.made)
        required = [field for field in kind.fields if field not in optional]
        held = object_of(item, at, ("kind", *required), tuple(optional))
        nodes.append((kind.family, kind.made(**read_fields(held, kind.fields, at, nodes))))
    return nodes


def read_fields(
    held: dict[str, Any], forms: Mapping[str, str], path: Path, nodes: list[Read] | None = None
) -> dict[str, Any]:
    """The present fields of an object, read by their forms."""
    return {
        name: _read_field(held[name], form, (*path, name), nodes or []) for name, form in forms.items() if name in held
    }


def _read_field(data: Any, form: str, path: Path, nodes: list[Read]) -> Any:
    """A field of this form. The inverse of `_written`."""
    if form.endswith("?") and data is None:
        return None
    match form.rstrip("?"):
        case "text":
            return text_of(data, path)
        case "texts":
            return tuple(text_of(item, (*path, i)) for i, item in enumerate(list_of(data, path)))
        case "set":
            return frozenset(text_of(item, (*path, i)) for i, item in enumerate(list_of(data, path)))
        case "value":
            return _read_value(data, path)
        case "attributes":
            return tuple((name, _read_value(value, at)) for name, value, at in _pairs(data, path))
        case "computations":
            return tuple((name, reference(value, at, "expression", nodes)) for name, value, at in _pairs(data, path))
        case "pattern" | "expression" | "replacement" as family:
            return reference(data, path, family, nodes)
        case "pattern*" | "expression*" | "replacement*" as many:
            return tuple(reference(item, (*path, i), many[:-1], nodes) for i, item in enumerate(list_of(data, path)))
        case other:
            return _plain(data, other, path)


def _plain(data: Any, form: str, path: Path) -> Any:
    """A number, a flag or a sort."""
    match form:
        case "number":
            value = _read_value(data, path)
            if not isinstance(value, str | tuple):
                return value
            raise Wrong(path, "expected a number or a truth value")
        case "count":
            if isinstance(data, int) and not isinstance(data, bool) and data >= 0:
                return data
            raise Wrong(path, f"expected an integer from 0 on, found {json.dumps(data)[:40]}")
        case "flag":
            if isinstance(data, bool):
                return data
            raise Wrong(path, f"expected true or false, found {json.dumps(data)[:40]}")
        case _:
            if data in get_args(Sort):
                return data
            raise Wrong(path, f"expected one of {', '.join(get_args(Sort))}, found {json.dumps(data)[:40]}")


def reference(data: Any, path: Path, family: str, nodes: list[Read]) -> Any:
    """The earlier node of that number."""
    if not isinstance(data, int) or isinstance(data, bool) or not 0 <= data < len(nodes):
        raise Wrong(path, f"expected the position of an earlier node, found {json.dumps(data)[:40]}")
    held, node = nodes[data]
    if held != family:
        raise Wrong(path, f"node {data} is a part of the family `{held}`, expected one of `{family}`")
    return node


def _pairs(data: Any, path: Path) -> Iterable[tuple[str, Any, Path]]:
    for position, item in enumerate(list_of(data, path)):
        at = (*path, position)
        pair = list_of(item, at)
        if len(pair) != 2:
            raise Wrong(at, "expected a name and what it is, in a list")
        yield text_of(pair[0], (*at, 0)), pair[1], (*at, 1)


def _read_value(data: Any, path: Path) -> Value:
    if isinstance(data, list):
        return tuple(_read_value(item, (*path, i)) for i, item in enumerate(cast("list[Any]", data)))
    if isinstance(data, dict):
        text = object_of(data, path, ("float",), ())["float"]
        if text in ("inf", "-inf", "nan"):
            return float(text)
        raise Wrong((*path, "float"), "expected `inf`, `-inf` or `nan`")
    if data is None:
        raise Wrong(path, "expected a value, found null")
    return data


def text_of(data: Any, path: Path) -> str:
    """Text."""
    if isinstance(data, str):
        return data
    raise Wrong(path, f"expected text, found {json.dumps(data)[:40]}")


def list_of(data: Any, path: Path) -> list[Any]:
    """A list."""
    if isinstance(data, list):
        return cast("list[Any]", data)
    raise Wrong(path, f"expected a list, found {json.dumps(data)[:40]}")


def object_of(data: Any, path: Path, required: Iterable[str], optional: Iterable[str] | None) -> dict[str, Any]:
    """An object with these keys; if `optional` is None, any others are allowed too."""
    if not isinstance(data, dict):
        raise Wrong(path, f"expected an object, found {json.dumps(data)[:40]}")
    held = cast("dict[str, Any]", data)
    for key in required:
        if key not in held:
            raise Wrong(path, f"the key `{key}` is missing")
    for key in held:
        if optional is not None and key not in (*required, *optional):
            raise Wrong((*path, key), f"there is no key `{key}` here")
    return held

"""The JSON schema of rule files (`hecv.rule_files.portable_json`): node kinds, records, and the form of each field.

| form | in JSON |
| --- | --- |
| `text`, `flag`, `count` | text, a truth value, an integer from 0 on |
| `texts`, `set` | a list of texts, sorted for a set |
| `sort` | `"term"`, `"function"` or `"type"` |
| `value`, `number` | a value of an attribute, one that is no text and no list |
| `pattern`, `expression`, `replacement` | the position of an earlier node of this family |
| `attributes`, `computations` | a list of pairs: a name with a value, with the position of an expression |

`*` stands for a list, `?` for null.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from hecv.patterns.calculus import pattern_ast

Family = Literal["expression", "pattern", "replacement"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of node: its class, what it may stand for, and the form of each field."""

    made: Callable[..., Any]
    family: Family
    fields: Mapping[str, str]


KINDS: Final = {
    "known": Kind(pattern_ast.Known, "expression", {"value": "value"}),
    "attribute": Kind(pattern_ast.AttributeOf, "expression", {"variable": "text", "path": "texts"}),
    "compute": Kind(pattern_ast.Compute, "expression", {"op": "text", "args": "expression*"}),
    "member": Kind(pattern_ast.Member, "expression", {"function": "text", "family": "text"}),
    "holds": Kind(pattern_ast.Holds, "expression", {"term": "replacement"}),
    "defined": Kind(pattern_ast.Defined, "expression", {"term": "replacement"}),
    "variable": Kind(pattern_ast.Variable, "pattern", {"name": "text"}),
    "constant": Kind(pattern_ast.Constant, "pattern", {"value": "number"}),
    "apply": Kind(
        pattern_ast.Apply, "pattern", {"op": "text", "args": "pattern*", "attrs": "attributes", "result": "count"}
    ),
    "apply-variable": Kind(pattern_ast.ApplyVariable, "pattern", {"function": "text", "args": "pattern*"}),
    "alternate": Kind(pattern_ast.Alternate, "pattern", {"first": "pattern", "second": "pattern"}),
    "guarded": Kind(pattern_ast.Guarded, "pattern", {"pattern": "pattern", "guard": "expression"}),
    "exists": Kind(pattern_ast.Exists, "pattern", {"variable": "text", "pattern": "pattern", "sort": "sort"}),
    "constrained": Kind(
        pattern_ast.Constrained, "pattern", {"pattern": "pattern", "variable": "text", "other": "pattern"}
    ),
    "call": Kind(pattern_ast.Call, "pattern", {"name": "text", "args": "texts"}),
    "same": Kind(pattern_ast.Same, "replacement", {"variable": "text"}),
    "computed": Kind(pattern_ast.Computed, "replacement", {"value": "expression"}),
    "build": Kind(
        pattern_ast.Build,
        "replacement",
        {"op": "text", "args": "replacement*", "attrs": "computations", "type": "expression?", "result": "count"},
    ),
    "build-variable": Kind(pattern_ast.BuildVariable, "replacement", {"function": "text", "args": "replacement*"}),
}

PARAMETER: Final = {"name": "text", "sort": "sort"}
PLACE: Final = {"file": "text", "line": "count"}
DECLARATION: Final = {
    "name": "text",
    "arity": "count?",
    "results": "count",
    "families": "set",
    "attributes": "texts",
    "commutative": "flag",
    "effects": "flag",
    "type": "count?",
}

NAMES: Final = {kind.made: name for name, kind in KINDS.items()}


def defaults(made: Any) -> dict[str, Any]:
    """The fields of a class that have a default value, and these values."""
    return {f.name: f.default for f in dataclasses.fields(made) if f.default is not dataclasses.MISSING}

"""The relation file: how the tensors of the sequential model are put together from those of the ranks.

[inputs]
x = "replicate(x)"
[parameters]
"fc1.weight" = "concat(fc1.weight, dim=0)"
[outputs]
out = "replicate(out)"
[ranks]
"pad_rows@1" = "slice(x, 0, 3, 5)"
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from msgspec import Struct

from hecv.base.diagnostics import Diagnostic, InputError, Location
from hecv.refine.clean_expressions import SEQUENTIAL, Expression, Shape, Tensor, Unclean, parse
from hecv.relate.graphs.graph_index import GraphIndex
from hecv.tensors.tensor_graph import TensorGraph

TABLES: Final = ("inputs", "parameters", "outputs", "ranks")

Lines = Mapping[str, tuple[Expression, ...]]


class RelationFile(Struct, frozen=True):
    """What a relation file says. `leaves` and `outputs` are by the name of the sequential tensor; `ranks` says what a
    tensor of a rank is, over sequential tensors, or the number it holds; `places` is where each name stands."""

    leaves: Lines = {}
    outputs: Lines = {}
    ranks: Mapping[Tensor, Expression | float] = {}
    places: Mapping[str, Location] = {}


def read_relation(path: str, text: str, sequential: TensorGraph, ranks: Sequence[TensorGraph]) -> RelationFile:
    """The relation in a file.

    Raises: InputError, with the line, for what is no relation of these programs.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        line = re.search(r"line (\d+)", str(problem))
        raise _wrong(path, text, str(problem), line=int(line[1]) if line else 1) from None
    for table in data:
        if table not in TABLES or not isinstance(data[table], dict):
            hint = f"the tables are {', '.join(f'[{t}]' for t in TABLES)}"
            raise _wrong(path, text, f"`{table}` is no table of a relation", table, hint)
    reader = _Reader(path, text, sequential, ranks)
    leaves = {**reader.lines(data.get("inputs", {}), "input"), **reader.lines(data.get("parameters", {}), "parameter")}
    outputs, told = reader.lines(data.get("outputs", {}), "output"), reader.ranks(data.get("ranks", {}))
    names = [*leaves, *outputs, *(f"{t.name}@{t.rank}" for t in told)]
    return RelationFile(leaves, outputs, told, {name: _place(path, text, name) for name in names})


class _Reader:
    def __init__(self, path: str, text: str, sequential: TensorGraph, ranks: Sequence[TensorGraph]) -> None:
        self._path, self._text, self._sequential, self._ranks = path, text, sequential, ranks

    def _names(self, kind: str) -> list[str]:
        if kind == "output":
            return [name for name, _ in self._sequential.outputs]
        return [leaf.name for leaf in self._sequential.leaves if (leaf.kind == "input") == (kind == "input")]

    def _ranks_of(self, output: bool) -> Callable[[str], list[int]]:
        def ranks(name: str) -> list[int]:
            if not name:
                return list(range(len(self._ranks)))
            return [
                r
                for r, g in enumerate(self._ranks)
                if any(name == n for n in ([o for o, _ in g.outputs] if output else [x.name for x in g.leaves]))
            ]

        return ranks

    def lines(self, table: Mapping[str, Any], kind: str) -> dict[str, tuple[Expression, ...]]:
        found: dict[str, tuple[Expression, ...]] = {}
        for name, value in _flat(table):
            if name not in self._names(kind):
                near = difflib.get_close_matches(name, self._names(kind), 1)
                hint = f"did you mean `{near[0]}`?" if near else f"there are: {', '.join(self._names(kind)) or 'none'}"
                raise _wrong(self._path, self._text, f"the sequential model has no {kind} `{name}`", name, hint)
            texts = [value] if isinstance(value, str) else value
            if not isinstance(texts, list) or not texts or not all(isinstance(t, str) for t in texts):
                raise _wrong(self._path, self._text, f"`{name}` is neither a text nor a list of texts", name)
            output = kind == "output"
            sizes = self._outputs if output else self._leaves
            found[name] = tuple(self._parsed(name, t, self._ranks_of(output), sizes.__getitem__) for t in texts)
        return found

    @cached_property
    def _leaves(self) -> Mapping[Tensor, Shape]:
        sequential = {Tensor(x.name, SEQUENTIAL): x.type.shape for x in self._sequential.leaves}
        return sequential | {Tensor(x.name, r): x.type.shape for r, g in enumerate(self._ranks) for x in g.leaves}

    @cached_property
    def _outputs(self) -> Mapping[Tensor, Shape]:
        indices = [GraphIndex(graph) for graph in self._ranks]
        return {
            Tensor(name, r): index.type_of(ref.name).shape
            for r, index in enumerate(indices)
            for name, ref in index.graph.outputs
        }

    def _parsed(
        self, name: str, text: str, ranks_of: Callable[[str], list[int]], shapes: Callable[[Tensor], Shape]
    ) -> Expression:
        try:
            return parse(text, ranks_of, shapes)
        except Unclean as problem:
            raise _wrong(self._path, self._text, f"`{name}`: {problem}", name) from None

    def ranks(self, table: Mapping[str, Any]) -> dict[Tensor, Expression | float]:
        known = {leaf.name for leaf in self._sequential.leaves}
        found: dict[Tensor, Expression | float] = {}
        for name, value in _flat(table):
            tensor, _, rank = name.partition("@")
            if not rank.isdigit() or int(rank) not in self._ranks_of(False)(tensor):
                raise _wrong(self._path, self._text, f"`{name}` is no tensor of a rank", name)
            if isinstance(value, int | float):
                found[Tensor(tensor, int(rank))] = float(value)
            else:
                ranks_of = lambda n: [SEQUENTIAL] if n in known else []  # noqa: E731
                found[Tensor(tensor, int(rank))] = self._parsed(name, str(value), ranks_of, self._leaves.__getitem__)
        return found


def _flat(table: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """The entries of a table. A name with dots that is not quoted is a table in a table."""
    found: list[tuple[str, Any]] = []
    for key, value in table.items():
        found += _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else [(f"{prefix}{key}", value)]
    return found


def _wrong(path: str, text: str, message: str, name: str = "", help: str | None = None, line: int = 0) -> InputError:
    place = Location(path, line, 1) if line else _place(path, text, name)
    return InputError(Diagnostic("error", "relation-error", message, place, help=help))


def _place(path: str, text: str, name: str) -> Location:
    """The line that begins with a name, quoted or a table's."""
    begins = re.compile(rf"""\s*\[?["']?{re.escape(name)}["']?(?![\w.@])""")
    return Location(path, next((k for k, t in enumerate(text.splitlines(), 1) if name and begins.match(t)), 1), 1)

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
from hecv.refine.clean_expressions import SEQUENTIAL, Expression, Shape, Tensor, Unclean
from hecv.refine.expression_text import parse
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
    output_places: Mapping[str, Location] = {}


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
    inputs, parameters = (
        reader.lines(data.get("inputs", {}), "input"),
        reader.lines(data.get("parameters", {}), "parameter"),
    )
    outputs, told = reader.lines(data.get("outputs", {}), "output"), reader.ranks(data.get("ranks", {}))
    of_table = {"inputs": inputs, "parameters": parameters, "ranks": [f"{t.name}@{t.rank}" for t in told]}
    places = {name: _place(path, text, name, table) for table, names in of_table.items() for name in names}
    output_places = {name: _place(path, text, name, "outputs") for name in outputs}
    return RelationFile({**inputs, **parameters}, outputs, told, places, output_places)


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
        for name, value in self._flat(table, f"{kind}s"):
            if name not in self._names(kind):
                near = difflib.get_close_matches(name, self._names(kind), 1)
                hint = f"did you mean `{near[0]}`?" if near else f"there are: {', '.join(self._names(kind)) or 'none'}"
                raise self._wrong(f"the sequential model has no {kind} `{name}`", name, f"{kind}s", hint)
            texts = [value] if isinstance(value, str) else value
            if not isinstance(texts, list) or not texts or not all(isinstance(t, str) for t in texts):
                raise self._wrong(f"`{name}` is neither a text nor a list of texts", name, f"{kind}s")
            output = kind == "output"
            sizes = self._outputs if output else self._leaves
            found[name] = tuple(self._parsed(name, f"{kind}s", t, self._ranks_of(output), sizes) for t in texts)
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
        self,
        name: str,
        table: str,
        text: str,
        ranks_of: Callable[[str], list[int]],
        shapes: Mapping[Tensor, Shape],
    ) -> Expression:
        try:
            return parse(text, ranks_of, shapes.__getitem__)
        except Unclean as problem:
            known = dict.fromkeys(t.name for t in shapes if ranks_of(t.name))
            near = difflib.get_close_matches(problem.unknown, known, 1) if problem.unknown else []
            hint = (
                f"did you mean `{near[0]}`?" if near else f"there are: {', '.join(known)}" if problem.unknown else None
            )
            raise self._wrong(f"`{name}`: {problem}", name, table, hint) from None

    def _wrong(self, message: str, name: str, table: str, help: str | None = None) -> InputError:
        return _wrong(self._path, self._text, message, name, help, table=table)

    def _flat(self, entries: Mapping[str, Any], table: str) -> list[tuple[str, Any]]:
        """The entries of a table. A name with dots that is not quoted is a table in a table.

        Raises: InputError if a name stands there twice, quoted and not.
        """
        found = _flat(entries)
        for k, (name, _) in enumerate(found):
            if any(name == other for other, _ in found[:k]):
                raise self._wrong(f"`{name}` stands twice in [{table}]", name, table)
        return found

    def ranks(self, table: Mapping[str, Any]) -> dict[Tensor, Expression | float]:
        known = {leaf.name for leaf in self._sequential.leaves}
        found: dict[Tensor, Expression | float] = {}
        for name, value in self._flat(table, "ranks"):
            tensor, _, rank = name.partition("@")
            number = next((r for r in self._ranks_of(False)(tensor) if str(r) == rank), None)
            if number is None:
                hint = "write `name@rank`, of an input, parameter or buffer that the rank has"
                raise self._wrong(f"`{name}` is no tensor of a rank", name, "ranks", hint)
            if isinstance(value, bool) or not isinstance(value, int | float | str):
                raise self._wrong(f"`{name}` is neither a text nor a number", name, "ranks")
            if isinstance(value, str):
                ranks_of = lambda n: [SEQUENTIAL] if n in known else []  # noqa: E731
                found[Tensor(tensor, number)] = self._parsed(name, "ranks", value, ranks_of, self._leaves)
            else:
                found[Tensor(tensor, number)] = float(value)
        return found


def _flat(table: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """The entries of a table. A name with dots that is not quoted is a table in a table."""
    found: list[tuple[str, Any]] = []
    for key, value in table.items():
        found += _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else [(f"{prefix}{key}", value)]
    return found


def _wrong(
    path: str, text: str, message: str, name: str = "", help: str | None = None, line: int = 0, table: str = ""
) -> InputError:
    place = Location(path, line, 1) if line else _place(path, text, name, table)
    return InputError(Diagnostic("error", "relation-error", message, place, help=help))


def _place(path: str, text: str, name: str, table: str = "") -> Location:
    """The line that begins with a name, quoted or a table's, behind the head of a table if there is such a line."""
    begins = re.compile(rf"""\s*\[?["']?{re.escape(name)}["']?(?![\w.@])""")
    lines = list(enumerate(text.splitlines(), 1))
    head = next((k for k, t in lines if table and re.match(rf"\s*\[\s*{table}\s*[\].]", t)), 0)
    found = [k for k, t in lines if name and begins.match(t)]
    return Location(path, next((k for k in found if k > head), found[0] if found else max(head, 1)), 1)

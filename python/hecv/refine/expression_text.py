"""The text of clean expressions: what is read in a relation file, and what reports print, as an expression or as code.

| text | denotes |
| --- | --- |
| `t@r` | tensor `t` of rank `r` |
| `replicate(t)` | `t`, which is equal on all ranks that have it |
| `concat(t, dim=d)`, `sum(t)`, `stack(t, dim=d)` | of `t` of all ranks that have it, in the order of ranks |
| `concat(e1, e2, dim=d)` and so on | of these |
| `interleave(t, dim=d, block=n)` | of blocks of `n` (1 if there is no `block`) of each rank in turn |
| `concat(t, dim=d, ranks=[0, 2])` and so on | of `t` of these ranks |
| `concat(r: e, dim=d)` and so on | of `e` once a rank, where `e` has `t@r` |
| `slice(e, dim, start, stop)` | a part of one dimension |
| `transpose(e, a, b)`, `reshape(e, n, m)` | |
| `pad(e, dim, before, after)` | with zeros around |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, Literal

from hecv.refine.clean_expressions import (
    SEQUENTIAL,
    Expression,
    Join,
    Kind,
    Pad,
    Reshape,
    Shape,
    Slice,
    Tensor,
    Transpose,
    Unclean,
    axis_of,
    shape_of,
)

_NAME: Final = re.compile(r"(?:[A-Za-z_]|\d+\.)[\w.]*")
"""The name of a tensor; a part of a sequence of modules has a number first."""

_TOKEN: Final = re.compile(rf"\s*(?:(-?\d+)(?![\w.@])|({_NAME.pattern}(?:@\w+)?)|(.))")
_RANK: Final = re.compile(r"0|[1-9]\d*", re.ASCII)

DEEPEST: Final = 100
"""Expressions, at most, in one another."""

_ARGUMENTS: Final = {"slice": 3, "transpose": 2, "pad": 3}
_JOINS: Final = ("concat", "sum", "stack", "replicate", "interleave")
_ALONG: Final = ("concat", "stack", "interleave")
"""Those that have a dimension."""


def parse(
    text: str, ranks_of: Callable[[str], Sequence[int]], shapes: Callable[[Tensor], Shape] | None = None
) -> Expression:
    """The clean expression that `text` is; `ranks_of` says which ranks have a tensor of this name, and of the empty
    name which ranks there are. A name without a rank is of the sequential model where `ranks_of` says so. `shapes` are
    the sizes of tensors, without which nothing can be interleaved.

    Raises: Unclean.
    """
    return _Parser(text, ranks_of, shapes).whole()


class _Parser:
    def __init__(
        self, text: str, ranks_of: Callable[[str], Sequence[int]], shapes: Callable[[Tensor], Shape] | None
    ) -> None:
        self._shapes = shapes
        self._tokens = [next(t for t in m.groups() if t is not None) for m in _TOKEN.finditer(text.strip())]
        self._ranks_of = ranks_of
        self._at = 0
        self._bound: dict[str, int] = {}
        self._depth = 0

    def whole(self) -> Expression:
        found = self._expression()
        if self._at < len(self._tokens):
            raise Unclean(f"`{self._tokens[self._at]}` stands behind the expression")
        return found

    def _peek(self, ahead: int = 0) -> str:
        return self._tokens[self._at + ahead] if self._at + ahead < len(self._tokens) else ""

    def _take(self, expected: str | None = None) -> str:
        found = self._peek()
        if not found or (expected is not None and found != expected):
            wanted = f"`{expected}`" if expected else "more"
            raise Unclean(f"expected {wanted}, found {f'`{found}`' if found else 'the end'}")
        self._at += 1
        return found

    def _integer(self) -> int:
        found = self._take()
        if not re.fullmatch(r"-?\d+", found):
            raise Unclean(f"expected a number, found `{found}`")
        return int(found)

    def _expression(self) -> Expression:
        name = self._take()
        if self._peek() == "(":
            if self._depth == DEEPEST:
                raise Unclean(f"more than {DEEPEST} expressions in one another")
            self._depth += 1
            found = self._call(name)
            self._depth -= 1
            return found
        tensor, _, rank = name.partition("@")
        if not _NAME.fullmatch(tensor):
            raise Unclean(f"`{name}` is no tensor of a rank: write `name@rank`")
        if self._peek() == "@":
            raise Unclean(f"`{self._peek(1)}` of `{name}@{self._peek(1)}` is no rank")
        if not rank:
            return self._without_rank(tensor)
        number = self._bound.get(rank, int(rank) if _RANK.fullmatch(rank) else None)
        if number is None:
            raise Unclean(f"`{rank}` of `{name}` is no rank")
        have = self._ranks_of(tensor)
        if number not in have:
            raise Unclean(f"rank {number} has no tensor `{tensor}`", "" if have else tensor)
        return Tensor(tensor, number)

    def _without_rank(self, name: str) -> Expression:
        have = self._ranks_of(name)
        if SEQUENTIAL in have:
            return Tensor(name, SEQUENTIAL)
        if not have:
            raise Unclean(f"there is no tensor `{name}`", name)
        if self._depth and self._peek() not in (",", ")"):
            raise Unclean(
                f"expected `,` or `)` behind `{name}`, found {f'`{self._peek()}`' if self._peek() else 'the end'}"
            )
        raise Unclean(f"`{name}` names no rank: write `{name}@0`, or `replicate({name})`")

    def _call(self, name: str) -> Expression:
        self._take("(")
        if name in _JOINS:
            return self._join(name)  # pyright: ignore[reportArgumentType]
        if name not in (*_ARGUMENTS, "reshape"):
            raise Unclean(f"`{name}` is not clean: there are {', '.join((*_JOINS, *_ARGUMENTS, 'reshape'))}")
        part, numbers = self._expression(), list[int]()
        while self._peek() == ",":
            self._take(",")
            numbers.append(self._integer())
        self._take(")")
        if name == "reshape":
            return Reshape(part, tuple(numbers))
        if len(numbers) != _ARGUMENTS[name]:
            raise Unclean(f"`{name}` takes {_ARGUMENTS[name]} numbers behind its expression, not {len(numbers)}")
        if name == "transpose":
            return Transpose(part, *numbers)
        return Slice(part, *numbers) if name == "slice" else Pad(part, *numbers)

    def _join(self, kind: Kind | Literal["interleave"]) -> Expression:
        template = None
        start, variable = self._at, self._peek()
        if self._peek(1) == ":":
            self._take()
            self._take(":")
            template = self._at
            self._bound[variable] = -1
            self._skip()
        parts: list[Expression] = []
        bare: str | None = None
        dim, ranks, block = None, None, None
        while self._peek() != ")":
            if self._at != (template if template is not None else start) and self._tokens[self._at - 1] != ",":
                self._take(",")
            if self._peek(1) == "=":
                key = self._take()
                self._take("=")
                if {"dim": dim, "ranks": ranks, "block": block}.get(key) is not None:
                    raise Unclean(f"`{kind}` has two of `{key}`")
                if key == "dim" and kind in _ALONG:
                    dim = self._integer()
                elif key == "ranks":
                    ranks = self._list()
                elif key == "block" and kind == "interleave":
                    block = self._integer()
                else:
                    raise Unclean(f"`{kind}` takes no `{key}`")
            elif _NAME.fullmatch(self._peek()) and self._peek(1) in (",", ")") and bare is None:
                bare = self._take()
            else:
                parts.append(self._expression())
        self._take(")")
        if (dim is None) == (kind in _ALONG):
            raise Unclean(f"`{kind}` needs `dim=`")
        if template is not None:
            parts = self._each(variable, template, ranks)
        elif bare is not None:
            if parts:
                raise Unclean(f"`{bare}` names no rank")
            have = self._ranks_of(bare)
            if not have:
                raise Unclean(f"no rank has a tensor `{bare}`", bare)
            missing = [r for r in ranks or () if r not in have]
            if missing:
                raise Unclean(f"rank {missing[0]} has no tensor `{bare}`")
            parts = [Tensor(bare, r) for r in (have if ranks is None else ranks)]
        if not parts:
            raise Unclean(f"`{kind}` of nothing")
        if kind == "interleave":
            return self._interleaved(parts, dim or 0, 1 if block is None else block)
        return Join(kind, tuple(parts), dim or 0)

    def _interleaved(self, parts: list[Expression], dim: int, block: int) -> Expression:
        """The concatenation of blocks of one dimension, of each part in turn."""
        if self._shapes is None:
            raise Unclean("`interleave` of tensors whose sizes are not known")
        shapes = [shape_of(part, self._shapes) for part in parts]
        axis = axis_of(dim, len(shapes[0]))
        if any(shape != shapes[0] for shape in shapes):
            raise Unclean("interleave of tensors of different sizes")
        size = shapes[0][axis]
        if block < 1 or size % block:
            raise Unclean(f"interleave of blocks of {block} of a dimension of {size}")
        slices = [Slice(part, axis, k, k + block) for k in range(0, size, block) for part in parts]
        return Join("concat", tuple(slices), axis)

    def _skip(self) -> None:
        """Goes to the end of an expression, whose rank variable has no value yet."""
        depth = 0
        while self._peek() and (depth or self._peek() not in (",", ")")):
            depth += {"(": 1, ")": -1}.get(self._take(), 0)

    def _each(self, variable: str, template: int, ranks: list[int] | None) -> list[Expression]:
        end, found = self._at, list[Expression]()
        have = self._ranks_of("")
        for rank in have if ranks is None else ranks:
            self._bound[variable], self._at = rank, template
            found.append(self._expression())
        del self._bound[variable]
        self._at = end
        return found

    def _list(self) -> list[int]:
        self._take("[")
        found: list[int] = []
        while self._peek() != "]":
            if found:
                self._take(",")
            found.append(self._integer())
        self._take("]")
        return found


# Writing


def text_of(expression: Expression, ranks_of: Callable[[str], Sequence[int]]) -> str:
    """The text that `parse` reads, as short as it can be."""

    def text(e: Expression) -> str:
        match e:
            case Tensor():
                return e.name if e.rank == SEQUENTIAL else f"{e.name}@{e.rank}"
            case Join():
                dim = [f"dim={e.dim}"] if e.kind in ("concat", "stack") else []
                return f"{e.kind}({', '.join([*_parts(e), *dim])})"
            case Slice():
                return f"slice({text(e.part)}, {e.dim}, {e.start}, {e.stop})"
            case Transpose():
                return f"transpose({text(e.part)}, {e.first}, {e.second})"
            case Reshape():
                return f"reshape({', '.join([text(e.part), *map(str, e.sizes)])})"
            case Pad():
                return f"pad({text(e.part)}, {e.dim}, {e.before}, {e.after})"

    def _parts(e: Join) -> list[str]:
        names = {p.name for p in e.parts if isinstance(p, Tensor)}
        if len(names) == 1 and all(isinstance(p, Tensor) for p in e.parts):
            ranks = [p.rank for p in e.parts if isinstance(p, Tensor)]
            name = names.pop()
            return [name] if ranks == list(ranks_of(name)) else [name, f"ranks={ranks}"]
        each = [re.sub(r"@\d+", "@r", text(p)) for p in e.parts]
        ranks = [set(re.findall(r"@(\d+)", text(p))) for p in e.parts]
        if len(set(each)) == 1 and ranks == [{str(r)} for r in ranks_of("")]:
            return [f"r: {each[0]}"]
        return [text(p) for p in e.parts]

    return text(expression)


def code_of(expression: Expression) -> str:
    """The value in Python, by NumPy, from `ranks`, one dictionary of arrays a rank."""
    match expression:
        case Tensor():
            return f"ranks[{expression.rank}][{expression.name!r}]"
        case Join(kind="replicate"):
            return code_of(expression.parts[0])
        case Join(kind="sum"):
            return f"({' + '.join(map(code_of, expression.parts))})"
        case Join():
            function = "concatenate" if expression.kind == "concat" else "stack"
            return f"np.{function}([{', '.join(map(code_of, expression.parts))}], {expression.dim})"
        case Slice():
            return (
                f"np.take({code_of(expression.part)}, range({expression.start}, {expression.stop}), {expression.dim})"
            )
        case Transpose():
            return f"np.swapaxes({code_of(expression.part)}, {expression.first}, {expression.second})"
        case Reshape():
            return f"np.reshape({code_of(expression.part)}, {expression.sizes})"
        case Pad():
            part, widths = code_of(expression.part), (expression.before, expression.after)
            each = f"{widths} if d == {expression.dim} else (0, 0) for d in range({part}.ndim)"
            return f"np.pad({part}, [{each}])"

"""Hash-consed pure terms: the expressions of a program.

A term denotes a value as a function of its leaves. Leaves are constants, arguments, extents of arguments, induction
variables (named by nesting depth, so that sibling loops share terms), and values loaded from memory. Two terms of one
pool are the same object exactly when they are the same expression.

Leaves, by `op`:

| op      | attributes               | denotes                                                            |
| ------- | ------------------------ | ------------------------------------------------------------------ |
| `const` | `value`                  | a literal; floats are kept as `float.hex` text: -0.0 is not 0.0    |
| `arg`   | `number`                 | a scalar function argument                                         |
| `dim`   | `argument`, `dimension`  | a dynamic extent of a memref argument                              |
| `iv`    | `depth`                  | the induction variable of the enclosing loop at that depth         |
| `read`  | `load`                   | what the `Load` statement with that id read                        |
| `load`  | `memory`                 | the element at `args` when the statement that holds the term runs  |

Operators are named by their MLIR op (`arith.addf`), except index arithmetic, see `hecv.program.index.quasi_affine`, and
ops without meaning here: these are `OPAQUE`, or `OPAQUE_PARTIAL` where they can be undefined, with the op's name and a
`key` of all that it is but its operands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hecv.base.types import INDEX, FloatType, ScalarType

OPAQUE: Final = "opaque"
OPAQUE_PARTIAL: Final = "opaque.partial"
CONTENTS: Final = "contents"
"""The `key` of loads and stores as functions of the whole contents of a memory (`hecv.normal.memory.array_values`)."""
PRINTED: Final = "printed"
"""The `key` of what a call that only prints makes of the world (`hecv.normal.memory.world_state`)."""
CALL: Final = "func.call"
"""The name of a call as a function of operands and contents of memories (`hecv.normal.memory.array_values`)."""

Attribute = int | str | bool | tuple[int, ...]
Attributes = tuple[tuple[str, Attribute], ...]


class Term:
    """One node of a term DAG; made only by a `TermPool`, compared by identity."""

    __slots__ = ("args", "attrs", "id", "op", "type")

    def __init__(self, number: int, op: str, args: tuple[Term, ...], attrs: Attributes, type_: ScalarType) -> None:
        self.id: Final = number
        self.op: Final = op
        self.args: Final = args
        self.attrs: Final = attrs
        self.type: Final = type_

    def attr(self, name: str) -> Attribute:
        """The attribute called `name`.

        Raises: KeyError if the term has no attribute of that name.
        """
        for key, value in self.attrs:
            if key == name:
                return value
        raise KeyError(name)

    def __repr__(self) -> str:
        return show(self)


class TermPool:
    """Makes hash-consed terms. Both programs of a pair share one pool."""

    def __init__(self) -> None:
        self._terms: dict[tuple[object, ...], Term] = {}

    def make(self, op: str, args: tuple[Term, ...], type_: ScalarType, attrs: Attributes = ()) -> Term:
        """The term `op(args) {attrs} : type_`."""
        key = (op, attrs, type_, *[a.id for a in args])
        term = self._terms.get(key)
        if term is None:
            term = self._terms[key] = Term(len(self._terms), op, args, attrs, type_)
        return term

    def terms(self) -> list[Term]:
        """All terms of the pool, by `id`."""
        return list(self._terms.values())

    def integer(self, value: int, type_: ScalarType = INDEX) -> Term:
        """An integer literal: the residue for `iN`, the signed value for `index`."""
        return self.make("const", (), type_, (("value", value),))

    def real(self, value: float, type_: FloatType) -> Term:
        """A float literal; NaN stands for every NaN."""
        return self.make("const", (), type_, (("value", value.hex()),))

    def argument(self, number: int, type_: ScalarType) -> Term:
        """The scalar argument at position `number`."""
        return self.make("arg", (), type_, (("number", number),))

    def extent(self, argument: int, dimension: int) -> Term:
        """The dynamic extent of memref argument `argument` along `dimension`."""
        return self.make("dim", (), INDEX, (("argument", argument), ("dimension", dimension)))

    def induction(self, depth: int, type_: ScalarType) -> Term:
        """The induction variable of the loop at nesting depth `depth`, counted from 0."""
        return self.make("iv", (), type_, (("depth", depth),))

    def read(self, load: int, type_: ScalarType) -> Term:
        """The value that the `Load` statement with id `load` produced."""
        return self.make("read", (), type_, (("load", load),))

    def load(self, memory: int, indices: tuple[Term, ...], type_: ScalarType) -> Term:
        """The element of `memory` at `indices`, when the statement that holds this term runs."""
        return self.make("load", indices, type_, (("memory", memory),))


def is_opaque(term: Term) -> bool:
    """True if the operator at the root is an uninterpreted function."""
    return term.op in (OPAQUE, OPAQUE_PARTIAL)


def name_of(term: Term) -> str:
    """The name in the program of the operator at the root."""
    return str(term.attr("name")) if is_opaque(term) else term.op


def literal(term: Term) -> int | float | None:
    """The value of a `const` term; None for any other term."""
    if term.op != "const":
        return None
    value = term.attr("value")
    return float.fromhex(value) if isinstance(value, str) else int(value)  # type: ignore[arg-type]


def postorder(roots: tuple[Term, ...]) -> list[Term]:
    """Every term reachable from `roots` once, operands before users. Iterative, so depth is not limited."""
    seen: set[int] = set()
    order: list[Term] = []
    stack: list[Term | None] = [*reversed(roots)]
    pop, push = stack.pop, stack.append
    while stack:
        term = pop()
        if term is None:  # of the term below it on the stack, all operands are in order
            term = pop()
            assert term is not None
            order.append(term)
        elif term.id not in seen:
            seen.add(term.id)
            if not term.args:
                order.append(term)
                continue
            push(term)
            push(None)
            for a in reversed(term.args):
                if a.id not in seen:
                    push(a)
    return order


def rebuild(pool: TermPool, root: Term, leaf: Callable[[Term], Term | None], memo: dict[int, Term]) -> Term:
    """`root` with each term replaced for which `leaf` gives a replacement; `memo` holds results across calls."""
    if root.id in memo:
        return memo[root.id]
    stack: list[Term] = [root]
    while stack:
        term = stack[-1]
        if term.id in memo:
            stack.pop()
            continue
        replacement = leaf(term)
        if replacement is not None:
            memo[term.id] = replacement
            stack.pop()
            continue
        missing = [a for a in term.args if a.id not in memo]
        if missing:
            stack.extend(missing)
            continue
        args = tuple(memo[a.id] for a in term.args)
        memo[term.id] = term if args == term.args else pool.make(term.op, args, term.type, term.attrs)
        stack.pop()
    return memo[root.id]


def show(term: Term, limit: int = 400) -> str:
    """The term as text, `arith.addf(read 3, arg 0)`; cut at `limit` characters."""
    text: dict[int, str] = {}
    for node in postorder((term,)):
        attrs = " ".join(str(v) for _, v in node.attrs)
        args = ", ".join(text[a.id] for a in node.args)
        head = f"{node.op} {attrs}".strip()
        text[node.id] = (f"{head}({args})" if node.args else head)[: limit + 1]
    full = text[term.id]
    return full if len(full) <= limit else full[:limit] + "..."

"""Skeletons: terms and statements without their index constants, so that copies of a loop body compare equal."""

from __future__ import annotations

from msgspec import Struct

from hecv.base.term import Term
from hecv.base.types import IndexType
from hecv.program.index import quasi_affine
from hecv.program.tree import (
    Alloc,
    Assert,
    Call,
    Dealloc,
    Evaluate,
    If,
    Load,
    Loop,
    Statement,
    Store,
    Touch,
    While,
)

MAX_HOLES = 4096
MAX_HEIGHT = 400


class Shape(Struct, frozen=True):
    """A term or statement without its index constants. Two with equal `skeleton` numbers are equal up to their `holes`.

    `forms` has for each hole the number of the linear form around it, None if there is only the constant. If it is too
    large (`fits` is false), its skeleton equals no other.

    `memories` are the memories named, in order of appearance. They are compared separately, since copies of a statement
    list may allocate memories of their own.
    """

    skeleton: int
    holes: tuple[int, ...]
    forms: tuple[int | None, ...]
    memories: tuple[int, ...]
    height: int = 0
    fits: bool = True


class Skeletons:
    """Numbers skeletons: equal structure gets equal numbers."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[object, ...], int] = {}
        self._terms: dict[int, Shape] = {}

    def _number(self, *key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def term(self, root: Term) -> Shape:
        """The shape of a term. Every index constant is a hole, including the 0 of `i` read as `i + 0`."""
        stack = [root]
        while stack:
            node = stack[-1]
            missing = [a for a in _children(node) if a.id not in self._terms]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            if node.id not in self._terms:
                self._terms[node.id] = self._term(node)
        return self._terms[root.id]

    def _term(self, node: Term) -> Shape:
        if isinstance(node.type, IndexType):
            form = quasi_affine.linear(node)
            atoms = tuple((self._atom(t), c) for t, c in form.terms)
            number = self._number("linear", *((s.skeleton, c) for s, c in atoms))
            shape = self._join(number, [s for s, _ in atoms])
            if not shape.fits:
                return shape
            holes, forms = (form.constant, *shape.holes), (number if atoms else None, *shape.forms)
            return Shape(number, holes, forms, shape.memories, shape.height)
        return self._atom(node)

    def _atom(self, node: Term) -> Shape:
        parts = [self._terms[a.id] for a in node.args]
        inner = [p.skeleton for p in parts]
        if node.op == "load":
            number = self._number("load", node.type, *inner)
            return self._join(number, parts, memory_of(node))
        return self._join(self._number(node.op, node.attrs, node.type, *inner), parts)

    def _join(self, number: int, parts: list[Shape], *memories: int) -> Shape:
        height = 1 + max((p.height for p in parts), default=0)
        size = sum(len(p.holes) + len(p.memories) for p in parts)
        if size > MAX_HOLES or height > MAX_HEIGHT or not all(p.fits for p in parts):
            return Shape(self._number("large", len(self._numbers)), (), (), (), height, False)
        holes = tuple(h for p in parts for h in p.holes)
        forms = tuple(f for p in parts for f in p.forms)
        return Shape(number, holes, forms, (*memories, *(m for p in parts for m in p.memories)), height)

    def statement(self, statement: Statement) -> Shape:
        """The shape of a statement with its nested blocks."""
        match statement:
            case Store(memory=memory):
                parts = [self.term(t) for t in (*statement.indices, statement.value)]
                number = self._number("store", statement.guarded, *(p.skeleton for p in parts))
                return self._join(number, parts, memory.id)
            case Touch():
                parts = [self.term(t) for t in (*statement.accesses, *statement.terms)]
                number = self._number("touch", statement.guarded, len(statement.accesses), *(p.skeleton for p in parts))
                return self._join(number, parts)
            case Alloc(memory=memory):
                parts = [self.term(t) for t in memory.extents]
                number = self._number("alloc", memory.kind, memory.element, *(p.skeleton for p in parts))
                return self._join(number, parts, memory.id)
            case Dealloc(memory=memory):
                return Shape(self._number("dealloc"), (), (), (memory.id,))
            case Loop():
                parts = [self.term(t) for t in (*statement.lowers, *statement.uppers)]
                parts += [self.statement(s) for s in statement.body]
                marks = (statement.unsigned, statement.parallel, statement.fits)
                order = (statement.updated, statement.overwrites)
                head = (len(statement.lowers), len(statement.uppers), statement.step.id)
                number = self._number("loop", statement.iv.type, *marks, *order, *head, *(p.skeleton for p in parts))
                return self._join(number, parts)
            case If():
                parts = [self.term(t) for t in (statement.condition, *statement.exact)]
                parts += [self.statement(s) for s in (*statement.then, *statement.otherwise)]
                head = (statement.guarded, len(statement.exact), len(statement.then))
                number = self._number("if", *head, *(p.skeleton for p in parts))
                return self._join(number, parts)
            case Assert():
                parts = [self.term(t) for t in (statement.condition, *statement.exact)]
                return self._join(self._number("assert", statement.text, *(p.skeleton for p in parts)), parts)
            case Load() | Evaluate() | Call() | While():
                return Shape(self._number("unique", statement.id), (), (), ())


def _children(node: Term) -> tuple[Term, ...]:
    """The terms that make up the shape of `node`; a `linear` counts as its atoms' operands."""
    if isinstance(node.type, IndexType):
        return tuple(a for atom, _ in quasi_affine.linear(node).terms for a in atom.args)
    return node.args


def memory_of(load: Term) -> int:
    memory = load.attr("memory")
    assert isinstance(memory, int)
    return memory

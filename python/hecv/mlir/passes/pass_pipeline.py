"""Parser of pass pipelines: the text as single passes, each with the ops that it is anchored at.

Cites: MLIR, Pass Infrastructure, "Textual Pass Pipeline Specification"; options end where their braces balance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from hecv.base.diagnostics import Diagnostic, InputError, Location

SWITCH: Final = "--pass-pipeline"
"""The file name of locations in a pipeline's text."""

MODULE: Final = "builtin.module"
ANY: Final = "any"

DEEPEST: Final = 100
"""Nesting depth of anchors, at most: the parser is recursive. MLIR has no such limit."""

_NAME: Final = re.compile(r"[^\s,(){}]*")
_SPACE: Final = re.compile(r"\s*")


class Pass(Struct, frozen=True):
    """One pass. `options` is the text between its braces; `anchors` are its enclosing ops, from the module inwards.

    `bare`: the text names no anchor, so one has to be found. `offset` is the position in the pipeline's text.
    """

    name: str
    options: str
    anchors: tuple[str, ...]
    bare: bool
    offset: int

    def __str__(self) -> str:
        return f"{self.name}{{{self.options}}}" if self.options else self.name

    @property
    def pipeline(self) -> str:
        """The pipeline that runs only this pass."""
        return "(".join([*self.anchors, str(self)]) + ")" * len(self.anchors)


def place(text: str, offset: int) -> Location:
    """The location of an offset in a pipeline's text."""
    line = text.count("\n", 0, offset) + 1
    return Location(SWITCH, line, offset - text.rfind("\n", 0, offset))


def parse_pipeline(text: str) -> tuple[Pass, ...]:
    """The passes in order. Unless all of it is inside one `builtin.module(...)` or `any(...)`, the pipeline runs on
    a module.

    Raises:  InputError if the text is no pipeline.
    Example: `func.func(canonicalize,affine-loop-unroll{unroll-factor=2}),symbol-dce`
    """
    parser = _Parser(text)
    elements = parser.elements()
    if parser.position < len(text):
        hint = "between two passes stands a comma, and brackets and braces balance"
        raise parser.error(f"unexpected `{text[parser.position]}`", hint)
    match elements:
        case [_Element(name="any", inside=tuple(inside))]:
            return tuple(_flatten(inside, (ANY,), False))
        case _:
            return tuple(_flatten(elements, (MODULE,), True))


# The grammar


class _Element(Struct, frozen=True):
    """A pass, or a list of passes anchored at the op `name` if `inside` is not None."""

    name: str
    options: str
    offset: int
    inside: tuple[_Element, ...] | None


def _flatten(elements: tuple[_Element, ...], anchors: tuple[str, ...], bare: bool) -> Iterator[Pass]:
    for element in elements:
        if element.inside is None:
            yield Pass(element.name, element.options, anchors, bare, element.offset)
        elif element.name == MODULE and bare:
            yield from _flatten(element.inside, anchors, False)
        else:
            yield from _flatten(element.inside, (*anchors, element.name), False)


class _Parser:
    """Reads `elements ::= (element (',' element)*)?`, `element ::= name '(' elements ')' | name ('{' ... '}')?`."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._depth = 0
        self.position = 0

    def error(self, message: str, hint: str) -> InputError:
        """The error at the current position."""
        return InputError(Diagnostic("error", "invalid-pipeline", message, place(self._text, self.position), hint))

    def elements(self) -> tuple[_Element, ...]:
        """Elements up to the end or a bracket that closes."""
        self._space()
        if self._next() in ("", ")"):
            return ()
        found = [self._element()]
        while self._take(","):
            found.append(self._element())
        return tuple(found)

    def _element(self) -> _Element:
        self._space()
        offset, name = self.position, self._match(_NAME)
        if not name:
            shown = f"`{self._next()}`" if self._next() else "the end"
            raise self.error(f"expected the name of a pass, found {shown}", "passes are separated by one comma")
        if not self._take("("):
            return _Element(name, self._options(), offset, None)
        self._depth += 1
        if self._depth > DEEPEST:
            raise self.error(f"anchors are nested deeper than {DEEPEST} levels", "name each anchor once")
        inside = self.elements()
        if not self._take(")"):
            raise self.error(f"expected `)` after the passes of {name}", "brackets have to balance")
        self._depth -= 1
        return _Element(name, "", offset, inside)

    def _options(self) -> str:
        start, depth = self.position, 0
        if self._next() != "{":
            return ""
        for position in range(start, len(self._text)):
            depth += {"{": 1, "}": -1}.get(self._text[position], 0)
            if not depth:
                self.position = position + 1
                self._space()
                return self._text[start + 1 : position].strip()
        raise self.error("expected `}` after the options", "braces have to balance")

    def _next(self) -> str:
        return self._text[self.position : self.position + 1]

    def _take(self, sign: str) -> bool:
        """Skips `sign` and the space around it."""
        self._space()
        if self._next() != sign:
            return False
        self.position += 1
        self._space()
        return True

    def _space(self) -> None:
        self._match(_SPACE)

    def _match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self.position)
        assert found is not None
        self.position = found.end()
        return found[0]

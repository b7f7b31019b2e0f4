"""Terms as rows of plain data, operands before users, and back.

A row is `[op, type, attributes, operands]`: the type is MLIR's text, attributes are pairs, operands the numbers of
earlier rows. The same terms give the same rows, whatever else the pool holds: numbers of terms do not occur.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from hecv.base.term import Attribute, Attributes, Term, TermPool, postorder
from hecv.base.types import INDEX, FloatType, IntType, OpaqueType, ScalarType
from hecv.kernel.certificate.rejection import Malformed

Row = tuple[str, str, Attributes, tuple[int, ...]]
Rows = tuple[Row, ...]

FLOATS: Final = re.compile(r"t?b?f(\d+)(E\d+M\d+\w*)?")


def type_text(type_: ScalarType) -> str:
    """A type as text; an opaque type is quoted."""
    return f'"{type_.text}"' if isinstance(type_, OpaqueType) else str(type_)


def type_of(text: str) -> ScalarType:
    """Parses what `type_text` wrote.

    Raises: Malformed.
    """
    if text == "index":
        return INDEX
    if len(text) > 2 and text[0] == text[-1] == '"':
        return OpaqueType(text[1:-1])
    if re.fullmatch(r"i[1-9]\d{0,5}", text):
        return IntType(int(text[1:]))
    if FLOATS.fullmatch(text):
        return FloatType(text)
    raise Malformed(f"no type is written {text!r}")


def rows_of(roots: Sequence[Term]) -> tuple[Rows, dict[int, int]]:
    """The rows of `roots` and all their subterms, and the number of each term's row by its id."""
    numbers: dict[int, int] = {}
    rows: list[Row] = []
    for term in postorder(tuple(roots)):
        numbers[term.id] = len(rows)
        rows.append((term.op, type_text(term.type), term.attrs, tuple([numbers[a.id] for a in term.args])))
    return tuple(rows), numbers


def made(pool: TermPool, rows: Rows, given: Sequence[Term] = ()) -> list[Term]:
    """The terms of rows in a pool; operand numbers below the number of `given` terms refer to these.

    Raises: Malformed if an operand is not earlier.
    """
    terms = list(given)
    for op, text, attrs, args in rows:
        if any(not 0 <= k < len(terms) for k in args):
            raise Malformed(f"an operand of `{op}` is not an earlier term")
        terms.append(pool.make(op, tuple([terms[k] for k in args]), type_of(text), attrs))
    return terms


# Plain data


def rows_data(rows: Rows) -> list[Any]:
    """Rows as JSON data."""
    return [[op, text, [[name, _value(v)] for name, v in attrs], list(args)] for op, text, attrs, args in rows]


def rows_from(data: Any) -> Rows:
    """Parses what `rows_data` wrote.

    Raises: Malformed.
    """
    if not isinstance(data, list):
        raise Malformed("terms are a list of rows")
    return tuple([_row(row) for row in data])


def _row(data: Any) -> Row:
    match data:
        case [str(op), str(text), [*attrs], [*args]] if all(type(k) is int for k in args):
            type_of(text)
            return op, text, tuple([_attribute(a) for a in attrs]), tuple(args)
        case _:
            raise Malformed(f"no row is written {str(data)[:80]}")


def _attribute(data: Any) -> tuple[str, Attribute]:
    match data:
        case [str(name), int() | str() as value]:
            return name, value
        case [str(name), [*numbers]] if all(type(n) is int for n in numbers):
            return name, tuple(numbers)
        case _:
            raise Malformed(f"no attribute is written {str(data)[:80]}")


def _value(value: Attribute) -> Any:
    return list(value) if isinstance(value, tuple) else value


def canonical(pool: TermPool, roots: Sequence[Term], proper: Mapping[str, bool]) -> list[Term]:
    """The roots in another pool, with leaves numbered in the order in which they occur: equal questions become equal
    texts.

    `proper`: the operators that are leaves, and whether these are never poison; other leaves say it themselves.
    """
    found: dict[int, Term] = {}
    leaves = 0
    for term in postorder(tuple(roots)):
        if term.args or term.op not in proper:
            args = tuple([found[a.id] for a in term.args])
            found[term.id] = pool.make(term.op, args, term.type, term.attrs)
            continue
        sure = proper[term.op] or ("proper", True) in term.attrs
        attrs: Attributes = (("number", leaves), *((("proper", True),) if sure else ()))
        found[term.id] = pool.make("leaf", (), term.type, attrs)
        leaves += 1
    return [found[r.id] for r in roots]

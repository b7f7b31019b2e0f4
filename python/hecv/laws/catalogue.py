"""The book of laws as a page: `python -m hecv.laws.catalogue > docs/laws.md`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hecv.base.types import INDEX, FloatType
from hecv.laws.all_laws import DERIVED, LAWS, REFINEMENTS, SUBJECTS
from hecv.laws.notation.law_text import conditions_text, equation_text
from hecv.patterns.equations.equations import Kind, kind_of
from hecv.patterns.equations.law_record import FORMATS, WIDE, WIDTHS, Law, integer

SHOWN: Final = (
    *map(integer, (32, 8, 16, 64, 4, 1)),
    *[Kind(FloatType(name), 0) for name in ("f32", "f64", "f16")],
    kind_of(INDEX, 64),
)
"""The types at which laws are shown: for each law the first that fits."""

HEAD: Final = """# The book of laws

Made by `python -m hecv.laws.catalogue > docs/laws.md`; a test holds that it is current.

{laws} equations are unions of the e-graph, {derived} more follow from them and from normal forms (*derived*), and
{refinements} laws hold one way (`=>`). A law is shown at `i32` where it is about that, else at types that fit. It holds
where the last column says: at these widths, in these formats, or, proved over the integers, at every width of two bits
or more. Division by 0 and shifts by too much are total here, as `hecv/base/theory/` says; `given` are premises, facts
of a goal. `hecv rules --audit` proves each.
"""


def page() -> str:
    """The text of the page."""
    head = HEAD.format(laws=len(LAWS), derived=len(DERIVED), refinements=len(REFINEMENTS))
    return "\n".join([head, *_sections()]) + "\n"


def _sections() -> Iterator[str]:
    for subject, books in SUBJECTS.items():
        yield f"## {subject}\n"
        yield "| law | says | proved |"
        yield "| --- | --- | --- |"
        for book in books:
            yield from map(_row, book.laws)
        yield ""


def _row(law: Law) -> str:
    shown = next(law.instances(SHOWN), None)
    assert shown is not None, f"{law.place}: {law.name} says nothing at any type"
    says = "; ".join([equation_text(shown), *conditions_text(shown.equation)]).replace("|", "\\|")
    return f"| {law.name} | `{says}` | {_extent(law)} |"


def _extent(law: Law) -> str:
    """Where a law holds, and what else there is to say of it."""
    formats = "all formats" if law.formats == FORMATS else ", ".join(law.formats)
    where = "every width" if law.integral else _widths(law.widths)
    if law.domain == "floats":
        where = formats
    return f"{where}, derived" if law.derived else where


def _widths(widths: tuple[int, ...]) -> str:
    if widths == WIDTHS:
        return "all widths"
    return "from 2 bits" if widths == WIDE else ", ".join(map(str, widths))


if __name__ == "__main__":
    print(page(), end="")

"""Index terms as isl text: quasi-affine expressions over parameters whose names both programs share.

Parameters are scalar integer arguments, dynamic extents of arguments, floors of these, and products. A floor of
parameters becomes a parameter of its own, with its definition in the context, so that affine hulls keep equalities that
depend on it. A product or quotient of parameters becomes one too, without any constraint: what is proved for every
number in its place holds for the actual one.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from hecv.base.term import Term, literal, postorder
from hecv.base.types import IndexType, IntType
from hecv.program.index import quasi_affine
from hecv.program.index.exact_integers import signed

LONGEST_CONDITION = 20_000
"""Limit of a condition, in characters of isl text: an exclusive or repeats each operand four times."""

LONGEST_WORD = 500
"""Limit of a value that is taken modulo its width, in characters of isl text: the text repeats it twice."""


class NotAffine(Exception):
    """A subscript, bound or condition that isl cannot express; `text` says what it is."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class Parameters(Struct):
    """The parameters of one pair of programs and the constraints on them.

    `names` maps a leaf or floor term to its isl name; `context` holds isl constraints over the names. Once the space is
    `closed`, a term that neither program uses is not affine. `idle` parameters occur in values only, not in a
    subscript, bound or condition. A cast to `index` keeps the value of integers of at most `index_width` bits.
    """

    names: dict[Term, str] = field(default_factory=dict[Term, str])
    context: list[str] = field(default_factory=list[str])
    index_width: int = 64
    closed: bool = False
    idle: set[Term] = field(default_factory=set[Term])

    def leaf(self, term: Term) -> str:
        """The name of an argument or extent, declared on first use with the range of its type."""
        if not self.closed:
            self.idle.discard(term)
        name = self.names.get(term)
        if name is not None:
            return name
        if self.closed:
            raise NotAffine("an argument that no index computation uses")
        if term.op == "arg":
            name = f"a{term.attr('number')}"
            if isinstance(term.type, IntType):
                half = 1 << (term.type.width - 1)
                self.context.append(f"{-half} <= {name} < {half}")
        else:
            name = f"d{term.attr('argument')}_{term.attr('dimension')}"
            self.context.append(f"{name} >= 0")
        self.names[term] = name
        return name

    def limit(self, term: Term) -> str:
        """The name of a positive number that is large enough for all runs (`hecv.normal.indirect.csr_loops`,
        `hecv.normal.whiles.trip_bound`)."""
        name = self.names.get(term)
        if name is None:
            if self.closed:
                raise NotAffine("a number that no bound uses")
            name = self.names[term] = str(term.attr("name"))
            self.context.append(f"{name} >= 1")
        return name

    def floor(self, term: Term, dividend: str, divisor: int) -> str | None:
        """The name of `floor(dividend / divisor)`, a floor of parameters; None if it has no name and the space is
        closed."""
        name = self.names.get(term)
        if name is None:
            if self.closed:
                return None
            name = self.names[term] = f"f{len(self.names)}"
            self.context.append(f"{divisor}*{name} <= {dividend} <= {divisor}*{name} + {divisor - 1}")
        return name

    def opaque(self, term: Term) -> str:
        """The name of a product or quotient of parameters, about which isl only knows that it is one number.

        Its operands are named too: sampling computes the number from their values.
        """
        name = self.names.get(term)
        if name is None:
            if self.closed:
                raise NotAffine("a product that no subscript, bound or condition uses")
            for leaf in (t for t in postorder((term,)) if t.op in ("arg", "dim")):
                self.leaf(leaf)
            name = self.names[term] = f"p{len(self.names)}"
        return name

    def prefix(self) -> str:
        """The isl text that declares all parameters."""
        return f"[{', '.join(self.names.values())}] -> " if self.names else ""


class Quasi(Struct, frozen=True):
    """A quasi-affine expression as isl text.

    `floors`: it is more than a linear sum (has a floor, max or min). `parametric`: no induction variable occurs in it.
    """

    text: str
    floors: bool
    parametric: bool


class Translator:
    """Translates index terms within one loop nest; `ivs[d]` is the value of the induction variable at depth `d`."""

    def __init__(self, parameters: Parameters, ivs: Mapping[int, Quasi]) -> None:
        self._parameters = parameters
        self._ivs = ivs
        self._memo: dict[int, Quasi] = {}

    @property
    def variables(self) -> Mapping[int, Quasi]:
        """The values of the induction variables, by depth."""
        return self._ivs

    def index(self, term: Term) -> Quasi:
        """The isl text of an index term, or of an `iN` term read as a signed integer.

        Raises: NotAffine if the term depends on memory, or multiplies or divides by a variable.
        """
        known = self._memo.get(term.id)
        if known is None:
            known = self._memo[term.id] = self._index(term)
        return known

    def _index(self, term: Term) -> Quasi:
        value = literal(term)
        if isinstance(value, int):
            if isinstance(term.type, IntType):
                value = signed(value, term.type.width)
            elif not -(1 << (self._parameters.index_width - 1)) <= value < 1 << (self._parameters.index_width - 1):
                raise NotAffine(f"{value}, which is no index of {self._parameters.index_width} bits")
            return Quasi(str(value), False, True)
        match term.op:
            case "iv":
                depth = term.attr("depth")
                assert isinstance(depth, int)
                return self._ivs[depth]
            case "arg" | "dim":
                return Quasi(self._parameters.leaf(term), False, True)
            case "limit":
                return Quasi(self._parameters.limit(term), False, True)
            case "affine.linear":
                return self._sum(quasi_affine.linear(term))
            case "affine.floordiv":
                return self._floor(term)
            case "affine.max" | "affine.min":
                parts = [self.index(a) for a in term.args]
                text = _nest(term.op.removeprefix("affine."), [p.text for p in parts])
                return Quasi(text, True, all(p.parametric for p in parts))
            case "affine.within" | "affine.below" if quasi_affine.is_proper(term.args[1]):
                return self.index(term.args[0])
            case op if op in NONLINEAR and _is_fixed(term):
                return Quasi(self._parameters.opaque(term), False, True)
            case "arith.index_cast" if isinstance(term.type, IndexType):
                if isinstance(term.args[0].type, IntType) and term.args[0].type.width > self._parameters.index_width:
                    raise NotAffine("a cast that drops bits")
                return self.index(term.args[0])
            case "arith.index_castui" if isinstance(term.type, IndexType) and not term.attrs:
                return self._natural(term, self._parameters.index_width)
            case "arith.extui" if isinstance(term.type, IntType) and not term.attrs:
                return self._natural(term, term.type.width)
            case op if op in _WORDS and not term.attrs and isinstance(term.type, IntType):
                return self._word(term, term.type.width)
            case _:
                raise NotAffine(_describe(term))

    def _natural(self, term: Term, width: int) -> Quasi:
        """A cast of an integer, read as unsigned, to one of `width` bits, as a signed integer."""
        (operand,), kind = term.args, term.args[0].type
        value = self.index(operand)
        if not isinstance(kind, IntType) or kind.width > width:
            raise NotAffine("a cast that drops bits")
        return value if kind.width == width else self._reduced(term, value, 1 << kind.width, 0)

    def _word(self, term: Term, width: int) -> Quasi:
        """A total op on integers of `width` bits, as a signed integer: its exact result modulo `2**width`."""
        first, *others = (self.index(a) for a in term.args)
        parametric = first.parametric and all(o.parametric for o in others)
        floors = first.floors or any(o.floors for o in others)
        if not others:
            kind = term.args[0].type
            dropped = isinstance(kind, IntType) or width < self._parameters.index_width
            return self._wrapped(term, first, width) if dropped and term.op != "arith.extsi" else first
        second, by = others[0].text, _signed_literal(term.args[1])
        match term.op:
            case "arith.andi":
                mask, value = (by, first) if by is not None else (_signed_literal(term.args[0]), others[0])
                if mask is None or mask < 0 or mask & (mask + 1):
                    raise NotAffine(_describe(term))
                return self._reduced(term, value, mask + 1, 0)
            case "arith.shrsi" if by is not None and 0 <= by < width:
                return Quasi(f"floor(({first.text})/{1 << by})", True, parametric)
            case "arith.shli" if by is not None and 0 <= by < width:
                return self._wrapped(term, Quasi(f"({1 << by}*({first.text}))", floors, parametric), width)
            case "arith.maxsi" | "arith.minsi":
                return Quasi(f"{term.op[6:9]}({first.text}, {second})", True, parametric)
            case "arith.addi" if _signed_literal(term.args[0]) == 0:
                return others[0]
            case "arith.addi" | "arith.subi" if by == 0:
                return first
            case "arith.addi" | "arith.subi":
                sign = "+" if term.op == "arith.addi" else "-"
                return self._wrapped(term, Quasi(f"({first.text} {sign} ({second}))", floors, parametric), width)
            case "arith.muli" | "arith.divsi" | "arith.divui" if by == 1:
                return first
            case "arith.muli" if by is not None:
                return self._wrapped(term, Quasi(f"({by}*({first.text}))", floors, parametric), width)
            case "arith.divui" | "arith.remui" | "arith.shrui" | "arith.minui" if by is not None and by > 0:
                return self._unsigned(term, self._reduced(term, first, 1 << width, 0), by, width)
            case "arith.divsi" | "arith.remsi" if by is not None and by > 0:
                part = f"max(floor(({first.text})/{by}), 0) - max(floor((-({first.text}))/{by}), 0)"
                rest = f"({first.text} - {by}*({part}))"
                return Quasi(f"({part})" if term.op == "arith.divsi" else rest, True, parametric)
            case _:
                raise NotAffine(_describe(term))

    def _unsigned(self, term: Term, value: Quasi, by: int, width: int) -> Quasi:
        """An unsigned op on a value, as a natural number, and a positive literal: its result is non-negative as a
        signed integer, too."""
        match term.op:
            case "arith.minui":
                return Quasi(f"min({value.text}, {by})", True, value.parametric)
            case "arith.shrui" if by >= width:
                raise NotAffine(_describe(term))
            case "arith.remui":
                return Quasi(f"({value.text} - {by}*floor(({value.text})/{by}))", True, value.parametric)
            case _:
                divisor = by if term.op == "arith.divui" else 1 << by
                return Quasi(f"floor(({value.text})/{divisor})", True, value.parametric)

    def _wrapped(self, term: Term, exact: Quasi, width: int) -> Quasi:
        """An exact value wrapped to a signed integer of `width` bits; `term` is what computes it."""
        return self._reduced(term, exact, 1 << width, 1 << (width - 1))

    def _reduced(self, term: Term, exact: Quasi, size: int, half: int) -> Quasi:
        """An exact value modulo `size`, at least `-half`; `term` is what computes it."""
        if len(exact.text) > LONGEST_WORD:
            raise NotAffine("arithmetic on words of many parts")
        if exact.parametric and not exact.floors:
            turns = self._parameters.floor(term, f"{exact.text} + {half}", size)
            if turns is not None:
                return Quasi(f"({exact.text} - {size}*{turns})", False, True)
        return Quasi(f"({exact.text} - {size}*floor(({exact.text} + {half})/{size}))", True, exact.parametric)

    def _sum(self, form: quasi_affine.Linear) -> Quasi:
        parts = [(self.index(atom), c) for atom, c in form.terms]
        text = " + ".join([*(f"{c}*({p.text})" for p, c in parts), *([str(form.constant)] if form.constant else [])])
        return Quasi(f"({text})", any(p.floors for p, _ in parts), all(p.parametric for p, _ in parts))

    def _floor(self, term: Term) -> Quasi:
        dividend, divisor = self.index(term.args[0]), term.attr("divisor")
        assert isinstance(divisor, int)
        if dividend.parametric and not dividend.floors:
            name = self._parameters.floor(term, dividend.text, divisor)
            if name is not None:
                return Quasi(name, False, True)
        return Quasi(f"floor(({dividend.text})/{divisor})", True, dividend.parametric)

    def condition(self, term: Term, holds: bool = True) -> str:
        """The isl constraint that the i1 term equals `holds`.

        Raises: NotAffine if it is not a comparison of index terms or a Boolean combination of such, or is too long.
        """
        text = self._condition(term, holds)
        if len(text) > LONGEST_CONDITION:
            raise NotAffine("a condition of many parts")
        return text

    def _condition(self, term: Term, holds: bool) -> str:
        value = literal(term)
        if isinstance(value, int):
            return "1 = 1" if bool(value) == holds else "1 = 0"
        match term.op:
            case "arg":
                return f"{self._parameters.leaf(term)} {'!=' if holds else '='} 0"
            case "arith.cmpi":
                predicate = str(term.attr("predicate"))
                predicate = predicate if holds else _NEGATED[predicate]
                left, right = (self.index(a).text for a in term.args)
                if predicate in _UNSIGNED:
                    return _unsigned(_UNSIGNED[predicate], left, right)
                return f"{left} {_OPERATORS[predicate]} {right}"
            case "arith.andi" | "arith.ori":
                both = (term.op == "arith.andi") == holds
                parts = [f"({self.condition(a, holds)})" for a in term.args]
                return (" and " if both else " or ").join(parts)
            case "arith.xori":
                first, second = term.args
                same = f"(({self.condition(first)}) and ({self.condition(second)}))"
                none = f"(({self.condition(first, False)}) and ({self.condition(second, False)}))"
                one = f"(({self.condition(first)}) and ({self.condition(second, False)}))"
                other = f"(({self.condition(first, False)}) and ({self.condition(second)}))"
                return f"{one} or {other}" if holds else f"{same} or {none}"
            case _:
                raise NotAffine(_describe(term))


_OPERATORS = {"eq": "=", "ne": "!=", "slt": "<", "sle": "<=", "sgt": ">", "sge": ">="}
_UNSIGNED = {"ult": "<", "ule": "<=", "ugt": ">", "uge": ">="}
_NEGATED = {"eq": "ne", "ne": "eq"} | {
    f"{kind}{one}": f"{kind}{other}"
    for kind in "su"
    for one, other in (("lt", "ge"), ("le", "gt"), ("gt", "le"), ("ge", "lt"))
}


def _unsigned(operator: str, left: str, right: str) -> str:
    """The unsigned comparison of two integers, by their signed values: a negative one is greater."""
    small, great = (right, left) if operator.startswith(">") else (left, right)
    same = f"(({left} >= 0 and {right} >= 0) or ({left} < 0 and {right} < 0))"
    return f"(({small} >= 0 and {great} < 0) or ({same} and {left} {operator} {right}))"


NONLINEAR = frozenset(("affine.mul", "affine.quotient", "arith.divsi", "arith.divui", "arith.remsi", "arith.remui"))
"""Operators that are affine only if an operand is a literal."""


_WORDS = frozenset(
    {"arith.index_cast", "arith.trunci", "arith.extsi", "arith.addi", "arith.subi", "arith.muli"}
    | {
        "arith.maxsi",
        "arith.minsi",
        "arith.divsi",
        "arith.divui",
        "arith.remsi",
        "arith.remui",
        "arith.minui",
        "arith.andi",
        "arith.shrsi",
        "arith.shrui",
        "arith.shli",
    }
)
"""Operators on `iN` that isl holds exactly, modulo the width; some only with literals."""


def _signed_literal(term: Term) -> int | None:
    value = literal(term)
    return signed(value, term.type.width) if isinstance(value, int) and isinstance(term.type, IntType) else None


def _is_fixed(term: Term) -> bool:
    """Whether an index term has one value in a run and is never poison: it consists of arguments and extents, without
    flags."""
    return isinstance(term.type, IndexType) and all(
        t.op in ("const", "arg", "dim") or t.op.startswith("affine.") or (t.op in NONLINEAR and not t.attrs)
        for t in postorder((term,))
    )


def _nest(function: str, texts: list[str]) -> str:
    """`max(a, max(b, c))`: isl's functions take two operands."""
    result = texts[-1]
    for text in reversed(texts[:-1]):
        result = f"{function}({text}, {result})"
    return result


def _describe(term: Term) -> str:
    match term.op:
        case "load" | "read":
            return "a value read from memory"
        case "affine.mul":
            return "a product of two variables"
        case "affine.quotient":
            return "a division by a variable"
        case _:
            return f"the result of `{term.op}`"

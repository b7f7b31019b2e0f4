"""The syntax of the pattern calculus (PYPM, section 3), and of rules over it.

A pattern is matched against a value of a graph; a match is a substitution of the pattern's variables by values (theta)
and of its function variables by operators (phi). A rule file in Python is traced to this syntax
(`hecv.patterns.tracing`), `hecv.patterns.calculus.match_relation` says when a substitution is a match,
`hecv.patterns.machine.machine` finds matches, and `hecv.rule_files.portable_json` writes patterns as JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from hecv.patterns.calculus.loop_rules import LoopRule

Value = int | float | bool | str | tuple["Value", ...]
"""The value of an attribute. Types are MLIR text, as in `x.elType == "f32"`."""

Sort = Literal["term", "function", "type"]
"""The sort of a variable: a value, an operator, or a type; matching does not know types."""


# Expressions: what guards and replacements compute from a substitution


@dataclass(frozen=True, slots=True)
class Known:
    """A constant in an expression."""

    value: Value


@dataclass(frozen=True, slots=True)
class AttributeOf:
    """An attribute of a variable's value: `x.shape.rank` is `AttributeOf("x", ("shape", "rank"))`.

    Unknown if the graph does not know it. A function variable has `name` and the operator's own attributes.
    """

    variable: str
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Compute:
    """A Python operator on expressions, or one of `FUNCTIONS`; unknown if an operand is, except `and` with a false
    operand and `or` with a true one."""

    op: str
    args: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """The operator of a function variable is of this family, as in `f in unary_pointwise`."""

    function: str
    family: str


@dataclass(frozen=True, slots=True)
class Holds:
    """The condition that a term of type i1 over literals is 1, computed by MLIR operators in the arithmetic of their
    types, as total values; unknown if something in it is no literal."""

    term: Replacement


@dataclass(frozen=True, slots=True)
class Defined:
    """The premise that the operator at the root of the term is neither undefined nor poison on its operands. A proof
    assumes it; matching does not know it."""

    term: Replacement


Expression = Known | AttributeOf | Compute | Member | Holds | Defined

UNARY: Final = ("not", "neg", "len", "is_power_of_two", "log2", "abs")
BINARY: Final = ("+", "-", "*", "//", "%", "**", "<<", ">>", "&", "|", "^", "/", "item", "in", "min", "max", "wrap")
COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=")
CONNECTIVES: Final = ("and", "or")
TRUE: Final = Known(True)


# Patterns


@dataclass(frozen=True, slots=True)
class Variable:
    """`x`: any value; the same one wherever the variable stands."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal of any type with this value, an integer modulo `2**width`; also a tensor filled with it."""

    value: int | float | bool


@dataclass(frozen=True, slots=True)
class Apply:
    """`op(p1, ..., pn)`: a result of an operator with the attributes `attrs`; its other attributes may be any."""

    op: str
    args: tuple[Pattern, ...]
    attrs: tuple[tuple[str, Value], ...] = ()
    result: int = 0


@dataclass(frozen=True, slots=True)
class ApplyVariable:
    """`f(p1, ..., pn)`: the only result of any operator with n operands; the same operator, attributes included,
    wherever `f` occurs."""

    function: str
    args: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Alternate:
    """`p || q`: `first`, and if there is no match with it (or none that the context accepts), `second`."""

    first: Pattern
    second: Pattern


@dataclass(frozen=True, slots=True)
class Guarded:
    """`p; guard(g)`: `pattern`, if `guard` is known to be true after it matched."""

    pattern: Pattern
    guard: Expression


@dataclass(frozen=True, slots=True)
class Exists:
    """`exists x. p`: a local variable, bound when `pattern` matches."""

    variable: str
    pattern: Pattern
    sort: Sort = "term"


@dataclass(frozen=True, slots=True)
class Constrained:
    """`p; (x <= q)`: `pattern`, if the value of `variable` then matches `other`."""

    pattern: Pattern
    variable: str
    other: Pattern


@dataclass(frozen=True, slots=True)
class Call:
    """`P(y1, ..., yn)`: the definition named `name`, with the caller's variables as its parameters."""

    name: str
    args: tuple[str, ...]


Pattern = Variable | Constant | Apply | ApplyVariable | Alternate | Guarded | Exists | Constrained | Call


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in a rule file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a definition: a variable shared with its callers."""

    name: str
    sort: Sort = "term"


@dataclass(frozen=True, slots=True)
class Definition:
    """A named pattern, `mu P(x1, ..., xn). body`; `body` has no free variables but the parameters, and may call any
    definition, also itself."""

    name: str
    parameters: tuple[Parameter, ...]
    body: Pattern
    place: Place | None = field(default=None, compare=False)


Definitions = Mapping[str, Definition]


# Replacements


@dataclass(frozen=True, slots=True)
class Same:
    """The value of a variable of the pattern."""

    variable: str


@dataclass(frozen=True, slots=True)
class Computed:
    """A literal with the value of an expression. Its user determines its type (see `Build.type`)."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Build:
    """An operator on replacements.

    `type` is its result's type as text. If None, it is that of the replaced value at the root, that of the first
    operand elsewhere, unless the operator's declaration says otherwise.
    """

    op: str
    args: tuple[Replacement, ...]
    attrs: tuple[tuple[str, Expression], ...] = ()
    type: Expression | None = None
    result: int = 0


@dataclass(frozen=True, slots=True)
class BuildVariable:
    """The operator of a function variable, attributes included, on replacements."""

    function: str
    args: tuple[Replacement, ...]


Replacement = Same | Computed | Build | BuildVariable


@dataclass(frozen=True, slots=True)
class Branch:
    """The replacement if the guard is known to be true."""

    guard: Expression
    replacement: Replacement


@dataclass(frozen=True, slots=True)
class Rule:
    """`@rule(pattern)`: a match of the definition named `pattern` is replaced by the first branch whose guard holds.

    `parameters` are those of the definition. Several rules for one pattern are tried in order.
    """

    name: str
    pattern: str
    parameters: tuple[Parameter, ...]
    branches: tuple[Branch, ...]
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Declaration:
    """`@op`: an operator with `arity` operands (None: any number) and this many results.

    `families` are those it belongs to. It is a total function of its operands and attributes without effects, unless
    `effects`. `type` is the number of the operand whose type the result has, if there is one.
    """

    name: str
    arity: int | None
    results: int = 1
    families: frozenset[str] = frozenset()
    attributes: tuple[str, ...] = ()
    commutative: bool = False
    effects: bool = False
    type: int | None = None
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class RuleFile:
    """The declarations of a rule file, in order."""

    path: str
    operators: Mapping[str, Declaration]
    definitions: Definitions
    rules: tuple[Rule, ...]
    loops: tuple[LoopRule, ...] = ()


# Parts


def parts(pattern: Pattern) -> Iterator[Pattern]:
    """The direct subpatterns of a pattern."""
    match pattern:
        case Apply(args=args) | ApplyVariable(args=args):
            yield from args
        case Alternate(first=first, second=second):
            yield first
            yield second
        case Guarded(pattern=inner) | Exists(pattern=inner):
            yield inner
        case Constrained(pattern=inner, other=other):
            yield inner
            yield other
        case Variable() | Constant() | Call():
            return


def guards(pattern: Pattern) -> Iterator[Expression]:
    """The guards in a pattern."""
    waiting = [pattern]
    while waiting:
        part = waiting.pop()
        waiting.extend(parts(part))
        if isinstance(part, Guarded):
            yield part.guard

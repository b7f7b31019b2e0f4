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
"""What an attribute may be. Types are by their text in MLIR, as in `x.elType == "f32"`."""

Sort = Literal["term", "function", "type"]
"""A variable stands for a value, for an operator, or for a type, which is unknown to what matches."""


# Expressions: what guards and replacements compute from a substitution


@dataclass(frozen=True, slots=True)
class Known:
    """A value."""

    value: Value


@dataclass(frozen=True, slots=True)
class AttributeOf:
    """An attribute of what a variable stands for: `x.shape.rank` is `AttributeOf("x", ("shape", "rank"))`.

    Unknown where the graph does not know it. Of a function variable, `name` and the operator's own attributes.
    """

    variable: str
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Compute:
    """An operator of Python on expressions, or one of the functions in `FUNCTIONS`; unknown where an operand is, except
    for `and` with a false operand and `or` with a true one."""

    op: str
    args: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """The operator that a function variable stands for is of this class, as in `f in unary_pointwise`."""

    function: str
    family: str


@dataclass(frozen=True, slots=True)
class Holds:
    """A term of type i1 over literals, computed by operators of MLIR in the arithmetic of their types, is 1. Computed
    as total values; unknown where something in it is no literal."""

    term: Replacement


@dataclass(frozen=True, slots=True)
class Defined:
    """The operator at the root of the term is neither undefined nor poison on its operands. It is a premise of a proof,
    and unknown to what matches."""

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
    """A literal of any type with this value, an integer modulo `2**width`; a tensor of nothing else, too."""

    value: int | float | bool


@dataclass(frozen=True, slots=True)
class Apply:
    """`op(p1, ..., pn)`: a result of an operator whose attributes are, where `attrs` says, these; others may be any."""

    op: str
    args: tuple[Pattern, ...]
    attrs: tuple[tuple[str, Value], ...] = ()
    result: int = 0


@dataclass(frozen=True, slots=True)
class ApplyVariable:
    """`f(p1, ..., pn)`: the only result of any operator of so many operands; the same one, attributes and all,
    wherever `f` stands."""

    function: str
    args: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Alternate:
    """`p || q`: `first`, and where there is no match with it (or none that the context accepts), `second`."""

    first: Pattern
    second: Pattern


@dataclass(frozen=True, slots=True)
class Guarded:
    """`p; guard(g)`: where `guard` is known to be true once `pattern` matched."""

    pattern: Pattern
    guard: Expression


@dataclass(frozen=True, slots=True)
class Exists:
    """`exists x. p`: a variable of this pattern alone, bound once `pattern` matched."""

    variable: str
    pattern: Pattern
    sort: Sort = "term"


@dataclass(frozen=True, slots=True)
class Constrained:
    """`p; (x <= q)`: once `pattern` matched, what `variable` stands for matches `other`."""

    pattern: Pattern
    variable: str
    other: Pattern


@dataclass(frozen=True, slots=True)
class Call:
    """`P(y1, ..., yn)`: the definition named `name`, with variables of the caller for its parameters."""

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
    """A parameter of a definition; the variables that it shares with its callers."""

    name: str
    sort: Sort = "term"


@dataclass(frozen=True, slots=True)
class Definition:
    """A named pattern, `mu P(x1, ..., xn). body`; `body` has no free variables but the parameters, and may call any
    definition, itself too."""

    name: str
    parameters: tuple[Parameter, ...]
    body: Pattern
    place: Place | None = field(default=None, compare=False)


Definitions = Mapping[str, Definition]


# Replacements


@dataclass(frozen=True, slots=True)
class Same:
    """What a variable of the pattern stands for."""

    variable: str


@dataclass(frozen=True, slots=True)
class Computed:
    """A literal with the value of an expression. Its type is what its user asks (see `Build.type`)."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Build:
    """An operator on replacements.

    `type` is its result's type as text, or None: that of the value replaced at the root, that of the first operand
    elsewhere, unless the operator's declaration says.
    """

    op: str
    args: tuple[Replacement, ...]
    attrs: tuple[tuple[str, Expression], ...] = ()
    type: Expression | None = None
    result: int = 0


@dataclass(frozen=True, slots=True)
class BuildVariable:
    """The operator that a function variable stands for, attributes and all, on replacements."""

    function: str
    args: tuple[Replacement, ...]


Replacement = Same | Computed | Build | BuildVariable


@dataclass(frozen=True, slots=True)
class Branch:
    """What the value becomes where the guard is known to be true."""

    guard: Expression
    replacement: Replacement


@dataclass(frozen=True, slots=True)
class Rule:
    """`@rule(pattern)`: a match of the definition named `pattern`, whose parameters are `parameters` here, becomes the
    replacement of the first branch whose guard holds; several rules for one pattern are tried in their order."""

    name: str
    pattern: str
    parameters: tuple[Parameter, ...]
    branches: tuple[Branch, ...]
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Declaration:
    """`@op`: an operator with `arity` operands (None: any number) and so many results.

    `families` are the classes it belongs to. It is a total function of its operands and attributes without effects,
    unless `effects`. `type` is the type of its result where that is one of its operands': the operand's number.
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
    """What a rule file declares, in its order."""

    path: str
    operators: Mapping[str, Declaration]
    definitions: Definitions
    rules: tuple[Rule, ...]
    loops: tuple[LoopRule, ...] = ()


# Parts


def parts(pattern: Pattern) -> Iterator[Pattern]:
    """The patterns that stand directly in a pattern."""
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

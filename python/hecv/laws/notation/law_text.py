"""Laws and rules printed in the notation of rule files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from hecv.patterns.calculus import pattern_ast
from hecv.patterns.calculus.operator_names import families
from hecv.patterns.calculus.quantities import described_expression
from hecv.patterns.equations.equations import Equation, Number, Operation, Pattern, Variable
from hecv.patterns.equations.law_record import Instance

INFIX: Final = {
    "arith.addi": "+",
    "arith.subi": "-",
    "arith.muli": "*",
    "arith.andi": "&",
    "arith.ori": "|",
    "arith.xori": "^",
    "arith.shli": "<<",
}

SHORT: Final = "arith."
"""The dialect that is left out in print."""


def operator_text(op: str, operands: Sequence[str], attributes: Iterable[tuple[str, str]] = ()) -> str:
    """An operator on operands, infix if Python has it."""
    named = [f"{name}={value}" for name, value in attributes]
    if op in INFIX and not named:
        return f"({operands[0]} {INFIX[op]} {operands[1]})"
    return f"{op.removeprefix(SHORT)}({', '.join([*map(_bare, operands), *named])})"


def _bare(text: str) -> str:
    """Without the parentheses around the whole."""
    if not text.startswith("("):
        return text
    depth = 0
    for place, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if not depth:
            return text[1:-1] if place == len(text) - 1 else text
    return text


# Laws of the book


def equation_text(instance: Instance) -> str:
    """The equation of a law at certain types; `=>` if only the right side may replace the left one."""
    equation = instance.equation
    relation = "=>" if instance.law.refines else "="
    return f"{_bare(term_text(equation.left))} {relation} {_bare(term_text(equation.right))}"


def conditions_text(equation: Equation) -> Iterator[str]:
    """The side conditions of an equation."""
    if equation.where is not None:
        yield f"where {_bare(term_text(equation.where))}"
    yield from premises_text(equation)


def premises_text(equation: Equation) -> Iterator[str]:
    """The premises of an equation, wherever it is used."""
    for premise in equation.given:
        yield f"given that {_bare(term_text(premise))} is defined and not poison"


def term_text(pattern: Pattern) -> str:
    """A term with variables; those for literals in capitals."""
    match pattern:
        case Variable(name=name, literal=literal):
            return name.lstrip("?").upper() if literal else name.lstrip("?")
        case Number():
            return _number(pattern)
        case Operation(kind=kind, op=op, args=args, attrs=attrs):
            cast = [("to", str(kind.type))] if "cast" in families(op) else []
            return operator_text(op, [term_text(a) for a in args], [*[(n, str(v)) for n, v in attrs], *cast])
        case _:
            raise AssertionError(pattern)


def _number(number: Number) -> str:
    """The signed value."""
    if isinstance(number.value, str):
        return repr(float.fromhex(number.value))
    width = number.kind.width
    return str(number.value - (1 << width) if width > 1 and number.value >> (width - 1) == 1 else number.value)


# Rules of users


def rule_text(rule: pattern_ast.Rule, definition: pattern_ast.Definition) -> Iterator[str]:
    """A rule as text, a line a branch; for a named pattern, its alternates."""
    alternates = list(_alternates(definition.body))
    if rule.name == rule.pattern and len(alternates) == len(rule.branches) == 1:
        root, conditions = _apart(alternates[0])
        right = _bare(replacement_text(rule.branches[0].replacement))
        yield " ".join([_bare(pattern_text(root)), "=>", right, *conditions])
        return
    called = f"{rule.pattern}({', '.join(p.name for p in rule.parameters)})"
    for branch in rule.branches:
        condition = "" if branch.guard == pattern_ast.TRUE else f" if {described_expression(branch.guard)}"
        yield f"{called} => {_bare(replacement_text(branch.replacement))}{condition}"
    own = f"{rule.pattern}({', '.join(p.name for p in definition.parameters)})"
    yield from (f"{own} is {_bare(pattern_text(one))}" for one in alternates)


def replacement_text(built: pattern_ast.Replacement) -> str:
    """A replacement."""
    match built:
        case pattern_ast.Same(name):
            return name
        case pattern_ast.Computed(value):
            return described_expression(value)
        case pattern_ast.Build(op, args, attrs):
            operands = [replacement_text(a) for a in args]
            return operator_text(op, operands, [(n, described_expression(e)) for n, e in attrs])
        case pattern_ast.BuildVariable(function, args):
            return operator_text(function, [replacement_text(a) for a in args])


def _alternates(body: pattern_ast.Pattern) -> Iterator[pattern_ast.Pattern]:
    while isinstance(body, pattern_ast.Alternate):
        yield body.first
        body = body.second
    yield body


def _apart(pattern: pattern_ast.Pattern) -> tuple[pattern_ast.Pattern, list[str]]:
    """What a pattern matches at its root, and its constraints and guards."""
    match pattern:
        case pattern_ast.Guarded(inner, guard):
            root, conditions = _apart(inner)
            return root, [*conditions, f"if {described_expression(guard)}"]
        case pattern_ast.Constrained(inner, variable, other):
            root, conditions = _apart(inner)
            return root, [*conditions, f"with {variable} <= {_bare(pattern_text(other))}"]
        case pattern_ast.Exists(_, inner):
            return _apart(inner)
        case _:
            return pattern, []


def pattern_text(pattern: pattern_ast.Pattern) -> str:
    """A pattern, followed by its constraints and guards."""
    match pattern:
        case pattern_ast.Variable(name):
            return name
        case pattern_ast.Constant(value):
            return repr(value)
        case pattern_ast.Apply(op, args, attrs, result):
            text = operator_text(op, [pattern_text(a) for a in args], [(n, repr(v)) for n, v in attrs])
            return f"{text}[{result}]" if result else text
        case pattern_ast.ApplyVariable(function, args):
            return operator_text(function, [pattern_text(a) for a in args])
        case pattern_ast.Call(name, args):
            return operator_text(name, args)
        case pattern_ast.Alternate(first, second):
            return f"({pattern_text(first)} || {pattern_text(second)})"
        case pattern_ast.Guarded() | pattern_ast.Exists() | pattern_ast.Constrained():
            root, conditions = _apart(pattern)
            return f"({' '.join([_bare(pattern_text(root)), *conditions])})"

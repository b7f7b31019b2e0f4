"""Namespaces of rule files: the dialects and families of operators by name, and local variables."""

from __future__ import annotations

import re
from linecache import getline
from typing import Any, Final

from hecv.patterns.calculus.body_paths import NoMatch, misuse, running
from hecv.patterns.calculus.operator_names import DIALECTS, FAMILIES
from hecv.patterns.calculus.pattern_ast import Member, Sort
from hecv.patterns.calculus.quantities import described, line_of_caller, suggestion
from hecv.patterns.tracing.traced_values import AppliedFunction, Name, Op, found_op, use

LOCAL: Final = re.compile(r"\s*(\w+)\s*=\s*(?:var|fun|some_type)\(")
"""The assignment that gives a local variable its name."""


class Dialect:
    """The ops of a dialect, as attributes."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        assert name in DIALECTS
        self._name = name

    def __repr__(self) -> str:
        return f"the dialect {self._name}"

    def __getattr__(self, name: str) -> Op:
        if name.startswith("__"):
            raise AttributeError(name)
        return found_op(f"{self._name}.{name}")


class Family:
    """A family of operators: `f in unary_pointwise` for a function variable; `unary_pointwise(x)` for any of them."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        assert name in FAMILIES
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def __contains__(self, item: object) -> bool:
        if isinstance(item, Name):
            return running().decide(Member(use(item, "function"), self.name))
        if isinstance(item, Op):
            return item.declared is not None and self.name in item.declared.families
        hint = "a family holds operators: `f in unary_pointwise`, where f is called"
        raise misuse("wrong-operand", f"{described(item)} is in no family", hint)

    def __call__(self, *args: object) -> AppliedFunction:
        """Any operator of the family, on these operands."""
        if running().kind == "rule":
            hint = "name the operator by a function variable of the pattern"
            raise misuse("match-in-rule", f"a rule does not know which operator of '{self.name}' to build", hint)
        return fun(self)(*args)


# Local variables


def var() -> Any:
    """A local variable for a value."""
    return _local("var", "term")


def some_type() -> Any:
    """A type of which only attributes are asked, and that no part of a law's left side need have.

    The law is one equation for each such type; matching does not know it.
    """
    return _local("some_type", "type")


def fun(family: object = None) -> Any:
    """A local variable for an operator, of a family if given."""
    if family is not None and not isinstance(family, Family):
        hint = suggestion("", [*FAMILIES])
        raise misuse("wrong-operand", f"{described(family)} is no family of operators", hint)
    made = _local("fun", "function")
    if family is not None and made not in family:
        # The other side of this decision is no path of the body: there, nothing matches.
        raise NoMatch
    return made


def _local(kind: str, sort: Sort) -> Name:
    trace = running()
    if trace.kind == "rule":
        hint = "it has the parameters of its pattern: make this one of them"
        raise misuse("match-in-rule", f"{kind}() in a rule stands for nothing that is matched", hint)
    line = line_of_caller()
    wish = LOCAL.match(getline(trace.file, line))
    default = {"term": "v", "function": "f", "type": "t"}[sort]
    made = Name(wish[1] if wish else default, sort, line)
    trace.locals.append(made)
    return made

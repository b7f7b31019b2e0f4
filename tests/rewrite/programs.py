"""Programs and rule files in a few lines."""

from __future__ import annotations

from textwrap import dedent

from hecv.mlir.ssa.ssa_graph import Program, read
from hecv.patterns.calculus.pattern_ast import RuleFile
from hecv.rule_files.rule_loader import loads

IMPORTS = "from hecv.rules import arith, law, linalg, op, pattern, rule, tosa, unary_pointwise, var\n"


def rules(text: str) -> RuleFile:
    """A rule file."""
    return loads(IMPORTS + dedent(text), "r.py")


def program(arguments: str, body: str, *results: str, file: RuleFile | None = None, others: str = "") -> Program:
    """A function `@f` whose results are `results`, each with its type."""
    return read(source(arguments, body, *results, others=others), "p.mlir", declared(file))


def source(arguments: str, body: str, *results: str, others: str = "") -> str:
    """The text of a function `@f`."""
    values, kinds = (", ".join(r.split(" : ")[k] for r in results) for k in (0, 1))
    end = f"return {values} : {kinds}" if results else "return"
    return f"func.func @f({arguments}) -> ({kinds}) {{\n{dedent(body)}\n{end}\n}}\n{others}"


def declared(file: RuleFile | None) -> frozenset[str]:
    """The ops without effects that a rule file declares itself."""
    operators = () if file is None else file.operators.values()
    return frozenset(d.name for d in operators if d.place is not None and not d.effects)


def body(text: str) -> list[str]:
    """The ops of the first function in a printed module."""
    lines = [line.strip() for line in text.splitlines()]
    start = next(k for k, line in enumerate(lines) if line.startswith("func.func @f("))
    end = next(k for k, line in enumerate(lines) if k > start and line.startswith("return"))
    return lines[start + 1 : end + 1]

"""Rules in a file: written as a rule file of hecv, read back as data without running it.

A function is a rule: assertions on its variables, a step a line with the types of the results, both sides returned.
Its text says what kind of rule it is, what shows it, and where it fired.
"""

from __future__ import annotations

import ast
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from tokenize import COMMENT, generate_tokens
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.diagnostics import Diagnostic, InputError, Location
from hecv.relate.pair_proofs import Firing
from hecv.relate.rule_statement import RuleVariable, Step, SynthesisedRule
from hecv.tensors.tensor_graph import Operand, Ref, TensorGraph, TensorType

PROVED: Final = "proved by comprehensions"
TESTED: Final = "tested: equal values in runs, without a proof"

CONDITIONS: Final = ("integers", "whole", "boolean", "finite", "values")

_FIRED: Final = re.compile(r"Fired: (.*) \((\d+) times?\)")
_TYPE: Final = re.compile(r"((?:\d+x)*)([a-z]+\d+\w*)")
_HEADER: Final = '''"""Rewrite rules of models, made by `hecv models --rule-library` of pairs of values that were equal.

Both sides of a rule are over the ops of graphs of tensors. What a line here says is never taken as shown: rules are
proved again when they are read, and each use is proved by itself.
"""

from hecv.rules import law, op


@op("hecv.leaf")
def leaf(*, integers, whole, boolean, finite, values): ...
'''


class KnownRule(Struct, frozen=True):
    """A rule with its kind, what shows it, and by the lines of both models how often it fired there; `notes` and
    `comments` are the lines that people wrote in its text and before or in it."""

    name: str
    rule: SynthesisedRule
    kind: str
    evidence: str
    fired: Mapping[str, int] = {}
    line: int = 0
    notes: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()


def read_library(path: str) -> tuple[KnownRule, ...]:
    """The rules of a file; none if it does not exist.

    Raises: InputError if it cannot be read, or holds what is no rule of this form, at its line.
    """
    if not os.path.exists(path):
        return ()
    try:
        text = Path(path).read_text(encoding="utf-8")
        tree = ast.parse(text, path)
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8 text"
        raise InputError(Diagnostic("error", "file-unreadable", f"cannot read {path}: {reason}")) from None
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        line = getattr(problem, "lineno", None) or 1
        raise _error(path, line, f"this is no Python: {getattr(problem, 'msg', problem)}") from None
    ops: dict[str, str] = {}
    found: dict[str, KnownRule] = {}
    comments = [
        (token.start[0], token.string) for token in generate_tokens(StringIO(text).readline) if token.type == COMMENT
    ]
    for node in tree.body:
        try:
            match node:
                case ast.Expr(value=ast.Constant()) | ast.ImportFrom(module="hecv.rules"):
                    continue
                case ast.FunctionDef(
                    decorator_list=[ast.Call(func=ast.Name(id="op"), args=[ast.Constant(value=name)])]
                ):
                    ops[node.name] = _require(name, str, "the name of an op")
                case ast.FunctionDef(decorator_list=[ast.Name(id="law")]):
                    rule = _Reader(ops).rule(node)
                    if rule.name in found:
                        raise _Wrong(node, f"there are two rules of the name '{rule.name}'")
                    above = [c for c in comments if c[0] <= (node.end_lineno or 0) or node is tree.body[-1]]
                    comments = comments[len(above) :]
                    found[rule.name] = replace(rule, comments=tuple(comment for _, comment in above))
                case _:
                    raise _Wrong(node, "this is neither an op nor a law of the form that `--rule-library` writes")
        except _Wrong as wrong:
            raise _error(path, getattr(wrong.node, "lineno", node.lineno), wrong.text) from None
    return tuple(found.values())


def library_text(rules: Iterable[KnownRule]) -> str:
    """The text of a file of these rules."""
    kept = list(rules)
    ops: dict[str, tuple[str, dict[str, None]]] = {}
    for known in kept:
        for function, (op, keywords) in known.rule.operators.items():
            ops.setdefault(function, (op, {}))[1].update(dict.fromkeys(keywords))
    parts = [_HEADER]
    for function, (op, keywords) in sorted(ops.items()):
        formals = ", ".join(["*operands", *keywords])
        parts.append(f'@op("{op}")\ndef {function}({formals}): ...\n')
    parts += map(text_of, kept)
    return "\n\n".join(parts)


def text_of(known: KnownRule) -> str:
    """A rule as a function of the file."""
    fired = [f"Fired: {place} ({count} time{'' if count == 1 else 's'})" for place, count in known.fired.items()]
    told = [*known.notes, f"Evidence: {known.evidence}", *fired]
    head = [f'"""A rule of kind {known.kind}.', "", *map(_plain, told), '"""']
    body = "\n".join(f"    {line}".rstrip() for line in [*head, *known.rule.statement.splitlines()])
    names = ", ".join(v.name for v in known.rule.variables)
    above = "".join(f"{line}\n" for line in known.comments)
    return f"{above}@law\ndef {known.name.replace('-', '_')}({names}):\n{body}\n"


def _plain(text: str) -> str:
    """The text on one line, without what ends a text of Python."""
    return " ".join(text.split()).replace("\\", "/").replace('"', "'")


def merged(
    library: Sequence[KnownRule], refused: Mapping[str, str], found: Iterable[KnownRule]
) -> tuple[KnownRule, ...]:
    """The rules of a library, of which some were refused, with those of a run: one that both have has the places of
    both, as of now."""
    rules = {
        known.rule.key: replace(known, evidence=f"none: {refused[known.name]}") if known.name in refused else known
        for known in library
    }
    names = {known.name for known in library}
    for new in found:
        old = rules.get(new.rule.key)
        if old is None:
            rules[new.rule.key] = replace(new, name=_unused(new.name, names))
        else:
            evidence = old.evidence if new.evidence == TESTED else new.evidence
            rules[new.rule.key] = replace(old, kind=new.kind, evidence=evidence, fired={**old.fired, **new.fired})
    return tuple(rules.values())


def _unused(name: str, names: set[str]) -> str:
    return next(new for new in (name, *(f"{name}-{k}" for k in range(2, 2 + len(names)))) if new not in names)


def fired_rules(firings: Iterable[Firing], source: TensorGraph, target: TensorGraph) -> tuple[KnownRule, ...]:
    """The rules that pairs of values state, each once, with the lines of both models."""
    lines = [{name: node.place for node in graph.nodes for name in node.results} for graph in (source, target)]
    found: dict[str, tuple[SynthesisedRule, str, Counter[str]]] = {}
    for firing in firings:
        places = (lines[0].get(firing.pair.source), lines[1].get(firing.pair.target))
        text = " = ".join("?" if p is None else f"{Path(p.file).name}:{p.line}" for p in places)
        rule, evidence, count = found.get(firing.rule.key, (firing.rule, TESTED, Counter[str]()))
        count[text] += 1
        if firing.proved:
            evidence = "; assumed: ".join([PROVED, *([", ".join(firing.assumed)] if firing.assumed else [])])
        found[rule.key] = rule, evidence, count
    return tuple(
        KnownRule(rule.name, rule, rule.kind, evidence, dict(count)) for rule, evidence, count in found.values()
    )


# Reading


class _Wrong(Exception):
    """What the file has in the place of a rule's part."""

    def __init__(self, node: ast.AST, text: str) -> None:
        super().__init__(text)
        self.node = node
        self.text = text


def _error(path: str, line: int, text: str) -> InputError:
    hint = "rules are those that `--rule-library` writes; one can be copied, changed and renamed, or deleted"
    return InputError(Diagnostic("error", "rule-library", text, Location(path, line, 1), hint))


def _require(value: Any, kind: type, what: str) -> Any:
    if not isinstance(value, kind):
        raise _Wrong(ast.Pass(), f"expected {what}, found {value!r}")
    return value


class _Reader:
    """Reads the body of one law."""

    def __init__(self, ops: Mapping[str, str]) -> None:
        self._ops: Final = ops
        self._asserted: Final[dict[str, dict[str, Any]]] = {}
        self._names: Final = set[str]()
        self._steps: Final[list[Step]] = []

    def rule(self, node: ast.FunctionDef) -> KnownRule:
        """Raises: _Wrong."""
        names = [a.arg for a in node.args.args]
        for statement in node.body:
            match statement:
                case ast.Expr(value=ast.Constant(value=str())):
                    continue
                case ast.Assert(test=test, msg=None):
                    self._condition(test, names)
                case ast.AnnAssign(
                    target=ast.Name(id=name), annotation=ast.Constant(value=types), value=ast.Call() as call
                ):
                    self._step(statement, name, types, call)
                case ast.Return(value=ast.Tuple(elts=[ast.Name(id=left), ast.Name(id=right)])):
                    variables = tuple(self._variable(node, name) for name in names)
                    rule = SynthesisedRule(variables, tuple(self._steps), left, right)
                    for side in (left, right):
                        if side not in self._names and side not in names:
                            raise _Wrong(statement, f"'{side}' is not defined")
                    return self._known(node, rule)
                case _:
                    raise _Wrong(statement, "this is no assertion, no step with its types, and no pair of sides")
        raise _Wrong(node, "the rule returns nothing")

    def _known(self, node: ast.FunctionDef, rule: SynthesisedRule) -> KnownRule:
        lines = (ast.get_docstring(node) or "").splitlines()
        kind = re.search(r"of kind (\w+)", lines[0] if lines else "")
        evidence = next((x.removeprefix("Evidence: ") for x in lines if x.startswith("Evidence: ")), TESTED)
        fired = {m[1]: int(m[2]) for m in map(_FIRED.fullmatch, lines) if m}
        name = node.name.replace("_", "-")
        told = lines if kind is None else lines[1:]
        notes = tuple(x for x in told if x.strip() and not x.startswith("Evidence: ") and not _FIRED.fullmatch(x))
        return KnownRule(name, rule, kind[1] if kind else "algebraic", evidence, fired, node.lineno, notes)

    def _condition(self, test: ast.expr, names: Sequence[str]) -> None:
        for part in test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]:
            match part:
                case ast.Compare(
                    left=ast.Attribute(value=ast.Name(id=name), attr=attribute), ops=[ast.Eq()], comparators=[value]
                ) if name in names and attribute in ("shape", "elType", *CONDITIONS):
                    known = self._asserted.setdefault(name, {})
                    if known.setdefault(attribute, stated := self._literal(value)) != stated:
                        raise _Wrong(part, f"{name}.{attribute} cannot be {known[attribute]!r} and {stated!r}")
                case _:
                    allowed = ", ".join(("shape", "elType", *CONDITIONS))
                    raise _Wrong(part, f"conditions are `variable.attribute == value`; attributes: {allowed}")

    def _variable(self, node: ast.AST, name: str) -> RuleVariable:
        known = dict(self._asserted.get(name, {}))
        shape, element = known.pop("shape", None), known.pop("elType", None)
        if not isinstance(shape, tuple) or not all(type(n) is int and n >= 0 for n in shape):
            raise _Wrong(node, f"the shape of '{name}' is not asserted")
        if not isinstance(element, str):
            raise _Wrong(node, f"the elType of '{name}' is not asserted")
        span = known.get("integers", (0, 0))
        if not (isinstance(span, tuple) and len(span) == 2 and all(type(n) is int for n in span)):
            raise _Wrong(node, f"'{name}.integers' is no pair of bounds")
        conditions = tuple((k, known[k]) for k in CONDITIONS if k in known)
        return RuleVariable(name, TensorType(shape, element), conditions)

    def _step(self, node: ast.AST, name: str, types: object, call: ast.Call) -> None:
        if not isinstance(call.func, ast.Name) or call.func.id not in self._ops:
            raise _Wrong(node, f"the op of '{name}' is not declared before it")
        found = [_TYPE.fullmatch(t) for t in str(types).split(", ")]
        if not found or any(m is None for m in found):
            raise _Wrong(node, f"the types of '{name}' are not such as 6x16xf32")
        keywords = {str(k.arg): self._literal(k.value) for k in call.keywords}
        result = keywords.pop("result", 0)
        if type(result) is not int or not 0 <= result < len(found):
            raise _Wrong(node, f"'{name}' is result {result!r} of {len(found)}")
        self._steps.append(
            Step(
                name,
                self._ops[call.func.id],
                tuple(map(self._literal, call.args)),
                tuple(keywords.items()),
                tuple(TensorType(tuple(map(int, m[1].split("x")[:-1])), m[2]) for m in found if m),
                result,
            )
        )
        self._names.add(name)

    def _literal(self, node: ast.expr) -> Operand:
        match node:
            case ast.Name(id=name) if name in self._names or name in self._asserted:
                return Ref(name)
            case ast.Tuple(elts=parts):
                return tuple(map(self._literal, parts))
            case ast.Constant(value=None | bool() | int() | float() | str() as value):
                return value
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return -value
            case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value="inf" | "-inf" | "nan" as text)]):
                return float(text)
            case _:
                raise _Wrong(
                    node, f"`{ast.unparse(node)}` is neither a variable, a step before it, nor a number or text"
                )

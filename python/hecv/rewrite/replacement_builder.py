"""Builds replacements: new ops in front of the op that they replace."""

from __future__ import annotations

from msgspec import Struct, field

from hecv.mlir.ssa.ssa_builder import CannotBuild, Request, build, build_literal
from hecv.mlir.ssa.ssa_graph import Program
from hecv.patterns.calculus.guard_expressions import evaluate
from hecv.patterns.calculus.match_subject import Operator
from hecv.patterns.calculus.matches import Bound, operator_key
from hecv.patterns.calculus.operator_names import declaration
from hecv.patterns.calculus.pattern_ast import (
    Build,
    BuildVariable,
    Computed,
    Declaration,
    Expression,
    Replacement,
    RuleFile,
    Same,
    Value,
)
from hecv.rewrite.block_subject import SPELLED
from hecv.rewrite.replacement_cone import NoMeaning, cone

_MLIR_NAMES = {spelled: name for name, spelled in SPELLED.items()}


class Refused(Exception):
    """A match that is left alone; the text says why."""


class Builder(Struct):
    """Builds one replacement of the value `root`, before the op that makes it.

    `made` are the new ops in order; `given` are the names of ops that the input has: there they keep their meaning.
    """

    program: Program
    file: RuleFile
    bound: Bound
    root: int
    before: int
    given: frozenset[str] = frozenset()
    made: list[int] = field(default_factory=list[int])
    notes: list[str] = field(default_factory=list[str])
    known: dict[tuple[object, ...], int] = field(default_factory=dict[tuple[object, ...], int])

    def build(self, replacement: Replacement) -> int:
        """The value that replaces the root.

        Raises: CannotBuild; Refused.
        """
        kind = self.program.value(self.root).type.text
        return self._value(replacement, kind, "", True)

    def _value(self, part: Replacement, kind: str, user: str, top: bool = False) -> int:
        """A part of the replacement; `kind` is the type of a literal, which `user` takes."""
        match part:
            case Same(variable=variable):
                return self.bound.match.terms[variable]
            case Computed(value=expression):
                return self._literal(expression, kind, user)
            case BuildVariable(function=function, args=args):
                operator = self.bound.match.functions[function]
                return self._op(operator.name, args, operator.attrs, None, 0, top)
            case Build(op=name, args=args, attrs=attrs, type=type_, result=result):
                values = tuple((key, self._known(e, f"attribute `{key}`")) for key, e in attrs)
                wanted = None if type_ is None else str(self._known(type_, "type"))
                return self._op(name, args, values, wanted, result, top)

    def _literal(self, expression: Expression, kind: str, user: str) -> int:
        value = self._known(expression, "literal")
        if isinstance(value, str | tuple):
            raise CannotBuild(f"{value!r} is no number")
        found = build_literal(self.program, value, kind, user, self.before)
        op = self.program.value(found).op
        assert op is not None
        self.made.append(op)
        return found

    def _known(self, expression: Expression, what: str) -> Value:
        value = evaluate(expression, self.bound)
        if value is None:
            raise Refused(f"the {what} of the replacement is not known")
        return value

    def _op(
        self,
        name: str,
        args: tuple[Replacement, ...],
        attrs: tuple[tuple[str, Value], ...],
        kind: str | None,
        result: int,
        top: bool,
    ) -> int:
        operands = self._operands(name, args)
        declared = declaration(name, self.file.operators)
        attributes = tuple((self._spelled(name, key), value) for key, value in attrs)
        results = declared.results if declared is not None else 1
        root = self.program.value(self.root).type.text
        given = kind or self._declared_type(declared, operands) or (root if top else None)
        effects = declared is not None and declared.effects
        # A part that stands in a rule twice, or has several results in use, is one op.
        same = (name, operands, operator_key(Operator(name, attributes), len(operands)), given, top)
        if same in self.known and not effects:
            return self.program.op(self.known[same]).results[result]
        request = Request(name, operands, attributes, results, given, root if not operands else None)
        number = build(self.program, request, self.before)
        self.made.append(number)
        self.known[same] = number
        if is_introduced(self.file, self.program, name) and not effects:
            self._give_meaning(number, operands, top)
        elif effects or not self.program.is_free(number):
            raise Refused(f"`{name}` in the replacement may have effects")
        return self.program.op(number).results[result]

    def _spelled(self, name: str, key: str) -> str:
        return _MLIR_NAMES.get(key, key) if name.startswith(("arith.", "index.")) else key

    def _declared_type(self, declared: Declaration | None, operands: tuple[int, ...]) -> str | None:
        if declared is None or declared.type is None or declared.type >= len(operands):
            return None
        return self.program.value(operands[declared.type]).type.text

    def _operands(self, name: str, args: tuple[Replacement, ...]) -> tuple[int, ...]:
        """The operands; literals have the type of the first that is none, or that of the root."""
        values: dict[int, int] = {}
        root = self.program.value(self.root).type.text
        for position, part in enumerate(args):
            if not isinstance(part, Computed):
                values[position] = self._value(part, root, name)
        first = next(iter(values.values()), self.root)
        kind = self.program.value(first).type.text
        for position, part in enumerate(args):
            if position not in values:
                values[position] = self._value(part, kind, name)
        return tuple(values[k] for k in range(len(args)))

    def _give_meaning(self, number: int, operands: tuple[int, ...], top: bool) -> None:
        """Keeps what an introduced op stands for: the match, where it replaces that and is given all that it takes."""
        name = self.program.op(number).name
        if not top or len(self.program.op(number).results) != 1:
            return
        if name in self.given:
            self.notes.append(f"`{name}` is not known to be the match: the input has such an op, too")
            return
        try:
            meaning, others = cone(self.program, self.root, operands)
        except NoMeaning as problem:
            raise Refused(str(problem)) from None
        if others:
            missing = self.program.shown(others[0])
            self.notes.append(f"`{name}` is not known to be the match: it is not given {missing}")
            return
        self.program.meanings[number] = meaning


def is_introduced(file: RuleFile, program: Program, name: str) -> bool:
    """Whether the rule file declares the op and MLIR does not know it."""
    return name in file.operators and not program.module.module.context.is_registered_operation(name)

"""Rules of a file, shown again: the conditions can hold, a run gives the shapes and equal values, and the definitions
of the ops prove both sides equal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from hecv.base.diagnostics import Unsupported
from hecv.capture.value_process import Request
from hecv.relate.graphs.cones import defined
from hecv.relate.graphs.layouts import close
from hecv.relate.obligations import Obligations
from hecv.relate.rule_library import KnownRule
from hecv.relate.rule_statement import RuleVariable, SynthesisedRule
from hecv.tensors.algebra.leaf_facts import LeafFact
from hecv.tensors.comprehension import Comprehension, leaf
from hecv.tensors.definitions import Undefined
from hecv.tensors.tensor_graph import Leaf, Ref, TensorGraph

Run = Callable[[Sequence[Request]], Sequence[Sequence[Mapping[str, Any]]]]

OF_A_MODEL: Final = "it has a constant of a model, and is proved where it fires alone"


def refused(rules: Sequence[KnownRule], run: Run, deadline: float) -> dict[str, str]:
    """The rules that propose nothing, by name, and why."""
    found: dict[str, str] = {}
    able: list[KnownRule] = []
    for known in rules:
        text = _vacuous(known.rule) or unproved(known.rule, deadline)
        if text and text != OF_A_MODEL:
            found[known.name] = text
        elif not text:
            able.append(known)
    requests = [_request(known.rule) for known in able]
    try:
        runs = run(requests) if requests else []
    except Unsupported:  # each use is proved by itself
        return found
    for known, (values, *_) in zip(able, runs, strict=True):
        text = _differing(known.rule, values)
        if text:
            found[known.name] = text
    return found


def _vacuous(rule: SynthesisedRule) -> str:
    """Why the conditions cannot hold, if they cannot."""
    for variable in rule.variables:
        conditions = dict(variable.conditions)
        low, high = conditions.get("integers", (0, 0))
        if 0 in variable.type.shape:
            return f"its conditions cannot hold: '{variable.name}' has no elements"
        if low > high or (conditions.get("boolean") and (low > 1 or high < 0)):
            return f"its conditions cannot hold: no integer is from {low} to {high}, as '{variable.name}' is to be"
    return ""


def unproved(rule: SynthesisedRule, deadline: float) -> str:
    """Why the definitions of the ops do not prove a rule; empty if they do."""
    if any(dict(v.conditions).get("values") for v in rule.variables):
        return OF_A_MODEL
    values: dict[str, Comprehension] = {v.name: leaf(v.name, v.type.shape, v.type.element) for v in rule.variables}
    try:
        for step in rule.steps:
            values[step.name] = defined(step.node, values.__getitem__)[step.result]
        left, right = values[rule.left], values[rule.right]
        if left.shape != right.shape:
            return f"its sides have shapes {left.shape} and {right.shape}"
        indices, element = right.generic()
        facts = {v.name: _fact(v) for v in rule.variables}
        answer = Obligations(facts, deadline).prove(indices, element, left[indices])
    except Undefined as problem:
        return str(problem)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as problem:
        return f"its ops have no such operands ({type(problem).__name__})"
    return "" if answer.proved else f"it is not proved: {answer.gap}"


def _fact(variable: RuleVariable) -> LeafFact:
    stated = {name: value for name, value in variable.conditions if name != "values"}
    return LeafFact(**stated, sizes=variable.type.shape)


def _request(rule: SynthesisedRule) -> Request:
    """A run of both sides on values for which the conditions hold."""
    leaves = tuple(Leaf(v.name, v.type, "input") for v in rule.variables)
    random = np.random.default_rng(0)
    values = {v.name: _sample(v, random) for v in rule.variables}
    nodes = tuple(step.node for step in rule.steps)
    outputs = (("left", Ref(rule.left)), ("right", Ref(rule.right)))
    names = [step.name for step in rule.steps]
    return Request(TensorGraph("rule", leaves, nodes, outputs, values), {}, [values], [*names, *values])


def _sample(variable: RuleVariable, random: np.random.Generator) -> Any:
    conditions, shape, element = dict(variable.conditions), variable.type.shape, variable.type.element
    low, high = conditions.get("integers", (0, 1))
    if element == "i1" or (conditions.get("boolean") and "f" not in element):
        return random.integers(0, 2, shape).astype(np.bool_ if element == "i1" else np.int64)
    if "f" not in element:
        return random.integers(low, high + 1, shape)
    whole = conditions.get("integers") or conditions.get("whole") or conditions.get("boolean")
    return random.integers(low, high + 1, shape).astype(float) if whole else random.standard_normal(shape)


def _differing(rule: SynthesisedRule, values: Mapping[str, Any]) -> str:
    """How a run departs from what a rule says."""
    for step in rule.steps:
        stated, shape = step.types[step.result].shape, np.shape(values[step.name])
        if stated != shape:
            return f"'{step.name}' has shape {shape}, not {stated}"
    left, right = values[rule.left], values[rule.right]
    return "" if close(np.asarray(left), np.asarray(right)) else "its sides differ in a run"

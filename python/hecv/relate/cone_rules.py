"""The rule that a pair of values states: the cones of both, down to the cuts that a proof used, over variables in the
place of leaves and cuts.

Parameters of the target are written as the ops that make them of the source's, and layouts as reshapes and
permutations. A cone that this does not write in full has no rule.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from math import prod
from typing import Any, Final

import numpy as np

from hecv.parameters.parameter_relation import Concat, Expression, Own, Reshape, Slice, Transpose, Zeros
from hecv.parameters.parameter_relation import Ref as Named
from hecv.relate.candidate_pairs import Candidate, signature_of
from hecv.relate.graphs.cones import moves_elements
from hecv.relate.graphs.graph_index import GraphIndex
from hecv.relate.graphs.layouts import Layout
from hecv.relate.rule_statement import RuleBuilder, SynthesisedRule, with_operands
from hecv.relate.state.leaf_relation import TARGET, LeafRelation, tensor_of
from hecv.tensors.algebra.leaf_facts import LeafFact
from hecv.tensors.comprehension import Read, RealLiteral
from hecv.tensors.tensor_graph import Operand, Ref, TensorType

MOST_STEPS: Final = 100
"""Ops, at most, of a rule: a longer one is no rule that a reader looks at."""


class NoRule(Exception):
    """The cones are not written as a rule."""


class ConeRules:
    """Makes the rules of pairs of two graphs, whose leaves have these facts."""

    def __init__(
        self, source: GraphIndex, target: GraphIndex, leaves: LeafRelation, facts: Mapping[str, LeafFact]
    ) -> None:
        self._indices: Final = source, target
        self._leaves: Final = leaves
        self._facts: Final = facts
        self._moving: Final[dict[Hashable, bool]] = {}
        self._layouts: Final[dict[Layout, bool]] = {}

    def rule_of(
        self, pair: Candidate, source_cuts: Collection[str], target_cuts: Mapping[str, Candidate]
    ) -> SynthesisedRule | None:
        """The rule that both values of a pair are equal, where these are cut; none if one side is the other, or if it
        is too long or cannot be written."""
        work = RuleBuilder()
        try:
            left = self._laid_out(work, self._cone(work, 0, pair.source, source_cuts, {}), pair.layout, pair.source)
            right = self._cone(work, 1, pair.target, (), target_cuts)
        except NoRule:
            return None
        if not isinstance(left, Ref) or not isinstance(right, Ref) or left == right:
            return None
        return work.rule(left, right)

    def _cone(
        self, work: RuleBuilder, side: int, root: str, cuts: Collection[str], pairs: Mapping[str, Candidate]
    ) -> Operand:
        index = self._indices[side]
        made: dict[str, Operand] = {}
        waiting = [root]
        while waiting:
            name = waiting[-1]
            if name in made:
                waiting.pop()
                continue
            node = index.node_of(name)
            if name in cuts:
                made[name] = work.variable(name, index.type_of(name))
            elif name in pairs:
                of = pairs[name]
                value = work.variable(of.source, self._indices[0].type_of(of.source))
                made[name] = self._laid_out(work, value, of.layout, of.source)
            elif node is None:
                made[name] = self._leaf(work, side, name)
            elif missing := [o for o in index.operands_of(name) if o not in made]:
                waiting += reversed(missing)
                continue
            else:
                result = index.makers[name][1]
                operands = [with_operands(o, made) for o in node.operands]
                keywords = {key: with_operands(o, made) for key, o in node.keywords.items() if o is not None}
                signature = signature_of(node, index)
                if signature not in self._moving:
                    self._moving[signature] = moves_elements(node, index)
                made[name] = work.step(node.op, operands, keywords, node.types, result, self._moving[signature])
            if len(work) > MOST_STEPS:
                raise NoRule
            waiting.pop()
        return made[root]

    def _leaf(self, work: RuleBuilder, side: int, name: str) -> Operand:
        kind = self._indices[side].type_of(name)
        tensor = (self._leaves.source, self._leaves.target)[side][name]
        if 0 in kind.shape:
            raise NoRule
        indices, element = tensor.generic()
        if isinstance(element, Read) and tuple(element.indices) == tuple(indices):
            origin = element.tensor
            own = self._indices[side] if origin.startswith(TARGET) or side == 0 else self._indices[0]
            return work.variable(origin, own.type_of(origin.removeprefix(TARGET)), self._conditions(origin))
        if isinstance(element, RealLiteral) and kind.shape == ():
            number = float(element.value)
            return number if "f" in kind.element else bool(number) if kind.element == "i1" else int(number)
        expression = self._leaves.parameters.get(name)
        if side == 1 and expression is not None and not isinstance(expression, Own):
            return self._expression(work, expression)
        of = [t.form.text for t in self._leaves.tables if t.name == name and t.side == ("source", "target")[side]]
        text = of[0] if of else "a constant of the model"
        return work.variable(f"{side}:{name}", kind, (("values", text),))

    def _conditions(self, origin: str) -> tuple[tuple[str, Any], ...]:
        fact = self._facts.get(origin, LeafFact())
        if fact.equals is not None:
            return (("values", "a constant of the model"),)
        stated = {"integers": fact.integers, "whole": fact.whole, "boolean": fact.boolean, "finite": fact.finite}
        return tuple((name, value) for name, value in stated.items() if value)

    def _expression(self, work: RuleBuilder, expression: Expression) -> Ref:
        """A parameter of the target, made of the source's."""
        tensor = tensor_of(expression, self._leaves.source)
        types = (TensorType(tensor.shape, tensor.element),)

        def made(op: str, *operands: Operand) -> Ref:
            return work.step(op, operands, {}, types)

        match expression:
            case Named(name=name):
                found = self._leaf(work, 0, name)
                if not isinstance(found, Ref):
                    raise NoRule
                return found
            case Concat(parts=parts, dim=dim):
                return made("aten.cat.default", tuple(self._expression(work, p) for p in parts), dim)
            case Transpose(of=of, first=first, second=second):
                return made("aten.transpose.int", self._expression(work, of), first, second)
            case Slice(of=of, dim=dim, start=start, stop=stop):
                return made("aten.slice.Tensor", self._expression(work, of), dim, start, stop, 1)
            case Reshape(of=of, shape=shape):
                return made("aten.reshape.default", self._expression(work, of), shape)
            case Zeros(shape=shape):
                return made("aten.full.default", shape, 0.0)
            case Own():
                raise NoRule

    def _laid_out(self, work: RuleBuilder, value: Operand, layout: Layout, name: str) -> Operand:
        """A value of the source under a layout, as reshapes and a permutation."""
        if layout.is_identity:
            return value
        if not isinstance(value, Ref):
            raise NoRule
        element = self._indices[0].type_of(name).element
        of = sorted(layout.digits, key=lambda d: (d.of, -d.weight))
        to = sorted(layout.digits, key=lambda d: (d.to, -d.below))
        sizes, order = tuple(d.size for d in of), tuple(of.index(d) for d in to)
        if layout not in self._layouts:
            self._layouts[layout] = _is_layout(layout, sizes, order)
        if not self._layouts[layout]:
            raise NoRule

        def shaped(value: Ref, shape: tuple[int, ...], before: tuple[int, ...]) -> Ref:
            if shape == before:
                return value
            return work.step("aten.reshape.default", (value, shape), {}, (TensorType(shape, element),))

        if order == tuple(range(len(order))):
            return shaped(value, layout.target, layout.source)
        turned = tuple(sizes[k] for k in order)
        split = shaped(value, sizes, layout.source)
        moved = work.step("aten.permute.default", (split, order), {}, (TensorType(turned, element),))
        return shaped(moved, layout.target, turned)


def _is_layout(layout: Layout, sizes: tuple[int, ...], order: tuple[int, ...]) -> bool:
    """Whether a layout is the reshape to these sizes, the permutation, and a reshape: on all places."""
    count = prod(layout.source)
    if prod(sizes) != count or prod(layout.target) != count:
        return False
    places = np.arange(count).reshape(sizes).transpose(order).reshape(layout.target)
    grid = np.indices(layout.target)
    of: list[Any] = [np.zeros(layout.target, np.int64) for _ in layout.source]
    for d in layout.digits:
        of[d.of] = of[d.of] + grid[d.to] // d.below % d.size * d.weight
    flat = np.ravel_multi_index(tuple(of), layout.source) if layout.source else np.zeros(layout.target, np.int64)
    return bool(np.array_equal(flat, places))

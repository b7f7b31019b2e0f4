"""Assertions that isl proves for all contents of memory."""

from __future__ import annotations

import islpy as isl

from hecv.base.term import Term, literal
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.model.poison_free import Proper
from hecv.dataflow.model.scop import Instances
from hecv.dataflow.model.value_dataflow import Isl
from hecv.normal.branches.if_conversion import ASSERT


def is_assured(space: Isl, proper: Proper, statement: Instances, term: Term, instances: isl.Set) -> bool:
    """Whether isl proves that an assertion holds at some instances of its statement, for all contents of memory."""
    return term.op == ASSERT and _holds(space, proper, statement, term.args[0], instances)


def _holds(space: Isl, proper: Proper, statement: Instances, condition: Term, instances: isl.Set) -> bool:
    if literal(condition) == 1:
        return True
    if condition.op == "arith.select":
        chosen, *branches = condition.args
        # Where what it selects by is poison, so is the selection, though both branches hold.
        return proper.term(statement, chosen) and all(_holds(space, proper, statement, b, instances) for b in branches)
    try:
        text = statement.translator.condition(condition, False)
    except NotAffine:
        return False
    return bool(instances.is_disjoint(space.set(f"{{ {statement.tuple_text()} : {text} }}")))

"""Random testing of laws: ends of the ranges, small numbers, and random values."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from random import Random
from typing import Final

from msgspec import Struct

from hecv.base.term import TermPool
from hecv.base.types import FloatType, IndexType
from hecv.base.value import Poison
from hecv.laws.audit.refinement_proofs import as_term
from hecv.patterns.equations.constant_folding import Folder, Scalar
from hecv.patterns.equations.equations import Operation, variables
from hecv.patterns.equations.equations import Variable as Hole
from hecv.patterns.equations.law_record import Instance
from hecv.run.evaluation.op_evaluation import Evaluator

TRIALS: Final = 2_000
SEED: Final = 7
FORMATS: Final = {"f16": ("<e", 16), "f32": ("<f", 32), "f64": ("<d", 64)}
SPECIAL: Final = (0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0, float("inf"), float("-inf"), float("nan"))


class Trials(Struct, frozen=True):
    """How many trials satisfied a law's conditions, and the first in which its sides differed."""

    held: int
    difference: Mapping[str, Scalar] | None


def try_out(instance: Instance) -> Trials:
    """Evaluates both sides on random values of the variables, up to the first difference.

    A side that cannot be evaluated counts as if the conditions did not hold.
    """
    random = Random(SEED)
    folder, evaluator = Folder(instance.index_width), Evaluator(instance.index_width)
    holes = variables(instance.equation.left)
    if not all(can_draw(hole) for hole in holes.values()):
        return Trials(0, None)
    held = 0
    for _ in range(TRIALS):
        values = {name: drawn(hole, random) for name, hole in holes.items()}
        if not _conditions_hold(instance, values, folder, evaluator):
            continue
        left, right = (folder.evaluate(s, values) for s in (instance.equation.left, instance.equation.right))
        if left is None or right is None:
            continue
        held += 1
        if repr(left) != repr(right):
            return Trials(held, values)
    return Trials(held, None)


def _conditions_hold(instance: Instance, values: Mapping[str, Scalar], folder: Folder, evaluator: Evaluator) -> bool:
    where = instance.equation.where
    if where is not None and folder.evaluate(where, values) != 1:
        return False
    return all(_is_proper(premise, values, folder, evaluator) for premise in instance.equation.given)


def _is_proper(premise: Operation, values: Mapping[str, Scalar], folder: Folder, evaluator: Evaluator) -> bool:
    """The operator is neither undefined nor poison on its operands."""
    operands = [folder.evaluate(a, values) for a in premise.args]
    known = tuple(v for v in operands if v is not None)
    if len(known) < len(operands):
        return False
    value = evaluator(as_term(premise, TermPool()), known)
    return value is not None and not isinstance(value, Poison)


def can_draw(hole: Hole) -> bool:
    """Whether values of the variable's type can be drawn."""
    return not isinstance(hole.kind.type, FloatType) or hole.kind.type.name in FORMATS


def drawn(hole: Hole, random: Random) -> Scalar:
    """A value for a variable: one in three at an end of its range, one in three small, else any."""
    if isinstance(hole.kind.type, FloatType):
        return _drawn_float(hole.kind.type, random)
    bits = hole.kind.width
    end = random.choice((0, 1 << (bits - 1), (1 << bits) - 1)) + random.randrange(-2, 3)
    value = random.choice((end, random.randrange(-8, 9), 1 << random.randrange(bits), random.getrandbits(bits)))
    residue = value % (1 << bits)
    return residue - (1 << bits) if isinstance(hole.kind.type, IndexType) and residue >> (bits - 1) else residue


def _drawn_float(type_: FloatType, random: Random) -> float:
    """A special value, a small number, or any pattern of bits."""
    form, bits = FORMATS[type_.name]
    choice = random.randrange(3)
    if choice == 0:
        return random.choice(SPECIAL)
    if choice == 1:
        return random.randrange(-64, 65) / 8
    return struct.unpack(form, random.getrandbits(bits).to_bytes(bits // 8, "little"))[0]

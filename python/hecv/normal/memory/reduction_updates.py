"""Reduction updates: `A[i] = A[i] op v`, where `op` has a neutral operand.

`A[i] = A[i] op neutral` changes nothing, bit by bit except for the payload of a NaN, and is poison where `A[i]` is. So
an update that may not happen is one by `select(happens, v, neutral)`: a chain of updates stays a chain.
"""

from __future__ import annotations

from typing import Final

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import BOOL, FloatType, IntType, ScalarType
from hecv.ops import facts_about
from hecv.ops.fastmath_flags import flags_of
from hecv.program.tree import Store

HARMLESS: Final = frozenset({"reassoc", "contract"})
"""Flags of float ops that neither make poison nor change a value where the other operand is neutral.

`nsz` is none of them: `-0.0 + -0.0` may then be `0.0`. Nor is `nnan`: what is a NaN, and stays one, would be poison.
"""


def neutral(pool: TermPool, op: str, kind: ScalarType) -> Term | None:
    """The operand `e` with `x op e = x` for all `x`; None if there is none."""
    value = facts_about(op).neutral_in(kind)
    if isinstance(kind, IntType) and isinstance(value, int):
        return pool.integer(value, kind)
    if isinstance(kind, FloatType) and not kind.small and value is not None:
        return pool.real(value, kind)
    return None


def operand(pool: TermPool, store: Store, floats: bool) -> Term | None:
    """What a store in normal form combines with the element that it is to; None if it is no update with a neutral
    operand. The value must read the element once: no other load of the memory at the same subscripts.

    `floats`: no op shows which NaN a float is. Without it, an update of a float by the neutral operand may be seen.
    """
    return given(pool, store.value, _element(pool, store), floats)


def given(pool: TermPool, value: Term, old: Term, floats: bool) -> Term | None:
    """The other operand of a value that combines it with `old`; None if the value depends on `old` in another way, or
    if the operator has no neutral operand."""
    if len(value.args) != 2 or neutral(pool, value.op, value.type) is None:
        return None
    if isinstance(value.type, FloatType) and not (floats and flags_of(value.attrs) <= HARMLESS):
        return None
    if value.op == "arith.muli" and value.type == BOOL and flags_of(value.attrs):
        return None  # 1 is -1 there, and -1 * -1 overflows
    others = [a for a in value.args if a is not old]
    if len(others) != 1 or any(t is old for t in postorder((others[0],))):
        return None
    second_only = not facts_about(value.op).commutative
    return None if second_only and value.args[0] is not old else others[0]


def where(pool: TermPool, store: Store, condition: Term, given: Term) -> Term:
    """The value that the update `store` by `given` stores if it happens only where the i1 term `condition` holds."""
    return under(pool, store.value, _element(pool, store), given, condition)


def under(pool: TermPool, value: Term, old: Term, given: Term, condition: Term, holds: bool = True) -> Term:
    """The update `value` of `old` by `given` where the i1 term `condition` holds, or, if not `holds`, fails; else
    `old`."""
    nothing = neutral(pool, value.op, value.type)
    assert nothing is not None
    ways = (given, nothing) if holds else (nothing, given)
    chosen = pool.make("arith.select", (condition, *ways), value.type)
    args = tuple([old if a is old else chosen for a in value.args])
    return pool.make(value.op, args, value.type, value.attrs)


def _element(pool: TermPool, store: Store) -> Term:
    """A load of the element that is stored to."""
    return pool.load(store.memory.id, store.indices, store.memory.element)

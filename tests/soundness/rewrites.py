"""Rewrites of random scalar code that keep its meaning, mostly.

`rewritten` changes one expression or statement of `choices.program` as a compiler might, or as one might that forgets
poison, traps, zero trips or the order of effects. What is right is for runs to say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from .choices import FLAGGED, Block, Branch, Expression, Loop, Program, Statement, Store, is_float, literal

# Expressions


def _zero(e: Expression) -> Expression:
    return Expression("const", e.kind, (), literal(e.kind, 0))


def _ones(e: Expression) -> Expression:
    return Expression("const", e.kind, (), literal(e.kind, -1))


def _one(e: Expression) -> Expression:
    return Expression("const", e.kind, (), literal(e.kind, 1))


def _op(op: str, *args: Expression, name: str = "", kind: str = "") -> Expression:
    return Expression(op, kind or args[-1].kind, args, name)


def _not(e: Expression) -> Expression:
    return _op("xori", e, _ones(e))


def _exchange(e: Expression) -> Expression | None:
    return replace(e, args=e.args[::-1]) if len(e.args) == 2 and e.op != "cmp" else None


def _turn(e: Expression) -> Expression | None:
    if e.op != "choose":
        return None
    condition, one, two = e.args
    return _op("choose", _not(condition), two, one)


def _drop_flags(e: Expression) -> Expression | None:
    return replace(e, name="") if e.op in FLAGGED and e.name else None


def _add_flags(e: Expression) -> Expression | None:
    return replace(e, name="nsw") if e.op in FLAGGED and not e.name else None


def _expand(e: Expression) -> Expression | None:
    """Two's complement, De Morgan, a shift for a product."""
    if len(e.args) != 2 or is_float(e.kind):
        return None
    a, b = e.args
    match e.op:
        case "subi":
            return _op("addi", a, _op("addi", _not(b), _one(b)), name=e.name)
        case "andi":
            return _not(_op("ori", _not(a), _not(b)))
        case "ori":
            return _op("subi", _op("addi", a, b), _op("andi", a, b))
        case "xori":
            return _op("subi", _op("ori", a, b), _op("andi", a, b))
        case "addi":
            return _op("addi", _op("xori", a, b), _op("shli", _op("andi", a, b), _one(a)))
        case "muli":
            return _op("muli", b, a, name=e.name) if a != b else None
        case "divui":
            return _op("choose", _op("cmp", a, b, name="ult", kind="i1"), _zero(a), e)
        case "remui":
            return _op("subi", a, _op("muli", _op("divui", a, b), b))
        case "remsi":
            return _op("subi", a, _op("muli", _op("divsi", a, b), b))
        case "shli":
            return _op("muli", a, _op("shli", _one(a), b), name=e.name)
        case _:
            return None


def _regroup(e: Expression) -> Expression | None:
    if e.op not in ("addi", "muli", "andi", "xori", "addf") or e.args[0].op != e.op:
        return None
    (a, b), c = e.args[0].args, e.args[1]
    return _op(e.op, a, replace(e, args=(b, c)), name=e.args[0].name)


def _neutral(e: Expression) -> Expression | None:
    if is_float(e.kind):
        return _op("addf", e, _zero(e))
    return _op("addi", _op("subi", e, _one(e)), _one(e))


def _cancel(e: Expression) -> Expression | None:
    """`x - y`, where `x` is the same: wrong wherever `x` is not certain."""
    return _op("addi", e, _op("subi", e.args[0], e.args[0])) if e.args and e.args[0].kind == e.kind != "f32" else None


def _split(e: Expression) -> Expression | None:
    """The operator of a choice as the choice of two operators."""
    for k, part in enumerate(e.args):
        if part.op == "choose" and e.op not in ("choose", "load"):
            sides = (replace(e, args=(*e.args[:k], side, *e.args[k + 1 :])) for side in part.args[1:])
            return Expression("choose", e.kind, (part.args[0], *sides))
    return None


def _join(e: Expression) -> Expression | None:
    """The choice of two operators as the operator of choices."""
    if e.op != "choose":
        return None
    condition, one, two = e.args
    if one.op != two.op or one.name != two.name or len(one.args) != len(two.args) or one.op in ("load", "choose"):
        return None
    if [a.kind for a in one.args] != [a.kind for a in two.args]:
        return None
    pairs = zip(one.args, two.args, strict=True)
    return replace(one, args=tuple(a if a == b else _op("choose", condition, a, b) for a, b in pairs))


def _logic(e: Expression) -> Expression | None:
    """A choice of truth values as logic, and the other way round: they differ in poison."""
    if e.kind != "i1":
        return None
    if e.op == "choose":
        condition, one, two = e.args
        return _op("ori", _op("andi", condition, one), _op("andi", _not(condition), two))
    if e.op == "andi":
        return _op("choose", e.args[0], e.args[1], _zero(e))
    return _op("choose", e.args[0], _ones(e), e.args[1]) if e.op == "ori" else None


def _guard(e: Expression) -> Expression | None:
    """A division that is made total, and what its divisor says of the rest."""
    if e.op not in ("divui", "divsi", "remui", "remsi"):
        return None
    a, b = e.args
    zero = _op("cmp", b, _zero(b), name="eq", kind="i1")
    return replace(e, args=(a, _op("choose", zero, _one(b), b)))


def _unguard(e: Expression) -> Expression | None:
    """A division by what a choice keeps from zero, without the choice."""
    if e.op not in ("divui", "divsi", "remui", "remsi") or e.args[1].op != "choose":
        return None
    return replace(e, args=(e.args[0], e.args[1].args[2]))


def _settled(e: Expression) -> Expression | None:
    """A read of the local buffer, which may never have been written there, as a read of an argument."""
    return replace(e, name="A0") if e.op == "load" and e.name[0] == "L" else None


def _negate(e: Expression) -> Expression | None:
    opposite = {"slt": "sge", "sge": "slt", "eq": "ne", "ne": "eq", "ult": "uge", "olt": "uge", "une": "oeq"}
    return _not(replace(e, name=opposite[e.name])) if e.op == "cmp" and e.name in opposite else None


EXPRESSIONS: tuple[Callable[[Expression], Expression | None], ...] = (
    *(_exchange, _turn, _drop_flags, _add_flags, _expand, _regroup, _neutral, _cancel),
    *(_split, _join, _logic, _guard, _unguard, _settled, _negate),
)


# Statements


def _merged(s: Statement) -> Block | None:
    """Two stores that end a branch as one store of a choice."""
    if not isinstance(s, Branch) or not s.then or not s.otherwise:
        return None
    one, two = s.then[-1], s.otherwise[-1]
    if not isinstance(one, Store) or not isinstance(two, Store) or (one.array, one.at) != (two.array, two.at):
        return None
    rest = () if len(s.then) == len(s.otherwise) == 1 else (replace(s, then=s.then[:-1], otherwise=s.otherwise[:-1]),)
    return (*rest, replace(one, value=_op("choose", s.condition, one.value, two.value)))


def _selected(s: Statement) -> Block | None:
    """A store under a condition as a store of what was there or something new."""
    if not isinstance(s, Branch) or s.otherwise or len(s.then) != 1 or not isinstance(s.then[0], Store):
        return None
    store = s.then[0]
    old = Expression("load", store.value.kind, (store.at,), store.array)
    return (replace(store, value=_op("choose", s.condition, store.value, old)),)


def _branched(s: Statement) -> Block | None:
    """A store of a choice as two stores."""
    if not isinstance(s, Store) or s.value.op != "choose":
        return None
    condition, *sides = s.value.args
    one, two = ((replace(s, value=v),) for v in sides)
    return (Branch(condition, one, two),)


def _turned(s: Statement) -> Block | None:
    return (Branch(_not(s.condition), s.otherwise, s.then),) if isinstance(s, Branch) and s.otherwise else None


def _repeated(s: Statement) -> Block | None:
    """A branch for each statement of a block."""
    if not isinstance(s, Branch) or len(s.then) < 2:
        return None
    first, rest = replace(s, then=s.then[:1], otherwise=()), replace(s, then=s.then[1:])
    return (first, rest)


def _nested(s: Statement) -> Block | None:
    """A branch within a branch as one on both conditions."""
    if not isinstance(s, Branch) or s.otherwise or len(s.then) != 1:
        return None
    inner = s.then[0]
    if not isinstance(inner, Branch) or inner.otherwise:
        return None
    return (replace(inner, condition=_op("andi", s.condition, inner.condition)),)


def _unnested(s: Statement) -> Block | None:
    if not isinstance(s, Branch) or s.otherwise or s.condition.op not in ("andi", "choose"):
        return None
    first, second = s.condition.args[:2]
    return (Branch(first, (Branch(second, s.then, ()),), ()),)


def _hoisted(s: Statement) -> Block | None:
    """A loop of a branch as a branch of a loop, and the other way round."""
    if isinstance(s, Loop) and len(s.body) == 1 and isinstance(s.body[0], Branch) and not s.body[0].otherwise:
        inner = s.body[0]
        return None if _uses(inner.condition, s.name) else (replace(inner, then=(replace(s, body=inner.then),)),)
    if isinstance(s, Branch) and not s.otherwise and len(s.then) == 1 and isinstance(s.then[0], Loop):
        loop = s.then[0]
        return (replace(loop, body=(replace(s, then=loop.body),)),)
    return None


def _uses(e: Expression, name: str) -> bool:
    return (e.op == "iv" and e.name == name) or any(_uses(a, name) for a in e.args)


def _unrolled(s: Statement) -> Block | None:
    if not isinstance(s, Loop):
        return None
    return tuple(_at(inner, s.name, k) for k in range(s.count) for inner in s.body)


def _at(s: Statement, name: str, number: int) -> Statement:
    place = Expression("const", "index", (), str(number))

    def put(e: Expression) -> Expression:
        return place if e.op == "iv" and e.name == name else replace(e, args=tuple(map(put, e.args)))

    match s:
        case Store(array, at, value):
            return Store(array, put(at), put(value))
        case Branch(condition, then, otherwise):
            blocks = (tuple(_at(t, name, number) for t in block) for block in (then, otherwise))
            return Branch(put(condition), *blocks)
        case Loop():
            return replace(s, body=tuple(_at(t, name, number) for t in s.body))


def _dropped(s: Statement) -> Block | None:
    return () if isinstance(s, Store) and s.array[0] == "L" else None


STATEMENTS: tuple[Callable[[Statement], Block | None], ...] = (
    *(_merged, _selected, _branched, _turned, _repeated, _nested, _unnested, _hoisted, _unrolled, _dropped),
)

Edit = tuple[str, Callable[[], Block]]


def rewritten(program: Program, random: Random) -> tuple[Program, str]:
    """The program after one rewrite, and the name of that; the same program where none applies."""
    edits = list(_of_block(program.body))
    if not edits:
        return program, "none"
    names = sorted({name for name, _ in edits})
    chosen = random.choice(names)
    _, body = random.choice([e for e in edits if e[0] == chosen])
    return replace(program, body=body()), chosen


def _of_block(block: Block) -> list[Edit]:
    """Every rewrite of one statement of the block, as the block that it makes."""
    found: list[Edit] = []
    for k, statement in enumerate(block):

        def put(new: Block, k: int = k) -> Block:
            return (*block[:k], *new, *block[k + 1 :])

        for rewrite in STATEMENTS:
            new = rewrite(statement)
            if new is not None:
                found.append((rewrite.__name__.strip("_"), lambda new=new, put=put: put(new)))
        found += [(name, lambda make=make, put=put: put((make(),))) for name, make in _of_statement(statement)]
    return found


def _of_statement(s: Statement) -> list[tuple[str, Callable[[], Statement]]]:
    """Every rewrite of a part of the statement."""
    found: list[tuple[str, Callable[[], Statement]]] = []
    match s:
        case Store(value=value):
            found += [(n, lambda e=e: replace(s, value=e)) for n, e in _of_expression(value)]
        case Branch(condition, then, otherwise):
            found += [(n, lambda e=e: replace(s, condition=e)) for n, e in _of_expression(condition)]
            found += [(n, lambda make=make: replace(s, then=make())) for n, make in _of_block(then)]
            found += [(n, lambda make=make: replace(s, otherwise=make())) for n, make in _of_block(otherwise)]
        case Loop(body=body):
            found += [(n, lambda make=make: replace(s, body=make())) for n, make in _of_block(body)]
    return found


def _of_expression(e: Expression) -> list[tuple[str, Expression]]:
    found = [(r.__name__.strip("_"), new) for r in EXPRESSIONS if (new := r(e)) is not None]
    if e.op != "load":
        for k, part in enumerate(e.args):
            found += [(n, replace(e, args=(*e.args[:k], new, *e.args[k + 1 :]))) for n, new in _of_expression(part)]
    return found

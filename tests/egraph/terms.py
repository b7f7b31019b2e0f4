"""Terms for the tests of the e-graph: short to write, random, mutated, and evaluated."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import BOOL, FloatType, IntType, ScalarType
from hecv.patterns.equations.constant_folding import Folder

BINARY = (
    *("addi", "subi", "muli", "andi", "ori", "xori", "shli", "shrui", "shrsi", "minsi", "maxsi", "minui", "maxui"),
    *("divui", "divsi", "remui", "remsi", "ceildivui", "ceildivsi", "floordivsi"),
)
FLOAT_BINARY = ("addf", "subf", "mulf", "divf", "maximumf", "minimumf")
FLOAT_PREDICATES = ("oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno")
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
FLAGS = {
    "addi": (("overflow", "nsw"), ("overflow", "nuw")),
    "subi": (("overflow", "nsw"), ("overflow", "nuw")),
    "muli": (("overflow", "nsw"), ("overflow", "nuw")),
    "shli": (("overflow", "nsw"), ("overflow", "nuw")),
    "shrui": (("exact", True),),
    "shrsi": (("exact", True),),
    "divui": (("exact", True),),
    "divsi": (("exact", True),),
    "ori": (("disjoint", True),),
}


@dataclass
class Terms:
    """Makes terms of one pool; `type` is that of leaves and literals where nothing else is said."""

    type: ScalarType = field(default_factory=lambda: IntType(32))
    pool: TermPool = field(default_factory=TermPool)

    def leaf(self, number: int, type_: ScalarType | None = None) -> Term:
        return self.pool.make("leaf", (), type_ or self.type, (("number", number),))

    def literal(self, value: int | float, type_: ScalarType | None = None) -> Term:
        wanted = type_ or self.type
        if isinstance(wanted, FloatType):
            return self.pool.real(float(value), wanted)
        width = wanted.width if isinstance(wanted, IntType) else None
        return self.pool.integer(int(value) if width is None else int(value) % (1 << width), wanted)

    def op(self, name: str, *args: Term, to: ScalarType | None = None, **attrs: int | str | bool) -> Term:
        return self.pool.make(f"arith.{name}", args, to or args[0].type, tuple(attrs.items()))

    def compare(self, predicate: str, x: Term, y: Term) -> Term:
        return self.op("cmpi", x, y, to=BOOL, predicate=predicate)

    def choose(self, p: Term, x: Term, y: Term) -> Term:
        return self.op("select", p, x, y, to=x.type)

    def complement(self, x: Term) -> Term:
        return self.op("xori", x, self.literal(-1, x.type))

    def random(self, rng: random.Random, size: int, leaves: int, flags: bool = False) -> Term:
        """A random term of `size` operators on so many leaves and some literals."""
        known = [*[self.leaf(k) for k in range(leaves)], *[self.literal(v) for v in (0, 1, -1, rng.randrange(16))]]
        bits: list[Term] = []
        root = known[0]
        for _ in range(size):
            kind = rng.random()
            x, y = rng.choice(known[-5:] + known[:leaves]), rng.choice(known)
            if kind < 0.12:
                bits.append(self.compare(rng.choice(PREDICATES), x, y))
            elif kind < 0.3 and bits:
                root = self.choose(rng.choice(bits), x, y)
                known.append(root)
            else:
                name = rng.choice(BINARY)
                flag = rng.choice(FLAGS[name]) if flags and name in FLAGS and rng.random() < 0.5 else None
                root = self.op(name, x, y, **dict([flag] if flag else []))
                known.append(root)
        return root

    def random_float(self, rng: random.Random, size: int, leaves: int) -> Term:
        """A random term of `size` float operators on so many leaves and some literals."""
        known = [*[self.leaf(k) for k in range(leaves)], *[self.literal(v) for v in (0.0, -0.0, 1.0, -1.0, 2.0)]]
        for _ in range(size):
            kind = rng.random()
            x, y = rng.choice(known[-4:] + known[:leaves]), rng.choice(known)
            if kind < 0.2:
                known.append(self.op("negf", x))
            elif kind < 0.35:
                known.append(self.choose(self.op("cmpf", x, y, to=BOOL, predicate=rng.choice(FLOAT_PREDICATES)), y, x))
            else:
                known.append(self.op(rng.choice(FLOAT_BINARY), x, y))
        return known[-1]


def value(root: Term, leaves: Mapping[int, int | float], folder: Folder) -> int | float:
    """The total value of a term, by the number of each leaf."""
    known: dict[int, int | float] = {}
    for term in postorder((root,)):
        given = literal(term)
        if given is not None:
            known[term.id] = given
        elif term.op == "leaf":
            known[term.id] = leaves[int(term.attr("number"))]  # type: ignore[arg-type]
        else:
            attrs = tuple((n, v) for n, v in term.attrs if n in ("predicate", "result"))
            operands = tuple(known[a.id] for a in term.args)
            found = folder.fold(term.op, attrs, tuple(a.type for a in term.args), term.type, operands)
            assert found is not None
            known[term.id] = found
    return known[root.id]

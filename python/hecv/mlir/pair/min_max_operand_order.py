"""Reorders the operands of `maxnumf` and `minnumf` in the source as the target has them.

On two zeros of different sign either may be the result, op by op. So an op of the source may be replaced by the same op
with its operands exchanged: the result is one that the op may give, whichever function of two zeros it is, and it is
one value at all uses. The reordered source does only what the source may do, so what refines it refines the source.

If all ops of a name are exchanged, each just becomes another function of two zeros, and the converse holds as well.
Smallest failing case of the converse where only some are: the source has both orders, the target one.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, postorder
from hecv.base.types import FloatType
from hecv.mlir.module.parsed_module import ParsedModule
from hecv.ops import exposes
from hecv.ops.facts.poison_conditions import CHOOSING
from hecv.program.term_substitution import rewrite
from hecv.program.tree import Call, Function, Load, Memory, walk

Key = tuple[object, ...]
Operands = tuple[int, int]

WORDS: Final = tuple(name.removeprefix("arith.") for name in sorted(CHOOSING))
ONE_WAY: Final = "the target has operands of maxnumf or minnumf in another order, and not of all of them"
_OWN: Final = -1
_DETAILS: Final = (True, False)
"""Whether operands are also compared by the subscripts at which they were loaded."""


def has_choices(modules: tuple[ParsedModule, ParsedModule]) -> bool:
    """True if both modules may have such ops."""
    return all(module.may_have(WORDS) for module in modules)


def in_target_order(functions: tuple[Function, Function], pool: TermPool) -> tuple[Function, Function]:
    """Both functions, the source with operands exchanged where the target has them only in the other order.

    Functions with calls that are not inlined, with uninterpreted ops, or with ops that show which NaN a float is, are
    left.
    """
    source, target = functions
    if any(not f.known or any(isinstance(s, Call) for s in walk(f.body)) for f in functions):
        return functions
    if any(exposes(t) for f in functions for t in f.terms):
        return functions
    ours, theirs = ([t for t in f.terms if _chooses(t)] for f in functions)
    numbers: dict[Key, int] = {}
    exchanged = _exchanged(_Keys(source, numbers), ours, _Keys(target, numbers), theirs) if theirs else set[int]()
    if not exchanged:
        return functions
    left = {t.op for t in ours if t.id not in exchanged and t.args[0] is not t.args[1]}
    some = any(t.op in left for t in ours if t.id in exchanged)
    body = rewrite(source.body, _Exchange(pool, exchanged, {}))
    return replace(source, body=body, one_way=ONE_WAY if some else ""), target


def _chooses(term: Term) -> bool:
    return term.op in CHOOSING and isinstance(term.type, FloatType)


def _exchanged(source: _Keys, ours: list[Term], target: _Keys, theirs: list[Term]) -> set[int]:
    """The ops of the source whose operands the target has in the other order only."""
    found: set[int] = set()
    left = ours
    for detailed in _DETAILS:
        there = {(t.op, target.of(t, detailed)) for t in theirs}
        straight = [(t, (t.op, source.of(t, detailed))) for t in left]
        turned = {t.id for t, (op, keys) in straight if (op, keys) not in there and (op, keys[::-1]) in there}
        left = [t for t, key in straight if key not in there and t.id not in turned]
        found |= turned
    return found


class _Keys:
    """Fingerprints of operands: numbers of descriptions that mean the same in both functions of a pair."""

    def __init__(self, function: Function, numbers: dict[Key, int]) -> None:
        self._numbers = numbers
        self._inputs = {a.memory.id: a.number for a in function.inputs() if a.memory is not None}
        self._loads = {s.id: s for s in walk(function.body) if isinstance(s, Load)}
        self._known: dict[bool, dict[int, int]] = {True: {}, False: {}}

    def of(self, term: Term, detailed: bool) -> Operands:
        """The fingerprints of a binary op's operands; if `detailed`, with the subscripts of loads."""
        known = self._known[detailed]
        for node in postorder(term.args):
            if node.id not in known:
                known[node.id] = self._key(node, detailed)
        left, right = term.args
        return known[left.id], known[right.id]

    def _key(self, node: Term, detailed: bool) -> int:
        """The fingerprint of a term whose operands have theirs."""
        key = self._description(node, detailed)
        return self._numbers.setdefault(key, len(self._numbers))

    def _description(self, node: Term, detailed: bool) -> Key:
        known = self._known[detailed]
        if node.op != "read":
            return (node.op, node.attrs, str(node.type), *[known[a.id] for a in node.args])
        load = self._loads[_number(node)]
        for index in load.indices if detailed else ():
            for part in postorder((index,)):
                if part.id not in known:
                    known[part.id] = self._key(part, detailed)
        return ("read", self._memory(load.memory), *[known[i.id] for i in load.indices if detailed])

    def _memory(self, memory: Memory) -> Key:
        return self._inputs.get(memory.id, _OWN), str(memory.element), len(memory.extents)


def _number(read: Term) -> int:
    number = dict(read.attrs)["load"]
    assert isinstance(number, int)
    return number


class _Exchange(Struct):
    """Exchanges the operands of the ops with certain numbers."""

    pool: TermPool
    numbers: set[int]
    made: dict[int, Term]

    def __call__(self, root: Term) -> Term:
        """The term after the exchange."""
        for term in postorder((root,)) if root.id not in self.made else ():
            if term.id not in self.made:
                args = tuple([self.made[a.id] for a in term.args])
                args = args[::-1] if term.id in self.numbers else args
                same = args == term.args
                self.made[term.id] = term if same else self.pool.make(term.op, args, term.type, term.attrs)
        return self.made[root.id]

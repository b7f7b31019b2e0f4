"""Read and write sets: the loads that a term reads, the cells that a block writes."""

from __future__ import annotations

from msgspec.structs import replace

from hecv.base.term import Term, literal, postorder
from hecv.base.types import IntType
from hecv.ops import facts_about
from hecv.program.tree import Alloc, Block, Call, If, Load, Loop, MemoryKind, Statement, Store, While, roots, walk

TOTAL_LEAVES = frozenset({"const", "arg", "dim", "iv", "read", "ub.poison"})


def is_total(op: str) -> bool:
    """True if an operator or leaf is defined for all operands, and may be evaluated anywhere in its scope."""
    return op in TOTAL_LEAVES or facts_about(op).total


class Reads:
    """The set of loads that a term reads, memoised."""

    def __init__(self) -> None:
        self._known: dict[int, frozenset[int]] = {}
        self._total: dict[int, bool] = {}

    def of(self, term: Term) -> frozenset[int]:
        """The ids of the loads whose value `term` depends on."""
        for node in postorder((term,)) if term.id not in self._known else ():
            own = frozenset((number(node, "load"),)) if node.op == "read" else frozenset[int]()
            self._known[node.id] = own.union(*(self._known[a.id] for a in node.args))
        return self._known[term.id]

    def is_total(self, term: Term) -> bool:
        """True if every operator of `term` is total, or divides by a positive literal."""
        for node in postorder((term,)) if term.id not in self._total else ():
            own = is_total(node.op) or divides_totally(node)
            self._total[node.id] = own and all(self._total[a.id] for a in node.args)
        return self._total[term.id]


def divides_totally(term: Term) -> bool:
    """True if the operator at the root is a division by a positive literal, which is defined for all dividends."""
    return facts_about(term.op).division is not None and _is_positive(term.args[1])


def _is_positive(divisor: Term) -> bool:
    """True for a literal above 0, also if it is read as signed."""
    value = literal(divisor)
    if not isinstance(value, int):
        return False
    return value > 0 and not (isinstance(divisor.type, IntType) and value >> (divisor.type.width - 1))


def number(term: Term, name: str) -> int:
    """The integer attribute called `name`."""
    value = term.attr(name)
    assert isinstance(value, int)
    return value


def loads(block: Block) -> frozenset[int]:
    """The ids of the loads in a block."""
    return frozenset(s.id for s in walk(block) if isinstance(s, Load))


def written_cells(block: Block) -> frozenset[int]:
    """The ids of the cells that a block may write or allocate."""
    found = {s.memory.id for s in walk(block) if isinstance(s, Store | Alloc) and s.memory.kind is MemoryKind.CELL}
    found |= {m.id for s in walk(block) if isinstance(s, Call) for m in s.results}
    return frozenset(found)


def without_dead_cells(block: Block) -> Block:
    """Dead cell elimination: the block without cells that are never read, and without unused loads of cells."""
    while True:
        smaller = _without_dead_cells(block)
        if smaller == block:
            return block
        block = smaller


def _without_dead_cells(block: Block) -> Block:
    used: set[int] = set()
    seen: set[int] = set()
    stack = [t for s in walk(block) for t in roots(s)]
    while stack:
        term = stack.pop()
        if term.id in seen:
            continue
        seen.add(term.id)
        stack.extend(term.args)
        if term.op == "read":
            used.add(number(term, "load"))
    read = {s.memory.id for s in walk(block) if isinstance(s, Load) and s.id in used}
    read |= {m.id for s in walk(block) if isinstance(s, Call) for m in s.results}
    return _pruned(block, used, read)


def _pruned(block: Block, used: set[int], read: set[int]) -> Block:
    out: list[Statement] = []
    for statement in block:
        match statement:
            case Load(memory=memory) if memory.kind is MemoryKind.CELL and statement.id not in used:
                continue
            case Store(memory=memory) | Alloc(memory=memory) if (
                memory.kind is MemoryKind.CELL and memory.id not in read
            ):
                continue
            case Loop():
                out.append(replace(statement, body=_pruned(statement.body, used, read)))
            case If():
                then, otherwise = (_pruned(b, used, read) for b in (statement.then, statement.otherwise))
                out.append(replace(statement, then=then, otherwise=otherwise))
            case While():
                before, after = (_pruned(b, used, read) for b in (statement.before, statement.after))
                out.append(replace(statement, before=before, after=after))
            case _:
                out.append(statement)
    return tuple(out)

"""The backward slice of one element of an argument: what computes it, where each store says which element it writes.

Example: of `C[i, j] += A[i, k] * B[k, j]` in three loops, the slice of `C[3, 5]` has the loop over `k` alone:

    for i = 0 to 128, j = 0 to 128, k = 0 to 128   =>   for i = 3 to 4, j = 5 to 6, k = 0 to 128

Of code that was unrolled the copies that write other elements are left out. A slice has the element's value at its end,
where it stores to no other memory and reads of this one only what the store beside it writes.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from hecv.base.term import Term, TermPool, literal, postorder
from hecv.base.types import IndexType
from hecv.program.index import quasi_affine
from hecv.program.tree import Block, Evaluate, Function, Load, Loop, Statement, Store, roots, walk
from hecv.run.codegen.term_code import number_of


class _Refused(Exception):
    """The slice of an element is not known."""


Fixed = dict[Term, int]
"""Values of induction variables."""


def slice_of(pool: TermPool, function: Function, number: int, position: int, shape: tuple[int, ...]) -> Function | None:
    """The function without what does not compute the element at a row-major position of input `number`; None if it is
    not plain what does.

    Ensures: at the end, the element has the value that it has in the function.
    """
    if function.constants or function.callees or function.overlapping:
        return None
    argument = next((a for a in function.inputs() if a.number == number), None)
    if argument is None or argument.memory is None:
        return None
    index = list[int]()
    for extent in reversed(shape):
        position, rest = divmod(position, extent)
        index.append(rest)
    try:
        body, _ = _Slice(pool, function, argument.memory.id, index[::-1]).block(function.body, {})
    except _Refused:
        return None
    return replace(function, body=body)


class _Slice:
    def __init__(self, pool: TermPool, function: Function, memory: int, index: list[int]) -> None:
        self._pool: Final = pool
        self._memory: Final = memory
        self._index: Final = index
        self._loads: Final = {s.id: s for s in walk(function.body) if isinstance(s, Load)}

    def block(self, block: Block, loops: dict[Term, Loop]) -> tuple[Block, Fixed]:
        """What is left of a block in some loops, and the values that their variables must have for it to write the
        element.

        Raises: _Refused.
        """
        left: list[Statement] = []
        fixed: Fixed | None = None
        needed: set[int] = set()
        here = {s.id for s in block if isinstance(s, Load)}
        for s in reversed(block):
            own: Fixed | None = None
            match s:
                case Store(memory=memory) if memory.id == self._memory:
                    own = self._required(s, loops)
                    if own is None:
                        continue
                    self._require_same(s, here)
                case Load():
                    if s.id not in needed:
                        continue
                case Evaluate():
                    continue
                case Loop():
                    made = self._loop(s, loops)
                    if made is None:
                        continue
                    s, own = made
                case _:
                    raise _Refused
            left.append(s)
            needed |= {number_of(t, "load") for t in postorder(roots(s)) if t.op == "read"}
            if own is not None:
                if fixed is not None and fixed != own:
                    raise _Refused
                fixed = own
        return tuple(reversed(left)), fixed or {}

    def _loop(self, loop: Loop, loops: dict[Term, Loop]) -> tuple[Loop, Fixed] | None:
        """A loop with what is left of its body, and what outer variables must be; None where nothing is left."""
        if loop.parallel or loop.unsigned or not isinstance(loop.iv.type, IndexType) or bounds(loop) is None:
            raise _Refused
        body, fixed = self.block(loop.body, {**loops, loop.iv: loop})
        if not body:
            return None
        outer = {iv: value for iv, value in fixed.items() if iv is not loop.iv}
        if loop.iv not in fixed:
            return replace(loop, body=body), outer
        value = fixed[loop.iv]
        lowers, uppers = ((self._pool.integer(v),) for v in (value, value + 1))
        return replace(loop, body=body, lowers=lowers, uppers=uppers), outer

    def _required(self, store: Store, loops: dict[Term, Loop]) -> Fixed | None:
        """What variables must be for the store to write the element; None if it never does."""
        fixed: Fixed = {}
        for term, wanted in zip(store.indices, self._index, strict=True):
            form = quasi_affine.linear(term)
            if not form.terms:
                if form.constant != wanted:
                    return None
                continue
            if len(form.terms) != 1 or form.terms[0][1] != 1 or form.terms[0][0] not in loops:
                raise _Refused
            iv, value = form.terms[0][0], wanted - form.constant
            if fixed.setdefault(iv, value) != value:
                return None
            found = bounds(loops[iv])
            if found is None or value not in found:
                return None
        return fixed

    def _require_same(self, store: Store, here: set[int]) -> None:
        """Raises: _Refused if the value is made of other elements of the memory, or of a load that is not `here`, in
        its block."""
        for term in postorder((store.value,)):
            if term.op == "load" and number_of(term, "memory") == self._memory:
                raise _Refused
            if term.op == "read":
                load = self._loads[number_of(term, "load")]
                other = load.memory.id == self._memory and load.indices != store.indices
                if load.id not in here or other:
                    raise _Refused


def bounds(loop: Loop) -> range | None:
    """The values of a loop's variable, if they are known."""
    ends = [[literal(t) for t in terms] for terms in (loop.lowers, loop.uppers, (loop.step,))]
    numbers = [[v for v in values if isinstance(v, int)] for values in ends]
    if [len(v) for v in numbers] != [len(v) for v in ends] or numbers[2][0] < 1:
        return None
    return range(max(numbers[0]), min(numbers[1]), numbers[2][0])

"""The ordered list of passes that bring both programs of a pair to normal form, and the loop that applies them.

A pass rewrites one program alone (`Each`) or both together (`Both`). Every pass keeps the meaning: the same results and
final memory, undefined behaviour on the same inputs. `delinearization`, `array-values` and `world-state` change what
the inputs of a function are; they do so alike in both programs, one to one.

`MEMORY` makes statements atomic and turns memory into arrays, cells and array values. `LOOPS` undoes unrolling, tiling
and coalescing, and if-converts branches on data. Array dataflow (`hecv.dataflow.pair_model`) reads the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from hecv.base.memo import Once
from hecv.base.term import Term, TermPool, postorder
from hecv.normal.branches.condition_splitting import split_conditions
from hecv.normal.branches.conditional_updates import sink_selects
from hecv.normal.branches.if_conversion import convert_branches
from hecv.normal.branches.subscript_selects import branch_on_selects
from hecv.normal.index_canonical import canonicalize_indices
from hecv.normal.indirect.csr_loops import bound_csr_loops, has_csr_loops
from hecv.normal.indirect.csr_strips import count_csr_loops, join_csr_strips
from hecv.normal.indirect.memory_selection import (
    convert_to_array_values,
    expand_gathers,
    expand_scatters,
    thread_world_state,
)
from hecv.normal.integers.idle_operators import without_idle_operators
from hecv.normal.integers.multiplied_divisions import divide_by_constants
from hecv.normal.loops.affine_unrolling import unroll_for_affine
from hecv.normal.loops.decoalescing import decoalesce, divides_iv
from hecv.normal.loops.iv_case_split import split_cases
from hecv.normal.loops.rerolling import reroll
from hecv.normal.loops.scalar_evolution import close_recurrences
from hecv.normal.loops.strip_joining import join_split_loops
from hecv.normal.memory.array_values import indirect_memories
from hecv.normal.memory.copy_propagation import propagate_copies
from hecv.normal.memory.delinearization import delinearize
from hecv.normal.memory.load_attachment import attach_loads
from hecv.normal.memory.reloads import reload_stored_values
from hecv.normal.memory.world_state import has_external_calls
from hecv.normal.sign_bits import lower_sign_ops
from hecv.normal.whiles.counted_loops import count_loops
from hecv.normal.whiles.trip_bound import bound_trips
from hecv.program.index.index_ranges import NOTHING, Facts
from hecv.program.refusal import Refused
from hecv.program.tree import Block, Function, While, walk
from hecv.program.tree import roots as terms_of

MOST_ROUNDS: Final = 3
"""Rounds of re-rolling and joining, at most: a joined loop may be one of several copies."""


class Affinity(Protocol):
    """What isl can represent, whatever the enclosing loops are."""

    def condition(self, condition: Term, /) -> bool: ...
    def index(self, term: Term, /) -> bool: ...


class Context(Struct, frozen=True):
    """What passes know beside the programs.

    `facts` hold for every input under consideration. `floats`: no op shows which NaN a float is. The caller wants with
    `whiles`: uncounted while loops as loops up to a trip bound; with `elements`: data-dependent accesses element by
    element; with `guarded`: the bounds checks of accesses under branches on data as assertions.
    """

    pool: TermPool
    affine: Affinity
    index_width: int = 64
    facts: Facts = NOTHING
    floats: bool = False
    whiles: bool = False
    elements: bool = False
    guarded: bool = False


class Side(Struct, frozen=True):
    """One program between two passes: the function as read, except for its inputs, and its current body.

    `covered`: assertions state the bounds checks of accesses under branches on data. `fired`: the passes that changed
    it.
    """

    letter: str
    function: Function
    body: Block
    covered: bool = False
    fired: tuple[str, ...] = ()


class Programs(Struct, frozen=True):
    """Both programs between two passes.

    `indirect`: some memory is accessed at subscripts read from memory. `gathered`: such memory is followed element by
    element. `as_values`: memory reached by calls and by such accesses is an array value; `arrays` are the functions
    before that, which name the extents.
    """

    source: Side
    target: Side
    indirect: bool = False
    gathered: bool = False
    as_values: bool = False
    arrays: tuple[Function, ...] = ()

    @property
    def functions(self) -> tuple[Function, Function]:
        """The function of each side."""
        return self.source.function, self.target.function

    @property
    def bodies(self) -> tuple[Block, Block]:
        """The body of each side."""
        return self.source.body, self.target.body

    def having(self, functions: tuple[Function, Function], bodies: tuple[Block, Block]) -> Programs:
        """The same record with other functions and bodies."""
        source = replace(self.source, function=functions[0], body=bodies[0])
        return replace(self, source=source, target=replace(self.target, function=functions[1], body=bodies[1]))


def _always(context: Context, side: Side) -> bool:
    return True


class Each(Struct, frozen=True):
    """A pass over one program; `rewrite` returns the new body, or the whole new side."""

    name: str
    text: str
    rewrite: Callable[[Context, Side], Block | Side]
    applies: Callable[[Context, Side], bool] = _always


class Repeat(Struct, frozen=True):
    """Passes over one program, repeated until the last of them changes nothing, at most `most` times."""

    passes: tuple[Each | Repeat, ...]
    most: int
    applies: Callable[[Context, Side], bool] = _always


class Both(Struct, frozen=True):
    """A pass over both programs."""

    name: str
    text: str
    rewrite: Callable[[Context, Programs], Programs]
    applies: Callable[[Context, Programs], bool]


Pass = Each | Repeat | Both


def _has_select(context: Context, side: Side) -> bool:
    """True if the program has a `select`."""
    terms = postorder(tuple([t for s in walk(side.body) for t in terms_of(s)]))
    return any(t.op == "arith.select" for t in terms)


def _refuse_whiles(context: Context, side: Side) -> Block:
    left = next((s for s in walk(side.body) if isinstance(s, While)), None)
    if left is not None:  # what is in it is not as the memories of the function are
        raise Refused("a while loop that is not counted", side.letter, left.id)
    return side.body


def _has_csr_loops(context: Context, side: Side) -> bool:
    return has_csr_loops(side.body, context.affine.index)


def _csr_strips(context: Context, side: Side) -> Block:
    """Joins CSR loops that were strip-mined, peeled, or unrolled with a remainder loop.

    Copies are re-rolled as long as that leaves fewer CSR loops.
    """
    pool, body, overlapping = context.pool, side.body, side.function.overlapping
    for _ in range(MOST_ROUNDS):
        again = join_csr_strips(pool, overlapping, body)
        if again == body:
            again = join_csr_strips(pool, overlapping, propagate_copies(pool, reroll(pool, side.function, body)))
            if count_csr_loops(again) >= count_csr_loops(body):
                break
        body = again
    return body


def _csr_loops(context: Context, side: Side) -> Side:
    affine = context.affine
    body = bound_csr_loops(context.pool, side.function, side.body, affine.index, affine.condition)
    return replace(side, body=body, covered=True)


def _delinearized(context: Context, programs: Programs) -> Programs:
    return programs.having(*delinearize(context.pool, programs.functions, programs.bodies, context.facts))


def _gathered(context: Context, programs: Programs) -> Programs:
    bodies, found = expand_gathers(context.pool, programs.functions, programs.bodies, context.floats)
    made = programs.having(programs.functions, bodies)
    return replace(made, gathered=found, indirect=programs.indirect or found)


def _scattered(context: Context, programs: Programs) -> Programs:
    found = programs.indirect or any(map(indirect_memories, programs.bodies))
    width = context.index_width
    bodies = expand_scatters(context.pool, programs.functions, programs.bodies, context.floats, width)
    return replace(programs.having(programs.functions, bodies), indirect=found)


def _array_values(context: Context, programs: Programs) -> Programs:
    found = programs.indirect or any(map(indirect_memories, programs.bodies))
    functions, bodies, made = convert_to_array_values(context.pool, programs.functions, programs.bodies)
    return replace(programs.having(functions, bodies), indirect=found, as_values=made, arrays=programs.functions)


def _world_state(context: Context, programs: Programs) -> Programs:
    one = thread_world_state(context.pool, programs.source.function, programs.source.body, programs.source.letter)
    two = thread_world_state(context.pool, programs.target.function, programs.target.body, programs.target.letter)
    return programs.having((one[0], two[0]), (one[1], two[1]))


def _has_external_calls(context: Context, programs: Programs) -> bool:
    return programs.as_values and any(map(has_external_calls, programs.bodies))


ATOMIC: Final[tuple[Each, ...]] = (
    Each(
        "counted-loops",
        "while loops that count to a bound become for loops; loads of integer cells are forwarded",
        lambda c, s: count_loops(c.pool, replace(s.function, body=s.body), c.index_width),
    ),
    Each(
        "affine-unrolling",
        "loops of few, known iterations are unrolled where that makes subscripts affine",
        lambda c, s: unroll_for_affine(c.pool, s.function, s.body),
    ),
    Each(
        "scalar-evolution",
        "values that a loop carries get a closed form",
        lambda c, s: close_recurrences(c.pool, s.body),
    ),
    Each(
        "idle-operators",
        "operators that change no bit, by bits that are known, are their operand or a literal",
        lambda c, s: without_idle_operators(c.pool, s.body),
    ),
    Each(
        "multiplied-divisions",
        "a product with a constant and shifts that divide by a constant become that division",
        lambda c, s: divide_by_constants(c.pool, s.body),
    ),
    Each(
        "index-canonicalization",
        "index arithmetic becomes quasi-affine terms, by the facts at each place",
        lambda c, s: canonicalize_indices(
            c.pool, s.body, c.index_width, c.facts, c.affine.condition if s.function.modular else None
        ),
    ),
    Each(
        "reload",
        "a stored value is loaded again, not recomputed, where its operands are overwritten",
        lambda c, s: reload_stored_values(c.pool, s.body, s.function.overlapping),
    ),
    Each(
        "load-attachment",
        "each store carries its loads: statements are atomic",
        lambda c, s: attach_loads(c.pool, s.function, s.body),
    ),
)
"""From the tree as read to atomic statements."""

ROLLING: Final = Repeat(
    (
        Each(
            "rerolling",
            "the copies that an unroller made become one loop",
            lambda c, s: reroll(c.pool, s.function, s.body),
        ),
        Each(
            "copy-propagation",
            "a cell that starts as a copy of a cell not used again is replaced by it",
            lambda c, s: propagate_copies(c.pool, s.body),
        ),
        Each(
            "loop-joining",
            "strip-mined loops, and neighbours that run one body over adjoining ranges, become one loop",
            lambda c, s: join_split_loops(c.pool, s.body, c.facts),
        ),
    ),
    MOST_ROUNDS,
)
"""Re-rolling, and what it makes possible, in rounds."""

DECOALESCING: Final = Each(
    "decoalescing",
    "a loop over a product of trip counts becomes a nest (the inverse of coalescing)",
    lambda c, s: decoalesce(c.pool, s.body),
)

MEMORY: Final[tuple[Pass, ...]] = (
    *ATOMIC,
    Each(
        "trip-bounds",
        "while loops become for loops up to a trip bound that both programs share",
        lambda c, s: bound_trips(c.pool, s.function, s.body),
        lambda c, s: c.whiles,
    ),
    Each(
        "sign-bits",
        "float ops that only change a sign bit become arithmetic on bits",
        lambda c, s: lower_sign_ops(c.pool, s.body),
    ),
    Each(
        "subscript-selects",
        "an access at a subscript selected by an index condition becomes a branch",
        lambda c, s: branch_on_selects(c.pool, s.body, c.affine.condition),
        _has_select,
    ),
    Each(
        "conditional-updates",
        "`select(c, a + x, a)` becomes `a + select(c, x, 0)`, a reduction step",
        lambda c, s: sink_selects(c.pool, s.body, c.affine.condition, c.floats),
        _has_select,
    ),
    Both(
        "delinearization",
        "flat buffers become arrays of more dimensions: `A[i*m + j]` is `A[i, j]`",
        _delinearized,
        lambda c, p: True,
    ),
    Both(
        "gather-loops",
        "gathers and scatters become loops over all elements",
        _gathered,
        lambda c, p: c.elements,
    ),
    Both(
        "scatter-loops",
        "histogram updates become loops over all elements, each with a select",
        _scattered,
        lambda c, p: True,
    ),
    Both(
        "array-values",
        "other memory at data-dependent subscripts becomes one value, with loads and stores as functions",
        _array_values,
        lambda c, p: True,
    ),
    Both(
        "world-state",
        "external calls become functions of the world state",
        _world_state,
        _has_external_calls,
    ),
)
"""From the tree as read to arrays, cells and array values."""

LOOPS: Final[tuple[Pass, ...]] = (
    Each("counted-loops-only", "a while loop that is left is not supported", _refuse_whiles),
    DECOALESCING,
    Repeat((ROLLING, DECOALESCING), 1, lambda c, s: divides_iv(s.body)),  # a coalesced loop may have been unrolled
    Each(
        "case-split",
        "a loop whose induction variable is a factor of a product is split into one case per value",
        lambda c, s: split_cases(c.pool, s.function, s.body),
    ),
    Each(
        "csr-strips",
        "sparse row (CSR) loops that were strip-mined, unrolled or peeled become one loop",
        _csr_strips,
        _has_csr_loops,
    ),
    Each(
        "condition-splitting",
        "a branch on indices and data becomes a branch on indices with one on data in it",
        lambda c, s: split_conditions(c.pool, s.function, s.body, c.affine.condition),
    ),
    Each(
        "csr-loops",
        "a sparse row (CSR) loop becomes a branch on data in a loop with affine bounds",
        _csr_loops,
        lambda c, s: c.guarded or _has_csr_loops(c, s),
    ),
    Each(
        "if-conversion",
        "branches on data become selects",
        lambda c, s: convert_branches(c.pool, s.function, s.body, c.affine.condition, c.index_width, c.floats),
    ),
    ROLLING,
)
"""Undoes what unrollers, tilers and lowerings did to loops and branches."""

PASSES: Final[tuple[Pass, ...]] = (*MEMORY, *LOOPS)
"""All passes, in order."""


def names(passes: tuple[Pass, ...] = PASSES) -> tuple[str, ...]:
    """The names of the passes in their order, each once."""
    return tuple(dict.fromkeys(p.name for p in flat(passes)))


def flat(passes: tuple[Pass, ...] = PASSES) -> Iterator[Each | Both]:
    """The passes one by one, those of a group included."""
    for one in passes:
        if isinstance(one, Repeat):
            yield from flat(one.passes)
        else:
            yield one


def until(name: str) -> tuple[Pass, ...]:
    """The passes up to the last one of that name; a group that contains it, whole.

    Raises: KeyError if there is no such pass.
    """
    places = [place for place, one in enumerate(PASSES) if name in names((one,))]
    if not places:
        raise KeyError(name)
    return PASSES[: places[-1] + 1]


def start(source: Function, target: Function) -> Programs:
    """Both programs as they were read."""
    return Programs(Side("S", source, source.body), Side("T", target, target.body))


def run(
    context: Context,
    programs: Programs,
    passes: tuple[Pass, ...] = PASSES,
    once: Once | None = None,
    without: frozenset[str] = frozenset(),
) -> Programs:
    """Both programs after the passes, except those named in `without` (ablation). `once` may remember the form of the
    source.

    Raises: Refused if a part of a program has no normal form.
    """
    once = once or Once()
    for part in _parts(passes, without):
        if isinstance(part, Both):
            if part.applies(context, programs):
                programs = _recorded(part.name, programs, part.rewrite(context, programs))
        else:
            programs = replace(
                programs,
                source=once(part, context, programs.source),
                target=part(context, programs.target),
            )
    return programs


def normalize(pool: TermPool, function: Function, index_width: int = 64, facts: Facts = NOTHING) -> Block:
    """The body of `function` with atomic statements, for inputs that satisfy the facts."""
    context = Context(pool, _Nothing(), index_width, facts)
    return _Alone(ATOMIC)(context, Side("S", function, function.body)).body


def fired(programs: Programs) -> tuple[str, ...]:
    """The passes that changed either program, in the order of the list."""
    seen = {*programs.source.fired, *programs.target.fired}
    return tuple(name for name in names() if name in seen)


class _Nothing:
    """Stands for isl where it is not asked: nothing is affine."""

    def condition(self, condition: Term, /) -> bool:
        return False

    def index(self, term: Term, /) -> bool:
        return False


class _Alone(Struct, frozen=True, eq=False):
    """A run of passes over one program."""

    passes: tuple[Each | Repeat, ...]

    def __call__(self, context: Context, side: Side) -> Side:
        """The program after the passes."""
        for one in self.passes:
            side = _repeated(one, context, side) if isinstance(one, Repeat) else _applied(one, context, side)
        return side


@cache
def _parts(passes: tuple[Pass, ...], without: frozenset[str]) -> tuple[_Alone | Both, ...]:
    """The passes, grouped into runs over one program alone, between those over both."""
    found: list[_Alone | Both] = []
    for one in passes:
        kept = _kept(one, without)
        match kept:
            case None:
                continue
            case Both():
                found.append(kept)
            case _ if found and isinstance(found[-1], _Alone):
                found[-1] = _Alone((*found[-1].passes, kept))
            case _:
                found.append(_Alone((kept,)))
    return tuple(found)


def _kept(one: Pass, without: frozenset[str]) -> Pass | None:
    """The pass without those that are left out; None if nothing is left."""
    if not isinstance(one, Repeat):
        return None if one.name in without else one
    inner = tuple(k for p in one.passes if (k := _kept(p, without)) is not None and not isinstance(k, Both))
    return replace(one, passes=inner) if inner else None


def _repeated(group: Repeat, context: Context, side: Side) -> Side:
    if not group.applies(context, side):
        return side
    for _ in range(group.most):
        before = side
        for one in group.passes:
            before = side  # of the last pass
            side = _repeated(one, context, side) if isinstance(one, Repeat) else _applied(one, context, side)
        if side.body == before.body:
            break
    return side


def _applied(one: Each, context: Context, side: Side) -> Side:
    if not one.applies(context, side):
        return side
    made = one.rewrite(context, side)
    after = made if isinstance(made, Side) else replace(side, body=made)
    return after if after.body == side.body else replace(after, fired=(*after.fired, one.name))


def _recorded(name: str, before: Programs, after: Programs) -> Programs:
    """The programs after a pass over both; a program that changed records the pass."""
    old, new = (before.source, before.target), (after.source, after.target)
    one, two = (
        b if (a.body, a.function) == (b.body, b.function) else replace(b, fired=(*b.fired, name))
        for a, b in zip(old, new, strict=True)
    )
    return replace(after, source=one, target=two)

"""Both programs of a pair as isl sees them, in normal form: what is proved, replayed, and given inputs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Final

import islpy as isl
from msgspec import Struct

from hecv.base.memo import Once
from hecv.base.term import OPAQUE_PARTIAL, Term, TermPool, literal, postorder
from hecv.dataflow.model.isl_translation import NotAffine, Parameters, Quasi, Translator
from hecv.dataflow.model.parameter_sampling import Sampler
from hecv.dataflow.model.product_parameters import restrict_products
from hecv.dataflow.model.scop import Flattened, Instances, Refused, flatten
from hecv.dataflow.model.value_dataflow import Budget, Isl, Shelf
from hecv.dataflow.obligations.no_wrap import Premises
from hecv.dataflow.obligations.undefined_domain import undefined
from hecv.normal.atomic_statements import normalize
from hecv.normal.branches.condition_splitting import divide
from hecv.normal.branches.conditional_updates import with_steps
from hecv.normal.branches.if_conversion import ASSERT, BRANCH, predicate
from hecv.normal.branches.subscript_selects import with_branches
from hecv.normal.index_canonical import given
from hecv.normal.indirect.csr_loops import cover, has_spans
from hecv.normal.indirect.csr_strips import count, rejoin
from hecv.normal.indirect.gather_loops import allocates, gather, separable, stored
from hecv.normal.indirect.scatter_loops import spread, spreadable
from hecv.normal.loops.decoalescing import decoalesce, divides
from hecv.normal.loops.iv_case_split import by_thread
from hecv.normal.loops.rerolling import reroll
from hecv.normal.loops.strip_joining import join_pieces, join_strips
from hecv.normal.memory.array_values import (
    as_contents,
    calls,
    indirect,
    named,
    names,
    reached,
    sized_by_memory,
    written_in_any_order,
)
from hecv.normal.memory.copy_propagation import hand_on
from hecv.normal.memory.delinearization import as_matrices
from hecv.normal.memory.world_state import calls_outside, knows_results, quiet, with_world
from hecv.normal.sign_bits import with_sign_bits
from hecv.normal.whiles.trip_bound import bounded
from hecv.ops import exposes
from hecv.ops.facts.poison_conditions import CHOOSING
from hecv.ops.nondeterminism import choice_of
from hecv.ops.registry import licensed
from hecv.program.index.index_ranges import Facts
from hecv.program.tree import Block, Evaluate, Function, While, walk
from hecv.program.tree_printer import roots

DEEPEST: Final = 1_000
"""No nest of loops is as deep."""

MOST_ROUNDS: Final = 3
"""So often are copies looked for among what was joined."""

RECURSION: Final = 200_000
OPERATIONS: Final = 20_000_000
HINT_OPERATIONS: Final = 2_000_000


class Side(Struct):
    """One program on its way through the proof."""

    function: Function
    body: Block
    flat: Flattened


class Pair:
    """Both programs as isl sees them, in one context; made once, then used to sample inputs and to prove.

    `indirect` tells that some memory is accessed at subscripts from memory, `outside` that a function without a body is
    called. `constrain` are i1 terms over arguments and extents that are assumed to hold; `used` are those that a
    subscript, bound or condition of the programs has. With `whiles`, those that do
    not count become loops (`hecv.normal.whiles.trip_bound`); `once` may know normal forms of the source.
    Raises: Refused where one of the functions is not affine; NotAffine where an assumption is not.
    """

    def __init__(
        self,
        pool: TermPool,
        source: Function,
        target: Function,
        constrain: Sequence[Term],
        index_width: int = 64,
        whiles: bool = False,
        once: Once | None = None,
        elements: bool = False,
    ) -> None:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION))
        self.pool = pool
        self.parameters = Parameters(index_width=index_width)
        floats, facts = not any(map(_shows_bits, (source, target))), given(pool, constrain, index_width)
        self.facts: Final = facts
        shelf = None if once is None else once(Shelf)
        once = once or Once()
        normal = once(normalize, pool, source, index_width, facts), normalize(pool, target, index_width, facts)
        if whiles:
            normal = bounded(pool, source, normal[0]), bounded(pool, target, normal[1])
        normal = with_sign_bits(pool, normal[0]), with_sign_bits(pool, normal[1])
        normal = _plain(pool, normal[0], index_width, floats), _plain(pool, normal[1], index_width, floats)
        (source, target), normal = as_matrices(pool, (source, target), normal, facts)
        self.gathered = False
        if elements:
            normal, self.gathered = _gathered(pool, (source, target), normal, floats)
        functions, bodies, self.indirect = _direct(pool, (source, target), normal, index_width, floats)
        self.indirect |= self.gathered
        self.outside = any(map(calls_outside, (source.body, target.body)))
        outside = Translator(self.parameters, {})
        named = (
            (*source.inputs(), *target.inputs()) if self.indirect or self.outside else ()
        )  # no access names contents
        extents = [e for argument in named if argument.memory is not None for e in argument.memory.extents]

        def flattened(asserting: bool) -> None:
            first = once(_reduced, pool, functions[0], bodies[0], index_width, "S", asserting, floats, facts)
            self.source = _side(pool, functions[0], *first, self.parameters, "S")
            second = _reduced(pool, functions[1], bodies[1], index_width, "T", asserting, floats, facts)
            self.target = _side(pool, functions[1], *second, self.parameters, "T")
            for extent in extents:
                outside.index(extent)  # of contents, no access names them
            self.used = frozenset(self.parameters.names) - self.parameters.idle
            self.space = Isl(self.parameters, [outside.condition(term) for term in constrain], OPERATIONS, shelf)
            restrict_products(self.space, self.parameters)

        asserting = whiles or self.indirect  # what a condition on data keeps in bounds is the rule then
        flattened(asserting)
        if not asserting and self._leaves_by_data():
            flattened(True)
        self.sampler = Sampler(self.space, self.parameters)
        evaluated = (s.term.op for f in (source, target) for s in walk(f.body) if isinstance(s, Evaluate))
        self.partial = frozenset((ASSERT, BRANCH, OPAQUE_PARTIAL, *evaluated))

    def undefined(self) -> isl.Set:
        """The parameters, among those assumed, for which the source leaves the bounds of an array.

        Raises: Budget.
        """
        try:
            return undefined(self.space, self.source.flat)
        except isl.Error as error:
            raise self.space.failure(error) from error

    def _leaves_by_data(self) -> bool:
        """Whether the target may leave the bounds of an array where the source does not, or the source where the target
        does not, by an access that a condition on data guards; no where isl does not say."""
        both = self.source.flat, self.target.flat
        if not all(any(s.guarded for s in flat.statements) for flat in both):
            return False

        def leaves(flat: Flattened, other: Flattened) -> bool:
            possible = undefined(self.space, flat, guarded=True)
            return not possible.is_subset(undefined(self.space, other))

        return self._shown(lambda: leaves(*both) or leaves(*reversed(both)))

    def is_total(self) -> bool:
        """Whether isl and the operators show that neither program is ever undefined, within the assumptions."""
        sides = (self.source, self.target)
        statements = (s for side in sides for s in side.flat.statements)
        if any(t.op in self.partial for s in statements for t in postorder(s.terms)):
            return False
        self.space.renew(HINT_OPERATIONS)
        try:
            return all(undefined(self.space, side.flat, guarded=True).is_empty() for side in sides)
        except isl.Error as error:
            if not isinstance(self.space.failure(error), Budget):
                raise
            return False

    def is_vacuous(self) -> bool:
        """Whether isl shows that no parameters are left that are values of their types, respect the assumptions and
        keep the source in bounds."""

        def nothing_is_left() -> bool:
            premises = Premises(self.space, self.parameters, self.source.flat, self.target.flat)
            return bool(self.space.known.subtract(self.undefined()).is_disjoint(premises.inputs()))

        return self._shown(nothing_is_left)

    def is_guarded_in_bounds(self) -> bool:
        """Whether isl shows that no access of the source that a condition on data guards is undefined where the others
        are defined: of such a statement it is known that it may not run, and not when."""
        flat = self.source.flat
        if not any(s.guarded for s in flat.statements):
            return True
        return self._shown(lambda: undefined(self.space, flat, guarded=True).is_subset(self.undefined()))

    def _shown(self, question: Callable[[], bool]) -> bool:
        """The answer of isl to a small question; no where it has none."""
        self.space.renew(HINT_OPERATIONS)
        try:
            return bool(question())
        except (Budget, isl.Error) as error:
            if isinstance(error, isl.Error) and not isinstance(self.space.failure(error), Budget):
                raise
            return False


def same_instances(pair: Pair, source: Instances, target: Instances) -> isl.Map:
    """The map between the instances of two statements that have the same dimensions' values."""
    equal = " and ".join(f"{i} = {j}" for i, j in zip(source.dims, target.dims, strict=True)) or "1 = 1"
    bounds = f"{source.domain_text()} and {target.domain_text()} and {equal}"
    text = f"{{ {source.tuple_text()} -> {target.tuple_text()} : {bounds} }}"
    return pair.space.map(text).intersect_params(pair.space.known)


def exposes_nan(pair: Pair, strict: bool) -> bool:
    """Whether floats are equal only to the last bit, as the programs show which NaN a float is.

    Where one of the two alone does, by ops of which it is known what they leave open, floats are equal up to which NaN
    they are: no two such ops are matched, since these are all of one program, and in scalar code they have what they
    leave open as operands of their own (`hecv.dataflow.residual.leaf_naming`). `strict` tells that no float stands for
    several values, as of a sum in any order, nor for one without a sign.
    """
    sides = [postorder(_roots(side.flat.statements)) for side in (pair.source, pair.target)]
    shown = [[t for t in terms if exposes(t)] for terms in sides]
    if not strict or all(shown) or any(licensed(t.attrs) for terms in sides for t in terms):
        return any(shown)
    return any(choice_of(t) is None for terms in shown for t in terms)


def source_chooses(pair: Pair) -> bool:
    """Whether the source has ops that may answer differently from one correct run to the next, and the target has none.

    The source may then be taken for a program in which they are one function: that is among what it may do, whatever
    else is shown of it, and what refines that refines the source. Not the other way round.
    """
    sides = [postorder(_roots(side.flat.statements)) for side in (pair.source, pair.target)]
    ours, theirs = (any(t.op in CHOOSING for t in terms) for terms in sides)
    return ours and not theirs


def _roots(statements: Sequence[Instances]) -> tuple[Term, ...]:
    return tuple(t for s in statements for t in (*s.terms, *(() if s.value is None else (s.value,))))


def _shows_bits(function: Function) -> bool:
    """Whether a function may show which NaN a float is: by an op, in memory that may overlap other memory, or to a
    function without a body."""
    if function.overlapping or calls_outside(function.body):
        return True
    bodies = (function.body, *(callee.body for callee in function.callees.values()))
    return any(exposes(t) for body in bodies for s in walk(body) for t in postorder(roots(s)))


def has_nan(pair: Pair) -> bool:
    """Whether a constant may hold a NaN."""
    constants = (c for side in (pair.source, pair.target) for c in side.function.constants)
    return any(c.contents is None or any(v is not None and v != v for v in map(literal, c.contents)) for c in constants)


def _direct(
    pool: TermPool,
    functions: tuple[Function, Function],
    bodies: tuple[Block, Block],
    index_width: int,
    floats: bool,
) -> tuple[tuple[Function, Function], tuple[Block, Block], bool]:
    """Both programs in normal form, with what either accesses at subscripts from memory as contents, or what it only
    updates there as loops over its elements; whether there is any such memory."""
    first, second = functions
    accessed = indirect(bodies[0]), indirect(bodies[1])
    sums = (
        spreadable(pool, first, bodies[0], floats, index_width),
        spreadable(pool, second, bodies[1], floats, index_width),
    )
    found = accessed[0] - sums[0] | reached(bodies[0]), accessed[1] - sums[1] | reached(bodies[1])
    known, outside = names(first, found[0]) | names(second, found[1]), any(map(calls_outside, bodies))
    if outside:
        known |= names(first, quiet(first, bodies[0])) & names(second, quiet(second, bodies[1]))
    memories = found[0] | named(first, known), found[1] | named(second, known)
    bodies = (
        spread(pool, first, bodies[0], sums[0] - memories[0], floats),
        spread(pool, second, bodies[1], sums[1] - memories[1], floats),
    )
    called = any(map(calls, bodies))
    if not (called or outside or any(found)) or any(map(written_in_any_order, bodies, memories)):
        return functions, bodies, any(accessed)
    for side, body, own in zip("ST", bodies, memories, strict=True):
        if (sized := sized_by_memory(body, own)) is not None:
            raise Refused("an allocation that is sized by what is in memory", side, sized)
    together = any(own & f.overlapping for f, own in zip(functions, memories, strict=True))
    for side, function, body in zip("ST", functions, bodies, strict=True):
        if function.overlapping and (called or outside):
            raise Refused("a call that has memory which may overlap other memory", side, body[0].id)
    one = as_contents(pool, first, bodies[0], memories[0], outside, together)
    two = as_contents(pool, second, bodies[1], memories[1], outside, together)
    if outside:
        one, two = _in_the_world(pool, one, "S"), _in_the_world(pool, two, "T")
    return (one[0], two[0]), (one[1], two[1]), any(accessed)


def _plain(pool: TermPool, body: Block, width: int, floats: bool) -> Block:
    """A normal form with subscripts that conditions choose in branches, and sums that conditions keep as sums."""
    if all(t.op != "arith.select" for t in postorder(tuple([t for s in walk(body) for t in roots(s)]))):
        return body
    affine = Affine(width).condition
    return with_steps(pool, with_branches(pool, body, affine), affine, floats)


def _gathered(
    pool: TermPool, functions: tuple[Function, Function], bodies: tuple[Block, Block], floats: bool
) -> tuple[tuple[Block, Block], bool]:
    """Normal forms with what either program stores to, and accesses at subscripts from memory, as loops over elements;
    whether there is any such memory. Where one alone looks things up in an allocation, that may be a copy of what the
    other looks them up in, which is then followed as well."""
    (first, second), (one, two) = functions, bodies
    written = stored(one), stored(two)
    possible = separable(pool, first, one, floats), separable(pool, second, two, floats)
    wanted = (
        (written[0] | named(first, names(second, written[1]))) & possible[0],
        (written[1] | named(second, names(first, written[0]))) & possible[1],
    )
    if allocates(one, wanted[0]) != allocates(two, wanted[1]):
        wanted = possible
    made = (
        gather(pool, first, one, wanted[0], floats),
        gather(pool, second, two, wanted[1], floats),
    )
    return made, any(wanted)


def _in_the_world(pool: TermPool, program: tuple[Function, Block], side: str) -> tuple[Function, Block]:
    """A program with calls of functions without a body as functions of the world."""
    function, body = program
    if knows_results(function, body):
        raise Refused("a function without a body knows an allocation that is returned", side, body[0].id)
    return with_world(pool, function, body)


def _side(pool: TermPool, function: Function, body: Block, covered: bool, parameters: Parameters, side: str) -> Side:
    return Side(function, body, flatten(pool, function, body, parameters, side, covered))


def _reduced(
    pool: TermPool, function: Function, body: Block, width: int, side: str, asserting: bool, floats: bool, facts: Facts
) -> tuple[Block, bool]:
    """A normal form with loops that unrollers and tilers made undone and branches on data as selections; whether
    assertions say what accesses under branches demand.

    Raises: Refused where a while is left.
    """
    left = next((s for s in walk(body) if isinstance(s, While)), None)
    if left is not None:  # what is in it is not as the memories of the function are
        raise Refused("a while loop that is not counted", side, left.id)
    body = join_strips(pool, decoalesce(pool, join_strips(pool, body, facts)), facts)
    if divides(body):  # a coalesced loop may have been unrolled
        body = decoalesce(pool, _rolled(pool, function, body, facts))
    body, affine = by_thread(pool, function, body), Affine(width)
    if has_spans(body, affine.index):
        body = _whole_spans(pool, function, body)
    body = divide(pool, function, body, affine.condition)
    covered = asserting or has_spans(body, affine.index)
    if covered:
        body = cover(pool, function, body, affine.index, affine.condition)
    body = predicate(pool, function, body, affine.condition, width, floats)
    return _rolled(pool, function, body, facts), covered


def _whole_spans(pool: TermPool, function: Function, body: Block) -> Block:
    """The body with loops over spans that are not in pieces, nor in copies with a remainder."""
    for _ in range(MOST_ROUNDS):
        again = rejoin(pool, function.overlapping, body)
        if again == body:
            again = rejoin(pool, function.overlapping, hand_on(pool, reroll(pool, function, body)))
            if count(again) >= count(body):
                break
        body = again
    return body


def _rolled(pool: TermPool, function: Function, body: Block, facts: Facts) -> Block:
    """The body with copies as loops, and loops in pieces joined; joined loops may be copies, too."""
    for _ in range(MOST_ROUNDS):
        rolled = hand_on(pool, reroll(pool, function, body))
        body = join_pieces(pool, rolled, facts)
        if body == rolled:
            break
    return body


class Affine:
    """Tells what isl can hold, whatever the loops around it are."""

    def __init__(self, index_width: int) -> None:
        self._index_width = index_width
        self._ivs = dict.fromkeys(range(DEEPEST), Quasi("i", False, False))
        self._conditions: dict[Term, bool] = {}
        self._indices: dict[Term, bool] = {}

    def condition(self, condition: Term) -> bool:
        """Whether isl can hold an i1 term as a condition."""
        if condition not in self._conditions:
            self._conditions[condition] = self._holds(lambda translator: translator.condition(condition))
        return self._conditions[condition]

    def index(self, term: Term) -> bool:
        """Whether isl can hold a term as a bound."""
        if term not in self._indices:
            self._indices[term] = self._holds(lambda translator: translator.index(term))
        return self._indices[term]

    def _holds(self, translate: Callable[[Translator], object]) -> bool:
        try:
            translate(Translator(Parameters(index_width=self._index_width), self._ivs))
        except NotAffine:
            return False
        return True

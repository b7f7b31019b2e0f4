"""Both programs of a pair in normal form, as isl sees them: the model that is proved, replayed, and sampled."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Final

import islpy as isl
from msgspec import Struct
from msgspec.structs import replace

from hecv.base.memo import Once
from hecv.base.term import OPAQUE_PARTIAL, Term, TermPool, literal, postorder
from hecv.dataflow.model.isl_translation import NotAffine, Parameters, Quasi, Translator
from hecv.dataflow.model.parameter_sampling import Sampler
from hecv.dataflow.model.product_parameters import restrict_products
from hecv.dataflow.model.scop import Flattened, Instances, flatten
from hecv.dataflow.model.value_dataflow import Budget, Isl, Shelf
from hecv.dataflow.obligations.no_wrap import Premises
from hecv.dataflow.obligations.undefined_domain import undefined
from hecv.normal.branches.if_conversion import ASSERT, BRANCH
from hecv.normal.index_canonical import assumed_facts
from hecv.normal.memory.world_state import has_external_calls, shows_bits
from hecv.normal.passes import LOOPS, MEMORY, Context, fired, run, start, until
from hecv.normal.passes import Side as Formed
from hecv.ops import exposes
from hecv.ops.facts.poison_conditions import CHOOSING
from hecv.ops.nondeterminism import choice_of
from hecv.ops.registry import licensed
from hecv.program.tree import Block, Evaluate, Function, roots, walk

DEEPEST: Final = 1_000
"""No nest of loops is as deep."""

RECURSION: Final = 200_000
OPERATIONS: Final = 20_000_000
HINT_OPERATIONS: Final = 2_000_000


class Side(Struct):
    """One program in normal form, with its statement instances."""

    function: Function
    body: Block
    flat: Flattened


class Pair:
    """Both programs in one isl context; made once, then used to sample inputs and to prove.

    `constrain` are i1 terms over arguments and extents that are assumed to hold. With `whiles`, uncounted while loops
    become loops up to a trip bound (`hecv.normal.whiles.trip_bound`). With `elements`, memory at subscripts from memory
    is followed element by element. `once` may remember normal forms of the source. Passes named in `without` are left
    out.

    `indirect`: some memory is accessed at subscripts from memory. `outside`: an external function is called. `passes`:
    those that changed a program. `used`: the parameters that occur in a subscript, bound or condition of the programs.

    Raises: Refused if one of the functions is not affine; NotAffine if an assumption is not.
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
        without: frozenset[str] = frozenset(),
    ) -> None:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION))
        self.pool = pool
        self.parameters = Parameters(index_width=index_width)
        floats, facts = not any(map(_shows_bits, (source, target))), assumed_facts(pool, constrain, index_width)
        self.facts: Final = facts
        shelf = None if once is None else once(Shelf)
        once = once or Once()
        context = Context(pool, Affine(index_width), index_width, facts, floats, whiles, elements)
        found = run(context, start(source, target), MEMORY, once, without)
        self.gathered, self.indirect = found.gathered, found.indirect
        self.outside = any(has_external_calls(f.body) for f in (source, target))
        outside = Translator(self.parameters, {})
        named = found.arrays if self.indirect or self.outside else ()  # no access names those of array values
        memories = [a.memory for function in named for a in function.inputs() if a.memory is not None]
        extents = [extent for memory in memories for extent in memory.extents]

        def flattened(guarded: bool) -> None:
            formed = run(replace(context, guarded=guarded), found, LOOPS, once, without)
            self.passes = fired(formed)
            self.source, self.target = (self._side(pool, side) for side in (formed.source, formed.target))
            for extent in extents:
                outside.index(extent)  # of array values, no access names them
            self.used = frozenset(self.parameters.names) - self.parameters.idle
            self.space = Isl(self.parameters, [outside.condition(term) for term in constrain], OPERATIONS, shelf)
            restrict_products(self.space, self.parameters)

        guarded = whiles or self.indirect  # what a condition on data keeps in bounds is the rule then
        flattened(guarded)
        if not guarded and self._leaves_by_data():
            flattened(True)
        self.sampler = Sampler(self.space, self.parameters)
        evaluated = (s.term.op for f in (source, target) for s in walk(f.body) if isinstance(s, Evaluate))
        self.partial = frozenset((ASSERT, BRANCH, OPAQUE_PARTIAL, *evaluated))

    def _side(self, pool: TermPool, side: Formed) -> Side:
        flat = flatten(pool, side.function, side.body, self.parameters, side.letter, side.covered)
        return Side(side.function, side.body, flat)

    def undefined(self) -> isl.Set:
        """The parameters, among those assumed, for which the source leaves the bounds of an array.

        Raises: Budget.
        """
        try:
            return undefined(self.space, self.source.flat)
        except isl.Error as error:
            raise self.space.failure(error) from error

    def _leaves_by_data(self) -> bool:
        """True if isl shows that an access guarded by a condition on data may leave the bounds of an array in one
        program where the other program does not."""
        both = self.source.flat, self.target.flat
        if not all(any(s.guarded for s in flat.statements) for flat in both):
            return False

        def leaves(flat: Flattened, other: Flattened) -> bool:
            possible = undefined(self.space, flat, guarded=True)
            return not possible.is_subset(undefined(self.space, other))

        return self._shown(lambda: leaves(*both) or leaves(*reversed(both)))

    def is_total(self) -> bool:
        """True if isl and the operators show that neither program is ever undefined, within the assumptions."""
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
        """True if isl shows that no inputs are left that are values of their types, satisfy the assumptions, and keep
        the source in bounds."""

        def nothing_is_left() -> bool:
            premises = Premises(self.space, self.parameters, self.source.flat, self.target.flat)
            return bool(self.space.known.subtract(self.undefined()).is_disjoint(premises.inputs()))

        return self._shown(nothing_is_left)

    def is_guarded_in_bounds(self) -> bool:
        """True if isl shows that no guarded access of the source is undefined where the other accesses are defined.

        A condition on data guards it: it is known that such a statement may not run, and not when.
        """
        flat = self.source.flat
        if not any(s.guarded for s in flat.statements):
            return True
        return self._shown(lambda: undefined(self.space, flat, guarded=True).is_subset(self.undefined()))

    def _shown(self, question: Callable[[], bool]) -> bool:
        """The answer of isl to a small question; False if it has none within the budget."""
        self.space.renew(HINT_OPERATIONS)
        try:
            return bool(question())
        except (Budget, isl.Error) as error:
            if isinstance(error, isl.Error) and not isinstance(self.space.failure(error), Budget):
                raise
            return False


def normal_form(pool: TermPool, function: Function, after: str) -> Function:
    """The function, as source and target of a pair, after the pass of that name.

    Raises: Refused if it has no normal form; KeyError if there is no such pass.
    """
    context = Context(pool, Affine(64), floats=not _shows_bits(function))
    side = run(context, start(function, function), until(after)).source
    return replace(side.function, body=side.body)


def same_instances(pair: Pair, source: Instances, target: Instances) -> isl.Map:
    """The map between those instances of two statements whose dimensions have the same values."""
    equal = " and ".join(f"{i} = {j}" for i, j in zip(source.dims, target.dims, strict=True)) or "1 = 1"
    bounds = f"{source.domain_text()} and {target.domain_text()} and {equal}"
    text = f"{{ {source.tuple_text()} -> {target.tuple_text()} : {bounds} }}"
    return pair.space.map(text).intersect_params(pair.space.known)


def exposes_nan(pair: Pair, strict: bool) -> bool:
    """True if floats only count as equal if they are to the last bit, since the programs show which NaN a float is.

    If only one of the two does, by ops for which it is known what they leave open, floats are equal up to which NaN
    they are: no two such ops are matched, since these are all of one program, and in scalar code they have what they
    leave open as operands of their own (`hecv.dataflow.residual.leaf_naming`). `strict`: no float stands for several
    values, as of a sum in any order, nor for one without a sign.
    """
    sides = [postorder(_roots(side.flat.statements)) for side in (pair.source, pair.target)]
    shown = [[t for t in terms if exposes(t)] for terms in sides]
    if not strict or all(shown) or any(licensed(t.attrs) for terms in sides for t in terms):
        return any(shown)
    return any(choice_of(t) is None for terms in shown for t in terms)


def source_chooses(pair: Pair) -> bool:
    """True if the source has ops that may answer differently from one correct run to the next, and the target has none.

    The source may then be taken for a program in which they are one function: that is among what it may do, whatever
    else is shown of it, and what refines that refines the source. The converse does not hold.
    """
    sides = [postorder(_roots(side.flat.statements)) for side in (pair.source, pair.target)]
    ours, theirs = (any(t.op in CHOOSING for t in terms) for terms in sides)
    return ours and not theirs


def _roots(statements: Sequence[Instances]) -> tuple[Term, ...]:
    return tuple(t for s in statements for t in (*s.terms, *(() if s.value is None else (s.value,))))


def _shows_bits(function: Function) -> bool:
    """True if a function may show which NaN a float is: by an op, in memory that may overlap other memory, or to an
    external function."""
    if function.overlapping or shows_bits(function.body):
        return True
    bodies = (function.body, *(callee.body for callee in function.callees.values()))
    return any(exposes(t) for body in bodies for s in walk(body) for t in postorder(roots(s)))


def has_nan(pair: Pair) -> bool:
    """True if a constant may hold a NaN."""
    constants = (c for side in (pair.source, pair.target) for c in side.function.constants)
    return any(c.contents is None or any(v is not None and v != v for v in map(literal, c.contents)) for c in constants)


class Affine:
    """Tells what isl can represent, whatever the enclosing loops are. Two for indices of one width are equal."""

    def __init__(self, index_width: int) -> None:
        self._index_width = index_width
        self._ivs = dict.fromkeys(range(DEEPEST), Quasi("i", False, False))
        self._conditions: dict[Term, bool] = {}
        self._indices: dict[Term, bool] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Affine) and self._index_width == other._index_width

    def __hash__(self) -> int:
        return hash(self._index_width)

    def condition(self, condition: Term) -> bool:
        """True if isl can represent an i1 term as a condition."""
        if condition not in self._conditions:
            self._conditions[condition] = self._holds(lambda translator: translator.condition(condition))
        return self._conditions[condition]

    def index(self, term: Term) -> bool:
        """True if isl can represent a term as a bound."""
        if term not in self._indices:
            self._indices[term] = self._holds(lambda translator: translator.index(term))
        return self._indices[term]

    def _holds(self, translate: Callable[[Translator], object]) -> bool:
        try:
            translate(Translator(Parameters(index_width=self._index_width), self._ivs))
        except NotAffine:
            return False
        return True

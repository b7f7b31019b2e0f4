"""Every pass of the list keeps what random programs mean: a pass that is listed is tested here.

Both programs of a pair go through the list; before and after each pass they are run on the same inputs. What passes
make that no run has is made concrete first: array values are arrays again where they are made, and numbers behind that,
a bound on trips is a number, and the state of the world is a number that functions of it mix.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from math import prod
from pathlib import Path
from random import Random
from zlib import crc32

import pytest
from msgspec.structs import replace

from hecv.base.term import OPAQUE, Term, TermPool, literal, rebuild
from hecv.base.types import INDEX, FloatType, IndexType, IntType, OpaqueType, ScalarType
from hecv.base.value import POISON, Buffer, Value
from hecv.dataflow.pair_model import Affine
from hecv.mlir.importer import functions as functions_of
from hecv.mlir.importer import read_pair
from hecv.normal.passes import PASSES, Both, Context, Each, Programs, Side, flat, names, run, start
from hecv.program.index import quasi_affine
from hecv.program.refusal import Refused
from hecv.program.term_substitution import recounted, rename, rewrite
from hecv.program.tree import (
    Alloc,
    Argument,
    Block,
    Function,
    If,
    Load,
    Loop,
    Memory,
    MemoryKind,
    Statement,
    Store,
    Touch,
    While,
    walk,
)
from hecv.program.tree_printer import render
from hecv.run.evaluation.external_functions import World
from hecv.run.interpreter.interpreter import Diverged, Finished, Outcome, Undefined, compile

from .programs import PassFailed, Taste, program, transformed
from .running import STEPS, conclusive, inputs, parsed_pair, read, unequal
from .test_element_loops import program as indirect_program
from .test_normal_form import explicit

TURNS = 40
"""More than the trips of any while in a run that is looked at, and than any subscript."""

I64 = IntType(64)
WIDTHS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
PRIME = 0x9E3779B97F4A7C15

TASTE = Taste(data_conditions=0.3, traps=0.15, uninitialised=0.1, indirect=0.2, index_data=0.3, calls=0.0)
CHAINS = (
    "affine-loop-unroll{unroll-factor=2}",
    "affine-loop-unroll{unroll-factor=4},affine-loop-unroll{unroll-factor=2}",
    "affine-loop-tile{tile-size=3}",
    "affine-loop-coalescing",
    "lower-affine,canonicalize",
)


def steps(context: Context, programs: Programs) -> Iterator[tuple[Each | Both, Programs, Programs]]:
    """Each pass of the list in its place, with the programs before and after it."""
    for one in flat(PASSES):
        before, programs = programs, run(context, programs, (one,))
        yield one, before, programs


def _as_given(now: Value, old: Value | None) -> Value:
    """An argument after a run in the shape in which it was given."""
    if not isinstance(now, Buffer) or not isinstance(old, Buffer) or not now.shape:
        return now
    return Buffer(old.shape, now.data[: prod(old.shape)])


class Concrete:
    """Programs between two passes as functions that can be run on given arguments.

    Sizes stand in them as numbers, so that an argument which a pass gave other dimensions has these.
    """

    def __init__(self, pool: TermPool, arguments: tuple[Value, ...], arrays: Mapping[int, Memory]) -> None:
        self._pool = pool
        self._arguments = arguments
        self._arrays = arrays
        self._memo: dict[int, Term] = {}

    def run(self, side: Side) -> Outcome | None:
        """What the program does; None where its arguments have no such shape."""
        if self._arrays:
            side = replace(side, body=rename(self._values(side.body), self._arrays))
        else:
            made = Mixing(self._pool).function(side)
            side = replace(side, function=made, body=made.body)
        block = self._sized(side.body)
        shaped = [self._argument(a) for a in side.function.inputs()]
        values = [value for _, value in shaped if value is not None]
        if len(values) < len(shaped):
            return None
        inner, count = [argument for argument, _ in shaped], len(side.function.arguments)
        function = replace(side.function, arguments=tuple(inner[:count]), globals=tuple(inner[count:]))
        if side.covered:  # assertions say what guarded accesses demand, where they count
            block = Clamping(self._pool, arrays_of(function, block)).block(block)
        loads = any(isinstance(s, Load) for s in walk(block))
        body = block if loads else explicit(self._begun(block))
        end = compile(replace(function, body=body)).run(tuple(values), STEPS)
        if not isinstance(end, Finished):
            return end
        return replace(end, arguments=tuple(map(_as_given, end.arguments, (*self._arguments, None))))

    def _begun(self, block: Block) -> Block:
        """The block with cells that hold poison from the beginning: a selection may read what was never stored."""
        out: list[Statement] = []
        for statement in block:
            match statement:
                case Alloc(memory=memory) if memory.kind is MemoryKind.CELL:
                    poison = self._pool.make("ub.poison", (), memory.element)
                    out += [statement, Store(statement.id, memory, (), poison)]
                case Loop(body=body):
                    out.append(replace(statement, body=self._begun(body)))
                case If(then=then, otherwise=otherwise):
                    out.append(replace(statement, then=self._begun(then), otherwise=self._begun(otherwise)))
                case _:
                    out.append(statement)
        return tuple(out)

    def _argument(self, argument: Argument) -> tuple[Argument, Value | None]:
        """An input with numbers for its extents, and its value; None where it has no such shape."""
        value = self._arguments[argument.number] if argument.number < len(self._arguments) else None
        if argument.memory is None:
            return argument, value
        memory = self._arrays.get(argument.memory.id, argument.memory)
        touch = self._sized((Touch(0, (), memory.extents),))[0]
        assert isinstance(touch, Touch)
        argument = replace(argument, memory=replace(memory, extents=touch.terms))
        extents = [literal(e) for e in touch.terms]
        if not all(isinstance(e, int) and e >= 0 for e in extents):
            return argument, None
        shape = tuple(int(e) for e in extents if e is not None)
        if not isinstance(value, Buffer) or (not shape and value.shape):  # the world, or all that an array holds
            return argument, Buffer((), [crc32(repr(value).encode())])
        missing = prod(shape) - len(value.data)
        return argument, Buffer(shape, [*value.data, *[POISON] * missing]) if missing >= 0 else None

    def _sized(self, block: Block) -> Block:
        """The block with numbers for sizes, scalar indices and bounds that are large enough."""

        def value(leaf: Term) -> Term:
            if leaf.op == "limit":
                return self._pool.integer(TURNS)
            if leaf.op == "dim":
                buffer = self._arguments[int(str(leaf.attr("argument")))]
                assert isinstance(buffer, Buffer)
                return self._pool.integer(buffer.shape[int(str(leaf.attr("dimension")))])
            given = self._arguments[int(str(leaf.attr("number")))]
            return self._pool.integer(given) if isinstance(given, int) and leaf.type == INDEX else leaf

        return recounted(self._pool, block, value, ("limit", "dim", "arg"))

    def _values(self, block: Block) -> Block:
        """The block with accesses of array values as those of arrays."""
        out = []
        for statement in rewrite(block, lambda t: rebuild(self._pool, t, self._leaf, self._memo)):
            match statement:
                case Store(memory=memory, value=value) if memory.id in self._arrays and value.op == OPAQUE:
                    *indices, stored = value.args[1:]
                    memory = self._arrays[memory.id]
                    out.append(replace(statement, memory=memory, indices=tuple(indices), value=stored))
                case Loop():
                    out.append(replace(statement, body=self._values(statement.body)))
                case While():
                    before, after = self._values(statement.before), self._values(statement.after)
                    out.append(replace(statement, before=before, after=after))
                case If():
                    then, otherwise = self._values(statement.then), self._values(statement.otherwise)
                    out.append(replace(statement, then=then, otherwise=otherwise))
                case _:
                    out.append(statement)
        return tuple(out)

    def _leaf(self, term: Term) -> Term | None:
        if term.op == OPAQUE and str(term.attr("name")).startswith("memref.load"):
            memory = self._arrays[int(str(term.args[0].attr("memory")))]
            indices = tuple(rebuild(self._pool, a, self._leaf, self._memo) for a in term.args[1:])
            return self._pool.load(memory.id, indices, memory.element)
        if term.op == "affine.linear":
            form = quasi_affine.linear(term)
            parts = tuple((rebuild(self._pool, t, self._leaf, self._memo), c) for t, c in form.terms)
            return quasi_affine.combine(self._pool, form.constant, parts)
        return None


class Mixing:
    """Array values and the state of the world, and all that is made of them, as numbers that functions of them mix."""

    def __init__(self, pool: TermPool) -> None:
        self._pool = pool
        self._memo: dict[int, Term] = {}

    def function(self, side: Side) -> Function:
        """The program with numbers in the place of such values."""
        block = rewrite(side.body, self._term)
        known = {m.id: self._memory(m) for m in arrays_of(side.function, block).values()}
        of = side.function
        return replace(
            of,
            arguments=tuple(map(self._argument, of.arguments)),
            globals=tuple(map(self._argument, of.globals)),
            body=rename(block, known),
        )

    def _argument(self, argument: Argument) -> Argument:
        if argument.memory is None or not isinstance(argument.memory.element, OpaqueType):
            return argument
        return replace(argument, memory=self._memory(argument.memory), type=I64)

    def _memory(self, memory: Memory) -> Memory:
        return replace(memory, element=I64) if isinstance(memory.element, OpaqueType) else memory

    def _term(self, term: Term) -> Term:
        return rebuild(self._pool, term, self._leaf, self._memo)

    def _leaf(self, term: Term) -> Term | None:
        make = self._pool.make
        if term.op == "load" and isinstance(term.type, OpaqueType):
            return self._pool.load(int(str(term.attr("memory"))), (), I64)
        if term.op != OPAQUE and isinstance(term.type, OpaqueType):
            return make(term.op, tuple(map(self._term, term.args)), I64, term.attrs)
        if term.op == "affine.linear":
            form = quasi_affine.linear(term)
            return quasi_affine.combine(self._pool, form.constant, tuple((self._term(t), c) for t, c in form.terms))
        if term.op != OPAQUE:
            return None
        made = self._pool.integer(crc32(str(term.attr("name")).encode()), I64)
        for operand in term.args:
            made = make("arith.xori", (made, self._number(self._term(operand))), I64)
            made = make("arith.muli", (made, self._pool.integer(PRIME, I64)), I64)
            made = make("arith.xori", (made, make("arith.shrui", (made, self._pool.integer(29, I64)), I64)), I64)
        return self._cast(term.type, made)

    def _number(self, term: Term) -> Term:
        match term.type:
            case IntType(width=64):
                return term
            case IntType():
                return self._pool.make("arith.extui", (term,), I64)
            case FloatType(name=name):
                width = WIDTHS[name]
                bits = self._pool.make("arith.bitcast", (term,), IntType(width))
                return bits if width == 64 else self._pool.make("arith.extui", (bits,), I64)
            case _:
                return self._pool.make("arith.index_cast", (term,), I64)

    def _cast(self, kind: ScalarType, made: Term) -> Term:
        few = self._pool.make("arith.andi", (made, self._pool.integer(7, I64)), I64)
        match kind:
            case IntType(width=width) if width < 64:
                return self._pool.make("arith.trunci", (made,), kind)
            case FloatType():
                return self._pool.make("arith.uitofp", (few,), kind)
            case IndexType():
                return self._pool.make("arith.index_cast", (few,), kind)
            case _:
                return made


class Clamping:
    """Guarded statements with subscripts within the extents: what is accessed beyond them is not used."""

    def __init__(self, pool: TermPool, memories: Mapping[int, Memory]) -> None:
        self._pool = pool
        self._memories = memories
        self._memo: dict[int, Term] = {}

    def block(self, block: Block) -> Block:
        """The block with such subscripts."""
        return tuple(map(self._statement, block))

    def _statement(self, statement: Statement) -> Statement:
        match statement:
            case Store(guarded=True, memory=memory, indices=indices):
                inner = self._within(memory.id, indices)
                return replace(statement, indices=inner, value=self._term(statement.value))
            case Touch(guarded=True):
                accesses, terms = (tuple(map(self._term, ts)) for ts in (statement.accesses, statement.terms))
                return replace(statement, accesses=accesses, terms=terms)
            case Loop():
                return replace(statement, body=self.block(statement.body))
            case If():
                return replace(statement, then=self.block(statement.then), otherwise=self.block(statement.otherwise))
            case _:
                return statement

    def _term(self, term: Term) -> Term:
        return rebuild(self._pool, term, self._leaf, self._memo)

    def _leaf(self, term: Term) -> Term | None:
        if term.op == "load":
            number = int(str(term.attr("memory")))
            return self._pool.load(number, self._within(number, term.args), term.type)
        if term.op == "affine.linear":
            form = quasi_affine.linear(term)
            return quasi_affine.combine(self._pool, form.constant, tuple((self._term(t), c) for t, c in form.terms))
        return None

    def _within(self, memory: int, indices: tuple[Term, ...]) -> tuple[Term, ...]:
        found: list[Term] = []
        for index, extent in zip(map(self._term, indices), self._memories[memory].extents, strict=True):
            last = quasi_affine.combine(self._pool, -1, ((extent, 1),))
            least = self._pool.make("arith.minsi", (index, last), INDEX)
            found.append(self._pool.make("arith.maxsi", (least, self._pool.integer(0)), INDEX))
        return tuple(found)


def arrays_of(function: Function, body: Block) -> dict[int, Memory]:
    """The memories of a program before some of them become array values."""
    local = {s.memory.id: s.memory for s in walk(body) if isinstance(s, Alloc)}
    return {**function.memories(), **local}


def valued(side: Side, arrays: Mapping[int, Memory]) -> dict[int, Memory]:
    """Those memories of a program that are array values, as they were."""
    now = arrays_of(side.function, side.body)
    return {k: arrays[k] for k, m in now.items() if isinstance(m.element, OpaqueType) and k in arrays}


def check_pair(texts: tuple[str, str], random: Random, seen: Counter[str], **wanted: bool) -> None:
    """The programs mean the same before and after each pass; `seen` counts those that changed something."""
    pool = TermPool()
    check_functions(pool, (read(texts[0], pool), read(texts[1], pool)), random, seen, **wanted)


def is_open(side: Side, end: Outcome | None) -> bool:
    """True if a run left the bounds by a guarded access: the program may not execute it, and no assertion says when."""
    if side.covered or not isinstance(end, Undefined) or not end.text.startswith("out of bounds"):
        return False
    return any(isinstance(s, Store | Touch) and s.guarded and s.id == end.statement for s in walk(side.body))


def check_functions(
    pool: TermPool, functions: tuple[Function, Function], random: Random, seen: Counter[str], **wanted: bool
) -> None:
    """As `check_pair`, of functions that are read."""
    context = Context(pool, Affine(64), floats=True, **wanted)
    given = list(islice(inputs(functions[0], random), 5))
    arrays: tuple[dict[int, Memory], ...] = ({}, {})
    found = steps(context, start(*functions))
    while True:
        try:
            one, before, after = next(found)
        except (StopIteration, Refused):
            return
        if one.name == "array-values":
            arrays = tuple(arrays_of(s.function, s.body) for s in (before.source, before.target))
        for number, (old, new) in enumerate(
            zip((before.source, before.target), (after.source, after.target), strict=True)
        ):
            if old.body == new.body and old.function == new.function:
                continue
            seen[one.name] += 1
            direct = one.name == "array-values"
            for arguments in given:
                ends = [
                    Concrete(pool, arguments, valued(side, arrays[number]) if direct else {}).run(side)
                    for side in (old, new)
                ]
                if None in ends or not conclusive(*ends) or any(map(is_open, (old, new), ends)):
                    continue
                assert unequal(*ends) is None, (
                    f"{one.name}: {unequal(*ends)} on {arguments}\n{render(functions[number])}"
                )


def check_seed(seed: int, seen: Counter[str]) -> None:
    random = Random(seed)
    wanted = {"elements": seed % 3 == 1, "guarded": seed % 2 == 1, "whiles": seed % 5 == 4}
    text = indirect_program(random) if seed % 4 == 3 else program(seed, TASTE)
    try:
        other = transformed(text, random.choice(CHAINS))
    except PassFailed:
        other = text
    check_pair((text, other), random, seen, **wanted)


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_passes_keep_the_meaning(first: int) -> None:
    for seed in range(first, first + 20):
        check_seed(seed, Counter())


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 3000, 100))
def test_passes_keep_the_meaning_of_many(first: int) -> None:
    for seed in range(first, first + 100):
        check_seed(seed, Counter())


# The state of the world: programs that seem to make the same calls do.

CALLS = (
    "%r{k} = func.call @g(%A, %v) : (memref<3xi32>, i32) -> i32\nmemref.store %r{k}, %B[%c1] : memref<3xi32>",
    "func.call @h(%B) : (memref<3xi32>) -> ()",
    "%l{k} = memref.load %A[%c0] : memref<3xi32>\nmemref.store %l{k}, %B[%c2] : memref<3xi32>",
    "memref.store %v, %A[%c1] : memref<3xi32>",
    "scf.for %i{k} = %c0 to %c2 step %c1 {{\nfunc.call @h(%A) : (memref<3xi32>) -> ()\n}}",
    "%q{k} = func.call @g(%B, %w) : (memref<3xi32>, i32) -> i32\nmemref.store %q{k}, %A[%c0] : memref<3xi32>",
)


def calling(parts: list[str]) -> str:
    """A function that makes calls of functions without a body."""
    body = "\n".join(part.format(k=k) for k, part in enumerate(parts))
    constants = "\n".join(f"%c{k} = arith.constant {k} : index" for k in range(3))
    declared = "func.func private @g(memref<3xi32>, i32) -> i32\nfunc.func private @h(memref<3xi32>)"
    arguments = "%A: memref<3xi32>, %B: memref<3xi32>, %v: i32, %w: i32"
    return f"{declared}\nfunc.func @f({arguments}) {{\n{constants}\n{body}\nreturn\n}}"


def check_calls(seed: int) -> tuple[bool, bool]:
    """Whether two programs make the same calls, and whether they seem to with the state of the world."""
    random, pool = Random(seed), TermPool()
    parts = [CALLS[0], *(random.choice(CALLS) for _ in range(random.randrange(1, 5)))]
    others = list(parts)
    if seed % 3:
        first, second = random.randrange(len(parts)), random.randrange(len(parts))
        others[first], others[second] = others[second], others[first]
    functions = [read(calling(p), pool) for p in (parts, others)]
    programs = start(*functions)
    context = Context(pool, Affine(64))
    (before, after), *_ = ((b, a) for one, b, a in steps(context, programs) if one.name == "world-state")
    assert before != after
    arguments = (*(Buffer((3,), [random.randrange(9) for _ in range(3)]) for _ in range(2)), 5, 6)
    world = World(str(seed))
    direct = (
        compile(functions[0]).run(arguments, STEPS, world),
        compile(functions[1]).run(arguments, STEPS, world.again()),
    )
    same = not isinstance(direct[1], Diverged) and unequal(*direct) is None
    ends = [Concrete(pool, arguments, {}).run(side) for side in (after.source, after.target)]
    assert all(isinstance(end, Finished) for end in ends)
    return same, unequal(*ends) is None


def test_programs_of_one_world_make_the_same_calls() -> None:
    found = Counter(check_calls(seed) for seed in range(60))
    assert found[True, True] >= 20 and found[False, False] >= 10
    assert found.keys() == {(True, True), (False, False)}


PAIRS = Path(__file__).parents[2] / "lit_tests"
RARE: dict[str, dict[str, bool]] = {
    "loops/gathers": {},
    "loops/indirect": {},
    "loops/stages": {},
    "verify/affine-loop-coalescing/symbolic-three": {},
    "verify/affine-loop-coalescing/unrolled": {},
    "verify/double-buffer/rows": {},
    "verify/affine-loop-unroll/constant-cleanup": {},
    "verify/affine-scalrep/dead-store": {},
    "verify/affine-super-vectorize/unrolled": {},
    "verify/by-hand/csr-unrolled": {},
    "verify/by-hand/division-by-constant": {},
    "verify/by-hand/flat-rows": {},
    "verify/by-hand/known-bits": {},
    "verify/by-hand/nested-condition": {},
    "verify/convert-complex-to-standard/complex": {},
    "verify/convert-math-to-funcs/zeros": {},
    "verify/expand-strided-metadata/dynamic": {},
    "verify/lift-cf-to-scf/coalesced": {},
    "verify/lift-cf-to-scf/searches": {"whiles": True},
    "verify/scf-for-to-while/sum": {},
    "theorems/sum": {"elements": True},
}
"""Pairs that passes which random programs seldom need are for, and what is wanted of these."""


def test_every_pass_is_tried() -> None:
    """Each pass of the list changes one of these programs, or of those that random ones are."""
    seen = Counter[str]()
    for name, wanted in RARE.items():
        source, target = (PAIRS / f"{name}.{side}.mlir" for side in ("src", "tgt"))
        modules = parsed_pair(source.read_text(), target.read_text())
        for function in functions_of(modules[0]):
            pool = TermPool()
            pair = read_pair(modules, (function.name, function.name), pool, 64)
            check_functions(pool, pair, Random(name), seen, **wanted)
    assert {*names()} - {*seen} <= {"world-state", "counted-loops-only"}, seen

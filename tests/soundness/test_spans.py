"""Loops over spans that are read from memory, and whiles that do not count: as loops that isl holds they do what they
did, and no side condition is idle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Final

import pytest
from msgspec.structs import replace

from hecv.base.term import Term, TermPool, rebuild
from hecv.base.value import Buffer, Scalar, Value
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy
from hecv.dataflow.obligations import static_assertions
from hecv.dataflow.pair_model import Affine
from hecv.normal.indirect import csr_loops
from hecv.normal.passes import normalize
from hecv.normal.whiles.trip_bound import TURNS, TripBounder, bound_trips
from hecv.program.term_substitution import rewrite
from hecv.program.tree import Function
from hecv.prove.pair.pair_context import Case, Task
from hecv.prove.pair.prover import Shown
from hecv.prove.portfolio import BOUND, PARTS
from hecv.run.interpreter.interpreter import Exhausted, Finished, Outcome, Undefined, compile

from .running import conclusive, parsed_pair, read, unequal
from .test_conditions import function, proof
from .test_normal_form import explicit

STEPS_OF_ALL: Final = 20_000
LARGE: Final = 24
"""No index of a random program is as large, and few whiles that end have as many turns."""
LARGER: Final = (100, 1_000, STEPS_OF_ALL)
"""Turns that are tried then: each takes a step, so no while of a run that ends has more than the last."""


@dataclass(slots=True)
class Writer:
    """Writes nests of loops whose bounds are read from `%P`, which they may also write."""

    random: Random
    lines: list[str] = field(default_factory=list[str])
    names: int = 0
    whiles: bool = False

    def name(self) -> str:
        """A new value."""
        self.names += 1
        return f"%v{self.names}"

    def add(self, text: str) -> str:
        """A new value that an op computes."""
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return name

    def index(self, ivs: list[str]) -> str:
        """An index, mostly within an extent of 6."""
        chosen = self.random.choice([*ivs, "%c0", "%c1", "%c3", "%n"])
        return chosen if self.random.random() < 0.2 else self.add(f"arith.remui {chosen}, %c6 : index")

    def bound(self, ivs: list[str]) -> str:
        """A bound of a loop."""
        if self.random.random() < 0.3:
            return self.random.choice([*ivs, "%c0", "%c3", "%n"])
        loaded = self.add(f"memref.load %P[{self.index(ivs)}] : memref<6xindex>")
        if self.random.random() < 0.2:
            other = self.add(f"memref.load %P[{self.index(ivs)}] : memref<6xindex>")
            return self.add(f"arith.subi {loaded}, {other} : index")
        if self.random.random() < 0.3:
            op = self.random.choice(("addi", "subi", "minsi", "maxsi"))
            return self.add(f"arith.{op} {loaded}, {self.random.choice([*ivs, '%c1', '%c3'])} : index")
        return loaded

    def block(self, ivs: list[str], depth: int) -> None:
        """A few statements."""
        for _ in range(self.random.choice((1, 1, 2))):
            kind = self.random.random()
            if depth < 3 and (kind < 0.5 or depth == 0):
                lower, upper = self.bound(ivs), self.bound(ivs)
                iv, step = self.name(), self.random.choice(("%c1", "%c1", "%c2", "%c3"))
                self.lines.append(f"scf.for {iv} = {lower} to {upper} step {step} {{")
                self.block([*ivs, iv], depth + 1)
                self.lines.append("}")
            elif depth < 3 and kind < 0.7 and self.whiles:
                self.turns(ivs, depth)
            elif depth < 3 and kind < 0.6:
                loaded = self.add(f"memref.load %A[{self.index(ivs)}] : memref<6xi32>")
                self.lines.append(f"scf.if {self.add(f'arith.cmpi slt, {loaded}, %x : i32')} {{")
                self.block(ivs, depth + 1)
                self.lines.append("}")
            else:
                self.store(ivs)

    def turns(self, ivs: list[str], depth: int) -> None:
        """A while that ends at an element or, mostly, a bound; what it carries is used after it."""
        first, iv, end = self.index(ivs), self.name(), self.random.choice(("%c3", "%n", "%c6"))
        result = self.add(f"scf.while ({iv} = {first}) : (index) -> index {{")
        at = self.add(f"arith.remui {iv}, %c6 : index")
        loaded = self.add(f"memref.load %A[{at}] : memref<6xi32>")
        more = self.add(f"arith.cmpi ne, {loaded}, %x : i32")
        within = self.add(f"arith.cmpi slt, {iv}, {end} : index")
        if self.random.random() < 0.5:
            self.store([*ivs, iv])
        both = more if self.random.random() < 0.1 else self.add(f"arith.andi {more}, {within} : i1")
        self.lines.append(f"scf.condition({both}) {iv} : index\n}} do {{\n^bb0({iv}x: index):")
        self.block([*ivs, f"{iv}x"], depth + 1)
        self.lines.append(f"scf.yield {self.add(f'arith.addi {iv}x, %c1 : index')} : index\n}}")
        self.lines.append(f"memref.store {result}, %P[{self.index([*ivs, result])}] : memref<6xindex>")

    def store(self, ivs: list[str]) -> None:
        """A store to one of the memories."""
        if self.random.random() < 0.3:
            value = self.random.choice([*ivs, "%c0", "%c3"])
            self.lines.append(f"memref.store {value}, %P[{self.index(ivs)}] : memref<6xindex>")
            return
        one, other = (self.add(f"memref.load %A[{self.index(ivs)}] : memref<6xi32>") for _ in range(2))
        made = self.add(f"arith.addi {one}, {other} : i32")
        self.lines.append(f"memref.store {made}, %A[{self.index(ivs)}] : memref<6xi32>")


def program(random: Random, whiles: bool) -> str:
    """A function `@f(P, A, n, x)`."""
    writer = Writer(random, whiles=whiles)
    writer.block([], 0)
    constants = "\n".join(f"%c{k} = arith.constant {k} : index" for k in (0, 1, 2, 3, 6))
    body = "\n".join(writer.lines)
    return (
        f"func.func @f(%P: memref<6xindex>, %A: memref<6xi32>, %n: index, %x: i32) {{\n{constants}\n{body}\nreturn\n}}"
    )


def covered(pool: TermPool, given: Function, turns: int = LARGE) -> Function | None:
    """The function with its whiles bounded and its spans covered, by these numbers; None where it has none."""
    normal, affine = normalize(pool, given), Affine(64)
    body = bound_trips(pool, given, normal)
    if body == normal and not csr_loops.has_csr_loops(body, affine.index):
        return None
    body = csr_loops.bound_csr_loops(pool, given, body, affine.index, affine.condition)
    return replace(given, body=explicit(sized(pool, body, turns)))


def sized(pool: TermPool, body: csr_loops.Block, turns: int) -> csr_loops.Block:
    """The body with numbers in the place of the leaves: `turns` for whiles, `LARGE` for spans."""
    memo: dict[int, Term] = {}

    def leaf(term: Term) -> Term | None:
        if term.op != csr_loops.LIMIT:
            return None
        return pool.integer(turns if term.attr("name") == TURNS else LARGE)

    return rewrite(body, lambda term: rebuild(pool, term, leaf, memo))


def with_more_turns(pool: TermPool, given: Function, arguments: tuple[Value, ...]) -> Outcome:
    """How the program ends where its whiles may have more turns."""
    found: Outcome | None = None
    for turns in LARGER:
        more = covered(pool, given, turns)
        assert more is not None
        found = compile(more).run(arguments, 100 * STEPS_OF_ALL)
        if isinstance(found, Finished):
            break
    assert found is not None
    return found


def check_seed(seed: int, whiles: bool) -> bool:
    """Whether the program of a seed has spans or whiles; if so, it is run without them."""
    random, pool = Random(seed), TermPool()
    text = program(random, whiles)
    given = read(text, pool)
    form = covered(pool, given)
    if form is None:
        return False
    whole, loops = compile(given), compile(form)
    for _ in range(6):
        bounds: list[Scalar] = [random.randrange(-2, 6) for _ in range(6)]
        values: list[Scalar] = [random.randrange(-9, 9) % (1 << 32) for _ in range(6)]
        arguments: tuple[Value, ...] = (Buffer((6,), bounds), Buffer((6,), values), random.randrange(-2, 6), 0)
        ends = whole.run(arguments, STEPS_OF_ALL), loops.run(arguments, STEPS_OF_ALL)
        if isinstance(ends[0], Finished) and isinstance(ends[1], Undefined):
            ends = ends[0], with_more_turns(pool, given, arguments)
            assert conclusive(ends[1]), f"{ends} on {arguments}\n{text}"
        if isinstance(ends[0], Exhausted) and not isinstance(ends[1], Exhausted):
            assert isinstance(ends[1], Undefined), f"{ends} on {arguments}\n{text}"
        elif conclusive(*ends):
            assert unequal(*ends) is None, f"{unequal(*ends)} on {arguments}\n{text}"
    return True


@pytest.mark.one_in(6)
@pytest.mark.parametrize("whiles", (False, True))
@pytest.mark.parametrize("first", range(0, 60, 30))
def test_such_loops_do_what_they_did(first: int, whiles: bool) -> None:
    assert sum(check_seed(seed, whiles) for seed in range(first, first + 30)) >= 15


@pytest.mark.long
@pytest.mark.parametrize("whiles", (False, True))
@pytest.mark.parametrize("first", range(1000, 3000, 500))
def test_many_such_loops_do_what_they_did(first: int, whiles: bool) -> None:
    assert sum(check_seed(seed, whiles) for seed in range(first, first + 500)) >= 250


# Each side condition, and what would be proved without it

ARGUMENTS = "%P: memref<4xindex>, %E: memref<4xindex>, %A: memref<16xi32>, %B: memref<?xi32>, %x: i32, %y: i32"
LOW, HIGH = (f"  %{name} = memref.load %P[%{at}] : memref<4xindex>\n" for name, at in (("lo", "c0"), ("hi", "c1")))


def over(body: str, lower: str = "%lo", upper: str = "%hi", step: str = "%c1") -> str:
    constants = "  %c2 = arith.constant 2 : index\n  %c3 = arith.constant 3 : index\n"
    return f"{constants}{LOW}{HIGH}  scf.for %k = {lower} to {upper} step {step} {{\n{body}  }}"


STORED = "    memref.store %x, %A[%c0] : memref<16xi32>\n"
EACH = "    memref.store %x, %A[%k] : memref<16xi32>\n"
READ = "    %u = memref.load %B[%k] : memref<?xi32>\n"
GONE = "    memref.store %c0, %P[%c1] : memref<4xindex>\n"
WITHIN = f"""{HIGH}  %end = arith.minsi %hi, %c4 : index
  scf.for %k = %c0 to %end step %c1 {{
{EACH}{GONE}  }}"""
REREAD = f"""  scf.for %k = %c0 to %c4 step %c1 {{
  {HIGH}    %c = arith.cmpi slt, %k, %hi : index
    scf.if %c {{
{EACH}{GONE}    }}
  }}"""
UNKNOWN = """  %t = memref.alloc() : memref<i1>
  scf.for %i = %c0 to %c4 step %c1 {
    %u = memref.load %t[] : memref<i1>
    %one = arith.cmpi sge, %i, %c0 : index
    %two = arith.cmpi slt, %i, %c4 : index
    %c = arith.select %u, %one, %two : i1
    cf.assert %c, "poison"
  }
  memref.dealloc %t : memref<i1>
"""
NOWHERE = """  %t = memref.alloc() : memref<index>
  %hi = memref.load %t[] : memref<index>
  %end = arith.minsi %hi, %c0 : index
  scf.for %k = %c0 to %end step %c1 {
    memref.store %x, %A[%k] : memref<16xi32>
  }
  memref.dealloc %t : memref<index>
"""
WRONG: Final[dict[str, tuple[str, str]]] = {
    "accesses": (over(STORED), over(STORED + READ)),
    "kept": (WITHIN, REREAD),
    "step": (over(EACH), over(EACH, step="%c2")),
    "other step": (over(EACH, step="%c3"), over(EACH, step="%c2")),
    "lower bound": (over(EACH), over(EACH, lower="%c0")),
    "upper bound": (over(EACH, upper="%c4"), over(EACH)),
    "poison": ("", UNKNOWN),
    "bound that is poison": ("", NOWHERE),
}


ENDLESS = """  scf.while : () -> () {
    %s = memref.load %E[%c1] : memref<4xindex>
    %d = arith.cmpi ne, %s, %c4 : index
    scf.condition(%d)
  } do {
    scf.yield
  }
"""


def search(by: str = "ne, %v, %x") -> str:
    """A loop to the first element that is `%x`."""
    return f"""  %r = scf.while (%i = %c0) : (index) -> index {{
    %at = arith.andi %i, %c4 : index
    %v = memref.load %A[%at] : memref<16xi32>
    %c = arith.cmpi {by} : i32
    scf.condition(%c) %i : index
  }} do {{
  ^bb0(%i: index):
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  }}
  memref.store %r, %P[%c0] : memref<4xindex>
"""


TURNING: Final[dict[str, tuple[str, str]]] = {
    "one more that may not end": (search(), search() + ENDLESS),
    "ends elsewhere": (search(), search("ne, %v, %y")),
    "ends at less": (search(), search("slt, %v, %x")),
}


def turned(name: str) -> str | None:
    """What is shown of a pair by a bound on turns."""
    texts = [function(ARGUMENTS, body) for body in TURNING[name]]
    modules = parsed_pair(texts[0], texts[1])
    task = Task(modules, ("f", "f"), (), Switches(), Strategy(), 0, crosscheck=True)
    found = BOUND.prove(Case(task, lambda stage, runs: None), PARTS)
    return None if not isinstance(found, Shown) else "refines" if found.one_way else "equivalent"


@pytest.mark.one_in(6)
@pytest.mark.egraph
@pytest.mark.parametrize("name", TURNING)
def test_a_pair_that_ends_otherwise_is_not_proved(name: str) -> None:
    assert turned(name) is None


@pytest.mark.egraph
def test_what_the_end_of_turns_is_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TripBounder, "ended", lambda self, loop, alive: ())
    assert turned("one more that may not end") is not None


def no_demands(*_: object) -> tuple[()]:
    return ()


DROPPED: Final[dict[str, tuple[object, str, Callable[..., object]]]] = {
    "accesses": (csr_loops.CsrLoopBounder, "_demands", no_demands),
    "kept": (csr_loops.CsrLoopBounder, "_kept", lambda self, bound, loop, out: bound),
    "other step": (csr_loops.CsrLoopBounder, "_on_step", lambda self, *_: self._pool.integer(1, csr_loops.BOOL)),
    "bound that is poison": (csr_loops.CsrLoopBounder, "_proper", no_demands),
    "poison": (static_assertions.Proper, "term", lambda self, statement, term: True),
}
"""Where a side condition is, and what says nothing in its place."""


def shown(name: str) -> str | None:
    source, target = (function(ARGUMENTS, body) for body in WRONG[name])
    return proof(source, target)


@pytest.mark.one_in(2)
@pytest.mark.egraph
@pytest.mark.parametrize("name", WRONG)
def test_a_pair_that_differs_is_not_proved(name: str) -> None:
    assert shown(name) is None


@pytest.mark.egraph
@pytest.mark.parametrize("name", DROPPED)
def test_what_a_side_condition_is_for(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it, the pair that differs would be proved."""
    monkeypatch.setattr(*DROPPED[name])
    assert shown(name) is not None

"""Accesses at subscripts from memory, as loops over all elements: they do what they did, pairs that need it are proved,
and no side condition is idle."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest
from msgspec.structs import replace

from hecv.base.term import TermPool
from hecv.base.value import Buffer, Scalar, Value
from hecv.dataflow.pair_model import Affine
from hecv.normal.branches.if_conversion import convert_branches
from hecv.normal.indirect import gather_loops, scatter_loops
from hecv.normal.passes import normalize
from hecv.program.tree import Function
from hecv.run.interpreter.interpreter import compile

from .running import conclusive, read, unequal
from .test_conditions import function, proof
from .test_normal_form import explicit

EXTENT: Final = 5
FLOATS: Final[tuple[float, ...]] = (0.0, -0.0, 1.5, float("inf"), float("nan"))
SUBSCRIPTS: Final = ("%i{k}", "%p{k}", "%q{k}", "%c1")


def program(random: Random) -> str:
    """A function `@f(P, A, F, n)` with loops that access all three at subscripts from `%P`, and from each other."""
    lines: list[str] = []
    for k in range(random.choice((1, 2))):
        lines.append(f"scf.for %i{k} = %c0 to %n step %c1 {{")
        lines.append(f"%p{k} = memref.load %P[%i{k}] : memref<?xindex>")
        lines.append(f"%q{k} = memref.load %P[%p{k}] : memref<?xindex>")
        guarded = random.random() < 0.4
        if guarded:
            lines.append(f"%g{k} = arith.cmpi slt, %q{k}, %c3 : index\nscf.if %g{k} {{")
        lines += [line for n in range(random.choice((1, 2))) for line in access(random, k, n)]
        lines.append("}" * (1 + guarded))
    body = "\n".join(lines)
    constants = "\n".join(f"%c{k} = arith.constant {k} : index" for k in (0, 1, 3))
    arguments = "%P: memref<?xindex>, %A: memref<?xi8>, %F: memref<?x2xf32>, %n: index"
    return f"func.func @f({arguments}) {{\n{constants}\n{body}\nreturn\n}}"


def access(random: Random, k: int, n: int) -> list[str]:
    """Something is loaded, changed and stored; where it is loaded from and stored to may be the same element."""

    def at() -> str:
        return random.choice(SUBSCRIPTS).format(k=k)

    value = f"%v{k}_{n}"
    if random.random() < 0.3:
        return [
            f"{value} = memref.load %P[{at()}] : memref<?xindex>",
            f"memref.store {value}, %P[{at()}] : memref<?xindex>",
        ]
    if random.random() < 0.5:
        text = "memref<?x2xf32>"
        return [f"{value} = memref.load %F[{at()}, %c1] : {text}", f"memref.store {value}, %F[{at()}, %c0] : {text}"]
    one, two = at(), at()
    op = random.choice(("addi", "xori", "divui"))
    return [
        f"{value}a = memref.load %A[{one}] : memref<?xi8>",
        f"{value}b = memref.load %A[{two}] : memref<?xi8>",
        f"{value} = arith.{op} {value}a, {value}b : i8",
        f"memref.store {value}, %A[{random.choice((one, two, at()))}] : memref<?xi8>",
    ]


def gathered(pool: TermPool, given: Function) -> Function | None:
    """The function with its accesses as loops and its conditions as selections; None where that changes nothing."""
    body = normalize(pool, given)
    made = gather_loops.gathers_as_loops(
        pool, given, body, gather_loops.gathered_memories(pool, given, body, True), True
    )
    made = scatter_loops.scatters_as_loops(
        pool, given, made, scatter_loops.scattered_memories(pool, given, made, True), True
    )
    made = convert_branches(pool, given, made, Affine(64).condition, floats=True)
    return None if made == body else replace(given, body=explicit(made))


def check_seed(seed: int) -> bool:
    random, pool = Random(seed), TermPool()
    text = program(random)
    given = read(text, pool)
    form = gathered(pool, given)
    if form is None:
        return False
    whole, loops = compile(given), compile(form)
    for _ in range(6):
        places: list[Scalar] = [random.randrange(-1, EXTENT + 1) for _ in range(EXTENT)]
        if random.random() < 0.7:
            places = [random.randrange(EXTENT) for _ in range(EXTENT)]
        bits: list[Scalar] = [random.randrange(256) for _ in range(EXTENT)]
        floats: list[Scalar] = [random.choice(FLOATS) for _ in range(2 * EXTENT)]
        arguments: tuple[Value, ...] = (
            Buffer((EXTENT,), places),
            Buffer((EXTENT,), bits),
            Buffer((EXTENT, 2), floats),
            random.randrange(-1, EXTENT + 1),
        )
        ends = whole.run(arguments, 60_000), loops.run(arguments, 60_000)
        if conclusive(*ends):
            assert unequal(*ends) is None, f"{unequal(*ends)} on {arguments}\n{text}"
    return True


@pytest.mark.parametrize("first", range(0, 120, 40))
def test_such_accesses_do_what_they_did(first: int) -> None:
    assert sum(check_seed(seed) for seed in range(first, first + 40)) >= 30


# Pairs in which what is accessed so is also stored to in another order

ARGUMENTS: Final = "%P: memref<4xindex>, %X: memref<?xi32>, %Y: memref<4xi32>, %n: index, %x: i32"
FORWARD: Final = "scf.for %i = %c0 to %n step %c1"
ANY_ORDER: Final = "scf.parallel (%i) = (%c0) to (%n) step (%c1)"


def table(loop: str = FORWARD, place: str = "%i", more: str = "") -> str:
    """A table that is set and then looked up."""
    return f"""  %T = memref.alloc(%n) : memref<?xi32>
  {loop} {{
    %k = arith.subi %n, %i : index
    %l = arith.subi %k, %c1 : index
    %a = memref.load %X[{place}] : memref<?xi32>
    %b = arith.muli %a, %a : i32
    memref.store %b, %T[{place}] : memref<?xi32>
  }}
{more}  scf.for %j = %c0 to %c4 step %c1 {{
    %p = memref.load %P[%j] : memref<4xindex>
    %v = memref.load %T[%p] : memref<?xi32>
    memref.store %v, %Y[%j] : memref<4xi32>
  }}
"""


def scatter(place: str = "%i", order: tuple[str, str] = ("%a", "%b")) -> str:
    """Elements that are set, two of which are then set at places from memory."""
    return f"""  scf.for %i = %c0 to %c4 step %c1 {{
    %k = arith.subi %c4, %i : index
    %l = arith.subi %k, %c1 : index
    %v = memref.load %X[{place}] : memref<?xi32>
    memref.store %v, %Y[{place}] : memref<4xi32>
  }}
  %a = memref.load %P[%c0] : memref<4xindex>
  %b = memref.load %P[%c1] : memref<4xindex>
  %u = memref.load %Y[{order[0]}] : memref<4xi32>
  memref.store %u, %Y[{order[1]}] : memref<4xi32>
"""


def looked_up(where: str, more: str = "") -> str:
    """Values that are looked up in `%X`, or in a copy of it."""
    return f"""  %d = memref.dim %X, %c0 : memref<?xi32>
  %T = memref.alloc(%d) : memref<?xi32>
  memref.copy %X, %T : memref<?xi32> to memref<?xi32>
{more}  scf.for %j = %c0 to %c4 step %c1 {{
    %p = memref.load %P[%j] : memref<4xindex>
    %v = memref.load {where}[%p] : memref<?xi32>
    memref.store %v, %Y[%j] : memref<4xi32>
  }}
  memref.dealloc %T : memref<?xi32>
"""


COUNT: Final = """  %one = arith.constant 1 : i32
  scf.for %i = %c0 to %c4 step %c1 {{
    %k = arith.subi %c4, %i : index
    %l = arith.subi %k, %c1 : index
    memref.store %x, %Y[{place}] : memref<4xi32>
  }}
  scf.for %i = %c0 to %n step %c1 {{
    %p = memref.load %X[%i] : memref<?xi32>
    %q = arith.index_cast %p : i32 to index
    %c = memref.load %Y[%q] : memref<4xi32>
    %d = arith.addi %c, %one : i32
    memref.store %d, %Y[%q] : memref<4xi32>
    %e = arith.index_cast %c : i32 to index
    memref.store {stored}, %P[%e] : memref<4xindex>
  }}
"""
"""A counting sort: where the next element of each kind goes is read, and counted on."""


@pytest.mark.egraph
@pytest.mark.parametrize(
    ("source", "target"),
    [
        (table(), table(place="%l")),
        (table(), table(ANY_ORDER)),
        (scatter(), scatter("%l")),
        (looked_up("%X"), looked_up("%T")),
        (looked_up("%T"), looked_up("%X")),
        (COUNT.format(place="%i", stored="%i"), COUNT.format(place="%l", stored="%i")),
    ],
)
def test_they_are_proved(source: str, target: str) -> None:
    assert proof(function(ARGUMENTS, source), function(ARGUMENTS, target)) == "array dataflow"


RACING: Final = """  {loop} {{
    %p = memref.load %P[%i] : memref<4xindex>
    %y = arith.addi %x, {more} : i32
    memref.store %y, %Y[%p] : memref<4xi32>
  }}
"""
SEQUENTIAL: Final = "scf.for %i = %c0 to %c4 step %c1"
PARALLEL: Final = "scf.parallel (%i) = (%c0) to (%c4) step (%c1)"
SET: Final = """  memref.store %x, %Y[%c0] : memref<4xi32>
  %a = memref.load %P[%c0] : memref<4xindex>
"""
LOOK: Final = "  %w = memref.load %Y[%a] : memref<4xi32>\n"
ITSELF: Final = """  %i = memref.load %Y[%c0] : memref<4xi32>
  %a = arith.index_cast %i : i32 to index
  memref.store %x, %Y[%a] : memref<4xi32>
"""
EACH_TIME: Final = """  %i0 = memref.load %Y[%c0] : memref<4xi32>
  %a0 = arith.index_cast %i0 : i32 to index
  %low = arith.cmpi sge, %a0, %c0 : index
  %high = arith.cmpi slt, %a0, %c4 : index
  cf.assert %low, "low"
  cf.assert %high, "high"
  scf.for %d = %c0 to %c4 step %c1 {
    %i = memref.load %Y[%c0] : memref<4xi32>
    %a = arith.index_cast %i : i32 to index
    %is = arith.cmpi eq, %d, %a : index
    %old = memref.load %Y[%d] : memref<4xi32>
    %v = arith.select %is, %x, %old : i32
    memref.store %v, %Y[%d] : memref<4xi32>
  }
"""
WRONG: Final[dict[str, tuple[str, str]]] = {
    "another place": (table(), table(place="%l").replace("%T[%l]", "%T[%i]")),
    "not set": (table(), table("scf.for %i = %c1 to %n step %c1")),
    "set again": (table(), table(place="%l", more="  memref.store %x, %T[%c0] : memref<?xi32>\n")),
    "scattered from elsewhere": (scatter(), scatter("%l", ("%b", "%a"))),
    "looked up in a copy that is changed": (
        looked_up("%X"),
        looked_up("%T", "  memref.store %x, %T[%c0] : memref<?xi32>\n"),
    ),
    "counted with other values": (COUNT.format(place="%i", stored="%i"), COUNT.format(place="%l", stored="%n")),
    "within": (SET, SET + LOOK),
    "a race": (RACING.format(loop=SEQUENTIAL, more="%x"), RACING.format(loop=PARALLEL, more="%x")),
    "no race": (
        "%zero = arith.constant 0 : i32\n" + RACING.format(loop=PARALLEL, more="%zero"),
        RACING.format(loop=SEQUENTIAL, more="%x"),
    ),
    "each time": (ITSELF, EACH_TIME),
}
DROPPED: Final[dict[str, tuple[object, str, object]]] = {
    "within": (gather_loops.GatherExpander, "demands", lambda *_: ()),
    "no race": (gather_loops, "_racing", lambda *_: set[int]()),
    "each time": (gather_loops, "_read", lambda terms: set()),
}
"""Where a side condition is, and what says nothing in its place."""


def shown(name: str) -> str | None:
    source, target = WRONG[name]
    return proof(function(ARGUMENTS, source), function(ARGUMENTS, target))


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

"""Updates at subscripts from memory, and under conditions on data: as updates of all elements, and by what changes
nothing, they do what they did, and no side condition is idle."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest
from msgspec.structs import replace

from hecv.base.term import TermPool
from hecv.base.value import Buffer, Scalar, Value
from hecv.dataflow import pair_model
from hecv.dataflow.pair_model import Affine
from hecv.normal.branches.if_conversion import convert_branches
from hecv.normal.indirect import scatter_loops
from hecv.normal.memory import reduction_updates
from hecv.normal.passes import normalize
from hecv.program.tree import Function
from hecv.run.interpreter.interpreter import compile

from .running import conclusive, read, unequal
from .test_conditions import function, proof
from .test_normal_form import explicit

EXTENT: Final = 5
FLOATS: Final[tuple[float, ...]] = (0.0, -0.0, 1.5, -2.0, float("inf"), float("nan"))
INTEGERS: Final = ("addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui")
OF_FLOATS: Final = ("addf", "subf", "mulf", "maximumf", "minimumf", "addf", "addf fastmath<reassoc>")


def program(random: Random) -> str:
    """A function `@f(P, A, F, n)` that updates elements of `%A` and `%F` at subscripts from `%P`."""
    lines: list[str] = []
    for k in range(random.choice((1, 2))):
        lines.append(f"scf.for %i{k} = %c0 to %n step %c1 {{")
        lines.append(f"%a{k} = memref.load %P[%{random.choice((f'i{k}', 'c0'))}] : memref<?xindex>")
        guarded = random.random() < 0.5
        if guarded:
            lines.append(f"%g{k} = memref.load %P[%i{k}] : memref<?xindex>")
            lines.append(f"%c{k}x = arith.cmpi slt, %g{k}, %c3 : index\nscf.if %c{k}x {{")
        lines += update(random, k) if random.random() < 0.6 else stored(random, k)
        lines.append("}" * (1 + guarded))
    body = "\n".join(lines)
    constants = "\n".join(f"%c{k} = arith.constant {k} : index" for k in (0, 1, 2, 3))
    arguments = "%P: memref<?xindex>, %A: memref<?xi8>, %F: memref<?x2xf32>, %n: index"
    return f"func.func @f({arguments}) {{\n{constants}\n{body}\nreturn\n}}"


def update(random: Random, k: int) -> list[str]:
    """One update; its other operand is an element, too."""
    floats = random.random() < 0.5
    op, kind = (random.choice(OF_FLOATS), "f32") if floats else (random.choice(INTEGERS), "i8")
    memory, other = ("%F[%a, %c1] : memref<?x2xf32>", "%F[%i, %c0] : memref<?x2xf32>")
    if not floats:
        memory, other = "%A[%a] : memref<?xi8>", "%A[%i] : memref<?xi8>"
    memory, other = (text.replace("%a", f"%a{k}").replace("%i", f"%i{k}") for text in (memory, other))
    name, _, flags = op.partition(" ")
    operands = (f"%o{k}", f"%v{k}")
    if name[:3] != "sub" and random.random() < 0.5:
        operands = operands[::-1]
    return [
        f"%v{k} = memref.load {other}",
        f"%o{k} = memref.load {memory}",
        f"%s{k} = arith.{name} {', '.join(operands)} {flags} : {kind}",
        f"memref.store %s{k}, {memory}",
    ]


def stored(random: Random, k: int) -> list[str]:
    """A row from memory that is stored to, column by column; what is stored may be made of what is there."""
    old, other = (f"%{t}{k} = memref.load %F[%{a}{k}, %j{k}] : memref<?x2xf32>" for t, a in ("oa", "vi"))
    value = random.choice((f"%v{k}", f"%s{k}"))
    lines = [other]
    if value[1] == "s":
        op = random.choice(("divf", "subf", "addf", "addf"))
        operands = random.choice(((f"%o{k}", f"%v{k}"), (f"%v{k}", f"%o{k}"), (f"%o{k}", f"%o{k}")))
        lines += [old, f"%s{k} = arith.{op} {', '.join(operands)} : f32"]
    lines.append(f"memref.store {value}, %F[%a{k}, %j{k}] : memref<?x2xf32>")
    return [f"scf.for %j{k} = %c0 to %c2 step %c1 {{", *lines, "}"]


def without(pool: TermPool, given: Function) -> Function | None:
    """The function with its updates spread and its conditions as selections; None where that changes nothing."""
    body = normalize(pool, given)
    made = scatter_loops.scatters_as_loops(
        pool, given, body, scatter_loops.scattered_memories(pool, given, body, True), True
    )
    made = convert_branches(pool, given, made, Affine(64).condition, floats=True)
    return None if made == body else replace(given, body=explicit(made))


def check_seed(seed: int) -> bool:
    random, pool = Random(seed), TermPool()
    text = program(random)
    given = read(text, pool)
    form = without(pool, given)
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
        ends = whole.run(arguments, 20_000), loops.run(arguments, 20_000)
        if conclusive(*ends):
            assert unequal(*ends) is None, f"{unequal(*ends)} on {arguments}\n{text}"
    return True


@pytest.mark.parametrize("first", range(0, 120, 40))
def test_such_updates_do_what_they_did(first: int) -> None:
    assert sum(check_seed(seed) for seed in range(first, first + 40)) >= 30


# Each side condition, and what would be proved without it

ARGUMENTS = "%P: memref<4xindex>, %H: memref<4xindex>, %A: memref<4xi32>, %F: memref<4xf32>, %x: f32, %D: memref<?xi32>"
ARGUMENTS += ", %W: memref<4x4xi32>"
CONDITION = "  %at = memref.load %P[%c0] : memref<4xindex>\n  %is = arith.cmpi slt, %at, %c4 : index\n"
OLD = "  %old = memref.load %F[%c0] : memref<4xf32>\n"
STORE = "  memref.store %new, %F[%c0] : memref<4xf32>\n"


def sum_of(flags: str = "", zero: str = "-0.0", by: str = "%x") -> tuple[str, str]:
    """An update of a float under a condition, and one by what changes nothing where it does not hold."""
    added = f"  %new = arith.addf %old, {by} {flags} : f32\n"
    always = f"  %z = arith.constant {zero} : f32\n  %v = arith.select %is, {by}, %z : f32\n"
    added_always = added.replace(by, "%v")
    return f"{CONDITION}  scf.if %is {{\n{OLD}{added}{STORE}  }}", f"{CONDITION}{always}{OLD}{added_always}{STORE}"


def beyond(memory: str = "%D", kind: str = "?xi32") -> str:
    """Adds nothing to an element that may not be there."""
    place = f"{memory}[%at] : memref<{kind}>"
    return f"""  %at = memref.load %P[%c0] : memref<4xindex>
  %zero = arith.constant 0 : i32
  %old = memref.load {place}
  %new = arith.addi %old, %zero : i32
  memref.store %new, {place}
"""


SHOWN = """  %seen = arith.bitcast %x : f32 to i32
  memref.store %seen, %A[%c0] : memref<4xi32>
"""
ITSELF = """  %one = arith.constant 1 : i32
  %t = memref.load %A[%c0] : memref<4xi32>
  %u = arith.index_cast %t : i32 to index
  %old = memref.load %A[%u] : memref<4xi32>
  %new = arith.addi %old, %one : i32
  memref.store %new, %A[%u] : memref<4xi32>
"""
EACH_TIME = """  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %t0 = memref.load %A[%c0] : memref<4xi32>
  %u0 = arith.index_cast %t0 : i32 to index
  %low = arith.cmpi sge, %u0, %c0 : index
  %high = arith.cmpi slt, %u0, %c4 : index
  cf.assert %low, "low"
  cf.assert %high, "high"
  scf.for %d = %c0 to %c4 step %c1 {
    %t = memref.load %A[%c0] : memref<4xi32>
    %u = arith.index_cast %t : i32 to index
    %is = arith.cmpi eq, %d, %u : index
    %v = arith.select %is, %one, %zero : i32
    %old = memref.load %A[%d] : memref<4xi32>
    %new = arith.addi %old, %v : i32
    memref.store %new, %A[%d] : memref<4xi32>
  }
"""
DIVIDES = """  %one = arith.constant 1 : i32
  %at = memref.load %P[%c0] : memref<4xindex>
  %a = memref.load %A[%c0] : memref<4xi32>
  %v = arith.divui %one, %a : i32
  %old = memref.load %A[%at] : memref<4xi32>
  %new = arith.subi %old, %v : i32
  memref.store %new, %A[%at] : memref<4xi32>
"""
DIVIDES_EACH_TIME = """  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %at0 = memref.load %P[%c0] : memref<4xindex>
  %low = arith.cmpi sge, %at0, %c0 : index
  %high = arith.cmpi slt, %at0, %c4 : index
  cf.assert %low, "low"
  cf.assert %high, "high"
  scf.for %d = %c0 to %c4 step %c1 {
    %at = memref.load %P[%c0] : memref<4xindex>
    %is = arith.cmpi eq, %d, %at : index
    %a = memref.load %A[%c0] : memref<4xi32>
    %q = arith.divui %one, %a : i32
    %v = arith.select %is, %q, %zero : i32
    %old = memref.load %A[%d] : memref<4xi32>
    %new = arith.subi %old, %v : i32
    memref.store %new, %A[%d] : memref<4xi32>
  }
"""


OF_ROW = "    %at = memref.load %P[%c0] : memref<4xindex>\n"
OF_ITSELF = """    %t = memref.load %W[%c0, %c0] : memref<4x4xi32>
    %at = arith.index_cast %t : i32 to index
"""
CONSTANT = "    %v = arith.constant 1 : i32\n"
DIVIDED = """    %one = arith.constant 1 : i32
    %a = memref.load %W[%c0, %j] : memref<4x4xi32>
    %v = arith.divui %one, %a : i32
"""


def rows(which: str, value: str) -> tuple[str, str]:
    """A store to a row, for each column, and to each row whose number is that of `which`, both evaluated anew."""
    again = which.replace("%at", "%at1").replace("%t ", "%t1 ")
    once = f"""  scf.for %j = %c0 to %c4 step %c1 {{
{which}{value}    memref.store %v, %W[%at, %j] : memref<4x4xi32>
  }}"""
    each = f"""  scf.for %j = %c0 to %c4 step %c1 {{
{which}    %low = arith.cmpi sge, %at, %c0 : index
    %high = arith.cmpi slt, %at, %c4 : index
    cf.assert %low, "low"
    cf.assert %high, "high"
    scf.for %d = %c0 to %c4 step %c1 {{
{again}{value}      %is = arith.cmpi eq, %d, %at1 : index
      %was = memref.load %W[%d, %j] : memref<4x4xi32>
      %new = arith.select %is, %v, %was : i32
      memref.store %new, %W[%d, %j] : memref<4x4xi32>
    }}
  }}"""
    return once, each


WRONG: Final[dict[str, tuple[str, str]]] = {
    "zero": sum_of(zero="0.0"),
    "bits": tuple(SHOWN + part for part in sum_of()),
    "flags": sum_of("fastmath<nnan>"),
    "within": ("", beyond()),
    "subscripts": (ITSELF, EACH_TIME),
    "operands": (DIVIDES, DIVIDES_EACH_TIME),
    "subscripts of rows": rows(OF_ITSELF, CONSTANT),
    "operands of rows": rows(OF_ROW, DIVIDED),
}


def test_a_store_to_a_row_is_one_to_each_element_of_a_column() -> None:
    assert proof(*(function(ARGUMENTS, body) for body in rows(OF_ROW, CONSTANT))) == "array dataflow"


def no_demands(*_: object) -> tuple[()]:
    return ()


DROPPED: Final[dict[str, tuple[object, str, object]]] = {
    "zero": (reduction_updates, "neutral", lambda pool, op, kind: pool.real(0.0, kind)),
    "bits": (pair_model, "_shows_bits", lambda function: False),
    "flags": (reduction_updates, "HARMLESS", frozenset({"nnan"})),
    "within": (scatter_loops.ScatterExpander, "demands", no_demands),
    "subscripts": (scatter_loops, "_read", lambda terms: set()),
    "operands": (scatter_loops, "_decides", lambda *_: False),
    "subscripts of rows": (scatter_loops, "_read", lambda terms: set()),
    "operands of rows": (scatter_loops, "_decides", lambda *_: False),
}
"""Where a side condition is, and what says nothing in its place."""


def shown(name: str) -> str | None:
    source, target = (function(ARGUMENTS, body) for body in WRONG[name])
    return proof(source, target)


@pytest.mark.one_in(8)
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


def test_a_product_of_one_bit_with_one_may_overflow() -> None:
    """Of an i1 the 1 is -1: under `nsw` the product of two is poison, and no element may be multiplied by it."""
    arguments = "%H: memref<8xi1>, %B: memref<8xindex>, %V: memref<8xi1>"
    source = """  affine.for %i = 0 to 8 {
    %b = affine.load %B[%i] : memref<8xindex>
    %v = affine.load %V[%i] : memref<8xi1>
    %x = memref.load %H[%b] : memref<8xi1>
    %y = arith.muli %x, %v overflow<nsw> : i1
    memref.store %y, %H[%b] : memref<8xi1>
  }"""
    target = """  %z = arith.constant 0 : i1
  affine.for %i = 0 to 8 {
    %b = affine.load %B[%i] : memref<8xindex>
    %x = memref.load %H[%b] : memref<8xi1>
    affine.store %z, %H[%i] : memref<8xi1>
  }"""
    assert proof(function(arguments, source), function(arguments, target)) is None

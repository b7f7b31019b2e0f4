"""The normal form: loads attached to the stores that use them, dead stores turned into touches, nothing lost."""

from __future__ import annotations

from itertools import product

import pytest
from msgspec.structs import replace

from hecv.base.term import TermPool
from hecv.base.types import IndexType, IntType
from hecv.base.value import POISON, Buffer, Value
from hecv.mlir.importer import parse, read_function
from hecv.normal.memory import clobbered_loads
from hecv.normal.passes import normalize
from hecv.program.tree import Block, Function, If, Load, Loop, MemoryKind, Statement, Store, Touch, walk
from hecv.run.interpreter.interpreter import Excluded, Exhausted, Outcome, Undefined, compile

HEAD = "func.func @f(%A: memref<6xi32>, %B: memref<6xi32>, %I: memref<6xindex>, %n: index, %x: i32)"


def both(body: str, head: str = HEAD) -> tuple[Function, Function]:
    """The function with that body, and in normal form."""
    pool = TermPool()
    function = read_function(parse(f"{head} {{\n{body}\n}}\n", "f.mlir"), "f", pool)
    return function, replace(function, body=normalize(pool, function))


def explicit(block: Block) -> Block:
    """The block with a touch of its value before each store: in normal form a store evaluates its operators."""
    out: list[Statement] = []
    for statement in block:
        match statement:
            case Store(id=number, value=value):
                out += [Touch(number, (), (value,)), statement]
            case Loop(body=body):
                out.append(replace(statement, body=explicit(body)))
            case If(then=then, otherwise=otherwise):
                out.append(replace(statement, then=explicit(then), otherwise=explicit(otherwise)))
            case _:
                out.append(statement)
    return tuple(out)


def inputs(function: Function) -> list[tuple[Value, ...]]:
    """A few inputs; every element of every array another number, zeros among the scalars."""
    found: list[tuple[Value, ...]] = []
    for size, number in product((-1, 0, 1, 3, 5), (0, 7)):
        values: list[Value] = []
        for argument in function.arguments:
            match argument.type:
                case IndexType():
                    values.append(size)
                case IntType():
                    values.append(number)
                case _:
                    first = 10 * argument.number
                    integers = isinstance(argument.type.element, IntType)
                    data = [first + k if integers else (k + number) % 6 for k in range(6)]
                    values.append(Buffer((6,), [*data]))
        found.append(tuple(values))
    return found


def what(outcome: Outcome) -> object:
    """What an outcome says, without how it came about."""
    assert not isinstance(outcome, Exhausted | Excluded)
    if isinstance(outcome, Undefined):
        return "undefined"
    data = [v.data if isinstance(v, Buffer) else v for v in outcome.arguments]
    return [
        ["poison" if x is POISON else x for x in d] if isinstance(d, list) else d for d in (*outcome.results, *data)
    ]


def check(body: str, head: str = HEAD) -> Function:
    """The normal form, after runs have shown that it does what the function does."""
    given, normal = both(body, head)
    first, second = compile(given), compile(replace(normal, body=explicit(normal.body)))
    for arguments in inputs(given):
        assert what(first.run(arguments)) == what(second.run(arguments)), arguments
    assert not any(isinstance(s, Load) for s in walk(normal.body))
    return normal


def kept(function: Function) -> int:
    """How many loads keep their value in a cell."""
    return sum(m.name.startswith("kept") for m in function.memories().values())


def stores(function: Function, name: str) -> int:
    return sum(isinstance(s, Store) and s.memory.name == name for s in walk(function.body))


def touched(function: Function) -> list[str]:
    """The memories that touches access, in order."""
    names = {m.id: m.name for m in function.memories().values()}
    touches = [s for s in walk(function.body) if isinstance(s, Touch)]
    return [names[int(str(a.attr("memory")))] for s in touches for a in s.accesses]


# A load and its use.


def test_load_used_at_once_is_attached() -> None:
    normal = check(
        """
        %v = affine.load %A[1] : memref<6xi32>
        %w = arith.addi %v, %x : i32
        affine.store %w, %A[1] : memref<6xi32>
        return"""
    )
    assert kept(normal) == 0 and [type(s) for s in normal.body] == [Store]


CLOBBERED = {
    "a store between load and use": """
        %v = affine.load %A[symbol(%n)] : memref<6xi32>
        affine.store %x, %A[1] : memref<6xi32>
        affine.store %v, %B[0] : memref<6xi32>
        return""",
    "the store that uses it is the second": """
        %v = affine.load %A[1] : memref<6xi32>
        affine.store %v, %A[symbol(%n)] : memref<6xi32>
        affine.store %v, %A[3] : memref<6xi32>
        return""",
    "a loop around the use stores": """
        %v = affine.load %A[1] : memref<6xi32>
        affine.for %i = 0 to 3 {
          affine.store %v, %B[%i] : memref<6xi32>
          affine.store %x, %A[%i] : memref<6xi32>
        }
        return""",
    "a loop between load and use stores": """
        %v = affine.load %A[2] : memref<6xi32>
        affine.for %i = 0 to %n {
          affine.store %x, %A[%i] : memref<6xi32>
        }
        affine.store %v, %B[0] : memref<6xi32>
        return""",
    "a branch stores": """
        %v = affine.load %A[2] : memref<6xi32>
        affine.if affine_set<()[s0] : (s0 - 3 >= 0)>()[%n] {
          affine.store %x, %A[2] : memref<6xi32>
        }
        affine.store %v, %B[0] : memref<6xi32>
        return""",
    "the other branch stores": """
        %v = affine.load %A[2] : memref<6xi32>
        affine.if affine_set<()[s0] : (s0 - 3 >= 0)>()[%n] {
          affine.store %v, %B[1] : memref<6xi32>
        } else {
          affine.store %x, %A[2] : memref<6xi32>
          affine.store %v, %B[2] : memref<6xi32>
        }
        return""",
    "a use in a bound, behind a store": """
        %v = affine.load %I[1] : memref<6xindex>
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        memref.store %c1, %I[%c1] : memref<6xindex>
        scf.for %i = %c0 to %v step %c1 {
          memref.store %x, %A[%i] : memref<6xi32>
        }
        return""",
    "a use in a subscript, behind a store": """
        %v = affine.load %I[1] : memref<6xindex>
        %c1 = arith.constant 1 : index
        memref.store %c1, %I[%c1] : memref<6xindex>
        memref.store %x, %A[%v] : memref<6xi32>
        return""",
    "the index of an indirect load is overtaken": """
        %c0 = arith.constant 0 : index
        %p = affine.load %I[1] : memref<6xindex>
        %v = memref.load %A[%p] : memref<6xi32>
        affine.store %c0, %I[1] : memref<6xindex>
        affine.store %v, %B[0] : memref<6xi32>
        return""",
    "what an indirect load read is overtaken": """
        %p = affine.load %I[1] : memref<6xindex>
        %v = memref.load %A[%p] : memref<6xi32>
        affine.store %x, %A[3] : memref<6xi32>
        affine.store %v, %B[0] : memref<6xi32>
        return""",
    "an indirect load through its own array": """
        %c0 = arith.constant 0 : index
        %p = affine.load %I[1] : memref<6xindex>
        %v = memref.load %I[%p] : memref<6xindex>
        %d = arith.constant 1 : index
        %q = arith.subi %p, %d : index
        memref.store %c0, %I[%q] : memref<6xindex>
        affine.store %v, %I[5] : memref<6xindex>
        return""",
    "deallocation before the use": """
        %t = memref.alloc() : memref<2xi32>
        affine.store %x, %t[0] : memref<2xi32>
        %v = affine.load %t[0] : memref<2xi32>
        memref.dealloc %t : memref<2xi32>
        affine.store %v, %A[0] : memref<6xi32>
        return""",
}


@pytest.mark.parametrize("body", CLOBBERED.values(), ids=CLOBBERED)
def test_overtaken_load_keeps_its_value(body: str) -> None:
    assert kept(check(body)) >= 1


def test_what_is_written_too_often_to_look_at_keeps_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """The store that overtakes comes first, and more follow than are looked at."""
    monkeypatch.setattr(clobbered_loads, "MAX_CHANGES", 3)
    stores_apart = "".join(f"  affine.store %x, %A[{n}] : memref<6xi32>\n" for n in range(1, 6))
    body = f"""  %v = affine.load %A[0] : memref<6xi32>
  affine.store %x, %A[0] : memref<6xi32>
{stores_apart}  affine.store %v, %B[0] : memref<6xi32>
  return"""
    assert kept(check(body)) == 1


def test_swapped_yields() -> None:
    """Both values are read at the top of the body, before the cell of the first is written."""
    normal = check(
        """
        %y = affine.load %A[1] : memref<6xi32>
        %a, %b = affine.for %i = 0 to %n iter_args(%p = %x, %q = %y) -> (i32, i32) {
          affine.yield %q, %p : i32, i32
        }
        affine.store %a, %A[2] : memref<6xi32>
        affine.store %b, %A[3] : memref<6xi32>
        return"""
    )
    assert kept(normal) >= 1


def test_rotated_yields_with_work_between() -> None:
    check(
        """
        %y = affine.load %A[1] : memref<6xi32>
        %r:3 = affine.for %i = 0 to %n iter_args(%p = %x, %q = %y, %s = %x) -> (i32, i32, i32) {
          %t = arith.addi %p, %s : i32
          affine.store %t, %B[%i] : memref<6xi32>
          affine.yield %q, %t, %p : i32, i32, i32
        }
        affine.store %r#0, %A[2] : memref<6xi32>
        affine.store %r#1, %A[3] : memref<6xi32>
        affine.store %r#2, %A[4] : memref<6xi32>
        return"""
    )


def test_use_in_the_same_iteration_only() -> None:
    """A store at the end of the body does not overtake a load at its top that is used before."""
    normal = check(
        """
        affine.for %i = 0 to 5 {
          %v = affine.load %A[%i] : memref<6xi32>
          affine.store %v, %A[%i + 1] : memref<6xi32>
        }
        return"""
    )
    assert kept(normal) == 0


def test_dead_load_out_of_bounds() -> None:
    normal = check("%v = affine.load %A[symbol(%n) + 2] : memref<6xi32>\nreturn")
    assert touched(normal) == ["A"]


def test_dead_division() -> None:
    check("%c = arith.constant 8 : i32\n%v = arith.divsi %c, %x : i32\nreturn")


def test_division_only_one_branch_uses() -> None:
    check(
        """
        %c = arith.constant 8 : i32
        %v = arith.divsi %c, %x : i32
        affine.if affine_set<()[s0] : (s0 - 3 >= 0)>()[%n] {
          affine.store %v, %A[0] : memref<6xi32>
        }
        return"""
    )


# What the bounds of loops show.

FROM = "affine.for %i = affine_map<()[n] -> (n floordiv 2)>()[%n] to"
WITHIN = """affine.for %o = 0 to affine_map<()[n] -> ((n floordiv 3) * 3)>()[%n] step 3 {
  affine.for %i = 0 to 1 { affine.if affine_set<(o)[n] : (n - o - K >= 0)>(%o)[%n] {
    affine.store %x, %A[%o] : memref<6xi32> } } }
return"""


@pytest.mark.parametrize("end, left", [("(2 * n) floordiv 4", 0), ("n floordiv 2 - 1", 0), ("(n + 1) floordiv 2", 1)])
def test_a_loop_that_never_runs_is_left_out(end: str, left: int) -> None:
    normal = check(f"{FROM} affine_map<()[n] -> ({end})>()[%n] {{ affine.store %x, %A[5] : memref<6xi32> }}\nreturn")
    assert sum(isinstance(s, Loop) for s in walk(normal.body)) == left


@pytest.mark.parametrize("needed, left", [(3, 0), (4, 1)])
def test_a_branch_that_is_known_is_left_out(needed: int, left: int) -> None:
    """What strides through whole steps stays a step below the end."""
    normal = check(WITHIN.replace("K", str(needed)))
    assert sum(isinstance(s, If) for s in walk(normal.body)) == left


@pytest.mark.parametrize("needed, left", [(3, 0), (4, 1)])
def test_what_is_asserted_is_known_afterwards(needed: int, left: int) -> None:
    branch = f"affine.if affine_set<()[n] : (n - {needed} >= 0)>()[%n] {{ affine.store %x, %A[0] : memref<6xi32> }}"
    normal = check(
        f"""
        affine.if affine_set<()[n] : (n - 3 >= 0)>()[%n] {{ affine.store %x, %A[1] : memref<6xi32> }}
        %c = arith.constant 3 : index
        %holds = arith.cmpi sge, %n, %c : index
        cf.assert %holds, "n"
        {branch}
        return"""
    )
    assert sum(isinstance(s, If) for s in walk(normal.body)) == 1 + left


# What raising may not lose: bounds, traps and poison of what cancels.


@pytest.mark.parametrize(
    "index",
    [
        "%p = memref.load %I[%m] : memref<6xindex>\n%z = arith.subi %p, %p : index",
        "%p = memref.load %I[%m] : memref<6xindex>\n%z = arith.muli %p, %c0 : index",
        "%p = arith.divsi %m, %n : index\n%z = arith.muli %p, %c0 : index",
        "%p = arith.remsi %m, %n : index\n%z = arith.subi %p, %p : index",
    ],
)
@pytest.mark.parametrize(
    "use",
    [
        "memref.store %x, %A[%z] : memref<6xi32>",
        "%v = memref.load %A[%z] : memref<6xi32>\naffine.store %v, %B[0] : memref<6xi32>",
        "scf.for %i = %z to %c1 step %c1 {\n affine.store %x, %A[0] : memref<6xi32>\n }",
        "%c = arith.cmpi eq, %z, %c0 : index\nscf.if %c {\n affine.store %x, %A[0] : memref<6xi32>\n }",
    ],
)
def test_what_cancels_in_an_index_still_happens(index: str, use: str) -> None:
    constants = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c3 = arith.constant 3 : index"
    check(f"{constants}\n%m = arith.addi %n, %c3 : index\n{index}\n{use}\nreturn")


# Overwritten stores.


def test_dead_store_out_of_bounds() -> None:
    """The address of a dead store is still accessed: `n = 5` is out of bounds."""
    check(
        """
        affine.store %x, %A[symbol(%n) + 1] : memref<6xi32>
        affine.store %x, %A[symbol(%n) + 1] : memref<6xi32>
        return"""
    )


def test_indirect_subscript_that_changes() -> None:
    """`A[I[1]]` is written twice, but not the same element."""
    normal = check(
        """
        %c0 = arith.constant 0 : index
        %p = affine.load %I[1] : memref<6xindex>
        memref.store %x, %A[%p] : memref<6xi32>
        affine.store %c0, %I[1] : memref<6xindex>
        %q = affine.load %I[1] : memref<6xindex>
        %c9 = arith.constant 9 : i32
        memref.store %c9, %A[%q] : memref<6xi32>
        return"""
    )
    assert stores(normal, "A") == 2


def test_divisor_of_a_dead_store() -> None:
    """The store to `B[0]` feeds a division whose result is overwritten: with `x = 0` it is undefined."""
    check(
        """
        %c9 = arith.constant 9 : i32
        affine.store %x, %B[0] : memref<6xi32>
        %b = affine.load %B[0] : memref<6xi32>
        %d = arith.divsi %c9, %b : i32
        affine.store %d, %A[0] : memref<6xi32>
        affine.store %c9, %A[0] : memref<6xi32>
        affine.store %c9, %B[0] : memref<6xi32>
        return"""
    )


def test_store_to_memory_of_the_next_iteration() -> None:
    """A local memory is new in each iteration; what is not written is poison."""
    check(
        """
        affine.for %i = 0 to %n {
          %t = memref.alloca() : memref<2xi32>
          affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%i) {
            affine.store %x, %t[0] : memref<2xi32>
          }
          %v = affine.load %t[0] : memref<2xi32>
          affine.store %v, %A[%i] : memref<6xi32>
        }
        return"""
    )


def test_results_are_stored_once() -> None:
    normal = check("%v = affine.load %A[1] : memref<6xi32>\nreturn %v, %x : i32, i32", f"{HEAD} -> (i32, i32)")
    assert sum(isinstance(s, Store) and s.memory.kind is MemoryKind.RESULT for s in walk(normal.body)) == 2

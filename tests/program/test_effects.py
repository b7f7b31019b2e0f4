"""Assertions, calls and constant globals in the normal form, in re-rolled loops and under conditions."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from hecv.base.term import TermPool, literal
from hecv.base.value import Buffer
from hecv.mlir.importer import parse, read_function
from hecv.normal.branches.if_conversion import ASSERT, convert_branches
from hecv.normal.loops.rerolling import reroll
from hecv.normal.passes import normalize
from hecv.program.graph_export import to_dot, to_json
from hecv.program.structural_equality import same_program
from hecv.program.tree import Assert, Call, Function, Loop, Store, Touch, walk
from hecv.program.tree_printer import render
from hecv.run.interpreter.interpreter import Finished, Undefined, compile

HEAD = """
memref.global "private" constant @w : memref<3xi32> = dense<[5, 6, 7]>
memref.global "private" constant @z : memref<4xi32> = dense<9>
func.func private @h(memref<6xi32>)
func.func private @k()
"""


def normal(body: str, arguments: str = "%A: memref<6xi32>, %n: index, %x: i32") -> tuple[TermPool, Function, Function]:
    """The function of that body, and in normal form."""
    pool = TermPool()
    text = f"{HEAD}func.func @f({arguments}) {{\n{body}\nreturn\n}}\n"
    function = read_function(parse(text, "f.mlir"), "f", pool)
    return pool, function, replace(function, body=normalize(pool, function))


@pytest.mark.parametrize("call", ["call @h(%A) : (memref<6xi32>) -> ()", "call @k() : () -> ()"])
def test_a_load_does_not_move_over_a_call(call: str) -> None:
    load = "%v = affine.load %A[0] : memref<6xi32>"
    store = "affine.store %v, %A[1] : memref<6xi32>"
    _, _, kept = normal(f"{load}\n{call}\n{store}")
    assert "store %kept" in render(kept).splitlines()[-2]
    _, _, attached = normal(f"{call}\n{load}\n{store}")
    assert "store %A[0], %A[1]" in render(attached)


def test_a_load_does_not_move_over_a_call_in_a_loop() -> None:
    _, _, found = normal(
        """
        %v = affine.load %A[0] : memref<6xi32>
        affine.for %i = 0 to 2 {
          affine.store %v, %A[1] : memref<6xi32>
          func.call @k() : () -> ()
        }
        """
    )
    assert "store %kept" in render(found)


def test_what_a_call_returns_is_read_after_it() -> None:
    pool = TermPool()
    text = "func.func private @g() -> i32\nfunc.func @f() -> i32 { %r = call @g() : () -> i32\nreturn %r : i32 }"
    function = read_function(parse(text, "f.mlir"), "f", pool)
    lines = render(replace(function, body=normalize(pool, function))).splitlines()
    assert lines[-3].endswith("= call @g() reaching []")
    assert lines[-2].startswith("  store %cell")


def test_a_load_moves_over_an_assertion_and_is_read_by_it() -> None:
    _, _, found = normal(
        """
        %v = affine.load %A[0] : memref<6xi32>
        %c = arith.cmpi eq, %v, %x : i32
        cf.assert %c, "equal"
        affine.store %v, %A[1] : memref<6xi32>
        """
    )
    assert "assert arith.cmpi[eq](%A[0], %x)" in render(found)
    assert "store %A[0], %A[1]" in render(found)


def test_an_assertion_reads_what_was_there() -> None:
    _, _, found = normal(
        """
        %v = affine.load %A[0] : memref<6xi32>
        %c = arith.cmpi eq, %v, %x : i32
        affine.store %x, %A[0] : memref<6xi32>
        cf.assert %c, "equal"
        """
    )
    assert "assert arith.cmpi[eq](%kept" in render(found)


def test_constants_fold_where_the_place_is_known() -> None:
    _, function, found = normal(
        """
        %w = memref.get_global @w : memref<3xi32>
        %z = memref.get_global @z : memref<4xi32>
        %a = affine.load %w[1] : memref<3xi32>
        %b = memref.load %z[%n] : memref<4xi32>
        %c = memref.load %w[%n] : memref<3xi32>
        affine.store %a, %A[0] : memref<6xi32>
        affine.store %b, %A[1] : memref<6xi32>
        affine.store %c, %A[2] : memref<6xi32>
        """
    )
    stored = [s.value for s in walk(found.body) if isinstance(s, Store)]
    assert [literal(t) for t in stored] == [6, 9, None]
    touched = [s for s in walk(found.body) if isinstance(s, Touch)]
    assert len(touched) == 2  # %n may be out of bounds whatever the constant holds
    run = compile(found).run
    assert isinstance(run([Buffer((6,), [0] * 6), 3, 0]), Undefined)
    end, same = (compile(f).run([Buffer((6,), [0] * 6), 2, 0]) for f in (found, function))
    assert isinstance(end, Finished) and isinstance(same, Finished)
    assert end.arguments == same.arguments == (Buffer((6,), [6, 9, 7, 0, 0, 0]), 2, 0)


def test_a_load_from_a_constant_out_of_bounds_does_not_fold() -> None:
    _, _, found = normal(
        """
        %w = memref.get_global @w : memref<3xi32>
        %c5 = arith.constant 5 : index
        %a = memref.load %w[%c5] : memref<3xi32>
        affine.store %a, %A[0] : memref<6xi32>
        """
    )
    assert isinstance(compile(found).run([Buffer((6,), [0] * 6), 3, 0]), Undefined)


def test_what_loops_imply_is_not_asserted_again() -> None:
    _, function, found = normal(
        """
        %s = memref.subview %A[1] [4] [1] : memref<6xi32> to memref<4xi32, strided<[1], offset: 1>>
        affine.for %i = 0 to 4 { affine.store %x, %s[%i] : memref<4xi32, strided<[1], offset: 1>> }
        memref.store %x, %s[%n] : memref<4xi32, strided<[1], offset: 1>>
        """
    )
    assert sum(isinstance(s, Assert) for s in walk(function.body)) == 2
    assert [type(s) for s in found.body] == [Loop, Assert, Store]


def test_copies_with_assertions_roll() -> None:
    lines = []
    for k in range(6):
        lines.append(f"%v{k} = affine.load %A[{k}] : memref<6xi32>")
        lines.append(f'%c{k} = arith.cmpi sge, %v{k}, %x : i32\ncf.assert %c{k}, "large"')
    pool, function, found = normal("\n".join(lines))
    rolled = replace(found, body=reroll(pool, found, found.body))
    assert [type(s) for s in rolled.body] == [Loop]
    for data in ([3] * 6, [3, 3, 3, 3, 3, 1]):
        ends = [compile(f).run([Buffer((6,), [*data]), 0, 2]) for f in (function, rolled)]
        assert type(ends[0]) is type(ends[1]) is (Finished if min(data) >= 2 else Undefined)


def test_copies_with_calls_do_not_roll() -> None:
    pool, _, found = normal("\n".join(["call @h(%A) : (memref<6xi32>) -> ()"] * 4))
    rolled = reroll(pool, found, found.body)
    assert [type(s) for s in rolled] == [Call] * 4


@pytest.mark.parametrize(("value", "condition", "fails"), [(0, 1, True), (0, 0, False), (1, 1, False)])
def test_an_assertion_under_data_holds_only_there(value: int, condition: int, fails: bool) -> None:
    pool, function, found = normal(
        """
        %zero = arith.constant 0 : i32
        %v = affine.load %A[0] : memref<6xi32>
        %c = arith.cmpi ne, %v, %zero : i32
        scf.if %c {
          %d = arith.cmpi ne, %x, %zero : i32
          cf.assert %d, "x"
        }
        """
    )
    straight = replace(found, body=convert_branches(pool, found, found.body, lambda condition: False))
    assert any(isinstance(s, Touch) and s.guarded and [t.op for t in s.terms] == [ASSERT] for s in straight.body)
    for form in (function, found, straight):
        end = compile(form).run([Buffer((6,), [condition] * 6), 0, value])
        assert isinstance(end, Undefined) == fails


def test_identity_sees_assertions_and_calls() -> None:
    pool = TermPool()
    text = HEAD + 'func.func @f(%c: i1, %d: i1) {{ cf.assert %{0}, "x"\ncall @{1}() : () -> ()\nreturn }}\n'
    text = text.replace("@h(memref<6xi32>)", "@h()")
    base, again, other, called = (
        read_function(parse(text.format(*words), "f.mlir"), "f", pool) for words in ("ch", "ch", "dh", "ck")
    )
    assert same_program(base, again)
    assert not same_program(base, other)
    assert not same_program(base, called)


def test_export_holds_them() -> None:
    _, function, _ = normal(
        "memref.get_global @w : memref<3xi32>\n%c = arith.cmpi eq, %x, %x : i32\n"
        'cf.assert %c, "x"\ncall @k() : () -> ()'
    )
    data = to_json(function)
    assert [s["kind"] for s in data["body"]] == ["assert", "call"]
    assert data["body"][1]["callee"] == "k"
    assert len(data["constants"][0]["contents"]) == 3
    assert "assert" in to_dot(function)

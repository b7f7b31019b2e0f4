"""Reading control flow: while loops, regions of several blocks, parallel loops, switches."""

from __future__ import annotations

import pytest

from hecv.base.diagnostics import Unsupported
from hecv.base.term import TermPool
from hecv.base.value import Buffer
from hecv.mlir.control.cfg_structuring import Guarded, Repeat, Shape, Visit, structure
from hecv.mlir.importer import parse, read_function
from hecv.mlir.read.function_reader import DEEPEST_NEST
from hecv.program.tree_printer import render
from hecv.run.interpreter.interpreter import Exhausted, Finished, compile


def tree(text: str) -> str:
    """The function `@f` as text."""
    return render(read_function(parse(text, "f.mlir"), "f", TermPool()))


def refusal(text: str) -> str:
    with pytest.raises(Unsupported) as caught:
        tree(text)
    return f"{caught.value.location}: {caught.value.text}"


# Graphs


def test_a_diamond_joins_behind_its_branch() -> None:
    found = structure([(1, 2), (3,), (3,), ()], 3)
    first, second = found.items
    assert isinstance(first, Visit)
    assert sorted(first.inline) == [1, 2]
    assert second == Visit(3, {})
    assert not found.selected


def test_a_header_that_leaves_is_a_while_loop() -> None:
    (before, loop, after) = structure([(1,), (2, 3), (1,), ()], 3).items
    assert isinstance(before, Visit) and isinstance(loop, Repeat) and after == Visit(3, {})
    assert loop.shape is Shape.WHILE


def test_a_block_that_repeats_itself_tests_at_its_end() -> None:
    (_, loop, _) = structure([(1,), (1, 2), ()], 2).items
    assert isinstance(loop, Repeat)
    assert loop.shape is Shape.DO_WHILE


def test_two_ways_out_of_a_loop_are_selected() -> None:
    found = structure([(1,), (2, 4), (1, 3), (5,), (5,), ()], 5)
    loop = found.items[1]
    assert isinstance(loop, Repeat)
    assert loop.shape is Shape.SELECTED
    assert {1, 3, 4} <= found.selected
    assert any(isinstance(item, Guarded) for item in found.items)


def test_two_ways_into_a_loop_are_behind_a_gate() -> None:
    found = structure([(1, 2), (2, 3), (1, 3), ()], 3)
    before, loop, after = found.items
    assert before == Visit(0, {}) and after == Visit(3, {})
    assert isinstance(loop, Repeat) and loop.header == 4
    assert loop.shape is Shape.SELECTED
    (gate,) = loop.items
    assert isinstance(gate, Visit) and sorted(gate.inline) == [1, 2]
    assert found.gates == {4: [1, 2]}
    assert found.selected == {1, 2, 3}


def test_what_nothing_reaches_is_no_way_into_a_loop() -> None:
    found = structure([(1,), (2,), (1, 3), (), (2,)], 3)
    assert not found.gates


def test_a_loop_with_two_ways_in_within_one() -> None:
    """Behind the gate of the outer loop stands a loop that has its own."""
    found = structure([(1, 3), (2,), (1, 3, 5), (2, 4), (3, 1, 5), ()], 5)
    assert found.gates[6] == [1, 3]


def test_blocks_that_nothing_reaches_are_left_out() -> None:
    assert structure([(2,), (2,), ()], 2).items == [Visit(0, {}), Visit(2, {})]


# Regions of several blocks


@pytest.mark.parametrize("leave", ["^end", "^b0"], ids=["branches", "loops"])
def test_blocks_that_are_nested_too_deep_are_unsupported(leave: str) -> None:
    """They ended the check: so deep is the nest of a long chain of blocks of which each may leave it."""
    chain = [f"^b{k}:\n  cf.cond_br %c, ^b{k + 1}, {leave.replace('0', str(k))}\n" for k in range(600)]
    text = f"func.func @f(%c: i1) {{\n  cf.br ^b0\n{''.join(chain)}^b600:\n  cf.br ^end\n^end:\n  return\n}}"
    if leave == "^end":
        assert refusal(text).endswith("its branches and loops are nested too deep")
    else:
        assert tree(text).count("while {") == 600  # one behind the other


def test_a_loop_of_blocks() -> None:
    text = tree("""
func.func @f(%n: index, %A: memref<?xf32>, %x: f32) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0 : index)
^head(%i: index):
  %c = arith.cmpi slt, %i, %n : index
  cf.cond_br %c, ^body, ^end
^body:
  memref.store %x, %A[%i] : memref<?xf32>
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j : index)
^end:
  return %i : index
}""")
    assert "while {" in text
    assert "} condition arith.cmpi[slt](r0, %n) do {" in text
    assert "store %x, %A[r0]" in text


def test_several_returns() -> None:
    text = tree("""
func.func @f(%c: i1, %x: f32, %y: f32) -> f32 {
  cf.cond_br %c, ^a, ^b
^a:
  return %x : f32
^b:
  return %y : f32
}""")
    assert text.count("if %c {") == 1
    assert text.index("store %x") < text.index("} else {") < text.index("store %y")


def test_a_switch_is_a_chain_of_branches() -> None:
    text = tree("""
func.func @f(%k: i8, %x: f32, %A: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  cf.switch %k : i8, [default: ^end, 3: ^a, -1: ^b]
^a:
  memref.store %x, %A[%c0] : memref<4xf32>
  cf.br ^end
^b:
  cf.br ^end
^end:
  return
}""")
    assert "if arith.cmpi[eq](%k, 3 : i8) {" in text
    assert "if arith.cmpi[eq](%k, -1 : i8) {" in text


def _wide(count: int) -> tuple[str, str]:
    """Switches of so many cases: of blocks, and of regions."""
    cases = "".join(f", {k}: ^b" for k in range(count))
    blocks = f"  cf.switch %k : i32, [default: ^a{cases}]\n^a:\n  return %k : i32\n^b:\n  return %x : i32\n"
    regions = "".join(f"case {k} {{\n  scf.yield %x : i32\n}}\n" for k in range(count))
    return (
        f"func.func @f(%k: i32, %x: i32) -> i32 {{\n{blocks}}}",
        f"func.func @f(%k: index, %x: i32, %y: i32) -> i32 {{\n%r = scf.index_switch %k -> i32\n{regions}"
        "default {\n  scf.yield %y : i32\n}\nreturn %r : i32\n}",
    )


@pytest.mark.parametrize("which", [0, 1], ids=["blocks", "regions"])
def test_a_switch_of_many_cases_is_a_deep_nest(which: int) -> None:
    """Each of its cases stands behind those before it: with some hundred the check ended with an internal error."""
    assert tree(_wide(60)[which]).count("if ") >= 60
    assert refusal(_wide(700)[which]).endswith(f"nested deeper than {DEEPEST_NEST} levels")


def test_unreachable_is_a_false_assertion() -> None:
    text = tree("func.func @f(%c: i1) {\n  cf.cond_br %c, ^a, ^b\n^a:\n  return\n^b:\n  ub.unreachable\n}")
    assert "assert false" in text


@pytest.mark.parametrize("edges", ["%left, ^a(%z1 : i32), ^b(%z1 : i32)", "%again, ^b(%z1 : i32), ^a(%z1 : i32)"])
def test_an_inner_loop_that_is_selected_names_where_it_is_left_to(edges: str) -> None:
    """Both edges of its last block are passed, that to its header first, whichever the branch names first."""
    text = f"""
func.func @f(%n: i32) -> i32 {{
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  cf.br ^a(%n : i32)
^a(%x: i32):
  %x1 = arith.subi %x, %c1 : i32
  %p = arith.cmpi sgt, %x1, %c0 : i32
  cf.cond_br %p, ^b(%x1 : i32), ^m
^m:
  %q = arith.cmpi eq, %x1, %c0 : i32
  cf.cond_br %q, ^b(%x1 : i32), ^end(%x1 : i32)
^b(%z: i32):
  %z1 = arith.subi %z, %c2 : i32
  %left = arith.cmpi slt, %z1, %c1 : i32
  %again = arith.cmpi sge, %z1, %c1 : i32
  cf.cond_br {edges}
^end(%e: i32):
  return %e : i32
}}"""
    ended = compile(read_function(parse(text, "f.mlir"), "f", TermPool())).run((5,), 100)
    assert isinstance(ended, Finished) and ended.results == (2**32 - 1,)


TWO_WAYS_IN = """
func.func @f(%c: i1, %n: i32, %A: memref<8xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  cf.cond_br %c, ^a(%n : i32), ^b(%n : i32)
^a(%i: i32):
  %j = arith.subi %i, %one : i32
  memref.store %j, %A[%c0] : memref<8xi32>
  %more = arith.cmpi sgt, %j, %one : i32
  cf.cond_br %more, ^b(%j : i32), ^end(%j : i32)
^b(%k: i32):
  %l = arith.muli %k, %k : i32
  cf.br ^a(%l : i32)
^end(%r: i32):
  return %r : i32
}"""


def test_a_loop_of_blocks_with_two_ways_in() -> None:
    text = tree(TWO_WAYS_IN)
    assert text.count("while {") == 1
    assert text.count("arith.muli(") == text.count("arith.subi(") == 1


def test_a_loop_with_many_ways_in_is_a_deep_nest() -> None:
    """Behind its gate each stands behind those before it."""
    edges = ", ".join(f"{k}: ^w{k}" for k in range(1, 100))
    ways = "".join(f"^w{k}:\n  cf.br ^w{(k + 1) % 200}\n" for k in range(100))
    others = "".join(f"^w{k}:\n  cf.br ^w{(k + 1) % 200}\n" for k in range(100, 200))
    more = edges.replace("1: ^w1,", "1: ^w101,")
    for k in range(2, 100):
        more = more.replace(f" {k}: ^w{k},", f" {k}: ^w{k + 100},")
    text = f"""func.func @f(%c: i1, %k: i32) {{
  cf.cond_br %c, ^a, ^b
^a:
  cf.switch %k : i32, [default: ^w0, {edges}]
^b:
  cf.switch %k : i32, [default: ^w100, {more}]
{ways}{others}}}"""
    assert refusal(text).endswith(f"nested deeper than {DEEPEST_NEST} levels")


def test_a_loop_with_two_ways_in_does_not_hand_on_memrefs() -> None:
    found = refusal("""
func.func @f(%c: i1, %A: memref<8xi32>, %B: memref<8xi32>) {
  cf.cond_br %c, ^a(%A : memref<8xi32>), ^b
^a(%m: memref<8xi32>):
  cf.cond_br %c, ^b, ^end
^b:
  cf.br ^a(%B : memref<8xi32>)
^end:
  return
}""")
    assert "a loop with several ways in hands on a memref" in found


def test_a_memref_does_not_leave_its_block() -> None:
    found = refusal("""
func.func @f(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  cf.br ^loop(%c0 : index)
^loop(%i: index):
  %A = memref.alloc() : memref<4xf32>
  %c = arith.cmpi slt, %i, %n : index
  cf.cond_br %c, ^loop(%n : index), ^end
^end:
  memref.store %x, %A[%c0] : memref<4xf32>
  return
}""")
    assert "%A is used after the loop that allocates it" in found


# Structured ops


def test_an_execute_region_is_its_region() -> None:
    text = tree("""
func.func @f(%x: f32) -> f32 {
  %r = scf.execute_region -> f32 { scf.yield %x : f32 }
  return %r : f32
}""")
    assert "store %x, %result0" in text


def test_an_index_switch() -> None:
    text = tree("""
func.func @f(%k: index, %x: f32, %y: f32) -> f32 {
  %r = scf.index_switch %k -> f32
  case 2 { scf.yield %x : f32 }
  case 5 { scf.yield %y : f32 }
  default { scf.yield %x : f32 }
  return %r : f32
}""")
    assert text.index("(%k, 2)") < text.index("(%k, 5)")


def test_parallel_loops_are_marked() -> None:
    text = tree("""
func.func @f(%n: index, %A: memref<?x?xf32>, %x: f32) {
  affine.parallel (%i, %j) = (max(%n, 3), 0) to (min(%n, 100), 5) step (2, 1) {
    affine.store %x, %A[%i, %j] : memref<?x?xf32>
  }
  scf.forall (%i) = (1) to (%n) step (2) {
    memref.store %x, %A[%i, %i] : memref<?x?xf32>
  }
  return
}""")
    assert "parallel %i0 = max(%n, 3) to min(%n, 100) step 2 {" in text
    assert "parallel %i1 = 0 to 5 {" in text
    assert "parallel %i0 = 1 to %n step 2 {" in text


REDUCTION = """
func.func @f(%n: index, %A: memref<?x{type}>, %x: {type}) -> {type} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%x) -> {type} {{
    %v = memref.load %A[%i] : memref<?x{type}>
    scf.reduce(%v : {type}) {{
    ^bb0(%l: {type}, %m: {type}):
      %s = {op} : {type}
      scf.reduce.return %s : {type}
    }}
  }}
  return %r : {type}
}}"""


@pytest.mark.parametrize(
    ("op", "kind"),
    [("arith.addi %l, %m", "i32"), ("arith.maxui %m, %l", "i8"), ("arith.maximumf %l, %m", "f32")],
)
def test_reductions_that_have_one_value(op: str, kind: str) -> None:
    assert f"store {op.split()[0]}(r1, r0), %cell" in tree(REDUCTION.format(op=op, type=kind))


@pytest.mark.parametrize(
    ("op", "kind", "why"),
    [
        ("arith.subf %l, %m", "f32", "a floating-point reduction in any order has no one value (`arith.subf`)"),
        ("arith.subi %l, %m", "i32", "has no one value (`arith.subi`)"),
        ("arith.addi %l, %l", "i32", "a reduction that is no op of its two operands"),
        ("arith.addi %l, %m overflow<nsw>", "i32", "may overflow in one order and not in another"),
    ],
)
def test_reductions_that_have_none(op: str, kind: str, why: str) -> None:
    assert why in refusal(REDUCTION.format(op=op, type=kind))


def _endless(kind: str) -> str:
    return f"func.func @f(%x: {kind}) -> {kind} {{\n  cf.br ^a\n^a:\n  cf.br ^a\n^b:\n  return %x : {kind}\n}}\n"


@pytest.mark.parametrize("kind", ["i32", "vector<2xi32>", "tensor<2xi32>"])
def test_the_result_of_what_never_returns_is_allocated(kind: str) -> None:
    function = read_function(parse(_endless(kind), "f.mlir"), "f", TermPool())
    given = tuple(0 if a.memory is None else Buffer((2,), [0, 0]) for a in function.inputs())
    assert isinstance(compile(function).run(given, 100), Exhausted)


def test_a_memref_that_is_never_returned() -> None:
    assert refusal(_endless("memref<2xi32>")).endswith("a memref is the result of code that never ends")


RETURN = "^b:\n  return %x : {kind}\n"


@pytest.mark.parametrize("kind", ["i32", "vector<2xi32>", "tensor<2xi32>"])
def test_a_function_without_a_return(kind: str) -> None:
    text = _endless(kind).replace(RETURN.format(kind=kind), "")
    function = read_function(parse(text, "f.mlir"), "f", TermPool())
    given = tuple(0 if a.memory is None else Buffer((2,), [0, 0]) for a in function.inputs())
    assert len(function.results) == 1
    assert isinstance(compile(function).run(given, 100), Exhausted)


def test_a_memref_of_a_function_without_a_return() -> None:
    kind = "memref<2xi32>"
    text = _endless(kind).replace(RETURN.format(kind=kind), "")
    assert refusal(text).endswith("a memref is the result of code that never ends")


@pytest.mark.parametrize(
    "body",
    [
        "%r = func.call @g(%x) : (i32) -> i32\nreturn %r : i32",
        "%r = scf.execute_region -> i32 {\n  cf.br ^a\n^a:\n  cf.br ^a\n}\nreturn %r : i32",
        "ub.unreachable",
    ],
    ids=["call", "region", "unreachable"],
)
def test_what_never_ends_within_a_function(body: str) -> None:
    endless = _endless("i32").replace(RETURN.format(kind="i32"), "").replace("func @f", "func private @g")
    function = read_function(
        parse(f"func.func @f(%x: i32) -> i32 {{\n{body}\n}}\n{endless}", "f.mlir"), "f", TermPool()
    )
    assert not isinstance(compile(function).run((0,), 100), Finished)


def test_the_end_is_not_followed_by_what_never_comes_to_it() -> None:
    found = structure([(1, 2), (4, 3), (4, 3), (5,), (), ()], 5)
    assert [type(item) for item in found.items] == [Visit, Guarded, Guarded]
    assert 5 in found.selected

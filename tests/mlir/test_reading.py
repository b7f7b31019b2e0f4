"""Each construct of MLIR as a statement tree: the text of the tree is the expectation."""

from __future__ import annotations

from textwrap import dedent

import pytest

from hecv.base.diagnostics import Unsupported
from hecv.base.term import TermPool
from hecv.mlir.importer import functions, parse, read_function, read_pair
from hecv.program.tree_printer import render


def tree(text: str, name: str = "f") -> str:
    """The body of the function in `text` as rendered, without the function's own lines."""
    lines = render(read_function(parse(text, "t.mlir"), name, TermPool())).splitlines()
    return dedent("\n".join(lines[1:-1]))


def body(arguments: str, ops: str, results: str = "") -> str:
    """The tree of a function of these arguments and ops."""
    arrow = f" -> ({results})" if results else ""
    return tree(f"func.func @f({arguments}){arrow} {{\n{ops}\n}}")


def test_affine_loop_with_loads_and_stores() -> None:
    found = body(
        "%A: memref<8x?xf32>, %n: index",
        """
        affine.for %i = 0 to 8 {
          affine.for %j = 1 to %n step 2 {
            %v = affine.load %A[%i, %j - 1] : memref<8x?xf32>
            affine.store %v, %A[%i, symbol(%n) * 2 - %j + 3] : memref<8x?xf32>
          }
        }
        return
        """,
    )
    assert found == dedent(
        """\
        for %i0 = 0 to 8 {
          for %i1 = 1 to %n step 2 {
            r0 = load %A[%i0, %i1 - 1]
            store r0, %A[%i0, 2*%n - %i1 + 3]
          }
        }"""
    )


def test_bounds_are_max_and_min_of_the_map_results() -> None:
    ops = """
    affine.for %i = max affine_map<(d0)[s0] -> (d0, s0 - 4)>(%n)[%m] to min affine_map<(d0) -> (d0 + 8, 100)>(%n) {
    }
    return
    """
    assert body("%n: index, %m: index", ops) == "for %i0 = max(%n, %m - 4) to min(%n + 8, 100) {\n}"


def test_iter_args_go_through_cells_and_may_be_swapped() -> None:
    found = body(
        "%x: f32, %y: f32",
        """
        %r:2 = affine.for %i = 0 to 10 iter_args(%p = %x, %q = %y) -> (f32, f32) {
          affine.yield %q, %p : f32, f32
        }
        return %r#0, %r#1 : f32, f32
        """,
        "f32, f32",
    )
    assert found == dedent(
        """\
        cell %cell4 : f32
        cell %cell5 : f32
        store %x, %cell4
        store %y, %cell5
        for %i0 = 0 to 10 {
          r0 = load %cell4
          r1 = load %cell5
          store r1, %cell4
          store r0, %cell5
        }
        r2 = load %cell4
        r3 = load %cell5
        store r2, %result0
        store r3, %result1"""
    )


def test_affine_if_is_a_conjunction_of_comparisons_with_zero() -> None:
    found = body(
        "%A: memref<4xf32>, %x: f32, %n: index, %m: index",
        """
        affine.if affine_set<(d0)[s0] : (d0 - 3 >= 0, s0 - d0 * 2 == 0)>(%n)[%m] {
          affine.store %x, %A[0] : memref<4xf32>
        } else {
          affine.store %x, %A[1] : memref<4xf32>
        }
        return
        """,
    )
    assert found == dedent(
        """\
        assert arith.cmpi[eq](-2*%n, -2*%n)
        if arith.andi(arith.cmpi[sge](%n - 3, 0), arith.cmpi[eq](%m - 2*%n, 0)) {
          store %x, %A[0]
        } else {
          store %x, %A[1]
        }"""
    )


def test_results_of_a_branch_go_through_cells() -> None:
    found = body(
        "%n: index, %x: f32, %y: f32",
        """
        %r = affine.if affine_set<(d0) : (d0 >= 0)>(%n) -> f32 {
          affine.yield %x : f32
        } else {
          affine.yield %y : f32
        }
        return %r : f32
        """,
        "f32",
    )
    assert found == dedent(
        """\
        cell %cell4 : f32
        if arith.cmpi[sge](%n, 0) {
          store %x, %cell4
        } else {
          store %y, %cell4
        }
        r0 = load %cell4
        store r0, %result0"""
    )


def test_division_by_a_symbol_is_evaluated_at_its_place() -> None:
    found = body(
        "%n: index, %m: index",
        "%r = affine.apply affine_map<(d0)[s0] -> (d0 ceildiv s0 + d0 floordiv 4)>(%n)[%m] return %r : index",
        "index",
    )
    assert found == "t0 = ((-%n) floordiv %m)\nevaluate t0\nstore (%n floordiv 4) - t0, %result0"


def test_mod_by_a_symbol_is_evaluated_at_its_place() -> None:
    found = body(
        "%A: memref<?xf32>, %n: index, %m: index",
        "%v = affine.load %A[%n mod symbol(%m)] : memref<?xf32> return",
    )
    assert found == "evaluate (%n floordiv %m)\nr0 = load %A[%n - %m*(%n floordiv %m)]"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("d0 + 2 * d1 - 3", "%n + 2*%m - 3"),
        ("d0 floordiv 8", "(%n floordiv 8)"),
        ("(d0 * 8 + d1) floordiv 8", "%n + (%m floordiv 8)"),
        ("d0 mod 8", "%n - 8*(%n floordiv 8)"),
        ("d0 ceildiv 8", "((%n + 7) floordiv 8)"),
        ("-d0", "-%n"),
        ("5", "5"),
        ("d0 - d0", "0"),
    ],
)
def test_affine_expressions_are_canonical(expression: str, expected: str) -> None:
    ops = f"%r = affine.apply affine_map<(d0, d1) -> ({expression})>(%n, %m) return %r : index"
    assert stored("%n: index, %m: index", ops) == f"store {expected}, %result0"


def stored(arguments: str, ops: str) -> str:
    """What stores the result; before it an assertion that holds notes each product, and what is compared."""
    *notes, last = body(arguments, ops, "index").splitlines()
    for note in notes:
        said = note.removeprefix("assert arith.cmpi[eq](").removesuffix(")")
        half = said[: (len(said) - 2) // 2]
        assert note.startswith("assert") and said == f"{half}, {half}"
    return last


def test_affine_min_and_max() -> None:
    ops = """
    %a = affine.min affine_map<(d0) -> (d0, 100)>(%n)
    %b = affine.max affine_map<(d0, d1) -> (d0, d1 - 1)>(%a, %n)
    return %b : index
    """
    assert stored("%n: index", ops) == "store max(%n - 1, min(%n, 100)), %result0"


def test_scf_for_over_a_narrow_unsigned_integer_with_a_step_in_a_value() -> None:
    found = body(
        "%A: memref<?xi32>, %n: i32, %s: i32",
        """
        %c = arith.constant -2 : i32
        scf.for unsigned %i = %c to %n step %s : i32 {
          %k = arith.index_castui %i : i32 to index
          memref.store %i, %A[%k] : memref<?xi32>
        }
        return
        """,
    )
    assert found == dedent(
        """\
        for unsigned %i0 = -2 : i32 to %n step %s : i32 {
          store %i0, %A[arith.index_castui[index](%i0)]
        }"""
    )


def test_scf_if_and_iter_args() -> None:
    found = body(
        "%n: index, %c: i1, %x: f32",
        """
        %z = arith.constant 0.0 : f32
        %r = scf.for %i = %n to %n step %n iter_args(%a = %z) -> f32 {
          %s = scf.if %c -> f32 {
            %t = arith.addf %a, %x : f32
            scf.yield %t : f32
          } else {
            scf.yield %a : f32
          }
          scf.yield %s : f32
        }
        return %r : f32
        """,
        "f32",
    )
    assert found == dedent(
        """\
        cell %cell4 : f32
        store 0.0 : f32, %cell4
        for %i0 = %n to %n step %n {
          r0 = load %cell4
          cell %cell5 : f32
          if %c {
            store arith.addf(r0, %x), %cell5
          } else {
            store r0, %cell5
          }
          r1 = load %cell5
          store r1, %cell4
        }
        r2 = load %cell4
        store r2, %result0"""
    )


def test_allocations_have_source_names_extents_and_an_end() -> None:
    found = body(
        "%A: memref<4x?xf32>",
        """
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %s = memref.dim %A, %c0 : memref<4x?xf32>
        %n = memref.dim %A, %c1 : memref<4x?xf32>
        %buf = memref.alloc(%n) {alignment = 64 : i64} : memref<?x8xf32>
        %m = memref.dim %buf, %c0 : memref<?x8xf32>
        %A_0 = memref.alloca() : memref<index>
        %sum = arith.addi %s, %m : index
        memref.store %sum, %A_0[] : memref<index>
        memref.dealloc %buf : memref<?x8xf32>
        return
        """,
    )
    assert found == dedent(
        """\
        alloc %buf[dim(%A, 1), 8] : f32
        alloc %A_0 : index
        store arith.addi(4, dim(%A, 1)), %A_0
        dealloc %buf"""
    )


def test_cast_that_forgets_extents_is_the_same_memory() -> None:
    found = body(
        "%A: memref<4xf32>, %n: index",
        """
        %B = memref.cast %A : memref<4xf32> to memref<?xf32>
        %c0 = arith.constant 0 : index
        %d = memref.dim %B, %c0 : memref<?xf32>
        %v = memref.load %B[%d] : memref<?xf32>
        memref.store %v, %A[%n] : memref<4xf32>
        return
        """,
    )
    assert found == "r0 = load %A[4]\nstore r0, %A[%n]"


def test_calls_are_inlined() -> None:
    text = """
    func.func private @twice(%M: memref<?xf32>, %k: index) -> f32 {
      %t = memref.alloca() : memref<f32>
      %v = memref.load %M[%k] : memref<?xf32>
      return %v : f32
    }
    func.func @f(%A: memref<?xf32>, %n: index) -> f32 {
      %x = call @twice(%A, %n) : (memref<?xf32>, index) -> f32
      %y = call @twice(%A, %n) : (memref<?xf32>, index) -> f32
      %z = arith.addf %x, %y : f32
      return %z : f32
    }
    """
    assert tree(text) == dedent(
        """\
        alloc %t : f32
        r0 = load %A[%n]
        alloc %t_4 : f32
        r1 = load %A[%n]
        store arith.addf(r0, r1), %result0"""
    )


@pytest.mark.parametrize(
    ("ops", "expected"),
    [
        ("%r = arith.addi %a, %b overflow<nsw> : i8", "arith.addi[nsw](%a, %b)"),
        ("%r = arith.addi %a, %b overflow<nsw, nuw> : i8", "arith.addi[nsw,nuw](%a, %b)"),
        ("%r = arith.addi %a, %b : i8", "arith.addi(%a, %b)"),
        ("%r = arith.shrui %a, %b exact : i8", "arith.shrui[exact](%a, %b)"),
        ("%w = arith.extui %a nneg : i8 to i16 %r = arith.trunci %w : i16 to i8",
         "arith.trunci[i8](arith.extui[nneg, i16](%a))"),
        ("%c = arith.cmpi ule, %a, %b : i8 %r = arith.select %c, %a, %b : i8",
         "arith.select(arith.cmpi[ule](%a, %b), %a, %b)"),
        ("%c = arith.cmpf une, %x, %x : f32 %r = arith.extsi %c : i1 to i8",
         "arith.extsi[i8](arith.cmpf[une](%x, %x))"),
        ("%r = arith.fptosi %x : f32 to i8", "arith.fptosi[i8](%x)"),
        ("%l, %r = arith.mului_extended %a, %b : i8", "arith.mului_extended[1](%a, %b)"),
        ("%r = arith.constant 255 : i8", "-1 : i8"),
        ("%t = arith.constant true %r = arith.extui %t : i1 to i8", "arith.extui[i8](true)"),
        ("%z = arith.constant 0x7FC00000 : f32 %r = arith.fptoui %z : f32 to i8", "arith.fptoui[i8](nan : f32)"),
        ("%z = arith.constant -0.0 : f32 %r = arith.fptoui %z : f32 to i8", "arith.fptoui[i8](-0.0 : f32)"),
        ("%r = arith.addi %a, %b {some.tag = 1, other} : i8", "arith.addi(%a, %b)"),
    ],
)  # fmt: skip
def test_scalar_ops_keep_what_their_meaning_depends_on(ops: str, expected: str) -> None:
    assert body("%a: i8, %b: i8, %x: f32", f"{ops} return %r : i8", "i8") == f"store {expected}, %result0"


def test_division_is_evaluated_even_where_it_is_dead() -> None:
    assert body("%a: i8, %b: i8", "%r = arith.remsi %a, %b : i8 return") == "evaluate arith.remsi(%a, %b)"


def test_wide_integers_are_residues() -> None:
    found = body(
        "%a: i1", "%r = arith.constant -170141183460469231731687303715884105728 : i128 return %r : i128", "i128"
    )
    assert found == "store -170141183460469231731687303715884105728 : i128, %result0"


def test_sibling_loops_share_their_induction_variable_and_inner_terms() -> None:
    function = read_function(
        parse("func.func @f() { affine.for %i = 0 to 4 {} affine.for %j = 0 to 5 {} return }", "t.mlir"),
        "f",
        TermPool(),
    )
    first, second = function.body
    assert first.iv is second.iv  # type: ignore[union-attr]


def test_unknown_attributes_are_ignored() -> None:
    text = """
    module attributes {dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<"dlti.endianness", "little">>, x.y = #x.z<1, "a">} {
      func.func @f(%a: i8 {llvm.noundef, polygeist.param = 3}) -> (i8 {foo.bar})
          attributes {llvm.linkage = #llvm.linkage<external>, passthrough = ["nounwind"], foo.opaque = #foo<"q">} {
        return %a : i8
      }
    }
    """
    assert tree(text) == "store %a, %result0"


def test_argument_memory_ids_are_argument_numbers_and_statements_have_places() -> None:
    text = "func.func @f(%x: f32, %A: memref<4xf32>) {\n  affine.store %x, %A[0] : memref<4xf32>\n  return\n}"
    function = read_function(parse(text, "dir/t.mlir"), "f", TermPool())
    assert [a.memory.id if a.memory else None for a in function.arguments] == [None, 1]
    (store,) = function.body
    assert str(function.locations[store.id]) == "dir/t.mlir:2:3"
    assert str(function.location) == "dir/t.mlir:1:1"


@pytest.mark.parametrize(
    ("head", "names"),
    [
        ("func.func @f(%n: index, %A: memref<?xf32, affine_map<(d0) -> (d0)>>) { return }", ("n", "A")),
        ("func.func @f(%a.b: i8 {x.s = \"%c: i8, (\"}, // %no\n  %d-1: i8) { return }", ("a.b", "d-1")),
        ("func.func @f(%0: i8) { return }", ("0",)),
        ("func.func @f() { return }", ()),
        ('"func.func"() <{function_type = (i8) -> (), sym_name = "f"}> ({\n^bb0(%me: i8):\n'
         ' "func.return"() : () -> ()\n}) : () -> ()', ("me",)),
        ('"func.func"() <{function_type = (i8, i8) -> (), sym_name = "^g(%b, %a)"}> ({ // ^f(%b: i8, %a: i8)\n'
         '^bb0(%a: i8, %b: i8):\n "func.return"() : () -> ()\n}) : () -> ()', ("a", "b")),
        ('func.func @"f(%b, %a)"(%a: i8, %b: i8) { return }', ("a", "b")),
        ("func.func @f(%n: i8) { return } loc(\"orig.c\":3:1)", ("arg0",)),
    ],
)  # fmt: skip
def test_argument_names_come_from_the_text(head: str, names: tuple[str, ...]) -> None:
    (signature,) = functions(parse(head, "t.mlir"))
    assert signature.argument_names == names


def test_signatures() -> None:
    text = """
    func.func private @hidden(%x: f32) { return }
    func.func @body(%A: memref<4x?xf32>, %t: tensor<4xf32>) -> f64 { %z = arith.constant 0.0 : f64 return %z : f64 }
    func.func nested @declared(i8)
    memref.global "private" @table : memref<4xf32>
    llvm.func @outside(!llvm.ptr) -> i32
    """
    body_, outside = functions(parse(text, "t.mlir"))
    assert (body_.name, body_.has_body, body_.op) == ("body", True, "func.func")
    assert body_.type_text == "(memref<4x?xf32>, tensor<4xf32>) -> f64"
    assert body_.argument_types == ("memref<4x?xf32>", "tensor<4xf32>") and body_.result_types == ("f64",)
    assert str(body_.location) == "t.mlir:3:5"
    assert (outside.op, outside.has_body) == ("llvm.func", False)


def refused(text: str, index_width: int) -> str | None:
    """Why a module is not read next to itself at that width of `index`; None where it is."""
    module = parse(text, "t.mlir")
    try:
        read_pair((module, module), ("f", "f"), TermPool(), index_width)
    except Unsupported as problem:
        return problem.text
    return None


@pytest.mark.parametrize("value", ["4294967296", "2147483648", "-2147483649", "-2147483648", "2147483647"])
def test_literals_fit_the_width_of_index(value: str) -> None:
    fits = -(2**31) <= int(value) < 2**31
    local = f"func.func @f() -> index {{\n%c = arith.constant {value} : index\nreturn %c : index\n}}"
    bound = f"func.func @f() {{\naffine.for %i = {value} to {value} {{\n}}\nreturn\n}}"
    held = f"""memref.global constant @g : memref<2xindex> = dense<[1, {value}]>
func.func @f(%i: index) -> index {{
  %g = memref.get_global @g : memref<2xindex>
  %v = memref.load %g[%i] : memref<2xindex>
  return %v : index
}}"""
    lanes = f"""func.func @f(%A: memref<2xindex>) {{
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[1, {value}]> : vector<2xindex>
  vector.store %v, %A[%c0] : memref<2xindex>, vector<2xindex>
  return
}}"""
    for text in (local, bound, held, lanes):
        assert refused(text, 64) is None
        assert refused(text, 32) == (None if fits else f"{value} is no index of 32 bits")


def test_a_data_layout_says_how_wide_an_index_is() -> None:
    layout = "#dlti.dl_spec<i32 = dense<32> : vector<2xi64>INDEX>"
    text = f"module attributes {{dlti.dl_spec = {layout}}} {{\nfunc.func @f() {{ return }}\n}}"
    assert refused(text.replace("INDEX", ""), 64) is refused(text.replace("INDEX", ""), 32) is None
    narrow = text.replace("INDEX", ", index = 32 : i64")
    for text in (narrow, narrow.replace("dlti.dl_spec =", "some.layout =")):
        assert refused(text, 32) is None
        assert refused(text, 64) == "the data layout has an index of 32 bits, --index-width one of 64"

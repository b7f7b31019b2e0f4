"""Pairs that hecv once got wrong, each as small as it could be made, with the verdict that is right."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

HEAD = "func.func @f(%A: memref<4xf32>, %B: memref<4xindex>, %x: index, %y: index, %v: f32)"
FIRST = "%c0 = arith.constant 0 : index\nmemref.store %v, %A[%c0] : memref<4xf32>"


def function(body: str, head: str = HEAD) -> str:
    return f"{head} {{\n{body}\nreturn\n}}\n"


def verdict(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The verdict, with the proof tried also where a run refutes."""
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    report = check(source, target, ("s.mlir", "t.mlir"), Options())
    assert report.verdict != "error", [d.message for f in report.functions for d in f.diagnostics]
    return report.verdict


CANCELLING = {
    "out of bounds": "%k = arith.constant 9 : index\n%p = memref.load %B[%k] : memref<4xindex>",
    "poison": "%t = memref.alloc() : memref<4xindex>\n%p = memref.load %t[%c0] : memref<4xindex>",
    "division by zero": "%p = arith.divsi %x, %y : index",
    "shifted too far": "%p = arith.shli %x, %y : index",
    "broken flag": "%k = arith.constant 9223372036854775807 : index\n%p = arith.addi %x, %k overflow<nsw> : index",
}
ZEROS = {
    "difference": "%z = arith.subi %p, %p : index",
    "product": "%z = arith.muli %p, %c0 : index",
}
USES = {
    "store": "memref.store %v, %A[%z] : memref<4xf32>",
    "load": "%w = memref.load %A[%z] : memref<4xf32>\nmemref.store %v, %A[%c0] : memref<4xf32>",
    "branch": "%c = arith.cmpi eq, %z, %c0 : index\nscf.if %c {\nmemref.store %v, %A[%c0] : memref<4xf32>\n}",
    "bound": "%c1 = arith.constant 1 : index\nscf.for %i = %z to %c1 step %c1 {\n"
    "memref.store %v, %A[%c0] : memref<4xf32>\n}",
}


@pytest.mark.parametrize("cause", CANCELLING)
@pytest.mark.parametrize("zero", ZEROS)
@pytest.mark.parametrize("use", USES)
def test_index_that_cancels(cause: str, zero: str, use: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`p - p` is 0 only where `p` is defined and no poison."""
    target = f"%c0 = arith.constant 0 : index\n{CANCELLING[cause]}\n{ZEROS[zero]}\n{USES[use]}"
    assert verdict(function(FIRST), function(target), monkeypatch) == "not-equivalent"


INTEGERS = "func.func @f(%A: memref<4xi32>, %B: memref<4xi32>, %x: i32)"


def test_divisor_of_a_dead_store(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a dead store divided by was itself stored before: that store is not dead."""
    constants = "%c7 = arith.constant 7 : i32\n%c10 = arith.constant 10 : i32"
    last = "affine.store %c7, %A[0] : memref<4xi32>\naffine.store %c7, %B[0] : memref<4xi32>"
    division = "%b = affine.load %B[0] : memref<4xi32>\n%d = arith.divsi %c10, %b : i32"
    source = function(f"{constants}\n{division}\n{last}", INTEGERS)
    store = "affine.store %x, %B[0] : memref<4xi32>"
    target = function(f"{constants}\n{store}\n{division}\naffine.store %d, %A[0] : memref<4xi32>\n{last}", INTEGERS)
    assert verdict(source, target, monkeypatch) == "not-equivalent"


def test_poison_found_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """The source divides by poison, the target does not: a refinement, and no equivalence."""
    uninitialised = "%t = memref.alloc() : memref<4xi32>\n%b = affine.load %t[0] : memref<4xi32>"
    source = function(f"{uninitialised}\n%d = arith.divsi %x, %b : i32", INTEGERS)
    target = function("%c5 = arith.constant 5 : i32\n%d = arith.divsi %x, %c5 : i32", INTEGERS)
    assert verdict(source, target, monkeypatch) == "refines"


def test_writer_that_isl_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """isl's `compute_flow` (0.27) forgot the store of `x`, which the other overwrites only in even columns."""
    head = "func.func @f(%A: memref<6x4xf64>, %n: index, %x: f64, %y: f64)"
    inner = "affine.for %j = 2 to 4 {\naffine.store %y, %A[(%n - %i) mod 6, (%j * 2) mod 4] : memref<6x4xf64>\n}"
    store = "affine.store %x, %A[(%n - %i) mod 6, (%n - %i) mod 4] : memref<6x4xf64>"
    source = function(f"affine.for %i = 2 to 3 {{\n{inner}\n}}", head)
    target = function(f"affine.for %i = 2 to 3 {{\n{store}\n{inner}\n}}", head)
    assert verdict(source, target, monkeypatch) == "not-equivalent"


def test_select_of_loads_on_an_affine_condition(monkeypatch: pytest.MonkeyPatch) -> None:
    body = """affine.for %i = 0 to 4 {
      %a = affine.load %B[%i] : memref<4xindex>
      %b = affine.load %B[0] : memref<4xindex>
      %c = arith.cmpi slt, %i, %x : index
      %s = arith.select %c, %a, %b : index
      affine.store %s, %B[%i] : memref<4xindex>
    }"""
    assert verdict(function(body), function(body), monkeypatch) == "equivalent"


def test_bound_that_mlir_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    """MLIR's own folding takes `0 to (i mod 2)` for `0 to 1`: the JIT must not be asked about what it was given."""
    head = "func.func @f(%A: memref<4xf64>, %x: f64)"
    bounds = ("affine_map<(d0) -> (d0 mod 2)>(%i)", "1")
    source, target = (
        function(
            f"affine.for %i = 1 to 4 {{\naffine.for %j = 0 to {bound} {{\n"
            "affine.store %x, %A[%i] : memref<4xf64>\n}\n}",
            head,
        )
        for bound in bounds
    )
    assert verdict(source, target, monkeypatch) == "not-equivalent"


SWITCH = """func.func @f(%n: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  cf.br ^head(%n : i32)
^head(%i: i32):
"""
AT_THE_TOP = "END\n^body:\n  %j = arith.subi %i, %c1 : i32\n  cf.br ^head(%j : i32)\n^end:\n  return %i : i32\n}\n"
AT_THE_BOTTOM = "  %j = arith.subi %i, %c1 : i32\nEND\n^end:\n  return %i : i32\n}\n"
LOOPS = {
    "top": (SWITCH + AT_THE_TOP, "%i", "^body"),
    "bottom": (SWITCH + AT_THE_BOTTOM, "%j", "^head(%j : i32)"),
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("where", LOOPS)
def test_a_switch_leaves_a_loop_where_it_says(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its flag is no condition: it was read as one, whatever the case."""
    text, flag, stay = LOOPS[where]
    source = text.replace("END", f"  cf.switch {flag} : i32, [default: {stay}, 5: ^end]")
    other = text.replace("END", f"  cf.switch {flag} : i32, [default: {stay}, 7: ^end]")
    branch = text.replace("END", f"  %c = arith.cmpi ne, {flag}, %c5 : i32\n  cf.cond_br %c, {stay}, ^end")
    turned = text.replace("END", f"  cf.switch {flag} : i32, [default: ^end, 5: {stay}]")
    stays = text.replace("END", f"  %c = arith.cmpi eq, {flag}, %c5 : i32\n  cf.cond_br %c, {stay}, ^end")
    assert verdict(source, branch, monkeypatch) == "equivalent"
    assert verdict(turned, stays, monkeypatch) == "equivalent"
    for target in (other, turned, stays):
        assert verdict(source, target, monkeypatch) == "not-equivalent"


def test_a_switch_without_cases_is_undefined_for_poison(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "func.func @f(%x: i8) {\n  return\n}\n"
    switches = (
        "cf.switch %y : i8, [default: ^a]\n^a:",
        "%i = arith.index_cast %y : i8 to index\n  scf.index_switch %i default {\n  }",
    )
    for switch in switches:
        target = source.replace("return", f"%y = arith.shli %x, %x : i8\n  {switch}\n  return")
        assert verdict(source, target, monkeypatch) == "not-equivalent"
        assert verdict(target, source, monkeypatch) == "refines"


@pytest.mark.parametrize(
    ("kind", "element", "other"), [("xor", "f32", "and"), ("maximumf", "i32", "minimumf"), ("minsi", "f32", "maxsi")]
)
def test_a_kind_of_another_type_has_no_meaning(
    kind: str, element: str, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MLIR's verifier lets it pass for `vector.multi_reduction`; it ended the check."""
    wide, narrow = f"vector<2x4x{element}>", f"vector<2x{element}>"
    text = f"%r = vector.multi_reduction <{kind}>, %v, %w [1] : {wide} to {narrow}\nreturn %r : {narrow}\n}}\n"
    source = f"func.func @f(%v: {wide}, %w: {narrow}) -> {narrow} {{\n{text}"
    assert verdict(source, source, monkeypatch) == "equivalent"
    assert verdict(source, source.replace(f"<{kind}>", f"<{other}>"), monkeypatch) == "unknown"


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("memref<4x4xi32, strided<[?, 0]>>", "%c0, %c0", "%c0, %c1"),
        ("memref<?x4xi32, strided<[2, 1]>>", "%c0, %c2", "%c1, %c0"),
    ],
    ids=["stride 0", "rows that overlap"],
)
def test_elements_in_one_place(kind: str, one: str, other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They were taken to lie apart, as elements do that dynamic strides and extents may keep apart."""
    head = f"func.func @f(%A: {kind}, %x: i32) -> i32"
    stores = f"""%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%z = arith.constant 0 : i32
memref.store %x, %A[{one}] : {kind}
memref.store %z, %A[{other}] : {kind}"""
    source = f"{head} {{\n{stores}\n%r = memref.load %A[{one}] : {kind}\nreturn %r : i32\n}}\n"
    assert verdict(source, f"{head} {{\n{stores}\nreturn %x : i32\n}}\n", monkeypatch) == "unknown"


@pytest.mark.one_in(14)
@pytest.mark.parametrize("extents", ["4x1", "?x?"])
def test_a_reshape_of_complex_numbers_reads_no_extent_of_their_parts(
    extents: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was taken to read one beyond its operand, and so to be undefined."""
    kind = f"tensor<{extents}xcomplex<f32>>"
    head = f"func.func @f(%t: tensor<4xcomplex<f32>>, %s: tensor<2xindex>) -> {kind}"
    text = f"%r = tensor.reshape %t(%s) : (tensor<4xcomplex<f32>>, tensor<2xindex>) -> {kind}\nreturn %r : {kind}\n}}\n"
    source = f"{head} {{\n{text}"
    other = f"{head} {{\n%n = tensor.concat dim(0) %t : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>\n{text}"
    wrong = f"{head} {{\n%n = complex.constant [1.0 : f32, 0.5 : f32] : complex<f32>\n"
    wrong += f"%u = tensor.splat %n : tensor<4xcomplex<f32>>\n{text.replace('%t(', '%u(')}"
    assert verdict(source, other, monkeypatch) == "equivalent"
    assert verdict(source, wrong, monkeypatch) in ("not-equivalent", "unknown")


def test_a_vector_of_rank_0_as_one_of_another_type(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ended the check."""
    source = """func.func @f(%x: f32) -> i32 {
%v = vector.broadcast %x : f32 to vector<f32>
%w = vector.bitcast %v : vector<f32> to vector<i32>
%r = vector.extract %w[] : i32 from vector<i32>
return %r : i32
}
"""
    target = "func.func @f(%x: f32) -> i32 {\n%r = arith.bitcast %x : f32 to i32\nreturn %r : i32\n}\n"
    assert verdict(source, target, monkeypatch) == "equivalent"
    wrong = "func.func @f(%x: f32) -> i32 {\n%r = arith.fptosi %x : f32 to i32\nreturn %r : i32\n}\n"
    assert verdict(source, wrong, monkeypatch) == "not-equivalent"


def test_a_mask_of_a_transfer_that_is_all_broadcast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its mask has one lane, where its memref has no dimension that moves; it ended the check."""
    head = "func.func @f(%A: memref<8xf32>, %m: vector<1xi1>, %p: f32) -> vector<4xf32> {\n"
    where = "{permutation_map = affine_map<(d0) -> (0)>, in_bounds = [true]} : memref<8xf32>, vector<4xf32>"
    zero, end = "%c0 = arith.constant 0 : index\n", "return %v : vector<4xf32>\n}\n"
    source = f"{head}{zero}%v = vector.transfer_read %A[%c0], %p, %m {where}\n{end}"
    masked = f"{head}{zero}%v = vector.mask %m {{ vector.transfer_read %A[%c0], %p {where} }}"
    target = f"{head}{zero}%b = vector.extract %m[0] : i1 from vector<1xi1>\n%x = scf.if %b -> f32 {{\n"
    target += "%l = memref.load %A[%c0] : memref<8xf32>\nscf.yield %l : f32\n} else {\nscf.yield %p : f32\n}\n"
    target += f"%v = vector.broadcast %x : f32 to vector<4xf32>\n{end}"
    assert verdict(source, target, monkeypatch) == "equivalent"
    assert verdict(source, f"{masked} : vector<1xi1> -> vector<4xf32>\n{end}", monkeypatch) == "equivalent"
    assert verdict(source, target.replace("yield %l", "yield %p"), monkeypatch) in ("not-equivalent", "unknown")


def test_a_memref_of_one_vector_with_more_dimensions(monkeypatch: pytest.MonkeyPatch) -> None:
    """It had no stride for them: a part of it ended the check."""
    one, part = "memref<1xvector<4xf32>>", "memref<1xvector<4xf32>, strided<[?]>>"
    head = "func.func @f(%A: memref<vector<4xf32>>, %B: memref<4xf32>) {\n%c0 = arith.constant 0 : index\n"
    end = "vector.store %v, %B[%c0] : memref<4xf32>, vector<4xf32>\nreturn\n}\n"
    source = f"""{head}%e = memref.expand_shape %A [] output_shape [1] : memref<vector<4xf32>> into {one}
%s = memref.subview %e[0] [1] [1] : {one} to memref<1xvector<4xf32>, strided<[1]>>
%k = memref.cast %s : memref<1xvector<4xf32>, strided<[1]>> to {part}
%l = memref.cast %k : {part} to {one}
%v = memref.load %l[%c0] : {one}
{end}"""
    target = f"{head}%v = memref.load %A[] : memref<vector<4xf32>>\n{end}"
    assert verdict(source, target, monkeypatch) == "equivalent"


def test_a_region_gives_a_view_that_a_branch_makes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What says where it lies was read in the branch: behind it nothing read that, which ended the check."""
    kind = "memref<1xi32, strided<[1], offset: ?>>"
    source = f"""func.func @f(%c: i1, %A: memref<8xi32>, %I: memref<4xindex>) -> i32 {{
  %c0 = arith.constant 0 : index
  %s = scf.execute_region -> {kind} {{
    cf.cond_br %c, ^a, ^b
  ^a:
    %k = memref.load %I[%c0] : memref<4xindex>
    %w = memref.subview %A[%k] [1] [1] : memref<8xi32> to {kind}
    scf.yield %w : {kind}
  ^b:
    ub.unreachable
  }}
  %r = memref.load %s[%c0] : {kind}
  return %r : i32
}}
"""
    target = """func.func @f(%c: i1, %A: memref<8xi32>, %I: memref<4xindex>) -> i32 {
  %c0 = arith.constant PLACE : index
  %k = memref.load %I[%c0] : memref<4xindex>
  %r = memref.load %A[%k] : memref<8xi32>
  return %r : i32
}
"""
    assert verdict(source, source, monkeypatch) == "equivalent"
    assert verdict(source, target.replace("PLACE", "0"), monkeypatch) == "refines"
    assert verdict(source, target.replace("PLACE", "1"), monkeypatch) == "not-equivalent"

"""Ops without semantics: functions of all that they are, and nothing more; a pair with them is never refuted."""

from __future__ import annotations

from itertools import product

import pytest

from hecv.check import Options, check
from hecv.claim.result import FunctionReport
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy
from hecv.rule_files.rule_loader import loads

TENSORS = "%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %x: f32, %y: f32, %i: index, %n: index, %w80: tensor<4xf80>"
BOTH = "(tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>"
ONE = "(tensor<4x4xf32>) -> tensor<4x4xf32>"
MAP = "affine_map<(d0, d1) -> (d0, d1)>"


def decided(source: str, target: str, result: str = "tensor<4x4xf32>") -> FunctionReport:
    """The verdict on two bodies that end with the value `%r`; a tensor of f80 keeps them from being read by element."""
    end = f"return %r, %w80 : {result}, tensor<4xf80>"
    texts = [f"func.func @f({TENSORS}) -> ({result}, tensor<4xf80>) {{\n{body}\n{end}\n}}" for body in (source, target)]
    report = check(texts[0], texts[1], ("src.mlir", "tgt.mlir"), Options(seconds=30))
    assert not report.diagnostics
    (function,) = report.functions
    assert function.runs == 0
    return function


def generic(scale: str, init: str = "%e", read: str = "%p") -> str:
    return f"""
    %e = tensor.empty() : tensor<4x4xf32>
    %r = linalg.generic {{indexing_maps = [{MAP}, {MAP}], iterator_types = ["parallel", "parallel"]}}
      ins(%a : tensor<4x4xf32>) outs({init} : tensor<4x4xf32>) {{
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf {read}, {scale} : f32
      linalg.yield %m : f32
    }} -> tensor<4x4xf32>
    """


TWICE = f"""
    %k = arith.constant 2.0 : f32
    %l = arith.constant 2.0 : f32
    %e = tensor.empty() : tensor<4x4xf32>
    %r = linalg.generic {{indexing_maps = [{MAP}, {MAP}], iterator_types = ["parallel", "parallel"]}}
      ins(%a : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {{
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %k : f32
      %o = arith.addf %m, %l : f32
      linalg.yield %o : f32
    }} -> tensor<4x4xf32>
    """
"""A region that takes one number from outside twice, from two ops."""

SAME = {
    "captured-alike": (TWICE, TWICE.replace("%m, %l", "%m, %k")),
    "dead-op": (f"%r = tosa.add %a, %b : {BOTH}", f"%d = tosa.exp %a : {ONE}\n%r = tosa.add %a, %b : {BOTH}"),
    "computed-twice": (
        f"%s = tosa.exp %a : {ONE}\n%r = tosa.add %s, %s : {BOTH}",
        f"%s = tosa.exp %a : {ONE}\n%t = tosa.exp %a : {ONE}\n%r = tosa.add %t, %s : {BOTH}",
    ),
    "region": (generic("%x"), generic("%x").replace("%p", "%other").replace("%m", "%product")),
    "contents-not-read": (generic("%x"), "%w = tensor.empty() : tensor<4x4xf32>" + generic("%x")),
    "filled": (
        "%e = tensor.empty() : tensor<4x4xf32>\n"
        "%r = linalg.fill ins(%x : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>",
        "%e = tensor.empty() : tensor<4x4xf32>\n%d = tensor.empty() : tensor<4x4xf32>\n"
        "%r = linalg.fill ins(%x : f32) outs(%d : tensor<4x4xf32>) -> tensor<4x4xf32>",
    ),
    "select": (
        f"""%c = arith.cmpi slt, %i, %n : index
        %r = scf.if %c -> (tensor<4x4xf32>) {{
          %e = tosa.exp %a : {ONE}
          scf.yield %e : tensor<4x4xf32>
        }} else {{
          scf.yield %b : tensor<4x4xf32>
        }}""",
        f"%c = arith.cmpi sge, %i, %n : index\n%e = tosa.exp %a : {ONE}\n"
        "%r = arith.select %c, %b, %e : tensor<4x4xf32>",
    ),
    "select-on-data": (
        f"%c = arith.cmpf olt, %x, %y : f32\n%e = tosa.exp %a : {ONE}\n"
        "%r = scf.if %c -> (tensor<4x4xf32>) {\n scf.yield %e : tensor<4x4xf32>\n} else {\n"
        "scf.yield %b : tensor<4x4xf32>\n}",
        f"%c = arith.cmpf olt, %x, %y : f32\n%e = tosa.exp %a : {ONE}\n%r = arith.select %c, %e, %b : tensor<4x4xf32>",
    ),
    "tensor-arith": ("%r = arith.addf %a, %b : tensor<4x4xf32>", "%r = arith.addf %a, %b : tensor<4x4xf32>"),
    "extracted": (
        "%r = tensor.extract %a[%i, %i] : tensor<4x4xf32>",
        "%u = tensor.extract %a[%i, %i] : tensor<4x4xf32>\n%r = tensor.extract %a[%i, %i] : tensor<4x4xf32>",
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_equal_operands_give_equal_results(name: str) -> None:
    report = decided(*SAME[name], result="f32" if name == "extracted" else "tensor<4x4xf32>")
    assert report.verdict == "equivalent"
    assert any(a.id == "opaque-functions" for a in report.assumptions)


def placed(flag: str) -> str:
    """A structured op that looks at where an element is, by an op of `affine`; its flag is no attribute."""
    return generic("%p", read="%s").replace(
        "    ^bb0(%p: f32, %q: f32):",
        f"""    ^bb0(%p: f32, %q: f32):
      %d0 = linalg.index 0 : index
      %d1 = linalg.index 1 : index
      %at = affine.linearize_index {flag}[%d0, %d1] by (4, 2) : index
      %odd = arith.cmpi eq, %at, %d1 : index
      %s = arith.select %odd, %p, %x : f32""",
    )


DIFFERENT = {
    "property": (placed(""), placed("disjoint ")),
    "select": (
        "%c = arith.cmpf olt, %x, %y : f32\n%r = arith.select %c, %a, %b : tensor<4x4xf32>",
        "%c = arith.cmpf olt, %x, %y : f32\n%r = arith.select %c, %b, %a : tensor<4x4xf32>",
    ),
    "operands": (f"%r = tosa.sub %a, %b : {BOTH}", f"%r = tosa.sub %b, %a : {BOTH}"),
    "name": (f"%r = tosa.exp %a : {ONE}", f"%r = tosa.log %a : {ONE}"),
    "attribute": (
        f"%r = tosa.transpose %a {{perms = array<i32: 0, 1>}} : {ONE}",
        f"%r = tosa.transpose %a {{perms = array<i32: 1, 0>}} : {ONE}",
    ),
    "flags": ("%r = arith.addf %a, %b : tensor<4x4xf32>", "%r = arith.addf %a, %b fastmath<fast> : tensor<4x4xf32>"),
    "constant": (
        "%r = arith.constant dense<1.0> : tensor<4x4xf32>",
        "%r = arith.constant dense<2.0> : tensor<4x4xf32>",
    ),
    "region": (generic("%x"), generic("%x").replace("mulf", "addf")),
    "captured": (generic("%x"), generic("%y")),
    "commuted-tensors": ("%r = arith.addf %a, %b : tensor<4x4xf32>", "%r = arith.addf %b, %a : tensor<4x4xf32>"),
    # Which NaN a sum of two is depends on the order, and a function may show it.
    "commuted-scalars": (
        "%s = arith.addf %x, %y : f32\n%r = tensor.splat %s : tensor<4x4xf32>",
        "%s = arith.addf %y, %x : f32\n%r = tensor.splat %s : tensor<4x4xf32>",
    ),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_nothing_else_is_known(name: str) -> None:
    report = decided(*DIFFERENT[name])
    assert report.verdict == "unknown" and report.unknown is not None and report.unknown.reason == "no-proof"


EXTRACT = "%r = tensor.extract %a[%i, %i] : tensor<4x4xf32>"


def test_what_can_be_undefined_is_not_evaluated_more_often() -> None:
    """An index out of bounds is undefined: the target may not look there unless the source does."""
    more = f"{EXTRACT}\n%u = tensor.extract %a[%n, %i] : tensor<4x4xf32>"
    assert decided(EXTRACT, more, "f32").verdict == "unknown"
    assert decided(more, EXTRACT, "f32").verdict == "refines"


def test_a_law_on_a_part_that_has_no_semantics() -> None:
    """What a function gives is any number: laws of scalars hold of it, also where it may be undefined."""
    kinds = ("%v = arith.fptosi %w : f32 to i32", "tensor.extract %a[%i, %i] : tensor<4x4xf32>")
    head = f"%w = {kinds[1]}\n{kinds[0]}\n%c1 = arith.constant 1 : i32\n%c2 = arith.constant 2 : i32\n"
    report = decided(head + "%r = arith.muli %v, %c2 : i32", head + "%r = arith.shli %v, %c1 : i32", "i32")
    assert report.verdict == "equivalent"


LOOP = """
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    {before}
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%t = %a) -> (tensor<4x4xf32>) {{
      {inside}
      %u = tosa.add %t, %s : {both}
      scf.yield %u : tensor<4x4xf32>
    }}
"""


@pytest.mark.parametrize(
    ("op", "verdict"), [(f"tosa.exp %b : {ONE}", "equivalent"), ("arith.divsi %j, %j : tensor<4x4xi32>", "unknown")]
)
def test_hoisting(op: str, verdict: str) -> None:
    """Out of a loop that may not run: a total op may go there, one that traps may not."""
    op = f"%s = {op}"
    if "divsi" in op:
        op = op.replace("%s", "%q") + f"\n%s = tosa.exp %b : {ONE}"
    texts = [
        LOOP.format(before="", inside=op, both=BOTH),
        LOOP.format(before=op, inside="", both=BOTH),
    ]
    cast = "%j = arith.fptosi %b : tensor<4x4xf32> to tensor<4x4xi32>\n"
    assert decided(cast + texts[0], cast + texts[1]).verdict == verdict


STATING = {
    "gather": (
        "tensor.gather %t[%i] gather_dims([0]) : (tensor<4xsi32>, tensor<4x1xindex>) -> tensor<4xsi32>",
        "%t: tensor<4xsi32>, %i: tensor<4x1xindex>",
    ),
    "scatter": (
        "tensor.scatter %o into %t[%i] scatter_dims([0]) unique "
        ": (tensor<4xsi32>, tensor<4xsi32>, tensor<4x1xindex>) -> tensor<4xsi32>",
        "%t: tensor<4xsi32>, %i: tensor<4x1xindex>",
    ),
    "reshape": (
        "tensor.reshape %t(%i) : (tensor<2x2xsi32>, tensor<1xindex>) -> tensor<4xsi32>",
        "%t: tensor<2x2xsi32>, %i: tensor<1xindex>",
    ),
    "cast": ("tensor.cast %t : tensor<?xsi32> to tensor<4xsi32>", "%t: tensor<?xsi32>"),
    "slice": ("tensor.extract_slice %t[0] [4] [1] : tensor<?xsi32> to tensor<4xsi32>", "%t: tensor<?xsi32>"),
    "concatenation": (
        "tensor.concat dim(0) %t, %t : (tensor<?xsi32>, tensor<?xsi32>) -> tensor<4xsi32>",
        "%t: tensor<?xsi32>",
    ),
}
"""Ops with what they take, undefined where an index or a shape is not what it has to be."""


@pytest.mark.parametrize("name", STATING)
def test_what_states_an_index_or_a_shape_is_not_evaluated_more_often(name: str) -> None:
    op, arguments = STATING[name]
    kind, before = "tensor<4xsi32>", f"%r = {op}\n"
    texts = [
        f"func.func @f(%c: i1, {arguments}, %o: {kind}) -> {kind} {{\n{outside}"
        f"%s = scf.if %c -> {kind} {{\n{inside}scf.yield %r : {kind}\n}} else {{\nscf.yield %o : {kind}\n}}\n"
        f"return %s : {kind}\n}}"
        for outside, inside in (("", before), (before, ""))
    ]
    assert check(texts[0], texts[1], ("s.mlir", "t.mlir"), Options()).verdict == "unknown"
    assert check(texts[1], texts[0], ("s.mlir", "t.mlir"), Options()).verdict == "refines"


INTEGERS = "tensor<4xi32>"
DIVIDED = {
    "payload": f"""%q = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]}} ins(%k : {INTEGERS}) outs(%k : {INTEGERS}) {{
    ^bb0(%p: i32, %o: i32):
      %d = arith.divsi %p, %o : i32
      linalg.yield %d : i32
    }} -> {INTEGERS}""",
    "extracting": f"""%j = arith.constant dense<0> : tensor<4xindex>
    %q = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]}} ins(%j : tensor<4xindex>) outs(%k : {INTEGERS}) {{
    ^bb0(%p: index, %o: i32):
      %d = tensor.extract %k[%p] : {INTEGERS}
      linalg.yield %d : i32
    }} -> {INTEGERS}""",
    "structured": f"%q = linalg.div ins(%k, %k : {INTEGERS}, {INTEGERS}) outs(%k : {INTEGERS}) -> {INTEGERS}",
    "tosa": f"%q = tosa.intdiv %k, %k : ({INTEGERS}, {INTEGERS}) -> {INTEGERS}",
}


@pytest.mark.parametrize("name", DIVIDED)
def test_a_structured_op_is_defined_where_its_payload_is(name: str) -> None:
    plain = f"%k = arith.constant dense<0> : {INTEGERS}\n%r = tosa.exp %a : {ONE}"
    divided = plain + "\n" + DIVIDED[name]
    assert decided(plain, divided).verdict == "unknown"
    assert decided(divided, plain).verdict == "refines"
    if name == "payload":
        assert decided(plain, divided.replace("divsi", "addi")).verdict == "equivalent"


ENDLESS = {
    "stablehlo": """%w = stablehlo.while(%s = %a) : BIT cond {
        %t = stablehlo.compare EQ, %s, %s : (BIT, BIT) -> tensor<i1>
        stablehlo.return %t : tensor<i1>
      } do {
        stablehlo.return %s : BIT
      }""",
    "in-a-branch": """%w = "stablehlo.if"(%c) ({
        %v = stablehlo.while(%s = %a) : BIT cond {
          stablehlo.return %c : tensor<i1>
        } do {
          stablehlo.return %s : BIT
        }
        stablehlo.return %v : BIT
      }, {
        stablehlo.return %a : BIT
      }) : (tensor<i1>) -> BIT""",
    "tosa": """%w = tosa.while_loop (%s = %a) : (BIT) -> BIT {
        tosa.yield %c : tensor<i1>
      } do {
      ^bb0(%s: BIT):
        tosa.yield %s : BIT
      }""",
    "a-division": f"%w = tosa.intdiv %k, %l : ({INTEGERS}, {INTEGERS}) -> {INTEGERS}",
}


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", ENDLESS)
def test_what_may_not_end_or_trap_is_not_dropped(name: str) -> None:
    """Not as an op without semantics, nor by the passes that lower it."""
    head = f"func.func @f(%a: BIT, %c: tensor<i1>, %k: {INTEGERS}, %l: {INTEGERS}) -> BIT {{\n"
    add = (
        "stablehlo.add %a, %a : BIT" if name in ("stablehlo", "in-a-branch") else "tosa.add %a, %a : (BIT, BIT) -> BIT"
    )
    plain, more = ((head + op + f"\n%r = {add}\nreturn %r : BIT\n}}") for op in ("", ENDLESS[name]))
    plain, more = plain.replace("BIT", "tensor<i32>"), more.replace("BIT", "tensor<i32>")
    assert check(plain, more, ("s", "t"), Options(seconds=30)).verdict in ("unknown", "not-equivalent")
    assert check(more, more, ("s", "t"), Options(seconds=30)).verdict == "equivalent"


UNSUPPORTED = {
    "random": "%s = tensor.from_elements %x, %x : tensor<2xf32>\n%z = stablehlo.constant dense<4> : tensor<2xi64>\n"
    "%f = tensor.from_elements %x : tensor<1xf32>\n%g = tensor.collapse_shape %f [] : tensor<1xf32> into tensor<f32>\n"
    "%r = stablehlo.rng %g, %g, %z, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) "
    "-> tensor<4x4xf32>",
    "contents-returned": "%r = tensor.empty() : tensor<4x4xf32>",
    "contents-read": generic("%x", read="%q"),
    "contents-passed": f"%e = tensor.empty() : tensor<4x4xf32>\n%r = tosa.exp %e : {ONE}",
    # Only the diagonal is written.
    "contents-kept": """%e = tensor.empty() : tensor<4x4xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0, d0)>, affine_map<(d0) -> (d0, d0)>],
      iterator_types = ["parallel"]} ins(%a : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%p: f32, %q: f32):
      linalg.yield %p : f32
    } -> tensor<4x4xf32>""",
    "reads-memory": "%m = memref.alloc() : memref<4x4xf32>\n"
    "%r = bufferization.to_tensor %m : memref<4x4xf32> to tensor<4x4xf32>",
    "symbol": '%r = "tosa.custom"(%a) <{domain_name = "d", implementation_attrs = "", operator_name = "o"}> : ' + ONE,
}


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_what_may_be_no_function_is_not_taken_for_one(name: str) -> None:
    report = decided(UNSUPPORTED[name], "%k = arith.constant 0 : i8\n" + UNSUPPORTED[name])
    assert report.verdict == "unknown" and report.unknown is not None and report.unknown.reason == "unsupported-op"


def test_torch() -> None:
    kind = "!torch.vtensor<[4,4],f32>"
    head, end = f"func.func @f(%a: {kind}) -> {kind} {{\n", f"\nreturn %r : {kind}\n}}"
    relu = f"%r = torch.aten.relu %a : {kind} -> {kind}"
    dead = f"%d = torch.aten.tanh %a : {kind} -> {kind}\n{relu}"
    report = check(head + relu + end, head + dead + end, ("s", "t"), Options(seconds=30))
    assert report.verdict == "equivalent"
    noise = f"%n = torch.constant.none\n%r = torch.aten.bernoulli %a, %n : {kind}, !torch.none -> {kind}"
    report = check(head + noise + end, head + noise + "\n" + end, ("s", "t"), Options(seconds=30))
    assert report.verdict == "unknown"


ALIKE = {
    "property": ("<{a = 1 : i64}>", "<{a = 2 : i64}>"),
    "property-or-attribute": ("<{a = 1 : i64}>", "{a = 1 : i64}"),
    "name-of-an-attribute": ('{"v=1 : i64 w" = 2 : i64}', "{v = 1 : i64, w = 2 : i64}"),
    "zero": ("{v = 0.0 : f32}", "{v = -0.0 : f32}"),
    "nan": ("{v = 0x7FC00000 : f32}", "{v = 0x7FC00001 : f32}"),
    "location": ('{v = loc("a")}', '{v = loc("b")}'),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ALIKE)
def test_ops_of_users_with_other_attributes(name: str) -> None:
    rules = loads(
        'from hecv.rules import *\n@op("my.f", type="x")\ndef f(x): ...\n@law\ndef l(x):\n    return f(f(x)), f(x)\n',
        "R.py",
    )
    options = Options(seconds=30, strategy=Strategy(rules=(rules,)))
    texts = [
        f'func.func @f(%x: f32) -> f32 {{\n%r = "my.f"(%x) {attributes} : (f32) -> f32\nreturn %r : f32\n}}'
        for attributes in ALIKE[name]
    ]
    found = {pair: check(*pair, ("src.mlir", "tgt.mlir"), options).verdict for pair in product(texts, texts)}
    assert found == {(a, b): "equivalent" if a == b else "unknown" for a, b in found}


# Memory of formats without meaning here

FORMATS = "%A: memref<8x{0}>, %B: memref<8x{0}>, %C: memref<8xf32>"
CASTS = """
  %a = affine.load %A[{at}] : memref<8x{format}>
  %x = arith.extf %a : {format} to f32
  affine.store %x, %C[{to}] : memref<8xf32>
  affine.store %a, %B[{to}] : memref<8x{format}>
"""


def casts(kind: str, loops: str, at: str, to: str = "") -> str:
    body = CASTS.format(at=at, to=to or at, format=kind)
    return f"func.func @f({FORMATS.format(kind)}) {{\n{loops}{body}{'}' * loops.count('{')}\nreturn\n}}"


@pytest.mark.parametrize("kind", ["f4E2M1FN", "f6E3M2FN", "f8E8M0FNU"])
def test_loops_over_memory_of_formats_without_meaning(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_REPLAY", "1")
    source = casts(kind, "affine.for %i = 0 to 8 {", "%i")
    strips = "affine.for %t = 0 to 2 { affine.for %i = 0 to 4 {"
    options = Options(strategy=Strategy("dataflow"), seconds=30)
    found = check(source, casts(kind, strips, "4 * %t + %i"), ("s.mlir", "t.mlir"), options).functions[0]
    assert found.verdict == "equivalent" and "opaque-functions" in [a.id for a in found.assumptions]
    for wrong in (casts(kind, strips, "2 * %t + %i"), casts(kind, strips, "4 * %t + %i", "4 * %t - %i + 3")):
        assert check(source, wrong, ("s.mlir", "t.mlir"), options).functions[0].verdict == "unknown"


@pytest.mark.parametrize("kind", ["tf32", "f80"])
def test_what_formats_without_meaning_share_with_others_is_open(kind: str) -> None:
    """How many bytes an element has is not known; a global's contents are none."""
    pair = casts(kind, "affine.for %i = 0 to 8 {", "%i").replace("extf", "truncf" if kind == "f80" else "extf")
    strips = pair.replace("affine.for %i = 0 to 8 {", "affine.for %i = 0 to 8 { affine.for %k = 0 to 1 {")
    strips = strips.replace("}\nreturn", "}}\nreturn")
    options = Options(switches=Switches(may_overlap=True), strategy=Strategy("dataflow"), seconds=30)
    found = check(pair, strips, ("s.mlir", "t.mlir"), options).functions[0]
    assert found.unknown is not None and "no whole number of bytes" in found.unknown.text
    held = f"memref.global constant @K : memref<8x{kind}> = dense<1.5>\n" + strips.replace(
        "%a = affine.load %A", f"%k0 = memref.get_global @K : memref<8x{kind}>\n%a = affine.load %k0"
    )
    found = check(held, held.replace("1.5", "1.25"), ("s.mlir", "t.mlir"), Options(seconds=30)).functions[0]
    assert found.verdict == "unknown"


REFERRING = """
func.func private @g(%x: f32) -> f32 {{
  %r = arith.{} %x, %x : f32
  return %r : f32
}}
func.func @f(%a: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> {{
  %r = torch.aten.relu %a {{by = @g}} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  return %r : !torch.vtensor<[2],f32>
}}"""
DISTINCT = """
func.func @f(%a: !torch.vtensor<[2],f32>) -> (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) {{
  %r = torch.aten.relu %a {{by = distinct[0]<"x">}} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %s = torch.aten.relu %a {{by = distinct[{}]<"x">}} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  return %r, %s : !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>
}}"""
RESOURCE = """
func.func @f(%a: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> {{
  %r = torch.aten.relu %a {{by = dense_resource<w> : tensor<2xi4>}} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  return %r : !torch.vtensor<[2],f32>
}}
{{-# dialect_resources: {{ builtin: {{ w: "0x04000000{}" }} }} #-}}"""
BRANCH = """  %{} = "stablehlo.case"(%i) ({{
    %z = tensor.empty() : tensor<4xf32>
    stablehlo.return %z : tensor<4xf32>
  }}, {{
    stablehlo.return %a : tensor<4xf32>
  }}) : (tensor<i32>) -> tensor<4xf32>
"""
BRANCHES = """
func.func @f(%a: tensor<4xf32>, %i: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>) {{
{}  return %r, %{} : tensor<4xf32>, tensor<4xf32>
}}"""


ONE_BRANCH = BRANCHES.format(BRANCH.format("r"), "r")
TWO_BRANCHES = BRANCHES.format(BRANCH.format("r") + BRANCH.format("s"), "s")


@pytest.mark.parametrize(
    ("source", "target"),
    [
        pytest.param(REFERRING.format("addf"), REFERRING.format("mulf"), id="symbol"),
        pytest.param(DISTINCT.format(1), DISTINCT.format(0), id="distinct"),
        pytest.param(RESOURCE.format("0102"), RESOURCE.format("0103"), id="resource"),
        pytest.param(ONE_BRANCH, TWO_BRANCHES, id="open"),
    ],
)
def test_the_text_of_an_op_is_not_all_that_it_is(source: str, target: str) -> None:
    """What an attribute refers to stands elsewhere, two that are distinct are printed alike, and what a region leaves
    open may be another each time."""
    assert check(source, target, ("s.mlir", "t.mlir"), Options()).verdict == "unknown"

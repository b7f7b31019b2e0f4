"""Functions of the dialect `llvm` on scalars: compared with each other, and with what they were lowered from."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.result import FunctionReport


def report(source: str, target: str) -> FunctionReport:
    found = check(source, target, ("s.mlir", "t.mlir"), Options(seconds=30))
    assert found.functions, found.diagnostics
    return next(f for f in found.functions if f.name == "f")


def llvm(body: str, arguments: str = "%x: i32, %y: i32", result: str = "i32", more: str = "") -> str:
    return f"llvm.func @f({arguments}) -> {result} {{\n{body}\n}}\n{more}"


def func(body: str, arguments: str = "%x: i32, %y: i32", result: str = "i32", more: str = "") -> str:
    return f"func.func @f({arguments}) -> {result} {{\n{body}\n}}\n{more}"


def value(op: str, kind: str = "i32") -> str:
    return f"%r = {op}\nllvm.return %r : {kind}"


SUM = llvm(value("llvm.add %x, %y overflow<nsw> : i32"))
QUOTIENT = llvm(value("llvm.sdiv %x, %y : i32"))
FLOATS = "%x: f64, %y: f64"
PAIR = llvm(
    """%p = llvm.intr.fabs(%x) : (f64) -> f64
%i = llvm.fptosi %y : f64 to i64
%u = llvm.mlir.poison : !llvm.struct<(f64, i64)>
%a = llvm.insertvalue %p, %u[0] : !llvm.struct<(f64, i64)>
%b = llvm.insertvalue %i, %a[1] : !llvm.struct<(f64, i64)>
llvm.return %b : !llvm.struct<(f64, i64)>""",
    FLOATS,
    "!llvm.struct<(f64, i64)>",
)
CALLED = """%s = llvm.call @g(%x) : (i32) -> !llvm.struct<(i32, i32)>
%a = llvm.extractvalue %s[0] : !llvm.struct<(i32, i32)>
%b = llvm.extractvalue %s[1] : !llvm.struct<(i32, i32)>
%r = llvm.sub %a, %b : i32
llvm.return %r : i32"""
OUTSIDE = "llvm.func @g(i32) -> !llvm.struct<(i32, i32)>\n"
BRANCHES = llvm(
    """%z = llvm.mlir.zero : i32
%p = llvm.icmp "slt" %x, %z : i32
llvm.cond_br %p weights([5, 1]), ^bb1, ^bb2
^bb1:
llvm.call @h(%x) : (i32) -> ()
llvm.br ^bb3(%x : i32)
^bb2:
llvm.call @h(%y) : (i32) -> ()
llvm.br ^bb3(%y : i32)
^bb3(%q: i32):
llvm.return %q : i32""",
    more="llvm.func @h(i32)\n",
)
MERGED = llvm(
    """%z = llvm.mlir.constant(0 : i32) : i32
%p = llvm.icmp "sgt" %z, %x : i32
llvm.cond_br %p, ^bb1(%x : i32), ^bb1(%y : i32)
^bb1(%q: i32):
llvm.call @h(%q) : (i32) -> ()
llvm.return %q : i32""",
    more="llvm.func @h(i32)\n",
)
SWITCH = llvm(
    """llvm.switch %x : i32, ^bb2(%y : i32) [
  42: ^bb2(%x : i32),
  -1: ^bb1
]
^bb1:
llvm.br ^bb2(%x : i32)
^bb2(%q: i32):
llvm.return %q : i32"""
)
CHOSEN = func(
    """%a = arith.constant 42 : i32
%b = arith.constant -1 : i32
%p = arith.cmpi eq, %x, %a : i32
%q = arith.cmpi eq, %x, %b : i32
%c = arith.ori %p, %q : i1
%r = arith.select %c, %x, %y : i32
return %r : i32"""
)

RIGHT = {
    "what was lowered": (func("%r = arith.addi %x, %y overflow<nsw> : i32\nreturn %r : i32"), SUM),
    "the lowering back": (SUM, func("%r = arith.addi %y, %x overflow<nsw> : i32\nreturn %r : i32")),
    "a flag is dropped": (SUM, llvm(value("llvm.add %x, %y : i32"))),
    "several results": (
        func(
            "%p = math.absf %x : f64\n%i = arith.fptosi %y : f64 to i64\nreturn %p, %i : f64, i64", FLOATS, "(f64, i64)"
        ),
        PAIR,
    ),
    "several results of a call": (
        llvm(CALLED, more=OUTSIDE),
        llvm(CALLED.replace("llvm.sub %a, %b", "llvm.sub %a, %b overflow<none>"), more=OUTSIDE),
    ),
    "blocks that are merged": (BRANCHES, MERGED),
    "a switch": (SWITCH, CHOSEN),
    "an op in a function of func": (
        func("%r = llvm.intr.smin(%x, %y) : (i32, i32) -> i32\nreturn %r : i32"),
        func("%r = arith.minsi %y, %x : i32\nreturn %r : i32"),
    ),
    "vectors": (
        llvm(
            "%r = llvm.add %x, %x : vector<4xi32>\nllvm.return %r : vector<4xi32>", "%x: vector<4xi32>", "vector<4xi32>"
        ),
        func("%r = arith.addi %x, %x : vector<4xi32>\nreturn %r : vector<4xi32>", "%x: vector<4xi32>", "vector<4xi32>"),
    ),
}

WRONG = {
    "nsw that the source has not": (llvm(value("llvm.add %x, %y : i32")), SUM),
    "nuw for nsw": (SUM, SUM.replace("nsw", "nuw")),
    "another predicate": (BRANCHES, MERGED.replace('"sgt"', '"ugt"')),
    "exact": (QUOTIENT, QUOTIENT.replace("sdiv", "sdiv exact")),
    "a trunc without overflow": (
        llvm("%r = llvm.trunc %x : i32 to i8\nllvm.return %r : i8", result="i8"),
        llvm("%r = llvm.trunc %x overflow<nuw> : i32 to i8\nllvm.return %r : i8", result="i8"),
    ),
    "a zext of what is negative": (
        llvm("%r = llvm.zext %x : i32 to i64\nllvm.return %r : i64", result="i64"),
        llvm("%r = llvm.zext nneg %x : i32 to i64\nllvm.return %r : i64", result="i64"),
    ),
    "no NaN": (
        llvm(value("llvm.fadd %x, %y : f64", "f64"), FLOATS, "f64"),
        llvm(value("llvm.fadd %x, %y {fastmathFlags = #llvm.fastmath<nnan>} : f64", "f64"), FLOATS, "f64"),
    ),
    "results change places": (
        llvm(CALLED, more=OUTSIDE),
        llvm(CALLED.replace("llvm.sub %a, %b", "llvm.sub %b, %a"), more=OUTSIDE),
    ),
    "another part": (PAIR, PAIR.replace("llvm.intr.fabs(%x)", "llvm.intr.fabs(%y)")),
    "another case": (SWITCH, CHOSEN.replace("constant -1", "constant -2")),
    "another call": (BRANCHES, MERGED.replace("llvm.call @h(%q)", "llvm.call @h(%x)")),
    "division that is not used": (
        llvm("llvm.return %x : i32"),
        llvm("%r = llvm.sdiv %x, %y : i32\nllvm.return %x : i32"),
    ),
}

PLAIN = llvm("llvm.return %x : i32")
UNREAD = {
    "freeze": llvm(value("llvm.freeze %x : i32")),
    "undef": llvm(value("llvm.mlir.undef : i32")),
    "disjoint": llvm(value("llvm.or disjoint %x, %x : i32")),
    "poison at zero": llvm(value('"llvm.intr.ctlz"(%x) <{is_zero_poison = true}> : (i32) -> i32')),
    "a part that was never put in": llvm(
        """%u = llvm.mlir.undef : !llvm.struct<(i32, i32)>
%a = llvm.insertvalue %x, %u[0] : !llvm.struct<(i32, i32)>
%r = llvm.extractvalue %a[1] : !llvm.struct<(i32, i32)>
llvm.return %r : i32"""
    ),
    "structs made of each other, where no run comes": llvm(
        """llvm.return %x : i32
^bb1:
%a = llvm.insertvalue %x, %b[0] : !llvm.struct<(i32, i32, i32)>
%b = llvm.insertvalue %x, %a[1] : !llvm.struct<(i32, i32, i32)>
%r = llvm.extractvalue %b[2] : !llvm.struct<(i32, i32, i32)>
llvm.return %r : i32"""
    ),
    "the same, of parts that were put in": llvm(
        """llvm.return %x : i32
^bb1:
%a = llvm.insertvalue %x, %b[0] : !llvm.struct<(i32, i32)>
%b = llvm.insertvalue %x, %a[1] : !llvm.struct<(i32, i32)>
%r = llvm.extractvalue %b[0] : !llvm.struct<(i32, i32)>
llvm.return %r : i32"""
    ),
    "a struct made of itself": llvm(
        """llvm.return %x : i32
^bb1:
%a = llvm.insertvalue %x, %a[0] : !llvm.struct<(i32, i32)>
llvm.return %x : i32"""
    ),
    "a pointer": llvm("%n = llvm.mlir.zero : !llvm.ptr\nllvm.store %x, %n : i32, !llvm.ptr\nllvm.return %x : i32"),
    "its callee is not read": llvm(
        "%r = llvm.call @g(%x) : (i32) -> i32\nllvm.return %x : i32",
        more="llvm.func @g(%x: i32) -> i32 {\n%r = llvm.freeze %x : i32\nllvm.return %r : i32\n}\n",
    ),
    "any number of arguments": llvm(
        "%r = llvm.call @g(%x) vararg(!llvm.func<i32 (i32, ...)>) : (i32) -> i32\nllvm.return %x : i32",
        more="llvm.func @g(i32, ...) -> i32\n",
    ),
    "another function may take its place": PLAIN.replace("llvm.func @f", "llvm.func weak @f"),
    "its address is taken": llvm(
        "llvm.return %x : i32",
        more="llvm.mlir.global @p() : !llvm.ptr {\n%a = llvm.mlir.addressof @f : !llvm.ptr\n"
        "llvm.return %a : !llvm.ptr\n}\n",
    ),
    "memory that it leaves alone": PLAIN.replace(
        "-> i32 {",
        "-> i32 attributes {memory_effects = #llvm.memory_effects<other = none, argMem = none, "
        "inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>} {",
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_pairs(name: str) -> None:
    found = report(*RIGHT[name])
    assert found.verdict in ("equivalent", "refines"), found.unknown


@pytest.mark.parametrize("name", WRONG)
def test_wrong_twins(name: str) -> None:
    assert report(*WRONG[name]).verdict == "not-equivalent"


def test_a_neighbour_that_is_not_read_does_not_matter() -> None:
    """It calls a function that is raised; its own pointers are not."""
    other = """llvm.func @other(%p: !llvm.ptr) {
%x = llvm.mlir.constant(1 : i32) : i32
%r = llvm.call @h(%x) : (i32) -> i32
llvm.store %r, %p : i32, !llvm.ptr
llvm.return
}
llvm.func @h(i32) -> i32
"""
    source = llvm("%r = llvm.call @h(%x) : (i32) -> i32\nllvm.return %r : i32", more=other)
    assert (
        report(
            source, source.replace("@h(%x) : (i32) -> i32\nllvm.return %r", "@h(%x) : (i32) -> i32\nllvm.return %x")
        ).verdict
        == "not-equivalent"
    )
    assert report(source, source.replace("llvm.return %r", "%s = llvm.or %r, %r : i32\nllvm.return %s")).verdict in (
        "equivalent",
        "refines",
    )


@pytest.mark.parametrize("name", UNREAD)
def test_what_has_no_counterpart_is_not_read(name: str) -> None:
    found = report(UNREAD[name], UNREAD[name].replace("llvm.return %x", "llvm.return %y"))
    assert found.verdict == "unknown"
    assert found.unknown is not None and found.unknown.reason == "unsupported-op"

"""Verdicts on functions that call themselves: what the induction shows, and what it must not."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.result import FunctionReport
from hecv.claim.semantic_options import Switches
from hecv.kernel.certificate.file_format import FunctionProof, Identity
from hecv.kernel.certificate.file_format import Options as CertifiedOptions
from hecv.kernel.certificate.rejection import Rejected
from hecv.kernel.terms.solvers import Solver
from hecv.replaying import Pair, check_function

from .running import parsed


@pytest.fixture(autouse=True)
def crosscheck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")


def report(source: str, target: str, options: Options | None = None) -> FunctionReport:
    found = check(source, target, ("s.mlir", "t.mlir"), options or Options(seconds=30))
    assert found.functions, found.diagnostics
    return found.functions[0]


def verdict(source: str, target: str, options: Options | None = None) -> str:
    return report(source, target, options).verdict


def recursive(*ops: str, name: str = "f", base: str = "%n", compare: str = "slt", type_: str = "i32") -> str:
    """A function of `%n` that is `base` below 2, and else what the ops leave in `%r`."""
    return "\n".join(
        [
            f"func.func @{name}(%n: {type_}) -> {type_} {{",
            f"%c0 = arith.constant 0 : {type_}",
            f"%c1 = arith.constant 1 : {type_}",
            f"%c2 = arith.constant 2 : {type_}",
            f"%small = arith.cmpi {compare}, %n, %c2 : {type_}",
            f"%v = scf.if %small -> {type_} {{ scf.yield {base} : {type_} }} else {{",
            *ops,
            f"scf.yield %r : {type_} }}",
            f"return %v : {type_} }}",
        ]
    )


def call(result: str, operand: str, callee: str = "f", type_: str = "i32") -> str:
    return f"{result} = func.call @{callee}({operand}) : ({type_}) -> {type_}"


ONE, TWO = "%a = arith.subi %n, %c1 : i32", "%b = arith.subi %n, %c2 : i32"
FIB = (ONE, TWO, call("%x", "%a"), call("%y", "%b"))


def test_operands_of_a_sum_exchanged() -> None:
    source = recursive(*FIB, "%r = arith.addi %x, %y : i32")
    found = report(source, recursive(TWO, *FIB[:1], *FIB[2:], "%r = arith.addi %y, %x : i32"))
    assert found.verdict == "equivalent"
    assert "call-induction" in [rule.name for rule in found.rules]
    wrong = report(source, recursive(*FIB, "%r = arith.subi %x, %y : i32"))
    assert wrong.verdict == "not-equivalent"
    assert wrong.counterexample is not None and "jit" in wrong.counterexample.engines


def test_calls_in_another_order_and_once_instead_of_twice() -> None:
    source = recursive(*FIB, "%r = arith.addi %x, %y : i32")
    assert verdict(source, recursive(ONE, TWO, FIB[3], FIB[2], "%r = arith.addi %x, %y : i32")) == "equivalent"
    twice = recursive(ONE, call("%x", "%a"), call("%y", "%a"), "%r = arith.addi %x, %y : i32")
    assert verdict(twice, recursive(ONE, call("%x", "%a"), "%r = arith.addi %x, %x : i32")) == "equivalent"


def test_a_factorial_simplified() -> None:
    first = ("%k = arith.addi %n, %c0 : i32", ONE, call("%x", "%a"), "%r = arith.muli %k, %x : i32")
    assert verdict(recursive(*first), recursive(ONE, call("%x", "%a"), "%r = arith.muli %x, %n : i32")) == "equivalent"
    wrong = recursive(TWO, call("%x", "%b"), "%r = arith.muli %x, %n : i32")
    assert verdict(recursive(*first), wrong) == "not-equivalent"


def test_a_condition_on_an_index() -> None:
    ops = ("%a = arith.subi %n, %c1 : index", call("%x", "%a", type_="index"))
    source = recursive(*ops, "%r = arith.addi %x, %n : index", type_="index")
    target = recursive(*ops, "%r = arith.addi %n, %x : index", type_="index")
    assert verdict(source, target) == "equivalent"
    assert verdict(source, recursive(*ops, "%r = arith.subi %x, %n : index", type_="index")) == "not-equivalent"


# What would be circular


@pytest.mark.one_in(2)
def test_a_call_that_the_source_does_not_make_is_not_taken_to_end() -> None:
    source = recursive(ONE, call("%r", "%a"))
    assert verdict(source, recursive(call("%r", "%n"))) == "unknown"
    more = recursive(ONE, "%d = arith.addi %n, %c1 : i32", call("%u", "%d"), call("%r", "%a"))
    assert verdict(source, more) == "unknown"
    whole = f"func.func @f(%n: i32) -> i32 {{\n{call('%r', '%n')}\nreturn %r : i32 }}"
    assert verdict(source, whole) == "unknown"
    assert verdict(whole, source) in ("refines", "unknown")


def test_a_call_without_use_may_go_and_not_come() -> None:
    used = recursive(ONE, call("%u", "%a"), "%r = arith.addi %n, %c1 : i32")
    unused = recursive("%r = arith.addi %n, %c1 : i32")
    assert verdict(used, unused) == "refines"
    assert verdict(unused, used) == "unknown"


def test_an_unguarded_call_is_not_a_guarded_one() -> None:
    source = recursive(ONE, call("%r", "%a"))
    speculated = "\n".join(
        [
            "func.func @f(%n: i32) -> i32 {",
            "%c1 = arith.constant 1 : i32",
            "%c2 = arith.constant 2 : i32",
            ONE,
            call("%x", "%a"),
            "%small = arith.cmpi slt, %n, %c2 : i32",
            "%v = arith.select %small, %n, %x : i32",
            "return %v : i32 }",
        ]
    )
    assert verdict(source, speculated) == "unknown"


def test_poison_passed_on_is_not_spoken_of() -> None:
    flagged = "%a = arith.subi %n, %c1 overflow<nsw> : i32"
    source = recursive(flagged, call("%x", "%a"), "%r = arith.addi %x, %n : i32")
    target = recursive(flagged, call("%x", "%a"), "%r = arith.addi %n, %x : i32")
    found = report(source, target)
    assert found.verdict == "unknown"
    assert found.unknown is not None and "poison" in found.unknown.text
    plain = recursive(ONE, call("%x", "%a"), "%r = arith.addi %n, %x : i32")
    assert verdict(plain, source) == "unknown"  # the target may be poison where the source is not
    returned = recursive(*FIB, "%r = arith.addi %x, %y overflow<nsw> : i32")
    assert verdict(returned, recursive(*FIB, "%r = arith.addi %y, %x : i32")) == "refines"


def test_nested_calls_are_given_what_calls_return() -> None:
    nested = (ONE, call("%x", "%a"), call("%y", "%x"))
    source = recursive(*nested, "%r = arith.addi %y, %n : i32")
    assert verdict(source, recursive(*nested, "%r = arith.addi %n, %y : i32")) == "equivalent"
    poisonous = recursive(*nested, "%r = arith.addi %y, %n overflow<nsw> : i32")
    assert verdict(poisonous, source) == "unknown"


def test_what_is_assumed_of_arguments_is_not_assumed_of_calls() -> None:
    source = recursive(ONE, call("%r", "%a"))
    target = recursive(ONE, call("%r", "%a"), base="%c1")
    assert verdict(source, target, Options(seconds=30, assume=("n >= 2",))) == "unknown"
    wrong = recursive(ONE, call("%r", "%a"), compare="sle")
    assert verdict(source, wrong, Options(seconds=30, assume=("n >= 5",))) == "not-equivalent"


def test_what_is_assumed_of_arguments_is_none_of_a_function_that_has_others() -> None:
    called = recursive(ONE, call("%r", "%a", "g"), name="g").replace("func.func", "func.func private")
    caller = "func.func @f(%x: i32, %n: i32) -> i32 {\n%r = func.call @g(%x) : (i32) -> i32\nreturn %r : i32\n}"
    source = f"{called}\n{caller}"
    target = source.replace("%n, %c1 : i32", "%n, %one : i32").replace("%c1 =", "%one = arith.constant 1 : i32\n%c1 =")
    assert verdict(source, target, Options(seconds=30, assume=("n >= 2",))) == "equivalent"


# Several functions


def test_mutual_recursion() -> None:
    private = "func.func private @"
    even = recursive(ONE, call("%x", "%a", "g"), "%r = arith.addi %x, %n : i32")
    odd = recursive(ONE, call("%x", "%a"), "%r = arith.muli %x, %n : i32", name="g").replace("func.func @", private)
    other = recursive(ONE, call("%x", "%a"), "%r = arith.muli %n, %x : i32", name="g").replace("func.func @", private)
    wrong = other.replace("arith.muli", "arith.addi")
    assert verdict(even + odd, even + other) == "equivalent"
    assert verdict(even + odd, even + wrong) == "not-equivalent"


def test_a_function_that_calls_a_recursive_one() -> None:
    top = f"func.func @top(%n: i32) -> i32 {{\n{call('%r', '%n', 'g')}\nreturn %r : i32 }}\n"
    own = recursive(ONE, call("%x", "%a", "g"), "%r = arith.muli %x, %n : i32", name="g")
    own = own.replace("func.func @", "func.func private @")
    assert verdict(top + own, top + own.replace("%x, %n", "%n, %x")) == "equivalent"
    assert verdict(top + own, top + own.replace("arith.muli", "arith.subi")) == "not-equivalent"
    # Where the difference is beyond what `top` asks of it, nothing is shown.
    zero = top.replace("{\n", "{\n%z = arith.constant 0 : i32\n").replace("@g(%n)", "@g(%z)")
    assert verdict(zero + own, zero + own.replace("arith.muli", "arith.subi")) == "unknown"
    assert verdict(zero + own, zero + own) == "equivalent"


def test_a_target_of_another_name() -> None:
    source = recursive(ONE, call("%x", "%a"), "%r = arith.muli %x, %n : i32")
    renamed = recursive(ONE, call("%x", "%a", "other"), "%r = arith.muli %n, %x : i32", name="other")
    assert verdict(source, renamed) == "equivalent"
    assert verdict(source, renamed.replace("muli", "addi")) == "not-equivalent"


@pytest.mark.one_in(2)
def test_a_function_of_the_target_with_the_name_of_the_source_is_another_one() -> None:
    """The target's `@other` is compared with `@f`, and calls a private `@f`, which is none of the two."""
    source = recursive(ONE, call("%x", "%a"), "%r = arith.muli %x, %n : i32")
    renamed = source.replace("func.func @f", "func.func @other")
    private = source.replace("func.func @f", "func.func private @f")
    assert verdict(source, renamed + private) == "equivalent"
    # Where the difference is beyond what runs reach.
    assert verdict(source, renamed + private.replace("slt, %n, %c2", "ult, %n, %c2")) != "equivalent"
    far = private.replace("%c2 = arith.constant 2 :", "%c2 = arith.constant -100000 :")
    assert verdict(source, renamed + far) in ("unknown", "not-equivalent")


def test_recursion_through_what_has_no_body_is_unknown() -> None:
    extern = "func.func private @h(i32) -> i32\n"
    text = extern + recursive(ONE, call("%x", "%a"), call("%r", "%x", "h"))
    found = report(text, text.replace("%n, %c1", "%n, %c2"))
    assert found.verdict == "unknown"
    assert found.unknown is not None and "no body" in found.unknown.text


# Memory

KIND = "memref<?xi32>"


def walk_array(*ops: str, more: str = "") -> str:
    """A function that goes through an array from `%i` on."""
    return "\n".join(
        [
            f"{more}func.func @f(%A: {KIND}, %B: {KIND}, %i: index) {{",
            "%c0 = arith.constant 0 : index",
            "%c1 = arith.constant 1 : index",
            "%k7 = arith.constant 7 : i32",
            f"%n = memref.dim %A, %c0 : {KIND}",
            "%go = arith.cmpi slt, %i, %n : index",
            "scf.if %go {",
            f"%x = memref.load %A[%i] : {KIND}",
            f"%w = memref.load %B[%c0] : {KIND}",
            *ops,
            "}",
            "return }",
        ]
    )


NEXT = "%j = arith.addi %i, %c1 : index"
AGAIN = f"func.call @f(%A, %B, %j) : ({KIND}, {KIND}, index) -> ()"
SUM = "%y = arith.addi %x, %w : i32"
PUT = f"memref.store %y, %A[%i] : {KIND}"


@pytest.mark.one_in(2)
def test_memory_that_is_passed_on() -> None:
    source = walk_array(SUM, PUT, NEXT, AGAIN)
    assert verdict(source, walk_array(NEXT, SUM.replace("%x, %w", "%w, %x"), PUT, AGAIN)) == "equivalent"
    assert verdict(source, walk_array(NEXT, AGAIN, SUM, PUT)) in ("unknown", "not-equivalent")
    assert verdict(source, walk_array(SUM.replace("addi", "muli"), PUT, NEXT, AGAIN)) == "not-equivalent"
    swapped = AGAIN.replace("%A, %B", "%B, %A")
    assert verdict(source, walk_array(SUM, PUT, NEXT, swapped)) in ("unknown", "not-equivalent")


@pytest.mark.one_in(2)
def test_a_load_is_not_moved_over_a_call_that_may_store() -> None:
    late = f"%x2 = memref.load %A[%i] : {KIND}"
    after = walk_array(NEXT, AGAIN, late, "%y = arith.addi %x2, %w : i32", PUT)
    before = walk_array(NEXT, late, AGAIN, "%y = arith.addi %x2, %w : i32", PUT)
    assert verdict(after, after) == "equivalent"
    assert verdict(after, before) == "unknown"  # equal for this callee, not for all


def test_one_memory_given_twice_is_not_spoken_of() -> None:
    twice = walk_array(SUM, PUT, NEXT, AGAIN.replace("%A, %B", "%A, %A"))
    assert verdict(twice, twice.replace("%x, %w", "%w, %x")) == "unknown"


def test_under_alias_may_nothing_is_proved_of_two_memrefs() -> None:
    source = walk_array(SUM, PUT, NEXT, AGAIN)
    options = Options(seconds=30, switches=Switches(may_overlap=True))
    assert verdict(source, walk_array(NEXT, SUM.replace("%x, %w", "%w, %x"), PUT, AGAIN), options) == "unknown"


def test_under_alias_may_a_callee_may_write_what_its_caller_only_reads() -> None:
    kind = "memref<4xi32>"
    fill = (
        f"func.func private @g(%A: {kind}, %n: i32) {{\n%c0 = arith.constant 0 : index\n"
        "%z = arith.constant 0 : i32\n%o = arith.constant 1 : i32\n%c = arith.cmpi sgt, %n, %z : i32\n"
        f"scf.if %c {{\nmemref.store %n, %A[%c0] : {kind}\n%m = arith.subi %n, %o : i32\n"
        f"func.call @g(%A, %m) : ({kind}, i32) -> ()\n}}\nreturn\n}}\n"
    )
    read, called = f"%x = memref.load %B[%c0] : {kind}", f"call @g(%A, %n) : ({kind}, i32) -> ()"

    def text(*ops: str) -> str:
        head = f"func.func @f(%A: {kind}, %B: {kind}, %n: i32) -> i32 {{\n%c0 = arith.constant 0 : index"
        return "\n".join([fill + head, *ops, "return %x : i32\n}"])

    assert verdict(text(read, called), text(called, read)) == "equivalent"
    options = Options(seconds=30, switches=Switches(may_overlap=True))
    assert verdict(text(read, called), text(called, read), options) in ("unknown", "not-equivalent")


def test_globals_that_a_callee_changes() -> None:
    glob = "memref.global @g : memref<i32> = dense<0>\n"
    change = "%g = memref.get_global @g : memref<i32>\n%o = memref.load %g[] : memref<i32>\n"
    store = "memref.store %y, %g[] : memref<i32>"
    first = (change, "%y = arith.addi %o, %x : i32", store, NEXT, AGAIN)
    second = (change, "%y = arith.addi %x, %o : i32", store, NEXT, AGAIN)
    assert verdict(walk_array(*first, more=glob), walk_array(*second, more=glob)) == "equivalent"
    wrong = (change, "%y = arith.subi %x, %o : i32", store, NEXT, AGAIN)
    assert verdict(walk_array(*first, more=glob), walk_array(*wrong, more=glob)) == "not-equivalent"


def test_memory_that_holds_poison_is_not_passed_on() -> None:
    local = (f"%L = memref.alloc(%n) : {KIND}", NEXT, AGAIN.replace("%A, %B", "%L, %B"))
    source = walk_array(*local)
    assert verdict(source, walk_array(*local, "%u = arith.addi %x, %w : i32")) == "unknown"


# Floats and parallel loops


def test_floats_without_licence_only() -> None:
    def text(op: str) -> str:
        return (
            "func.func @f(%n: i32, %x: f32) -> f32 {\n%c1 = arith.constant 1 : i32\n%z = arith.constant 0 : i32\n"
            "%s = arith.cmpi sle, %n, %z : i32\n%v = scf.if %s -> f32 { scf.yield %x : f32 } else {\n"
            "%a = arith.subi %n, %c1 : i32\n%y = func.call @f(%a, %x) : (i32, f32) -> f32\n"
            f"%r = {op} : f32\nscf.yield %r : f32 }}\nreturn %v : f32 }}"
        )

    assert verdict(text("arith.addf %x, %y"), text("arith.addf %y, %x")) == "equivalent"
    assert verdict(text("arith.addf %x, %y"), text("arith.subf %x, %y")) == "not-equivalent"
    loose = text("arith.addf %x, %y fastmath<reassoc>"), text("arith.addf %y, %x fastmath<reassoc>")
    assert verdict(*loose) == "unknown"
    for floats in ("reassoc", "real"):
        options = Options(switches=Switches(floats=floats))
        assert verdict(text("arith.addf %x, %y"), text("arith.addf %y, %x"), options) == "unknown"


FLOAT = """func.func @NAME(%n: i32, %x: f32, %y: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m = arith.subi %n, %c1 : i32
  %small = arith.cmpi sle, %n, %c0 : i32
  %v = scf.if %small -> f32 {
    BASE
  } else {
    CALLS
  }
  return %v : f32
}
"""


def of_floats(base: str, *calls: str, name: str = "f") -> str:
    return FLOAT.replace("NAME", name).replace("BASE", base).replace("CALLS", "\n    ".join(calls))


CALL = "func.call @f(%m, %x, %y) : (i32, f32, f32) -> f32"


@pytest.mark.parametrize(("op", "equal"), [("maxnumf", False), ("maximumf", True)])
def test_a_call_that_leaves_its_value_open_is_not_another_one(op: str, equal: bool) -> None:
    base, end = f"%b = arith.{op} %x, %y : f32\nscf.yield %b : f32", "%s = arith.subf %p, %q : f32\nscf.yield %s : f32"
    once = of_floats(base, f"%p = {CALL}", "%q = arith.addf %p, %p : f32", end)
    twice = of_floats(base, f"%p = {CALL}", f"%o = {CALL}", "%q = arith.addf %p, %o : f32", end)
    assert (verdict(once, twice) == "equivalent") == equal


@pytest.mark.parametrize(("shown", "equal"), [("%i = arith.bitcast %x : f32 to i32", False), ("", True)])
def test_who_is_called_may_show_which_nan_it_is_given(shown: str, equal: bool) -> None:
    bits = "%j = arith.sitofp %i : i32 to f32\nscf.yield %j : f32" if shown else "scf.yield %x : f32"
    called = of_floats(shown + "\n" + bits, f"%p = {CALL}", "scf.yield %p : f32", name="g")
    called = called.replace("func.func @g", "func.func private @g")
    texts = [
        of_floats(
            "scf.yield %x : f32",
            f"%s = arith.addf {operands} : f32",
            "%p = func.call @g(%m, %s, %y) : (i32, f32, f32) -> f32",
            "scf.yield %p : f32",
        )
        for operands in ("%x, %y", "%y, %x")
    ]
    assert (verdict(texts[0] + called, texts[1] + called) == "equivalent") == equal


def test_calls_in_parallel_loops_are_not_given_memory() -> None:
    loop = ("scf.parallel (%p) = (%c0) to (%n) step (%c1) {", NEXT, AGAIN, "}")
    source = walk_array(*loop)
    assert verdict(source, walk_array(SUM, *loop)) == "unknown"


def test_a_certificate_speaks_of_all_that_is_called() -> None:
    source = recursive(*FIB, "%r = arith.addi %x, %y : i32")
    target = recursive(*FIB, "%r = arith.addi %y, %x : i32")
    found = report(source, target, Options(seconds=30, recording=True))
    assert found.verdict == "equivalent" and found.certificate is not None, found.uncertified
    check_function(pair_of(source, target), found.certificate, CertifiedOptions(), Solver("z3", 64))


def test_a_proof_of_one_body_is_none_of_those_that_it_calls() -> None:
    odd = recursive(ONE, call("%r", "%a", "g"))
    even = recursive(ONE, call("%r", "%a"), name="g"), recursive(ONE, call("%r", "%a"), name="g", base="%c1")
    sources = f"{odd}\n{even[0]}", f"{odd}\n{even[1]}"
    whole = report(sources[0], sources[0], Options(seconds=30, recording=True)).certificate
    assert whole is not None and [c.source for c in whole.callees] == ["g"]
    check_function(pair_of(sources[0], sources[0]), whole, CertifiedOptions(), Solver("z3", 64))
    left_out = FunctionProof("f", "f", "equivalent", Identity())
    for proof in (whole, left_out):
        with pytest.raises(Rejected):
            check_function(pair_of(*sources), proof, CertifiedOptions(), Solver("z3", 64))
    with pytest.raises(Rejected, match="not those that may call themselves"):
        check_function(pair_of(sources[0], sources[0]), left_out, CertifiedOptions(), Solver("z3", 64))


def test_a_certificate_does_not_speak_of_poison_that_is_passed_on() -> None:
    text = recursive("%a = arith.addi %n, %c1 overflow<nsw> : i32", call("%r", "%a"))
    with pytest.raises(Rejected, match="may be given poison"):
        check_function(
            pair_of(text, text),
            FunctionProof("f", "f", "equivalent", Identity()),
            CertifiedOptions(),
            Solver("z3", 64),
        )


def pair_of(source: str, target: str) -> Pair:
    return Pair((parsed(source), parsed(target)), ("f", "f"), ())

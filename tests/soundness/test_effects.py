"""Verdicts on views, assertions, globals and calls: each pair with what must not be said of it."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.result import FunctionReport
from hecv.claim.semantic_options import Switches


@pytest.fixture(autouse=True)
def crosscheck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")


def report(source: str, target: str, options: Options | None = None) -> FunctionReport:
    found = check(source, target, ("s.mlir", "t.mlir"), options or Options(seconds=30))
    assert found.functions, found.diagnostics
    return found.functions[0]


def verdict(source: str, target: str) -> str:
    return report(source, target).verdict


def function(ops: str, arguments: str = "%A: memref<8xf32>, %n: index, %x: f32") -> str:
    return f"func.func @f({arguments}) {{\n{ops}\nreturn\n}}\n"


# Views

STORE = function("memref.store %x, %A[%n] : memref<8xf32>")
WINDOW = "memref<3xf32, strided<[1], offset: ?>>"
VIEW = f"%s = memref.subview %A[%n] [3] [1] : memref<8xf32> to {WINDOW}\n"


def test_dropping_a_view_drops_what_it_demands() -> None:
    viewed = function(f"{VIEW}affine.store %x, %s[0] : {WINDOW}")
    assert verdict(viewed, STORE) == "refines"
    assert verdict(STORE, viewed) == "not-equivalent"


def test_an_index_beyond_the_view_and_within_its_memory_is_undefined() -> None:
    beyond = function(f"{VIEW}%c3 = arith.constant 3 : index\nmemref.store %x, %s[%c3] : {WINDOW}")
    inside = function(f"{VIEW}%m = arith.addi %n, %n : index\nmemref.store %x, %A[%n] : memref<8xf32>")
    assert verdict(inside, beyond) == "not-equivalent"
    assert verdict(beyond, inside) in ("refines", "equivalent")


def test_an_empty_view_may_lie_anywhere() -> None:
    kind = "memref<0xf32, strided<[1], offset: ?>>"
    empty = function(f"%s = memref.subview %A[%n] [0] [1] : memref<8xf32> to {kind}")
    assert verdict(function(""), empty) == "equivalent"


def test_views_share_storage() -> None:
    kind = "memref<4xf32, strided<[1], offset: {0}>>"
    views = (
        f"%s = memref.subview %A[1] [4] [1] : memref<8xf32> to {kind.format(1)}\n"
        f"%t = memref.subview %A[3] [4] [1] : memref<8xf32> to {kind.format(3)}\n"
    )
    load = f"%v = affine.load %s[2] : {kind.format(1)}\n"
    store = f"affine.store %x, %t[0] : {kind.format(3)}\n"
    use = "affine.store %v, %A[7] : memref<8xf32>"
    assert verdict(function(views + store + load + use), function(views + load + store + use)) == "not-equivalent"


def test_a_cast_to_a_wrong_extent_is_undefined() -> None:
    arguments = "%A: memref<?xf32>, %x: f32"
    plain = function("affine.store %x, %A[0] : memref<?xf32>", arguments)
    cast = "%c = memref.cast %A : memref<?xf32> to memref<4xf32>\naffine.store %x, %c[0] : memref<4xf32>"
    assert verdict(plain, function(cast, arguments)) == "not-equivalent"
    assert verdict(function(cast, arguments), plain) == "refines"


def test_rows_of_a_reinterpreted_buffer_run_on() -> None:
    arguments = "%A: memref<4x4xf32>, %x: f32"
    through = """
    %r = memref.reinterpret_cast %A to offset: [2], sizes: [4], strides: [1]
      : memref<4x4xf32> to memref<4xf32, strided<[1], offset: 2>>
    affine.for %i = 0 to 4 { affine.store %x, %r[%i] : memref<4xf32, strided<[1], offset: 2>> }
    """
    direct = "\n".join(f"affine.store %x, %A[{r}, {c}] : memref<4x4xf32>" for r, c in ((0, 2), (0, 3), (1, 0), (1, 1)))
    assert verdict(function(through, arguments), function(direct, arguments)) == "equivalent"


def test_strides_that_are_not_known_are_an_assumption() -> None:
    kind = "memref<4x4xf32, strided<[?, ?], offset: ?>>"
    arguments = f"%A: {kind}, %x: f32, %y: f32"
    first, second = (f"affine.store %{v}, %A[{at}] : {kind}" for v, at in (("x", "0, 1"), ("y", "1, 0")))
    pair = function(f"{first}\n{second}", arguments), function(f"{second}\n{first}", arguments)
    found = report(*pair)
    assert found.verdict == "equivalent"
    assert "elements-distinct" in [a.id for a in found.assumptions]
    overlapping = Options(switches=Switches(may_overlap=True), seconds=30)
    assert report(*pair, overlapping).verdict == "unknown"


def test_a_difference_in_a_strided_buffer_is_confirmed() -> None:
    kind = "memref<4x4xf32, strided<[9, 2], offset: 3>>"
    texts = [function(f"affine.store %x, %A[1, {c}] : {kind}", f"%A: {kind}, %x: f32") for c in (1, 2)]
    found = report(*texts)
    assert found.verdict == "not-equivalent"
    assert found.counterexample is not None and "jit" in found.counterexample.engines


# Assertions


def test_assertions_on_arguments() -> None:
    asserted = function('%c0 = arith.constant 0 : index\n%c = arith.cmpi sge, %n, %c0 : index\ncf.assert %c, "n"')
    assert verdict(asserted, function("")) == "refines"
    assert verdict(function(""), asserted) == "not-equivalent"
    assert verdict(asserted, asserted) == "equivalent"


@pytest.mark.parametrize(("order", "expected"), [("%i", "equivalent"), ("-%i + 7", "equivalent"), ("0", "equivalent")])
def test_assertions_on_memory_in_any_order(order: str, expected: str) -> None:
    def asserted(at: str) -> str:
        return function(
            f"""affine.for %i = 0 to 8 {{
              %v = affine.load %A[{at}] : memref<8xf32>
              %c = arith.cmpf ord, %v, %v : f32
              cf.assert %c, "no NaN"
            }}"""
        )

    found = verdict(asserted("%i"), asserted(order))
    assert found == (expected if order != "0" else "refines")
    if order == "0":
        assert verdict(asserted("0"), asserted("%i")) == "not-equivalent"


@pytest.mark.one_in(2)
def test_an_assertion_of_what_was_overwritten_is_another() -> None:
    check_first = """
    %v = affine.load %A[0] : memref<8xf32>
    %c = arith.cmpf ord, %v, %v : f32
    cf.assert %c, "no NaN"
    """
    store = "affine.store %x, %A[0] : memref<8xf32>\n"
    first, second = function(check_first + store), function(store + check_first)
    assert verdict(first, second) == "not-equivalent"
    assert verdict(second, first) == "not-equivalent"


def test_a_false_assertion_hides_what_differs() -> None:
    wrong = 'cf.assert %false, "never"\naffine.store %x, %A[1] : memref<8xf32>'
    source = function(f"%false = arith.constant false\n{wrong}")
    assert report(source, function("")).verdict == "refines"


# Globals


GLOBAL = 'memref.global "private" @g : memref<2xf32> = dense<0.0>\n'
GET = "%g = memref.get_global @g : memref<2xf32>\n"


def test_the_final_contents_of_a_global_count() -> None:
    stores = GLOBAL + function(f"{GET}affine.store %x, %g[0] : memref<2xf32>")
    found = report(stores, GLOBAL + function(""))
    assert found.verdict == "not-equivalent"
    assert found.counterexample is not None
    assert [b.key for b in found.counterexample.inputs][-1] == "@g"
    assert found.counterexample.engines == ("interpreter", "jit")
    assert verdict(stores, stores) == "equivalent"


def test_a_global_may_have_changed_before_the_call() -> None:
    reads = GLOBAL + function(f"{GET}%v = affine.load %g[0] : memref<2xf32>\naffine.store %v, %A[0] : memref<8xf32>")
    zero = GLOBAL + function("%v = arith.constant 0.0 : f32\naffine.store %v, %A[0] : memref<8xf32>")
    assert verdict(reads, zero) == "not-equivalent"
    constant = 'memref.global "private" constant @g : memref<2xf32> = dense<0.0>\n'
    assert verdict(reads.replace(GLOBAL, constant), zero.replace(GLOBAL, constant)) == "equivalent"


def test_globals_and_arguments_do_not_overlap() -> None:
    ops = ("affine.store %x, %g[0] : memref<2xf32>\n", "%v = affine.load %A[0] : memref<8xf32>\n")
    use = "affine.store %v, %A[1] : memref<8xf32>"
    texts = [GLOBAL + function(GET + a + b + use) for a, b in (ops, ops[::-1])]
    found = report(texts[0], texts[1])
    assert found.verdict == "equivalent"
    assert "memref arguments and globals do not overlap" in [a.text for a in found.assumptions]
    overlapping = Options(switches=Switches(may_overlap=True), seconds=30)
    assert report(texts[0], texts[1], overlapping).verdict == "unknown"


@pytest.mark.parametrize(("other", "expected"), [("[1.0, 2.0]", "equivalent"), ("[2.0, 1.0]", "not-equivalent")])
def test_contents_of_constants_count(other: str, expected: str) -> None:
    def sums(symbol: str, contents: str) -> str:
        return f'memref.global "private" constant @{symbol} : memref<2xf32> = dense<{contents}>\n' + function(
            f"""%g = memref.get_global @{symbol} : memref<2xf32>
            affine.for %i = 0 to 2 {{
              %v = affine.load %g[%i] : memref<2xf32>
              affine.store %v, %A[%i] : memref<8xf32>
            }}"""
        )

    assert verdict(sums("a", "[1.0, 2.0]"), sums("b", other)) == expected


# Calls of what has no body

CALL = "func.func private @h(memref<8xf32>)\n"


def test_the_same_text_with_other_constants_is_another_program() -> None:
    text = 'memref.global "private" constant @g : memref<2xf32> = dense<[1.0, 2.0]>\n' + CALL
    load = f"{GET}%v = memref.load %g[%n] : memref<2xf32>\n"
    text += function(f"{load}func.call @h(%A) : (memref<8xf32>) -> ()\nmemref.store %v, %A[%n] : memref<8xf32>")
    assert verdict(text, text) == "equivalent"
    assert verdict(text, text.replace("2.0]", "3.0]")) == "not-equivalent"


def test_constants_that_a_function_without_a_body_may_read() -> None:
    call = function("func.call @h(%A) : (memref<8xf32>) -> ()")
    text = f"memref.global constant @g : memref<2xf32> = dense<[1.0, 2.0]>\n{CALL}{call}"
    other = text.replace("2.0]", "3.0]")
    assert (verdict(text, text), verdict(text, other)) == ("equivalent", "unknown")
    private = [t.replace("constant", '"private" constant') for t in (text, other)]
    assert verdict(*private) == "equivalent"


# Rows of unknown length

MATRIX = "%A: memref<?x?xf32>, %i: index, %j: index, %x: f32"
DIRECT = function("memref.store %x, %A[%i, %j] : memref<?x?xf32>", MATRIX)
LINEAR = function(
    """
    %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %A
      : memref<?x?xf32> -> memref<f32>, index, index, index, index, index
    %start = arith.muli %i, %strides#0 : index
    %at = arith.addi %start, %j : index
    %r = memref.reinterpret_cast %base to offset: [%at], sizes: [1], strides: [1]
      : memref<f32> to memref<1xf32, strided<[1], offset: ?>>
    affine.store %x, %r[0] : memref<1xf32, strided<[1], offset: ?>>
    """,
    MATRIX,
)


def test_rows_are_known_where_the_source_stays_in_them() -> None:
    assert verdict(DIRECT, LINEAR) in ("refines", "equivalent")
    assert verdict(DIRECT, LINEAR.replace("%start, %j", "%start, %i")) == "not-equivalent"


def test_rows_are_not_known_where_nothing_says_so() -> None:
    # On a matrix of 3 by 2, position 3*0 + 2 is element [1, 0], and [0, 2] does not exist.
    assert verdict(LINEAR, DIRECT) in ("not-equivalent", "unknown")
    shifted = LINEAR.replace("affine.store %x", "affine.store %y").replace("%x: f32", "%x: f32, %y: f32")
    both = LINEAR.replace("%x: f32", "%x: f32, %y: f32"), shifted
    assert verdict(*both) == "not-equivalent"

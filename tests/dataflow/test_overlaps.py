"""Proofs for memref arguments that may overlap."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.semantic_options import Switches

MAY = Options(switches=Switches(may_overlap=True))


def function(body: str, arguments: str = "%A: memref<8xi32>, %B: memref<8xi32>, %x: i32") -> str:
    return f"func.func @f({arguments}) {{\n{body}\nreturn\n}}"


def verdict(source: str, target: str, options: Options = MAY) -> str:
    return check(source, target, ("s.mlir", "t.mlir"), options).verdict


def load(name: str, memory: str, index: str = "%i") -> str:
    return f"%{name} = affine.load %{memory}[{index}] : memref<8xi32>\n"


def store(name: str, memory: str, index: str = "%i") -> str:
    return f"affine.store %{name}, %{memory}[{index}] : memref<8xi32>\n"


def loop(body: str, bounds: str = "0 to 7") -> str:
    return f"affine.for %i = {bounds} {{\n{body}}}\n"


def plus(name: str, operand: str) -> str:
    return f"%{name} = arith.addi %{operand}, %x : i32\n"


SET = store("x", "A", "0")
SUM = load("a", "A") + plus("s", "a")
SHIFTED = load("a", "A", "7 - %i") + plus("s", "a") + store("s", "B", "6 - %i")
COPY = load("a", "A") + store("a", "B")
NEXT = load("b", "A", "%i + 1") + store("b", "B", "%i + 1")

RIGHT = {
    "forwarded": (SET + load("a", "A", "0") + store("a", "B", "1"), SET + store("x", "B", "1")),
    "unrolled": (loop(COPY), loop(COPY + NEXT, "0 to 6 step 2") + loop(COPY, "6 to 7")),
    "hoisted-over-its-own": (loop(load("a", "A", "0") + store("a", "A")), load("a", "A", "0") + loop(store("a", "A"))),
    "peeled": (
        SET + store("x", "B", "2") + loop(SUM + store("s", "A")),
        SET
        + store("x", "B", "2")
        + (load("b", "A", "0") + plus("t", "b") + store("t", "A", "0"))
        + loop(SUM + store("s", "A"), "1 to 7"),
    ),
    "reversed-alone": (loop(store("x", "A")) + SET, loop(store("x", "A", "6 - %i")) + SET),
    "dead-store": (
        SET + store("x", "B", "0") + plus("s", "x") + store("s", "A", "0"),
        store("x", "B", "0") + plus("s", "x") + store("s", "A", "0"),
    ),
}

PAST = SET + plus("s", "x") + store("s", "B", "0")
BETWEEN = load("a", "A", "2") + plus("s", "a") + store("s", "B", "3")

WRONG = {
    "forwarded-past-a-store": (PAST + load("a", "A", "0") + store("a", "B", "1"), PAST + store("x", "B", "1")),
    "hoisted": (
        loop(load("a", "A", "0") + plus("s", "a") + store("s", "B")),
        load("a", "A", "0") + plus("s", "a") + loop(store("s", "B")),
    ),
    "fused": (
        loop(SUM + store("s", "B")) + loop(load("a", "B") + plus("s", "a") + store("s", "A")),
        loop(SUM + store("s", "B") + load("b", "B") + plus("t", "b") + store("t", "A")),
    ),
    "backwards": (
        loop(SUM + store("s", "B")),
        loop(load("a", "A", "6 - %i") + plus("s", "a") + store("s", "B", "6 - %i")),
    ),
    "by-one": (loop(load("a", "A", "%i + 1") + plus("s", "a") + store("s", "B")), loop(SHIFTED)),
    "merged-loads": (BETWEEN + load("b", "A", "2") + store("b", "B", "0"), BETWEEN + store("a", "B", "0")),
    "stores-exchanged": (PAST, plus("s", "x") + store("s", "B", "0") + SET),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_wherever_arguments_lie(name: str) -> None:
    source, target = map(function, RIGHT[name])
    assert verdict(source, source) == verdict(source, target) == verdict(target, source) == "equivalent"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", WRONG)
def test_wrong_where_arguments_overlap(name: str) -> None:
    """Right by default, and refuted by a run where the switch is given."""
    source, target = map(function, WRONG[name])
    assert verdict(source, target, Options()) == "equivalent"
    report = check(source, target, ("s.mlir", "t.mlir"), MAY)
    (found,) = report.functions
    assert report.verdict == "not-equivalent" and found.counterexample is not None
    assert found.counterexample.engines == ("interpreter", "jit") and found.notes


def test_elements_of_other_types_show_their_bits() -> None:
    """What is written as a float may be read as an integer: equality up to which NaN it is will not do."""
    arguments = "%A: memref<8xf32>, %B: memref<8x{}>, %x: f32, %y: f32"
    texts = [
        function(
            f"""%s = arith.addf {operands} : f32
            affine.store %s, %A[0] : memref<8xf32>
            %b = affine.load %B[0] : memref<8xKIND>
            affine.store %b, %B[1] : memref<8xKIND>""",
            arguments,
        )
        for operands in ("%x, %y", "%y, %x")
    ]
    for kind, expected in (("f32", "equivalent"), ("i32", "unknown"), ("i4", "unknown")):
        source, target = (t.replace("KIND", kind).replace("{}", kind) for t in texts)
        assert verdict(source, target) == expected
        unlike = verdict(source, source.replace("%A[0]", "%A[1]"))
        assert unlike == "not-equivalent"


def test_poison_comes_through_other_arguments() -> None:
    """To branch on what one argument holds is undefined where another was given poison."""
    stored = "%p = arith.addi %x, %x overflow<nsw> : i32\naffine.store %p, %B[0] : memref<8xi32>\n"
    branch = f"{load('a', 'A', '1')}%c = arith.cmpi slt, %a, %x : i32\nscf.if %c {{\n{SET}}} else {{\n{SET}}}\n"
    assert verdict(function(stored + SET), function(stored + branch), Options()) == "equivalent"
    assert verdict(function(SET), function(branch)) == "equivalent"
    assert verdict(function(stored + SET), function(stored + branch)) == "not-equivalent"


GLOBALS = 'memref.global "private" @g : memref<8xi32>\nmemref.global "private" @h : memref<8xi32>\n'
GET = "%A = memref.get_global @g : memref<8xi32>\n%B = memref.get_global @h : memref<8xi32>\n"


def test_two_globals_are_two_memories() -> None:
    first, second = SET, plus("s", "x") + store("s", "B", "0")
    texts = [GLOBALS + function(GET + a + b, "%x: i32") for a, b in ((first, second), (second, first))]
    assert verdict(*texts) == "equivalent"
    arguments = [t.replace("%A = memref.get_global @g", "%C = memref.get_global @g") for t in texts]
    mixed = [t.replace("(%x: i32)", "(%A: memref<8xi32>, %x: i32)") for t in arguments]
    assert verdict(*mixed) == "unknown"  # no run makes an argument of a global


@pytest.mark.parametrize(
    ("body", "because"),
    [
        ("memref.copy %A, %B : memref<8xi32> to memref<8xi32>\n", "a copy leaves open"),
        ("affine.parallel (%i) = (0) to (8) {\n" + COPY + "}\n", "race"),
    ],
    ids=["copy", "parallel"],
)
def test_what_is_not_proved(body: str, because: str) -> None:
    twice = [function(body + n * SET) for n in (1, 2)]
    report = check(twice[0], twice[1], ("s.mlir", "t.mlir"), MAY)
    assert report.verdict == "unknown"
    assert report.functions[0].unknown is not None and because in report.functions[0].unknown.text


DISTINCT = "%p, %q = memref.distinct_objects %A, %B : memref<8xi32>, memref<8xi32>\n"
MARKED = "%A: memref<8xi32> {llvm.noalias}, %B: memref<8xi32>, %x: i32"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", WRONG)
def test_arguments_that_are_said_to_be_distinct(name: str) -> None:
    source, target = WRONG[name]
    for first, second in (
        (function(DISTINCT + source), function(target)),
        (function(source, MARKED), function(target)),
    ):
        report = check(first, second, ("s.mlir", "t.mlir"), MAY)
        assert report.verdict == "equivalent"
        assert "args-said-distinct" in {a.id for a in report.functions[0].assumptions}


@pytest.mark.parametrize("text", [function(DISTINCT + SET), function(SET, MARKED)])
def test_a_target_may_not_say_more_of_its_arguments(text: str) -> None:
    assert verdict(function(SET), text) == "unknown"
    assert verdict(function(SET), text, Options()) == "equivalent"


def test_what_is_said_in_a_branch_is_no_promise() -> None:
    """The arguments may overlap where the branch is not taken."""
    source = """func.func @f(%A: memref<8xi32>, %B: memref<8xi32>, %c: i1) -> i32 {
      %o = arith.constant 0 : index
      %k = arith.constant 7 : i32
      scf.if %c {
        %p, %q = memref.distinct_objects %A, %B : memref<8xi32>, memref<8xi32>
        memref.store %k, %p[%o] : memref<8xi32>
      }
      %x = memref.load %A[%o] : memref<8xi32>
      memref.store %k, %B[%o] : memref<8xi32>
      %y = memref.load %A[%o] : memref<8xi32>
      %s = arith.addi %x, %y : i32
      return %s : i32
    }"""
    assert verdict(source, source.replace("addi %x, %y", "addi %x, %x")) == "unknown"


def test_alignment_is_an_assumption_of_the_source() -> None:
    aligned = ["%p = memref.assume_alignment %A, " + f"{n} : memref<8xi32>\n" for n in (16, 32)]
    texts = [function(a + SET.replace("%A", "%p")) for a in aligned]
    report = check(texts[1], texts[0], ("s.mlir", "t.mlir"), Options())
    assert report.verdict == "equivalent"
    assert "args-aligned" in {a.id for a in report.functions[0].assumptions}
    assert verdict(texts[1], function(SET)) == "equivalent"
    assert verdict(texts[0], texts[1]) == verdict(function(SET), texts[0]) == "unknown"


def test_a_copy_is_no_loop() -> None:
    """It may do anything where its operands overlap in part."""
    copied, looped = function("memref.copy %A, %B : memref<8xi32> to memref<8xi32>"), function(loop(COPY, "0 to 8"))
    assert verdict(looped, copied, Options()) == "equivalent"
    assert verdict(looped, copied) == verdict(copied, looped) == "unknown"
    assert verdict(copied, copied) == "equivalent"


def test_a_single_element_may_be_one_of_another_argument() -> None:
    """A sum may not be kept in a register while other arguments are read."""
    arguments = "%A: memref<8xi32>, %S: memref<i32>, %x: i32"
    summed = load("a", "A") + "%s = affine.load %S[] : memref<i32>\n%t = arith.addi %s, %a : i32\n"
    in_memory = function(loop(summed + "affine.store %t, %S[] : memref<i32>\n"), arguments)
    body = load("a", "A") + "%t = arith.addi %c, %a : i32\naffine.yield %t : i32\n"
    first, last = "%s = affine.load %S[] : memref<i32>\n", "affine.store %r, %S[] : memref<i32>\n"
    carried = f"{first}%r = affine.for %i = 0 to 7 iter_args(%c = %s) -> (i32) {{\n{body}}}\n{last}"
    kept = function(carried, arguments)
    assert verdict(in_memory, kept, Options()) == "equivalent"
    assert verdict(in_memory, in_memory) == "equivalent"
    assert verdict(in_memory, kept) == "not-equivalent"

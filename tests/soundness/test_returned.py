"""Which buffer a function returns: what a caller can tell by writing to it, and what it cannot."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.semantic_options import Switches

M = "memref<4xi32>"
GLOBALS = f"""
memref.global @G : {M}
memref.global @H : {M}
memref.global constant @K : {M} = dense<7>
memref.global constant @L : {M} = dense<7>
"""
ARGUMENTS = f"%A: {M}, %B: {M}, %c: i1, %x: i32, %n: index, %D: memref<?x?xi32>"
ONE = "memref<4xi32>"
TWO = "memref<4xi32>, memref<4xi32>"
PART = "memref<2xi32, strided<[1], offset: 1>>"
WINDOW = "memref<2xi32, strided<[1], offset: ?>>"
GRID = "memref<?x1xi32, strided<[?, ?]>>"
COPY = f"memref.copy %B, %A : {M} to {M}"
NEW = "%{0} = memref.alloc() : memref<4xi32>\nmemref.copy %{1}, %{0} : memref<4xi32> to memref<4xi32>"
FILL = "affine.for %i = 0 to 4 { affine.store %x, %A[%i] : memref<4xi32> }"
SELECT = "%r = arith.select {} : memref<4xi32>"
NOT = "%t = arith.constant true\n%d = arith.xori %c, %t : i1"
SUBVIEW = "%{} = memref.subview %{}[{}] [2] [1] : {} to {}"


def function(ops: str, kinds: str, arguments: str = ARGUMENTS) -> str:
    return f"{GLOBALS}func.func @f({arguments}) -> ({kinds}) {{\n{ops} : {kinds}\n}}\n"


def verdict(source: str, target: str, kinds: str = ONE, **switches: bool) -> tuple[str, str]:
    """The verdict, and how a caller can tell or why nothing is known."""
    options = Options(switches=Switches(**switches))
    (found,) = check(function(source, kinds), function(target, kinds), ("s.mlir", "t.mlir"), options).functions
    if found.counterexample is not None:
        return found.verdict, found.counterexample.difference
    return found.verdict, "" if found.unknown is None else found.unknown.text


def ops(*lines: str, end: str) -> str:
    return "\n".join((*lines, f"return {end}"))


SWAPPED = f"""%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c{{0}} = arith.constant {{0}} : index
%p, %q = scf.for %i = %c0 to %c{{0}} step %c1 iter_args(%a = %A, %b = %B) -> ({TWO}) {{{{
  scf.yield %b, %a : {TWO}
}}}}"""
FLAG = f"""%c0 = arith.constant 0 : index
%v = memref.load %A[%c0] : {M}
%p = arith.cmpi {{}}, %v, %x : i32
%r = arith.select %p, {{}} : {M}"""
BRANCH = f"""%r = scf.if %c -> {M} {{{{
{{}}
  scf.yield %{{}} : {M}
}}}} else {{{{
{{}}
  scf.yield %{{}} : {M}
}}}}"""
GET = "%g = memref.get_global @{} : memref<4xi32>"


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("source", "target", "kinds"),
    [
        (ops(COPY, end="%A"), ops(COPY, end="%A"), ONE),
        (ops(SELECT.format("%c, %A, %B"), end="%r"), ops(NOT, SELECT.format("%d, %B, %A"), end="%r"), ONE),
        (ops(SWAPPED.format(6), end="%p, %q"), ops(end="%A, %B"), TWO),
        (ops(FLAG.format("slt", "%A, %B"), end="%r"), ops(FLAG.format("sge", "%B, %A"), end="%r"), ONE),
        (
            ops(BRANCH.format(NEW.format("a", "A"), "a", "", "B"), end="%r"),
            ops(NOT, BRANCH.replace("%c", "%d").format("", "B", NEW.format("a", "A"), "a"), end="%r"),
            ONE,
        ),
        (
            ops("%m = arith.addi %n, %n : index", SUBVIEW.format("r", "A", "%m", M, WINDOW), end="%r"),
            ops(
                "%c2 = arith.constant 2 : index\n%m = arith.muli %n, %c2 : index",
                SUBVIEW.format("r", "A", "%m", M, WINDOW),
                end="%r",
            ),
            WINDOW,
        ),
        (ops(GET.format("K"), end="%g"), ops(GET.format("K"), end="%g"), ONE),
    ],
)
def test_the_same_buffer(source: str, target: str, kinds: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_REPLAY", "1")
    assert verdict(source, target, kinds) == ("equivalent", "")


ALIAS = "writing to result"
LOCAL = f"""%a = memref.alloc() : {M}
affine.for %i = 0 to 4 {{ affine.store %x, %a[%i] : {M} }}"""
SAME = "%b = memref.alloc() : memref<4xi32>\nmemref.copy %a, %b : memref<4xi32> to memref<4xi32>"
STACK = LOCAL.replace("alloc()", "alloca()")
FREED = f"{LOCAL}\nmemref.dealloc %a : {M}"
GATHERED = f"""%c0 = arith.constant 0 : index
%n0 = memref.dim %D, %c0 : memref<?x?xi32>
%n1 = arith.constant {{}} : index
%r = memref.subview %D[0, 0] [%n0, 1] [1, %n1] : memref<?x?xi32> to {GRID}"""


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("source", "target", "kinds", "seen"),
    [
        (
            ops(COPY, end="%A"),
            ops(COPY, end="%B"),
            ONE,
            "result0[0] changes %A[0] in the source and %B[0] in the target",
        ),
        (
            ops(end="%A"),
            ops(NEW.format("a", "A"), end="%a"),
            ONE,
            "result0[0] changes %A[0] in the source and not in the target",
        ),
        (
            ops(NEW.format("a", "A"), end="%a"),
            ops(end="%A"),
            ONE,
            "result0[0] changes %A[0] in the target and not in the source",
        ),
        (
            ops(LOCAL, end="%a, %a"),
            ops(LOCAL, SAME, end="%a, %b"),
            TWO,
            "result1[0] changes result0[0] in the source and not in the target",
        ),
        (
            ops(LOCAL, SAME, end="%a, %b"),
            ops(LOCAL, end="%a, %a"),
            TWO,
            "result1[0] changes result0[0] in the target and not in the source",
        ),
        (ops(SELECT.format("%c, %A, %A"), end="%r"), ops(COPY, SELECT.format("%c, %A, %B"), end="%r"), ONE, ""),
        (
            ops(COPY, SELECT.format("%c, %A, %B"), end="%r"),
            ops(COPY, SELECT.format("%c, %B, %A"), end="%r"),
            ONE,
            "result0[0]",
        ),
        (
            ops(COPY, SWAPPED.format(3), end="%p, %q"),
            ops(COPY, end="%A, %B"),
            TWO,
            "result0[0] changes %B[0] in the source and %A",
        ),
        (
            ops(SUBVIEW.format("r", "A", "1", M, PART), end="%r"),
            ops(NEW.format("a", "A"), SUBVIEW.format("r", "a", "1", M, PART), end="%r"),
            PART,
            "result0[0] changes %A[1] in the source and not in the target",
        ),
        (
            ops(FILL, "%c0 = arith.constant 0 : index", SUBVIEW.format("r", "A", "%c0", M, WINDOW), end="%r"),
            ops(FILL, "%c1 = arith.constant 1 : index", SUBVIEW.format("r", "A", "%c1", M, WINDOW), end="%r"),
            WINDOW,
            "result0[0] changes %A[0] in the source and %A[1] in the target",
        ),
        (
            ops(GET.format("G"), COPY.replace("%A", "%g"), end="%g"),
            ops(GET.format("G"), COPY.replace("%A", "%g"), end="%B"),
            ONE,
            "result0[0] changes @G[0] in the source and %B[0] in the target",
        ),
    ],
)
def test_another_buffer(source: str, target: str, kinds: str, seen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    found = verdict(source, target, kinds)
    assert found[0] == "not-equivalent"
    assert seen in found[1]


@pytest.mark.parametrize(("body", "why"), [(STACK, "does not live on"), (FREED, "")])
def test_memory_that_does_not_live_on(body: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    found = verdict(ops(LOCAL, end="%a"), ops(body, end="%a"))
    assert found[0] == "not-equivalent"
    assert why in found[1]
    assert verdict(ops(body, end="%a"), ops(body, end="%a"))[0] == "unknown"


BRANCH = """%p = arith.cmpi sgt, %x, %x2 : i32
%r = scf.if %p -> (memref<?xi32>) {{
  {}
}} else {{
  {}
}}"""
MOVED = """%b = memref.alloc(%n) : memref<?xi32>
  memref.copy %a, %b : memref<?xi32> to memref<?xi32>
  {}
  scf.yield %b : memref<?xi32>"""
FREE, KEPT = "memref.dealloc %a : memref<?xi32>", "scf.yield %a : memref<?xi32>"
GIVEN = "%n: index, %x: i32, %x2: i32"
ALONE = "%a = memref.alloc(%n) : memref<?xi32>\n"
FILLED = ALONE + "affine.for %i = 0 to %n {\n  affine.store %x, %a[%i] : memref<?xi32>\n}\n"


@pytest.mark.parametrize(
    ("branch", "expected"),
    [
        (BRANCH.format(MOVED.format(FREE), KEPT), True),
        (BRANCH.format(KEPT, MOVED.format(FREE)), True),
        (BRANCH.format(MOVED.format(FREE), MOVED.format(FREE)), True),
        (BRANCH.format(MOVED.format(""), KEPT), True),
        (BRANCH.format(MOVED.format(FREE), f"{FREE}\n  {KEPT}"), False),
        (BRANCH.format(f"{FREE}\n  {KEPT}", KEPT), False),
        (BRANCH.format(MOVED.format(""), KEPT) + f"\nscf.if %p {{\n  {FREE}\n}}", True),
        (BRANCH.format(MOVED.format(""), KEPT) + f"\nscf.if %p {{\n}} else {{\n  {FREE}\n}}", False),
        (f"{BRANCH.format(MOVED.format(''), KEPT)}\n{FREE}", False),
    ],
)
def test_memory_that_is_freed_where_another_is_returned(branch: str, expected: bool) -> None:
    """It lives on where it is returned itself, if it is freed only where another is."""
    heads = "func.func @f({}) -> memref<?xi32> {{\n{}{}\n  return {} : memref<?xi32>\n}}"
    source, target = heads.format(GIVEN, FILLED, "", "%a"), heads.format(GIVEN, FILLED, branch, "%r")
    (found,) = check(source, target, ("s.mlir", "t.mlir"), Options()).functions
    assert found.verdict in (("equivalent", "refines") if expected else ("not-equivalent",)), found


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("source", "target", "kinds"),
    [
        # A caller must not write to a constant, so it does not see which one it is.
        (ops(GET.format("K"), end="%g"), ops(GET.format("L"), end="%g"), ONE),
        (ops(GET.format("K"), end="%g"), ops(GET.format("K"), NEW.format("a", "g"), end="%a"), ONE),
        # What else there is of an allocation is not known.
        (ops(LOCAL, SUBVIEW.format("r", "a", "1", M, PART), end="%r"),) * 2 + (PART,),
        # One column: the other stride shows in no element.
        (ops(GATHERED.format(1), end="%r"), ops(GATHERED.format(2), end="%r"), GRID),
    ],
)
def test_nobody_can_tell(source: str, target: str, kinds: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert verdict(source, target, kinds)[0] in ("unknown", "equivalent")


def test_no_element() -> None:
    arguments, kind = "%A: memref<0xi32>, %B: memref<0xi32>", "memref<0xi32>"
    texts = [function(ops(end=end), kind, arguments) for end in ("%A", "%B")]
    (found,) = check(*texts, ("s.mlir", "t.mlir"), Options()).functions
    assert found.verdict == "unknown"


def test_arguments_that_may_be_one() -> None:
    """They need not be."""
    source, target = ops(COPY, end="%A"), ops(COPY, end="%B")
    assert verdict(source, target, may_overlap=True)[0] == "not-equivalent"


POISON = """%one = arith.constant 1 : i32
%c0 = arith.constant 0 : index
%y = arith.addi %x, %one overflow<nsw> : i32
%p = arith.cmpi sgt, %y, %one : i32
"""


def test_a_poison_choice_is_no_branch() -> None:
    """A select of memrefs by poison is poison: the rest of the function is defined."""
    ends = f"%r = scf.if %p -> {M} {{ scf.yield %A : {M} }} else {{ scf.yield %B : {M} }}"
    select = ops(POISON, SELECT.format("%p, %A, %B"), end="%r")
    assert verdict(select, ops(POISON, ends, end="%r"))[0] == "not-equivalent"
    assert verdict(ops(POISON, ends, end="%r"), select)[0] == "refines"
    assert verdict(select, select)[0] == "equivalent"


@pytest.mark.parametrize("choice", ["arith.select %p, %A, %B", "scf.if"])
def test_a_poison_choice_that_a_loop_hands_on_is_no_branch(choice: str) -> None:
    """Nor is it where the loop has ended and what it chose is returned."""
    branch = f"scf.if %p -> ({M}) {{\nscf.yield %A : {M}\n}} else {{\nscf.yield %B : {M}\n}}"
    loop = f"""%p = ub.poison : i1
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%r = scf.for %i = %c0 to %n step %c1 iter_args(%m = %A) -> ({M}) {{{{
  %s = {{}}
  scf.yield %s : {M}
}}}}"""
    lines = {"arith.select %p, %A, %B": f"arith.select %p, %A, %B : {M}", "scf.if": branch}
    target = ops(loop.format(lines["scf.if"]), end="%r")
    found = verdict(ops(loop.format(lines[choice]), end="%r"), target)[0]
    assert found == ("equivalent" if choice == "scf.if" else "unknown")

"""Pairs that differ in just what one side condition is for: without it, the proof would call them equal.

Runs would refute most of them as well, so the engines are asked alone.
"""

from __future__ import annotations

import pytest

from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy
from hecv.prove.pair.pair_context import Case, Task
from hecv.prove.pair.prover import Budget, Shown
from hecv.prove.portfolio import DATAFLOW, FORM, IDENTITY, INDUCTION, PARTS, SWEEP, SWEEPING, WHOLE

from .running import parsed_pair

CONSTANTS = """  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
"""


def function(arguments: str, body: str, results: str = "", returned: str = "") -> str:
    head = f"func.func @f({arguments})" + (f" -> {results}" if results else "")
    return f"{head} {{\n{CONSTANTS}{body}\n  return {returned}\n}}\n"


def proof(source: str, target: str, switches: Switches = Switches()) -> str | None:  # noqa: B008
    """What shows the pair equal, or that the target refines the source, which is then said; None where nothing does."""
    modules = parsed_pair(source, target)
    case = Case(Task(modules, ("f", "f"), (), switches, Strategy(), 0, crosscheck=True), lambda stage, runs: None)
    provers = {
        "identity": (IDENTITY, Budget()),
        "one form": (FORM, Budget()),
        "array dataflow": (DATAFLOW, WHOLE),
        "turn by turn": (INDUCTION, PARTS),
        "a sweep": (SWEEP, SWEEPING),
    }
    for name, (prover, budget) in provers.items():
        found = None if case.pair is not None and prover is INDUCTION else prover.prove(case, budget)
        if isinstance(found, Shown):
            return name if found.one_way is None or prover is SWEEP else "refines"
    return None


# While loops that count (`hecv.normal.whiles.counted_loops`)

FILL = "    scf.for %j = %c0 to %c4 step %c1 {\n      memref.store %x, %B[%j] : memref<4xf32>\n    }\n"
COUNTED = "%n: index, %p: i1, %x: f32, %A: memref<4xf32>, %B: memref<4xf32>, %C: memref<4xindex>, %D: memref<4xindex>"


def counting(before: str, after: str, last: str = "%i", first: str = "%c0", compare: str = "slt, %i, %n") -> str:
    return f"""  %r = scf.while (%i = {first}) : (index) -> index {{
{before}    %c = arith.cmpi {compare} : index
    scf.condition(%c) {last} : index
  }} do {{
  ^bb0(%i: index):
{after}  }}
"""


NEXT = "    %k = arith.addi %i, %c1 : index\n    scf.yield %k : index\n"
STORE = "    memref.store %x, %A[%c0] : memref<4xf32>\n"
ONE_MORE = "  %m = affine.max affine_map<(d0) -> (d0 + 1, 1)>(%n)\n"

COUNTING = {
    # What a loop does after its test is not done once more.
    "counted-after": (
        counting(FILL, STORE + NEXT),
        f"{ONE_MORE}  scf.for %i = %c0 to %m step %c1 {{\n{FILL}{STORE}  }}",
    ),
    # A branch on something else is no branch on the condition of the loop.
    "counted-branch": (
        counting(f"    scf.if %p {{\n  {STORE}    }}\n", NEXT),
        f"  scf.for %i = %c0 to %n step %c1 {{\n{STORE}  }}",
    ),
    # A counter that falls.
    "counted-down": (
        counting(
            "",
            "    memref.store %i, %C[%c0] : memref<4xindex>\n" + NEXT.replace("addi", "subi"),
            first="%n",
            compare="sgt, %i, %c0",
        ),
        "  %l = affine.apply affine_map<(d0) -> (-d0)>(%n)\n"
        "  scf.for %i = %l to %c0 step %c1 {\n    memref.store %i, %C[%c0] : memref<4xindex>\n  }",
    ),
    # What is read within a loop is not what is read behind it, in another loop.
    "counted-last": (
        f"""  %r:2 = scf.while (%i = %c0) : (index) -> (index, index) {{
{FILL}    %v = memref.load %C[%i] : memref<4xindex>
    %c = arith.cmpi slt, %i, %n : index
    scf.condition(%c) %i, %v : index, index
  }} do {{
  ^bb0(%i: index, %v: index):
{NEXT}  }}
  scf.for %j = %c0 to %c4 step %c1 {{
    memref.store %r#1, %D[%j] : memref<4xindex>
  }}""",
        counting(FILL + "    %v = memref.load %C[%i] : memref<4xindex>\n", NEXT)
        + "  scf.for %j = %c0 to %c4 step %c1 {\n    %v = memref.load %C[%j] : memref<4xindex>\n"
        "    memref.store %v, %D[%j] : memref<4xindex>\n  }",
    ),
    # What is read in a branch is read nowhere else.
    "counted-read-in-branch": (
        """  %q = scf.if %p -> index {
    %v = memref.load %C[%n] : memref<4xindex>
    scf.yield %v : index
  } else {
    scf.yield %c0 : index
  }
  memref.store %q, %D[%c0] : memref<4xindex>""",
        """  %v = memref.load %C[%n] : memref<4xindex>
  %q = arith.select %p, %v, %c0 : index
  memref.store %q, %D[%c0] : memref<4xindex>""",
    ),
}


# Loops over strips (`hecv.normal.loops.strip_joining`)

CUT = "%n: index, %p: i1, %x: f32, %A: memref<16xf32>, %B: memref<16xf32>, %C: memref<16xf32>"


def whole(body: str, head: str = "%i = 0 to 16") -> str:
    return f"  affine.for {head} {{\n{body}  }}"


T = "affine_map<(d0) -> (d0)>(%t)"
T4 = "affine_map<(d0) -> (d0 + 4)>(%t)"


def strips(body: str, low: str = T, high: str = T4, behind: str = "", kind: str = "for") -> str:
    head = "affine.for %t = 0 to 16 step 4" if kind == "for" else "affine.parallel (%t) = (0) to (16) step (4)"
    return f"  {head} {{\n    affine.for %i = {low} to {high} {{\n{body}    }}\n{behind}  }}"


SET = "    affine.store %x, %A[%i] : memref<16xf32>\n"
ADD = """    %a = affine.load %A[%i] : memref<16xf32>
    %s = arith.addf %a, %x : f32
    affine.store %s, %A[%i] : memref<16xf32>
"""
LAST = """    %a = affine.load %A[%i] : memref<16xf32>
    affine.store %a, %B[%i floordiv 4] : memref<16xf32>
"""
ONE = """    %a = affine.load %A[%i] : memref<16xf32>
    affine.store %a, %B[0] : memref<16xf32>
"""

FIRST = "    memref.store %x, %A[%i] : memref<16xf32>\n"
STRIPS = {
    # That a strip begins says that its size is positive. Without one it may be 0, and the loop is undefined.
    "strips-of-the-size-of-all": (
        f"  scf.for %i = %c0 to %n step %c1 {{\n{FIRST}  }}",
        f"  scf.for %t = %c0 to %n step %n {{\n    scf.for %i = %t to %n step %c1 {{\n{FIRST}    }}\n  }}",
    ),
    "strips-of-the-size-of-some": (
        f"  scf.for %i = %c0 to %n step %c1 {{\n{FIRST}  }}",
        "  %g = arith.cmpi sge, %n, %c0 : index\n  scf.if %g {\n"
        f"  scf.for %t = %c0 to %n step %n {{\n    scf.for %i = %t to %n step %c1 {{\n{FIRST}    }}\n  }}\n  }}",
    ),
    "strips-and-more": (whole(SET), strips(SET, behind="    affine.store %x, %B[%t] : memref<16xf32>\n")),
    # Each strip runs to the end of all.
    "strips-to-the-end": (whole(ADD), strips(ADD, high="16")),
    "strips-that-end-early": (whole(SET), strips(SET, high="min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%t)[%n]")),
    "strips-that-begin-late": (whole(SET), strips(SET, low="max affine_map<(d0)[s0] -> (d0, s0)>(%t)[%n]")),
    # Strips may run side by side, what is in a strip in order: that is no race, on which all would be right.
    "strips-side-by-side": (strips(LAST, kind="parallel"), whole(SET)),
    "strips-of-races": (
        whole(ONE),
        "  affine.for %t = 0 to 16 step 4 {\n    affine.parallel (%i) = (%t) to (%t + 4) {\n" + ONE + "    }\n  }",
    ),
}

# Loops over adjoining ranges


def joined(*heads: str, body: str = SET, before: str = "") -> str:
    return before + "\n".join(whole(body, head) for head in heads)


LIMITED = """  %l = affine.min affine_map<(d0) -> (d0, 15)>(%n)
  %m = affine.max affine_map<(d0) -> (d0, 0)>(%l)
"""
BEHIND = "affine_map<(d0) -> (d0 + 1)>(%m)"

JOINED = {
    "joined-with-a-gap": (whole(SET), joined("%i = 0 to %m", f"%i = {BEHIND} to 16", before=LIMITED)),
    "joined-out-of-step": (
        whole(SET, "%i = 0 to 16 step 2"),
        joined("%i = 0 to %m step 2", "%i = %m to 16 step 2", before=LIMITED),
    ),
    "joined-in-other-steps": (
        whole(SET, "%i = 0 to 16 step 2"),
        joined("%i = 0 to 4 step 2", "%i = 4 to 16 step 4"),
    ),
    "joined-below-the-start": (whole(SET), joined("%i = 0 to %l", "%i = %l to 16", before=LIMITED)),
    # One of two in order, the other not: there iterations race.
    "joined-with-races": (
        whole(ONE),
        LIMITED + whole(ONE, "%i = 0 to %m") + "\n  affine.parallel (%i) = (symbol(%m)) to (16) {\n" + ONE + "  }",
    ),
    "joined-above-the-end": (
        whole(SET),
        joined("%i = 0 to %m", "%i = %m to 16", before="  %m = affine.max affine_map<(d0) -> (d0, 0)>(%n)\n"),
    ),
}

# What is so in one direction only (`hecv.dataflow.induction.wellfounded_induction`, `hecv.dataflow.dataflow_proof`)

SCALARS = "%n: index, %p: i1, %q: i1, %k: i32, %l: i32, %A: memref<16xi32>, %B: memref<16xi32>"


def stored(ops: str, value: str = "%v") -> str:
    return f"{ops}\n  memref.store {value}, %A[%c0] : memref<16xi32>"


def summed(flag: str, backwards: bool) -> str:
    place = "15 - %i" if backwards else "%i"
    return stored(f"""  %z = arith.constant 0 : i32
  %v = affine.for %i = 0 to 16 iter_args(%s = %z) -> (i32) {{
    %b = affine.load %B[{place}] : memref<16xi32>
    %w = arith.addi %s, %b{flag} : i32
    affine.yield %w : i32
  }}""")


FRESH = "  %t = memref.alloc() : memref<16xi32>\n"
FREED = FRESH + "  memref.store %k, %t[%c0] : memref<16xi32>\n"

ONE_WAY = {
    "one-way-uninitialised": (stored(FRESH + "  %v = memref.load %t[%c0] : memref<16xi32>"), stored("", "%k")),
    "one-way-flag": (
        stored("  %v = arith.addi %k, %l overflow<nsw> : i32"),
        stored("  %v = arith.addi %k, %l : i32"),
    ),
    "one-way-laws": (
        stored("  %u = arith.addi %k, %l overflow<nsw> : i32\n  %v = arith.subi %u, %l : i32"),
        stored("", "%k"),
    ),
    "one-way-trap": (stored("  %v = arith.divsi %k, %l : i32", "%k"), stored("", "%k")),
    "one-way-assertion": (stored('  cf.assert %p, "p"', "%k"), stored("", "%k")),
    "one-way-freed": (
        stored(FREED + "  memref.dealloc %t : memref<16xi32>\n  %v = memref.load %t[%c0] : memref<16xi32>\n", "%k"),
        stored("", "%k"),
    ),
    "one-way-bounds": (stored("  %v = memref.load %B[%n] : memref<16xi32>", "%k"), stored("", "%k")),
    "one-way-extent": (stored("  %t = memref.alloc(%n) : memref<?xi32>", "%k"), stored("", "%k")),
    "one-way-race": (
        "  affine.parallel (%i) = (0) to (16) {\n    affine.store %k, %A[0] : memref<16xi32>\n  }",
        "  affine.for %i = 0 to 16 {\n    affine.store %k, %A[0] : memref<16xi32>\n  }",
    ),
    "one-way-sum": (summed(" overflow<nsw>", False), summed("", True)),
}


# Sums in another order (`hecv.dataflow.reductions.reduction_bags`, `hecv.dataflow.reductions.bag_matching`,
# `hecv.dataflow.reductions.reduction_equality`)

TOTAL = """  %z = arith.constant 0 : i32
  affine.store %z, %B[0] : memref<16xi32>
"""


def total(by: str = "addi %s, %a", head: str = "%i = 0 to 16", place: str = "%i") -> str:
    """Adds up elements of `%A` in `%B[0]`."""
    return f"""  affine.for {head} {{
    %a = affine.load %A[{place}] : memref<16xi32>
    %s = affine.load %B[0] : memref<16xi32>
    %w = arith.{by} : i32
    affine.store %w, %B[0] : memref<16xi32>
  }}
"""


BACKWARDS = total(place="15 - %i")
TEMPORARY = "  %t = memref.alloc() : memref<16xi32>\n"
PREFIXES = f"""{TEMPORARY}  %a0 = affine.load %A[0] : memref<16xi32>
  affine.store %a0, %t[0] : memref<16xi32>
  affine.for %i = 1 to 16 {{
    %u = affine.load %t[%i - 1] : memref<16xi32>
    %v = affine.load %A[%i] : memref<16xi32>
    %w = arith.addi %u, %v : i32
    affine.store %w, %t[%i] : memref<16xi32>
  }}
"""
LAST_PREFIX = """  %r = affine.load %t[15] : memref<16xi32>
  affine.store %r, %B[0] : memref<16xi32>
"""
LAST_ONE = """  %r = affine.load %A[15] : memref<16xi32>
  affine.store %r, %B[0] : memref<16xi32>
"""
TWICE = """  %r = affine.load %B[0] : memref<16xi32>
  %r2 = arith.addi %r, %r : i32
  affine.store %r2, %B[0] : memref<16xi32>
"""
FOUR_TIMES = """  %r = affine.load %B[0] : memref<16xi32>
  affine.store %r, %B[1] : memref<16xi32>
  affine.store %z, %B[0] : memref<16xi32>
  affine.for %j = 0 to 4 {
    %u = affine.load %B[0] : memref<16xi32>
    %v = affine.load %B[1] : memref<16xi32>
    %w = arith.addi %u, %v : i32
    affine.store %w, %B[0] : memref<16xi32>
  }
"""
ONCE = """  %r = affine.load %B[0] : memref<16xi32>
  affine.store %r, %B[1] : memref<16xi32>
"""

SUMS = {
    "sum-twice": (TOTAL + total(), TOTAL + BACKWARDS + TWICE),
    "sum-four-times": (TOTAL + total() + ONCE, TOTAL + BACKWARDS + FOUR_TIMES),
    "sum-of-the-last": (LAST_ONE, PREFIXES + LAST_PREFIX),
    "sum-with-repetitions": (
        TOTAL + total(),
        TOTAL + "  affine.for %o = 0 to 4 {\n" + BACKWARDS + "  }\n",
    ),
    "sum-of-less": (TOTAL + total(), TOTAL + total(head="%i = 0 to 15", place="14 - %i")),
    "sum-of-more": (TOTAL + total(head="%i = 0 to 15"), TOTAL + BACKWARDS),
    "sum-of-opposites": (TOTAL + total(by="subi %s, %a"), TOTAL + BACKWARDS),
    "sum-that-may-be-poison": (TOTAL + total(), TOTAL + total(by="addi %s, %a overflow<nsw>", place="15 - %i")),
    "greatest-of-less": (
        TOTAL + total(by="maxsi %s, %a"),
        TOTAL + total(by="maxsi %s, %a", head="%i = 0 to 15", place="14 - %i"),
    ),
}


# What the target asserts, reads and computes besides

USED = "  %v = memref.load %t[%c0] : memref<16xi32>\n"
FREE = "  memref.dealloc %t : memref<16xi32>\n"
BRANCH = f"  scf.if %p {{\n  {FREE}  }}\n"


def side_by_side(body: str, kind: str) -> str:
    head = "affine.for %i = 0 to 15" if kind == "for" else "affine.parallel (%i) = (0) to (15)"
    return f"  {head} {{\n{body}  }}"


SHIFT = """    %a = affine.load %A[%i + 1] : memref<16xi32>
    affine.store %a, %A[%i] : memref<16xi32>
"""
TWICE_STORED = "    affine.store %k, %A[%i] : memref<16xi32>\n    affine.store %l, %A[%i + 1] : memref<16xi32>\n"
THROUGH = """    %a = affine.load %A[%i] : memref<16xi32>
    affine.store %a, %t[0] : memref<16xi32>
    %b = affine.load %t[0] : memref<16xi32>
    affine.store %b, %B[%i] : memref<16xi32>
"""
IN_A_LOOP = """  affine.for %i = 0 to 16 {
    %t = memref.alloc() : memref<16xi32>
    affine.store %k, %t[0] : memref<16xi32>
    FIRST
    SECOND
    affine.store %v, %A[%i] : memref<16xi32>
  }"""
ORDERS = ("%v = affine.load %t[0] : memref<16xi32>", "memref.dealloc %t : memref<16xi32>")


def divided(count: int) -> str:
    """Divides by so many numbers, and does no more."""
    body = "    %b = affine.load %B[%i] : memref<16xi32>\n    %v = arith.divsi %k, %b : i32\n"
    return f"  affine.for %i = 0 to {count} {{\n{body}  }}"


UNSET = "  %u = memref.alloca() : memref<index>\n  %w = memref.load %u[] : memref<index>\n"
"""An `index` that is poison."""


def empty(loop: str) -> str:
    """A loop whose bounds show that it never runs. It is undefined by something else."""
    return f"  {loop} {{\n    memref.store %k, %A[%c0] : memref<16xi32>\n  }}\n"


MORE = {
    "more-a-bound": (
        stored("", "%k"),
        stored(UNSET + empty("affine.for %i = 5 to min affine_map<()[s] -> (3, s)>()[%w]"), "%k"),
    ),
    "more-a-step": (stored("", "%k"), stored(empty("scf.for %i = %c4 to %c0 step %n"), "%k")),
    "more-a-step-that-is-poison": (stored("", "%k"), stored(UNSET + empty("scf.for %i = %c4 to %c0 step %w"), "%k")),
    "more-asserted-poison": (
        stored("", "%k"),
        stored(UNSET + '  %e = arith.cmpi eq, %w, %w : index\n  cf.assert %e, "e"', "%k"),
    ),
    "more-asserted": (
        stored('  cf.assert %q, "q"', "%k"),
        stored('  %a = arith.andi %p, %q : i1\n  cf.assert %a, "a"', "%k"),
    ),
    "more-divided": (stored("", "%k"), stored("  %v = arith.divsi %k, %l : i32", "%k")),
    # What is or-ed with 1 is not 0, but poison where the sum overflows.
    "more-divided-by-poison": (
        stored("", "%k"),
        stored(
            "  %o = arith.constant 1 : i32\n  %s = arith.addi %k, %l overflow<nsw> : i32\n"
            "  %d = arith.ori %s, %o : i32\n  %v = arith.divui %k, %d : i32",
            "%k",
        ),
    ),
    "more-divided-by-others": (divided(4), divided(5)),
    "more-read": (stored("", "%k"), stored("  %v = memref.load %B[%n] : memref<16xi32>", "%k")),
    "more-allocated": (stored("", "%k"), stored("  %t = memref.alloc(%n) : memref<?xi32>", "%k")),
    "freed-before-use": (stored(FREED + USED + FREE), stored(FREED + FREE + USED)),
    "freed-twice": (stored(FREED + FREE, "%k"), stored(FREED + FREE + FREE, "%k")),
    "freed-in-a-branch": (stored(FREED + USED + BRANCH), stored(FREED + BRANCH + USED)),
    "freed-in-each-iteration": (
        stored(FREED + FREE, "%k"),
        stored(FREED + f"  affine.for %i = 0 to 2 {{\n  {FREE}  }}", "%k"),
    ),
    "freed-in-a-loop": tuple(
        IN_A_LOOP.replace("FIRST", one).replace("SECOND", two) for one, two in (ORDERS, ORDERS[::-1])
    ),
    "races-with-a-read": (side_by_side(SHIFT, "for"), side_by_side(SHIFT, "parallel")),
    "races-of-two-stores": (side_by_side(TWICE_STORED, "for"), side_by_side(TWICE_STORED, "parallel")),
    "races-through-a-buffer": (TEMPORARY + side_by_side(THROUGH, "for"), TEMPORARY + side_by_side(THROUGH, "parallel")),
}
PAIRS = {
    **{name: (CUT, *pair) for name, pair in JOINED.items()},
    **{name: (SCALARS, *pair) for name, pair in (ONE_WAY | SUMS | MORE).items()},
    **{name: (COUNTED, *pair) for name, pair in COUNTING.items()},
    **{name: (CUT, *pair) for name, pair in STRIPS.items()},
}


def shown(name: str) -> str | None:
    """What shows a pair equal."""
    arguments, *bodies = PAIRS[name]
    source, target = (function(arguments, body) for body in bodies)
    return proof(source, target)


@pytest.mark.parametrize("name", PAIRS)
def test_a_pair_that_differs_is_not_proved(name: str) -> None:
    assert shown(name) == ("refines" if name in ONE_WAY else None)

"""Pairs that loop theorems and laws prove together, and pairs that they must not prove."""

from __future__ import annotations

from pathlib import Path

import pytest

from hecv.base.term import Term, TermPool
from hecv.base.types import BOOL
from hecv.egraph.programs.theorem_rounds import Budgets, Equal, Stuck, prove_by_theorems
from hecv.mlir.importer import parse, read_function

from .passes import transformed

KERNELS = Path(__file__).parents[2] / "benchmarks" / "polybench"
UNROLL = "affine-loop-unroll{{unroll-factor={0}}}"
TILE = "affine-loop-tile{{tile-size={0}}}"

NAND = """
func.func @f(%A: memref<101xi1>, %B: memref<101xi1>, %C: memref<101xi1>) {
  %true = arith.constant true
  affine.for %i = 0 to 101 {
    %a = affine.load %A[%i] : memref<101xi1>
    %b = affine.load %B[%i] : memref<101xi1>
    %x = arith.andi %a, %b : i1
    %y = arith.xori %x, %true : i1
    affine.store %y, %C[%i] : memref<101xi1>
  }
  return
}
"""

DE_MORGAN = """
func.func @f(%A: memref<101xi1>, %B: memref<101xi1>, %C: memref<101xi1>) {
  affine.for %i = 0 to 101 {
    %true = arith.constant true
    %a = affine.load %A[%i] : memref<101xi1>
    %b = affine.load %B[%i] : memref<101xi1>
    %x = arith.xori %a, %true : i1
    %z = arith.xori %b, %true : i1
    %y = arith.ori %x, %z : i1
    affine.store %y, %C[%i] : memref<101xi1>
  }
  return
}
"""

NEST = """
func.func @f(%A: memref<10x11xf32>, %B: memref<10x11xf32>) {
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 11 {
      %a = affine.load %A[%i, %j] : memref<10x11xf32>
      %b = arith.addf %a, %a : f32
      affine.store %b, %B[%i, %j] : memref<10x11xf32>
    }
  }
  return
}
"""

SUM = """
func.func @f(%A: memref<?xf32>, %B: memref<?xindex>, %C: memref<?xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %r = affine.for %i = 0 to 101 iter_args(%s = %zero) -> f32 {
    %b = memref.load %B[%i] : memref<?xindex>
    %a = memref.load %A[%b] : memref<?xf32>
    %t = arith.addf %s, %a : f32
    %less = arith.cmpf olt, %a, %t : f32
    scf.if %less {
      memref.store %t, %C[%b] : memref<?xf32>
    }
    affine.yield %t : f32
  }
  return %r : f32
}
"""

INDIRECT = """
func.func @f(%A: memref<?xf32>, %B: memref<?xindex>, %C: memref<?xf32>) {
  affine.for %i = 3 to 100 step 2 {
    %b = memref.load %B[%i] : memref<?xindex>
    %a = memref.load %A[%i] : memref<?xf32>
    %q = memref.load %C[%b] : memref<?xf32>
    %t = arith.addf %q, %a : f32
    memref.store %t, %C[%b] : memref<?xf32>
  }
  return
}
"""

CALL = """
func.func private @g(memref<?xf32>, index)
func.func @f(%A: memref<?xf32>) {
  affine.for %i = 0 to 11 {
    func.call @g(%A, %i) : (memref<?xf32>, index) -> ()
  }
  return
}
"""

SYMBOLIC = """
func.func @f(%A: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    %b = arith.mulf %a, %a : f32
    affine.store %b, %A[%i] : memref<?xf32>
  }
  return
}
"""

QUADRATIC = """
func.func @f(%A: memref<?xf32>, %B: memref<?xf32>) {
  affine.for %i = 0 to 30 {
    %k = arith.muli %i, %i : index
    %a = memref.load %A[%k] : memref<?xf32>
    memref.store %a, %B[%k] : memref<?xf32>
  }
  return
}
"""

TWO = """
func.func @f(%A: memref<96x100xf32>, %B: memref<96x100xf32>) {
  affine.for %i = 0 to 96 {
    affine.for %j = 0 to 100 {
      %a = affine.load %A[%i, %j] : memref<96x100xf32>
      affine.store %a, %B[%i, %j] : memref<96x100xf32>
    }
  }
  affine.for %i = 0 to 96 {
    affine.for %j = 0 to 100 {
      %a = affine.load %B[%i, %j] : memref<96x100xf32>
      %t = arith.mulf %a, %a : f32
      affine.store %t, %B[%i, %j] : memref<96x100xf32>
    }
  }
  return
}
"""


def decide(
    source: str, target: str, *, static: bool = True, dynamic: bool = True, nonnegative: int | None = None
) -> Equal | Stuck:
    """What the theorems say of two texts; the argument `nonnegative` is at least 0."""
    pool = TermPool()
    first, second = (read_function(parse(t, "t.mlir"), _name(t), pool) for t in (source, target))
    given: tuple[Term, ...] = ()
    if nonnegative is not None:
        argument = first.arguments[nonnegative].term
        assert argument is not None
        operands = (argument, pool.integer(0))
        given = (pool.make("arith.cmpi", operands, BOOL, (("predicate", "sge"),)),)
    return prove_by_theorems(pool, first, second, given, Budgets(seconds=20.0), static=static, dynamic=dynamic)


def _name(text: str) -> str:
    names = [line.split("@")[1].split("(")[0] for line in text.splitlines() if "func.func @" in line]
    return names[0]


FIGURE_1 = {
    "de-morgan": DE_MORGAN,
    "tiled": transformed(NAND, TILE.format(3)),
    "unrolled": transformed(NAND, UNROLL.format(2)),
    "all": transformed(DE_MORGAN, f"{TILE.format(3)},{UNROLL.format(2)}"),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", FIGURE_1)
def test_the_introductory_example(name: str) -> None:
    assert isinstance(decide(NAND, FIGURE_1[name]), Equal)
    assert isinstance(decide(FIGURE_1[name], NAND), Equal)


def test_a_tile_of_the_wrong_size_is_not_proved() -> None:
    wrong = FIGURE_1["tiled"].replace("step 3", "step 4")
    assert wrong != FIGURE_1["tiled"] and isinstance(decide(NAND, wrong), Stuck)


@pytest.mark.one_in(2)
def test_laws_and_theorems_are_each_needed() -> None:
    assert isinstance(decide(NAND, DE_MORGAN, static=False), Stuck)
    assert isinstance(decide(NAND, DE_MORGAN, dynamic=False), Equal)
    assert isinstance(decide(NAND, FIGURE_1["unrolled"], dynamic=False), Stuck)
    assert isinstance(decide(NAND, FIGURE_1["unrolled"], static=False), Equal)


def test_a_nest_unrolled_at_both_levels() -> None:
    """HEC, figures 6 and 7."""
    target = transformed(NEST, "affine-loop-unroll-jam{unroll-jam-factor=2},affine-loop-unroll{unroll-factor=3}")
    found = decide(NEST, target)
    assert isinstance(found, Equal) and found.statistics.rounds <= 2
    assert found.statistics.rules["loop-unroll-full"] >= 1


@pytest.mark.parametrize("k", [3, 16])
def test_a_nest_unrolled_k_by_k(k: int) -> None:
    """HEC, figure 8: e-nodes grow with the code, not with the orders in which copies can be merged."""
    source = NEST.replace("10x11", "100x101").replace("to 10 ", "to 100 ").replace("to 11 ", "to 101 ")
    unroll = UNROLL.format(k)
    target = transformed(source, f"affine-loop-unroll-jam{{unroll-jam-factor={k}}},{unroll}")
    assert target.count("affine.store") >= k * k
    found = decide(source, target)
    assert isinstance(found, Equal) and found.statistics.rounds == 1
    assert found.statistics.nodes <= 10 * target.count("affine.store") + 400


@pytest.mark.parametrize("size", [3, 32])
def test_a_loop_within_one_tile(size: int) -> None:
    """A bound that the other implies: the loop of the tiles runs once, or every tile is whole."""
    source = SYMBOLIC.replace("to %n", "to 30").replace(", %n: index", "")
    tile = f"affine.for %t = 0 to 30 step {size} {{\n"
    tile += f"affine.for %i = affine_map<(d0) -> (d0)>(%t) to min affine_map<(d0) -> (d0 + {size}, 30)>(%t) {{"
    target = source.replace("affine.for %i = 0 to 30 {", tile).replace("  return", "  }\n  return")
    found = decide(source, target)
    assert isinstance(found, Equal)


IMPLIED = """
#set = affine_set<()[n, k, m] : (2 * k - n >= 0, 3 * m - 2 * k - n >= 0)>
func.func @f(%A: memref<?xf64>, %n: index, %k: index, %m: index) {
  %c = arith.constant 1.0 : f64
  affine.if #set()[%n, %k, %m] {
    affine.for %i = 0 to %n {
      affine.store %c, %A[%i] : memref<?xf64>
    }
  }
  return
}"""


def test_a_bound_that_others_imply() -> None:
    target = IMPLIED.replace("to %n {", "to min affine_map<()[n, m] -> (n, 2 * m)>()[%n, %m] {")
    found = decide(IMPLIED, target, nonnegative=3)
    assert isinstance(found, Equal) and found.statistics.rules["loop-bounds"] == 1


BODIES = {"sum": SUM, "indirect": INDIRECT, "call": CALL, "quadratic": QUADRATIC, "two": TWO}
CHAINS = (
    UNROLL.format(2),
    UNROLL.format(5),
    f"{UNROLL.format(2)},{UNROLL.format(3)}",
    TILE.format(4),
    "affine-loop-normalize",
    "affine-loop-unroll-jam{unroll-jam-factor=2}",
)


@pytest.mark.one_in(10)
@pytest.mark.parametrize("passes", CHAINS)
@pytest.mark.parametrize("body", BODIES)
def test_bodies_that_dataflow_cannot_hold(body: str, passes: str) -> None:
    assert isinstance(decide(BODIES[body], transformed(BODIES[body], passes)), Equal)


def test_neighbours_are_fused() -> None:
    target = transformed(TWO, "affine-loop-fusion")
    assert target.count("affine.for") < TWO.count("affine.for")
    assert isinstance(decide(TWO, target), Equal)


def test_an_assumption_is_used() -> None:
    """For n < 0 the clean-up loop runs where the source's loop does not."""
    target = transformed(SYMBOLIC, UNROLL.format(2))
    assert isinstance(decide(SYMBOLIC, target), Stuck)
    assert isinstance(decide(SYMBOLIC, target, nonnegative=1), Equal)


@pytest.mark.one_in(10)
@pytest.mark.parametrize("passes", [UNROLL.format(8), f"{TILE.format(16)},{UNROLL.format(8)}", UNROLL.format(64)])
@pytest.mark.parametrize("kernel", ["2mm", "atax", "gemm", "jacobi_1d", "lu_dyn", "mvt", "trisolv", "trmm"])
def test_kernels(kernel: str, passes: str) -> None:
    text = (KERNELS / f"{kernel}.mlir").read_text(encoding="utf-8")
    assert isinstance(decide(text, transformed(text, passes)), Equal)


def test_stuck_says_where() -> None:
    changed = NEST.replace("addf", "mulf")
    found = decide(NEST, changed)
    assert isinstance(found, Stuck) and found.reason == "saturated"
    assert found.source is not None and found.source == found.target


def test_budgets_end_a_search() -> None:
    pool = TermPool()
    first, second = (read_function(parse(t, "t.mlir"), "f", pool) for t in (NEST, NEST.replace("addf", "mulf")))
    found = prove_by_theorems(pool, first, second, budgets=Budgets(seconds=0.0))
    assert isinstance(found, Stuck) and found.reason == "time-limit"


def test_a_limit_names_what_took_the_most() -> None:
    pool = TermPool()
    target = transformed(TWO, "affine-loop-fusion,affine-loop-unroll{unroll-factor=4}").replace("mulf", "addf")
    first, second = (read_function(parse(t, "t.mlir"), "f", pool) for t in (TWO, target))
    found = prove_by_theorems(pool, first, second, budgets=Budgets(nodes=120))
    assert isinstance(found, Stuck) and found.reason == "node-limit"
    assert found.most in found.statistics.rules


DIGITS = """func.func @f(%i: index, %j: index) -> index {{
  %r = affine.linearize_index {0}[%i, %j] by (4, 8) : index
  return %r : index
}}"""


@pytest.mark.one_in(2)
def test_without_loops_the_e_graph_grows_no_further_than_that_of_one_question() -> None:
    pool = TermPool()
    first, second = (read_function(parse(DIGITS.format(t), "t.mlir"), "f", pool) for t in ("", "disjoint "))
    found = prove_by_theorems(pool, first, second, budgets=Budgets(without_loops=10_000))
    assert isinstance(found, Stuck) and found.reason == "node-limit"
    assert 10_000 < found.statistics.nodes < 50_000  # an iteration that has begun is not stopped
    first, second = (read_function(parse(t, "t.mlir"), "f", pool) for t in (NEST, NEST.replace("addf", "mulf")))
    found = prove_by_theorems(pool, first, second, budgets=Budgets(without_loops=0))
    assert isinstance(found, Stuck) and found.reason == "saturated"


WRONG = {
    "last iteration": NAND.replace("0 to 101", "0 to 100"),
    "first iteration": NAND.replace("0 to 101", "1 to 101"),
    "step": NAND.replace("0 to 101", "0 to 101 step 2"),
    "operand": NAND.replace("arith.andi %a, %b", "arith.andi %a, %a"),
    "subscript": NAND.replace("%B[%i]", "%B[100 - %i]"),
    "memory": NAND.replace("affine.store %y, %C", "affine.store %y, %A"),
}


@pytest.mark.one_in(8)
@pytest.mark.parametrize("what", WRONG)
def test_what_is_not_equal_is_not_proved(what: str) -> None:
    assert isinstance(decide(NAND, WRONG[what]), Stuck)
    for passes in (UNROLL.format(2), TILE.format(3)):
        assert isinstance(decide(NAND, transformed(WRONG[what], passes)), Stuck)


ORDER = """
func.func @f(%A: memref<64xf32>, %B: memref<64xf32>) {{
  affine.for %i = 1 to 63 {{
    %a = affine.load %A[%i + {0}] : memref<64xf32>
    affine.store %a, %B[%i] : memref<64xf32>
  {1}
    %b = affine.load %B[%i] : memref<64xf32>
    affine.store %b, %A[%i] : memref<64xf32>
  }}
  return
}}
"""


@pytest.mark.parametrize(("shift", "legal"), [("0", True), ("1", True), ("-1", False)])
def test_fusion_minds_dependences(shift: str, legal: bool) -> None:
    apart = ORDER.format(shift, "}\n  affine.for %i = 1 to 63 {")
    assert isinstance(decide(apart, ORDER.format(shift, "")), Equal) == legal


IMPERFECT = """
func.func @f(%A: memref<66x30xf32>, %B: memref<66x30xf32>, %s: memref<66xf32>) {{
  affine.for %i = 0 to 65 {{
    %x = affine.load %s[%i] : memref<66xf32>
    affine.for %j = 0 to 30 {{
      affine.store %x, %A[%i, %j] : memref<66x30xf32>
    }}
    affine.for %k = 0 to 4 {{
      affine.for %j = 0 to 30 {{
        %a = affine.load %A[%i + {0}, %j] : memref<66x30xf32>
        %b = affine.load %B[%i, %j] : memref<66x30xf32>
        %t = arith.addf %a, %b : f32
        affine.store %t, %B[%i, %j] : memref<66x30xf32>
      }}
    }}
    affine.store %x, %s[%i] : memref<66xf32>
  }}
  return
}}
"""


@pytest.mark.one_in(10)
@pytest.mark.parametrize(("shift", "legal"), [("0", True), ("1", False)])
@pytest.mark.parametrize("factor", [2, 4])
def test_imperfect_nests_are_jammed(factor: int, shift: str, legal: bool) -> None:
    """mlir-opt does not look at dependences: with shift 1 the second iteration writes what the first one reads."""
    source = IMPERFECT.format(shift)
    target = transformed(source, f"affine-loop-unroll-jam{{unroll-jam-factor={factor}}},{UNROLL.format(3)}")
    found = decide(source, target)
    assert isinstance(found, Equal) == legal
    assert ("loop-jam" in found.statistics.rules) == legal


FLAGS = """
func.func @f(%x: i32, %y: i32, %A: memref<i32>) {{
  %s = arith.addi %x, %y {0} : i32
  %t = arith.muli %s, %s : i32
  memref.store %t, %A[] : memref<i32>
  return
}}
"""


def test_poison_is_not_forgotten() -> None:
    """An overflow flag makes poison: the sums are not equal, though their values are."""
    plain, flagged = FLAGS.format(""), FLAGS.format("overflow<nsw>")
    assert isinstance(decide(plain, flagged), Stuck)
    assert isinstance(decide(flagged, flagged.replace("%x, %y", "%y, %x")), Stuck)
    assert isinstance(decide(plain, plain.replace("%x, %y", "%y, %x")), Equal)


def test_what_cancels_keeps_its_trap() -> None:
    """`0 * (x / y)` is 0, and undefined where `y` is 0."""
    text = """
func.func @f(%x: i32, %y: i32, %A: memref<i32>) {
  %q = arith.divsi %x, %y : i32
  %zero = arith.constant 0 : i32
  %t = arith.muli %q, %zero : i32
  memref.store %t, %A[] : memref<i32>
  return
}
"""
    assert isinstance(decide(text, text.replace("arith.muli %q, %zero", "arith.muli %x, %zero")), Stuck)


# What is allocated has the extents that a cell holds then


def of_extent(step: str) -> str:
    """A loop of one iteration that computes an extent."""
    return f"""func.func @f(%n: index, %m: index, %N: memref<8xindex>, %A: memref<4xindex>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %m) -> index {{
    %j = memref.load %N[%i] : memref<8xindex>
    %y = memref.load %N[%j] : memref<8xindex>
    %z = {step} : index
    scf.yield %z : index
  }}
  %B = memref.alloc(%r) : memref<?xindex>
  memref.store %n, %B[%c0] : memref<?xindex>
  %v = memref.load %B[%c0] : memref<?xindex>
  memref.store %v, %A[%c0] : memref<4xindex>
  return
}}
"""


def test_extents_are_values_of_cells() -> None:
    source = of_extent("arith.addi %x, %y")
    assert isinstance(decide(source, of_extent("arith.addi %y, %x")), Equal)
    assert not isinstance(decide(source, of_extent("arith.subi %x, %y")), Equal)

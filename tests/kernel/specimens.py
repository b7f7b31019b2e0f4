"""Programs whose proofs are of all kinds that a certificate may be of, each with a target that is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from tests.dataflow.test_cases import BROKEN as LANES_BROKEN
from tests.dataflow.test_cases import PAIRS as LANES
from tests.dataflow.test_held import BROKEN as HELD_BROKEN
from tests.dataflow.test_held import PAIRS as HELD
from tests.dataflow.test_idle import COPIED, IN_PLACE, INTO_ARRAY
from tests.elements.test_prove import EQUIVALENT, op_lines, scalar
from tests.kernel.pairs import PAIRS
from tests.kernel.test_scalars import BEHIND, CALLED
from tests.soundness.test_symbolic_divisors import PAIRS as DIVIDED
from tests.verdict.loop_programs import HEAP
from tests.verdict.test_carried_ranges import PAIRS as RANGED
from tests.verdict.test_closed import LOWEST, formula
from tests.verdict.test_closed import loop as closed_loop
from tests.verdict.test_idle_branches import PAIRS as SWAPPED
from tests.verdict.test_lookup_tables import PAIRS as LOOKED_UP
from tests.verdict.test_ordered_calls import PAIRS as ORDERED
from tests.verdict.test_unrolling import PAIRS as UNROLLED

from hecv.check import Options
from hecv.claim.semantic_options import Switches
from hecv.claim.strategy import Strategy


@dataclass(frozen=True)
class Programs:
    """A source, a target, and a target that is wrong."""

    source: str
    target: str
    wrong: str
    switches: Switches = field(default_factory=Switches)
    strategy: Strategy = field(default_factory=lambda: Strategy(without=frozenset({"loop-simulation"})))
    """By default without simulations, which show what others do, too."""
    function: str = ""
    """The one that is compared, where there are more."""
    assume: tuple[str, ...] = ()
    directly: bool = False
    """Whether the proof by theorems is written down, though dataflow shows the pair, too."""

    def options(self) -> Options:
        """What `hecv check` is asked."""
        functions = (self.function,) if self.function else ()
        return Options(
            functions=functions, assume=self.assume, recording=True, switches=self.switches, strategy=self.strategy
        )


def _function(body: str, arguments: str = "%a: i32, %b: i32", result: str = "i32") -> str:
    return f"func.func @f({arguments}) -> {result} {{\n{body}\n}}\n"


LEMMAS = Programs(
    _function(
        """%c8 = arith.constant 8 : i32
           %s = arith.addi %a, %b overflow<nsw> : i32
           %d = arith.subi %a, %b : i32
           %p = arith.muli %s, %d : i32
           %q = arith.muli %p, %c8 : i32
           return %q : i32"""
    ),
    _function(
        """%c6 = arith.constant 6 : i32
           %c2 = arith.constant 2 : i32
           %c3 = arith.divsi %c6, %c2 : i32
           %x = arith.muli %a, %a : i32
           %y = arith.muli %b, %b : i32
           %p = arith.subi %x, %y : i32
           %q = arith.shli %p, %c3 : i32
           return %q : i32"""
    ),
    _function(
        """%c6 = arith.constant 6 : i32
           %c2 = arith.constant 2 : i32
           %c3 = arith.divsi %c6, %c2 : i32
           %x = arith.muli %a, %b : i32
           %y = arith.muli %b, %b : i32
           %p = arith.subi %x, %y : i32
           %q = arith.shli %p, %c3 : i32
           return %q : i32"""
    ),
)

FLAGS = Programs(
    _function(
        """%c0 = arith.constant 0 : i32
           %q = arith.divsi %a, %b : i32
           %s = arith.addi %q, %c0 overflow<nsw, nuw> : i32
           return %s : i32"""
    ),
    _function("%q = arith.divsi %a, %b : i32\nreturn %q : i32"),
    _function("%q = arith.divsi %b, %a : i32\nreturn %q : i32"),
)

LEAST = Programs(
    _function(
        """%c7 = arith.constant 7 : i32
           %r = arith.remui %a, %c7 : i32
           %s = arith.minui %r, %c7 : i32
           return %s : i32"""
    ),
    _function("%c7 = arith.constant 7 : i32\n%r = arith.remui %a, %c7 : i32\nreturn %r : i32"),
    _function("%c6 = arith.constant 6 : i32\n%r = arith.remui %a, %c6 : i32\nreturn %r : i32"),
)

SAME = Programs(LEMMAS.source, LEMMAS.source, LEMMAS.source.replace("constant 8", "constant 4"))


def _copies(step: int, *shifts: int) -> str:
    body = "".join(
        f"""%x{k} = affine.load %A[%i + {k}] : memref<8xf32>
            affine.store %x{k}, %B[%i + {k}] : memref<8xf32>
        """
        for k in shifts
    )
    head = f"affine.for %i = 0 to 8 step {step} {{\n{body}}}\nreturn"
    return f"func.func @f(%A: memref<8xf32>, %B: memref<8xf32>) {{\n{head}\n}}\n"


LOOP = Programs(_copies(1, 0), _copies(2, 0, 1), _copies(2, 0))


def _small(body: str) -> str:
    return _function(f"{body}\nreturn %q : f8E4M3FN", "%a: f8E4M3FN", "f8E4M3FN")


VALUES = Programs(
    _small("%c = arith.constant 0.5 : f8E4M3FN\n%p = arith.mulf %a, %c : f8E4M3FN\n%q = arith.addf %p, %p : f8E4M3FN"),
    _small(
        """%c = arith.constant 2.0 : f8E4M3FN
           %d = arith.constant 0.5 : f8E4M3FN
           %p = arith.mulf %a, %d : f8E4M3FN
           %q = arith.mulf %p, %c : f8E4M3FN"""
    ),
    _small("%c = arith.constant 1.0 : f8E4M3FN\n%q = arith.mulf %a, %c : f8E4M3FN"),
)


def _cleared(step: str) -> str:
    return _function(
        f"""%z = arith.constant 0 : i4
            %s = arith.constant 1 : i4
            %r:2 = scf.while (%i = %a, %n = %z) : (i4, i4) -> (i4, i4) {{
              %c = arith.cmpi ne, %i, %z : i4
              scf.condition(%c) %i, %n : i4, i4
            }} do {{
            ^bb0(%i: i4, %n: i4):
              %d = arith.subi %i, %s : i4
              %j = arith.andi %i, %d : i4
              %e = arith.muli %n, %n : i4
              %m = arith.{step} : i4
              scf.yield %j, %m : i4, i4
            }}
            return %r#1 : i4""",
        "%a: i4",
        "i4",
    )


def _listed() -> str:
    """What that leaves of each number: no formula of the rest says it."""
    lines = ["%r0 = arith.constant 0 : i4"]
    for number in range(1, 16):
        left, found = number, 0
        while left:
            left, found = left & (left - 1), (found * found ^ left) % 16
        lines += [
            f"%n{number} = arith.constant {number} : i4",
            f"%v{number} = arith.constant {found} : i4",
            f"%c{number} = arith.cmpi eq, %a, %n{number} : i4",
            f"%r{number} = arith.select %c{number}, %v{number}, %r{number - 1} : i4",
        ]
    return _function("\n".join([*lines, "return %r15 : i4"]), "%a: i4", "i4")


ALL = Programs(_cleared("xori %e, %i"), _listed(), _cleared("subi %e, %i"))


def _masked(bits: str) -> str:
    kinds = "memref<?xf32>, vector<2xi1>, vector<2xf32> into vector<2xf32>"
    return f"%r{bits} = vector.maskedload %A[%o], %{bits}, %p : {kinds}"


def _replaced(bits: str, last: int = 1) -> str:
    """As `_masked`, lane by lane."""
    lines, before = [], "%p"
    for lane in range(2):
        name = f"%r{bits}" if lane else f"%v{bits}"
        lines.append(f"""%b{bits}{lane} = vector.extract %{bits}[{lane}] : i1 from vector<2xi1>
            %c{bits}{lane} = arith.constant {last if lane else 0} : index
            %e{bits}{lane} = arith.addi %o, %c{bits}{lane} : index
            {name} = scf.if %b{bits}{lane} -> (vector<2xf32>) {{
              %x = memref.load %A[%e{bits}{lane}] : memref<?xf32>
              %y = vector.insert %x, {before} [{lane}] : f32 into vector<2xf32>
              scf.yield %y : vector<2xf32>
            }} else {{
              scf.yield {before} : vector<2xf32>
            }}""")
        before = name
    return "\n".join(lines)


def _lanes(*lines: str) -> str:
    head = "%A: memref<?xf32>, %o: index, %m: vector<2xi1>, %n: vector<2xi1>, %p: vector<2xf32>"
    body = "\n".join([*lines, "%r = arith.addf %rm, %rn : vector<2xf32>", "return %r : vector<2xf32>"])
    return _function(body, head, "vector<2xf32>")


REPLACED = Programs(
    _lanes(_masked("m"), _replaced("n")), _lanes(_replaced("m"), _masked("n")), _lanes(_replaced("m", 0), _masked("n"))
)


def _asserted(op: str, by: str) -> str:
    return _function(
        f"""%c = arith.constant {by} : i32
            %z = arith.constant 0 : i32
            %q = arith.muli %a, %b : i32
            %p = arith.cmpi sge, %q, %z : i32
            cf.assert %p, "negative"
            %r = arith.{op} %q, %c : i32
            return %r : i32""",
        "%a: i32, %b: i32",
    )


ASSERTED = Programs(_asserted("divsi", "2"), _asserted("shrui", "1"), _asserted("shrui", "2"))


def _divided(op: str) -> str:
    return _function(f"%r = arith.{op} %a, %b : i8\nreturn %r : i8", "%a: i8, %b: i8", "i8")


SCALARS_ASSUMED = Programs(_divided("divsi"), _divided("divui"), _divided("remui"), assume=("a >= 0", "b >= 1"))


def _guarded(predicate: str) -> str:
    return f"""
        func.func @f(%A: memref<?xf32>, %x: f32, %s: index, %n: index) {{
          %z = arith.constant 0 : index
          %o = arith.constant 1 : index
          scf.for %i = %z to %n step %o {{
            %d = arith.subi %s, %i : index
            %c = arith.cmpi {predicate}, %d, %z : index
            scf.if %c {{
              memref.store %x, %A[%i] : memref<?xf32>
            }}
          }}
          return
        }}
    """


MODULAR = Programs(
    _guarded("sgt"),
    _guarded("sgt")
    .replace("scf.for %i =", "scf.parallel (%i) =")
    .replace("%z to %n step %o", "(%z) to (%n) step (%o)"),
    _guarded("sge"),
)


def _strided(loop: str, end: str, place: str = "%i") -> str:
    return f"""
        func.func @f(%A: memref<?xf32>, %x: f32, %l: index, %n: index, %s: index) {{
          {loop} {{
            memref.store %x, %A[{place}] : memref<?xf32>
            {end}
          }}
          return
        }}
    """


STRIDED = Programs(
    _strided("scf.for %i = %l to %n step %s", ""),
    _strided("scf.parallel (%i) = (%l) to (%n) step (%s)", "scf.reduce"),
    _strided("scf.for %i = %l to %n step %s", "", "%l"),
)


def _called(least: str, step: str) -> str:
    return f"""
        func.func @f(%n: i32) -> i32 {{
          %c = arith.constant 0 : i32
          %b = arith.cmpi sle, %n, %c : i32
          %r = scf.if %b -> i32 {{
            scf.yield {least} : i32
          }} else {{
            %d = arith.constant 1 : i32
            %m = arith.subi %n, %d : i32
            %x = func.call @g(%m) : (i32) -> i32
            {step}
            scf.yield %y : i32
          }}
          return %r : i32
        }}
        func.func private @g(%n: i32) -> i32 {{
          %x = func.call @f(%n) : (i32) -> i32
          %y = arith.addi %x, %n : i32
          return %y : i32
        }}
    """


CALLS = Programs(
    _called("%n", "%y = arith.addi %x, %x : i32"),
    _called("%n", "%y = arith.shli %x, %d : i32"),
    _called("%n", "%y = arith.shli %n, %d : i32"),
)


def _past(cuts: Sequence[int], *stores: str) -> str:
    loads = "%x = affine.load %A[%i] : memref<8xf32>\n%y = affine.load %B[%i] : memref<8xf32>"
    body = f"{loads}\n{stores[0]}\n{stores[1]}\n%z = affine.load %A[%i] : memref<8xf32>\n{stores[2]}"
    loops = "\n".join(f"affine.for %i = {first} to {last} {{\n{body}\n}}" for first, last in pairwise(cuts))
    return f"func.func @f(%A: memref<8xf32>, %B: memref<8xf32>) {{\n{loops}\nreturn\n}}\n"


STORES = [
    f"affine.store {value}, {place} : memref<8xf32>"
    for value, place in (("%y", "%A[%i]"), ("%x", "%B[%i]"), ("%z", "%B[%i + 1]"))
]
OVERLAP = Programs(
    _past((0, 7), *STORES),
    _past((0, 3, 7), *STORES),
    _past((0, 3, 7), STORES[1], STORES[0], STORES[2]),
    Switches(may_overlap=True),
)

ZEROS = ("affine.store %zero, %A[0] : memref<2xi32>", "affine.store %zero, %B[0] : memref<2xi32>")


def _filled(*stores: str) -> str:
    constants = "%zero = arith.constant 0 : i32\n%one = arith.constant 1 : i32\n"
    body = "\n".join(stores)
    return f"func.func @f(%A: memref<2xi32>, %B: memref<2xi32>) {{\n{constants}{body}\nreturn }}"


FILLS = Programs(
    _filled(*ZEROS),
    _filled(*ZEROS[::-1]),
    _filled(ZEROS[1], ZEROS[0].replace("zero", "one")),
    Switches(may_overlap=True),
)
CONTENTS = Programs(*HELD["transposed"], HELD_BROKEN["one element differs"][1])

REALS = Programs(
    *(scalar(op_lines(*lines)) for lines in EQUIVALENT["sigmoid"]),
    scalar(op_lines("e = math.exp x", "s = arith.addf e one", "r = arith.divf one s")),
    Switches(floats="real"),
)

IDLE = Programs(*(t.replace("5x3", "3x3").replace("0 to 5", "0 to 3") for t in (IN_PLACE, COPIED, INTO_ARRAY)))


def _halved(first: str, second: str, head: str, step: str) -> str:
    """A while over two numbers, in this order, until the one that is halved is 0."""
    types = "(i32, i32) -> (i32, i32)"
    return _function(
        f"""%zero = arith.constant 0 : i32
            %one = arith.constant 1 : i32
            %r, %q = scf.while (%{first} = {head}) : {types} {{
              %c = arith.cmpi ne, %m, %zero : i32
              scf.condition(%c) %{first}, %{second} : i32, i32
            }} do {{
            ^bb0(%{first}: i32, %{second}: i32):
              {step}
              scf.yield %{first}{first}, %{second}{second} : i32, i32
            }}
            return {"%r" if first == "n" else "%q"} : i32"""
    )


NEXT = "%nn = arith.addi %n, %m : i32\n%mm = arith.shrui %m, %one : i32"
TURNS = Programs(
    _halved("n", "m", "%a, %m = %b", NEXT),
    _halved("m", "n", "%b, %n = %a", NEXT.replace("%n, %m", "%m, %n")),
    _halved("m", "n", "%b, %n = %a", NEXT.replace("addi", "subi")),
)


def _drained(at: str, step: str = "addi") -> str:
    """A while in each row until what is there is `%x`."""
    body = f"""affine.for %i = 0 to 2 {{
          scf.while : () -> () {{
            %v = affine.load %A[{at}] : memref<2xi32>
            %c = arith.cmpi ne, %v, %x : i32
            scf.condition(%c)
          }} do {{
            %v = affine.load %A[{at}] : memref<2xi32>
            %w = arith.{step} %v, %v : i32
            affine.store %w, %A[{at}] : memref<2xi32>
            scf.yield
          }}
        }}
        return"""
    return f"func.func @f(%A: memref<2xi32>, %x: i32) {{\n{body}\n}}\n"


BOUNDED = Programs(_drained("%i"), _drained("1 - %i"), _drained("1 - %i", "muli"))


_SEARCHED = """func.func @f(%n: i32, %m: i32) -> i32 {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %last = arith.constant 99 : i32
  cf.br ^head(%n : i32)
^head(%i: i32):
  %in = arith.cmpi ult, %i, %last : i32
  cf.cond_br %in, ^body, ^none
^body:
  %j = arith.addi %i, %i : i32
  %next = arith.addi %j, %one : i32
  %e = arith.cmpi eq, %j, %m : i32
  cf.cond_br %e, ^found, ^head(%next : i32)
^found:
  return %i : i32
^none:
  return %zero : i32
}
"""


_FLAGGED = """func.func @f(%n: i32, %m: i32) -> i32 {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %last = arith.constant 99 : i32
  %false = arith.constant false
  %true = arith.constant true
  %r:3 = scf.while (%i = %n, %f = %false, %k = %zero) : (i32, i1, i32) -> (i32, i1, i32) {
    %in = arith.cmpi ult, %i, %last : i32
    %not = arith.xori %f, %true : i1
    %c = arith.andi %in, %not : i1
    scf.condition(%c) %i, %f, %k : i32, i1, i32
  } do {
  ^bb0(%i: i32, %f: i1, %k: i32):
    %j = arith.addi %i, %i : i32
    %next = arith.addi %j, %one : i32
    %e = arith.cmpi eq, %j, %m : i32
    %found = arith.select %e, %i, %k : i32
    scf.yield %next, %e, %found : i32, i1, i32
  }
  return %r#2 : i32
}
"""
THREADED = Programs(
    _SEARCHED,
    _FLAGGED,
    _FLAGGED.replace("select %e, %i", "select %e, %j"),
)

INVARIANT = Programs(
    closed_loop(LOWEST, width=16),
    formula("  %r = math.ctpop %x : KIND\n", 16),
    formula("  %r = math.ctlz %x : KIND\n", 16),
)

SIFTED = Programs(
    HEAP,
    HEAP.replace("arith.select %g, %l2, %l1", "arith.select %q, %l1, %l2").replace(
        "%g = arith.cmpi sgt, %b, %a", "%q = arith.cmpi sge, %a, %b"
    ),
    HEAP.replace("arith.select %g, %l2, %l1", "arith.select %g, %l1, %l2"),
    strategy=Strategy(),
)

BY_THEOREMS = Programs(
    *((PAIRS.parent / "theorems" / f"sum.{side}.mlir").read_text() for side in ("src", "tgt")),
    (PAIRS.parent / "theorems" / "sum-bad.tgt.mlir").read_text(),
    strategy=Strategy("theorems"),
)

DIVISORS = Programs(
    *DIVIDED["mod"],
    DIVIDED["mod"][1].replace("addi %i, %k", "subi %i, %k"),
)
DIVISORS_OF_ONE_FORM = Programs(
    *DIVIDED["floordiv"],
    DIVIDED["floordiv"][1].replace("%s, %zero", "%s, %four"),
)


def _files(name: str, function: str, wrong: str = "", assume: tuple[str, ...] = ()) -> Programs:
    """A pair of the lit suite, by its path without ends; the last file is `wrong` where that is not its `-bad` twin."""
    texts = [(PAIRS.parent / f"{name}{end}.mlir").read_text() for end in (".src", ".tgt")]
    bad = wrong or (PAIRS.parent / f"{name}-bad.tgt.mlir").read_text()
    return Programs(texts[0], texts[1], bad, function=function, assume=assume)


def _of_file(name: str, function: str, old: str, new: str) -> Programs:
    """A pair of the lit suite, which another word in the function makes wrong."""
    text = (PAIRS.parent / f"{name}.tgt.mlir").read_text()
    head, mark, rest = text.partition(f"@{function}(")
    assert old in rest
    return _files(name, function, head + mark + rest.replace(old, new, 1))


def _apart(name: str, function: str) -> Programs:
    """A pair of the lit suite in one file."""
    parts = (PAIRS.parent / f"{name}.mlir").read_text().split("\n//--- ")
    texts = {part.partition(".")[0]: part.partition("\n")[2] for part in parts[1:]}
    return Programs(texts["src"], texts["tgt"], texts["bad"], function=function)


def _of_floats(*lines: str) -> str:
    return _function("\n".join((*lines, "return %r : f32")), "%a: f32, %b: f32, %c: f32", "f32")


FUSED = Programs(
    _of_floats(
        "%m = arith.maximumf %b, %c fastmath<nnan,nsz> : f32",
        "%p = arith.mulf %a, %m fastmath<contract> : f32",
        "%r = arith.addf %p, %c fastmath<contract> : f32",
    ),
    _of_floats("%m = arith.maxnumf %b, %c fastmath<nnan,nsz> : f32", "%r = math.fma %a, %m, %c : f32"),
    _of_floats("%m = arith.maxnumf %b, %c fastmath<nnan,nsz> : f32", "%r = math.fma %a, %c, %m : f32"),
)


def _scaled(*lines: str) -> str:
    body = "\n".join(("%x = affine.load %A[%i] : memref<8xf32>", *lines, "affine.store %r, %A[%i] : memref<8xf32>"))
    return f"func.func @f(%A: memref<8xf32>, %y: f32) {{\naffine.for %i = 0 to 8 {{\n{body}\n}}\nreturn\n}}\n"


FACTORED = Programs(
    _scaled("%s = arith.addf %x, %y : f32", "%r = arith.mulf %s, %y : f32"),
    _scaled("%p = arith.mulf %x, %y : f32", "%q = arith.mulf %y, %y : f32", "%r = arith.addf %p, %q : f32"),
    _scaled("%p = arith.mulf %x, %x : f32", "%q = arith.mulf %y, %y : f32", "%r = arith.addf %p, %q : f32"),
    Switches(floats="real"),
    Strategy("dataflow"),
)

SOURCE, RIGHT, WRONG = UNROLLED["power"]


def _partly(count: int, add: int) -> str:
    """Copies through memory of its own, of which it writes so many elements; what is in others is poison."""
    return f"""
        func.func @f(%A: memref<9xi32>, %B: memref<8xi32>) {{
          %t = memref.alloc() : memref<8xi32>
          affine.for %i = 0 to {count} {{
            %x = affine.load %A[%i + {add}] : memref<9xi32>
            affine.store %x, %t[%i] : memref<8xi32>
          }}
          affine.for %i = 0 to 8 {{
            %x = affine.load %t[%i] : memref<8xi32>
            affine.store %x, %B[%i] : memref<8xi32>
          }}
          return
        }}
    """


PROGRAMS = {
    "results": Programs(SOURCE, RIGHT, WRONG),
    "gathered": _files("loops/gathers", "table"),
    "cancelled": _files("verify/sliding-window/sums", "window"),
    "negated": _files("verify/sliding-window/sums", "average"),
    "chosen": _files("verify/affine-super-vectorize/dot-products", "dot"),
    "settled": _files("verify/transform-interpreter/padded", "padded"),
    "licensed": _files("verify/affine-super-vectorize/tails", "licensed"),
    "called": Programs(CALLED.source, CALLED.target, CALLED.target.replace("constant 1 :", "constant 2 :")),
    "behind": Programs(BEHIND.source, BEHIND.target, BEHIND.target.replace("subi %b, %b", "addi %b, %b")),
    "assumed": _files("loops/pipeline", "dynamic", assume=("nonneg",)),
    "wraps": replace(LOOP, switches=Switches(index_wraps=True)),
    "computed": _files("verify/canonicalize/recursion", "prefix"),
    "poison": Programs(_partly(4, 0), _partly(8, 0), _partly(8, 1)),
    "swapped": replace(_files("theorems/swapped", "f"), directly=True),
    "cases": Programs(*LANES["a product as a shift"], LANES_BROKEN["one lane differs"][0]),
    "lowered": _apart("check/lowered-dialects", "doubled"),
    "in two": _of_file("verify/lift-cf-to-scf/whiles", "jacobi", "arith.maximumf", "arith.minimumf"),
    "laws": _files("laws/absolute-value", "absolute_value"),
    "divisors of one form": DIVISORS_OF_ONE_FORM,
    "divisors": DIVISORS,
    "theorems": BY_THEOREMS,
    "idle": IDLE,
    "turns": TURNS,
    "bounded": BOUNDED,
    "threaded": THREADED,
    "invariant": INVARIANT,
    "simulation": SIFTED,
    "fused": FUSED,
    "factored": FACTORED,
    "reals": REALS,
    "overlap": OVERLAP,
    "fills": FILLS,
    "contents": CONTENTS,
    "inputs": ALL,
    "values": VALUES,
    "asserted": ASSERTED,
    "assumed arguments": SCALARS_ASSUMED,
    "modular": MODULAR,
    "strided": STRIDED,
    "ordered calls": Programs(*ORDERED["values of calls"][:2], ORDERED["another value"][1]),
    "swap with itself": Programs(*SWAPPED["element"][:2], SWAPPED["element, where one is above"][1]),
    "swap within a branch": Programs(*SWAPPED["element, both loads within"][:2], SWAPPED["another place"][1]),
    "looked up": Programs(*LOOKED_UP["squares"][:2], LOOKED_UP["squares, one off"][1]),
    "carried range": Programs(*RANGED["remainder"][:2], RANGED["remainder, one off"][1]),
    "replaced": REPLACED,
    "calls": CALLS,
    "lemmas": LEMMAS,
    "flags": FLAGS,
    "least": LEAST,
    "identity": SAME,
    "loop": LOOP,
}

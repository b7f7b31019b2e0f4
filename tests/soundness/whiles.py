"""Random while loops that count, nearly count, and do not.

Counters are `index` or `i8`, so that some wrap around; loops test before or after their body, some carry a second
counter, and what they end with is returned.
"""

from __future__ import annotations

from random import Random

PREDICATES = ("slt", "sle", "sgt", "sge", "ne", "eq", "ult", "ule", "ugt", "uge")
FLAGS = ("", "", "", " overflow<nsw>", " overflow<nuw>", " overflow<nsw, nuw>")
TESTS_BEFORE = """
    {compare}
    scf.condition(%c) %i, %k, %s : {t}, {k}, i32
  }} do {{
  ^bb0(%i: {t}, %k: {k}, %s: i32):
    {body}
    scf.yield %ni, %nk, %ns : {t}, {k}, i32
"""
TESTS_AFTER = """
    {body}
    {compare}
    scf.condition(%c) %ni, %nk, %ns : {t}, {k}, i32
  }} do {{
  ^bb0(%i: {t}, %k: {k}, %s: i32):
    scf.yield %i, %k, %s : {t}, {k}, i32
"""
LIFTED = """
    {compare}
    %q:4 = scf.if %c -> ({t}, {k}, i32, i32) {{
      {body}
      scf.yield %ni, %nk, %ns, %one : {t}, {k}, i32, i32
    }} else {{
      scf.yield %i, %k, %s, %zero : {t}, {k}, i32, i32
    }}
    %again = arith.trunci %q#3 : i32 to i1
    scf.condition(%again) %q#0, %q#1, %q#2 : {t}, {k}, i32
  }} do {{
  ^bb0(%i: {t}, %k: {k}, %s: i32):
    scf.yield %i, %k, %s : {t}, {k}, i32
"""


def program(random: Random, flagged: bool = False) -> str:
    """A function `@f(n, m, A)` with one loop; where asked for, a narrow counter may have overflow flags."""
    kind = random.choice(("index", "i8"))
    step, follow = random.choice((1, 1, 2, 3, -1, -2, 0)), random.choice((1, 2, -1, 0))
    sides = (("%i", "%n"), ("%i", "%n"), ("%n", "%i"), ("%i", "%seven"), ("%seven", "%i"), ("%ni", "%n"))
    left, right = random.choice(sides)
    shape = random.choice((TESTS_BEFORE, TESTS_AFTER, LIFTED))
    if shape is not TESTS_AFTER and "%ni" in (left, right):
        left = "%i"
    compare = f"%c = arith.cmpi {random.choice(PREDICATES)}, {left}, {right} : {kind}"
    other = random.choice((kind, "index"))
    second = random.choice(("%far", "%wide"))
    wide = "%wide = arith.addi %i, %z : index" if kind == "index" else "%wide = arith.index_cast %i : i8 to index"
    flags = random.choice(FLAGS) if flagged and kind == "i8" else ""
    change = random.choice(("arith.addi", "arith.addi", "arith.subi")) + f" %i, %step{flags}"
    far = "%far = arith.addi %k, %z : index" if other == "index" else "%far = arith.index_castui %k : i8 to index"
    body = f"""{wide}
    {far}
    %at = arith.andi {second}, %mask : index
    %v = memref.load %A[%at] : memref<8xi32>
    %ns = arith.addi %s, %v : i32
    memref.store %ns, %A[%at] : memref<8xi32>
    %ni = {change} : {kind}
    %nk = arith.addi %k, %follow : {other}"""
    first = random.choice(("%m", "%seven", "%start"))
    return f"""
func.func @f(%n: {kind}, %m: {kind}, %A: memref<8xi32>) -> ({kind}, {other}, i32) {{
  %step = arith.constant {step} : {kind}
  %follow = arith.constant {follow} : {other}
  %none = arith.constant 0 : {other}
  %seven = arith.constant 7 : {kind}
  %start = arith.constant {random.randint(-3, 3)} : {kind}
  %mask = arith.constant 7 : index
  %z = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:3 = scf.while (%i = {first}, %k = %none, %s = %zero) : ({kind}, {other}, i32) -> ({kind}, {other}, i32) {{
{shape.format(t=kind, k=other, compare=compare, body=body)}
  }}
  return %r#0, %r#1, %r#2 : {kind}, {other}, i32
}}"""

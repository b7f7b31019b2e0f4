"""A division that is done early is right where its divisor is made safe, and only there."""

from __future__ import annotations

import pytest

from hecv.check import Options, check

HEAD = "func.func @f(%x: i32, %y: i32) -> i32 {\n%z = arith.constant 0 : i32\n%o = arith.constant 1 : i32\n"
SOURCE = f"""{HEAD}
  %c = arith.cmpi ne, %y, %z : i32
  %r = scf.if %c -> (i32) {{
    %d = arith.divui %x, %y : i32
    scf.yield %d : i32
  }} else {{
    scf.yield %z : i32
  }}
  return %r : i32
}}
"""


def early(safe: str, division: str = "divui") -> str:
    return f"""{HEAD}
      %c = arith.cmpi ne, %y, %z : i32
      {safe}
      %d = arith.{division} %x, %s : i32
      %r = arith.select %c, %d, %z : i32
      return %r : i32
    }}
    """


@pytest.mark.parametrize(
    ("safe", "expected"),
    [
        ("%s = arith.select %c, %y, %o : i32", "equivalent"),
        ("%s = arith.select %c, %o, %y : i32", "not-equivalent"),
        ("%s = arith.select %c, %y, %z : i32", "not-equivalent"),
        ("%p = arith.addi %o, %o overflow<nsw> : i32\n%s = arith.maxui %y, %p : i32", "not-equivalent"),
    ],
)
def test_a_divisor_that_is_chosen(safe: str, expected: str) -> None:
    (function,) = check(SOURCE, early(safe), ("s.mlir", "t.mlir"), Options()).functions
    assert function.verdict == expected, function.unknown


UNUSED = f"{HEAD} %d = arith.DIVISION %x, %s : i32\nreturn %x : i32 }}"


@pytest.mark.parametrize(
    ("divisor", "division", "expected"),
    [
        ("%s = arith.ori %y, %o : i32", "remui", "equivalent"),
        ("%s = arith.maxui %y, %o : i32", "divui", "equivalent"),
        ("%s = arith.ori %y, %z : i32", "divui", "not-equivalent"),
        ("%s = arith.maxsi %y, %o : i32", "remui", "unknown"),
        ("%s = arith.ori %y, %o : i32", "divsi", "not-equivalent"),  # the least number by -1
        ("%w = arith.addi %y, %y overflow<nsw> : i32\n%s = arith.ori %w, %o : i32", "divui", "not-equivalent"),
    ],
)
def test_a_division_that_is_not_used(divisor: str, division: str, expected: str) -> None:
    source = f"{HEAD} return %x : i32 }}"
    target = UNUSED.replace("%d = ", f"{divisor}\n%d = ").replace("DIVISION", division)
    (function,) = check(source, target, ("s.mlir", "t.mlir"), Options()).functions
    assert function.verdict == expected, function.unknown

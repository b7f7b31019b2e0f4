"""Loops that a few threads share, each from `t * (n ceildiv T)` on, against the loop over all iterations."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import Final

import pytest
from msgspec.structs import replace
from tests.dataflow.test_histograms import verdict
from tests.soundness.running import STEPS, conclusive, inputs, read, unequal
from tests.soundness.test_normal_form import explicit

from hecv.base.term import TermPool
from hecv.normal.loops.iv_case_split import split_cases
from hecv.normal.passes import normalize
from hecv.program.tree import If, walk
from hecv.run.interpreter.interpreter import compile

HEAD = """func.func @f(%A: memref<?x?xi32>, %O: memref<?x?xi32>, %n: index, %m: index) {
%one = arith.constant 1 : i32
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
"""
ROWS = "affine.for %i = 0 to %n {\n"
COLUMNS = "affine.for %j = 0 to %m {\n"
STORE = """%a = memref.load %A[%i, %j] : memref<?x?xi32>
%v = arith.addi %a, %one : i32
memref.store %v, %O[%i, %j] : memref<?x?xi32>
"""
IN_PLACE = STORE.replace("%A", "%O")
BUFFERED = """%b = memref.alloc(%size) : memref<?xi32>
scf.for %i = %low to %high step %c1 {
%k = arith.subi %i, %low : index
%a = memref.load %A[%i, %j] : memref<?x?xi32>
memref.store %a, %b[%k] : memref<?xi32>
}
scf.for %i = %low to %high step %c1 {
%k = arith.subi %i, %low : index
%a = memref.load %b[%k] : memref<?xi32>
%v = arith.addi %a, %one : i32
memref.store %v, %O[%i, %j] : memref<?x?xi32>
}
"""


def share(threads: int, size: str = "", more: int = 0, loop: str = "forall", of: str = "i") -> str:
    """The rows, or columns, of one of so many threads; `size` is how many it has, and it does so many `more`."""
    extent = "%n" if of == "i" else "%m"
    size = size or f"s0 ceildiv {threads}"
    head = f"scf.forall (%t{of}) in ({threads}) {{" if loop == "forall" else f"affine.for %t{of} = 0 to {threads} {{"
    return f"""{head}
%low{of} = affine.apply affine_map<(d0)[s0] -> (d0 * ({size}))>(%t{of})[{extent}]
%high{of} = affine.min affine_map<(d0)[s0] -> (s0, d0 * ({size}) + {size} + {more})>(%t{of})[{extent}]
"""


def over(of: str = "i") -> str:
    return f"scf.for %{of} = %low{of} to %high{of} step %c1 {{\n"


def f(*parts: str) -> str:
    return HEAD + "".join(parts) + "return\n}\n"


BUFFER_SIZE = "%size0 = arith.subi %high, %low : index\n%size = arith.maxsi %size0, %c0 : index\n"
SOURCE = f(ROWS, COLUMNS, STORE, "}}")
OWN_BUFFER = share(3) + COLUMNS + (BUFFER_SIZE + BUFFERED).replace("%low", "%lowi").replace("%high", "%highi")
SAME: Final[dict[str, tuple[str, str]]] = {
    "four threads": (SOURCE, f(share(4), over(), COLUMNS, STORE, "}}}")),
    "columns outside": (SOURCE, f(COLUMNS, share(5), over(), STORE, "}}}")),
    "threads in two directions": (SOURCE, f(share(2), share(3, of="j"), over(), over("j"), STORE, "}}}}")),
    "one after the other": (SOURCE, f(share(4, loop="for"), over(), COLUMNS, STORE, "}}}")),
    "in place": (f(ROWS, COLUMNS, IN_PLACE, "}}"), f(share(4), over(), COLUMNS, IN_PLACE, "}}}")),
    "three threads and four": (f(share(3), over(), COLUMNS, STORE, "}}}"), f(share(4), over(), COLUMNS, STORE, "}}}")),
    "buffers of their own": (SOURCE, f(OWN_BUFFER, "}}")),
}
WRONG: Final[dict[str, tuple[str, str]]] = {
    "shares rounded down": (SOURCE, f(share(4, "s0 floordiv 4"), over(), COLUMNS, STORE, "}}}")),
    "a thread less": (SOURCE, f(share(3, "s0 ceildiv 4"), over(), COLUMNS, STORE, "}}}")),
    "a race": (SOURCE, f(share(4, more=1), over(), COLUMNS, STORE, "}}}")),
    "twice": (f(ROWS, COLUMNS, IN_PLACE, "}}"), f(share(4, more=1, loop="for"), over(), COLUMNS, IN_PLACE, "}}}")),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", SAME)
def test_threads_that_share_a_loop(name: str) -> None:
    assert verdict(*SAME[name]) == "equivalent"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", WRONG)
def test_threads_that_do_not(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert verdict(*WRONG[name]) == "not-equivalent"


@pytest.mark.parametrize("text", [target for _, target in (*SAME.values(), *WRONG.values())])
def test_thread_by_thread_the_same_is_done(text: str) -> None:
    pool, random = TermPool(), Random(1)
    given = read(text, pool)
    form = normalize(pool, given)
    apart = split_cases(pool, given, form)
    assert any(isinstance(s, If) for s in walk(apart))
    programs = [compile(replace(given, body=explicit(body))) for body in (form, apart)]
    met = 0
    for arguments in islice(inputs(given, random), 40):
        ends = [p.run(arguments, STEPS) for p in programs]
        if conclusive(*ends):
            met += 1
            assert unequal(*ends) is None, arguments
    assert met > 5


def test_a_loop_over_more_than_half_of_all_indices_stays() -> None:
    """Its iterations are more than a range of Python's may count."""
    pool = TermPool()
    given = read(f(f"affine.for %t = {-(1 << 62) - 1} to {1 << 62} {{\n", ROWS, COLUMNS, STORE, "}}}"), pool)
    form = normalize(pool, given)
    assert split_cases(pool, given, form) == form

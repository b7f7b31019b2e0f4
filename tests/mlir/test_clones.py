"""`bufferization.clone`: a copy, as long as nothing is written that might be either."""

from __future__ import annotations

import pytest

from hecv.check import Options, check
from hecv.claim.semantic_options import Switches

DOUBLED = """func.func @f(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {{
  {before}
  affine.for %i = 0 to %n {{
    %a = affine.load {read}[%i] : memref<?xf32>
    %t = arith.addf %a, %a : f32
    affine.store %t, {written}[%i] : memref<?xf32>
    {inside}
  }}
  {after}
  return
}}
"""
CLONE = "%C = bufferization.clone %A : memref<?xf32> to memref<?xf32>"
COPY = """%z = arith.constant 0 : index
%m = memref.dim %A, %z : memref<?xf32>
%C = memref.alloc(%m) : memref<?xf32>
memref.copy %A, %C : memref<?xf32> to memref<?xf32>"""
END = "memref.dealloc %C : memref<?xf32>"
READ = "%x = affine.load %C[0] : memref<?xf32>\naffine.store %x, %B[%i] : memref<?xf32>"


def _program(before: str = "", read: str = "%A", written: str = "%B", inside: str = "", after: str = "") -> str:
    return DOUBLED.format(before=before, read=read, written=written, inside=inside, after=after)


def _verdict(source: str, target: str, overlap: bool = False) -> tuple[str, str]:
    options = Options(switches=Switches(may_overlap=overlap))
    found = check(source, target, ("source.mlir", "target.mlir"), options).functions[0]
    return found.verdict, found.unknown.text if found.unknown else ""


@pytest.mark.parametrize("source", [_program(), _program(COPY, "%C", after=END)], ids=["without", "a copy"])
def test_a_clone_holds_what_was_cloned(source: str) -> None:
    for after in (END, ""):
        target = _program(CLONE, "%C", after=after)
        assert _verdict(source, target)[0] == _verdict(target, source)[0] == "equivalent"


def test_what_was_cloned_may_be_written_before_and_freed_after() -> None:
    local = "%L = memref.alloc(%n) : memref<?xf32>\nlinalg.copy ins(%A : memref<?xf32>) outs(%L : memref<?xf32>)"
    clone = f"{local}\n{CLONE.replace('%A', '%L')}\nmemref.dealloc %L : memref<?xf32>"
    assert _verdict(_program(local, "%L"), _program(clone, "%C", after=END))[0] == "equivalent"


def test_another_element_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert _verdict(_program(), _program(CLONE, "%C", inside=READ))[0] == "not-equivalent"


@pytest.mark.parametrize(
    ("target", "why"),
    [
        (_program(CLONE, "%C", "%A"), "written after it was cloned"),
        (_program(CLONE, "%A", "%C"), "clone that may be written"),
        (_program(inside=f"{CLONE}\naffine.store %a, %A[%i] : memref<?xf32>"), "written after it was cloned"),
        (_program(written="%A", inside=f"{CLONE}\n{READ}"), "written after it was cloned"),
    ],
    ids=["after it", "the clone", "below it in a loop", "above it in a loop"],
)
def test_what_is_written_may_be_either(target: str, why: str) -> None:
    """Where the clone is the memref itself, it changes with it; that is undefined, and no copy is."""
    verdict, text = _verdict(_program(), target)
    assert verdict == "unknown" and why in text


def test_what_overlaps_is_not_cloned() -> None:
    assert _verdict(_program(), _program(CLONE, "%C", after=END), overlap=True)[0] == "unknown"


def test_a_clone_is_not_returned() -> None:
    source = "func.func @f(%A: memref<8xf32>) -> memref<8xf32> {\n  BODY\n  return %C : memref<8xf32>\n}\n"
    clone = "%C = bufferization.clone %A : memref<8xf32> to memref<8xf32>"
    copy = "%C = memref.alloc() : memref<8xf32>\nmemref.copy %A, %C : memref<8xf32> to memref<8xf32>"
    verdict, text = _verdict(source.replace("BODY", copy), source.replace("BODY", clone))
    assert verdict == "unknown" and "a clone may be the memref that it is of" in text

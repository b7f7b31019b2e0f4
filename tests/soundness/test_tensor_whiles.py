"""While loops that carry tensors of open shape, and what bufferization makes of them."""

from __future__ import annotations

import pytest

from hecv.check import Options, Report, check

HEAD = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : i32
"""

SOURCE = """func.func @f(%t: tensor<?xi32>, %n: index) -> (tensor<?xi32>, index) {{
  %k:2 = scf.while (%a = %t, %i = %c0) : (tensor<?xi32>, index) -> (tensor<?xi32>, index) {{
    {before}
    %c = arith.cmpi slt, %i, %n : index
    scf.condition(%c) %{passed}, %i : tensor<?xi32>, index
  }} do {{
  ^bb0(%p: tensor<?xi32>, %j: index):
    {after}
    %m = arith.addi %j, %c1 : index
    scf.yield %{given}, %m : tensor<?xi32>, index
  }}
  %r = tensor.dim %k#0, %c0 : tensor<?xi32>
  return %k#0, %r : tensor<?xi32>, index
}}""".replace("{{\n", "{{" + HEAD, 1)

MEMREF = "memref<?xi32, strided<[?], offset: ?>>"

TARGET = """func.func @f(%t: MEMREF, %n: index) -> (MEMREF, index) {{
  {first}
  %k = scf.while (%i = %c0) : (index) -> index {{
    {before}
    %c = arith.cmpi slt, %i, %n : index
    scf.condition(%c) %i : index
  }} do {{
  ^bb0(%j: index):
    {after}
    %m = arith.addi %j, %c1 : index
    scf.yield %m : index
  }}
  {last}
  %r = memref.dim %t, %c0 : MEMREF
  return %t, %r : MEMREF, index
}}""".replace("{{\n", "{{" + HEAD, 1).replace("MEMREF", MEMREF)


def _source(before: str = "", passed: str = "a", after: str = "", given: str = "p") -> str:
    return SOURCE.format(before=before, passed=passed, after=after, given=given)


def _target(first: str = "", before: str = "", after: str = "", last: str = "") -> str:
    return TARGET.format(first=first, before=before, after=after, last=last)


def _report(source: str, target: str) -> Report:
    report = check(source, target, ("s.mlir", "t.mlir"), Options())
    assert not report.internal, report.diagnostics
    return report


IN_BODY = _source(after="%u = tensor.insert %c7 into %p[%j] : tensor<?xi32>", given="u")
IN_HEAD = _source(before="%u = tensor.insert %c7 into %a[%i] : tensor<?xi32>", passed="u")
LOST = _source(before="%u = tensor.insert %c7 into %a[%i] : tensor<?xi32>")
ADDED = _source(
    after="""%s = tensor.extract %p[%j] : tensor<?xi32>
    %x = arith.addi %s, %c7 : i32
    %u = tensor.insert %x into %p[%j] : tensor<?xi32>""",
    given="u",
)


def _store(at: str, value: str = "%c7") -> str:
    return f"memref.store {value}, %t[{at}] : {MEMREF}"


SUM = f"%s = memref.load %t[%j] : {MEMREF}\n%x = arith.addi %s, %c7 : i32\n"


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (IN_BODY, _target(after=_store("%j"))),
        (IN_HEAD, _target(before=_store("%i"))),
        (ADDED, _target(after=SUM + _store("%j", "%x"))),
        (_source(), _target()),
    ],
)
def test_an_update_in_place_is_that_of_a_value(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert _report(source, target).verdict == "equivalent"


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("source", "target"),
    [
        (IN_BODY, _target(before=_store("%i"))),
        (IN_BODY, _target(after="%x = arith.addi %c7, %c7 : i32\n" + _store("%j", "%x"))),
        (IN_BODY, _target(after=_store("%c0"))),
        (IN_BODY, _target(after=_store("%j"), last=_store("%c0"))),
        (IN_BODY, _target()),
        (IN_HEAD, _target(after=_store("%j"))),
        (LOST, _target(before=_store("%i"))),
        (ADDED, _target(before=SUM.replace("%j", "%i") + _store("%i", "%x"))),
        (ADDED, _target(after=SUM + _store("%j", "%x") + "\n" + _store("%c0"))),
    ],
)
def test_another_update_is_not(source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    assert _report(source, target).verdict in ("not-equivalent", "unknown")


KEPT = """func.func @f(%t: tensor<?xi32>, %n: index) -> (tensor<?xi32>, i32) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : i32
  %k:2 = scf.while (%a = %t, %i = %c0) : (tensor<?xi32>, index) -> (tensor<?xi32>, index) {{
    %c = arith.cmpi slt, %i, %n : index
    scf.condition(%c) %a, %i : tensor<?xi32>, index
  }} do {{
  ^bb0(%p: tensor<?xi32>, %j: index):
    %u = tensor.insert %c7 into %p[%j] : tensor<?xi32>
    %m = arith.addi %j, %c1 : index
    scf.yield %u, %m : tensor<?xi32>, index
  }}
  %old = tensor.extract {read}[%c0] : tensor<?xi32>
  return %k#0, %old : tensor<?xi32>, i32
}}"""


@pytest.mark.one_in(6)
def test_what_is_read_after_the_loop_is_not_overwritten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HECV_CROSSCHECK", "1")
    old, new = KEPT.format(read="%t"), KEPT.format(read="%k#0")
    assert _report(old, new).verdict in ("not-equivalent", "unknown")
    assert _report(new, old).verdict in ("not-equivalent", "unknown")
    assert _report(old, old).verdict == _report(new, new).verdict == "equivalent"


SHORTER = "%u = tensor.extract_slice %{}[0] [%c1] [1] : tensor<?xi32> to tensor<?xi32>"


@pytest.mark.parametrize(
    "source",
    [
        _source(before=SHORTER.format("a"), passed="u"),
        _source(after=SHORTER.format("p"), given="u"),
        _source(before="%z = arith.addi %i, %c1 : index\n%u = tensor.empty(%z) : tensor<?xi32>", passed="u"),
    ],
)
def test_a_tensor_that_becomes_another_shape_is_not_read(source: str) -> None:
    for target in (_target(), _source()):
        assert _report(source, target).verdict == "unknown"

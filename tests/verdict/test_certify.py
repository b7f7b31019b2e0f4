"""Writing a proof down never costs the verdict."""

from __future__ import annotations

from time import sleep

import pytest

from hecv.check import Options, check
from hecv.verdict import certify

SOURCE = "func.func @f(%a: i32) -> i32 {\n%x = arith.addi %a, %a : i32\nreturn %x : i32\n}"
TARGET = "func.func @f(%a: i32) -> i32 {\n%c = arith.constant 1 : i32\n%x = arith.shli %a, %c : i32\nreturn %x : i32\n}"


def test_a_proof_that_cannot_be_written_down_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*arguments: object) -> None:
        try:
            while True:
                sleep(0.01)
        except Exception:  # what stops it is no error that could be handled
            raise AssertionError from None

    monkeypatch.setattr(certify, "_swept", slow)
    report = check(SOURCE, TARGET, ("source.mlir", "target.mlir"), Options(recording=True, seconds=4))
    assert report.verdict == "equivalent"
    assert report.functions[0].certificate is None
    assert report.functions[0].uncertified is not None and "time limit" in report.functions[0].uncertified

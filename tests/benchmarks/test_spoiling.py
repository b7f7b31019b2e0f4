"""What is an answer of the command line to hostile input, and what is none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from spoiling import Attack, answered, judged_answer

GRAPH = Attack(("graph", "f.mlir"), ())
REPLAY = Attack(("replay", "c.json", "s.mlir", "t.mlir"), (), refused=True)


@pytest.mark.parametrize(
    ("attack", "status", "out", "answer"),
    [
        (GRAPH, 3, "error[unsupported-op]: op `memref.dim`: dimension 9 is out of range", "unknown"),
        (GRAPH, 2, "error[parse-error]: expected ')'", "diagnostic"),
        (GRAPH, 3, "", "wrong"),
        (GRAPH, 1, "error[parse-error]: expected ')'", "wrong"),
        (GRAPH, 2, "Traceback (most recent call last):\nerror[parse-error]", "wrong"),
        (GRAPH, -11, "", "wrong"),
        (REPLAY, 0, "accepted", "wrong"),
        (REPLAY, 1, "rejected", "not equivalent"),
    ],
)
def test_what_is_an_answer(attack: Attack, status: int, out: str, answer: str) -> None:
    assert judged_answer(attack, status, out)[0] == answer


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("code", "answer"),
    [("raise SystemExit(2)", "diagnostic"), ("import time; time.sleep(60)", "wrong")],
    ids=["ends", "does not end"],
)
def test_a_process_that_answers(code: str, answer: str) -> None:
    attack = Attack(("error[parse-error]",), ())
    program = f"import sys; print(sys.argv[1]); {code}"
    assert answered([sys.executable, "-c", program], 2, attack)[0] == answer

"""What a process loads before it starts to work."""

from __future__ import annotations

import subprocess
import sys

SLOW = ("numpy", "z3", "egglog", "torch")


def test_a_check_loads_nothing_slow_that_it_may_not_need() -> None:
    code = f"import sys, hecv.check; print([name for name in {SLOW!r} if name in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (ended.stdout.strip(), ended.returncode) == ("[]", 0), ended.stderr


def test_numpy_can_be_loaded_afterwards() -> None:
    code = "import hecv.frontend, numpy; print(numpy.zeros(2).sum())"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ended.stdout.strip() == "0.0", ended.stderr

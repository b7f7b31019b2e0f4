"""The PolyBench kernels are what their definitions say."""

import subprocess
import sys
from pathlib import Path

import pytest

ORACLE = Path(__file__).parents[2] / "benchmarks" / "polybench" / "oracle.py"
KERNELS = 31
FILES_AND_SIZES = 3 * KERNELS


@pytest.mark.long
def test_every_kernel_computes_its_definition():
    # Compiled code runs in a process of its own.
    ended = subprocess.run([sys.executable, str(ORACLE)], capture_output=True, text=True, timeout=300)
    lines = ended.stdout.splitlines()
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert [line for line in lines if not line.startswith("ok ")] == []
    assert len(lines) == FILES_AND_SIZES
    assert len(list(ORACLE.parent.glob("*.mlir"))) == 2 * KERNELS

"""Every op of the dialects has a probe, and the page says how each is read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


MADE = """
import sys
from tests.mlir import ops

print(*ops.problems(), sep="\\n", file=sys.stderr)
print(ops.page(), end="")
"""


def test_the_page_is_current() -> None:
    made = subprocess.run([sys.executable, "-c", MADE], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (made.returncode, made.stderr.strip()) == (0, "")
    page = (ROOT / "docs" / "ops.md").read_text(encoding="utf-8")
    assert made.stdout == page, "python -m tests.mlir.ops > docs/ops.md"

"""Every op of the dialects has a probe, and the page says how each is read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_is_current() -> None:
    text = "import sys; from tests.frontend import ops; print(*ops.problems(), sep='\\n', file=sys.stderr)"
    probed = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (probed.returncode, probed.stderr.strip()) == (0, "")
    made = subprocess.run(
        [sys.executable, "-m", "tests.frontend.ops"], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    page = (ROOT / "docs" / "ops.md").read_text(encoding="utf-8")
    assert made.stdout == page, "python -m tests.frontend.ops > docs/ops.md"

"""What mlir-opt makes of a text."""

from __future__ import annotations

import subprocess


def transformed(text: str, passes: str) -> str:
    """The text after passes on its functions."""
    command = ["mlir-opt-22", f"--pass-pipeline=builtin.module(func.func({passes}))"]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=20, check=True).stdout

"""The verb `hecv doctor`: prints the version of each package and tool that hecv uses, or that it is missing."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys

from hecv.cli.terminal import USAGE, version_of, versions


def run(_: argparse.Namespace) -> int:
    """Prints the versions; exit status 2 if MLIR's bindings or isl are missing."""
    found = {"python": sys.version.split()[0], **versions()}
    for package in ("islpy", "numpy"):
        found[package] = version_of(package) or "missing"
    for tool in ("mlir-opt-22", "FileCheck-22"):
        found[tool] = _tool_version(tool)
    width = max(map(len, found))
    sys.stdout.write("".join(f"{name:{width}}  {version}\n" for name, version in found.items()))
    return USAGE if "missing" in (found["mlir"], found["islpy"]) else 0


def _tool_version(tool: str) -> str:
    path = shutil.which(tool)
    if path is None:
        return "not found (not needed to check)"
    answer = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    return next((line.split()[-1] for line in answer.splitlines() if "version" in line), "unknown")

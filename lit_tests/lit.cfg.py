"""The lit suite: `.venv/bin/lit lit_tests`. It finds everything itself; `make test` gets the tools and builds the plugin.

    check/    the command line on small inputs
    found-bugs/  what passes of mlir-opt 22 get wrong (docs/found-bugs.md)
    laws/     pairs that laws of the book prove, by hand
    loops/    loop transformations: one source of many nests for each group of targets (docs/loop-transformations.md)
    opt/      `hecv opt`: pipelines checked pass by pass
    passes/   the MLIR pass plugin
    rules/    rules of users in proofs; `Inputs` has the rule files
    verify/   pairs by the pass that made the target: `name.src.mlir`, `name.tgt.mlir` and a `name-bad.tgt.mlir` twin

A tool that is missing ends the run; it never skips a test. `HECV_CROSSCHECK=1 lit lit_tests` has every verdict proved
and run as well, `HECV_REPLAY=1 lit lit_tests` every proof written down and checked again. `%exits N` before `hecv`: it
must exit with just N. Commands are run by a server (`hecv serve`).
"""

import atexit
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

import lit.formats

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "python"))
from hecv.server import client  # noqa: E402

LLVM = Path("/usr/lib/llvm-22/bin")


def find_tool(name):
    """The tool of LLVM 22: `name-22` on the path, or `name` where Debian puts it."""
    beside = LLVM / name
    found = shutil.which(f"{name}-22") or (str(beside) if beside.is_file() else None)
    return found or lit_config.fatal(
        f"{name} of LLVM 22 was not found; run `make tools`, or apt-get install mlir-22-tools llvm-22-tools"
    )


def as_command(name, replacement):
    """A substitution for `name` where it stands as a word of its own, not inside a path, a flag or a pass."""
    return rf"(?<![\w./%-]){re.escape(name)}(?![\w./-])", replacement.replace("\\", r"\\")


def start_server():
    """Has the commands of the suite run by a server that ends with it."""
    folder = tempfile.mkdtemp(prefix="hecv")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    environment = {**os.environ, **config.environment}
    return client.start(f"{folder}/socket", environment)


config.name = "hecv"
config.test_format = lit.formats.ShTest()
config.suffixes = {".mlir"}
config.test_source_root = str(HERE)
config.test_exec_root = str(ROOT / "build" / "lit_tests")

config.hecv_plugin = lit_config.params.get("hecv_plugin", str(ROOT / "build" / "passes" / "HecvPasses.so"))
config.substitutions += [
    ("%hecv_plugin", config.hecv_plugin),
    ("%python", sys.executable),
    (r"(?<=%exits \d) hecv(?= )", ""),
    ("%exits", f"{sys.executable} -S -E {ROOT / 'tests' / 'exits.py'}"),
    as_command("hecv", " ".join(client.command())),
    *(as_command(name, find_tool(name)) for name in ("mlir-opt", "FileCheck", "not", "split-file")),
]

paths = [str(ROOT / "python"), os.environ.get("PYTHONPATH", "")]
config.environment["PYTHONPATH"] = os.pathsep.join(p for p in paths if p)
for switch in ("HECV_CROSSCHECK", "HECV_REPLAY"):
    if switch in os.environ:
        config.environment[switch] = os.environ[switch]
config.environment |= start_server()

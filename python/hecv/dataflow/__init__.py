"""Array dataflow: loops as integer sets and maps of isl, and proofs by induction over value-based dependences."""

import sys
from importlib import import_module
from types import ModuleType


def _load_isl() -> None:
    """Loads isl's bindings without `importlib.metadata`, which takes as long as they do and is only asked for their
    version."""
    if "islpy" in sys.modules or "importlib.metadata" in sys.modules:
        return
    version = ModuleType("islpy.version")
    version.__dict__.update(VERSION=(), VERSION_TEXT="")
    sys.modules["islpy.version"] = version
    try:
        import_module("islpy")
    except (AttributeError, ImportError):
        pass  # of a release that asks for more; it is loaded as any other module where it is used
    finally:
        del sys.modules["islpy.version"]


_load_isl()

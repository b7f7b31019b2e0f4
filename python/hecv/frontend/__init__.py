"""Reading programs: the only layer that imports MLIR's bindings; what leaves it is plain data."""

import sys
from importlib import import_module


def _load_bindings() -> None:
    """Loads MLIR's bindings without NumPy, which takes twice as long as they do: it is for builders of dense attributes
    from lists, and nothing here calls those."""
    if "torch_mlir.ir" in sys.modules or "numpy" in sys.modules:
        return
    sys.modules["numpy"] = None  # type: ignore[assignment]  # makes `import numpy` an ImportError
    try:
        import_module("torch_mlir.ir")
    finally:
        del sys.modules["numpy"]


_load_bindings()

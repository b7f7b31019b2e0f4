"""The MLIR frontend: text to module, module to program graphs. Only plain data leaves it."""

import sys
from importlib import import_module


def _load_bindings() -> None:
    """Loads MLIR's bindings without NumPy, which takes twice as long to load: only builders of dense attributes from
    lists need it.

    Nor are classes loaded for each dialect met (0.16 s for linalg): ops are read by name.
    """
    if "torch_mlir.ir" not in sys.modules and "numpy" not in sys.modules:
        sys.modules["numpy"] = None  # type: ignore[assignment]  # makes `import numpy` an ImportError
        try:
            import_module("torch_mlir.ir")
        finally:
            del sys.modules["numpy"]
    import_module("torch_mlir._mlir_libs._mlir").globals.dialect_search_modules = []


_load_bindings()

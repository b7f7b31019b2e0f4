"""A fork whose child leaves alone what its parent made."""

from __future__ import annotations

import gc
import os


def fork() -> int:
    """`os.fork`, in whose child nothing that the parent made is searched for cycles.

    What is garbage when the process forks may belong to threads, as an e-graph does; the child has none of them, and to
    take it down would wait for them without end. Before `os.fork` returns, Python runs handlers in the child
    (`os.register_at_fork`), and whatever they make may start a search: so none starts while this process forks.
    """
    searching = gc.isenabled()
    gc.disable()
    try:
        pid = os.fork()
        if pid == 0:
            gc.freeze()
        return pid
    finally:
        if searching:
            gc.enable()

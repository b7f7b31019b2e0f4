"""`exits.py STATUS ARGUMENTS...`: `hecv` with these arguments must end with just that status.

`not` would take a crash (4) or a usage error (2) for a refutation (1).
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "python"))
from hecv.server.client import forward


def main():
    expected, *arguments = sys.argv[1:]
    status = forward(arguments)
    if status is None:
        status = os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-m", "hecv", *arguments])
    if status != int(expected):
        sys.stderr.write(f"exit status is {status}, expected {expected}: hecv {' '.join(arguments)}\n")
    return int(status != int(expected))


if __name__ == "__main__":
    sys.exit(main())

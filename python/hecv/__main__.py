"""Entry point of `hecv` and of `python -m hecv`: a server runs the command if there is one, or else this process."""

import os
import sys

from hecv.server.client import Lost, forward


def main() -> int:
    """Runs one command; returns the exit status, or exits with it."""
    try:
        status = forward(sys.argv[1:])
    except Lost as end:
        from hecv.cli.terminal import internal  # all else is loaded where no server takes the command

        return internal(sys.argv[1:], str(end))
    if status is not None:
        os._exit(status)  # nothing is left to do, and to take down Python takes a few milliseconds
    from hecv.cli import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())

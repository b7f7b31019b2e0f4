"""Entry point of `hecv` and of `python -m hecv`: a server runs the command if there is one, or else this process."""

import os
import sys

from hecv.server.client import Lost, forward


def main() -> int:
    """Runs one command; returns the exit status, or exits with it."""
    if sys.argv[1:3] == ["wrap", "--"] and sys.argv[3:]:
        _wrap(sys.argv[3:])
    try:
        status = forward(sys.argv[1:])
    except Lost as end:
        from hecv.cli.terminal import internal  # all else is loaded where no server takes the command

        return internal(sys.argv[1:], str(end))
    if status is not None:
        os._exit(status)  # nothing is left to do, and to take down Python takes a few milliseconds
    from hecv.cli import main as run

    return run()


def _wrap(command: list[str]) -> None:
    """Runs a tool without loading the other verbs; what is wrong with the settings is left to the verb."""
    from hecv.toolchain.tool_run import run, settings_of

    try:
        settings = settings_of(None)
    except ValueError:
        return
    os._exit(run(command, settings))


if __name__ == "__main__":
    sys.exit(main())

"""The command line: one file a verb."""

from hecv.cli.main import main

__all__ = ["main"]

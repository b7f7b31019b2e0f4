"""The command line."""

from hecv.cli.main import main

__all__ = ["main"]

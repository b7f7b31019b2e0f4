"""Entry point of `python -m hecv`."""

import sys

from hecv.cli import main

sys.exit(main())

"""`exits.py STATUS COMMAND...` runs the command and fails unless it exits with just that status.

`not` would take a crash (4) or a usage error (2) for a refutation (1). Input and output are the command's own.
"""

import subprocess
import sys

expected, command = int(sys.argv[1]), sys.argv[2:]
status = subprocess.run(command).returncode
if status != expected:
    sys.exit(f"exit status is {status}, expected {expected}: {' '.join(command)}")

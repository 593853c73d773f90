# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""exit_code.py CODE COMMAND...: runs the command; fails loudly on another exit code."""

import subprocess
import sys

code = subprocess.run(sys.argv[2:]).returncode
if code != int(sys.argv[1]):
    print(f"expected exit code {sys.argv[1]}, got {code}", flush=True)
    sys.exit(1)

# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""run_pipeline.py PIPELINE-FILE IR-FILE: tegula-opt with the passes of a file."""

import pathlib
import subprocess
import sys

pipeline = pathlib.Path(sys.argv[1]).read_text().strip()
sys.exit(subprocess.run(["tegula-opt", sys.argv[2], "--pass-pipeline", pipeline],
                        check=False).returncode)

# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`import triton` of a process whose PYTHONPATH has this folder; see `as_triton.install`."""

import sys

import tegula.as_triton

del sys.modules["triton"]
tegula.as_triton.install()
import triton  # noqa: E402

sys.modules[__name__] = triton  # what the import statement that came here gets

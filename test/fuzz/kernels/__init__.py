# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels, compared bit for bit with an interpretation in NumPy.

`generate` makes a kernel of a seed, `interpret` computes what it leaves in memory
after the rules of docs/semantics.md, `launch` compiles and runs it for several
targets, `shrink` makes a failing one small; docs/fuzzing.md says how to run it.
"""

# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Backends: Tegula's own are plugins of its runtime, none of them written in Python."""

backends = {}

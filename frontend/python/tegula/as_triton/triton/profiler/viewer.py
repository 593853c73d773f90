# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Profiles of Triton's profiler: there are none."""


def _no_profile(*args, **options):
    raise NotImplementedError("triton.profiler.viewer: expected a profile, but Tegula writes none; "
                              "measure with triton.testing.do_bench")


parse = read = print_tree = get_min_time_flops = get_min_time_bytes = _no_profile

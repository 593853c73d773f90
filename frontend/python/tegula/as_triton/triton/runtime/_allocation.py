# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who gives kernels memory for descriptors; see `tegula.set_allocator`."""

from tegula.utils import set_allocator

__all__ = ["NullAllocator", "set_allocator", "set_profile_allocator"]


class NullAllocator:
    """Refuses every request: what is in force until a program sets another."""

    def __call__(self, size, alignment, stream):
        raise RuntimeError(f"expected an allocator, got none: a kernel asks for {size} bytes; "
                           "set one with triton.set_allocator")


def set_profile_allocator(allocator):
    """Accepted and not used: kernels carry no profiling buffers."""

# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A target by name."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class GPUTarget:
    """What to compile for: backend ('cpu', 'cuda', 'hip'), arch, threads of a warp."""

    backend: str
    arch: object
    warp_size: int = 32

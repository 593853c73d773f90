# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of Triton's interpreter, for `isinstance`. There is none: kernels run compiled.

With TRITON_INTERPRET=1 they do so on the CPU, where a debugger can stop in them.
"""

from .errors import InterpreterError

__all__ = ["GridExecutor", "InterpretedFunction", "InterpreterBuilder", "InterpreterError",
           "TensorHandle"]


class InterpretedFunction:
    """What `triton.jit` never returns."""

    def __init__(self, *args, **kwargs):
        raise InterpreterError(f"{type(self).__name__}: there is no interpreter; kernels run "
                               "compiled on the CPU, where TRITON_INTERPRET=1 asks for it too")


class GridExecutor(InterpretedFunction):
    """See InterpretedFunction."""


class InterpreterBuilder(InterpretedFunction):
    """See InterpretedFunction."""


class TensorHandle(InterpretedFunction):
    """See InterpretedFunction."""

#!/bin/sh
# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Stands in for the assembler: reports what REGISTERS and SPILLED say.
while [ $# -gt 1 ]; do
  if [ "$1" = -o ]; then
    echo machine-code > "$2"
  fi
  shift
done
echo "ptxas info    : Function properties for kernel" >&2
echo "    0 bytes stack frame, ${SPILLED:-0} bytes spill stores, ${SPILLED:-0} bytes spill loads" >&2
echo "ptxas info    : Used $REGISTERS registers, used 1 barriers" >&2

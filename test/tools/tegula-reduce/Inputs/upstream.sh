#!/bin/sh
# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# 1 when the file is right IR with a division.
grep -q 'arith.divsi' "$1" && tegula-opt --no-plugins "$1" -o /dev/null 2>/dev/null && exit 1
exit 0

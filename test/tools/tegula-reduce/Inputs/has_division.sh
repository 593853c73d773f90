#!/bin/sh
# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# 0 when the passes still refuse the division of the file.
tegula-opt --no-plugins --tile-verify-defined "$1" -o /dev/null 2>&1 |
  grep -q 'expected tile.div, got arith.divsi'

/*===- Symbol.c - A library with one symbol -------------------------------===*\
|*
|* Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

int tegula_test_symbol(void);
int tegula_test_symbol(void) { return 1; }

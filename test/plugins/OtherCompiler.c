//===- OtherCompiler.c - A compiler library of another release ------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

/* As tegula_compiler_entry_table begins; nothing behind the version is looked at. */
static const struct {
  const char *version;
  void (*compile)(void), (*preload)(void);
} table = {"0.0.1", 0, 0};

__attribute__((visibility("default"))) const void *tegula_compiler_entry(void) { return &table; }

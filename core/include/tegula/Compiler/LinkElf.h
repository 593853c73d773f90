//===- LinkElf.h - In-process ELF linking ---------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_COMPILER_LINKELF_H
#define TEGULA_COMPILER_LINKELF_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace tegula {

/// Links one relocatable position-independent ELF object into a shared library
/// without a linker program and without touching the disk.
///   object: bytes of the object; anything that is no ELF file is an error.
///   image:  receives the shared library.
///   log:    receives the linker's text on failure.
/// Undefined symbols are errors. Threads: safe, serialised by one lock, since
/// lld keeps process-wide state; lld is held only here.
bool linkElf(llvm::StringRef object, std::string &image, std::string &log);

} // namespace tegula

#endif // TEGULA_COMPILER_LINKELF_H

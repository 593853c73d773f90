//===- ElfNote.h - Look into a library without running it -------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reader for the few parts of ELF64 that the plugin host needs. It trusts
// nothing in the file: every offset and size is checked against the file's end.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_ELFNOTE_H
#define TEGULA_RUNTIME_ELFNOTE_H

#include <string>
#include <vector>

namespace tegula::runtime {

/// What is read of a shared library.
struct ElfFacts {
  std::string note;                ///< content of the note "Tegula", or ""
  std::vector<std::string> needed; ///< DT_NEEDED entries
  bool definesQuery = false;       ///< exports tegula_plugin_query
  bool writableByAll = false;      ///< its permissions let everybody change it
  unsigned sanitizers = 0;         ///< TEGULA_SANITIZER_..., by the runtimes it calls
  std::string foreignSymbol;       ///< first strong mlir:: or llvm:: symbol it defines, or ""
};

/// Reads `path`. An empty string is success, else the reason in words: "is
/// truncated", "is not an ELF file". With `noteOnly` nothing but the note is read.
std::string readElf(const std::string &path, bool noteOnly, ElfFacts &facts);

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_ELFNOTE_H

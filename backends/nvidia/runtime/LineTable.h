//===- LineTable.h - Source lines of machine code ---------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reader of its own for 64-bit ELF files and for the line tables of DWARF 2 to 4 in them,
// which is what assemblers for GPUs write: the runtime half has no LLVM. It takes any bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_NVIDIA_LINETABLE_H
#define TEGULA_NVIDIA_LINETABLE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tegula::nvidia {

/// Little-endian numbers of some bytes. What lies outside is 0 and makes it not ok.
class ByteReader {
public:
  explicit ByteReader(std::string_view bytes, uint64_t at = 0) : bytes(bytes), at(at) {}

  uint64_t number(unsigned size);
  uint64_t uleb();
  int64_t sleb();
  /// Up to a zero, which is skipped.
  std::string_view text();
  void skip(uint64_t size);
  uint64_t offset() const { return at; }
  bool isOk() const { return ok; }
  bool atEnd() const { return !ok || at >= bytes.size(); }

private:
  std::string_view bytes;
  uint64_t at;
  bool ok = true;
};

struct Section {
  std::string_view name, bytes;
  uint64_t address = 0, size = 0, entrySize = 0;
  uint32_t type = 0, link = 0, info = 0;
};

/// The sections of a 64-bit little-endian ELF file, views of `file`; empty for anything else.
std::vector<Section> readSections(std::string_view file);

struct SourcePlace {
  std::string function, file; ///< function: "" where symbols do not tell
  unsigned line = 0;
};

/// Where the instruction at an address of an image comes from. Sections and tables of the
/// image are loaded where they say; in one that was not loaded, all of them start at 0, and
/// `address` is one of its only function.
std::optional<SourcePlace> findSource(std::string_view image, uint64_t address);

} // namespace tegula::nvidia

#endif // TEGULA_NVIDIA_LINETABLE_H

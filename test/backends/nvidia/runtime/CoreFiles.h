//===- CoreFiles.h - Core files made by hand --------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables that the driver writes, and machine code at an address of its own with a line
// table as assemblers write it.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TEST_COREFILES_H
#define TEGULA_TEST_COREFILES_H

#include "CoreFile.h"

namespace tegula::nvidia {

inline std::string number(uint64_t value, unsigned size) {
  std::string bytes;
  for (unsigned i = 0; i < size; ++i) {
    bytes += char(value >> (8 * i));
  }
  return bytes;
}

struct Part {
  std::string name;
  uint32_t type;
  std::string bytes;
  uint64_t address = 0;
  uint32_t link = 0;
  uint64_t entrySize = 0;
  uint32_t info = 0;
};

/// A 64-bit ELF file with these sections; numbers of sections start at 1.
inline std::string makeFile(std::vector<Part> parts) {
  parts.insert(parts.begin(), Part{"", 0, ""});
  parts.push_back({".shstrtab", 3, ""});
  std::string names, offsets;
  std::vector<uint64_t> nameAt;
  for (const Part &part : parts) {
    nameAt.push_back(names.size());
    names += part.name + '\0';
  }
  parts.back().bytes = names;
  std::string body, table;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Part &part = parts[i];
    table += number(nameAt[i], 4) + number(part.type, 4) + number(0, 8) + number(part.address, 8) +
             number(64 + body.size(), 8) + number(part.bytes.size(), 8) + number(part.link, 4) +
             number(part.info, 4) + number(1, 8) + number(part.entrySize, 8);
    body += part.bytes;
  }
  return std::string("\177ELF\2\1\1", 7) + std::string(0x28 - 7, '\0') +
         number(64 + body.size(), 8) + std::string(10, '\0') + number(64, 2) +
         number(parts.size(), 2) + number(parts.size() - 1, 2) + body + table;
}

/// Lines 6 (16 bytes), 12 (32 bytes) of k.py and 3 (16 bytes) of lib.py, from `start` on.
inline std::string makeLines(uint64_t start, unsigned version = 2) {
  const auto text = [](const char *what) { return std::string(what) + '\0'; };
  std::string tables = text("/src") + '\0' + text("k.py") + number(0x000001, 3) +
                       text("/abs/lib.py") + number(0, 3) + '\0';
  std::string header = number(1, 1) + (version >= 4 ? number(1, 1) : "") + number(1, 1) +
                       number(uint8_t(-5), 1) + number(14, 1) + number(10, 1) +
                       std::string("\0\1\1\1\1\0\0\0\1", 9) + tables;
  std::string program = number(0, 1) + number(9, 1) + number(2, 1) + number(start, 8); // address
  program += number(3, 1) + number(5, 1) + number(1, 1);                               // line 6
  program += number(10 + 16 * 14 + 5, 1);                                // 16 bytes on, line 6
  program += number(3, 1) + number(6, 1) + number(1, 1);                 // line 12
  program += number(2, 1) + number(32, 1) + number(4, 1) + number(2, 1); // 32 bytes on, lib.py
  program += number(3, 1) + number(0x77, 1) + number(1, 1);              // line 3
  program += number(2, 1) + number(16, 1) + number(0, 1) + number(1, 1) + number(1, 1); // end
  std::string unit = number(version, 2) + number(header.size(), 4) + header + program;
  return number(unit.size(), 4) + unit;
}

inline std::string makeImage(uint64_t start, unsigned version = 2) {
  const std::string names("\0kernel\0", 8);
  const std::string symbol = number(1, 4) + number(0x12, 1) + number(0, 1) + number(1, 2) +
                             number(start, 8) + number(64, 8);
  return makeFile({{".text.kernel", 1, std::string(64, '\0'), start},
                   {".strtab", 3, names},
                   {".symtab", 2, symbol, 0, 2},
                   {".debug_line", 1, makeLines(start, version)}});
}

/// Entries are longer than what is read of them.
inline std::string warp(uint64_t address, bool isKnown, bool isStopped = false) {
  return number(address, 8) + number(3, 4) + number(~0u, 4) + number(~0u, 4) +
         number(isStopped, 4) + number(isKnown, 4) + std::string(36, '\0');
}

inline std::string thread(uint64_t address, uint32_t exception) {
  return number(address, 8) + number(0x30, 8) + number(5, 4) + number(37, 4) +
         std::string(8, '\0') + number(exception, 4) + std::string(20, '\0');
}

inline std::string block(uint32_t x, uint32_t y, uint32_t z) {
  return number(2, 8) + number(x, 4) + number(y, 4) + number(z, 4) + std::string(36, '\0');
}

inline constexpr uint64_t kStart = 0x7f0123456700;

/// With a device at 00:06 (section 1), two multiprocessors of it (2), blocks of the second one
/// (3), warps of the second block (4), and their threads.
inline std::string makeCore(const std::string &warps, const std::string &first,
                            const std::string &second) {
  const std::string device = std::string(32, '\0') + number(6, 4) + std::string(52, '\0');
  return makeFile({{".cudbg.devtbl", kCoreDevices, device, 0, 0, 88, 0},
                   {".cudbg.smtbl", kCoreMultiprocessors, std::string(96, '\0'), 0, 1, 48, 0},
                   {".cudbg.ctatbl", kCoreBlocks, block(7, 8, 9) + block(3, 0, 1), 0, 2, 56, 1},
                   {".cudbg.wptbl", kCoreWarps, warps, 0, 3, 64, 1},
                   {".cudbg.lntbl.wp0", kCoreThreads, first, 0, 4, 56, 0},
                   {".cudbg.lntbl.wp1", kCoreThreads, second, 0, 4, 56, 1},
                   {".cudbg.relfimg", kCoreLoadedImage, makeImage(0x1000)},
                   {".cudbg.relfimg", kCoreLoadedImage, makeImage(kStart)}});
}

/// One whose second warp has faulted in line 12.
inline std::string makeCore() {
  return makeCore(warp(0x1010, false) + warp(kStart + 32, true),
                  thread(0x1000, 0) + thread(0x1000, 0),
                  thread(kStart, 0) + thread(kStart + 48, 14));
}

} // namespace tegula::nvidia

#endif // TEGULA_TEST_COREFILES_H

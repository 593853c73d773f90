//===- CoreFile.h - What a fault leaves behind ------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's core files are ELF files: tables of devices, grids, warps and threads, and
// the loaded machine code with its line tables, each in a section of a type of its own.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_NVIDIA_COREFILE_H
#define TEGULA_NVIDIA_COREFILE_H

#include "LineTable.h"

namespace tegula::nvidia {

/// Types of sections; entries of tables are described at their readers.
enum CoreSection : uint32_t {
  kCoreImage = 0x80000006,       ///< a cubin as it was given
  kCoreLoadedImage = 0x80000007, ///< one as it was loaded
  kCoreDevices = 0x80000009,
  kCoreMultiprocessors = 0x8000000B,
  kCoreGrids = 0x8000000C,
  kCoreBlocks = 0x8000000D,
  kCoreWarps = 0x8000000E,
  kCoreThreads = 0x8000000F,
};

struct CoreFault {
  SourcePlace place;     ///< as much as is known
  std::string exception; ///< "illegal address", or ""
  std::string device;    ///< bus and device of PCI, "00:06", or ""
  std::string who;       ///< "block (3, 0, 0), thread 32", or ""
};

/// Where the threads that faulted were. Null where the file does not tell; takes any bytes.
std::optional<CoreFault> readCoreFile(std::string_view file);

} // namespace tegula::nvidia

#endif // TEGULA_NVIDIA_COREFILE_H

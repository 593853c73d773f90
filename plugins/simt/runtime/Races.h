//===- Races.h - Accesses of shared memory that no barrier orders ---------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_SIMT_RACES_H
#define TEGULA_SIMT_RACES_H

#include "KernelServices.h"

#include <vector>

namespace tegula::simt {

/// Who wrote and read each byte since the last barrier.
class Races {
public:
  explicit Races(uint64_t bytes) : cells(bytes) {}
  void barrier() { ++epoch; }

  /// The earlier access that this one is not ordered with; `place` null: none.
  struct Conflict {
    const Place *place = nullptr;
    uint32_t thread = 0;
    bool wrote = false;
  };
  Conflict touch(uint64_t offset, uint32_t size, uint32_t thread, uint32_t how, const Place *place);

private:
  struct Access {
    const Place *place = nullptr;
    uint32_t thread = 0;
    uint32_t epoch = 0;
  };
  struct Cell {
    Access write;
    Access reads[2]; ///< of two threads: enough, since any other than the writer counts
    bool atomic = false;
  };
  std::vector<Cell> cells;
  uint32_t epoch = 1;
};

} // namespace tegula::simt

#endif // TEGULA_SIMT_RACES_H

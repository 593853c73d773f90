//===- Races.cpp - Accesses of shared memory that no barrier orders -------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Races.h"

using namespace tegula::simt;

Races::Conflict Races::touch(uint64_t offset, uint32_t size, uint32_t thread, uint32_t how,
                             const Place *place) {
  const bool writes = how & kAccessWrite, atomic = how & kAccessAtomic;
  for (uint64_t i = offset; i < offset + size; ++i) {
    Cell &cell = cells[i];
    if (cell.write.epoch == epoch && cell.write.thread != thread && !(atomic && cell.atomic)) {
      return {cell.write.place, cell.write.thread, true};
    }
    if (writes) {
      for (const Access &read : cell.reads) {
        if (read.epoch == epoch && read.thread != thread) {
          return {read.place, read.thread, false};
        }
      }
      cell.write = {place, thread, epoch};
      cell.atomic = atomic;
    } else if (cell.reads[0].epoch != epoch || cell.reads[0].thread == thread) {
      cell.reads[0] = {place, thread, epoch};
    } else {
      cell.reads[1] = {place, thread, epoch};
    }
  }
  return {};
}

//===- Scratch.cpp - Shared memory that an op works in
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Analysis/Scratch.h"

using namespace mlir;
using namespace tegula::tilegpu;

Scratch tegula::tilegpu::getScratch(Operation *op, const Machine &machine) {
  Scratch scratch;
  for (auto part : {getConvertScratch, getCollectiveScratch, getDotScratch, getMemoryScratch}) {
    Scratch one = part(op, machine);
    scratch.bytes = std::max(scratch.bytes, one.bytes);
    scratch.alignment = std::max(scratch.alignment, one.alignment);
  }
  return scratch;
}

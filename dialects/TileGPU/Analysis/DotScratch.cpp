//===- DotScratch.cpp - Shared memory of dot ops
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Analysis/Scratch.h"

using namespace mlir;
using namespace tegula::tilegpu;

Scratch tegula::tilegpu::getDotScratch(Operation *op, const Machine &machine) { return {}; }

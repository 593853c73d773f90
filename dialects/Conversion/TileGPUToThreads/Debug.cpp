//===- Debug.cpp - Prints and assertions by threads
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Conversion/TileGPUToThreads/ThreadLowering.h"
#include "tegula/TileGPU/Analysis/Scratch.h"

using namespace mlir;
using namespace tegula::tilegpu;

void tegula::tilegpu::addDebugPatterns(ThreadPatterns &list) {}

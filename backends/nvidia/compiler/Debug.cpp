//===- Debug.cpp - Prints and assertions
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

using namespace mlir;

namespace tegula::nvidia {

void lowerDebug(FunctionOpInterface) {}

} // namespace tegula::nvidia

//===- TileCPU.cpp - The dialect of the CPU backend -----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileCPU.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tegula::cpu;

#include "TileCPUDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "TileCPUAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "TileCPUOps.cpp.inc"

void TileCPUDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "TileCPUAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TileCPUOps.cpp.inc"
      >();
}

llvm::StringRef TargetAttr::getBackendId() const { return "cpu"; }

bool TargetAttr::allowsFmaContraction() const { return getContract(); }

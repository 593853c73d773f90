//===- TileAMD.cpp - The dialect of the AMD backend
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileAMD.h"
#include "../Target.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tegula::amd;

#include "TileAMDDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "TileAMDAttrs.cpp.inc"

void TileAMDDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "TileAMDAttrs.cpp.inc"
      >();
}

llvm::StringRef TargetAttr::getBackendId() const { return "amd"; }

bool TargetAttr::allowsFmaContraction() const { return getContract(); }

tegula::tilegpu::CapabilitiesAttr TargetAttr::getGPUCapabilities() const {
  return tegula::amd::getCapabilities(*this);
}

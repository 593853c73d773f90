//===- TileNVIDIA.cpp - The dialect of the NVIDIA backend
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileNVIDIA.h"
#include "../Target.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tegula::nvidia;

#include "TileNVIDIADialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "TileNVIDIAAttrs.cpp.inc"

void TileNVIDIADialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "TileNVIDIAAttrs.cpp.inc"
      >();
}

llvm::StringRef TargetAttr::getBackendId() const { return "nvidia"; }

bool TargetAttr::allowsFmaContraction() const { return getContract(); }

tegula::tilegpu::CapabilitiesAttr TargetAttr::getGPUCapabilities() const {
  return tegula::nvidia::getCapabilities(*this);
}

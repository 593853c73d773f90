//===- TileGPUDialect.cpp - The dialect of tiles on GPUs ------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/OpImplementation.h"
#include "tegula/TileGPU/IR/TileGPU.h"

using namespace mlir;
using namespace tegula::tilegpu;

#include "tegula/TileGPU/IR/TileGPUDialect.cpp.inc"

namespace {
/// Layouts are long: they are printed once, as #layout, #layout1, ...
struct LayoutAliases : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, raw_ostream &stream) const override {
    if (!isa<LinearAttr>(attribute)) {
      return AliasResult::NoAlias;
    }
    stream << "layout";
    return AliasResult::FinalAlias;
  }
};
} // namespace

void TileGPUDialect::initialize() {
  registerTypes();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "tegula/TileGPU/IR/TileGPUOps.cpp.inc"
      >();
  addInterfaces<LayoutAliases>();
}

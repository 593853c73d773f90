//===- MemoryScratch.cpp - Shared memory of memory ops
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one thread found in memory at one moment must reach those that hold copies of the
// element, or all threads if it is a scalar: another look might find something else.
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Analysis/Access.h"
#include "tegula/TileGPU/Analysis/Scratch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

/// Room for a value, row-major.
static uint32_t getBytes(Type type) {
  const uint32_t each = std::max(tile::getElementBytes(getElementTypeOrSelf(type)), 1u);
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? each * uint32_t(tensor.getNumElements()) : each;
}

/// Handing a result on: scalars to all, tiles to those with copies.
static uint32_t getHandOver(Type type) {
  if (std::optional<Layout> layout = getLayout(type)) {
    return hasWarpCopies(*layout) ? getBytes(type) : 0; // lanes shuffle
  }
  return isa<RankedTensorType>(type) ? 0 : 8;
}

Scratch tegula::tilegpu::getMemoryScratch(Operation *op, const Machine &machine) {
  if (op->getParentOfType<tile::MapOp>()) {
    return {}; // each thread for itself, none waits for others
  }
  const uint32_t bytes =
      llvm::TypeSwitch<Operation *, uint32_t>(op)
          .Case([](tile::LoadOp load) -> uint32_t {
            return load.getIsVolatile() && !load.use_empty()
                       ? getHandOver(load.getResult().getType())
                       : 0;
          })
          .Case([&](tile::StoreOp store) -> uint32_t {
            return getStoreOrder(store) == StoreOrder::Checked ? 4 * machine.numWarps : 0;
          })
          .Case<tile::AtomicRMWOp, tile::AtomicCASOp>([](Operation *atomic) -> uint32_t {
            return atomic->use_empty() ? 0 : getHandOver(atomic->getResult(0).getType());
          })
          .Case([](tile::InlineAsmOp code) -> uint32_t {
            // What a clock shows differs from thread to thread.
            const bool isScalar = llvm::none_of(code.getResultTypes(), llvm::IsaPred<TensorType>);
            return code.getIsPure() || !isScalar || code->use_empty() ? 0
                                                                      : 8 * code.getNumResults();
          })
          .Default([](Operation *) -> uint32_t { return 0; });
  return {bytes, 16};
}

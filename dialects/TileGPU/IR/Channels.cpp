//===- Channels.cpp - Rings of tiles in shared memory
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/TileGPU/IR/TileGPU.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;
using tegula::tile::diagID;

#define GET_TYPEDEF_CLASSES
#include "tegula/TileGPU/IR/TileGPUTypes.cpp.inc"

void TileGPUDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tegula/TileGPU/IR/TileGPUTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// The type
//===----------------------------------------------------------------------===//

static constexpr unsigned kMaxSlots = 64;

LogicalResult ChannelType::verify(function_ref<InFlightDiagnostic()> emitError, unsigned slots,
                                  RankedTensorType tile) {
  if (slots == 0 || slots > kMaxSlots) {
    return emitError() << "expected 1 to " << kMaxSlots << " slots, got " << slots
                       << diagID("tilegpu_channel_c1");
  }
  Type element = tile.getElementType();
  const unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  std::optional<Layout> layout = getLayout(tile);
  if (bits < 8 || bits > 64 || !llvm::isPowerOf2_32(bits) || !layout || !layout->isLinear() ||
      !layout->getInner().isBijective() ||
      layout->getInner().getInputBits(Axis::Register) != layout->getInner().getTotalOutputBits()) {
    return emitError() << "expected a tile of numbers of 8 to 64 bits, each in one register, got "
                       << tile << diagID("tilegpu_channel_c2");
  }
  return success();
}

LinearMap ChannelType::getMemory() const {
  const LinearMap inner = getLayout(getTile())->getInner();
  LinearMap memory(inner.getOutputBits());
  for (uint64_t image : inner.getImages(Axis::Register)) {
    memory.addPackedBit(Axis::Offset, image);
  }
  return memory;
}

uint64_t ChannelType::getSlotBytes() const {
  return uint64_t(getTile().getNumElements()) * (getTile().getElementTypeBitWidth() / 8);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult NextSlotOp::verify() {
  if (getSlots() == 0 || getSlots() > kMaxSlots) {
    return emitOpError("expected 1 to ")
           << kMaxSlots << " slots, got " << getSlots() << diagID("tilegpu_next_slot_c1");
  }
  return success();
}

LogicalResult AsyncCopyOp::verify() {
  auto pointers = cast<RankedTensorType>(getPtr().getType());
  auto pointer = dyn_cast<tile::PtrType>(pointers.getElementType());
  RankedTensorType tile = getChannel().getType().getTile();
  if (!pointer || pointer.getPointeeType() != tile.getElementType() ||
      pointers.getShape() != tile.getShape() || !getLayout(pointers)) {
    return emitOpError("expected pointers to a tile of ")
           << tile << ", got " << pointers << diagID("tilegpu_async_copy_c1");
  }
  Type mask = pointers.clone(IntegerType::get(getContext(), 1));
  if (getMask() && getMask().getType() != mask) {
    return emitOpError("expected a mask of ")
           << mask << ", got " << getMask().getType() << diagID("tilegpu_async_copy_c2");
  }
  if (getAhead() >= getChannel().getType().getSlots()) {
    return emitOpError("expected a slot less than ")
           << getChannel().getType().getSlots() << " ahead, got " << getAhead()
           << diagID("tilegpu_async_copy_c3");
  }
  return success();
}

LogicalResult ChannelReadOp::verify() {
  auto result = cast<RankedTensorType>(getType());
  RankedTensorType tile = getChannel().getType().getTile();
  if (result.getElementType() != tile.getElementType() || !getLayout(result)) {
    return emitOpError("expected a tile of ") << tile.getElementType() << " with a layout, got "
                                              << result << diagID("tilegpu_channel_read_c1");
  }
  bool isPart =
      result.getRank() == tile.getRank() && int64_t(getOffsets().size()) == tile.getRank();
  for (int64_t dim = 0; isPart && dim < tile.getRank(); ++dim) {
    const int64_t size = result.getDimSize(dim), offset = getOffsets()[dim];
    isPart = llvm::isPowerOf2_64(uint64_t(size)) && offset >= 0 && offset % size == 0 &&
             offset + size <= tile.getDimSize(dim);
  }
  if (!isPart) {
    return emitOpError("expected a part of ")
           << tile << " at multiples of its sizes, got " << result << " at [" << getOffsets() << "]"
           << diagID("tilegpu_channel_read_c2");
  }
  return success();
}

LogicalResult ThreadAsyncCopyOp::verify() {
  if (getBytes() != 4 && getBytes() != 8 && getBytes() != 16) {
    return emitOpError("expected 4, 8 or 16 bytes, got ")
           << getBytes() << diagID("tilegpu_thread_async_copy_c1");
  }
  return success();
}

//===- CollectiveScratch.cpp - Shared memory of collective ops
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tegula/TileGPU/Analysis/Collectives.h"
#include "tegula/TileGPU/Analysis/Scratch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

unsigned tegula::tilegpu::getScratchElementBytes(Type element) {
  return isa<tile::PtrType, LLVM::LLVMPointerType>(element)
             ? 8
             : (element.getIntOrFloatBitWidth() + 7) / 8;
}

Buffers tegula::tilegpu::makeBuffers(TypeRange elements, int64_t count) {
  Buffers buffers;
  for (Type element : elements) {
    buffers.add(count * getScratchElementBytes(getElementTypeOrSelf(element)));
  }
  return buffers;
}

static int64_t countElements(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getNumElements() : 1;
}

Buffers tegula::tilegpu::getReduceBuffers(tile::ReduceOp op, const ReducePlan &plan) {
  if (!plan.needsScratch) {
    return {};
  }
  return makeBuffers(op.getResultTypes(), countElements(op.getResultTypes()[0]) * plan.numPartials);
}

static int64_t countElements(const Layout &layout) {
  int64_t count = 1;
  for (int64_t size : layout.getShape()) {
    count *= size;
  }
  return count;
}

Buffers tegula::tilegpu::getScanBuffers(tile::ScanOp op, const ScanPlan &plan) {
  if (!plan.isRegular) {
    return makeBuffers(op.getOperandTypes(), countElements(op.getOperandTypes()[0]));
  }
  Buffers buffers;
  for (const ScanPlan::Run &run : plan.runs) {
    for (Type type : op.getOperandTypes()) {
      buffers.add(countElements(run.written) * getScratchElementBytes(getElementTypeOrSelf(type)));
    }
  }
  return buffers;
}

Buffers tegula::tilegpu::getSortBuffers(tile::SortOp op) {
  const int64_t count = countElements(op.getOperandTypes()[0]);
  Buffers buffers = makeBuffers(op.getOperandTypes(), count);
  buffers.add(count * 4);
  return buffers;
}

Buffers tegula::tilegpu::getGatherBuffers(tile::GatherOp op) {
  Type source = op.getSource().getType();
  return makeBuffers(source, countElements(source));
}

Buffers tegula::tilegpu::getHistogramBuffers(tile::HistogramOp op) {
  Type result = op.getType();
  return makeBuffers(result, countElements(result));
}

/// The registers of each pack of 2^bits elements, if each thread holds whole ones.
static std::optional<SmallVector<SmallVector<unsigned>>> findPacks(const Layout &layout,
                                                                   unsigned bits) {
  const LinearMap &inner = layout.getInner();
  const unsigned rank = layout.getRank();
  if (inner.getOutputBits().empty() || inner.getOutputBits()[rank - 1] < bits) {
    return std::nullopt;
  }
  // Elements of a pack differ in the lowest bits of the last coordinate: those of
  // registers alone.
  const uint64_t low = (uint64_t(1) << bits) - 1;
  SmallVector<unsigned> bitOf(bits, ~0u);
  for (Axis source : {Axis::Register, Axis::Lane, Axis::Warp}) {
    for (auto [index, image] : llvm::enumerate(inner.getImages(source))) {
      if ((image & low) == 0) {
        continue;
      }
      if (source != Axis::Register || (image & (image - 1)) != 0 ||
          bitOf[llvm::countr_zero(image)] != ~0u) {
        return std::nullopt;
      }
      bitOf[llvm::countr_zero(image)] = unsigned(index);
    }
  }
  SmallVector<SmallVector<unsigned>> packs;
  for (unsigned reg : getOwnRegisters(layout)) {
    SmallVector<unsigned> pack;
    for (unsigned element = 0; element < (1u << bits); ++element) {
      unsigned other = reg;
      for (unsigned bit = 0; bit < bits; ++bit) {
        other |= ((element >> bit) & 1) << bitOf[bit];
      }
      pack.push_back(other);
    }
    const bool isFirst = llvm::all_of(bitOf, [&](unsigned bit) { return ((reg >> bit) & 1) == 0; });
    if (isFirst) {
      packs.push_back(pack);
    }
  }
  return packs;
}

MapPlan tegula::tilegpu::planMap(tile::MapOp op) {
  MapPlan plan;
  const Layout layout = *getLayout(op.getOperands()[0].getType());
  const LinearMap &inner = layout.getInner();
  const bool hasCopies = inner.getFreeBits(Axis::Lane) != 0 || inner.getFreeBits(Axis::Warp) != 0;
  // The surjective map holds elements twice also where images depend on each other.
  const bool isUnique = !hasCopies && inner.isInjective();
  const uint64_t pack = op.getPack();
  if (llvm::isPowerOf2_64(pack) && (isUnique || isMemoryEffectFree(op))) {
    if (auto packs = findPacks(layout, llvm::Log2_64(pack))) {
      plan.packs = std::move(*packs);
      return plan;
    }
  }
  plan.needsScratch = true;
  return plan;
}

Buffers tegula::tilegpu::getMapBuffers(tile::MapOp op, const MapPlan &plan) {
  if (!plan.needsScratch) {
    return {};
  }
  SmallVector<Type> types(op.getOperandTypes());
  llvm::append_range(types, op.getResultTypes());
  return makeBuffers(types, countElements(types[0]));
}

Scratch tegula::tilegpu::getCollectiveScratch(Operation *op, const Machine &machine) {
  const Buffers buffers =
      llvm::TypeSwitch<Operation *, Buffers>(op)
          .Case([&](tile::ReduceOp reduce) {
            return getReduceBuffers(reduce, planReduce(reduce, machine));
          })
          .Case([](tile::ScanOp scan) { return getScanBuffers(scan, planScan(scan)); })
          .Case([](tile::SortOp sort) { return getSortBuffers(sort); })
          .Case([](tile::GatherOp gather) { return getGatherBuffers(gather); })
          .Case([](tile::HistogramOp histogram) { return getHistogramBuffers(histogram); })
          .Case([](tile::MapOp map) { return getMapBuffers(map, planMap(map)); })
          .Default([](Operation *) { return Buffers(); });
  return {uint32_t(buffers.bytes)};
}

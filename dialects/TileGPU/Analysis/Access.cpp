//===- Access.cpp - How the threads of a program access memory ------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Analysis/Access.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

/// Bytes of what the op reads or writes through one pointer.
static unsigned getAccessedBytes(Operation *op) {
  auto pointer = cast<tile::PtrType>(getElementTypeOrSelf(op->getOperand(0).getType()));
  return tile::getElementBytes(pointer.getPointeeType());
}

Access tegula::tilegpu::getAccess(Operation *op) {
  if (auto attr = op->getAttrOfType<DenseI64ArrayAttr>(kAccessAttr); attr && attr.size() == 3) {
    return {unsigned(attr[0]), unsigned(attr[1]), unsigned(attr[2])};
  }
  return {0, 1, getAccessedBytes(op)};
}

void tegula::tilegpu::setAccess(Operation *op, const Access &access) {
  op->setAttr(kAccessAttr,
              DenseI64ArrayAttr::get(op->getContext(),
                                     {int64_t(access.dim), access.width, access.alignment}));
}

StoreOrder tegula::tilegpu::getStoreOrder(Operation *store) {
  if (store->hasAttr(kInOrderAttr)) {
    return StoreOrder::InOrder;
  }
  auto tensor = dyn_cast<RankedTensorType>(store->getOperand(0).getType());
  const bool isSingle = !tensor || tensor.getNumElements() == 1;
  return isSingle || store->hasAttr(kDistinctAttr) ? StoreOrder::Distinct : StoreOrder::Checked;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// The register bits that count along `dim`, from the one for neighbours on; as many as
/// are there.
static SmallVector<unsigned> getRunBits(const Layout &layout, unsigned dim) {
  const LinearMap &map = layout.getInner();
  SmallVector<unsigned> bits;
  if (dim >= map.getRank()) {
    return bits;
  }
  // Where dimension `dim` lies in packed coordinates.
  unsigned shift = 0;
  for (unsigned d = dim + 1; d < map.getRank(); ++d) {
    shift += map.getOutputBits()[d];
  }
  ArrayRef<uint64_t> registers = map.getImages(Axis::Register);
  for (unsigned k = 0; k < map.getOutputBits()[dim]; ++k) {
    const uint64_t image = uint64_t(1) << (shift + k);
    const auto *found = llvm::find(registers, image);
    if (found == registers.end()) {
      break;
    }
    // Nothing else may touch this bit, or runs would not begin at multiples.
    unsigned users = 0;
    for (uint64_t other : map.getAllImages()) {
      users += (other & image) != 0;
    }
    if (users != 1) {
      break;
    }
    bits.push_back(found - registers.begin());
  }
  return bits;
}

unsigned tegula::tilegpu::getRunLength(const Layout &layout, unsigned dim) {
  return 1u << getRunBits(layout, dim).size();
}

SmallVector<SmallVector<int64_t>> tegula::tilegpu::groupRegisters(const Layout &layout,
                                                                  unsigned dim, unsigned width) {
  SmallVector<unsigned> bits = getRunBits(layout, dim);
  bits.truncate(llvm::Log2_32(width));
  uint32_t runMask = 0;
  for (unsigned bit : bits) {
    runMask |= uint32_t(1) << bit;
  }
  SmallVector<SmallVector<int64_t>> groups;
  for (uint32_t base = 0, e = getNumRegisters(layout); base < e; ++base) {
    if (base & runMask) {
      continue;
    }
    SmallVector<int64_t> &group = groups.emplace_back();
    for (uint32_t i = 0; i < width; ++i) {
      uint32_t index = base;
      for (auto [k, bit] : llvm::enumerate(bits)) {
        index |= ((i >> k) & 1) << bit;
      }
      group.push_back(index);
    }
  }
  return groups;
}

SmallVector<unsigned> tegula::tilegpu::getFirstRegisters(const Layout &layout) {
  const uint32_t free = layout.getInner().getFreeBits(Axis::Register);
  SmallVector<unsigned> first;
  for (uint32_t i = 0, e = getNumRegisters(layout); i < e; ++i) {
    first.push_back(i & ~free);
  }
  return first;
}

bool tegula::tilegpu::hasLaneCopies(const Layout &layout) {
  return layout.getInner().getFreeBits(Axis::Lane) != 0;
}

bool tegula::tilegpu::hasWarpCopies(const Layout &layout) {
  return layout.getInner().getFreeBits(Axis::Warp) != 0;
}

//===- Accesses.cpp - What accesses of memory want of layouts -------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"

#include "Layouts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tegula::tilegpu;
using tegula::tile::AxisInfo;
using tegula::tile::AxisInfoAnalysis;

std::optional<PointerAccess> tegula::tilegpu::getPointerAccess(Operation *op) {
  std::optional<PointerAccess> access;
  if (auto load = dyn_cast<tegula::tile::LoadOp>(op)) {
    access = PointerAccess{load.getPtr(), load.getMask()};
  } else if (auto store = dyn_cast<tegula::tile::StoreOp>(op)) {
    access = PointerAccess{store.getPtr(), store.getMask()};
  } else if (auto rmw = dyn_cast<tegula::tile::AtomicRMWOp>(op)) {
    access = PointerAccess{rmw.getPtr(), rmw.getMask()};
  } else if (auto cas = dyn_cast<tegula::tile::AtomicCASOp>(op)) {
    access = PointerAccess{cas.getPtr(), Value()};
  }
  return access && isTile(access->pointer) ? access : std::nullopt;
}

/// Elements that one access of a lane may have along `dim`.
static unsigned getWidth(Operation *op, const PointerAccess &access, const AxisInfo &info,
                         unsigned dim, const AxisInfoAnalysis &axes, const Machine &machine) {
  auto type = cast<RankedTensorType>(access.pointer.getType());
  const int64_t bytes = tegula::tile::getElementBytes(
      cast<tegula::tile::PtrType>(type.getElementType()).getPointeeType());
  int64_t width = llvm::bit_floor(uint64_t(info.getContiguity(dim)));
  width = std::min<int64_t>(width, machine.capabilities.getMaxAccessBytes() / bytes);
  width = std::min(width, getShare(machine, type.getShape()));
  width = std::max<int64_t>(1, width);
  if (access.mask) {
    const AxisInfo *mask = axes.lookup(access.mask);
    const int64_t constancy = mask ? mask->getConstancy(dim) : 1;
    width = std::min<int64_t>(width, constancy & -constancy);
  }
  while (width > 1 && info.getDivisibilityAt(dim, width) % (width * bytes) != 0) {
    width /= 2;
  }
  // Each element of an atomic access is one of its own.
  return isa<tegula::tile::LoadOp, tegula::tile::StoreOp>(op) ? unsigned(width) : 1;
}

Wish tegula::tilegpu::getWish(Operation *op, const PointerAccess &access,
                              const AxisInfoAnalysis &axes, const Machine &machine) {
  Wish wish;
  const unsigned rank = cast<RankedTensorType>(access.pointer.getType()).getRank();
  for (unsigned dim = rank; dim-- > 0;) {
    wish.order.push_back(dim);
  }
  const AxisInfo *info = axes.lookup(access.pointer);
  if (!info || rank == 0) {
    return wish;
  }
  llvm::sort(wish.order, [&](unsigned a, unsigned b) {
    return std::pair(info->getContiguity(a), a) > std::pair(info->getContiguity(b), b);
  });
  wish.isFirm = info->getContiguity(wish.order[0]) > 1;
  wish.perLane = getWidth(op, access, *info, wish.order[0], axes, machine);
  return wish;
}

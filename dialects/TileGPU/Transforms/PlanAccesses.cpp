//===- PlanAccesses.cpp - Widths of accesses, stores that meet themselves -===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "tegula/Tile/Analysis/AxisInfo.h"
#include "tegula/TileGPU/Analysis/Access.h"
#include "tegula/TileGPU/Analysis/AddressForm.h"
#include "tegula/TileGPU/Transforms/Passes.h"

using namespace mlir;

namespace tegula::tilegpu {
#define GEN_PASS_DEF_TILEGPUPLANACCESSESPASS
#include "tegula/TileGPU/Transforms/TileGPUPasses.h.inc"
} // namespace tegula::tilegpu

using namespace tegula;
using namespace tegula::tilegpu;

//===----------------------------------------------------------------------===//
// Widths
//===----------------------------------------------------------------------===//

Access tegula::tilegpu::planWidth(Value pointers, Value masks, const tile::AxisInfoAnalysis &facts,
                                  unsigned maxBytes) {
  const Layout layout = *getLayout(pointers.getType());
  auto pointer = cast<tile::PtrType>(getElementTypeOrSelf(pointers.getType()));
  const unsigned bytes = tile::getElementBytes(pointer.getPointeeType());
  Access best{0, 1, bytes};
  const tile::AxisInfo *info = facts.lookup(pointers);
  const tile::AxisInfo *mask = masks ? facts.lookup(masks) : nullptr;
  if (!info) {
    return best;
  }
  for (unsigned d = 0; d < layout.getRank(); ++d) {
    int64_t width = std::min<int64_t>(getRunLength(layout, d), maxBytes / bytes);
    auto fits = [&] {
      return info->getContiguity(d) % width == 0 &&
             (!masks || (mask && mask->getConstancy(d) % width == 0)) &&
             info->getDivisibilityAt(d, width) >= width * bytes;
    };
    while (width > 1 && !fits()) {
      width /= 2;
    }
    if (width > best.width) {
      const int64_t aligned = std::min<int64_t>(info->getDivisibilityAt(d, width), 16);
      best = {d, unsigned(width), unsigned(aligned)};
    }
  }
  return best;
}

/// Says at a comparison, as masks are, which registers of a thread have one result, so that
/// only one of them is compared.
static void markEqual(arith::CmpIOp op, const tile::AxisInfoAnalysis &facts) {
  std::optional<Layout> layout = getLayout(op.getType());
  const tile::AxisInfo *info = layout ? facts.lookup(op.getResult()) : nullptr;
  Access best;
  for (unsigned d = 0; info && d < layout->getRank(); ++d) {
    const int64_t constancy = info->getConstancy(d);
    const int64_t width = std::min<int64_t>(getRunLength(*layout, d), constancy & -constancy);
    if (width > best.width) {
      best = {d, unsigned(width), 1};
    }
  }
  if (best.width > 1) {
    setAccess(op, best);
  }
}

//===----------------------------------------------------------------------===//
// Elements with one address
//===----------------------------------------------------------------------===//

namespace {
/// What is known of the addresses of one store.
struct Meeting {
  enum { Never, Maybe, AskStrides } kind = Maybe;
  /// AskStrides: of the dimensions with more than one element.
  SmallVector<std::pair<Stride, int64_t>> dims;
};
} // namespace

/// With numbers alone: strides, by size, each beyond what all smaller ones reach together.
static bool areDistinct(ArrayRef<std::pair<Stride, int64_t>> dims) {
  SmallVector<std::pair<uint64_t, uint64_t>> sorted;
  for (const auto &[stride, size] : dims) {
    const int64_t s = stride.constant;
    sorted.push_back({s < 0 ? -uint64_t(s) : uint64_t(s), size});
  }
  llvm::sort(sorted);
  uint64_t reach = 0;
  for (auto [stride, size] : sorted) {
    if (stride <= reach) {
      return false;
    }
    reach += stride * (size - 1);
  }
  return true;
}

static Meeting findMeeting(tile::StoreOp store, const tile::AxisInfoAnalysis &facts,
                           AddressForms &forms, DominanceInfo &dominance) {
  auto type = cast<RankedTensorType>(store.getPtr().getType());
  const tile::AxisInfo *info = facts.lookup(store.getPtr());
  if (info && type.getRank() == 1 && info->getContiguity(0) == type.getDimSize(0)) {
    return {Meeting::Never, {}};
  }
  std::optional<AddressForm> form = forms.get(store.getPtr());
  if (!form) {
    return {};
  }
  Meeting meeting{Meeting::AskStrides, {}};
  bool allConstant = true;
  for (auto [stride, size] : llvm::zip_equal(*form, type.getShape())) {
    if (size == 1) {
      continue;
    }
    for (const auto &term : stride.terms) {
      if (!dominance.properlyDominates(term.first, store)) {
        return {};
      }
    }
    if (stride.isZero()) {
      return {};
    }
    allConstant &= stride.isConstant();
    meeting.dims.push_back({stride, size});
  }
  if (allConstant) {
    return {areDistinct(meeting.dims) ? Meeting::Never : Meeting::Maybe, {}};
  }
  return meeting.dims.size() <= 3 ? meeting : Meeting{};
}

/// i1: the strides keep all elements apart, in some order of the dimensions.
static Value askStrides(OpBuilder &b, Location loc, ArrayRef<std::pair<Stride, int64_t>> dims) {
  Type i64 = b.getI64Type();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, value, 64);
  };
  Value zero = number(0);
  SmallVector<Value> sizes, reaches;
  for (const auto &[stride, count] : dims) {
    Value sum = number(stride.constant);
    for (auto [value, factor] : stride.terms) {
      Value wide =
          value.getType() == i64 ? value : Value(arith::ExtSIOp::create(b, loc, i64, value));
      wide = arith::MulIOp::create(b, loc, wide, number(factor));
      sum = arith::AddIOp::create(b, loc, sum, wide);
    }
    Value negative = arith::SubIOp::create(b, loc, zero, sum);
    Value size = arith::MaxSIOp::create(b, loc, sum, negative);
    sizes.push_back(size);
    reaches.push_back(arith::MulIOp::create(b, loc, size, number(count - 1)));
  }
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, dims.size()));
  Value any;
  do {
    Value all, reach = zero;
    for (unsigned i : order) {
      Value beyond = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, sizes[i], reach);
      all = all ? Value(arith::AndIOp::create(b, loc, all, beyond)) : beyond;
      reach = arith::AddIOp::create(b, loc, reach, reaches[i]);
    }
    any = any ? Value(arith::OrIOp::create(b, loc, any, all)) : all;
  } while (std::next_permutation(order.begin(), order.end()));
  return any;
}

/// Two stores: one for strides that keep elements apart, and the slow one.
static void branchOnStrides(tile::StoreOp store, const Meeting &meeting) {
  OpBuilder builder(store);
  const Location loc = store.getLoc();
  Value apart = askStrides(builder, loc, meeting.dims);
  auto branch = scf::IfOp::create(builder, loc, apart, /*withElseRegion=*/true);
  UnitAttr yes = builder.getUnitAttr();
  builder.setInsertionPointToStart(branch.elseBlock());
  builder.clone(*store)->setAttr(kInOrderAttr, yes);
  store->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
  store->setAttr(kDistinctAttr, yes);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct PlanAccessesPass : tegula::tilegpu::impl::TileGPUPlanAccessesPassBase<PlanAccessesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<Machine> machine = getMachine(module);
    if (!machine) {
      return signalPassFailure();
    }
    const unsigned maxBytes = machine->capabilities.getMaxAccessBytes();
    SmallVector<std::pair<tile::StoreOp, Meeting>> branches;
    {
      tile::AxisInfoAnalysis facts(module);
      AddressForms forms;
      DominanceInfo dominance(module);
      module.walk([&](Operation *op) {
        if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
          return markEqual(compare, facts);
        }
        if (!isa<tile::LoadOp, tile::StoreOp, AsyncCopyOp>(op) ||
            !getLayout(op->getOperand(0).getType())) {
          return;
        }
        if (auto copy = dyn_cast<AsyncCopyOp>(op)) {
          setAccess(op, planWidth(copy.getPtr(), copy.getMask(), facts, maxBytes));
          return;
        }
        if (auto load = dyn_cast<tile::LoadOp>(op)) {
          setAccess(op, planWidth(load.getPtr(), load.getMask(), facts, maxBytes));
          return;
        }
        auto store = cast<tile::StoreOp>(op);
        setAccess(op, planWidth(store.getPtr(), store.getMask(), facts, maxBytes));
        if (getStoreOrder(store) != StoreOrder::Checked) {
          return;
        }
        Meeting meeting = findMeeting(store, facts, forms, dominance);
        if (meeting.kind == Meeting::Never) {
          store->setAttr(kDistinctAttr, UnitAttr::get(&getContext()));
        } else if (meeting.kind == Meeting::AskStrides) {
          branches.push_back({store, std::move(meeting)});
        }
      });
    }
    for (auto &[store, meeting] : branches) {
      branchOnStrides(store, meeting);
    }
  }
};
} // namespace

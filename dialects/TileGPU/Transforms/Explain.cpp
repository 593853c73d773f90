//===- Explain.cpp - Remarks on accesses, products and conversions --------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass of its own, so that the passes that decide stay free of words: it looks at what
// they have left and asks the same analyses once more for the reasons.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Remarks.h"
#include "tegula/Tile/Analysis/AxisInfo.h"
#include "tegula/TileGPU/Analysis/Access.h"
#include "tegula/TileGPU/Analysis/ChannelAccess.h"
#include "tegula/TileGPU/Analysis/ConvertPlan.h"
#include "tegula/TileGPU/Analysis/DotPlan.h"
#include "tegula/TileGPU/Analysis/Scratch.h"
#include "tegula/TileGPU/Layout/SharedMemory.h"
#include "tegula/TileGPU/Transforms/Diagnostics.h"
#include "tegula/TileGPU/Transforms/Passes.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace mlir;

namespace tegula::tilegpu {
#define GEN_PASS_DEF_TILEGPUEXPLAINPASS
#include "tegula/TileGPU/Transforms/TileGPUPasses.h.inc"
} // namespace tegula::tilegpu

using namespace tegula;
using namespace tegula::tilegpu;

/// "128x64 f16"
static std::string describe(Type tile) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto tensor = dyn_cast<RankedTensorType>(tile)) {
    llvm::interleave(tensor.getShape(), os, "x");
    os << ' ';
  }
  Type element = getElementTypeOrSelf(tile);
  if (auto pointer = dyn_cast<tile::PtrType>(element)) {
    element = pointer.getPointeeType();
  }
  os << element;
  return text;
}

static std::string count(int64_t number, StringRef what) {
  return std::to_string(number) + " " + what.str() +
         (number == 1          ? ""
          : what.back() == 's' ? "es"
                               : "s");
}

namespace {
class Explainer {
public:
  Explainer(ModuleOp module, const Machine &machine) : machine(machine), facts(module) {}

  void explainAccess(Operation *op, Value pointers, Value mask, const char *what);
  void explainCopy(AsyncCopyOp op);
  void explainConversion(ConvertLayoutOp op);
  void explainProduct(tile::DotOp op);

private:
  enum class Kind { Good, Bad, Neutral };
  void say(Kind kind, StringRef id, Location loc, const Twine &text);
  /// What keeps an access at `dim` from twice its width.
  std::string whyNarrow(const Access &access, Value pointers, Value mask, unsigned bytes);
  std::string whyNoInstruction(tile::DotOp op);

  const Machine &machine;
  tile::AxisInfoAnalysis facts;
  /// Ops that were copied for several uses say the same once.
  std::set<std::pair<const void *, std::string>> said;
};
} // namespace

void Explainer::say(Kind kind, StringRef id, Location loc, const Twine &text) {
  const std::string words = text.str();
  if (!said.insert({loc.getAsOpaquePointer(), words}).second) {
    return;
  }
  const auto options = remark::RemarkOpts::name(id).category("tilegpu-explain");
  switch (kind) {
  case Kind::Good:
    remark::passed(loc, options) << StringRef(words);
    break;
  case Kind::Bad:
    remark::missed(loc, options) << StringRef(words);
    break;
  case Kind::Neutral:
    remark::analysis(loc, options) << StringRef(words);
    break;
  }
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

std::string Explainer::whyNarrow(const Access &access, Value pointers, Value mask, unsigned bytes) {
  const tile::AxisInfo *info = facts.lookup(pointers);
  if (!info || info->getRank() == 0) {
    return "nothing is known of the addresses";
  }
  unsigned dim = access.dim;
  if (access.width == 1) {
    // The dimension in which a wider one would have been.
    for (unsigned d = 0; d < info->getRank(); ++d) {
      if (info->getContiguity(d) >= info->getContiguity(dim)) {
        dim = d;
      }
    }
  }
  const int64_t wanted = int64_t(access.width) * 2;
  const int64_t neighbours = info->getContiguity(dim);
  if (neighbours < wanted) {
    return neighbours == 1
               ? "no two elements are known to lie side by side"
               : "no more than " + count(neighbours, "element") + " are known to lie side by side";
  }
  if (info->getDivisibilityAt(dim, wanted) < wanted * bytes) {
    return "addresses are not known to be multiples of " + count(wanted * bytes, "byte");
  }
  const tile::AxisInfo *constant = mask ? facts.lookup(mask) : nullptr;
  if (const int64_t equal = constant ? constant->getConstancy(dim) : 1; mask && equal < wanted) {
    return "the mask may change after " + (equal == 1 ? "each" : std::to_string(equal)) +
           " element" + (equal == 1 ? "" : "s");
  }
  return "a thread holds no more than " +
         count(getRunLength(*getLayout(pointers.getType()), dim), "element") + " side by side";
}

void Explainer::explainAccess(Operation *op, Value pointers, Value mask, const char *what) {
  std::optional<Layout> layout = getLayout(pointers.getType());
  if (!layout) {
    return;
  }
  auto pointer = cast<tile::PtrType>(getElementTypeOrSelf(pointers.getType()));
  const unsigned bytes = tile::getElementBytes(pointer.getPointeeType());
  const Access access = getAccess(op);
  const unsigned most = machine.capabilities.getMaxAccessBytes();
  auto store = dyn_cast<tile::StoreOp>(op);
  std::string text = std::string(what) + " of " + describe(pointers.getType()) + ": ";
  text += count(int64_t(access.width) * bytes, "byte") + " at a time, ";
  text += count(layout->getSize(Axis::Register) / access.width, "access") + " of each thread";
  if (hasLaneCopies(*layout) || hasWarpCopies(*layout)) {
    text += store ? ", not of all threads" : ", some threads load the same";
  }
  if (store && getStoreOrder(store) == StoreOrder::InOrder) {
    say(Kind::Neutral, diag::Access, op->getLoc(),
        "store of " + describe(pointers.getType()) +
            ": has a second form, one element after the other, for strides that let elements "
            "have one address");
    return;
  }
  const bool isWide = access.width * bytes >= most;
  if (!isWide) {
    text += ", since " + whyNarrow(access, pointers, mask, bytes);
  }
  if (store && getStoreOrder(store) == StoreOrder::Checked) {
    text += "; read back and checked, as elements may have one address";
  }
  say(isWide ? Kind::Good : Kind::Bad, diag::Access, op->getLoc(), text);
}

void Explainer::explainCopy(AsyncCopyOp op) {
  std::optional<Layout> layout = getLayout(op.getPtr().getType());
  if (!layout) {
    return;
  }
  auto channel = cast<ChannelType>(op.getChannel().getType());
  const unsigned bytes = getElementBytes(channel.getTile().getElementType());
  const Access access = getAccess(op);
  const unsigned width = getCopyWidth(*layout, channel.getMemory(), access, bytes);
  const bool isWide = width * bytes >= machine.capabilities.getMaxAccessBytes();
  std::string text =
      "load of " + describe(op.getPtr().getType()) + ": copied ahead of its use, " +
      count(int64_t(width) * bytes, "byte") + " at a time, " +
      count(layout->getSize(Axis::Register) / width, "access") + " of each thread" +
      " into a ring of " + count(channel.getSlots(), "slot") + ", " +
      count(channel.getTile().getNumElements() * bytes * channel.getSlots(), "byte") +
      " of shared memory";
  if (!isWide) {
    text +=
        ", since " + (width < access.width ? "no more lie together in a slot"
                                           : whyNarrow(access, op.getPtr(), op.getMask(), bytes));
  }
  say(isWide ? Kind::Good : Kind::Bad, diag::Access, op->getLoc(), text);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// What accesses of a tile in `memory` wait for each other.
static std::string describeConflicts(std::optional<AccessCost> writes,
                                     std::optional<AccessCost> reads) {
  const unsigned conflicts =
      (writes ? writes->getConflicts() : 0) + (reads ? reads->getConflicts() : 0);
  const unsigned all = (writes ? writes->wavefronts : 0) + (reads ? reads->wavefronts : 0);
  return conflicts == 0 ? ", no bank conflicts"
                        : ", bank conflicts: " + std::to_string(conflicts) + " of " +
                              count(all, "wavefront") + " of a warp";
}

void Explainer::explainConversion(ConvertLayoutOp op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  std::optional<Layout> from = getLayout(source.getType()), to = getLayout(result.getType());
  if (!from || !to) {
    return;
  }
  Type element = getElementTypeOrSelf(source.getType());
  const ConvertPlan plan = planConvert(*from, *to, element, machine);
  const unsigned bits = 8 * getElementBytes(element);
  BankedMemory banks;
  banks.maxAccessBytes = machine.capabilities.getMaxAccessBytes();
  std::string how;
  switch (plan.way) {
  case ConvertWay::Registers:
    return; // costs nothing
  case ConvertWay::Lanes:
    how = "by shuffles within warps";
    break;
  case ConvertWay::Matrices:
    how = "through " + count(plan.bytes, "byte") + " of shared memory, read as matrices";
    if (std::optional<MatrixLoadPlan> load = planMatrixLoad(*from, *to, bits, machine)) {
      how += describeConflicts(countWavefronts(from->getInner(), load->memory, bits, true, banks),
                               std::nullopt);
    }
    break;
  case ConvertWay::Swizzled:
    how = "through " + count(plan.bytes, "byte") + " of shared memory, swizzled";
    {
      const LinearMap memory = chooseMemoryLayout(from->getInner(), to->getInner(), bits, banks);
      how += describeConflicts(countWavefronts(from->getInner(), memory, bits, true, banks),
                               countWavefronts(to->getInner(), memory, bits, false, banks));
    }
    break;
  case ConvertWay::RowMajor:
    how = "through " + count(plan.bytes, "byte") + " of shared memory, row by row";
    break;
  }
  say(Kind::Neutral, diag::Conversion, op->getLoc(),
      "tile of " + describe(source.getType()) + " moves to other threads " + how);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

std::string Explainer::whyNoInstruction(tile::DotOp op) {
  ArrayRef<MmaAttr> list = machine.capabilities.getMma();
  if (list.empty()) {
    return "the target has no matrix instructions";
  }
  Type element = getElementTypeOrSelf(op.getA().getType());
  if (element.isF32() && op.getPrecision() != tile::DotPrecision::TF32 &&
      op.getPrecision() != tile::DotPrecision::TF32x3 &&
      op.getPrecision() != tile::DotPrecision::BF16x3) {
    return "no instruction multiplies f32 without rounding it, as input_precision asks";
  }
  MmaAttr near;
  for (MmaAttr one : list) {
    const bool isSame = one.getA() == element || (element.isF32() && one.getA().isTF32()) ||
                        (element.isInteger(8) && one.getA().isInteger(8)) ||
                        (op.getAFp8() && one.getA().isF16());
    if (isSame && !near) {
      near = one;
    }
  }
  if (!near) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "no instruction reads " << element;
    return text;
  }
  auto accumulator = cast<RankedTensorType>(op.getResult().getType());
  auto left = cast<RankedTensorType>(op.getA().getType());
  const unsigned rank = accumulator.getRank();
  const int64_t m = accumulator.getDimSize(rank - 2), n = accumulator.getDimSize(rank - 1),
                k = left.getDimSize(rank - 1);
  if (m % near.getM() != 0 || n % near.getN() != 0 || k % near.getK() != 0) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "the sizes " << m << "x" << n << "x" << k << " are no multiples of " << near.getM() << "x"
       << near.getN() << "x" << near.getK();
    return text;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "no instruction adds to " << accumulator.getElementType();
  return text;
}

void Explainer::explainProduct(tile::DotOp op) {
  auto accumulator = dyn_cast<RankedTensorType>(op.getResult().getType());
  auto left = dyn_cast<RankedTensorType>(op.getA().getType());
  if (!accumulator || !left || !getLayout(accumulator)) {
    return;
  }
  const std::string head =
      "product of " + describe(left) + " and " + describe(op.getB().getType()) + ": ";
  auto chosen = op->getAttrOfType<MmaAttr>(kMmaAttr);
  if (!chosen) {
    say(Kind::Bad, diag::Product, op.getLoc(),
        head + "element by element, since " + whyNoInstruction(op));
    return;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  const unsigned rank = accumulator.getRank();
  const int64_t instructions = accumulator.getNumElements() / (chosen.getM() * chosen.getN()) *
                               (left.getDimSize(rank - 1) / chosen.getK());
  os << head << stringifyMmaFamily(chosen.getFamily()) << ' ' << chosen.getM() << 'x'
     << chosen.getN() << 'x' << chosen.getK() << " of " << chosen.getA() << " and " << chosen.getB()
     << ", sums in " << chosen.getAcc() << "; " << count(instructions, "instruction") << " for "
     << count(machine.numWarps, "warp");
  say(Kind::Good, diag::Product, op.getLoc(), text);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ExplainPass : tegula::tilegpu::impl::TileGPUExplainPassBase<ExplainPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (!getContext().getRemarkEngine()) {
      return;
    }
    std::optional<Machine> machine = getMachine(getOperation());
    if (!machine) {
      return signalPassFailure();
    }
    Explainer explainer(getOperation(), *machine);
    getOperation().walk([&](Operation *op) {
      if (auto load = dyn_cast<tile::LoadOp>(op)) {
        explainer.explainAccess(op, load.getPtr(), load.getMask(), "load");
      } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
        explainer.explainAccess(op, store.getPtr(), store.getMask(), "store");
      } else if (auto copy = dyn_cast<AsyncCopyOp>(op)) {
        explainer.explainCopy(copy);
      } else if (auto convert = dyn_cast<ConvertLayoutOp>(op)) {
        explainer.explainConversion(convert);
      } else if (auto dot = dyn_cast<tile::DotOp>(op)) {
        explainer.explainProduct(dot);
      }
    });
  }
};
} // namespace

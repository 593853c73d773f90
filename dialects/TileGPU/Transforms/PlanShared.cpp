//===- PlanShared.cpp - Places in shared memory
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// An op needs its scratch while it runs, so all may have one place. Small requests stand
// aside in a ring in front of the others and take turns in it: two ops that follow each
// other then need no barrier between them. Large ones take turns behind it, within what
// the largest of them or a fixed amount needs: the operands of a product in a loop get
// places of their own. Where memory is too short for turns, all large ones share one
// place, and then all of them.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/TileGPU/Analysis/Scratch.h"
#include "tegula/TileGPU/Transforms/Diagnostics.h"
#include "tegula/TileGPU/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::tilegpu {
#define GEN_PASS_DEF_TILEGPUPLANSHAREDPASS
#include "tegula/TileGPU/Transforms/TileGPUPasses.h.inc"
} // namespace tegula::tilegpu

using namespace tegula::tilegpu;
using tegula::tile::diagID;

namespace {
/// Requests below this many bytes take turns.
constexpr uint64_t kSmallBytes = 2048;
/// What the ring has at least, if that much is asked for in all.
constexpr uint64_t kRingBytes = 1024;

/// What requests in turn may take together, if none alone takes more.
constexpr uint64_t kTurnBytes = 32768;

struct Buffer {
  Operation *op;
  uint64_t bytes, alignment;
  uint64_t offset = 0;

  uint64_t end() const { return offset + bytes; }
  bool isSmall() const { return bytes < kSmallBytes; }
};

/// Places for the buffers of one function.
class Plan {
public:
  /// `start`: where the first of them may lie.
  Plan(SmallVector<Buffer> buffers, uint64_t start) : buffers(std::move(buffers)), start(start) {}

  /// Bytes in all; `available` only tells whether there is room for a ring.
  uint64_t run(uint64_t available) {
    const uint64_t ring = placeSmall();
    if (const uint64_t bytes = placeInTurn(ring); bytes <= available) {
      return bytes;
    }
    if (const uint64_t bytes = placeTogether(ring, /*smallToo=*/false); bytes <= available) {
      return bytes;
    }
    return placeTogether(start, /*smallToo=*/true);
  }
  ArrayRef<Buffer> getBuffers() const { return buffers; }

private:
  uint64_t placeSmall() {
    uint64_t sum = 0, largest = 0;
    for (const Buffer &buffer : buffers) {
      if (buffer.isSmall()) {
        sum += llvm::alignTo(buffer.bytes, buffer.alignment);
        largest = std::max(largest, llvm::alignTo(buffer.bytes, buffer.alignment));
      }
    }
    const uint64_t size = start + std::min(sum, std::max(2 * largest, kRingBytes));
    uint64_t next = start, end = start;
    for (Buffer &buffer : buffers) {
      if (buffer.isSmall()) {
        next = llvm::alignTo(next, buffer.alignment);
        buffer.offset = next + buffer.bytes <= size ? next : llvm::alignTo(start, buffer.alignment);
        next = buffer.end();
        end = std::max(end, next);
      }
    }
    return end;
  }

  /// Behind the ring, each after the one before it, and from the front again.
  uint64_t placeInTurn(uint64_t ring) {
    uint64_t size = kTurnBytes, next = ring, end = ring;
    for (const Buffer &buffer : buffers) {
      size = std::max(size, buffer.bytes + buffer.alignment);
    }
    for (Buffer &buffer : buffers) {
      if (!buffer.isSmall()) {
        const uint64_t offset = llvm::alignTo(next, buffer.alignment);
        buffer.offset =
            offset + buffer.bytes <= ring + size ? offset : llvm::alignTo(ring, buffer.alignment);
        next = buffer.end();
        end = std::max(end, next);
      }
    }
    return end;
  }

  /// The large ones, or all, at `start`.
  uint64_t placeTogether(uint64_t from, bool smallToo) {
    uint64_t end = from;
    for (Buffer &buffer : buffers) {
      if (smallToo || !buffer.isSmall()) {
        buffer.offset = llvm::alignTo(from, buffer.alignment);
        end = std::max(end, buffer.end());
      }
    }
    return end;
  }

  SmallVector<Buffer> buffers;
  uint64_t start;
};

/// The channels of a function. One lives from where it is made to its release, in one
/// block; without a release to the block's end.
class Channels {
public:
  explicit Channels(Operation *function) {
    function->walk([&](ChannelOp channel) {
      Operation *last = channel->getBlock()->getTerminator();
      for (Operation *user : channel->getUsers()) {
        if (isa<ChannelReleaseOp>(user) && user->getBlock() == channel->getBlock()) {
          last = user;
        }
      }
      lives.push_back({channel, last});
    });
  }

  /// Channels that live together lie one behind the other.
  SmallVector<Buffer> place() const {
    SmallVector<Buffer> placed;
    for (const Life &life : lives) {
      ChannelType type = ChannelOp(life.channel).getType();
      Buffer buffer{life.channel, type.getSlots() * type.getSlotBytes(), 128};
      for (auto [other, before] : llvm::zip(lives, placed)) {
        if (contains(other, life.channel) || contains(life, other.channel)) {
          buffer.offset = std::max(buffer.offset, llvm::alignTo(before.end(), buffer.alignment));
        }
      }
      placed.push_back(buffer);
    }
    return placed;
  }
  bool isAnyAlive(Operation *op) const {
    return llvm::any_of(lives, [&](const Life &life) { return contains(life, op); });
  }

private:
  struct Life {
    ChannelOp channel;
    Operation *last;
  };
  static bool contains(const Life &life, Operation *op) {
    Operation *first = life.channel;
    Operation *place = first->getBlock()->findAncestorOpInBlock(*op);
    return place && first->isBeforeInBlock(place) && place->isBeforeInBlock(life.last);
  }
  SmallVector<Life> lives;
};

struct PlanSharedPass : tegula::tilegpu::impl::TileGPUPlanSharedPassBase<PlanSharedPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<Machine> machine = getMachine(module);
    if (!machine) {
      return signalPassFailure();
    }
    // What threads of the module use already stays.
    auto known = module->getAttrOfType<IntegerAttr>(kSharedBytesAttr);
    uint64_t total = known ? uint64_t(known.getInt()) : 0;
    for (auto function : module.getOps<FunctionOpInterface>()) {
      std::optional<uint64_t> bytes = plan(function, *machine);
      if (!bytes) {
        return signalPassFailure();
      }
      total = std::max(total, *bytes);
    }
    Builder builder(&getContext());
    module->setAttr(kSharedBytesAttr, builder.getI32IntegerAttr(int32_t(total)));
  }

  /// Bytes of the function; nullopt, after an error, when there are too few.
  std::optional<uint64_t> plan(Operation *function, const Machine &machine) {
    const uint64_t available = machine.capabilities.getSharedBytes();
    const Channels channels(function);
    SmallVector<Buffer> buffers = channels.place(), beside, apart;
    uint64_t bytes = 0;
    for (const Buffer &buffer : buffers) {
      bytes = std::max(bytes, buffer.end());
    }
    function->walk([&](Operation *op) {
      const Scratch scratch = getScratch(op, machine);
      if (scratch.bytes != 0) {
        (channels.isAnyAlive(op) ? beside : apart)
            .push_back({op, scratch.bytes, scratch.alignment});
      } else if (!isa<ChannelOp>(op)) {
        op->removeAttr(kScratchAttr);
      }
    });
    // What is used while a channel lives lies behind all of them, the rest where it likes.
    for (auto [list, start] : {std::pair(&beside, bytes), {&apart, uint64_t(0)}}) {
      Plan plan(std::move(*list), start);
      bytes = std::max(bytes, plan.run(available));
      llvm::append_range(buffers, plan.getBuffers());
    }
    if (bytes > available) {
      const Buffer *largest = llvm::max_element(
          buffers, [](const Buffer &a, const Buffer &b) { return a.bytes < b.bytes; });
      largest->op->emitError() << "expected at most " << available
                               << " bytes of shared memory, got " << bytes
                               << "; smaller tiles need less" << diagID(diag::SharedMemory);
      return std::nullopt;
    }
    Builder builder(&getContext());
    for (const Buffer &buffer : buffers) {
      buffer.op->setAttr(kScratchAttr, builder.getI32IntegerAttr(int32_t(buffer.offset)));
    }
    if (bytes != 0 && getContext().getRemarkEngine()) {
      explain(function, bytes, buffers);
    }
    return bytes;
  }

  static void explain(Operation *function, uint64_t bytes, ArrayRef<Buffer> buffers) {
    const Buffer *largest = llvm::max_element(
        buffers, [](const Buffer &a, const Buffer &b) { return a.bytes < b.bytes; });
    std::string text = "kernel uses " + std::to_string(bytes) + " bytes of shared memory for " +
                       std::to_string(buffers.size()) +
                       (buffers.size() == 1 ? " operation" : " operations that share it") +
                       "; the most, " + std::to_string(largest->bytes) + " bytes, for '" +
                       largest->op->getName().getStringRef().str() + "'";
    // In the kernel, not in the function that it calls.
    Location loc = largest->op->getLoc();
    while (auto call = dyn_cast<CallSiteLoc>(loc)) {
      loc = call.getCaller();
    }
    if (auto place = loc->findInstanceOf<FileLineColLoc>()) {
      text += " of line " + std::to_string(place.getLine());
    }
    remark::analysis(function->getLoc(),
                     remark::RemarkOpts::name(diag::SharedPlan).category("tilegpu-plan-shared"))
        << StringRef(text);
  }
};
} // namespace

//===- Channels.cpp - Copies into rings of tiles, and reads of them
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A channel is the address of its first slot. Tokens say who owns copies, to passes; in
// threads nothing is left of them but a constant.
//
//===----------------------------------------------------------------------===//

#include "XorAddresses.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tegula/TileGPU/Analysis/ChannelAccess.h"
#include "tegula/TileGPU/Layout/SharedMemory.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

static Value noToken(ThreadBuilder &out) { return out.constant(out.builder.getI1Type(), 0); }

/// The address of a slot.
static Value getSlot(ThreadBuilder &out, ChannelType type, Value base, Value position,
                     unsigned ahead) {
  const unsigned slots = type.getSlots();
  if (slots == 1) {
    return base;
  }
  if (ahead != 0) {
    Value sum = arith::AddIOp::create(out.builder, out.loc, position, out.i32(ahead));
    Value wrapped = arith::SubIOp::create(out.builder, out.loc, sum, out.i32(slots));
    Value isOver =
        arith::CmpIOp::create(out.builder, out.loc, arith::CmpIPredicate::uge, sum, out.i32(slots));
    position = arith::SelectOp::create(out.builder, out.loc, isOver, wrapped, sum);
  }
  Value bytes =
      arith::MulIOp::create(out.builder, out.loc, position, out.i32(int64_t(type.getSlotBytes())));
  return out.offsetBytes(base, bytes);
}

namespace {

struct ChannelPattern : ThreadPattern<ChannelOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(ChannelOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder out(rewriter, op.getLoc(), machine);
    rewriter.replaceOp(op, out.sharedAddress(scratchOf(op)));
    return success();
  }
};

struct NextSlotPattern : ThreadPattern<NextSlotOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(NextSlotOp op, OpAdaptor in,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder out(rewriter, op.getLoc(), machine);
    Value next = arith::AddIOp::create(rewriter, op.getLoc(), in.getPosition(), out.i32(1));
    Value isEnd = arith::CmpIOp::create(rewriter, op.getLoc(), arith::CmpIPredicate::eq, next,
                                        out.i32(op.getSlots()));
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isEnd, out.i32(0), next);
    return success();
  }
};

struct AsyncCopyPattern : ThreadPattern<AsyncCopyOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(AsyncCopyOp op, OpAdaptor in,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder out(rewriter, op.getLoc(), machine);
    ChannelType channel = op.getChannel().getType();
    Type element = channel.getTile().getElementType();
    const unsigned bytes = element.getIntOrFloatBitWidth() / 8;
    const Layout from = layoutOf(op.getPtr());
    if (!from.isLinear()) {
      return rewriter.notifyMatchFailure(op, "the layout of pointers is repeated");
    }
    const LinearMap memory = channel.getMemory();
    const Access access = getAccess(op);
    const unsigned width = getCopyWidth(from, memory, access, bytes);
    const SmallVector<Value> pointers = out.unpack(in.getPtr());
    const SmallVector<Value> masks = in.getMask() ? out.unpack(in.getMask()) : SmallVector<Value>();
    Value slot = getSlot(out, channel, in.getChannel(), in.getPosition(), op.getAhead());
    const LinearMap offsets = getOffsets(from.getInner(), memory);
    XorAddresses addresses(out, offsets, bytes, slot);
    OpBuilder::InsertionGuard guard(rewriter);
    if (hasLaneCopies(from) || hasWarpCopies(from)) {
      auto branch = scf::IfOp::create(rewriter, op.getLoc(), out.isFirstCopy(from));
      rewriter.setInsertionPointToStart(branch.thenBlock());
    }
    const uint32_t copies = from.getInner().getFreeBits(Axis::Register);
    for (ArrayRef<int64_t> group : groupRegisters(from, access.dim, width)) {
      if (uint64_t(group[0]) & copies) {
        continue;
      }
      Value shared = addresses.get(multiply(offsets.getImages(Axis::Register), uint64_t(group[0])));
      Value pointer = pointers[group[0]], mask = masks.empty() ? Value() : masks[group[0]];
      if (isAsyncWidth(width, bytes)) {
        ThreadAsyncCopyOp::create(rewriter, op.getLoc(), shared, pointer, mask, width * bytes);
        continue;
      }
      // Too narrow: through registers, at once.
      Type type = width == 1 ? element : Type(VectorType::get({int64_t(width)}, element));
      Value value = ThreadLoadOp::create(rewriter, op.getLoc(), type, pointer, mask, Value(),
                                         std::min(access.alignment, 16u), tile::CacheModifier::None,
                                         tile::EvictionPolicy::Normal,
                                         /*is_volatile=*/false);
      out.storeShared(shared, value);
    }
    rewriter.setInsertionPoint(op);
    rewriter.replaceOp(op, noToken(out));
    return success();
  }
};

struct AsyncCommitPattern : ThreadPattern<AsyncCommitOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(AsyncCommitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder out(rewriter, op.getLoc(), machine);
    ThreadAsyncCommitOp::create(rewriter, op.getLoc());
    rewriter.replaceOp(op, noToken(out));
    return success();
  }
};

struct AsyncWaitPattern : ThreadPattern<AsyncWaitOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(AsyncWaitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder out(rewriter, op.getLoc(), machine);
    ThreadAsyncWaitOp::create(rewriter, op.getLoc(), op.getPending());
    rewriter.replaceOp(op, noToken(out));
    return success();
  }
};

struct ChannelReleasePattern : ThreadPattern<ChannelReleaseOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(ChannelReleaseOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

struct ChannelReadPattern : ThreadPattern<ChannelReadOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(ChannelReadOp op, OpAdaptor in,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder out(rewriter, op.getLoc(), machine);
    ChannelType channel = op.getChannel().getType();
    Type element = channel.getTile().getElementType();
    const Layout layout = layoutOf(op.getResult());
    if (!layout.isLinear()) {
      return rewriter.notifyMatchFailure(op, "the layout is repeated");
    }
    const ChannelPart part = getChannelPart(channel.getMemory(), layout, op.getOffsets());
    Value slot = getSlot(out, channel, in.getChannel(), in.getPosition(), /*ahead=*/0);
    std::optional<ChannelMatrixPlan> plan =
        planMatrixRead(part.offsets, element.getIntOrFloatBitWidth(), machine);
    rewriter.replaceOp(op, plan ? readMatrices(out, element, slot, part, *plan)
                                : readPlain(out, element, slot, part));
    return success();
  }

private:
  static Value readMatrices(ThreadBuilder &out, Type element, Value slot, const ChannelPart &part,
                            const ChannelMatrixPlan &plan) {
    ArrayRef<uint64_t> lanes = part.offsets.getImages(Axis::Lane);
    ArrayRef<uint64_t> registers = part.offsets.getImages(Axis::Register);
    // Lanes 8 i + r give row r of matrix i.
    LinearMap reader(part.offsets.getOutputBits());
    for (uint64_t image : plan.isTransposed ? BitVectors{registers[0], lanes[0], lanes[1]}
                                            : BitVectors{lanes[2], lanes[3], lanes[4]}) {
      reader.addPackedBit(Axis::Lane, image);
    }
    for (unsigned bit : plan.matrixBits) {
      reader.addPackedBit(Axis::Lane, registers[bit]);
    }
    while (reader.getInputBits(Axis::Lane) < lanes.size()) {
      reader.addPackedBit(Axis::Lane, 0);
    }
    for (uint64_t image : part.offsets.getImages(Axis::Warp)) {
      reader.addPackedBit(Axis::Warp, image);
    }
    XorAddresses addresses(out, reader, element.getIntOrFloatBitWidth() / 8, slot);
    auto piece = VectorType::get({(int64_t(1) << plan.packedBits) * plan.count}, element);
    const uint64_t step = uint64_t(1) << (plan.packedBits + plan.matrixBits.size());
    SmallVector<Value> parts;
    for (uint64_t first = 0; first < uint64_t(1) << registers.size(); first += step) {
      Value address = addresses.get(part.start ^ multiply(registers, first));
      parts.push_back(LoadMatrixOp::create(out.builder, out.loc, piece, address, plan.count,
                                           plan.isTransposed));
    }
    return out.concat(parts);
  }

  /// Neighbours of one register after the other as one access.
  static Value readPlain(ThreadBuilder &out, Type element, Value slot, const ChannelPart &part) {
    const unsigned bytes = element.getIntOrFloatBitWidth() / 8;
    ArrayRef<uint64_t> registers = part.offsets.getImages(Axis::Register);
    uint64_t others = part.start;
    for (Axis axis : {Axis::Lane, Axis::Warp}) {
      for (uint64_t image : part.offsets.getImages(axis)) {
        others |= image;
      }
    }
    unsigned bits = 0; // of registers in one access
    while (bits < registers.size() && registers[bits] == uint64_t(1) << bits &&
           (bytes << (bits + 1)) <= 16) {
      uint64_t rest = others;
      for (uint64_t image : registers.drop_front(bits + 1)) {
        rest |= image;
      }
      if (rest & ((uint64_t(2) << bits) - 1)) {
        break;
      }
      ++bits;
    }
    const uint64_t width = uint64_t(1) << bits;
    XorAddresses addresses(out, part.offsets, bytes, slot);
    Type type = bits == 0 ? element : Type(VectorType::get({int64_t(width)}, element));
    SmallVector<Value> elements;
    for (uint64_t first = 0; first < uint64_t(1) << registers.size(); first += width) {
      Value value = out.loadShared(addresses.get(part.start ^ multiply(registers, first)), type);
      llvm::append_range(elements, bits == 0 ? SmallVector<Value>{value} : out.unpack(value));
    }
    return out.pack(elements);
  }
};
} // namespace

void tegula::tilegpu::addChannelPatterns(ThreadPatterns &list) {
  list.add<ChannelPattern, NextSlotPattern, AsyncCopyPattern, AsyncCommitPattern, AsyncWaitPattern,
           ChannelReleasePattern, ChannelReadPattern>();
}

//===- Map.cpp - Regions of scalars, for each element
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A thread that holds all elements of a pack runs the region on its registers. Packs
// that are spread, or that have copies while the region writes to memory, go through
// shared memory: each thread takes every so many packs.
//
// Ops of the region run in each thread for its own elements, unlike other scalar code
// of a program: they carry an attribute that says so.
//
//===----------------------------------------------------------------------===//

#include "Combiner.h"
#include "tegula/TileGPU/Analysis/Collectives.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

namespace {
struct LowerMap : ThreadPattern<tile::MapOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::MapOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder tb(rewriter, op.getLoc(), machine);
    const MapPlan plan = planMap(op);
    SmallVector<Type> results;
    for (Type type : op.getResultTypes()) {
      results.push_back(cast<VectorType>(getTypeConverter()->convertType(type)).getElementType());
    }
    for (Operation &inside : op.getBody().front()) {
      inside.walk([&](Operation *each) {
        if (!isMemoryEffectFree(each)) {
          each->setAttr(kEachThreadAttr, rewriter.getUnitAttr());
        }
      });
    }
    rewriter.replaceOp(op, plan.needsScratch
                               ? runThroughMemory(tb, op, adaptor.getOperands(), results, plan)
                               : runInRegisters(tb, op, adaptor.getOperands(), plan));
    return success();
  }

  SmallVector<Value> runInRegisters(ThreadBuilder &tb, tile::MapOp op, ValueRange operands,
                                    const MapPlan &plan) const {
    SmallVector<SmallVector<Value>> sources;
    for (Value operand : operands) {
      sources.push_back(tb.unpack(operand));
    }
    const size_t pack = op.getPack();
    const Layout layout = layoutOf(op.getOperands()[0]);
    SmallVector<SmallVector<Value>> results(op.getNumResults(),
                                            SmallVector<Value>(layout.getSize(Axis::Register)));
    for (ArrayRef<unsigned> registers : plan.packs) {
      SmallVector<Value> arguments;
      for (ArrayRef<Value> source : sources) {
        for (unsigned reg : registers) {
          arguments.push_back(source[reg]);
        }
      }
      SmallVector<Value> yielded = inlineRegion(tb, op.getBody(), arguments);
      for (auto [number, value] : llvm::enumerate(yielded)) {
        results[number / pack][registers[number % pack]] = value;
      }
    }
    const uint32_t copies = layout.getInner().getFreeBits(Axis::Register);
    SmallVector<Value> vectors;
    for (SmallVector<Value> &values : results) {
      for (unsigned reg = 0; reg < values.size(); ++reg) {
        values[reg] = values[reg & ~copies];
      }
      vectors.push_back(tb.pack(values));
    }
    return vectors;
  }

  SmallVector<Value> runThroughMemory(ThreadBuilder &tb, tile::MapOp op, ValueRange operands,
                                      ArrayRef<Type> resultTypes, const MapPlan &plan) const {
    OpBuilder &b = tb.builder;
    Buffers buffers = getMapBuffers(op, plan);
    for (int64_t &offset : buffers.offsets) {
      offset += scratchOf(op);
    }
    ArrayRef<int64_t> sources = ArrayRef(buffers.offsets).take_front(operands.size());
    ArrayRef<int64_t> targets = ArrayRef(buffers.offsets).drop_front(operands.size());
    SmallVector<Type> types;
    for (auto [before, vector, offset] : llvm::zip_equal(op.getOperands(), operands, sources)) {
      types.push_back(cast<VectorType>(vector.getType()).getElementType());
      tb.storeRowMajor(vector, layoutOf(before), offset);
    }
    tb.barrier();
    const int64_t pack = op.getPack();
    const int64_t packs =
        cast<RankedTensorType>(op.getOperands()[0].getType()).getNumElements() / pack;
    auto addressOf = [&](Value number, int64_t offset, Type type, int64_t element) {
      const int64_t bytes = getScratchElementBytes(type);
      Value at = arith::MulIOp::create(b, tb.loc, number, tb.i32(pack * bytes));
      return tb.offsetBytes(tb.sharedAddress(offset + element * bytes), at);
    };
    makeLoop(tb, tb.threadId(), tb.i32(packs), tb.i32(machine.getNumThreads()), {},
             [&](Value number, ValueRange) -> SmallVector<Value> {
               SmallVector<Value> arguments;
               for (auto [offset, type] : llvm::zip_equal(sources, types)) {
                 for (int64_t element = 0; element < pack; ++element) {
                   arguments.push_back(
                       tb.loadShared(addressOf(number, offset, type, element), type));
                 }
               }
               SmallVector<Value> yielded = inlineRegion(tb, op.getBody(), arguments);
               for (auto [i, value] : llvm::enumerate(yielded)) {
                 tb.storeShared(
                     addressOf(number, targets[i / pack], resultTypes[i / pack], int64_t(i) % pack),
                     value);
               }
               return {};
             });
    tb.barrier();
    SmallVector<Value> results;
    for (auto [result, type, offset] : llvm::zip_equal(op.getResults(), resultTypes, targets)) {
      results.push_back(tb.loadRowMajor(type, layoutOf(result), offset));
    }
    return results;
  }
};
} // namespace

void tegula::tilegpu::addMapPatterns(ThreadPatterns &list) { list.add<LowerMap>(); }

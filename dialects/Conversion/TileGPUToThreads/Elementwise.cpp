//===- Elementwise.cpp - One element after the other
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fp8.h"
#include "Places.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/SymbolTable.h"
#include "tegula/TileGPU/Analysis/Access.h"
#include "tegula/TileGPU/Analysis/Scratch.h"

using namespace mlir;
using namespace tegula::tilegpu;

namespace {
/// The same op on vectors: all of arith and math but constants.
struct AnyOpPattern : ConversionPattern {
  AnyOpPattern(const TypeConverter &converter, MLIRContext *context, const Machine &)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
        isa<arith::ConstantOp>(op) || op->getNumRegions() != 0) {
      return failure();
    }
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types))) {
      return failure();
    }
    OperationState state(op->getLoc(), op->getName(), operands, types, op->getAttrs());
    rewriter.replaceOp(op, rewriter.create(state));
    return success();
  }
};

/// A comparison of which runs of registers are known to have one result: the first of each
/// run stands for all.
struct EqualRunsPattern : ThreadPattern<arith::CmpIOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(arith::CmpIOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op->hasAttr(kAccessAttr)) {
      return failure();
    }
    const Access run = getAccess(op);
    SmallVector<SmallVector<int64_t>> groups =
        groupRegisters(layoutOf(op.getResult()), run.dim, run.width);
    SmallVector<int64_t> firsts, places(getNumRegisters(layoutOf(op.getResult())));
    for (const SmallVector<int64_t> &group : groups) {
      for (int64_t reg : group) {
        places[reg] = int64_t(firsts.size());
      }
      firsts.push_back(group.front());
    }
    auto pick = [&](Value vector) -> Value {
      return vector::ShuffleOp::create(rewriter, op.getLoc(), vector, vector, firsts);
    };
    Value few = arith::CmpIOp::create(rewriter, op.getLoc(), op.getPredicate(),
                                      pick(adaptor.getLhs()), pick(adaptor.getRhs()));
    rewriter.replaceOpWithNewOp<vector::ShuffleOp>(op, few, few, places);
    return success();
  }
};

/// Splats stay. Others are a vector where each thread has the same registers, or else a
/// table in memory that each thread reads at its own places.
struct ConstantPattern : ThreadPattern<arith::ConstantOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast_or_null<VectorType>(getTypeConverter()->convertType(op.getType()));
    auto value = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!type || !value) {
      return failure();
    }
    if (value.isSplat()) {
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value.resizeSplat(type));
      return success();
    }
    Layout layout = layoutOf(op.getResult());
    auto elements = llvm::to_vector(value.getValues<Attribute>());
    if (llvm::all_of(getThreadImages(layout), [](uint64_t image) { return image == 0; })) {
      SmallVector<int64_t> shape = layout.getShape();
      SmallVector<Attribute> registers;
      for (uint32_t i = 0; i < getNumRegisters(layout); ++i) {
        int64_t number = 0;
        for (auto [coordinate, size] : llvm::zip(layout.apply({i}), shape)) {
          number = number * size + coordinate;
        }
        registers.push_back(elements[number]);
      }
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, DenseElementsAttr::get(type, registers));
      return success();
    }
    rewriter.replaceOp(op, readTable(op, type, value, layout, rewriter));
    return success();
  }

private:
  Value readTable(arith::ConstantOp op, VectorType type, DenseElementsAttr value,
                  const Layout &layout, ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    Type element = type.getElementType();
    // Booleans lie there as bytes, as everywhere in memory.
    const bool isBool = element.isInteger(1);
    Type stored = isBool ? Type(rewriter.getI8Type()) : element;
    auto flat = RankedTensorType::get({value.getNumElements()}, stored);
    SmallVector<Attribute> elements;
    for (Attribute one : value.getValues<Attribute>()) {
      elements.push_back(isBool ? rewriter.getI8IntegerAttr(cast<IntegerAttr>(one).getInt() != 0)
                                : one);
    }
    auto module = op->getParentOfType<ModuleOp>();
    LLVM::GlobalOp table;
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(module.getBody());
      std::string name;
      for (unsigned i = 0;; ++i) {
        name = "tegula_table_" + std::to_string(i);
        if (!SymbolTable::lookupSymbolIn(module, name)) {
          break;
        }
      }
      table = LLVM::GlobalOp::create(
          rewriter, module.getLoc(), LLVM::LLVMArrayType::get(stored, value.getNumElements()),
          /*isConstant=*/true, LLVM::Linkage::Internal, name,
          DenseElementsAttr::get(flat, elements), /*alignment=*/16, /*addrSpace=*/1);
    }
    ThreadBuilder build(rewriter, loc, machine);
    auto pointer = LLVM::LLVMPointerType::get(rewriter.getContext(), 1);
    Value base = LLVM::AddressOfOp::create(rewriter, loc, pointer, table.getSymName());
    SmallVector<Value> registers;
    for (Value number : build.unpack(build.rowMajor(layout))) {
      Value address =
          LLVM::GEPOp::create(rewriter, loc, pointer, stored, base, ArrayRef<LLVM::GEPArg>{number});
      Value one = LLVM::LoadOp::create(rewriter, loc, stored, address);
      if (isBool) {
        one = arith::TruncIOp::create(rewriter, loc, element, one);
      }
      registers.push_back(one);
    }
    return build.pack(registers);
  }
};
} // namespace

void tegula::tilegpu::addElementwisePatterns(ThreadPatterns &list) {
  list.add<AnyOpPattern, ConstantPattern, EqualRunsPattern>();
  addFp8Patterns(list);
}

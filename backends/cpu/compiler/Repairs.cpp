//===- Repairs.cpp - What LLVM's code generation gets wrong ---------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Repairs.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;

namespace tegula::cpu {

static SmallVector<llvm::IntrinsicInst *>
collect(llvm::Module &module, llvm::function_ref<bool(llvm::Intrinsic::ID)> wanted) {
  SmallVector<llvm::IntrinsicInst *> found;
  for (llvm::Function &function : module) {
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (call && wanted(call->getIntrinsicID())) {
        found.push_back(call);
      }
    }
  }
  return found;
}

/// The number among a number and a NaN, signalling ones too. The instructions for
/// `llvm.maxnum` on AArch64 make NaN of those; x86-64 code takes the number anyway.
static void settleSignallingNaNs(llvm::Module &module) {
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    llvm::Intrinsic::ID id = function.getIntrinsicID();
    if (id != llvm::Intrinsic::maxnum && id != llvm::Intrinsic::minnum) {
      continue;
    }
    id = id == llvm::Intrinsic::maxnum ? llvm::Intrinsic::maximumnum : llvm::Intrinsic::minimumnum;
    function.replaceAllUsesWith(
        llvm::Intrinsic::getOrInsertDeclaration(&module, id, {function.getReturnType()}));
    function.eraseFromParent();
  }
}

/// Code generation for AVX-512 takes the masked store of a truncated vector of which
/// one known lane is stored for a store of the wide element, over its neighbours.
static void storeSingleLanes(llvm::Module &module) {
  auto stores =
      collect(module, [](llvm::Intrinsic::ID id) { return id == llvm::Intrinsic::masked_store; });
  for (llvm::IntrinsicInst *call : stores) {
    llvm::Value *value = call->getArgOperand(0), *pointer = call->getArgOperand(1);
    auto *mask = llvm::dyn_cast<llvm::Constant>(call->getArgOperand(2));
    auto *type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
    if (!mask || !type) {
      continue;
    }
    unsigned count = 0, lane = 0;
    for (unsigned i = 0; i < type->getNumElements(); ++i) {
      llvm::Constant *bit = mask->getAggregateElement(i);
      // What is no constant or undefined may be true.
      bool isTrue = !bit || !bit->isNullValue();
      count += isTrue;
      lane = isTrue ? i : lane;
    }
    if (count != 1) {
      continue;
    }
    llvm::IRBuilder<> builder(call);
    uint64_t size = module.getDataLayout().getTypeStoreSize(type->getElementType());
    llvm::Value *element = builder.CreateExtractElement(value, lane);
    llvm::Value *place = builder.CreateConstGEP1_64(builder.getInt8Ty(), pointer, lane * size);
    builder.CreateAlignedStore(
        element, place, llvm::commonAlignment(call->getParamAlign(1).valueOrOne(), lane * size));
    call->eraseFromParent();
  }
}

/// LLVM narrows the larger of two widened half-precision vectors to half precision,
/// for which x86-64 code calls a library unless it has such instructions.
static void widenHalfExtremes(llvm::Module &module) {
  auto calls = collect(module, [](llvm::Intrinsic::ID id) {
    return id == llvm::Intrinsic::maxnum || id == llvm::Intrinsic::minnum ||
           id == llvm::Intrinsic::maximum || id == llvm::Intrinsic::minimum ||
           id == llvm::Intrinsic::maximumnum || id == llvm::Intrinsic::minimumnum;
  });
  for (llvm::IntrinsicInst *call : calls) {
    if (!call->getType()->getScalarType()->isHalfTy()) {
      continue;
    }
    llvm::IRBuilder<> builder(call);
    llvm::Type *wide = call->getType()->getWithNewType(builder.getFloatTy());
    llvm::Value *result = builder.CreateBinaryIntrinsic(
        call->getIntrinsicID(), builder.CreateFPExt(call->getArgOperand(0), wide),
        builder.CreateFPExt(call->getArgOperand(1), wide));
    call->replaceAllUsesWith(builder.CreateFPTrunc(result, call->getType()));
    call->eraseFromParent();
  }
}

namespace {
enum class Lane { Unknown, False, True };
} // namespace

/// What is known of one lane of a mask, as code generation would find out.
static Lane laneOf(llvm::Value *mask, unsigned lane, unsigned depth = 8) {
  if (auto *constant = llvm::dyn_cast<llvm::Constant>(mask)) {
    llvm::Constant *bit =
        constant->getType()->isVectorTy() ? constant->getAggregateElement(lane) : constant;
    return !bit                 ? Lane::Unknown
           : bit->isNullValue() ? Lane::False
           : bit->isOneValue()  ? Lane::True
                                : Lane::Unknown;
  }
  auto *op = llvm::dyn_cast<llvm::Instruction>(mask);
  if (!op || depth == 0) {
    return Lane::Unknown;
  }
  auto of = [&](unsigned operand) { return laneOf(op->getOperand(operand), lane, depth - 1); };
  switch (op->getOpcode()) {
  case llvm::Instruction::And:
  case llvm::Instruction::Or: {
    Lane decides = op->getOpcode() == llvm::Instruction::And ? Lane::False : Lane::True;
    Lane a = of(0), b = of(1);
    return a == decides || b == decides ? decides : a == b ? a : Lane::Unknown;
  }
  case llvm::Instruction::Xor: {
    Lane a = of(0), b = of(1);
    return a == Lane::Unknown || b == Lane::Unknown ? Lane::Unknown
           : a == b                                 ? Lane::False
                                                    : Lane::True;
  }
  case llvm::Instruction::Select: {
    Lane condition = of(0), a = of(1), b = of(2);
    return condition == Lane::True ? a : condition == Lane::False ? b : a == b ? a : Lane::Unknown;
  }
  case llvm::Instruction::Freeze:
    return of(0);
  case llvm::Instruction::ShuffleVector: {
    auto *shuffle = llvm::cast<llvm::ShuffleVectorInst>(op);
    auto *from = llvm::dyn_cast<llvm::FixedVectorType>(op->getOperand(0)->getType());
    int source = shuffle->getMaskValue(lane);
    if (!from || source < 0) {
      return Lane::Unknown;
    }
    int size = from->getNumElements();
    return laneOf(op->getOperand(source >= size), source % size, depth - 1);
  }
  case llvm::Instruction::InsertElement: {
    auto *index = llvm::dyn_cast<llvm::ConstantInt>(op->getOperand(2));
    if (!index) {
      return Lane::Unknown;
    }
    return index->getZExtValue() == lane ? of(1) : of(0);
  }
  default:
    return Lane::Unknown;
  }
}

/// Where AVX-512 is missing, a masked load of several registers, for one of which the
/// mask is a constant that only code generation sees, reads all of that register.
/// Such loads become one for each register, with masks that are constant in the IR.
static void splitMaskedLoads(llvm::Module &module, unsigned registerBits) {
  auto loads =
      collect(module, [](llvm::Intrinsic::ID id) { return id == llvm::Intrinsic::masked_load; });
  for (llvm::IntrinsicInst *call : loads) {
    llvm::Value *pointer = call->getArgOperand(0), *mask = call->getArgOperand(1),
                *other = call->getArgOperand(2);
    auto *type = llvm::dyn_cast<llvm::FixedVectorType>(call->getType());
    if (!type || llvm::isa<llvm::Constant>(mask)) {
      continue;
    }
    unsigned size = module.getDataLayout().getTypeStoreSize(type->getElementType());
    unsigned total = type->getNumElements(), count = std::max(1u, registerBits / 8 / size);
    SmallVector<Lane> lanes;
    for (unsigned i = 0; i < total; ++i) {
      lanes.push_back(laneOf(mask, i));
    }
    auto isKnown = [&](unsigned start) {
      return llvm::none_of(ArrayRef(lanes).slice(start, count),
                           [](Lane lane) { return lane == Lane::Unknown; });
    };
    bool found = false;
    for (unsigned start = 0; total % count == 0 && start < total; start += count) {
      found |= isKnown(start);
    }
    if (!found) {
      continue;
    }
    llvm::IRBuilder<> builder(call);
    llvm::Value *result = llvm::PoisonValue::get(type);
    for (unsigned start = 0; start < total; start += count) {
      SmallVector<int> part, place(total, -1), both;
      SmallVector<llvm::Constant *> bits;
      for (unsigned i = 0; i < count; ++i) {
        part.push_back(start + i);
        place[i] = i;
        bits.push_back(builder.getInt1(lanes[start + i] == Lane::True));
      }
      for (unsigned i = 0; i < total; ++i) {
        both.push_back(i >= start && i < start + count ? total + i - start : i);
      }
      llvm::Value *piece = builder.CreateShuffleVector(other, part);
      bool known = isKnown(start);
      llvm::Value *pieceMask =
          known ? llvm::ConstantVector::get(bits) : builder.CreateShuffleVector(mask, part);
      llvm::Value *where = builder.CreateConstGEP1_64(builder.getInt8Ty(), pointer, start * size);
      llvm::Align align = llvm::commonAlignment(call->getParamAlign(0).valueOrOne(), start * size);
      llvm::Type *pieceType = llvm::FixedVectorType::get(type->getElementType(), count);
      if (!known || !llvm::cast<llvm::Constant>(pieceMask)->isNullValue()) {
        piece = builder.CreateMaskedLoad(pieceType, where, align, pieceMask, piece);
      }
      result = builder.CreateShuffleVector(result, builder.CreateShuffleVector(piece, place), both);
    }
    call->replaceAllUsesWith(result);
    call->eraseFromParent();
  }
}

void repairBeforePasses(llvm::Module &module, TargetAttr target) {
  if (llvm::Triple(target.getTriple()).isAArch64()) {
    settleSignallingNaNs(module);
  }
}

void repairAfterPasses(llvm::Module &module, TargetAttr target) {
  storeSingleLanes(module);
  if (!llvm::Triple(target.getTriple()).isX86()) {
    return;
  }
  if (!hasFeature(target.getFeatures(), "avx512fp16")) {
    widenHalfExtremes(module);
  }
  if (!hasFeature(target.getFeatures(), "avx512f")) {
    splitMaskedLoads(module, target.getVectorBits());
  }
}

} // namespace tegula::cpu

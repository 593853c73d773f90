//===- Print.cpp - Prints and assertions
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A kernel hands whole tiles to the runtime, one call each; the runtime makes the
// text. What it must know beside the data is a constant of the kernel's object.
//
//===----------------------------------------------------------------------===//

#include "LoopFormer.h"
#include "LoopFormerInlines.h"
#include "tegula/CPU/KernelRecords.h"
#include "tegula/Compiler/CodeGeneration.h"

using namespace mlir;

namespace tegula::cpu {

template <typename Record>
static std::string packRecord(Record record, ArrayRef<int64_t> shape, StringRef first,
                              StringRef second = "") {
  std::string tail;
  for (int64_t extent : shape) {
    uint32_t number = extent;
    tail.append(reinterpret_cast<const char *>(&number), sizeof number);
  }
  tail += first;
  tail += second;
  record.size = sizeof record + tail.size();
  record.rank = shape.size();
  return std::string(reinterpret_cast<const char *>(&record), sizeof record) + tail;
}

Value LoopFormer::constantBytes(Location loc, StringRef bytes) {
  auto module = target->getParentOfType<ModuleOp>();
  std::string name;
  for (unsigned i = 0;; ++i) {
    name = ("tile_record_" + Twine(i)).str();
    if (!module.lookupSymbol(name)) {
      break;
    }
  }
  OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
  auto array = LLVM::LLVMArrayType::get(top.getI8Type(), bytes.size());
  auto global = LLVM::GlobalOp::create(top, loc, array, /*isConstant=*/true,
                                       LLVM::Linkage::Internal, name, top.getStringAttr(bytes),
                                       /*alignment=*/8);
  return LLVM::AddressOfOp::create(constants, loc, global);
}

/// Calls the function at `offset` of the runtime's table, with the context first.
void LoopFormer::callService(Location loc, unsigned offset, ArrayRef<Value> rest) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value context = ContextOp::create(builder, loc, pointer);
  auto load = [&](Value base, int64_t offset) -> Value {
    Value place = LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base,
                                      ArrayRef<LLVM::GEPArg>{int32_t(offset)});
    return LLVM::LoadOp::create(builder, loc, pointer, place, 8);
  };
  Value table = load(context, offsetof(KernelContext, services));
  SmallVector<Value> operands = {load(table, offset), context};
  operands.append(rest.begin(), rest.end());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                          SmallVector<Type>(rest.size() + 1, pointer));
  LLVM::CallOp::create(builder, loc, type, operands);
}

void LoopFormer::callWithRecord(Location loc, unsigned offset, StringRef record, Value data) {
  Value program = ProgramOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()));
  callService(loc, offset, {program, constantBytes(loc, record), data});
}

void LoopFormer::emitYield(Location loc) { callService(loc, offsetof(KernelServices, yield), {}); }

/// A pointer to the value's elements, for a scalar too.
FailureOr<Value> LoopFormer::addressOf(Value value) {
  if (tileType(value)) {
    if (failed(keep(value))) {
      return failure();
    }
    return buffers[value].pointer;
  }
  Location loc = locOf(value);
  Buffer buffer = makeBuffer(loc, {}, value.getType());
  openNest(loc);
  storeBuffer(loc, buffer, Chunk(), {scalar(value), 0});
  closeNest();
  return buffer.pointer;
}

static ArrayRef<int64_t> shapeOf(Value value) {
  auto type = tileType(value);
  return type ? type.getShape() : ArrayRef<int64_t>();
}

LogicalResult LoopFormer::emitPrint(tile::PrintOp op) {
  Location loc = op.getLoc();
  PrintRecord record = {};
  record.prefixSize = op.getPrefix().size();
  record.hex = op.getHex();
  record.numOperands = op.getOperands().size();
  if (record.numOperands == 0) {
    Value none = zero(LLVM::LLVMPointerType::get(builder.getContext()), 1);
    std::string bytes = packRecord(record, {}, op.getPrefix());
    callWithRecord(loc, offsetof(KernelServices, print), bytes, none);
    return success();
  }
  SmallVector<Value> pointers;
  for (Value operand : op.getOperands()) {
    FailureOr<Value> pointer = addressOf(operand);
    if (failed(pointer)) {
      return failure();
    }
    pointers.push_back(*pointer);
  }
  for (auto [index, operand] : llvm::enumerate(op.getOperands())) {
    Type element = getElementTypeOrSelf(operand.getType());
    record.operand = index;
    record.bits = isa<tile::PtrType>(element) ? 64 : element.getIntOrFloatBitWidth();
    record.kind = isa<tile::PtrType>(element)               ? PrintedKind::Pointer
                  : element.isBF16()                        ? PrintedKind::BFloat
                  : isa<FloatType>(element)                 ? PrintedKind::Float
                  : op.getSigns()[index] && record.bits > 1 ? PrintedKind::Signed
                                                            : PrintedKind::Unsigned;
    std::string bytes = packRecord(record, shapeOf(operand), op.getPrefix());
    callWithRecord(loc, offsetof(KernelServices, print), bytes, pointers[index]);
  }
  return success();
}

LogicalResult LoopFormer::emitAssert(tile::AssertOp op) {
  Location loc = op.getLoc();
  Value condition = op.getCondition();
  APInt known;
  if (matchPattern(condition, m_ConstantInt(&known)) && known.isOne()) {
    return success();
  }
  FailureOr<Value> pointer = addressOf(condition);
  if (failed(pointer)) {
    return failure();
  }
  Value holds;
  if (auto type = tileType(condition)) {
    // One pass over the bytes, none of which may be 0.
    Buffer bytes = buffers[condition];
    bytes.element = builder.getI8Type();
    bytes.shape = {type.getNumElements()};
    unsigned lanes = lanesForBits(8, 8, bytes.shape[0]);
    Type vector = withLanes(bytes.element, lanes);
    openNest(loc);
    Coord at;
    Value start = lanes == 1
                      ? constant(builder.getI8IntegerAttr(1))
                      : constant(DenseElementsAttr::get(cast<VectorType>(vector), APInt(8, 1)));
    scf::ForOp loop = nest->carryingLoop(0, bytes.shape[0], lanes, start, at);
    Chunk chunk;
    chunk.at.push_back(at);
    chunk.lanes = lanes;
    chunk.dim = lanes > 1 ? 0 : -1;
    Value next = loadBuffer(loc, bytes, chunk).value;
    nest->at(nest->depth());
    Value all = arith::AndIOp::create(builder, loc, loop.getRegionIterArg(0), next);
    builder.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(builder, loc, all);
    nest->leave();
    nest->at(0);
    Value byte = loop.getResult(0);
    if (lanes > 1) {
      byte = vector::ReductionOp::create(builder, loc, vector::CombiningKind::AND, byte);
    }
    holds = fromMemory(loc, byte, builder.getI1Type());
    closeNest();
  } else {
    holds = scalar(condition);
  }
  AssertRecord record = {};
  std::string place = compiler::describePlace(loc);
  record.placeSize = place.size();
  record.messageSize = op.getMessage().size();
  Value fails = arith::XOrIOp::create(builder, loc, holds, constant(builder.getBoolAttr(true)));
  auto branch = scf::IfOp::create(builder, loc, fails, /*withElseRegion=*/false);
  builder.setInsertionPointToStart(branch.thenBlock());
  std::string bytes = packRecord(record, shapeOf(condition), place, op.getMessage());
  callWithRecord(loc, offsetof(KernelServices, assertion), bytes, *pointer);
  builder.setInsertionPointAfter(branch);
  return success();
}

} // namespace tegula::cpu

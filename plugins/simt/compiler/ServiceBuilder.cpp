//===- ServiceBuilder.cpp - Writes calls of the simulator -----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServiceBuilder.h"
#include "tegula/Compiler/CodeGeneration.h"
#include "tegula/TileGPU/Layout/Fragments.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::simt;

ServiceBuilder::ServiceBuilder(ModuleOp module, Constants &constants, Operation *op, Value context)
    : module(module), constants(constants), builder(op), loc(op->getLoc()), context(context),
      opName(op->getName().getStringRef()) {}

Type ServiceBuilder::pointerType() { return LLVM::LLVMPointerType::get(builder.getContext()); }

Value ServiceBuilder::i32(int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(int32_t(value)));
}

Value ServiceBuilder::offset(Value pointer, int64_t bytes) {
  return LLVM::GEPOp::create(builder, loc, pointer.getType(), builder.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
}

Value ServiceBuilder::contextNumber(int64_t field) {
  auto load = LLVM::LoadOp::create(builder, loc, builder.getI32Type(), offset(context, field));
  load.setInvariant(true);
  return load;
}

Value ServiceBuilder::laneId() {
  return arith::RemUIOp::create(builder, loc, contextNumber(offsetof(Context, thread)),
                                i32(getWarpSize(module)));
}

Value ServiceBuilder::warpId() {
  return arith::DivUIOp::create(builder, loc, contextNumber(offsetof(Context, thread)),
                                i32(getWarpSize(module)));
}

Value ServiceBuilder::generic(Value pointer) {
  return pointer.getType() == pointerType()
             ? pointer
             : LLVM::AddrSpaceCastOp::create(builder, loc, pointerType(), pointer).getResult();
}

Value ServiceBuilder::toBits(Value value) {
  Type i64 = builder.getI64Type();
  if (isa<LLVM::LLVMPointerType>(value.getType())) {
    return LLVM::PtrToIntOp::create(builder, loc, i64, value);
  }
  if (auto type = dyn_cast<FloatType>(value.getType())) {
    value = arith::BitcastOp::create(builder, loc, builder.getIntegerType(type.getWidth()), value);
  }
  return value.getType() == i64 ? value
                                : arith::ExtUIOp::create(builder, loc, i64, value).getResult();
}

Value ServiceBuilder::fromBits(Value bits, Type type) {
  if (isa<LLVM::LLVMPointerType>(type)) {
    return LLVM::IntToPtrOp::create(builder, loc, type, bits);
  }
  const unsigned width = type.getIntOrFloatBitWidth();
  if (width < 64) {
    bits = arith::TruncIOp::create(builder, loc, builder.getIntegerType(width), bits);
  }
  return bits.getType() == type ? bits
                                : arith::BitcastOp::create(builder, loc, type, bits).getResult();
}

Value ServiceBuilder::zeroUnless(Value mask, Value value) {
  if (!mask) {
    return value;
  }
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(value.getType()));
  return arith::SelectOp::create(builder, loc, mask, value, zero);
}

Value ServiceBuilder::choose(Value mask, Value pointer, int64_t field) {
  if (!mask) {
    return pointer;
  }
  Value nobody = offset(context, field);
  if (nobody.getType() != pointer.getType()) {
    nobody = LLVM::AddrSpaceCastOp::create(builder, loc, pointer.getType(), nobody);
  }
  return LLVM::SelectOp::create(builder, loc, mask, pointer, nobody);
}

Value ServiceBuilder::stackSlot(Type type) {
  OpBuilder::InsertionGuard guard(builder);
  auto function = cast<BlockArgument>(context).getOwner()->getParentOp();
  builder.setInsertionPointToStart(&function->getRegion(0).front());
  Value one = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(1));
  return LLVM::AllocaOp::create(builder, loc, pointerType(), type, one, /*alignment=*/16);
}

LLVM::GlobalOp ServiceBuilder::makeGlobal(StringRef text) {
  OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
  const std::string name = "simt_constant_" + std::to_string(constants.count++);
  return LLVM::GlobalOp::create(top, loc, LLVM::LLVMArrayType::get(top.getI8Type(), text.size()),
                                /*isConstant=*/true, LLVM::Linkage::Internal, name,
                                top.getStringAttr(text), /*alignment=*/8);
}

Value ServiceBuilder::addressOf(LLVM::GlobalOp global) {
  return LLVM::AddressOfOp::create(builder, loc, pointerType(), global.getSymName());
}

Value ServiceBuilder::bytes(StringRef text) {
  LLVM::GlobalOp &global = constants.shared[text];
  if (!global) {
    global = makeGlobal(text);
  }
  return addressOf(global);
}

Value ServiceBuilder::place(bool isOwn) {
  std::string text = opName.str() + "\n" + compiler::describePlace(loc);
  text.push_back('\0');
  return isOwn ? addressOf(makeGlobal(text)) : bytes(text);
}

Value ServiceBuilder::call(int64_t field, Type result, ArrayRef<Value> operands) {
  Value table = LLVM::LoadOp::create(builder, loc, pointerType(),
                                     offset(context, offsetof(Context, services)));
  Value function = LLVM::LoadOp::create(builder, loc, pointerType(), offset(table, field));
  SmallVector<Type> types(ValueRange(operands).getTypes());
  auto type = LLVM::LLVMFunctionType::get(
      result ? result : LLVM::LLVMVoidType::get(builder.getContext()), types);
  SmallVector<Value> all = {function};
  all.append(operands.begin(), operands.end());
  auto made = LLVM::CallOp::create(builder, loc, type, all);
  return result ? made.getResult() : Value();
}

static uint64_t bytesOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    return bytesOf(vector.getElementType()) * vector.getNumElements();
  }
  return type.isIntOrFloat() ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8) : 8;
}

void ServiceBuilder::checkAccess(Value pointer, Type type, uint64_t alignment, uint32_t how) {
  const bool isShared = cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == 3;
  const uint64_t size = bytesOf(type);
  if (alignment == 0) {
    alignment = llvm::PowerOf2Ceil(size);
  }
  how |= uint32_t(std::min<uint64_t>(size, kAccessBytes)) |
         uint32_t(llvm::Log2_64(alignment) & 15) << kAccessAlignShift |
         (isShared ? kAccessShared : 0);
  call(offsetof(Services, access), Type(), {context, place(false), generic(pointer), i32(how)});
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Bytes of an argument in the block, which is its alignment too; 0: not in the ABI.
static unsigned argumentBytes(Type type) {
  if (isa<LLVM::LLVMPointerType>(type)) {
    return 8;
  }
  if (type.isInteger(1)) {
    return 1;
  }
  const unsigned bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits / 8 : 0;
}

static FailureOr<Value> makeEntry(func::FuncOp kernel) {
  MLIRContext *mlir = kernel.getContext();
  Location loc = kernel.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(mlir);
  if (kernel.getNumResults() != 0) {
    return kernel.emitError() << "expected a kernel without results, got " << kernel.getNumResults()
                              << diagID(diag::kSignature);
  }
  Block &entry = kernel.getBody().front();
  const unsigned count = entry.getNumArguments();
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  Value block = entry.addArgument(pointer, loc);
  Value context = entry.addArgument(pointer, loc);
  int64_t offset = 0;
  for (unsigned i = 0; i < count; ++i) {
    BlockArgument argument = entry.getArgument(i);
    Type type = argument.getType();
    const unsigned bytes = argumentBytes(type);
    if (bytes == 0) {
      return kernel.emitError() << "expected arguments of 8 to 64 bits, i1 or pointers, got "
                                << type << " as argument " << i << diagID(diag::kSignature);
    }
    offset = llvm::alignTo(offset, bytes);
    Value address = LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), block,
                                        ArrayRef<LLVM::GEPArg>{int32_t(offset)});
    auto load = LLVM::LoadOp::create(builder, loc, type.isInteger(1) ? builder.getI8Type() : type,
                                     address, bytes);
    load.setInvariant(true);
    Value value = load;
    if (type.isInteger(1)) {
      Value none = arith::ConstantOp::create(builder, loc, builder.getI8IntegerAttr(0));
      value = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value, none);
    }
    argument.replaceAllUsesWith(value);
    offset += bytes;
  }
  entry.eraseArguments(0, count);
  return context;
}

FailureOr<Value> tegula::simt::addContext(func::FuncOp function) {
  MLIRContext *mlir = function.getContext();
  Value context;
  if (function->hasAttr(tile::kKernelAttr)) {
    FailureOr<Value> made = makeEntry(function);
    if (failed(made)) {
      return failure();
    }
    context = *made;
  } else {
    context =
        function.getBody().front().addArgument(LLVM::LLVMPointerType::get(mlir), function.getLoc());
  }
  function.setFunctionType(FunctionType::get(mlir, function.getBody().front().getArgumentTypes(),
                                             function.getFunctionType().getResults()));
  function.removeArgAttrsAttr();
  function.walk([&](func::CallOp call) { call.getOperandsMutable().append(context); });
  return context;
}

unsigned tegula::simt::getWarpSize(ModuleOp module) {
  if (auto target = module->getAttrOfType<TargetAttr>(tile::kTargetAttr)) {
    return target.getArch() == "simt-64" ? 64 : 32;
  }
  return 32;
}

Element tegula::simt::elementOf(Type type, bool isSigned) {
  if (isa<LLVM::LLVMPointerType>(type)) {
    return Element::Pointer;
  }
  if (type.isF16()) {
    return Element::Float16;
  }
  if (type.isBF16()) {
    return Element::BFloat16;
  }
  if (type.isF32()) {
    return Element::Float32;
  }
  if (type.isF64()) {
    return Element::Float64;
  }
  if (type.isTF32()) {
    return Element::TF32;
  }
  if (isa<Float8E4M3FNType>(type)) {
    return Element::E4M3FN;
  }
  if (isa<Float8E5M2Type>(type)) {
    return Element::E5M2;
  }
  if (type.isUnsignedInteger()) {
    return Element::Unsigned;
  }
  return isSigned || type.isSignedInteger() ? Element::Signed : Element::Unsigned;
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

static std::optional<tilegpu::LinearMap> fragmentOf(tilegpu::MmaAttr mma, tilegpu::Operand operand,
                                                    unsigned bits) {
  switch (mma.getFamily()) {
  case tilegpu::MmaFamily::MmaSync:
    return tilegpu::mmaFragment(operand, bits);
  case tilegpu::MmaFamily::Mfma:
    return tilegpu::mfmaFragment(operand, mma.getM(), mma.getM() * mma.getK() / 64);
  case tilegpu::MmaFamily::Wmma:
    return tilegpu::wmmaFragment(operand, /*isGfx12=*/true);
  }
  return std::nullopt;
}

/// Bits of an element in registers: tf32 travels as f32.
static unsigned widthOf(Type type) { return type.isTF32() ? 32 : type.getIntOrFloatBitWidth(); }

bool tegula::simt::describeMatrices(tilegpu::MmaAttr mma, unsigned warpSize, std::string &text) {
  using tilegpu::Axis;
  using tilegpu::Operand;
  MatrixRecord record = {};
  record.m = mma.getM();
  record.n = mma.getN();
  record.k = mma.getK();
  record.warpSize = warpSize;
  const Type types[3] = {mma.getA(), mma.getB(), mma.getAcc()};
  const int64_t shapes[3][2] = {{record.m, record.k}, {record.k, record.n}, {record.m, record.n}};
  std::string tables;
  for (int i = 0; i < 3; ++i) {
    // Operands of half the accumulator's width have fragments of their own width.
    const unsigned bits = widthOf(types[i]);
    const std::optional<tilegpu::LinearMap> map = fragmentOf(mma,
                                                             i == 0   ? Operand::A
                                                             : i == 1 ? Operand::B
                                                                      : Operand::Accumulator,
                                                             i == 2 ? widthOf(types[0]) : bits);
    if (!map || map->getShape() != ArrayRef<int64_t>(shapes[i]) ||
        1u << map->getInputBits(Axis::Lane) != warpSize) {
      return false;
    }
    record.registers[i] = 1u << map->getInputBits(Axis::Register);
    record.types[i] = elementOf(types[i], types[i].isSignlessInteger());
    record.bits[i] = bits;
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      for (unsigned r = 0; r < record.registers[i]; ++r) {
        tilegpu::Indices indices = {};
        indices[unsigned(Axis::Lane)] = lane;
        indices[unsigned(Axis::Register)] = r;
        for (const int64_t coordinate : map->apply(indices)) {
          const auto number = uint16_t(coordinate);
          tables.append(reinterpret_cast<const char *>(&number), sizeof number);
        }
      }
    }
  }
  text.assign(reinterpret_cast<const char *>(&record), sizeof record);
  text += tables;
  return true;
}

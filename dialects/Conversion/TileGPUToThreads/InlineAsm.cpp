//===- InlineAsm.cpp - Instructions of the target, functions of libraries -===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One run of the text takes `pack` registers of each tile. Elements below 32 bits come
// together in 32 bits, the first in the lowest bits; fewer of them, or one alone, are what
// they are, widened with zeros where the constraint names a larger register. Where a thread
// holds no multiple of `pack`, the last element is given again and what comes of it is
// dropped.
//
//===----------------------------------------------------------------------===//

#include "Combiner.h"
#include "HandOver.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/TileGPU/Transforms/Diagnostics.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

namespace {
/// The constraints of one run, in the order of LLVM: outputs, inputs, what is clobbered.
struct Constraints {
  SmallVector<StringRef> outputs, inputs;

  explicit Constraints(StringRef text) {
    SmallVector<StringRef> all;
    text.split(all, ',', -1, /*KeepEmpty=*/false);
    for (StringRef one : all) {
      one = one.trim();
      if (one.consume_front("=")) {
        outputs.push_back(one.ltrim('&'));
      } else if (!one.starts_with("~")) {
        inputs.push_back(one);
      }
    }
    // One that names an output is in its register.
    for (StringRef &input : inputs) {
      unsigned output = 0;
      if (!input.getAsInteger(10, output) && output < outputs.size()) {
        input = outputs[output];
      }
    }
  }
};

/// Elements of a type that share a register.
unsigned getPerRegister(Type element, unsigned pack) {
  const unsigned bits =
      isa<LLVM::LLVMPointerType, tile::PtrType>(element) ? 64 : element.getIntOrFloatBitWidth();
  return bits < 32 ? std::min(32 / std::max(bits, 8u), pack) : 1;
}

unsigned getNumRegistersOf(Type type, unsigned pack) {
  const unsigned count = isa<RankedTensorType>(type) ? pack : 1;
  const unsigned each = getPerRegister(getElementTypeOrSelf(type), count);
  return (count + each - 1) / each;
}

/// What a constraint's register holds; null if it takes whatever comes.
Type getRegisterType(StringRef constraint, MLIRContext *context) {
  return llvm::StringSwitch<Type>(constraint)
      .Case("h", IntegerType::get(context, 16))
      .Case("r", IntegerType::get(context, 32))
      .Case("l", IntegerType::get(context, 64))
      .Case("f", Float32Type::get(context))
      .Case("d", Float64Type::get(context))
      .Default(Type());
}

unsigned getBits(Type type) {
  return isa<LLVM::LLVMPointerType, tile::PtrType>(type) ? 64 : type.getIntOrFloatBitWidth();
}
} // namespace

/// Constraints are as many as there are registers, and large enough.
static LogicalResult verifyConstraints(tile::InlineAsmOp op) {
  const Constraints constraints(op.getConstraints());
  const unsigned pack = op.getPack();
  auto check = [&](StringRef what, TypeRange types, ArrayRef<StringRef> list) -> LogicalResult {
    unsigned expected = 0;
    for (Type type : types) {
      Type element = getElementTypeOrSelf(type);
      const unsigned count = isa<RankedTensorType>(type) ? pack : 1;
      const unsigned bits = getBits(element) * getPerRegister(element, count);
      for (unsigned i = 0, e = getNumRegistersOf(type, pack); i < e; ++i, ++expected) {
        Type held =
            expected < list.size() ? getRegisterType(list[expected], op.getContext()) : Type();
        if (held && getBits(held) < bits) {
          return op.emitOpError() << "expected a constraint for " << bits << " bits as " << what
                                  << " " << expected << ", got '" << list[expected] << "'"
                                  << tile::diagID(diag::InlineAsm);
        }
      }
    }
    if (expected != list.size()) {
      return op.emitOpError() << "expected " << expected << " constraints of " << what << "s, got "
                              << list.size() << tile::diagID(diag::InlineAsm);
    }
    return success();
  };
  return failure(failed(check("output", op.getResultTypes(), constraints.outputs)) ||
                 failed(check("input", op.getOperandTypes(), constraints.inputs)));
}

LogicalResult tegula::tilegpu::verifyInlineAsm(ModuleOp module) {
  const WalkResult result = module.walk([&](Operation *op) {
    if (auto code = dyn_cast<tile::InlineAsmOp>(op); code && failed(verifyConstraints(code))) {
      return WalkResult::interrupt();
    }
    if (auto call = dyn_cast<tile::ExternOp>(op)) {
      op->emitOpError() << "expected a function that the target has, got '" << call.getSymbol()
                        << "' of '" << call.getLibrary() << "'" << tile::diagID(diag::Extern);
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// The pattern
//===----------------------------------------------------------------------===//

namespace {
struct InlineAsmPattern : ThreadPattern<tile::InlineAsmOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::InlineAsmOp op, OpAdaptor in,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder thread(rewriter, op.getLoc(), machine);
    const Constraints constraints(op.getConstraints());
    SmallVector<SmallVector<Value>> operands;
    unsigned count = 1;
    bool isTile = false;
    for (Value operand : in.getOperands()) {
      const bool isVector = isa<VectorType>(operand.getType());
      operands.push_back(isVector ? thread.unpack(operand) : SmallVector<Value>{operand});
      count = std::max<unsigned>(count, operands.back().size());
      isTile |= isVector;
    }
    for (Type type : op.getResultTypes()) {
      if (std::optional<Layout> layout = getLayout(type)) {
        count = getNumRegisters(*layout);
        isTile = true;
      }
    }
    const unsigned pack = isTile ? op.getPack() : 1;
    SmallVector<SmallVector<Value>> results(op.getNumResults());
    for (unsigned first = 0; first < count; first += pack) {
      run(op, thread, constraints, operands, first, pack, results);
    }
    SmallVector<Value> replacements;
    for (auto [elements, type] : llvm::zip_equal(results, op.getResultTypes())) {
      elements.truncate(count);
      replacements.push_back(isTile ? thread.pack(elements) : elements[0]);
    }
    if (!isTile && !op.getIsPure() && !op.use_empty() && !isOfEachThread(op)) {
      for (auto [i, value] : llvm::enumerate(replacements)) {
        value = handOverScalar(thread, value, scratchOf(op) + 8 * int64_t(i));
      }
    }
    rewriter.replaceOp(op, replacements);
    return success();
  }

private:
  /// Elements as an integer of so many bits, the first in the lowest.
  static Value join(ThreadBuilder &thread, ArrayRef<Value> elements) {
    OpBuilder &b = thread.builder;
    Value all;
    const unsigned bits = std::max(getBits(elements[0].getType()), 8u);
    Type whole = b.getIntegerType(bits * elements.size());
    for (auto [i, element] : llvm::enumerate(elements)) {
      Value part = toInteger(thread, element);
      if (part.getType() != whole) {
        part = arith::ExtUIOp::create(b, thread.loc, whole, part);
      }
      if (i != 0) {
        part = arith::ShLIOp::create(b, thread.loc, part, thread.constant(whole, i * bits));
      }
      all = all ? Value(arith::OrIOp::create(b, thread.loc, all, part)) : part;
    }
    return all;
  }
  static Value toInteger(ThreadBuilder &thread, Value value) {
    OpBuilder &b = thread.builder;
    if (isa<LLVM::LLVMPointerType>(value.getType())) {
      return LLVM::PtrToIntOp::create(b, thread.loc, b.getI64Type(), value);
    }
    if (isa<IntegerType>(value.getType())) {
      return value;
    }
    Type bits = b.getIntegerType(value.getType().getIntOrFloatBitWidth());
    return arith::BitcastOp::create(b, thread.loc, bits, value);
  }
  /// The value of `type` in the low bits of an integer.
  static Value fromInteger(ThreadBuilder &thread, Value value, Type type) {
    OpBuilder &b = thread.builder;
    Type bits = b.getIntegerType(getBits(type));
    if (value.getType() != bits) {
      value = arith::TruncIOp::create(b, thread.loc, bits, value);
    }
    if (isa<LLVM::LLVMPointerType>(type)) {
      return LLVM::IntToPtrOp::create(b, thread.loc, type, value);
    }
    return type == bits ? value : Value(arith::BitcastOp::create(b, thread.loc, type, value));
  }
  /// What the text is given: the integer in the constraint's register.
  static Value toRegister(ThreadBuilder &thread, Value value, Type type) {
    OpBuilder &b = thread.builder;
    Type bits = b.getIntegerType(getBits(type));
    if (value.getType() != bits) {
      value = arith::ExtUIOp::create(b, thread.loc, bits, value);
    }
    return type == bits ? value : Value(arith::BitcastOp::create(b, thread.loc, type, value));
  }

  /// One run, on elements first to first + pack - 1.
  void run(tile::InlineAsmOp op, ThreadBuilder &thread, const Constraints &constraints,
           ArrayRef<SmallVector<Value>> operands, unsigned first, unsigned pack,
           MutableArrayRef<SmallVector<Value>> results) const {
    OpBuilder &b = thread.builder;
    MLIRContext *context = op.getContext();
    SmallVector<Value> inputs;
    for (ArrayRef<Value> elements : operands) {
      const unsigned each = getPerRegister(elements[0].getType(), pack);
      for (unsigned i = 0; i < pack; i += each) {
        SmallVector<Value> together;
        for (unsigned k = 0; k < each; ++k) {
          together.push_back(elements[std::min<unsigned>(first + i + k, elements.size() - 1)]);
        }
        Type type = getRegisterType(constraints.inputs[inputs.size()], context);
        Value joined = each == 1 && !type ? together[0] : join(thread, together);
        inputs.push_back(type ? toRegister(thread, joined, type) : joined);
      }
    }
    SmallVector<Type> outputs;
    for (Type type : op.getResultTypes()) {
      Type element = getTypeConverter()->convertType(getElementTypeOrSelf(type));
      const unsigned each = getPerRegister(element, pack);
      for (unsigned i = 0; i < pack; i += each) {
        Type held = getRegisterType(constraints.outputs[outputs.size()], context);
        outputs.push_back(held ? held
                               : Type(b.getIntegerType(std::max(getBits(element), 8u) * each)));
      }
    }
    Type returned = outputs.empty()       ? Type()
                    : outputs.size() == 1 ? outputs[0]
                                          : LLVM::LLVMStructType::getLiteral(context, outputs);
    auto code = LLVM::InlineAsmOp::create(
        b, thread.loc, returned ? TypeRange(returned) : TypeRange(), inputs, op.getText(),
        op.getConstraints(), /*has_side_effects=*/!op.getIsPure(), /*is_align_stack=*/false,
        LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
    unsigned next = 0;
    for (auto [i, type] : llvm::enumerate(op.getResultTypes())) {
      Type element = getTypeConverter()->convertType(getElementTypeOrSelf(type));
      const unsigned each = getPerRegister(element, pack);
      const unsigned bits = std::max(getBits(element), 8u);
      for (unsigned k = 0; k < pack; k += each, ++next) {
        Value held = outputs.size() == 1 ? code.getResult(0)
                                         : Value(LLVM::ExtractValueOp::create(
                                               b, thread.loc, code.getResult(0), int64_t(next)));
        Value whole = toInteger(thread, held);
        for (unsigned part = 0; part < each; ++part) {
          Value low = whole;
          if (part != 0) {
            low = arith::ShRUIOp::create(b, thread.loc, whole,
                                         thread.constant(whole.getType(), part * bits));
          }
          results[i].push_back(fromInteger(thread, low, element));
        }
      }
    }
  }
};
} // namespace

void tegula::tilegpu::addInlineAsmPatterns(ThreadPatterns &list) { list.add<InlineAsmPattern>(); }

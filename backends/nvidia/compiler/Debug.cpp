//===- Debug.cpp - Prints and assertions
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each element of a print is a record in a buffer that the runtime reads
// (KernelRecords.h). An assertion is a vote of the program's threads; where one fails,
// those that failed leave records and all end.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tegula/Compiler/CodeGeneration.h"
#include "tegula/NVIDIA/KernelRecords.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tegula::nvidia {

static ArrayRef<int64_t> shapeOf(Operation *op) {
  auto shape = op->getAttrOfType<DenseI64ArrayAttr>("tilegpu.shape");
  return shape ? shape.asArrayRef() : ArrayRef<int64_t>();
}

static std::string packText(TextRecord record, ArrayRef<int64_t> shape, StringRef first,
                            StringRef second) {
  std::string tail;
  for (int64_t extent : shape) {
    const uint32_t number = extent;
    tail.append(reinterpret_cast<const char *>(&number), sizeof number);
  }
  tail += first;
  tail += second;
  record.size = sizeof record + tail.size();
  record.rank = shape.size();
  record.firstSize = first.size();
  record.secondSize = second.size();
  return std::string(reinterpret_cast<const char *>(&record), sizeof record) + tail;
}

namespace {
/// Writes the records of one kernel.
class RecordWriter {
public:
  RecordWriter(FunctionOpInterface kernel, Value buffer, Value counter)
      : kernel(kernel), buffer(buffer), counter(counter), b(builder, kernel.getLoc()) {}

  void lower(tilegpu::ThreadPrintOp op);
  void lower(tilegpu::ThreadAssertOp op);

private:
  Value at(Value base, Value bytes) {
    return LLVM::GEPOp::create(builder, b.loc, base.getType(), builder.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{bytes});
  }
  Value at(Value base, int64_t bytes) { return bytes == 0 ? base : at(base, b.i64(bytes)); }
  void store(Value value, Value base, int64_t offset) {
    const unsigned bytes = getBits(value.getType()) / 8;
    LLVM::StoreOp::create(builder, b.loc, value, at(base, offset), bytes > 4 ? 4 : bytes);
  }
  Value addTo(int64_t offset, Value amount) {
    return LLVM::AtomicRMWOp::create(builder, b.loc, LLVM::AtomicBinOp::add, at(buffer, offset),
                                     amount, LLVM::AtomicOrdering::monotonic, "device");
  }
  Value compare(arith::CmpIPredicate how, Value x, Value y) {
    return arith::CmpIOp::create(builder, b.loc, how, x, y);
  }
  void inside(Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = nullptr) {
    auto branch = scf::IfOp::create(builder, b.loc, condition, bool(otherwise));
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      then();
      if (otherwise) {
        builder.setInsertionPointToStart(branch.elseBlock());
        otherwise();
      }
    }
  }
  Value blockId(unsigned axis) {
    Type i32 = builder.getI32Type();
    return axis == 0   ? NVVM::BlockIdXOp::create(builder, b.loc, i32).getResult()
           : axis == 1 ? NVVM::BlockIdYOp::create(builder, b.loc, i32).getResult()
                       : NVVM::BlockIdZOp::create(builder, b.loc, i32).getResult();
  }
  /// A record at word `offset` behind the header.
  void write(Value offset, Value sequence, StringRef text, Value value, ValueRange indices);
  Value constantText(StringRef bytes);
  Value addressOf(StringRef name);
  Value failureKey(Value index);

  FunctionOpInterface kernel;
  Value buffer, counter;
  OpBuilder builder{kernel.getContext()};
  AsmBuilder b;
  llvm::StringMap<std::string> texts; ///< names of constants by their bytes
};
} // namespace

Value RecordWriter::constantText(StringRef bytes) {
  // All elements of a print have the same text, by which the runtime knows them.
  std::string &known = texts[bytes];
  if (!known.empty()) {
    return addressOf(known);
  }
  auto module = kernel->getParentOfType<ModuleOp>();
  std::string name;
  for (unsigned i = 0;; ++i) {
    name = ("tegula_text_" + Twine(i)).str();
    if (!module.lookupSymbol(name)) {
      break;
    }
  }
  OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
  auto array = LLVM::LLVMArrayType::get(top.getI8Type(), bytes.size());
  // Of the module: LLVM's debug information wants places of calls in functions alone.
  LLVM::GlobalOp::create(top, module.getLoc(), array, /*isConstant=*/true, LLVM::Linkage::Internal,
                         name, top.getStringAttr(bytes),
                         /*alignment=*/8, /*addrSpace=*/1);
  known = name;
  return addressOf(name);
}

Value RecordWriter::addressOf(StringRef name) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext(), 1);
  Value address = LLVM::AddressOfOp::create(builder, b.loc, pointer, name);
  return LLVM::PtrToIntOp::create(builder, b.loc, builder.getI64Type(), address);
}

void RecordWriter::write(Value offset, Value sequence, StringRef text, Value value,
                         ValueRange indices) {
  Value bytes = arith::MulIOp::create(
      builder, b.loc, arith::ExtUIOp::create(builder, b.loc, builder.getI64Type(), offset),
      b.i64(4));
  Value record = at(at(buffer, bytes), sizeof(RecordsHeader));
  store(sequence, record, offsetof(Record, sequence));
  store(constantText(text), record, offsetof(Record, text));
  for (unsigned axis = 0; axis < 3; ++axis) {
    store(blockId(axis), record, offsetof(Record, program) + 4 * axis);
  }
  store(value, record, offsetof(Record, value));
  for (auto [i, index] : llvm::enumerate(indices)) {
    store(index, record, sizeof(Record) + 4 * i);
  }
  store(b.i32(kRecordWords + indices.size()), record, offsetof(Record, words));
}

void RecordWriter::lower(tilegpu::ThreadPrintOp op) {
  builder.setInsertionPoint(op);
  b.loc = op.getLoc();
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  // The same in all threads, which run the same prints.
  Value sequence = LLVM::LoadOp::create(builder, b.loc, i32, counter, 4);
  LLVM::StoreOp::create(builder, b.loc, arith::AddIOp::create(builder, b.loc, sequence, b.i32(1)),
                        counter, 4);
  Type type = op.getValue().getType();
  TextRecord text = {};
  text.bits = getBits(type);
  text.hex = op.getHex();
  text.operand = op.getOperand();
  auto count = op->getAttrOfType<IntegerAttr>("tilegpu.operands");
  text.numOperands = count ? count.getInt() : 1;
  text.kind = op->hasAttr("tilegpu.text_only")    ? PrintedKind::None
              : isa<LLVM::LLVMPointerType>(type)  ? PrintedKind::Pointer
              : type.isBF16()                     ? PrintedKind::BFloat
              : isa<FloatType>(type)              ? PrintedKind::Float
              : op.getIsSigned() && text.bits > 1 ? PrintedKind::Signed
                                                  : PrintedKind::Unsigned;
  const std::string bytes = packText(text, shapeOf(op), op.getPrefix(), "");
  inside(op.getMask(), [&] {
    Value words = b.i32(kRecordWords + op.getIndices().size());
    Value capacity =
        LLVM::LoadOp::create(builder, b.loc, i32, at(buffer, offsetof(RecordsHeader, capacity)), 4);
    Value used = LLVM::LoadOp::create(builder, b.loc, i32, buffer, 4, /*isVolatile=*/true);
    // A full buffer is not counted further, so that the number cannot wrap.
    Value start = addTo(offsetof(RecordsHeader, used),
                        arith::SelectOp::create(builder, b.loc,
                                                compare(arith::CmpIPredicate::ult, used, capacity),
                                                words, b.i32(0)));
    Value end = arith::AddIOp::create(builder, b.loc, start, words);
    inside(
        compare(arith::CmpIPredicate::ule, end, capacity),
        [&] {
          Value value = b.toInteger(op.getValue());
          if (getBits(value.getType()) < 64) {
            value = arith::ExtUIOp::create(builder, b.loc, i64, value);
          }
          Value place = arith::AddIOp::create(builder, b.loc, start, b.i32(kFailureWords));
          write(place, sequence, bytes, value, op.getIndices());
        },
        [&] { addTo(offsetof(RecordsHeader, lost), b.i32(1)); });
  });
  op.erase();
}

Value RecordWriter::failureKey(Value index) {
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  auto wide = [&](Value value) -> Value {
    return arith::ExtUIOp::create(builder, b.loc, i64, value);
  };
  auto add = [&](Value x, Value y) -> Value { return arith::AddIOp::create(builder, b.loc, x, y); };
  auto multiply = [&](Value x, Value y) -> Value {
    return arith::MulIOp::create(builder, b.loc, x, y);
  };
  Value gridX = wide(NVVM::GridDimXOp::create(builder, b.loc, i32));
  Value gridY = wide(NVVM::GridDimYOp::create(builder, b.loc, i32));
  Value program = add(wide(blockId(0)),
                      multiply(gridX, add(wide(blockId(1)), multiply(gridY, wide(blockId(2))))));
  return add(multiply(program, b.i64(int64_t(1) << kElementBits)), wide(index));
}

void RecordWriter::lower(tilegpu::ThreadAssertOp op) {
  builder.setInsertionPoint(op);
  b.loc = op.getLoc();
  Type i32 = builder.getI32Type();
  TextRecord text = {};
  text.kind = kAssertion;
  const std::string bytes =
      packText(text, shapeOf(op), compiler::describePlace(op.getLoc()), op.getMessage());
  Value fails = compare(arith::CmpIPredicate::eq, op.getCondition(),
                        arith::ConstantOp::create(builder, b.loc, builder.getBoolAttr(false)));
  Value any = fails;
  if (!op->hasAttr("tilegpu.each_thread")) {
    auto reduction =
        NVVM::BarrierReductionAttr::get(builder.getContext(), NVVM::BarrierReduction::OR);
    Value vote =
        NVVM::BarrierOp::create(builder, b.loc, TypeRange{i32}, Value(), Value(), reduction,
                                arith::ExtUIOp::create(builder, b.loc, i32, fails))
            .getRes();
    any = compare(arith::CmpIPredicate::ne, vote, b.i32(0));
  }
  inside(any, [&] {
    inside(fails, [&] {
      Value key = failureKey(op.getIndex());
      Value before = LLVM::AtomicRMWOp::create(builder, b.loc, LLVM::AtomicBinOp::umin,
                                               at(buffer, offsetof(RecordsHeader, firstFailure)),
                                               key, LLVM::AtomicOrdering::monotonic, "device");
      inside(compare(arith::CmpIPredicate::ult, key, before), [&] {
        Value start = addTo(offsetof(RecordsHeader, failuresUsed), b.i32(kRecordWords));
        inside(compare(arith::CmpIPredicate::ule, start, b.i32(kFailureWords - kRecordWords)),
               [&] { write(start, b.i32(0), bytes, key, {}); });
      });
    });
    b.call("exit;", "~{memory}", {}, {}, /*hasEffects=*/true);
  });
  op.erase();
}

void lowerDebug(FunctionOpInterface kernel) {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (isa<tilegpu::ThreadPrintOp, tilegpu::ThreadAssertOp>(op)) {
      ops.push_back(op);
    }
  });
  auto function = dyn_cast<func::FuncOp>(kernel.getOperation());
  if (ops.empty() || !function) {
    return;
  }
  MLIRContext *context = kernel.getContext();
  Block &entry = function.front();
  Value buffer = entry.addArgument(LLVM::LLVMPointerType::get(context, 1), kernel.getLoc());
  function.setFunctionType(FunctionType::get(context, entry.getArgumentTypes(), TypeRange()));
  function.removeArgAttrsAttr();
  function->setAttr(kRecordsAttr, UnitAttr::get(context));
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  AsmBuilder b(builder, kernel.getLoc());
  Value counter = LLVM::AllocaOp::create(builder, b.loc, LLVM::LLVMPointerType::get(context),
                                         builder.getI32Type(), b.i32(1), 4);
  LLVM::StoreOp::create(builder, b.loc, b.i32(0), counter, 4);
  RecordWriter writer(kernel, buffer, counter);
  for (Operation *op : ops) {
    if (auto print = dyn_cast<tilegpu::ThreadPrintOp>(op)) {
      writer.lower(print);
    } else {
      writer.lower(cast<tilegpu::ThreadAssertOp>(op));
    }
  }
}

} // namespace tegula::nvidia

//===- Services.cpp - What threads ask of the simulator -------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that names other threads or memory that is checked becomes a call through
// the table in the context; masks become the choice between an address and one that
// nobody minds, so that accesses need no branches.
//
//===----------------------------------------------------------------------===//

#include "ServiceBuilder.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::simt;

namespace {

class Lowering : public ServiceBuilder {
public:
  Lowering(ModuleOp module, Constants &constants, Operation *op, Value context)
      : ServiceBuilder(module, constants, op, context), op(op) {}

  LogicalResult lower();

private:
  Operation *op;

  LogicalResult replace(Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return success();
  }
  LogicalResult done() {
    op->erase();
    return success();
  }
  /// A number of the context as an index.
  LogicalResult replaceByNumber(Value number) {
    return replace(
        arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), number).getResult());
  }
  LogicalResult refuse(const Twine &what) {
    return op->emitError() << "expected what the simulator runs, got " << what
                           << diagID(diag::kUnsupported);
  }
  LogicalResult dimension(gpu::Dimension dim, size_t field) {
    return replaceByNumber(contextNumber(field + 4 * unsigned(dim)));
  }

  /// A record with the extents of the op's tile and a text behind it.
  template <typename Record> std::string packRecord(const Record &record, StringRef text) {
    std::string packed(reinterpret_cast<const char *>(&record), sizeof record);
    auto shape = op->getAttrOfType<DenseI64ArrayAttr>("tilegpu.shape");
    for (uint32_t i = 0; i < record.rank; ++i) {
      const auto extent = uint32_t(shape && i < shape.size() ? shape[i] : 1);
      packed.append(reinterpret_cast<const char *>(&extent), sizeof extent);
    }
    return packed + text.str();
  }

  LogicalResult lowerShuffle(gpu::ShuffleOp shuffle);
  LogicalResult lowerLoad(tilegpu::ThreadLoadOp load);
  LogicalResult lowerStore(tilegpu::ThreadStoreOp store);
  LogicalResult lowerRMW(tilegpu::ThreadAtomicRMWOp rmw);
  LogicalResult lowerCAS(tilegpu::ThreadAtomicCASOp cas);
  LogicalResult lowerMma(tilegpu::MmaOp mma);
  LogicalResult lowerLoadMatrix(tilegpu::LoadMatrixOp load);
  LogicalResult lowerAsyncCopy(tilegpu::ThreadAsyncCopyOp copy);
  LogicalResult lowerPrint(tilegpu::ThreadPrintOp print);
  LogicalResult lowerAssert(tilegpu::ThreadAssertOp assertion);
};

} // namespace

LogicalResult Lowering::lowerShuffle(gpu::ShuffleOp shuffle) {
  Type type = shuffle.getValue().getType();
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() > 64) {
    return refuse("a shuffle of " + describe(type));
  }
  Shuffle mode = Shuffle::Xor;
  switch (shuffle.getMode()) {
  case gpu::ShuffleMode::XOR:
    break;
  case gpu::ShuffleMode::UP:
    mode = Shuffle::Up;
    break;
  case gpu::ShuffleMode::DOWN:
    mode = Shuffle::Down;
    break;
  case gpu::ShuffleMode::IDX:
    mode = Shuffle::Index;
    break;
  }
  Value bits = call(offsetof(Services, shuffle), builder.getI64Type(),
                    {context, place(true), i32(unsigned(mode)), toBits(shuffle.getValue()),
                     shuffle.getOffset(), shuffle.getWidth()});
  shuffle.getValid().replaceAllUsesWith(
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
  shuffle.getShuffleResult().replaceAllUsesWith(fromBits(bits, type));
  return done();
}

LogicalResult Lowering::lowerLoad(tilegpu::ThreadLoadOp load) {
  Type type = load.getResult().getType();
  Value pointer = choose(load.getMask(), load.getPtr(), offsetof(Context, zeros));
  checkAccess(pointer, type, load.getAlignment(), 0);
  Value value =
      LLVM::LoadOp::create(builder, loc, type, pointer, load.getAlignment(), load.getIsVolatile());
  if (load.getMask()) {
    Value other = load.getOther();
    if (!other) {
      other = LLVM::ZeroOp::create(builder, loc, type);
    }
    value = LLVM::SelectOp::create(builder, loc, load.getMask(), value, other);
  }
  return replace(value);
}

LogicalResult Lowering::lowerStore(tilegpu::ThreadStoreOp store) {
  Value pointer = choose(store.getMask(), store.getPtr(), offsetof(Context, sink));
  checkAccess(pointer, store.getValue().getType(), store.getAlignment(), kAccessWrite);
  LLVM::StoreOp::create(builder, loc, store.getValue(), pointer, store.getAlignment());
  return done();
}

LogicalResult Lowering::lowerRMW(tilegpu::ThreadAtomicRMWOp rmw) {
  Type type = rmw.getValue().getType();
  Element element = elementOf(type, /*isSigned=*/rmw.getKind() == tile::AtomicKind::Max ||
                                        rmw.getKind() == tile::AtomicKind::Min);
  Value pointer = choose(rmw.getMask(), rmw.getPtr(), offsetof(Context, sink));
  const unsigned bits = type.getIntOrFloatBitWidth();
  checkAccess(pointer, type, std::max(1u, bits / 8), kAccessWrite | kAccessAtomic);
  Value old = call(offsetof(Services, atomicRMW), builder.getI64Type(),
                   {i32(unsigned(rmw.getKind())), i32(unsigned(element)), i32(bits),
                    generic(pointer), toBits(rmw.getValue())});
  return replace(zeroUnless(rmw.getMask(), fromBits(old, type)));
}

LogicalResult Lowering::lowerCAS(tilegpu::ThreadAtomicCASOp cas) {
  Type type = cas.getValue().getType();
  Value pointer = choose(cas.getMask(), cas.getPtr(), offsetof(Context, sink));
  const unsigned bits = type.getIntOrFloatBitWidth();
  checkAccess(pointer, type, std::max(1u, bits / 8), kAccessWrite | kAccessAtomic);
  Value old =
      call(offsetof(Services, atomicCAS), builder.getI64Type(),
           {i32(bits), generic(pointer), toBits(cas.getExpected()), toBits(cas.getValue())});
  return replace(zeroUnless(cas.getMask(), fromBits(old, type)));
}

LogicalResult Lowering::lowerMma(tilegpu::MmaOp mma) {
  std::string record;
  if (!describeMatrices(mma.getInstruction(), getWarpSize(module), record)) {
    return refuse("the instruction " + describe(mma.getInstruction()));
  }
  Value result = stackSlot(mma.getResult().getType());
  SmallVector<Value> operands = {context, place(true), bytes(record)};
  for (Value operand : {mma.getA(), mma.getB(), mma.getAcc()}) {
    Value slot = stackSlot(operand.getType());
    LLVM::StoreOp::create(builder, loc, operand, slot);
    operands.push_back(slot);
  }
  operands.push_back(result);
  call(offsetof(Services, mma), Type(), operands);
  return replace(LLVM::LoadOp::create(builder, loc, mma.getResult().getType(), result));
}

LogicalResult Lowering::lowerLoadMatrix(tilegpu::LoadMatrixOp load) {
  Value slot = stackSlot(load.getResult().getType());
  call(offsetof(Services, loadMatrix), Type(),
       {context, place(true), generic(load.getPtr()), i32(load.getCount()),
        i32(load.getTrans() ? 1 : 0), slot});
  return replace(LLVM::LoadOp::create(builder, loc, load.getResult().getType(), slot));
}

LogicalResult Lowering::lowerAsyncCopy(tilegpu::ThreadAsyncCopyOp copy) {
  Value isOn = i32(1);
  if (copy.getMask()) {
    isOn = arith::ExtUIOp::create(builder, loc, builder.getI32Type(), copy.getMask());
  }
  call(offsetof(Services, asyncCopy), Type(),
       {context, place(false), generic(copy.getShared()), generic(copy.getPtr()),
        i32(copy.getBytes()), isOn});
  return done();
}

LogicalResult Lowering::lowerPrint(tilegpu::ThreadPrintOp print) {
  Type type = print.getValue().getType();
  PrintRecord record = {};
  record.type = elementOf(type, print.getIsSigned());
  record.bits = isa<LLVM::LLVMPointerType>(type) ? 64 : type.getIntOrFloatBitWidth();
  record.hex = print.getHex();
  record.isTextOnly = print->hasAttr("tilegpu.text_only");
  record.operand = print.getOperand();
  auto operands = print->getAttrOfType<IntegerAttr>("tilegpu.operands");
  record.numOperands = operands ? operands.getInt() : 1;
  record.rank = print.getIndices().size();
  record.prefixSize = print.getPrefix().size();
  std::string text = packRecord(record, print.getPrefix());
  auto branch = scf::IfOp::create(builder, loc, print.getMask(), /*withElseRegion=*/false);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value indices =
      stackSlot(LLVM::LLVMArrayType::get(builder.getI32Type(), std::max<unsigned>(record.rank, 1)));
  for (auto [number, index] : llvm::enumerate(print.getIndices())) {
    LLVM::StoreOp::create(builder, loc, index, offset(indices, 4 * number));
  }
  call(offsetof(Services, print), Type(),
       {context, bytes(text), indices, toBits(print.getValue())});
  return done();
}

LogicalResult Lowering::lowerAssert(tilegpu::ThreadAssertOp assertion) {
  Value holds =
      arith::ExtUIOp::create(builder, loc, builder.getI32Type(), assertion.getCondition());
  AssertRecord record = {};
  if (auto shape = assertion->getAttrOfType<DenseI64ArrayAttr>("tilegpu.shape")) {
    record.rank = shape.size();
  }
  record.isAlone = assertion->hasAttr("tilegpu.each_thread");
  record.messageSize = assertion.getMessage().size();
  call(offsetof(Services, assertion), Type(),
       {context, place(true), bytes(packRecord(record, assertion.getMessage())), holds,
        assertion.getIndex()});
  return done();
}

LogicalResult Lowering::lower() {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](gpu::ThreadIdOp id) {
        return id.getDimension() == gpu::Dimension::x
                   ? replaceByNumber(contextNumber(offsetof(Context, thread)))
                   : replace(arith::ConstantIndexOp::create(builder, loc, 0));
      })
      .Case([&](gpu::BlockDimOp size) {
        return size.getDimension() == gpu::Dimension::x
                   ? replaceByNumber(contextNumber(offsetof(Context, numThreads)))
                   : replace(arith::ConstantIndexOp::create(builder, loc, 1));
      })
      .Case([&](gpu::BlockIdOp id) {
        return dimension(id.getDimension(), offsetof(Context, program));
      })
      .Case([&](gpu::GridDimOp size) {
        return dimension(size.getDimension(), offsetof(Context, grid));
      })
      .Case([&](gpu::LaneIdOp) { return replaceByNumber(laneId()); })
      .Case([&](gpu::SubgroupIdOp) { return replaceByNumber(warpId()); })
      .Case([&](gpu::SubgroupSizeOp) {
        return replaceByNumber(contextNumber(offsetof(Context, warpSize)));
      })
      .Case([&](gpu::BarrierOp) {
        call(offsetof(Services, barrier), Type(), {context, place(true)});
        return done();
      })
      .Case([&](gpu::ShuffleOp shuffle) { return lowerShuffle(shuffle); })
      .Case([&](tilegpu::SharedBaseOp) {
        Value address = LLVM::LoadOp::create(builder, loc, pointerType(),
                                             offset(context, offsetof(Context, shared)));
        return replace(
            LLVM::AddrSpaceCastOp::create(builder, loc, op->getResult(0).getType(), address));
      })
      .Case([&](tilegpu::ThreadLoadOp load) { return lowerLoad(load); })
      .Case([&](tilegpu::ThreadStoreOp store) { return lowerStore(store); })
      .Case([&](tilegpu::ThreadAtomicRMWOp rmw) { return lowerRMW(rmw); })
      .Case([&](tilegpu::ThreadAtomicCASOp cas) { return lowerCAS(cas); })
      .Case([&](tilegpu::MmaOp mma) { return lowerMma(mma); })
      .Case([&](tilegpu::LoadMatrixOp load) { return lowerLoadMatrix(load); })
      .Case([&](tilegpu::ThreadAsyncCopyOp copy) { return lowerAsyncCopy(copy); })
      .Case([&](tilegpu::ThreadAsyncCommitOp) {
        call(offsetof(Services, asyncCommit), Type(), {context});
        return done();
      })
      .Case([&](tilegpu::ThreadAsyncWaitOp wait) {
        call(offsetof(Services, asyncWait), Type(),
             {context, place(false), i32(wait.getPending())});
        return done();
      })
      .Case([&](tilegpu::ThreadPrintOp print) { return lowerPrint(print); })
      .Case([&](tilegpu::ThreadAssertOp assertion) { return lowerAssert(assertion); })
      .Case([&](LLVM::LoadOp load) {
        checkAccess(load.getAddr(), load.getType(), load.getAlignment().value_or(0), 0);
        return success();
      })
      .Case([&](LLVM::StoreOp store) {
        checkAccess(store.getAddr(), store.getValue().getType(), store.getAlignment().value_or(0),
                    kAccessWrite);
        return success();
      })
      .Case([&](LLVM::AtomicRMWOp rmw) {
        checkAccess(rmw.getPtr(), rmw.getVal().getType(), 0, kAccessWrite | kAccessAtomic);
        return success();
      })
      .Case([&](LLVM::AtomicCmpXchgOp cas) {
        checkAccess(cas.getPtr(), cas.getVal().getType(), 0, kAccessWrite | kAccessAtomic);
        return success();
      })
      .Default([&](Operation *) { return refuse("'" + op->getName().getStringRef() + "'"); });
}

static bool isLowered(Operation *op) {
  return isa<gpu::GPUDialect, tilegpu::TileGPUDialect, tile::TileDialect>(op->getDialect()) ||
         isa<LLVM::InlineAsmOp, LLVM::LoadOp, LLVM::StoreOp, LLVM::AtomicRMWOp,
             LLVM::AtomicCmpXchgOp>(op);
}

LogicalResult tegula::simt::lowerToServices(ModuleOp module) {
  Constants constants;
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  for (func::FuncOp function : functions) {
    if (function.isExternal()) {
      return function.emitError() << "expected what the simulator runs, got a function of others"
                                  << diagID(diag::kUnsupported);
    }
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) {
      if (op->getDialect() && isLowered(op)) {
        ops.push_back(op);
      }
    });
    FailureOr<Value> context = addContext(function);
    if (failed(context)) {
      return failure();
    }
    for (Operation *op : ops) {
      if (failed(Lowering(module, constants, op, *context).lower())) {
        return failure();
      }
    }
  }
  return success();
}

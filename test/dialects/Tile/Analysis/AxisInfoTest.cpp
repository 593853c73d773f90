//===- AxisInfoTest.cpp - Checks axis facts against computed values ------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds random tile programs, runs them on concrete arguments and tests every
// fact of the analysis on every value that occurs, in loops on every trip.
//
//===----------------------------------------------------------------------===//

#include "tegula/Tile/Analysis/AxisInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "tegula/Tile/IR/Tile.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace tegula::tile;

namespace {

using Elements = SmallVector<uint64_t>; // low bits hold the value, others are 0

unsigned widthOf(Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  return integer ? integer.getWidth() : 64;
}
SmallVector<int64_t> shapeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? SmallVector<int64_t>(tensor.getShape()) : SmallVector<int64_t>{1};
}
int64_t countOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getNumElements() : 1;
}
uint64_t cut(uint64_t value, unsigned width) {
  return width == 64 ? value : value & ((uint64_t(1) << width) - 1);
}
int64_t asSigned(uint64_t value, unsigned width) { return llvm::SignExtend64(value, width); }

/// Index of the element with multi-index `index` in row-major order.
int64_t flatten(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t flat = 0;
  for (auto [i, size] : llvm::zip_equal(index, shape)) {
    flat = flat * size + i;
  }
  return flat;
}
SmallVector<int64_t> unflatten(int64_t flat, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = flat % shape[d];
    flat /= shape[d];
  }
  return index;
}

//===----------------------------------------------------------------------===//
// Interpreter
//===----------------------------------------------------------------------===//

class Interpreter {
public:
  explicit Interpreter(const AxisInfoAnalysis &analysis) : analysis(analysis) {}

  /// Runs `block`; facts are collected in `seen` and judged by the caller.
  void run(Block &block) {
    for (Operation &op : block.without_terminator()) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        runLoop(loop);
        continue;
      }
      for (Value result : op.getResults()) {
        define(result, compute(&op));
      }
    }
  }
  void define(Value value, Elements elements) {
    for (uint64_t &element : elements) {
      element = cut(element, widthOf(value.getType()));
    }
    check(value, elements);
    values[value] = std::move(elements);
  }

  bool wrapped = false; ///< signed arithmetic of 32 or 64 bits left its range
  std::string problem;  ///< the first fact that does not hold

private:
  const Elements &get(Value value) { return values.find(value)->second; }

  void runLoop(scf::ForOp loop) {
    SmallVector<Elements> carried;
    for (Value init : loop.getInitArgs()) {
      carried.push_back(get(init));
    }
    int64_t lower = asSigned(get(loop.getLowerBound())[0], 32);
    int64_t upper = asSigned(get(loop.getUpperBound())[0], 32);
    int64_t step = asSigned(get(loop.getStep())[0], 32);
    for (int64_t i = lower; i < upper; i += step) {
      define(loop.getInductionVar(), {uint64_t(i)});
      for (auto [argument, elements] : llvm::zip_equal(loop.getRegionIterArgs(), carried)) {
        define(argument, elements);
      }
      run(*loop.getBody());
      for (auto [index, value] : llvm::enumerate(loop.getBody()->getTerminator()->getOperands())) {
        carried[index] = get(value);
      }
    }
    for (auto [result, elements] : llvm::zip_equal(loop.getResults(), carried)) {
      define(result, elements);
    }
  }

  /// One element of an elementwise op.
  uint64_t element(Operation *op, ArrayRef<uint64_t> in, unsigned width, unsigned fromWidth) {
    auto s = [&](uint64_t v) { return asSigned(v, fromWidth); };
    auto arithmetic = [&](__int128 exact) {
      __int128 limit = __int128(1) << (width - 1);
      wrapped = wrapped || (width >= 32 && (exact >= limit || exact < -limit));
      return uint64_t(exact);
    };
    return llvm::TypeSwitch<Operation *, uint64_t>(op)
        .Case<arith::AddIOp>([&](auto) { return arithmetic(__int128(s(in[0])) + s(in[1])); })
        .Case<arith::SubIOp>([&](auto) { return arithmetic(__int128(s(in[0])) - s(in[1])); })
        .Case<arith::MulIOp>([&](auto) { return arithmetic(__int128(s(in[0])) * s(in[1])); })
        .Case<arith::AndIOp>([&](auto) { return in[0] & in[1]; })
        .Case<arith::OrIOp>([&](auto) { return in[0] | in[1]; })
        .Case<arith::XOrIOp>([&](auto) { return in[0] ^ in[1]; })
        .Case<arith::MinSIOp>([&](auto) { return s(in[0]) < s(in[1]) ? in[0] : in[1]; })
        .Case<arith::MaxSIOp>([&](auto) { return s(in[0]) > s(in[1]) ? in[0] : in[1]; })
        .Case<arith::ExtSIOp>([&](auto) { return uint64_t(s(in[0])); })
        .Case<arith::ExtUIOp, arith::TruncIOp>([&](auto) { return in[0]; })
        .Case<arith::SelectOp>([&](auto) { return in[0] ? in[1] : in[2]; })
        .Case<arith::CmpIOp>([&](arith::CmpIOp compare) -> uint64_t {
          return arith::applyCmpPredicate(compare.getPredicate(), APInt(fromWidth, in[0]),
                                          APInt(fromWidth, in[1]));
        })
        .Case<DivOp>([&](DivOp div) -> uint64_t {
          if (in[1] == 0) {
            return 0;
          }
          if (div.getSignedness() == Signedness::Unsigned) {
            return in[0] / in[1];
          }
          return s(in[1]) == -1 ? uint64_t(0) - in[0] : uint64_t(s(in[0]) / s(in[1]));
        })
        .Case<RemOp>([&](RemOp rem) -> uint64_t {
          if (in[1] == 0) {
            return in[0];
          }
          if (rem.getSignedness() == Signedness::Unsigned) {
            return in[0] % in[1];
          }
          return s(in[1]) == -1 ? 0 : uint64_t(s(in[0]) % s(in[1]));
        })
        .Case<ShlOp>([&](auto) -> uint64_t {
          if (in[1] >= width) {
            return 0;
          }
          return arithmetic(__int128(s(in[0])) << in[1]);
        })
        .Case<ShrOp>([&](ShrOp shr) -> uint64_t {
          if (shr.getSignedness() == Signedness::Unsigned) {
            return in[1] >= width ? 0 : in[0] >> in[1];
          }
          return uint64_t(s(in[0]) >> std::min<uint64_t>(in[1], width - 1));
        })
        .Case<AddPtrOp>([&](AddPtrOp add) {
          Type pointee =
              cast<PtrType>(getElementTypeOrSelf(add.getPtr().getType())).getPointeeType();
          int64_t offset = asSigned(in[1], widthOf(add.getOffset().getType()));
          return in[0] + uint64_t(offset) * getElementBytes(pointee);
        })
        .Case<PtrCastOp, PtrToIntOp, IntToPtrOp>([&](auto) { return in[0]; })
        .Default([&](Operation *other) -> uint64_t {
          ADD_FAILURE() << "no semantics for " << other->getName().getStringRef().str();
          return 0;
        });
  }

  Elements compute(Operation *op) {
    Type type = op->getResult(0).getType();
    SmallVector<int64_t> shape = shapeOf(type);
    int64_t count = countOf(type);
    Elements result(count);
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (auto dense = dyn_cast<DenseIntElementsAttr>(constant.getValue())) {
        for (auto [index, v] : llvm::enumerate(dense.getValues<APInt>())) {
          result[index] = v.getZExtValue();
        }
      } else {
        result[0] = cast<IntegerAttr>(constant.getValue()).getValue().getZExtValue();
      }
      return result;
    }
    if (auto range = dyn_cast<RangeOp>(op)) {
      for (int64_t i = 0; i < count; ++i) {
        result[i] = uint64_t(int64_t(int32_t(range.getStart())) + i);
      }
      return result;
    }
    if (isa<SplatOp>(op)) {
      return Elements(count, get(op->getOperand(0))[0]);
    }
    if (isa<ReshapeOp, ExpandDimsOp>(op)) {
      return get(op->getOperand(0));
    }
    if (isa<BroadcastOp, TransposeOp>(op)) {
      const Elements &source = get(op->getOperand(0));
      SmallVector<int64_t> from = shapeOf(op->getOperand(0).getType());
      for (int64_t flat = 0; flat < count; ++flat) {
        SmallVector<int64_t> index = unflatten(flat, shape), at = index;
        for (size_t d = 0; d < from.size(); ++d) {
          if (auto transpose = dyn_cast<TransposeOp>(op)) {
            at[transpose.getOrder()[d]] = index[d];
          } else {
            at[d] = from[d] == 1 ? 0 : index[d];
          }
        }
        result[flat] = source[flatten(at, from)];
      }
      return result;
    }
    for (int64_t i = 0; i < count; ++i) {
      SmallVector<uint64_t> in;
      for (Value operand : op->getOperands()) {
        const Elements &elements = get(operand);
        in.push_back(elements[elements.size() == 1 ? 0 : i]);
      }
      result[i] = element(op, in, widthOf(type), widthOf(op->getOperand(0).getType()));
    }
    return result;
  }

  void check(Value value, const Elements &elements) {
    const AxisInfo *info = analysis.lookup(value);
    if (!info) {
      fail(value, "no facts");
      return;
    }
    unsigned width = widthOf(value.getType());
    SmallVector<int64_t> shape = shapeOf(value.getType());
    auto ptr = dyn_cast<PtrType>(getElementTypeOrSelf(value.getType()));
    uint64_t unit = ptr ? getElementBytes(ptr.getPointeeType()) : 1;
    for (int64_t flat = 0, e = elements.size(); flat < e; ++flat) {
      SmallVector<int64_t> index = unflatten(flat, shape);
      if (info->getConstant() && elements[flat] != cut(uint64_t(*info->getConstant()), width)) {
        fail(value, "constant");
      }
      if (info->isNonNegative() && asSigned(elements[flat], width) < 0) {
        fail(value, "sign");
      }
      if (elements[flat] % info->getElementDivisibility() != 0) {
        fail(value, "divisibility of elements");
      }
      for (size_t d = 0; d < shape.size(); ++d) {
        int64_t c = info->getContiguity(d), k = info->getConstancy(d);
        if (shape[d] % c != 0 || shape[d] % k != 0) {
          fail(value, "run does not divide the dimension");
          return;
        }
        auto at = [&](int64_t position) {
          SmallVector<int64_t> other = index;
          other[d] = position;
          return elements[flatten(other, shape)];
        };
        int64_t place = index[d] % c;
        if (elements[flat] != cut(at(index[d] - place) + uint64_t(place) * unit, width)) {
          fail(value, "contiguity");
        }
        if (place == 0 && elements[flat] % info->getDivisibility(d) != 0) {
          fail(value, "divisibility");
        }
        if (elements[flat] != at(index[d] - index[d] % k)) {
          fail(value, "constancy");
        }
      }
    }
  }

  void fail(Value value, StringRef what) {
    if (problem.empty()) {
      llvm::raw_string_ostream stream(problem);
      stream << what << " of " << value << ": ";
      if (const AxisInfo *info = analysis.lookup(value)) {
        info->print(stream);
      }
    }
  }

  const AxisInfoAnalysis &analysis;
  llvm::DenseMap<Value, Elements> values;
};

//===----------------------------------------------------------------------===//
// Random programs
//===----------------------------------------------------------------------===//

class Generator {
public:
  Generator(MLIRContext *context, unsigned seed) : builder(context), random(seed) {}

  OwningOpRef<ModuleOp> make() {
    Location loc = builder.getUnknownLoc();
    OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
    builder.setInsertionPointToStart(module->getBody());
    SmallVector<Type> arguments{builder.getI32Type(), builder.getI32Type(), builder.getI64Type(),
                                PtrType::get(builder.getF32Type()),
                                PtrType::get(builder.getI8Type())};
    auto function = func::FuncOp::create(builder, loc, "f", builder.getFunctionType(arguments, {}));
    for (unsigned i = 0; i < arguments.size(); ++i) {
      function.setArgAttr(i, kDivisibilityAttr,
                          builder.getI32IntegerAttr(getArgumentDivisibility(i)));
    }
    Block *block = function.addEntryBlock();
    builder.setInsertionPointToStart(block);
    SmallVector<Value> pool;
    llvm::append_range(pool, block->getArguments());
    add(pool, 26, /*depth=*/0);
    func::ReturnOp::create(builder, loc);
    return module;
  }

  static int64_t getArgumentDivisibility(unsigned argument) {
    constexpr int64_t known[] = {1, 16, 4, 16, 8};
    return known[argument];
  }

private:
  unsigned pick(unsigned count) { return random() % count; }

  /// Appends about `count` ops; their results join the pool.
  void add(SmallVector<Value> &pool, unsigned count, unsigned depth) {
    for (unsigned i = 0; i < count; ++i) {
      if (depth == 0 && pick(16) == 0) {
        addLoop(pool);
      } else if (Value value = makeOne(pool)) {
        pool.push_back(value);
      }
    }
  }

  template <typename PredicateT> Value find(ArrayRef<Value> pool, PredicateT predicate) {
    SmallVector<Value> fits;
    llvm::copy_if(pool, std::back_inserter(fits), predicate);
    return fits.empty() ? Value() : fits[pick(fits.size())];
  }
  static bool isInt(Type type, unsigned least = 8) {
    auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
    return integer && integer.getWidth() >= least;
  }
  static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

  Value constant(Type type) {
    static constexpr int64_t interesting[] = {0,  1,  2,  3,  4,   7,  8,  12, 15, 16,
                                              31, 32, 48, 64, 128, -1, -4, -8, -16};
    auto element = cast<IntegerType>(getElementTypeOrSelf(type));
    IntegerAttr value = builder.getIntegerAttr(
        element, APInt(element.getWidth(), interesting[pick(std::size(interesting))], true, true));
    TypedAttr attribute = value;
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      attribute = DenseElementsAttr::get(tensor, value);
    }
    return arith::ConstantOp::create(builder, builder.getUnknownLoc(), attribute);
  }

  Value makeOne(ArrayRef<Value> pool) {
    Location loc = builder.getUnknownLoc();
    switch (pick(27)) {
    case 0:
    case 1: {
      static constexpr int64_t sizes[] = {1, 4, 8, 12, 16, 32};
      int32_t size = sizes[pick(6)], start = int32_t(pick(5)) * 4 - 4;
      return RangeOp::create(builder, loc, RankedTensorType::get({size}, builder.getI32Type()),
                             builder.getI32IntegerAttr(start),
                             builder.getI32IntegerAttr(start + size));
    }
    case 2: {
      Value tile = find(pool, isTile);
      Value scalar = find(pool, [](Value v) { return !isTile(v); });
      return tile ? SplatOp::create(builder, loc, withShapeOf(scalar.getType(), tile.getType()),
                                    scalar)
                  : Value();
    }
    case 3: {
      Value like = find(pool, [](Value v) { return isInt(v.getType()); });
      return constant(like.getType());
    }
    case 4: {
      Value tile = find(pool, [](Value v) {
        return isTile(v) && cast<RankedTensorType>(v.getType()).getRank() < 3 &&
               countOf(v.getType()) < 512;
      });
      if (!tile) {
        return {};
      }
      auto type = cast<RankedTensorType>(tile.getType());
      unsigned axis = pick(type.getRank() + 1);
      SmallVector<int64_t> shape(type.getShape());
      shape.insert(shape.begin() + axis, 1);
      Value expanded =
          ExpandDimsOp::create(builder, loc, RankedTensorType::get(shape, type.getElementType()),
                               tile, builder.getI32IntegerAttr(axis));
      shape[axis] = 8;
      return BroadcastOp::create(builder, loc, RankedTensorType::get(shape, type.getElementType()),
                                 expanded);
    }
    case 5: {
      Value tile = find(pool, [](Value v) {
        return isTile(v) && cast<RankedTensorType>(v.getType()).getRank() == 2;
      });
      if (!tile) {
        return {};
      }
      auto type = cast<RankedTensorType>(tile.getType());
      if (pick(2)) {
        return ReshapeOp::create(builder, loc,
                                 RankedTensorType::get({type.getDimSize(0), 1, type.getDimSize(1)},
                                                       type.getElementType()),
                                 tile, false);
      }
      return TransposeOp::create(
          builder, loc,
          RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)}, type.getElementType()),
          tile, builder.getDenseI32ArrayAttr({1, 0}));
    }
    case 6:
    case 7:
    case 8: {
      Value ptr =
          find(pool, [](Value v) { return isa<PtrType>(getElementTypeOrSelf(v.getType())); });
      Value offset = find(pool, [](Value v) { return isInt(v.getType()); });
      if (isTile(offset) && !isTile(ptr)) {
        ptr = SplatOp::create(builder, loc, withShapeOf(ptr.getType(), offset.getType()), ptr);
      }
      if (shapeOf(ptr.getType()) != shapeOf(offset.getType()) || isTile(ptr) != isTile(offset)) {
        return {};
      }
      return AddPtrOp::create(builder, loc, ptr.getType(), ptr, offset);
    }
    case 9: {
      Value ptr =
          find(pool, [](Value v) { return isa<PtrType>(getElementTypeOrSelf(v.getType())); });
      if (pick(2)) {
        Type type = withShapeOf(
            PtrType::get(pick(2) ? Type(builder.getI8Type()) : Type(builder.getI32Type())),
            ptr.getType());
        return PtrCastOp::create(builder, loc, type, ptr);
      }
      return PtrToIntOp::create(builder, loc, withShapeOf(builder.getI64Type(), ptr.getType()),
                                ptr);
    }
    case 10: {
      Value source = find(pool, [](Value v) { return isInt(v.getType(), 1); });
      unsigned width = widthOf(source.getType());
      static constexpr unsigned widths[] = {8, 16, 32, 64};
      unsigned to = widths[pick(4)];
      Type type = withShapeOf(builder.getIntegerType(to), source.getType());
      if (to < width) {
        return arith::TruncIOp::create(builder, loc, type, source);
      }
      if (to > width) {
        return pick(2) ? arith::ExtSIOp::create(builder, loc, type, source).getResult()
                       : arith::ExtUIOp::create(builder, loc, type, source).getResult();
      }
      return {};
    }
    case 12:
    case 13:
    case 14: {
      // Positions as kernels compute them, often behind a quotient or mask.
      Value scalar = find(pool, [](Value v) { return v.getType().isInteger(32); });
      int32_t size = 4 << pick(4);
      Type type = RankedTensorType::get({size}, builder.getI32Type());
      Value range = RangeOp::create(builder, loc, type, builder.getI32IntegerAttr(0),
                                    builder.getI32IntegerAttr(size));
      Value splat = SplatOp::create(builder, loc, type, scalar);
      Value positions = arith::AddIOp::create(builder, loc, splat, range);
      return pick(2) ? positions : combine(positions, constant(type));
    }
    case 11: {
      Value condition =
          find(pool, [](Value v) { return getElementTypeOrSelf(v.getType()).isInteger(1); });
      Value a = find(pool, [](Value v) { return !getElementTypeOrSelf(v.getType()).isInteger(1); });
      Value b = find(pool, [&](Value v) { return v.getType() == a.getType(); });
      if (!condition || (isTile(condition) &&
                         (shapeOf(condition.getType()) != shapeOf(a.getType()) || !isTile(a)))) {
        return {};
      }
      return arith::SelectOp::create(builder, loc, condition, a, b);
    }
    default:
      return makeBinary(pool);
    }
  }

  Value makeBinary(ArrayRef<Value> pool) {
    Location loc = builder.getUnknownLoc();
    Value a = find(pool, [](Value v) { return isInt(v.getType()); });
    Value b = pick(2) ? constant(a.getType())
                      : find(pool, [&](Value v) { return v.getType() == a.getType(); });
    if (isTile(a) && pick(3) == 0) {
      // A scalar argument is what tiles meet most often.
      Value scalar =
          find(pool, [&](Value v) { return v.getType() == getElementTypeOrSelf(a.getType()); });
      if (scalar) {
        b = SplatOp::create(builder, loc, a.getType(), scalar);
      }
    }
    if (pick(4) == 0) {
      std::swap(a, b);
    }
    return combine(a, b);
  }

  Value combine(Value a, Value b) {
    Location loc = builder.getUnknownLoc();
    Signedness sign = pick(2) ? Signedness::Signed : Signedness::Unsigned;
    switch (pick(14)) {
    case 0:
    case 1:
    case 2:
      return arith::AddIOp::create(builder, loc, a, b);
    case 3:
      return arith::SubIOp::create(builder, loc, a, b);
    case 4:
      return arith::MulIOp::create(builder, loc, a, b);
    case 5:
      return arith::AndIOp::create(builder, loc, a, b);
    case 6:
      return arith::OrIOp::create(builder, loc, a, b);
    case 7:
      return arith::XOrIOp::create(builder, loc, a, b);
    case 8:
      return pick(2) ? arith::MinSIOp::create(builder, loc, a, b).getResult()
                     : arith::MaxSIOp::create(builder, loc, a, b).getResult();
    case 9:
      return DivOp::create(builder, loc, a.getType(), sign, a, b);
    case 10:
      return RemOp::create(builder, loc, a.getType(), sign, a, b);
    case 11:
      return ShlOp::create(builder, loc, a.getType(), a, b);
    case 12:
      return ShrOp::create(builder, loc, a.getType(), sign, a, b);
    default:
      return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate(pick(10)), a, b);
    }
  }

  void addLoop(SmallVector<Value> &pool) {
    Location loc = builder.getUnknownLoc();
    auto index = [&](int32_t value) -> Value {
      return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(value));
    };
    Value lower = index(int32_t(pick(3)) * 4), step = index(1 << pick(4)), upper = index(20);
    SmallVector<Value> inits;
    for (unsigned i = 0, e = 1 + pick(3); i < e; ++i) {
      inits.push_back(pool[pick(pool.size())]);
    }
    auto loop = scf::ForOp::create(builder, loc, lower, upper, step, inits);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> inner = pool;
    inner.push_back(loop.getInductionVar());
    llvm::append_range(inner, loop.getRegionIterArgs());
    add(inner, 8, /*depth=*/1);
    SmallVector<Value> yielded;
    for (Value init : inits) {
      // Prefers what the body made.
      Value next;
      for (unsigned attempt = 0; attempt < 3 && (!next || llvm::is_contained(pool, next));
           ++attempt) {
        next = find(inner, [&](Value v) { return v.getType() == init.getType(); });
      }
      yielded.push_back(next);
    }
    scf::YieldOp::create(builder, loc, yielded);
    llvm::append_range(pool, loop.getResults());
  }

  OpBuilder builder;
  std::mt19937 random;
};

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

class AxisInfoTest : public ::testing::Test {
protected:
  AxisInfoTest() {
    context.loadDialect<TileDialect, arith::ArithDialect, func::FuncDialect, scf::SCFDialect>();
  }

  /// Checks `programs` random programs on several sets of arguments each.
  /// Returns on how many runs the facts were checked.
  unsigned checkPrograms(unsigned programs, AxisInfoOptions options) {
    unsigned checked = 0;
    for (unsigned seed = 0; seed < programs; ++seed) {
      OwningOpRef<ModuleOp> module = Generator(&context, seed).make();
      EXPECT_TRUE(succeeded(verify(*module)));
      AxisInfoAnalysis analysis(*module, options);
      auto function = *module->getOps<func::FuncOp>().begin();
      std::mt19937 random(seed);
      for (unsigned sample = 0; sample < 4; ++sample) {
        Interpreter interpreter(analysis);
        for (BlockArgument argument : function.getArguments()) {
          int64_t known = Generator::getArgumentDivisibility(argument.getArgNumber());
          unsigned width = widthOf(argument.getType());
          int64_t value = int64_t(random() % 64) - (sample % 2 ? 0 : 32);
          if (options.mayWrap && sample >= 2) {
            value += int64_t(1) << (width - 1 - llvm::Log2_64(known));
          }
          interpreter.define(argument, {uint64_t(value) * uint64_t(known)});
        }
        interpreter.run(function.getBody().front());
        if (interpreter.wrapped && !options.mayWrap) {
          continue;
        }
        ++checked;
        EXPECT_EQ(interpreter.problem, "") << "seed " << seed << ", sample " << sample;
        if (!interpreter.problem.empty()) {
          std::string text;
          llvm::raw_string_ostream stream(text);
          module->print(stream);
          ADD_FAILURE() << text;
          return checked;
        }
      }
    }
    return checked;
  }

  MLIRContext context;
};

TEST_F(AxisInfoTest, FactsHoldWhenNothingWraps) {
  EXPECT_GT(checkPrograms(1500, AxisInfoOptions{false}), 1500u);
}

TEST_F(AxisInfoTest, FactsHoldWhenIntegersWrap) {
  EXPECT_EQ(checkPrograms(1500, AxisInfoOptions{true}), 6000u);
}

TEST_F(AxisInfoTest, JoinKeepsWhatBothSay) {
  Type type = RankedTensorType::get({16}, IntegerType::get(&context, 32));
  AxisInfo a = AxisInfo::getUniform(type, 16, 16);
  AxisInfo b = AxisInfo::getUniform(type, 4, 4);
  AxisInfo both = AxisInfo::join(a, b);
  EXPECT_EQ(both.getDivisibility(0), 4);
  EXPECT_EQ(both.getConstancy(0), 16);
  EXPECT_FALSE(both.getConstant().has_value());
  EXPECT_TRUE(AxisInfo::join(a, a) == a);
  EXPECT_TRUE(AxisInfo::join(AxisInfo(), a) == a);
  EXPECT_TRUE(AxisInfo::join(both, AxisInfo::getPessimistic(type)) ==
              AxisInfo::join(AxisInfo::getPessimistic(type), both));
}

TEST_F(AxisInfoTest, LookupKnowsOnlyIntegersAndPointers) {
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToStart(module->getBody());
  auto function = func::FuncOp::create(
      builder, loc, "f", builder.getFunctionType({builder.getF32Type(), builder.getI32Type()}, {}));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  func::ReturnOp::create(builder, loc);
  AxisInfoAnalysis analysis(*module);
  EXPECT_EQ(analysis.lookup(block->getArgument(0)), nullptr);
  ASSERT_NE(analysis.lookup(block->getArgument(1)), nullptr);
  EXPECT_EQ(analysis.lookup(block->getArgument(1))->getRank(), 1);
}

} // namespace

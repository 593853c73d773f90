//===- DefinedOpsTest.cpp - Folders and expansion agree on corners -------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every op with defined corners is computed three ways on corner values: by its
// folder, by tile-expand-defined with the operands unknown while it expands,
// and by tile-expand-defined with constant operands. All must give what the
// reference here says.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tegula/Tile/IR/Tile.h"
#include "tegula/Tile/Transforms/Passes.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace tegula::tile;

namespace {

using MakeOp = llvm::function_ref<Value(OpBuilder &, Location, ValueRange)>;
enum class Route { Fold, Expand, ExpandConstants };

class DefinedOpsTest : public ::testing::Test {
protected:
  DefinedOpsTest() { context.loadDialect<TileDialect, arith::ArithDialect, func::FuncDialect>(); }

  /// The constant that `make` on `inputs` comes to, or null when it stays open.
  Attribute compute(ArrayRef<TypedAttr> inputs, Type result, MakeOp make, Route route) {
    OpBuilder builder(&context);
    Location loc = builder.getUnknownLoc();
    OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
    builder.setInsertionPointToStart(module->getBody());
    SmallVector<Type> types;
    for (TypedAttr input : inputs) {
      types.push_back(input.getType());
    }
    auto function = func::FuncOp::create(builder, loc, "f", builder.getFunctionType(types, result));
    Block *block = function.addEntryBlock();
    builder.setInsertionPointToStart(block);
    func::ReturnOp::create(builder, loc, make(builder, loc, block->getArguments()));
    auto run = [&](std::unique_ptr<Pass> pass) {
      PassManager pm(&context);
      pm.addPass(std::move(pass));
      EXPECT_TRUE(succeeded(pm.run(*module)));
    };
    if (route == Route::Expand) {
      run(createTileExpandDefinedPass());
    }
    builder.setInsertionPointToStart(block);
    for (auto [argument, input] : llvm::zip_equal(block->getArguments(), inputs)) {
      argument.replaceAllUsesWith(arith::ConstantOp::create(builder, loc, input));
    }
    if (route == Route::ExpandConstants) {
      run(createTileExpandDefinedPass());
    }
    run(createCanonicalizerPass());
    Attribute value;
    matchPattern(block->getTerminator()->getOperand(0), m_Constant(&value));
    return value;
  }

  /// Compares all routes, on scalars and on tiles, with `expected`.
  void expect(ArrayRef<TypedAttr> inputs, const APInt &expected, MakeOp make, StringRef what) {
    Type scalar = IntegerType::get(&context, expected.getBitWidth());
    SmallVector<TypedAttr> tiles;
    for (TypedAttr input : inputs) {
      tiles.push_back(
          DenseElementsAttr::get(RankedTensorType::get({4}, input.getType()), Attribute(input)));
    }
    Type tile = RankedTensorType::get({4}, scalar);
    for (Route route : {Route::Fold, Route::Expand, Route::ExpandConstants}) {
      auto value = dyn_cast_if_present<IntegerAttr>(compute(inputs, scalar, make, route));
      ASSERT_TRUE(value) << what.str() << " stays open on route " << int(route);
      EXPECT_EQ(value.getValue(), expected) << what.str() << " on route " << int(route);
      if (route != Route::Fold && isa<FloatAttr>(inputs[0])) {
        continue; // upstream folds comparisons of float scalars only
      }
      auto dense = dyn_cast_if_present<DenseIntElementsAttr>(compute(tiles, tile, make, route));
      ASSERT_TRUE(dense && dense.isSplat()) << what.str() << " of tiles on route " << int(route);
      EXPECT_EQ(dense.getSplatValue<APInt>(), expected) << what.str() << " of tiles";
    }
  }

  static SmallVector<APInt> corners(unsigned width) {
    SmallVector<APInt> values;
    auto add = [&](const APInt &value) {
      if (!llvm::is_contained(values, value)) {
        values.push_back(value);
      }
    };
    add(APInt::getZero(width));
    add(APInt(width, 1));
    add(APInt::getAllOnes(width));
    add(APInt::getSignedMinValue(width));
    add(APInt::getSignedMaxValue(width));
    if (width >= 8) {
      add(APInt(width, 7));
      add(APInt(width, width - 1));
      add(APInt(width, width));
      add(APInt(width, -5, /*isSigned=*/true));
    }
    return values;
  }

  void forCorners(llvm::function_ref<APInt(const APInt &, const APInt &)> reference, MakeOp make,
                  const char *name) {
    for (unsigned width : {1u, 8u, 32u, 64u}) {
      for (const APInt &a : corners(width)) {
        for (const APInt &b : corners(width)) {
          Type type = IntegerType::get(&context, width);
          SmallVector<TypedAttr> inputs{IntegerAttr::get(type, a), IntegerAttr::get(type, b)};
          std::string what = std::string(name) + " i" + std::to_string(width) + " " +
                             std::to_string(a.getSExtValue()) + ", " +
                             std::to_string(b.getSExtValue());
          expect(inputs, reference(a, b), make, what);
        }
      }
    }
  }

  MLIRContext context;
};

TEST_F(DefinedOpsTest, SignedDivision) {
  forCorners(
      [](const APInt &a, const APInt &b) -> APInt {
        if (b.isZero()) {
          return b;
        }
        // In twice the width nothing overflows; cutting wraps.
        unsigned wide = 2 * a.getBitWidth();
        return a.sext(wide).sdiv(b.sext(wide)).trunc(a.getBitWidth());
      },
      [](OpBuilder &b, Location loc, ValueRange in) -> Value {
        return DivOp::create(b, loc, in[0].getType(), Signedness::Signed, in[0], in[1]);
      },
      "div signed");
}

TEST_F(DefinedOpsTest, UnsignedDivision) {
  forCorners([](const APInt &a, const APInt &b) -> APInt { return b.isZero() ? b : a.udiv(b); },
             [](OpBuilder &b, Location loc, ValueRange in) -> Value {
               return DivOp::create(b, loc, in[0].getType(), Signedness::Unsigned, in[0], in[1]);
             },
             "div unsigned");
}

TEST_F(DefinedOpsTest, SignedRemainder) {
  forCorners(
      [](const APInt &a, const APInt &b) -> APInt {
        if (b.isZero()) {
          return a;
        }
        unsigned wide = 2 * a.getBitWidth();
        return a.sext(wide).srem(b.sext(wide)).trunc(a.getBitWidth());
      },
      [](OpBuilder &b, Location loc, ValueRange in) -> Value {
        return RemOp::create(b, loc, in[0].getType(), Signedness::Signed, in[0], in[1]);
      },
      "rem signed");
}

TEST_F(DefinedOpsTest, UnsignedRemainder) {
  forCorners([](const APInt &a, const APInt &b) -> APInt { return b.isZero() ? a : a.urem(b); },
             [](OpBuilder &b, Location loc, ValueRange in) -> Value {
               return RemOp::create(b, loc, in[0].getType(), Signedness::Unsigned, in[0], in[1]);
             },
             "rem unsigned");
}

/// Shifts by one place at a time, `amount` times but no more than `width`.
static APInt shiftSlowly(APInt value, const APInt &amount,
                         llvm::function_ref<APInt(const APInt &)> once) {
  for (uint64_t i = 0; i < std::min<uint64_t>(amount.getZExtValue(), value.getBitWidth()); ++i) {
    value = once(value);
  }
  return value;
}

TEST_F(DefinedOpsTest, LeftShift) {
  forCorners([](const APInt &a,
                const APInt &b) { return shiftSlowly(a, b, [](const APInt &v) { return v + v; }); },
             [](OpBuilder &b, Location loc, ValueRange in) -> Value {
               return ShlOp::create(b, loc, in[0].getType(), in[0], in[1]);
             },
             "shl");
}

TEST_F(DefinedOpsTest, SignedRightShift) {
  forCorners(
      [](const APInt &a, const APInt &b) {
        return shiftSlowly(a, b, [](const APInt &v) {
          APInt half = v;
          bool sign = v.isNegative();
          half.lshrInPlace(1);
          half.setBitVal(v.getBitWidth() - 1, sign);
          return half;
        });
      },
      [](OpBuilder &b, Location loc, ValueRange in) -> Value {
        return ShrOp::create(b, loc, in[0].getType(), Signedness::Signed, in[0], in[1]);
      },
      "shr signed");
}

TEST_F(DefinedOpsTest, UnsignedRightShift) {
  forCorners(
      [](const APInt &a, const APInt &b) {
        return shiftSlowly(a, b, [](const APInt &v) { return v.lshr(1); });
      },
      [](OpBuilder &b, Location loc, ValueRange in) -> Value {
        return ShrOp::create(b, loc, in[0].getType(), Signedness::Unsigned, in[0], in[1]);
      },
      "shr unsigned");
}

TEST_F(DefinedOpsTest, FloatToInteger) {
  Builder builder(&context);
  double inf = std::numeric_limits<double>::infinity();
  double nan = std::numeric_limits<double>::quiet_NaN();
  double values[] = {0.0,          -0.0,          0.5,          -0.5,   0.99,    -0.99,
                     1.0,          -1.0,          1.5,          -1.5,   127.0,   127.5,
                     128.0,        -128.0,        -128.9,       -129.0, 255.0,   255.9,
                     256.0,        65504.0,       2147483520.0, 0x1p31, -0x1p31, 2147483647.0,
                     2147483646.5, -2147483649.0, 0x1p32,       0x1p63, -0x1p63, 0x1p64,
                     1e300,        inf,           -inf,         nan};
  for (Type floatType : {Type(builder.getF16Type()), Type(builder.getBF16Type()),
                         Type(builder.getF32Type()), Type(builder.getF64Type())}) {
    for (double value : values) {
      FloatAttr input = builder.getFloatAttr(floatType, value);
      double rounded = input.getValueAsDouble(); // as the type can hold it
      for (unsigned width : {1u, 8u, 16u, 32u, 64u}) {
        for (Signedness sign : {Signedness::Signed, Signedness::Unsigned}) {
          bool isSigned = sign == Signedness::Signed;
          double least = isSigned ? -std::ldexp(1.0, width - 1) : 0.0;
          double beyond = std::ldexp(1.0, isSigned ? width - 1 : width);
          double whole = std::trunc(rounded);
          APInt expected(width, 0);
          if (std::isnan(rounded)) {
          } else if (whole < least) {
            expected = isSigned ? APInt::getSignedMinValue(width) : APInt::getZero(width);
          } else if (whole >= beyond) {
            expected = isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
          } else {
            expected = whole < 0 ? APInt(width, uint64_t(int64_t(whole)), true)
                                 : APInt(width, uint64_t(whole));
          }
          Type scalar = builder.getIntegerType(width);
          auto make = [&](OpBuilder &b, Location loc, ValueRange in) -> Value {
            return FpToIntOp::create(b, loc, withShapeOf(scalar, in[0].getType()), sign, in[0]);
          };
          expect({input}, expected, make,
                 "fp_to_int of " + std::to_string(rounded) + " to " + (isSigned ? "i" : "u") +
                     std::to_string(width));
        }
      }
    }
  }
}

} // namespace

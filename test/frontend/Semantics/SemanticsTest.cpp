//===- SemanticsTest.cpp - Promotion, folding, casts, messages ------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SemanticsFixture.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>
#include <limits>

namespace tegula::frontend {
namespace {

using Kind = DType::Kind;

DType byShortName(llvm::StringRef name) {
  static const llvm::StringMap<Kind> names = {
      {"b1", Kind::Int1},    {"i8", Kind::Int8},    {"i16", Kind::Int16},  {"i32", Kind::Int32},
      {"i64", Kind::Int64},  {"u8", Kind::UInt8},   {"u16", Kind::UInt16}, {"u32", Kind::UInt32},
      {"u64", Kind::UInt64}, {"e4", Kind::Fp8E4NV}, {"e5", Kind::Fp8E5},   {"f16", Kind::Fp16},
      {"bf", Kind::BF16},    {"f32", Kind::Fp32},   {"f64", Kind::Fp64}};
  return names.lookup(name);
}

std::vector<std::string> words(llvm::StringRef line) {
  llvm::SmallVector<llvm::StringRef> parts;
  line.split(parts, ' ', -1, false);
  return std::vector<std::string>(parts.begin(), parts.end());
}

//===----------------------------------------------------------------------===//
// Promotion of run-time operands. Rows: left, columns: right; `-`: an error.
//===----------------------------------------------------------------------===//

const char *const addTable[] = {
    "     b1  i8 i16 i32 i64  u8 u16 u32 u64  e4  e5 f16  bf f32 f64",
    "b1   b1  i8 i16 i32 i64  u8 u16 u32 u64   -   - f16 f32 f32 f64",
    "i8   i8  i8 i16 i32 i64  u8 u16 u32 u64   -   - f16 f32 f32 f64",
    "i16 i16 i16 i16 i32 i64 i16 u16 u32 u64   -   - f16 f32 f32 f64",
    "i32 i32 i32 i32 i32 i64 i32 i32 u32 u64   -   - f16 f32 f32 f64",
    "i64 i64 i64 i64 i64 i64 i64 i64 i64 u64   -   - f16 f32 f32 f64",
    "u8   u8  u8 i16 i32 i64  u8 u16 u32 u64   -   - f16 f32 f32 f64",
    "u16 u16 u16 u16 i32 i64 u16 u16 u32 u64   -   - f16 f32 f32 f64",
    "u32 u32 u32 u32 u32 i64 u32 u32 u32 u64   -   - f16 f32 f32 f64",
    "u64 u64 u64 u64 u64 u64 u64 u64 u64 u64   -   - f16 f32 f32 f64",
    "e4    -   -   -   -   -   -   -   -   -  e4 f16 f16 f32 f32 f64",
    "e5    -   -   -   -   -   -   -   -   - f16  e5 f16 f32 f32 f64",
    "f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f32 f64",
    "bf  f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f16  bf f32 f64",
    "f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f64",
    "f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64",
};

const char *const modTable[] = {
    "     b1  i8 i16 i32 i64  u8 u16 u32 u64  e4  e5 f16  bf f32 f64",
    "b1   b1   -   -   -   -  u8 u16 u32 u64   -   - f32 f32 f32 f64",
    "i8    -  i8 i16 i32 i64   -   -   -   -   -   - f32 f32 f32 f64",
    "i16   - i16 i16 i32 i64   -   -   -   -   -   - f32 f32 f32 f64",
    "i32   - i32 i32 i32 i64   -   -   -   -   -   - f32 f32 f32 f64",
    "i64   - i64 i64 i64 i64   -   -   -   -   -   - f32 f32 f32 f64",
    "u8   u8   -   -   -   -  u8 u16 u32 u64   -   - f32 f32 f32 f64",
    "u16 u16   -   -   -   - u16 u16 u32 u64   -   - f32 f32 f32 f64",
    "u32 u32   -   -   -   - u32 u32 u32 u64   -   - f32 f32 f32 f64",
    "u64 u64   -   -   -   - u64 u64 u64 u64   -   - f32 f32 f32 f64",
    "e4    -   -   -   -   -   -   -   -   -  e4 f16 f32 f32 f32 f64",
    "e5    -   -   -   -   -   -   -   -   - f16  e5 f32 f32 f32 f64",
    "f16 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f64",
    "bf  f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f64",
    "f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f64",
    "f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64",
};

class Promotion : public SemanticsTest {
protected:
  void check(ArithOp op, llvm::ArrayRef<const char *> table) {
    std::vector<std::string> columns = words(table[0]);
    ASSERT_EQ(columns.size(), 15u);
    for (const char *line : table.drop_front()) {
      std::vector<std::string> row = words(line);
      ASSERT_EQ(row.size(), 16u);
      for (size_t i = 0; i < columns.size(); ++i) {
        SCOPED_TRACE(row[0] + " " + spelling(op).str() + " " + columns[i]);
        Value result = semantics.binary(op, runtime(byShortName(row[0]), {8}),
                                        runtime(byShortName(columns[i]), {8}));
        if (row[i + 1] == "-") {
          EXPECT_TRUE(result.isPoison());
          EXPECT_EQ(errors.size(), 1u);
          EXPECT_NE(takeError().find("cast one of them"), std::string::npos);
        } else {
          ASSERT_TRUE(result.isRuntime());
          EXPECT_EQ(result.getDType(), byShortName(row[i + 1])) << result.describe();
        }
      }
    }
  }
};

TEST_F(Promotion, Add) { check(ArithOp::Add, addTable); }
TEST_F(Promotion, Mul) { check(ArithOp::Mul, addTable); }
TEST_F(Promotion, Mod) { check(ArithOp::Mod, modTable); }

TEST_F(Promotion, DivideIsTrueDivision) {
  Value i32 = runtime(Kind::Int32), f16 = runtime(Kind::Fp16), f64 = runtime(Kind::Fp64);
  EXPECT_EQ(semantics.binary(ArithOp::Div, i32, i32).getDType(), DType(Kind::Fp32));
  EXPECT_EQ(semantics.binary(ArithOp::Div, i32, Value::integer(3)).getDType(), DType(Kind::Fp32));
  EXPECT_EQ(semantics.binary(ArithOp::Div, f16, f16).getDType(), DType(Kind::Fp32));
  EXPECT_EQ(semantics.binary(ArithOp::Div, f16, Value::integer(2)).getDType(), DType(Kind::Fp32));
  EXPECT_EQ(semantics.binary(ArithOp::Div, f64, i32).getDType(), DType(Kind::Fp64));
}

TEST_F(Promotion, NumbersAdapt) {
  struct Row {
    Kind tile;
    Value number;
    Kind result;
  } rows[] = {
      {Kind::Fp16, Value::floating(2.5), Kind::Fp16},
      {Kind::Fp16, Value::floating(1e300), Kind::Fp16},
      {Kind::BF16, Value::integer(3), Kind::BF16},
      {Kind::Fp8E5, Value::integer(1), Kind::Fp8E5},
      {Kind::Int8, Value::integer(-128), Kind::Int8},
      {Kind::UInt8, Value::integer(255), Kind::UInt8},
      {Kind::UInt8, Value::boolean(true), Kind::UInt8},
      {Kind::Int1, Value::boolean(true), Kind::Int1},
      {Kind::Int1, Value::integer(1), Kind::Int32},
      {Kind::Int64, Value::integer(7), Kind::Int64},
      {Kind::Int32, Value::floating(0.5), Kind::Fp32},
      {Kind::Int32, Value::floating(1e300), Kind::Fp64},
      {Kind::Int64, Value::floating(INFINITY), Kind::Fp32},
  };
  for (const Row &row : rows) {
    SCOPED_TRACE(DType(row.tile).getName() + " + " + row.number.repr());
    Value tile = runtime(row.tile, {16});
    Value sum = semantics.binary(ArithOp::Add, tile, row.number);
    Value mirrored = semantics.binary(ArithOp::Add, row.number, tile);
    ASSERT_TRUE(sum.isRuntime() && mirrored.isRuntime());
    EXPECT_EQ(sum.getDType(), DType(row.result));
    EXPECT_EQ(mirrored.getDType(), DType(row.result));
  }
}

TEST_F(Promotion, NumbersOutOfRange) {
  semantics.binary(ArithOp::Add, runtime(Kind::Int8, {4}), Value::integer(300));
  EXPECT_EQ(takeError(), "int 300 is out of range for int8");
  semantics.binary(ArithOp::Mul, runtime(Kind::UInt32), Value::integer(-1));
  EXPECT_EQ(takeError(), "'*' mixes uint32 with the negative number -1; cast one of them, for "
                         "example with .to(tl.int32)");
}

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

TEST_F(SemanticsTest, LiteralTypes) {
  BigInt one = 1;
  std::pair<Value, Kind> rows[] = {
      {Value::boolean(false), Kind::Int1},
      {Value::integer(0), Kind::Int32},
      {Value::integer((one << 31) - 1), Kind::Int32},
      {Value::integer(-(one << 31)), Kind::Int32},
      {Value::integer(one << 31), Kind::UInt32},
      {Value::integer((one << 32) - 1), Kind::UInt32},
      {Value::integer(one << 32), Kind::Int64},
      {Value::integer(-(one << 31) - 1), Kind::Int64},
      {Value::integer(one << 63), Kind::UInt64},
      {Value::floating(1.5), Kind::Fp32},
      {Value::floating(0), Kind::Fp32},
      {Value::floating(INFINITY), Kind::Fp32},
      {Value::floating(NAN), Kind::Fp32},
      {Value::floating(std::numeric_limits<float>::max()), Kind::Fp32},
      {Value::floating(1e39), Kind::Fp64},
      {Value::floating(1e-40), Kind::Fp64},
  };
  for (const auto &[value, kind] : rows) {
    EXPECT_EQ(semantics.toRuntime(value).getDType(), DType(kind)) << value.repr();
  }
  EXPECT_TRUE(semantics.toRuntime(Value::integer(one << 64)).isPoison());
  EXPECT_EQ(takeError(), "expected an integer of at most 64 bits, got 18446744073709551616");
}

TEST_F(SemanticsTest, ParametersSpecialisedToOneKeepTheirType) {
  Value one = Value::integer(1, DType(Kind::Int64));
  EXPECT_EQ(semantics.attribute(one, "dtype").getDType(), DType(Kind::Int64));
  Value method = semantics.attribute(one, "to");
  Value cast = semantics.call(method, CallArgs{{Value::type(DType(Kind::UInt64))}, {}});
  EXPECT_EQ(cast.getDType(), DType(Kind::UInt64));
  // As an argument that is not 1 would: the type of a result does not depend on
  // the value of an argument.
  EXPECT_EQ(semantics.binary(ArithOp::Mul, runtime(Kind::Int32), one).getDType(),
            DType(Kind::Int64));
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

TEST_F(SemanticsTest, FoldsAsPython) {
  auto i = [](long long x) { return Value::integer(x); };
  auto f = [](double x) { return Value::floating(x); };
  auto s = [](const char *x) { return Value::string(x); };
  struct Row {
    Value lhs;
    ArithOp op;
    Value rhs;
    const char *result;
  } rows[] = {
      {i(7), ArithOp::FloorDiv, i(2), "3"},
      {i(-7), ArithOp::FloorDiv, i(2), "-4"},
      {i(7), ArithOp::Mod, i(-3), "-2"},
      {i(-7), ArithOp::Mod, i(3), "2"},
      {i(7), ArithOp::Div, i(2), "3.5"},
      {i(8), ArithOp::Div, i(2), "4.0"},
      {f(-7.5), ArithOp::Mod, f(2), "0.5"},
      {f(7.5), ArithOp::FloorDiv, i(2), "3.0"},
      {i(2), ArithOp::Pow, i(100), "1267650600228229401496703205376"},
      {i(2), ArithOp::Pow, i(-1), "0.5"},
      {i(1), ArithOp::Shl, i(40), "1099511627776"},
      {i(-5), ArithOp::Shr, i(1), "-3"},
      {i(-1), ArithOp::BitAnd, i(0xFF), "255"},
      {Value::boolean(true), ArithOp::BitXor, Value::boolean(true), "False"},
      {Value::boolean(true), ArithOp::Add, Value::boolean(true), "2"},
      {i(1), ArithOp::Add, f(0.5), "1.5"},
      {s("ab"), ArithOp::Add, s("c"), "'abc'"},
      {s("ab"), ArithOp::Mul, i(2), "'abab'"},
      {Value::tuple({i(1)}), ArithOp::Mul, i(3), "(1, 1, 1)"},
      {Value::tuple({i(1)}), ArithOp::Add, Value::tuple({s("x")}), "(1, 'x')"},
  };
  for (const Row &row : rows) {
    EXPECT_EQ(semantics.binary(row.op, row.lhs, row.rhs).repr(), row.result)
        << row.lhs.repr() << " " << spelling(row.op).str() << " " << row.rhs.repr();
  }
  EXPECT_EQ(semantics.unary(PrefixOp::Invert, i(5)).repr(), "-6");
  EXPECT_EQ(semantics.unary(PrefixOp::Not, s("")).repr(), "True");
  EXPECT_EQ(countOps("arith.constant"), 0u);
}

TEST_F(SemanticsTest, FoldErrors) {
  semantics.binary(ArithOp::FloorDiv, Value::integer(1), Value::integer(0));
  EXPECT_EQ(takeError(), "division by zero: 1 // 0");
  semantics.binary(ArithOp::Div, Value::floating(1), Value::boolean(false));
  EXPECT_EQ(takeError(), "division by zero: 1.0 / False");
  semantics.binary(ArithOp::Pow, Value::integer(2), Value::integer(200));
  EXPECT_EQ(takeError(), "integer constant does not fit in 128 bits: 2 ** 200");
  semantics.binary(ArithOp::Shl, Value::integer(1), Value::integer(-1));
  EXPECT_EQ(takeError(), "negative shift amount: -1");
  semantics.binary(ArithOp::Add, Value::integer(1), Value::none());
  EXPECT_EQ(takeError(), "unsupported operands of '+': int 1 and None");
  semantics.binary(ArithOp::Add, runtime(Kind::Fp32, {4}), Value::string("x"));
  EXPECT_EQ(takeError(), "unsupported operands of '+': float32[4] and str 'x'");
}

TEST_F(SemanticsTest, CompareFolds) {
  auto check = [&](RelationOp op, const Value &a, const Value &b, bool expected) {
    Value result = semantics.compare(op, a, b);
    ASSERT_TRUE(result.isBool());
    EXPECT_EQ(result.getBool(), expected)
        << a.repr() << " " << spelling(op).str() << " " << b.repr();
  };
  Value one = Value::integer(1), text = Value::string("relu");
  check(RelationOp::Eq, one, Value::floating(1), true);
  check(RelationOp::Lt, Value::integer(-1), Value::floating(0.5), true);
  check(RelationOp::Eq, text, Value::string("relu"), true);
  check(RelationOp::Eq, text, one, false);
  check(RelationOp::Ne, Value::none(), one, true);
  check(RelationOp::In, one, Value::tuple({text, one}), true);
  check(RelationOp::NotIn, Value::string("x"), text, true);
  check(RelationOp::Lt, Value::tuple({one, one}), Value::tuple({one, Value::integer(2)}), true);
  check(RelationOp::Eq, Value::type(DType(Kind::Fp32)), Value::type(DType(Kind::Fp32)), true);
  // A pointer is not None, without a look at it.
  check(RelationOp::Is, runtime(DType::pointer(Kind::Fp32)), Value::none(), false);
  check(RelationOp::IsNot, runtime(Kind::Int32), Value::none(), true);
  semantics.compare(RelationOp::Lt, text, one);
  EXPECT_EQ(takeError(), "cannot order str 'relu' and int 1 with '<'");
}

TEST_F(SemanticsTest, TextOfFloats) {
  EXPECT_EQ(Value::floating(0.1).repr(), "0.1");
  EXPECT_EQ(Value::floating(1e22).repr(), "1e+22");
  EXPECT_EQ(Value::floating(1e15).repr(), "1000000000000000.0");
  EXPECT_EQ(Value::floating(100).repr(), "100.0");
  EXPECT_EQ(Value::floating(1e-7).repr(), "1e-07");
  EXPECT_EQ(Value::floating(-INFINITY).repr(), "-inf");
}

TEST_F(SemanticsTest, Formats) {
  EXPECT_EQ(semantics.format(Value::integer(255), "#06x"), "0x00ff");
  EXPECT_EQ(semantics.format(Value::floating(3.14159), ".2f"), "3.14");
  EXPECT_EQ(semantics.format(Value::string("ab"), ">4"), "  ab");
  EXPECT_EQ(semantics.format(Value::integer(-3), "04d"), "-003");
  EXPECT_EQ(semantics.format(Value::integer(3), ""), "3");
  EXPECT_FALSE(semantics.format(Value::integer(3), "q"));
  EXPECT_EQ(takeError(), "format 'q' does not fit int 3");
}

//===----------------------------------------------------------------------===//
// Run-time operators
//===----------------------------------------------------------------------===//

TEST_F(SemanticsTest, IntegerOpsFollowSignedness) {
  Value i = runtime(Kind::Int32), u = runtime(Kind::UInt32);
  semantics.binary(ArithOp::FloorDiv, i, i);
  semantics.binary(ArithOp::Mod, u, u);
  semantics.binary(ArithOp::Shr, i, Value::integer(31));
  semantics.binary(ArithOp::Shr, u, Value::integer(31));
  semantics.compare(RelationOp::Lt, u, u);
  semantics.compare(RelationOp::Lt, i, i);
  std::string text = ir();
  for (const char *expected : {"tile.div signed", "tile.rem unsigned", "tile.shr signed",
                               "tile.shr unsigned", "arith.cmpi ult", "arith.cmpi slt"}) {
    EXPECT_NE(text.find(expected), std::string::npos) << expected << "\n" << text;
  }
}

TEST_F(SemanticsTest, FloatFloorDivisionIsRefused) {
  semantics.binary(ArithOp::FloorDiv, runtime(Kind::Fp32), Value::integer(2));
  EXPECT_EQ(takeError(), "'//' needs integers, got float32 and int 2; use tl.floor(x / y)");
}

TEST_F(SemanticsTest, FloatComparisons) {
  Value x = runtime(Kind::Fp32, {8});
  semantics.compare(RelationOp::Ne, x, x);
  semantics.compare(RelationOp::Ge, x, Value::integer(0));
  EXPECT_NE(ir().find("arith.cmpf une"), std::string::npos);
  EXPECT_NE(ir().find("arith.cmpf oge"), std::string::npos);
}

TEST_F(SemanticsTest, PointerArithmetic) {
  Value pointer = runtime(DType::pointer(Kind::Fp32));
  Value sum = semantics.binary(ArithOp::Add, runtime(Kind::Int32, {64}), pointer);
  EXPECT_EQ(sum.describe(), "pointer<float32>[64]");
  // Unsigned offsets are widened, as the op reads them as signed.
  semantics.binary(ArithOp::Add, pointer, runtime(Kind::UInt32));
  EXPECT_EQ(countOps("arith.extui"), 1u);
  semantics.binary(ArithOp::Sub, pointer, Value::integer(1));
  EXPECT_EQ(countOps("tile.addptr"), 3u);
  Value equal = semantics.compare(RelationOp::Eq, pointer, pointer);
  EXPECT_EQ(equal.describe(), "int1");
  semantics.binary(ArithOp::Sub, pointer, pointer);
  EXPECT_EQ(takeError(), "cannot subtract pointer<float32> from pointer<float32>; cast both with "
                         ".to(tl.int64)");
  semantics.binary(ArithOp::Add, pointer, Value::floating(1));
  EXPECT_EQ(takeError(), "expected an integer offset for pointer<float32>, got float 1.0");
  semantics.binary(ArithOp::Mul, pointer, Value::integer(2));
  EXPECT_EQ(takeError(), "unsupported operands of '*': pointer<float32> and int 2");
}

TEST_F(SemanticsTest, Broadcasts) {
  Value column = runtime(Kind::Fp32, {16, 1}), row = runtime(Kind::Fp32, {32});
  EXPECT_EQ(semantics.binary(ArithOp::Add, column, row).describe(), "float32[16, 32]");
  semantics.binary(ArithOp::Add, row, runtime(Kind::Fp32, {64}));
  EXPECT_EQ(takeError(), "shapes do not fit each other: float32[32] and float32[64] (dimension 0 "
                         "is 32 and 64)");
}

TEST_F(SemanticsTest, LogicAndConditions) {
  Value mask = runtime(Kind::Int1, {8}), number = runtime(Kind::Int32, {8});
  EXPECT_EQ(semantics.logical(LogicalOp::And, mask, number).describe(), "int1[8]");
  EXPECT_EQ(semantics.logical(LogicalOp::Or, Value::integer(0), Value::string("x")).repr(), "'x'");
  EXPECT_EQ(semantics.logical(LogicalOp::And, Value::boolean(true), number).describe(), "int32[8]");
  EXPECT_EQ(semantics.unary(PrefixOp::Not, number).describe(), "int1[8]");
  EXPECT_TRUE(semantics.condition(runtime(DType::pointer(Kind::Int8))));
  EXPECT_FALSE(semantics.condition(mask, "an if statement"));
  EXPECT_EQ(takeError(), "expected a scalar for an if statement, got int1[8]; use it as a mask or "
                         "in tl.where, or reduce it with tl.max");
}

TEST_F(SemanticsTest, JoinsPaths) {
  Value f16 = runtime(Kind::Fp16), i64 = runtime(Kind::Int64);
  auto join = [&](const Value &a, const Value &b) {
    std::optional<LangType> type = semantics.joinTypes(a, b);
    return type ? type->getName() : "none";
  };
  EXPECT_EQ(join(Value::floating(0), f16), "float16");
  EXPECT_EQ(join(i64, Value::integer(0)), "int64");
  EXPECT_EQ(join(Value::integer(0), Value::floating(1)), "float32");
  EXPECT_EQ(join(Value::boolean(false), Value::integer(1)), "int32");
  EXPECT_EQ(join(f16, runtime(Kind::Fp16)), "float16");
  EXPECT_EQ(join(f16, i64), "none");
  EXPECT_EQ(join(Value::none(), f16), "none");
  EXPECT_EQ(takeError(), "");
  EXPECT_EQ(semantics.convertTo(Value::integer(0), DType(Kind::Fp16)).describe(), "float16");
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

TEST_F(SemanticsTest, CastsBetweenAllPairs) {
  // Every number type can be cast to every other; verification is at the end.
  for (unsigned a = static_cast<unsigned>(Kind::Int1); a < static_cast<unsigned>(Kind::Pointer);
       ++a) {
    for (unsigned b = static_cast<unsigned>(Kind::Int1); b < static_cast<unsigned>(Kind::Pointer);
         ++b) {
      Value value = runtime(static_cast<Kind>(a), {4});
      EXPECT_EQ(semantics.cast(value, static_cast<Kind>(b)).getDType(),
                DType(static_cast<Kind>(b)));
    }
  }
}

TEST_F(SemanticsTest, CastOps) {
  auto opOf = [&](Kind from, Kind to) {
    Value value = semantics.cast(runtime(from), to);
    return value.getIR().getDefiningOp()->getName().getStringRef().str();
  };
  EXPECT_EQ(opOf(Kind::Fp32, Kind::Int32), "tile.fp_to_int");
  EXPECT_EQ(opOf(Kind::Int1, Kind::Fp32), "arith.uitofp");
  EXPECT_EQ(opOf(Kind::Int8, Kind::Fp32), "arith.sitofp");
  EXPECT_EQ(opOf(Kind::Int1, Kind::Int32), "arith.extui");
  EXPECT_EQ(opOf(Kind::Int8, Kind::UInt32), "arith.extsi");
  EXPECT_EQ(opOf(Kind::Fp32, Kind::Int1), "arith.cmpf");
  EXPECT_EQ(opOf(Kind::Int64, Kind::Int1), "arith.cmpi");
  EXPECT_EQ(opOf(Kind::Fp32, Kind::Fp8E5), "tile.to_fp8");
  EXPECT_EQ(opOf(Kind::Fp8E4NV, Kind::Fp16), "tile.from_fp8");
  semantics.cast(runtime(Kind::Fp16), Kind::BF16);
  EXPECT_GE(countOps("arith.extf"), 1u);
  semantics.cast(runtime(Kind::Fp32), Kind::Fp16, Rounding::RTZ);
  EXPECT_NE(ir().find("toward_zero"), std::string::npos);
}

TEST_F(SemanticsTest, CastErrors) {
  semantics.cast(runtime(Kind::Fp16), Kind::Fp32, Rounding::RTZ);
  EXPECT_EQ(takeError(),
            "a rounding mode needs a cast to a narrower float, got float16 to float32");
  semantics.bitcast(runtime(Kind::Fp16), Kind::Int32);
  EXPECT_EQ(takeError(), "cannot bitcast float16 to int32: 16 and 32 bits");
  semantics.cast(runtime(DType::pointer(Kind::Fp32)), Kind::Int32);
  EXPECT_EQ(takeError(), "cannot cast pointer<float32> to int32, only to int64; use tl.load for "
                         "the value behind a pointer");
  callFunctionOf("tl.cast", {runtime(Kind::Fp32), Value::string("float16")});
  EXPECT_EQ(takeError(), "argument 'dtype' of tl.cast: expected a type such as tl.float32, got "
                         "str 'float16'");
}

} // namespace
} // namespace tegula::frontend

//===- StructTest.cpp - Values with a class and fields ----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SemanticsFixture.h"

namespace tegula::frontend {
namespace {

using Kind = DType::Kind;

class StructTest : public SemanticsTest {
protected:
  Value i(long long x) { return Value::integer(x); }
  static Value descriptor(Value base, int64_t size) {
    auto cls = StructClass::create(StructClass::Kind::TensorDescriptor,
                                   "tensor descriptor of float16[" + std::to_string(size) + "]");
    return Value::structure(cls, {std::move(base), Value::integer(size), Value::none()},
                            {"base", "size", "_hidden"});
  }
};

TEST_F(StructTest, FieldsAndForm) {
  Value one = descriptor(runtime(DType::pointer(Kind::Fp16)), 16);
  EXPECT_TRUE(one.isStruct(StructClass::Kind::TensorDescriptor));
  EXPECT_FALSE(one.isStruct(StructClass::Kind::BlockPointer));
  EXPECT_TRUE(one.isComposite());
  EXPECT_FALSE(one.isKnown());
  EXPECT_EQ(one.getField("size").getInt(), 16);
  EXPECT_EQ(one.findField("length"), nullptr);
  EXPECT_EQ(one.describe(), "a tensor descriptor of float16[16]");
  EXPECT_EQ(one.repr(), "tensor descriptor of float16[16](base=<pointer<float16>>, size=16)");

  Value other = one.withField("size", Value::integer(3));
  EXPECT_EQ(other.getField("size").getInt(), 3);
  EXPECT_EQ(one.getField("size").getInt(), 16) << "values do not change";
  EXPECT_TRUE(Value::haveSameForm(one, other));
  EXPECT_FALSE(Value::isSame(one, other));
  EXPECT_TRUE(Value::isSame(one, one.withItems(std::vector<Value>(one.getItems()))));
  EXPECT_FALSE(Value::haveSameForm(one, descriptor(one.getField("base"), 32)));
  EXPECT_FALSE(Value::haveSameForm(one, Value::tuple(std::vector<Value>(one.getItems()))));
}

TEST_F(StructTest, AttributesHideWhatIsInternal) {
  Value one = descriptor(runtime(DType::pointer(Kind::Fp16)), 16);
  EXPECT_EQ(semantics.attribute(one, "size").getInt(), 16);
  EXPECT_TRUE(semantics.attribute(one, "_hidden").isPoison());
  EXPECT_EQ(takeError(),
            "a tensor descriptor of float16[16] has no attribute '_hidden'; it has base, size");
  semantics.binary(ArithOp::Add, one, Value::integer(1));
  EXPECT_EQ(takeError(),
            "unsupported operands of '+': a tensor descriptor of float16[16] and int 1");
}

TEST_F(StructTest, OpaqueValuesMeetTheirOwnTypeOnly) {
  Value number = runtime(Kind::Int32);
  Value opaque = Value::runtime(number.getIR(), LangType::opaque(number.getIR().getType()));
  EXPECT_EQ(semantics.joinTypes(opaque, opaque), opaque.getType());
  EXPECT_EQ(semantics.joinTypes(opaque, number), std::nullopt);
  EXPECT_TRUE(Value::isSame(semantics.convertTo(opaque, opaque.getType()), opaque));
  EXPECT_TRUE(semantics.convertTo(number, opaque.getType()).isPoison());
  EXPECT_EQ(opaque.describe(), "i32");
}

TEST_F(StructTest, Slices) {
  auto bounds = [&](Value start, Value stop, Value step, int64_t size) {
    std::optional<SliceBounds> b = resolveSlice(Value::slice(start, stop, step), size);
    return b ? std::vector<int64_t>{b->start, b->step, b->count} : std::vector<int64_t>{};
  };
  Value none = Value::none();
  using Bounds = std::vector<int64_t>;
  EXPECT_EQ(bounds(none, none, none, 8), (Bounds{0, 1, 8}));
  EXPECT_EQ(bounds(i(2), i(-1), i(2), 8), (Bounds{2, 2, 3}));
  EXPECT_EQ(bounds(none, none, i(-1), 8), (Bounds{7, -1, 8}));
  EXPECT_EQ(bounds(i(100), i(-100), i(-3), 8), (Bounds{7, -3, 3}));
  EXPECT_EQ(bounds(i(5), i(5), none, 8), (Bounds{5, 1, 0}));
  EXPECT_EQ(bounds(none, none, i(1'000'000), 8), (Bounds{0, 9, 1}));
  EXPECT_EQ(bounds(none, none, i(0), 8), Bounds{});
}

} // namespace
} // namespace tegula::frontend

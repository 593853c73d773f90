//===- Emitter.cpp - writes arithmetic on scalars or vectors --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tegula::conversion {

Value ConstantPool::get(OpBuilder &builder, TypedAttr attribute) {
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  Region *region = builder.getInsertionBlock()->getParent();
  while (parent && !parent->hasTrait<OpTrait::IsIsolatedFromAbove>() && parent->getBlock()) {
    region = parent->getBlock()->getParent();
    parent = parent->getParentOp();
  }
  Block *block = &region->front();
  Value &slot = constants[{block, attribute}];
  if (!slot) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(block);
    // Shared by several places, hence no location of any one of them.
    slot = arith::ConstantOp::create(builder, builder.getUnknownLoc(), attribute);
  }
  return slot;
}

static Val makeConstant(Emitter &em, Type like, Attribute element) {
  TypedAttr attribute = cast<TypedAttr>(element);
  if (auto vector = dyn_cast<VectorType>(like)) {
    attribute = DenseElementsAttr::get(vector, element);
  }
  if (em.pool) {
    return em.wrap(em.pool->get(em.builder, attribute));
  }
  return em.make<arith::ConstantOp>(attribute);
}

Val Emitter::constant(double value, Type like) {
  return makeConstant(*this, like, FloatAttr::get(getElementTypeOrSelf(like), value));
}

Val Emitter::constant(uint64_t bits, Type like, std::nullptr_t) {
  auto type = cast<IntegerType>(getElementTypeOrSelf(like));
  return makeConstant(
      *this, like,
      IntegerAttr::get(type, APInt(type.getWidth(), bits, false, /*implicitTrunc=*/true)));
}

Val Emitter::mulAdd(Val a, Val b, Val c) {
  return options.hasFma ? make<math::FmaOp>(a.get(), b.get(), c.get()) : a * b + c;
}
Val Emitter::mulAdd(Val a, double b, double c) {
  Type type = a.get().getType();
  return mulAdd(a, constant(b, type), constant(c, type));
}
Val Emitter::mulAdd(Val a, double b, Val c) { return mulAdd(a, constant(b, a.get().getType()), c); }
Val Emitter::mulAdd(Val a, Val b, double c) { return mulAdd(a, b, constant(c, a.get().getType())); }

Val Emitter::polynomial(Val x, ArrayRef<double> coefficients) {
  Val sum = constant(coefficients.back(), x.get().getType());
  for (double coefficient : llvm::reverse(coefficients.drop_back())) {
    sum = mulAdd(sum, x, coefficient);
  }
  return sum;
}

Val Emitter::bits(Val a) { return bitcast(a, integer(a.elementType().getIntOrFloatBitWidth())); }
Val Emitter::asFloat(Val a) {
  return bitcast(a, a.elementType().getIntOrFloatBitWidth() == 32 ? f32() : f64());
}
Val Emitter::toF64(Val a) {
  return a.elementType().isF64() ? a : make<arith::ExtFOp>(f64(), a.get());
}
Val Emitter::toF32(Val a) {
  return a.elementType().isF32() ? a : make<arith::TruncFOp>(f32(), a.get());
}
Val Emitter::intToFloat(Val a, Type type) { return make<arith::SIToFPOp>(type, a.get()); }
Val Emitter::floatToInt(Val a, Type type) { return make<arith::FPToSIOp>(type, a.get()); }
Val Emitter::zext(Val a, unsigned width) { return make<arith::ExtUIOp>(integer(width), a.get()); }
Val Emitter::sext(Val a, unsigned width) { return make<arith::ExtSIOp>(integer(width), a.get()); }
Val Emitter::trunc(Val a, unsigned width) { return make<arith::TruncIOp>(integer(width), a.get()); }

Val Emitter::compare(arith::CmpFPredicate predicate, Val a, Val b) {
  return make<arith::CmpFOp>(predicate, a.get(), b.get());
}
Val Emitter::compare(arith::CmpIPredicate predicate, Val a, Val b) {
  return make<arith::CmpIOp>(predicate, a.get(), b.get());
}
Val Emitter::select(Val condition, Val a, Val b) {
  return make<arith::SelectOp>(condition.get(), a.get(), b.get());
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

Value Emitter::any(Val condition) {
  Value value = condition.get();
  if (!vectorType) {
    return value;
  }
  if (vectorType.getRank() != 1) {
    auto flat = VectorType::get({vectorType.getNumElements()}, builder.getI1Type());
    value = vector::ShapeCastOp::create(builder, loc, flat, value);
  }
  return vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR, value);
}

static SmallVector<Value> unwrap(ArrayRef<Val> values) {
  return llvm::map_to_vector(values, [](const Val &v) { return v.get(); });
}

static SmallVector<Val> wrapAll(Emitter &em, ValueRange values) {
  return llvm::map_to_vector(values, [&](Value v) { return em.wrap(v); });
}

SmallVector<Val> Emitter::ifAny(Val condition, ArrayRef<Val> inits,
                                function_ref<SmallVector<Val>()> rare) {
  Value scalar = any(condition);
  auto op = scf::IfOp::create(
      builder, loc, scalar,
      [&](OpBuilder &inner, Location where) {
        // The builder functions hand over this very builder, moved inside.
        scf::YieldOp::create(inner, where, unwrap(rare()));
      },
      [&](OpBuilder &inner, Location where) { scf::YieldOp::create(inner, where, unwrap(inits)); });
  return wrapAll(*this, op.getResults());
}

SmallVector<Val> Emitter::whileAny(ArrayRef<Val> inits, function_ref<Val(ArrayRef<Val>)> condition,
                                   function_ref<SmallVector<Val>(ArrayRef<Val>)> body) {
  SmallVector<Value> values = unwrap(inits);
  SmallVector<Type> types = llvm::map_to_vector(values, [](Value v) { return v.getType(); });
  auto op = scf::WhileOp::create(
      builder, loc, types, values,
      [&](OpBuilder &inner, Location where, ValueRange arguments) {
        Value again = any(condition(wrapAll(*this, arguments)));
        scf::ConditionOp::create(inner, where, again, arguments);
      },
      [&](OpBuilder &inner, Location where, ValueRange arguments) {
        scf::YieldOp::create(inner, where, unwrap(body(wrapAll(*this, arguments))));
      });
  return wrapAll(*this, op.getResults());
}

SmallVector<Val>
Emitter::mapLanes(ArrayRef<Val> inputs, ArrayRef<Type> elementTypes,
                  function_ref<SmallVector<Val>(Emitter &, ArrayRef<Val>)> function) {
  Emitter scalar(builder, loc, builder.getI1Type(), options, pool);
  if (!vectorType) {
    SmallVector<Val> arguments =
        llvm::map_to_vector(inputs, [&](const Val &v) { return scalar.wrap(v.get()); });
    return wrapAll(*this, unwrap(function(scalar, arguments)));
  }
  int64_t lanes = vectorType.getNumElements();
  auto flatten = [&](Value v) -> Value {
    auto type = VectorType::get({lanes}, getElementTypeOrSelf(v.getType()));
    return type == v.getType() ? v : vector::ShapeCastOp::create(builder, loc, type, v);
  };
  SmallVector<Value> flat, state;
  for (const Val &input : inputs) {
    flat.push_back(flatten(input.get()));
  }
  for (Type type : elementTypes) {
    state.push_back(flatten(literal(0, shaped(type)).get()));
  }
  auto index = [&](int64_t i) -> Value { return arith::ConstantIndexOp::create(builder, loc, i); };
  auto loop = scf::ForOp::create(
      builder, loc, index(0), index(lanes), index(1), state,
      [&](OpBuilder &inner, Location where, Value i, ValueRange carried) {
        SmallVector<Val> arguments;
        for (Value v : flat) {
          Value lane = vector::ExtractOp::create(inner, where, v, OpFoldResult(i));
          arguments.push_back(scalar.wrap(lane));
        }
        SmallVector<Val> results = function(scalar, arguments);
        SmallVector<Value> next;
        for (auto [result, v] : llvm::zip(results, carried)) {
          next.push_back(vector::InsertOp::create(inner, where, result.get(), v, OpFoldResult(i)));
        }
        scf::YieldOp::create(inner, where, next);
      });
  SmallVector<Val> results;
  for (auto [value, type] : llvm::zip(loop.getResults(), elementTypes)) {
    Value shapedValue = value;
    if (shapedValue.getType() != shaped(type)) {
      shapedValue = vector::ShapeCastOp::create(builder, loc, shaped(type), shapedValue);
    }
    results.push_back(wrap(shapedValue));
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

template <typename FloatOp, typename IntOp> static Val binary(Val a, Val b) {
  if (a.isFloat()) {
    return a.em().make<FloatOp>(a.get(), b.get());
  }
  return a.em().make<IntOp>(a.get(), b.get());
}

Val operator+(Val a, Val b) { return binary<arith::AddFOp, arith::AddIOp>(a, b); }
Val operator-(Val a, Val b) { return binary<arith::SubFOp, arith::SubIOp>(a, b); }
Val operator*(Val a, Val b) { return binary<arith::MulFOp, arith::MulIOp>(a, b); }
Val operator/(Val a, Val b) { return binary<arith::DivFOp, arith::DivUIOp>(a, b); }
Val operator-(Val a) { return a.isFloat() ? a.em().make<arith::NegFOp>(a.get()) : 0 - a; }
Val operator&(Val a, Val b) { return a.em().make<arith::AndIOp>(a.get(), b.get()); }
Val operator|(Val a, Val b) { return a.em().make<arith::OrIOp>(a.get(), b.get()); }
Val operator^(Val a, Val b) { return a.em().make<arith::XOrIOp>(a.get(), b.get()); }
Val operator~(Val a) { return a ^ ~uint64_t(0); }
Val operator<<(Val a, Val b) { return a.em().make<arith::ShLIOp>(a.get(), b.get()); }
Val operator>>(Val a, Val b) { return a.em().make<arith::ShRUIOp>(a.get(), b.get()); }
Val sra(Val a, Val b) { return a.em().make<arith::ShRSIOp>(a.get(), b.get()); }

static Val compare(Val a, Val b, arith::CmpFPredicate floats, arith::CmpIPredicate integers) {
  return a.isFloat() ? a.em().compare(floats, a, b) : a.em().compare(integers, a, b);
}

Val lt(Val a, Val b) { return compare(a, b, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt); }
Val le(Val a, Val b) { return compare(a, b, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle); }
Val gt(Val a, Val b) { return compare(a, b, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt); }
Val ge(Val a, Val b) { return compare(a, b, arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge); }
Val eq(Val a, Val b) { return compare(a, b, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq); }
Val ne(Val a, Val b) { return compare(a, b, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne); }
Val ult(Val a, Val b) { return a.em().compare(arith::CmpIPredicate::ult, a, b); }
Val ugt(Val a, Val b) { return a.em().compare(arith::CmpIPredicate::ugt, a, b); }

Val select(Val condition, Val a, Val b) { return condition.em().select(condition, a, b); }
Val isNan(Val a) { return a.em().compare(arith::CmpFPredicate::UNO, a, a); }
Val abs(Val a) { return a.em().make<math::AbsFOp>(a.get()); }
Val sqrt(Val a) { return a.em().make<math::SqrtOp>(a.get()); }
Val copysign(Val a, Val b) { return a.em().make<math::CopySignOp>(a.get(), b.get()); }
Val atMost(Val a, double limit) {
  Val bound = a.em().constant(limit, a.get().getType());
  return select(lt(bound, a), bound, a);
}
Val atLeast(Val a, double limit) {
  Val bound = a.em().constant(limit, a.get().getType());
  return select(gt(bound, a), bound, a);
}

//===----------------------------------------------------------------------===//
// Error-free transformations
//===----------------------------------------------------------------------===//

Pair twoSum(Val a, Val b) {
  Val sum = a + b;
  Val bPart = sum - a;
  Val aPart = sum - bPart;
  return {sum, (a - aPart) + (b - bPart)};
}

Pair fastTwoSum(Val a, Val b) {
  Val sum = a + b;
  return {sum, b - (sum - a)};
}

Pair twoProduct(Val a, Val b) {
  Emitter &em = a.em();
  Val product = a * b;
  if (em.options.hasFma) {
    return {product, em.mulAdd(a, b, -product)};
  }
  // Veltkamp's splitting: halves of 26 bits have exact products.
  auto split = [&](Val v) -> Pair {
    Val scaled = v * 134217729.0;
    Val hi = scaled - (scaled - v);
    return {hi, v - hi};
  };
  Pair as = split(a), bs = split(b);
  Val error = ((as.hi * bs.hi - product) + as.hi * bs.lo + as.lo * bs.hi) + as.lo * bs.lo;
  return {product, error};
}

} // namespace tegula::conversion

//===- Emitter.h - writes arithmetic on scalars or vectors ------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A formula language for expansions: `Val` overloads the C++ operators, so that
// one text serves scalars and vectors of any shape, in f32 and f64. Integers
// are signless: `+ - *` wrap, comparisons say their signedness.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_MATH_EMITTER_H
#define TEGULA_CONVERSION_MATH_EMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "tegula/Conversion/Math/MathOptions.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <type_traits>

namespace tegula::conversion {

class Emitter;

/// A value together with the emitter that continues the formula. Cheap to copy;
/// lives no longer than its emitter.
class Val {
public:
  Val() = default;
  Val(Emitter *emitter, mlir::Value value) : emitter(emitter), value(value) {}

  mlir::Value get() const { return value; }
  Emitter &em() const { return *emitter; }
  mlir::Type elementType() const { return mlir::getElementTypeOrSelf(value.getType()); }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(elementType()); }

private:
  Emitter *emitter = nullptr;
  mlir::Value value;
};

/// Constants already made in one isolated region, all at its start.
class ConstantPool {
public:
  /// The constant `attribute`, made at the start of the region around `builder`.
  mlir::Value get(mlir::OpBuilder &builder, mlir::TypedAttr attribute);

private:
  llvm::DenseMap<std::pair<mlir::Block *, mlir::Attribute>, mlir::Value> constants;
};

/// Writes operations at `builder`'s insertion point, all of the shape of one
/// scalar or vector. `pool` may be null: constants are then made in place.
class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type shape,
          const MathOptions &options, ConstantPool *pool = nullptr)
      : builder(builder), loc(loc), vectorType(mlir::dyn_cast<mlir::VectorType>(shape)),
        options(options), pool(pool) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;
  /// Null for scalars.
  mlir::VectorType vectorType;
  MathOptions options;
  ConstantPool *pool;

  Val wrap(mlir::Value value) { return Val(this, value); }
  mlir::Type shaped(mlir::Type element) const {
    if (!vectorType) {
      return element;
    }
    return mlir::VectorType::get(vectorType.getShape(), element);
  }
  mlir::Type f32() const { return shaped(builder.getF32Type()); }
  mlir::Type f64() const { return shaped(builder.getF64Type()); }
  mlir::Type integer(unsigned width) const { return shaped(builder.getIntegerType(width)); }

  /// A splat of `value`, of the element type of `like`.
  Val constant(double value, mlir::Type like);
  Val constant(uint64_t bits, mlir::Type like, std::nullptr_t);
  Val f32Constant(double value) { return constant(value, f32()); }
  Val f64Constant(double value) { return constant(value, f64()); }
  Val i32Constant(uint32_t bits) { return constant(bits, integer(32), nullptr); }
  Val i64Constant(uint64_t bits) { return constant(bits, integer(64), nullptr); }
  /// `value` in the element type of `like`, for floats and integers.
  template <typename T> Val literal(T value, mlir::Type like) {
    if (mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(like))) {
      return constant(static_cast<double>(value), like);
    }
    return constant(static_cast<uint64_t>(value), like, nullptr);
  }

  template <typename OpTy, typename... Args> Val make(Args &&...args) {
    return wrap(OpTy::create(builder, loc, std::forward<Args>(args)...));
  }

  /// a * b + c: fused where that is an instruction, else rounded twice.
  Val mulAdd(Val a, Val b, Val c);
  Val mulAdd(Val a, double b, double c);
  Val mulAdd(Val a, double b, Val c);
  Val mulAdd(Val a, Val b, double c);
  /// Horner's rule; `coefficients` from the constant term upwards.
  Val polynomial(Val x, llvm::ArrayRef<double> coefficients);

  Val bitcast(Val a, mlir::Type type) { return make<mlir::arith::BitcastOp>(type, a.get()); }
  /// The bits of a float as an integer of its width, and back.
  Val bits(Val a);
  Val asFloat(Val a);
  Val toF64(Val a);
  Val toF32(Val a);
  Val intToFloat(Val a, mlir::Type type);
  Val floatToInt(Val a, mlir::Type type);
  Val zext(Val a, unsigned width);
  Val sext(Val a, unsigned width);
  Val trunc(Val a, unsigned width);

  Val compare(mlir::arith::CmpFPredicate predicate, Val a, Val b);
  Val compare(mlir::arith::CmpIPredicate predicate, Val a, Val b);
  Val select(Val condition, Val a, Val b);

  /// Yields the lanes' disjunction as a scalar i1.
  mlir::Value any(Val condition);
  /// `results = any(condition) ? rare(inits) : inits`, element by element types
  /// unchanged; the rare branch picks lanes itself.
  llvm::SmallVector<Val> ifAny(Val condition, llvm::ArrayRef<Val> inits,
                               llvm::function_ref<llvm::SmallVector<Val>()> rare);
  /// Computes lane by lane, in a loop, what would be much code for all lanes at
  /// once. `function` sees scalars, and an emitter of scalars to continue with;
  /// its results have the given element types.
  llvm::SmallVector<Val>
  mapLanes(llvm::ArrayRef<Val> inputs, llvm::ArrayRef<mlir::Type> elementTypes,
           llvm::function_ref<llvm::SmallVector<Val>(Emitter &, llvm::ArrayRef<Val>)> function);
  /// `while (any(condition(state))) state = body(state)`.
  llvm::SmallVector<Val>
  whileAny(llvm::ArrayRef<Val> inits, llvm::function_ref<Val(llvm::ArrayRef<Val>)> condition,
           llvm::function_ref<llvm::SmallVector<Val>(llvm::ArrayRef<Val>)> body);
};

template <typename T> using IfNumber = std::enable_if_t<std::is_arithmetic_v<T>, int>;

Val operator+(Val a, Val b);
Val operator-(Val a, Val b);
Val operator*(Val a, Val b);
Val operator/(Val a, Val b);
Val operator-(Val a);
Val operator&(Val a, Val b);
Val operator|(Val a, Val b);
Val operator^(Val a, Val b);
Val operator~(Val a);
/// Shifts of integers; `>>` is logical, `sra` arithmetic.
Val operator<<(Val a, Val b);
Val operator>>(Val a, Val b);
Val sra(Val a, Val b);

#define TEGULA_WITH_NUMBERS(NAME)                                                                  \
  template <typename T, IfNumber<T> = 0> Val NAME(Val a, T b) {                                    \
    return NAME(a, a.em().literal(b, a.get().getType()));                                          \
  }                                                                                                \
  template <typename T, IfNumber<T> = 0> Val NAME(T a, Val b) {                                    \
    return NAME(b.em().literal(a, b.get().getType()), b);                                          \
  }
TEGULA_WITH_NUMBERS(operator+)
TEGULA_WITH_NUMBERS(operator-)
TEGULA_WITH_NUMBERS(operator*)
TEGULA_WITH_NUMBERS(operator/)
TEGULA_WITH_NUMBERS(operator&)
TEGULA_WITH_NUMBERS(operator|)
TEGULA_WITH_NUMBERS(operator^)
TEGULA_WITH_NUMBERS(operator<<)
TEGULA_WITH_NUMBERS(operator>>)
TEGULA_WITH_NUMBERS(sra)

/// Ordered comparisons of floats, signed ones of integers.
Val lt(Val a, Val b);
Val le(Val a, Val b);
Val gt(Val a, Val b);
Val ge(Val a, Val b);
Val eq(Val a, Val b);
/// Unequal; true for a NaN.
Val ne(Val a, Val b);
/// Unsigned comparisons.
Val ult(Val a, Val b);
Val ugt(Val a, Val b);
TEGULA_WITH_NUMBERS(lt)
TEGULA_WITH_NUMBERS(le)
TEGULA_WITH_NUMBERS(gt)
TEGULA_WITH_NUMBERS(ge)
TEGULA_WITH_NUMBERS(eq)
TEGULA_WITH_NUMBERS(ne)
TEGULA_WITH_NUMBERS(ult)
TEGULA_WITH_NUMBERS(ugt)
#undef TEGULA_WITH_NUMBERS

Val select(Val condition, Val a, Val b);
template <typename T, IfNumber<T> = 0> Val select(Val condition, T a, Val b) {
  return select(condition, b.em().literal(a, b.get().getType()), b);
}
template <typename T, IfNumber<T> = 0> Val select(Val condition, Val a, T b) {
  return select(condition, a, a.em().literal(b, a.get().getType()));
}
Val isNan(Val a);
Val abs(Val a);
Val sqrt(Val a);
/// The magnitude of `a` with the sign of `b`.
Val copysign(Val a, Val b);
/// `limit` where `a` is beyond it, else `a`; a NaN stays. One instruction on x86.
Val atMost(Val a, double limit);
Val atLeast(Val a, double limit);

/// The exact sum or product of two floats as a rounded value and its error.
struct Pair {
  Val hi, lo;
};
Pair twoSum(Val a, Val b);
/// Needs |a| >= |b| or a = 0.
Pair fastTwoSum(Val a, Val b);
Pair twoProduct(Val a, Val b);

} // namespace tegula::conversion

#endif // TEGULA_CONVERSION_MATH_EMITTER_H

//===- Dot.cpp - tl.dot ---------------------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "tegula/Tile/IR/Tile.h"
#include "llvm/ADT/StringSwitch.h"

namespace tegula::frontend {

using Kind = DType::Kind;

static std::optional<tile::DotPrecision> parsePrecision(llvm::StringRef text) {
  return llvm::StringSwitch<std::optional<tile::DotPrecision>>(text)
      .Case("tf32", tile::DotPrecision::TF32)
      .Case("tf32x3", tile::DotPrecision::TF32x3)
      .Case("ieee", tile::DotPrecision::IEEE)
      .Case("bf16x3", tile::DotPrecision::BF16x3)
      .Case("bf16x6", tile::DotPrecision::BF16x6)
      .Default(std::nullopt);
}

static std::optional<tile::DotPrecision> getPrecision(Semantics &semantics, BoundCall &call) {
  std::string text = semantics.getOptions().defaultDotPrecision;
  if (call.has("input_precision") && call.has("allow_tf32")) {
    call.error(diag::DuplicateArgument, "allow_tf32",
               "expected either 'input_precision' or 'allow_tf32', got both");
    return std::nullopt;
  }
  if (call.has("allow_tf32")) {
    std::optional<bool> allowed = call.getBool("allow_tf32", true);
    if (!allowed) {
      return std::nullopt;
    }
    text = *allowed ? "tf32" : "ieee";
  }
  if (call.has("input_precision")) {
    std::optional<std::string> given = call.getString("input_precision", text);
    if (!given) {
      return std::nullopt;
    }
    text = llvm::StringRef(*given).lower();
  }
  std::optional<tile::DotPrecision> precision = parsePrecision(text);
  if (!precision) {
    call.error(diag::InvalidArgument, "input_precision",
               "expected 'tf32', 'tf32x3', 'ieee', 'bf16x3' or 'bf16x6', got '" + text + "'");
  }
  return precision;
}

static tile::Fp8KindAttr fp8Attribute(mlir::MLIRContext *context, const DType &dtype) {
  switch (dtype.getKind()) {
  case Kind::Fp8E4NV:
    return tile::Fp8KindAttr::get(context, tile::Fp8Kind::E4M3FN);
  case Kind::Fp8E5:
    return tile::Fp8KindAttr::get(context, tile::Fp8Kind::E5M2);
  case Kind::Fp8E4B8:
    return tile::Fp8KindAttr::get(context, tile::Fp8Kind::E4M3FNUZ);
  case Kind::Fp8E5B16:
    return tile::Fp8KindAttr::get(context, tile::Fp8Kind::E5M2FNUZ);
  default:
    return {};
  }
}

/// `4` or `2 x 4`
static std::string shapeOf(llvm::ArrayRef<int64_t> sizes) {
  std::string text;
  for (int64_t size : sizes) {
    text += (text.empty() ? "" : " x ") + std::to_string(size);
  }
  return text;
}

Value Builtins::dot(Semantics &semantics, BoundCall &call) {
  Value a = call.get("input"), b = call.get("other");
  for (auto [name, operand] : {std::pair("input", &a), std::pair("other", &b)}) {
    if (!operand->isRuntime() || operand->getType().getRank() < 2) {
      return call.error(diag::ArgumentType, name,
                        "expected a tile of rank 2 or more, got " + operand->describe());
    }
  }

  // Shapes.
  const LangType left = a.getType(), right = b.getType();
  unsigned rank = left.getRank();
  if (right.getRank() != rank) {
    return call.error(diag::ShapeMismatch, "other",
                      "expected rank " + llvm::Twine(rank) + " as 'input' has, got " +
                          b.describe());
  }
  int64_t m = left.shape[rank - 2], k = left.shape[rank - 1], n = right.shape[rank - 1];
  if (right.shape[rank - 2] != k) {
    return call.error(diag::ShapeMismatch, "other",
                      "expected " + llvm::Twine(k) + " rows, the columns of " + a.describe() +
                          ", got " + b.describe() + (n == k ? "; transposed it would fit" : ""));
  }
  llvm::ArrayRef<int64_t> batch = llvm::ArrayRef<int64_t>(left.shape).drop_back(2);
  if (batch != llvm::ArrayRef<int64_t>(right.shape).drop_back(2)) {
    return call.error(diag::ShapeMismatch, "other",
                      "expected a batch of " + shapeOf(batch) + " as 'input' has, got " +
                          b.describe());
  }
  // The op knows one dimension of a batch: the product of all there are.
  llvm::SmallVector<int64_t, 4> folded;
  if (rank > 2) {
    folded.push_back(LangType({}, batch).getNumElements());
  }
  if (rank > 3) {
    a = semantics.reshape(a, {folded[0], m, k});
    b = semantics.reshape(b, {folded[0], k, n});
  }
  folded.append({m, n});

  // Element types. The software fp8 format has no products of its own.
  if (left.dtype.getKind() == Kind::Fp8E4B15) {
    a = semantics.cast(a, Kind::Fp16);
  }
  if (right.dtype.getKind() == Kind::Fp8E4B15) {
    b = semantics.cast(b, Kind::Fp16);
  }
  if (a.getDType().isFp8() != b.getDType().isFp8() && (left.dtype.isFp8() && right.dtype.isFp8())) {
    a = semantics.cast(a, Kind::Fp16);
    b = semantics.cast(b, Kind::Fp16);
  }
  DType aType = a.getDType(), bType = b.getDType();
  auto supported = [](const DType &dtype) {
    return dtype.isFloat() || dtype.getKind() == Kind::Int8 || dtype.getKind() == Kind::UInt8;
  };
  for (auto [name, dtype, operand] :
       {std::tuple("input", aType, &a), std::tuple("other", bType, &b)}) {
    if (!supported(dtype)) {
      return call.error(diag::ArgumentType, name,
                        "expected int8, uint8 or float elements, got " + operand->describe());
    }
  }
  bool bothFp8 = aType.isFp8() && bType.isFp8();
  if (aType != bType && !bothFp8) {
    return call.error(diag::ArgumentType, "other",
                      "expected " + aType.getName() + " elements as 'input' has, got " +
                          b.describe() + "; cast it with .to(tl." + aType.getName() + ")");
  }

  // The accumulator.
  std::optional<DType> wanted = call.getDType("out_dtype");
  std::optional<tile::DotPrecision> precision =
      wanted ? getPrecision(semantics, call) : std::nullopt;
  std::optional<int64_t> imprecise =
      precision ? call.getInt("max_num_imprecise_acc", 0) : std::nullopt;
  if (!imprecise) {
    return Value::poison();
  }
  if (wanted->isBF16()) {
    return call.error(diag::InvalidArgument, "out_dtype",
                      "expected float32 or float16, got bfloat16; use float32 and "
                      "cast the result");
  }
  if (*imprecise < 0 || (bothFp8 && *imprecise > k && call.has("max_num_imprecise_acc"))) {
    return call.error(diag::InvalidArgument, "max_num_imprecise_acc",
                      "expected 0 to " + llvm::Twine(k) + ", the columns of 'input', got " +
                          llvm::Twine(*imprecise));
  }
  const Value &acc = call.get("acc");
  bool mayBeHalf = aType.isFp16() || bothFp8;
  DType out = aType.isInt() ? DType(Kind::Int32) : DType(Kind::Fp32);
  if (aType.isFp64()) {
    out = Kind::Fp64;
  } else if (mayBeHalf && (wanted->isFp16() ||
                           (wanted->isVoid() && acc.isRuntime() && acc.getDType().isFp16()))) {
    out = Kind::Fp16;
  }
  llvm::SmallVector<int64_t, 4> shape(batch);
  shape.append({m, n});
  LangType type(out, shape);
  Value accumulator;
  if (acc.isNone()) {
    accumulator = semantics.constantInt(0, type);
  } else if (acc.isNumber()) {
    accumulator = semantics.broadcastTo(semantics.cast(acc, out), type.shape);
  } else if (acc.isRuntime() && acc.getType() == type) {
    accumulator = acc;
  } else {
    bool otherShape = acc.isRuntime() && acc.getDType() == type.dtype;
    return call.error(otherShape ? diag::ShapeMismatch : diag::ArgumentType, "acc",
                      "expected " + type.getName() + ", got " + acc.describe());
  }
  if (accumulator.isPoison()) {
    return accumulator;
  }

  accumulator = semantics.reshape(accumulator, folded);
  mlir::MLIRContext *context = semantics.getContext();
  mlir::Value result = tile::DotOp::create(
      semantics.getBuilder(), semantics.loc(), accumulator.getIR().getType(), a.getIR(), b.getIR(),
      accumulator.getIR(), *precision, static_cast<uint32_t>(*imprecise),
      aType.getKind() == Kind::UInt8 ? tile::Signedness::Unsigned : tile::Signedness::Signed,
      fp8Attribute(context, aType), fp8Attribute(context, bType));
  return semantics.reshape(Value::runtime(result, LangType(out, folded)), shape);
}

} // namespace tegula::frontend

//===- DotScaled.cpp - tl.dot_scaled --------------------------------------===//
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

namespace {
/// One side of the product.
struct Side {
  Value tile, scale; ///< scale is None where there is none
  tile::ScaledFormat format = tile::ScaledFormat::BF16;
  bool kPack = true;
  int64_t outer = 0, k = 0;            ///< sizes in elements: rows of lhs or columns of rhs, and K
  llvm::SmallVector<int64_t, 1> batch; ///< of rank 3 the size ahead of these

  bool isPacked() const { return format == tile::ScaledFormat::E2M1; }
};
} // namespace

/// The type of elements of a format, and the one of the same bits that stands for it.
static std::pair<DType, DType> elementTypes(tile::ScaledFormat format) {
  switch (format) {
  case tile::ScaledFormat::E2M1:
    return {Kind::UInt8, Kind::Int8};
  case tile::ScaledFormat::E4M3:
    return {Kind::Fp8E4NV, Kind::UInt8};
  case tile::ScaledFormat::E5M2:
    return {Kind::Fp8E5, Kind::UInt8};
  case tile::ScaledFormat::BF16:
    return {Kind::BF16, Kind::UInt16};
  case tile::ScaledFormat::FP16:
    return {Kind::Fp16, Kind::UInt16};
  }
  return {Kind::Void, Kind::Void};
}

/// Format, tile and sizes of `lhs` or `rhs`; false after a report.
static bool readSide(Semantics &semantics, BoundCall &call, const std::string &name, bool isLeft,
                     Side &side) {
  const std::string formatName = name + "_format", packName = name + "_k_pack";
  const Value &text = call.get(formatName);
  using Result = std::optional<tile::ScaledFormat>;
  Result format = !text.isStr() ? std::nullopt
                                : llvm::StringSwitch<Result>(text.getStr())
                                      .Case("e2m1", tile::ScaledFormat::E2M1)
                                      .Case("e4m3", tile::ScaledFormat::E4M3)
                                      .Case("e5m2", tile::ScaledFormat::E5M2)
                                      .Case("bf16", tile::ScaledFormat::BF16)
                                      .Case("fp16", tile::ScaledFormat::FP16)
                                      .Default(std::nullopt);
  if (!format) {
    call.error(text.isStr() ? diag::InvalidArgument : diag::ArgumentType, formatName,
               "expected 'e2m1', 'e4m3', 'e5m2', 'bf16' or 'fp16', got " +
                   (text.isStr() ? text.repr() : text.describe()));
    return false;
  }
  side.format = *format;
  std::optional<bool> kPack = call.getBool(packName, true);
  if (!kPack) {
    return false;
  }
  side.kPack = *kPack;
  if (!side.kPack && !side.isPacked()) {
    call.error(diag::InvalidArgument, packName,
               "expected True, as only 'e2m1' packs elements, got False");
    return false;
  }
  side.tile = call.get(name);
  auto [element, bits] = elementTypes(side.format);
  unsigned rank = side.tile.isRuntime() ? side.tile.getType().getRank() : 0;
  bool isTile = rank == 2 || rank == 3;
  DType given = isTile ? side.tile.getDType() : DType();
  if (!isTile || (given != element && given != bits)) {
    call.error(diag::ArgumentType, name,
               "expected a tile of rank 2 or 3 of " + element.getName() + " or " + bits.getName() +
                   " for format " + text.repr() + ", got " + side.tile.describe());
    return false;
  }
  side.tile = semantics.bitcast(side.tile, element);
  llvm::ArrayRef<int64_t> shape = side.tile.getType().shape;
  side.batch.assign(shape.begin(), shape.end() - 2);
  shape = shape.take_back(2);
  side.outer = shape[isLeft ? 0 : 1] * (side.isPacked() && !side.kPack ? 2 : 1);
  side.k = shape[isLeft ? 1 : 0] * (side.isPacked() && side.kPack ? 2 : 1);
  return true;
}

/// The scales of a side, in groups of 32 along K, or of 16 where they are float8e4nv.
static bool readScale(BoundCall &call, const std::string &name, Side &side) {
  const std::string scaleName = name + "_scale";
  side.scale = call.get(scaleName);
  if (side.scale.isNone()) {
    return true;
  }
  unsigned rank = 2 + side.batch.size();
  bool isTile = side.scale.isRuntime() && side.scale.getType().getRank() == rank;
  DType dtype = isTile ? side.scale.getDType() : DType();
  bool isE4M3 = dtype.getKind() == Kind::Fp8E4NV;
  if (!isTile || (dtype.getKind() != Kind::UInt8 && !isE4M3)) {
    call.error(diag::ArgumentType, scaleName,
               "expected a tile of rank " + llvm::Twine(rank) + " of uint8 or float8e4nv, got " +
                   side.scale.describe());
    return false;
  }
  int64_t group = isE4M3 ? 16 : 32;
  if (side.k % group != 0) {
    call.error(diag::ShapeMismatch, scaleName,
               "expected a multiple of " + llvm::Twine(group) + " elements along K, got " +
                   llvm::Twine(side.k));
    return false;
  }
  LangType wanted(dtype, side.batch);
  wanted.shape.append({side.outer, side.k / group});
  if (side.scale.getType() != wanted) {
    call.error(diag::ShapeMismatch, scaleName,
               "expected " + wanted.getName() + ", one scale per " + llvm::Twine(group) +
                   " elements along K, got " + side.scale.describe());
    return false;
  }
  return true;
}

Value Builtins::dotScaled(Semantics &semantics, BoundCall &call) {
  Side lhs, rhs;
  if (!readSide(semantics, call, "lhs", true, lhs) ||
      !readSide(semantics, call, "rhs", false, rhs)) {
    return Value::poison();
  }
  if (lhs.batch != rhs.batch) {
    return call.error(diag::ShapeMismatch, "rhs",
                      "expected the rank of 'lhs', " + call.get("lhs").describe() +
                          ", and as many matrices, got " + call.get("rhs").describe());
  }
  if (lhs.k != rhs.k) {
    return call.error(diag::ShapeMismatch, "rhs",
                      "expected " + llvm::Twine(lhs.k) + " elements along K as 'lhs' has, got " +
                          llvm::Twine(rhs.k) + " in " + call.get("rhs").describe());
  }
  if (!readScale(call, "lhs", lhs) || !readScale(call, "rhs", rhs)) {
    return Value::poison();
  }
  bool both = !lhs.scale.isNone() && !rhs.scale.isNone();
  if (both && lhs.scale.getDType() != rhs.scale.getDType()) {
    return call.error(diag::ArgumentType, "rhs_scale",
                      "expected scales of " + lhs.scale.getDType().getName() +
                          " as 'lhs_scale' has, got " + rhs.scale.describe());
  }
  std::optional<bool> fast = call.getBool("fast_math", false);
  std::optional<DType> wanted = fast ? call.getDType("out_dtype") : std::nullopt;
  if (!wanted) {
    return Value::poison();
  }
  if (!wanted->isVoid() && !wanted->isFp32()) {
    return call.error(diag::InvalidArgument, "out_dtype",
                      "expected float32, got " + wanted->getName() + "; cast the result");
  }
  LangType type(Kind::Fp32, lhs.batch);
  type.shape.append({lhs.outer, rhs.outer});
  const Value &acc = call.get("acc");
  Value accumulator = acc;
  if (acc.isNone()) {
    accumulator = semantics.constantInt(0, type);
  } else if (!acc.isRuntime() || acc.getType() != type) {
    bool otherShape = acc.isRuntime() && acc.getDType().isFp32();
    return call.error(otherShape ? diag::ShapeMismatch : diag::ArgumentType, "acc",
                      "expected " + type.getName() + ", got " + acc.describe());
  }
  auto ir = [](const Value &value) { return value.isNone() ? mlir::Value() : value.getIR(); };
  const Value &scale = lhs.scale.isNone() ? rhs.scale : lhs.scale;
  bool isE4M3 = !scale.isNone() && scale.getDType().getKind() == Kind::Fp8E4NV;
  mlir::Value result = tile::DotScaledOp::create(
      semantics.getBuilder(), semantics.loc(), accumulator.getIR().getType(), lhs.tile.getIR(),
      rhs.tile.getIR(), accumulator.getIR(), ir(lhs.scale), ir(rhs.scale), lhs.format, rhs.format,
      lhs.kPack, rhs.kPack, isE4M3);
  return Value::runtime(result, type);
}

} // namespace tegula::frontend

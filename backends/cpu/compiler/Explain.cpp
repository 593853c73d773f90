//===- Explain.cpp - Remarks of the loop former
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "LoopFormer.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tegula::cpu {

/// "128x64 f32", "1024 pointers".
static std::string describe(ArrayRef<int64_t> shape, Type element) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(shape, os, "x");
  if (isa<tile::PtrType>(element)) {
    os << (shape.empty() ? "pointer" : " pointers");
  } else {
    os << (shape.empty() ? "" : " ") << element;
  }
  return text;
}

bool LoopFormer::explains() const { return builder.getContext()->getRemarkEngine() != nullptr; }

void LoopFormer::explain(StringRef id, Location loc, const Twine &text) {
  std::string words = text.str();
  if (!explains() || !explained.insert({loc.getAsOpaquePointer(), words}).second) {
    return;
  }
  const auto options = remark::RemarkOpts::name(id).category("cpu-form-loops");
  if (id == diag::Scalar) {
    remark::missed(loc, options) << StringRef(words);
  } else if (id == diag::Vectorised) {
    remark::passed(loc, options) << StringRef(words);
  } else {
    remark::analysis(loc, options) << StringRef(words);
  }
}

void LoopFormer::explainLoop(Location loc, const char *what, ArrayRef<int64_t> shape, Type element,
                             unsigned lanes, const char *whyScalar) {
  int64_t count = 1;
  for (int64_t extent : shape) {
    count *= extent;
  }
  if (!explains() || count == 1) {
    return;
  }
  const std::string head = std::string(what) + " of " + describe(shape, element) + ": ";
  if (lanes > 1) {
    explain(diag::Vectorised, loc,
            head + "vectorised, " + Twine(lanes) + " lanes a step, " + Twine(count / lanes) +
                (count == lanes ? " step" : " steps"));
    return;
  }
  explain(diag::Scalar, loc,
          head + "one element at a time, since " +
              (whyScalar ? StringRef(whyScalar) : StringRef("no vector length divides a row")));
}

void LoopFormer::explainAccess(Operation *op, Type element, unsigned lanes, const Stride &stride,
                               bool masked) {
  if (!explains()) {
    return;
  }
  const bool isLoad = isa<tile::LoadOp>(op);
  const char *single = isLoad ? "gathered" : "scattered";
  const int64_t bytes = tile::getElementBytes(element);
  std::string how;
  switch (stride.kind) {
  case Stride::Known:
    how = stride.step == bytes ? "contiguous"
                               : std::string(single) + ", since elements are " +
                                     std::to_string(stride.step) + " bytes apart";
    break;
  case Stride::Symbolic:
    how = std::string("contiguous where the distance of elements, known at run time only, is ") +
          std::to_string(bytes) + " bytes, else " + single;
    break;
  case Stride::Maybe:
    how = std::string("contiguous where a check at run time finds it so, else ") + single;
    break;
  case Stride::Opaque:
    how = std::string(single) + ", since the addresses follow no pattern";
    break;
  }
  explain(diag::Access, op->getLoc(),
          std::string(isLoad ? "load" : "store") + " of " + std::to_string(lanes) + " " +
              describe({}, element) + ": " + how + (masked ? "; masked" : ""));
}

/// Why the operation being emitted needs memory for a tile.
static const char *reasonOf(Operation *op) {
  return isa_and_nonnull<tile::DotOp>(op)      ? "a dot reads or updates it"
         : isa_and_nonnull<tile::ReduceOp>(op) ? "it is the result of a reduction"
         : isa_and_nonnull<tile::ScanOp>(op)   ? "a scan reads or makes it"
         : isa_and_nonnull<tile::SortOp>(op)   ? "a sort reads or makes it"
         : isa_and_nonnull<tile::StoreOp, tile::AtomicRMWOp, tile::AtomicCASOp>(op)
             ? "memory that it is read from may change before its use"
         : isa_and_nonnull<scf::ForOp, scf::WhileOp>(op) ? "a loop carries it or needs it inside"
         : isa_and_nonnull<scf::IfOp>(op) ? "a branch makes it or needs it inside"
                                          : "an operation reads or makes it as a whole";
}

void LoopFormer::explainBuffer(Location loc, ArrayRef<int64_t> shape, Type element,
                               const char *why) {
  if (!explains()) {
    return;
  }
  int64_t bytes = elementBytes(element);
  for (int64_t extent : shape) {
    bytes *= extent;
  }
  explain(diag::Scratch, loc,
          "tile of " + describe(shape, element) + " kept in scratch memory, " + Twine(bytes) +
              " bytes, since " + (why ? why : reasonOf(current)));
}

} // namespace tegula::cpu

//===- AxisTransfer.cpp - What each op does to axis facts ----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AxisTransfer.h"
#include "mlir/IR/Matchers.h"
#include "tegula/Tile/IR/Traits.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numeric>

using namespace mlir;

namespace tegula::tile {

/// Width of the elements; an index counts as 64 bits.
static unsigned getWidth(Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  return integer ? integer.getWidth() : 64;
}

/// The longest run that cannot cross the signed or unsigned limit of `width`
/// bits when it starts at a multiple of its length.
static int64_t getSafeRun(unsigned width) { return int64_t(1) << std::min(width - 1, 31u); }

static int64_t multiplyCapped(int64_t a, int64_t b) {
  // Both are powers of two of at most 2^31, so the product fits.
  return std::min(a * b, AxisInfo::kMaxDivisibility);
}

int64_t powerOfTwoOf(int64_t value) {
  if (value == 0) {
    return AxisInfo::kMaxDivisibility;
  }
  return int64_t(1) << std::min(llvm::countr_zero(uint64_t(value)), 31);
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

bool AxisTransfer::mustNotWrap(Type type) const { return !options.mayWrap && getWidth(type) >= 32; }

/// Cuts runs so that they start at multiples of their length, `limit` at most.
/// Such a run stays clear of every multiple of a larger power of two.
void AxisTransfer::limitRuns(AxisInfo &info, int64_t limit) const {
  for (int64_t d = 0, e = info.getRank(); d < e; ++d) {
    int64_t run = std::gcd(info.contiguity[d], std::min(info.divisibility[d], limit));
    // The divisibility of a cut run is its own length.
    info.divisibility[d] = info.getDivisibilityAt(d, run);
    info.contiguity[d] = run;
  }
  info.normalize();
}

AxisInfo AxisTransfer::elementwise(Type type, Infos operands) const {
  AxisInfo info = AxisInfo::getPessimistic(type);
  for (int64_t d = 0, e = info.getRank(); d < e; ++d) {
    int64_t run = 0;
    for (const AxisInfo &operand : operands) {
      // A scalar operand (of select) is the same everywhere.
      if (operand.getRank() == e) {
        run = std::gcd(run, operand.constancy[d]);
      }
    }
    info.constancy[d] = std::max<int64_t>(run, 1);
  }
  return info;
}

AxisInfo AxisTransfer::extend(const AxisInfo &source, unsigned from, bool isSigned) const {
  AxisInfo info = source;
  bool mayWrap = options.mayWrap || from < 32 || (!isSigned && !source.nonNegative);
  if (mayWrap) {
    limitRuns(info, getSafeRun(from));
  }
  if (!isSigned) {
    if (info.constant && from < 64) {
      info.constant = *info.constant & ((int64_t(1) << from) - 1);
    }
    info.nonNegative = true;
  }
  return info;
}

AxisInfo AxisTransfer::truncate(const AxisInfo &source, Type to) const {
  AxisInfo info = source;
  unsigned width = getWidth(to);
  limitRuns(info, getSafeRun(width));
  if (info.constant) {
    info.constant = llvm::SignExtend64(uint64_t(*info.constant), width);
  }
  info.nonNegative = info.constant && *info.constant >= 0;
  return info;
}

AxisInfo AxisTransfer::castWidth(Type from, Type to, const AxisInfo &source, bool isSigned) const {
  unsigned fromWidth = getWidth(from), toWidth = getWidth(to);
  if (fromWidth < toWidth) {
    return extend(source, fromWidth, isSigned);
  }
  return fromWidth > toWidth ? truncate(source, to) : source;
}

/// The same addresses counted in another unit.
AxisInfo AxisTransfer::castPointer(Type to, const AxisInfo &source) const {
  AxisInfo info = AxisInfo::getPessimistic(to);
  bool sameUnit = info.unit == source.unit;
  int64_t all = source.getElementDivisibility();
  for (int64_t d = 0, e = info.getRank(); d < e; ++d) {
    info.constancy[d] = source.constancy[d];
    info.contiguity[d] = sameUnit ? source.contiguity[d] : 1;
    info.divisibility[d] = sameUnit ? source.divisibility[d] : all;
  }
  return info;
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

AxisInfo AxisTransfer::visitConstant(Attribute value, Type type) const {
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    int64_t v = integer.getValue().getSExtValue();
    return AxisInfo::getUniform(type, powerOfTwoOf(v), v);
  }
  auto dense = dyn_cast<DenseIntElementsAttr>(value);
  if (!dense) {
    auto splat = dyn_cast<SplatElementsAttr>(value);
    return splat ? AxisInfo::getUniform(type, 1) : AxisInfo::getPessimistic(type);
  }
  if (dense.isSplat()) {
    int64_t v = dense.getSplatValue<APInt>().getSExtValue();
    return AxisInfo::getUniform(type, powerOfTwoOf(v), v);
  }
  AxisInfo info = AxisInfo::getPessimistic(type);
  int64_t all = AxisInfo::kMaxDivisibility;
  info.nonNegative = true;
  for (const APInt &element : dense.getValues<APInt>()) {
    all = std::min(all, powerOfTwoOf(element.getSExtValue()));
    info.nonNegative = info.nonNegative && !element.isNegative();
  }
  info.divisibility.assign(info.getRank(), all);
  return info;
}

AxisInfo AxisTransfer::visitRange(RangeOp op) const {
  AxisInfo info = AxisInfo::getPessimistic(op.getType());
  int64_t start = int32_t(op.getStart());
  info.contiguity[0] = cast<RankedTensorType>(op.getType()).getDimSize(0);
  info.divisibility[0] = powerOfTwoOf(start);
  info.nonNegative = start >= 0;
  return info;
}

AxisInfo AxisTransfer::visitHint(HintOp op, const AxisInfo &source) const {
  AxisInfo info = source;
  auto tensor = dyn_cast<RankedTensorType>(op.getType());
  for (int64_t d = 0, e = info.getRank(); d < e; ++d) {
    int64_t size = tensor && tensor.getRank() > 0 ? tensor.getDimSize(d) : 1;
    if (auto contiguity = op.getContiguity()) {
      int64_t run = std::gcd((*contiguity)[d], size);
      if (run > info.contiguity[d]) {
        info.divisibility[d] = source.getDivisibilityAt(d, run);
        info.contiguity[d] = run;
      }
    }
    if (auto divisibility = op.getDivisibility()) {
      info.divisibility[d] = std::max(info.divisibility[d], powerOfTwoOf((*divisibility)[d]));
    }
    if (auto constancy = op.getConstancy()) {
      info.constancy[d] = std::max(info.constancy[d], std::gcd((*constancy)[d], size));
    }
  }
  info.normalize();
  return info;
}

AxisInfo AxisTransfer::getInduction(scf::ForOp loop, const AxisInfo &lower, const AxisInfo &upper,
                                    const AxisInfo &step) const {
  Type type = loop.getInductionVar().getType();
  AxisInfo info = AxisInfo::getUniform(
      type, std::min(lower.getElementDivisibility(), step.getElementDivisibility()));
  // Compared unsigned, numbers stay below the bound.
  info.nonNegative =
      lower.nonNegative && (loop.getUnsignedCmp() ? upper.nonNegative : step.nonNegative);
  return info;
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

/// a + scale * b, where b counts in units of a when a holds pointers.
AxisInfo AxisTransfer::visitAdd(Type type, const AxisInfo &a, const AxisInfo &b,
                                int64_t scale) const {
  AxisInfo info = elementwise(type, {a, b});
  for (int64_t d = 0, e = info.getRank(); d < e; ++d) {
    int64_t run = std::max(std::gcd(a.contiguity[d], b.constancy[d]),
                           std::gcd(a.constancy[d], b.contiguity[d]));
    info.contiguity[d] = run;
    info.divisibility[d] =
        std::min(a.getDivisibilityAt(d, run), multiplyCapped(b.getDivisibilityAt(d, run), scale));
  }
  info.nonNegative = mustNotWrap(type) && a.nonNegative && b.nonNegative;
  info.normalize();
  return info;
}

AxisInfo AxisTransfer::visitSub(Type type, const AxisInfo &a, const AxisInfo &b) const {
  AxisInfo info = elementwise(type, {a, b});
  for (int64_t d = 0, e = info.getRank(); d < e; ++d) {
    int64_t run = std::gcd(a.contiguity[d], b.constancy[d]);
    info.contiguity[d] = run;
    info.divisibility[d] = std::min(a.getDivisibilityAt(d, run), b.getDivisibilityAt(d, run));
  }
  info.normalize();
  return info;
}

AxisInfo AxisTransfer::visitMul(Type type, const AxisInfo &a, const AxisInfo &b) const {
  if (a.constant == 1 && getWidth(type) > 1) {
    return b;
  }
  if (b.constant == 1 && getWidth(type) > 1) {
    return a;
  }
  AxisInfo info = elementwise(type, {a, b});
  info.divisibility.assign(info.getRank(),
                           multiplyCapped(a.getElementDivisibility(), b.getElementDivisibility()));
  info.nonNegative = mustNotWrap(type) && a.nonNegative && b.nonNegative;
  return info;
}

//===----------------------------------------------------------------------===//
// Quotients, shifts and masks
//===----------------------------------------------------------------------===//

AxisInfo AxisTransfer::visitDiv(DivOp op, const AxisInfo &a, const AxisInfo &b) const {
  if (b.constant == 1 && getWidth(op.getType()) > 1) {
    return a;
  }
  AxisInfo info = elementwise(op.getType(), {a, b});
  bool isUnsigned = op.getSignedness() == Signedness::Unsigned;
  bool rising = isUnsigned || a.nonNegative;
  for (int64_t d = 0, e = info.getRank(); d < e && rising; ++d) {
    // A run that starts at a multiple of its length meets no multiple of the
    // divisor but at its start, so that the quotient does not change in it.
    int64_t run = std::gcd(a.contiguity[d], b.constancy[d]);
    run = std::gcd(run, std::min(a.divisibility[d], b.getElementDivisibility()));
    run = std::gcd(run, getSafeRun(getWidth(op.getType())));
    info.constancy[d] = std::max(info.constancy[d], run);
  }
  int64_t all = a.getElementDivisibility();
  if (b.constant && *b.constant > 0 && powerOfTwoOf(*b.constant) == *b.constant) {
    info.divisibility.assign(info.getRank(), std::max<int64_t>(all / *b.constant, 1));
  }
  info.nonNegative =
      (a.nonNegative && b.nonNegative) || (isUnsigned && b.constant && *b.constant > 1);
  return info;
}

AxisInfo AxisTransfer::visitRem(RemOp op, const AxisInfo &a, const AxisInfo &b) const {
  AxisInfo info = elementwise(op.getType(), {a, b});
  bool rising = op.getSignedness() == Signedness::Unsigned || a.nonNegative;
  int64_t divisor = b.getElementDivisibility();
  int64_t all = std::min(a.getElementDivisibility(), divisor);
  for (int64_t d = 0, e = info.getRank(); d < e; ++d) {
    info.divisibility[d] = all;
    if (!rising) {
      continue;
    }
    // As for the quotient: the run lies between two multiples of the divisor.
    int64_t run = std::gcd(a.contiguity[d], b.constancy[d]);
    run = std::gcd(run, std::min(a.divisibility[d], divisor));
    run = std::gcd(run, getSafeRun(getWidth(op.getType())));
    info.contiguity[d] = run;
    info.divisibility[d] = std::min(a.getDivisibilityAt(d, run), divisor);
  }
  info.nonNegative = a.nonNegative && (op.getSignedness() == Signedness::Signed || b.nonNegative);
  info.normalize();
  return info;
}

AxisInfo AxisTransfer::visitShl(Type type, const AxisInfo &a, const AxisInfo &b) const {
  AxisInfo info = elementwise(type, {a, b});
  int64_t all = a.getElementDivisibility();
  if (b.constant) {
    uint64_t amount = uint64_t(*b.constant);
    unsigned width = getWidth(type);
    if (amount >= width) {
      return AxisInfo::getUniform(type, AxisInfo::kMaxDivisibility, 0);
    }
    if (amount == 0) {
      return a;
    }
    all = multiplyCapped(all, int64_t(1) << std::min<uint64_t>(amount, 31));
  }
  info.divisibility.assign(info.getRank(), all);
  info.nonNegative = mustNotWrap(type) && a.nonNegative;
  return info;
}

AxisInfo AxisTransfer::visitShr(ShrOp op, const AxisInfo &a, const AxisInfo &b) const {
  AxisInfo info = elementwise(op.getType(), {a, b});
  info.nonNegative = a.nonNegative;
  if (!b.constant) {
    return info;
  }
  unsigned width = getWidth(op.getType());
  uint64_t amount = uint64_t(*b.constant);
  if (amount == 0) {
    return a;
  }
  if (amount >= width) {
    if (op.getSignedness() == Signedness::Unsigned) {
      return AxisInfo::getUniform(op.getType(), AxisInfo::kMaxDivisibility, 0);
    }
    amount = width - 1;
  }
  int64_t divisor = int64_t(1) << std::min<uint64_t>(amount, 31);
  for (int64_t d = 0, e = info.getRank(); d < e; ++d) {
    int64_t run = std::gcd(a.contiguity[d], std::min(a.divisibility[d], divisor));
    run = std::gcd(run, getSafeRun(width));
    info.constancy[d] = std::max(info.constancy[d], run);
  }
  // The cap hides how far beyond 2^31 a multiple goes.
  int64_t all = a.getElementDivisibility();
  info.divisibility.assign(info.getRank(), amount <= 31 ? std::max<int64_t>(all / divisor, 1) : 1);
  return info;
}

AxisInfo AxisTransfer::visitAnd(Type type, const AxisInfo &a, const AxisInfo &b) const {
  if (a.constant && !b.constant) {
    return visitAnd(type, b, a);
  }
  AxisInfo info = elementwise(type, {a, b});
  int64_t all = std::max(a.getElementDivisibility(), b.getElementDivisibility());
  info.divisibility.assign(info.getRank(), all);
  info.nonNegative = a.nonNegative || b.nonNegative;
  if (!b.constant || *b.constant == 0) {
    return info;
  }
  // Low zeros of the mask drop what changes inside a run; low ones keep it.
  int64_t low = powerOfTwoOf(*b.constant);
  int64_t ones = powerOfTwoOf(~*b.constant);
  for (int64_t d = 0, e = info.getRank(); d < e; ++d) {
    int64_t start = std::min(a.divisibility[d], getSafeRun(getWidth(type)));
    info.constancy[d] =
        std::max(info.constancy[d], std::gcd(a.contiguity[d], std::min(start, low)));
    int64_t run = std::gcd(a.contiguity[d], std::min(start, ones));
    info.contiguity[d] = run;
    info.divisibility[d] = std::max(a.getDivisibilityAt(d, run), low);
  }
  info.normalize();
  return info;
}

//===----------------------------------------------------------------------===//
// Compare and select
//===----------------------------------------------------------------------===//

AxisInfo AxisTransfer::visitCompare(arith::CmpIOp op, const AxisInfo &a, const AxisInfo &b) const {
  AxisInfo info = elementwise(op.getType(), {a, b});
  // x < n and its negation, with n on either side.
  const AxisInfo *x = nullptr, *n = nullptr;
  switch (op.getPredicate()) {
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    x = &a;
    n = &b;
    break;
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    x = &b;
    n = &a;
    break;
  default:
    return info;
  }
  int64_t safe = getSafeRun(getWidth(op.getLhs().getType()));
  for (int64_t d = 0, e = info.getRank(); d < e; ++d) {
    int64_t run = std::gcd(x->contiguity[d], n->constancy[d]);
    run = std::gcd(run, std::min({x->divisibility[d], n->getElementDivisibility(), safe}));
    info.constancy[d] = std::max(info.constancy[d], run);
  }
  return info;
}

AxisInfo AxisTransfer::visitSelect(Value result, Infos operands) const {
  const AxisInfo &condition = operands[0], &a = operands[1], &b = operands[2];
  bool scalarCondition =
      !isa<ShapedType>(result.getDefiningOp<arith::SelectOp>().getCondition().getType());
  // Which of the two is taken is a join, within runs of equal conditions.
  AxisInfo info = AxisInfo::join(a, b);
  info.constant = a.constant == b.constant ? a.constant : std::nullopt;
  for (int64_t d = 0, e = info.getRank(); d < e && !scalarCondition; ++d) {
    int64_t run = std::gcd(info.contiguity[d], condition.constancy[d]);
    info.divisibility[d] = std::min(a.getDivisibilityAt(d, run), b.getDivisibilityAt(d, run));
    info.contiguity[d] = run;
    info.constancy[d] =
        info.constant ? info.constancy[d] : std::gcd(info.constancy[d], condition.constancy[d]);
  }
  info.normalize();
  return info;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

AxisInfo AxisTransfer::visitBroadcast(BroadcastOp op, const AxisInfo &source) const {
  AxisInfo info = source;
  auto from = cast<RankedTensorType>(op.getSource().getType());
  auto to = cast<RankedTensorType>(op.getType());
  for (int64_t d = 0, e = to.getRank(); d < e; ++d) {
    if (from.getDimSize(d) != to.getDimSize(d)) {
      info.constancy[d] = to.getDimSize(d);
    }
  }
  return info;
}

AxisInfo AxisTransfer::visitExpandDims(ExpandDimsOp op, const AxisInfo &source) const {
  if (cast<RankedTensorType>(op.getSource().getType()).getRank() == 0) {
    return source;
  }
  AxisInfo info = source;
  int64_t axis = op.getAxis();
  info.contiguity.insert(info.contiguity.begin() + axis, 1);
  info.divisibility.insert(info.divisibility.begin() + axis, source.getElementDivisibility());
  info.constancy.insert(info.constancy.begin() + axis, 1);
  return info;
}

AxisInfo AxisTransfer::visitReshape(ReshapeOp op, const AxisInfo &source) const {
  auto from = cast<RankedTensorType>(op.getSource().getType());
  auto to = cast<RankedTensorType>(op.getType());
  bool uniform = true;
  for (int64_t d = 0, e = from.getRank(); d < e; ++d) {
    uniform = uniform && source.constancy[d] == from.getDimSize(d);
  }
  int64_t all = source.getElementDivisibility();
  if (uniform) {
    AxisInfo info = AxisInfo::getUniform(to, all, source.constant);
    info.nonNegative = source.nonNegative;
    return info;
  }
  AxisInfo info = AxisInfo::getPessimistic(to);
  info.nonNegative = source.nonNegative;
  info.divisibility.assign(info.getRank(), all);
  if (op.getAllowReorder()) {
    return info;
  }
  // Dimensions of size 1 may come and go; the others must be the same.
  SmallVector<int64_t> fromDims, toDims;
  for (int64_t d = 0, e = from.getRank(); d < e; ++d) {
    if (from.getDimSize(d) != 1) {
      fromDims.push_back(d);
    }
  }
  for (int64_t d = 0, e = to.getRank(); d < e; ++d) {
    if (to.getDimSize(d) != 1) {
      toDims.push_back(d);
    }
  }
  bool same = fromDims.size() == toDims.size();
  for (size_t i = 0; same && i < fromDims.size(); ++i) {
    same = from.getDimSize(fromDims[i]) == to.getDimSize(toDims[i]);
  }
  for (size_t i = 0; same && i < fromDims.size(); ++i) {
    info.contiguity[toDims[i]] = source.contiguity[fromDims[i]];
    info.divisibility[toDims[i]] = source.divisibility[fromDims[i]];
    info.constancy[toDims[i]] = source.constancy[fromDims[i]];
  }
  return info;
}

AxisInfo AxisTransfer::visitTranspose(TransposeOp op, const AxisInfo &source) const {
  AxisInfo info = source;
  for (auto [index, d] : llvm::enumerate(op.getOrder())) {
    info.contiguity[index] = source.contiguity[d];
    info.divisibility[index] = source.divisibility[d];
    info.constancy[index] = source.constancy[d];
  }
  return info;
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

AxisInfo AxisTransfer::visit(Operation *op, Value result, Infos in) const {
  Type type = result.getType();
  if (op->hasTrait<KeepsValues>()) {
    return in[0];
  }
  return llvm::TypeSwitch<Operation *, AxisInfo>(op)
      .Case<arith::ConstantOp>(
          [&](arith::ConstantOp o) { return visitConstant(o.getValue(), type); })
      .Case<RangeOp>([&](RangeOp o) { return visitRange(o); })
      .Case<ProgramIdOp, NumProgramsOp>([&](Operation *) {
        AxisInfo info = AxisInfo::getPessimistic(type);
        info.nonNegative = true;
        return info;
      })
      .Case<HintOp>([&](HintOp o) { return visitHint(o, in[0]); })
      .Case<SplatOp>([&](SplatOp) {
        AxisInfo info = AxisInfo::getUniform(type, in[0].getElementDivisibility(), in[0].constant);
        info.nonNegative = in[0].nonNegative;
        return info;
      })
      .Case<BroadcastOp>([&](BroadcastOp o) { return visitBroadcast(o, in[0]); })
      .Case<ExpandDimsOp>([&](ExpandDimsOp o) { return visitExpandDims(o, in[0]); })
      .Case<ReshapeOp>([&](ReshapeOp o) { return visitReshape(o, in[0]); })
      .Case<TransposeOp>([&](TransposeOp o) { return visitTranspose(o, in[0]); })
      .Case<AddPtrOp>([&](AddPtrOp o) {
        AxisInfo offset =
            castWidth(o.getOffset().getType(), IntegerType::get(op->getContext(), 64), in[1], true);
        AxisInfo info = visitAdd(type, in[0], offset, in[0].unit);
        info.nonNegative = false;
        return info;
      })
      .Case<PtrCastOp, PtrToIntOp, IntToPtrOp>(
          [&](Operation *) { return castPointer(type, in[0]); })
      .Case<arith::AddIOp>([&](arith::AddIOp) { return visitAdd(type, in[0], in[1], 1); })
      .Case<arith::SubIOp>([&](arith::SubIOp) { return visitSub(type, in[0], in[1]); })
      .Case<arith::MulIOp>([&](arith::MulIOp) { return visitMul(type, in[0], in[1]); })
      .Case<DivOp>([&](DivOp o) { return visitDiv(o, in[0], in[1]); })
      .Case<RemOp>([&](RemOp o) { return visitRem(o, in[0], in[1]); })
      .Case<ShlOp>([&](ShlOp) { return visitShl(type, in[0], in[1]); })
      .Case<ShrOp>([&](ShrOp o) { return visitShr(o, in[0], in[1]); })
      .Case<arith::AndIOp>([&](arith::AndIOp) { return visitAnd(type, in[0], in[1]); })
      .Case<arith::OrIOp, arith::XOrIOp, arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp,
            arith::MaxUIOp>([&](Operation *) {
        AxisInfo info = elementwise(type, in);
        info.divisibility.assign(info.getRank(), std::min(in[0].getElementDivisibility(),
                                                          in[1].getElementDivisibility()));
        info.nonNegative = isa<arith::MaxSIOp>(op) ? in[0].nonNegative || in[1].nonNegative
                                                   : in[0].nonNegative && in[1].nonNegative;
        return info;
      })
      .Case<arith::ExtSIOp, arith::IndexCastOp, arith::TruncIOp>(
          [&](Operation *) { return castWidth(op->getOperand(0).getType(), type, in[0], true); })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>(
          [&](Operation *) { return castWidth(op->getOperand(0).getType(), type, in[0], false); })
      .Case<arith::CmpIOp>([&](arith::CmpIOp o) { return visitCompare(o, in[0], in[1]); })
      .Case<arith::SelectOp>([&](arith::SelectOp) { return visitSelect(result, in); })
      .Default([&](Operation *) {
        bool pure = op->hasTrait<OpTrait::Elementwise>() && op->getNumOperands() > 0 &&
                    isMemoryEffectFree(op);
        return pure ? elementwise(type, in) : AxisInfo::getPessimistic(type);
      });
}

} // namespace tegula::tile

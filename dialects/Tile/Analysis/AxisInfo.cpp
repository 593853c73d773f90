//===- AxisInfo.cpp - Contiguity, divisibility, constancy of tiles -------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Tile/Analysis/AxisInfo.h"
#include "AxisTransfer.h"
#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tegula/Tile/IR/Tile.h"
#include "llvm/Support/raw_ostream.h"
#include <numeric>

using namespace mlir;
using namespace tegula::tile;

//===----------------------------------------------------------------------===//
// AxisInfo
//===----------------------------------------------------------------------===//

/// The sizes of the dimensions that the facts are about.
static SmallVector<int64_t, 3> getAxisShape(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape() || shaped.getRank() == 0) {
    return {1};
  }
  return SmallVector<int64_t, 3>(shaped.getShape());
}

/// By how much consecutive elements of `type` differ.
static int64_t getUnit(Type type) {
  auto ptr = dyn_cast<PtrType>(getElementTypeOrSelf(type));
  return ptr ? getElementBytes(ptr.getPointeeType()) : 1;
}

AxisInfo AxisInfo::getPessimistic(Type type) {
  AxisInfo info;
  size_t rank = getAxisShape(type).size();
  info.contiguity.assign(rank, 1);
  info.divisibility.assign(rank, 1);
  info.constancy.assign(rank, 1);
  info.unit = getUnit(type);
  return info;
}

AxisInfo AxisInfo::getUniform(Type type, int64_t divisibility, std::optional<int64_t> constant) {
  AxisInfo info = getPessimistic(type);
  info.divisibility.assign(info.getRank(), std::min(divisibility, kMaxDivisibility));
  info.constancy = getAxisShape(type);
  info.constant = constant;
  info.nonNegative = constant && *constant >= 0;
  return info;
}

int64_t AxisInfo::getElementDivisibility() const {
  int64_t best = 1;
  for (int64_t d = 0, e = getRank(); d < e; ++d) {
    best = std::max(best, contiguity[d] == 1 ? divisibility[d] : std::gcd(divisibility[d], unit));
  }
  return best;
}

int64_t AxisInfo::getDivisibilityAt(int64_t d, int64_t stride) const {
  // Elements inside a run are its first value plus their place in it.
  int64_t along = stride % contiguity[d] == 0
                      ? divisibility[d]
                      : std::gcd(divisibility[d], std::gcd(stride, contiguity[d]) * unit);
  return std::max(along, getElementDivisibility());
}

void AxisInfo::normalize() {
  int64_t all = getElementDivisibility();
  for (int64_t &entry : divisibility) {
    entry = std::max(entry, all);
  }
}

AxisInfo AxisInfo::join(const AxisInfo &a, const AxisInfo &b) {
  if (!a.isInitialized() || a == b) {
    return b;
  }
  if (!b.isInitialized()) {
    return a;
  }
  AxisInfo info = a;
  for (int64_t d = 0, e = a.getRank(); d < e; ++d) {
    int64_t run = std::gcd(a.contiguity[d], b.contiguity[d]);
    info.contiguity[d] = run;
    info.divisibility[d] = std::min(a.getDivisibilityAt(d, run), b.getDivisibilityAt(d, run));
    info.constancy[d] = std::gcd(a.constancy[d], b.constancy[d]);
  }
  if (a.constant != b.constant) {
    info.constant.reset();
  }
  info.nonNegative = a.nonNegative && b.nonNegative;
  info.normalize();
  return info;
}

bool AxisInfo::operator==(const AxisInfo &other) const {
  return contiguity == other.contiguity && divisibility == other.divisibility &&
         constancy == other.constancy && constant == other.constant &&
         nonNegative == other.nonNegative;
}

void AxisInfo::print(raw_ostream &os) const {
  if (!isInitialized()) {
    os << "not reached";
    return;
  }
  auto list = [&](StringRef name, ArrayRef<int64_t> entries) {
    os << name << " = [";
    llvm::interleaveComma(entries, os);
    os << "]";
  };
  list("contiguity", contiguity);
  list(", divisibility", divisibility);
  list(", constancy", constancy);
  if (constant) {
    os << ", constant = " << *constant;
  }
}

//===----------------------------------------------------------------------===//
// The data-flow analysis
//===----------------------------------------------------------------------===//

/// Whether `tile.assume` beside it promises that a scalar is at least 0.
static bool isAssumedNonNegative(Value value) {
  if (!value.getType().isSignlessInteger()) {
    return false;
  }
  for (Operation *user : value.getUsers()) {
    auto compare = dyn_cast<arith::CmpIOp>(user);
    APInt bound;
    if (!compare || compare.getLhs() != value || compare->getBlock() != value.getParentBlock() ||
        !matchPattern(compare.getRhs(), m_ConstantInt(&bound))) {
      continue;
    }
    arith::CmpIPredicate predicate = compare.getPredicate();
    bool isBound = (predicate == arith::CmpIPredicate::sge && bound.isNonNegative()) ||
                   (predicate == arith::CmpIPredicate::sgt && bound.sge(-1)) ||
                   (predicate == arith::CmpIPredicate::eq && bound.isNonNegative());
    if (isBound && llvm::any_of(compare->getUsers(), [&](Operation *op) {
          return isa<AssumeOp>(op) && op->getBlock() == value.getParentBlock();
        })) {
      return true;
    }
  }
  return false;
}

namespace {
class AxisLattice : public dataflow::Lattice<AxisInfo> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AxisLattice)
  using Lattice::Lattice;
};

class AxisDataFlow : public dataflow::SparseForwardDataFlowAnalysis<AxisLattice> {
public:
  AxisDataFlow(DataFlowSolver &solver, AxisInfoOptions options)
      : SparseForwardDataFlowAnalysis(solver), transfer(options) {}

  LogicalResult visitOperation(Operation *op, ArrayRef<const AxisLattice *> operands,
                               ArrayRef<AxisLattice *> results) override {
    SmallVector<AxisInfo> infos;
    for (const AxisLattice *operand : operands) {
      if (!operand->getValue().isInitialized()) {
        return success(); // visited again once the operand is known
      }
      infos.push_back(operand->getValue());
    }
    for (auto [lattice, result] : llvm::zip_equal(results, op->getResults())) {
      AxisInfo info = transfer.visit(op, result, infos);
      if (isAssumedNonNegative(result)) {
        AxisTransfer::promiseNonNegative(info);
      }
      propagateIfChanged(lattice, lattice->join(info));
    }
    return success();
  }

  void visitNonControlFlowArguments(Operation *op, const RegionSuccessor &successor,
                                    ArrayRef<AxisLattice *> arguments,
                                    unsigned firstIndex) override {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop) {
      SparseForwardDataFlowAnalysis::visitNonControlFlowArguments(op, successor, arguments,
                                                                  firstIndex);
      return;
    }
    ProgramPoint *point = getProgramPointBefore(loop.getBody());
    const AxisInfo &lower = getLatticeElementFor(point, loop.getLowerBound())->getValue();
    const AxisInfo &upper = getLatticeElementFor(point, loop.getUpperBound())->getValue();
    const AxisInfo &step = getLatticeElementFor(point, loop.getStep())->getValue();
    if (lower.isInitialized() && upper.isInitialized() && step.isInitialized()) {
      AxisLattice *variable = getLatticeElement(loop.getInductionVar());
      propagateIfChanged(variable, variable->join(transfer.getInduction(loop, lower, upper, step)));
    }
  }

protected:
  void setToEntryState(AxisLattice *lattice) override {
    Value value = lattice->getAnchor();
    AxisInfo info = AxisInfo::getPessimistic(value.getType());
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto function = dyn_cast_if_present<FunctionOpInterface>(argument.getOwner()->getParentOp());
      if (function && argument.getOwner()->isEntryBlock()) {
        auto fact =
            function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), kDivisibilityAttr);
        if (fact && isa<IntegerType, PtrType>(value.getType())) {
          info = AxisInfo::getUniform(value.getType(), powerOfTwoOf(fact.getInt()));
        }
      }
    }
    propagateIfChanged(lattice, lattice->join(info));
  }

private:
  AxisTransfer transfer;
};
} // namespace

AxisInfoAnalysis::AxisInfoAnalysis(Operation *root, AxisInfoOptions options)
    : solver(std::make_unique<DataFlowSolver>()) {
  dataflow::loadBaselineAnalyses(*solver);
  solver->load<AxisDataFlow>(options);
  // Failure leaves values without facts, which is what lookup then says.
  if (failed(solver->initializeAndRun(root))) {
    solver = std::make_unique<DataFlowSolver>();
  }
}

AxisInfoAnalysis::~AxisInfoAnalysis() = default;
AxisInfoAnalysis::AxisInfoAnalysis(AxisInfoAnalysis &&) = default;
AxisInfoAnalysis &AxisInfoAnalysis::operator=(AxisInfoAnalysis &&) = default;

const AxisInfo *AxisInfoAnalysis::lookup(Value value) const {
  if (!isa<IntegerType, IndexType, PtrType>(getElementTypeOrSelf(value.getType()))) {
    return nullptr;
  }
  const auto *lattice = solver->lookupState<AxisLattice>(value);
  return lattice && lattice->getValue().isInitialized() ? &lattice->getValue() : nullptr;
}

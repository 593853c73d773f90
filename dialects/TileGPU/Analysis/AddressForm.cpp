//===- AddressForm.cpp - Tiles of uniform strides -------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Analysis/AddressForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tegula/TileGPU/IR/TileGPU.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

Stride Stride::plus(const Stride &other, int64_t factor) const {
  Stride sum = *this;
  sum.constant = int64_t(uint64_t(constant) + uint64_t(factor) * uint64_t(other.constant));
  for (auto [value, count] : other.terms) {
    const int64_t more = int64_t(uint64_t(count) * uint64_t(factor));
    auto *found = llvm::find_if(sum.terms, [&](auto &term) { return term.first == value; });
    if (found == sum.terms.end()) {
      sum.terms.push_back({value, more});
    } else if ((found->second += more) == 0) {
      sum.terms.erase(found);
    }
  }
  llvm::erase_if(sum.terms, [](auto &term) { return term.second == 0; });
  return sum;
}

static unsigned getRank(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getRank() : 0;
}

static bool isUniform(const AddressForm &form) {
  return llvm::all_of(form, [](const Stride &stride) { return stride.isZero(); });
}

static AddressForm add(const AddressForm &a, const AddressForm &b, int64_t factor) {
  AddressForm sum;
  for (auto [x, y] : llvm::zip_equal(a, b)) {
    sum.push_back(x.plus(y, factor));
  }
  return sum;
}

/// The number or the scalar that all elements of a uniform value are: a stride.
static std::optional<Stride> getScalar(Value value) {
  while (true) {
    APInt number;
    DenseIntElementsAttr dense;
    if (matchPattern(value, m_ConstantInt(&number))) {
      return Stride{number.getSExtValue(), {}};
    }
    if (matchPattern(value, m_Constant(&dense))) {
      return dense.isSplat()
                 ? std::optional(Stride{dense.getSplatValue<APInt>().getSExtValue(), {}})
                 : std::nullopt;
    }
    if (isa<IntegerType>(value.getType())) {
      return Stride{0, {{value, 1}}};
    }
    Operation *op = value.getDefiningOp();
    if (!isa_and_nonnull<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp,
                         tile::TransposeOp, ConvertLayoutOp, tile::HintOp, arith::ExtSIOp,
                         arith::ExtUIOp>(op)) {
      return std::nullopt;
    }
    value = op->getOperand(0);
  }
}

std::optional<AddressForm> AddressForms::get(Value value) {
  if (getRank(value.getType()) == 0) {
    return AddressForm();
  }
  if (auto found = known.find(value); found != known.end()) {
    return found->second;
  }
  std::optional<AddressForm> form = compute(value);
  known[value] = form;
  return form;
}

std::optional<AddressForm> AddressForms::compute(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    return computeArgument(argument);
  }
  return computeOp(value.getDefiningOp(), value);
}

/// What enters a carried variable from outside, and what comes round.
static std::pair<Value, Value> getSources(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (OpOperand *init = loop.getTiedLoopInit(argument)) {
      return {init->get(), loop.getTiedLoopYieldedValue(argument)->get()};
    }
  } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    const unsigned i = argument.getArgNumber();
    if (argument.getOwner() != loop.getBeforeBody()) {
      Value passed = loop.getConditionOp().getArgs()[i];
      return {passed, passed};
    }
    return {loop.getInits()[i], loop.getYieldOp().getOperand(i)};
  }
  return {};
}

std::optional<AddressForm> AddressForms::computeArgument(BlockArgument argument) {
  auto [init, next] = getSources(argument);
  if (!init || irregular.contains(argument)) {
    return std::nullopt;
  }
  std::optional<AddressForm> form = get(init);
  if (!form || init == next) {
    return form;
  }
  // Taken to stay as it is, does it?
  known[argument] = form;
  if (get(next) != form) {
    irregular.insert(argument);
    known.clear(); // what was found under the assumption
    return std::nullopt;
  }
  return form;
}

std::optional<AddressForm> AddressForms::multiply(Value a, Value b) {
  std::optional<AddressForm> form = get(a);
  std::optional<Stride> factor = getScalar(b);
  if (!form || !factor) {
    return std::nullopt;
  }
  AddressForm product;
  for (const Stride &stride : *form) {
    if (factor->isConstant()) {
      product.push_back(Stride().plus(stride, factor->constant));
    } else if (stride.isConstant()) {
      product.push_back(Stride().plus(*factor, stride.constant));
    } else {
      return std::nullopt;
    }
  }
  return product;
}

std::optional<AddressForm> AddressForms::computeOp(Operation *op, Value value) {
  const unsigned rank = getRank(value.getType());
  const AddressForm uniform(rank);
  if (isa<tile::SplatOp>(op)) {
    return uniform;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    return isa<SplatElementsAttr>(constant.getValue()) ? std::optional(uniform) : std::nullopt;
  }
  if (isa<tile::RangeOp>(op)) {
    return AddressForm{Stride{1, {}}};
  }
  if (isa<ConvertLayoutOp, tile::HintOp, tile::PtrCastOp, tile::PtrToIntOp, tile::IntToPtrOp,
          arith::ExtSIOp, arith::ExtUIOp>(op)) {
    return get(op->getOperand(0));
  }
  if (auto narrow = dyn_cast<arith::TruncIOp>(op)) {
    // To 32 bits as all index arithmetic, which is taken not to wrap; below that numbers of
    // different elements meet.
    const bool isIndex = getElementTypeOrSelf(narrow.getType()).getIntOrFloatBitWidth() >= 32;
    return isIndex ? get(narrow.getIn()) : std::nullopt;
  }
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    const unsigned i = cast<OpResult>(value).getResultNumber();
    if (auto counted = dyn_cast<scf::ForOp>(op)) {
      return get(counted.getRegionIterArg(i));
    }
    if (auto open = dyn_cast<scf::WhileOp>(op)) {
      return get(open.getConditionOp().getArgs()[i]);
    }
    return std::nullopt;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    const unsigned i = cast<OpResult>(value).getResultNumber();
    std::optional<AddressForm> form = get(branch.thenYield().getOperand(i));
    return form == get(branch.elseYield().getOperand(i)) ? form : std::nullopt;
  }
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    std::optional<AddressForm> form = get(expand.getOperand());
    if (form) {
      form->insert(form->begin() + expand.getAxis(), Stride());
    }
    return form;
  }
  if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    std::optional<AddressForm> form = get(transpose.getOperand());
    if (!form) {
      return std::nullopt;
    }
    AddressForm moved;
    for (int64_t d : transpose.getOrder()) {
      moved.push_back((*form)[d]);
    }
    return moved;
  }
  if (isa<tile::BroadcastOp>(op)) {
    std::optional<AddressForm> form = get(op->getOperand(0));
    auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    auto to = cast<RankedTensorType>(value.getType());
    if (!form || !from) {
      return std::nullopt;
    }
    for (unsigned d = 0; d < rank; ++d) {
      if (from.getDimSize(d) != to.getDimSize(d)) {
        (*form)[d] = Stride();
      }
    }
    return form;
  }
  if (isa<arith::AddIOp, arith::SubIOp, tile::AddPtrOp>(op)) {
    std::optional<AddressForm> a = get(op->getOperand(0)), b = get(op->getOperand(1));
    if (!a || !b) {
      return std::nullopt;
    }
    int64_t factor = isa<arith::SubIOp>(op) ? -1 : 1;
    if (isa<tile::AddPtrOp>(op)) {
      auto pointer = cast<tile::PtrType>(getElementTypeOrSelf(value.getType()));
      factor = tile::getElementBytes(pointer.getPointeeType());
    }
    return add(*a, *b, factor);
  }
  if (isa<arith::MulIOp>(op)) {
    std::optional<AddressForm> product = multiply(op->getOperand(0), op->getOperand(1));
    return product ? product : multiply(op->getOperand(1), op->getOperand(0));
  }
  if (isa<tile::ShlOp>(op)) {
    std::optional<AddressForm> form = get(op->getOperand(0));
    std::optional<Stride> amount = getScalar(op->getOperand(1));
    if (form && amount && amount->isConstant() && uint64_t(amount->constant) < 62) {
      return add(uniform, *form, int64_t(1) << amount->constant);
    }
  }
  // Equal operands, equal results.
  const bool keepsUniform =
      op->getNumRegions() == 0 && isMemoryEffectFree(op) && op->getNumOperands() > 0 &&
      (op->hasTrait<OpTrait::Elementwise>() ||
       isa<tile::ReshapeOp, tile::ShlOp, tile::ShrOp, tile::DivOp, tile::RemOp>(op));
  if (!keepsUniform) {
    return std::nullopt;
  }
  for (Value operand : op->getOperands()) {
    std::optional<AddressForm> form = get(operand);
    if (!form || !isUniform(*form)) {
      return std::nullopt;
    }
  }
  return uniform;
}

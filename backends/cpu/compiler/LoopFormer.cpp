//===- LoopFormer.cpp - Walk, loops and buffers of the loop former
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopFormer.h"
#include "Diagnostics.h"
#include "LoopFormerInlines.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace tegula::cpu {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type convertElement(Type element) {
  if (isa<tile::PtrType>(element)) {
    return LLVM::LLVMPointerType::get(element.getContext());
  }
  return element;
}

Type memoryElement(Type element) {
  if (element.isInteger(1)) {
    return IntegerType::get(element.getContext(), 8);
  }
  return convertElement(element);
}

unsigned elementBytes(Type element) {
  return element.isInteger(128) ? 16 : tile::getElementBytes(element);
}

Type withLanes(Type element, unsigned lanes) {
  return lanes == 1 ? element : VectorType::get({int64_t(lanes)}, element);
}

RankedTensorType tileType(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

bool isElementwise(Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 && op->getNumOperands() > 0 &&
         isa<arith::ArithDialect, math::MathDialect>(op->getDialect());
}

//===----------------------------------------------------------------------===//
// Nest
//===----------------------------------------------------------------------===//

Nest::Nest(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {
  Block *block = builder.getInsertionBlock();
  Block::iterator point = builder.getInsertionPoint();
  levels.push_back({block, point == block->end() ? nullptr : &*point});
}

void Nest::at(unsigned level) {
  const Level &l = levels[level];
  if (l.before) {
    builder.setInsertionPoint(l.before);
  } else if (!l.block->empty() && l.block->back().hasTrait<OpTrait::IsTerminator>()) {
    builder.setInsertionPoint(&l.block->back());
  } else {
    builder.setInsertionPointToEnd(l.block);
  }
}

scf::ForOp Nest::makeLoop(int64_t first, int64_t last, int64_t step, ValueRange inits) {
  at(0);
  auto make = [&](int64_t v) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(v));
  };
  Value lo = make(first), hi = make(last), by = make(step);
  at(depth());
  scf::ForOp loop = inits.empty() ? scf::ForOp::create(builder, loc, lo, hi, by)
                                  : scf::ForOp::create(builder, loc, lo, hi, by, inits);
  levels.back().before = loop;
  levels.push_back({loop.getBody(), nullptr});
  return loop;
}

Coord Nest::loop(int64_t first, int64_t last, int64_t step) {
  if (last - first <= step) {
    return Coord::get(first);
  }
  scf::ForOp loop = makeLoop(first, last, step, {});
  return {loop.getInductionVar(), 0, depth()};
}

scf::ForOp Nest::carryingLoop(int64_t first, int64_t last, int64_t step, ValueRange inits,
                              Coord &coord) {
  scf::ForOp loop = makeLoop(first, last, step, inits);
  coord = {loop.getInductionVar(), 0, depth()};
  return loop;
}

void Nest::leave() {
  levels.pop_back();
  levels.back().before = levels.back().before->getNextNode();
}

void Nest::close() {
  if (levels.size() > 1) {
    builder.setInsertionPointAfter(levels.front().before);
  } else {
    at(0);
  }
}

//===----------------------------------------------------------------------===//
// Constants and buffers
//===----------------------------------------------------------------------===//

LoopFormer::LoopFormer(func::FuncOp source, const FormOptions &options)
    : source(source), options(options), builder(source.getContext()),
      constants(source.getContext()) {}

Value LoopFormer::constant(TypedAttr attribute) {
  Value &value = constantCache[attribute];
  if (!value) {
    value = arith::ConstantOp::create(constants, source.getLoc(), attribute);
  }
  return value;
}

Value LoopFormer::constantI64(int64_t value) { return constant(builder.getI64IntegerAttr(value)); }

Value LoopFormer::zero(Type element, unsigned lanes) {
  Type type = withLanes(convertElement(element), lanes);
  if (isa<LLVM::LLVMPointerType>(convertElement(element))) {
    Attribute key = TypeAttr::get(type);
    Value &value = constantCache[key];
    if (!value) {
      value = LLVM::ZeroOp::create(constants, source.getLoc(), type);
    }
    return value;
  }
  return constant(cast<TypedAttr>(builder.getZeroAttr(type)));
}

Value LoopFormer::allTrue(unsigned lanes) {
  return constant(
      DenseElementsAttr::get(VectorType::get({int64_t(lanes)}, builder.getI1Type()), true));
}

Value LoopFormer::iota(Type element, unsigned lanes, int64_t step) {
  SmallVector<APInt> values;
  unsigned bits = element.getIntOrFloatBitWidth();
  for (unsigned i = 0; i < lanes; ++i) {
    values.push_back(APInt(64, uint64_t(i) * uint64_t(step)).trunc(bits));
  }
  return constant(DenseElementsAttr::get(VectorType::get({int64_t(lanes)}, element), values));
}

Buffer LoopFormer::makeBuffer(Location loc, ArrayRef<int64_t> shape, Type element,
                              const char *why) {
  explainBuffer(loc, shape, element, why);
  int64_t count = 1;
  for (int64_t extent : shape) {
    count *= extent;
  }
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  int64_t bytes = count * elementBytes(element);
  ++numBuffers;
  return {AllocOp::create(builder, loc, pointer, bytes), SmallVector<int64_t, 4>(shape), element};
}

Buffer LoopFormer::constantBuffer(arith::ConstantOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  auto dense = cast<DenseElementsAttr>(op.getValue());
  Type element = memoryElement(type.getElementType());
  auto flat = RankedTensorType::get({type.getNumElements()}, type.getElementType());
  Attribute data = dense.reshape(flat);
  if (type.getElementType().isInteger(1)) {
    SmallVector<int8_t> bytes;
    for (bool b : dense.getValues<bool>()) {
      bytes.push_back(b);
    }
    data = DenseElementsAttr::get(RankedTensorType::get({type.getNumElements()}, element),
                                  ArrayRef<int8_t>(bytes));
  }
  auto module = target->getParentOfType<ModuleOp>();
  std::string name;
  for (unsigned i = 0;; ++i) {
    name = ("tile_constant_" + Twine(i)).str();
    if (!module.lookupSymbol(name)) {
      break;
    }
  }
  OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
  auto array = LLVM::LLVMArrayType::get(element, type.getNumElements());
  auto global = LLVM::GlobalOp::create(top, op.getLoc(), array, /*isConstant=*/true,
                                       LLVM::Linkage::Internal, name, data, /*alignment=*/64);
  Value pointer = LLVM::AddressOfOp::create(constants, op.getLoc(), global);
  return {pointer, SmallVector<int64_t, 4>(type.getShape()), type.getElementType(), true};
}

Pulled LoopFormer::coordValue(Location loc, const Coord &coord) {
  return coord.value ? Pulled{coord.value, coord.level} : Pulled{constantI64(coord.constant), 0};
}

Coord LoopFormer::addToCoord(Location loc, const Coord &coord, int64_t offset) {
  if (!coord.value) {
    return Coord::get(coord.constant + offset);
  }
  if (offset == 0) {
    return coord;
  }
  Value by = constantI64(offset);
  Pulled sum =
      at(coord.level, [&] { return arith::AddIOp::create(builder, loc, coord.value, by); });
  return {sum.value, 0, sum.level};
}

Coord LoopFormer::scaleCoord(Location loc, const Coord &coord, int64_t factor) {
  if (!coord.value) {
    return Coord::get(coord.constant * factor);
  }
  if (factor == 1) {
    return coord;
  }
  Value by = constantI64(factor);
  Pulled product =
      at(coord.level, [&] { return arith::MulIOp::create(builder, loc, coord.value, by); });
  return {product.value, 0, product.level};
}

Coord LoopFormer::sumCoords(Location loc, const Coord &a, const Coord &b) {
  if (!a.value || !b.value) {
    return a.value ? addToCoord(loc, a, b.constant) : addToCoord(loc, b, a.constant);
  }
  Pulled sum = at(std::max(a.level, b.level),
                  [&] { return arith::AddIOp::create(builder, loc, a.value, b.value); });
  return {sum.value, 0, sum.level};
}

Coord LoopFormer::linearise(Location loc, const Chunk &chunk, ArrayRef<int64_t> shape) {
  // Terms are added outermost loop first, so that inner loops add little.
  SmallVector<std::pair<Coord, int64_t>> terms;
  int64_t stride = 1, fixed = 0;
  for (int d = int(shape.size()) - 1; d >= 0; --d) {
    if (chunk.at[d].value) {
      terms.push_back({chunk.at[d], stride});
    } else {
      fixed += chunk.at[d].constant * stride;
    }
    stride *= shape[d];
  }
  llvm::stable_sort(terms, [](auto &a, auto &b) { return a.first.level < b.first.level; });
  Coord sum = Coord::get(0);
  for (auto &[coord, scale] : terms) {
    sum = sumCoords(loc, sum, scaleCoord(loc, coord, scale));
  }
  return sum.value ? addToCoord(loc, sum, fixed) : Coord::get(fixed);
}

Pulled LoopFormer::elementPointer(Location loc, Pulled base, const Coord &index, Type element) {
  if (!index.value && index.constant == 0) {
    return base;
  }
  Pulled offset = coordValue(loc, index);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  return at(std::max(base.level, offset.level), [&] {
    return LLVM::GEPOp::create(builder, loc, pointer, element, base.value,
                               ArrayRef<LLVM::GEPArg>{offset.value});
  });
}

Pulled LoopFormer::loadBuffer(Location loc, const Buffer &buffer, const Chunk &chunk) {
  Coord index = linearise(loc, chunk, buffer.shape);
  int64_t stride = 1;
  for (int d = int(buffer.shape.size()) - 1; d > chunk.dim; --d) {
    stride *= buffer.shape[d];
  }
  int rank = buffer.shape.size();
  if (chunk.lanes > 1 && stride == 2 && chunk.dim == rank - 2 && !chunk.at.back().value) {
    // Every second element: one load of twice the size, and a shuffle.
    int64_t half = chunk.at.back().constant;
    Pulled both = loadStrided(loc, buffer, addToCoord(loc, index, -half), 1, 2 * chunk.lanes);
    SmallVector<int64_t> order;
    for (unsigned i = 0; i < chunk.lanes; ++i) {
      order.push_back(2 * i + half);
    }
    return at(both.level, [&] {
      return vector::ShuffleOp::create(builder, loc, both.value, both.value, order);
    });
  }
  return loadStrided(loc, buffer, index, stride, chunk.lanes);
}

/// `lanes` elements from the linear index on, each `stride` after the one before.
Pulled LoopFormer::loadStrided(Location loc, const Buffer &buffer, const Coord &index,
                               int64_t stride, unsigned lanes) {
  Type element = memoryElement(buffer.element);
  unsigned align = elementBytes(buffer.element);
  if (explains() && lanes > 1 && stride != 1) {
    explain(diag::Access, loc,
            "read of " + Twine(lanes) + " elements from scratch memory: gathered, since they are " +
                Twine(stride * align) + " bytes apart");
  }
  Pulled pointer = elementPointer(loc, {buffer.pointer, 0}, index, element);
  return at(pointer.level, [&]() -> Value {
    Value loaded;
    if (lanes == 1 || stride == 1) {
      loaded = LLVM::LoadOp::create(builder, loc, withLanes(element, lanes), pointer.value, align);
    } else {
      Value pointers = LLVM::GEPOp::create(
          builder, loc, withLanes(pointer.value.getType(), lanes), element, pointer.value,
          ArrayRef<LLVM::GEPArg>{iota(builder.getI64Type(), lanes, stride)});
      loaded = LLVM::masked_gather::create(builder, loc, withLanes(element, lanes), pointers,
                                           allTrue(lanes), ValueRange{zero(element, lanes)},
                                           builder.getI32IntegerAttr(align));
    }
    return fromMemory(loc, loaded, buffer.element);
  });
}

void LoopFormer::storeBuffer(Location loc, const Buffer &buffer, const Chunk &chunk, Pulled value) {
  Type element = memoryElement(buffer.element);
  Pulled pointer =
      elementPointer(loc, {buffer.pointer, 0}, linearise(loc, chunk, buffer.shape), element);
  at(nest->depth(), [&]() -> Value {
    LLVM::StoreOp::create(builder, loc, toMemory(loc, value.value, buffer.element), pointer.value,
                          elementBytes(buffer.element));
    return Value();
  });
}

void LoopFormer::copyBuffer(Location loc, const Buffer &from, const Buffer &to) {
  unsigned bits = 8 * elementBytes(from.element);
  int dim = vectorDim(from.shape);
  unsigned lanes = dim < 0 ? 1 : lanesForBits(bits, bits, from.shape[dim]);
  forEachChunk(loc, from.shape, lanes, [&](const Chunk &chunk) {
    storeBuffer(loc, to, chunk, loadBuffer(loc, from, chunk));
  });
}

//===----------------------------------------------------------------------===//
// Walk
//===----------------------------------------------------------------------===//

Location LoopFormer::locOf(Value value) const {
  Location loc = value.getLoc();
  return isa<UnknownLoc>(loc) && current ? current->getLoc() : loc;
}

Value LoopFormer::scalar(Value value) {
  Value found = scalars.lookup(value);
  assert(found && "scalar used before it was emitted");
  return found;
}

LogicalResult LoopFormer::unsupported(Operation *op, const Twine &why) {
  return op->emitOpError() << "is not supported by the CPU backend: " << why
                           << diagID(diag::NoLowering);
}

LogicalResult LoopFormer::run() {
  MLIRContext *context = source.getContext();
  makePlan();
  SmallVector<Type> inputs, results;
  auto convert = [&](Type type) { return convertElement(type); };
  for (Type type : source.getFunctionType().getInputs()) {
    inputs.push_back(convert(type));
  }
  for (Type type : source.getFunctionType().getResults()) {
    results.push_back(convert(type));
  }
  builder.setInsertionPoint(source);
  target = func::FuncOp::create(builder, source.getLoc(), source.getName(),
                                FunctionType::get(context, inputs, results));
  target->setAttrs(source->getAttrDictionary());
  target.setFunctionType(FunctionType::get(context, inputs, results));
  Block *entry = target.addEntryBlock();
  for (auto [from, to] : llvm::zip(source.getArguments(), entry->getArguments())) {
    scalars[from] = to;
    to.setLoc(from.getLoc());
  }
  // A marker keeps constants ahead of all other code; it is removed at the end.
  builder.setInsertionPointToStart(entry);
  Operation *marker =
      arith::ConstantOp::create(builder, source.getLoc(), builder.getI64IntegerAttr(0));
  constants.setInsertionPoint(marker);
  builder.setInsertionPointToEnd(entry);
  LogicalResult done = emitBlock(source.getBody().front());
  if (failed(done)) {
    target.erase();
    return failure();
  }
  SmallVector<Value> values;
  Operation *terminator = source.getBody().front().getTerminator();
  for (Value operand : terminator->getOperands()) {
    values.push_back(scalar(operand));
  }
  func::ReturnOp::create(builder, terminator->getLoc(), values);
  marker->erase();
  source.erase();
  return success();
}

LogicalResult LoopFormer::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    current = &op;
    if (failed(emitOp(&op))) {
      return failure();
    }
  }
  current = block.getTerminator();
  return success();
}

LogicalResult LoopFormer::emitOp(Operation *op) {
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    return emitStore(store);
  }
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    return emitReduce(reduce);
  }
  if (auto dot = dyn_cast<tile::DotOp>(op)) {
    return emitDot(dot);
  }
  if (auto join = dyn_cast<tile::JoinOp>(op)) {
    return emitJoin(join);
  }
  if (auto cat = dyn_cast<tile::CatOp>(op)) {
    return emitCat(cat);
  }
  if (auto extract = dyn_cast<tile::ExtractOp>(op)) {
    return emitExtract(extract);
  }
  if (auto rmw = dyn_cast<tile::AtomicRMWOp>(op)) {
    return emitAtomic(op, rmw.getPtr(), rmw.getValue(), rmw.getMask());
  }
  if (auto cas = dyn_cast<tile::AtomicCASOp>(op)) {
    return emitAtomic(op, cas.getPtr(), {cas.getExpected(), cas.getValue()}, Value());
  }
  if (auto scan = dyn_cast<tile::ScanOp>(op)) {
    return emitScan(scan);
  }
  if (auto map = dyn_cast<tile::MapOp>(op)) {
    return emitMap(map);
  }
  if (auto histogram = dyn_cast<tile::HistogramOp>(op)) {
    return emitHistogram(histogram);
  }
  if (auto sort = dyn_cast<tile::SortOp>(op)) {
    return emitSort(sort);
  }
  if (auto print = dyn_cast<tile::PrintOp>(op)) {
    return emitPrint(print);
  }
  if (auto check = dyn_cast<tile::AssertOp>(op)) {
    return emitAssert(check);
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    return emitFor(loop);
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    return emitIf(branch);
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    return emitWhile(loop);
  }
  if (isa<tile::BarrierOp, tile::AssumeOp>(op)) {
    // One program is one thread: its accesses are in order already.
    return success();
  }
  bool tiles = llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>) ||
               llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>);
  if (!tiles) {
    return emitScalarOp(op);
  }
  if (!isVirtual(op)) {
    return unsupported(op, "no lowering for tiles");
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!dense) {
      return unsupported(op, "expected dense elements");
    }
    if (!dense.isSplat()) {
      buffers[op->getResult(0)] = constantBuffer(constant);
    }
  }
  if (auto load = dyn_cast<tile::LoadOp>(op); load && load.getIsVolatile()) {
    return keep(load.getResult());
  }
  // Elements at other places than their own are read from memory.
  Value picked = pickedSource(op);
  return picked ? keep(picked) : success();
}

LogicalResult LoopFormer::emitScalarOp(Operation *op) {
  if (op->getNumRegions() != 0) {
    return unsupported(op, "unknown operation with regions");
  }
  if (!isa<arith::ArithDialect, math::MathDialect, tile::TileDialect, LLVM::LLVMDialect,
           ub::UBDialect>(op->getDialect())) {
    return unsupported(op, "no lowering");
  }
  openNest(op->getLoc());
  Chunk none;
  if (isa<tile::TileDialect>(op->getDialect()) &&
      !isa<tile::ProgramIdOp, tile::NumProgramsOp>(op)) {
    if (!isVirtual(op)) {
      closeNest();
      return unsupported(op, "no lowering");
    }
    scalars[op->getResult(0)] = pullOp(op, none).value;
    closeNest();
    return success();
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(scalar(operand));
  }
  nest->at(0);
  if (op->getNumResults() == 1 && isElementwise(op)) {
    scalars[op->getResult(0)] = elementwise(op, operands, 0, 1).value;
  } else {
    IRMapping mapping;
    for (auto [from, to] : llvm::zip(op->getOperands(), operands)) {
      mapping.map(from, to);
    }
    Operation *copy = builder.clone(*op, mapping);
    for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults())) {
      to.setType(convertElement(to.getType()));
      scalars[from] = to;
    }
  }
  closeNest();
  return success();
}

void LoopFormer::openNest(Location loc) {
  assert(!nest && "nests do not nest");
  nest.emplace(builder, loc);
  memo.clear();
}

void LoopFormer::closeNest() {
  numLoops += nest->depth() > 0;
  nest->close();
  nest.reset();
  memo.clear();
  for (auto &[value, buffer] : writeThrough) {
    buffers[value] = buffer;
  }
  writeThrough.clear();
}

int LoopFormer::vectorDim(ArrayRef<int64_t> shape) {
  for (int d = int(shape.size()) - 1; d >= 0; --d) {
    if (shape[d] > 1) {
      return d;
    }
  }
  return -1;
}

/// Operations per chunk below which a loop's own instructions would dominate.
static constexpr unsigned kShortBody = 16;

unsigned LoopFormer::lanesForBits(unsigned narrow, unsigned wide, int64_t extent) {
  unsigned lanes = std::max(1u, options.vectorBits / std::max(narrow, 8u));
  lanes = std::min(lanes, std::max(1u, 4 * options.vectorBits / std::max(wide, 8u)));
  while (lanes > 1 && extent % lanes != 0) {
    lanes /= 2;
  }
  return lanes;
}

void LoopFormer::visitBits(Value value, unsigned &narrow, unsigned &wide,
                           llvm::SmallPtrSetImpl<Value> &seen) {
  auto type = tileType(value);
  if (!type || !seen.insert(value).second) {
    return;
  }
  Type element = convertElement(type.getElementType());
  if (!isa<LLVM::LLVMPointerType>(element) && !element.isInteger(1)) {
    wide = std::max(wide, element.getIntOrFloatBitWidth());
  }
  Operation *op = value.getDefiningOp();
  if (buffers.contains(value) || !op || !isVirtual(op)) {
    narrow = std::min(narrow, 8 * elementBytes(type.getElementType()));
    return;
  }
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    narrow = std::min(narrow, 8 * elementBytes(type.getElementType()));
    if (Value mask = load.getMask()) {
      visitBits(mask, narrow, wide, seen);
    }
    return;
  }
  for (Value operand : op->getOperands()) {
    visitBits(operand, narrow, wide, seen);
  }
}

unsigned LoopFormer::lanesFor(ValueRange values, int64_t extent) {
  unsigned narrow = 64, wide = 8, work = 0;
  bool onlyMasks = true;
  SmallPtrSet<Value, 16> seen;
  for (Value value : values) {
    visitBits(value, narrow, wide, seen);
    auto type = tileType(value);
    if (type && !type.getElementType().isInteger(1)) {
      narrow = std::min(narrow, 8 * elementBytes(type.getElementType()));
      onlyMasks = false;
    }
    work += buffers.contains(value) ? 1 : cost(value);
  }
  if (onlyMasks) {
    narrow = 8;
  }
  // Short bodies take several registers a trip, which spreads the loop's overhead.
  if (work <= kShortBody) {
    narrow = std::max(8u, narrow / 4);
  }
  return lanesForBits(narrow, wide, extent);
}

} // namespace tegula::cpu

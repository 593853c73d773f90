//===- PipelineLoads.cpp - Operands of products by copies that run ahead
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With S slots a trip waits for its tiles, then begins the copies of the trip S - 1 ahead,
// into the slots that the trip before this one has read. Between the wait and the first
// read all threads meet, which orders both: the copies of all have come, and all are done
// with the slots that are filled next. One barrier a trip.
//
// What the addresses of the trip ahead follow from is carried by the loop a second time,
// S - 1 trips ahead of itself, with whether there is such a trip.
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "ChannelReads.h"
#include "Trips.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tegula/TileGPU/Analysis/ChannelAccess.h"
#include "tegula/TileGPU/Analysis/Hazards.h"
#include "tegula/TileGPU/Analysis/Scratch.h"
#include "tegula/TileGPU/Transforms/Passes.h"

using namespace mlir;

namespace tegula::tilegpu {
#define GEN_PASS_DEF_TILEGPUPIPELINELOADSPASS
#include "tegula/TileGPU/Transforms/TileGPUPasses.h.inc"
} // namespace tegula::tilegpu

using namespace tegula;
using namespace tegula::tilegpu;

//===----------------------------------------------------------------------===//
// Which loads
//===----------------------------------------------------------------------===//

namespace {
/// A load that becomes a copy, and the type of its channel but for the slots.
struct PlannedLoad {
  tile::LoadOp load;
  RankedTensorType slot;
  uint64_t bytes;
};

class Planner {
public:
  Planner(ModuleOp module, const Machine &machine) : machine(machine), facts(module) {}

  /// Empty where the loop stays as it is.
  SmallVector<PlannedLoad> plan(scf::ForOp loop);

private:
  bool canMoveLoads(scf::ForOp loop, ArrayRef<tile::LoadOp> loads);
  std::optional<PlannedLoad> planLoad(tile::LoadOp load, const Layout *wanted);

  const Machine &machine;
  tile::AxisInfoAnalysis facts;
};
} // namespace

/// The loads that operands of products follow from; nullopt where one cannot be moved.
static std::optional<SmallVector<tile::LoadOp>> findOperandLoads(scf::ForOp loop) {
  llvm::SetVector<Operation *> seen;
  SmallVector<Value> left;
  for (auto dot : loop.getBody()->getOps<tile::DotOp>()) {
    left.append({dot.getA(), dot.getB()});
  }
  while (!left.empty()) {
    Operation *op = left.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != loop.getBody() || !seen.insert(op)) {
      continue;
    }
    if (canRepeat(op)) {
      llvm::append_range(left, op->getOperands());
    }
  }
  SmallVector<tile::LoadOp> loads;
  for (auto load : loop.getBody()->getOps<tile::LoadOp>()) { // in their order
    if (!seen.contains(load) || !isa<RankedTensorType>(load.getType())) {
      continue;
    }
    if (load.getIsVolatile() || !isKnownAhead(load, loop)) {
      return std::nullopt;
    }
    loads.push_back(load);
  }
  return loads;
}

/// Nothing in the loop may change what the loads find, nor end the program.
bool Planner::canMoveLoads(scf::ForOp loop, ArrayRef<tile::LoadOp> loads) {
  auto function = loop->getParentOfType<FunctionOpInterface>();
  Hazards hazards(function, machine);
  return !loop->walk([&](Operation *op) {
                if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || isMemoryEffectFree(op)) {
                  return WalkResult::advance();
                }
                if (auto load = dyn_cast<tile::LoadOp>(op)) {
                  return load.getIsVolatile() ? WalkResult::interrupt() : WalkResult::advance();
                }
                if (!isa<tile::StoreOp>(op)) {
                  return WalkResult::interrupt();
                }
                for (GlobalAccess access : hazards.getGlobal(op)) {
                  access.isStale = true;
                  for (tile::LoadOp load : loads) {
                    if (hazards.conflict(access, hazards.getGlobal(load).front())) {
                      return WalkResult::interrupt();
                    }
                  }
                }
                return WalkResult::advance();
              })
              .wasInterrupted();
}

/// Bits that are all zero, everywhere.
static bool isZero(Value value) {
  if (auto splat = value.getDefiningOp<tile::SplatOp>()) {
    value = splat.getSource();
  }
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant))) {
    return false;
  }
  if (auto dense = dyn_cast<DenseElementsAttr>(constant)) {
    if (!dense.isSplat()) {
      return false;
    }
    constant = dense.getSplatValue<Attribute>();
  }
  if (auto number = dyn_cast<FloatAttr>(constant)) {
    return number.getValue().bitcastToAPInt().isZero();
  }
  auto number = dyn_cast<IntegerAttr>(constant);
  return number && number.getValue().isZero();
}

static RankedTensorType makeSlotType(RankedTensorType tile, const LinearMap &memory) {
  LinearMap places(memory.getOutputBits());
  for (uint64_t image : memory.getImages(Axis::Offset)) {
    places.addPackedBit(Axis::Register, image);
  }
  return withLayout(tile, Layout(places));
}

std::optional<PlannedLoad> Planner::planLoad(tile::LoadOp load, const Layout *wanted) {
  auto type = cast<RankedTensorType>(load.getType());
  Type element = type.getElementType();
  const unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  const std::optional<Layout> from = getLayout(type);
  if (bits < 8 || bits > 64 || !llvm::isPowerOf2_32(bits) || !from || !from->isLinear() ||
      (load.getOther() && !isZero(load.getOther()))) {
    return std::nullopt;
  }
  const unsigned bytes = bits / 8;
  const Layout &to = wanted && wanted->isLinear() ? *wanted : *from;
  const Access access =
      planWidth(load.getPtr(), load.getMask(), facts, machine.capabilities.getMaxAccessBytes());
  const SlotMemory slot = chooseSlotMemory(*from, to, access, bits, machine);
  if (!isAsyncWidth(slot.width, bytes)) {
    return std::nullopt;
  }
  return PlannedLoad{load, makeSlotType(type, slot.memory),
                     uint64_t(type.getNumElements()) * bytes};
}

SmallVector<PlannedLoad> Planner::plan(scf::ForOp loop) {
  std::optional<SmallVector<tile::LoadOp>> loads = findOperandLoads(loop);
  if (!loads || loads->empty() || !canMoveLoads(loop, *loads)) {
    return {};
  }
  llvm::MapVector<Value, LoadedSlot> slots;
  for (tile::LoadOp load : *loads) {
    slots.insert({load.getResult(), {}});
  }
  ChannelReads reads(slots);
  llvm::MapVector<Value, Layout> wanted;
  for (auto dot : loop.getBody()->getOps<tile::DotOp>()) {
    for (Value operand : {dot.getA(), dot.getB()}) {
      if (dot->hasAttr(kMmaAttr) && reads.canRead(operand)) {
        reads.findWanted(operand, *getLayout(operand.getType()), wanted);
      }
    }
  }
  SmallVector<PlannedLoad> planned;
  for (tile::LoadOp load : *loads) {
    auto found = wanted.find(load.getResult());
    std::optional<PlannedLoad> one =
        planLoad(load, found == wanted.end() ? nullptr : &found->second);
    if (!one) {
      return {};
    }
    planned.push_back(*one);
  }
  return planned;
}

/// As many slots as were asked for, or as there is memory for beside what ops in the loop
/// work in; 1 where two are too many.
static unsigned chooseSlots(scf::ForOp loop, ArrayRef<PlannedLoad> loads, unsigned asked,
                            const Machine &machine) {
  uint64_t scratch = 0, bytes = 0;
  loop->walk([&](Operation *op) {
    if (!isa<ConvertLayoutOp>(op)) {
      scratch = std::max<uint64_t>(scratch, getScratch(op, machine).bytes);
    }
  });
  for (const PlannedLoad &load : loads) {
    bytes += llvm::alignTo(load.bytes, 128);
  }
  const uint64_t available = machine.capabilities.getSharedBytes();
  // Room for small scratch beside the largest one.
  scratch += scratch ? 2048 : 0;
  while (asked > 1 && asked * bytes + scratch > available) {
    --asked;
  }
  return asked;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

namespace {
class Pipeliner {
public:
  Pipeliner(IRRewriter &rewriter, scf::ForOp loop, ArrayRef<PlannedLoad> loads, unsigned slots)
      : rewriter(rewriter), loop(loop), loads(loads), slots(slots), loc(loop.getLoc()) {}

  void run();

private:
  /// The trip that copies are made for.
  struct Ahead {
    Value induction, exists;
    SmallVector<Value> sources;
  };

  void findSources();
  Trip makeTrip(OpBuilder &builder, const Ahead &ahead);
  Value copy(OpBuilder &builder, Trip &trip, const Ahead &ahead, Value position, unsigned distance);
  Ahead advance(OpBuilder &builder, Trip &trip, const Ahead &ahead);
  SmallVector<Value> rewriteBody(OpBuilder &builder, ArrayRef<BlockArgument> carried);
  void rewriteProduct(tile::DotOp dot, const ChannelReads &reads, llvm::function_ref<void()> then);
  Value i32(OpBuilder &builder, int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  }

  IRRewriter &rewriter;
  scf::ForOp loop;
  ArrayRef<PlannedLoad> loads;
  const unsigned slots;
  const Location loc;
  SmallVector<Value> channels;
  SmallVector<BlockArgument> sources; ///< what addresses follow from, but the induction variable
};
} // namespace

void Pipeliner::findSources() {
  llvm::SetVector<Value> seen;
  for (const PlannedLoad &planned : loads) {
    for (Value operand : planned.load->getOperands()) {
      addCarried(operand, loop, seen);
    }
  }
  // What these follow from in turn.
  for (unsigned i = 0; i < seen.size(); ++i) {
    auto argument = dyn_cast<BlockArgument>(seen[i]);
    if (argument && argument != loop.getInductionVar()) {
      sources.push_back(argument);
      addCarried(loop.getTiedLoopYieldedValue(argument)->get(), loop, seen);
    }
  }
}

Trip Pipeliner::makeTrip(OpBuilder &builder, const Ahead &ahead) {
  Trip trip(builder, loop);
  trip.set(loop.getInductionVar(), ahead.induction);
  for (auto [source, value] : llvm::zip_equal(sources, ahead.sources)) {
    trip.set(source, value);
  }
  return trip;
}

Value Pipeliner::copy(OpBuilder &builder, Trip &trip, const Ahead &ahead, Value position,
                      unsigned distance) {
  SmallVector<Value> tokens;
  for (auto [planned, channel] : llvm::zip_equal(loads, channels)) {
    tile::LoadOp load = planned.load;
    Value mask = trip.getMask(load, ahead.exists), pointer = trip.get(load.getPtr());
    tokens.push_back(
        AsyncCopyOp::create(builder, load.getLoc(), pointer, mask, channel, position, distance));
  }
  return AsyncCommitOp::create(builder, loc, tokens);
}

Pipeliner::Ahead Pipeliner::advance(OpBuilder &builder, Trip &trip, const Ahead &ahead) {
  Ahead next;
  // The next one's number may be none of its type, what is left to the end is.
  Value left = arith::SubIOp::create(builder, loc, loop.getUpperBound(), ahead.induction);
  Value more = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, loop.getStep(), left);
  next.exists = arith::AndIOp::create(builder, loc, ahead.exists, more);
  next.induction = arith::AddIOp::create(builder, loc, ahead.induction, loop.getStep());
  for (BlockArgument source : sources) {
    next.sources.push_back(trip.get(loop.getTiedLoopYieldedValue(source)->get()));
  }
  return next;
}

/// The product in parts: each part is read before the one before it is multiplied. `then`
/// is called behind the first read.
void Pipeliner::rewriteProduct(tile::DotOp dot, const ChannelReads &reads,
                               llvm::function_ref<void()> then) {
  const Value operands[] = {dot.getA(), dot.getB()};
  const bool isRead[] = {reads.canRead(operands[0]), reads.canRead(operands[1])};
  std::optional<ProductParts> parts = planParts(dot);
  rewriter.setInsertionPoint(dot);
  if (!parts || (!isRead[0] && !isRead[1])) {
    return then();
  }
  const unsigned rank = cast<RankedTensorType>(dot.getType()).getRank();
  auto getPart = [&](unsigned index, unsigned number) -> Value {
    auto type = cast<RankedTensorType>(operands[index].getType());
    const unsigned dim = index == 0 ? rank - 1 : rank - 2;
    SmallVector<int64_t> shape(type.getShape()), offsets(rank, 0);
    shape[dim] = parts->size;
    offsets[dim] = parts->size * number;
    auto part = withLayout(RankedTensorType::get(shape, type.getElementType(), Attribute()),
                           index == 0 ? parts->a : parts->b);
    if (isRead[index]) {
      return reads.read(rewriter, operands[index], part, offsets);
    }
    return tile::SliceOp::create(rewriter, dot.getLoc(), part, operands[index], offsets,
                                 SmallVector<int64_t>(rank, 1));
  };
  Value a = getPart(0, 0), b = getPart(1, 0), sum = dot.getAcc();
  then();
  rewriter.setInsertionPoint(dot);
  for (unsigned number = 0; number < parts->count; ++number) {
    Value nextA, nextB;
    if (number + 1 < parts->count) {
      nextA = getPart(0, number + 1);
      nextB = getPart(1, number + 1);
    }
    auto made = cast<tile::DotOp>(rewriter.clone(*dot));
    made.getAMutable().assign(a);
    made.getBMutable().assign(b);
    made.getAccMutable().assign(sum);
    sum = made.getResult();
    a = nextA;
    b = nextB;
  }
  rewriter.replaceOp(dot, sum);
}

SmallVector<Value> Pipeliner::rewriteBody(OpBuilder &builder, ArrayRef<BlockArgument> carried) {
  OpBuilder::InsertionGuard guard(builder);
  // Induction, existence, sources; position; tokens, the oldest first.
  Ahead ahead{carried[0], carried[1], {}};
  const size_t numSources = sources.size();
  for (BlockArgument argument : carried.slice(2, numSources)) {
    ahead.sources.push_back(argument);
  }
  Value position = carried[2 + numSources];
  ArrayRef<BlockArgument> tokens = carried.drop_front(3 + numSources);

  builder.setInsertionPoint(loads.front().load);
  Value landed = AsyncWaitOp::create(builder, loc, ValueRange{tokens.front()}, slots - 2);
  llvm::MapVector<Value, LoadedSlot> where;
  for (auto [planned, channel] : llvm::zip_equal(loads, channels)) {
    where.insert({tile::LoadOp(planned.load).getResult(), {channel, position, landed}});
  }
  ChannelReads reads(where);
  Ahead next;
  Value newToken;
  auto copyAhead = [&] {
    Trip trip = makeTrip(rewriter, ahead);
    newToken = copy(rewriter, trip, ahead, position, slots - 1);
    next = advance(rewriter, trip, ahead);
  };
  bool isFirst = true;
  for (tile::DotOp dot : llvm::to_vector(loop.getBody()->getOps<tile::DotOp>())) {
    rewriteProduct(dot, reads, [&] {
      if (isFirst) {
        copyAhead();
      }
      isFirst = false;
    });
  }
  // Other uses read all of it where it was loaded.
  for (const PlannedLoad &planned : loads) {
    tile::LoadOp load = planned.load;
    rewriter.setInsertionPoint(load);
    auto type = cast<RankedTensorType>(load.getType());
    Value tile =
        reads.read(rewriter, load.getResult(), type, SmallVector<int64_t>(type.getRank(), 0));
    rewriter.replaceAllUsesWith(load.getResult(), tile);
  }
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  SmallVector<Value> yields{next.induction, next.exists};
  llvm::append_range(yields, next.sources);
  yields.push_back(NextSlotOp::create(builder, loc, position, slots));
  llvm::append_range(yields, tokens.drop_front());
  yields.push_back(newToken);
  return yields;
}

void Pipeliner::run() {
  findSources();
  rewriter.setInsertionPoint(loop);
  for (const PlannedLoad &planned : loads) {
    channels.push_back(
        ChannelOp::create(rewriter, tile::LoadOp(planned.load).getLoc(),
                          ChannelType::get(rewriter.getContext(), slots, planned.slot)));
  }
  Ahead ahead;
  ahead.induction = loop.getLowerBound();
  ahead.exists = arith::CmpIOp::create(
      rewriter, loc, loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt,
      loop.getLowerBound(), loop.getUpperBound());
  for (BlockArgument source : sources) {
    ahead.sources.push_back(loop.getTiedLoopInit(source)->get());
  }
  Value position = i32(rewriter, 0);
  SmallVector<Value> tokens;
  for (unsigned distance = 0; distance + 1 < slots; ++distance) {
    Trip trip = makeTrip(rewriter, ahead);
    tokens.push_back(copy(rewriter, trip, ahead, position, distance));
    ahead = advance(rewriter, trip, ahead);
  }
  SmallVector<Value> inits{ahead.induction, ahead.exists};
  llvm::append_range(inits, ahead.sources);
  inits.push_back(position);
  llvm::append_range(inits, tokens);

  const DictionaryAttr attributes = loop->getDiscardableAttrDictionary();
  const unsigned numResults = loop.getNumResults();
  auto made = loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &builder, Location, ArrayRef<BlockArgument> carried) {
        return rewriteBody(builder, carried);
      });
  if (failed(made)) {
    return;
  }
  for (const PlannedLoad &planned : loads) {
    rewriter.eraseOp(planned.load);
  }
  (*made)->setDiscardableAttrs(attributes);
  rewriter.setInsertionPointAfter(*made);
  Value landed = AsyncWaitOp::create(
      rewriter, loc, (*made)->getResults().drop_front(numResults + inits.size() - tokens.size()),
      0);
  for (Value channel : channels) {
    ChannelReleaseOp::create(rewriter, loc, channel, landed);
  }
}

namespace {
struct PipelineLoadsPass : tegula::tilegpu::impl::TileGPUPipelineLoadsPassBase<PipelineLoadsPass> {
  void runOnOperation() override {
    auto stages = getOperation()->getAttrOfType<IntegerAttr>(tile::kNumStagesAttr);
    if (!stages || stages.getInt() <= 1) {
      return;
    }
    std::optional<Machine> machine = getMachine(getOperation());
    if (!machine) {
      return signalPassFailure();
    }
    if (!machine->capabilities.getAsyncCopy()) {
      return;
    }
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    const unsigned asked = unsigned(std::min<int64_t>(stages.getInt(), 64));
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      const SmallVector<PlannedLoad> loads = Planner(getOperation(), *machine).plan(loop);
      const unsigned slots = loads.empty() ? 1 : chooseSlots(loop, loads, asked, *machine);
      if (slots > 1) {
        Pipeliner(rewriter, loop, loads, slots).run();
      }
    }
  }
};
} // namespace

//===- LoopFormer.h - Tile IR to vector loops -------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code generator behind `cpu-form-loops`. It rewrites one function by
// walking it in program order. A tile is *virtual* until something needs all of
// it: whoever consumes it asks for one chunk at a time (`pull`), inside its own
// loops, at the outermost loop where the chunk's coordinates are known. A tile
// that several loops consume, that a loop carries, or that memory order pins
// down is *kept* in a row-major scratch buffer.
//
// Files: LoopFormer.cpp (walk, loops, buffers), Plan.cpp (what to keep),
// Pull.cpp (expressions), Affine.cpp (strides), Access.cpp (loads and stores),
// Effects.cpp (memory order), Reduce.cpp, Scan.cpp, Sort.cpp, Dot.cpp,
// Rearrange.cpp (join, cat, gather, slice, extract), Atomics.cpp, Map.cpp (map,
// histogram), Print.cpp, Carried.cpp (scf).
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CPU_LOOPFORMER_H
#define TEGULA_CPU_LOOPFORMER_H

#include "IR/TileCPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <map>
#include <optional>
#include <set>
#include <string>

namespace tegula::cpu {

using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::Block;
using mlir::Location;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::Type;
using mlir::Value;

/// What code shape depends on.
struct FormOptions {
  unsigned vectorBits = 512;
  bool maskedAccess = true; ///< masked vector loads and stores are instructions
  bool contract = true;     ///< products may be contracted with sums
  unsigned numRegisters = 32;
};

/// A scalar i64 coordinate, or a constant when `value` is null. `level` is the
/// loop of the current nest that defines it (0: outside all).
struct Coord {
  Value value;
  int64_t constant = 0;
  unsigned level = 0;
  static Coord get(int64_t constant) { return {Value(), constant, 0}; }
};

/// Part of a tile: one element, or `lanes` elements along dimension `dim`
/// starting at `at`.
struct Chunk {
  SmallVector<Coord, 4> at;
  int dim = -1;
  unsigned lanes = 1;
  bool isVector() const { return dim >= 0; }
  Chunk scalar() const { return {at, -1, 1}; }
};

/// A value together with the loop at which it is available.
struct Pulled {
  Value value;
  unsigned level = 0;
};

/// A tile in scratch memory (or in a constant): row-major, dense.
struct Buffer {
  Value pointer;
  SmallVector<int64_t, 4> shape;
  Type element;        ///< of the tile; i1 is kept as bytes, pointers as LLVM pointers
  bool shared = false; ///< other tiles or constants live here: never overwritten in place
};

/// Change of a value per step along one dimension.
struct Stride {
  enum Kind {
    Known,    ///< `step` (bytes for pointers)
    Symbolic, ///< the same at every step, known at run time only
    Maybe,    ///< regular in practice, as with `% n`; worth a check at run time
    Opaque,   ///< computed from loaded values
  } kind = Opaque;
  int64_t step = 0;
};

/// Loops being built. Level k is the body of the k-th loop; code can be put at
/// any level, before the next inner loop.
class Nest {
public:
  Nest(mlir::OpBuilder &builder, Location loc);
  /// Opens a loop from `first` to `last` (exclusive); a single step is no loop.
  Coord loop(int64_t first, int64_t last, int64_t step);
  /// The same with loop-carried values; always a loop. The caller adds the yield.
  mlir::scf::ForOp carryingLoop(int64_t first, int64_t last, int64_t step, mlir::ValueRange inits,
                                Coord &coord);
  /// Leaves the innermost loop: further code of its level goes after it.
  void leave();
  /// Sets the builder to the end of `level`'s code so far.
  void at(unsigned level);
  unsigned depth() const { return levels.size() - 1; }
  /// Sets the builder behind the whole nest.
  void close();

private:
  mlir::scf::ForOp makeLoop(int64_t first, int64_t last, int64_t step, mlir::ValueRange inits);
  struct Level {
    Block *block;
    Operation *before;
  };
  mlir::OpBuilder &builder;
  Location loc;
  SmallVector<Level, 6> levels;
};

class LoopFormer {
public:
  LoopFormer(mlir::func::FuncOp source, const FormOptions &options);
  /// Replaces the source function. On failure an error was emitted.
  LogicalResult run();
  unsigned numLoops = 0, numBuffers = 0;

private:
  // ---- Walk (LoopFormer.cpp) ----
  LogicalResult emitBlock(Block &block);
  LogicalResult emitOp(Operation *op);
  LogicalResult emitScalarOp(Operation *op);
  LogicalResult unsupported(Operation *op, const llvm::Twine &why);
  Value scalar(Value source);
  /// Where `value` comes from. Constants that were merged have forgotten it; then
  /// where it is used now.
  Location locOf(Value value) const;

  // ---- Buffers and constants (LoopFormer.cpp) ----
  Value constant(mlir::TypedAttr attribute);
  Value constantI64(int64_t value);
  Value zero(Type element, unsigned lanes);
  Value allTrue(unsigned lanes);
  Value iota(Type element, unsigned lanes, int64_t step);
  /// `why` is for --explain; without it the operation that is emitted says it.
  Buffer makeBuffer(Location loc, ArrayRef<int64_t> shape, Type element, const char *why = nullptr);
  Buffer constantBuffer(mlir::arith::ConstantOp op);
  Pulled coordValue(Location loc, const Coord &coord);
  Coord addToCoord(Location loc, const Coord &coord, int64_t offset);
  Coord linearise(Location loc, const Chunk &chunk, ArrayRef<int64_t> shape);
  Pulled elementPointer(Location loc, Pulled base, const Coord &index, Type memoryElement);
  Pulled loadBuffer(Location loc, const Buffer &buffer, const Chunk &chunk);
  Pulled loadStrided(Location loc, const Buffer &buffer, const Coord &index, int64_t stride,
                     unsigned lanes);
  Coord scaleCoord(Location loc, const Coord &coord, int64_t factor);
  Coord sumCoords(Location loc, const Coord &a, const Coord &b);
  void storeBuffer(Location loc, const Buffer &buffer, const Chunk &chunk, Pulled value);
  void copyBuffer(Location loc, const Buffer &from, const Buffer &to);

  // ---- What to keep (Plan.cpp) ----
  void makePlan();
  bool isVirtual(Operation *op) const;
  unsigned cost(Value value);
  /// Whether computing a chunk of `value` takes a long chain of operations.
  bool isHeavy(Value value);
  /// Makes everything that a loop nest over `shape` pulls for `values` available.
  /// `addresses` are pulled at the first lane only.
  LogicalResult prepare(mlir::ValueRange values, ArrayRef<int64_t> shape,
                        mlir::ValueRange addresses = {});
  /// The two halves of it: nothing may come between the second and its nest.
  LogicalResult prepareOperands(mlir::ValueRange values, ArrayRef<int64_t> shape,
                                mlir::ValueRange addresses);
  void announceWriteThrough(mlir::ValueRange values, ArrayRef<int64_t> shape);
  void collectUnaligned(Value value, bool aligned, ArrayRef<int64_t> shape,
                        llvm::SmallSetVector<Value, 8> &out,
                        llvm::SmallDenseSet<std::pair<Value, unsigned>> &seen);
  void collectAligned(Value value, ArrayRef<int64_t> shape, llvm::SmallSetVector<Value, 8> &out,
                      llvm::SmallPtrSetImpl<Value> &seen);
  /// Keeps `value` in a buffer: its own, a dying operand's, or `into`.
  LogicalResult keep(Value value, const Buffer *into = nullptr);
  LogicalResult fill(Value value, const Buffer &into);

  // ---- Remarks (Explain.cpp) ----
  /// Whether somebody reads them; all below do nothing otherwise.
  bool explains() const;
  void explain(llvm::StringRef id, Location loc, const llvm::Twine &text);
  /// `what` is, say, "store". `whyScalar` says why there is one lane.
  void explainLoop(Location loc, const char *what, ArrayRef<int64_t> shape, Type element,
                   unsigned lanes, const char *whyScalar = nullptr);
  void explainAccess(Operation *op, Type element, unsigned lanes, const Stride &stride,
                     bool masked);
  void explainBuffer(Location loc, ArrayRef<int64_t> shape, Type element, const char *why);

  // ---- Memory order (Effects.cpp) ----
  bool isDone(Operation *user) const;
  /// Whether anything after the current op still pulls `value` through virtual tiles.
  bool isPulledLater(Value value, bool includeCurrent = false);
  /// Whether `value` is not needed by anything but `through` from now on.
  bool diesAt(Value value, Operation *through);
  Value traceBase(Value pointer);
  bool mayAlias(Value pointerA, Value pointerB);
  LogicalResult settleLoadsBefore(Operation *writer);
  void collectLoads(Value value, llvm::SmallSetVector<Operation *, 8> &out,
                    llvm::SmallPtrSetImpl<Value> &seen);
  bool readsBuffer(Value value, Value pointer, bool alignedOnly, bool aligned,
                   ArrayRef<int64_t> shape, llvm::SmallDenseSet<std::pair<Value, unsigned>> &seen);

  // ---- Expressions (Pull.cpp) ----
  Pulled pull(Value value, const Chunk &chunk);
  Pulled pullTile(Value value, Chunk chunk);
  Pulled pullOp(Operation *op, const Chunk &chunk);
  Pulled splat(Location loc, Pulled scalar, unsigned lanes);
  Pulled elementwise(Operation *op, ArrayRef<Value> operands, unsigned level, unsigned lanes);
  template <typename Body> Pulled at(unsigned level, Body body) {
    nest->at(level);
    return {body(), level};
  }

  // ---- Strides (Affine.cpp) ----
  bool isUniform(Value value, unsigned dim);
  /// Whether the value repeats along some dimension of several elements.
  bool hasUniformDim(Value value);
  Stride getStride(Value value, unsigned dim, unsigned lanes);
  Stride computeStride(Value value, unsigned dim, unsigned lanes);
  std::optional<int64_t> getSplatInt(Value value);

  // ---- Accesses (Access.cpp) ----
  Pulled pullLoad(tile::LoadOp op, const Chunk &chunk);
  Pulled checkContiguous(Value pointer, const Chunk &chunk, Pulled first, Stride stride,
                         unsigned bytes);
  Value lanePointers(Location loc, Value first, Value lanesOrStep, unsigned lanes);
  Pulled pullMask(Value mask, const Chunk &chunk, bool &absent);
  Value emitMaskedLoad(Location loc, Type type, Value pointer, Value mask, Value other,
                       unsigned align);
  void emitMaskedStore(Location loc, Value value, Value pointer, Value mask, unsigned align);
  Value emitContiguousLoad(Location loc, Value pointer, Value mask, Value other, Type element,
                           unsigned lanes);
  void emitContiguousStore(Location loc, Value pointer, Value value, Value mask, Type element,
                           unsigned lanes);
  void emitStoreChunk(tile::StoreOp op, const Chunk &chunk, Pulled value, Value redirect,
                      const Buffer *elsewhere);
  LogicalResult emitStore(tile::StoreOp op);
  void emitStoreLoops(tile::StoreOp op, const Buffer *from, Value redirect,
                      const Buffer *elsewhere);
  Value emitOverlapTest(tile::StoreOp op, ArrayRef<Operation *> loads);
  Value toMemory(Location loc, Value value, Type element);
  Value fromMemory(Location loc, Value value, Type element);

  // ---- Reductions (Reduce.cpp) ----
  LogicalResult emitReduce(tile::ReduceOp op);
  void emitSimpleReduce(tile::ReduceOp op, Operation *combiner, const Buffer *out);
  void emitOrderedReduce(tile::ReduceOp op, ArrayRef<Buffer> outs);
  Value combine(Operation *combiner, Value lhs, Value rhs);
  SmallVector<Value> combineRegion(Block &block, mlir::ValueRange lhs, mlir::ValueRange rhs);

  // ---- Rearrangements (Rearrange.cpp) ----
  LogicalResult emitJoin(tile::JoinOp op);
  LogicalResult emitCat(tile::CatOp op);
  LogicalResult emitExtract(tile::ExtractOp op);
  Pulled pullGather(tile::GatherOp op, const Chunk &chunk);
  Pulled pullSlice(tile::SliceOp op, const Chunk &chunk);

  // ---- Atomic accesses (Atomics.cpp) ----
  LogicalResult emitAtomic(Operation *op, Value ptr, mlir::ValueRange values, Value mask);
  Value emitAtomicElement(Operation *op, Value pointer, mlir::ValueRange values);
  Value emitAtomicFloat(tile::AtomicRMWOp op, Value pointer, Value value);

  // ---- Calls of the runtime (Print.cpp) ----
  LogicalResult emitPrint(tile::PrintOp op);
  LogicalResult emitAssert(tile::AssertOp op);
  mlir::FailureOr<Value> addressOf(Value value);
  Value constantBytes(Location loc, llvm::StringRef bytes);
  void callService(Location loc, unsigned offset, ArrayRef<Value> rest);
  void callWithRecord(Location loc, unsigned offset, llvm::StringRef record, Value data);
  void emitYield(Location loc);

  // ---- Scans, maps, histograms, sorts (Scan.cpp, Map.cpp, Sort.cpp) ----
  LogicalResult emitScan(tile::ScanOp op);
  LogicalResult emitMap(tile::MapOp op);
  LogicalResult emitHistogram(tile::HistogramOp op);
  LogicalResult emitSort(tile::SortOp op);

  // ---- Dot (Dot.cpp) ----
  LogicalResult emitDot(tile::DotOp op);
  LogicalResult keepOperand(tile::DotOp op, Value operand, Type compute,
                            std::optional<tile::Fp8Kind> fp8, Buffer &out);
  void emitKernel(tile::DotOp op, const Buffer &a, const Buffer &b, const Buffer &c, Type compute);

  // ---- Structured control flow (Carried.cpp) ----
  LogicalResult emitFor(mlir::scf::ForOp op);
  LogicalResult emitIf(mlir::scf::IfOp op);
  LogicalResult emitWhile(mlir::scf::WhileOp op);
  /// Says where `values` of a control-flow operation live: tiles in the buffer of
  /// the same index, the others, in order, in `rest`.
  void bind(mlir::ValueRange values, ArrayRef<Buffer> tiles, mlir::ValueRange rest);
  LogicalResult captureTiles(Operation *regionOp);
  LogicalResult captureTile(Value value, bool inLoop, llvm::SmallPtrSetImpl<Value> &seen);
  LogicalResult initCarried(Operation *op, mlir::ValueRange inits,
                            llvm::SmallVectorImpl<Buffer> &out);
  LogicalResult writeCarried(Operation *op, ArrayRef<Value> values, ArrayRef<Buffer> slots);

  // ---- Shared ----
  unsigned lanesFor(mlir::ValueRange values, int64_t extent);
  unsigned lanesForBits(unsigned narrow, unsigned wide, int64_t extent);
  void visitBits(Value value, unsigned &narrow, unsigned &wide, llvm::SmallPtrSetImpl<Value> &seen);
  static int vectorDim(ArrayRef<int64_t> shape);
  template <typename Body>
  void forEachChunk(Location loc, ArrayRef<int64_t> shape, unsigned lanes, Body body);
  /// Starts and ends the loops over one iteration space.
  void openNest(Location loc);
  void closeNest();

  mlir::func::FuncOp source;
  mlir::func::FuncOp target;
  FormOptions options;
  mlir::OpBuilder builder;
  mlir::OpBuilder constants; ///< at the start of the new function
  Operation *current = nullptr;

  llvm::DenseMap<Value, Value> scalars;
  llvm::DenseMap<Value, Buffer> buffers;
  llvm::DenseMap<mlir::Attribute, Value> constantCache;
  llvm::DenseSet<Value> wantsBuffer;
  llvm::DenseMap<Value, const char *> bufferReasons;        ///< of those that makePlan wants
  std::set<std::pair<const void *, std::string>> explained; ///< by location
  llvm::DenseMap<Value, unsigned> costs;
  llvm::DenseMap<std::pair<Value, unsigned>, bool> uniform;
  llvm::DenseMap<std::pair<Value, uint64_t>, Stride> strides; ///< by dimension and lanes

  llvm::MapVector<Value, std::optional<Buffer>> rescued; ///< see writeCarried

  // State of the current nest.
  std::optional<Nest> nest;
  using Key = std::pair<const void *, SmallVector<std::pair<const void *, int64_t>, 6>>;
  std::map<Key, Pulled> memo;
  llvm::DenseMap<Value, Buffer> writeThrough;
  Pulled contiguityLanes;
};

/// Whether a loop without a known end looks at memory that others may change.
bool waitsForOthers(Operation *loop);
/// Reshapes that only add or remove dimensions of size 1.
bool isTrivialReshape(mlir::RankedTensorType from, mlir::RankedTensorType to);
/// Types as loops see them: `!tile.ptr` becomes `!llvm.ptr`.
Type convertElement(Type element);
/// Types as memory sees them: i1 becomes i8 besides.
Type memoryElement(Type element);
/// Bytes of an element in a buffer. Products of i64 are i128 on the way.
unsigned elementBytes(Type element);
/// A scalar for one lane, else a vector.
Type withLanes(Type element, unsigned lanes);
mlir::RankedTensorType tileType(Value value);
bool isElementwise(Operation *op);
/// The operand of which `op` reads elements at other places than their own, so
/// that it is kept; null when there is none.
Value pickedSource(Operation *op);

} // namespace tegula::cpu

#endif // TEGULA_CPU_LOOPFORMER_H

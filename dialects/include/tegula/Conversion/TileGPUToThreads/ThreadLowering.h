//===- ThreadLowering.h - From spread tiles to what one thread does -*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tensor<shape x T, layout> becomes vector<N x T>, N registers of the layout; pointers
// !llvm.ptr<1>; scalars stay. Element i of the vector is register i.
//
// Patterns are split by subject; each file adds its own. All of them write through a
// ThreadBuilder, which knows how to say where a thread is and what it holds.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_TILEGPUTOTHREADS_THREADLOWERING_H
#define TEGULA_CONVERSION_TILEGPUTOTHREADS_THREADLOWERING_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"
#include "tegula/TileGPU/Analysis/Scratch.h"

namespace tegula::tilegpu {

/// Tiles to vectors, pointers to LLVM's.
class ThreadTypeConverter : public mlir::TypeConverter {
public:
  ThreadTypeConverter();
};

/// Writes what one thread does at a builder's insertion point.
class ThreadBuilder {
public:
  ThreadBuilder(mlir::OpBuilder &builder, mlir::Location loc, const Machine &machine)
      : builder(builder), loc(loc), machine(machine) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const Machine &machine;

  //===-- Numbers -------------------------------------------------------===//

  mlir::Value i32(int64_t value);
  mlir::Value constant(mlir::Type type, int64_t value); ///< scalar or splat; floats too
  mlir::Value zero(mlir::Type type);                    ///< of any element; null pointers
  mlir::Value threadId();                               ///< i32, 0 to threads - 1
  mlir::Value laneId();                                 ///< i32
  mlir::Value warpId();                                 ///< i32

  /// Coordinate `dim` of each register: vector<N x i32>.
  mlir::Value coordinates(const Layout &layout, unsigned dim);
  /// Row-major numbers of the elements in registers: vector<N x i32>.
  mlir::Value rowMajor(const Layout &layout);
  /// XOR of `images[i]` for each set bit i of `index` (i32).
  mlir::Value applyBits(mlir::Value index, llvm::ArrayRef<uint64_t> images);
  /// i1: among threads with copies, this one acts (its free lane and warp bits are 0).
  mlir::Value isFirstCopy(const Layout &layout);
  /// i1: lane 0 of warp 0.
  mlir::Value isFirstThread();

  //===-- Registers -----------------------------------------------------===//

  llvm::SmallVector<mlir::Value> unpack(mlir::Value vector);             ///< elements of a vector
  mlir::Value pack(llvm::ArrayRef<mlir::Value> elements);                ///< at least one
  mlir::Value slice(mlir::Value vector, unsigned first, unsigned count); ///< a shorter vector
  mlir::Value concat(llvm::ArrayRef<mlir::Value> vectors);
  /// Register i of the result is register indices[i].
  mlir::Value pick(mlir::Value vector, llvm::ArrayRef<int64_t> indices);

  //===-- Other threads -------------------------------------------------===//

  void barrier(); ///< all threads of the program; orders shared and global memory
  /// Any scalar (integers of any width, floats, pointers), from the lane this ^ mask.
  mlir::Value shuffleXor(mlir::Value scalar, unsigned mask);
  mlir::Value shuffleIndex(mlir::Value scalar, mlir::Value lane);

  /// Address of byte `offset` in shared memory: !llvm.ptr<3>.
  mlir::Value sharedAddress(int64_t offset);
  mlir::Value offsetBytes(mlir::Value pointer, mlir::Value bytes); ///< i32 offset
  /// Shared memory: elements of i1 lie there as bytes, pointers as 8 bytes. Vectors are one
  /// access, aligned to their size.
  void storeShared(mlir::Value pointer, mlir::Value value);
  mlir::Value loadShared(mlir::Value pointer, mlir::Type type);

  /// The vector under another layout; `scratch` as getConvertScratch says (bytes offset).
  mlir::Value convert(mlir::Value vector, const Layout &from, const Layout &to, int64_t scratch);
  /// A tile as it lies in memory, row-major from `offset`, one element after the other
  /// (i1 as bytes): written by the first copies, without a barrier.
  void storeRowMajor(mlir::Value vector, const Layout &layout, int64_t offset);
  mlir::Value loadRowMajor(mlir::Type element, const Layout &layout, int64_t offset);
};

/// Bytes of an element in shared memory (i1: 1, pointers: 8).
unsigned getSharedBytes(mlir::Type element);

/// A pattern with what all of them need.
template <typename OpTy> class ThreadPattern : public mlir::OpConversionPattern<OpTy> {
public:
  ThreadPattern(const mlir::TypeConverter &converter, mlir::MLIRContext *context,
                const Machine &machine)
      : mlir::OpConversionPattern<OpTy>(converter, context), machine(machine) {}

protected:
  /// Layout of a tile of the IR before the conversion.
  static Layout layoutOf(mlir::Value value) { return *getLayout(value.getType()); }
  /// Where the op may work in shared memory; 0 when it needs none.
  static int64_t scratchOf(mlir::Operation *op) {
    auto offset = op->getAttrOfType<mlir::IntegerAttr>(kScratchAttr);
    return offset ? offset.getInt() : 0;
  }
  const Machine &machine;
};

//===-- Patterns, by subject ----------------------------------------------===//

struct ThreadPatterns {
  mlir::RewritePatternSet &patterns;
  const mlir::TypeConverter &converter;
  const Machine &machine;
  template <typename... Ts> void add() {
    patterns.add<Ts...>(converter, patterns.getContext(), machine);
  }
};
void addElementwisePatterns(ThreadPatterns &list); ///< arith, math, casts, 8-bit floats
void addShapePatterns(ThreadPatterns &list);       ///< splat ... slice, range, convert_layout
void addControlPatterns(ThreadPatterns &list);     ///< scf, func, program ids, hints
void addMemoryPatterns(ThreadPatterns &list);      ///< addptr, load, store, pointer casts
void addAtomicPatterns(ThreadPatterns &list);
void addDebugPatterns(ThreadPatterns &list);  ///< print, assert, inline assembly
void addReducePatterns(ThreadPatterns &list); ///< reduce
void addScanPatterns(ThreadPatterns &list);   ///< scan
void addSortPatterns(ThreadPatterns &list);   ///< sort, gather, histogram, map
void addDotPatterns(ThreadPatterns &list);
void addChannelPatterns(ThreadPatterns &list); ///< channels, copies in flight

} // namespace tegula::tilegpu

#endif // TEGULA_CONVERSION_TILEGPUTOTHREADS_THREADLOWERING_H

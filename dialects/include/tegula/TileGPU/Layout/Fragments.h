//===- Fragments.h - Layouts of tiles that instructions define --*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the matrix instructions of GPUs expect in which register of which lane. Tiles are
// rows x columns as the operand is multiplied: A is M x K, B is K x N, accumulators are
// M x N. Registers are counted in elements. Sources: the PTX ISA (sections on mma, wgmma,
// ldmatrix), AMD's matrix instruction calculator and ISA documents of CDNA3, RDNA3, RDNA4.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_LAYOUT_FRAGMENTS_H
#define TEGULA_TILEGPU_LAYOUT_FRAGMENTS_H

#include "tegula/TileGPU/Layout/Layout.h"

namespace tegula::tilegpu {

enum class Operand { A, B, Accumulator };

/// A tile spread over warps so that neighbouring lanes hold neighbouring elements.
///   perLane, lanes, warps: how many along each dimension, powers of two. order: the
///   dimension that lies closest together first. The result covers perLane * lanes *
///   warps elements.
LinearMap blockedLayout(llvm::ArrayRef<unsigned> perLane, llvm::ArrayRef<unsigned> lanes,
                        llvm::ArrayRef<unsigned> warps, llvm::ArrayRef<unsigned> order);
/// The same, made to cover `shape` (powers of two): registers repeat it where it is too
/// small; where it is too large lanes and warps hold copies.
LinearMap blockedLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> perLane,
                        llvm::ArrayRef<unsigned> lanes, llvm::ArrayRef<unsigned> warps,
                        llvm::ArrayRef<unsigned> order);
/// Extends a map to `shape` (powers of two, not below its own) by registers, the
/// dimensions in `order`.
LinearMap coverByRegisters(const LinearMap &map, llvm::ArrayRef<int64_t> shape,
                           llvm::ArrayRef<unsigned> order);

//===-- NVIDIA ------------------------------------------------------------===//

/// mma.sync m16n8kK of one warp, where K elements of `bits` take 32 bytes (f64: m8n8k4).
/// `bits` is the width of the operands' elements (accumulators ignore it unless 64).
LinearMap mmaFragment(Operand operand, unsigned bits);
/// The accumulator of wgmma m64nN of one warpgroup, four warps; N is a multiple of 8.
Layout wgmmaAccumulator(unsigned n);
/// A of wgmma in registers: 64 rows, K elements of `bits` in 32 bytes.
LinearMap wgmmaOperandA(unsigned bits);
/// ldmatrix and stmatrix of `count` 8 x 8 matrices of 16-bit elements, one below the
/// other: register pair i of a lane is matrix i. transposed: the form .trans.
LinearMap ldmatrixFragment(unsigned count, bool transposed);
/// Shared memory as TMA and wgmma see it: rows of `rowBytes` (32, 64, 128) bytes in whose
/// 16-byte pieces are exchanged by the number of the row. Rows repeat every 1024 bytes'
/// worth for 128, 512 for 64, 256 for 32.
///   Result: offsets (in elements of `bits`) of an 8-row atom; rows x columns.
LinearMap tmaSwizzle(unsigned rowBytes, unsigned bits);

//===-- AMD ---------------------------------------------------------------===//

/// MFMA of one wave of 64: `size` is 16 or 32 (rows and columns), `perLane` how many
/// consecutive K elements a lane holds (4 or 8 of 16 bits, 8 or 16 of 8 bits).
LinearMap mfmaFragment(Operand operand, unsigned size, unsigned perLane);
/// WMMA 16x16x16 of one wave of 32. gfx11 holds operands twice; gfx12 once.
LinearMap wmmaFragment(Operand operand, bool isGfx12);

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_LAYOUT_FRAGMENTS_H

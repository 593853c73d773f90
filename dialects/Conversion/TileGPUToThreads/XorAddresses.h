//===- XorAddresses.h - Addresses of registers in arranged memory ---*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_TILEGPUTOTHREADS_XORADDRESSES_H
#define TEGULA_CONVERSION_TILEGPUTOTHREADS_XORADDRESSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tegula/Conversion/TileGPUToThreads/ThreadLowering.h"

namespace tegula::tilegpu {

/// Addresses of registers: what the thread contributes is exchanged with a constant, but
/// for the bits that no thread touches, which are added and so become part of accesses.
class XorAddresses {
public:
  /// `offsets`: of registers, lanes and warps, in elements of `bytes`, from `base` on.
  XorAddresses(ThreadBuilder &out, const LinearMap &offsets, unsigned bytes, mlir::Value base)
      : out(out), bytes(bytes), base(base) {
    llvm::SmallVector<uint64_t> lanes, warps;
    for (auto [axis, images] : {std::pair(Axis::Lane, &lanes), {Axis::Warp, &warps}}) {
      for (uint64_t image : offsets.getImages(axis)) {
        images->push_back(image * bytes);
        threads |= image * bytes;
      }
    }
    thread = mlir::arith::XOrIOp::create(out.builder, out.loc, out.applyBits(out.laneId(), lanes),
                                         out.applyBits(out.warpId(), warps));
  }

  /// Address of the element at offset `constant` from the thread's first.
  mlir::Value get(uint64_t constant) {
    constant *= bytes;
    const uint64_t exchanged = constant & threads, added = constant & ~threads;
    auto [entry, isNew] = pointers.insert({exchanged, mlir::Value()});
    if (isNew) {
      mlir::Value offset = thread;
      if (exchanged != 0) {
        offset =
            mlir::arith::XOrIOp::create(out.builder, out.loc, thread, out.i32(int64_t(exchanged)));
      }
      entry->second = out.offsetBytes(base, offset);
    }
    return added == 0 ? entry->second : out.offsetBytes(entry->second, out.i32(int64_t(added)));
  }

private:
  ThreadBuilder &out;
  unsigned bytes;
  mlir::Value base, thread;
  uint64_t threads = 0;
  llvm::DenseMap<uint64_t, mlir::Value> pointers;
};

} // namespace tegula::tilegpu

#endif // TEGULA_CONVERSION_TILEGPUTOTHREADS_XORADDRESSES_H

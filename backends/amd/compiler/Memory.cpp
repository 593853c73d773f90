//===- Memory.cpp - Accesses of global memory
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

using namespace mlir;

namespace tegula::amd {

using tile::CacheModifier;
using tile::EvictionPolicy;

/// Whether the bytes are not worth a place in the caches.
static bool isStreaming(CacheModifier cache, EvictionPolicy evict) {
  return cache == CacheModifier::CS || evict == EvictionPolicy::EvictFirst;
}

Value lowerLoad(OpBuilder &builder, tilegpu::ThreadLoadOp op) {
  BitsBuilder b(builder, op.getLoc());
  Type type = op.getType();
  auto plain = [&]() -> Value {
    const bool isVolatile = op.getIsVolatile() || op.getCache() == CacheModifier::CV;
    return LLVM::LoadOp::create(builder, b.loc, type, op.getPtr(), op.getAlignment(), isVolatile,
                                isStreaming(op.getCache(), op.getEvict()));
  };
  if (!op.getMask()) {
    return plain();
  }
  return b.where(op.getMask(), op.getOther() ? op.getOther() : b.zero(type), plain);
}

void lowerStore(OpBuilder &builder, tilegpu::ThreadStoreOp op) {
  BitsBuilder b(builder, op.getLoc());
  auto plain = [&] {
    LLVM::StoreOp::create(builder, b.loc, op.getValue(), op.getPtr(), op.getAlignment(),
                          /*isVolatile=*/false, isStreaming(op.getCache(), op.getEvict()));
  };
  if (!op.getMask()) {
    return plain();
  }
  b.where(op.getMask(), plain);
}

} // namespace tegula::amd

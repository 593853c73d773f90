//===- MemoryArguments.h - Arguments that accesses have in common ---------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads, stores and atomics take a scalar pointer or a tile of pointers, called
// `pointer`, to whose shape everything else is broadcast. Poison or false mean
// that an error was reported.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_FRONTEND_SEMANTICS_MEMORYARGUMENTS_H
#define TEGULA_FRONTEND_SEMANTICS_MEMORYARGUMENTS_H

#include "Builtins.h"
#include "tegula/Tile/IR/Tile.h"

namespace tegula::frontend {

/// The argument `pointer`, checked to be one to a type that memory can hold.
Value pointerArgument(const BoundCall &call);

/// `value`, the argument `name` with its type settled, in the shape of the pointers.
Value fitToPointer(Semantics &semantics, const BoundCall &call, llvm::StringRef name,
                   const Value &value, const LangType &pointer);

/// The argument `mask` as int1 in the shape of the pointers, or null when it is absent; nullopt
/// after a report.
std::optional<mlir::Value> maskArgument(Semantics &semantics, const BoundCall &call,
                                        const LangType &pointer);

/// Pointers in the shape that all operands have together: a scalar pointer with
/// a mask of one element per lane stays an error, but [M, 1] meets [1, N].
bool widenPointer(Semantics &semantics, Value &pointer, const Value &other);

// The arguments of the same names; nullopt after a report.
std::optional<tile::CacheModifier> cacheModifier(const BoundCall &call, bool isLoad);
std::optional<tile::EvictionPolicy> evictionPolicy(const BoundCall &call);

} // namespace tegula::frontend

#endif // TEGULA_FRONTEND_SEMANTICS_MEMORYARGUMENTS_H

//===- ArgumentAccess.h - What a kernel does with its pointer arguments --===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILE_ANALYSIS_ARGUMENTACCESS_H
#define TEGULA_TILE_ANALYSIS_ARGUMENTACCESS_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace tegula::tile {

/// What a function may do with the memory that it reaches through one argument:
///   None       nothing
///   Read       loads only
///   Write      stores only
///   ReadWrite  loads and stores
///   Unknown    no store is known, but one may exist: somewhere the function
///              writes through a pointer whose origin is not known, or hands
///              this one to something that is not understood
/// So Write and ReadWrite are certain of a store in the text of the function
/// (which a mask or a branch may skip), and None and Read of there being none.
enum class ArgumentAccess { None, Read, Write, ReadWrite, Unknown };

/// "none", "read", "write", "read-write", "unknown".
llvm::StringRef stringifyArgumentAccess(ArgumentAccess access);

/// One entry per argument of `func`; None for those that are no pointers. Loads
/// through pointers of unknown origin count as reads of every pointer argument.
/// Does not change the function; one walk over it.
llvm::SmallVector<ArgumentAccess> getArgumentAccess(mlir::FunctionOpInterface func);

} // namespace tegula::tile

#endif // TEGULA_TILE_ANALYSIS_ARGUMENTACCESS_H

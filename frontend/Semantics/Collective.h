//===- Collective.h - What reductions, scans and sorts have in common -----===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_FRONTEND_SEMANTICS_COLLECTIVE_H
#define TEGULA_FRONTEND_SEMANTICS_COLLECTIVE_H

#include "Builtins.h"

namespace tegula::frontend {

/// The argument `input`, a tile or a tuple of tiles of one shape, as run-time values;
/// nullopt after a report.
std::optional<std::vector<Value>> collectiveInputs(Semantics &semantics, BoundCall &call);

/// The argument `name` as an axis of `tile`, counted from 0; nullopt after a report.
std::optional<int64_t> axisArgument(const BoundCall &call, llvm::StringRef name, const Value &tile);

/// Fills `region` by calling `combine`, the argument `combine_fn`, on two groups of scalars of
/// the types `dtypes`. False after a report.
bool buildCombiner(Semantics &semantics, BoundCall &call, mlir::Region &region,
                   llvm::ArrayRef<DType> dtypes, const Value &combine);

/// int32 of the shape of `tile`: the position of each element along `axis`.
Value positions(Semantics &semantics, const LangType &tile, int64_t axis);

} // namespace tegula::frontend

#endif // TEGULA_FRONTEND_SEMANTICS_COLLECTIVE_H

//===- Diagnostics.h - Identifiers of messages about IR -------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every message about IR ends in its identifier: the label of the constraint
// that is broken, as the .td file states it, or a row of the table of a pass or
// backend (Transforms/Diagnostics.def beside this folder, backends/*/compiler).
//
//   'tile.range' op expected a tile of 8 elements, got 4 [tile_range_c1]
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILE_IR_DIAGNOSTICS_H
#define TEGULA_TILE_IR_DIAGNOSTICS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <string>

namespace tegula::tile {

/// What ends a message: ` [identifier]`. The driver splits it off again.
inline std::string diagID(llvm::StringRef identifier) {
  return (llvm::Twine(" [") + identifier + "]").str();
}

} // namespace tegula::tile

#endif // TEGULA_TILE_IR_DIAGNOSTICS_H

//===- Traits.h - What ops of other dialects may say of themselves --------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILE_IR_TRAITS_H
#define TEGULA_TILE_IR_TRAITS_H

#include "mlir/IR/OpDefinition.h"

namespace tegula::tile {

/// The op has one operand and one result, with equal elements in equal places: what is known
/// of one holds for the other.
template <typename ConcreteOp>
class KeepsValues : public mlir::OpTrait::TraitBase<ConcreteOp, KeepsValues> {};

} // namespace tegula::tile

#endif // TEGULA_TILE_IR_TRAITS_H

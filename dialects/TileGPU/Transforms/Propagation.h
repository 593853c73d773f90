//===- Propagation.h - Which layout each tile lives in -----------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions are looked through, as if there were none. Then every tile is one of
//
//   free    made of constants, ranges and scalars alone (pointers, offsets, masks): it is
//           computed again in each layout that somebody wants;
//   lazy    a broadcast of a tile that is not free: repeated in each layout, too, since it
//           moves nothing; what it broadcasts may be converted, which is smaller;
//   single  all others: computed once, in its home.
//
// Homes come forward from what fixes them (accesses, products, reductions), and for what
// that does not reach backward from users. A sweep backward then collects what layouts users
// want, and lets small loads move to the layout that all their users want. At last
// everything is rewritten, with a conversion of single tiles where a user wants another
// layout than the home: right after the tile, so never inside a loop that it is not in.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_TRANSFORMS_PROPAGATION_H
#define TEGULA_TILEGPU_TRANSFORMS_PROPAGATION_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tegula/Tile/Analysis/AxisInfo.h"
#include "tegula/TileGPU/Analysis/InferLayout.h"
#include "llvm/ADT/DenseSet.h"

namespace tegula::tilegpu {

/// The layouts of one function.
class Propagation {
public:
  Propagation(mlir::FunctionOpInterface function, const tile::AxisInfoAnalysis &axes,
              const Machine &machine)
      : function(function), axes(axes), machine(machine) {}

  void run();

private:
  enum class Kind : uint8_t {
    Convert,     ///< looked through
    Leaf,        ///< pure, without tiles as operands
    Elementwise, ///< all tiles in one layout, which is anyone's choice
    Broadcast,   ///< broadcast, expand_dims
    Shape,       ///< moves elements: operand and result need not fit
    Access,      ///< of memory, or with runs: a layout of its own
    Control,     ///< values carried into and out of regions
    Anchor       ///< anything else
  };
  /// How much a home is worth keeping, the least first.
  enum Rank : uint8_t { None, SmallLoad, Reduction, Load, Product };

  struct Home {
    LinearAttr layout; ///< null: not decided
    Rank rank = None;
  };
  /// Values that control flow makes one: they have one home.
  struct Carried {
    Home home;
    bool isFree = false;
    llvm::SmallVector<mlir::Value, 2> members;
    llvm::SmallVector<mlir::OpOperand *, 2> incoming;
  };

  //===-- What there is (PropagateLayouts.cpp) --------------------------===//

  static Kind getKind(mlir::Operation *op);
  void collect();
  void addCarried(mlir::ValueRange members, llvm::ArrayRef<mlir::OpOperand *> incoming,
                  bool mayBeFree);
  void collectControl(mlir::Operation *op);
  void markSingle();
  bool isFree(mlir::Value value) const { return !notFree.contains(value); }
  /// Free or lazy: there is no home, but any layout.
  bool isLazy(mlir::Value value) const;

  //===-- Homes, forward (PropagateForward.cpp) --------------------------===//

  void fixArguments();
  void seedProducts();
  void chooseHomes(bool isLast);
  void chooseHome(mlir::Operation *op, bool isLast);
  Home getHome(mlir::Value value) const;
  void setHome(mlir::Value value, Home home);
  Home getBestHome(mlir::ValueRange operands) const;
  static LinearAttr getCurrent(mlir::Value value);

  //===-- Wishes, backward (PropagateBackward.cpp) ------------------------===//

  void collectDemands();
  void decide(mlir::Operation *op);
  void decideShape(mlir::Operation *op);
  void decideAnchor(mlir::Operation *op);
  /// Fixes the layout of an operand.
  void require(mlir::OpOperand &operand, LinearAttr layout);
  /// Fixes it to the layout in which the tile is, or was if it may be in any.
  void requireAny(mlir::OpOperand &operand);
  void demand(mlir::Value value, LinearAttr layout);
  /// Moves the home of an op's result to the one layout that all users want.
  bool mayMove(mlir::Operation *op, LinearAttr from, LinearAttr to) const;
  bool isGoodForLoad(mlir::Operation *op, LinearAttr from, LinearAttr to) const;
  /// The layout in which a tile is without a conversion: the home of what it, or what it
  /// expands, is made of. Null if there is none.
  LinearAttr getNatural(mlir::Value value) const;
  /// The layout of an operand of a free or lazy op whose result is to have `layout`.
  LinearAttr inferAttr(mlir::Operation *op, unsigned index, LinearAttr layout, unsigned operand);

  //===-- The new text (PropagateRewrite.cpp) ------------------------------===//

  void rewrite();
  mlir::Value materialize(mlir::Value value, LinearAttr layout);
  void cloneUnder(mlir::OpResult result, LinearAttr layout);
  void removeDead();

  mlir::FunctionOpInterface function;
  const tile::AxisInfoAnalysis &axes;
  const Machine &machine;

  llvm::SmallVector<mlir::Operation *> ops; ///< in order, those outside before those inside
  llvm::DenseSet<mlir::Value> notFree;
  llvm::DenseMap<mlir::Value, Home> homes;
  llvm::SmallVector<Carried> carried;
  llvm::DenseMap<mlir::Value, unsigned> carriedOf;         ///< of members
  llvm::DenseMap<mlir::OpOperand *, unsigned> carriedInto; ///< of what comes in
  llvm::DenseMap<mlir::Operation *, LinearAttr> opLayouts; ///< of the operands, where one is

  llvm::DenseMap<mlir::OpOperand *, LinearAttr> required;
  /// Layouts that are wanted of each tile.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<LinearAttr, 2>> demands;
  llvm::DenseSet<std::pair<mlir::Value, LinearAttr>> asked; ///< the same, to look up

  llvm::DenseMap<std::pair<mlir::Value, LinearAttr>, mlir::Value> made;
  llvm::SmallVector<mlir::Operation *> clones;
};

/// The value behind conversions.
mlir::Value stripConversions(mlir::Value value);

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_TRANSFORMS_PROPAGATION_H

//===- Picture.h - Who holds which element, cell by cell --------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TOOLS_LAYOUT_PICTURE_H
#define TEGULA_TOOLS_LAYOUT_PICTURE_H

#include "tegula/TileGPU/Layout/Layout.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>
#include <vector>

namespace tegula::layout {

/// The most elements that a picture has, and the most places (registers of threads) that
/// are looked at.
inline constexpr uint64_t kMaxElements = 4096, kMaxPlaces = 1 << 20;

/// A layout by its name: `words` are the name and KEY=VALUE each. Nullopt: `problem` says
/// what is wrong with them.
std::optional<tilegpu::Layout> makeNamed(llvm::ArrayRef<std::string> words, std::string &problem);
/// Lines of help on the names.
extern const char *const namesHelp;

/// Cells, each of which is `run` neighbours of a row that one thread holds in registers
/// that follow each other (or that follow each other in memory).
struct Picture {
  /// Nullopt, with `problem`, where the layout is too large.
  static std::optional<Picture> make(const tilegpu::Layout &layout, std::string &problem);

  llvm::SmallVector<int64_t> shape;
  bool isMemory = false;
  unsigned lanes = 1, warps = 1, blocks = 1, registers = 1;
  unsigned run = 1;
  unsigned copies = 1; ///< how often the element that most hold is held
  /// For each element, in row-major order, the first who holds it.
  std::vector<tilegpu::Indices> holders;

  /// A row and its name: elements begin at `first`. Long tiles of one dimension are folded.
  struct Row {
    std::string name;
    int64_t first;
    bool opensSlice; ///< the first of a slice of the last two dimensions
  };
  std::vector<Row> rows;
  int64_t columns = 1;   ///< elements of a row
  bool isFolded = false; ///< one dimension; rows go on in the next
  std::string caption;

  /// "5:0-1": thread and registers. "b1.5:0": of the second block. "8-15": offsets.
  std::string label(int64_t element) const;
  /// "0-1", of column `column`.
  std::string columnLabel(int64_t column) const;
  std::string text() const;
  /// A self-contained picture; the same bytes for the same layout on every machine.
  std::string svg(llvm::StringRef title) const;
};

} // namespace tegula::layout

#endif // TEGULA_TOOLS_LAYOUT_PICTURE_H

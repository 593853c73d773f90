//===- SourceFile.h - Text of a kernel file and places in it ------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A SourceFile owns one text and its line index. The text may be a whole file or
// one function cut out of a file; then `firstLine` and `columnOffset` say where
// the cut began, so that every report names the real place.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_FRONTEND_SOURCEFILE_H
#define TEGULA_FRONTEND_SOURCEFILE_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tegula::frontend {

/// A place for people. Both are 1-based; `column` counts code points, so a tab
/// and a non-ASCII letter count one each.
struct LineColumn {
  uint32_t line = 0;
  uint32_t column = 0;
};

/// One text with its line index. Immutable after construction, therefore safe to
/// read from any thread. Must outlive every AST and diagnostic made from it, and
/// cannot be copied or moved because locations point to it.
class SourceFile {
public:
  /// `firstLine` is the number of the first line of `text` in the file `name`;
  /// `columnOffset` is the number of columns that were cut off the front of every
  /// line (the width removed by a dedent), 0 for unchanged text.
  SourceFile(llvm::StringRef name, llvm::StringRef text, uint32_t firstLine = 1,
             uint32_t columnOffset = 0);
  SourceFile(const SourceFile &) = delete;
  SourceFile &operator=(const SourceFile &) = delete;

  llvm::StringRef getName() const { return name; }
  llvm::StringRef getText() const { return text; }
  /// Whether the text was cut, being too large; parsers refuse it.
  bool isTruncated() const { return truncated; }
  uint32_t getFirstLine() const { return firstLine; }
  uint32_t getColumnOffset() const { return columnOffset; }
  uint32_t getNumLines() const { return static_cast<uint32_t>(lineStarts.size()); }

  /// Line and column of a byte offset, `firstLine` and `columnOffset` included.
  /// Offsets past the end name the end.
  LineColumn getLineColumn(uint32_t offset) const;

  /// 0-based index of the line that holds `offset`, counted within this text.
  uint32_t getLineIndex(uint32_t offset) const;

  /// First byte of a line of this text (0-based index, clamped).
  uint32_t getLineStart(uint32_t lineIndex) const;

  /// Text of a line of this text (0-based index) without its line end; empty if
  /// there is no such line.
  llvm::StringRef getLineText(uint32_t lineIndex) const;

private:
  std::string name;
  std::string text;
  uint32_t firstLine;
  uint32_t columnOffset;
  bool truncated = false;
  std::vector<uint32_t> lineStarts;
};

/// A byte of a file, or nowhere (`file` null).
struct SourceLocation {
  const SourceFile *file = nullptr;
  uint32_t offset = 0;

  SourceLocation() = default;
  SourceLocation(const SourceFile *file, uint32_t offset) : file(file), offset(offset) {}

  bool isValid() const { return file != nullptr; }
  /// 0:0 for an invalid location.
  LineColumn getLineColumn() const { return file ? file->getLineColumn(offset) : LineColumn(); }
  bool operator==(const SourceLocation &other) const = default;
};

/// Bytes `[begin, end)` of one file, or nowhere (`file` null).
struct SourceRange {
  const SourceFile *file = nullptr;
  uint32_t begin = 0;
  uint32_t end = 0;

  SourceRange() = default;
  SourceRange(const SourceFile *file, uint32_t begin, uint32_t end)
      : file(file), begin(begin), end(end) {}
  /// An empty range: one caret.
  SourceRange(SourceLocation loc) : file(loc.file), begin(loc.offset), end(loc.offset) {}

  bool isValid() const { return file != nullptr; }
  SourceLocation getBegin() const { return {file, begin}; }
  SourceLocation getEnd() const { return {file, end}; }
  /// The spelled text; empty if invalid.
  llvm::StringRef getText() const {
    return file ? file->getText().slice(begin, end) : llvm::StringRef();
  }
  /// From the start of this range to the end of `last` (of the same file).
  SourceRange to(SourceRange last) const { return {file, begin, last.end}; }
  bool operator==(const SourceRange &other) const = default;
};

} // namespace tegula::frontend

#endif // TEGULA_FRONTEND_SOURCEFILE_H

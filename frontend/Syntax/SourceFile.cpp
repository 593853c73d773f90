//===- SourceFile.cpp - Line index of a text ------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Frontend/SourceFile.h"

#include <algorithm>

using namespace tegula::frontend;
using llvm::StringRef;

SourceFile::SourceFile(StringRef name, StringRef text, uint32_t firstLine, uint32_t columnOffset)
    : name(name.str()), text(text.str()), firstLine(firstLine), columnOffset(columnOffset) {
  // Offsets have 32 bits; nobody writes kernels of this size.
  constexpr size_t kMaxSize = size_t(64) << 20;
  if (this->text.size() > kMaxSize) {
    this->text.resize(kMaxSize);
    truncated = true;
  }
  lineStarts.push_back(0);
  const uint32_t size = static_cast<uint32_t>(this->text.size());
  for (uint32_t i = 0; i != size; ++i) {
    char c = this->text[i];
    if (c == '\n' || (c == '\r' && (i + 1 == size || this->text[i + 1] != '\n'))) {
      lineStarts.push_back(i + 1);
    }
  }
}

uint32_t SourceFile::getLineIndex(uint32_t offset) const {
  auto it = std::upper_bound(lineStarts.begin(), lineStarts.end(), offset);
  return static_cast<uint32_t>(it - lineStarts.begin()) - 1;
}

uint32_t SourceFile::getLineStart(uint32_t lineIndex) const {
  return lineIndex < lineStarts.size() ? lineStarts[lineIndex] : static_cast<uint32_t>(text.size());
}

StringRef SourceFile::getLineText(uint32_t lineIndex) const {
  if (lineIndex >= lineStarts.size()) {
    return StringRef();
  }
  return StringRef(text).slice(lineStarts[lineIndex], getLineStart(lineIndex + 1)).rtrim("\r\n");
}

LineColumn SourceFile::getLineColumn(uint32_t offset) const {
  offset = std::min<uint32_t>(offset, static_cast<uint32_t>(text.size()));
  uint32_t index = getLineIndex(offset);
  uint32_t column = 1;
  for (uint32_t i = lineStarts[index]; i < offset; ++i) {
    // Bytes that continue a code point have the form 10xxxxxx.
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {
      ++column;
    }
  }
  // A byte-order mark is not part of the first line.
  if (index == 0 && offset >= 3 && StringRef(text).starts_with("\xEF\xBB\xBF")) {
    --column;
  }
  return {firstLine + index, column + columnOffset};
}

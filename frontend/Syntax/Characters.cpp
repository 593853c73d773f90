//===- Characters.cpp - Classes of characters ------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Characters.h"

#include <algorithm>
#include <iterator>

using namespace tegula::frontend;

unsigned tegula::frontend::decodeUTF8(llvm::StringRef text, uint32_t &codePoint) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char lead = byte(0);
  if (lead < 0x80) {
    codePoint = lead;
    return 1;
  }
  unsigned length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) {
    return 0;
  }
  uint32_t value = lead & (0xFF >> (length + 1));
  for (unsigned i = 1; i != length; ++i) {
    if (!isContinuationByte(text[i])) {
      return 0;
    }
    value = (value << 6) | (byte(i) & 0x3F);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kLeast[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
    return 0;
  }
  codePoint = value;
  return length;
}

void tegula::frontend::appendUTF8(std::string &out, uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

bool tegula::frontend::isNonAsciiNameChar(uint32_t c) {
  struct Interval {
    uint32_t first, last;
  };
  // Sorted blocks without letters.
  static constexpr Interval kRefused[] = {
      {0x80, 0xA9},     {0xAB, 0xB4},       {0xB6, 0xB6},       {0xB8, 0xB9},
      {0xBB, 0xBF},     {0xD7, 0xD7},       {0xF7, 0xF7},       {0x1680, 0x1680},
      {0x2000, 0x203E}, {0x2041, 0x2053},   {0x2055, 0x2070},   {0x2072, 0x207E},
      {0x2080, 0x208F}, {0x20A0, 0x20CF},   {0x2190, 0x2BFF},   {0x2E00, 0x2FFF},
      {0x3000, 0x3004}, {0x3008, 0x3020},   {0xD800, 0xF8FF},   {0xFE10, 0xFE1F},
      {0xFE30, 0xFE32}, {0xFEFF, 0xFEFF},   {0xFF00, 0xFF0F},   {0xFF1A, 0xFF20},
      {0xFFF0, 0xFFFF}, {0x1F000, 0x1FAFF}, {0xE0000, 0xE00FF}, {0xF0000, 0x10FFFF},
  };
  auto endsBefore = [](const Interval &interval, uint32_t value) { return interval.last < value; };
  const Interval *it = std::lower_bound(std::begin(kRefused), std::end(kRefused), c, endsBefore);
  return c >= 0x80 && (it == std::end(kRefused) || c < it->first);
}

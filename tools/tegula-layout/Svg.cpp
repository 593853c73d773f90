//===- Svg.cpp - Layouts as pictures --------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Colours: with one warp the hue tells lanes apart, with more it tells warps apart and
// lanes get darker. In memory it is the place among the eight groups of banks that serve
// pieces as large as a cell.
//
//===----------------------------------------------------------------------===//

#include "Picture.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace tegula;
using namespace tegula::layout;
using namespace tegula::tilegpu;

/// One channel of a colour. All in whole numbers, so that every machine writes the same.
///   hue: 0 to 359. light: per cent. The saturation is 70 per cent.
static unsigned channel(unsigned offset, unsigned hue, unsigned light) {
  const int step = int((offset * 30 + hue) % 360); // k = step / 30
  const int spread = 70 * int(std::min(light, 100 - light)) / 100;
  const int bend = std::max(-30, std::min({step - 90, 270 - step, 30})); // thirtieths of 1
  return unsigned((int(light) * 30 - spread * bend) * 255 / 3000);
}

static std::string colour(unsigned hue, unsigned light) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '#' << llvm::format_hex_no_prefix(channel(0, hue, light), 2)
     << llvm::format_hex_no_prefix(channel(8, hue, light), 2)
     << llvm::format_hex_no_prefix(channel(4, hue, light), 2);
  return text;
}

static std::string colourOf(const Picture &picture, int64_t element) {
  const Indices &holder = picture.holders[size_t(element)];
  if (picture.isMemory) {
    return colour(holder[unsigned(Axis::Offset)] / picture.run % 8 * 45, 82);
  }
  const unsigned lane = holder[unsigned(Axis::Lane)];
  const unsigned warp =
      holder[unsigned(Axis::Block)] * picture.warps + holder[unsigned(Axis::Warp)];
  const unsigned warps = picture.warps * picture.blocks;
  if (warps == 1) {
    return colour(lane * 360 / picture.lanes, 84);
  }
  return colour(warp * 360 / warps, 93 - lane * 24 / picture.lanes);
}

static std::string escape(llvm::StringRef text) {
  std::string result;
  for (char c : text) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      result += c;
    }
  }
  return result;
}

std::string Picture::svg(llvm::StringRef title) const {
  constexpr unsigned letter = 6, height = 16, top = 42, gap = 8;
  size_t widest = columnLabel(columns - run).size(), nameWidest = 1;
  for (const Row &row : rows) {
    nameWidest = std::max(nameWidest, row.name.size());
    for (int64_t column = 0; column < columns; column += run) {
      widest = std::max(widest, label(row.first + column).size());
    }
  }
  const unsigned width = unsigned(widest) * letter + 6, left = unsigned(nameWidest) * letter + 14;
  unsigned slices = 0;
  for (const Row &row : rows) {
    slices += row.opensSlice;
  }
  const unsigned grid = left + width * unsigned(columns / run) + gap;
  const unsigned total =
      std::max<unsigned>(grid, unsigned(std::max(title.size(), caption.size())) * letter + 16);
  const unsigned bottom = top + unsigned(rows.size()) * height + slices * gap;

  std::string text;
  llvm::raw_string_ostream os(text);
  os << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << total << "\" height=\""
     << bottom + 28 << "\" viewBox=\"0 0 " << total << ' ' << bottom + 28
     << "\" role=\"img\" font-family=\"monospace\" font-size=\"10\">\n"
     << "<title>" << escape(title) << "</title>\n"
     << "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
     << "<text x=\"8\" y=\"16\" font-weight=\"bold\">" << escape(title) << "</text>\n"
     << "<g text-anchor=\"middle\" fill=\"#666666\">\n";
  for (int64_t column = 0; column < columns; column += run) {
    os << "<text x=\"" << left + unsigned(column / run) * width + width / 2 << "\" y=\"" << top - 5
       << "\">" << columnLabel(column) << "</text>\n";
  }
  os << "</g>\n";
  unsigned y = top;
  for (const Row &row : rows) {
    y += row.opensSlice ? gap : 0;
    os << "<text x=\"" << left - 6 << "\" y=\"" << y + 12
       << "\" text-anchor=\"end\" fill=\"#666666\">" << row.name << "</text>\n"
       << "<g stroke=\"#ffffff\">";
    for (int64_t column = 0; column < columns; column += run) {
      os << "<path d=\"M" << left + unsigned(column / run) * width << ' ' << y << 'h' << width
         << 'v' << height << "h-" << width << "z\" fill=\"" << colourOf(*this, row.first + column)
         << "\"/>";
    }
    os << "</g>\n<g text-anchor=\"middle\">";
    for (int64_t column = 0; column < columns; column += run) {
      os << "<text x=\"" << left + unsigned(column / run) * width + width / 2 << "\" y=\"" << y + 12
         << "\">" << label(row.first + column) << "</text>";
    }
    os << "</g>\n";
    y += height;
  }
  os << "<text x=\"8\" y=\"" << bottom + 18 << "\" fill=\"#666666\">" << escape(caption)
     << "</text>\n</svg>\n";
  return text;
}

//===- Picture.cpp - Layouts as grids of text -----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Picture.h"

#include "llvm/ADT/StringExtras.h"

using namespace tegula;
using namespace tegula::layout;
using namespace tegula::tilegpu;

static uint32_t at(const Indices &indices, Axis axis) { return indices[unsigned(axis)]; }

static std::string plural(uint64_t number, const char *what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

/// Whether `next` is the place behind `holder`.
static bool follows(const Indices &holder, const Indices &next, bool isMemory) {
  const unsigned axis = unsigned(isMemory ? Axis::Offset : Axis::Register);
  Indices expected = holder;
  ++expected[axis];
  return expected == next;
}

/// The largest power of two of neighbours that follow each other everywhere.
static unsigned findRun(const Picture &picture) {
  unsigned run = 1;
  for (int64_t wide = 2; wide <= 16 && picture.columns % wide == 0; wide *= 2) {
    for (size_t i = 0; i < picture.holders.size(); ++i) {
      if (i % wide != 0 && !follows(picture.holders[i - 1], picture.holders[i], picture.isMemory)) {
        return run;
      }
    }
    run = unsigned(wide);
  }
  return run;
}

static std::string describe(const Picture &picture) {
  std::string text = llvm::join(
      llvm::map_range(picture.shape, [](int64_t size) { return std::to_string(size); }), "x");
  if (picture.isMemory) {
    return text + " in memory; a cell is the offset of its element" + (picture.run == 1 ? "" : "s");
  }
  text += ": " + plural(picture.registers, "register") + " of " + plural(picture.lanes, "lane") +
          " of " + plural(picture.warps, "warp");
  if (picture.blocks > 1) {
    text += " of " + plural(picture.blocks, "block");
  }
  text += std::string("; a cell is ") + (picture.blocks > 1 ? "block.thread" : "thread") +
          ":register" + (picture.run == 1 ? "" : "s");
  if (picture.copies > 1) {
    text += ", the first of " + std::to_string(picture.copies) + " that hold it";
  }
  return text;
}

std::optional<Picture> Picture::make(const Layout &layout, std::string &problem) {
  Picture picture;
  picture.shape = layout.getShape();
  picture.isMemory = layout.getSize(Axis::Offset) > 1;
  picture.registers = layout.getSize(Axis::Register);
  picture.lanes = layout.getSize(Axis::Lane);
  picture.warps = layout.getSize(Axis::Warp);
  picture.blocks = layout.getSize(Axis::Block);
  uint64_t elements = 1, places = 1;
  for (int64_t size : picture.shape) {
    elements *= uint64_t(size);
  }
  if (elements > kMaxElements) {
    problem = "expected a layout of at most " + std::to_string(kMaxElements) +
              " elements to draw, got " + std::to_string(elements);
    return std::nullopt;
  }
  for (unsigned axis = 0; axis < kNumAxes; ++axis) {
    places *= layout.getSize(Axis(axis));
    if (places > kMaxPlaces) {
      problem = "expected a layout of at most " + std::to_string(kMaxPlaces) +
                " registers of all threads to draw, got more";
      return std::nullopt;
    }
  }
  std::vector<unsigned> held(elements, 0);
  picture.holders.resize(elements);
  for (uint64_t place = 0; place < places; ++place) {
    Indices indices = {};
    uint64_t rest = place;
    for (unsigned axis = 0; axis < kNumAxes; ++axis) {
      const uint32_t size = layout.getSize(Axis(axis));
      indices[axis] = uint32_t(rest % size);
      rest /= size;
    }
    uint64_t element = 0;
    for (auto [coordinate, size] : llvm::zip_equal(layout.apply(indices), picture.shape)) {
      element = element * uint64_t(size) + uint64_t(coordinate);
    }
    if (held[element]++ == 0) {
      picture.holders[element] = indices;
    }
  }
  picture.copies = *llvm::max_element(held);

  const unsigned rank = picture.shape.size();
  constexpr int64_t fold = 32;
  picture.columns = rank == 0 ? 1 : picture.shape.back();
  if (rank == 1 && picture.columns > fold && picture.columns % fold == 0) {
    picture.columns = fold;
    picture.isFolded = true;
  }
  const int64_t rowsOfSlice =
      rank < 2 ? int64_t(elements) / picture.columns : picture.shape[rank - 2];
  for (int64_t first = 0; first < int64_t(elements); first += picture.columns) {
    const int64_t row = first / picture.columns;
    std::string name = std::to_string(picture.isFolded ? first : row % rowsOfSlice);
    if (rank > 2) {
      std::string slice;
      int64_t rest = row / rowsOfSlice;
      for (unsigned d = rank - 2; d-- > 0;) {
        slice = std::to_string(rest % picture.shape[d]) + "," + slice;
        rest /= picture.shape[d];
      }
      name = slice + name;
    }
    picture.rows.push_back({std::move(name), first, rank > 2 && row && row % rowsOfSlice == 0});
  }
  picture.run = findRun(picture);
  picture.caption = describe(picture);
  return picture;
}

static std::string range(uint64_t first, unsigned count) {
  return std::to_string(first) + (count == 1 ? "" : "-" + std::to_string(first + count - 1));
}

std::string Picture::label(int64_t element) const {
  const Indices &holder = holders[size_t(element)];
  if (isMemory) {
    return range(at(holder, Axis::Offset), run);
  }
  const std::string block =
      blocks > 1 ? "b" + std::to_string(at(holder, Axis::Block)) + "." : std::string();
  return block + std::to_string(at(holder, Axis::Warp) * lanes + at(holder, Axis::Lane)) + ":" +
         range(at(holder, Axis::Register), run);
}

std::string Picture::columnLabel(int64_t column) const {
  return (isFolded ? "+" : "") + range(uint64_t(column), run);
}

std::string Picture::text() const {
  size_t width = 0, nameWidth = 0;
  for (const Row &row : rows) {
    nameWidth = std::max(nameWidth, row.name.size());
    for (int64_t column = 0; column < columns; column += run) {
      width = std::max(width, label(row.first + column).size());
    }
  }
  width = std::max(width, columnLabel(columns - run).size());
  const auto pad = [](std::string word, size_t size) {
    word.resize(std::max(word.size(), size), ' ');
    return word;
  };
  std::string result = caption + "\n\n" + std::string(nameWidth, ' ') + " |";
  std::string line;
  const auto finish = [&] {
    result += llvm::StringRef(line).rtrim().str() + "\n";
    line.clear();
  };
  for (int64_t column = 0; column < columns; column += run) {
    line += " " + pad(columnLabel(column), width);
  }
  finish();
  for (const Row &row : rows) {
    if (row.opensSlice) {
      result += "\n";
    }
    line = pad(row.name, nameWidth) + " |";
    for (int64_t column = 0; column < columns; column += run) {
      line += " " + pad(label(row.first + column), width);
    }
    finish();
  }
  return result;
}

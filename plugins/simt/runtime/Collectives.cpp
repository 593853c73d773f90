//===- Collectives.cpp - What the lanes of a warp do together -------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Floats.h"
#include "Program.h"

#include <array>
#include <cstring>

using namespace tegula::simt;

void Machine::completeShuffle(Thread *lanes) {
  const uint32_t size = function.warpSize;
  std::array<uint64_t, 64> results;
  for (uint32_t lane = 0; lane < size; ++lane) {
    const Thread &thread = lanes[lane];
    const uint32_t width = thread.width > 0 ? uint32_t(thread.width) : size;
    const uint32_t first = lane / width * width;
    int64_t from = lane;
    switch (Shuffle(thread.mode)) {
    case Shuffle::Xor:
      from = int64_t(lane) ^ thread.argument;
      break;
    case Shuffle::Up:
      from = int64_t(lane) - thread.argument;
      break;
    case Shuffle::Down:
      from = int64_t(lane) + thread.argument;
      break;
    case Shuffle::Index:
      from = first + (uint32_t(thread.argument) & (width - 1));
      break;
    }
    if (from < int64_t(first) || from >= int64_t(std::min(first + width, size))) {
      from = lane;
    }
    results[lane] = lanes[from].value;
  }
  for (uint32_t lane = 0; lane < size; ++lane) {
    lanes[lane].value = results[lane];
  }
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

static uint64_t elementAt(const void *memory, uint32_t index, uint32_t bits) {
  uint64_t value = 0;
  std::memcpy(&value, static_cast<const char *>(memory) + size_t(index) * bits / 8, bits / 8);
  return value;
}

static bool isInteger(Element type) { return type == Element::Signed || type == Element::Unsigned; }

static int64_t integerOf(Element type, uint64_t bits, uint32_t width) {
  return type == Element::Signed ? int64_t(bits << (64 - width)) >> (64 - width) : int64_t(bits);
}

void Machine::completeMma(Thread *lanes) {
  const MatrixRecord &record = *lanes[0].record;
  const auto *tables = reinterpret_cast<const uint16_t *>(&record + 1);
  // Operands as matrices: bits of A (m x k), B (k x n) and the accumulator (m x n).
  const uint32_t columns[3] = {record.k, record.n, record.n};
  const uint32_t rows[3] = {record.m, record.k, record.m};
  std::vector<uint64_t> matrices[3];
  const uint16_t *table = tables;
  for (int i = 0; i < 3; ++i) {
    matrices[i].assign(size_t(rows[i]) * columns[i], 0);
    for (uint32_t lane = 0; lane < record.warpSize; ++lane) {
      for (uint32_t r = 0; r < record.registers[i]; ++r, table += 2) {
        matrices[i][table[0] * columns[i] + table[1]] =
            elementAt(lanes[lane].operands[i], r, record.bits[i]);
      }
    }
  }
  const bool integers = isInteger(record.types[2]);
  std::vector<uint64_t> product(matrices[2].size());
  for (uint32_t i = 0; i < record.m; ++i) {
    for (uint32_t j = 0; j < record.n; ++j) {
      const uint64_t acc = matrices[2][i * record.n + j];
      double sum = integers ? 0 : decode(record.types[2], acc);
      uint64_t total = acc;
      for (uint32_t k = 0; k < record.k; ++k) {
        const uint64_t a = matrices[0][i * record.k + k], b = matrices[1][k * record.n + j];
        if (integers) {
          total += uint64_t(integerOf(record.types[0], a, record.bits[0]) *
                            integerOf(record.types[1], b, record.bits[1]));
        } else {
          sum = __builtin_fma(decode(record.types[0], a), decode(record.types[1], b), sum);
        }
      }
      product[i * record.n + j] = integers ? total : encode(record.types[2], sum);
    }
  }
  table = tables + size_t(2) * record.warpSize * (record.registers[0] + record.registers[1]);
  for (uint32_t lane = 0; lane < record.warpSize; ++lane) {
    for (uint32_t r = 0; r < record.registers[2]; ++r, table += 2) {
      const size_t bytes = record.bits[2] / 8;
      std::memcpy(static_cast<char *>(lanes[lane].result) + r * bytes,
                  &product[table[0] * record.n + table[1]], bytes);
    }
  }
}

bool Machine::completeLoadMatrix(Thread *lanes) {
  const uint32_t count = lanes[0].count;
  for (uint32_t i = 0; i < 8 * count; ++i) {
    // The thread that gives the address makes the access; it is checked here, outside of
    // its stack, so that an error only leaves the loop.
    if (!tryAccess(lanes[i], lanes[i].place, lanes[i].operands[0],
                   16 | 4 << kAccessAlignShift | kAccessShared)) {
      return false;
    }
  }
  for (uint32_t lane = 0; lane < function.warpSize; ++lane) {
    for (uint32_t i = 0; i < count; ++i) {
      for (uint32_t half = 0; half < 2; ++half) {
        uint32_t row = lane / 4, column = 2 * (lane % 4) + half;
        if (lanes[0].mode) {
          std::swap(row, column);
        }
        const auto *from = static_cast<const char *>(lanes[8 * i + row].operands[0]) + 2 * column;
        std::memcpy(static_cast<char *>(lanes[lane].result) + 4 * i + 2 * half, from, 2);
      }
    }
  }
  return true;
}

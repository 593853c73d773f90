//===- Print.cpp - Lines that threads print -------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines of a program come out together, in the order of the elements, though threads
// run in another.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "tegula/Runtime/PrintText.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <tuple>

using namespace tegula::simt;

static std::string describeValue(const PrintRecord &record, uint64_t value) {
  using tegula::runtime::PrintedKind;
  const auto kindOf = [&] {
    switch (record.type) {
    case Element::Pointer:
      return PrintedKind::Pointer;
    case Element::Signed:
      return record.bits == 1 ? PrintedKind::Unsigned : PrintedKind::Signed;
    case Element::Unsigned:
      return PrintedKind::Unsigned;
    case Element::BFloat16:
      return PrintedKind::BFloat;
    default:
      return PrintedKind::Float;
    }
  };
  return tegula::runtime::describePrinted(kindOf(), record.bits, record.hex, value);
}

static uint64_t rowMajor(const int32_t *indices, const char *extents, uint32_t rank) {
  uint64_t number = 0;
  for (uint32_t dim = 0; dim < rank; ++dim) {
    uint32_t extent;
    std::memcpy(&extent, extents + sizeof extent * dim, sizeof extent);
    number = number * extent + uint32_t(indices[dim]);
  }
  return number;
}

void Machine::print(Thread &thread, const PrintRecord *record, const int32_t *indices,
                    uint64_t value) {
  PrintedLine line;
  line.indices.assign(indices, indices + record->rank);
  const auto *extents = reinterpret_cast<const char *>(record + 1);
  const std::string prefix(extents + sizeof(uint32_t) * record->rank, record->prefixSize);
  line.text = "pid " + tegula::runtime::describeProgram(thread.program);
  if (!record->isTextOnly) {
    line.text += " idx " + tegula::runtime::describeIndices(
                               extents, record->rank, rowMajor(indices, extents, record->rank),
                               /*isAligned=*/true);
  }
  line.text += prefix;
  if (record->numOperands > 1) {
    line.text += "(operand " + std::to_string(record->operand) + ") ";
  }
  line.text += (record->isTextOnly ? "" : describeValue(*record, value)) + "\n";
  auto known = std::find(records.begin(), records.end(), record);
  line.record = uint32_t(known - records.begin());
  if (known == records.end()) {
    records.push_back(record);
  }
  line.round = thread.prints[{record, line.indices}]++;
  lines.push_back(std::move(line));
}

void Machine::flushPrints() {
  if (lines.empty()) {
    return;
  }
  std::sort(lines.begin(), lines.end(), [](const PrintedLine &a, const PrintedLine &b) {
    return std::tie(a.round, a.record, a.indices) < std::tie(b.round, b.record, b.indices);
  });
  flockfile(stdout);
  for (const PrintedLine &line : lines) {
    std::fwrite(line.text.data(), 1, line.text.size(), stdout);
  }
  std::fflush(stdout);
  funlockfile(stdout);
  lines.clear();
}

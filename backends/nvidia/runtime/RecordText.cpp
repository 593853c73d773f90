//===- RecordText.cpp - Prints and failures as text
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecordText.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace tegula::nvidia {

namespace {
/// What all records of one op have in common.
class Text {
public:
  explicit Text(const std::string &bytes) : bytes(bytes) {
    std::memcpy(&record, bytes.data(), sizeof record);
  }

  uint32_t extent(uint32_t dim) const {
    uint32_t value;
    std::memcpy(&value, bytes.data() + sizeof record + sizeof value * dim, sizeof value);
    return value;
  }
  std::string first() const { return bytes.substr(texts(), record.firstSize); }
  std::string second() const { return bytes.substr(texts() + record.firstSize, record.secondSize); }
  uint64_t rowMajor(const uint32_t *indices) const {
    uint64_t number = 0;
    for (uint32_t d = 0; d < record.rank; ++d) {
      number = number * extent(d) + indices[d];
    }
    return number;
  }
  std::string place(uint64_t number, bool isAligned) const {
    return tegula::runtime::describeIndices(bytes.data() + sizeof record, record.rank, number,
                                            isAligned);
  }

  TextRecord record = {};

private:
  size_t texts() const { return sizeof record + sizeof(uint32_t) * record.rank; }
  const std::string &bytes;
};

struct Line {
  Record record;
  std::vector<uint32_t> indices;
};
} // namespace

static std::string describeValue(const TextRecord &text, uint64_t bits) {
  return tegula::runtime::describePrinted(text.kind, text.bits, text.hex, bits);
}

static std::string describeLine(const Line &line, const Text &text) {
  std::string out = "pid " + tegula::runtime::describeProgram(line.record.program);
  if (text.record.kind == PrintedKind::None) {
    return out + text.first() + "\n";
  }
  out += " idx " + text.place(text.rowMajor(line.indices.data()), /*isAligned=*/true);
  out += text.first();
  if (text.record.numOperands > 1) {
    out += "(operand " + std::to_string(text.record.operand) + ") ";
  }
  return out + describeValue(text.record, line.record.value) + "\n";
}

std::string describePrints(const uint32_t *words, size_t count, const ReadText &read) {
  // By program, in the order in which they came; of one program in the order of its prints.
  std::map<std::array<uint32_t, 3>, size_t> programs;
  std::vector<std::vector<Line>> lines;
  for (size_t at = 0; at + kRecordWords <= count;) {
    Line line;
    std::memcpy(&line.record, words + at, sizeof line.record);
    if (line.record.words < kRecordWords || line.record.words > count - at) {
      break; // what was asked for did not fit
    }
    line.indices.assign(words + at + kRecordWords, words + at + line.record.words);
    at += line.record.words;
    const auto [found, isNew] = programs.try_emplace(
        {line.record.program[0], line.record.program[1], line.record.program[2]}, lines.size());
    if (isNew) {
      lines.emplace_back();
    }
    lines[found->second].push_back(std::move(line));
  }
  std::string out;
  for (std::vector<Line> &ofProgram : lines) {
    std::stable_sort(ofProgram.begin(), ofProgram.end(), [](const Line &x, const Line &y) {
      return x.record.sequence < y.record.sequence;
    });
    for (size_t i = 0; i < ofProgram.size();) {
      // One print: until another follows or an element comes again.
      const uint64_t address = ofProgram[i].record.text;
      const std::string *bytes = read(address);
      if (!bytes || bytes->size() < sizeof(TextRecord)) {
        ++i;
        continue;
      }
      const Text text(*bytes);
      std::map<uint64_t, const Line *> elements;
      for (; i < ofProgram.size() && ofProgram[i].record.text == address; ++i) {
        const Line &line = ofProgram[i];
        if (line.indices.size() != text.record.rank ||
            !elements.try_emplace(text.rowMajor(line.indices.data()), &line).second) {
          break;
        }
      }
      if (elements.empty()) {
        ++i;
      }
      for (const auto &[number, line] : elements) {
        out += describeLine(*line, text);
      }
    }
  }
  return out;
}

std::string describeFailure(const uint32_t *words, size_t count, uint64_t key,
                            const ReadText &read) {
  for (size_t at = 0; at + kRecordWords <= count; at += kRecordWords) {
    Record record;
    std::memcpy(&record, words + at, sizeof record);
    const std::string *bytes =
        record.words == kRecordWords && record.value == key ? read(record.text) : nullptr;
    if (!bytes || bytes->size() < sizeof(TextRecord)) {
      continue;
    }
    const Text text(*bytes);
    std::string out = text.first();
    out += (out.empty() ? "assertion failed in program " : ": assertion failed in program ") +
           tegula::runtime::describeProgram(record.program);
    if (text.record.rank > 0) {
      out += " at element " +
             text.place(key & ((uint64_t(1) << kElementBits) - 1), /*isAligned=*/false);
    }
    const std::string message = text.second();
    return message.empty() ? out : out + ": " + message;
  }
  return "assertion failed in program number " + std::to_string(key >> kElementBits);
}

} // namespace tegula::nvidia

//===- RecordTextTest.cpp - Prints and failures as text -------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecordText.h"

#include "gtest/gtest.h"

#include <cstring>
#include <map>
#include <string>
#include <vector>

using namespace tegula::nvidia;

namespace {

/// Memory of a device with texts in it, and words of records.
struct RecordText : testing::Test {
  /// The address of a text: what all records of one print or assertion have in common.
  uint64_t addText(TextRecord record, std::vector<uint32_t> extents, const std::string &first,
                   const std::string &second = "") {
    record.rank = uint8_t(extents.size());
    record.firstSize = uint32_t(first.size());
    record.secondSize = uint32_t(second.size());
    std::string bytes(sizeof record + sizeof(uint32_t) * extents.size(), '\0');
    std::memcpy(bytes.data() + sizeof record, extents.data(), sizeof(uint32_t) * extents.size());
    bytes += first + second;
    record.size = uint32_t(bytes.size());
    std::memcpy(bytes.data(), &record, sizeof record);
    const uint64_t address = 0x1000 + 0x100 * texts.size();
    texts[address] = bytes;
    return address;
  }

  static TextRecord numbers(PrintedKind kind, uint8_t bits, uint8_t hex = 0) {
    TextRecord record = {};
    record.kind = kind;
    record.bits = bits;
    record.hex = hex;
    record.numOperands = 1;
    return record;
  }

  void add(uint64_t text, uint32_t program, uint32_t sequence, std::vector<uint32_t> indices,
           uint64_t value) {
    Record record = {};
    record.words = kRecordWords + uint32_t(indices.size());
    record.sequence = sequence;
    record.text = text;
    record.program[0] = program;
    record.value = value;
    const size_t at = words.size();
    words.resize(at + kRecordWords);
    std::memcpy(words.data() + at, &record, sizeof record);
    words.insert(words.end(), indices.begin(), indices.end());
  }

  std::string prints() const { return describePrints(words.data(), words.size(), reader()); }
  std::string failure(uint64_t key) const {
    return describeFailure(words.data(), words.size(), key, reader());
  }
  ReadText reader() const {
    return [this](uint64_t address) {
      const auto found = texts.find(address);
      return found == texts.end() ? nullptr : &found->second;
    };
  }

  std::map<uint64_t, std::string> texts;
  std::vector<uint32_t> words;
};

} // namespace

TEST_F(RecordText, ElementsComeRowByRow) {
  const uint64_t text = addText(numbers(PrintedKind::Signed, 32), {2, 2}, " x: ");
  add(text, 0, 0, {1, 0}, uint32_t(-3));
  add(text, 0, 0, {0, 1}, 2);
  add(text, 0, 0, {0, 0}, 1);
  add(text, 0, 0, {1, 1}, 4);
  EXPECT_EQ(prints(), "pid (0, 0, 0) idx (0, 0) x: 1\n"
                      "pid (0, 0, 0) idx (0, 1) x: 2\n"
                      "pid (0, 0, 0) idx (1, 0) x: -3\n"
                      "pid (0, 0, 0) idx (1, 1) x: 4\n");
}

TEST_F(RecordText, ProgramsComeAsTheyDidTheirPrintsInOrder) {
  const uint64_t first = addText(numbers(PrintedKind::Unsigned, 8), {}, " a: ");
  const uint64_t second = addText(numbers(PrintedKind::Float, 32), {}, " b: ");
  uint32_t half;
  const float value = 0.5f;
  std::memcpy(&half, &value, sizeof half);
  add(second, 7, 1, {}, half);
  add(first, 3, 0, {}, 255);
  add(first, 7, 0, {}, 9);
  add(second, 3, 1, {}, half);
  EXPECT_EQ(prints(), "pid (7, 0, 0) idx () a: 9\n"
                      "pid (7, 0, 0) idx () b: 0.500000\n"
                      "pid (3, 0, 0) idx () a: 255\n"
                      "pid (3, 0, 0) idx () b: 0.500000\n");
}

TEST_F(RecordText, APrintInALoopIsSeveralPrints) {
  const uint64_t text = addText(numbers(PrintedKind::Signed, 32), {2}, " k: ");
  for (uint32_t trip : {0, 1}) {
    add(text, 0, trip, {1}, 10 * trip + 1);
    add(text, 0, trip, {0}, 10 * trip);
  }
  EXPECT_EQ(prints(), "pid (0, 0, 0) idx (0) k: 0\n"
                      "pid (0, 0, 0) idx (1) k: 1\n"
                      "pid (0, 0, 0) idx (0) k: 10\n"
                      "pid (0, 0, 0) idx (1) k: 11\n");
}

TEST_F(RecordText, OperandsAreNumbered) {
  TextRecord record = numbers(PrintedKind::Signed, 32);
  record.numOperands = 2;
  record.operand = 1;
  add(addText(record, {}, " two: "), 0, 0, {}, 5);
  EXPECT_EQ(prints(), "pid (0, 0, 0) idx () two: (operand 1) 5\n");
}

TEST_F(RecordText, TextAloneAndHexadecimal) {
  add(addText(numbers(PrintedKind::None, 0), {}, " here"), 0, 0, {}, 0);
  add(addText(numbers(PrintedKind::Unsigned, 16, 1), {}, " h: "), 0, 1, {}, 0xab);
  EXPECT_EQ(prints(), "pid (0, 0, 0) here\npid (0, 0, 0) idx () h: 0x00ab\n");
}

TEST_F(RecordText, WhatDidNotFitOrHasNoTextIsLeftOut) {
  const uint64_t text = addText(numbers(PrintedKind::Signed, 32), {}, " x: ");
  add(text, 0, 0, {}, 1);
  add(0x99, 0, 1, {}, 2);
  add(text, 0, 2, {}, 3);
  add(text, 0, 3, {}, 4);
  words.resize(words.size() - 2); // the last record was cut off
  EXPECT_EQ(prints(), "pid (0, 0, 0) idx () x: 1\npid (0, 0, 0) idx () x: 3\n");
  words = {0, 0, 0};
  EXPECT_EQ(prints(), "");
}

TEST_F(RecordText, Failures) {
  TextRecord record = numbers(kAssertion, 0);
  const uint64_t tile = addText(record, {4, 8}, "k.py:3:5", "too large");
  const uint64_t scalar = addText(record, {}, "", "");
  const uint64_t key = (uint64_t(6) << kElementBits) | 11;
  add(tile, 6, 0, {}, key);
  add(scalar, 2, 0, {}, uint64_t(2) << kElementBits);
  EXPECT_EQ(failure(key),
            "k.py:3:5: assertion failed in program (6, 0, 0) at element (1, 3): too large");
  EXPECT_EQ(failure(uint64_t(2) << kElementBits), "assertion failed in program (2, 0, 0)");
  EXPECT_EQ(failure(uint64_t(5) << kElementBits), "assertion failed in program number 5");
}

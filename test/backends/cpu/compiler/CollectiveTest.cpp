//===- CollectiveTest.cpp - Scans, sorts, rearrangements, atomics ---------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFixture.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace tegula::cpu::test;

/// A kernel of two arrays of i32, `%x` (read as tile `%t` of `shape`) and `%o`
/// (written from tile `%r` of `outShape`).
static std::string kernelOf(const std::string &shape, int count, const std::string &outShape,
                            int outCount, const std::string &body,
                            const std::string &outType = "i32") {
  return fill(R"(
func.func @k(%x: !tile.ptr<i32>, %o: !tile.ptr<@E@>, %i: i64) attributes {tile.kernel} {
  %xr = tile.range 0 to @N@ : tensor<@N@xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<@N@x!tile.ptr<i32>>
  %xp = tile.addptr %xs, %xr : tensor<@N@x!tile.ptr<i32>>, tensor<@N@xi32>
  %xv = tile.load %xp : tensor<@N@x!tile.ptr<i32>>
  %t = tile.reshape %xv : tensor<@N@xi32> -> tensor<@S@xi32>
@BODY@
  %or = tile.range 0 to @M@ : tensor<@M@xi32>
  %os = tile.splat %o : !tile.ptr<@E@> -> tensor<@M@x!tile.ptr<@E@>>
  %op = tile.addptr %os, %or : tensor<@M@x!tile.ptr<@E@>>, tensor<@M@xi32>
  %ov = tile.reshape %r : tensor<@T@x@E@> -> tensor<@M@x@E@>
  tile.store %op, %ov : tensor<@M@x!tile.ptr<@E@>>
  return
}
)",
              {{"BODY", body},
               {"E", outType},
               {"N", std::to_string(count)},
               {"M", std::to_string(outCount)},
               {"S", shape},
               {"T", outShape}});
}

static std::vector<int32_t> randomInts(size_t count, int32_t low, int32_t high) {
  static std::mt19937 engine(11);
  std::uniform_int_distribution<int32_t> distribution(low, high);
  std::vector<int32_t> values(count);
  std::generate(values.begin(), values.end(), [&] { return distribution(engine); });
  return values;
}

class Collective : public testing::TestWithParam<const char *> {
protected:
  std::vector<int32_t> run(const std::string &text, const std::vector<int32_t> &x, size_t count,
                           int64_t index = 0) {
    Kernel kernel(text, GetParam());
    std::vector<int32_t> out(count, -77);
    kernel.run(Arguments().add(x.data()).add(out.data()).add(index));
    return out;
  }
};

INSTANTIATE_TEST_SUITE_P(Processors, Collective, testing::Values("native", "x86-64"));

//===----------------------------------------------------------------------===//
// Rearrangements
//===----------------------------------------------------------------------===//

TEST_P(Collective, SliceForwardsBackwardsAndApart) {
  // rows 7, 5, 3, 1; columns 1, 4, ..., 46
  const auto x = randomInts(8 * 48, -1000, 1000);
  const auto out = run(kernelOf("8x48", 384, "4x16", 64, R"(
  %r = tile.slice %t at [7, 1] step [-2, 3] : tensor<8x48xi32> -> tensor<4x16xi32>)"),
                       x, 64);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 16; ++j) {
      ASSERT_EQ(out[i * 16 + j], x[(7 - 2 * i) * 48 + 1 + 3 * j]) << i << " " << j;
    }
  }
}

TEST_P(Collective, SliceOfWholeRowsNeedsNoCopy) {
  const auto x = randomInts(8 * 48, -1000, 1000);
  const auto out = run(kernelOf("8x48", 384, "1x48", 48, R"(
  %y = arith.addi %t, %t : tensor<8x48xi32>
  %r = tile.slice %y at [5, 0] step [1, 1] : tensor<8x48xi32> -> tensor<1x48xi32>)"),
                       x, 48);
  for (int j = 0; j < 48; ++j) {
    ASSERT_EQ(out[j], 2 * x[5 * 48 + j]);
  }
}

TEST_P(Collective, ExtractGivesZeroOutside) {
  const auto x = randomInts(48, 1, 1000);
  const std::string text = kernelOf("48", 48, "1", 1, R"(
  %e = tile.extract %t[%i] : tensor<48xi32> -> i32
  %r = tile.splat %e : i32 -> tensor<1xi32>)");
  for (int64_t index : {int64_t(0), int64_t(47), int64_t(48), int64_t(-1), INT64_MIN, INT64_MAX}) {
    const bool inside = index >= 0 && index < 48;
    EXPECT_EQ(run(text, x, 1, index)[0], inside ? x[index] : 0) << index;
  }
}

TEST_P(Collective, JoinSplitAndCat) {
  const auto x = randomInts(96, -1000, 1000);
  const auto out = run(kernelOf("48x2", 96, "96", 96, R"(
  %a, %b = tile.split %t : tensor<48x2xi32> -> tensor<48xi32>
  %j = tile.join %b, %a : tensor<48xi32> -> tensor<48x2xi32>
  %c, %d = tile.split %j : tensor<48x2xi32> -> tensor<48xi32>
  %r = tile.cat %d, %c axis 0 : tensor<48xi32>, tensor<48xi32> -> tensor<96xi32>)"),
                       x, 96);
  for (int i = 0; i < 48; ++i) {
    ASSERT_EQ(out[i], x[2 * i]);
    ASSERT_EQ(out[48 + i], x[2 * i + 1]);
  }
}

//===----------------------------------------------------------------------===//
// Scans, maps, sorts
//===----------------------------------------------------------------------===//

TEST_P(Collective, ScansKeepTheOrderOfOperands) {
  // 2x2 matrices as in affine functions: associative, not commutative.
  for (const bool reverse : {false, true}) {
    for (const int axis : {0, 1}) {
      const auto x = randomInts(16 * 48, -9, 9);
      const auto out =
          run(kernelOf("16x48", 768, "16x48", 768,
                       fill(R"(
  %b = arith.addi %t, %t : tensor<16x48xi32>
  %s, %r = tile.scan (%t, %b) axis @A@ @R@ : (tensor<16x48xi32>, tensor<16x48xi32>)
      -> (tensor<16x48xi32>, tensor<16x48xi32>) {
  ^bb0(%p0: i32, %p1: i32, %q0: i32, %q1: i32):
    %m = arith.muli %p0, %q0 : i32
    %n = arith.muli %q0, %p1 : i32
    %c = arith.addi %n, %q1 : i32
    tile.yield %m, %c : i32, i32
  })",
                            {{"A", std::to_string(axis)}, {"R", reverse ? "reverse" : ""}})),
              x, 768);
      const int length = axis == 0 ? 16 : 48, step = axis == 0 ? 48 : 1;
      for (int line = 0; line < 768 / length; ++line) {
        const int start = axis == 0 ? line : line * 48;
        uint32_t b = 0;
        for (int i = 0; i < length; ++i) {
          const int at = start + (reverse ? length - 1 - i : i) * step;
          const uint32_t value = x[at];
          b = i == 0 ? 2 * value : value * b + 2 * value;
          ASSERT_EQ(uint32_t(out[at]), b) << axis << " " << reverse << " " << at;
        }
      }
    }
  }
}

TEST_P(Collective, MapRunsItsControlFlowPerElement) {
  // Collatz steps of each element, less those of its neighbour in the pair.
  const auto x = randomInts(48, 1, 30);
  const auto out = run(kernelOf("48", 48, "48", 48, R"(
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %r = tile.map (%t) pack 2 : (tensor<48xi32>) -> tensor<48xi32> {
  ^bb0(%a: i32, %b: i32):
    %steps, %end = scf.while (%n = %zero, %v = %a) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi sgt, %v, %one : i32
      scf.condition(%more) %n, %v : i32, i32
    } do {
    ^bb1(%n: i32, %v: i32):
      %bit = arith.andi %v, %one : i32
      %odd = arith.cmpi eq, %bit, %one : i32
      %next = scf.if %odd -> i32 {
        %p = arith.muli %v, %three : i32
        %q = arith.addi %p, %one : i32
        scf.yield %q : i32
      } else {
        %h = tile.shr signed %v, %one : i32
        scf.yield %h : i32
      }
      %count = arith.addi %n, %one : i32
      scf.yield %count, %next : i32, i32
    }
    tile.yield %steps, %b : i32, i32
  })"),
                       x, 48);
  for (int i = 0; i < 48; i += 2) {
    int steps = 0;
    for (int v = x[i]; v > 1; v = v % 2 ? 3 * v + 1 : v / 2) {
      ++steps;
    }
    ASSERT_EQ(out[i], steps);
    ASSERT_EQ(out[i + 1], x[i + 1]);
  }
}

TEST_P(Collective, SortsAreStableInBothDirections) {
  for (const bool descending : {false, true}) {
    for (const int length : {1, 2, 3, 48, 1000, 1024}) {
      const auto x = randomInts(length, -5, 5);
      const std::string n = std::to_string(length);
      const auto out =
          run(kernelOf(n, length, n, length,
                       fill(R"(
  %k, %r = tile.sort (%t, %xr) axis 0 @D@ signed
      : (tensor<@L@xi32>, tensor<@L@xi32>) -> (tensor<@L@xi32>, tensor<@L@xi32>))",
                            {{"D", descending ? "descending" : "ascending"}, {"L", n}})),
              x, length);
      std::vector<int32_t> want(length);
      std::iota(want.begin(), want.end(), 0);
      std::stable_sort(want.begin(), want.end(),
                       [&](int a, int b) { return descending ? x[a] > x[b] : x[a] < x[b]; });
      ASSERT_EQ(out, want) << length;
    }
  }
}

TEST_P(Collective, FloatsSortWithNaNLast) {
  std::vector<int32_t> x(8);
  const float values[] = {NAN, 0.0f, -INFINITY, -0.0f, 1.0f, INFINITY, -NAN, -1.0f};
  std::memcpy(x.data(), values, sizeof values);
  const auto out = run(kernelOf("8", 8, "8", 8, R"(
  %f = arith.bitcast %t : tensor<8xi32> to tensor<8xf32>
  %k, %r = tile.sort (%f, %xr) axis 0 ascending signed
      : (tensor<8xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>))"),
                       x, 8);
  EXPECT_EQ(out, (std::vector<int32_t>{2, 7, 1, 3, 4, 5, 0, 6}));
}

TEST_P(Collective, HistogramCountsWhatItHolds) {
  const auto x = randomInts(1000, -3, 50);
  const auto out = run(kernelOf("1000", 1000, "48", 48, R"(
  %r = tile.histogram %t : tensor<1000xi32> -> tensor<48xi32>)"),
                       x, 48);
  for (int bin = 0; bin < 48; ++bin) {
    ASSERT_EQ(out[bin], std::count(x.begin(), x.end(), bin));
  }
}

/// The largest tile sorts within the scratch memory that the backend grants.
TEST(CollectiveLimits, SortOfTheLargestTile) {
  const int length = 1 << 20;
  const std::string n = std::to_string(length);
  Kernel kernel(kernelOf(n, length, n, length,
                         "  %r = tile.sort (%t) axis 0 ascending signed : (tensor<" + n +
                             "xi32>) -> tensor<" + n + "xi32>"));
  auto x = randomInts(length, INT32_MIN, INT32_MAX);
  std::vector<int32_t> out(length);
  kernel.run(Arguments().add(x.data()).add(out.data()).add(int64_t(0)));
  std::sort(x.begin(), x.end());
  EXPECT_EQ(out, x);
}

//===----------------------------------------------------------------------===//
// Atomics, prints, assertions
//===----------------------------------------------------------------------===//

TEST_P(Collective, AtomicMaximumOfFloats) {
  Kernel kernel(R"(
func.func @k(%p: !tile.ptr<f32>, %x: f32, %o: !tile.ptr<f32>) attributes {tile.kernel} {
  %old = tile.atomic_rmw fmax acq_rel device %p, %x : !tile.ptr<f32>, f32
  tile.store %o, %old : !tile.ptr<f32>
  return
}
)",
                GetParam());
  struct Case {
    float memory, value, result;
  };
  for (const auto &[memory, value, result] :
       {Case{1, 2, 2}, Case{2, 1, 2}, Case{NAN, -5, -5}, Case{-5, NAN, -5}, Case{-0.0f, 0.0f, 0.0f},
        Case{0.0f, -0.0f, 0.0f}, Case{-INFINITY, NAN, -INFINITY}}) {
    float cell = memory, old = 0;
    kernel.run(Arguments().add(&cell).add(value).add(&old));
    EXPECT_EQ(cell, result);
    EXPECT_EQ(std::signbit(cell), std::signbit(result));
    EXPECT_EQ(std::memcmp(&old, &memory, sizeof old), 0);
  }
}

namespace {
/// What a kernel handed to the runtime.
struct Call {
  std::vector<int32_t> data;
  std::string record;
};
std::vector<Call> prints, failures;

void record(std::vector<Call> &calls, const void *bytes, const void *data, size_t size) {
  uint32_t length;
  std::memcpy(&length, bytes, sizeof length);
  Call call;
  call.record.assign(static_cast<const char *>(bytes), length);
  call.data.resize(size / 4);
  std::memcpy(call.data.data(), data, size);
  calls.push_back(call);
}
} // namespace

TEST_P(Collective, PrintsAndAssertionsReachTheRuntime) {
  Kernel kernel(kernelOf("48", 48, "48", 48, R"(
  tile.print " x: " (%t) signs [true] : tensor<48xi32>
  %five = arith.constant dense<5> : tensor<48xi32>
  %c = arith.cmpi slt, %t, %five : tensor<48xi32>
  tile.assert %c, "large" : tensor<48xi1>
  %r = arith.addi %t, %t : tensor<48xi32>)"),
                GetParam());
  using tegula::cpu::KernelServices;
  const KernelServices services = {sizeof services,
                                   [](void *, const uint32_t *, const void *bytes,
                                      const void *data) { record(prints, bytes, data, 48 * 4); },
                                   [](void *, const uint32_t *, const void *bytes,
                                      const void *data) { record(failures, bytes, data, 48); },
                                   nullptr};
  kernel.services = &services;
  prints.clear();
  failures.clear();
  std::vector<int32_t> x(48), out(48);
  std::iota(x.begin(), x.end(), -43); // the last is 4
  kernel.run(Arguments().add(x.data()).add(out.data()).add(int64_t(0)));
  ASSERT_EQ(prints.size(), 1u);
  EXPECT_EQ(prints[0].data, x);
  EXPECT_TRUE(prints[0].record.ends_with(" x: "));
  EXPECT_TRUE(failures.empty());
  x[20] = 5;
  kernel.run(Arguments().add(x.data()).add(out.data()).add(int64_t(0)));
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_TRUE(failures[0].record.ends_with("large"));
}

//===- LoweringTest.cpp - Tile IR against plain C++ -----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFixture.h"
#include <cmath>
#include <random>

using namespace tegula::cpu::test;

static std::vector<float> randomFloats(size_t count) {
  static std::mt19937 engine(7);
  std::uniform_real_distribution<float> distribution(-2, 2);
  std::vector<float> values(count);
  for (float &value : values) {
    value = distribution(engine);
  }
  return values;
}

//===----------------------------------------------------------------------===//
// One dimension: masks, tails, aliasing
//===----------------------------------------------------------------------===//

static const char *kAdd = R"(
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %o: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id 0 : i32
  %c = arith.constant @N@ : i32
  %base = arith.muli %pid, %c : i32
  %r = tile.range 0 to @N@ : tensor<@N@xi32>
  %bs = tile.splat %base : i32 -> tensor<@N@xi32>
  %off = arith.addi %bs, %r : tensor<@N@xi32>
  %ns = tile.splat %n : i32 -> tensor<@N@xi32>
  %m = arith.cmpi slt, %off, %ns : tensor<@N@xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<@N@x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %off : tensor<@N@x!tile.ptr<f32>>, tensor<@N@xi32>
  %xv = tile.load %xp mask %m : tensor<@N@x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<@N@x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %off : tensor<@N@x!tile.ptr<f32>>, tensor<@N@xi32>
  %yv = tile.load %yp mask %m : tensor<@N@x!tile.ptr<f32>>
  %s = arith.addf %xv, %yv : tensor<@N@xf32>
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<@N@x!tile.ptr<f32>>
  %op = tile.addptr %os, %off : tensor<@N@x!tile.ptr<f32>>, tensor<@N@xi32>
  tile.store %op, %s mask %m : tensor<@N@x!tile.ptr<f32>>
  return
}
)";

class AddTest : public testing::TestWithParam<std::tuple<const char *, int>> {};

TEST_P(AddTest, MaskedTail) {
  auto [arch, tile] = GetParam();
  Kernel kernel(fill(kAdd, {{"N", std::to_string(tile)}}), arch);
  ASSERT_TRUE(kernel.ok());
  const int n = 777;
  auto x = randomFloats(n), y = randomFloats(n);
  std::vector<float> out(n + 2048, -7.0f);
  kernel.run(Arguments().add(x.data()).add(y.data()).add(out.data()).add(n), (n + tile - 1) / tile);
  for (int i = 0; i < n; ++i) {
    ASSERT_EQ(out[i], x[i] + y[i]) << i;
  }
  for (size_t i = n; i < out.size(); ++i) {
    ASSERT_EQ(out[i], -7.0f) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Tiles, AddTest,
                         testing::Combine(testing::Values("native", "x86-64"),
                                          testing::Values(1, 16, 48, 1024)));

TEST(Aliasing, ShiftReadsTheWholeTileFirst) {
  Kernel kernel(fill(kAdd, {{"N", "1024"}}));
  ASSERT_TRUE(kernel.ok());
  std::vector<float> x(1025), zero(1024, 0.0f);
  for (int i = 0; i < 1025; ++i) {
    x[i] = float(i);
  }
  kernel.run(Arguments().add(x.data()).add(zero.data()).add(x.data() + 1).add(1024));
  for (int i = 0; i < 1024; ++i) {
    ASSERT_EQ(x[i + 1], float(i));
  }
}

TEST(Aliasing, InPlace) {
  Kernel kernel(fill(kAdd, {{"N", "64"}}));
  ASSERT_TRUE(kernel.ok());
  std::vector<float> x(64, 3.0f);
  kernel.run(Arguments().add(x.data()).add(x.data()).add(x.data()).add(64));
  EXPECT_EQ(x, std::vector<float>(64, 6.0f));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static const char *kTile = R"(
  %rm = tile.range 0 to @M@ : tensor<@M@xi32>
  %rn = tile.range 0 to @N@ : tensor<@N@xi32>
  %em = tile.expand_dims %rm axis 1 : tensor<@M@xi32> -> tensor<@M@x1xi32>
  %en = tile.expand_dims %rn axis 0 : tensor<@N@xi32> -> tensor<1x@N@xi32>
  %bm = tile.broadcast %em : tensor<@M@x1xi32> -> tensor<@M@x@N@xi32>
  %bn = tile.broadcast %en : tensor<1x@N@xi32> -> tensor<@M@x@N@xi32>
  %width = arith.constant dense<@N@> : tensor<@M@x@N@xi32>
  %om = arith.muli %bm, %width : tensor<@M@x@N@xi32>
  %off = arith.addi %om, %bn : tensor<@M@x@N@xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<@M@x@N@x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %off : tensor<@M@x@N@x!tile.ptr<f32>>, tensor<@M@x@N@xi32>
  %v = tile.load %xp : tensor<@M@x@N@x!tile.ptr<f32>>
)";

static std::string argMax(int m, int n, int axis) {
  std::string text = std::string(R"(
func.func @k(%x: !tile.ptr<f32>, %o: !tile.ptr<f32>, %i: !tile.ptr<i32>) attributes {tile.kernel} {
)") + kTile + R"(
  %r:2 = tile.reduce (%v, @SOURCE@) axis @AXIS@ : (tensor<@M@x@N@xf32>, tensor<@M@x@N@xi32>) -> (tensor<@R@xf32>, tensor<@R@xi32>) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %g = arith.cmpf ogt, %b, %a : f32
    %c = arith.select %g, %b, %a : f32
    %ci = arith.select %g, %bi, %ai : i32
    tile.yield %c, %ci : f32, i32
  }
  %ro = tile.range 0 to @R@ : tensor<@R@xi32>
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<@R@x!tile.ptr<f32>>
  %op = tile.addptr %os, %ro : tensor<@R@x!tile.ptr<f32>>, tensor<@R@xi32>
  tile.store %op, %r#0 : tensor<@R@x!tile.ptr<f32>>
  %is = tile.splat %i : !tile.ptr<i32> -> tensor<@R@x!tile.ptr<i32>>
  %ip = tile.addptr %is, %ro : tensor<@R@x!tile.ptr<i32>>, tensor<@R@xi32>
  tile.store %ip, %r#1 : tensor<@R@x!tile.ptr<i32>>
  return
}
)";
  return fill(text, {{"M", std::to_string(m)},
                     {"N", std::to_string(n)},
                     {"R", std::to_string(axis == 0 ? n : m)},
                     {"AXIS", std::to_string(axis)},
                     {"SOURCE", axis == 0 ? "%bm" : "%bn"}});
}

static std::string reduce(int m, int n, int axis, const char *op) {
  std::string text = std::string(R"(
func.func @k(%x: !tile.ptr<f32>, %o: !tile.ptr<f32>) attributes {tile.kernel} {
)") + kTile + R"(
  %r = tile.reduce (%v) axis @AXIS@ : (tensor<@M@x@N@xf32>) -> tensor<@R@xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = @OP@ %a, %b : f32
    tile.yield %c : f32
  }
  %ro = tile.range 0 to @R@ : tensor<@R@xi32>
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<@R@x!tile.ptr<f32>>
  %op = tile.addptr %os, %ro : tensor<@R@x!tile.ptr<f32>>, tensor<@R@xi32>
  tile.store %op, %r : tensor<@R@x!tile.ptr<f32>>
  return
}
)";
  return fill(text, {{"M", std::to_string(m)},
                     {"N", std::to_string(n)},
                     {"R", std::to_string(axis == 0 ? n : m)},
                     {"AXIS", std::to_string(axis)},
                     {"OP", op}});
}

class ReduceTest : public testing::TestWithParam<std::tuple<std::pair<int, int>, int>> {};

TEST_P(ReduceTest, SumAndMaximum) {
  auto [shape, axis] = GetParam();
  auto [m, n] = shape;
  Kernel sum(reduce(m, n, axis, "arith.addf")), maximum(reduce(m, n, axis, "arith.maximumf"));
  ASSERT_TRUE(sum.ok() && maximum.ok());
  auto x = randomFloats(m * n);
  int results = axis == 0 ? n : m, along = axis == 0 ? m : n;
  std::vector<float> sums(results), peaks(results);
  sum.run(Arguments().add(x.data()).add(sums.data()));
  x[0] = NAN; // maximumf keeps it
  maximum.run(Arguments().add(x.data()).add(peaks.data()));
  EXPECT_TRUE(std::isnan(peaks[0]));
  for (int r = 1; r < results; ++r) {
    double total = 0;
    float peak = -INFINITY;
    for (int i = 0; i < along; ++i) {
      float value = axis == 0 ? x[i * n + r] : x[r * n + i];
      total += value;
      peak = std::max(peak, value);
    }
    EXPECT_NEAR(sums[r], total, 1e-4) << r;
    EXPECT_EQ(peaks[r], peak) << r;
  }
}

TEST_P(ReduceTest, ArgMaxKeepsTheFirst) {
  auto [shape, axis] = GetParam();
  auto [m, n] = shape;
  Kernel kernel(argMax(m, n, axis));
  ASSERT_TRUE(kernel.ok());
  std::vector<float> x(m * n);
  for (int i = 0; i < m * n; ++i) {
    x[i] = float(i * 37 % 11); // many ties
  }
  int results = axis == 0 ? n : m, along = axis == 0 ? m : n;
  std::vector<float> values(results);
  std::vector<int> places(results);
  kernel.run(Arguments().add(x.data()).add(values.data()).add(places.data()));
  for (int r = 0; r < results; ++r) {
    int best = 0;
    auto at = [&](int i) { return axis == 0 ? x[i * n + r] : x[r * n + i]; };
    for (int i = 1; i < along; ++i) {
      best = at(i) > at(best) ? i : best;
    }
    EXPECT_EQ(places[r], best) << r;
    EXPECT_EQ(values[r], at(best)) << r;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ReduceTest,
                         testing::Combine(testing::Values(std::pair(16, 64), std::pair(64, 16),
                                                          std::pair(1, 32), std::pair(32, 1),
                                                          std::pair(48, 80), std::pair(3, 5)),
                                          testing::Values(0, 1)));

//===----------------------------------------------------------------------===//
// Loops that carry tiles
//===----------------------------------------------------------------------===//

static const char *kFibonacci = R"(
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %t: i32) attributes {tile.kernel} {
  %r0 = tile.range 0 to 64 : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r0 : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %r0 : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tile.load %xp : tensor<64x!tile.ptr<f32>>
  %b = tile.load %yp : tensor<64x!tile.ptr<f32>>
  %r:2 = scf.for %i = %c0 to %t step %c1 iter_args(%p = %a, %q = %b) -> (tensor<64xf32>, tensor<64xf32>) : i32 {
    %s = arith.addf %p, %q : tensor<64xf32>
    scf.yield %q, %s : tensor<64xf32>, tensor<64xf32>
  }
  tile.store %xp, %r#0 : tensor<64x!tile.ptr<f32>>
  tile.store %yp, %r#1 : tensor<64x!tile.ptr<f32>>
  return
}
)";

TEST(Carried, YieldsHappenAtOnce) {
  Kernel kernel(kFibonacci);
  ASSERT_TRUE(kernel.ok());
  for (int trips : {0, 1, 2, 7}) {
    auto x = randomFloats(64), y = randomFloats(64);
    auto p = x, q = y;
    kernel.run(Arguments().add(x.data()).add(y.data()).add(trips));
    for (int t = 0; t < trips; ++t) {
      for (int i = 0; i < 64; ++i) {
        float sum = p[i] + q[i];
        p[i] = q[i];
        q[i] = sum;
      }
    }
    EXPECT_EQ(x, p) << trips;
    EXPECT_EQ(y, q) << trips;
  }
}

static const char *kWhile = R"(
func.func @k(%x: !tile.ptr<f32>, %count: !tile.ptr<i32>, %limit: f32) attributes {tile.kernel} {
  %r0 = tile.range 0 to 32 : tensor<32xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r0 : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tile.load %xp : tensor<32x!tile.ptr<f32>>
  %r:2 = scf.while (%p = %a, %i = %c0) : (tensor<32xf32>, i32) -> (tensor<32xf32>, i32) {
    %s = tile.reduce (%p) axis 0 : (tensor<32xf32>) -> f32 {
    ^bb0(%u: f32, %v: f32):
      %w = arith.maximumf %u, %v : f32
      tile.yield %w : f32
    }
    %c = arith.cmpf olt, %s, %limit : f32
    scf.condition(%c) %p, %i : tensor<32xf32>, i32
  } do {
  ^bb0(%p: tensor<32xf32>, %i: i32):
    %odd = arith.andi %i, %c1 : i32
    %o = arith.cmpi eq, %odd, %c1 : i32
    %e = scf.if %o -> (tensor<32xf32>) {
      %k = arith.mulf %p, %p : tensor<32xf32>
      scf.yield %k : tensor<32xf32>
    } else {
      %d = arith.addf %p, %p : tensor<32xf32>
      scf.yield %d : tensor<32xf32>
    }
    %j = arith.addi %i, %c1 : i32
    scf.yield %e, %j : tensor<32xf32>, i32
  }
  tile.store %xp, %r#0 : tensor<32x!tile.ptr<f32>>
  tile.store %count, %r#1 : !tile.ptr<i32>
  return
}
)";

TEST(Carried, WhileAndIf) {
  Kernel kernel(kWhile);
  ASSERT_TRUE(kernel.ok());
  std::vector<float> x(32);
  for (int i = 0; i < 32; ++i) {
    x[i] = 1.0f + float(i) / 32;
  }
  auto want = x;
  int count = -1, wantCount = 0;
  kernel.run(Arguments().add(x.data()).add(&count).add(1000.0f));
  while (*std::max_element(want.begin(), want.end()) < 1000.0f) {
    for (float &value : want) {
      value = wantCount % 2 ? value * value : value + value;
    }
    ++wantCount;
  }
  EXPECT_EQ(count, wantCount);
  EXPECT_EQ(x, want);
}

// Masks and pointers that a loop carries, stores inside a branch that later
// loads of the same loop must see, and products of double width.
static const char *kMixed = R"(
func.func @k(%x: !tile.ptr<i32>, %o: !tile.ptr<i32>, %t: i32, %b: !tile.ptr<i1>) attributes {tile.kernel} {
  %xpr = tile.range 0 to 64 : tensor<64xi32>
  %xps = tile.splat %x : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %xp = tile.addptr %xps, %xpr : tensor<64x!tile.ptr<i32>>, tensor<64xi32>

  %opr = tile.range 0 to 64 : tensor<64xi32>
  %ops = tile.splat %o : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %op = tile.addptr %ops, %opr : tensor<64x!tile.ptr<i32>>, tensor<64xi32>

  %bpr = tile.range 0 to 64 : tensor<64xi32>
  %bps = tile.splat %b : !tile.ptr<i1> -> tensor<64x!tile.ptr<i1>>
  %bp = tile.addptr %bps, %bpr : tensor<64x!tile.ptr<i1>>, tensor<64xi32>

  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1> : tensor<64xi32>
  %v = tile.load %xp : tensor<64x!tile.ptr<i32>>
  %z = arith.constant dense<5> : tensor<64xi32>
  %m0 = arith.cmpi sgt, %v, %z : tensor<64xi32>
  %s0 = arith.constant dense<0> : tensor<64xi32>
  %r:3 = scf.for %i = %c0 to %t step %c1 iter_args(%m = %m0, %p = %xp, %s = %s0) -> (tensor<64xi1>, tensor<64x!tile.ptr<i32>>, tensor<64xi32>) : i32 {
    %w = tile.load %p mask %m other %one : tensor<64x!tile.ptr<i32>>
    %lo, %hi = arith.mului_extended %w, %w : tensor<64xi32>
    %s1 = arith.addi %s, %lo : tensor<64xi32>
    %s2 = arith.xori %s1, %hi : tensor<64xi32>
    %par = arith.andi %i, %c1 : i32
    %isodd = arith.cmpi eq, %par, %c1 : i32
    %s3 = scf.if %isodd -> (tensor<64xi32>) {
      %u = tile.load %xp : tensor<64x!tile.ptr<i32>>
      %q = arith.addi %s2, %u : tensor<64xi32>
      tile.store %xp, %q : tensor<64x!tile.ptr<i32>>
      %u2 = tile.load %xp : tensor<64x!tile.ptr<i32>>
      %q2 = arith.addi %u2, %u : tensor<64xi32>
      scf.yield %q2 : tensor<64xi32>
    } else {
      scf.yield %s2 : tensor<64xi32>
    }
    %bit = arith.andi %s3, %one : tensor<64xi32>
    %nm = arith.cmpi eq, %bit, %one : tensor<64xi32>
    %nm2 = arith.xori %nm, %m : tensor<64xi1>
    %step = arith.andi %w, %one : tensor<64xi32>
    %np = tile.addptr %p, %step : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
    scf.yield %nm2, %np, %s3 : tensor<64xi1>, tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  }
  tile.store %op, %r#2 : tensor<64x!tile.ptr<i32>>
  tile.store %bp, %r#0 : tensor<64x!tile.ptr<i1>>
  return
}
)";

TEST(Carried, MasksPointersAndStores) {
  Kernel kernel(kMixed);
  ASSERT_TRUE(kernel.ok());
  for (int trips : {0, 1, 2, 5}) {
    const int n = 64;
    std::vector<int> x(n + 8), out(n);
    for (int i = 0; i < n + 8; ++i) {
      x[i] = i * 7 % 11;
    }
    std::vector<int> want = x, sum(n, 0), place(n);
    std::vector<unsigned char> flags(n, 9), mask(n);
    for (int i = 0; i < n; ++i) {
      place[i] = i;
      mask[i] = x[i] > 5;
    }
    kernel.run(Arguments().add(x.data()).add(out.data()).add(trips).add(flags.data()));
    for (int t = 0; t < trips; ++t) {
      std::vector<int> old = want;
      for (int i = 0; i < n; ++i) {
        int loaded = mask[i] ? old[place[i]] : 1;
        uint64_t product = uint64_t(uint32_t(loaded)) * uint32_t(loaded);
        sum[i] = int(uint32_t(sum[i]) + uint32_t(product)) ^ int(product >> 32);
        if (t % 2) {
          int stored = int(uint32_t(sum[i]) + uint32_t(old[i]));
          want[i] = stored;
          sum[i] = int(uint32_t(stored) + uint32_t(old[i]));
        }
        mask[i] ^= sum[i] & 1;
        place[i] += loaded & 1;
      }
    }
    EXPECT_EQ(x, want) << trips;
    EXPECT_EQ(out, sum) << trips;
    EXPECT_EQ(flags, mask) << trips;
  }
}

//===----------------------------------------------------------------------===//
// dot
//===----------------------------------------------------------------------===//

static std::string dot(int m, int n, int k) {
  auto tile = [](const char *name, int rows, int columns) {
    std::string text = fill(kTile, {{"M", std::to_string(rows)}, {"N", std::to_string(columns)}});
    for (const char *value :
         {"rm", "rn", "em", "en", "bm", "bn", "width", "om", "off", "xs", "xp", "v"}) {
      std::string from = std::string("%") + value, to = "%" + std::string(name) + "_" + value;
      for (const char *end : {" ", ","}) {
        for (size_t at = 0; (at = text.find(from + end, at)) != std::string::npos;
             at += to.size()) {
          text.replace(at, from.size(), to);
        }
      }
    }
    return text.replace(text.find("%x :"), 2, std::string("%") + name);
  };
  std::string text = "func.func @k(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %c: !tile.ptr<f32>) "
                     "attributes {tile.kernel} {" +
                     tile("a", m, k) + tile("b", k, n) + tile("c", m, n) + R"(
  %d = tile.dot %a_v, %b_v, %c_v precision ieee : tensor<@M@x@K@xf32>, tensor<@K@x@N@xf32>, tensor<@M@x@N@xf32>
  tile.store %c_xp, %d : tensor<@M@x@N@x!tile.ptr<f32>>
  return
}
)";
  return fill(text, {{"M", std::to_string(m)}, {"N", std::to_string(n)}, {"K", std::to_string(k)}});
}

class DotTest : public testing::TestWithParam<std::tuple<const char *, std::array<int, 3>>> {};

TEST_P(DotTest, AddsTheProduct) {
  auto [arch, shape] = GetParam();
  auto [m, n, k] = shape;
  Kernel kernel(dot(m, n, k), arch);
  ASSERT_TRUE(kernel.ok());
  auto a = randomFloats(m * k), b = randomFloats(k * n), c = randomFloats(m * n);
  auto before = c;
  kernel.run(Arguments().add(a.data()).add(b.data()).add(c.data()));
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = before[i * n + j];
      for (int x = 0; x < k; ++x) {
        sum += double(a[i * k + x]) * b[x * n + j];
      }
      ASSERT_NEAR(c[i * n + j], sum, 1e-4) << i << ' ' << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, DotTest,
    testing::Combine(testing::Values("native", "x86-64-v3"),
                     testing::Values(std::array{1, 1, 1}, std::array{3, 5, 7},
                                     std::array{16, 16, 16}, std::array{17, 33, 9},
                                     std::array{64, 64, 32}, std::array{48, 80, 16})));

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

static std::string targetError(tegula::compiler::TargetSpec spec) {
  tegula::cpu::CpuBackend backend;
  mlir::DialectRegistry registry;
  backend.registerDialects(registry);
  mlir::MLIRContext context(registry);
  std::string message;
  mlir::Attribute target =
      backend.parseTarget(context, spec, [&](const llvm::Twine &text) { message = text.str(); });
  EXPECT_EQ(!target, !message.empty());
  return message;
}

TEST(Target, Accepts) {
  for (const char *arch : {"native", "x86-64", "x86-64-v4", "znver4"}) {
    tegula::compiler::TargetSpec spec;
    spec.arch = arch;
    spec.options = {{"threads", "4"}};
    EXPECT_EQ(targetError(spec), "") << arch;
  }
  tegula::compiler::TargetSpec arm;
  arm.arch = "neoverse-v1";
  arm.triple = "aarch64-linux-gnu";
  EXPECT_EQ(targetError(arm), "");
}

TEST(Target, SuggestsNames) {
  tegula::compiler::TargetSpec spec;
  spec.arch = "skylake-av512";
  EXPECT_NE(targetError(spec).find("did you mean 'skylake-avx512'?"), std::string::npos);
  spec.arch = "x86-64";
  spec.features = {"+avx512ff"};
  EXPECT_NE(targetError(spec).find("did you mean 'avx512f'?"), std::string::npos);
  spec.features = {"avx2"};
  EXPECT_NE(targetError(spec).find("expected a feature as '+name' or '-name'"), std::string::npos);
  spec.features.clear();
  spec.options = {{"threads", "-1"}};
  EXPECT_NE(targetError(spec).find("at least 0"), std::string::npos);
}

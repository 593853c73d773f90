//===- MathAccuracyTest.cpp - errors of the math expansions ---------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares each function with the C library at the next wider precision: f32
// against double, f64 against long double where that is wider.
//
//===----------------------------------------------------------------------===//

#include "MathFixture.h"

#include "gtest/gtest.h"
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace tegula::conversion;
using namespace tegula::conversion::test;

namespace {

/// The distance of `got` from `reference` in units of the last place of T.
template <typename T, typename Wide> double ulps(T got, Wide reference) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(reference) || std::isnan(got)) {
    return std::isnan(reference) && std::isnan(got) ? 0 : 1e9;
  }
  // Infinity counts as the number after the largest.
  const Wide beyond = std::ldexp(Wide(1), Limits::max_exponent);
  auto bounded = [&](Wide v) { return std::abs(v) > beyond ? std::copysign(beyond, v) : v; };
  Wide g = std::isinf(got) ? std::copysign(beyond, Wide(got)) : Wide(got);
  Wide r = bounded(reference);
  if (r == 0 && got == 0) {
    return std::signbit(r) == std::signbit(got) ? 0 : 1e9;
  }
  int exponent = r == 0 ? Limits::min_exponent - 1 : std::ilogb(std::abs(r));
  exponent = std::max(exponent, Limits::min_exponent - 1);
  exponent = std::min(exponent, Limits::max_exponent - 1);
  return double(std::abs(std::ldexp(g - r, Limits::digits - 1 - exponent)));
}

template <typename T> struct Bits;
template <> struct Bits<float> {
  using type = uint32_t;
};
template <> struct Bits<double> {
  using type = uint64_t;
};

/// Special values and their neighbours, boundaries of the expansions, then
/// random bits and random values of moderate size.
template <typename T> std::vector<T> inputs(size_t count, uint64_t seed) {
  using U = typename Bits<T>::type;
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (double v : {0.0,
                   1.0,
                   0.5,
                   2.0,
                   3.0,
                   4.0,
                   10.0,
                   0.625,
                   0.25,
                   0.75,
                   1.5,
                   2.5,
                   3.5,
                   88.7228,
                   89.0,
                   87.3365,
                   103.972,
                   104.0,
                   709.7827128933841,
                   745.1332191019412,
                   710.4758600739439,
                   1024.0,
                   1074.0,
                   126.0,
                   127.0,
                   128.0,
                   149.0,
                   150.0,
                   0.70710678118654752,
                   1.4142135623730951,
                   0.78539816339744831,
                   1.5707963267948966,
                   3.1415926535897931,
                   6.2831853071795862,
                   1e5,
                   1048576.0,
                   1e10,
                   1e22,
                   3e38,
                   0x1p23,
                   0x1p24,
                   0x1p52,
                   0x1p53,
                   0x1p62,
                   0x1p63,
                   0x1p100,
                   5.9,
                   6.0,
                   28.0,
                   22.0,
                   0x1p-24,
                   0x1p-53,
                   0x1p-60,
                   16367173.0 * 0x1p72,
                   6381956970095103.0 * 0x1p797}) {
    T center = T(v);
    for (T near :
         {center, std::nextafter(center, Limits::infinity()), std::nextafter(center, T(0))}) {
      values.push_back(near);
      values.push_back(-near);
    }
  }
  for (T v : {Limits::infinity(), Limits::quiet_NaN(), Limits::max(), Limits::min(),
              Limits::denorm_min(), T(Limits::min() / 3)}) {
    values.push_back(v);
    values.push_back(-v);
  }
  // Every exponent, with both signs and three mantissas.
  constexpr int mantissa = Limits::digits - 1;
  for (U e = 0; e < (U(1) << (sizeof(T) * 8 - mantissa)); ++e) {
    for (U m : {U(0), U(1) << (mantissa - 1), (U(1) << mantissa) - 1}) {
      values.push_back(std::bit_cast<T>(U((e << mantissa) | m)));
    }
  }
  std::mt19937_64 random(seed);
  while (values.size() < count) {
    values.push_back(std::bit_cast<T>(U(random())));
    double unit = double(random() >> 11) * 0x1p-53;
    values.push_back(T((unit - 0.5) * 40));
    values.push_back(T((unit - 0.5) * 4));
    values.push_back(T((unit - 0.5) * (sizeof(T) == 4 ? 220 : 1600)));
  }
  while (values.size() % 16) {
    values.push_back(T(1));
  }
  return values;
}

template <typename T> const char *typeName() { return sizeof(T) == 4 ? "f32" : "f64"; }

struct Function {
  const char *op;
  double (*f32)(double);
  long double (*f64)(long double);
  double bound32, bound64;
};

void PrintTo(const Function &function, std::ostream *out) { *out << function.op; }

double rsqrtF32(double x) { return 1 / std::sqrt(x); }
long double rsqrtF64(long double x) { return 1 / std::sqrt(x); }

#define BOTH(NAME) [](double x) { return NAME(x); }, [](long double x) { return NAME##l(x); }
const Function kFunctions[] = {
    {"exp", BOTH(exp), 1.5, 1.5},     {"exp2", BOTH(exp2), 1.5, 1.5},
    {"expm1", BOTH(expm1), 1.0, 3.0}, {"log", BOTH(log), 1.6, 1.5},
    {"log2", BOTH(log2), 1.6, 2.0},   {"log10", BOTH(log10), 2.0, 2.0},
    {"log1p", BOTH(log1p), 1.0, 3.0}, {"sin", BOTH(sin), 1.7, 1.5},
    {"cos", BOTH(cos), 1.7, 1.5},     {"tan", BOTH(tan), 1.0, 3.5},
    {"tanh", BOTH(tanh), 2.0, 4.0},   {"erf", BOTH(erf), 2.0, 2.0},
    {"erfc", BOTH(erfc), 1.0, 4.0},   {"rsqrt", rsqrtF32, rsqrtF64, 1.6, 1.6},
    {"cbrt", BOTH(cbrt), 1.0, 1.0},   {"atan", BOTH(atan), 1.0, 2.0},
    {"asin", BOTH(asin), 1.0, 3.0},   {"acos", BOTH(acos), 1.0, 3.0},
    {"sinh", BOTH(sinh), 1.0, 4.0},   {"cosh", BOTH(cosh), 1.0, 3.0},
    {"asinh", BOTH(asinh), 1.0, 4.0}, {"acosh", BOTH(acosh), 1.0, 4.0},
    {"atanh", BOTH(atanh), 1.0, 4.0}, {"floor", BOTH(floor), 0, 0},
    {"ceil", BOTH(ceil), 0, 0},       {"trunc", BOTH(trunc), 0, 0},
    {"round", BOTH(round), 0, 0},     {"roundeven", BOTH(roundeven), 0, 0},
};
#undef BOTH

struct Worst {
  double error = -1;
  std::string where;
};

template <typename T> void note(Worst &worst, double error, T a, T b, T got, long double want) {
  if (error > worst.error) {
    char text[200];
    std::snprintf(text, sizeof text, "(%a, %a): got %a, want %La", double(a), double(b),
                  double(got), want);
    worst = {error, text};
  }
}

template <typename T>
void checkUnary(const Function &function, const MathOptions &options, size_t count) {
  std::string error;
  Kernel::Spec spec;
  spec.inType = spec.outType = typeName<T>();
  spec.body = std::string("%r = math.") + function.op + " %a : vector<16x" + spec.inType + ">";
  spec.options = options;
  std::unique_ptr<Kernel> kernel = Kernel::compile(spec, error);
  ASSERT_TRUE(kernel) << error;
  std::vector<T> in = inputs<T>(count, 1);
  std::vector<T> out(in.size());
  kernel->run(in.data(), in.data(), in.data(), out.data(), in.size());
  Worst worst;
  for (size_t i = 0; i < in.size(); ++i) {
    if constexpr (sizeof(T) == 4) {
      double want = function.f32(in[i]);
      note(worst, ulps(out[i], want), in[i], in[i], out[i], want);
    } else {
      long double want = function.f64(in[i]);
      note(worst, ulps(out[i], want), in[i], in[i], out[i], want);
    }
  }
  double bound = sizeof(T) == 4 ? function.bound32 : function.bound64;
  EXPECT_LE(worst.error, bound) << function.op << " " << worst.where;
  testing::Test::RecordProperty(std::string("ulp_") + typeName<T>() +
                                    (options.hasFma ? "_fma" : ""),
                                std::to_string(worst.error));
}

class Unary : public testing::TestWithParam<Function> {};

TEST_P(Unary, F32) {
  checkUnary<float>(GetParam(), nativeOptions(), 120000);
  checkUnary<float>(GetParam(), baselineOptions(), 60000);
}

TEST_P(Unary, F64) {
  checkUnary<double>(GetParam(), nativeOptions(), 60000);
  checkUnary<double>(GetParam(), baselineOptions(), 40000);
}

/// All f32 arguments; minutes per function, so only by hand:
/// --gtest_also_run_disabled_tests --gtest_filter='*Unary.DISABLED_*'
TEST_P(Unary, DISABLED_AllF32) {
  const Function &function = GetParam();
  std::string error;
  Kernel::Spec spec;
  spec.body = std::string("%r = math.") + function.op + " %a : vector<16xf32>";
  spec.options = nativeOptions();
  std::unique_ptr<Kernel> kernel = Kernel::compile(spec, error);
  ASSERT_TRUE(kernel) << error;
  Worst worst;
  constexpr uint64_t chunk = 1 << 16;
  std::vector<float> in(chunk), out(chunk);
  for (uint64_t base = 0; base < (uint64_t(1) << 32); base += chunk) {
    for (uint64_t i = 0; i < chunk; ++i) {
      in[i] = std::bit_cast<float>(uint32_t(base + i));
    }
    kernel->run(in.data(), in.data(), in.data(), out.data(), chunk);
    for (uint64_t i = 0; i < chunk; ++i) {
      double want = function.f32(in[i]);
      note(worst, ulps(out[i], want), in[i], in[i], out[i], want);
    }
  }
  EXPECT_LE(worst.error, function.bound32) << worst.where;
  std::printf("  %-10s all f32: %.3f ulp %s\n", function.op, worst.error, worst.where.c_str());
}

INSTANTIATE_TEST_SUITE_P(Math, Unary, testing::ValuesIn(kFunctions),
                         [](const auto &info) { return std::string(info.param.op); });

//===----------------------------------------------------------------------===//
// Two and three arguments
//===----------------------------------------------------------------------===//

/// Pairs: all special pairs, then random ones, some close to each other.
template <typename T> void pairs(size_t count, std::vector<T> &a, std::vector<T> &b) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> special;
  for (double v : {0.0, 1.0, 0.5, 2.0, 3.0, 1.5, 1e9, 16777217.0, 0x1p53, 1e30, 1e-30}) {
    special.push_back(T(v));
  }
  for (T v : {Limits::infinity(), Limits::quiet_NaN(), Limits::max(), Limits::min(),
              Limits::denorm_min(), std::nextafter(T(1), T(0)), std::nextafter(T(1), T(2))}) {
    special.push_back(v);
  }
  for (T x : special) {
    for (T y : special) {
      for (int signs = 0; signs < 4; ++signs) {
        a.push_back(signs & 1 ? -x : x);
        b.push_back(signs & 2 ? -y : y);
      }
    }
  }
  std::mt19937_64 random(7);
  std::vector<T> first = inputs<T>(count, 2);
  std::shuffle(first.begin(), first.end(), random);
  std::vector<T> second = first;
  std::shuffle(second.begin(), second.end(), random);
  for (size_t i = 0; i < first.size(); ++i) {
    a.push_back(first[i]);
    b.push_back(second[i]);
    // A base near one and an exponent that keeps the power in range.
    double unit = double(random() >> 11) * 0x1p-53, other = double(random() >> 11) * 0x1p-53;
    double x = std::exp((unit - 0.5) * std::pow(2.0, std::floor(other * 12) - 6));
    a.push_back(T(x));
    b.push_back(T((other - 0.5) * 2 * (sizeof(T) == 4 ? 100 : 740) / std::log(x)));
  }
  while (a.size() % 16) {
    a.push_back(T(1));
    b.push_back(T(1));
  }
}

template <typename T, typename Reference>
void checkBinary(const char *op, const MathOptions &options, double bound, size_t count,
                 Reference reference) {
  std::string error;
  Kernel::Spec spec;
  spec.inType = spec.outType = typeName<T>();
  spec.body = std::string("%r = ") + op + " %a, %b : vector<16x" + spec.inType + ">";
  spec.options = options;
  std::unique_ptr<Kernel> kernel = Kernel::compile(spec, error);
  ASSERT_TRUE(kernel) << error;
  std::vector<T> a, b;
  pairs<T>(count, a, b);
  std::vector<T> out(a.size());
  kernel->run(a.data(), b.data(), a.data(), out.data(), a.size());
  Worst worst;
  for (size_t i = 0; i < a.size(); ++i) {
    auto want = reference(a[i], b[i]);
    note(worst, ulps(out[i], want), a[i], b[i], out[i], want);
  }
  EXPECT_LE(worst.error, bound) << op << " " << worst.where;
  testing::Test::RecordProperty(std::string("ulp_") + typeName<T>() +
                                    (options.hasFma ? "_fma" : ""),
                                std::to_string(worst.error));
}

TEST(Binary, Pow) {
  auto narrow = [](float x, float y) { return std::pow(double(x), double(y)); };
  auto wide = [](double x, double y) { return std::pow((long double)x, (long double)y); };
  checkBinary<float>("math.powf", nativeOptions(), 1.0, 100000, narrow);
  checkBinary<float>("math.powf", baselineOptions(), 1.0, 50000, narrow);
  checkBinary<double>("math.powf", nativeOptions(), 2.0, 100000, wide);
  checkBinary<double>("math.powf", baselineOptions(), 2.0, 50000, wide);
}

TEST(Binary, Atan2) {
  auto narrow = [](float x, float y) { return std::atan2(double(x), double(y)); };
  auto wide = [](double x, double y) { return std::atan2((long double)x, (long double)y); };
  checkBinary<float>("math.atan2", nativeOptions(), 1.0, 50000, narrow);
  checkBinary<double>("math.atan2", nativeOptions(), 3.0, 50000, wide);
  checkBinary<double>("math.atan2", baselineOptions(), 3.0, 50000, wide);
}

TEST(Binary, Remainder) {
  auto narrow = [](float x, float y) { return std::fmod(x, y); };
  auto wide = [](double x, double y) { return std::fmod(x, y); };
  checkBinary<float>("arith.remf", nativeOptions(), 0, 50000, narrow);
  checkBinary<float>("arith.remf", baselineOptions(), 0, 20000, narrow);
  checkBinary<double>("arith.remf", nativeOptions(), 0, 20000, wide);
  checkBinary<double>("arith.remf", baselineOptions(), 0, 20000, wide);
}

template <typename T> void checkFma() {
  std::string error;
  Kernel::Spec spec;
  spec.inType = spec.outType = typeName<T>();
  spec.body = "%r = math.fma %a, %b, %c : vector<16x" + spec.inType + ">";
  spec.options = baselineOptions();
  std::unique_ptr<Kernel> kernel = Kernel::compile(spec, error);
  ASSERT_TRUE(kernel) << error;
  std::vector<T> a, b, c;
  pairs<T>(60000, a, b);
  // Addends that nearly cancel the product, that are far away, and random ones.
  std::mt19937_64 random(3);
  for (size_t i = 0; i < a.size(); ++i) {
    T product = a[i] * b[i];
    switch (random() % 4) {
    case 0:
      c.push_back(-product);
      break;
    case 1:
      c.push_back(std::ldexp(-product, int(random() % 120) - 60));
      break;
    case 2:
      c.push_back(std::nextafter(-product, T(0)));
      break;
    default:
      c.push_back(a[random() % a.size()]);
    }
  }
  std::vector<T> out(a.size());
  kernel->run(a.data(), b.data(), c.data(), out.data(), a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    T want = std::fma(a[i], b[i], c[i]);
    bool same = std::isnan(want) ? std::isnan(out[i]) : std::memcmp(&want, &out[i], sizeof(T)) == 0;
    ASSERT_TRUE(same) << std::hexfloat << a[i] << " * " << b[i] << " + " << c[i] << " = " << want
                      << ", got " << out[i];
  }
}

TEST(Ternary, FmaWithoutInstruction) {
  checkFma<float>();
  checkFma<double>();
}

TEST(Classes, InfiniteAndFinite) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> in(16, 1.0f);
  in[0] = inf, in[1] = -inf, in[2] = nan, in[3] = std::numeric_limits<float>::max(), in[4] = 0.0f;
  std::vector<int32_t> out(16);
  for (const char *op : {"isinf", "isfinite"}) {
    Kernel::Spec spec;
    spec.outType = "i32";
    spec.body = std::string("%t = math.") + op +
                " %a : vector<16xf32>\n%r = arith.extui %t : vector<16xi1> to vector<16xi32>";
    std::string error;
    auto kernel = Kernel::compile(spec, error);
    ASSERT_TRUE(kernel) << error;
    kernel->run(in.data(), in.data(), in.data(), out.data(), 16);
    for (int i = 0; i < 16; ++i) {
      bool want = op[2] == 'i' ? std::isinf(in[i]) : std::isfinite(in[i]);
      EXPECT_EQ(out[i], int(want)) << op << " " << in[i];
    }
  }
}

TEST(Integer, Powers) {
  std::string error;
  Kernel::Spec spec;
  spec.secondType = "i32";
  spec.body = "%r = math.fpowi %a, %b : vector<16xf32>, vector<16xi32>";
  spec.options = nativeOptions();
  std::unique_ptr<Kernel> kernel = Kernel::compile(spec, error);
  ASSERT_TRUE(kernel) << error;
  spec.inType = spec.outType = "i32";
  spec.secondType.clear();
  spec.body = "%r = math.ipowi %a, %b : vector<16xi32>";
  std::unique_ptr<Kernel> integers = Kernel::compile(spec, error);
  ASSERT_TRUE(integers) << error;
  std::vector<float> x;
  std::vector<int32_t> bases, n;
  for (int base = -6; base <= 6; ++base) {
    for (int power = -10; power <= 13; ++power) {
      if (base == 0 && power < 0) {
        continue;
      }
      x.push_back(float(base) * 0.75f);
      bases.push_back(base);
      n.push_back(power);
    }
  }
  while (x.size() % 16) {
    x.push_back(2);
    bases.push_back(2);
    n.push_back(2147483647 - int(x.size() % 2));
  }
  std::vector<float> out(x.size());
  std::vector<int32_t> outInt(x.size());
  kernel->run(x.data(), n.data(), x.data(), out.data(), x.size());
  integers->run(bases.data(), n.data(), bases.data(), outInt.data(), x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_LE(ulps(out[i], std::pow(double(x[i]), double(n[i]))), 1.0) << x[i] << "^" << n[i];
    if (n[i] < 100) {
      int64_t want = 1;
      for (int k = 0; k < n[i]; ++k) {
        want *= bases[i];
      }
      if (n[i] < 0) {
        want = bases[i] == 1 ? 1 : bases[i] == -1 ? (n[i] % 2 ? -1 : 1) : 0;
      }
      EXPECT_EQ(outInt[i], int32_t(want)) << bases[i] << "^" << n[i];
    }
  }
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

TEST(Shapes, SineAndCosineTogether) {
  std::string error;
  Kernel::Spec spec;
  spec.body = "%s = math.sin %a : vector<16xf32>\n    %c2 = math.cos %a : vector<16xf32>\n"
              "    %r = arith.subf %s, %c2 : vector<16xf32>";
  spec.options = nativeOptions();
  std::unique_ptr<Kernel> kernel = Kernel::compile(spec, error);
  ASSERT_TRUE(kernel) << error;
  std::vector<float> in(16), out(16);
  for (int i = 0; i < 16; ++i) {
    in[i] = float(i) * 0.7f;
  }
  kernel->run(in.data(), in.data(), in.data(), out.data(), 16);
  for (int i = 0; i < 16; ++i) {
    EXPECT_NEAR(out[i], std::sin(in[i]) - std::cos(in[i]), 3e-7f);
  }
}

TEST(Shapes, ScalarsAndMatrices) {
  // The huge argument takes the rare branch in one lane only.
  std::vector<float> in = {0.5f, -2.0f, 1e30f, 3.0f, 4.0f, 5.0f, 6.0f, 1e10f};
  struct Shape {
    const char *shape;
    int64_t lanes;
  };
  for (Shape shape :
       {Shape{"", 1}, Shape{"1", 1}, Shape{"8", 8}, Shape{"2x4", 8}, Shape{"2x2x2", 8}}) {
    for (const MathOptions &options : {nativeOptions(), baselineOptions()}) {
      std::string error;
      Kernel::Spec spec;
      spec.shape = shape.shape;
      spec.lanes = shape.lanes;
      spec.options = options;
      std::string type = spec.shape.empty() ? "f32" : "vector<" + spec.shape + "xf32>";
      spec.body = "%s = math.sin %a : " + type + "\n    %m = arith.remf %a, %s : " + type +
                  "\n    %r = math.exp %m : " + type;
      std::unique_ptr<Kernel> kernel = Kernel::compile(spec, error);
      ASSERT_TRUE(kernel) << shape.shape << ": " << error;
      std::vector<float> out(8);
      kernel->run(in.data(), in.data(), in.data(), out.data(), 8);
      for (int i = 0; i < 8; ++i) {
        EXPECT_LE(std::abs(out[i] - std::exp(std::fmod(in[i], std::sin(in[i])))), 2.5f)
            << shape.shape;
        EXPECT_TRUE(std::isfinite(out[i]));
      }
    }
  }
}

} // namespace

//===- FloatFormatsTest.cpp - conversions of narrow floats ----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares with a model of each format that counts in units of the last place
// with exact arithmetic on doubles.
//
//===----------------------------------------------------------------------===//

#include "tegula/Conversion/Math/FloatFormats.h"
#include "MathFixture.h"

#include "gtest/gtest.h"
#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace tegula::conversion;
using namespace tegula::conversion::test;
using mlir::arith::RoundingMode;

namespace {

struct Model {
  const char *name;
  int width, mantissa, bias;
  double largest;
  bool hasInfinity;
  bool hasNan;
  bool unsignedZero;
  bool saturates;
  std::optional<Fp8Kind> kind;

  double decode(uint32_t code) const {
    uint32_t magnitude = code & ((1u << (width - 1)) - 1);
    double sign = code >> (width - 1) ? -1 : 1;
    int exponent = magnitude >> mantissa;
    double fraction = std::ldexp(double(magnitude & ((1u << mantissa) - 1)), -mantissa);
    double value =
        exponent ? std::ldexp(1 + fraction, exponent - bias) : std::ldexp(fraction, 1 - bias);
    if (unsignedZero && magnitude == 0 && sign < 0) {
      return std::nan("");
    }
    if (value > largest) {
      return hasInfinity && fraction == 0 ? sign * INFINITY : std::copysign(NAN, sign);
    }
    return sign * value;
  }

  double round(double x, RoundingMode mode) const {
    if (std::isnan(x)) {
      // Without NaN the largest value stands in, with the sign.
      return hasNan ? x : std::copysign(largest, x);
    }
    double overflow = saturates ? largest : hasInfinity ? INFINITY : std::nan("");
    if (std::isinf(x)) {
      return std::copysign(overflow, x);
    }
    int exponent = x == 0 ? 1 - bias : std::max(std::ilogb(x), 1 - bias);
    // Exact: a multiplication by a power of two, in a range without underflow.
    double scaled = std::ldexp(x, mantissa - exponent);
    double whole = 0;
    switch (mode) {
    case RoundingMode::to_nearest_even:
      whole = std::nearbyint(scaled);
      break;
    case RoundingMode::to_nearest_away:
      whole = std::round(scaled);
      break;
    case RoundingMode::toward_zero:
      whole = std::trunc(scaled);
      break;
    case RoundingMode::upward:
      whole = std::ceil(scaled);
      break;
    case RoundingMode::downward:
      whole = std::floor(scaled);
      break;
    }
    double result = std::ldexp(whole, exponent - mantissa);
    if (std::abs(result) > largest) {
      bool stops = mode == RoundingMode::toward_zero || (mode == RoundingMode::upward && x < 0) ||
                   (mode == RoundingMode::downward && x > 0);
      return std::copysign(stops ? largest : overflow, x);
    }
    result = std::copysign(result, x);
    return unsignedZero && result == 0 ? 0.0 : result;
  }
};

const Model kF16 = {"f16", 16, 10, 15, 65504, true, true, false, false, std::nullopt};
const Model kBF16 = {"bf16", 16, 7, 127, 0x1.fep127, true, true, false, false, std::nullopt};
const Model kFp8[] = {
    {"e4m3fn", 8, 3, 7, 448, false, true, false, true, Fp8Kind::E4M3FN},
    {"e5m2", 8, 2, 15, 57344, true, true, false, true, Fp8Kind::E5M2},
    {"e4m3fnuz", 8, 3, 8, 240, false, true, true, true, Fp8Kind::E4M3FNUZ},
    {"e5m2fnuz", 8, 2, 16, 57344, false, true, true, true, Fp8Kind::E5M2FNUZ},
    {"e4b15", 8, 3, 15, 1.875, false, false, false, true, Fp8Kind::E4B15},
};
const RoundingMode kModes[] = {RoundingMode::to_nearest_even, RoundingMode::toward_zero,
                               RoundingMode::downward, RoundingMode::upward,
                               RoundingMode::to_nearest_away};

bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

/// All values of the format, the midpoints to the next, and neighbours of both;
/// special values; random bits.
template <typename T> std::vector<T> narrowingInputs(const Model &model, size_t stride) {
  std::vector<T> values;
  for (uint32_t code = 0; code < (1u << (model.width - 1)); code += stride) {
    double here = model.decode(code), next = model.decode(code + 1);
    for (double v : {here, (here + next) / 2, here + (next - here) / 4}) {
      for (T near : {T(v), std::nextafter(T(v), T(0)), std::nextafter(T(v), T(INFINITY))}) {
        values.push_back(near);
        values.push_back(-near);
      }
    }
  }
  using Limits = std::numeric_limits<T>;
  for (T v : {Limits::max(), Limits::infinity(), Limits::quiet_NaN(), Limits::denorm_min(),
              Limits::min(), T(model.largest), std::nextafter(T(model.largest), T(INFINITY))}) {
    values.push_back(v);
    values.push_back(-v);
  }
  std::mt19937_64 random(5);
  for (int i = 0; i < 40000; ++i) {
    if constexpr (sizeof(T) == 4) {
      values.push_back(std::bit_cast<float>(uint32_t(random())));
    } else {
      // Random doubles hardly ever hit the range of the format.
      double unit = double(random() >> 11) * 0x1p-53 + 1;
      values.push_back(std::ldexp(unit, int(random() % 320) - 160));
      values.push_back(std::bit_cast<double>(random()));
    }
  }
  while (values.size() % 16) {
    values.push_back(T(1));
  }
  return values;
}

template <typename T>
void checkNarrowing(const Model &model, Kernel::Spec spec, RoundingMode mode, size_t stride = 1) {
  std::string error;
  spec.inType = sizeof(T) == 4 ? "f32" : "f64";
  std::unique_ptr<Kernel> kernel = Kernel::compile(spec, error);
  ASSERT_TRUE(kernel) << model.name << ": " << error;
  std::vector<T> in = narrowingInputs<T>(model, stride);
  std::vector<uint8_t> bytes(in.size() * 2);
  kernel->run(in.data(), in.data(), in.data(), bytes.data(), in.size());
  int failures = 0;
  for (size_t i = 0; i < in.size() && failures < 5; ++i) {
    uint32_t code = model.width == 8 ? bytes[i] : reinterpret_cast<uint16_t *>(bytes.data())[i];
    double want = model.round(in[i], mode), got = model.decode(code);
    if (!same(got, want)) {
      ++failures;
      ADD_FAILURE() << model.name << " mode " << int(mode) << std::hexfloat << ": " << in[i]
                    << " gives " << got << " (code " << code << "), want " << want;
    }
  }
}

//===----------------------------------------------------------------------===//
// 16 bits
//===----------------------------------------------------------------------===//

class Half : public testing::TestWithParam<const Model *> {};

TEST_P(Half, WidensAllValues) {
  const Model &model = *GetParam();
  std::vector<uint16_t> in(65536);
  for (int i = 0; i < 65536; ++i) {
    in[i] = i;
  }
  for (const MathOptions &options : {baselineOptions(), nativeOptions()}) {
    for (bool wide : {false, true}) {
      std::string error, target = wide ? "f64" : "f32";
      Kernel::Spec spec;
      spec.inType = model.name;
      spec.outType = target;
      spec.options = options;
      spec.body =
          "%r = arith.extf %a : vector<16x" + spec.inType + "> to vector<16x" + target + ">";
      std::unique_ptr<Kernel> kernel = Kernel::compile(spec, error);
      ASSERT_TRUE(kernel) << error;
      std::vector<double> out(65536);
      kernel->run(in.data(), in.data(), in.data(), out.data(), 65536);
      for (int i = 0; i < 65536; ++i) {
        double got = wide ? out[i] : reinterpret_cast<float *>(out.data())[i];
        ASSERT_TRUE(same(got, model.decode(i))) << i << " gives " << got;
        if (!wide && std::isnan(got)) {
          // Sign and payload stay; a signalling NaN may become quiet.
          uint32_t bits = reinterpret_cast<uint32_t *>(out.data())[i];
          uint32_t payload = uint32_t(i & ((1 << (model.mantissa - 1)) - 1));
          ASSERT_EQ(bits >> 31, uint32_t(i >> 15));
          ASSERT_EQ((bits & 0x3fffff) >> (23 - model.mantissa), payload) << i;
        }
      }
    }
  }
}

TEST_P(Half, NarrowsInAllModes) {
  const Model &model = *GetParam();
  const char *names[] = {"to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away"};
  for (const MathOptions &options : {baselineOptions(), nativeOptions()}) {
    for (RoundingMode mode : kModes) {
      Kernel::Spec spec;
      spec.outType = model.name;
      spec.options = options;
      std::string attribute = mode == RoundingMode::to_nearest_even ? "" : names[int(mode)];
      auto body = [&](const std::string &from) {
        return "%r = arith.truncf %a " + attribute + " : vector<16x" + from + "> to vector<16x" +
               spec.outType + ">";
      };
      spec.body = body("f32");
      checkNarrowing<float>(model, spec, mode);
      spec.body = body("f64");
      checkNarrowing<double>(model, spec, mode, 7);
    }
  }
}

TEST_P(Half, NarrowingKeepsNanPayloads) {
  const Model &model = *GetParam();
  Kernel::Spec spec;
  spec.outType = model.name;
  spec.body = "%r = arith.truncf %a : vector<16xf32> to vector<16x" + spec.outType + ">";
  std::string error;
  std::unique_ptr<Kernel> kernel = Kernel::compile(spec, error);
  ASSERT_TRUE(kernel) << error;
  std::vector<uint32_t> in(16);
  std::vector<uint16_t> out(16);
  for (int i = 0; i < 16; ++i) {
    in[i] = (i & 1 ? 0xff800000u : 0x7f800000u) | (0x123456u * i & 0x7fffff) | 1;
  }
  kernel->run(in.data(), in.data(), in.data(), out.data(), 16);
  for (int i = 0; i < 16; ++i) {
    uint32_t top = (in[i] & 0x7fffff) >> (23 - model.mantissa);
    uint32_t want = (in[i] >> 31 << 15) | (0x7fff & ~((1u << model.mantissa) - 1)) | top |
                    (1u << (model.mantissa - 1));
    EXPECT_EQ(out[i], want) << std::hex << in[i];
  }
}

TEST_P(Half, ArithmeticRoundsOnce) {
  const Model &model = *GetParam();
  std::string type = std::string("vector<16x") + model.name + ">";
  std::mt19937 random(11);
  std::vector<uint16_t> a(1 << 15), b(a.size()), c(a.size()), out(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = random();
    b[i] = i % 4 ? uint16_t(a[i] ^ (random() & 0x8fff)) : uint16_t(random());
    c[i] = random();
  }
  struct Case {
    const char *op;
    double (*reference)(double, double);
  };
  for (Case test :
       {Case{"arith.addf %a, %b", [](double x, double y) { return x + y; }},
        Case{"arith.subf %a, %b", [](double x, double y) { return x - y; }},
        Case{"arith.mulf %a, %b", [](double x, double y) { return x * y; }},
        Case{"arith.divf %a, %b", [](double x, double y) { return x / y; }},
        Case{"math.sqrt %a", [](double x, double) { return std::sqrt(x); }},
        Case{"math.absf %a", [](double x, double) { return std::abs(x); }},
        Case{"math.copysign %a, %b", [](double x, double y) { return std::copysign(x, y); }},
        Case{"arith.negf %a", [](double x, double) { return -x; }},
        Case{"arith.remf %a, %b", [](double x, double y) { return std::fmod(x, y); }},
        Case{"math.floor %a", [](double x, double) { return std::floor(x); }}}) {
    for (const MathOptions &options : {baselineOptions(), nativeOptions()}) {
      std::string error;
      Kernel::Spec spec;
      spec.inType = spec.outType = model.name;
      spec.options = options;
      spec.body = std::string("%r = ") + test.op + " : " + type;
      std::unique_ptr<Kernel> kernel = Kernel::compile(spec, error);
      ASSERT_TRUE(kernel) << test.op << error;
      kernel->run(a.data(), b.data(), c.data(), out.data(), a.size());
      for (size_t i = 0; i < a.size(); ++i) {
        // A double result is not exact for division, but far from ties.
        double x = model.decode(a[i]), y = model.decode(b[i]);
        double want = model.round(test.reference(x, y), RoundingMode::to_nearest_even);
        ASSERT_TRUE(same(model.decode(out[i]), want))
            << model.name << " " << test.op << " " << x << " " << y << " gives "
            << model.decode(out[i]) << ", want " << want;
      }
    }
  }
}

TEST_P(Half, ComparesAndConvertsIntegers) {
  const Model &model = *GetParam();
  std::string error, name = model.name;
  Kernel::Spec spec;
  spec.inType = name;
  spec.outType = "i32";
  spec.body = "%p = arith.cmpf olt, %a, %b : vector<16x" + name +
              ">\n    %n2 = arith.fptosi %a : " + "vector<16x" + name +
              "> to vector<16xi32>\n    %z = arith.constant dense<-7> : " +
              "vector<16xi32>\n    %r = arith.select %p, %n2, %z : vector<16xi1>, vector<16xi32>";
  std::unique_ptr<Kernel> kernel = Kernel::compile(spec, error);
  ASSERT_TRUE(kernel) << error;
  std::vector<uint16_t> a(4096), b(4096);
  std::vector<int32_t> out(4096);
  for (int i = 0; i < 4096; ++i) {
    a[i] = uint16_t((i % 2) << 15 | (model.bias - 3 + i % 11) << model.mantissa | i % 97);
    b[i] = uint16_t(i * 1237);
  }
  kernel->run(a.data(), b.data(), a.data(), out.data(), 4096);
  for (int i = 0; i < 4096; ++i) {
    double x = model.decode(a[i]), y = model.decode(b[i]);
    ASSERT_EQ(out[i], x < y ? int(x) : -7) << x << " " << y;
  }

  std::mt19937_64 random(13);
  std::vector<int64_t> wide(65536);
  for (int64_t &v : wide) {
    v = int64_t(random()) >> (random() % 64);
    if (random() % 2) {
      // A tie, or just beside one.
      v = (v & ~0xffffffffffll) + (int64_t(1) << (random() % 40)) + int64_t(random() % 3) - 1;
    }
  }
  std::vector<uint16_t> narrow(wide.size());
  for (const char *op : {"sitofp", "uitofp"}) {
    spec.inType = "i64";
    spec.outType = name;
    spec.body = std::string("%r = arith.") + op + " %a : vector<16xi64> to vector<16x" + name + ">";
    kernel = Kernel::compile(spec, error);
    ASSERT_TRUE(kernel) << error;
    kernel->run(wide.data(), wide.data(), wide.data(), narrow.data(), wide.size());
    for (size_t i = 0; i < wide.size(); ++i) {
      // Round by integers: to odd in 53 bits, which double then holds.
      bool negative = op[0] == 's' && wide[i] < 0;
      uint64_t magnitude = negative ? 0 - uint64_t(wide[i]) : uint64_t(wide[i]);
      int excess = std::max(0, 11 - std::countl_zero(magnitude | 1));
      uint64_t lost = magnitude & ((uint64_t(1) << excess) - 1);
      magnitude = (magnitude >> excess | (lost != 0)) << excess;
      double x = negative ? -double(magnitude) : double(magnitude);
      ASSERT_TRUE(same(model.decode(narrow[i]), model.round(x, RoundingMode::to_nearest_even)))
          << op << " " << wide[i] << " gives " << model.decode(narrow[i]);
    }
  }
}

TEST_P(Half, FmaRoundsOnce) {
  // The product lies in the middle of two numbers; an addend that f32 would lose decides.
  bool isF16 = std::string(GetParam()->name) == "f16";
  const uint16_t one = isF16 ? 0x3c00 : 0x3f80, half = isF16 ? 0x0200 : 0x0040;
  std::vector<uint16_t> a(16, one + 1), b(16, 0x8000 | one | half), c(16, 0x0001), out(16);
  c[1] = 0x8001;
  c[2] = 0;
  Kernel::Spec spec;
  spec.inType = spec.outType = GetParam()->name;
  spec.body = "%r = math.fma %a, %b, %c : vector<16x" + spec.inType + ">";
  std::string error;
  auto kernel = Kernel::compile(spec, error);
  ASSERT_TRUE(kernel) << error;
  kernel->run(a.data(), b.data(), c.data(), out.data(), 16);
  const uint16_t product = 0x8000 | one | half;
  EXPECT_EQ(out[0], product + 1);
  EXPECT_EQ(out[1], product + 2);
  EXPECT_EQ(out[2], product + 2);
}

INSTANTIATE_TEST_SUITE_P(Formats, Half, testing::Values(&kF16, &kBF16),
                         [](const auto &info) { return std::string(info.param->name); });

TEST(Double, NarrowsToF32InAllModes) {
  const Model f32 = {"f32", 32, 23, 127, 0x1.fffffep127, true, true, false, false, std::nullopt};
  const char *names[] = {"to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away"};
  for (RoundingMode mode : kModes) {
    std::string error;
    Kernel::Spec spec;
    spec.inType = "f64";
    spec.body = std::string("%r = arith.truncf %a ") + names[int(mode)] +
                " : vector<16xf64> to vector<16xf32>";
    std::unique_ptr<Kernel> kernel = Kernel::compile(spec, error);
    ASSERT_TRUE(kernel) << error;
    std::vector<double> in;
    std::mt19937_64 random(17);
    while (in.size() < 32000) {
      double x = std::ldexp(double(random() >> 11), int(random() % 290) - 205);
      // Half of them ties of f32.
      in.push_back(random() % 2 ? x : -x);
      in.push_back(std::bit_cast<double>((std::bit_cast<uint64_t>(x) & ~0x3fffffffull)));
    }
    std::vector<float> out(in.size());
    kernel->run(in.data(), in.data(), in.data(), out.data(), in.size());
    for (size_t i = 0; i < in.size(); ++i) {
      ASSERT_TRUE(same(out[i], f32.round(in[i], mode)))
          << std::hexfloat << in[i] << " mode " << int(mode) << " gives " << out[i];
    }
  }
}

//===----------------------------------------------------------------------===//
// 8 bits
//===----------------------------------------------------------------------===//

class Fp8 : public testing::TestWithParam<Model> {};

TEST_P(Fp8, WidensAllValues) {
  const Model &model = GetParam();
  Kernel::Spec spec;
  spec.inType = "i8";
  spec.body = "%r = \"test.build\"(%a) : (vector<16xi8>) -> vector<16xf32>";
  spec.build = [&](mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value) {
    return buildFp8ToF32(builder, loc, value, *model.kind);
  };
  std::string error;
  std::unique_ptr<Kernel> kernel = Kernel::compile(spec, error);
  ASSERT_TRUE(kernel) << error;
  std::vector<uint8_t> in(256);
  for (int i = 0; i < 256; ++i) {
    in[i] = i;
  }
  std::vector<float> out(256);
  kernel->run(in.data(), in.data(), in.data(), out.data(), 256);
  for (int i = 0; i < 256; ++i) {
    EXPECT_TRUE(same(out[i], model.decode(i))) << i << " gives " << out[i];
  }
}

TEST_P(Fp8, NarrowsInAllModes) {
  for (RoundingMode mode : kModes) {
    for (bool saturate : {true, false}) {
      Model model = GetParam();
      model.saturates = saturate || *model.kind == Fp8Kind::E4B15;
      Kernel::Spec spec;
      spec.outType = "i8";
      spec.build = [&](mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value) {
        return buildF32ToFp8(builder, loc, value, *model.kind, mode, saturate);
      };
      spec.body = "%r = \"test.build\"(%a) : (vector<16xf32>) -> vector<16xi8>";
      checkNarrowing<float>(model, spec, mode);
      spec.body = "%r = \"test.build\"(%a) : (vector<16xf64>) -> vector<16xi8>";
      checkNarrowing<double>(model, spec, mode);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Fp8, testing::ValuesIn(kFp8),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(Fp8Types, ArithmeticOnMlirTypes) {
  const Model &model = kFp8[1];
  Kernel::Spec spec;
  spec.inType = spec.outType = "i8";
  spec.body = "%x = arith.bitcast %a : vector<16xi8> to vector<16xf8E5M2>\n"
              "    %y = arith.bitcast %b : vector<16xi8> to vector<16xf8E5M2>\n"
              "    %s = arith.addf %x, %y : vector<16xf8E5M2>\n"
              "    %r = arith.bitcast %s : vector<16xf8E5M2> to vector<16xi8>";
  std::string error;
  std::unique_ptr<Kernel> kernel = Kernel::compile(spec, error);
  ASSERT_TRUE(kernel) << error;
  std::vector<uint8_t> a(65536), b(65536), out(65536);
  for (int i = 0; i < 65536; ++i) {
    a[i] = i;
    b[i] = i >> 8;
  }
  kernel->run(a.data(), b.data(), a.data(), out.data(), 65536);
  for (int i = 0; i < 65536; ++i) {
    double want =
        model.round(model.decode(a[i]) + model.decode(b[i]), RoundingMode::to_nearest_even);
    ASSERT_TRUE(same(model.decode(out[i]), want)) << int(a[i]) << " + " << int(b[i]);
  }
}

} // namespace

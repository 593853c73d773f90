//===- Processor.cpp - What this processor can do -----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include <cstring>
#include <fstream>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

using namespace tegula::cpu;

const std::string &tegula::cpu::processorName() {
  static const std::string name = [] {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
      const size_t colon = line.find(": ");
      if (line.starts_with("model name") && colon != std::string::npos) {
        return line.substr(colon + 2);
      }
    }
    return std::string(processorFamily());
  }();
  return name;
}

#if defined(__x86_64__)

const char *tegula::cpu::processorFamily() { return "x86_64"; }

namespace {
enum Register { EAX, EBX, ECX, EDX };
/// What the operating system must save for a feature to be usable.
enum State { NoState, AVX, AVX512, AMX };
struct Feature {
  const char *name;
  uint32_t leaf, subleaf;
  Register reg;
  uint32_t bit;
  State state;
};
} // namespace

// Bits as the vendors' manuals number them.
static const Feature features[] = {
    {"cmov", 1, 0, EDX, 15, NoState},
    {"cx8", 1, 0, EDX, 8, NoState},
    {"fxsr", 1, 0, EDX, 24, NoState},
    {"mmx", 1, 0, EDX, 23, NoState},
    {"sse", 1, 0, EDX, 25, NoState},
    {"sse2", 1, 0, EDX, 26, NoState},
    {"sse3", 1, 0, ECX, 0, NoState},
    {"pclmul", 1, 0, ECX, 1, NoState},
    {"ssse3", 1, 0, ECX, 9, NoState},
    {"fma", 1, 0, ECX, 12, AVX},
    {"cx16", 1, 0, ECX, 13, NoState},
    {"sse4.1", 1, 0, ECX, 19, NoState},
    {"sse4.2", 1, 0, ECX, 20, NoState},
    {"movbe", 1, 0, ECX, 22, NoState},
    {"popcnt", 1, 0, ECX, 23, NoState},
    {"aes", 1, 0, ECX, 25, NoState},
    {"avx", 1, 0, ECX, 28, AVX},
    {"f16c", 1, 0, ECX, 29, AVX},
    {"rdrnd", 1, 0, ECX, 30, NoState},
    {"bmi", 7, 0, EBX, 3, NoState},
    {"avx2", 7, 0, EBX, 5, AVX},
    {"bmi2", 7, 0, EBX, 8, NoState},
    {"avx512f", 7, 0, EBX, 16, AVX512},
    {"avx512dq", 7, 0, EBX, 17, AVX512},
    {"rdseed", 7, 0, EBX, 18, NoState},
    {"adx", 7, 0, EBX, 19, NoState},
    {"avx512ifma", 7, 0, EBX, 21, AVX512},
    {"avx512cd", 7, 0, EBX, 28, AVX512},
    {"sha", 7, 0, EBX, 29, NoState},
    {"avx512bw", 7, 0, EBX, 30, AVX512},
    {"avx512vl", 7, 0, EBX, 31, AVX512},
    {"avx512vbmi", 7, 0, ECX, 1, AVX512},
    {"avx512vbmi2", 7, 0, ECX, 6, AVX512},
    {"gfni", 7, 0, ECX, 8, NoState},
    {"vaes", 7, 0, ECX, 9, AVX},
    {"vpclmulqdq", 7, 0, ECX, 10, AVX},
    {"avx512vnni", 7, 0, ECX, 11, AVX512},
    {"avx512bitalg", 7, 0, ECX, 12, AVX512},
    {"avx512vpopcntdq", 7, 0, ECX, 14, AVX512},
    {"avx512vp2intersect", 7, 0, EDX, 8, AVX512},
    {"amx-bf16", 7, 0, EDX, 22, AMX},
    {"avx512fp16", 7, 0, EDX, 23, AVX512},
    {"amx-tile", 7, 0, EDX, 24, AMX},
    {"amx-int8", 7, 0, EDX, 25, AMX},
    {"avxvnni", 7, 1, EAX, 4, AVX},
    {"avx512bf16", 7, 1, EAX, 5, AVX512},
    {"amx-fp16", 7, 1, EAX, 21, AMX},
    {"avxifma", 7, 1, EAX, 23, AVX},
    {"avxvnniint8", 7, 1, EDX, 4, AVX},
    {"avxneconvert", 7, 1, EDX, 5, AVX},
    {"avxvnniint16", 7, 1, EDX, 10, AVX},
    {"sahf", 0x80000001, 0, ECX, 0, NoState},
    {"lzcnt", 0x80000001, 0, ECX, 5, NoState},
    {"sse4a", 0x80000001, 0, ECX, 6, NoState},
    {"xop", 0x80000001, 0, ECX, 11, AVX},
    {"fma4", 0x80000001, 0, ECX, 16, AVX},
    {"tbm", 0x80000001, 0, ECX, 21, NoState},
};

/// Register state that the system saves, or 0 when it saves none.
static uint64_t savedState() {
  uint32_t a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 27))) {
    return 0;
  }
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t(high) << 32) | low;
}

static bool isUsable(State state) {
  static const uint64_t saved = savedState();
  const uint64_t wanted = state == NoState  ? 0
                          : state == AVX    ? 0x6
                          : state == AVX512 ? 0xe6
                                            : 0x60000;
  return (saved & wanted) == wanted;
}

namespace {
/// What the processor answers, asked once: under a hypervisor each question takes tens
/// of microseconds, and a kernel may rely on a hundred features.
struct Leaf {
  Leaf(uint32_t leaf, uint32_t subleaf) : leaf(leaf), subleaf(subleaf) {
    // Zeros where there is no such leaf.
    __get_cpuid_count(leaf, subleaf, &registers[EAX], &registers[EBX], &registers[ECX],
                      &registers[EDX]);
  }
  uint32_t leaf, subleaf, registers[4] = {};
};
} // namespace

bool tegula::cpu::supportsFeature(const char *name) {
  static const Leaf leaves[] = {{1, 0}, {7, 0}, {7, 1}, {0x80000001, 0}};
  for (const Feature &feature : features) {
    if (std::strcmp(feature.name, name) == 0) {
      for (const Leaf &leaf : leaves) {
        if (leaf.leaf == feature.leaf && leaf.subleaf == feature.subleaf) {
          return (leaf.registers[feature.reg] >> feature.bit & 1) && isUsable(feature.state);
        }
      }
    }
  }
  return true;
}

#else

const char *tegula::cpu::processorFamily() { return "aarch64"; }

bool tegula::cpu::supportsFeature(const char *name) {
#if defined(__aarch64__)
  // Bits of the kernel's HWCAP and HWCAP2 words.
  static const struct {
    const char *name;
    unsigned long word, bit;
  } features[] = {{"fp-armv8", AT_HWCAP, 0},  {"neon", AT_HWCAP, 1},     {"aes", AT_HWCAP, 3},
                  {"sha2", AT_HWCAP, 6},      {"crc", AT_HWCAP, 7},      {"lse", AT_HWCAP, 8},
                  {"fullfp16", AT_HWCAP, 10}, {"rdm", AT_HWCAP, 12},     {"dotprod", AT_HWCAP, 20},
                  {"sve", AT_HWCAP, 22},      {"fp16fml", AT_HWCAP, 23}, {"sve2", AT_HWCAP2, 1},
                  {"i8mm", AT_HWCAP2, 13},    {"bf16", AT_HWCAP2, 14}};
  for (const auto &feature : features) {
    if (std::strcmp(feature.name, name) == 0) {
      return getauxval(feature.word) >> feature.bit & 1;
    }
  }
#endif
  return true;
}

#endif

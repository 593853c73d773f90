//===- Packing.cpp - Arguments as the kernel reads them ---------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launcher.h"

namespace tegula::python {

static uint16_t halfBits(double value) {
  // Rounds once from f64: scale by exponent, then to nearest even.
  uint64_t bits;
  std::memcpy(&bits, &value, 8);
  const uint16_t sign = (bits >> 48) & 0x8000;
  const int exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1023;
  uint64_t mantissa = bits & 0xfffffffffffffull;
  if (exponent == 1024) {
    return sign | 0x7c00 | (mantissa ? 0x200 : 0);
  }
  int shift = 42;
  mantissa |= 1ull << 52;
  int biased = exponent + 15;
  if (biased <= 0) {
    shift += 1 - biased;
    biased = 0;
    if (shift > 54) {
      return sign;
    }
  }
  uint64_t kept = mantissa >> shift;
  const uint64_t rest = mantissa & ((1ull << shift) - 1), half = 1ull << (shift - 1);
  if (rest > half || (rest == half && (kept & 1))) {
    ++kept;
  }
  const uint32_t result =
      biased ? ((biased - 1) << 10) + static_cast<uint32_t>(kept) : static_cast<uint32_t>(kept);
  return sign | static_cast<uint16_t>(result >= 0x7c00 ? 0x7c00 : result);
}

static uint16_t brainBits(double value) {
  float single = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &single, 4);
  if ((bits & 0x7fffffff) > 0x7f800000) {
    return static_cast<uint16_t>(bits >> 16) | 0x40;
  }
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

static void pack(const Slot &slot, const Argument &argument, char *block) {
  char *to = block + slot.offset;
  const bool isFloat = argument.kind == ArgKind::Float;
  const double number = isFloat ? argument.number
                        : argument.kind == ArgKind::UInt64
                            ? static_cast<double>(argument.bits)
                            : static_cast<double>(static_cast<int64_t>(argument.bits));
  switch (slot.code) {
  case 'f': {
    const float value = static_cast<float>(number);
    std::memcpy(to, &value, 4);
    return;
  }
  case 'd':
    std::memcpy(to, &number, 8);
    return;
  case 'e':
  case 'B': {
    const uint16_t value = slot.code == 'e' ? halfBits(number) : brainBits(number);
    std::memcpy(to, &value, 2);
    return;
  }
  case 'i':
    std::memcpy(to, &argument.bits, 4);
    return;
  case 'h':
    std::memcpy(to, &argument.bits, 2);
    return;
  case 'b':
    std::memcpy(to, &argument.bits, 1);
    return;
  default:
    std::memcpy(to, &argument.bits, 8);
  }
}

bool packArguments(const Launcher &launcher, const Call &call, const CachedKernel &kernel,
                   char *block) {
  std::memset(block, 0, kernel.argsSize);
  for (const Slot &slot : kernel.slots) {
    const Argument &argument =
        slot.part == Slot::kWhole ? call.arguments[slot.param] : call.parts[slot.part];
    if (slot.isWritten && argument.readOnly) {
      PyObject *array = argument.object ? argument.object : call.values[slot.param];
      return fail(launcher, "read-only-array", Failure::Value, static_cast<int>(slot.param),
                  "expected an array that can be written, as the kernel stores to it, got a "
                  "read-only one (" +
                      describe(array) + "); pass a writable copy");
    }
    pack(slot, argument, block);
  }
  return true;
}

} // namespace tegula::python

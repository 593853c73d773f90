//===- Launch.cpp - Programs of a grid, one after the other ---------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace tegula::simt;

namespace {
/// Rounding to nearest, denormals kept; the caller's comes back.
class FloatEnvironment {
#if defined(__x86_64__)
public:
  FloatEnvironment() : saved(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~FloatEnvironment() { _mm_setcsr(saved); }

private:
  unsigned saved;
#else
public:
  FloatEnvironment() {
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved));
    __asm__ volatile("msr fpcr, %0" : : "r"(uint64_t(0)));
  }
  ~FloatEnvironment() { __asm__ volatile("msr fpcr, %0" : : "r"(saved)); }

private:
  uint64_t saved;
#endif
};
} // namespace

tg_plugin_status *tegula::simt::launch(tg_function *function, const tg_launch *launch,
                                       tg_stream *) {
  return guarded([&]() -> tg_plugin_status * {
    if (launch->flags != 0) {
      return fail(TG_UNAVAILABLE, "cooperative and dependent launches are not simulated");
    }
    if (launch->args_size < function->argsSize) {
      return fail(TG_INVALID, "expected " + std::to_string(function->argsSize) +
                                  " bytes of arguments, got " + std::to_string(launch->args_size));
    }
    for (int i = 0; i < 3; ++i) {
      if (launch->grid[i] > kMaxGrid[i]) {
        return fail(TG_OUT_OF_RESOURCES,
                    "expected a grid of at most 2147483647 x 65535 x 65535, got " +
                        std::to_string(launch->grid[0]) + " x " + std::to_string(launch->grid[1]) +
                        " x " + std::to_string(launch->grid[2]));
      }
    }
    Machine machine(*function, *launch);
    const FloatEnvironment environment;
    uint32_t program[3];
    for (program[2] = 0; program[2] < launch->grid[2]; ++program[2]) {
      for (program[1] = 0; program[1] < launch->grid[1]; ++program[1]) {
        for (program[0] = 0; program[0] < launch->grid[0]; ++program[0]) {
          if (!machine.run(program)) {
            return fail(machine.errorCode(), machine.error());
          }
        }
      }
    }
    return nullptr;
  });
}

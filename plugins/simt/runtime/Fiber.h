//===- Fiber.h - Threads of control that switch when they say so ----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_SIMT_FIBER_H
#define TEGULA_SIMT_FIBER_H

#include <cstddef>
#include <cstdint>

extern "C" {
/// Saves the callee's registers on this stack, its top in `*from`, and goes on at `to`.
void tegula_simt_switch(void **from, void *to);
}

namespace tegula::simt {

/// Stacks of one launching thread, each with a page below it that nobody may touch.
class Stacks {
public:
  static constexpr size_t kSize = size_t(512) << 10;
  Stacks() = default;
  Stacks(const Stacks &) = delete;
  Stacks &operator=(const Stacks &) = delete;
  ~Stacks();
  /// At least `count` stacks; false when there is no memory.
  bool reserve(uint32_t count);
  /// One past the highest byte of a stack.
  char *top(uint32_t index) const { return memory + (index + 1) * kSize; }

private:
  char *memory = nullptr;
  uint32_t count = 0;
};

/// What `tegula_simt_switch` may go to so that `start(argument)` runs on that stack. It
/// must never return.
void *prepareFiber(char *top, void (*start)(void *), void *argument);

} // namespace tegula::simt

#endif // TEGULA_SIMT_FIBER_H

//===- Runtime.h - Objects of the CPU's runtime half --------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CPU_RUNTIME_H
#define TEGULA_CPU_RUNTIME_H

#include "tegula/CPU/KernelRecords.h"
#include "tegula/plugin.h"

#include <atomic>
#include <csetjmp>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <string>

//===----------------------------------------------------------------------===//
// Statuses
//===----------------------------------------------------------------------===//

struct tg_plugin_status {
  uint32_t code;
  std::string text, hint;
};

namespace tegula::cpu {

/// Never null; a static one when there is no memory.
tg_plugin_status *fail(uint32_t code, std::string text, std::string hint = "") noexcept;
void freeStatus(tg_plugin_status *status) noexcept;

/// Runs `body` and turns exceptions into statuses.
template <typename Body> tg_plugin_status *guarded(Body &&body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return fail(TG_OUT_OF_MEMORY, "out of memory"); // no test: needs a machine without memory
  } catch (const std::exception &error) {
    return fail(TG_INTERNAL, error.what());
  } catch (...) {
    return fail(TG_INTERNAL, "unknown exception"); // no test: nothing throws anything else
  }
}

//===----------------------------------------------------------------------===//
// The processor
//===----------------------------------------------------------------------===//

/// Name as the system gives it, "x86-64" where it gives none.
const std::string &processorName();
/// "x86_64" or "aarch64", as triples begin.
const char *processorFamily();
/// Whether this processor and its system support a feature, under LLVM's name.
/// Names that are no instruction sets (tuning hints) count as supported.
bool supportsFeature(const char *name);

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The first program, by number, that failed an assertion.
class Failure {
public:
  static constexpr uint64_t none = ~uint64_t(0);
  /// Programs behind this one need not run.
  uint64_t program() const { return at.load(std::memory_order_relaxed); }
  void report(uint64_t program, std::string text);
  const std::string &message() const { return text; }

private:
  std::atomic<uint64_t> at{none};
  std::mutex lock;
  std::string text;
};

/// The context of one thread in one launch, and what belongs to it.
struct ThreadContext : KernelContext {
  uint64_t program; ///< that runs now
  Failure *failure;
  std::jmp_buf back;  ///< where a failed assertion goes
  uint32_t waits = 0; ///< trips of waiting loops
};

extern const KernelServices kernelServices;

/// Runs `body` on threads of its own: `threads` at first, up to `limit` when none
/// of them gets on. `done` counts what is finished. Returns when all bodies have.
void runWaiting(const std::function<void()> &body, uint64_t threads, uint64_t limit,
                const std::atomic<uint64_t> &done);

using KernelEntry = void (*)(const void *args, const uint32_t pid[3], const uint32_t grid[3],
                             void *context);

/// Limits of a grid: its programs can then be counted in 64 bits.
inline constexpr uint32_t maxGrid[3] = {0x7fffffffu, 65535u, 65535u};

tg_plugin_status *launch(tg_function *function, const tg_launch *launch, tg_stream *stream);

tg_plugin_status *loadModule(tg_context *context, const void *image, size_t size,
                             const tg_variant *variant, tg_module **module);
void unloadModule(tg_module *module);
tg_plugin_status *getKernel(tg_module *module, const char *name, tg_function **function,
                            tg_kernel_info *info);

} // namespace tegula::cpu

/// One kernel. Constant once made, but for the estimate.
struct tg_function {
  tegula::cpu::KernelEntry entry = nullptr;
  uint64_t scratchBytes = 0;
  uint64_t argsSize = 0;
  int threads = 0;   ///< at most this many; 0: one per processor
  bool waits = true; ///< programs may wait for each other
  /// Nanoseconds that one program took last time; 0: not known yet.
  uint32_t programNanoseconds = 0;
};

#endif // TEGULA_CPU_RUNTIME_H

//===- Runtime.h - Objects of the simulator's runtime half ----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_SIMT_RUNTIME_H
#define TEGULA_SIMT_RUNTIME_H

#include "KernelServices.h"
#include "tegula/plugin.h"

#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <string>

struct tg_plugin_status {
  uint32_t code;
  std::string text;
};

namespace tegula::simt {

/// Never null; a static one when there is no memory.
tg_plugin_status *fail(uint32_t code, std::string text) noexcept;
void freeStatus(tg_plugin_status *status) noexcept;

/// Runs `body` and turns exceptions into statuses.
template <typename Body> tg_plugin_status *guarded(Body &&body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return fail(TG_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception &error) {
    return fail(TG_INTERNAL, error.what());
  }
}

using KernelEntry = void (*)(const void *args, Context *context);

inline constexpr uint32_t kMaxThreads = 1024;
inline constexpr uint32_t kMaxGrid[3] = {0x7fffffffu, 65535u, 65535u};

/// "x86_64" or "aarch64": what code must have been made for.
const char *hostFamily();

tg_plugin_status *launch(tg_function *function, const tg_launch *launch, tg_stream *stream);
tg_plugin_status *loadModule(tg_context *context, const void *image, size_t size,
                             const tg_variant *variant, tg_module **module);
void unloadModule(tg_module *module);
tg_plugin_status *getKernel(tg_module *module, const char *name, tg_function **function,
                            tg_kernel_info *info);

} // namespace tegula::simt

/// One kernel. Constant once made.
struct tg_function {
  std::string name;
  tegula::simt::KernelEntry entry = nullptr;
  uint64_t argsSize = 0, sharedBytes = 0;
  uint32_t warpSize = 32, numThreads = 128, sharedLimit = 0;
};

#endif // TEGULA_SIMT_RUNTIME_H

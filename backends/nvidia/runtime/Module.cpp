//===- Module.cpp - Loading code ------------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

using namespace tegula::nvidia;

static uint32_t numberOf(const tg_variant &variant, const char *key, uint32_t otherwise) {
  const char *text = factOf(variant, key);
  return text ? uint32_t(std::strtoul(text, nullptr, 10)) : otherwise;
}

/// What the driver's compiler said, without the zeros behind it.
static std::string logText(const std::vector<char> &log) {
  std::string text(log.data(), strnlen(log.data(), log.size()));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
    text.pop_back();
  }
  return text;
}

tg_plugin_status *tegula::nvidia::loadModule(tg_context *context, const void *image, size_t size,
                                             const tg_variant *variant, tg_module **module) {
  return guarded([&]() -> tg_plugin_status * {
    *module = nullptr;
    if (tg_plugin_status *status = context->checkAlive()) {
      return status;
    }
    const std::string format = variant->format ? variant->format : "";
    if (format != "cubin" && format != "ptx") {
      return fail(TG_INCOMPATIBLE, "expected code of format cubin or ptx, got " +
                                       (format.empty() ? "none" : format));
    }
    auto made = std::make_unique<tg_module>();
    made->context = context;
    // Programs have a fixed number of threads: that of their warps, and of those that only
    // fetch data.
    made->threads = numberOf(*variant, "threads", numberOf(*variant, "num_warps", 4) * 32);
    made->sharedBytes = numberOf(*variant, "shared_bytes", 0);
    made->mostPrograms = std::max<uint32_t>(numberOf(*variant, "most_programs", 1), 1);
    // Not `num_ctas`, which is what the launch asked for: kernels are compiled for one block.
    made->cluster[0] = numberOf(*variant, "cluster", 1);
    const char *where = factOf(*variant, "defined_at");
    made->where = where ? where : "";
    made->waitsForOthers = factOf(*variant, "waits_for_launches") != nullptr;
    const CurrentContext current(*context);
    const OutsideCaptures outside(*context);
    const Cuda &cuda = context->driver->cuda;
    if (factOf(*variant, "records")) {
      if (tg_plugin_status *status = prepareRecords(*context, made->records)) {
        return status;
      }
    }
    // The driver reads text up to a zero, and machine code by its own header.
    const std::string text(static_cast<const char *>(image), size);
    std::vector<char> errors(16 << 10), infos(16 << 10);
    int options[] = {kJitErrorLog,    kJitErrorLogSize, kJitInfoLog,
                     kJitInfoLogSize, kJitLogVerbose,   kJitLineInfo};
    const auto number = [](uintptr_t value) { return reinterpret_cast<void *>(value); };
    void *values[] = {errors.data(), number(errors.size()),
                      infos.data(),  number(infos.size()),
                      number(1),     number(1)};
    const Result result = cuda.moduleLoadDataEx(&made->handle, text.c_str(),
                                                format == "ptx" ? 6 : 0, options, values);
    if (tg_plugin_status *status = context->check(result, "loading " + format)) {
      if (const std::string log = logText(errors); !log.empty()) {
        status->text += ":\n" + log;
      }
      if (result == kUnsupportedPtxVersion) {
        status->hint = "the driver for CUDA " + context->driver->versionText + " takes PTX up to " +
                       std::to_string(newestPtx(context->driver->version) / 10) + "." +
                       std::to_string(newestPtx(context->driver->version) % 10);
      }
      return status;
    }
    *module = made.release();
    return nullptr;
  });
}

void tegula::nvidia::unloadModule(tg_module *module) {
  if (!module) {
    return;
  }
  if (!module->isKept.load(std::memory_order_acquire)) {
    const CurrentContext current(*module->context);
    const OutsideCaptures outside(*module->context);
    if (module->records) {
      // Texts go with the module, and their addresses may become another's.
      const std::lock_guard<std::mutex> guard(module->context->recordsLock);
      collectRecords(*module->context);
      module->context->texts.clear();
    }
    module->context->driver->cuda.moduleUnload(module->handle);
  }
  delete module;
}

tg_plugin_status *tegula::nvidia::getKernel(tg_module *module, const char *name,
                                            tg_function **function, tg_kernel_info *info) {
  return guarded([&]() -> tg_plugin_status * {
    *function = nullptr;
    tg_context &context = *module->context;
    const CurrentContext current(context);
    const OutsideCaptures outside(context);
    const Cuda &cuda = context.driver->cuda;
    auto made = std::make_unique<tg_function>();
    made->module = module;
    made->name = name;
    made->threads = module->threads;
    made->sharedBytes = module->sharedBytes;
    made->records = module->records;
    made->note = keepNote(made->name, module->where);
    std::copy(std::begin(module->cluster), std::end(module->cluster), made->cluster);
    const std::string what = "finding the kernel '" + made->name + "'";
    if (tg_plugin_status *status =
            context.check(cuda.moduleGetFunction(&made->handle, module->handle, name), what)) {
      return status;
    }
    const auto attribute = [&](int which) {
      int value = 0;
      return cuda.funcGetAttribute(&value, which, made->handle) == 0 ? uint32_t(value) : 0u;
    };
    const uint32_t staticBytes = attribute(kFunctionSharedBytes);
    const uint32_t mostThreads = attribute(kFunctionMaxThreads);
    const auto limit = uint32_t(context.facts->sharedPerBlock);
    if (uint64_t(staticBytes) + made->sharedBytes > limit) {
      return fail(TG_OUT_OF_RESOURCES,
                  "expected at most " + std::to_string(limit) + " bytes of shared memory, got " +
                      std::to_string(staticBytes + made->sharedBytes),
                  "use smaller tiles or fewer stages");
    }
    if (mostThreads != 0 && made->threads > mostThreads) {
      return fail(TG_OUT_OF_RESOURCES,
                  "expected at most " + std::to_string(mostThreads) +
                      " threads in a program, which its " +
                      std::to_string(attribute(kFunctionRegisters)) +
                      " registers for each allow, got " + std::to_string(made->threads),
                  "use fewer warps or smaller tiles");
    }
    const uint32_t dynamicLimit = limit - staticBytes;
    // 48 KiB are there without asking.
    if (dynamicLimit > (48u << 10)) {
      if (tg_plugin_status *status = context.check(
              cuda.funcSetAttribute(made->handle, kFunctionMaxDynamicShared, int(dynamicLimit)),
              "asking for shared memory")) {
        return status;
      }
    }
    if (info) {
      tg_kernel_info full = {};
      full.registers = attribute(kFunctionRegisters);
      full.local_bytes = attribute(kFunctionLocalBytes);
      full.shared_static_bytes = staticBytes;
      full.shared_dynamic_limit = dynamicLimit - made->sharedBytes;
      full.max_threads_per_block = mostThreads;
      int blocks = 0;
      if (cuda.occupancy(&blocks, made->handle, int(made->threads), made->sharedBytes) == 0) {
        full.blocks_per_unit = uint32_t(blocks);
      }
      full.max_cluster = context.facts->major >= 9 ? 8 : 1;
      const uint32_t size = info->struct_size;
      std::memcpy(info, &full, std::min<size_t>(size, sizeof full));
      info->struct_size = size;
    }
    std::lock_guard<std::mutex> guard(module->lock);
    module->functions.push_back(std::move(made));
    *function = module->functions.back().get();
    return nullptr;
  });
}

//===- Module.cpp - Compiled code as a loaded library ---------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"
#include "tegula/Runtime/HostCode.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

using namespace tegula::simt;

struct tg_module {
  void *library = nullptr;
  tg_function facts;
  std::mutex lock;
  std::deque<tg_function> functions;
};

const char *tegula::simt::hostFamily() {
#if defined(__aarch64__)
  return "aarch64";
#else
  return "x86_64";
#endif
}

static void *openImage(const void *image, size_t size, std::string &problem) {
  using namespace tegula::runtime;
  const int fd = makeCodeFile();
  void *library = nullptr;
  if (fd < 0 || !writeAll(fd, image, size)) {
    problem = "no file of " + std::to_string(size) + " bytes in memory: " + std::strerror(errno);
  } else {
    library = dlopen(pathOfCodeFile(fd, /*staysOpen=*/false).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char *reason = dlerror();
      problem = reason ? reason : "unknown reason";
    }
  }
  if (fd >= 0) {
    close(fd);
  }
  return library;
}

/// 0 for a fact that is not there.
static uint64_t readFact(const tg_variant &variant, const char *key) {
  uint64_t number = 0;
  for (size_t i = 0; i < variant.num_facts; ++i) {
    if (std::strcmp(variant.facts[i].key, key) == 0) {
      const char *text = variant.facts[i].value;
      std::from_chars(text, text + std::strlen(text), number);
    }
  }
  return number;
}

tg_plugin_status *tegula::simt::loadModule(tg_context *, const void *image, size_t size,
                                           const tg_variant *variant, tg_module **module) {
  return guarded([&]() -> tg_plugin_status * {
    *module = nullptr;
    const std::string format = variant->format ? variant->format : "none";
    if (format != "simt-so") {
      return fail(TG_INCOMPATIBLE, "expected code of format simt-so, got " + format);
    }
    if (size < 64 || std::memcmp(image,
                                 "\177"
                                 "ELF",
                                 4) != 0) {
      return fail(TG_INVALID,
                  "expected an ELF image, got " + std::to_string(size) + " other bytes");
    }
    std::string problem;
    void *library = openImage(image, size, problem);
    if (!library) {
      return fail(TG_INVALID, "cannot load the code: " + problem);
    }
    auto *made = new tg_module;
    made->library = library;
    tg_function &facts = made->facts;
    const bool isWide = variant->arch && std::strcmp(variant->arch, "simt-64") == 0;
    const uint64_t compiled = readFact(*variant, "warps");
    const uint64_t warps = compiled ? compiled : readFact(*variant, "num_warps");
    facts.warpSize = isWide ? 64 : 32;
    facts.sharedLimit = isWide ? 65536 : 232448;
    facts.numThreads = uint32_t(facts.warpSize * (warps ? warps : 4));
    facts.argsSize = readFact(*variant, "args_size");
    facts.sharedBytes = readFact(*variant, "shared_bytes");
    *module = made;
    return nullptr;
  });
}

void tegula::simt::unloadModule(tg_module *module) {
  dlclose(module->library);
  delete module;
}

tg_plugin_status *tegula::simt::getKernel(tg_module *module, const char *name,
                                          tg_function **function, tg_kernel_info *info) {
  return guarded([&]() -> tg_plugin_status * {
    void *symbol = dlsym(module->library, name);
    if (!symbol) {
      return fail(TG_NOT_FOUND, std::string("the code has no kernel '") + name + "'");
    }
    if (module->facts.numThreads > kMaxThreads) {
      return fail(TG_OUT_OF_RESOURCES,
                  "expected at most 1024 threads, got " + std::to_string(module->facts.numThreads));
    }
    if (module->facts.sharedBytes > module->facts.sharedLimit) {
      return fail(TG_OUT_OF_RESOURCES,
                  "expected at most " + std::to_string(module->facts.sharedLimit) +
                      " bytes of shared memory, got " + std::to_string(module->facts.sharedBytes));
    }
    const std::lock_guard<std::mutex> guard(module->lock);
    tg_function &made = module->functions.emplace_back(module->facts);
    made.name = name;
    made.entry = reinterpret_cast<KernelEntry>(symbol);
    *function = &made;
    if (info && TEGULA_HAS_FIELD(tg_kernel_info, info, shared_static_bytes)) {
      info->shared_static_bytes = uint32_t(made.sharedBytes);
    }
    if (info && TEGULA_HAS_FIELD(tg_kernel_info, info, max_threads_per_block)) {
      info->max_threads_per_block = kMaxThreads;
    }
    return nullptr;
  });
}

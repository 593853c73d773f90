//===- Module.cpp - Compiled code as a loaded library -------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"
#include "tegula/Runtime/HostCode.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

using namespace tegula::cpu;

struct tg_module {
  void *library = nullptr;
  int fd = -1; ///< kept open for debuggers, or -1
  tg_function facts;
  std::mutex lock;
  std::deque<tg_function> functions;
};

/// Libraries whose file stays open. A debugger finds the code by that file; the
/// limit leaves descriptors to the program.
static std::atomic<int> openFiles{0};
static constexpr int openFilesLimit = 128;

static std::string loaderError() {
  const char *reason = dlerror();
  return reason ? reason : "unknown reason";
}

static const char *factOf(const tg_variant &variant, const char *key) {
  for (size_t i = 0; i < variant.num_options; ++i) {
    if (std::strcmp(variant.options[i].key, key) == 0) {
      return variant.options[i].value;
    }
  }
  for (size_t i = 0; i < variant.num_facts; ++i) {
    if (std::strcmp(variant.facts[i].key, key) == 0) {
      return variant.facts[i].value;
    }
  }
  return nullptr;
}

/// 0 for a fact that is not there. False if it is no number.
static bool readNumber(const tg_variant &variant, const char *key, uint64_t &number) {
  const char *text = factOf(variant, key);
  number = 0;
  if (!text) {
    return true;
  }
  const char *const textEnd = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, textEnd, number);
  return error == std::errc() && stop == textEnd;
}

/// Too little scratch would let the kernel write where others' data are, so nothing is
/// guessed. Null when right.
static tg_plugin_status *readFacts(const tg_variant &variant, tg_function &facts) {
  uint64_t threads = 0;
  const struct {
    const char *key;
    uint64_t &number;
  } numbers[] = {
      {"scratch_bytes", facts.scratchBytes}, {"args_size", facts.argsSize}, {"threads", threads}};
  for (const auto &[key, number] : numbers) {
    if (!readNumber(variant, key, number)) {
      return fail(TG_INVALID, std::string("expected a number as the fact '") + key + "', got '" +
                                  factOf(variant, key) + "'");
    }
  }
  facts.threads = int(std::min<uint64_t>(threads, 4096));
  const char *waits = factOf(variant, "waits");
  facts.waits = !waits || std::strcmp(waits, "false") != 0;
  return nullptr;
}

/// Bytes that the segments of an ELF file take at least; 0 for what the loader itself
/// refuses. It would map a file that is cut off, and the kernel fault.
static uint64_t bytesOfSegments(const void *image, size_t size) {
  Elf64_Ehdr header;
  if (size < sizeof header) {
    return 0;
  }
  std::memcpy(&header, image, sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phoff > size) {
    return 0;
  }
  uint64_t end = 0;
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    const uint64_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
    Elf64_Phdr segment;
    if (at + sizeof segment > size) {
      return at + sizeof segment;
    }
    std::memcpy(&segment, static_cast<const char *>(image) + at, sizeof segment);
    if (segment.p_type == PT_LOAD && segment.p_offset < (uint64_t(1) << 62) &&
        segment.p_filesz < (uint64_t(1) << 62)) {
      end = std::max(end, segment.p_offset + segment.p_filesz);
    }
  }
  return end;
}

tg_plugin_status *tegula::cpu::loadModule(tg_context *, const void *image, size_t size,
                                          const tg_variant *variant, tg_module **module) {
  return guarded([&]() -> tg_plugin_status * {
    *module = nullptr;
    if (!variant->format || std::strcmp(variant->format, "elf-so") != 0) {
      return fail(TG_INCOMPATIBLE, std::string("expected code of format elf-so, got ") +
                                       (variant->format ? variant->format : "none"));
    }
    if (const uint64_t needed = bytesOfSegments(image, size); needed > size) {
      return fail(TG_INVALID, "the kernel's code is cut off: expected at least " +
                                  std::to_string(needed) + " bytes, got " + std::to_string(size));
    }
    tg_function facts;
    if (tg_plugin_status *status = readFacts(*variant, facts)) {
      return status;
    }
    const int fd = tegula::runtime::makeCodeFile();
    if (fd < 0 || !tegula::runtime::writeAll(fd, image, size)) {
      const std::string reason = std::strerror(errno);
      if (fd >= 0) {
        close(fd);
      }
      // no test: needs a process without free file descriptors
      return fail(TG_OUT_OF_RESOURCES, "the kernel's code cannot be put into a file: " + reason);
    }
    const bool staysOpen = openFiles.fetch_add(1) < openFilesLimit;
    void *library =
        dlopen(tegula::runtime::pathOfCodeFile(fd, staysOpen).c_str(), RTLD_NOW | RTLD_LOCAL);
    const std::string reason = library ? "" : loaderError();
    if (!library || !staysOpen) {
      close(fd);
      openFiles.fetch_sub(1);
    }
    if (!library) {
      return fail(TG_INCOMPATIBLE, "the kernel's code cannot be loaded: " + reason);
    }
    auto *loaded = new tg_module;
    loaded->library = library;
    loaded->fd = staysOpen ? fd : -1;
    loaded->facts = facts;
    *module = loaded;
    return nullptr;
  });
}

void tegula::cpu::unloadModule(tg_module *module) {
  if (!module) {
    return;
  }
  dlclose(module->library);
  if (module->fd >= 0) {
    close(module->fd);
    openFiles.fetch_sub(1);
  }
  delete module;
}

tg_plugin_status *tegula::cpu::getKernel(tg_module *module, const char *name,
                                         tg_function **function, tg_kernel_info *info) {
  return guarded([&]() -> tg_plugin_status * {
    *function = nullptr;
    void *symbol = dlsym(module->library, name);
    if (!symbol) {
      return fail(TG_NOT_FOUND, std::string("the code has no kernel '") + name + "'");
    }
    std::lock_guard<std::mutex> guard(module->lock);
    tg_function &made = module->functions.emplace_back(module->facts);
    made.entry = reinterpret_cast<KernelEntry>(symbol);
    *function = &made;
    if (info && TEGULA_HAS_FIELD(tg_kernel_info, info, max_threads_per_block)) {
      info->max_threads_per_block = 1;
    }
    return nullptr;
  });
}

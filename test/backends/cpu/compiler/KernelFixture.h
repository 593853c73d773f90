//===- KernelFixture.h - Compile and run tile IR in one process -----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TEST_CPU_KERNELFIXTURE_H
#define TEGULA_TEST_CPU_KERNELFIXTURE_H

#include "Backend.h"
#include "mlir/Parser/Parser.h"
#include "tegula/CPU/KernelRecords.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tegula::cpu::test {

/// The argument block of docs/kernel-abi.md.
class Arguments {
public:
  template <typename T> Arguments &add(T value) {
    bytes.resize((bytes.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    bytes.resize(bytes.size() + sizeof(T));
    std::memcpy(bytes.data() + bytes.size() - sizeof(T), &value, sizeof(T));
    return *this;
  }
  const void *data() const { return bytes.data(); }

private:
  std::vector<char> bytes;
};

/// A kernel `k`, compiled for `arch` and loaded.
class Kernel {
public:
  explicit Kernel(const std::string &text, const std::string &arch = "native") {
    CpuBackend backend;
    mlir::DialectRegistry registry;
    backend.registerDialects(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    context.loadAllAvailableDialects();
    llvm::SourceMgr sources;
    mlir::SourceMgrDiagnosticHandler handler(sources, &context);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module) {
      return;
    }
    compiler::TargetSpec spec;
    spec.arch = arch;
    mlir::Attribute target = backend.parseTarget(
        context, spec, [](const llvm::Twine &message) { ADD_FAILURE() << message.str(); });
    (*module)->setAttr(tile::kTargetAttr, target);
    mlir::PassManager pm(&context);
    for (auto phase : {compiler::Phase::Tile, compiler::Phase::Layout, compiler::Phase::Schedule,
                       compiler::Phase::Lower, compiler::Phase::LLVM}) {
      backend.buildLowering(pm, target, phase);
    }
    if (mlir::failed(pm.run(*module))) {
      return;
    }
    auto artifact = backend.emit(*module, target, compiler::Stage::Object, "k");
    if (mlir::failed(artifact)) {
      return;
    }
    for (auto &[key, value] : artifact->facts) {
      if (key == "scratch_bytes") {
        scratchBytes = std::stoull(value);
      }
    }
    file = memfd_create("kernel", 0);
    if (write(file, artifact->bytes.data(), artifact->bytes.size()) !=
        ssize_t(artifact->bytes.size())) {
      return;
    }
    library = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library) {
      entry = reinterpret_cast<Entry>(dlsym(library, "k"));
    }
  }
  ~Kernel() {
    if (library) {
      dlclose(library);
    }
    // Not earlier: dlopen takes a second library of the same path for the first.
    if (file >= 0) {
      close(file);
    }
  }
  Kernel(const Kernel &) = delete;

  bool ok() const { return entry != nullptr; }

  void run(const Arguments &arguments, uint32_t x = 1, uint32_t y = 1) const {
    ASSERT_TRUE(ok());
    // Scratch is filled with a pattern: its contents are undefined at entry.
    std::vector<char> memory(scratchBytes + 64, char(0xA5));
    void *aligned = memory.data();
    size_t space = memory.size();
    std::align(64, scratchBytes, aligned, space);
    KernelContext context = {aligned, scratchBytes, services};
    uint32_t grid[3] = {x, y, 1}, pid[3] = {0, 0, 0};
    for (pid[1] = 0; pid[1] < y; ++pid[1]) {
      for (pid[0] = 0; pid[0] < x; ++pid[0]) {
        entry(arguments.data(), pid, grid, &context);
      }
    }
  }

  uint64_t scratchBytes = 0;
  const KernelServices *services = nullptr; ///< needed by prints and assertions

private:
  using Entry = void (*)(const void *, const uint32_t *, const uint32_t *, void *);
  int file = -1;
  void *library = nullptr;
  Entry entry = nullptr;
};

/// `text` with every `@KEY@` replaced.
inline std::string fill(std::string text,
                        std::initializer_list<std::pair<const char *, std::string>> values) {
  for (auto &[key, value] : values) {
    std::string wanted = std::string("@") + key + "@";
    for (size_t at; (at = text.find(wanted)) != std::string::npos;) {
      text.replace(at, wanted.size(), value);
    }
  }
  return text;
}

} // namespace tegula::cpu::test

#endif // TEGULA_TEST_CPU_KERNELFIXTURE_H

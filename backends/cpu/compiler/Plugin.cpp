//===- Plugin.cpp - Entry of the CPU backend's compiler half --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/plugin.h"
#include "Backend.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/Debug.h"

namespace {

const char *const kDialects[] = {"tile_cpu", nullptr};
const char *const kPasses[] = {"cpu-form-loops",  "cpu-plan-scratch", "cpu-lower-kernel",
                               "cpu-expand-math", "cpu-to-llvm",      nullptr};
const char *const kPipelines[] = {"cpu-tile", "cpu-layout", "cpu-schedule", "cpu-lower",
                                  "cpu-llvm", "cpu-all",    nullptr};
// Of the host's family; others need `triple:` too.
#if defined(__aarch64__)
const char *const kArchExamples[] = {"native", "generic", "neoverse-n1", "neoverse-v1", nullptr};
#else
const char *const kArchExamples[] = {"native",    "x86-64-v2", "x86-64-v3",
                                     "x86-64-v4", "znver4",    nullptr};
#endif
const char *const kFormats[] = {"elf-so", nullptr};
const char *const kDeviceKinds[] = {"cpu", nullptr};

// Read by the runtime half; listed here so that either half checks it.
const tegula_option kThreads = {sizeof(tegula_option),
                                TEGULA_OPTION_INT,
                                "threads",
                                "0",
                                "threads that run programs of a grid; 0: one per core",
                                0,
                                65536,
                                nullptr};
const tegula_option kSkipPasses = {sizeof(tegula_option),
                                   TEGULA_OPTION_LIST,
                                   "skip_passes",
                                   "",
                                   "optional passes to leave out, to find out which one is wrong",
                                   0,
                                   0,
                                   nullptr};
const tegula_option *const kOptions[] = {&kThreads, &kSkipPasses, nullptr};

void *getBackend() {
  static const tegula::cpu::CpuBackend backend;
  const tegula::compiler::BackendCompiler *base = &backend;
  return const_cast<tegula::compiler::BackendCompiler *>(base);
}

void storeIdentity(const void *ids[4]) {
  ids[0] = mlir::TypeID::get<mlir::ModuleOp>().getAsOpaquePointer();
  ids[1] = mlir::FunctionOpInterface::getInterfaceID().getAsOpaquePointer();
  ids[2] = mlir::TypeID::get<mlir::OpTrait::IsTerminator>().getAsOpaquePointer();
  ids[3] = &llvm::DebugFlag;
}

const tegula_compiler_v1 kCompiler = {sizeof(tegula_compiler_v1),
                                      0,
                                      kDialects,
                                      kPasses,
                                      kPipelines,
                                      kOptions,
                                      kArchExamples,
                                      kFormats,
                                      kDeviceKinds,
                                      getBackend,
                                      storeIdentity};

const tegula_plugin kPlugin = {sizeof(tegula_plugin),
                               TEGULA_API_MAJOR,
                               TEGULA_API_MINOR,
                               "cpu",
                               "0.1.0",
                               "Tegula",
                               "Apache-2.0 WITH LLVM-exception",
                               TEGULA_COMPILER,
                               TEGULA_SANITIZERS,
                               &tegula_plugin_facts,
                               &kCompiler,
                               nullptr,
                               nullptr};

} // namespace

extern "C" const tegula_plugin *tegula_plugin_query(uint32_t hostMajor, uint32_t hostMinor) {
  return hostMajor == TEGULA_API_MAJOR ? &kPlugin : nullptr;
}

//===- Plugin.cpp - Entry of the NVIDIA backend's compiler half -----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-------------------------------------------------------------------===//

#include "tegula/plugin.h"
#include "Backend.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/Debug.h"

namespace {

const char *const kDialects[] = {"tile_nvidia", nullptr};
const char *const kPasses[] = {
    "nvidia-launch-dependencies", "nvidia-pack-programs", "nvidia-predict-limiter",
    "nvidia-lower-threads",       "nvidia-to-llvm",       nullptr};
const char *const kPipelines[] = {"nvidia-tile",  "nvidia-layout", "nvidia-schedule",
                                  "nvidia-lower", "nvidia-llvm",   "nvidia-all",
                                  nullptr};
const char *const kArchExamples[] = {"sm_80", "sm_89", "sm_90a", "sm_100a", "sm_120", nullptr};
const char *const kFormats[] = {"cubin", "ptx", nullptr};
const char *const kDeviceKinds[] = {"cuda", nullptr};

const tegula_option kPtxas = {sizeof(tegula_option),
                              TEGULA_OPTION_STRING,
                              "ptxas",
                              "",
                              "path of NVIDIA's assembler; without it TEGULA_PTXAS, PATH, "
                              "/usr/local/cuda/bin",
                              0,
                              0,
                              nullptr};
const tegula_option kPtxVersion = {sizeof(tegula_option),
                                   TEGULA_OPTION_STRING,
                                   "ptx_version",
                                   "",
                                   "version of the PTX language, as 8.4; without it the oldest "
                                   "that is enough",
                                   0,
                                   0,
                                   nullptr};
const tegula_option *const kOptions[] = {&kPtxas, &kPtxVersion, nullptr};

void *getBackend() {
  static const tegula::nvidia::NvidiaBackend backend;
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
                               "nvidia",
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

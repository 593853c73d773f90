//===- Plugin.cpp - Entry of the AMD backend's compiler half -----------===//
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

const char *const kDialects[] = {"tile_amd", nullptr};
const char *const kPasses[] = {"amd-lower-threads", "amd-to-llvm", nullptr};
const char *const kPipelines[] = {"amd-tile", "amd-layout", "amd-schedule", "amd-lower",
                                  "amd-llvm", "amd-all",    nullptr};
const char *const kArchExamples[] = {"gfx90a", "gfx942", "gfx950", nullptr};
const char *const kFormats[] = {"hsaco", nullptr};
const char *const kDeviceKinds[] = {"hip", nullptr};

const tegula_option *const kOptions[] = {nullptr};

void *getBackend() {
  static const tegula::amd::AmdBackend backend;
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
                               "amd",
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

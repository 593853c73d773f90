//===- NoCompiler.cpp - A compiler half that makes no compiler ------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tegula/plugin.h"

static void *backend() { return nullptr; }

static void identity(const void *ids[4]) {
  ids[0] = mlir::TypeID::get<mlir::ModuleOp>().getAsOpaquePointer();
  ids[1] = mlir::TypeID::get<mlir::FunctionOpInterface>().getAsOpaquePointer();
  ids[2] = mlir::TypeID::get<mlir::OpTrait::IsTerminator>().getAsOpaquePointer();
  ids[3] = nullptr;
}

static const tegula_compiler_v1 compiler = {sizeof(tegula_compiler_v1),
                                            0,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            backend,
                                            identity};

static const tegula_plugin plugin = {.struct_size = sizeof(tegula_plugin),
                                     .api_major = TEGULA_API_MAJOR,
                                     .api_minor = TEGULA_API_MINOR,
                                     .id = "no-compiler",
                                     .version = "1",
                                     .vendor = "tests",
                                     .license = "none",
                                     .components = TEGULA_COMPILER,
                                     .sanitizers = TEGULA_SANITIZERS,
                                     .facts = &tegula_plugin_facts,
                                     .compiler = &compiler,
                                     .runtime = nullptr};

const tegula_plugin *tegula_plugin_query(uint32_t, uint32_t) { return &plugin; }

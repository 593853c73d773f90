//===- Probe.cpp - What this file's compiler and libraries take MLIR for ---===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiler half that makes no compiler; its identity probe is honest. Built by
// clang and by g++, and linked to the shared MLIR and to a static one.
//
//===----------------------------------------------------------------------===//

#include "Backend.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/Debug.h"

void *fixture_backend() { return nullptr; }

void fixture_identity(const void *ids[4]) {
  ids[0] = mlir::TypeID::get<mlir::ModuleOp>().getAsOpaquePointer();
  ids[1] = mlir::TypeID::get<mlir::FunctionOpInterface>().getAsOpaquePointer();
  ids[2] = mlir::TypeID::get<mlir::OpTrait::IsTerminator>().getAsOpaquePointer();
  ids[3] = &llvm::DebugFlag;
}

//===- TileInput.h - Kernels given as tile IR --------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_DRIVER_TILEINPUT_H
#define TEGULA_DRIVER_TILEINPUT_H

#include "tegula/Frontend/Frontend.h"

namespace tegula::driver {

/// Whether a source of this name holds tile IR rather than the language: `*.mlir`.
bool isTileInput(llvm::StringRef file);

/// The counterpart of frontend::compileKernel for tile IR, such as the stage `tile`
/// of an earlier compile or a reproducer. Parameters come from the kernel's own
/// types; those of `request` are not looked at. Errors are on `diags`; null is
/// returned then.
mlir::OwningOpRef<mlir::ModuleOp> readTileInput(mlir::MLIRContext &context,
                                                const frontend::KernelRequest &request,
                                                frontend::DiagnosticEngine &diags,
                                                frontend::KernelInfo &info);

} // namespace tegula::driver

#endif // TEGULA_DRIVER_TILEINPUT_H

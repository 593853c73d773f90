//===- MLIRDiagnostics.h - Diagnostics of MLIR as those of the frontend -----===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_DRIVER_MLIRDIAGNOSTICS_H
#define TEGULA_DRIVER_MLIRDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "tegula/Frontend/Diagnostics.h"
#include <string>

namespace tegula::driver {

/// Adds a diagnostic of a verifier, pass or backend to `engine`. Locations in
/// `file` become ranges with source lines; those elsewhere are spelled out. The
/// identifier is what ends the message in brackets (tegula/Tile/IR/Diagnostics.h), or
/// `invalid-ir` for MLIR's own messages; a note `hint: ...` becomes the hint.
/// Notes that only print the operation are left out.
void addMLIRDiagnostic(frontend::DiagnosticEngine &engine, const frontend::SourceFile &file,
                       mlir::Diagnostic &diagnostic);

/// The engine's diagnostics as the JSON array of tg_status_diagnostics_json.
std::string diagnosticsToJson(const frontend::DiagnosticEngine &engine);

} // namespace tegula::driver

#endif // TEGULA_DRIVER_MLIRDIAGNOSTICS_H

//===- Passes.h - Which passes run, and what is seen of them -----*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_OPT_PASSES_H
#define TEGULA_OPT_PASSES_H

#include "Options.h"

#include "mlir/Pass/PassManager.h"

namespace tegula::opt {

/// What a crash of a pass is reported with. Written ahead of the passes, since nothing
/// of them may be touched after one.
struct RunNotes {
  std::string pipeline; ///< the passes, without --target's
  std::string ir;       ///< before the first of them
  std::string pass;     ///< the one that runs
  unsigned errors = 0;  ///< diagnostics of severity error, so far
  bool countsErrors = false;
};

/// Cuts the passes of `pm` by --start-after and --stop-after. On failure `problem` says
/// why: no such pass among them.
bool cutPasses(const Options &options, mlir::OpPassManager &pm, std::string &problem);

/// Puts --target's pass first, appends the phases of --lower-to, and cuts.
/// Errors go to `report`.
mlir::LogicalResult completePasses(const Options &options, mlir::PassManager &pm,
                                   tools::Report &report);

/// Keeps `notes` up to date and serves --print-ir-function.
void watchPasses(const Options &options, mlir::PassManager &pm, RunNotes &notes);

/// Writes the reproducer of a crash; returns its path, or the reason why there is none
/// in `problem`.
std::string writeReproducer(const Options &options, const RunNotes &notes, std::string &problem);

} // namespace tegula::opt

#endif // TEGULA_OPT_PASSES_H

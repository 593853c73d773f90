//===- Reproducer.h - What is left of a compile that crashed -----*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_DRIVER_REPRODUCER_H
#define TEGULA_DRIVER_REPRODUCER_H

#include "tegula/Compiler/Pipeline.h"
#include "tegula/tegula.h"

#include <string>

namespace tegula::driver {

/// The status of a compile that ended with `reason` at `progress`. A file that
/// repeats the crash is written into `<cache folder>/reproducers`, and the status
/// says how: for a crash while lowering or emitting the tile IR with the pipeline,
/// for `tegula-opt --run-reproducer` and `tegulac`; for one in the frontend the
/// source, for `tegulac`. Compiles the request once more, up to tile IR.
tg_status *reportCrash(const tg_compile_request &request, const compiler::CompileProgress &progress,
                       const std::string &reason);

} // namespace tegula::driver

#endif // TEGULA_DRIVER_REPRODUCER_H

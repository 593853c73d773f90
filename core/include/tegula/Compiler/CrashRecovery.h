//===- CrashRecovery.h - Keep the process alive ---------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_COMPILER_CRASHRECOVERY_H
#define TEGULA_COMPILER_CRASHRECOVERY_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tegula::compiler {

/// Runs `body` on a thread with an 8 MiB stack and waits for it. False when it
/// crashed (signal, abort, report_fatal_error); the process then goes on and
/// only `body`'s own state is lost. Crash signal handlers of the process are
/// replaced only while at least one such call runs. Under AddressSanitizer the
/// body simply runs, so that its reports stay whole.
[[nodiscard]] bool runProtected(llvm::function_ref<void()> body);

} // namespace tegula::compiler

#endif // TEGULA_COMPILER_CRASHRECOVERY_H

//===- Log.h - What TEGULA_LOG asks for ----------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_LOG_H
#define TEGULA_RUNTIME_LOG_H

#include "tegula/Runtime/Status.h"

#include <string>

namespace tegula::runtime {

/// Whether TEGULA_LOG, a list of topics separated by commas, names `topic`. Read at
/// each call, so that a running program can turn it on.
TG_CXX_API bool isLogged(const char *topic);

/// Writes "tegula: TOPIC: TEXT" to standard error, as one line in one piece.
TG_CXX_API void logLine(const char *topic, const std::string &text);

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_LOG_H

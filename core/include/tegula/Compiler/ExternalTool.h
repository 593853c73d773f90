//===- ExternalTool.h - Programs that a backend calls ------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_COMPILER_EXTERNALTOOL_H
#define TEGULA_COMPILER_EXTERNALTOOL_H

#include "llvm/ADT/ArrayRef.h"
#include <chrono>
#include <string>

namespace tegula::compiler {

/// What became of a program.
struct ToolResult {
  enum class End { Exited, Signalled, TimedOut, NotStarted };
  End end = End::NotStarted;
  int code = 0;       ///< exit status, number of the signal, or errno
  std::string output; ///< standard output and error, together; at most 1 MiB of it

  bool succeeded() const { return end == End::Exited && code == 0; }
  /// "exited with status 1", "was killed by signal 11 (Segmentation fault)", "did not
  /// end within 5 s", "cannot be started: No such file or directory".
  std::string describe() const;

  std::chrono::milliseconds limit{0}; ///< the time that it had
};

/// Runs an assembler or linker of a vendor: `arguments[0]` is the program, found
/// through PATH unless it has a slash. Standard input is empty. After `limit` the
/// program and what it started are killed, so that a hanging tool costs one compile
/// and not the process. Threads: safe; no signal handler of the process is touched.
ToolResult runExternalTool(llvm::ArrayRef<std::string> arguments, std::chrono::milliseconds limit);

} // namespace tegula::compiler

#endif // TEGULA_COMPILER_EXTERNALTOOL_H

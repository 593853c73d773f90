//===- MLIRReport.h - Errors of the tools on MLIR ----------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TOOLS_MLIRREPORT_H
#define TEGULA_TOOLS_MLIRREPORT_H

#include "tegula/Runtime/Status.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <vector>

namespace llvm {
class raw_fd_ostream;
}

namespace tegula::tools {

/// Errors and warnings in one form, exit codes included: text to standard error at once, or with
/// --json one array of diagnostics to standard output in the end. What MLIR prints itself is read
/// from its text then.
class Report {
public:
  /// Looks for --json right away, since the command line may be wrong ahead of it.
  Report(const char *tool, int argc, char **argv);
  ~Report();
  Report(const Report &) = delete;
  Report &operator=(const Report &) = delete;

  /// `message` may have further lines.
  void error(runtime::StatusID id, const std::string &message, const std::string &hint = "") {
    print("error", id.name, message, hint);
  }
  /// A message that has its identifier already, behind its first line.
  void identified(const char *severity, std::string message);
  /// A status; takes it over. Returns the exit code that it means.
  int add(tg_status *status);
  bool isJson() const { return json; }
  /// For the end of main: writes what is still to be written. Returns `code`, or 1 where that
  /// is 0 and output is lost.
  int end(int code);
  /// Runs what reports through MLIR.
  void collect(llvm::function_ref<void()> body);

private:
  void print(const char *severity, const std::string &id, const std::string &message,
             const std::string &hint);
  void readDiagnostics(const std::string &text);

  std::string tool;
  bool json;
  std::vector<std::string> items;
};

/// Looks whether the input can be read and the output written, "-" being the standard streams,
/// and reports what speaks against it. MLIR says so in words of its own, and too late.
bool checkFiles(const std::string &in, const std::string &out, Report &report);
/// Flushes a stream, which may be at the end of its disk; LLVM would end the process.
bool finishStream(llvm::raw_fd_ostream &os, const std::string &path, Report &report);
/// A word of a command line, as a shell takes it.
std::string quoteWord(const std::string &word);

} // namespace tegula::tools

#endif // TEGULA_TOOLS_MLIRREPORT_H

//===- ErrorReport.h - How the tools tell of errors -------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that goes wrong in a tool is a status, whether the library made it or
// the tool itself: one text form, one JSON form and one table of exit codes.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TOOLS_ERRORREPORT_H
#define TEGULA_TOOLS_ERRORREPORT_H

#include "tegula/Runtime/Status.h"

#include <string>

namespace tegula::tools {

namespace status = runtime::status;

/// A status on its way to main; whoever catches it owns it.
struct StatusError {
  tg_status *status;
};

/// Throws a mistake of the user's.
[[noreturn]] void fail(runtime::StatusID id, const std::string &message,
                       const std::string &hint = "");
/// Throws a mistake on the command line.
[[noreturn]] void failUsage(const std::string &message);
/// Throws what is not null.
void check(tg_status *status);

/// Prints errors: as text to standard error at once, or with --json as one array of
/// diagnostics to standard output in the end.
class ErrorReport {
public:
  /// `tool` is the name in messages. Looks for --json right away, since the command
  /// line may be wrong ahead of it.
  ErrorReport(const char *tool, int argc, char **argv);
  ~ErrorReport();
  ErrorReport(const ErrorReport &) = delete;
  ErrorReport &operator=(const ErrorReport &) = delete;

  /// Takes over a status.
  void add(tg_status *status);
  /// With --json: diagnostics that are no errors, as the library writes them.
  void addDiagnostics(const std::string &list);
  /// The array is printed even when it is empty.
  void printAlways() { always = true; }
  bool isJson() const { return json; }
  /// 0 right, 1 the user's error, 2 usage, 3 a device or tool is unavailable, 4 a
  /// fault of Tegula: the worst so far. For the end of main: writes what is still to
  /// be written, and output that is lost is an error.
  int exitCode();

private:
  void printArray();

  std::string tool, array;
  bool json = false, always = false;
  int code = 0;
};

/// The content of a file. Throws file-access with the system's reason, or
/// invalid-file for what is no text at all.
std::string readFile(const std::string &path);
/// Writes a file, or standard output for "-". Throws file-access.
void writeFile(const std::string &path, const char *bytes, size_t size);

} // namespace tegula::tools

#endif // TEGULA_TOOLS_ERRORREPORT_H

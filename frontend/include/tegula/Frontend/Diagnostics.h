//===- Diagnostics.h - Located messages of the frontend ----------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The frontend collects its messages and goes on; whoever called it prints them or
// turns them into exceptions. Printed form:
//
//   kernel.py:12:9: error: expected ':' after if condition, got newline [syntax]
//       if x > 0
//               ^
//   kernel.py:30:5: note: called from here
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_FRONTEND_DIAGNOSTICS_H
#define TEGULA_FRONTEND_DIAGNOSTICS_H

#include "tegula/Frontend/SourceFile.h"

#include "llvm/ADT/Twine.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace tegula::frontend {

enum class Severity : uint8_t { Error, Warning, Remark };

/// The stable name of a kind of message. Only the tables (Diagnostics.def) make
/// them, so that each is documented.
struct DiagID {
  llvm::StringRef name;
};

namespace diag {
#define TEGULA_DIAGNOSTIC(Name, Id, Severity, Meaning, Action) inline constexpr DiagID Name{Id};
#include "tegula/Frontend/Diagnostics.def"
} // namespace diag

/// "error", "warning", "remark"
llvm::StringRef getSeverityName(Severity severity);

/// A second place that explains the first, such as "called from here".
struct DiagnosticNote {
  SourceRange range; // may be invalid: printed without a place
  std::string message;
};

/// One message. Texts start in lower case and have no full stop.
struct Diagnostic {
  Severity severity = Severity::Error;
  std::string id;    // see DiagID; of passes and plugins: theirs
  SourceRange range; // may be invalid: printed without a place
  std::string message;
  std::string hint; // how to repair it, or empty
  /// What was being evaluated, such as the call whose argument `range` is, in the
  /// function that `range` lies in; may be invalid.
  SourceRange expression;
  std::vector<DiagnosticNote> notes;

  Diagnostic &setHint(const llvm::Twine &text);
  Diagnostic &addNote(SourceRange where, const llvm::Twine &text);
};

/// Prints one diagnostic with source lines, carets, notes and hint. Columns count
/// code points; carets stand below the text also after tabs (shown to multiples
/// of 8) and wide letters; very long lines are shown around the caret.
void renderDiagnostic(llvm::raw_ostream &os, const Diagnostic &diag);

/// Collects diagnostics in order. Not thread-safe: one per compile.
class DiagnosticEngine {
public:
  /// After `errorLimit` errors, further diagnostics are counted but not kept.
  explicit DiagnosticEngine(unsigned errorLimit = 100) : errorLimit(errorLimit) {}
  DiagnosticEngine(const DiagnosticEngine &) = delete;
  DiagnosticEngine &operator=(const DiagnosticEngine &) = delete;

  /// Makes a file that lives as long as the engine: use this where diagnostics
  /// may outlast the code that has the text. Parameters as SourceFile's.
  const SourceFile &addFile(llvm::StringRef name, llvm::StringRef text, uint32_t firstLine = 1,
                            uint32_t columnOffset = 0);

  /// Adds a diagnostic; the reference stays valid as long as the engine does.
  Diagnostic &report(Severity severity, llvm::StringRef id, SourceRange range,
                     const llvm::Twine &message);
  Diagnostic &error(DiagID id, SourceRange range, const llvm::Twine &message) {
    return report(Severity::Error, id.name, range, message);
  }

  /// Adds a note to the last diagnostic, if any was kept.
  void addNote(SourceRange where, const llvm::Twine &text);

  bool hasErrors() const { return numErrors != 0; }
  /// Errors reported, those past the limit included.
  unsigned getNumErrors() const { return numErrors; }
  bool reachedErrorLimit() const { return numErrors >= errorLimit; }
  const std::deque<Diagnostic> &getDiagnostics() const { return diagnostics; }

  /// Prints everything, then a line about errors that were not kept, if any.
  void render(llvm::raw_ostream &os) const;
  /// The same as a string.
  std::string str() const;

private:
  unsigned errorLimit;
  unsigned numErrors = 0;
  std::deque<Diagnostic> diagnostics;
  Diagnostic dropped; // given out past the limit
  std::vector<std::unique_ptr<SourceFile>> files;
};

} // namespace tegula::frontend

#endif // TEGULA_FRONTEND_DIAGNOSTICS_H

//===- Reports.cpp - Errors, notes and locations of the walk --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reports wait in a list until the end of the walk, since visiting a loop again
// takes back what the first visit said.
//
//===----------------------------------------------------------------------===//

#include "Walker.h"
#include "mlir/IR/Location.h"
#include <cstdio>

namespace tegula::frontend {

static constexpr unsigned kMaxReports = 50;

Walker::Report *Walker::report(Severity severity, DiagID id, SourceRange range,
                               const llvm::Twine &message) {
  wasKept = false;
  if (muted || stop) {
    return nullptr;
  }
  // Chain of calls, innermost first. An error inside the language library is
  // shown where the program called the library.
  size_t depth = frames.size();
  std::vector<std::pair<SourceRange, std::string>> notes;
  auto isLibrary = [&](size_t i) {
    return frames[i]->function && frames[i]->function->origin == FunctionRef::Origin::Library;
  };
  if (depth > 1 && isLibrary(depth - 1)) {
    size_t user = depth - 1;
    while (user > 0 && isLibrary(user)) {
      --user;
    }
    if (!isLibrary(user)) {
      notes.emplace_back(range,
                         "in '" + frames[user + 1]->function->name + "' of the language library");
      range = frames[user]->current;
      depth = user + 1;
    }
  }
  for (size_t i = depth; i-- > 1;) {
    if (!frames[i]->isModule) {
      notes.emplace_back(frames[i - 1]->current,
                         "in '" + frames[i]->description + "', called from here");
    }
  }
  if (!frames.empty() && !frames.front()->description.empty()) {
    notes.emplace_back(SourceRange(), "in kernel '" + frames.front()->description + "'");
  }
  Report report;
  report.severity = severity;
  report.id = id;
  report.range = range;
  report.message = message.str();
  report.notes = std::move(notes);
  // Unrolled loops and repeated calls say the same thing again and again.
  for (const Report &earlier : reports) {
    if (earlier.severity == report.severity && earlier.range == report.range &&
        earlier.message == report.message) {
      return nullptr;
    }
  }
  reports.push_back(std::move(report));
  wasKept = true;
  if (reports.size() >= kMaxReports && severity == Severity::Error) {
    stop = true;
  }
  return &reports.back();
}

Value Walker::error(DiagID id, SourceRange range, const llvm::Twine &message) {
  report(Severity::Error, id, range, message);
  return Value::poison();
}

Value Walker::fatal(DiagID id, SourceRange range, const llvm::Twine &message) {
  unsigned savedMuted = muted;
  muted = 0;
  // The chain of calls would be as long as what is complained about: its last
  // entries name the kernel, and each turn of a recursion says the same.
  Report *made = report(Severity::Error, id, range, message);
  if (made && made->notes.size() > 6) {
    std::vector<std::pair<SourceRange, std::string>> kept;
    for (const auto &entry : made->notes) {
      if (kept.size() < 6 && !llvm::is_contained(kept, entry)) {
        kept.push_back(entry);
      }
    }
    std::pair<SourceRange, std::string> kernel = made->notes.back();
    if (kept.back() == kernel) {
      kept.pop_back();
    }
    kept.emplace_back(SourceRange(), "and " +
                                         std::to_string(made->notes.size() - kept.size() - 1) +
                                         " more calls in between");
    kept.push_back(std::move(kernel));
    made->notes = std::move(kept);
  }
  muted = savedMuted;
  stop = true;
  return Value::poison();
}

void Walker::note(SourceRange range, const llvm::Twine &message) {
  if (!muted && !stop && wasKept && !reports.empty()) {
    std::vector<std::pair<SourceRange, std::string>> &notes = reports.back().notes;
    // Before the chain of calls.
    size_t at = 0;
    while (at < notes.size() && !llvm::StringRef(notes[at].second).ends_with("called from here") &&
           !llvm::StringRef(notes[at].second).starts_with("in kernel '")) {
      ++at;
    }
    notes.insert(notes.begin() + at, {range, message.str()});
  }
}

void Walker::hint(const llvm::Twine &message) {
  if (!muted && !stop && wasKept && !reports.empty()) {
    reports.back().hint = message.str();
  }
}

void Walker::reportError(DiagID id, const llvm::Twine &message, int argument) {
  SourceRange range = frame().current;
  if (argument >= 0 && static_cast<size_t>(argument) < frame().argumentRanges.size()) {
    range = frame().argumentRanges[argument];
  }
  report(Severity::Error, id, range, message);
}

void Walker::reportWarning(DiagID id, const llvm::Twine &message) {
  report(Severity::Warning, id, frame().current, message);
}

void Walker::reportNote(const llvm::Twine &message) { note(SourceRange(), message); }

void Walker::staticPrint(llvm::StringRef text) {
  Report printed;
  printed.message = text.str();
  if (!muted && !stop) {
    reports.push_back(std::move(printed));
  }
}

void Walker::flushReports() {
  for (const Report &report : reports) {
    if (!report.severity) {
      std::fwrite(report.message.data(), 1, report.message.size(), stdout);
      std::fflush(stdout);
      continue;
    }
    Diagnostic &diagnostic =
        diags.report(*report.severity, report.id.name, report.range, report.message);
    for (const auto &[range, message] : report.notes) {
      diagnostic.addNote(range, message);
    }
    diagnostic.setHint(report.hint);
  }
  reports.clear();
}

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

mlir::Location Walker::locationOf(SourceRange range) {
  if (!range.isValid()) {
    return mlir::UnknownLoc::get(&context);
  }
  LineColumn at = range.getBegin().getLineColumn();
  return mlir::FileLineColLoc::get(&context, range.file->getName(), at.line, at.column);
}

mlir::Location Walker::getLocation() {
  mlir::Location location = locationOf(frame().current);
  if (frame().caller) {
    return mlir::CallSiteLoc::get(location, *frame().caller);
  }
  return location;
}

SourceRange Walker::rangeOf(mlir::Location location) {
  SourceRange range;
  location->walk([&](mlir::Location inner) {
    auto file = mlir::dyn_cast<mlir::FileLineColLoc>(inner);
    if (!file) {
      return mlir::WalkResult::advance();
    }
    const FunctionDefStmt *def =
        frames.empty() || !frames.front()->function ? nullptr : frames.front()->function->def;
    if (!def || def->range.file->getName() != file.getFilename().getValue()) {
      return mlir::WalkResult::advance();
    }
    const SourceFile *source = def->range.file;
    uint32_t line = file.getLine() - source->getFirstLine();
    uint32_t column = file.getColumn() - 1 - source->getColumnOffset();
    range = SourceRange(SourceLocation(source, source->getLineStart(line) + column));
    return mlir::WalkResult::interrupt();
  });
  return range;
}

} // namespace tegula::frontend

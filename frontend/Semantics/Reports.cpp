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

/// More help nobody.
static constexpr unsigned kMaxErrors = 20;

Walker::Report *Walker::report(Severity severity, DiagID id, SourceRange range,
                               const llvm::Twine &message) {
  wasKept = false;
  if (muted || stop) {
    return nullptr;
  }
  // Chain of calls, innermost first. An error inside the language library is
  // shown where the program called the library.
  Report report;
  report.severity = severity;
  report.id = id;
  report.range = range;
  report.message = message.str();
  size_t depth = frames.size();
  auto isLibrary = [&](size_t i) {
    return frames[i]->function && frames[i]->function->origin == FunctionRef::Origin::Library;
  };
  if (depth > 1 && isLibrary(depth - 1)) {
    size_t user = depth - 1;
    while (user > 0 && isLibrary(user)) {
      --user;
    }
    if (!isLibrary(user)) {
      showAtCaller(report, user);
      depth = user + 1;
    }
  }
  if (depth > 0) {
    report.expression = frames[depth - 1]->current;
  }
  for (size_t i = depth; i-- > 1;) {
    if (!frames[i]->isModule) {
      report.notes.emplace_back(frames[i - 1]->current,
                                "in '" + frames[i]->description + "', called from here");
    }
  }
  if (!frames.empty() && !frames.front()->description.empty()) {
    report.notes.emplace_back(SourceRange(), "in kernel '" + frames.front()->description + "'");
  }
  // Unrolled loops and repeated calls say the same thing again and again; what a
  // call of the library says after its first error follows from that.
  for (const Report &earlier : reports) {
    if (earlier.severity == report.severity && earlier.range == report.range &&
        (earlier.message == report.message || (earlier.inLibrary && report.inLibrary))) {
      return nullptr;
    }
  }
  reports.push_back(std::move(report));
  wasKept = true;
  auto isError = [](const Report &one) { return one.severity == Severity::Error; };
  if (llvm::count_if(reports, isError) >= kMaxErrors) {
    reports.back().notes.emplace_back(SourceRange(),
                                      "after " + std::to_string(kMaxErrors) +
                                          " errors the rest of the kernel is not checked");
    stop = true;
  }
  return &reports.back();
}

/// Whether the text of an argument is `name=...`.
static bool isKeyword(SourceRange argument, llvm::StringRef name) {
  llvm::StringRef text = argument.getText();
  return text.consume_front(name) && text.ltrim().consume_front("=") &&
         !text.ltrim().starts_with("==");
}

/// Turns an error of the library into one of the call of the library in frame
/// `user`. What the library found wrong with an argument that it only passed on
/// is said of the argument that it got.
void Walker::showAtCaller(Report &report, size_t user) {
  const Frame &caller = *frames[user];
  const FunctionRef &callee = *frames[user + 1]->function;
  SourceRange within = report.range;
  report.inLibrary = true;
  report.range = caller.current;
  if (report.id.name == diag::StaticAssert.name) {
    // A check of the library: its text is about the argument.
    report.id = diag::ArgumentType;
    report.message = llvm::StringRef(report.message).split(": ").second.str();
    return;
  }
  auto [argument, problem] = llvm::StringRef(report.message).split(": ");
  if (argument.consume_front("argument '") && callee.def) {
    llvm::StringRef name = argument.take_until([](char c) { return c == '\''; });
    for (const auto &[i, param] : llvm::enumerate(callee.def->params)) {
      if (param.name != name) {
        continue;
      }
      auto keyword = llvm::find_if(caller.argumentRanges,
                                   [&](SourceRange range) { return isKeyword(range, name); });
      if (keyword != caller.argumentRanges.end()) {
        report.range = *keyword;
      } else if (size_t hidden = frames[user + 1]->numUnwritten;
                 hidden <= 1 && i - hidden < caller.argumentRanges.size()) {
        report.range = caller.argumentRanges[i - hidden];
      }
      llvm::StringRef prefix = llvm::StringRef(callee.name).contains('.') ? "" : "tl.";
      report.message =
          ("argument '" + name + "' of " + prefix + callee.name + ": " + problem).str();
      return;
    }
  }
  report.notes.emplace_back(within, "in '" + callee.name + "' of the language library");
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
    llvm::ArrayRef<std::pair<SourceRange, std::string>> all = made->notes;
    std::vector<std::pair<SourceRange, std::string>> kept;
    for (const auto &entry : all.drop_back(2)) {
      if (kept.size() < 4 && !llvm::is_contained(kept, entry)) {
        kept.push_back(entry);
      }
    }
    kept.emplace_back(SourceRange(), "and " + std::to_string(all.size() - 2 - kept.size()) +
                                         " more calls between these");
    kept.insert(kept.end(), all.end() - 2, all.end());
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

void Walker::reportReason(const std::shared_ptr<const Reason> &reason, SourceRange use) {
  for (const Report &earlier : reports) {
    if (earlier.reason == reason) {
      return;
    }
  }
  bool atUse = !reason->place.isValid();
  Report *made = report(Severity::Error, reason->id, atUse ? use : reason->place, reason->message);
  if (made) {
    made->reason = reason;
    for (const auto &[range, text] : reason->notes) {
      note(range, text);
    }
    if (!atUse && use != reason->place) {
      note(use, "its value is used here");
    }
  }
}

/// Argument `argument` of the call being made, or where that is not known the call.
static SourceRange placeOf(const Frame &frame, int argument) {
  bool isKnown = argument >= 0 && static_cast<size_t>(argument) < frame.argumentRanges.size();
  return isKnown ? frame.argumentRanges[argument] : frame.current;
}

void Walker::reportError(DiagID id, const llvm::Twine &message, int argument) {
  report(Severity::Error, id, placeOf(frame(), argument), message);
}

void Walker::reportWarning(DiagID id, const llvm::Twine &message, int argument) {
  report(Severity::Warning, id, placeOf(frame(), argument), message);
}

void Walker::reportNote(const llvm::Twine &message) { note(SourceRange(), message); }

void Walker::stopWalk() {
  // What a visit of a loop says may be taken back by the next.
  bool inLoop = llvm::any_of(frames, [](const auto &frame) { return frame->loopDepth > 0; });
  stop |= !muted && !inLoop;
}

bool Walker::isUserCode() {
  return frames.empty() || !frame().function ||
         frame().function->origin != FunctionRef::Origin::Library;
}

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
    diagnostic.expression = report.expression;
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

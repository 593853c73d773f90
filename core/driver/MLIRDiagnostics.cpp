//===- MLIRDiagnostics.cpp - Diagnostics of MLIR as those of the frontend ---===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MLIRDiagnostics.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace tegula::frontend;

namespace tegula::driver {

/// The innermost file position of a location and the call sites around it.
static void collectPlaces(Location location, llvm::SmallVectorImpl<FileLineColLoc> &places) {
  if (auto fileLoc = dyn_cast<FileLineColLoc>(location)) {
    places.push_back(fileLoc);
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    collectPlaces(call.getCallee(), places);
    collectPlaces(call.getCaller(), places);
  } else if (auto name = dyn_cast<NameLoc>(location)) {
    collectPlaces(name.getChildLoc(), places);
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    if (!fused.getLocations().empty()) {
      collectPlaces(fused.getLocations().front(), places);
    }
  }
}

/// The range of a place in `file`, or an invalid one when it lies elsewhere.
static SourceRange rangeOf(FileLineColLoc place, const SourceFile &file) {
  if (place.getFilename() != file.getName() || place.getLine() < file.getFirstLine()) {
    return {};
  }
  const unsigned index = place.getLine() - file.getFirstLine();
  if (index >= file.getNumLines()) {
    return {};
  }
  llvm::StringRef line = file.getLineText(index);
  unsigned column = place.getColumn() ? place.getColumn() - 1 : 0;
  column = std::min<unsigned>(column, line.size());
  return SourceRange(SourceLocation(&file, file.getLineStart(index) + column));
}

static std::string describe(FileLineColLoc place) {
  return (place.getFilename().str() + ":" + llvm::Twine(place.getLine()) + ":" +
          llvm::Twine(place.getColumn()))
      .str();
}

/// Takes a trailing ` [identifier]` off `message`. Messages of MLIR itself have none.
static std::string takeIdentifier(std::string &message) {
  const size_t open = message.rfind(" [");
  if (open != std::string::npos && message.back() == ']') {
    llvm::StringRef id = llvm::StringRef(message).substr(open + 2).drop_back();
    // An identifier is one word with - or _ in it; lists such as [4, 2] and types end
    // messages, too.
    const bool word = llvm::all_of(
        id, [](char c) { return llvm::isLower(c) || llvm::isDigit(c) || c == '-' || c == '_'; });
    if (word && !id.empty() && llvm::isLower(id.front()) && id.find_first_of("-_") != id.npos) {
      std::string found = id.str();
      message.resize(open);
      return found;
    }
  }
  return "invalid-ir";
}

void addMLIRDiagnostic(frontend::DiagnosticEngine &engine, const SourceFile &file,
                       mlir::Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() == DiagnosticSeverity::Note) {
    return;
  }
  llvm::SmallVector<FileLineColLoc> places;
  collectPlaces(diagnostic.getLocation(), places);
  std::string message = diagnostic.str();
  const std::string id = takeIdentifier(message);
  SourceRange range;
  if (!places.empty()) {
    range = rangeOf(places.front(), file);
    if (!range.isValid()) {
      message = describe(places.front()) + ": " + message;
    }
  }
  const Severity severity = diagnostic.getSeverity() == DiagnosticSeverity::Error ? Severity::Error
                            : diagnostic.getSeverity() == DiagnosticSeverity::Warning
                                ? Severity::Warning
                                : Severity::Remark;
  frontend::Diagnostic &added = engine.report(severity, id, range, message);
  for (FileLineColLoc caller : llvm::drop_begin(places, places.empty() ? 0 : 1)) {
    SourceRange at = rangeOf(caller, file);
    added.addNote(at, at.isValid() ? "called from here" : "called from " + describe(caller));
  }
  for (mlir::Diagnostic &note : diagnostic.getNotes()) {
    llvm::SmallVector<FileLineColLoc> notePlaces;
    collectPlaces(note.getLocation(), notePlaces);
    std::string text = note.str();
    if (llvm::StringRef(text).starts_with("see current operation")) {
      continue; // the operation as MLIR sees it, which can fill screens
    }
    if (llvm::StringRef hint = text; hint.consume_front("hint: ")) {
      added.setHint(hint);
      continue;
    }
    added.addNote(notePlaces.empty() ? SourceRange() : rangeOf(notePlaces.front(), file), text);
  }
}

std::string diagnosticsToJson(const frontend::DiagnosticEngine &engine) {
  auto place = [](llvm::json::Object &object, SourceRange range) {
    if (!range.isValid()) {
      return;
    }
    const LineColumn begin = range.getBegin().getLineColumn(), end = range.getEnd().getLineColumn();
    object["file"] = range.file->getName();
    object["line"] = begin.line;
    object["column"] = begin.column;
    object["end_line"] = end.line;
    object["end_column"] = end.column;
  };
  llvm::json::Array array;
  for (const frontend::Diagnostic &diagnostic : engine.getDiagnostics()) {
    llvm::json::Object object{{"severity", getSeverityName(diagnostic.severity)},
                              {"id", diagnostic.id},
                              {"message", diagnostic.message},
                              {"hint", diagnostic.hint}};
    place(object, diagnostic.range);
    // Left out where it says no more than the place, or lies elsewhere.
    const SourceRange &at = diagnostic.range, &around = diagnostic.expression;
    if (at.isValid() && around.isValid() && around.file == at.file && around.begin <= at.begin &&
        at.begin < around.end && around != at) {
      llvm::json::Object expression;
      place(expression, diagnostic.expression);
      object["expression"] = std::move(expression);
    }
    llvm::json::Array notes;
    for (const DiagnosticNote &note : diagnostic.notes) {
      llvm::json::Object noteObject{{"message", note.message}};
      place(noteObject, note.range);
      notes.push_back(std::move(noteObject));
    }
    object["notes"] = std::move(notes);
    array.push_back(std::move(object));
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(array));
  return text;
}

} // namespace tegula::driver

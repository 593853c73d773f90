//===- Diagnostics.cpp - Collecting and printing messages -----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Frontend/Diagnostics.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Unicode.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace tegula::frontend;
using llvm::StringRef;

StringRef tegula::frontend::getSeverityName(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Remark:
    return "remark";
  }
  return "error";
}

Diagnostic &Diagnostic::setHint(const llvm::Twine &text) {
  hint = text.str();
  return *this;
}

Diagnostic &Diagnostic::addNote(SourceRange where, const llvm::Twine &text) {
  notes.push_back({where, text.str()});
  return *this;
}

//===----------------------------------------------------------------------===//
// Engine
//===----------------------------------------------------------------------===//

const SourceFile &DiagnosticEngine::addFile(StringRef name, StringRef text, uint32_t firstLine,
                                            uint32_t columnOffset) {
  files.push_back(std::make_unique<SourceFile>(name, text, firstLine, columnOffset));
  return *files.back();
}

Diagnostic &DiagnosticEngine::report(Severity severity, StringRef id, SourceRange range,
                                     const llvm::Twine &message) {
  bool keep = numErrors < errorLimit;
  if (severity == Severity::Error) {
    ++numErrors;
  }
  if (!keep) {
    dropped = Diagnostic();
    return dropped;
  }
  Diagnostic &diag = diagnostics.emplace_back();
  diag.severity = severity;
  diag.id = id.str();
  diag.range = range;
  diag.message = message.str();
  return diag;
}

void DiagnosticEngine::addNote(SourceRange where, const llvm::Twine &text) {
  if (!diagnostics.empty()) {
    diagnostics.back().addNote(where, text);
  }
}

void DiagnosticEngine::render(llvm::raw_ostream &os) const {
  for (const Diagnostic &diag : diagnostics) {
    renderDiagnostic(os, diag);
  }
  if (numErrors > errorLimit) {
    os << "error: too many errors, " << (numErrors - errorLimit) << " more not shown\n";
  }
}

std::string DiagnosticEngine::str() const {
  std::string result;
  llvm::raw_string_ostream os(result);
  render(os);
  return result;
}

//===----------------------------------------------------------------------===//
// Rendering
//===----------------------------------------------------------------------===//

namespace {

/// A piece of a source line as it is shown: one code point, a tab made spaces.
struct Cell {
  std::string text;
  unsigned width;
  uint32_t offset; // of its first byte
};

/// More columns than this are cut out around the caret.
constexpr unsigned kMaxWidth = 160;

} // namespace

static unsigned getSequenceLength(StringRef text) {
  unsigned char c = static_cast<unsigned char>(text.front());
  unsigned wanted = c < 0xC0 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
  unsigned length = 1;
  while (length < wanted && length < text.size() &&
         (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) {
    ++length;
  }
  return length;
}

/// Splits a line, which starts at offset `lineStart`, into cells.
static void splitLine(StringRef line, uint32_t lineStart, llvm::SmallVectorImpl<Cell> &cells) {
  unsigned column = 0;
  for (size_t i = 0; i < line.size();) {
    Cell cell;
    cell.offset = lineStart + static_cast<uint32_t>(i);
    unsigned char c = static_cast<unsigned char>(line[i]);
    unsigned length = getSequenceLength(line.substr(i));
    if (c == '\t') {
      cell.width = 8 - column % 8;
      cell.text.assign(cell.width, ' ');
    } else if (c < 0x20 || c == 0x7F) {
      cell.width = 1;
      cell.text = c == '\f' ? " " : "?";
    } else if (c < 0x80) {
      cell.width = 1;
      cell.text.assign(1, static_cast<char>(c));
    } else {
      StringRef sequence = line.substr(i, length);
      int width = llvm::sys::unicode::columnWidthUTF8(sequence);
      bool printable = width >= 0;
      cell.width = printable ? static_cast<unsigned>(width) : 1;
      cell.text = printable ? sequence.str() : "?";
    }
    column += cell.width;
    i += length;
    cells.push_back(std::move(cell));
  }
}

static void renderPlace(llvm::raw_ostream &os, SourceRange range) {
  if (!range.isValid()) {
    return;
  }
  LineColumn place = range.getBegin().getLineColumn();
  os << range.file->getName() << ':' << place.line << ':' << place.column << ": ";
}

/// Source line and caret line of a range; of a range over several lines, the part
/// in the first line.
static void renderSnippet(llvm::raw_ostream &os, SourceRange range) {
  if (!range.isValid()) {
    return;
  }
  const SourceFile &file = *range.file;
  uint32_t index = file.getLineIndex(range.begin);
  uint32_t start = file.getLineStart(index);
  StringRef line = file.getLineText(index);
  if (index == 0 && line.consume_front("\xEF\xBB\xBF")) {
    start += 3;
  }
  // Of a line of megabytes only the neighbourhood is looked at.
  constexpr uint32_t kMargin = 4 * kMaxWidth;
  uint32_t caret = range.begin > start ? range.begin - start : 0;
  bool cutFront = caret > 2 * kMargin;
  if (cutFront) {
    uint32_t skip = caret - kMargin;
    while (skip < line.size() && (static_cast<unsigned char>(line[skip]) & 0xC0) == 0x80) {
      ++skip;
    }
    line = line.drop_front(std::min<size_t>(skip, line.size()));
    start += skip;
  }
  bool cutBack = line.size() > 4 * kMargin;
  line = line.take_front(4 * kMargin);

  llvm::SmallVector<Cell, 128> cells;
  splitLine(line, start, cells);
  size_t first = 0, last = cells.size();
  size_t caretCell = static_cast<size_t>(
      std::find_if(cells.begin(), cells.end(),
                   [&](const Cell &cell) { return cell.offset >= range.begin; }) -
      cells.begin());
  if (last > kMaxWidth || cutFront || cutBack) {
    first = caretCell > kMaxWidth / 2 ? caretCell - kMaxWidth / 2 : 0;
    last = std::min(cells.size(), first + kMaxWidth);
    cutFront |= first != 0;
    cutBack |= last != cells.size();
  }

  std::string text = cutFront ? "..." : "";
  std::string marks(text.size(), ' ');
  bool marked = false;
  for (size_t i = first; i != last; ++i) {
    const Cell &cell = cells[i];
    text += cell.text;
    bool inside = cell.offset >= range.begin && cell.offset < range.end;
    bool isCaret = !marked && cell.offset >= range.begin && cell.width != 0;
    for (unsigned k = 0; k != cell.width; ++k) {
      marks += isCaret && k == 0 ? '^' : inside ? '~' : ' ';
    }
    marked |= isCaret;
  }
  if (!marked) {
    marks += '^';
  }
  text += cutBack ? "..." : "";
  os << StringRef(text).rtrim(' ') << '\n' << StringRef(marks).rtrim(' ') << '\n';
}

void tegula::frontend::renderDiagnostic(llvm::raw_ostream &os, const Diagnostic &diag) {
  renderPlace(os, diag.range);
  os << getSeverityName(diag.severity) << ": " << diag.message;
  if (!diag.id.empty()) {
    os << " [" << diag.id << ']';
  }
  os << '\n';
  renderSnippet(os, diag.range);
  for (const DiagnosticNote &note : diag.notes) {
    renderPlace(os, note.range);
    os << "note: " << note.message << '\n';
    renderSnippet(os, note.range);
  }
  if (!diag.hint.empty()) {
    os << "hint: " << diag.hint << '\n';
  }
}

//===- DiagnosticsTest.cpp - Places and printed messages --------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SyntaxFixture.h"

using namespace tegula::frontend;

static std::string place(const SourceFile &file, uint32_t offset) {
  LineColumn result = file.getLineColumn(offset);
  return std::to_string(result.line) + ":" + std::to_string(result.column);
}

/// The printed form of one error at bytes `[begin, end)`.
static std::string show(llvm::StringRef text, uint32_t begin, uint32_t end) {
  DiagnosticEngine diags;
  const SourceFile &file = diags.addFile("k.py", text);
  diags.report(Severity::Error, "test", SourceRange(&file, begin, end), "wrong");
  return diags.str();
}

TEST(SourceFile, Lines) {
  SourceFile file("k.py", "ab\ncd\r\ne\rf");
  EXPECT_EQ(file.getNumLines(), 4u);
  EXPECT_EQ(file.getLineText(0), "ab");
  EXPECT_EQ(file.getLineText(1), "cd");
  EXPECT_EQ(file.getLineText(2), "e");
  EXPECT_EQ(file.getLineText(3), "f");
  EXPECT_EQ(file.getLineText(4), "");
  EXPECT_EQ(place(file, 0), "1:1");
  EXPECT_EQ(place(file, 2), "1:3");
  EXPECT_EQ(place(file, 3), "2:1");
  EXPECT_EQ(place(file, 7), "3:1");
  EXPECT_EQ(place(file, 9), "4:1");
  EXPECT_EQ(place(file, 99), "4:2");
}

TEST(SourceFile, ExtractedFunctionsKeepTheirPlace) {
  SourceFile file("k.py", "def f():\n  x\n", 40, 4);
  EXPECT_EQ(place(file, 0), "40:5");
  EXPECT_EQ(place(file, 11), "41:7");
}

TEST(SourceFile, ColumnsCountCodePoints) {
  SourceFile file("k.py", "\xEF\xBB\xBFäö = 变\tx\n");
  EXPECT_EQ(place(file, 3), "1:1");
  EXPECT_EQ(place(file, 5), "1:2");
  EXPECT_EQ(place(file, 13), "1:7"); // the tab
  EXPECT_EQ(place(file, 14), "1:8");
}

TEST(SourceFile, Empty) {
  SourceFile file("k.py", "");
  EXPECT_EQ(place(file, 0), "1:1");
  EXPECT_EQ(file.getLineText(0), "");
  EXPECT_EQ(SourceLocation().getLineColumn().line, 0u);
}

TEST(Diagnostics, CaretAndTildes) {
  EXPECT_EQ(show("x = abc + 1\n", 4, 7), "k.py:1:5: error: wrong [test]\n"
                                         "x = abc + 1\n"
                                         "    ^~~\n");
  EXPECT_EQ(show("x = abc", 7, 7), "k.py:1:8: error: wrong [test]\n"
                                   "x = abc\n"
                                   "       ^\n");
}

TEST(Diagnostics, RangeOverLinesShowsTheFirst) {
  EXPECT_EQ(show("f(a,\n  b)\n", 1, 9), "k.py:1:2: error: wrong [test]\n"
                                        "f(a,\n"
                                        " ^~~\n");
}

TEST(Diagnostics, TabsAreExpanded) {
  EXPECT_EQ(show("\tx\ty\n", 3, 4), "k.py:1:4: error: wrong [test]\n"
                                    "        x       y\n"
                                    "                ^\n");
}

TEST(Diagnostics, NonAsciiText) {
  // Two columns wide, one code point.
  EXPECT_EQ(show("é变 = x", 8, 9), "k.py:1:6: error: wrong [test]\n"
                                   "é变 = x\n"
                                   "      ^\n");
  EXPECT_EQ(show("变量 + 1", 0, 6), "k.py:1:1: error: wrong [test]\n"
                                    "变量 + 1\n"
                                    "^~~~\n");
  EXPECT_EQ(show("a\xFF x", 3, 4), "k.py:1:4: error: wrong [test]\n"
                                   "a? x\n"
                                   "   ^\n");
}

TEST(Diagnostics, LongLinesAreCut) {
  std::string text(1000000, 'a');
  std::string shown = show(text, 500000, 500003);
  EXPECT_LT(shown.size(), 1000u);
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(shown).split(lines, '\n');
  EXPECT_EQ(lines[0], "k.py:1:500001: error: wrong [test]");
  EXPECT_TRUE(lines[1].starts_with("...aaa"));
  EXPECT_TRUE(lines[1].ends_with("aaa..."));
  EXPECT_EQ(lines[2].ltrim(' '), "^~~");
}

TEST(Diagnostics, NotesAndHint) {
  DiagnosticEngine diags;
  const SourceFile &library = diags.addFile("lib.py", "def f(x):\n    return y\n");
  const SourceFile &file = diags.addFile("k.py", "f(1)\n", 7);
  diags.report(Severity::Error, "name", SourceRange(&library, 21, 22), "name 'y' is not defined")
      .setHint("did you mean 'x'?")
      .addNote(SourceRange(&file, 0, 4), "called from here")
      .addNote(SourceRange(), "no place");
  EXPECT_EQ(diags.str(), "lib.py:2:12: error: name 'y' is not defined [name]\n"
                         "    return y\n"
                         "           ^\n"
                         "k.py:7:1: note: called from here\n"
                         "f(1)\n"
                         "^~~~\n"
                         "note: no place\n"
                         "hint: did you mean 'x'?\n");
}

TEST(Diagnostics, WarningsAreNoErrors) {
  DiagnosticEngine diags;
  diags.report(Severity::Warning, "w", SourceRange(), "careful");
  EXPECT_FALSE(diags.hasErrors());
  EXPECT_EQ(diags.str(), "warning: careful [w]\n");
}

TEST(Diagnostics, ErrorLimit) {
  DiagnosticEngine diags(3);
  for (int i = 0; i != 10; ++i) {
    diags.report(Severity::Error, "e", SourceRange(), "wrong").setHint("x");
  }
  EXPECT_EQ(diags.getDiagnostics().size(), 3u);
  EXPECT_EQ(diags.getNumErrors(), 10u);
  EXPECT_TRUE(llvm::StringRef(diags.str()).ends_with("too many errors, 7 more not shown\n"));
}

TEST(Diagnostics, ReferencesStayValid) {
  DiagnosticEngine diags;
  Diagnostic &first = diags.report(Severity::Error, "e", SourceRange(), "first");
  for (int i = 0; i != 50; ++i) {
    diags.report(Severity::Warning, "w", SourceRange(), "more");
  }
  first.addNote(SourceRange(), "late");
  EXPECT_EQ(diags.getDiagnostics().front().notes.size(), 1u);
}

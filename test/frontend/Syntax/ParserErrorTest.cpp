//===- ParserErrorTest.cpp - Errors, recovery and hostile texts -------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SyntaxFixture.h"

#include <chrono>
#include <random>

using namespace tegula::frontend;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

TEST(ParserErrors, MissingColon) {
  EXPECT_EQ(parse("if x\n  y\n"), "1:5: expected ':' after if condition, got newline\n");
  EXPECT_EQ(parse("for i in x\n  y\n"), "1:11: expected ':' after for header, got newline\n");
  EXPECT_EQ(parse("while x y\n"), "1:9: expected ':' after while condition, got name 'y'\n");
  EXPECT_EQ(parse("def f()\n  y\n"), "1:8: expected ':' after function header, got newline\n");
  EXPECT_EQ(parse("if x:\n  y\nelse\n  z\n"), "3:5: expected ':' after 'else', got newline\n");
}

TEST(ParserErrors, Blocks) {
  EXPECT_EQ(parse("if x:\ny\n"), "2:1: expected an indented block, got name 'y'\n");
  EXPECT_EQ(parse("if x:"), "1:6: expected an indented block, got end of file\n");
  EXPECT_EQ(parse("x = 1\n  y = 2\n"), "2:3: unexpected indent\n");
  EXPECT_EQ(parse("else:\n  x\n"),
            "1:1: unexpected keyword 'else': no statement here that it continues\n");
  EXPECT_EQ(parse("try:\n  x\ny\n"),
            "3:1: expected 'except' or 'finally' after try block, got name 'y'\n");
  EXPECT_EQ(parse("if x: if y: z\n"),
            "1:7: expected a simple statement on this line, got keyword 'if'\n");
  EXPECT_EQ(parse("@d\nx = 1\n"),
            "2:1: expected a function or class definition after decorator, got name 'x'\n");
}

TEST(ParserErrors, MissingBlockHasNote) {
  SourceFile file("t.py", "while x:\ny\n");
  ASTContext context;
  DiagnosticEngine diags;
  parseModule(file, context, diags);
  EXPECT_EQ(diags.str(), "t.py:2:1: error: expected an indented block, got name 'y' [indentation]\n"
                         "y\n"
                         "^\n"
                         "t.py:1:1: note: block belongs to this statement\n"
                         "while x:\n"
                         "^~~~~\n");
  EXPECT_EQ(diags.getDiagnostics().front().id, "indentation");
}

TEST(ParserErrors, Expressions) {
  EXPECT_EQ(parse("x = \n"), "1:5: expected an expression, got newline\n");
  EXPECT_EQ(parse("x = a +\n"), "1:8: expected an expression, got newline\n");
  EXPECT_EQ(parse("x = a b\n"), "1:7: expected end of statement, got name 'b'\n");
  EXPECT_EQ(parse("x = a if b\n"),
            "1:11: expected 'else' after condition of a conditional expression, got newline\n");
  EXPECT_EQ(parse("x = class\n"), "1:5: expected an expression, got keyword 'class'\n");
  EXPECT_EQ(parse("a.1\n"), "1:2: expected end of statement, got number '.1'\n");
  EXPECT_EQ(parse("a.if\n"), "1:3: expected attribute name after '.', got keyword 'if'\n");
  EXPECT_EQ(parse("x[]\n"), "1:3: expected an index, got ']'\n");
  EXPECT_EQ(parse("(*a)\n"), "1:2: starred expression cannot stand alone in parentheses\n");
  EXPECT_EQ(parse("*a\n"), "1:1: starred expression cannot stand alone\n");
  EXPECT_EQ(parse("x := 1\n"), "1:3: expected end of statement, got ':='\n");
  EXPECT_EQ(parse("(x.y := 1)\n"), "1:2: cannot use ':=' with attribute, only with a name\n");
}

TEST(ParserErrors, Brackets) {
  EXPECT_EQ(parse("f(a b)\n"), "1:5: expected ',' or ')', got name 'b'\n");
  EXPECT_EQ(parse("[a b]\n"), "1:4: expected ',' or ']', got name 'b'\n");
  EXPECT_EQ(parse("{a: b c}\n"), "1:7: expected ',' or '}', got name 'c'\n");
  EXPECT_EQ(parse("{a: b, c}\n"), "1:9: expected ':' after dict key, got '}'\n");
  EXPECT_EQ(parse("f(a))\n"), "1:5: unmatched ')'\n");
  EXPECT_EQ(parse("f(a\ny = 2\nz = +\n"), "1:2: '(' was never closed\n"
                                          "3:6: expected an expression, got newline\n");
  EXPECT_EQ(parse("f(a\n  b)\ny = +\n"), "2:3: expected ',' or ')', got name 'b'\n"
                                         "3:6: expected an expression, got newline\n");
}

TEST(ParserErrors, Targets) {
  EXPECT_EQ(parse("f(x) = 1\n"), "1:1: cannot assign to function call\n");
  EXPECT_EQ(parse("a, b + c = 1\n"), "1:4: cannot assign to binary operation\n");
  EXPECT_EQ(parse("None = 1\n"), "1:1: cannot assign to None\n");
  EXPECT_EQ(parse("1 = x\n"), "1:1: cannot assign to literal\n");
  EXPECT_EQ(parse("a, b += 1\n"),
            "1:1: expected a single target for augmented assignment, got tuple\n");
  EXPECT_EQ(parse("a, b: int\n"), "1:1: expected a single target for annotation, got tuple\n");
  EXPECT_EQ(parse("*a = 1\n"), "1:1: starred target must be in a list or tuple\n");
  EXPECT_EQ(parse("*a, *b = c\n"), "1:5: expected at most one starred target\n");
  EXPECT_EQ(parse("for f() in x: pass\n"), "1:5: cannot assign to function call\n");
  EXPECT_EQ(parse("del f()\n"), "1:5: cannot delete function call\n");
  EXPECT_EQ(parse("with a as 1: pass\n"), "1:11: cannot assign to literal\n");
}

TEST(ParserErrors, Calls) {
  EXPECT_EQ(parse("f(a=1, b)\n"), "1:8: positional argument follows keyword argument\n");
  EXPECT_EQ(parse("f(a=1, a=2)\n"), "1:8: argument 'a' is given twice\n");
  EXPECT_EQ(parse("f(a.b=1)\n"), "1:3: expected a name before '=' in a call, got attribute\n");
  EXPECT_EQ(parse("f(**a, *b)\n"), "1:8: '*' argument follows '**' argument\n");
  EXPECT_EQ(parse("f(x for x in y, 1)\n"), "1:3: generator expression must be in parentheses\n");
}

TEST(ParserErrors, Parameters) {
  EXPECT_EQ(parse("def f(a, a): pass\n"), "1:10: duplicate parameter 'a'\n");
  EXPECT_EQ(parse("def f(a=1, b): pass\n"),
            "1:12: parameter 'b' without a default follows one with a default\n");
  EXPECT_EQ(parse("def f(**k, a): pass\n"), "1:12: no parameter can follow '**k'\n");
  EXPECT_EQ(parse("def f(*): pass\n"), "1:7: expected a named parameter after '*'\n");
  EXPECT_EQ(parse("def f(*, **k): pass\n"), "1:7: expected a named parameter after '*'\n");
  EXPECT_EQ(parse("def f(*a, *b): pass\n"), "1:11: '*' may appear only once\n");
  EXPECT_EQ(parse("def f(/, a): pass\n"), "1:7: at least one parameter must precede '/'\n");
  EXPECT_EQ(parse("def f(*a, /): pass\n"), "1:11: '/' must be ahead of '*'\n");
  EXPECT_EQ(parse("def f(1): pass\n"), "1:7: expected a parameter name, got integer '1'\n");
  EXPECT_EQ(parse("def f(*a=1): pass\n"), "1:9: parameter '*a' cannot have a default\n");
}

TEST(ParserErrors, Imports) {
  EXPECT_EQ(parse("from import x\n"),
            "1:6: expected module name after 'from', got keyword 'import'\n");
  EXPECT_EQ(parse("from a import b,\n"), "1:17: trailing comma is only allowed in parentheses\n");
  EXPECT_EQ(parse("import a.\n"), "1:10: expected module name after 'import', got newline\n");
}

TEST(ParserErrors, Hints) {
  auto hint = [](llvm::StringRef text) {
    SourceFile file("t.py", text);
    ASTContext context;
    DiagnosticEngine diags;
    parseModule(file, context, diags);
    return diags.getDiagnostics().empty() ? std::string("none") : diags.getDiagnostics()[0].hint;
  };
  EXPECT_EQ(hint("print 'x'\n"), "print is a function: print(...)");
  EXPECT_EQ(hint("x := 1\n"), "use '=' to assign in a statement");
  EXPECT_EQ(hint("if (y = 1): pass\n"), "use '==' to compare");
  EXPECT_EQ(hint("if y = 1: pass\n"), "use '==' to compare");
  EXPECT_EQ(hint("x = 0777\n"), "write an octal number as 0o...");
}

//===----------------------------------------------------------------------===//
// Recovery
//===----------------------------------------------------------------------===//

TEST(ParserRecovery, OneErrorPerStatement) {
  EXPECT_EQ(parse("a = = 1\nb = 2\nc d\ndef f(:\n  x\n  y\ne f\n"),
            "1:5: expected an expression, got '='\n"
            "3:3: expected end of statement, got name 'd'\n"
            "4:7: expected a parameter name, got ':'\n"
            "7:3: expected end of statement, got name 'f'\n");
}

TEST(ParserRecovery, InsideBlocks) {
  EXPECT_EQ(parse("def f():\n  a b\n  if x\n    c d\n  else:\n    e f\n  g h\ni j\n"),
            "2:5: expected end of statement, got name 'b'\n"
            "3:7: expected ':' after if condition, got newline\n"
            "7:5: expected end of statement, got name 'h'\n"
            "8:3: expected end of statement, got name 'j'\n");
}

TEST(ParserRecovery, LexicalErrorsAreNotRepeated) {
  EXPECT_EQ(parse("x = 'a\ny = $\nz = 0777 + 1\n"),
            "1:5: unterminated string literal\n"
            "2:5: unexpected character '$'\n"
            "3:5: leading zeros are not allowed in a decimal integer literal\n");
}

TEST(ParserRecovery, UnclosedBracketBeforeDefinition) {
  EXPECT_EQ(parse("x = f(1,\n\ndef g(a):\n    b c\n"),
            "1:6: '(' was never closed\n"
            "4:7: expected end of statement, got name 'c'\n");
}

TEST(ParserRecovery, OpenBracketAfterError) {
  // The statement ends where a line is not indented deeper.
  EXPECT_EQ(parse("x = f(a b\ny = +\n"), "1:9: expected ',' or ')', got name 'b'\n"
                                         "2:6: expected an expression, got newline\n");
  EXPECT_EQ(parse("def g():\n  f(a b,\n    c\n  d e\n"),
            "2:7: expected ',' or ')', got name 'b'\n"
            "4:5: expected end of statement, got name 'e'\n");
  EXPECT_EQ(parse("f(\n  a b,\n  c\n)\nd e\n"), "2:5: expected ',' or ')', got name 'b'\n"
                                                "5:3: expected end of statement, got name 'e'\n");
}

TEST(ParserRecovery, StopsAtErrorLimit) {
  SourceFile file("t.py", "a b\n"
                          "c\n"
                          "d e\n"
                          "f g\n"
                          "h i\n");
  ASTContext context;
  DiagnosticEngine diags(3);
  parseModule(file, context, diags);
  EXPECT_EQ(diags.getNumErrors(), 3u);
}

/// Number of errors, and the notes of the last.
static std::string countErrors(const std::string &text) {
  SourceFile file("t.py", text);
  ASTContext context;
  DiagnosticEngine diags;
  parseModule(file, context, diags);
  std::string result = std::to_string(diags.getNumErrors());
  for (const DiagnosticNote &note : diags.getDiagnostics().back().notes) {
    result += ": " + note.message;
  }
  return result;
}

TEST(ParserRecovery, GivesUp) {
  std::string prose, mixed, nested = "def f():\n";
  for (int i = 0; i != 100000; ++i) {
    prose += "a b\n\nc\n";
    mixed += "a b\nc = 1\n";
    nested += "    a b\n    f(1)\n";
  }
  EXPECT_EQ(countErrors(prose), "5: 5 statements in a row have errors, so the rest of the file is "
                                "not read; is it Python?");
  EXPECT_EQ(countErrors(mixed), "20: after 20 errors the rest of the file is not read");
  EXPECT_EQ(countErrors(nested), "20: after 20 errors the rest of the file is not read");
  // Not if there is nothing left.
  EXPECT_EQ(countErrors("a b\nc d\ne f\ng h\ni j\n"), "5");
}

TEST(ParserRecovery, OneErrorALine) {
  EXPECT_EQ(parse("f(a b $ \xE2\x80\x9C, 0777)\n$\n"),
            "1:5: expected ',' or ')', got name 'b'\n2:1: unexpected character '$'\n");
}

TEST(ParserRecovery, NothingOfHugeFiles) {
  EXPECT_EQ(parse(std::string((64 << 20) + 1, '#')), "1:1: the file is larger than 64 MiB\n");
}

TEST(ParserRecovery, NothingOfOtherEncodings) {
  EXPECT_EQ(parse("a b\n# caf\xE9\nc d\n"), "2:6: invalid UTF-8 byte 0xe9\n");
}

//===----------------------------------------------------------------------===//
// Hostile texts
//===----------------------------------------------------------------------===//

static std::string repeat(llvm::StringRef text, size_t times) {
  std::string result;
  for (size_t i = 0; i != times; ++i) {
    result += text;
  }
  return result;
}

/// The first message of a text that nests too deeply.
static std::string firstError(llvm::StringRef text) {
  SourceFile file("t.py", text);
  ASTContext context;
  DiagnosticEngine diags;
  parseModule(file, context, diags);
  return diags.getDiagnostics().empty() ? "none" : diags.getDiagnostics().front().message;
}

TEST(ParserLimits, Nesting) {
  const std::string message = "code is nested too deeply: more than 200 levels";
  const size_t kMany = 10000;
  EXPECT_EQ(firstError(repeat("(", kMany) + repeat(")", kMany)), message);
  EXPECT_EQ(firstError(repeat("[", kMany)), message);
  EXPECT_EQ(firstError(repeat("{1:", kMany)), message);
  EXPECT_EQ(firstError(repeat("f(", kMany)), message);
  EXPECT_EQ(firstError(repeat("x[", kMany)), message);
  EXPECT_EQ(firstError(repeat("-", kMany) + "x"), message);
  EXPECT_EQ(firstError(repeat("not ", kMany) + "x"), message);
  EXPECT_EQ(firstError(repeat("lambda: ", kMany) + "x"), message);
  EXPECT_EQ(firstError(repeat("x if y else ", kMany) + "x"), message);
  EXPECT_EQ(firstError(repeat("x ** ", kMany) + "x"), message);
  EXPECT_EQ(firstError(repeat("f'{", kMany)), message);
  EXPECT_EQ(firstError(repeat("f'{x:{", kMany)), message);
  EXPECT_EQ(firstError("match x:\n case " + repeat("[", kMany)), message);
  EXPECT_EQ(firstError("match x:\n case " + repeat("[", kMany) + repeat("]", kMany) + ": pass\n"),
            message);
  EXPECT_EQ(firstError("with " + repeat("(", kMany) + repeat(")", kMany) + ": pass\n"), message);
  EXPECT_EQ(firstError("for " + repeat("(", kMany)), message);
}

TEST(ParserLimits, NestingBelowTheLimit) {
  EXPECT_EQ(firstError(repeat("(", 150) + "x" + repeat(")", 150)), "none");
  EXPECT_EQ(firstError(repeat("-", 150) + "x"), "none");
}

TEST(ParserLimits, Chains) {
  const std::string message = "expression is too complex: more than 1000 operations in one chain";
  EXPECT_EQ(firstError(repeat("x + ", 900) + "x\n"), "none");
  EXPECT_EQ(firstError(repeat("x + ", 10000) + "x\n"), message);
  EXPECT_EQ(firstError("x" + repeat(".a", 10000)), message);
  EXPECT_EQ(firstError("x" + repeat("()", 10000)), message);
  // Chains within brackets add up.
  std::string nested = "x";
  for (int i = 0; i != 150; ++i) {
    nested = "(" + nested + repeat(" + x", 100) + ")";
  }
  EXPECT_EQ(firstError(nested), message);
  // Flat lists are not chains.
  EXPECT_EQ(firstError("f(" + repeat("x, ", 20000) + ")"), "none");
  EXPECT_EQ(firstError(repeat("x and ", 20000) + "x"), "none");
  EXPECT_EQ(firstError(repeat("x < ", 20000) + "x"), "none");
  EXPECT_EQ(firstError(repeat("'a' ", 20000)), "none");
}

TEST(ParserLimits, ElifChains) {
  EXPECT_EQ(firstError("if x: y\n" + repeat("elif x: y\n", 900)), "none");
  EXPECT_EQ(firstError("if x: y\n" + repeat("elif x: y\n", 10000)),
            "too many branches: more than 1000 levels of 'if' and 'elif'");
}

static const char *const kKernel = R"py(# Layer norm with café in a comment
import triton, triton.language as tl

@triton.autotune(configs=[triton.Config({'B': 64}, num_warps=4)], key=["n"])
@triton.jit
def kernel(x_ptr, y_ptr, n, eps: tl.constexpr = 1e-5, *, B: tl.constexpr):
    """Doc
    string"""
    pid = tl.program_id(0); offs = pid * B + tl.arange(0, B)[:, None]
    acc = tl.zeros((B, 1), dtype=tl.float32)
    for i in tl.range(0, n, num_stages=3):
        mask = (offs < n) & ~(offs == 0x7FFF_FFFF)
        x = tl.load(x_ptr + offs, mask=mask, other=0.0).to(tl.float32)
        if i > 0 and not mask is None:
            acc += tl.where(mask, x ** 2, -x) if B >= 64 else x
        elif i < -1_0:
            acc = acc // 2 % 3 | 1 << 4
        else:
            tl.static_print(f"{i!r:>{B}} {x=} {{}}", 'a' "b\n", r'\d')
    while pid:
        pid -= 1
    tl.store(y_ptr + offs, acc, mask=[m for m in (mask,) if m][0])

kernel[(1,)](a, *b, **{"n": 1}, B=64)
)py";

/// Parses and prints, expecting nothing but to come back.
static unsigned survive(llvm::StringRef text) {
  SourceFile file("t.py", text);
  ASTContext context;
  DiagnosticEngine diags;
  Module *module = parseModule(file, context, diags);
  std::string result = diags.str();
  llvm::raw_string_ostream os(result);
  dump(os, *module);
  ASTContext second;
  DiagnosticEngine secondDiags;
  FunctionDefStmt *def = parseFunctionSource(file, second, secondDiags);
  EXPECT_EQ(def == nullptr, secondDiags.hasErrors());
  return diags.getNumErrors();
}

TEST(ParserRobustness, SampleIsCorrect) { EXPECT_EQ(survive(kKernel), 0u); }

TEST(ParserRobustness, TruncatedAnywhere) {
  llvm::StringRef text = kKernel;
  unsigned failures = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    failures += survive(text.take_front(i)) != 0;
    survive(text.drop_front(i));
  }
  EXPECT_GT(failures, text.size() / 2);
}

TEST(ParserRobustness, BytesReplaced) {
  std::mt19937 random(1);
  const std::string original = kKernel;
  for (int i = 0; i != 3000; ++i) {
    std::string text = original;
    for (int k = 0; k <= i % 4; ++k) {
      text[random() % text.size()] = "()[]{}:\"'\\\n\t #f=,*\0\xFFé"[random() % 22];
    }
    survive(text);
  }
}

TEST(ParserRobustness, RandomBytes) {
  std::mt19937 random(2);
  for (int i = 0; i != 2000; ++i) {
    std::string text(random() % 300, '\0');
    for (char &c : text) {
      c = static_cast<char>(i % 2 ? random() : "()[]{}:\"'\\\n\t #f=,*xif1"[random() % 23]);
    }
    survive(text);
  }
}

TEST(ParserRobustness, TimeIsLinear) {
  // Each of these would take minutes in quadratic time.
  auto start = std::chrono::steady_clock::now();
  const size_t kMany = 200000;
  survive(repeat("(\n", kMany));
  survive(repeat("f'{\n", kMany));
  survive(repeat("f'''{x", kMany));
  survive(repeat("match (\n", kMany));
  survive(repeat("with (a\n", kMany));
  survive(repeat("with (a)\n", kMany));
  survive(repeat("x = f(\n", kMany));
  survive(repeat("\\\n", kMany));
  survive(repeat("'", kMany));
  survive(repeat("\"\"\"", kMany));
  survive(repeat(" \n", kMany));
  survive(repeat("x\n", kMany));
  survive("x = " + repeat("1", kMany));
  survive("x = 0x" + repeat("f", kMany));
  survive("x = 1e" + repeat("9", kMany));
  survive("x = 0." + repeat("0", kMany));
  survive("f(" + repeat("a=1, ", kMany) + ")");
  auto seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LT(std::chrono::duration_cast<std::chrono::seconds>(seconds).count(), 60);
}

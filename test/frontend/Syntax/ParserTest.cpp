//===- ParserTest.cpp - Trees of correct programs ---------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SyntaxFixture.h"

using namespace tegula::frontend;
using llvm::cast;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

TEST(ParserExpressions, Precedence) {
  EXPECT_EQ(parseLine("a + b * c"), "(+ a (* b c))");
  EXPECT_EQ(parseLine("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(parseLine("a | b ^ c & d << e + f * g"), "(| a (^ b (& c (<< d (+ e (* f g))))))");
  EXPECT_EQ(parseLine("a * b + c << d & e ^ f | g"), "(| (^ (& (<< (+ (* a b) c) d) e) f) g)");
  EXPECT_EQ(parseLine("a // b % c / d @ e"), "(@ (/ (% (// a b) c) d) e)");
  EXPECT_EQ(parseLine("(a + b) * c"), "(* (+ a b) c)");
}

TEST(ParserExpressions, PowerAndSigns) {
  EXPECT_EQ(parseLine("-a ** b"), "(- (** a b))");
  EXPECT_EQ(parseLine("a ** -b"), "(** a (- b))");
  EXPECT_EQ(parseLine("a ** b ** c"), "(** a (** b c))");
  EXPECT_EQ(parseLine("-2 ** -3 ** -x"), "(- (** 2 (- (** 3 (- x)))))");
  EXPECT_EQ(parseLine("~-+a"), "(~ (- (+ a)))");
  EXPECT_EQ(parseLine("await a ** b"), "(** (await a) b)");
  EXPECT_EQ(parseLine("-a.b(c)[d]"), "(- (index (call a.b c) d))");
}

TEST(ParserExpressions, Logic) {
  EXPECT_EQ(parseLine("a or b and not c"), "(or a (and b (not c)))");
  EXPECT_EQ(parseLine("a and b and c"), "(and a b c)");
  EXPECT_EQ(parseLine("(a and b) and c"), "(and (and a b) c)");
  EXPECT_EQ(parseLine("not a == b"), "(not (== a b))");
  EXPECT_EQ(parseLine("not not a"), "(not (not a))");
}

TEST(ParserExpressions, Comparisons) {
  EXPECT_EQ(parseLine("a < b"), "(< a b)");
  EXPECT_EQ(parseLine("a < b <= c != d"), "(compare a < b <= c != d)");
  EXPECT_EQ(parseLine("a is not b"), "(is not a b)");
  EXPECT_EQ(parseLine("a is (not b)"), "(is a (not b))");
  EXPECT_EQ(parseLine("a not in b"), "(not in a b)");
  EXPECT_EQ(parseLine("a | b in c + d"), "(in (| a b) (+ c d))");
}

TEST(ParserExpressions, ConditionalAndLambda) {
  EXPECT_EQ(parseLine("a if b else c if d else e"), "(ifexp b a (ifexp d c e))");
  EXPECT_EQ(parseLine("lambda: 0"), "(lambda () 0)");
  EXPECT_EQ(parseLine("lambda x, *a, y=1, **k: x if y else k"),
            "(lambda (x *a (y = 1) **k) (ifexp y x k))");
  EXPECT_EQ(parseLine("(x := 1, y := 2)"), "(tuple (:= x 1) (:= y 2))");
  EXPECT_EQ(parseLine("f(x := 1)"), "(call f (:= x 1))");
  EXPECT_EQ(parseLine("x[y := 1]"), "(index x (:= y 1))");
}

TEST(ParserExpressions, TuplesAndDisplays) {
  EXPECT_EQ(parseLine("()"), "(tuple)");
  EXPECT_EQ(parseLine("(a)"), "a");
  EXPECT_EQ(parseLine("a,"), "(tuple a)");
  EXPECT_EQ(parseLine("(a, b,)"), "(tuple a b)");
  EXPECT_EQ(parseLine("*a, b"), "(tuple (star a) b)");
  EXPECT_EQ(parseLine("[a, *b,]"), "(list a (star b))");
  EXPECT_EQ(parseLine("{}"), "(dict)");
  EXPECT_EQ(parseLine("{a: b, **c, d: e,}"), "(dict (pair a b) (** c) (pair d e))");
  EXPECT_EQ(parseLine("{a, *b}"), "(set a (star b))");
}

TEST(ParserExpressions, Comprehensions) {
  EXPECT_EQ(parseLine("[a for a in b if c if d]"), "(listcomp a (for a b c d))");
  EXPECT_EQ(parseLine("{a for a, b in c for d in e}"), "(setcomp a (for (tuple a b) c) (for d e))");
  EXPECT_EQ(parseLine("{k: v for k, v in x}"), "(dictcomp k v (for (tuple k v) x))");
  EXPECT_EQ(parseLine("f(a for a in b)"), "(call f (genexp a (for a b)))");
  EXPECT_EQ(parseLine("(a async for a in b)"), "(genexp a (async-for a b))");
  EXPECT_EQ(parseLine("[a for a in lambda: x, y]"),
            "1:13: expected an expression, got keyword 'lambda'");
}

TEST(ParserExpressions, CallsAndSubscripts) {
  EXPECT_EQ(parseLine("f(a, *b, c=1, *d, **e)"), "(call f a (star b) (star d) (= c 1) (** e))");
  EXPECT_EQ(parseLine("k[grid](x, BLOCK=64,)"), "(call (index k grid) x (= BLOCK 64))");
  EXPECT_EQ(parseLine("x[:, None]"), "(index x (tuple (slice _ _) None))");
  EXPECT_EQ(parseLine("x[a:b:c, ::d, e:]"),
            "(index x (tuple (slice a b c) (slice _ _ d) (slice e _)))");
  EXPECT_EQ(parseLine("x[...]"), "(index x ...)");
  EXPECT_EQ(parseLine("x[a,]"), "(index x (tuple a))");
  EXPECT_EQ(parseLine("x[*a]"), "(index x (tuple (star a)))");
  EXPECT_EQ(parseLine("a.b.c"), "a.b.c");
}

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

TEST(ParserLiterals, Integers) {
  EXPECT_EQ(parseLine("0"), "0");
  EXPECT_EQ(parseLine("0xFFFF_0000"), "4294901760");
  EXPECT_EQ(parseLine("0b101"), "5");
  EXPECT_EQ(parseLine("0o1777777777777777777777"), "18446744073709551615");
  EXPECT_EQ(parseLine("18446744073709551616"), "18446744073709551616");
  EXPECT_EQ(parseLine("0x1_0000_0000_0000_0000_0000_0000_0000_0000"),
            "340282366920938463463374607431768211456");
  EXPECT_EQ(parseLine("340282366920938463463374607431768211456"),
            "340282366920938463463374607431768211456");
  EXPECT_EQ(parseLine("0o7777777777777777777777777777777777777777777"),
            "680564733841876926926749214863536422911");
  EXPECT_EQ(parseLine(std::string(4301, '9')), "1:1: number has more than 4300 digits");
}

TEST(ParserLiterals, IntegerWidth) {
  SourceFile file("t.py", "0\n0xFFFFFFFFFFFFFFFF\n1 << 1\n2_0000_0000_0000_0000_0000\n"
                          "0x1_0000_0000_0000_0000_0000_0000_0000_0000\n");
  ASTContext context;
  DiagnosticEngine diags;
  Module *module = parseModule(file, context, diags);
  ASSERT_FALSE(diags.hasErrors());
  auto value = [&](size_t i) { return cast<ConstantExpr>(cast<ExprStmt>(module->body[i])->value); };
  EXPECT_TRUE(value(0)->getInt().isZero());
  EXPECT_TRUE(value(1)->getInt().isAllOnes());
  EXPECT_EQ(value(1)->getInt().getBitWidth(), 64u);
  EXPECT_EQ(value(3)->getInt().getBitWidth(), 128u);
  EXPECT_FALSE(value(3)->exceeds128Bits());
  EXPECT_TRUE(value(4)->exceeds128Bits());
}

TEST(ParserLiterals, Floats) {
  EXPECT_EQ(parseLine("1_000.5"), "1000.5f");
  EXPECT_EQ(parseLine("1e3"), "1000f");
  EXPECT_EQ(parseLine(".5"), "0.5f");
  EXPECT_EQ(parseLine("5."), "5f");
  EXPECT_EQ(parseLine("0.1"), "0.10000000000000001f");
  EXPECT_EQ(parseLine("1e400"), "inff");
  EXPECT_EQ(parseLine("1e-400"), "0f");
  EXPECT_EQ(parseLine("5e-324"), "4.9406564584124654e-324f");
  EXPECT_EQ(parseLine("1.44269504"), "1.44269504f");
  EXPECT_EQ(parseLine("2.5j"), "2.5j");
}

TEST(ParserLiterals, Strings) {
  EXPECT_EQ(parseLine(R"('a' "b")"), R"("ab")");
  EXPECT_EQ(parseLine(R"('\n\t\\\'\x41\101\u00e9\q')"), R"("\0A\09\\'AA\C3\A9\\q")");
  EXPECT_EQ(parseLine(R"(r'\n\'')"), R"("\\n\\'")");
  EXPECT_EQ(parseLine(R"('\N{EM DASH}\U0001F600')"), R"("\E2\80\94\F0\9F\98\80")");
  EXPECT_EQ(parseLine("'a\\\nb'"), R"("ab")");
  EXPECT_EQ(parseLine("'''a\r\nb\rc'''"), R"("a\0Ab\0Ac")");
  EXPECT_EQ(parseLine(R"(b'\x80\u0041')"), R"(b"\80\\u0041")");
  EXPECT_EQ(parseLine("('a'\n 'b')"), R"("ab")");
  EXPECT_EQ(parseLine("u'x'"), R"("x")");
}

TEST(ParserLiterals, BadStrings) {
  EXPECT_EQ(parse(R"(x = '\x4')"), "1:6: expected 2 hexadecimal digits after '\\x', got 1\n");
  EXPECT_EQ(parse(R"('\U00110000')"), "1:2: expected a code point up to 10ffff, got 00110000\n");
  EXPECT_EQ(parse(R"('\N{NO SUCH THING}')"), "1:2: unknown character name 'NO SUCH THING'\n");
  EXPECT_EQ(parse("b'é'"), "1:3: expected ASCII characters in a bytes literal\n");
  EXPECT_EQ(parse("b'a' 'b'"), "1:6: cannot join bytes and string literals\n");
}

TEST(ParserLiterals, FStrings) {
  EXPECT_EQ(parseLine("f''"), "(fstring)");
  EXPECT_EQ(parseLine("f'a{b}c' 'd' f'{e}'"), R"((fstring "a" (field b) "cd" (field e)))");
  EXPECT_EQ(parseLine("f'{a!r:>{w}.2f}'"), R"((fstring (field a !r : ">" (field w) ".2f")))");
  EXPECT_EQ(parseLine("f'{{{a}}}'"), R"((fstring "{" (field a) "}"))");
  EXPECT_EQ(parseLine("f'{a = }'"), R"((fstring "a = " (field a !r)))");
  EXPECT_EQ(parseLine("f'{a=:x}'"), R"((fstring "a=" (field a : "x")))");
  EXPECT_EQ(parseLine("f'{a, b}'"), "(fstring (field (tuple a b)))");
  EXPECT_EQ(parseLine("f'{x[\"k\"]}'"), R"((fstring (field (index x "k"))))");
  EXPECT_EQ(parseLine("f'{(lambda x: x)(1)}'"), "(fstring (field (call (lambda (x) x) 1)))");
  EXPECT_EQ(parseLine("rf'\\n{a}'"), R"((fstring "\\n" (field a)))");
  EXPECT_EQ(parseLine("f'\\n\\{a}'"), R"((fstring "\0A\\" (field a)))");
  EXPECT_EQ(parseLine("f'{a:}'"), "(fstring (field a :))");
}

TEST(ParserLiterals, BadFStrings) {
  EXPECT_EQ(parse("f'{}'"), "1:4: expected an expression in f-string field, got '}'\n");
  EXPECT_EQ(parse("f'{a!x}'"),
            "1:6: expected conversion 'r', 's' or 'a' after '!', got name 'x'\n");
  EXPECT_EQ(parse("f'{a b}'"), "1:6: expected '}' after f-string field, got name 'b'\n");
  // The rest of the file is read again after the broken string.
  EXPECT_EQ(parse("x = f'{a\ny = 1\nz = +\n"), "1:7: '{' was never closed\n"
                                               "3:6: expected an expression, got newline\n");
}

TEST(ParserLiterals, Words) {
  EXPECT_EQ(parseLine("None, True, False, ..."), "(tuple None True False ...)");
}

//===----------------------------------------------------------------------===//
// Simple statements
//===----------------------------------------------------------------------===//

TEST(ParserStatements, Assignments) {
  EXPECT_EQ(parse("a = b = c, d\n"), "= a b (tuple c d)\n");
  EXPECT_EQ(parse("a, (b, *c), d.e, f[0] = x\n"),
            "= (tuple a (tuple b (star c)) d.e (index f 0)) x\n");
  EXPECT_EQ(parse("a += b; a **= c; a //= d; a @= e; a >>= 1\n"),
            "+= a b\n**= a c\n//= a d\n@= a e\n>>= a 1\n");
  EXPECT_EQ(parse("a: tl.constexpr = 4\nb.c: int\n"), ": a tl.constexpr = 4\n: b.c int\n");
  EXPECT_EQ(parse("x = yield y\nx = *a, b\n"), "= x (yield y)\n= x (tuple (star a) b)\n");
  EXPECT_EQ(parse("match = type = case = 1\nmatch.x\nmatch(x)\ntype(x)\n"),
            "= match type case 1\nmatch.x\n(call match x)\n(call type x)\n");
}

TEST(ParserStatements, Others) {
  EXPECT_EQ(parse("pass; break; continue\nreturn\nreturn a, *b\n"),
            "pass\nbreak\ncontinue\nreturn\nreturn (tuple a (star b))\n");
  EXPECT_EQ(parse("del a, b[0]\nglobal x, y\nnonlocal z\n"),
            "del a (index b 0)\nglobal x y\nnonlocal z\n");
  EXPECT_EQ(parse("raise\nraise A\nraise A from b\nassert a, 'm'\n"),
            "raise\nraise A\nraise A from b\nassert a \"m\"\n");
  EXPECT_EQ(parse("import a.b as c, d\nfrom .... import x\nfrom ..m.n import (p as q, r,)\n"
                  "from z import *\n"),
            "import a.b as c d\nfrom .... import x\nfrom ..m.n import p as q r\n"
            "from z import *\n");
  EXPECT_EQ(parse("type X[T: int] = list\n"), "type X list\n");
}

//===----------------------------------------------------------------------===//
// Compound statements
//===----------------------------------------------------------------------===//

TEST(ParserStatements, Functions) {
  EXPECT_EQ(parse("@triton.jit\n@f(1)\ndef k(a, /, b: tl.constexpr = 4, *c, d=5, **e) -> int:\n"
                  "  'doc'\n  pass\n"),
            "@triton.jit\n@(call f 1)\n"
            "def k (a / (b : tl.constexpr = 4) *c (d = 5) **e) -> int\n"
            "  \"doc\"\n  pass\n");
  EXPECT_EQ(parse("def f(*, a, b=1): return a\n"), "def f (* a (b = 1))\n  return a\n");
  EXPECT_EQ(parse("def f[T, *U, **V](a: T,): pass\n"), "def f ((a : T))\n  pass\n");
  EXPECT_EQ(parse("async def f():\n  async with a: pass\n  async for b in c: await d\n"),
            "async def f ()\n  async with a\n    pass\n  async for b c\n    (await d)\n");
  EXPECT_EQ(parse("class A(B, m=C): x = 1\nclass D: pass\n"),
            "class A B (= m C)\n  = x 1\nclass D\n  pass\n");
}

TEST(ParserStatements, Branches) {
  EXPECT_EQ(parse("if a:\n  b\nelif c: d\nelse:\n  e\n"), "if a\n  b\nelif c\n  d\nelse\n  e\n");
  EXPECT_EQ(parse("if a: b\nelse:\n  if c: d\n"), "if a\n  b\nelse\n  if c\n    d\n");
  EXPECT_EQ(parse("while (n := f()) > 0:\n  a\nelse:\n  b\n"),
            "while (> (:= n (call f)) 0)\n  a\nelse\n  b\n");
  EXPECT_EQ(parse("for i, (j, *k) in *a, b:\n  pass\nelse: c\n"),
            "for (tuple i (tuple j (star k))) (tuple (star a) b)\n  pass\nelse\n  c\n");
}

TEST(ParserStatements, TryAndWith) {
  EXPECT_EQ(parse("try:\n  a\nexcept (A, B) as e:\n  b\nexcept:\n  c\nelse:\n  d\nfinally:\n  e\n"),
            "try\n  a\nexcept (tuple A B) as e\n  b\nexcept\n  c\nelse\n  d\nfinally\n  e\n");
  EXPECT_EQ(parse("try: a\nexcept* A: b\n"), "try\n  a\nexcept* A\n  b\n");
  EXPECT_EQ(parse("with a as b, c: pass\n"), "with a as b c\n  pass\n");
  EXPECT_EQ(parse("with (a as b, c as (d, e),): pass\n"), "with a as b c as (tuple d e)\n  pass\n");
  EXPECT_EQ(parse("with (a, b): pass\n"), "with a b\n  pass\n");
  EXPECT_EQ(parse("with (a, b) as c: pass\n"), "with (tuple a b) as c\n  pass\n");
  EXPECT_EQ(parse("with (a).b as c, (d): pass\n"), "with a.b as c d\n  pass\n");
  EXPECT_EQ(parse("with (x for x in y): pass\n"), "with (genexp x (for x y))\n  pass\n");
}

TEST(ParserStatements, Match) {
  EXPECT_EQ(parse("match x:\n"
                  "  case 0 | -1.5: a\n"
                  "  case [a, *_] if b: c\n"
                  "  case {'k': v, **r}: d\n"
                  "  case P(1, y=z) as p: e\n"
                  "  case m.C, None: f\n"
                  "  case _: g\n"),
            "match x\n"
            "  case (| 0 (- 1.5f))\n    a\n"
            "  case (list a (star _)) if b\n    c\n"
            "  case (dict (pair \"k\" v) (** r))\n    d\n"
            "  case (:= p (call P 1 (= y z)))\n    e\n"
            "  case (tuple m.C None)\n    f\n"
            "  case _\n    g\n");
  EXPECT_EQ(parse("match [a]:\n  case b: pass\n"), "match (list a)\n  case b\n    pass\n");
  EXPECT_EQ(parse("match[a] = b\n"), "= (index match a) b\n");
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

TEST(ParserRanges, Expressions) {
  SourceFile file("t.py", "y = (a + b) * f(c,\n  d)[0].e if not (x) else -z ** 2\n");
  ASTContext context;
  DiagnosticEngine diags;
  Module *module = parseModule(file, context, diags);
  ASSERT_FALSE(diags.hasErrors());
  auto *assign = cast<AssignStmt>(module->body[0]);
  auto *choice = cast<IfExpExpr>(assign->value);
  auto *product = cast<BinOpExpr>(choice->body);
  EXPECT_EQ(assign->range.getText(), file.getText().drop_back());
  EXPECT_EQ(assign->targets[0]->range.getText(), "y");
  EXPECT_EQ(product->range.getText(), "(a + b) * f(c,\n  d)[0].e");
  EXPECT_EQ(product->lhs->range.getText(), "a + b");
  EXPECT_TRUE(product->lhs->parenthesized);
  EXPECT_FALSE(product->rhs->parenthesized);
  EXPECT_EQ(product->opRange.getText(), "*");
  EXPECT_EQ(cast<AttributeExpr>(product->rhs)->attrRange.getText(), "e");
  EXPECT_EQ(choice->test->range.getText(), "not (x)");
  EXPECT_EQ(choice->orelse->range.getText(), "-z ** 2");
}

TEST(ParserRanges, Statements) {
  SourceFile file("t.py", "@d\ndef f(a: int = 1, *b):\n  if x:\n    y\n  # end\n\nz = 1\n");
  ASTContext context;
  DiagnosticEngine diags;
  Module *module = parseModule(file, context, diags);
  ASSERT_FALSE(diags.hasErrors());
  auto *def = cast<FunctionDefStmt>(module->body[0]);
  EXPECT_EQ(def->range.getText(), "def f(a: int = 1, *b):\n  if x:\n    y");
  EXPECT_EQ(def->nameRange.getText(), "f");
  EXPECT_EQ(def->params[0].range.getText(), "a: int = 1");
  EXPECT_EQ(def->params[1].range.getText(), "*b");
  EXPECT_EQ(def->params[1].nameRange.getText(), "b");
  EXPECT_EQ(def->body[0]->range.getText(), "if x:\n    y");
}

//===----------------------------------------------------------------------===//
// Texts of one function
//===----------------------------------------------------------------------===//

/// Parses as parseFunctionSource does; the name and body size, or the errors.
static std::string parseFunction(llvm::StringRef text, uint32_t firstLine = 1) {
  SourceFile file("t.py", text, firstLine);
  ASTContext context;
  DiagnosticEngine diags;
  FunctionDefStmt *def = parseFunctionSource(file, context, diags);
  EXPECT_EQ(def == nullptr, diags.hasErrors());
  if (!def) {
    return listErrors(diags);
  }
  return def->name.str() + " " + std::to_string(def->body.size());
}

TEST(ParserFunctionSource, Indented) {
  EXPECT_EQ(parseFunction("    @jit\n    def f(x):\n        a\n        b\n"), "f 2");
  EXPECT_EQ(parseFunction("\t@jit\n\tdef f(x):\n\t\ta\n\t\tb\n"), "f 2");
  EXPECT_EQ(parseFunction("    def f(x):\n        a\n# far left\n\n        b"), "f 2");
  EXPECT_EQ(parseFunction("    def f(x,\n y):\n        '''a\nb'''\n        c"), "f 2");
}

TEST(ParserFunctionSource, Errors) {
  EXPECT_EQ(parseFunction(""), "1:1: expected a function definition, got nothing\n");
  EXPECT_EQ(parseFunction("x = 1\n"), "1:1: expected a function definition, got assignment\n");
  EXPECT_EQ(parseFunction("def f(): pass\nx = 1\n"),
            "2:1: expected nothing after the function definition, got assignment\n");
  EXPECT_EQ(parseFunction("    def f():\n      x = 1 1\n", 10),
            "11:13: expected end of statement, got integer '1'\n");
  EXPECT_EQ(parseFunction("    def f():\n        a\n  b\n"),
            "3:3: unindent does not match any outer indentation level\n");
}

TEST(ParserFunctionSource, NamesStatements) {
  const std::pair<const char *, const char *> statements[] = {
      {"class C: pass", "class definition"},
      {"return 1", "return statement"},
      {"del x", "del statement"},
      {"x = 1", "assignment"},
      {"x += 1", "augmented assignment"},
      {"x: int = 1", "annotated assignment"},
      {"type T = int", "type statement"},
      {"for x in y: pass", "for loop"},
      {"while x: pass", "while loop"},
      {"if x: pass", "if statement"},
      {"with x: pass", "with statement"},
      {"match x:\n  case 1: pass", "match statement"},
      {"raise x", "raise statement"},
      {"try: pass\nfinally: pass", "try statement"},
      {"assert x", "assert statement"},
      {"import x", "import statement"},
      {"from x import y", "from-import statement"},
      {"global x", "global statement"},
      {"nonlocal x", "nonlocal statement"},
      {"f(x)", "expression statement"},
      {"pass", "pass statement"},
      {"break", "break statement"},
      {"continue", "continue statement"},
  };
  for (auto [text, name] : statements) {
    EXPECT_EQ(parseFunction(std::string(text) + "\n"),
              "1:1: expected a function definition, got " + std::string(name) + "\n");
  }
}

TEST(ParserFunctionSource, Docstring) {
  SourceFile file("t.py", "def f():\n  'a' 'b'\ndef g(): f''\n");
  ASTContext context;
  DiagnosticEngine diags;
  Module *module = parseModule(file, context, diags);
  ASSERT_FALSE(diags.hasErrors());
  const ConstantExpr *doc = cast<FunctionDefStmt>(module->body[0])->getDocstring();
  ASSERT_NE(doc, nullptr);
  EXPECT_EQ(doc->text, "ab");
  EXPECT_EQ(cast<FunctionDefStmt>(module->body[1])->getDocstring(), nullptr);
}

//===- LexerTest.cpp - Tokens ------------------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SyntaxFixture.h"

using namespace tegula::frontend;
using namespace std::string_literals;

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

TEST(Lexer, EmptyTexts) {
  EXPECT_EQ(lex(""), "");
  EXPECT_EQ(lex("\n\n  \n"), "");
  EXPECT_EQ(lex("# only a comment"), "");
  EXPECT_EQ(lex("\xEF\xBB\xBF"), "");
}

TEST(Lexer, Blocks) {
  EXPECT_EQ(lex("if x:\n  a\n  b\nc\n"), "if x : NL IN a NL b NL DE c NL");
  EXPECT_EQ(lex("if x:\n  if y:\n    a\nb"), "if x : NL IN if y : NL IN a NL DE DE b NL");
  EXPECT_EQ(lex("if x:\n  if y:\n    a"), "if x : NL IN if y : NL IN a NL DE DE");
}

TEST(Lexer, BlankLinesAndCommentsDoNotIndent) {
  EXPECT_EQ(lex("if x:\n  a\n\n# c\n      # d\n  b\n"), "if x : NL IN a NL b NL DE");
}

TEST(Lexer, LineEnds) {
  EXPECT_EQ(lex("a\r\nb\rc\n"), "a NL b NL c NL");
  EXPECT_EQ(lex("if x:\r\n  a\r\nb"), "if x : NL IN a NL DE b NL");
  EXPECT_EQ(lex("\xEF\xBB\xBF"
                "a\n"),
            "a NL");
  EXPECT_EQ(lex("\f\na\n\fb\n"), "a NL b NL");
}

TEST(Lexer, BracketsJoinLines) {
  EXPECT_EQ(lex("f(a,\n# c\n     b)\nc"), "f ( a , b ) NL c NL");
  EXPECT_EQ(lex("[\n{\n(\n)\n}\n]\n"), "[ { ( ) } ] NL");
}

TEST(Lexer, BackslashJoinsLines) {
  EXPECT_EQ(lex("a = \\\n    1\nb"), "a = 1 NL b NL");
  EXPECT_EQ(lexErrors("a = \\ 1\n"),
            "1:5: expected newline after line continuation character '\\'\n");
  EXPECT_EQ(lexErrors("a = \\\n"), "2:1: unexpected end of file after line continuation\n");
  EXPECT_EQ(lexErrors("a = \\"), "1:6: unexpected end of file after line continuation\n");
}

TEST(Lexer, TabsReachToMultiplesOfEight) {
  EXPECT_EQ(lex("if x:\n\ta\n\tb\nc"), "if x : NL IN a NL b NL DE c NL");
  EXPECT_EQ(lex("if x:\n  \ta\n  \tb\n"), "if x : NL IN a NL b NL DE");
  EXPECT_EQ(lexErrors("if x:\n        a\n\tb\n"),
            "3:2: inconsistent use of tabs and spaces in indentation\n");
  EXPECT_EQ(lexErrors("if x:\n  if y:\n\ta\n"),
            "3:2: inconsistent use of tabs and spaces in indentation\n");
}

TEST(Lexer, UnindentMustMatch) {
  // Only one error, although the next lines stay at the odd column.
  EXPECT_EQ(lexErrors("if x:\n        a\n    b\n    c\nd\n"),
            "3:5: unindent does not match any outer indentation level\n");
  EXPECT_EQ(lex("if x:\n        a\n    b\n    c\nd\n"), "if x : NL IN a NL b NL c NL DE d NL");
}

TEST(Lexer, TooManyLevels) {
  std::string text;
  for (int i = 0; i != 102; ++i) {
    text += std::string(i, ' ') + "if x:\n";
  }
  EXPECT_EQ(lexErrors(text),
            "102:102: blocks are nested too deeply: more than 100 levels of indentation\n");
}

TEST(Lexer, IndentedStart) {
  EXPECT_EQ(lex("    a\n    if x:\n      b\n    c\n", true), "a NL if x : NL IN b NL DE c NL");
  EXPECT_EQ(lex("\ta\n\tb\n", true), "a NL b NL");
  EXPECT_EQ(lex("    a\n"), "IN a NL DE");
}

TEST(Lexer, UnclosedBracketEndsBeforeStatementKeyword) {
  EXPECT_EQ(lexErrors("x = f(1\ndef g():\n  pass\n"), "1:6: '(' was never closed\n");
  EXPECT_EQ(lex("x = f(1\ndef g(): pass\n"), "x = f ( 1 ERR NL def g ( ) : pass NL");
  EXPECT_EQ(lexErrors("x = [1,\n  2\n"), "1:5: '[' was never closed\n");
  // Words that expressions have end nothing.
  EXPECT_EQ(lexErrors("x = [a\nfor a in b\nif c]\n"), "");
}

TEST(Lexer, UnmatchedBrackets) {
  EXPECT_EQ(lexErrors("a)\n"), "1:2: unmatched ')'\n");
  EXPECT_EQ(lexErrors("(a]\n"), "1:3: ']' does not match '('\n");
  EXPECT_EQ(lexErrors("}"), "1:1: unmatched '}'\n");
}

//===----------------------------------------------------------------------===//
// Operators and names
//===----------------------------------------------------------------------===//

TEST(Lexer, LongestOperator) {
  EXPECT_EQ(lex("a**=b//=c<<=d>>=e"), "a **= b //= c <<= d >>= e NL");
  EXPECT_EQ(lex("a:=b->c...d!=e@=f"), "a := b -> c ... d != e @= f NL");
  EXPECT_EQ(lex("a<b<=c==d>=e>f"), "a < b <= c == d >= e > f NL");
  EXPECT_EQ(lex("~a|b^c&d%e;.f"), "~ a | b ^ c & d % e ; . f NL");
  EXPECT_EQ(lex("a--b"), "a - - b NL");
}

TEST(Lexer, Keywords) {
  SourceFile file("t.py", "lambda lambda_ Lambda match");
  DiagnosticEngine diags;
  Lexer lexer(file, diags);
  EXPECT_EQ(lexer.next().kind, TokenKind::KwLambda);
  EXPECT_EQ(lexer.next().kind, TokenKind::Name);
  EXPECT_EQ(lexer.next().kind, TokenKind::Name);
  EXPECT_EQ(lexer.next().kind, TokenKind::Name);
}

TEST(Lexer, NonAsciiNames) {
  EXPECT_EQ(lex("größe = λ_1 + 变量\n"), "größe = λ_1 + 变量 NL");
  EXPECT_EQ(lexErrors("größe"), "");
}

TEST(Lexer, InvalidCharacters) {
  EXPECT_EQ(lexErrors("a $ b"), "1:3: unexpected character '$'\n");
  EXPECT_EQ(lexErrors("a ! b"), "1:3: unexpected character '!'\n");
  EXPECT_EQ(lexErrors("x = “a”"), "1:5: invalid character '“' (U+201C)\n"
                                  "1:7: invalid character '”' (U+201D)\n");
  EXPECT_EQ(lexErrors("é = € 1"), "1:5: invalid character '€' (U+20AC)\n");
  EXPECT_EQ(lexErrors("a\0b"s), "1:2: invalid control character 0x00\n");
  EXPECT_EQ(lexErrors("a \x7f"), "1:3: invalid control character 0x7f\n");
}

TEST(Lexer, EncodingErrorsAreLocated) {
  EXPECT_EQ(lexErrors("a = 1\nb = '\xE9'\n"), "2:6: invalid UTF-8 byte 0xe9\n");
  EXPECT_EQ(lexErrors("# \xFF\n"), "1:3: invalid UTF-8 byte 0xff\n");
  EXPECT_EQ(lexErrors("a\xC3"), "1:2: invalid UTF-8 byte 0xc3\n");
  // Overlong, surrogate, too large.
  EXPECT_EQ(lexErrors("\xC0\xAF"), "1:1: invalid UTF-8 byte 0xc0\n");
  EXPECT_EQ(lexErrors("'\xED\xA0\x80'"), "1:2: invalid UTF-8 byte 0xed\n");
  EXPECT_EQ(lexErrors("'\xF4\x90\x80\x80'"), "1:2: invalid UTF-8 byte 0xf4\n");
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

TEST(Lexer, Numbers) {
  EXPECT_EQ(lex("0 00 0_0 1_000 0xFF 0X_f 0o17 0b1_0"), "0 00 0_0 1_000 0xFF 0X_f 0o17 0b1_0 NL");
  EXPECT_EQ(lex("1. .5 1.5e10 1e-3 1_0.0_1e+1_0 1j 1.5J 007.5 00j"),
            "1. .5 1.5e10 1e-3 1_0.0_1e+1_0 1j 1.5J 007.5 00j NL");
  EXPECT_EQ(lex("1..real"), "1. . real NL");
  EXPECT_EQ(lex("1if 2else 3"), "1 if 2 else 3 NL");
  EXPECT_EQ(lex("0x1for x in y"), "0x1f or x in y NL");
}

TEST(Lexer, BadNumbers) {
  EXPECT_EQ(lexErrors("0777"), "1:1: leading zeros are not allowed in a decimal integer literal\n");
  EXPECT_EQ(lexErrors("x = 1_"), "1:5: invalid decimal literal: expected a digit after '_'\n");
  EXPECT_EQ(lexErrors("1__0"), "1:1: invalid decimal literal: expected a digit after '_'\n");
  EXPECT_EQ(lexErrors("1._0"), "1:1: invalid decimal literal: unexpected '_'\n");
  EXPECT_EQ(lexErrors("1abc"), "1:1: invalid decimal literal: unexpected 'a'\n");
  EXPECT_EQ(lexErrors("0x"), "1:1: invalid hexadecimal literal: expected a digit\n");
  EXPECT_EQ(lexErrors("0xg"), "1:1: invalid hexadecimal literal: expected a digit\n");
  EXPECT_EQ(lexErrors("0b2"), "1:1: invalid digit '2' in binary literal\n");
  EXPECT_EQ(lexErrors("0b12"), "1:1: invalid digit '2' in binary literal\n");
  EXPECT_EQ(lexErrors("0o8"), "1:1: invalid digit '8' in octal literal\n");
  EXPECT_EQ(lexErrors("1e+"), "1:1: invalid decimal literal: expected an exponent\n");
  EXPECT_EQ(lexErrors("1e"), "1:1: invalid decimal literal: unexpected 'e'\n");
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

TEST(Lexer, Strings) {
  EXPECT_EQ(lex(R"('a' "b" r'\' ')"), R"('a' "b" r'\' ' NL)");
  EXPECT_EQ(lex("'''a\n'b''' rb\"x\" BR'y' U'z'"), "'''a\n'b''' rb\"x\" BR'y' U'z' NL");
  EXPECT_EQ(lex("'a\\\nb'"), "'a\\\nb' NL");
  EXPECT_EQ(lex("'' ''''''"), "'' '''''' NL");
  EXPECT_EQ(lex("ru'x'"), "ru 'x' NL"); // no such prefix
}

TEST(Lexer, UnterminatedStrings) {
  EXPECT_EQ(lexErrors("x = 'abc\ny = 1\n"), "1:5: unterminated string literal\n");
  EXPECT_EQ(lexErrors("x = \"abc"), "1:5: unterminated string literal\n");
  EXPECT_EQ(lexErrors("x = 'abc\\"), "1:5: unterminated string literal\n");
  EXPECT_EQ(lexErrors("x = '''abc\n"), "1:5: unterminated triple-quoted string literal\n");
  EXPECT_EQ(lexErrors("x = f'abc\n"), "1:5: unterminated f-string literal\n");
  EXPECT_EQ(lexErrors("x = f'''abc\n"), "1:5: unterminated triple-quoted f-string literal\n");
}

TEST(Lexer, FStrings) {
  EXPECT_EQ(lex("f'a{b}c'"), "f' a { b } c ' NL");
  EXPECT_EQ(lex("f'{a!r:>{w}.2f}'"), "f' { a ! r : > { w } .2f } ' NL");
  EXPECT_EQ(lex("f'{{a}}'"), "f' {{a}} ' NL");
  EXPECT_EQ(lex("f'{ {1: 2}[1] }'"), "f' { { 1 : 2 } [ 1 ] } ' NL");
  EXPECT_EQ(lex("f'{a != b}'"), "f' { a != b } ' NL");
  EXPECT_EQ(lex("f'{x:=5}'"), "f' { x : =5 } ' NL");
  EXPECT_EQ(lex("f'{(x:=5)}'"), "f' { ( x := 5 ) } ' NL");
  EXPECT_EQ(lex("f'{lambda}'"), "f' { lambda } ' NL");
  EXPECT_EQ(lex("f'{f\"{x}\"}'"), "f' { f\" { x } \" } ' NL");
  EXPECT_EQ(lex("f'{'a'}'"), "f' { 'a' } ' NL"); // the same quotes, as in Python 3.12
  EXPECT_EQ(lex("f'\\N{DASH}{x}'"), "f' \\N{DASH} { x } ' NL");
  EXPECT_EQ(lex("rf'\\N{x}'"), "rf' \\N { x } ' NL");
  EXPECT_EQ(lex("f'''{\n x\n}'''"), "f''' { x } ''' NL");
}

TEST(Lexer, BadFStrings) {
  EXPECT_EQ(lexErrors("f'a}'"), "1:4: single '}' is not allowed in an f-string\n");
  EXPECT_EQ(lexErrors("f'{a'\n"), "1:5: expected '}' before end of f-string\n");
  EXPECT_EQ(lexErrors("f'{a:x'\n"), "1:7: expected '}' before end of f-string\n");
  EXPECT_EQ(lexErrors("f'{a)}'"), "1:5: expected '}' in f-string, got ')'\n");
}

TEST(Lexer, StringPrefixes) {
  StringPrefix prefix = getStringPrefix("Rb'''x'''");
  EXPECT_TRUE(prefix.isRaw);
  EXPECT_TRUE(prefix.isBytes);
  EXPECT_FALSE(prefix.isFormat);
  EXPECT_EQ(prefix.length, 2u);
  EXPECT_EQ(prefix.quoteLength, 3u);
  EXPECT_EQ(getStringPrefix("''").quoteLength, 1u);
}

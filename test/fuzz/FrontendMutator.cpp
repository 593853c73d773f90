//===- FrontendMutator.cpp - Mutations of kernel files --------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FrontendMutator.h"
#include "Text.h"

#include <algorithm>
#include <array>

namespace tegula::fuzz {

/// Words of the language, in groups that may replace one another.
static const Dictionary &dictionary() {
  static const Dictionary groups = {
      {"+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "@"},
      {"+=", "-=", "*=", "/=", "//=", "%=", "**=", "<<=", ">>=", "&=", "|=", "^=", "=", ":="},
      {"<", "<=", ">", ">=", "==", "!=", "is", "in", "and", "or"},
      {"not", "-", "~", "+"},
      {"if",       "while", "for",   "elif",   "else",   "return", "break",
       "continue", "pass",  "def",   "lambda", "assert", "with",   "try",
       "global",   "del",   "class", "match",  "import", "yield"},
      {"x", "y", "i", "n", "m", "acc", "out", "BLOCK", "N", "None", "True", "False", "self", "tl"},
      {"tl.int1", "tl.int8", "tl.int16", "tl.int32", "tl.int64", "tl.uint8", "tl.uint16",
       "tl.uint32", "tl.uint64", "tl.float16", "tl.bfloat16", "tl.float32", "tl.float64",
       "tl.float8e5", "tl.float8e4nv", "tl.constexpr", "tl.void", "tl.pointer_type(tl.int8)"},
      {"tl.arange", "tl.full", "tl.zeros", "tl.zeros_like", "tl.program_id", "tl.num_programs",
       "tl.cast", "tl.cdiv", "tl.next_power_of_2", "tl.constexpr", "tl.static_range", "tl.range"},
      {"tl.load",          "tl.store",
       "tl.where",         "tl.dot",
       "tl.reduce",        "tl.sum",
       "tl.max",           "tl.min",
       "tl.argmax",        "tl.argmin",
       "tl.xor_sum",       "tl.sort",
       "tl.cumsum",        "tl.associative_scan",
       "tl.atomic_add",    "tl.softmax",
       "tl.device_print",  "tl.static_print",
       "tl.static_assert", "tl.device_assert",
       "tl.assume",        "tl.debug_barrier"},
      {"tl.broadcast", "tl.broadcast_to", "tl.reshape", "tl.view", "tl.ravel", "tl.expand_dims",
       "tl.squeeze", "tl.permute", "tl.trans", "tl.item", "tl.join", "tl.split", "tl.cat",
       "tl.flip", "tl.gather", "tl.multiple_of", "tl.max_contiguous", "tl.max_constancy"},
      {"tl.exp",      "tl.exp2",         "tl.log",         "tl.log2",        "tl.sin",
       "tl.cos",      "tl.sqrt",         "tl.sqrt_rn",     "tl.rsqrt",       "tl.erf",
       "tl.floor",    "tl.ceil",         "tl.abs",         "tl.sigmoid",     "tl.fma",
       "tl.fdiv",     "tl.div_rn",       "tl.umulhi",      "tl.maximum",     "tl.minimum",
       "tl.clamp",    "tl.add",          "tl.mul",         "tl.logical_and", "tl.math.tanh",
       "tl.math.pow", "libdevice.atan2", "libdevice.isnan"},
      {"tl.rand", "tl.randn", "tl.randint", "tl.randint4x", "tl.philox", "tl.rand4x"},
      {"range",   "len",      "min",        "max",   "sum",       "abs",      "pow",
       "divmod",  "round",    "isinstance", "tuple", "list",      "str",      "repr",
       "getattr", "hasattr",  "type",       "zip",   "enumerate", "reversed", "all",
       "any",     "callable", "int",        "float", "bool",      "print"},
      {"mask=",
       "other=",
       "axis=",
       "keep_dims=True",
       "dtype=",
       "bitcast=True",
       "out_dtype=",
       "acc=",
       "input_precision=\"ieee\"",
       "num_stages=",
       "cache_modifier=\".cg\"",
       "step=",
       "eviction_policy=\"evict_first\"",
       "propagate_nan=tl.PropagateNan.ALL",
       "volatile=True",
       "can_reorder=True",
       "ieee_rounding=True",
       "return_indices=True",
       "*",
       "**"},
      {".to(", ".shape", ".dtype", ".type", ".T", ".element_ty", ".numel", ".reshape(", ".sum(",
       ".value", ".trans()", ".is_floating()", ".primitive_bitwidth", ".ravel()"},
      {"[None, :]", "[:, None]", "[:]", "[None]", "[0]", "[-1]", "[...]", "[None, None, :]", "[1:]",
       "[::2]", "[:, :, None]"},
      {"*fp32", "*fp16", "*i32", "*i1",  "*i64",       "*u8",      "*bf16", "*fp8e5",
       "i32",   "i64",   "u32",  "fp32", "fp64",       "fp16",     "i1",    "i8",
       "64",    "1",     "None", "True", "tl.float16", "constexpr"},
      {"f\"{x}\"", "\"\"",
       "'a'",      "b'x'",
       "r\"\\n\"", "f\"{x=!r:>{n}}\"",
       "\"\"\"",   "\\\n",
       "#",        ";",
       ":",        ",",
       ".",        "->",
       "...",      "(",
       ")",        "[",
       "]",        "{",
       "}",        "@tegula.jit\n"},
      {"(1, 2)",
       "()",
       "(x,)",
       "[x for x in y]",
       "{1: 2}",
       "x if y else n",
       "lambda a: a",
       "(yield)",
       "*x",
       "nan",
       "float(\"nan\")",
       "float(\"-inf\")",
       "1j",
       "0x1F",
       "1_000",
       "0b11",
       "x < y < n",
       "not x",
       "x[i]",
       "tl.float32(x)",
       "-0.0",
       "~x",
       "x @ y",
       "not (x and y)"}};
  return groups;
}

static size_t indentOf(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

/// Whole statements that can stand anywhere in a kernel.
static std::string inventStatement(Random &random) {
  static constexpr std::array<std::string_view, 32> statements = {
      "x = x + y",
      "acc += tl.sum(x, axis=0)",
      "x = x.to(tl.float16)",
      "x, y = y, x",
      "x = tl.where(i < n, x, 0)",
      "i = tl.arange(0, 16)",
      "x = tl.load(x + i, mask=i < n, other=0)",
      "tl.store(out + i, x, mask=i < n)",
      "y = tl.dot(x, x)",
      "x = x[:, None]",
      "return",
      "return x",
      "break",
      "continue",
      "assert n > 0, \"n\"",
      "tl.static_assert(N > 0)",
      "x = (1, 2, x)",
      "a, *b = x",
      "x = y = n",
      "del x",
      "n -= 1",
      "x = tl.full((4, 4), n, tl.int32)",
      "x = tl.reduce(x, 0, tl.maximum)",
      "x = tl.reshape(x, (2, -1))",
      "x = tl.zeros((N, N), dtype=tl.float32)",
      "x = not x and y or n",
      "x = 1 if n > 0 else 2.0",
      "def f(a, b=1, *c): return a + b",
      "x = helper(x, n)",
      "x: tl.constexpr = 4",
      "global N",
      "print(\"x\", x)"};
  return std::string(random.pick(statements));
}

/// Puts a range of lines under a header, one level deeper.
static std::string wrapLines(std::string_view text, Random &random) {
  static constexpr std::array<std::string_view, 18> headers = {
      "if n > 0:",
      "if x:",
      "if N == 1:",
      "if i is None:",
      "for k in range(n):",
      "for k in range(0, n, 2):",
      "for k in range(4, -1, -1):",
      "for k in tl.static_range(3):",
      "for k in tl.range(0, n, num_stages=2):",
      "for a, b in zip((1, 2), (x, y)):",
      "for k in (1, x, 2.5):",
      "while n > 0:",
      "while True:",
      "while x < 3 and n:",
      "with tl.static_range(2):",
      "try:",
      "def inner(x, n):",
      "if isinstance(x, tl.tensor):"};
  std::vector<std::string> lines = splitLines(text);
  if (lines.empty()) {
    return std::string(text);
  }
  const size_t begin = random.below(lines.size());
  const size_t end = std::min(begin + 1 + random.below(5), lines.size());
  const std::string indent(indentOf(lines[begin]), ' ');
  for (size_t i = begin; i < end; ++i) {
    lines[i].insert(0, "    ");
  }
  if (random.oneIn(4)) {
    lines.insert(lines.begin() + end,
                 indent + "else:\n" + indent + "    " + inventStatement(random) + "\n");
  }
  lines.insert(lines.begin() + begin, indent + std::string(random.pick(headers)) + "\n");
  return join(lines);
}

/// A new statement after a line, at its level.
static std::string addStatement(std::string_view text, Random &random) {
  std::vector<std::string> lines = splitLines(text);
  const size_t at = random.below(lines.size());
  size_t indent = lines.empty() ? 0 : indentOf(lines[at]);
  if (!lines.empty() && lines[at].find(":\n") != std::string::npos) {
    indent += 4;
  }
  lines.insert(lines.begin() + std::min(at + 1, lines.size()),
               std::string(indent, ' ') + inventStatement(random) + "\n");
  return join(lines);
}

std::string mutateKernelFile(std::string_view input, Random &random) {
  std::string text(input);
  for (size_t i = 0, count = 1 + random.below(4); i < count; ++i) {
    switch (random.below(16)) {
    case 0:
    case 1:
      text = wrapLines(text, random);
      break;
    case 2:
    case 3:
      text = addStatement(text, random);
      break;
    case 4:
    case 5:
    case 6:
      text = mutateLines(text, random);
      break;
    case 7:
      text = mutateBytes(text, random);
      break;
    default:
      // Attributes are words of their own so that `tl.load` can be replaced.
      text = mutateTokens(text, ".", dictionary(), random);
      break;
    }
  }
  return text;
}

} // namespace tegula::fuzz

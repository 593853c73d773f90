//===- IrMutator.cpp - Mutations of MLIR text -----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IrMutator.h"
#include "Text.h"

#include <algorithm>
#include <array>

namespace tegula::fuzz {

/// Words of IR, in groups that may replace one another.
static const Dictionary &dictionary() {
  static const Dictionary groups = {
      {"arith.addi", "arith.subi", "arith.muli", "arith.andi", "arith.ori", "arith.xori",
       "arith.maxsi", "arith.minsi", "arith.maxui", "arith.minui", "arith.shli", "arith.divsi",
       "arith.divui", "arith.remsi", "arith.ceildivsi", "arith.floordivsi"},
      {"arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.remf", "arith.maximumf",
       "arith.minimumf", "arith.maxnumf", "arith.minnumf", "math.powf", "math.atan2",
       "math.copysign"},
      {"math.exp",   "math.exp2",  "math.log",       "math.log2",  "math.sin",
       "math.cos",   "math.sqrt",  "math.rsqrt",     "math.erf",   "math.tanh",
       "math.floor", "math.ceil",  "math.absf",      "math.log1p", "math.expm1",
       "math.cbrt",  "math.trunc", "math.roundeven", "math.acosh", "arith.negf"},
      {"arith.extf", "arith.truncf", "arith.extsi", "arith.extui", "arith.trunci", "arith.sitofp",
       "arith.uitofp", "arith.fptosi", "arith.fptoui", "arith.bitcast", "arith.index_cast"},
      {"tile.div signed", "tile.div unsigned", "tile.rem signed", "tile.rem unsigned", "tile.shl",
       "tile.shr signed", "tile.shr unsigned"},
      {"tile.load", "tile.store", "tile.view_load", "tile.view_store", "tile.make_view"},
      {"tile.splat", "tile.broadcast", "tile.reshape", "tile.expand_dims", "tile.transpose",
       "tile.ptr_cast", "tile.ptr_to_int", "tile.int_to_ptr", "tile.addptr"},
      {"tile.range", "tile.program_id", "tile.num_programs", "tile.hint", "tile.assume",
       "tile.barrier", "tile.dot", "tile.reduce", "tile.yield", "tile.to_fp8", "tile.from_fp8"},
      {"i1",  "i8",   "i16",  "i32",  "i64",          "i128",     "index",
       "f16", "bf16", "f32",  "f64",  "f8E5M2",       "f8E4M3FN", "none",
       "i7",  "i0",   "f128", "tf32", "complex<f32>", "si32",     "ui8"},
      {"!tile.ptr<f32>", "!tile.ptr<i8>", "!tile.ptr<f16>", "!tile.ptr<i1>", "!tile.ptr<f32, 1>",
       "!tile.ptr<!tile.ptr<f32>>", "!llvm.ptr", "memref<4xf32>", "vector<8xf32>", "!tile.ptr"},
      {"tensor<64xf32>", "tensor<64xi32>", "tensor<64xi1>", "tensor<16x16xf32>", "tensor<1xf32>",
       "tensor<f32>", "tensor<?xf32>", "tensor<*xf32>", "tensor<0xf32>", "tensor<3xf32>",
       "tensor<64x!tile.ptr<f32>>", "tensor<1x64xf32>", "tensor<64x1xf32>", "tensor<2x2x2x2xi64>",
       "tensor<1048576xf32>", "tensor<4294967296xi8>", "tensor<64xf32, #tile>"},
      {"xf32", "xi32", "xi1", "xf16", "xi64", "x1xf32", "x16xf16", "x64xf32", "x1x1xi8", "x?xf32"},
      {"signed", "unsigned", "cg", "ca", "evict_first", "evict_last", "volatile", "nan", "zero",
       "tf32", "ieee", "bf16x3", "rtne", "rtz", "e4m3fn", "e5m2", "e4m3b15", "allow_reorder"},
      {"mask", "other", "axis", "order", "pad", "acc", "to", "cache", "evict", "attributes", "step",
       "iter_args", "else", "then", "checked", "fastmath<contract>", "fastmath<fast>"},
      {"eq", "ne", "slt", "sle", "sgt", "ult", "ule", "ugt", "oeq", "olt", "une", "uno", "ord"},
      {"arith.cmpi", "arith.cmpf", "arith.select", "arith.constant", "math.fma", "math.isnan"},
      {"scf.for", "scf.if", "scf.while", "scf.yield", "scf.condition", "scf.parallel", "func.call",
       "func.return", "return", "func.func", "func.func private", "cf.br", "scf.index_switch",
       "ub.poison", "vector.broadcast", "llvm.load", "llvm.store", "module", "builtin.module"},
      {"dense<0>",   "dense<1.0>", "dense<[1, 2]>",  "dense<>",       "dense<true>",
       "unit",       "0x7FC00000", "array<i64: 16>", "array<i64: 0>", "array<i64: -1>",
       "array<i64>", "0xFF800000", "-0.0",           "true",          "false",
       "\"a\"",      "[0, 1]",     "[1, 0]",         "[0, 0]",        "[]",
       "[1, 0, 2]"},
      {"tile.kernel", "tile.divisibility = 16 : i32", "tile.divisibility = 0 : i32",
       "tile.divisibility = -4 : i32", "tile.name = \"x\"", "tile.num_warps = 4 : i32",
       "divisibility", "contiguity", "constancy", "tile.noalias", "tile_cpu.scratch_bytes = -1"},
      {"%0", "%1", "%x", "%p", "%c", "%arg0", "%i", "%acc", "%cst", "@k", "@f", "^bb0", "%0#1"},
      {"tile_cpu.alloc", "tile_cpu.scratch", "loc(unknown)", "loc(\"a\":1:2)", "->", ":", ",",
       "="}};
  return groups;
}

/// Every occurrence of one word becomes another: types must often agree.
static std::string replaceAll(std::string_view text, std::string_view signs, Random &random) {
  std::vector<Token> tokens = tokenize(text, signs);
  if (tokens.empty()) {
    return std::string(text);
  }
  const Token chosen = tokens[random.below(tokens.size())];
  std::string to;
  for (const Words &group : dictionary()) {
    if (std::find(group.begin(), group.end(), chosen.text) != group.end()) {
      to = random.pick(group);
    }
  }
  if (chosen.kind == Token::Number) {
    static constexpr std::array<std::string_view, 14> numbers = {
        "0", "1", "2", "3", "4", "8", "16", "17", "32", "128", "1024", "65536", "-1", "2147483648"};
    to = random.oneIn(8) ? extremeNumber(random) : std::string(random.pick(numbers));
  }
  if (to.empty()) {
    return std::string(text);
  }
  for (Token &token : tokens) {
    if (token.text == chosen.text && token.kind == chosen.kind) {
      token.text = to;
    }
  }
  return join(tokens);
}

/// A use names another value that the text defines.
static std::string rewire(std::string_view text, std::string_view signs, Random &random) {
  std::vector<Token> tokens = tokenize(text, signs);
  std::vector<size_t> values;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].text.size() > 1 && tokens[i].text[0] == '%') {
      values.push_back(i);
    }
  }
  if (values.empty()) {
    return std::string(text);
  }
  tokens[random.pick(values)].text = tokens[random.pick(values)].text;
  return join(tokens);
}

/// Puts lines into a region that runs at most sometimes.
static std::string wrapLines(std::string_view text, Random &random) {
  static constexpr std::array<std::string_view, 4> headers = {
      "%c0w = arith.constant 0 : index\n%c4w = arith.constant 4 : index\n"
      "scf.for %w = %c0w to %c4w step %c4w {\n",
      "%tw = arith.constant true\nscf.if %tw {\n",
      "%lw = arith.constant 0 : i32\n%sw = arith.constant 1 : i32\n"
      "scf.for %w = %lw to %sw step %sw : i32 {\n",
      "scf.execute_region {\n"};
  std::vector<std::string> lines = splitLines(text);
  const size_t begin = random.below(lines.size());
  const size_t end = std::min(begin + 1 + random.below(6), lines.size());
  const std::string_view header = random.pick(headers);
  const bool needsYield = header == headers.back();
  lines.insert(lines.begin() + end, needsYield ? "scf.yield\n}\n" : "}\n");
  lines.insert(lines.begin() + begin, std::string(header));
  return join(lines);
}

std::string mutateIr(std::string_view input, Random &random) {
  // Types with their dimensions as one word, or cut into dimension and element.
  const std::string_view signs = random.oneIn(2) ? "%@!.#^" : "%@!.#^<>";
  std::string text(input);
  for (size_t i = 0, count = 1 + random.below(3); i < count; ++i) {
    switch (random.below(16)) {
    case 0:
    case 1:
    case 2:
    case 3:
      text = replaceAll(text, signs, random);
      break;
    case 4:
    case 5:
    case 6:
      text = rewire(text, signs, random);
      break;
    case 7:
      text = wrapLines(text, random);
      break;
    case 8:
    case 9:
    case 10:
      text = mutateLines(text, random);
      break;
    case 11:
      text = random.oneIn(4) ? mutateBytes(text, random) : replaceAll(text, signs, random);
      break;
    default:
      text = mutateTokens(text, signs, dictionary(), random);
      break;
    }
  }
  return text;
}

} // namespace tegula::fuzz

//===- DescriptorTarget.cpp - Fuzzing of target descriptors ---------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input is a descriptor file in YAML. One that is accepted has a resolved form,
// which must read as itself.
//
//===----------------------------------------------------------------------===//

#include "Target.h"
#include "Text.h"

#include "tegula/Runtime/Target.h"

#include <algorithm>
#include <array>

using namespace tegula::runtime;

namespace tegula::fuzz {

static const Dictionary &dictionary() {
  static const Dictionary groups = {
      {"schema", "name", "targets", "select", "numerics", "runtime"},
      {"id", "backend", "arch", "triple", "features", "emit", "options", "plugin", "extends"},
      {"match", "use", "kind", "index", "memory_gb", "fallback", "library", "path"},
      {"fma", "denormals", "tf32", "fast_math", "version", "threads", "num_warps", "allow", "never",
       "preserve"},
      {"cpu", "nvidia", "amd", "none", "native", "x86-64-v3", "sm_90a", "gfx942", "neoverse-v1"},
      {"elf-so", "ptx", "cubin", "hsaco", "+avx2", "-fma", "cuda", "hip", "*", "NVIDIA*"},
      {"true", "false", "yes", "no", "null", "~", "True", "\"\"", "''", "\"a\"", "[]", "{}"},
      {"tegula.target/v1", "tegula.target/v2", "\">=80\"", "\"<8\"", "\"=1\"", "\"=>1\"",
       "\"a b\""},
      {":",      "-",   ",",  "?",     "|",     ">", "&a ",         "*a",
       "!!str ", "!t ", "<<", "---\n", "...\n", "#", "%YAML 1.2\n", "\t",
       "[",      "]",   "{",  "}",     "\"",    "'", "\\x00",       "\xef\xbb\xbf"}};
  return groups;
}

/// Repeats a key, anchors a value, or turns block style into flow style.
static std::string mutateStructure(std::string_view text, Random &random) {
  static constexpr std::array<std::string_view, 13> added = {
      "  - {id: b, backend: cpu, arch: native}\n",
      "    options: {threads: 4}\n",
      "    emit: [elf-so]\n",
      "    features: [\"+avx2\", \"-fma\"]\n",
      "select:\n  - {match: {kind: cpu}, use: a}\n",
      "  - {match: {kind: cuda, arch: sm_90, memory_gb: \">=80\"}, use: a}\n",
      "numerics: {fma: never, denormals: preserve, tf32: false}\n",
      "runtime:\n  fallback: cpu\n  library: {cpu: /nowhere}\n",
      "name: \"\\u00e4\\n\\t\\x01\"\n",
      "    plugin: {path: /nowhere}\n",
      "    plugin: {version: \">=0.1,<0.2\"}\n",
      "name: |\n  a\n  b\n",
      "    triple: x86_64-unknown-linux-gnu\n"};
  std::vector<std::string> lines = splitLines(text);
  const size_t at = random.below(lines.size() + 1);
  if (random.oneIn(2) || lines.empty()) {
    lines.insert(lines.begin() + at, std::string(random.pick(added)));
    return join(lines);
  }
  std::string &line = lines[std::min(at, lines.size() - 1)];
  const size_t colon = line.find(':');
  if (colon == line.npos) {
    return join(lines);
  }
  static constexpr std::array<std::string_view, 8> prefixes = {" &a",  " *a", " !!int", " |",
                                                               " {a:", " [",  " \"",    " >-"};
  line.insert(colon + 1, random.pick(prefixes));
  return join(lines);
}

static std::string mutate(std::string_view input, Random &random) {
  std::string text(input);
  for (size_t i = 0, count = 1 + random.below(3); i < count; ++i) {
    switch (random.below(8)) {
    case 0:
    case 1:
      text = mutateStructure(text, random);
      break;
    case 2:
    case 3:
      text = mutateLines(text, random);
      break;
    case 4:
      text = mutateBytes(text, random);
      break;
    default:
      text = mutateTokens(text, "-+./", dictionary(), random);
      break;
    }
  }
  return text;
}

/// Empty if the status of a refused file is as promised.
static std::string checkStatus(tg_status *status) {
  const std::string message = tg_status_message(status), id = tg_status_id(status);
  const tg_code code = tg_status_code(status);
  tg_status_free(status);
  if (code == TG_INTERNAL) {
    return "an internal error: " + message;
  }
  return message.empty() || id.empty() ? "an error without text or identifier: " + message : "";
}

static bool equal(const tg_target &a, const tg_target &b) {
  return a.id == b.id && a.backend == b.backend && a.arch == b.arch && a.triple == b.triple &&
         a.features == b.features && a.emit == b.emit && a.options == b.options &&
         a.allowFma == b.allowFma && a.plugin == b.plugin && a.pluginVersion == b.pluginVersion &&
         a.library == b.library && a.yaml == b.yaml;
}

static std::string run(std::string_view input) {
  // A named target takes another road than the preferred one.
  const bool named = hashOf(input) % 4 == 0;
  tg_target target, again;
  if (tg_status *status =
          parseDescriptor(std::string(input), "input.yaml", named ? "a" : "", target)) {
    return checkStatus(status);
  }
  if (tg_status *status = parseDescriptor(target.yaml, "resolved.yaml", target.id, again)) {
    const std::string message = tg_status_message(status);
    tg_status_free(status);
    return "the resolved form is refused: " + message + "\n" + target.yaml;
  }
  return equal(target, again) ? ""
                              : "the resolved form reads differently:\n" + target.yaml + again.yaml;
}

const Target descriptorTarget = {"descriptor", ".yaml", 2048, run, mutate};

} // namespace tegula::fuzz

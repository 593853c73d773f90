//===- DescriptorText.cpp - Messages and text of descriptors ------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Descriptor.h"

#include <algorithm>
#include <tuple>

using namespace tegula::runtime;

static std::string lineOf(const std::string &text, int line) {
  size_t begin = 0;
  for (int i = 1; i < line && begin != std::string::npos; ++i) {
    begin = text.find('\n', begin);
    begin = begin == std::string::npos ? begin : begin + 1;
  }
  if (begin == std::string::npos) {
    return "";
  }
  std::string found = text.substr(begin, text.find('\n', begin) - begin);
  if (!found.empty() && found.back() == '\r') {
    found.pop_back();
  }
  return found;
}

static size_t nextCharacter(const std::string &text, size_t at) {
  return at + std::max<size_t>(utf8Length(text, at), 1);
}

/// The line and a caret below byte `caret` of it.
static std::string showLine(std::string line, size_t caret) {
  // A line that no terminal could show is shown around the caret.
  constexpr size_t most = 160;
  if (line.size() > most) {
    size_t from = caret > most / 2 ? caret - most / 2 : 0;
    while (from > 0 && from < caret && utf8Length(line, from) == 0) {
      ++from;
    }
    line = line.substr(from, most);
    caret -= from;
  }
  // Tabs are kept, so that the caret stands below its column.
  std::string indent, shown;
  for (size_t at = 0; at < line.size(); at = nextCharacter(line, at)) {
    if (at < caret) {
      indent += line[at] == '\t' ? '\t' : ' ';
    }
    const bool isText =
        utf8Length(line, at) > 0 &&
        ((static_cast<unsigned char>(line[at]) >= 0x20 && line[at] != 0x7f) || line[at] == '\t');
    shown += isText ? line.substr(at, nextCharacter(line, at) - at) : "?";
  }
  return shown + "\n" + indent + "^";
}

tg_status *tegula::runtime::problemsToStatus(const std::string &text, const std::string &file,
                                             std::vector<YamlProblem> problems) {
  std::sort(problems.begin(), problems.end(), [](const YamlProblem &a, const YamlProblem &b) {
    return std::tie(a.line, a.column, a.message) < std::tie(b.line, b.column, b.message);
  });
  std::string message, json = "[";
  // One mistake may have many followers; nobody reads more than these.
  constexpr size_t most = 50;
  const size_t left = problems.size() > most ? problems.size() - most : 0;
  problems.resize(problems.size() - left);
  for (const YamlProblem &problem : problems) {
    const int line = std::max(problem.line, 1);
    const std::string source = lineOf(text, line);
    const size_t caret = std::min<size_t>(std::max(problem.column, 1) - 1, source.size());
    int column = 1; // in characters
    for (size_t at = 0; at < caret; at = nextCharacter(source, at)) {
      ++column;
    }
    const std::string what =
        problem.path.empty() ? problem.message : problem.path + ": " + problem.message;
    message += (message.empty() ? "" : "\n") + file + ":" + std::to_string(line) + ":" +
               std::to_string(column) + ": error: " + withId(what, status::WrongDescriptor.name);
    if (!source.empty()) {
      message += "\n" + showLine(source, caret);
    }
    if (!problem.hint.empty()) {
      message += "\nhint: " + problem.hint;
    }
    json += (json.size() > 1 ? ", " : "") + std::string("{\"severity\": \"error\", \"id\": ") +
            quoteJson(status::WrongDescriptor.name) + ", \"file\": " + quoteJson(file) +
            ", \"line\": " + std::to_string(line) + ", \"column\": " + std::to_string(column) +
            ", \"end_line\": " + std::to_string(line) +
            ", \"end_column\": " + std::to_string(column + 1) +
            ", \"message\": " + quoteJson(what) + ", \"hint\": " + quoteJson(problem.hint) +
            ", \"notes\": []}";
  }
  if (left > 0) {
    message += "\nand " + std::to_string(left) + " more";
  }
  return makeStatus(TG_TARGET_ERROR, status::WrongDescriptor, message, "", json + "]");
}

static std::string quotedList(const std::vector<std::string> &items) {
  std::string text;
  for (const std::string &item : items) {
    text += (text.empty() ? "" : ", ") + quoteJson(item);
  }
  return "[" + text + "]";
}

std::string tegula::runtime::writeTarget(const tg_target &target) {
  // Strings in JSON's quotes are strings in YAML too.
  std::string text = "schema: tegula.target/v1\ntargets:\n  - id: " + quoteJson(target.id) +
                     "\n    backend: " + quoteJson(target.backend) +
                     "\n    arch: " + quoteJson(target.arch) + "\n";
  if (!target.triple.empty()) {
    text += "    triple: " + quoteJson(target.triple) + "\n";
  }
  text += "    features: " + quotedList(target.features) + "\n";
  if (!target.emit.empty()) {
    text += "    emit: " + quotedList(target.emit) + "\n";
  }
  if (!target.options.empty()) {
    text += "    options:\n";
    for (const auto &[key, value] : target.options) {
      text += "      " + key + ": " + quoteJson(value) + "\n";
    }
  }
  if (!target.plugin.empty() || !target.pluginVersion.empty()) {
    std::string entries = target.plugin.empty() ? "" : "path: " + quoteJson(target.plugin);
    if (!target.pluginVersion.empty()) {
      entries += (entries.empty() ? "" : ", ") + std::string("version: ") +
                 quoteJson(target.pluginVersion);
    }
    text += "    plugin: {" + entries + "}\n";
  }
  text += std::string("numerics: {fma: ") + (target.allowFma ? "allow" : "never") + "}\n";
  if (!target.library.empty()) {
    text += "runtime: {library: {" + target.backend + ": " + quoteJson(target.library) + "}}\n";
  }
  return text;
}

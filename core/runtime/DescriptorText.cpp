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

/// Where a column, counted in characters from 1, starts.
static size_t byteOf(const std::string &line, int column) {
  size_t at = 0;
  for (int i = 1; i < column && at < line.size(); ++i) {
    at += std::max<size_t>(utf8Length(line, at), 1);
  }
  return at;
}

tg_status *tegula::runtime::problemsToStatus(const std::string &text, const std::string &file,
                                             std::vector<YamlProblem> problems) {
  std::sort(problems.begin(), problems.end(), [](const YamlProblem &a, const YamlProblem &b) {
    return std::tie(a.line, a.column, a.message) < std::tie(b.line, b.column, b.message);
  });
  std::string message, json = "[", hint;
  for (const YamlProblem &problem : problems) {
    const int line = std::max(problem.line, 1), column = std::max(problem.column, 1);
    const std::string what =
        problem.path.empty() ? problem.message : problem.path + ": " + problem.message;
    message += (message.empty() ? "" : "\n") + file + ":" + std::to_string(line) + ":" +
               std::to_string(column) + ": error: " + withId(what, status::WrongDescriptor.name);
    std::string source = lineOf(text, line);
    if (!source.empty()) {
      size_t caret = std::min(byteOf(source, column), source.size());
      // A line that no terminal could show is shown around the caret.
      constexpr size_t most = 160;
      if (source.size() > most) {
        const size_t from = caret > most / 2 ? caret - most / 2 : 0;
        source = source.substr(from, most);
        caret -= from;
      }
      // Tabs are kept, so that the caret stands below its column.
      std::string indent;
      for (size_t at = 0; at < caret; at += std::max<size_t>(utf8Length(source, at), 1)) {
        indent += source[at] == '\t' ? '\t' : ' ';
      }
      for (char &c : source) {
        c = static_cast<unsigned char>(c) < 0x20 && c != '\t' ? '?' : c;
      }
      message += "\n" + source + "\n" + indent + "^";
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
  if (!target.plugin.empty()) {
    text += "    plugin: {path: " + quoteJson(target.plugin) + "}\n";
  }
  return text + "numerics: {fma: " + (target.allowFma ? "allow" : "never") + "}\n";
}

//===- DescriptorSelect.cpp - `select:`, `numerics:` and `runtime:` -----===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DescriptorReader.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>

using namespace tegula::runtime;

//===----------------------------------------------------------------------===//
// select
//===----------------------------------------------------------------------===//

static void readIndex(Reader &reader, const YamlNode &node, const std::string &path,
                      SelectRule &rule) {
  const char *begin = node.text.data(), *end = begin + node.text.size();
  int32_t index = 0;
  const auto [stop, error] = std::from_chars(begin, end, index);
  if (!node.isNumber() || stop != end || error != std::errc() || index < 0) {
    reader.problem(node, path, "expected a device number, got " + node.describe());
    return;
  }
  if (std::find(rule.index.begin(), rule.index.end(), index) != rule.index.end()) {
    reader.problem(node, path,
                   "expected different numbers, got " + std::to_string(index) + " twice");
  }
  rule.index.push_back(index);
}

/// False for what is no bound, such as "lots" or ">=-1".
static bool readBound(std::string text, MemoryBound &bound) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  const size_t digits = std::min(text.find_first_not_of("<>="), text.size());
  bound.compare = digits == 0 ? "=" : text.substr(0, digits);
  static const std::set<std::string> comparisons = {"=", "<", ">", "<=", ">="};
  text.erase(0, digits);
  text.erase(0, text.find_first_not_of(' '));
  const char *end = text.data() + text.size();
  const auto [stop, error] =
      std::from_chars(text.data(), end, bound.gigabytes, std::chars_format::fixed);
  return comparisons.count(bound.compare) && !text.empty() && stop == end && error == std::errc() &&
         std::isfinite(bound.gigabytes) && bound.gigabytes >= 0;
}

static void readMemory(Reader &reader, const YamlNode &node, const std::string &path,
                       SelectRule &rule) {
  bool isRight = node.kind == YamlNode::Scalar;
  for (size_t at = 0; isRight && at <= node.text.size();) {
    const size_t end = std::min(node.text.find(',', at), node.text.size());
    isRight = readBound(node.text.substr(at, end - at), rule.memory.emplace_back());
    at = end + 1;
  }
  if (!isRight) {
    reader.problem(node, path,
                   "expected a size such as \">=80\" or \">=40,<80\", got " + node.describe());
  }
}

static void readMatch(Reader &reader, const YamlNode &node, const std::string &path,
                      SelectRule &rule) {
  if (node.kind == YamlNode::Map && node.entries.empty()) {
    reader.problem(node, path, "expected at least one condition, got an empty map");
  }
  reader.readMap(
      node, path, {"kind", "arch", "name", "id", "index", "memory_gb"}, {},
      [&](const std::string &key, const YamlNode &value, const std::string &inner) {
        std::string shown = value.text;
        if (key == "memory_gb") {
          readMemory(reader, value, inner, rule);
        } else if (key != "index") {
          reader.readString(value, inner,
                            key == "kind"   ? rule.kind
                            : key == "arch" ? rule.arch
                            : key == "name" ? rule.name
                                            : rule.id);
        } else if (value.kind != YamlNode::List) {
          readIndex(reader, value, inner, rule);
        } else {
          if (value.items.empty()) {
            reader.problem(value, inner, "expected at least one entry, got an empty list");
          }
          for (size_t i = 0; i < value.items.size(); ++i) {
            readIndex(reader, value.items[i], inner + "[" + std::to_string(i) + "]", rule);
            shown += (i ? ", " : "[") + value.items[i].text;
          }
          shown += "]";
        }
        rule.text += (rule.text.empty() ? "" : ", ") + key + ": " + shown;
      });
}

void tegula::runtime::readSelect(Reader &reader, const YamlNode &node, Descriptor &descriptor) {
  if (node.kind != YamlNode::List || node.items.empty()) {
    reader.problem(node, "select",
                   "expected a list of rules, got " +
                       (node.kind == YamlNode::List ? "an empty one" : node.describe()));
    return;
  }
  std::vector<std::string> ids;
  for (const tg_target &target : descriptor.targets) {
    ids.push_back(target.id);
  }
  for (size_t i = 0; i < node.items.size(); ++i) {
    SelectRule rule;
    reader.readMap(
        node.items[i], "select[" + std::to_string(i) + "]", {"match", "use"}, {"match", "use"},
        [&](const std::string &key, const YamlNode &value, const std::string &inner) {
          if (key == "match") {
            readMatch(reader, value, inner, rule);
            return;
          }
          reader.readString(value, inner, rule.use);
          if (!rule.use.empty() && std::find(ids.begin(), ids.end(), rule.use) == ids.end()) {
            reader.problem(value, inner,
                           "expected the id of a target, got '" + rule.use + "'" +
                               didYouMean(rule.use, ids));
          }
        });
    descriptor.select.push_back(std::move(rule));
  }
}

//===----------------------------------------------------------------------===//
// numerics
//===----------------------------------------------------------------------===//

void tegula::runtime::readNumerics(Reader &reader, const YamlNode &node, const std::string &path,
                                   bool &allowFma) {
  // The compiler keeps denormals, rounds every operation as IEEE 754 says and computes
  // products of float32 in float32: anything else would be a promise without effect.
  reader.readMap(node, path, {"fma", "denormals", "tf32", "fast_math"}, {},
                 [&](const std::string &key, const YamlNode &value, const std::string &inner) {
                   std::string choice = "allow";
                   if (key == "fma") {
                     reader.readChoice(value, inner, {"allow", "never"}, choice);
                     allowFma = choice == "allow";
                   } else if (key == "denormals") {
                     reader.readChoice(value, inner, {"preserve"}, choice);
                   } else if (key == "tf32") {
                     reader.readChoice(value, inner, {"false"}, choice);
                   } else if (value.kind != YamlNode::List || !value.items.empty()) {
                     const YamlNode &first =
                         value.kind == YamlNode::List ? value.items.front() : value;
                     reader.problem(first, inner, "expected an empty list, got " + first.describe(),
                                    "the compiler takes no liberties with arithmetic");
                   }
                 });
}

//===----------------------------------------------------------------------===//
// runtime
//===----------------------------------------------------------------------===//

std::string tegula::runtime::pathFrom(const std::string &directory, const std::string &path) {
  if (path.empty() || path.front() == '/' || directory.empty()) {
    return path;
  }
  return (std::filesystem::path(directory) / path).string();
}

static void readLibraries(Reader &reader, const YamlNode &node, const std::string &path,
                          const std::string &directory, Descriptor &descriptor) {
  if (node.kind != YamlNode::Map || node.entries.empty()) {
    reader.problem(node, path,
                   "expected a map of backends to libraries, got " +
                       (node.kind == YamlNode::Map ? "an empty one" : node.describe()));
    return;
  }
  std::vector<std::string> backends;
  for (const tg_target &target : descriptor.targets) {
    backends.push_back(target.backend);
  }
  for (const auto &[backend, library] : node.entries) {
    const std::string inner = path + "." + backend.text;
    if (std::find(backends.begin(), backends.end(), backend.text) == backends.end()) {
      reader.problem(backend, inner,
                     "expected the backend of a target, got '" + backend.text + "'" +
                         didYouMean(backend.text, backends));
    }
    std::string text;
    reader.readString(library, inner, text);
    // The system's loader searches for names without a folder.
    descriptor.libraries.push_back(
        {backend.text, text.find('/') == std::string::npos ? text : pathFrom(directory, text)});
  }
}

void tegula::runtime::readRuntime(Reader &reader, const YamlNode &node, const std::string &path,
                                  const std::string &directory, Descriptor &descriptor) {
  reader.readMap(node, path, {"fallback", "library"}, {},
                 [&](const std::string &key, const YamlNode &value, const std::string &inner) {
                   if (key == "fallback") {
                     reader.readChoice(value, inner, {"none", "cpu"}, descriptor.fallback);
                   } else {
                     readLibraries(reader, value, inner, directory, descriptor);
                   }
                 });
}

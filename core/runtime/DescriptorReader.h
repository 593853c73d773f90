//===- DescriptorReader.h - Values of a descriptor, checked --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_DESCRIPTORREADER_H
#define TEGULA_RUNTIME_DESCRIPTORREADER_H

#include "Descriptor.h"

#include <algorithm>

namespace tegula::runtime {

/// Reads values out of the tree and collects what is wrong with them.
class Reader {
public:
  explicit Reader(std::vector<YamlProblem> &problems) : problems(problems) {}

  void problem(const YamlNode &node, const std::string &path, std::string message,
               std::string hint = "") {
    problems.push_back({node.line, node.column, path, std::move(message), std::move(hint)});
  }

  /// Calls `visit(key, value, path)` for each entry whose key is among `known`.
  template <typename Visit>
  void readMap(const YamlNode &node, const std::string &path, const std::vector<std::string> &known,
               const std::vector<std::string> &required, Visit &&visit) {
    if (node.kind != YamlNode::Map) {
      problem(node, path,
              (required.empty() ? "expected a map" : "expected a map with " + quoted(required)) +
                  ", got " + node.describe());
      return;
    }
    for (const auto &[key, value] : node.entries) {
      const std::string inner = path.empty() ? key.text : path + "." + key.text;
      if (std::find(known.begin(), known.end(), key.text) == known.end()) {
        const std::string near = didYouMean(key.text, known);
        problem(key, inner,
                "unknown key '" + key.text + "'" +
                    (near.empty() ? "; expected " + quoted(known) : near));
      } else {
        visit(key.text, value, inner);
      }
    }
    for (const std::string &name : required) {
      if (std::none_of(node.entries.begin(), node.entries.end(),
                       [&](const auto &entry) { return entry.first.text == name; })) {
        problem(node, path, "expected the key '" + name + "', which is missing");
      }
    }
  }

  void readString(const YamlNode &node, const std::string &path, std::string &out) {
    if (!node.isString() || node.text.empty()) {
      problem(node, path, "expected a string, got " + describeForString(node),
              node.kind == YamlNode::Scalar && !node.text.empty() ? "write it in quotes" : "");
      return;
    }
    out = node.text;
  }

  void readStrings(const YamlNode &node, const std::string &path, bool mayBeEmpty,
                   std::vector<std::string> &out) {
    if (node.kind != YamlNode::List) {
      problem(node, path, "expected a list of strings, got " + node.describe());
      return;
    }
    if (node.items.empty() && !mayBeEmpty) {
      problem(node, path, "expected at least one entry, got an empty list");
    }
    for (size_t i = 0; i < node.items.size(); ++i) {
      std::string text;
      readString(node.items[i], path + "[" + std::to_string(i) + "]", text);
      out.push_back(text);
    }
  }

  void readChoice(const YamlNode &node, const std::string &path,
                  const std::vector<std::string> &choices, std::string &out) {
    if (node.kind == YamlNode::Scalar &&
        std::find(choices.begin(), choices.end(), node.text) != choices.end()) {
      out = node.text;
      return;
    }
    std::string list;
    for (const std::string &choice : choices) {
      list += (list.empty() ? "'" : " or '") + choice + "'";
    }
    problem(node, path,
            "expected " + list + ", got " + node.describe() +
                (node.kind == YamlNode::Scalar ? didYouMean(node.text, choices) : ""));
  }

private:
  static std::string quoted(const std::vector<std::string> &names) {
    std::string list;
    for (const std::string &name : names) {
      list += (list.empty() ? "'" : ", '") + name + "'";
    }
    return list;
  }
  static std::string describeForString(const YamlNode &node) {
    return node.kind == YamlNode::Scalar && node.text.empty() ? "an empty one" : node.describe();
  }
  std::vector<YamlProblem> &problems;
};

/// `select:`, once the targets are known.
void readSelect(Reader &reader, const YamlNode &node, Descriptor &descriptor);

/// `numerics:`; what the compiler does not honour is refused.
void readNumerics(Reader &reader, const YamlNode &node, const std::string &path, bool &allowFma);

/// `runtime:`, once the targets are known; `directory` is the descriptor's own.
void readRuntime(Reader &reader, const YamlNode &node, const std::string &path,
                 const std::string &directory, Descriptor &descriptor);

/// A path of a file as the descriptor means it: relative to its own folder.
std::string pathFrom(const std::string &directory, const std::string &path);

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_DESCRIPTORREADER_H

//===- Yaml.h - YAML with a place for everything ------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the strict part of YAML that descriptors use into a tree in which every
// key and value knows its line and column. Anchors, aliases, tags, duplicate keys
// and further documents are errors here, since they read as something else than
// they look like.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_YAML_H
#define TEGULA_RUNTIME_YAML_H

#include <string>
#include <utility>
#include <vector>

namespace tegula::runtime {

struct YamlEntry;

struct YamlNode {
  enum Kind { Null, Scalar, List, Map };
  Kind kind = Null;
  std::string text;    ///< of a scalar
  bool quoted = false; ///< a scalar in quotes is always a string
  int line = 1, column = 1;
  std::vector<YamlNode> items;
  std::vector<YamlEntry> entries;

  bool isNumber() const; ///< an unquoted integer or float
  bool isBool() const;   ///< unquoted true or false
  bool isString() const; ///< any scalar that reads as nothing else
  /// "a list", "the number 90": for messages.
  std::string describe() const;
};

/// One `key: value` of a map.
struct YamlEntry {
  YamlNode first, second;
};

/// One problem of a file.
struct YamlProblem {
  int line, column; ///< from 1; the column in bytes
  std::string path; ///< "targets[0].arch", or ""
  std::string message, hint;
};

/// Reads `text`. Problems are appended; the tree holds what could be read.
YamlNode parseYaml(const std::string &text, std::vector<YamlProblem> &problems);

/// "; did you mean 'x'?" for the closest of `known`, or "".
std::string didYouMean(const std::string &wanted, const std::vector<std::string> &known);

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_YAML_H

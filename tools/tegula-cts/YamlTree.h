//===- YamlTree.h - The YAML of conformance data ----------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CTS_YAMLTREE_H
#define TEGULA_CTS_YAMLTREE_H

#include <string>
#include <string_view>
#include <vector>

namespace tegula::cts {

struct NodeEntry;

/// A value as docs/conformance.md reads it: scalars have the types of the core
/// schema, and everything knows its line. Anchors work.
struct Node {
  enum Kind { Null, Bool, Int, Float, Text, List, Map };

  Kind kind = Null;
  __int128 integer = 0; ///< of Bool too
  double number = 0;
  std::string text;
  std::vector<Node> items;
  std::vector<NodeEntry> entries;
  int line = 1;

  /// The value of a key, or null.
  const Node *find(std::string_view key) const;
  bool isMap() const { return kind == Map; }
  bool isList() const { return kind == List; }
  bool isText() const { return kind == Text; }
};

/// One `key: value` of a map.
struct NodeEntry {
  std::string key;
  Node value;
};

/// Reads a file. Throws invalid-file with FILE:LINE, file-access.
Node readYamlFile(const std::string &path);
/// Throws invalid-file for a place of the file.
[[noreturn]] void failAt(const std::string &path, int line, const std::string &message);
/// Throws for a key that is not in the list.
void checkKeys(const std::string &path, const Node &map, const std::vector<std::string_view> &known,
               const char *what);

/// Decimal digits.
std::string toText(__int128 value);

} // namespace tegula::cts

#endif // TEGULA_CTS_YAMLTREE_H

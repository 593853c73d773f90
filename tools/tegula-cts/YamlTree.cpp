//===- YamlTree.cpp - The YAML of conformance data ------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "YamlTree.h"

#include "../common/ErrorReport.h"

#include <cmath>
#include <cstdlib>
#include <yaml-cpp/yaml.h>

using namespace tegula::cts;
using namespace tegula::tools;

const Node *Node::find(std::string_view key) const {
  for (const auto &[name, value] : entries) {
    if (name == key) {
      return &value;
    }
  }
  return nullptr;
}

void tegula::cts::failAt(const std::string &path, int line, const std::string &message) {
  fail(status::InvalidFile, path + ":" + std::to_string(line) + ": " + message);
}

void tegula::cts::checkKeys(const std::string &path, const Node &map,
                            const std::vector<std::string_view> &known, const char *what) {
  for (const auto &[key, value] : map.entries) {
    std::string list;
    bool isKnown = false;
    for (const std::string_view name : known) {
      isKnown |= name == key;
      list += (list.empty() ? "" : ", ") + std::string(name);
    }
    if (!isKnown) {
      failAt(path, value.line,
             std::string("expected a key of ") + what + " (" + list + "), got '" + key + "'");
    }
  }
}

std::string tegula::cts::toText(__int128 value) {
  std::string text;
  auto rest = static_cast<unsigned __int128>(value < 0 ? -value : value);
  do {
    text.insert(text.begin(), char('0' + int(rest % 10)));
    rest /= 10;
  } while (rest != 0);
  return value < 0 ? "-" + text : text;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

static bool isDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

static bool readInteger(std::string_view text, __int128 &out) {
  const bool isNegative = text.starts_with('-');
  const bool isHex = text.starts_with("0x");
  text.remove_prefix(isHex ? 2 : isNegative || text.starts_with('+') ? 1 : 0);
  if (text.size() > 36 || (isHex ? text.empty() : !isDigits(text))) {
    return false;
  }
  out = 0;
  for (const char c : text) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : 99;
    if (digit > 15) {
      return false;
    }
    out = out * (isHex ? 16 : 10) + digit;
  }
  out = isNegative ? -out : out;
  return true;
}

static bool readFloat(const std::string &text, double &out) {
  const size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+');
  const std::string_view rest = std::string_view(text).substr(sign);
  if (rest == ".inf" || text == ".nan") {
    out = text == ".nan" ? NAN : text[0] == '-' ? -HUGE_VAL : HUGE_VAL;
    return true;
  }
  if (rest.empty() || rest.find_first_not_of("0123456789.eE+-") != std::string_view::npos ||
      (!isDigits(rest.substr(0, 1)) && rest[0] != '.')) {
    return false;
  }
  char *end = nullptr;
  out = std::strtod(text.c_str(), &end);
  return end != text.c_str() && *end == '\0';
}

static void readScalar(const YAML::Node &node, Node &out) {
  out.text = node.Scalar();
  out.kind = Node::Text;
  if (node.Tag() == "!") { // in quotes
    return;
  }
  if (out.text == "true" || out.text == "false") {
    out.kind = Node::Bool;
    out.integer = out.text == "true";
  } else if (out.text == "null" || out.text == "~" || out.text.empty()) {
    out.kind = Node::Null;
  } else if (readInteger(out.text, out.integer)) {
    out.kind = Node::Int;
    out.number = double(out.integer);
  } else if (readFloat(out.text, out.number)) {
    out.kind = Node::Float;
  }
}

static Node build(const YAML::Node &node, const std::string &path) {
  Node out;
  out.line = node.Mark().line + 1;
  if (node.IsMap()) {
    out.kind = Node::Map;
    for (const auto &entry : node) {
      if (!entry.first.IsScalar()) {
        failAt(path, entry.first.Mark().line + 1, "expected text as a key");
      }
      if (out.find(entry.first.Scalar())) {
        failAt(path, entry.first.Mark().line + 1,
               "key '" + entry.first.Scalar() + "' stands twice");
      }
      out.entries.push_back({entry.first.Scalar(), build(entry.second, path)});
    }
  } else if (node.IsSequence()) {
    out.kind = Node::List;
    for (const YAML::Node &item : node) {
      out.items.push_back(build(item, path));
    }
  } else if (node.IsScalar()) {
    readScalar(node, out);
  }
  return out;
}

Node tegula::cts::readYamlFile(const std::string &path) {
  const std::string text = readFile(path);
  try {
    return build(YAML::Load(text), path);
  } catch (const YAML::Exception &error) {
    failAt(path, error.mark.line + 1, error.msg);
  }
}

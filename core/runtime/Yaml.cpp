//===- Yaml.cpp - YAML with a place for everything ----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Yaml.h"

#include "tegula/Runtime/Status.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <unordered_map>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

using namespace tegula::runtime;

namespace {

/// Builds the tree from the parser's events: its own node class forgets aliases
/// and document boundaries.
class Builder : public YAML::EventHandler {
public:
  Builder(const std::string &text, std::vector<YamlProblem> &problems)
      : text(text), problems(problems) {}

  YamlNode root;

  bool hasExtraDocument() const { return documents > 1; }

  void OnDocumentStart(const YAML::Mark &mark) override {
    if (++documents == 2) {
      // At a stray ',' or ']' the parser sees one empty document after another.
      problem(mark, mark.pos == start ? "expected a value, got a sign of flow style"
                                      : "expected one document, got a second one");
    }
    start = mark.pos;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark &mark, YAML::anchor_t anchor) override {
    checkAnchor(mark, anchor);
    add(make(mark, YamlNode::Null));
  }
  void OnAlias(const YAML::Mark &mark, YAML::anchor_t) override {
    problem(mark, "expected a value, got an alias", "write the value out");
    add(make(mark, YamlNode::Null));
  }
  void OnScalar(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                const std::string &value) override {
    checkAnchor(mark, anchor);
    checkTag(mark, tag);
    YamlNode node = make(mark, YamlNode::Scalar);
    node.text = value;
    node.quoted = tag == "!";
    if (node.quoted && !isClosed(size_t(mark.pos))) {
      problem(mark, "expected a quote at the end of the string, got the end of the file");
    }
    if (!node.quoted && (value == "~" || value == "null")) {
      node.kind = YamlNode::Null;
    }
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(mark, tag, anchor, YamlNode::List);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(mark, tag, anchor, YamlNode::Map);
  }
  void OnMapEnd() override { end(); }

private:
  struct Open {
    YamlNode node;
    bool hasKey = false;
    YamlNode key;
    std::unordered_map<std::string, int> lines; ///< of the keys so far
  };

  void problem(const YAML::Mark &mark, std::string message, std::string hint = "") {
    problems.push_back({mark.line + 1, mark.column + 1, "", std::move(message), std::move(hint)});
  }
  /// The parser takes the end of the file for a closing quote.
  bool isClosed(size_t at) const {
    const char quote = at < text.size() ? text[at] : '\0';
    if (quote != '"' && quote != '\'') {
      return true;
    }
    for (++at; at < text.size(); ++at) {
      if (quote == '"' && text[at] == '\\') {
        ++at;
      } else if (text[at] == quote) {
        if (quote == '"' || at + 1 == text.size() || text[at + 1] != quote) {
          return true;
        }
        ++at; // '' is a quote inside
      }
    }
    return false;
  }
  void checkAnchor(const YAML::Mark &mark, YAML::anchor_t anchor) {
    if (anchor != 0) {
      problem(mark, "expected a value, got an anchor", "write the value out where it is used");
    }
  }
  void checkTag(const YAML::Mark &mark, const std::string &tag) {
    if (!tag.empty() && tag != "?" && tag != "!") {
      problem(mark, "expected a value without a tag, got the tag " + tag,
              "remove it; quotes make a value a string");
    }
  }
  static YamlNode make(const YAML::Mark &mark, YamlNode::Kind kind) {
    YamlNode node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }
  void begin(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
             YamlNode::Kind kind) {
    checkAnchor(mark, anchor);
    checkTag(mark, tag);
    stack.push_back({make(mark, kind), false, {}, {}});
  }
  void end() {
    YamlNode node = std::move(stack.back().node);
    stack.pop_back();
    add(std::move(node));
  }
  void add(YamlNode node) {
    if (stack.empty()) {
      if (documents == 1) {
        root = std::move(node);
      }
      return;
    }
    Open &open = stack.back();
    if (open.node.kind == YamlNode::List) {
      open.node.items.push_back(std::move(node));
    } else if (!open.hasKey) {
      if (node.kind != YamlNode::Scalar) {
        problems.push_back(
            {node.line, node.column, "", "expected a key, got " + node.describe(), ""});
      }
      open.key = std::move(node);
      open.hasKey = true;
    } else {
      open.hasKey = false;
      const auto [known, isNew] = open.lines.try_emplace(open.key.text, open.key.line);
      if (!isNew) {
        problems.push_back({open.key.line, open.key.column, "",
                            "duplicate key '" + open.key.text + "'; it is first set in line " +
                                std::to_string(known->second),
                            "remove one of the two"});
        return;
      }
      open.node.entries.emplace_back(std::move(open.key), std::move(node));
    }
  }

  const std::string &text;
  std::vector<YamlProblem> &problems;
  std::vector<Open> stack;
  int documents = 0, start = -1;
};

} // namespace

bool YamlNode::isNumber() const {
  if (kind != Scalar || quoted || text.empty()) {
    return false;
  }
  char *end = nullptr;
  (void)std::strtod(text.c_str(), &end);
  const char first = text[text[0] == '-' || text[0] == '+' ? 1 : 0];
  return *end == '\0' && (first == '.' || (first >= '0' && first <= '9'));
}

bool YamlNode::isBool() const {
  return kind == Scalar && !quoted && (text == "true" || text == "false");
}

bool YamlNode::isString() const {
  // Words that other YAML readers take for booleans must be quoted to be strings.
  static const std::vector<std::string> words = {"yes",  "no",    "on",  "off", "True", "False",
                                                 "TRUE", "FALSE", "Yes", "No",  "On",   "Off"};
  return kind == Scalar && (quoted || (!isNumber() && !isBool() &&
                                       std::find(words.begin(), words.end(), text) == words.end()));
}

std::string YamlNode::describe() const {
  switch (kind) {
  case Null:
    return "nothing";
  case List:
    return "a list";
  case Map:
    return "a map";
  case Scalar:
    break;
  }
  return isNumber() ? "the number " + text : isBool() ? text : "'" + text + "'";
}

/// The parser's terse messages in words.
static YamlProblem explain(const YAML::Exception &error, const std::string &source) {
  static const struct {
    const char *theirs, *message, *hint;
  } texts[] = {
      {"end of sequence flow not found", "expected ']' at the end of the list", ""},
      {"end of map flow not found", "expected '}' at the end of the map", ""},
      {"end of map not found", "expected a key in the column of the keys above", ""},
      {"end of sequence not found", "expected '-' in the column of those above", ""},
      {"illegal map value", "expected no ':' here", "write the value in quotes if it holds one"},
      {"illegal EOF in scalar", "expected a quote at the end of the string", ""},
      {"illegal block entry", "expected no '-' here", "start the list on a line of its own"},
      {"the referenced anchor is not defined", "expected a value, got an alias of nothing",
       "write the value out, or in quotes if '*' belongs to it"},
      {"bad file", "expected lists and maps of a sensible depth, got far too many", ""},
  };
  const int line = std::max(error.mark.line, 0) + 1, column = std::max(error.mark.column, 0) + 1;
  // Whatever the parser makes of a tab ahead of a key, the tab is the mistake.
  std::istringstream stream(source);
  std::string shown;
  for (int i = 0; i < line && std::getline(stream, shown); ++i) {
  }
  const size_t tab = shown.substr(0, shown.find_first_not_of(" \t")).find('\t');
  if (tab != std::string::npos) {
    return {line, int(tab) + 1, "", "expected spaces as indentation, got a tab", ""};
  }
  for (const auto &text : texts) {
    if (error.msg == text.theirs) {
      return {line, column, "", text.message, text.hint};
    }
  }
  return {line, column, "", "the YAML is malformed: " + error.msg, ""};
}

/// Bytes that are no text, which the parser would pass on or take for UTF-16.
static bool checkText(const std::string &text, std::vector<YamlProblem> &problems) {
  int line = 1, column = 1;
  if (text.starts_with("\xef\xbb\xbf")) {
    problems.push_back({1, 1, "", "expected text, got a byte order mark ahead of it",
                        "save the file as UTF-8 without one"});
    return false;
  }
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8Length(text, at);
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == '\r' && (at + 1 == text.size() || text[at + 1] != '\n')) {
      problems.push_back({line, column, "",
                          "expected a line feed behind the carriage return, got none",
                          "end lines with a line feed"});
      return false;
    }
    const bool isControl =
        (byte < 0x20 && !std::strchr("\t\n\r", byte)) || byte == 0x7f || byte == 0;
    if (length == 0 || isControl) {
      char code[8];
      std::snprintf(code, sizeof code, "0x%02x", byte);
      problems.push_back({line, column, "",
                          std::string("expected text in UTF-8, got the ") +
                              (length == 0 ? "byte " : "control character ") + code,
                          length == 0 ? "save the file as UTF-8" : ""});
      return false;
    }
    column = byte == '\n' ? 1 : column + static_cast<int>(length);
    line += byte == '\n';
    at += length;
  }
  return true;
}

YamlNode tegula::runtime::parseYaml(const std::string &text, std::vector<YamlProblem> &problems) {
  Builder builder(text, problems);
  if (!checkText(text, problems)) {
    return YamlNode();
  }
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (!builder.hasExtraDocument() && parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception &error) {
    problems.push_back(explain(error, text));
  }
  return std::move(builder.root);
}

static size_t editDistance(const std::string &a, const std::string &b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string tegula::runtime::didYouMean(const std::string &wanted,
                                        const std::vector<std::string> &known) {
  size_t best = std::max<size_t>(2, wanted.size() / 3) + 1;
  std::string found;
  for (const std::string &name : known) {
    const size_t distance = wanted.size() > 64 ? best : editDistance(wanted, name);
    if (distance < best && distance < name.size()) {
      best = distance;
      found = name;
    }
  }
  return found.empty() ? "" : "; did you mean '" + found + "'?";
}

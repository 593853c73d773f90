//===- Descriptor.cpp - The schema of target descriptors ----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Descriptor.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace tegula::runtime;

namespace {

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

} // namespace

static bool isName(const std::string &text, const char *further) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           (c != '\0' && std::string(further).find(c) != std::string::npos);
  });
}

//===----------------------------------------------------------------------===//
// targets
//===----------------------------------------------------------------------===//

static void readPlugin(Reader &reader, const YamlNode &node, const std::string &path,
                       tg_target &target) {
  reader.readMap(node, path, {"path"}, {"path"},
                 [&](const std::string &, const YamlNode &value, const std::string &inner) {
                   reader.readString(value, inner, target.plugin);
                 });
}

static void readOptions(Reader &reader, const YamlNode &node, const std::string &path,
                        tg_target &target) {
  if (node.kind != YamlNode::Map) {
    reader.problem(node, path, "expected a map, got " + node.describe());
    return;
  }
  for (const auto &[key, value] : node.entries) {
    std::string text = value.text;
    if (value.kind == YamlNode::List) {
      std::vector<std::string> items;
      reader.readStrings(value, path + "." + key.text, false, items);
      for (const std::string &item : items) {
        text += (text.empty() ? "" : ",") + item;
      }
    } else if (value.kind != YamlNode::Scalar) {
      reader.problem(value, path + "." + key.text, "expected a value, got " + value.describe());
      continue;
    }
    target.options.emplace_back(key.text, text);
  }
}

static void readTarget(Reader &reader, const YamlNode &node, const std::string &path,
                       tg_target &target) {
  reader.readMap(
      node, path, {"id", "backend", "arch", "triple", "features", "emit", "options", "plugin"},
      {"id", "backend", "arch"},
      [&](const std::string &key, const YamlNode &value, const std::string &inner) {
        if (key == "id") {
          reader.readString(value, inner, target.id);
          if (!target.id.empty() && !isName(target.id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_.-")) {
            reader.problem(value, inner,
                           "expected letters, digits, '_', '.' and '-', got '" + target.id + "'");
          }
        } else if (key == "backend") {
          reader.readString(value, inner, target.backend);
          if (!target.backend.empty() && !isName(target.backend, "-")) {
            reader.problem(value, inner,
                           "expected a plugin's id of small letters, digits and '-', "
                           "got '" +
                               target.backend + "'");
          }
        } else if (key == "arch") {
          reader.readString(value, inner, target.arch);
        } else if (key == "triple") {
          reader.readString(value, inner, target.triple);
        } else if (key == "features") {
          reader.readStrings(value, inner, /*mayBeEmpty=*/true, target.features);
          for (size_t i = 0; i < target.features.size(); ++i) {
            const std::string &feature = target.features[i];
            if (!feature.empty() &&
                (feature.size() < 2 || (feature[0] != '+' && feature[0] != '-'))) {
              reader.problem(value.items[i], inner + "[" + std::to_string(i) + "]",
                             "expected '+name' or '-name', got '" + feature + "'");
            }
          }
        } else if (key == "emit") {
          reader.readStrings(value, inner, /*mayBeEmpty=*/false, target.emit);
        } else if (key == "options") {
          readOptions(reader, value, inner, target);
        } else {
          readPlugin(reader, value, inner, target);
        }
      });
}

static void readTargets(Reader &reader, const YamlNode &node, Descriptor &descriptor,
                        std::vector<YamlProblem> &problems) {
  if (node.kind != YamlNode::List) {
    reader.problem(node, "targets", "expected a list of targets, got " + node.describe());
    return;
  }
  if (node.items.empty()) {
    reader.problem(node, "targets", "expected at least one target, got an empty list");
  }
  std::set<std::string> ids;
  for (size_t i = 0; i < node.items.size(); ++i) {
    const std::string path = "targets[" + std::to_string(i) + "]";
    const size_t before = problems.size();
    tg_target target;
    readTarget(reader, node.items[i], path, target);
    if (!target.id.empty() && !ids.insert(target.id).second) {
      for (const auto &[key, value] : node.items[i].entries) {
        if (key.text == "id") {
          reader.problem(value, path + ".id",
                         "expected different ids, got '" + target.id + "' twice");
        }
      }
    }
    if (problems.size() == before && !checkAgainstPlugin(target, path, node.items[i], problems)) {
      descriptor.unchecked.push_back(target.backend);
    }
    descriptor.targets.push_back(std::move(target));
  }
}

//===----------------------------------------------------------------------===//
// select
//===----------------------------------------------------------------------===//

static bool readIndex(const YamlNode &node, int64_t &out) {
  char *end = nullptr;
  out = std::strtoll(node.text.c_str(), &end, 10);
  return node.isNumber() && *end == '\0' && out >= 0;
}

static void readMatch(Reader &reader, const YamlNode &node, const std::string &path,
                      SelectRule &rule) {
  if (node.kind == YamlNode::Map && node.entries.empty()) {
    reader.problem(node, path, "expected at least one condition, got an empty map");
  }
  reader.readMap(
      node, path, {"kind", "arch", "name", "index", "memory_gb"}, {},
      [&](const std::string &key, const YamlNode &value, const std::string &inner) {
        if (key == "kind") {
          reader.readString(value, inner, rule.kind);
        } else if (key == "arch") {
          reader.readString(value, inner, rule.arch);
        } else if (key == "name") {
          reader.readString(value, inner, rule.name);
        } else if (key == "index") {
          const bool isList = value.kind == YamlNode::List;
          if (isList && value.items.empty()) {
            reader.problem(value, inner, "expected at least one entry, got an empty list");
          }
          for (size_t i = 0; i < (isList ? value.items.size() : 1); ++i) {
            const YamlNode &item = isList ? value.items[i] : value;
            int64_t index = 0;
            if (!readIndex(item, index)) {
              reader.problem(item, inner, "expected a device number, got " + item.describe());
            }
            rule.index.push_back(index);
          }
        } else {
          const size_t digits = value.text.find_first_not_of("<>=");
          rule.memoryCompare = value.text.substr(0, digits);
          char *end = nullptr;
          const std::string number = digits == std::string::npos ? "" : value.text.substr(digits);
          rule.memoryGB = std::strtod(number.c_str(), &end);
          static const std::set<std::string> comparisons = {"", "=", "<", ">", "<=", ">="};
          if (value.kind != YamlNode::Scalar || number.empty() || *end != '\0' ||
              !std::isfinite(rule.memoryGB) || rule.memoryGB < 0 ||
              !comparisons.count(rule.memoryCompare)) {
            reader.problem(value, inner,
                           "expected a size such as \">=80\", got " + value.describe());
          }
        }
      });
}

static void readSelect(Reader &reader, const YamlNode &node, Descriptor &descriptor) {
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
// The file
//===----------------------------------------------------------------------===//

tg_status *tegula::runtime::readDescriptor(const std::string &text, const std::string &file,
                                           Descriptor &descriptor) {
  std::vector<YamlProblem> problems;
  const YamlNode root = parseYaml(text, problems);
  // A file that cannot be read as YAML has no structure to check.
  if (!problems.empty()) {
    return problemsToStatus(text, file, std::move(problems));
  }
  if (root.kind == YamlNode::Null) {
    return problemsToStatus(text, file,
                            {{1, 1, "", "expected a target descriptor, got an empty file",
                              "it starts with 'schema: tegula.target/v1'"}});
  }
  Reader reader(problems);
  bool allowFma = true;
  const YamlNode *select = nullptr;
  reader.readMap(
      root, "", {"schema", "name", "targets", "select", "numerics", "runtime"},
      {"schema", "targets"},
      [&](const std::string &key, const YamlNode &value, const std::string &path) {
        std::string ignored;
        if (key == "schema") {
          reader.readChoice(value, path, {"tegula.target/v1"}, ignored);
        } else if (key == "name") {
          reader.readString(value, path, descriptor.name);
        } else if (key == "targets") {
          readTargets(reader, value, descriptor, problems);
        } else if (key == "select") {
          select = &value; // names targets, which may come later in the file
        } else if (key == "numerics") {
          reader.readMap(
              value, path, {"fma", "denormals", "tf32"}, {},
              [&](const std::string &name, const YamlNode &item, const std::string &inner) {
                if (name == "fma") {
                  std::string fma = "allow";
                  reader.readChoice(item, inner, {"allow", "never"}, fma);
                  allowFma = fma == "allow";
                } else if (name == "denormals") {
                  reader.readChoice(item, inner, {"preserve"}, ignored);
                } else {
                  reader.readChoice(item, inner, {"false"}, ignored);
                }
              });
        } else {
          reader.readMap(
              value, path, {"fallback", "library"}, {},
              [&](const std::string &name, const YamlNode &item, const std::string &inner) {
                if (name == "fallback") {
                  reader.readChoice(item, inner, {"none", "cpu"}, descriptor.fallback);
                } else if (item.kind != YamlNode::Map) {
                  reader.problem(item, inner, "expected a map, got " + item.describe());
                } else {
                  for (const auto &[backend, library] : item.entries) {
                    descriptor.libraries.emplace_back(backend.text, "");
                    reader.readString(library, inner + "." + backend.text,
                                      descriptor.libraries.back().second);
                  }
                }
              });
        }
      });
  if (select) {
    readSelect(reader, *select, descriptor);
  }
  if (!problems.empty()) {
    return problemsToStatus(text, file, std::move(problems));
  }
  for (tg_target &target : descriptor.targets) {
    target.allowFma = allowFma;
    target.yaml = writeTarget(target);
  }
  return nullptr;
}

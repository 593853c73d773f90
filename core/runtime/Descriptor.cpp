//===- Descriptor.cpp - The schema of target descriptors ----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DescriptorReader.h"

#include <algorithm>
#include <filesystem>
#include <set>

using namespace tegula::runtime;

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
                       const std::string &directory, tg_target &target) {
  if (node.kind == YamlNode::Map && node.entries.empty()) {
    reader.problem(node, path, "expected 'path' or 'version', got an empty map");
  }
  reader.readMap(
      node, path, {"path", "version"}, {},
      [&](const std::string &key, const YamlNode &value, const std::string &inner) {
        if (key == "path") {
          reader.readString(value, inner, target.plugin);
          target.plugin = pathFrom(directory, target.plugin);
          return;
        }
        if (value.kind == YamlNode::Scalar && !value.quoted) {
          // 0.10 would be the number 0.1, and > starts a text of many lines.
          reader.problem(value, inner, "expected versions in quotes, got " + value.describe());
          return;
        }
        reader.readString(value, inner, target.pluginVersion);
        if (const std::string problem = checkVersionRange(target.pluginVersion); !problem.empty()) {
          reader.problem(value, inner, problem);
        }
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
                       const std::string &directory, tg_target &target) {
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
            const auto first = std::find_if(
                target.features.begin(), target.features.begin() + std::ptrdiff_t(i),
                [&](const std::string &other) {
                  return other.size() > 1 && feature.size() > 1 &&
                         other.compare(1, std::string::npos, feature, 1, std::string::npos) == 0;
                });
            if (first != target.features.begin() + std::ptrdiff_t(i)) {
              reader.problem(value.items[i], inner + "[" + std::to_string(i) + "]",
                             "expected each feature once, got '" + *first + "' and '" + feature +
                                 "'");
            }
          }
        } else if (key == "emit") {
          reader.readStrings(value, inner, /*mayBeEmpty=*/false, target.emit);
          for (size_t i = 0; i < target.emit.size(); ++i) {
            const auto at = target.emit.begin() + std::ptrdiff_t(i);
            if (!at->empty() && std::find(target.emit.begin(), at, *at) != at) {
              reader.problem(value.items[i], inner + "[" + std::to_string(i) + "]",
                             "expected different formats, got '" + *at + "' twice");
            }
          }
        } else if (key == "options") {
          readOptions(reader, value, inner, target);
        } else {
          readPlugin(reader, value, inner, directory, target);
        }
      });
}

static void readTargets(Reader &reader, const YamlNode &node, const std::string &directory,
                        Descriptor &descriptor, std::vector<YamlProblem> &problems) {
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
    readTarget(reader, node.items[i], path, directory, target);
    if (!target.id.empty() && !ids.insert(target.id).second) {
      for (const auto &[key, value] : node.items[i].entries) {
        if (key.text == "id") {
          reader.problem(value, path + ".id",
                         "expected different ids, got '" + target.id + "' twice");
        }
      }
    }
    if (problems.size() == before && !checkAgainstPlugin(target, path, node.items[i], problems)) {
      std::vector<std::string> &unchecked = descriptor.unchecked; // each once
      if (std::find(unchecked.begin(), unchecked.end(), target.backend) == unchecked.end()) {
        unchecked.push_back(target.backend);
      }
    }
    descriptor.targets.push_back(std::move(target));
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
  const std::string directory = std::filesystem::path(file).parent_path().string();
  Reader reader(problems);
  bool allowFma = true;
  // Both name targets, which may come later in the file.
  const YamlNode *select = nullptr, *runtime = nullptr;
  reader.readMap(root, "", {"schema", "name", "targets", "select", "numerics", "runtime"},
                 {"schema", "targets"},
                 [&](const std::string &key, const YamlNode &value, const std::string &path) {
                   std::string ignored;
                   if (key == "schema") {
                     reader.readChoice(value, path, {"tegula.target/v1"}, ignored);
                   } else if (key == "name") {
                     reader.readString(value, path, descriptor.name);
                   } else if (key == "targets") {
                     readTargets(reader, value, directory, descriptor, problems);
                   } else if (key == "numerics") {
                     readNumerics(reader, value, path, allowFma);
                   } else {
                     (key == "select" ? select : runtime) = &value;
                   }
                 });
  if (select) {
    readSelect(reader, *select, descriptor);
  }
  if (runtime) {
    readRuntime(reader, *runtime, "runtime", directory, descriptor);
  }
  if (!problems.empty()) {
    return problemsToStatus(text, file, std::move(problems));
  }
  for (tg_target &target : descriptor.targets) {
    target.allowFma = allowFma;
    for (const DriverLibrary &library : descriptor.libraries) {
      if (library.backend == target.backend) {
        target.library = library.path;
      }
    }
    target.yaml = writeTarget(target);
  }
  return nullptr;
}

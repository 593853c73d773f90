//===- DescriptorPlugin.cpp - Checks against the backend's tables -------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Descriptor.h"

#include "tegula/Runtime/PluginHost.h"

#include <algorithm>
#include <charconv>

using namespace tegula::runtime;

namespace {
/// What the halves of a backend offer, as far as they could be loaded.
struct Offer {
  std::vector<const tegula_option *> options;
  std::vector<std::string> formats;
  const tegula_plugin *plugin = nullptr; ///< the half loaded last, or null

  void add(const tegula_option *const *list) {
    for (; list && *list; ++list) {
      if (!find((*list)->name)) { // both halves may list it
        options.push_back(*list);
      }
    }
  }
  void add(const char *const *list) {
    for (; list && *list; ++list) {
      if (std::find(formats.begin(), formats.end(), *list) == formats.end()) {
        formats.emplace_back(*list); // both halves may name it
      }
    }
  }
  /// Loads one half. False if there is none.
  bool load(const tg_target &target, unsigned component) {
    const tegula_plugin *plugin = nullptr;
    tg_status *status = target.plugin.empty() ? loadPlugin(target.backend, component, &plugin)
                                              : loadPluginFile(target.plugin, &plugin);
    if (status) {
      tg_status_free(status);
      return false;
    }
    if (plugin->runtime) {
      add(plugin->runtime->options);
      add(plugin->runtime->formats);
    }
    if (plugin->compiler) {
      add(plugin->compiler->options);
      add(plugin->compiler->emit_formats);
    }
    this->plugin = plugin;
    return true;
  }
  const tegula_option *find(const std::string &name) const {
    for (const tegula_option *option : options) {
      if (name == option->name) {
        return option;
      }
    }
    return nullptr;
  }
};
} // namespace

/// Empty if `value` fits, else what was expected.
static std::string expected(const tegula_option &option, const YamlNode &value) {
  switch (option.kind) {
  case TEGULA_OPTION_BOOL:
    return value.text == "true" || value.text == "false" ? "" : "true or false";
  case TEGULA_OPTION_INT: {
    int64_t number = 0;
    const char *end = value.text.data() + value.text.size();
    const auto [stop, error] = std::from_chars(value.text.data(), end, number);
    const bool limited = option.minimum != 0 || option.maximum != 0;
    const bool fits = !limited || (number >= option.minimum && number <= option.maximum);
    if (value.kind == YamlNode::Scalar && stop == end && error == std::errc() && fits) {
      return "";
    }
    return limited ? "a number from " + std::to_string(option.minimum) + " to " +
                         std::to_string(option.maximum)
                   : "a number";
  }
  case TEGULA_OPTION_STRING:
    return value.kind == YamlNode::Scalar ? "" : "a string";
  case TEGULA_OPTION_CHOICE: {
    std::string list;
    for (const char *const *it = option.choices; it && *it; ++it) {
      if (value.kind == YamlNode::Scalar && value.text == *it) {
        return "";
      }
      list += (list.empty() ? "'" : " or '") + std::string(*it) + "'";
    }
    return list;
  }
  case TEGULA_OPTION_LIST:
    return value.kind == YamlNode::List || value.quoted ? "" : "a list of strings";
  default:
    return ""; // a kind that this host does not know yet
  }
}

static const YamlNode *entryOf(const YamlNode &map, const char *name) {
  for (const auto &[key, value] : map.entries) {
    if (key.text == name) {
      return &value;
    }
  }
  return nullptr;
}

/// `plugin:` of a target against the plugin found.
static void checkPlugin(const tegula_plugin &plugin, const tg_target &target,
                        const std::string &path, const YamlNode &node,
                        std::vector<YamlProblem> &problems) {
  if (const YamlNode *file = entryOf(node, "path"); file && target.backend != plugin.id) {
    problems.push_back(
        {file->line, file->column, path + ".plugin.path",
         "expected the plugin of backend '" + target.backend + "', got that of '" + plugin.id + "'",
         ""});
  }
  const YamlNode *version = entryOf(node, "version");
  if (version && !isInRange(plugin.version, target.pluginVersion)) {
    problems.push_back({version->line, version->column, path + ".plugin.version",
                        "expected a range with the installed version, " +
                            std::string(plugin.version) + ", got '" + target.pluginVersion + "'",
                        ""});
  }
}

tg_status *tegula::runtime::checkPluginVersion(const tg_target &target, unsigned component) {
  if (target.pluginVersion.empty()) {
    return nullptr;
  }
  const tegula_plugin *plugin = nullptr;
  if (tg_status *status = target.plugin.empty() ? loadPlugin(target.backend, component, &plugin)
                                                : loadPluginFile(target.plugin, &plugin)) {
    return status;
  }
  if (isInRange(plugin->version, target.pluginVersion)) {
    return nullptr;
  }
  return makeStatus(TG_INCOMPATIBLE, status::PluginRange,
                    "expected a plugin of version " + target.pluginVersion + ", got " +
                        plugin->version,
                    "install one of these versions, or change plugin.version of the target");
}

bool tegula::runtime::checkAgainstPlugin(const tg_target &target, const std::string &path,
                                         const YamlNode &node, std::vector<YamlProblem> &problems) {
  const YamlNode *options = entryOf(node, "options"), *emit = entryOf(node, "emit");
  if ((!options || options->entries.empty()) && !emit && !entryOf(node, "plugin")) {
    return true; // nothing of this backend's own to check
  }
  // The runtime half comes first, since it brings no LLVM along; the compiler half
  // is asked only about what the other does not know.
  Offer offer;
  offer.load(target, TEGULA_RUNTIME);
  const auto isKnown = [&] {
    for (const auto &[key, value] : target.options) {
      if (!offer.find(key)) {
        return false;
      }
    }
    return std::all_of(target.emit.begin(), target.emit.end(), [&](const std::string &format) {
      return std::find(offer.formats.begin(), offer.formats.end(), format) != offer.formats.end();
    });
  };
  if (!isKnown()) {
    offer.load(target, TEGULA_COMPILER);
  }
  if (!offer.plugin) {
    offer.load(target, TEGULA_COMPILER);
  }
  if (!offer.plugin) {
    return false;
  }
  if (const YamlNode *plugin = entryOf(node, "plugin")) {
    checkPlugin(*offer.plugin, target, path, *plugin, problems);
  }
  for (size_t i = 0; emit && i < emit->items.size(); ++i) {
    const std::string &format = emit->items[i].text;
    if (std::find(offer.formats.begin(), offer.formats.end(), format) == offer.formats.end()) {
      std::string list;
      for (const std::string &known : offer.formats) {
        list += (list.empty() ? "" : ", ") + known;
      }
      problems.push_back({emit->items[i].line, emit->items[i].column,
                          path + ".emit[" + std::to_string(i) + "]",
                          "expected a format of backend '" + target.backend + "' (" + list +
                              "), got '" + format + "'" + didYouMean(format, offer.formats),
                          ""});
    }
  }
  std::vector<std::string> names;
  for (const tegula_option *option : offer.options) {
    names.emplace_back(option->name);
  }
  for (size_t i = 0; options && i < options->entries.size(); ++i) {
    const auto &[key, value] = options->entries[i];
    const std::string inner = path + ".options." + key.text;
    const tegula_option *option = offer.find(key.text);
    if (!option) {
      std::string near = didYouMean(key.text, names);
      if (near.empty()) {
        for (const std::string &name : names) {
          near += (near.empty() ? "; it has '" : ", '") + name + "'";
        }
      }
      problems.push_back(
          {key.line, key.column, inner,
           "backend '" + target.backend + "' has no option '" + key.text + "'" + near, ""});
    } else if (const std::string wanted = expected(*option, value); !wanted.empty()) {
      problems.push_back({value.line, value.column, inner,
                          "expected " + wanted + ", got " + value.describe(), ""});
    }
  }
  return true;
}

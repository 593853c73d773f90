//===- BundleManifest.cpp - The manifest of a bundle ------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundle.h"
#include "Json.h"

#include <algorithm>
#include <climits>
#include <utility>

using namespace tegula::runtime;

static constexpr const char *kSchema = "tegula.bundle/v1";

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static Json number(uint64_t value) { return {int64_t(value)}; }

static Json list(const std::vector<std::string> &texts) {
  JsonList out;
  for (const std::string &text : texts) {
    out.push_back({text});
  }
  return {std::move(out)};
}

static Json object(const std::vector<std::pair<std::string, std::string>> &pairs) {
  JsonObject out;
  for (const auto &[key, value] : pairs) {
    out[key] = {value};
  }
  return {std::move(out)};
}

static Json writeArg(const tg_artifact_arg &arg) {
  return {JsonObject{{"access", {arg.access}},
                     {"divisibility", number(arg.divisibility)},
                     {"name", {arg.name}},
                     {"offset", number(arg.offset)},
                     {"size", number(arg.size)},
                     {"type", {arg.type}}}};
}

static Json writeTarget(const BundleTarget &target) {
  return {JsonObject{{"arch", {target.arch}},
                     {"backend", {target.backend}},
                     {"device_kinds", list(target.deviceKinds)},
                     {"features", list(target.features)},
                     {"format", {target.format}},
                     {"hash", {target.hash}},
                     {"options", object(target.options)},
                     {"tools", object(target.tools)},
                     {"triple", {target.triple}}}};
}

static Json writeVariant(const BundleVariant &variant, size_t target) {
  JsonObject facts;
  for (const auto &[key, value] : variant.facts) {
    parseJson(value, facts[key]); // was read when the variant was added
  }
  return {JsonObject{{"facts", {std::move(facts)}},
                     {"num_ctas", number(unsigned(variant.numCtas))},
                     {"num_stages", number(unsigned(variant.numStages))},
                     {"num_warps", number(unsigned(variant.numWarps))},
                     {"offset", number(variant.offset)},
                     {"sha256", {variant.sha256}},
                     {"size", number(variant.size)},
                     {"target", number(target)}}};
}

std::string tegula::runtime::writeBundleManifest(const std::vector<BundleKernel> &kernels) {
  JsonList out, targets;
  std::vector<const BundleTarget *> known;
  for (const BundleKernel &kernel : kernels) {
    JsonList args, variants;
    for (const tg_artifact_arg &arg : kernel.args) {
      args.push_back(writeArg(arg));
    }
    for (const BundleVariant &variant : kernel.variants) {
      // Numbered as they are met; the same target may be there in several copies.
      const BundleTarget *target = variant.target.get();
      const auto same = std::find_if(known.begin(), known.end(), [&](const BundleTarget *other) {
        return other == target || *other == *target;
      });
      variants.push_back(writeVariant(variant, size_t(same - known.begin())));
      if (same == known.end()) {
        known.push_back(target);
        targets.push_back(writeTarget(*target));
      }
    }
    out.push_back({JsonObject{{"args", {std::move(args)}},
                              {"args_size", number(kernel.argsSize)},
                              {"name", {kernel.name}},
                              {"variants", {std::move(variants)}}}});
  }
  return renderJson({JsonObject{{"kernels", {std::move(out)}},
                                {"schema", {std::string(kSchema)}},
                                {"targets", {std::move(targets)}}}});
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// Takes the keys of an object one by one. After the first problem all yield nothing.
class Fields {
public:
  /// `where` is for messages and lives longer.
  Fields(const Json &json, const std::string &where, std::string &problem)
      : object(std::get_if<JsonObject>(&json.value)), where(where), problem(problem) {
    if (!object) {
      expected("an object");
    }
  }

  const JsonList &items(const char *key) {
    static const JsonList none;
    const JsonList *found = find<JsonList>(key, "a list");
    return found ? *found : none;
  }
  std::string text(const char *key, bool mayBeEmpty = true) {
    const std::string *found = find<std::string>(key, "a text");
    if (found && found->empty() && !mayBeEmpty) {
      expected((std::string("a text that is not empty as '") + key + "'").c_str());
    }
    return found ? *found : "";
  }
  uint64_t number(const char *key, uint64_t least, uint64_t most) {
    const int64_t *found = find<int64_t>(key, "an integer");
    if (found && (*found < 0 || uint64_t(*found) < least || uint64_t(*found) > most)) {
      expected(("'" + std::string(key) + "' from " + std::to_string(least) + " to " +
                std::to_string(most))
                   .c_str());
      return least;
    }
    return found ? uint64_t(*found) : least;
  }
  const JsonObject &keys(const char *key) {
    static const JsonObject none;
    const JsonObject *found = find<JsonObject>(key, "an object");
    return found ? *found : none;
  }
  std::vector<std::string> texts(const char *key) {
    std::vector<std::string> out;
    for (const Json &item : items(key)) {
      const auto *text = std::get_if<std::string>(&item.value);
      if (!text) {
        expected((std::string("texts in '") + key + "'").c_str());
        return out;
      }
      out.push_back(*text);
    }
    return out;
  }
  std::vector<std::pair<std::string, std::string>> pairs(const char *key) {
    std::vector<std::pair<std::string, std::string>> out;
    for (const auto &[name, item] : keys(key)) {
      const auto *text = std::get_if<std::string>(&item.value);
      if (!text) {
        expected((std::string("texts in '") + key + "'").c_str());
        return out;
      }
      out.emplace_back(name, *text);
    }
    return out;
  }
  void expected(const char *what) {
    if (problem.empty()) {
      problem = "expected " + std::string(what) + " in " + where;
    }
  }
  /// There must be no other keys.
  void finish() {
    if (object && problem.empty() && object->size() != taken) {
      expected("only the keys of version 1");
    }
  }

private:
  template <typename T> const T *find(const char *key, const char *what) {
    if (!object) {
      return nullptr;
    }
    const auto it = object->find(std::string_view(key));
    const T *found = it == object->end() ? nullptr : std::get_if<T>(&it->second.value);
    if (!found) {
      expected((std::string(what) + " as '" + key + "'").c_str());
    }
    ++taken;
    return found;
  }

  const JsonObject *object;
  const std::string &where;
  std::string &problem;
  size_t taken = 0;
};

constexpr unsigned kMaxArgsSize = 1u << 20;

} // namespace

using Targets = std::vector<std::shared_ptr<const BundleTarget>>;

static tg_artifact_arg readArg(const Json &json, const std::string &where, unsigned argsSize,
                               unsigned &end, std::string &problem) {
  Fields fields(json, where, problem);
  tg_artifact_arg arg;
  arg.access = fields.text("access");
  arg.divisibility = unsigned(fields.number("divisibility", 1, 1u << 30));
  arg.name = fields.text("name", false);
  arg.offset = unsigned(fields.number("offset", 0, argsSize));
  arg.size = unsigned(fields.number("size", 1, 8));
  arg.type = fields.text("type", false);
  fields.finish();
  if ((arg.size & (arg.size - 1)) != 0 || arg.offset % arg.size != 0 || arg.offset < end ||
      arg.offset + arg.size > argsSize) {
    fields.expected("arguments one behind the other at offsets that are multiples of their size");
  }
  end = arg.offset + arg.size;
  return arg;
}

static std::shared_ptr<const BundleTarget> readTarget(const Json &json, const std::string &where,
                                                      std::string &problem) {
  Fields fields(json, where, problem);
  auto out = std::make_shared<BundleTarget>();
  out->arch = fields.text("arch", false);
  out->backend = fields.text("backend", false);
  out->deviceKinds = fields.texts("device_kinds");
  out->features = fields.texts("features");
  out->format = fields.text("format", false);
  out->hash = fields.text("hash");
  out->options = fields.pairs("options");
  out->tools = fields.pairs("tools");
  out->triple = fields.text("triple");
  fields.finish();
  return out;
}

static BundleVariant readVariant(const Json &json, const Targets &targets, const std::string &where,
                                 std::string &problem) {
  Fields fields(json, where, problem);
  BundleVariant out;
  for (const auto &[key, value] : fields.keys("facts")) {
    out.facts.emplace_back(key, renderJson(value));
  }
  out.numCtas = int(fields.number("num_ctas", 0, INT_MAX));
  out.numStages = int(fields.number("num_stages", 0, INT_MAX));
  out.numWarps = int(fields.number("num_warps", 0, INT_MAX));
  out.offset = fields.number("offset", 0, INT64_MAX);
  out.sha256 = fields.text("sha256");
  out.size = fields.number("size", 1, INT64_MAX);
  out.target = targets[fields.number("target", 0, targets.size() - 1)];
  fields.finish();
  return out;
}

static BundleKernel readKernel(const Json &json, const Targets &targets, size_t index,
                               std::string &problem) {
  std::string where = "kernel " + std::to_string(index);
  Fields fields(json, where, problem);
  BundleKernel kernel;
  kernel.name = fields.text("name", false);
  if (problem.empty()) {
    where = "kernel '" + kernel.name + "'";
  }
  kernel.argsSize = unsigned(fields.number("args_size", 0, kMaxArgsSize));
  unsigned end = 0;
  for (const Json &arg : fields.items("args")) {
    const std::string place = "argument " + std::to_string(kernel.args.size()) + " of " + where;
    kernel.args.push_back(readArg(arg, place, kernel.argsSize, end, problem));
  }
  for (const Json &variant : fields.items("variants")) {
    const std::string place = "variant " + std::to_string(kernel.variants.size()) + " of " + where;
    BundleVariant made = readVariant(variant, targets, place, problem);
    for (const BundleVariant &other : kernel.variants) {
      if (other.isForSameTarget(made)) {
        fields.expected("one variant for each target");
      }
    }
    kernel.variants.push_back(std::move(made));
  }
  if (kernel.variants.empty()) {
    fields.expected("a variant");
  }
  fields.finish();
  return kernel;
}

std::string tegula::runtime::readBundleManifest(std::string_view text,
                                                std::vector<BundleKernel> &kernels) {
  Json json;
  std::string problem = parseJson(text, json);
  if (!problem.empty()) {
    return problem;
  }
  const std::string where = "the manifest";
  Fields fields(json, where, problem);
  if (fields.text("schema") != kSchema) {
    fields.expected("'tegula.bundle/v1' as 'schema'");
  }
  Targets targets;
  for (const Json &item : fields.items("targets")) {
    const std::string place = "target " + std::to_string(targets.size());
    targets.push_back(readTarget(item, place, problem));
  }
  if (targets.empty()) {
    fields.expected("a target");
    return problem;
  }
  for (const Json &item : fields.items("kernels")) {
    BundleKernel kernel = readKernel(item, targets, kernels.size(), problem);
    if (!kernels.empty() && kernel.name <= kernels.back().name) {
      fields.expected("kernels in the order of their names, each once,");
    }
    kernels.push_back(std::move(kernel));
  }
  if (kernels.empty()) {
    fields.expected("a kernel");
  }
  fields.finish();
  if (problem.empty() && writeBundleManifest(kernels) != text) {
    fields.expected("the one form of JSON that bundles have");
  }
  return problem;
}

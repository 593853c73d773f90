//===- Compiling.cpp - Kernels of cases, compiled -------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compiling.h"

#include <algorithm>
#include <climits>

using namespace tegula;
using namespace tegula::cts;

std::string tegula::cts::firstLine(const tg_status &status) {
  const std::string text = runtime::shownMessage(status);
  return text.substr(0, text.find('\n'));
}

/// The arguments of a tuple of constants, as those of a list in `args`.
static Argument asArgument(const Value &value) {
  Argument argument;
  argument.value = value;
  if (value.kind == Value::Tuple) {
    argument.kind = Argument::Tuple;
    for (const Value &item : value.items) {
      argument.items.push_back(asArgument(item));
    }
  }
  return argument;
}

tg_host_value CompileInput::hostValue(const Value &value) {
  tg_host_value out = {};
  const auto keep = [&](const std::string &kept) {
    texts.push_back(kept);
    out.text = texts.back().c_str();
    out.text_size = texts.back().size();
  };
  switch (value.kind) {
  case Value::None:
    out.kind = TG_HOST_NONE;
    break;
  case Value::Bool:
    out.kind = TG_HOST_BOOL;
    out.integer = int64_t(value.integer);
    break;
  case Value::Int:
    out.kind = TG_HOST_INT;
    out.integer = int64_t(value.integer);
    if (value.integer != out.integer) {
      keep(toText(value.integer));
    }
    break;
  case Value::Float:
    out.kind = TG_HOST_FLOAT;
    out.number = value.number;
    break;
  case Value::Text:
    out.kind = TG_HOST_STRING;
    keep(value.text);
    break;
  case Value::Type:
    out.kind = TG_HOST_DTYPE;
    keep(tools::findElementType(value.text)->signature);
    break;
  case Value::Function:
    out.kind = TG_HOST_FUNCTION;
    keep(value.text);
    out.handle = const_cast<char *>(out.text);
    passesFunctions = true;
    break;
  case Value::Tuple: {
    std::vector<tg_host_value> items;
    for (const Value &inner : value.items) {
      items.push_back(hostValue(inner));
    }
    tuples.push_back(std::move(items));
    out.kind = TG_HOST_TUPLE;
    out.items = tuples.back().data();
    out.num_items = tuples.back().size();
    break;
  }
  }
  return out;
}

static bool isWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The annotation of a kernel's parameter as launchers read it: the name of a type,
/// "const", "constexpr", or "".
static std::string annotationOf(const Family &family, const std::string &kernel,
                                const std::string &parameter) {
  const size_t def = family.kernelText.find("\ndef " + kernel + "(");
  if (def == std::string::npos) {
    return "";
  }
  const size_t end = family.kernelText.find("):\n", def);
  const std::string line = family.kernelText.substr(def, end - def);
  for (size_t at = line.find('(') + 1; (at = line.find(parameter, at)) != std::string::npos; ++at) {
    const size_t colon = at + parameter.size();
    if (isWordChar(line[at - 1]) || colon >= line.size() || line[colon] != ':') {
      continue;
    }
    const size_t begin = line.find_first_not_of(" \"'", colon + 1);
    std::string text = begin == std::string::npos ? "" : line.substr(begin);
    text = text.starts_with("tl.") ? text.substr(3) : text;
    const auto last = std::find_if_not(text.begin(), text.end(), isWordChar);
    return std::string(text.begin(), last);
  }
  return "";
}

/// Whether nothing of the argument is left at run time.
static bool isKnown(const Argument &argument) {
  const Value &value = argument.value;
  return argument.kind == Argument::Constant &&
         (value.kind == Value::None || value.kind == Value::Text || value.kind == Value::Type ||
          value.kind == Value::Function);
}

static bool isOne(const Argument &argument) {
  return argument.kind == Argument::Constant && argument.value.kind == Value::Int &&
         argument.value.integer == 1;
}

std::string CompileInput::typeOf(const Argument &argument, const std::string &annotation) {
  const Value &value = argument.value;
  if (argument.kind == Argument::Tuple) {
    std::string type = "(";
    for (const Argument &inner : argument.items) {
      const std::string itemType = typeOf(inner);
      type += !itemType.empty() ? itemType : inner.value.kind == Value::None ? "none" : "constexpr";
      type += isOne(inner) ? "=1," : ",";
    }
    return type + ")";
  }
  if (argument.kind == Argument::Constant) {
    const tools::ElementType *annotated = tools::findLanguageType(annotation);
    if (annotated && value.kind != Value::None) {
      const bool isMultiple = value.kind == Value::Int && value.integer % 16 == 0;
      return std::string(annotated->signature) + (isMultiple && !annotated->isFloat() ? ":16" : "");
    }
    switch (value.kind) {
    case Value::Bool:
      return "u1";
    case Value::Float:
      return "fp32";
    case Value::Int: {
      const char *type = value.integer >= INT_MIN && value.integer <= INT_MAX       ? "i32"
                         : value.integer >= INT64_MIN && value.integer <= INT64_MAX ? "i64"
                                                                                    : "u64";
      return std::string(type) + (value.integer % 16 == 0 ? ":16" : "");
    }
    default:
      return "";
    }
  }
  const ArraySpec &array = item.arrays[argument.array];
  const bool isAligned = argument.offset * int64_t(array.type->size) % 16 == 0;
  const std::string suffix = isAligned ? ":16" : "";
  if (argument.kind == Argument::Pointer) {
    return (annotation == "const" ? "*k" : "*") + std::string(array.type->signature) + suffix;
  }
  std::string block;
  for (const int64_t size : argument.block) {
    block += (block.empty() ? "" : ",") + std::to_string(size);
  }
  const int64_t apart = std::max<int64_t>(1, 16 / int64_t(array.type->size));
  bool areRows = argument.shape.size() == 1 || argument.shape.back() % apart == 0;
  for (size_t i = 0; i + 1 < argument.strides.size(); ++i) {
    areRows &= argument.strides[i] % apart == 0;
  }
  return std::string("tensordesc<") + array.type->signature + "[" + block + "]" +
         (argument.isNanPadded ? ",nan" : "") + ">" + (areRows ? suffix : "");
}

/// A tuple with the values of the items that are known when compiling.
tg_host_value CompileInput::knownItems(const Argument &argument) {
  std::vector<tg_host_value> items;
  for (const Argument &inner : argument.items) {
    items.push_back(inner.kind == Argument::Tuple ? knownItems(inner)
                    : isKnown(inner)              ? hostValue(inner.value)
                                                  : hostValue(Value()));
  }
  tuples.push_back(std::move(items));
  tg_host_value out = {};
  out.kind = TG_HOST_TUPLE;
  out.items = tuples.back().data();
  out.num_items = tuples.back().size();
  return out;
}

CompileInput::CompileInput(const Family &family, const Case &item) : family(family), item(item) {
  text = family.name + ":" + item.kernel;
  const auto kindText = [](const Value &value) {
    return std::to_string(int(value.kind)) + ":" + value.show();
  };
  for (const auto &[name, given] : item.arguments) {
    const bool isConstant =
        std::find(item.constants.begin(), item.constants.end(), name) != item.constants.end();
    const Argument argument =
        isConstant || given.kind != Argument::Constant ? given : asArgument(given.value);
    tg_param param = {name.c_str(), nullptr, nullptr};
    const std::string type =
        isConstant ? "" : typeOf(argument, annotationOf(family, item.kernel, name));
    text += ";" + name + "=" + type;
    if (!type.empty()) {
      texts.push_back(type);
      param.type = texts.back().c_str();
    }
    if (argument.kind == Argument::Tuple) {
      values.push_back(knownItems(argument));
      param.value = &values.back();
      for (const Argument &inner : argument.items) {
        text += isKnown(inner) ? "," + kindText(inner.value) : "";
      }
    } else if (isConstant || isKnown(argument) || isOne(argument)) {
      values.push_back(hostValue(argument.value));
      param.value = &values.back();
      text += "=" + kindText(argument.value);
    }
    params.push_back(param);
  }
  for (const auto &[key, value] : item.options) {
    text += ";" + key + ":" + value;
  }
}

//===----------------------------------------------------------------------===//
// Functions as constants
//===----------------------------------------------------------------------===//

/// A kernel that gets functions as constants sees its file through a resolver: they
/// are the file's own, and only a resolver can name them.
static int lookup(void *user, void *, const char *name, tg_host_value *out, const char **) {
  // Kernel files import these and nothing else.
  static const std::map<std::string_view, const char *> modules = {
      {"tl", "tl"}, {"tegula", "triton"}, {"libdevice", "tl.extra.libdevice"}};
  const std::string word = name;
  const auto &family = *static_cast<const Family *>(user);
  *out = {};
  if (const auto found = modules.find(word); found != modules.end()) {
    out->kind = TG_HOST_LANGUAGE;
    out->text = found->second;
    out->text_size = std::string_view(out->text).size();
    return TG_FOUND;
  }
  const size_t at = family.kernelText.find("\ndef " + word + "(");
  if (at == std::string::npos) {
    return TG_ABSENT;
  }
  out->kind = TG_HOST_FUNCTION;
  out->text = family.kernelText.c_str() + at + 5; // one address for each function
  out->text_size = word.size();
  out->handle = const_cast<char *>(out->text);
  return TG_FOUND;
}

static int functionSource(void *user, const tg_host_value *, tg_source *out, const char **) {
  const auto &family = *static_cast<const Family *>(user);
  *out = {sizeof *out, family.kernelText.c_str(), family.kernelText.size(),
          family.kernelPath.c_str(), 1};
  return TG_FOUND;
}

Status CompileInput::compile(const tg_target *target, ArtifactPtr &artifact,
                             const char *emit) const {
  std::vector<tg_kv> options;
  for (const auto &[key, value] : item.options) {
    options.push_back({key.c_str(), value.c_str()});
  }
  tg_resolver resolver = {};
  resolver.struct_size = sizeof resolver;
  resolver.user = const_cast<Family *>(&family);
  resolver.lookup = lookup;
  resolver.function_source = functionSource;
  tg_compile_request request = {};
  request.struct_size = sizeof request;
  request.source = {sizeof request.source, family.kernelText.c_str(), family.kernelText.size(),
                    family.kernelPath.c_str(), 1};
  request.kernel = item.kernel.c_str();
  request.params = params.data();
  request.num_params = params.size();
  request.signature = "";
  request.target = target;
  request.options = options.data();
  request.num_options = options.size();
  request.resolver = passesFunctions ? &resolver : nullptr;
  request.emit = emit;
  tg_artifact *made = nullptr;
  Status status(tg_compile(&request, &made));
  artifact = ArtifactPtr(made, FreeArtifact());
  return status;
}

//===- Arguments.cpp - Arguments of the kernel --------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

using namespace tegula;
using namespace tegula::run;

//===----------------------------------------------------------------------===//
// The def line
//===----------------------------------------------------------------------===//

static bool isWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static size_t findDef(const std::string &source, const std::string &kernel) {
  for (size_t at = 0; (at = source.find("def ", at)) != std::string::npos; at += 4) {
    size_t name = source.find_first_not_of(" \t", at + 4);
    if (name != std::string::npos && source.compare(name, kernel.size(), kernel) == 0) {
      const size_t open = source.find_first_not_of(" \t", name + kernel.size());
      if (open != std::string::npos && source[open] == '(') {
        return open;
      }
    }
  }
  return std::string::npos;
}

static void addParameter(const std::string &text, std::vector<Parameter> &out) {
  size_t begin = 0, end = 0;
  while (begin < text.size() && !isWordChar(text[begin])) {
    ++begin;
  }
  end = begin;
  while (end < text.size() && isWordChar(text[end])) {
    ++end;
  }
  if (end > begin) {
    const size_t colon = text.find_first_not_of(" \t\n", end);
    const bool annotated = colon != std::string::npos && text[colon] == ':';
    const std::string annotation =
        annotated ? text.substr(colon, text.find('=', colon) - colon) : "";
    out.push_back(
        {text.substr(begin, end - begin), annotation.find("constexpr") != std::string::npos});
  }
}

std::vector<Parameter> tegula::run::findParameters(const std::string &source,
                                                   const std::string &kernel) {
  std::vector<Parameter> parameters;
  const size_t open = findDef(source, kernel);
  std::string current;
  int depth = 0;
  for (size_t i = open; i < source.size(); ++i) {
    const char c = source[i];
    if (c == '#') { // a comment ends with its line
      i = std::min(source.find('\n', i), source.size());
      continue;
    }
    if (c == '"' || c == '\'') {
      const size_t end = source.find(c, i + 1);
      i = end == std::string::npos ? source.size() : end;
      continue;
    }
    depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    if (depth == 0 || (depth == 1 && c == ',')) {
      addParameter(current, parameters);
      current.clear();
      if (depth == 0) {
        break;
      }
    } else if (i != open) {
      current += c;
    }
  }
  return parameters;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static bool parseInteger(const std::string &text, int64_t &out) {
  char *end = nullptr;
  errno = 0;
  out = std::strtoll(text.c_str(), &end, 0);
  if (errno == ERANGE && text[0] != '-') {
    errno = 0;
    out = int64_t(std::strtoull(text.c_str(), &end, 0));
  }
  return !text.empty() && *end == '\0' && errno == 0;
}

/// Whether the text is a decimal integer, of any size.
static bool isDigits(const std::string &text) {
  const size_t start = text[0] == '-' || text[0] == '+';
  return text.size() > start && text.find_first_not_of("0123456789", start) == std::string::npos;
}

static bool parseFloat(const std::string &text, double &out) {
  char *end = nullptr;
  out = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

/// The type a launcher gives an integer: the narrowest of i32, i64, u64.
static const char *integerType(const std::string &text, int64_t value) {
  if (value >= INT32_MIN && value <= INT32_MAX) {
    return "i32";
  }
  return value < 0 && text[0] != '-' ? "u64" : "i64";
}

/// `desc[64,32]:rand:fp16[100,80]`, `desc[64,32,nan]:in.npy`: a descriptor of an array.
static Argument readDescriptor(const std::string &name, const std::string &spec, uint64_t seed) {
  const size_t close = spec.find("]:");
  std::string block = spec.substr(0, close).substr(std::strlen("desc["));
  bool isNan = block.ends_with(",nan");
  block.resize(block.size() - (isNan ? std::strlen(",nan") : 0));
  if (close == std::string::npos || !isArraySpec(spec.substr(close + 2)) ||
      block.find_first_not_of("0123456789, ") != std::string::npos) {
    fail(status::InvalidValue,
         "expected desc[BLOCK]: and an array, as in desc[64,32]:rand:fp16[100,80], got '" + spec +
             "'");
  }
  Argument argument;
  argument.name = name;
  argument.isDescriptor = true;
  argument.array = std::make_unique<Array>(makeArray(spec.substr(close + 2), name, seed));
  const auto rank = std::count(block.begin(), block.end(), ',') + 1;
  if (rank != std::ssize(argument.array->shape)) {
    fail(status::InvalidValue, "expected a block of as many dimensions as " +
                                   argument.array->describe() + " has, got [" + block + "]");
  }
  // Arrays are aligned; with more dimensions rows must be whole numbers of 16 bytes, too.
  const Array &array = *argument.array;
  const bool isAligned = rank == 1 || uint64_t(array.shape.back()) * array.dtype->size % 16 == 0;
  argument.type = std::string("tensordesc<") + array.dtype->name + "[" + block + "]" +
                  (isNan ? ",nan>" : ">") + (isAligned ? ":16" : "");
  return argument;
}

std::optional<int64_t> tegula::run::descriptorPart(const Argument &argument,
                                                   const std::string &part) {
  const std::vector<uint64_t> &shape = argument.array->shape;
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (part == ".shape." + std::to_string(i)) {
      return static_cast<int64_t>(shape[i]);
    }
    if (part == ".strides." + std::to_string(i)) {
      return stride;
    }
    stride *= static_cast<int64_t>(shape[i]);
  }
  return std::nullopt;
}

/// makeArgument, whose messages start with the argument's name.
static Argument readArgument(const std::string &name, const std::string &spec, bool isConstexpr,
                             uint64_t seed) {
  Argument argument;
  argument.name = name;
  if (spec.starts_with("desc[") && !isConstexpr) {
    return readDescriptor(name, spec, seed);
  }
  if (isArraySpec(spec)) {
    if (isConstexpr) {
      fail(status::InvalidValue, "expected a constant, since the parameter is a "
                                 "constexpr, got an array");
    }
    argument.array = std::make_unique<Array>(makeArray(spec, name, seed));
    argument.type = std::string("*") + argument.array->dtype->name + ":16";
    return argument;
  }
  // NUMBER:TYPE forces a type.
  std::string text = spec, type;
  const size_t colon = spec.rfind(':');
  if (colon != std::string::npos && spec[0] != '"') {
    text = spec.substr(0, colon);
    type = findDType(spec.substr(colon + 1)).name;
  }
  tg_host_value &value = argument.value;
  if (spec == "none" || spec == "None") {
    value.kind = TG_HOST_NONE;
    argument.isConstant = true;
  } else if (text == "true" || text == "false" || text == "True" || text == "False") {
    value.kind = TG_HOST_BOOL;
    value.integer = text[0] == 't' || text[0] == 'T';
    argument.type = type.empty() ? "u1" : type;
  } else if (parseInteger(text, value.integer)) {
    value.kind = TG_HOST_INT;
    value.number = double(value.integer);
    argument.type = type.empty() ? integerType(text, value.integer) : type;
    if (type.empty() && value.integer == 1) {
      argument.isConstant = true; // specialised to 1, and absent at run time
    } else if (type.empty() && value.integer % 16 == 0) {
      argument.type += ":16";
    }
    if (argument.type[0] == 'f' || argument.type[0] == 'b') {
      value.kind = TG_HOST_FLOAT;
    }
    if (!type.empty()) {
      checkRange(findDType(type), value.integer, text, value.integer < 0 && text[0] != '-');
    }
  } else if (isDigits(text)) {
    fail(status::InvalidValue, "expected an integer of at most 64 bits, got '" + text + "'");
  } else if (parseFloat(text, value.number)) {
    if (!type.empty() && findDType(type).kind != DType::Float) {
      fail(status::InvalidValue, "expected an integer for type " + type + ", got '" + text + "'");
    }
    value.kind = TG_HOST_FLOAT;
    argument.type = type.empty() ? "fp32" : type;
  } else if (spec.rfind("tl.", 0) == 0) {
    static const struct {
      const char *from, *to;
    } names[] = {{"float16", "fp16"}, {"bfloat16", "bf16"}, {"float32", "fp32"},
                 {"float64", "fp64"}, {"int8", "i8"},       {"int16", "i16"},
                 {"int32", "i32"},    {"int64", "i64"},     {"uint8", "u8"},
                 {"uint16", "u16"},   {"uint32", "u32"},    {"uint64", "u64"},
                 {"int1", "i1"}};
    for (const auto &entry : names) {
      if (spec.substr(3) == entry.from) {
        argument.text = entry.to;
      }
    }
    if (argument.text.empty()) {
      fail(status::InvalidValue, "expected a type such as tl.float32, got '" + spec + "'");
    }
    value.kind = TG_HOST_DTYPE;
    argument.isConstant = true;
  } else if (isConstexpr || (spec.size() >= 2 && spec.front() == '"' && spec.back() == '"')) {
    value.kind = TG_HOST_STRING;
    argument.text = spec.front() == '"' ? spec.substr(1, spec.size() - 2) : spec;
    argument.isConstant = true;
  } else {
    fail(status::InvalidValue, "expected an array (GENERATOR:DTYPE[SHAPE] or "
                               "FILE.npy), a number, true, false, none or \"text\", got '" +
                                   spec + "'");
  }
  if (isConstexpr) {
    argument.isConstant = true;
    argument.type.clear();
  }
  return argument;
}

Argument tegula::run::makeArgument(const std::string &name, const std::string &spec,
                                   bool isConstexpr, uint64_t seed) {
  try {
    return readArgument(name, spec, isConstexpr, seed);
  } catch (const tools::StatusError &error) {
    throw tools::StatusError{runtime::prefixed(error.status, "argument '" + name + "': ")};
  }
}

void tegula::run::packArgument(Argument &argument, const std::string &type, unsigned char *out,
                               unsigned size) {
  const std::string base = type.substr(0, type.find(':'));
  // Signatures say u1 for what arrays call i1.
  const DType &dtype = findDType(base == "u1" ? "i1" : base);
  Array one;
  one.allocate(dtype, {1});
  if (argument.value.kind == TG_HOST_FLOAT) {
    one.set(0, argument.value.number);
  } else {
    one.setInteger(0, argument.value.integer);
  }
  if (size != dtype.size) {
    // no test: the compiler's sizes follow from its types
    fail(status::InternalFault, "argument '" + argument.name + "': expected a value of " +
                                    std::to_string(size) + " bytes, got type '" + base + "'");
  }
  std::memcpy(out, one.data(), size);
}

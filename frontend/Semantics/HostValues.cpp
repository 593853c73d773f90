//===- HostValues.cpp - Values of the host program ------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Semantics.h"
#include "tegula/Frontend/Frontend.h"
#include "llvm/ADT/APInt.h"

namespace tegula::frontend {

Value Semantics::fromHost(const HostValue &host) {
  switch (host.kind) {
  case HostValue::Kind::None:
    return Value::none();
  case HostValue::Kind::Bool:
    return Value::boolean(host.integer != 0);
  case HostValue::Kind::Int: {
    if (host.text.empty()) {
      return Value::integer(host.integer);
    }
    llvm::StringRef digits = host.text;
    bool negative = digits.consume_front("-");
    llvm::APInt big;
    if (digits.getAsInteger(10, big) || big.getActiveBits() > 127) {
      return error(diag::SizeLimit, "expected an integer of at most 127 bits, got " + host.text);
    }
    big = big.zextOrTrunc(128);
    BigInt value =
        (static_cast<BigInt>(big.getRawData()[1]) << 64) | static_cast<BigInt>(big.getRawData()[0]);
    return Value::integer(negative ? -value : value);
  }
  case HostValue::Kind::Float:
    return Value::floating(host.number);
  case HostValue::Kind::String:
    return Value::string(host.text);
  case HostValue::Kind::Tuple: {
    std::vector<Value> items;
    for (const HostValue &item : host.items) {
      items.push_back(fromHost(item));
      if (items.back().isPoison()) {
        return Value::poison();
      }
    }
    bool named = host.names.size() == items.size();
    return Value::tuple(std::move(items), named ? host.names : std::vector<std::string>());
  }
  case HostValue::Kind::DType: {
    std::optional<DType> dtype = DType::parse(host.text);
    return dtype ? Value::type(*dtype) : error(diag::HostError, "unknown type '" + host.text + "'");
  }
  case HostValue::Kind::Language: {
    std::string path = canonicalPath(host.text);
    llvm::StringRef name = path;
    if (name.consume_front("tl.")) {
      if (std::optional<DType> dtype = DType::parse(name)) {
        return Value::type(*dtype);
      }
    }
    return Value::languageRef(std::move(path));
  }
  case HostValue::Kind::Function:
    return client.importFunction(host);
  case HostValue::Kind::Object: {
    // An object of an aggregate is what its class and its fields are.
    Value object = Value::hostObject(host);
    NameResolver *resolver =
        host.text == "type" || host.text == "module" ? nullptr : client.getResolver();
    std::optional<Value> cls = resolver ? hostAttribute(object, "_tegula_class") : std::nullopt;
    if (!cls || !cls->isHostObject()) {
      return object;
    }
    return importAggregate(object, *cls);
  }
  }
  return Value::poison();
}

std::optional<HostValue> Semantics::toHost(const Value &value) {
  HostValue host;
  host.isConstexpr = true;
  switch (value.getKind()) {
  case Value::Kind::Poison:
    return std::nullopt;
  case Value::Kind::None:
    return host;
  case Value::Kind::Bool:
    host.kind = HostValue::Kind::Bool;
    host.integer = value.getBool();
    return host;
  case Value::Kind::Int:
    host.kind = HostValue::Kind::Int;
    host.integer = static_cast<int64_t>(value.getInt());
    if (host.integer != value.getInt()) {
      host.text = toString(value.getInt());
    }
    return host;
  case Value::Kind::Float:
    host.kind = HostValue::Kind::Float;
    host.number = value.getFloat();
    return host;
  case Value::Kind::Str:
    host.kind = HostValue::Kind::String;
    host.text = value.getStr();
    return host;
  case Value::Kind::Tuple:
    host.kind = HostValue::Kind::Tuple;
    host.names.assign(value.getFieldNames().begin(), value.getFieldNames().end());
    for (const Value &item : value.getItems()) {
      std::optional<HostValue> converted = toHost(item);
      if (!converted) {
        return std::nullopt;
      }
      host.items.push_back(std::move(*converted));
    }
    return host;
  case Value::Kind::Struct:
    if (value.isKnown() && value.getClass()->host) {
      return exportAggregate(value);
    }
    break;
  case Value::Kind::Type:
    if (value.isBlockType()) {
      break;
    }
    host.kind = HostValue::Kind::DType;
    host.text =
        value.getDType().isPointer() ? value.getDType().getSignature() : value.getDType().getName();
    return host;
  case Value::Kind::LanguageRef:
    host.kind = HostValue::Kind::Language;
    host.text = value.getPath();
    return host;
  case Value::Kind::HostObject:
    return value.getHost();
  default:
    break;
  }
  error(diag::NotConstexpr, "expected a compile-time value to pass to the host program, got " +
                                value.describeForConstant());
  return std::nullopt;
}

Value Semantics::callHost(const Value &object, const CallArgs &args) {
  NameResolver *resolver = client.getResolver();
  assert(resolver && "objects of the host come from it");
  std::vector<HostValue> positional;
  std::vector<std::pair<std::string, HostValue>> keywords;
  for (const Value &arg : args.positional) {
    std::optional<HostValue> host = toHost(arg);
    if (!host) {
      return Value::poison();
    }
    positional.push_back(std::move(*host));
  }
  for (const auto &[name, arg] : args.keywords) {
    std::optional<HostValue> host = toHost(arg);
    if (!host) {
      return Value::poison();
    }
    keywords.emplace_back(name, std::move(*host));
  }
  std::string failure;
  std::optional<HostValue> result = resolver->call(object.getHost(), positional, keywords, failure);
  if (!result) {
    return error(diag::HostError,
                 "this call at compile time failed" + (failure.empty() ? "" : ": " + failure));
  }
  return fromHost(*result);
}

} // namespace tegula::frontend

//===- Resolver.cpp - A C resolver as the frontend sees it ------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Resolver.h"

#include "llvm/ADT/StringSwitch.h"
#include <cstring>
#include <deque>

using namespace tegula::frontend;

namespace tegula::driver {

HostValue toHostValue(const tg_host_value &value) {
  HostValue out;
  out.kind = static_cast<HostValue::Kind>(value.kind);
  out.isConstexpr = value.constexpr_ != 0;
  out.integer = value.integer;
  out.number = value.number;
  out.handle = value.handle;
  if (value.text) {
    out.text.assign(value.text, value.text_size ? value.text_size : std::strlen(value.text));
  }
  for (size_t i = 0; i < value.num_items; ++i) {
    out.items.push_back(toHostValue(value.items[i]));
    if (value.names) {
      out.names.push_back(value.names[i]);
    }
  }
  return out;
}

namespace {
/// The way back; owns what the C struct points to.
class CValue {
public:
  explicit CValue(const HostValue &value) { fill(value, root); }
  const tg_host_value *get() const { return &root; }

private:
  void fill(const HostValue &value, tg_host_value &out) {
    out = tg_host_value{};
    out.kind = static_cast<uint32_t>(value.kind);
    out.constexpr_ = value.isConstexpr;
    out.integer = value.integer;
    out.number = value.number;
    out.handle = value.handle;
    // An Int has text only when it does not fit.
    if (value.kind != HostValue::Kind::Int || !value.text.empty()) {
      out.text = value.text.c_str();
      out.text_size = value.text.size();
    }
    if (!value.items.empty()) {
      lists.emplace_back(value.items.size());
      std::vector<tg_host_value> &list = lists.back();
      for (size_t i = 0; i < value.items.size(); ++i) {
        fill(value.items[i], list[i]);
      }
      out.items = list.data();
      out.num_items = list.size();
    }
  }

  tg_host_value root;
  std::deque<std::vector<tg_host_value>> lists;
};
} // namespace

/// Asks the host on its own thread. `ask` is given where the answer and the error
/// text go.
template <typename Ask>
std::optional<HostValue> CallbackResolver::askHost(Ask ask, std::string &error) {
  std::optional<HostValue> result;
  thread.run([&] {
    tg_host_value out{};
    const char *message = nullptr;
    const int code = ask(&out, &message);
    if (code == TG_FOUND) {
      result = toHostValue(out);
    } else if (code == TG_FAILED) {
      error = message ? message : "the host failed without a message";
    }
  });
  return result;
}

std::optional<HostValue> CallbackResolver::lookup(void *scope, llvm::StringRef name,
                                                  std::string &error) {
  const std::string text = name.str();
  return askHost(
      [&](tg_host_value *out, const char **message) {
        return callbacks.lookup(callbacks.user, scope, text.c_str(), out, message);
      },
      error);
}

std::optional<HostValue> CallbackResolver::getAttribute(const HostValue &object,
                                                        llvm::StringRef name, std::string &error) {
  const std::string text = name.str();
  return askHost(
      [&](tg_host_value *out, const char **message) {
        return callbacks.get_attribute(callbacks.user, CValue(object).get(), text.c_str(), out,
                                       message);
      },
      error);
}

std::optional<HostValue> CallbackResolver::getItem(const HostValue &object, const HostValue &key,
                                                   std::string &error) {
  return askHost(
      [&](tg_host_value *out, const char **message) {
        return callbacks.get_item(callbacks.user, CValue(object).get(), CValue(key).get(), out,
                                  message);
      },
      error);
}

std::optional<HostValue>
CallbackResolver::call(const HostValue &callee, llvm::ArrayRef<HostValue> args,
                       llvm::ArrayRef<std::pair<std::string, HostValue>> keywords,
                       std::string &error) {
  std::deque<CValue> owned;
  std::vector<tg_host_value> argValues, keywordValues;
  std::vector<const char *> names;
  for (const HostValue &arg : args) {
    argValues.push_back(*owned.emplace_back(arg).get());
  }
  for (const auto &[name, value] : keywords) {
    names.push_back(name.c_str());
    keywordValues.push_back(*owned.emplace_back(value).get());
  }
  return askHost(
      [&](tg_host_value *out, const char **message) {
        return callbacks.call(callbacks.user, CValue(callee).get(), argValues.data(),
                              argValues.size(), names.data(), keywordValues.data(),
                              keywordValues.size(), out, message);
      },
      error);
}

std::optional<HostValue> CallbackResolver::compare(llvm::StringRef op, const HostValue &lhs,
                                                   const HostValue &rhs, std::string &error) {
  const uint32_t code = llvm::StringSwitch<uint32_t>(op)
                            .Case("==", TG_CMP_EQ)
                            .Case("!=", TG_CMP_NE)
                            .Case("<", TG_CMP_LT)
                            .Case("<=", TG_CMP_LE)
                            .Case(">", TG_CMP_GT)
                            .Case(">=", TG_CMP_GE)
                            .Case("is", TG_CMP_IS)
                            .Default(TG_CMP_IN);
  return askHost(
      [&](tg_host_value *out, const char **message) {
        return callbacks.compare(callbacks.user, code, CValue(lhs).get(), CValue(rhs).get(), out,
                                 message);
      },
      error);
}

std::optional<SourceText> CallbackResolver::functionSource(const HostValue &function,
                                                           std::string &error) {
  std::optional<SourceText> result;
  thread.run([&] {
    tg_source source{};
    source.struct_size = sizeof source;
    const char *message = nullptr;
    const int code =
        callbacks.function_source(callbacks.user, CValue(function).get(), &source, &message);
    if (code == TG_FOUND) {
      result =
          SourceText{std::string(source.text, source.text_size), source.file, source.first_line};
    } else {
      error = code == TG_FAILED && message ? message : "the source of the function is not known";
    }
  });
  return result;
}

} // namespace tegula::driver

//===- Json.h - The JSON of bundles -----------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A subset of JSON in which equal values have equal bytes: integers of 64 bits but no
// fractions, no null, keys sorted and each once, no space outside strings. A file can
// then be checked by writing it again, and a checksum over it means something.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_JSON_H
#define TEGULA_RUNTIME_JSON_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tegula::runtime {

struct Json;
using JsonList = std::vector<Json>;
using JsonObject = std::map<std::string, Json, std::less<>>;

struct Json {
  std::variant<bool, int64_t, std::string, JsonList, JsonObject> value;
};

/// Reads one value that takes all of `text`. Space and the order of keys are free
/// here; keys that come twice, zero bytes, text that is no UTF-8 and more than 32
/// levels are not. Empty when right, else what is wrong: "expected X, got Y at byte N".
std::string parseJson(std::string_view text, Json &out);

/// The one form of a value.
std::string renderJson(const Json &json);

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_JSON_H

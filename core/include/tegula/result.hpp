//===- result.hpp - Errors as values ----------------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Part of tegula.hpp, the C++ API over the C API of tegula.h. C++17, header only.
// Nothing here throws but what std::string and std::vector do without memory.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RESULT_HPP
#define TEGULA_RESULT_HPP

#include "tegula/tegula.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace tegula {

/// What went wrong, as a value: it may be copied and kept.
class Error {
public:
  Error(tg_code code, std::string id, std::string message, std::string hint = "")
      : errorCode(code), errorId(std::move(id)), errorMessage(std::move(message)),
        errorHint(std::move(hint)) {}
  /// Takes over a status, which must not be null.
  explicit Error(tg_status *status)
      : errorCode(tg_status_code(status)), errorId(tg_status_id(status)),
        errorMessage(tg_status_message(status)), errorHint(tg_status_hint(status)),
        diagnostics(tg_status_diagnostics_json(status)) {
    tg_status_free(status);
  }

  tg_code code() const { return errorCode; }
  /// One stable word: docs/errors.md.
  const std::string &id() const { return errorId; }
  const std::string &message() const { return errorMessage; }
  const std::string &hint() const { return errorHint; }
  /// Diagnostics of a compile as a JSON array (tg_status_diagnostics_json).
  const std::string &diagnosticsJson() const { return diagnostics; }
  /// Message, identifier and hint, as a person wants to read them.
  std::string describe() const {
    std::string text = errorMessage;
    // Diagnostics have their identifiers in the text.
    if (!errorId.empty() && diagnostics == "[]") {
      text.insert(text.find('\n') == std::string::npos ? text.size() : text.find('\n'),
                  " [" + errorId + "]");
    }
    return errorHint.empty() ? text : text + "\nhint: " + errorHint;
  }

private:
  tg_code errorCode;
  std::string errorId, errorMessage, errorHint, diagnostics = "[]";
};

/// A value, or the error for which there is none. Test it before the value is used;
/// that of an error is as undefined as that of an empty std::optional.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : content(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : content(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return content.index() == 0; }
  T &value() & { return *std::get_if<0>(&content); }
  const T &value() const & { return *std::get_if<0>(&content); }
  T &&value() && { return std::move(*std::get_if<0>(&content)); }
  T &operator*() & { return value(); }
  const T &operator*() const & { return value(); }
  T &&operator*() && { return std::move(*this).value(); }
  T *operator->() { return std::get_if<0>(&content); }
  const T *operator->() const { return std::get_if<0>(&content); }
  const Error &error() const { return *std::get_if<1>(&content); }

private:
  std::variant<T, Error> content;
};

/// Success, or an error.
template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : content(std::move(error)) {}
  /// Takes over a status of the C API.
  static Result take(tg_status *status) { return status ? Result(Error(status)) : Result(); }

  explicit operator bool() const { return !content; }
  const Error &error() const { return *content; }

private:
  std::optional<Error> content;
};
using Status = Result<void>;

} // namespace tegula

#endif // TEGULA_RESULT_HPP

//===- Status.h - Making statuses of the C API ------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_STATUS_H
#define TEGULA_RUNTIME_STATUS_H

#include "tegula/tegula.h"

#include <cstddef>
#include <string>

/// What C++ of Tegula outside libTegulaRuntime may link against.
#define TG_CXX_API __attribute__((visibility("default")))

/// The status behind the C API. A null pointer is success.
struct tg_status {
  tg_code code = TG_INTERNAL;
  std::string id; ///< from Diagnostics.def, or of the first error of a compile
  std::string message;
  std::string hint;
  std::string diagnosticsJson = "[]";
};

namespace tegula::runtime {

/// The stable name of a kind of status. Only the table (Diagnostics.def) makes
/// them, so that each is documented.
struct StatusID {
  const char *name;
};

namespace status {
#define TEGULA_STATUS(Name, Id, Meaning, Action) inline constexpr StatusID Name{Id};
#include "tegula/Runtime/Diagnostics.def"
} // namespace status

/// A new status owned by the caller; the only way statuses are made, so that
/// running out of memory here still yields one.
TG_CXX_API tg_status *makeStatus(tg_code code, StatusID id, std::string message,
                                 std::string hint = "",
                                 std::string diagnosticsJson = "[]") noexcept;

/// `status` with `text` ahead of its message.
TG_CXX_API tg_status *prefixed(tg_status *status, const std::string &text) noexcept;

/// `message` with ` [id]` behind its first line, as users see it.
TG_CXX_API std::string withId(const std::string &message, const std::string &id);

/// The message as users see it. Diagnostics of compiles and descriptors have their
/// identifiers in the text already.
TG_CXX_API std::string shownMessage(const tg_status &status);

/// Bytes of the UTF-8 character at `at`, or 0 for bytes that are none.
TG_CXX_API size_t utf8Length(const std::string &text, size_t at);

/// `text` as a JSON string with its quotes; bytes that are no UTF-8 become U+FFFD.
TG_CXX_API std::string quoteJson(const std::string &text);

/// One error without a place, in the form of tg_status_diagnostics_json.
TG_CXX_API std::string toDiagnosticJson(const std::string &id, const std::string &message,
                                        const std::string &hint);

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_STATUS_H

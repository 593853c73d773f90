//===- Status.h - Making statuses of the C API ------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_STATUS_H
#define TEGULA_RUNTIME_STATUS_H

#include "tegula/tegula.h"

#include <string>

/// What C++ of Tegula outside libTegulaRuntime may link against.
#define TG_CXX_API __attribute__((visibility("default")))

/// The status behind the C API. A null pointer is success.
struct tg_status {
  tg_code code = TG_INTERNAL;
  std::string id; ///< "E111" of plugin, descriptor and bundle errors, or ""
  std::string message;
  std::string hint;
  std::string diagnosticsJson = "[]";
};

namespace tegula::runtime {

/// A new status owned by the caller; the only way statuses are made, so that
/// running out of memory here still yields one.
TG_CXX_API tg_status *makeStatus(tg_code code, std::string message, std::string id = "",
                                 std::string hint = "",
                                 std::string diagnosticsJson = "[]") noexcept;

/// `text` as a JSON string with its quotes.
TG_CXX_API std::string quoteJson(const std::string &text);

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_STATUS_H

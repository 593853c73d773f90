//===- Status.cpp - Statuses of the C API -----------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/Status.h"

#include <cstdio>
#include <utility>

namespace tegula::runtime {

/// Returned when there is no memory for another one; never freed.
static tg_status outOfMemory{TG_OUT_OF_MEMORY, "", "out of memory", "", "[]"};

tg_status *makeStatus(tg_code code, std::string message, std::string id, std::string hint,
                      std::string diagnosticsJson) noexcept {
  try {
    return new tg_status{code, std::move(id), std::move(message), std::move(hint),
                         std::move(diagnosticsJson)};
  } catch (...) {
    return &outOfMemory;
  }
}

std::string quoteJson(const std::string &text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\t':
      out += "\\t";
      break;
    case '\r':
      out += "\\r";
      break;
    default:
      if (static_cast<unsigned char>(c) < 0x20) {
        char buffer[8];
        std::snprintf(buffer, sizeof buffer, "\\u%04x", c);
        out += buffer;
      } else {
        out += c;
      }
    }
  }
  return out + '"';
}

} // namespace tegula::runtime

const char *tg_version(void) { return TEGULA_VERSION; }

tg_code tg_status_code(const tg_status *status) { return status ? status->code : TG_OK; }
const char *tg_status_message(const tg_status *status) {
  return status ? status->message.c_str() : "";
}
const char *tg_status_hint(const tg_status *status) { return status ? status->hint.c_str() : ""; }
const char *tg_status_id(const tg_status *status) { return status ? status->id.c_str() : ""; }
const char *tg_status_diagnostics_json(const tg_status *status) {
  return status ? status->diagnosticsJson.c_str() : "[]";
}

void tg_status_free(tg_status *status) {
  if (status != &tegula::runtime::outOfMemory) {
    delete status;
  }
}

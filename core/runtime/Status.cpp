//===- Status.cpp - Statuses of the C API -----------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/Status.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace tegula::runtime {

/// Returned when there is no memory for another one; never freed.
static tg_status outOfMemory{TG_OUT_OF_MEMORY, status::OutOfMemory.name, "out of memory", "", "[]"};

tg_status *makeStatus(tg_code code, StatusID id, std::string message, std::string hint,
                      std::string diagnosticsJson) noexcept {
  try {
    return new tg_status{code, id.name, std::move(message), std::move(hint),
                         std::move(diagnosticsJson)};
  } catch (...) {
    return &outOfMemory;
  }
}

tg_status *prefixed(tg_status *status, const std::string &text) noexcept {
  if (status != &outOfMemory) {
    try {
      status->message.insert(0, text);
    } catch (...) { // the message alone still says what happened
    }
  }
  return status;
}

std::string withId(const std::string &message, const std::string &id) {
  const size_t end = std::min(message.find('\n'), message.size());
  return id.empty() ? message : message.substr(0, end) + " [" + id + "]" + message.substr(end);
}

std::string shownMessage(const tg_status &status) {
  return status.diagnosticsJson == "[]" ? withId(status.message, status.id) : status.message;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

size_t utf8Length(const std::string &text, size_t at) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = byte(at);
  const size_t length = first < 0x80                     ? 1
                        : first >= 0xc2 && first <= 0xdf ? 2
                        : first >= 0xe0 && first <= 0xef ? 3
                        : first >= 0xf0 && first <= 0xf4 ? 4
                                                         : 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) {
      return 0;
    }
  }
  // Overlong forms, surrogates and what lies beyond Unicode.
  const unsigned second = byte(at + 1);
  const bool wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                     (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return wrong ? 0 : length;
}

static void quoteCharacter(char c, std::string &out) {
  switch (c) {
  case '"':
  case '\\':
    out += '\\';
    out += c;
    return;
  case '\n':
    out += "\\n";
    return;
  case '\t':
    out += "\\t";
    return;
  case '\r':
    out += "\\r";
    return;
  default:
    break;
  }
  if (static_cast<unsigned char>(c) < 0x20) {
    char buffer[8];
    std::snprintf(buffer, sizeof buffer, "\\u%04x", c);
    out += buffer;
  } else {
    out += c;
  }
}

std::string quoteJson(const std::string &text) {
  std::string out = "\"";
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8Length(text, at);
    if (length == 0) {
      out += "\xef\xbf\xbd"; // U+FFFD
    } else if (length == 1) {
      quoteCharacter(text[at], out);
    } else {
      out.append(text, at, length);
    }
    at += std::max<size_t>(length, 1);
  }
  return out + '"';
}

std::string toDiagnosticJson(const std::string &id, const std::string &message,
                             const std::string &hint) {
  return "{\"hint\":" + quoteJson(hint) + ",\"id\":" + quoteJson(id) +
         ",\"message\":" + quoteJson(message) + ",\"notes\":[],\"severity\":\"error\"}";
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

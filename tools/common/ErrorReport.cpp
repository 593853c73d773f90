//===- ErrorReport.cpp - How the tools tell of errors -----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ErrorReport.h"

#include "StandardStreams.h"
#include "tegula/tegula.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

using namespace tegula::tools;
using tegula::runtime::makeStatus;

void tegula::tools::fail(runtime::StatusID id, const std::string &message,
                         const std::string &hint) {
  throw StatusError{makeStatus(TG_INVALID, id, message, hint)};
}

void tegula::tools::failUsage(const std::string &message) { fail(status::Usage, message); }

void tegula::tools::check(tg_status *status) {
  if (status) {
    throw StatusError{status};
  }
}

//===----------------------------------------------------------------------===//
// ErrorReport
//===----------------------------------------------------------------------===//

static int exitCodeOf(const tg_status &status) {
  switch (status.code) {
  case TG_OK:
    return 0;
  case TG_UNAVAILABLE:
  case TG_INCOMPATIBLE:
    return 3;
  case TG_INTERNAL:
    return 4;
  default:
    return status.id == status::Usage.name ? 2 : status.id == status::PluginNotFound.name ? 3 : 1;
  }
}

/// Somebody has been told that standard output cannot be written.
static bool isLossKnown = false;

ErrorReport::ErrorReport(const char *tool, int argc, char **argv) : tool(tool) {
  occupyStandardStreams();
  json = std::any_of(argv + 1, argv + argc,
                     [](const char *arg) { return std::strcmp(arg, "--json") == 0; });
}

ErrorReport::~ErrorReport() { printArray(); }

void ErrorReport::printArray() {
  if (json && (always || !array.empty())) {
    std::printf("[%s]\n", array.c_str());
    isLossKnown &= array.empty(); // if it said so, that is lost as well
  }
  array.clear();
  always = false;
}

int ErrorReport::exitCode() {
  printArray();
  const bool isFlushed = std::fflush(stdout) == 0;
  if (!isFlushed || std::ferror(stdout)) {
    code = std::max(code, 1);
    if (!isLossKnown) {
      const std::string reason = isFlushed ? "" : std::string(": ") + std::strerror(errno);
      std::fprintf(stderr, "%s: error: cannot write standard output%s [%s]\n", tool.c_str(),
                   reason.c_str(), status::FileAccess.name);
    }
    isLossKnown = true;
  }
  return code;
}

void ErrorReport::add(tg_status *status) {
  const std::unique_ptr<tg_status, void (*)(tg_status *)> owned(status, tg_status_free);
  code = std::max(code, exitCodeOf(*status));
  const bool isLocated = status->diagnosticsJson != "[]";
  const bool isUsage = status->id == status::Usage.name;
  const std::string hint = isUsage ? "see " + tool + " --help" : status->hint;
  if (json) {
    const std::string &list = status->diagnosticsJson;
    array += array.empty() ? "" : ",";
    array += isLocated ? list.substr(1, list.size() - 2)
                       : runtime::toDiagnosticJson(status->id, status->message, hint);
    return;
  }
  std::string text = (isLocated ? "" : tool + ": error: ") + runtime::shownMessage(*status);
  if (!text.ends_with('\n')) {
    text += '\n';
  }
  if (!hint.empty()) {
    text += "hint: " + hint + "\n";
  }
  std::fflush(stdout); // what was said before stands before
  std::fputs(text.c_str(), stderr);
}

void ErrorReport::addDiagnostics(const std::string &list) {
  if (list.size() > 2) {
    array += (array.empty() ? "" : ",") + list.substr(1, list.size() - 2);
  }
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

std::string tegula::tools::readFile(const std::string &path) {
  constexpr size_t limit = size_t(64) << 20; // devices and pipes may never end
  std::string text;
  std::FILE *file = std::fopen(path.c_str(), "rb");
  bool isRead = file != nullptr;
  char buffer[1 << 16];
  while (isRead && !std::feof(file) && text.size() <= limit) {
    text.append(buffer, std::fread(buffer, 1, sizeof buffer, file));
    isRead = std::ferror(file) == 0;
  }
  const int error = errno;
  if (file) {
    std::fclose(file);
  }
  if (!isRead) {
    fail(status::FileAccess, "cannot read '" + path + "': " + std::strerror(error));
  }
  if (text.size() > limit) {
    fail(status::InvalidFile, path + ": expected a file of at most 64 MiB, got a larger one");
  }
  // One odd byte is the compiler's to point at; code would get a message per byte.
  if (std::count(text.begin(), text.begin() + std::min<size_t>(text.size(), 4096), '\0') > 4) {
    fail(status::InvalidFile, path + ": expected text, got a binary file");
  }
  return text;
}

void tegula::tools::writeFile(const std::string &path, const char *bytes, size_t size) {
  const bool isStandard = path == "-";
  std::FILE *file = isStandard ? stdout : std::fopen(path.c_str(), "wb");
  bool isWritten = file && std::fwrite(bytes, 1, size, file) == size && std::fflush(file) == 0;
  if (file && !isStandard) {
    isWritten = std::fclose(file) == 0 && isWritten;
  }
  if (!isWritten) {
    isLossKnown |= isStandard;
    fail(status::FileAccess, "cannot write " + (isStandard ? "standard output" : "'" + path + "'") +
                                 ": " + std::strerror(errno));
  }
}

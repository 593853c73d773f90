//===- Log.cpp - What TEGULA_LOG asks for --------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/Log.h"

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

bool tegula::runtime::isLogged(const char *topic) {
  const char *variable = std::getenv("TEGULA_LOG");
  std::string_view list = variable ? variable : "";
  while (!list.empty()) {
    const size_t comma = list.find(',');
    std::string_view name = list.substr(0, comma);
    while (name.starts_with(' ')) {
      name.remove_prefix(1);
    }
    while (name.ends_with(' ')) {
      name.remove_suffix(1);
    }
    if (name == topic || name == "all") {
      return true;
    }
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return false;
}

void tegula::runtime::logLine(const char *topic, const std::string &text) {
  const std::string line = std::string("tegula: ") + topic + ": " + text + "\n";
  // Not through stdio, whose buffers might mix the lines of threads and processes.
  for (size_t at = 0; at < line.size();) {
    const ssize_t written = write(STDERR_FILENO, line.data() + at, line.size() - at);
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return;
    }
    at += size_t(written);
  }
}

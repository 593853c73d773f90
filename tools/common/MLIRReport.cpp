//===- MLIRReport.cpp - Errors of the tools on MLIR --------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MLIRReport.h"

#include "StandardStreams.h"
#include "tegula/tegula.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cerrno>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tegula;
using namespace tegula::tools;

Report::Report(const char *tool, int argc, char **argv)
    : tool(tool), json(std::any_of(argv + 1, argv + argc, [](llvm::StringRef argument) {
        return argument == "--json" || argument == "-json";
      })) {
  occupyStandardStreams();
}

Report::~Report() { end(0); }

int Report::end(int code) {
  if (json && !items.empty()) {
    llvm::outs() << "[" << llvm::join(items, ",") << "]\n";
    items.clear();
  }
  llvm::outs().flush();
  if (llvm::outs().has_error()) {
    // Text, since this is where JSON would go.
    llvm::errs() << tool
                 << ": error: cannot write standard output: " << llvm::outs().error().message()
                 << " [" << runtime::status::FileAccess.name << "]\n";
    llvm::outs().clear_error();
    return std::max(code, 1);
  }
  return code;
}

void Report::print(const char *severity, const std::string &id, const std::string &message,
                   const std::string &hint) {
  if (json) {
    std::string item = runtime::toDiagnosticJson(id, message, hint);
    const std::string wrong = "\"severity\":\"error\"";
    item.replace(item.rfind(wrong), wrong.size(), std::string("\"severity\":\"") + severity + "\"");
    items.push_back(std::move(item));
    return;
  }
  llvm::errs() << tool << ": " << severity << ": " << runtime::withId(message, id) << "\n";
  if (!hint.empty()) {
    llvm::errs() << "hint: " << hint << "\n";
  }
}

/// Moves ` [id]` at the end of the first line to `id`.
static void takeIdentifier(std::string &message, std::string &id) {
  const size_t end = std::min(message.find('\n'), message.size());
  const size_t begin = message.rfind(" [", end);
  if (begin == std::string::npos || message[end - 1] != ']') {
    return;
  }
  const std::string found = message.substr(begin + 2, end - begin - 3);
  if (!found.empty() && found.find_first_of(" ,'\"") == std::string::npos) {
    id = found;
    message.erase(begin, end - begin);
  }
}

void Report::identified(const char *severity, std::string message) {
  std::string id;
  takeIdentifier(message, id);
  print(severity, id, message, "");
}

int Report::add(tg_status *status) {
  const tg_code code = tg_status_code(status);
  const std::string id = tg_status_id(status);
  const std::string list = tg_status_diagnostics_json(status);
  if (list == "[]") {
    print("error", id, tg_status_message(status), tg_status_hint(status));
  } else if (json) {
    items.push_back(list.substr(1, list.size() - 2));
  } else {
    llvm::errs() << llvm::StringRef(tg_status_message(status)).rtrim() << "\n";
  }
  tg_status_free(status);
  return code == TG_UNAVAILABLE || code == TG_INCOMPATIBLE ||
                 id == runtime::status::PluginNotFound.name
             ? 3
         : code == TG_INTERNAL ? 4
                               : 1;
}

/// FILE:LINE:COL: error: MESSAGE, the source line, a caret, then notes alike.
void Report::readDiagnostics(const std::string &text) {
  static const llvm::Regex head(
      "^(.*):([0-9]+):([0-9]+): (error|warning|remark|note): (.*)$|^<unknown>:0: "
      "(error|warning|remark|note): (.*)$");
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  std::string notes;
  const auto finish = [&](std::string &item) { item += ",\"notes\":[" + notes + "]}"; };
  std::string item;
  for (llvm::StringRef line : lines) {
    llvm::SmallVector<llvm::StringRef> found;
    if (!head.match(line, &found)) {
      continue; // source lines and carets
    }
    const bool isLocated = !found[4].empty();
    const llvm::StringRef severity = isLocated ? found[4] : found[6];
    std::string place;
    if (isLocated) {
      place = ",\"file\":" + runtime::quoteJson(found[1].str()) + ",\"line\":" + found[2].str() +
              ",\"column\":" + found[3].str() + ",\"end_line\":" + found[2].str() +
              ",\"end_column\":" + std::to_string(std::atoi(found[3].str().c_str()) + 1);
    }
    std::string message = (isLocated ? found[5] : found[7]).str(), id = "invalid-ir";
    takeIdentifier(message, id);
    if (severity == "note") {
      notes += std::string(notes.empty() ? "" : ",") +
               "{\"message\":" + runtime::quoteJson(message) + place + "}";
      continue;
    }
    if (!item.empty()) {
      finish(item);
      items.push_back(std::move(item));
    }
    notes.clear();
    item = "{\"hint\":\"\",\"id\":" + runtime::quoteJson(id) +
           ",\"message\":" + runtime::quoteJson(message) + ",\"severity\":\"" + severity.str() +
           "\"" + place;
  }
  if (!item.empty()) {
    finish(item);
    items.push_back(std::move(item));
  }
}

void Report::collect(llvm::function_ref<void()> body) {
  const int file = json ? memfd_create("diagnostics", MFD_CLOEXEC) : -1;
  const int saved = file >= 0 ? dup(STDERR_FILENO) : -1;
  if (saved < 0) {
    body();
    return;
  }
  llvm::errs().flush();
  dup2(file, STDERR_FILENO);
  body();
  llvm::errs().flush();
  dup2(saved, STDERR_FILENO);
  close(saved);
  std::string text;
  char buffer[4096];
  lseek(file, 0, SEEK_SET);
  for (ssize_t got; (got = read(file, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, size_t(got));
  }
  close(file);
  readDiagnostics(text);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// Other devices than terminals and /dev/null may never end.
static bool isEndless(const std::string &path) {
  struct stat facts = {}, none = {};
  if (stat(path.c_str(), &facts) != 0 || !S_ISCHR(facts.st_mode)) {
    return false;
  }
  if (stat("/dev/null", &none) == 0 && none.st_rdev == facts.st_rdev) {
    return false;
  }
  const int file = open(path.c_str(), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  const bool isTerminal = file >= 0 && isatty(file);
  if (file >= 0) {
    close(file);
  }
  return !isTerminal;
}

bool tegula::tools::checkFiles(const std::string &in, const std::string &out, Report &report) {
  const auto refuse = [&](const char *what, const std::string &path, std::error_code error) {
    report.error(runtime::status::FileAccess,
                 std::string("cannot ") + what + " '" + path + "': " + error.message());
    return false;
  };
  if (in != "-") {
    // Asked for rather than tried: a pipe can be opened only once.
    if (access(in.c_str(), R_OK) != 0) {
      return refuse("read", in, std::error_code(errno, std::generic_category()));
    }
    if (llvm::sys::fs::is_directory(in)) {
      return refuse("read", in, std::make_error_code(std::errc::is_a_directory));
    }
    if (isEndless(in)) {
      report.error(runtime::status::InvalidFile, in + ": expected a file, got a device");
      return false;
    }
  }
  if (out != "-") {
    llvm::StringRef folder = llvm::sys::path::parent_path(out);
    const std::string place = folder.empty() ? "." : folder.str();
    const bool exists = llvm::sys::fs::exists(out);
    if (access((exists ? out : place).c_str(), W_OK) != 0) {
      return refuse("write", out, std::error_code(errno, std::generic_category()));
    }
    if (llvm::sys::fs::is_directory(out)) {
      return refuse("write", out, std::make_error_code(std::errc::is_a_directory));
    }
  }
  return true;
}

bool tegula::tools::finishStream(llvm::raw_fd_ostream &os, const std::string &path,
                                 Report &report) {
  os.flush();
  if (!os.has_error()) {
    return true;
  }
  report.error(runtime::status::FileAccess,
               "cannot write " + (path == "-" ? "standard output" : "'" + path + "'") + ": " +
                   os.error().message());
  os.clear_error();
  return false;
}

std::string tegula::tools::quoteWord(const std::string &word) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::sys::printArg(os, word, word.find_first_of("'`;&|<>()*?{}[]#~!\t\n") != word.npos);
  return text;
}

//===- tegula-cache.cpp - A look at the cache on disk -----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/ErrorReport.h"
#include "tegula/Runtime/Cache.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <vector>

using namespace tegula::runtime;
using namespace tegula::tools;
namespace status = tegula::runtime::status;

static const char *const usage =
    R"(usage: tegula-cache info
       tegula-cache clear
       tegula-cache verify [--delete]

Looks at the cache of compiled kernels: the folder TEGULA_CACHE_DIR, else
tegula in XDG_CACHE_HOME or in ~/.cache.

  info      where it is, how it is used, and how much is in it
  clear     removes all entries; reproducers of crashes stay
  verify    reads each entry and tells which are damaged; exit code 1 if any is.
            Nobody needs it: a damaged entry is compiled anew when it is wanted
  --delete  verify removes damaged entries, which then are no error
  --json    the answer as one JSON object on standard output, errors as an array
  -h, --help  --version

Exit codes: 0 right, 1 damaged entries or a folder that cannot be changed, 2 usage,
4 a fault of Tegula.
)";

namespace {
struct Total {
  uint64_t entries = 0, bytes = 0;
};
} // namespace

static CacheSettings settings() {
  CacheSettings out;
  check(readCacheSettings(out));
  return out;
}

static const char *modeName(CacheMode mode) {
  return mode == CacheMode::Off ? "off" : mode == CacheMode::On ? "on" : "read-only";
}

static void info(bool json) {
  const CacheSettings cache = settings();
  std::map<std::string, Total> kinds;
  Total all, parts;
  walkCache(cache.folder, [&](const CacheFile &file) {
    for (Total *total : {file.isPart ? &parts : &all, file.isPart ? nullptr : &kinds[file.kind]}) {
      if (total) {
        total->entries += 1;
        total->bytes += file.size;
      }
    }
  });
  const auto number = [](uint64_t value) { return static_cast<unsigned long long>(value); };
  if (!json) {
    std::printf("folder: %s\nmode: %s\nlimit: %llu bytes\nentries: %llu, %llu bytes\n",
                cache.folder.c_str(), modeName(cache.mode), number(cache.limit),
                number(all.entries), number(all.bytes));
    for (const auto &[kind, total] : kinds) {
      std::printf("  %s: %llu, %llu bytes\n", kind.c_str(), number(total.entries),
                  number(total.bytes));
    }
    if (parts.entries > 0) {
      std::printf("being written, or left over: %llu, %llu bytes\n", number(parts.entries),
                  number(parts.bytes));
    }
    return;
  }
  std::string list;
  for (const auto &[kind, total] : kinds) {
    list += (list.empty() ? "" : ", ") + quoteJson(kind) +
            ": {\"entries\": " + std::to_string(total.entries) +
            ", \"bytes\": " + std::to_string(total.bytes) + "}";
  }
  std::printf("{\"folder\": %s, \"mode\": \"%s\", \"limit\": %llu, \"entries\": %llu, "
              "\"bytes\": %llu, \"kinds\": {%s}, \"parts\": %llu}\n",
              quoteJson(cache.folder).c_str(), modeName(cache.mode), number(cache.limit),
              number(all.entries), number(all.bytes), list.c_str(), number(parts.entries));
}

static void clear(bool json) {
  const CacheSettings cache = settings();
  Total before, after;
  const auto count = [&](Total &total) {
    walkCache(cache.folder, [&](const CacheFile &file) {
      total.entries += file.isPart ? 0 : 1;
      total.bytes += file.size;
    });
  };
  count(before);
  check(tg_cache_clear());
  count(after);
  std::printf(json ? "{\"removed\": %llu, \"bytes\": %llu}\n"
                   : "removed %llu entries, %llu bytes\n",
              static_cast<unsigned long long>(before.entries - after.entries),
              static_cast<unsigned long long>(before.bytes - after.bytes));
}

static void verify(bool json, bool remove) {
  const CacheSettings cache = settings();
  uint64_t whole = 0;
  std::vector<std::string> damaged;
  walkCache(cache.folder, [&](const CacheFile &file) {
    if (file.isPart) {
      return;
    }
    switch (verifyCacheFile(file)) {
    case CacheAnswer::Found:
      whole += 1;
      break;
    case CacheAnswer::Absent: // removed by another process meanwhile
      break;
    case CacheAnswer::Damaged:
      damaged.push_back(file.path);
      if (remove && std::remove(file.path.c_str()) != 0) {
        // no test: the user of the tests may remove everything
        fail(status::FileAccess, "cannot remove '" + file.path + "': " + std::strerror(errno));
      }
    }
  });
  if (!damaged.empty() && !remove) {
    std::string text = std::to_string(damaged.size()) + " of " +
                       std::to_string(damaged.size() + whole) + " entries are damaged:";
    for (const std::string &path : damaged) {
      text += "\n  " + path;
    }
    fail(status::InvalidFile, text,
         "they are compiled anew when they are wanted; tegula-cache verify --delete removes them");
  }
  if (json) {
    std::printf("{\"whole\": %llu, \"removed\": %zu}\n", static_cast<unsigned long long>(whole),
                damaged.size());
  } else {
    for (const std::string &path : damaged) {
      std::printf("removed %s\n", path.c_str());
    }
    std::printf("%llu entries are whole\n", static_cast<unsigned long long>(whole));
  }
}

static void run(int argc, char **argv, ErrorReport &report) {
  std::string command;
  bool remove = false;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "-h" || arg == "--help") {
      std::fputs(usage, stdout);
      return;
    }
    if (arg == "--version") {
      std::printf("tegula-cache %s\n", tg_version());
      return;
    }
    if (arg == "--delete") {
      remove = true;
    } else if (arg.starts_with("-") && arg != "--json") {
      failUsage("unknown option '" + arg + "'");
    } else if (arg != "--json") {
      if (!command.empty()) {
        failUsage("expected one command, got '" + command + "' and '" + arg + "'");
      }
      command = arg;
    }
  }
  if (remove && command != "verify") {
    failUsage("--delete belongs to the command 'verify'");
  }
  if (command == "info") {
    info(report.isJson());
  } else if (command == "clear") {
    clear(report.isJson());
  } else if (command == "verify") {
    verify(report.isJson(), remove);
  } else {
    failUsage(command.empty()
                  ? "expected a command: info, clear or verify"
                  : "unknown command '" + command + "'; expected info, clear or verify");
  }
}

int main(int argc, char **argv) {
  ErrorReport report("tegula-cache", argc, argv);
  try {
    run(argc, argv, report);
  } catch (const StatusError &error) {
    report.add(error.status);
  } catch (const std::exception &error) {
    report.add(makeStatus(TG_INTERNAL, status::InternalFault, error.what()));
  }
  return report.exitCode();
}

//===- tegulac.cpp - The kernel compiler as a command -----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/tegula.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

static const char *const usage =
    R"(usage: tegulac FILE.py -k KERNEL -s SIGNATURE [options]

Compiles one kernel of a file to a stage. Code of the file that is no kernel is
skipped; module constants are read.

  -k, --kernel NAME      the function to compile
  -s, --signature TEXT   one entry per parameter, separated by commas: '*fp32:16' (a
                         pointer to an address divisible by 16), 'i32', 'fp32', 'i32=1',
                         or a value known at compile time: 1024, 1.5, "text", true,
                         none, tl.float16
  -t, --target TARGET    a target name or a descriptor file; without it TEGULA_TARGET,
                         else the best device present
  -e, --emit STAGE       tile, lowered, llvm, asm, object (default) or manifest
  -o, --output FILE      where to write; '-' or nothing: standard output
  -O, --option KEY=VALUE num_warps, num_stages, num_ctas, debug
      --json             errors as a JSON array of diagnostics
  -h, --help             this text
      --version          the version

Exit codes: 0 right, 1 an error in kernel or input, 2 usage, 3 a device or tool is
unavailable, 4 a fault of Tegula.
)";

/// Exit code of a status.
static int exitCode(tg_code code) {
  switch (code) {
  case TG_OK:
    return 0;
  case TG_UNAVAILABLE:
    return 3;
  case TG_INTERNAL:
    return 4;
  default:
    return 1;
  }
}

static std::string jsonString(const std::string &text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    char escape[8];
    if (c < 0x20) {
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      out += escape;
    } else {
      if (c == '"' || c == '\\') {
        out += '\\';
      }
      out += static_cast<char>(c);
    }
  }
  return out + '"';
}

/// An error without a place in a file, as the only diagnostic.
static void printJson(const std::string &message, const char *hint, const char *id) {
  std::fprintf(stderr,
               "[{\"hint\":%s,\"id\":%s,\"message\":%s,\"notes\":[],"
               "\"severity\":\"error\"}]\n",
               jsonString(hint).c_str(), jsonString(id).c_str(), jsonString(message).c_str());
}

static int fail(tg_status *status, bool json) {
  const int code = exitCode(tg_status_code(status));
  if (json) {
    const char *diagnostics = tg_status_diagnostics_json(status);
    if (std::strcmp(diagnostics, "[]") == 0) {
      printJson(tg_status_message(status), tg_status_hint(status), tg_status_id(status));
    } else {
      std::fprintf(stderr, "%s\n", diagnostics);
    }
  } else if (tg_status_code(status) == TG_COMPILE_ERROR) {
    std::fputs(tg_status_message(status), stderr);
  } else {
    std::fprintf(stderr, "tegulac: error: %s\n", tg_status_message(status));
    if (*tg_status_hint(status)) {
      std::fprintf(stderr, "hint: %s\n", tg_status_hint(status));
    }
  }
  tg_status_free(status);
  return code;
}

static int usageError(const std::string &text) {
  std::fprintf(stderr, "tegulac: %s\nsee tegulac --help\n", text.c_str());
  return 2;
}

namespace {
struct Arguments {
  std::string file, kernel, signature, target, emit = "object", output = "-";
  bool hasTarget = false, hasSignature = false, json = false;
  std::vector<std::pair<std::string, std::string>> options;
};
} // namespace

/// 0 to go on, else the exit code plus one.
static int parse(int argc, char **argv, Arguments &out) {
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i], value;
    bool attached = false;
    if (arg.rfind("--", 0) == 0 && arg.find('=') != std::string::npos) {
      value = arg.substr(arg.find('=') + 1);
      arg.resize(arg.find('='));
      attached = true;
    }
    auto is = [&](const char *shortName, const char *longName) {
      return arg == shortName || arg == longName;
    };
    if (is("-h", "--help")) {
      std::fputs(usage, stdout);
      return 1;
    }
    if (arg == "--version") {
      std::printf("tegulac %s\n", tg_version());
      return 1;
    }
    if (arg == "--json") {
      out.json = true;
      continue;
    }
    if (arg.size() < 2 || arg[0] != '-') {
      if (!out.file.empty()) {
        return 1 + usageError("expected one file, got '" + out.file + "' and '" + arg + "'");
      }
      out.file = arg;
      continue;
    }
    std::string *slot = is("-k", "--kernel")      ? &out.kernel
                        : is("-s", "--signature") ? &out.signature
                        : is("-t", "--target")    ? &out.target
                        : is("-e", "--emit")      ? &out.emit
                        : is("-o", "--output")    ? &out.output
                                                  : nullptr;
    const bool isOption = is("-O", "--option");
    if (!slot && !isOption) {
      return 1 + usageError("unknown option '" + arg + "'");
    }
    if (!attached) {
      if (i + 1 == argc) {
        return 1 + usageError("option '" + arg + "' needs a value");
      }
      value = argv[++i];
    }
    if (isOption) {
      const size_t equals = value.find('=');
      if (equals == std::string::npos) {
        return 1 + usageError("expected KEY=VALUE after " + arg + ", got '" + value + "'");
      }
      out.options.emplace_back(value.substr(0, equals), value.substr(equals + 1));
    } else {
      *slot = value;
      out.hasTarget |= slot == &out.target;
      out.hasSignature |= slot == &out.signature;
    }
  }
  if (out.file.empty() || out.kernel.empty() || !out.hasSignature) {
    return 1 + usageError("expected a file, --kernel and --signature");
  }
  return 0;
}

int main(int argc, char **argv) {
  Arguments args;
  if (int code = parse(argc, argv, args)) {
    return code - 1;
  }
  // Copying nothing, from an empty file, is a failure to the stream only.
  errno = 0;
  std::ifstream in(args.file, std::ios::binary);
  std::ostringstream text;
  if (!in.is_open() || (!(text << in.rdbuf()) && errno)) {
    const std::string message = "cannot read '" + args.file + "': " + std::strerror(errno);
    if (args.json) {
      printJson(message, "", "");
    } else {
      std::fprintf(stderr, "tegulac: error: %s\n", message.c_str());
    }
    return 1;
  }
  const std::string source = text.str();

  tg_target *target = nullptr;
  if (tg_status *status =
          tg_target_resolve(args.hasTarget ? args.target.c_str() : nullptr, &target)) {
    return fail(status, args.json);
  }
  std::vector<tg_kv> options;
  for (const auto &[key, value] : args.options) {
    options.push_back({key.c_str(), value.c_str()});
  }
  const bool manifest = args.emit == "manifest";
  tg_compile_request request{};
  request.struct_size = sizeof request;
  request.source = {sizeof(tg_source), source.data(), source.size(), args.file.c_str(), 1};
  request.kernel = args.kernel.c_str();
  request.signature = args.signature.c_str();
  request.target = target;
  request.options = options.data();
  request.num_options = options.size();
  request.emit = manifest ? "object" : args.emit.c_str();
  tg_artifact *artifact = nullptr;
  tg_status *status = tg_compile(&request, &artifact);
  tg_target_free(target);
  if (status) {
    return fail(status, args.json);
  }
  std::fputs(tg_artifact_warnings(artifact), stderr);
  size_t size = 0;
  const char *bytes = manifest ? tg_artifact_manifest(artifact) : nullptr;
  if (manifest) {
    size = std::strlen(bytes);
  } else {
    // Aliases name the same stage; the artifact knows it by its own name.
    for (const char *stage : {args.emit.c_str(), "tile", "lowered", "llvm", "asm", "object"}) {
      if ((bytes = tg_artifact_stage(artifact, stage, &size))) {
        break;
      }
    }
  }
  bool written = bytes != nullptr;
  if (args.output == "-") {
    written = written && std::fwrite(bytes, 1, size, stdout) == size && std::fflush(stdout) == 0;
  } else if (written) {
    std::ofstream out(args.output, std::ios::binary);
    out.write(bytes, static_cast<std::streamsize>(size));
    out.close();
    written = static_cast<bool>(out);
  }
  tg_artifact_free(artifact);
  if (!written) {
    std::fprintf(stderr, "tegulac: error: cannot write '%s': %s\n", args.output.c_str(),
                 std::strerror(errno));
    return 1;
  }
  return 0;
}

//===- tegulac.cpp - The kernel compiler as a command -----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/ErrorReport.h"
#include "tegula/tegula.h"

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

using namespace tegula::tools;
using tegula::runtime::makeStatus;

static const char *const usage =
    R"(usage: tegulac FILE.py -k KERNEL -s SIGNATURE [options]
       tegulac FILE.mlir -k KERNEL [options]

Compiles one kernel of a file to a stage. Code of the file that is no kernel is
skipped; module constants are read. FILE.mlir holds tile IR, as --emit=tile writes it.

  -k, --kernel NAME      the function to compile
  -s, --signature TEXT   one entry per parameter, separated by commas: '*fp32:16' (a
                         pointer to an address divisible by 16), 'i32', 'fp32', 'i32=1',
                         or a value known at compile time: 1024, 1.5, "text", true,
                         none, tl.float16
  -t, --target TARGET    a target name or a descriptor file; without it TEGULA_TARGET,
                         else the best device present
  -e, --emit STAGE       tile, lowered, llvm, asm, object (default) or manifest
  -o, --output FILE      where to write; '-' or nothing: standard output
  -O, --option KEY=VALUE num_warps, num_stages, num_ctas, debug,
                         sanitize_overflow
      --list-language    every function of the kernel language, as JSON
      --json             errors as a JSON array of diagnostics on standard output
  -h, --help             this text
      --version          the version

Exit codes: 0 right, 1 an error in kernel or input, 2 usage, 3 a device or tool is
unavailable, 4 a fault of Tegula.
)";

namespace {
struct Arguments {
  std::string file, kernel, signature, target, emit = "object", output = "-";
  bool hasTarget = false, hasSignature = false;
  std::vector<std::pair<std::string, std::string>> options;
};
} // namespace

/// Reads the command line. True when it only asked for text.
static bool parse(int argc, char **argv, Arguments &out) {
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i], value;
    bool attached = false;
    if (arg.starts_with("--") && arg.find('=') != std::string::npos) {
      value = arg.substr(arg.find('=') + 1);
      arg.resize(arg.find('='));
      attached = true;
    }
    auto is = [&](const char *shortName, const char *longName) {
      return arg == shortName || arg == longName;
    };
    if (is("-h", "--help")) {
      std::fputs(usage, stdout);
      return true;
    }
    if (arg == "--list-language") {
      const char *json = nullptr;
      check(tg_language_describe(&json));
      std::printf("%s\n", json);
      return true;
    }
    if (arg == "--version") {
      std::printf("tegulac %s\n", tg_version());
      return true;
    }
    if (arg == "--json") {
      continue; // ErrorReport has seen it
    }
    if (arg.size() < 2 || arg[0] != '-') {
      if (!out.file.empty()) {
        failUsage("expected one file, got '" + out.file + "' and '" + arg + "'");
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
      failUsage("unknown option '" + arg + "'");
    }
    if (!attached) {
      if (i + 1 == argc) {
        failUsage("option '" + arg + "' needs a value");
      }
      value = argv[++i];
    }
    if (isOption) {
      const size_t equals = value.find('=');
      if (equals == std::string::npos) {
        failUsage("expected KEY=VALUE after " + arg + ", got '" + value + "'");
      }
      out.options.emplace_back(value.substr(0, equals), value.substr(equals + 1));
    } else {
      *slot = value;
      out.hasTarget |= slot == &out.target;
      out.hasSignature |= slot == &out.signature;
    }
  }
  // Tile IR brings the types of its parameters along.
  const bool isTileIR = out.file.ends_with(".mlir");
  if (out.file.empty() || out.kernel.empty() || (!out.hasSignature && !isTileIR)) {
    std::string missing = out.file.empty()     ? "a file"
                          : out.kernel.empty() ? "--kernel"
                                               : "--signature";
    failUsage("expected a file, --kernel and --signature; " + missing + " is missing");
  }
  return false;
}

namespace {
struct TargetDeleter {
  void operator()(tg_target *target) const { tg_target_free(target); }
};
struct ArtifactDeleter {
  void operator()(tg_artifact *artifact) const { tg_artifact_free(artifact); }
};
} // namespace

static void compile(const Arguments &args) {
  const bool isManifest = args.emit == "manifest";
  if (!isManifest && !tg_stage_name(args.emit.c_str())) {
    fail(status::UnknownStage, "unknown stage '" + args.emit +
                                   "'; expected tile, lowered, llvm, asm, object or manifest");
  }
  const std::string source = readFile(args.file);
  tg_target *resolved = nullptr;
  check(tg_target_resolve(args.hasTarget ? args.target.c_str() : nullptr, &resolved));
  const std::unique_ptr<tg_target, TargetDeleter> target(resolved);
  std::vector<tg_kv> options;
  for (const auto &[key, value] : args.options) {
    options.push_back({key.c_str(), value.c_str()});
  }
  tg_compile_request request{};
  request.struct_size = sizeof request;
  request.source = {sizeof(tg_source), source.data(), source.size(), args.file.c_str(), 1};
  request.kernel = args.kernel.c_str();
  request.signature = args.signature.c_str();
  request.target = target.get();
  request.options = options.data();
  request.num_options = options.size();
  request.emit = isManifest ? "object" : args.emit.c_str();
  tg_artifact *made = nullptr;
  check(tg_compile(&request, &made));
  const std::unique_ptr<tg_artifact, ArtifactDeleter> artifact(made);
  std::fputs(tg_artifact_warnings(made), stderr);
  size_t size = 0;
  const char *bytes =
      isManifest ? tg_artifact_manifest(made) : tg_artifact_stage(made, args.emit.c_str(), &size);
  writeFile(args.output, bytes, isManifest ? std::strlen(bytes) : size);
}

int main(int argc, char **argv) {
  ErrorReport report("tegulac", argc, argv);
  try {
    Arguments args;
    if (!parse(argc, argv, args)) {
      compile(args);
    }
  } catch (const StatusError &error) {
    report.add(error.status);
  } catch (const std::exception &error) {
    report.add(makeStatus(TG_INTERNAL, status::InternalFault, error.what()));
  }
  return report.exitCode();
}

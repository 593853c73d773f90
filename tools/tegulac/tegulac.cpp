//===- tegulac.cpp - The kernel compiler as a command -----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/ErrorReport.h"
#include "Bundle.h"
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
       tegulac FILE.py -k A -s SIGNATURE -k B -s SIGNATURE... -t X -t Y... --emit=bundle

Compiles one kernel of a file to a stage. Code of the file that is no kernel is
skipped; module constants are read. FILE.mlir holds tile IR, as --emit=tile writes it.

  -k, --kernel NAME      the function to compile
  -s, --signature TEXT   one entry per parameter, separated by commas: '*fp32:16' (a
                         pointer to an address divisible by 16), 'i32', 'fp32', 'i32=1',
                         or a value known at compile time: 1024, 1.5, "text", true,
                         none, tl.float16
  -t, --target TARGET    a target name or a descriptor file; without it TEGULA_TARGET,
                         else the best device present
  -e, --emit STAGE       tile, lowered, llvm, asm, object (default), manifest, or
                         bundle: all kernels given for all targets given, in one file;
                         FILE.yaml as a target stands for all targets in it
      --add BUNDLE       with --emit=bundle: the kernels of a bundle, too
  -o, --output FILE      where to write; '-' or nothing: standard output
  -O, --option KEY=VALUE num_warps, num_stages, num_ctas, debug,
                         sanitize_overflow
      --explain          what became of the kernel's operations and why: how memory
                         is reached, which loops are vectorised, which tiles are kept in
                         memory or move between threads, which products run on matrix
                         instructions; as remarks at lines of the source
      --print-pipeline   the passes up to --emit, for tegula-opt --pass-pipeline
      --time-passes      how long each step of the compile takes
      --save-temps[=DIR] every stage, and what is given to external tools, as files of
                         the folder DIR (KERNEL.temps)
                         With one of these four, the result is written only where
                         --output or --emit asks for it.
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
  bool explains = false, printsPipeline = false, timesPasses = false;
  bool savesTemps = false;
  std::string tempFolder;
  bool hasOutput = false, hasEmit = false;
  bool reports() const { return explains || printsPipeline || timesPasses || savesTemps; }
  std::vector<std::string> kernels, signatures, targets, bundles; ///< for --emit=bundle
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
    if (arg == "--save-temps") {
      out.savesTemps = true;
      out.tempFolder = value;
      if (attached && value.empty()) {
        failUsage("option '--save-temps=' needs a folder");
      }
      continue;
    }
    bool *report = arg == "--explain"          ? &out.explains
                   : arg == "--print-pipeline" ? &out.printsPipeline
                   : arg == "--time-passes"    ? &out.timesPasses
                                               : nullptr;
    if (report) {
      if (attached) {
        failUsage("option '" + arg + "' takes no value");
      }
      *report = true;
      continue;
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
    const bool isOption = is("-O", "--option"), isBundle = arg == "--add";
    if (!slot && !isOption && !isBundle) {
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
    } else if (isBundle) {
      out.bundles.push_back(value);
    } else {
      *slot = value;
      std::vector<std::string> *list = slot == &out.kernel      ? &out.kernels
                                       : slot == &out.signature ? &out.signatures
                                       : slot == &out.target    ? &out.targets
                                                                : nullptr;
      if (list) {
        list->push_back(value);
      }
      out.hasTarget |= slot == &out.target;
      out.hasOutput |= slot == &out.output;
      out.hasEmit |= slot == &out.emit;
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
  if (out.emit != "bundle" && (out.kernels.size() > 1 || out.targets.size() > 1)) {
    failUsage(std::string("several ") + (out.kernels.size() > 1 ? "kernels" : "targets") +
              " need --emit=bundle");
  }
  if (out.emit == "bundle" && !isTileIR && out.kernels.size() != out.signatures.size()) {
    failUsage("expected a --signature for each --kernel, got " +
              std::to_string(out.kernels.size()) + " kernels and " +
              std::to_string(out.signatures.size()) + " signatures");
  }
  if (out.emit == "bundle" && out.reports()) {
    failUsage("--explain, --print-pipeline, --time-passes and --save-temps look at one compile, "
              "not at a bundle");
  }
  if (!out.bundles.empty() && out.emit != "bundle") {
    failUsage("--add needs --emit=bundle");
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

/// Shows what the compile told of itself, where the artifact is not.
static void writeReports(const Arguments &args, const tg_artifact *made, bool writesArtifact,
                         ErrorReport &report) {
  std::string text;
  if (report.isJson()) {
    report.addDiagnostics(tg_artifact_report(made, "remarks-json"));
  } else {
    text += tg_artifact_report(made, "remarks");
  }
  const std::string pipeline = tg_artifact_report(made, "pipeline");
  text += pipeline.empty() ? "" : pipeline + "\n";
  text += tg_artifact_report(made, "timing");
  const bool isFree = !report.isJson() && (!writesArtifact || args.output != "-");
  std::fputs(text.c_str(), isFree ? stdout : stderr);
}

static void compile(const Arguments &args, ErrorReport &report) {
  if (args.emit == "bundle") {
    return writeBundle({args.file, args.output, args.kernels, args.signatures, args.targets,
                        args.bundles, args.options});
  }
  const bool isManifest = args.emit == "manifest";
  if (!isManifest && !tg_stage_name(args.emit.c_str())) {
    fail(status::UnknownStage,
         "unknown stage '" + args.emit +
             "'; expected tile, lowered, llvm, asm, object, manifest or bundle");
  }
  const std::string source = readFile(args.file);
  tg_target *resolved = nullptr;
  check(tg_target_resolve(args.hasTarget ? args.target.c_str() : nullptr, &resolved));
  const std::unique_ptr<tg_target, TargetDeleter> target(resolved);
  std::vector<tg_kv> options;
  for (const auto &[key, value] : args.options) {
    options.push_back({key.c_str(), value.c_str()});
  }
  const std::string tempFolder = args.tempFolder.empty() ? args.kernel + ".temps" : args.tempFolder;
  for (const auto &[isGiven, option] : {std::pair<bool, tg_kv>{args.explains, {"explain", "true"}},
                                        {args.printsPipeline, {"print_pipeline", "true"}},
                                        {args.timesPasses, {"time_passes", "true"}},
                                        {args.savesTemps, {"save_temps", tempFolder.c_str()}}}) {
    if (isGiven) {
      options.push_back(option);
    }
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
  const bool writesArtifact = !args.reports() || args.hasOutput || args.hasEmit;
  writeReports(args, made, writesArtifact, report);
  if (!writesArtifact) {
    return;
  }
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
      compile(args, report);
    }
  } catch (const StatusError &error) {
    report.add(error.status);
  } catch (const std::exception &error) {
    report.add(makeStatus(TG_INTERNAL, status::InternalFault, error.what()));
  }
  return report.exitCode();
}

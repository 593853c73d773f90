//===- tegula-run.cpp - Run a kernel from the command line --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "tegula/Runtime/Artifact.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

using namespace tegula::run;
using namespace tegula::tools;
using tegula::runtime::makeStatus;
namespace status = tegula::runtime::status;

static const char *const usage =
    R"(usage: tegula-run FILE -k KERNEL -g X[,Y,Z] [-a NAME=VALUE]... [options]

Compiles one kernel, runs it once and prints what it wrote.

  -k, --kernel NAME     the function
  -g, --grid X[,Y,Z]    programs
  -a, --arg NAME=VALUE  an argument:
                          x=rand:fp32[1024]   a generated array: rand, randn, zeros, ones,
                                              arange, full(V), randint(LO,HI); types fp16 bf16
                                              fp32 fp64 i8..i64 u8..u64 i1
                          x=in.npy            an array from a file
                          x=desc[8,16]:rand:fp32[90,64]   a descriptor of an array, with its
                                              block; desc[8,16,nan]: pads with nan
                          n=1024  s=0.5  b=true  c=none  d="text"  e=tl.float16
                          n=7:i64             a number of a given type
  -o NAME=VALUE         a launch option: num_warps, num_stages, num_ctas, debug,
                         sanitize_overflow
  -t, --target TARGET   a target name or a descriptor file
      --seed N          of the generators; 0 if not given
      --out NAME=FILE   writes an array to an .npy file
      --repeat N        launches N more times and prints how long they took
      --json            prints one JSON object, or a JSON array of errors
  -h, --help  --version

Exit codes: 0 right, 1 an error in kernel or input, 2 usage, 3 a device or tool is
unavailable, 4 a fault of Tegula.
)";

namespace {
using Pairs = std::vector<std::pair<std::string, std::string>>;

struct Options {
  std::string file, kernel, target;
  uint32_t grid[3] = {0, 1, 1};
  bool hasGrid = false, json = false, done = false;
  uint64_t seed = 0, repeat = 0;
  Pairs args, launchOptions, outputs;
};
} // namespace

static std::pair<std::string, std::string> splitPair(const std::string &option,
                                                     const std::string &text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    failUsage("expected NAME=VALUE after " + option + ", got '" + text + "'");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

static uint64_t parseNumber(const std::string &option, const std::string &text, uint64_t limit) {
  char *end = nullptr;
  errno = 0;
  const unsigned long long number = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || text[0] == '-' || *end != '\0' || errno != 0 || number > limit) {
    failUsage("expected a number from 0 to " + std::to_string(limit) + " after " + option +
              ", got '" + text + "'");
  }
  return number;
}

static void parseGrid(const std::string &text, Options &out) {
  std::istringstream stream(text + ",");
  std::string part;
  int dimension = 0;
  while (std::getline(stream, part, ',')) {
    if (dimension == 3) {
      failUsage("expected a grid of at most three numbers, got '" + text + "'");
    }
    out.grid[dimension++] = uint32_t(parseNumber("--grid", part, UINT32_MAX));
  }
  out.hasGrid = true;
}

static Options parse(int argc, char **argv) {
  Options out;
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i], attached;
    const size_t equals = arg.rfind("--", 0) == 0 ? arg.find('=') : std::string::npos;
    if (equals != std::string::npos) {
      attached = arg.substr(equals + 1);
      arg.resize(equals);
    }
    const auto is = [&](const char *shortName, const char *longName) {
      return arg == shortName || arg == longName;
    };
    if (is("-h", "--help") || arg == "--version") {
      arg == "--version" ? std::printf("tegula-run %s\n", tg_version()) : std::printf("%s", usage);
      out.done = true;
      return out;
    }
    if (arg == "--json") {
      out.json = true;
      continue;
    }
    if (arg.empty() || arg[0] != '-') {
      if (!out.file.empty()) {
        failUsage("expected one file, got '" + out.file + "' and '" + arg + "'");
      }
      out.file = arg;
      continue;
    }
    static const char *const known[] = {"-k",       "--kernel", "-g",    "--grid",
                                        "-a",       "--arg",    "-o",    "-t",
                                        "--target", "--seed",   "--out", "--repeat"};
    if (std::find(std::begin(known), std::end(known), arg) == std::end(known)) {
      failUsage("unknown option '" + arg + "'");
    }
    if (equals == std::string::npos && i + 1 == argc) {
      failUsage("option '" + arg + "' needs a value");
    }
    const std::string value = equals == std::string::npos ? argv[++i] : attached;
    if (is("-k", "--kernel")) {
      out.kernel = value;
    } else if (is("-g", "--grid")) {
      parseGrid(value, out);
    } else if (is("-a", "--arg")) {
      out.args.push_back(splitPair(arg, value));
    } else if (arg == "-o") {
      out.launchOptions.push_back(splitPair(arg, value));
    } else if (is("-t", "--target")) {
      out.target = value;
    } else if (arg == "--seed") {
      out.seed = parseNumber(arg, value, UINT64_MAX);
    } else if (arg == "--out") {
      out.outputs.push_back(splitPair(arg, value));
    } else {
      out.repeat = parseNumber(arg, value, 1000000000);
    }
  }
  if (out.file.empty() || out.kernel.empty() || !out.hasGrid) {
    const std::string missing = out.file.empty()     ? "a file"
                                : out.kernel.empty() ? "--kernel"
                                                     : "--grid";
    failUsage("expected a file, --kernel and --grid; " + missing + " is missing");
  }
  return out;
}

//===----------------------------------------------------------------------===//
// Compiling and launching
//===----------------------------------------------------------------------===//

[[noreturn]] static void failParameter(const std::string &kernel, const std::string &name,
                                       const std::string &known) {
  fail(status::LaunchArguments,
       "kernel '" + kernel + "' has no parameter '" + name + "'; its parameters: " + known);
}

static std::vector<Argument> makeArguments(const Options &options, const std::string &source) {
  std::vector<Argument> arguments;
  const std::vector<Parameter> parameters = findParameters(source, options.kernel);
  for (const auto &[name, spec] : options.args) {
    bool isConstexpr = false, isKnown = parameters.empty();
    for (const Parameter &parameter : parameters) {
      isKnown |= parameter.name == name;
      isConstexpr |= parameter.name == name && parameter.isConstexpr;
    }
    for (const Argument &earlier : arguments) {
      if (earlier.name == name) {
        fail(status::LaunchArguments, "argument '" + name + "' is given twice");
      }
    }
    if (!isKnown) {
      std::string known;
      for (const Parameter &parameter : parameters) {
        known += (known.empty() ? "" : ", ") + parameter.name;
      }
      failParameter(options.kernel, name, known);
    }
    arguments.push_back(makeArgument(name, spec, isConstexpr, options.seed));
  }
  return arguments;
}

static tg_artifact *compile(const Options &options, const std::string &source,
                            std::vector<Argument> &arguments, const tg_target *target) {
  std::vector<tg_param> params;
  for (Argument &argument : arguments) {
    argument.value.text = argument.text.c_str();
    argument.value.text_size = argument.text.size();
    params.push_back({argument.name.c_str(),
                      argument.type.empty() ? nullptr : argument.type.c_str(),
                      argument.isConstant ? &argument.value : nullptr});
  }
  std::vector<tg_kv> launchOptions;
  for (const auto &[key, value] : options.launchOptions) {
    launchOptions.push_back({key.c_str(), value.c_str()});
  }
  tg_compile_request request = {};
  request.struct_size = sizeof request;
  request.source = {sizeof request.source, source.c_str(), source.size(), options.file.c_str(), 1};
  request.kernel = options.kernel.c_str();
  request.params = params.data();
  request.num_params = params.size();
  request.signature = "";
  request.target = target;
  request.options = launchOptions.data();
  request.num_options = launchOptions.size();
  tg_artifact *artifact = nullptr;
  check(tg_compile(&request, &artifact));
  if (*tg_artifact_warnings(artifact)) {
    std::fputs(tg_artifact_warnings(artifact), stderr);
  }
  return artifact;
}

/// Types compare without their sign, which tile IR does not have.
static std::string signless(std::string type) {
  std::replace(type.begin(), type.end(), 'u', 'i');
  return type;
}

/// The types of tile IR are its own; those of the language follow from the arguments.
static void checkType(const Argument &argument, const tg_artifact_arg &parameter) {
  const bool isPointer = parameter.type.starts_with("*");
  const std::string got = argument.array ? "*" + std::string(argument.array->dtype->name) : "";
  if (isPointer != (argument.array != nullptr) ||
      (isPointer && signless(got) != signless(parameter.type))) {
    fail(status::LaunchArgumentType,
         "argument '" + argument.name + "': expected " +
             (isPointer ? "an array of " + parameter.type.substr(1)
                        : "a number of type " + parameter.type) +
             ", got " + (argument.array ? argument.array->describe() : "a number"));
  }
}

static std::vector<uint64_t> pack(const Options &options, const tg_artifact &artifact,
                                  std::vector<Argument> &arguments) {
  std::string known;
  for (const tg_artifact_arg &arg : artifact.args) {
    known += (known.empty() ? "" : ", ") + arg.name;
  }
  for (const Argument &argument : arguments) {
    // Of the language, constants are parameters that are gone by now.
    if (options.file.ends_with(".mlir") &&
        std::none_of(artifact.args.begin(), artifact.args.end(),
                     [&](const tg_artifact_arg &arg) { return arg.name == argument.name; })) {
      failParameter(options.kernel, argument.name, known);
    }
  }
  std::vector<uint64_t> block((artifact.argsSize + 7) / 8 + 1);
  for (const tg_artifact_arg &arg : artifact.args) {
    auto *const at = reinterpret_cast<unsigned char *>(block.data()) + arg.offset;
    const size_t dot = std::min(arg.name.find('.'), arg.name.size());
    const auto found = std::find_if(arguments.begin(), arguments.end(), [&](const Argument &a) {
      return a.name == arg.name || (a.isDescriptor && a.name == arg.name.substr(0, dot));
    });
    if (found != arguments.end() && found->name != arg.name) {
      const std::optional<int64_t> part = descriptorPart(*found, arg.name.substr(dot));
      std::memcpy(at, &part.value(), arg.size); // the compiler was told of the descriptor
      continue;
    }
    if (found == arguments.end()) {
      fail(status::LaunchArguments, "argument '" + arg.name + "' is missing",
           "give it with -a " + arg.name + "=VALUE");
    }
    checkType(*found, arg);
    packArgument(*found, arg.type, at, arg.size);
  }
  return block;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

namespace {
struct Summary {
  double low = INFINITY, high = -INFINITY, sum = 0;
  uint64_t nans = 0, checksum = 14695981039346656037u;
};
} // namespace

static Summary summarize(const Array &array) {
  Summary summary;
  for (uint64_t i = 0; i < array.count; ++i) {
    const double value = array.get(i);
    summary.nans += std::isnan(value);
    summary.low = std::fmin(summary.low, value);
    summary.high = std::fmax(summary.high, value);
    summary.sum += std::isnan(value) ? 0 : value;
  }
  for (uint64_t i = 0; i < array.bytes(); ++i) { // FNV-1a
    summary.checksum = (summary.checksum ^ array.data()[i]) * 1099511628211u;
  }
  return summary;
}

static std::string jsonNumber(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.17g", value);
  return std::isfinite(value) ? buffer : "\"" + std::string(buffer) + "\"";
}

static std::string report(const std::string &name, const Array &array, bool json) {
  const Summary summary = summarize(array);
  const uint64_t numbers = array.count - summary.nans;
  const double mean = numbers ? summary.sum / double(numbers) : 0;
  char text[400];
  if (json) {
    std::snprintf(text, sizeof text, "\"nans\": %llu, \"checksum\": \"%016llx\"}",
                  (unsigned long long)summary.nans, (unsigned long long)summary.checksum);
    return "{\"name\": " + tegula::runtime::quoteJson(name) + ", \"array\": \"" + array.describe() +
           "\", \"min\": " + jsonNumber(summary.low) + ", \"max\": " + jsonNumber(summary.high) +
           ", \"mean\": " + jsonNumber(mean) + ", " + text;
  }
  std::snprintf(text, sizeof text, ": %s min=%.9g max=%.9g mean=%.9g nans=%llu checksum=%016llx\n",
                array.describe().c_str(), summary.low, summary.high, mean,
                (unsigned long long)summary.nans, (unsigned long long)summary.checksum);
  return name + text;
}

static void run(const Options &options) {
  const std::string source = readFile(options.file);
  std::vector<Argument> arguments = makeArguments(options, source);
  std::string arrays;
  for (const Argument &argument : arguments) {
    if (argument.array) {
      arrays += (arrays.empty() ? "" : ", ") + argument.name;
    }
  }
  for (const auto &[name, path] : options.outputs) {
    if (std::none_of(arguments.begin(), arguments.end(),
                     [&](const Argument &a) { return a.name == name && a.array; })) {
      fail(status::InvalidValue,
           "--out: expected the name of an array argument (" + arrays + "), got '" + name + "'");
    }
  }
  tg_target *target = nullptr;
  check(tg_target_resolve(options.target.empty() ? nullptr : options.target.c_str(), &target));
  tg_artifact *artifact = compile(options, source, arguments, target);
  tg_device *device = nullptr;
  check(tg_device_get("cpu", 0, &device));
  tg_kernel *kernel = nullptr;
  check(tg_kernel_load(artifact, device, &kernel));
  const std::vector<uint64_t> block = pack(options, *artifact, arguments);
  std::vector<std::vector<unsigned char>> before;
  for (const Argument &argument : arguments) {
    before.emplace_back();
    if (argument.array) {
      before.back().assign(argument.array->data(),
                           argument.array->data() + argument.array->bytes());
    }
  }
  const auto launch = [&] {
    check(tg_kernel_launch(kernel, options.grid, block.data(), artifact->argsSize, nullptr));
  };
  launch();
  std::string outputs;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument &argument = arguments[i];
    const bool wanted = std::any_of(options.outputs.begin(), options.outputs.end(),
                                    [&](const auto &pair) { return pair.first == argument.name; });
    if (argument.array && (wanted || std::memcmp(before[i].data(), argument.array->data(),
                                                 argument.array->bytes()) != 0)) {
      outputs += options.json && !outputs.empty() ? ", " : "";
      outputs += report(argument.name, *argument.array, options.json);
    }
  }
  for (const auto &[name, path] : options.outputs) {
    for (const Argument &argument : arguments) {
      if (argument.name == name) {
        writeNpy(path, *argument.array);
      }
    }
  }
  // Timed after the results are safe: kernels may change their inputs.
  std::vector<double> times;
  for (uint64_t i = 0; i < options.repeat; ++i) {
    const auto start = std::chrono::steady_clock::now();
    launch();
    times.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
            .count());
  }
  std::sort(times.begin(), times.end());
  if (options.json) {
    std::printf("{\"kernel\": %s, \"target\": %s, \"outputs\": [%s]",
                tegula::runtime::quoteJson(options.kernel).c_str(),
                tegula::runtime::quoteJson(tg_target_id(target)).c_str(), outputs.c_str());
    if (!times.empty()) {
      std::printf(
          ", \"time_us\": {\"min\": %.3f, \"median\": %.3f, \"max\": %.3f, \"launches\": %zu}",
          times.front(), times[times.size() / 2], times.back(), times.size());
    }
    std::printf("}\n");
  } else {
    std::fputs(outputs.empty() ? "no array was changed\n" : outputs.c_str(), stdout);
    if (!times.empty()) {
      std::printf("time: min=%.3f us, median=%.3f us of %zu launches\n", times.front(),
                  times[times.size() / 2], times.size());
    }
  }
  tg_kernel_free(kernel);
  tg_artifact_free(artifact);
  tg_target_free(target);
}

int main(int argc, char **argv) {
  ErrorReport report("tegula-run", argc, argv);
  try {
    const Options options = parse(argc, argv);
    if (!options.done) {
      run(options);
    }
  } catch (const StatusError &error) {
    report.add(error.status);
  } catch (const std::bad_alloc &) {
    // no test: needs a machine without memory
    report.add(makeStatus(TG_OUT_OF_MEMORY, status::OutOfMemory, "out of memory"));
  } catch (const std::exception &error) {
    report.add(makeStatus(TG_INTERNAL, status::InternalFault, error.what()));
  }
  return report.exitCode();
}

//===- tegula-run.cpp - Run a kernel from the command line --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "Summary.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
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
       tegula-run FILE -k KERNEL --explain [options]

Runs one kernel once and prints what it wrote. FILE.py and FILE.mlir are compiled,
FILE.tgb is a bundle of kernels that are compiled already.

  -k, --kernel NAME     the function
  -g, --grid X[,Y,Z]    programs
  -a, --arg NAME=VALUE  an argument:
                          x=rand:fp32[1024]   a generated array: rand, randn, zeros, ones,
                                              arange, full(V), randint(LO,HI); types fp16 bf16
                                              fp32 fp64 i8..i64 u8..u64 i1
                          x=in.npy            an array from a file
                          x=desc[8,16]:rand:fp32[90,64]   a descriptor of an array, with its
                                              block; desc[8,16,nan]: pads with nan;
                                              of a kernel that is compiled already block
                                              and padding are what they were
                          n=1024  s=0.5  b=true  c=none  d="text"  e=tl.float16
                          n=7:i64             a number of a given type
  -o NAME=VALUE         a launch option: num_warps, num_stages, num_ctas, debug,
                         sanitize_overflow
  -t, --target TARGET   a target name or a descriptor file
      --device KIND[:N]   where to run, such as cpu:0; without it the best device that
                         there is a target, or a variant in the bundle, for
      --explain         prints which target or variant each device gets, and why; runs
                        nothing
      --seed N          of the generators; 0 if not given
      --out NAME=FILE   writes an array to an .npy file
      --repeat N        launches N more times and prints how long they took
      --json            prints one JSON object, or a JSON array of errors
  -h, --help  --version

Exit codes: 0 right, 1 an error in kernel or input, 2 usage, 3 a device or tool is
unavailable, 4 a fault of Tegula.
)";

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
    if (arg == "--json" || arg == "--explain") {
      (arg == "--json" ? out.json : out.explain) = true;
      continue;
    }
    if (arg.empty() || arg[0] != '-') {
      if (!out.file.empty()) {
        failUsage("expected one file, got '" + out.file + "' and '" + arg + "'");
      }
      out.file = arg;
      continue;
    }
    static const char *const known[] = {"-k",    "--kernel", "-g",      "--grid",   "-a",
                                        "--arg", "-o",       "-t",      "--target", "--seed",
                                        "--out", "--repeat", "--device"};
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
      out.hasTarget = true;
    } else if (arg == "--device") {
      out.device = value;
    } else if (arg == "--seed") {
      out.seed = parseNumber(arg, value, UINT64_MAX);
    } else if (arg == "--out") {
      out.outputs.push_back(splitPair(arg, value));
    } else {
      out.repeat = parseNumber(arg, value, 1000000000);
    }
  }
  if (out.file.empty() || out.kernel.empty() || (!out.hasGrid && !out.explain)) {
    const std::string missing = out.file.empty()     ? "a file"
                                : out.kernel.empty() ? "--kernel"
                                                     : "--grid";
    failUsage("expected a file, --kernel and --grid; " + missing + " is missing");
  }
  if (out.isBundle() && (out.hasTarget || !out.launchOptions.empty())) {
    failUsage(std::string(out.hasTarget ? "--target" : "-o") +
              " is for compiling; the kernels of a bundle are compiled already");
  }
  return out;
}

static void explain(const Options &options) {
  const std::string table = explainChoice(options);
  if (options.json) {
    std::printf("{\"kernel\": %s, \"table\": %s}\n",
                tegula::runtime::quoteJson(options.kernel).c_str(),
                tegula::runtime::quoteJson(table).c_str());
  } else {
    std::fputs(table.c_str(), stdout);
  }
}

static void checkOutputs(const Options &options, const std::vector<Argument> &arguments) {
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
}

/// Microseconds of each launch until the device has finished, sorted.
static std::vector<double> measure(const Options &options, Program &program) {
  std::vector<double> times;
  for (uint64_t i = 0; i < options.repeat; ++i) {
    const auto start = std::chrono::steady_clock::now();
    program.launch(options.grid);
    times.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
            .count());
  }
  std::sort(times.begin(), times.end());
  return times;
}

static void run(const Options &options) {
  std::string source;
  if (!options.isBundle()) {
    source = readFile(options.file);
  }
  std::vector<Argument> arguments = makeArguments(options, source);
  checkOutputs(options, arguments);
  Program program =
      options.isBundle() ? Program::load(options) : Program::compile(options, source, arguments);
  program.bind(options, arguments);
  std::vector<std::vector<unsigned char>> before;
  for (const Argument &argument : arguments) {
    before.emplace_back();
    if (argument.array) {
      before.back().assign(argument.array->data(),
                           argument.array->data() + argument.array->bytes());
    }
  }
  program.launch(options.grid);
  program.readBack(arguments);
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
  const std::vector<double> times = measure(options, program);
  if (options.json) {
    std::printf("{\"kernel\": %s, ", tegula::runtime::quoteJson(options.kernel).c_str());
    if (!program.target().empty()) {
      std::printf("\"target\": %s, ", tegula::runtime::quoteJson(program.target()).c_str());
    }
    std::printf("\"device\": %s, \"outputs\": [%s]",
                tegula::runtime::quoteJson(program.device()).c_str(), outputs.c_str());
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
}

int main(int argc, char **argv) {
  ErrorReport report("tegula-run", argc, argv);
  try {
    const Options options = parse(argc, argv);
    if (!options.done) {
      options.explain ? explain(options) : run(options);
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

//===- tegula-cts.cpp - Does a backend do what Tegula wants of it ---------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/ErrorReport.h"
#include "Expectations.h"
#include "Subject.h"
#include "Suite.h"
#include "Watch.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <regex>
#include <thread>
#include <unistd.h>

using namespace tegula;
using namespace tegula::cts;
using namespace tegula::tools;

static const char *const usage =
    R"(usage: tegula-cts --plugin X.so [--plugin X-rt.so] [options]

Tests a backend: whether it loads and declares what it has, compiles the kernels of the
conformance table, and whether its devices run them right.

      --plugin FILE     a library of the backend, or its id ("cpu"); the other half is found
                        beside it
  -t, --target TARGET   a descriptor file or the name of a target; the backend's own
                        built-in target if not given
      --group GROUP     only these: load, register, target, compile, artifact, runtime,
                        numerics, select (may be repeated)
      --filter REGEX    only tests in whose GROUP/NAME the expression is found
      --expectations FILE   what is unsupported, and which failures are expected (YAML)
      --verify-xfail    an expected failure that passes is a failure
      --list            prints the names of the tests and runs none
      --junit FILE      writes the outcomes as JUnit XML
      --json            prints them as one JSON object
      --jobs N          tests at a time; one for each processor if not given
      --timeout N       seconds for one test; without it, a note tells each minute what is
                        waited for
      --data DIR        the conformance table; share/tegula/conformance if not given
  -h, --help  --version

Exit codes: 0 all pass, 1 failures, 2 usage, 3 the plugin or its device is unavailable, 4 a
fault of Tegula.
)";

namespace {
struct Options {
  SubjectOptions subject;
  std::vector<std::string> groups;
  std::string filter, expectations, junit;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  unsigned timeout = 0;
  bool verifyXfail = false, list = false, json = false, done = false;
};
} // namespace

static Options parse(int argc, char **argv) {
  Options out;
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i], attached;
    const size_t equals = arg.rfind("--", 0) == 0 ? arg.find('=') : std::string::npos;
    if (equals != std::string::npos) {
      attached = arg.substr(equals + 1);
      arg.resize(equals);
    }
    if (arg == "-h" || arg == "--help" || arg == "--version") {
      arg == "--version" ? std::printf("tegula-cts %s\n", tg_version()) : std::printf("%s", usage);
      out.done = true;
      return out;
    }
    if (arg == "--verify-xfail" || arg == "--list" || arg == "--json") {
      (arg == "--list" ? out.list : arg == "--json" ? out.json : out.verifyXfail) = true;
      continue;
    }
    static const char *const known[] = {
        "--plugin",       "-t",      "--target", "--group", "--filter",
        "--expectations", "--junit", "--jobs",   "--data",  "--timeout"};
    if (std::find(std::begin(known), std::end(known), arg) == std::end(known)) {
      failUsage(arg[0] == '-' ? "unknown option '" + arg + "'"
                              : "expected options only, got '" + arg + "'");
    }
    if (equals == std::string::npos && i + 1 == argc) {
      failUsage("option '" + arg + "' needs a value");
    }
    const std::string value = equals == std::string::npos ? argv[++i] : attached;
    if (arg == "--plugin") {
      out.subject.plugins.push_back(value);
    } else if (arg == "-t" || arg == "--target") {
      out.subject.target = value;
    } else if (arg == "--group") {
      if (std::find(std::begin(groupNames), std::end(groupNames), value) == std::end(groupNames)) {
        std::string list;
        for (const char *name : groupNames) {
          list += (list.empty() ? "" : ", ") + std::string(name);
        }
        failUsage("expected a group (" + list + ") after --group, got '" + value + "'");
      }
      out.groups.push_back(value);
    } else if (arg == "--filter") {
      out.filter = value;
    } else if (arg == "--expectations") {
      out.expectations = value;
    } else if (arg == "--junit") {
      out.junit = value;
    } else if (arg == "--data") {
      out.subject.dataFolder = value;
    } else {
      char *end = nullptr;
      const unsigned long number = std::strtoul(value.c_str(), &end, 10);
      const bool isTime = arg == "--timeout";
      const unsigned most = isTime ? 86400 : 1024;
      if (value.empty() || value[0] == '-' || *end != '\0' || number < 1 || number > most) {
        failUsage("expected a number from 1 to " + std::to_string(most) + " after " + arg +
                  ", got '" + value + "'");
      }
      (isTime ? out.timeout : out.jobs) = unsigned(number);
    }
  }
  if (out.subject.plugins.empty()) {
    failUsage("expected --plugin FILE");
  }
  return out;
}

static std::vector<const Test *> choose(const Options &options, const Suite &suite) {
  std::regex filter;
  try {
    filter = std::regex(options.filter);
  } catch (const std::regex_error &error) {
    failUsage("expected a regular expression after --filter, got '" + options.filter +
              "': " + error.what());
  }
  std::vector<const Test *> chosen;
  for (const Test &test : suite.tests) {
    const bool isInGroup =
        options.groups.empty() ||
        std::find(options.groups.begin(), options.groups.end(), test.group) != options.groups.end();
    if (isInGroup && std::regex_search(test.group + "/" + test.name, filter)) {
      chosen.push_back(&test);
    }
  }
  return chosen;
}

static TestResult runTest(const Test &test, Expectations &expectations, Watch &watch) {
  TestResult result{test.group, test.name, {}, 0};
  const std::string name = test.group + "/" + test.name;
  const auto start = std::chrono::steady_clock::now();
  if (std::string reason; expectations.isUnsupported(name, reason)) {
    result.verdict = {State::Unsupported, reason};
    return result;
  }
  try {
    const Watch::Running running(watch, name);
    result.verdict = test.run();
  } catch (const StatusError &error) {
    const Status owned(error.status);
    result.verdict = Verdict::failed(firstLine(*owned));
  }
  expectations.judge(name, result.verdict);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

/// Runs tests; the results are in their order.
static std::vector<TestResult> runAll(const std::vector<const Test *> &tests,
                                      const Options &options, Expectations &expectations,
                                      Watch &watch) {
  std::vector<TestResult> results(tests.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i; (i = next++) < tests.size();) {
      if (!tests[i]->isAlone) {
        results[i] = runTest(*tests[i], expectations, watch);
      }
    }
  };
  // Those that want to be alone come first: they are about what a process sees first too.
  for (size_t i = 0; i < tests.size(); ++i) {
    if (tests[i]->isAlone) {
      results[i] = runTest(*tests[i], expectations, watch);
    }
  }
  std::vector<std::thread> threads;
  for (unsigned t = 1; t < std::min<size_t>(options.jobs, tests.size()); ++t) {
    threads.emplace_back(work);
  }
  work();
  for (std::thread &thread : threads) {
    thread.join();
  }
  return results;
}

/// Kernels print to standard output, which is the report's: theirs goes nowhere.
static int moveOutput() {
  std::fflush(stdout);
  const int report = dup(1), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (report >= 0 && nowhere >= 0) {
    dup2(nowhere, 1);
    close(nowhere);
  }
  return report;
}

static void printTo(int output, const std::string &text) {
  std::fflush(stdout);
  dup2(output, 1);
  close(output);
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

static std::string describe(const Subject &subject) {
  if (!subject.runtime || !subject.compiler) {
    return "";
  }
  const std::string numpy =
      "recorded answers of NumPy (" + std::to_string(subject.recorded.size()) + " cases)";
  return subject.isCpu() ? numpy : "the CPU backend and " + numpy;
}

/// The exit code of the tests alone.
static int runSuite(const Options &options) {
  Expectations expectations;
  if (!options.expectations.empty()) {
    expectations = Expectations(options.expectations);
  }
  const auto start = std::chrono::steady_clock::now();
  Watch watch(options.timeout);
  auto opening = std::make_unique<Watch::Running>(watch, "(opening the plugin and its devices)");
  Subject subject;
  openSubject(options.subject, subject);
  opening = nullptr;
  Suite suite(subject);
  suite.addLoad();
  suite.addRegister();
  suite.addTarget();
  suite.addCompile();
  suite.addArtifact();
  suite.addRuntime();
  suite.addNumerics();
  suite.addSelect();
  std::vector<std::string> names;
  for (const Test &test : suite.tests) {
    names.push_back(test.group + "/" + test.name);
  }
  if (const std::vector<std::string> problems = expectations.unused(names); !problems.empty()) {
    std::string message = problems[0];
    for (size_t i = 1; i < problems.size(); ++i) {
      message += "\n" + problems[i];
    }
    fail(status::InvalidFile, message);
  }
  const std::vector<const Test *> chosen = choose(options, suite);
  if (options.list) {
    for (const Test *test : chosen) {
      std::printf("%s/%s\n", test->group.c_str(), test->name.c_str());
    }
    return 0;
  }
  if (chosen.empty()) {
    std::string why;
    for (const std::string &note : suite.notes) {
      why += "\n" + note;
    }
    fail(status::InvalidValue, "no test is left after --group and --filter" + why,
         "--list prints the names of all tests");
  }
  RunFacts facts;
  facts.plugins = subject.paths;
  facts.backend = subject.id;
  facts.target = subject.targetText;
  facts.device = subject.device ? tg_device_describe(subject.device) : "";
  facts.oracle = describe(subject);
  for (const std::string &note : suite.notes) {
    const std::string group = note.substr(0, note.find(':'));
    if (options.groups.empty() ||
        std::find(options.groups.begin(), options.groups.end(), group) != options.groups.end()) {
      facts.groupNotes.push_back(note);
    }
  }
  facts.verifyXfail = options.verifyXfail;
  const int output = moveOutput();
  const std::vector<TestResult> results = runAll(chosen, options, expectations, watch);
  facts.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  printTo(output, options.json ? toJson(facts, results) : toText(facts, results));
  if (!options.junit.empty()) {
    const std::string xml = toJUnit(facts, results);
    writeFile(options.junit, xml.data(), xml.size());
  }
  if (hasFailed(facts, results)) {
    return 1;
  }
  // Asked for tests on a device, and there was none.
  const bool hasRun = std::any_of(results.begin(), results.end(), [](const TestResult &result) {
    return result.verdict.state != State::Skip;
  });
  return hasRun ? 0 : 3;
}

int main(int argc, char **argv) {
  ErrorReport errors("tegula-cts", argc, argv);
  int code = 0;
  try {
    const Options options = parse(argc, argv);
    if (!options.done) {
      code = runSuite(options);
    }
  } catch (const StatusError &error) {
    errors.add(error.status);
  }
  return std::max(code, errors.exitCode());
}

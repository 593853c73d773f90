//===- ReplayTest.cpp - Corpus and fixed mutations without a sanitizer ----===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The short form of fuzzing that every check runs: inputs that once broke something,
// the corpus, and a fixed number of its mutations. A crash prints its input.
//
//===----------------------------------------------------------------------===//

#include "Target.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;
using namespace tegula::fuzz;

namespace {
struct Plan {
  const Target *target;
  unsigned mutations;
};
struct Input {
  std::string name, text;
};

class FuzzReplay : public testing::TestWithParam<Plan> {
protected:
  const Target &target = *GetParam().target;
};
} // namespace

//===----------------------------------------------------------------------===//
// Crashes
//===----------------------------------------------------------------------===//

static const Input *running = nullptr;

static void showInput(int signal) {
  const auto print = [](const char *text, size_t size) { (void)!write(2, text, size); };
  if (running) {
    print("crashed on ", 11);
    print(running->name.data(), running->name.size());
    print(":\n", 2);
    print(running->text.data(), running->text.size());
    print("\n", 1);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

static void watchCrashes() {
  // A stack overflow leaves no room on the stack that overflowed.
  static char stack[64 << 10];
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_handler = showInput;
  action.sa_flags = SA_ONSTACK;
  for (int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV}) {
    sigaction(signal, &action, nullptr);
  }
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static std::string readFile(const fs::path &path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Files below a folder, sorted, so that every machine mutates the same ones.
static std::vector<Input> readFolder(const fs::path &folder, const std::string &extension) {
  std::vector<Input> inputs;
  std::error_code error;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder, error)) {
    const fs::path &path = entry.path();
    if (entry.is_regular_file() && (extension.empty() || path.extension() == extension)) {
      inputs.push_back({path.string(), readFile(path)});
    }
  }
  std::sort(inputs.begin(), inputs.end(),
            [](const Input &a, const Input &b) { return a.name < b.name; });
  return inputs;
}

/// The corpus; for IR also the pieces of the tests of dialects and passes.
static std::vector<Input> readCorpus(const Target &target) {
  std::vector<Input> corpus =
      readFolder(fs::path(FUZZ_DIR) / "corpus" / target.name, target.extension);
  if (&target == &irTarget) {
    for (const char *folder : {"dialects", "backends"}) {
      for (const Input &file : readFolder(fs::path(TEST_DIR) / folder, target.extension)) {
        const std::string mark = "// -----";
        for (size_t begin = 0, piece = 0; begin < file.text.size(); ++piece) {
          const size_t end = std::min(file.text.find(mark, begin), file.text.size());
          corpus.push_back(
              {file.name + "#" + std::to_string(piece), file.text.substr(begin, end - begin)});
          begin = end + mark.size();
        }
      }
    }
  }
  if (const char *folder = std::getenv("TEGULA_FUZZ_CORPUS")) {
    for (Input &input : readFolder(fs::path(folder) / target.name, "")) {
      corpus.push_back(std::move(input));
    }
  }
  std::erase_if(corpus, [&](const Input &input) { return input.text.size() > target.maxSize; });
  return corpus;
}

static uint64_t readNumber(const char *variable, uint64_t otherwise) {
  const char *text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// Runs one input within its time.
static void check(const Target &target, const Input &input) {
  using Clock = std::chrono::steady_clock;
  running = &input;
  const Clock::time_point start = Clock::now();
  const std::string problem = target.run(input.text);
  const std::chrono::duration<double> taken = Clock::now() - start;
  running = nullptr;
  EXPECT_EQ(problem, "") << input.name << ":\n" << input.text;
  EXPECT_LT(taken.count(), 10.0) << input.name << ":\n" << input.text;
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

TEST_P(FuzzReplay, Regressions) {
  watchCrashes();
  for (const Input &input : readFolder(fs::path(FUZZ_DIR) / "regressions" / target.name, "")) {
    check(target, input);
  }
}

TEST_P(FuzzReplay, Corpus) {
  watchCrashes();
  const std::vector<Input> corpus = readCorpus(target);
  ASSERT_GE(corpus.size(), 10u);
  for (const Input &input : corpus) {
    check(target, input);
  }
}

TEST_P(FuzzReplay, Mutations) {
  watchCrashes();
  const std::vector<Input> corpus = readCorpus(target);
  ASSERT_FALSE(corpus.empty());
  const bool isLong = std::getenv("TEGULA_LONG_TESTS") != nullptr;
  const uint64_t seed = readNumber("TEGULA_FUZZ_SEED", 0);
  const uint64_t count =
      readNumber("TEGULA_FUZZ_RUNS", uint64_t(GetParam().mutations) * (isLong ? 10 : 1));
  for (uint64_t i = seed; i < seed + count; ++i) {
    Random random(i);
    Input input = {"mutation " + std::to_string(i), random.pick(corpus).text};
    for (size_t step = 0, steps = 1 + random.below(3); step < steps; ++step) {
      input.text = random.oneIn(8) ? crossOver(input.text, random.pick(corpus).text, random)
                                   : target.mutate(input.text, random);
    }
    input.text.resize(std::min(input.text.size(), target.maxSize));
    check(target, input);
    if (HasFailure()) {
      break; // one broken input is enough to read
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzReplay,
                         testing::Values(Plan{&frontendTarget, 3000}, Plan{&irTarget, 1500},
                                         Plan{&descriptorTarget, 3000}),
                         [](const auto &info) { return std::string(info.param.target->name); });

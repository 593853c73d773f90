//===- Suite.h - The tests and what they test -------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CTS_SUITE_H
#define TEGULA_CTS_SUITE_H

#include "Comparing.h"
#include "Report.h"
#include "tegula/Runtime/PluginHost.h"

#include <functional>
#include <mutex>

namespace tegula::cts {

/// The backend under test, and what the tests share. Filled in before any test runs.
struct Subject {
  std::vector<std::string> paths;            ///< of --plugin
  std::vector<runtime::PluginReport> loaded; ///< of each path
  std::string id;                            ///< of the first plugin
  const tegula_compiler_v1 *compiler = nullptr;
  const tegula_runtime_v1 *runtime = nullptr;
  TargetPtr target;       ///< null without a compiler half
  std::string targetText; ///< what it was resolved from
  tg_device *device = nullptr;
  std::string noDevice; ///< why there is none
  TargetPtr cpuTarget;  ///< of the oracle; null if the subject is the CPU
  tg_device *cpuDevice = nullptr;
  std::string dataFolder, toolFolder, scratchFolder;
  std::vector<Family> families;
  std::map<std::string, RecordedCase> recorded;

  Subject() = default;
  Subject(const Subject &) = delete;
  Subject &operator=(const Subject &) = delete;
  ~Subject(); ///< removes scratchFolder

  bool isCpu() const { return id == "cpu"; }
};

/// Code that several tests need, compiled once. Threads: safe.
class CodeCache {
public:
  /// The code of a case for a target; a status with the reason if it does not compile.
  Status get(const Family &family, const Case &item, const tg_target *target,
             ArtifactPtr &artifact);

private:
  struct Entry {
    std::once_flag once;
    ArtifactPtr artifact;
    std::string message;
    tg_code code = TG_OK;
    std::string id;
  };
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<Entry>> entries;
};

struct Test {
  std::string group, name;
  std::function<Verdict()> run;
  bool isAlone = false; ///< no other test runs meanwhile
};

/// Collects the tests of all groups.
class Suite {
public:
  explicit Suite(Subject &subject) : subject(subject) {}

  Subject &subject;
  CodeCache code;
  std::vector<Test> tests;
  std::vector<std::string> notes; ///< why groups have no tests

  void add(const char *group, std::string name, std::function<Verdict()> run,
           bool isAlone = false) {
    tests.push_back({group, std::move(name), std::move(run), isAlone});
  }

  void addLoad();
  void addRegister();
  void addTarget();
  void addCompile();
  void addArtifact();
  void addRuntime();
  void addNumerics();
  void addSelect();

  /// Whether the group needs something that is not there; then says so in `notes`.
  bool lacksCompiler(const char *group);
  bool lacksRuntime(const char *group);
  /// A skip if there is no device.
  std::function<Verdict()> onDevice(std::function<Verdict()> run);

  /// The first case of a row, or null.
  const Case *findCase(const char *family, const char *row, const Family **owner) const;
};

inline const char *const groupNames[] = {"load",     "register", "target",   "compile",
                                         "artifact", "runtime",  "numerics", "select"};

} // namespace tegula::cts

#endif // TEGULA_CTS_SUITE_H

//===- Driver.cpp - Source to artifact --------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler behind tg_compile: runs a compile where a crash costs only itself.
//
//===----------------------------------------------------------------------===//

#include "Job.h"
#include "Reproducer.h"
#include "Targets.h"

#include "tegula/Compiler/Backends.h"
#include "tegula/Compiler/CrashRecovery.h"
#include "tegula/Runtime/CompilerEntry.h"

using namespace tegula;
using namespace tegula::compiler;
using namespace tegula::driver;
using tegula::runtime::makeStatus;

static tg_status *compile(const tg_compile_request *request, tg_artifact **artifact) {
  auto job = std::make_unique<Job>(*request);
  tg_status *status = nullptr;
  std::optional<std::string> crash = runProtected([&] { status = job->run(); }, &job->caller);
  if (!crash) {
    *artifact = job->artifact.release();
    return status;
  }
  const CompileProgress progress = job->progress;
  job->leaveFlight(nullptr);
  // Its memory may be half-changed: leaked rather than touched again.
  job.release();
  return reportCrash(*request, progress, *crash);
}

static tg_status *preload() {
  frontend::preloadLibrary();
  return nullptr;
}

static tg_status *language(const char **json) {
  *json = frontend::describeLanguage().c_str();
  return nullptr;
}

/// Asks the backend what `native` means.
static tg_status *freeze(tg_target *target) { return freezeTarget(*target); }

extern "C" __attribute__((visibility("default"))) const tegula_compiler_entry_table *
tegula_compiler_entry() {
  static const tegula_compiler_entry_table table = {tg_version(), compile,      preload,
                                                    language,     checkBackend, freeze};
  return &table;
}

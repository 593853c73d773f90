//===- Check.cpp - Whether the failure is still there ------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "tegula/Compiler/CrashRecovery.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace tegula::reduce;

Check::Answer Check::look(ModuleOp module, std::string &problem) const {
  return program.empty() ? lookByPasses(module, problem) : lookByProgram(module, problem);
}

Check::Answer Check::lookByProgram(ModuleOp module, std::string &problem) const {
  llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(program);
  if (!path) {
    problem = "cannot run '" + program + "': " + path.getError().message();
    return Answer::Impossible;
  }
  llvm::SmallString<128> file;
  int descriptor = -1;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("tegula-reduce", "mlir", descriptor, file)) {
    problem = "cannot write a temporary file: " + error.message();
    return Answer::Impossible;
  }
  llvm::FileRemover remover(file);
  {
    llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    module->print(os);
    os << '\n';
  }
  llvm::SmallVector<llvm::StringRef> words = {*path};
  words.append(arguments.begin(), arguments.end());
  words.push_back(file);
  const std::optional<llvm::StringRef> nowhere[] = {llvm::StringRef(), llvm::StringRef(),
                                                    llvm::StringRef()};
  bool isNotStarted = false;
  const int code = llvm::sys::ExecuteAndWait(*path, words, std::nullopt, nowhere, timeout, 0,
                                             &problem, &isNotStarted);
  if (isNotStarted) {
    problem = "cannot run '" + program + "': " + problem;
    return Answer::Impossible;
  }
  problem.clear();
  return code == 0 ? Answer::Failure : Answer::NoFailure;
}

/// Exit codes of the process that runs the passes.
enum { kSucceeded = 10, kFailed = 11, kFound = 12, kCrashed = 13, kNoPasses = 14 };

Check::Answer Check::lookByPasses(ModuleOp module, std::string &problem) const {
  // In a process of their own: a crash leaves nothing half-changed here.
  const pid_t child = fork();
  if (child < 0) {
    problem = "cannot start a process";
    return Answer::Impossible;
  }
  if (child == 0) {
    int code = kSucceeded;
    alarm(timeout);
    const std::optional<std::string> crash = compiler::runProtected(
        [&] {
          bool isFound = false;
          ScopedDiagnosticHandler handler(module->getContext(), [&](Diagnostic &diagnostic) {
            isFound |= diagnostic.getSeverity() == DiagnosticSeverity::Error &&
                       llvm::StringRef(diagnostic.str()).contains(message);
          });
          PassManager pm(module->getContext(), module->getName().getStringRef(),
                         OpPassManager::Nesting::Implicit);
          llvm::StringRef inner = passes;
          if (inner.consume_front("builtin.module(")) {
            inner.consume_back(")");
          }
          std::string ignored;
          llvm::raw_string_ostream os(ignored);
          if (failed(parsePassPipeline(inner, pm, os))) {
            code = kNoPasses;
            return;
          }
          const bool failed = mlir::failed(pm.run(module));
          code = isFound ? kFound : failed ? kFailed : kSucceeded;
        },
        nullptr, size_t(64) << 20);
    _exit(crash ? kCrashed : code);
  }
  int state = 0;
  waitpid(child, &state, 0);
  const int code = WIFEXITED(state) ? WEXITSTATUS(state) : kSucceeded;
  if (code == kNoPasses) {
    problem = "no passes: '" + passes + "'";
    return Answer::Impossible;
  }
  return code == (message.empty() ? kCrashed : kFound) ? Answer::Failure : Answer::NoFailure;
}

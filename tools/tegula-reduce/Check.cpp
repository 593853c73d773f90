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
#include "tegula/Compiler/ExternalTool.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace tegula;
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
  llvm::sys::RemoveFileOnSignal(file);
  const llvm::scope_exit forget([&] { llvm::sys::DontRemoveFileOnSignal(file); });
  {
    llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    module->print(os);
    os << '\n';
  }
  std::vector<std::string> words = {*path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  words.push_back(file.str().str());
  // What the program starts ends with it.
  using compiler::ToolResult;
  const ToolResult result = compiler::runExternalTool(words, std::chrono::seconds(timeout));
  if (result.end == ToolResult::End::NotStarted) {
    problem = "cannot run '" + program + "': " + std::strerror(result.code);
    return Answer::Impossible;
  }
  return result.end == ToolResult::End::Exited && result.code == 0 ? Answer::Failure
                                                                   : Answer::NoFailure;
}

/// Exit codes of the process that runs the passes.
enum { kSucceeded = 10, kFailed = 11, kFound = 12, kCrashed = 13 };

bool Check::addPasses(PassManager &pm, std::string &problem) const {
  llvm::StringRef inner = llvm::StringRef(passes).trim();
  if (inner.consume_front("builtin.module(")) {
    inner.consume_back(")");
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  if (succeeded(parsePassPipeline(inner, pm, os))) {
    return true;
  }
  // Its place is in a text that nobody sees; lines with the text and a caret follow.
  llvm::StringRef said = llvm::StringRef(text).split('\n').first;
  said = said.contains("error: ") ? said.split("error: ").second : said;
  problem = "cannot run '" + passes + "': " + (said.empty() ? "not a pipeline" : said.str());
  return false;
}

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
          if (!addPasses(pm, problem)) {
            return; // cannot be: they were added once already
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
  return code == (message.empty() ? kCrashed : kFound) ? Answer::Failure : Answer::NoFailure;
}

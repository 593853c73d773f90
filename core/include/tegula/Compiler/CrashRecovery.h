//===- CrashRecovery.h - Keep the process alive ------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fault of the compiler must not end the program that called it. Work runs on a
// thread of its own; a crash there ends the work, and the caller learns why.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_COMPILER_CRASHRECOVERY_H
#define TEGULA_COMPILER_CRASHRECOVERY_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>

namespace tegula::compiler {

/// The way back from protected work to the thread that started it: callbacks of a
/// host (Python's, for example) belong there.
class CallingThread {
public:
  /// Runs `task` on the calling thread and waits for its end. To be called by the
  /// protected work; by anybody else it just runs the task.
  void run(llvm::function_ref<void()> task);

private:
  friend std::optional<std::string> runProtected(llvm::function_ref<void()>, CallingThread *,
                                                 size_t);
  friend struct ProtectedThread;
  void serve();
  void finish();

  std::mutex lock;
  std::condition_variable changed;
  llvm::function_ref<void()> pending;
  bool working = false;
};

/// Runs `body` on a thread with a stack of `stackSize` bytes and waits for it.
/// Nullopt is success. Otherwise the reason why it crashed: "segmentation fault",
/// "stack overflow", the text of report_fatal_error. The process then goes on and
/// only what `body` was changing is lost: its objects may be half-changed and must
/// not be touched again. Handlers of crash signals and of LLVM's fatal errors are
/// replaced only while at least one such call runs. Under AddressSanitizer the body
/// simply runs, so that its reports stay whole. Threads: safe.
[[nodiscard]] std::optional<std::string> runProtected(llvm::function_ref<void()> body,
                                                      CallingThread *caller = nullptr,
                                                      size_t stackSize = size_t(8) << 20);

/// A file that `tegula-opt --run-reproducer` runs: IR and the passes to run on it, as
/// --pass-pipeline takes them.
std::string makeReproducer(llvm::StringRef ir, llvm::StringRef pipeline);

} // namespace tegula::compiler

#endif // TEGULA_COMPILER_CRASHRECOVERY_H

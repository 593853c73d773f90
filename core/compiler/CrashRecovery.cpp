//===- CrashRecovery.cpp - Keep the process alive -------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Compiler/CrashRecovery.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstring>
#include <memory>
#include <pthread.h>

namespace tegula::compiler {

//===----------------------------------------------------------------------===//
// CallingThread
//===----------------------------------------------------------------------===//

void CallingThread::run(llvm::function_ref<void()> task) {
  std::unique_lock<std::mutex> guard(lock);
  if (!working) {
    guard.unlock();
    task();
    return;
  }
  pending = task;
  changed.notify_all();
  changed.wait(guard, [&] { return !pending; });
}

/// Runs tasks until finish() is called.
void CallingThread::serve() {
  std::unique_lock<std::mutex> guard(lock);
  for (;;) {
    changed.wait(guard, [&] { return pending || !working; });
    if (!pending) {
      return;
    }
    guard.unlock();
    pending();
    guard.lock();
    pending = nullptr;
    changed.notify_all();
  }
}

void CallingThread::finish() {
  std::lock_guard<std::mutex> guard(lock);
  working = false;
  changed.notify_all();
}

//===----------------------------------------------------------------------===//
// Crashes
//===----------------------------------------------------------------------===//

#if !LLVM_ADDRESS_SANITIZER_BUILD
/// What report_fatal_error said on this thread.
static thread_local std::string *fatalText = nullptr;

/// LLVM would abort or exit after this.
static void handleFatalError(void *, const char *reason, bool) {
  if (llvm::CrashRecoveryContext *context = llvm::CrashRecoveryContext::GetCurrent()) {
    if (fatalText) {
      *fatalText = reason;
    }
    context->HandleExit(1);
  }
}

/// Enable() replaces the handlers of crash signals of a process that may not be
/// ours, so it is held only while needed; the count serves parallel compiles.
static std::mutex enableLock;
static unsigned enableCount = 0;

static void acquireHandlers() {
  std::lock_guard<std::mutex> guard(enableLock);
  if (enableCount++ != 0) {
    return;
  }
  llvm::CrashRecoveryContext::Enable();
  // LLVM's handlers run on the stack that has overflowed; ours have their own.
  for (int signal : {SIGSEGV, SIGBUS}) {
    struct sigaction action;
    if (sigaction(signal, nullptr, &action) == 0) {
      action.sa_flags |= SA_ONSTACK;
      sigaction(signal, &action, nullptr);
    }
  }
  llvm::install_fatal_error_handler(handleFatalError);
}

static void releaseHandlers() {
  std::lock_guard<std::mutex> guard(enableLock);
  if (--enableCount == 0) {
    llvm::remove_fatal_error_handler();
    llvm::CrashRecoveryContext::Disable();
  }
}

static std::string describeExit(int code) {
  const int signal = code - 128;
  switch (signal) {
  case SIGSEGV:
  case SIGBUS:
    return "invalid memory access or stack overflow";
  case SIGABRT:
    return "abort";
  case SIGFPE:
    return "arithmetic fault";
  case SIGILL:
  case SIGTRAP:
    return "a failed internal check";
  default:
    return signal > 0 ? "signal " + std::to_string(signal) : "exit";
  }
}

/// Below each stack, so that no frame of a runaway recursion steps over it into
/// somebody's memory. The usual guard is one page.
static constexpr size_t kGuardSize = size_t(1) << 20;
/// For handlers of an overflow, which cannot run on the stack that is full.
static constexpr size_t kSignalStackSize = size_t(64) << 10;

/// What runs on the protected thread.
struct ProtectedThread {
  llvm::function_ref<void()> body;
  CallingThread &channel;
  std::string reason;
  bool survived = false;

  void run() {
    auto signalStack = std::make_unique<char[]>(kSignalStackSize);
    stack_t alternate = {}, previous = {};
    alternate.ss_sp = signalStack.get();
    alternate.ss_size = kSignalStackSize;
    sigaltstack(&alternate, &previous);
    fatalText = &reason;
    llvm::CrashRecoveryContext context;
    survived = context.RunSafely(body);
    fatalText = nullptr;
    sigaltstack(&previous, nullptr);
    if (!survived && reason.empty()) {
      reason = describeExit(context.RetCode);
    }
    channel.finish();
  }
};

/// Starts a thread whose stack has at least `stackSize` bytes and a wide guard. Returns
/// an errno; 0 is success.
static int startThread(pthread_t &thread, size_t stackSize, ProtectedThread &work) {
  pthread_attr_t attributes;
  if (int error = pthread_attr_init(&attributes)) {
    return error;
  }
  int error = pthread_attr_setguardsize(&attributes, kGuardSize);
  if (error == 0) {
    // The guard may be taken from the stack.
    error = pthread_attr_setstacksize(&attributes, stackSize + kGuardSize);
  }
  if (error == 0) {
    error = pthread_create(
        &thread, &attributes,
        [](void *work) -> void * {
          static_cast<ProtectedThread *>(work)->run();
          return nullptr;
        },
        &work);
  }
  pthread_attr_destroy(&attributes);
  return error;
}
#endif

std::optional<std::string> runProtected(llvm::function_ref<void()> body, CallingThread *caller,
                                        size_t stackSize) {
#if LLVM_ADDRESS_SANITIZER_BUILD
  body();
  return std::nullopt;
#else
  CallingThread own;
  CallingThread &channel = caller ? *caller : own;
  channel.working = true;
  ProtectedThread work{body, channel, {}, false};
  acquireHandlers();
  pthread_t thread;
  if (int error = startThread(thread, stackSize, work)) {
    channel.working = false;
    work.reason = std::string("no thread to compile on: ") + std::strerror(error);
  } else {
    channel.serve();
    pthread_join(thread, nullptr);
  }
  releaseHandlers();
  if (work.survived) {
    return std::nullopt;
  }
  return work.reason;
#endif
}

std::string makeReproducer(llvm::StringRef ir, llvm::StringRef pipeline) {
  std::string text = ir.str();
  llvm::raw_string_ostream os(text);
  os << "\n{-#\n  external_resources: {\n    mlir_reproducer: {\n      pipeline: \"";
  llvm::printEscapedString(pipeline, os);
  os << "\",\n      disable_threading: true,\n      verify_each: true\n    }\n  }\n#-}\n";
  return text;
}

} // namespace tegula::compiler

//===- CrashRecovery.cpp - Keep the process alive -------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Compiler/CrashRecovery.h"

#include "llvm/Support/Compiler.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include <mutex>

namespace tegula::compiler {

#if !LLVM_ADDRESS_SANITIZER_BUILD
/// Enable() replaces the handlers of crash signals of a process that may not be
/// ours, so it is held only while needed; the count serves parallel compiles.
static std::mutex enableLock;
static unsigned enableCount = 0;

static void acquireHandlers() {
  std::lock_guard<std::mutex> guard(enableLock);
  if (enableCount++ == 0) {
    llvm::CrashRecoveryContext::Enable();
  }
}

static void releaseHandlers() {
  std::lock_guard<std::mutex> guard(enableLock);
  if (--enableCount == 0) {
    llvm::CrashRecoveryContext::Disable();
  }
}
#endif

bool runProtected(llvm::function_ref<void()> body) {
#if LLVM_ADDRESS_SANITIZER_BUILD
  body();
  return true;
#else
  acquireHandlers();
  llvm::CrashRecoveryContext context;
  const bool survived = context.RunSafelyOnThread(body, 8u << 20);
  releaseHandlers();
  return survived;
#endif
}

} // namespace tegula::compiler

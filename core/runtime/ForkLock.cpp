//===- ForkLock.cpp - Locks that a forked child finds free ----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForkLock.h"

using namespace tegula::runtime;

namespace {
struct Locks {
  ForkLock devices, plugins; // in the order in which they are taken
};
} // namespace

// There from the start: a fork may come while another thread makes its first call.
static constinit Locks instance;
/// What this thread holds because it forks.
static thread_local bool holdsDevices = false, holdsPlugins = false;

static void beforeFork() {
  // A plugin that forks while it is opened has the one or both; others may have the
  // first and wait for the second.
  holdsPlugins = !instance.plugins.isMine();
  holdsDevices = holdsPlugins && !instance.devices.isMine();
  if (holdsDevices) {
    instance.devices.lock();
  }
  if (holdsPlugins) {
    instance.plugins.lock();
  }
}

static void afterFork() {
  if (holdsPlugins) {
    instance.plugins.unlock();
  }
  if (holdsDevices) {
    instance.devices.unlock();
  }
}

[[maybe_unused]] static const int registered = pthread_atfork(beforeFork, afterFork, afterFork);

ForkLock &tegula::runtime::deviceLock() { return instance.devices; }

ForkLock &tegula::runtime::pluginLock() { return instance.plugins; }

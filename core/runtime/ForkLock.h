//===- ForkLock.h - Locks that a forked child finds free ------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_FORKLOCK_H
#define TEGULA_RUNTIME_FORKLOCK_H

#include <atomic>
#include <mutex>
#include <pthread.h>

namespace tegula::runtime {

/// A mutex that fork waits for. Opening a plugin or a driver takes a while; a child
/// that is forked meanwhile by another thread would wait for ever for the one that
/// holds it, which the child does not have.
class ForkLock {
public:
  void lock() {
    mutex.lock();
    owner.store(pthread_self(), std::memory_order_relaxed);
    isOwned.store(true, std::memory_order_release);
  }
  void unlock() {
    isOwned.store(false, std::memory_order_release);
    mutex.unlock();
  }
  /// Whether this thread holds it.
  bool isMine() const {
    return isOwned.load(std::memory_order_acquire) &&
           pthread_equal(owner.load(std::memory_order_relaxed), pthread_self()) != 0;
  }

private:
  std::mutex mutex;
  std::atomic<pthread_t> owner{};
  std::atomic<bool> isOwned{false};
};

/// Of the list of devices. Taken before pluginLock where both are.
ForkLock &deviceLock();
/// Of the libraries that have been opened.
ForkLock &pluginLock();

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_FORKLOCK_H

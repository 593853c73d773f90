//===- KernelTable.cpp - Compiled kernels by key ----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Comparing keys may run Python, and with it other threads that change the table:
// entries in use are held, and a search whose table has changed starts again.
// Threads that want what another one compiles wait for it, without the interpreter
// lock; a thread that compiles something itself (a hook or a constexpr function
// launches) never waits, so that none waits for one that waits for it.
//
//===----------------------------------------------------------------------===//

#include "Launcher.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <unistd.h>

namespace tegula::python {

struct Pending {
  explicit Pending(const Key &key) : key(key) {}

  StoredKey key;
  const pid_t process = getpid(); ///< a child made by fork has not the thread that compiles
  std::mutex lock;
  std::condition_variable changed;
  bool isDone = false; ///< guarded by `lock`
};

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// Puts a kernel into the first free place of its row.
static void place(std::vector<KernelRef> &places, const KernelRef &kernel) {
  const size_t mask = places.size() - 1;
  size_t at = kernel->key.hash & mask;
  while (places[at]) {
    at = (at + 1) & mask;
  }
  places[at] = kernel;
}

static void insert(KernelTable &table, const KernelRef &kernel) {
  if (2 * (table.count + 1) > table.places.size()) {
    std::vector<KernelRef> larger(std::max<size_t>(8, 2 * table.places.size()));
    for (const KernelRef &old : table.places) {
      if (old) {
        place(larger, old);
      }
    }
    table.places.swap(larger);
  }
  place(table.places, kernel);
  ++table.count;
  ++table.generation;
  table.last = kernel;
}

void forgetKernels(KernelTable &table) {
  std::vector<KernelRef> old;
  old.swap(table.places); // what it frees may run Python
  KernelRef last;
  std::swap(last, table.last);
  table.count = 0;
  ++table.generation;
}

KernelRef findKernel(KernelTable &table, const Key &key, bool &failed) {
  for (;;) {
    const uint64_t generation = table.generation;
    if (table.last) {
      const KernelRef last = table.last;
      const int state = matches(last->key, key);
      failed = state < 0;
      if (state != 0) {
        return failed ? KernelRef() : last;
      }
    }
    if (generation != table.generation) {
      continue;
    }
    if (table.places.empty()) {
      return KernelRef();
    }
    const uint64_t hash = hashOf(key);
    const size_t mask = table.places.size() - 1;
    for (size_t at = hash & mask; generation == table.generation; at = (at + 1) & mask) {
      const KernelRef kernel = table.places[at];
      if (!kernel) {
        return KernelRef();
      }
      const int state = kernel->key.hash == hash ? matches(kernel->key, key) : 0;
      failed = state < 0;
      if (failed) {
        return KernelRef();
      }
      if (state > 0) {
        if (generation == table.generation) {
          table.last = kernel;
        }
        return kernel;
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Compiling once
//===----------------------------------------------------------------------===//

/// Compiles that this thread is in.
static thread_local unsigned compiling = 0;

/// The compile of a key that another thread is in, or null.
static std::shared_ptr<Pending> findPending(KernelTable &table, const Key &key, bool &failed) {
  const uint64_t hash = hashOf(key);
  const std::vector<std::shared_ptr<Pending>> all = table.pending;
  for (const std::shared_ptr<Pending> &pending : all) {
    const bool isCandidate = pending->process == getpid() && pending->key.hash == hash;
    const int state = isCandidate ? matches(pending->key, key) : 0;
    failed = state < 0;
    if (state != 0) {
      return failed ? nullptr : pending;
    }
  }
  return nullptr;
}

/// False with an exception: the program was interrupted.
static bool waitFor(Pending &pending) {
  for (bool isDone = false; !isDone;) {
    Py_BEGIN_ALLOW_THREADS;
    std::unique_lock<std::mutex> guard(pending.lock);
    isDone = pending.changed.wait_for(guard, std::chrono::milliseconds(50),
                                      [&] { return pending.isDone; });
    guard.unlock();
    Py_END_ALLOW_THREADS;
    if (PyErr_CheckSignals() != 0) {
      return false;
    }
  }
  return true;
}

/// Lets others wait for this thread's compile, as long as it lives.
namespace {
class Announcement {
public:
  Announcement(KernelTable &table, const Key &key)
      : table(table), pending(std::make_shared<Pending>(key)) {
    table.pending.push_back(pending);
    ++compiling;
  }
  Announcement(const Announcement &) = delete;
  Announcement &operator=(const Announcement &) = delete;
  ~Announcement() {
    --compiling;
    table.pending.erase(std::find(table.pending.begin(), table.pending.end(), pending));
    {
      std::lock_guard<std::mutex> guard(pending->lock);
      pending->isDone = true;
    }
    pending->changed.notify_all();
  }

private:
  KernelTable &table;
  std::shared_ptr<Pending> pending;
};
} // namespace

KernelRef findOrCompile(KernelTable &table, const Key &key,
                        const std::function<CachedKernel *()> &compile,
                        const std::function<bool()> &recheck) {
  bool failed = false;
  for (;;) {
    const std::shared_ptr<Pending> other =
        compiling == 0 ? findPending(table, key, failed) : nullptr;
    if (failed || (other && (!waitFor(*other) || !recheck()))) {
      return KernelRef();
    }
    // Searched each time: looking for another's compile may have run Python too.
    KernelRef found = findKernel(table, key, failed);
    if (found || failed) {
      return found;
    }
    if (!other) {
      break;
    }
  }
  const Announcement announcement(table, key);
  const KernelRef made(compile());
  if (made) {
    const KernelRef same = findKernel(table, key, failed); // from a launch inside the compile
    if (failed) {
      return KernelRef();
    }
    if (same) {
      return same;
    }
    insert(table, made);
  }
  return made;
}

} // namespace tegula::python

//===- Flights.cpp - Equal compiles at the same time ----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flights.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <pthread.h>

namespace tegula::driver {

namespace {
struct Flight {
  bool done = false;
  unsigned waiting = 0;
  std::shared_ptr<const tg_artifact> made;
};

struct Flights {
  std::mutex lock;
  std::condition_variable changed;
  std::map<std::string, std::shared_ptr<Flight>> open;
};
} // namespace

static Flights *flights = nullptr;

static Flights &allFlights() {
  static const bool ready = [] {
    flights = new Flights;
    // The threads that compile stay behind in the parent of a fork: its child would
    // wait for them for ever, and the lock may be held.
    pthread_atfork(nullptr, nullptr, [] { flights = new Flights; });
    return true;
  }();
  (void)ready;
  return *flights;
}

std::shared_ptr<const tg_artifact> joinFlight(const std::string &key) {
  Flights &all = allFlights();
  std::unique_lock<std::mutex> guard(all.lock);
  for (;;) {
    auto [position, isNew] = all.open.try_emplace(key);
    if (isNew) {
      position->second = std::make_shared<Flight>();
      return nullptr;
    }
    const std::shared_ptr<Flight> flight = position->second;
    flight->waiting += 1;
    all.changed.wait(guard, [&] { return flight->done; });
    if (flight->made) {
      return flight->made;
    }
    // It failed: the next one makes it, for messages of its own.
  }
}

void endFlight(const std::string &key, const tg_artifact *made) {
  Flights &all = allFlights();
  std::lock_guard<std::mutex> guard(all.lock);
  auto position = all.open.find(key);
  if (position == all.open.end()) {
    return; // begun ahead of a fork
  }
  const std::shared_ptr<Flight> flight = position->second;
  if (made && flight->waiting > 0) {
    flight->made = std::make_shared<const tg_artifact>(*made);
  }
  flight->done = true;
  all.open.erase(position);
  all.changed.notify_all();
}

} // namespace tegula::driver

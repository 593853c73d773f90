//===- Watch.h - Which test crashes, ends the program or hangs ----*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A crash while something compiles costs one compile. One in the slots of a runtime half
// costs the process; the test is named, at least, and so is one that does not end.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CTS_WATCH_H
#define TEGULA_CTS_WATCH_H

#include <memory>
#include <string>

namespace tegula::cts {

/// While it lives, crashes, calls of exit and tests longer than the time limit end the
/// process with code 1 and the test's name on standard error. One at a time.
class Watch {
public:
  /// Seconds for one test; 0: no limit, but every minute a note says what is waited for.
  explicit Watch(unsigned limit);
  ~Watch();
  Watch(const Watch &) = delete;
  Watch &operator=(const Watch &) = delete;

  /// A test on the calling thread.
  class Running {
  public:
    Running(Watch &watch, const std::string &name);
    ~Running();
    Running(const Running &) = delete;
    Running &operator=(const Running &) = delete;

  private:
    Watch &watch;
    size_t slot = 0;
  };

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tegula::cts

#endif // TEGULA_CTS_WATCH_H

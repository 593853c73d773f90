//===- ExternalTool.cpp - Programs that a backend calls -------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Compiler/ExternalTool.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern "C" char **environ;

namespace tegula::compiler {

using Clock = std::chrono::steady_clock;

/// What is kept of a tool's output: a tool that prints without end must not fill
/// the memory.
static constexpr size_t kMaxOutput = size_t(1) << 20;

std::string ToolResult::describe() const {
  switch (end) {
  case End::Exited:
    return "exited with status " + std::to_string(code);
  case End::Signalled:
    return "was killed by signal " + std::to_string(code) + " (" + strsignal(code) + ")";
  case End::TimedOut:
    return "did not end within " + std::to_string(limit.count() / 1000) +
           (limit.count() % 1000 ? "." + std::to_string(limit.count() % 1000 / 100) : "") + " s";
  case End::NotStarted:
    return std::string("cannot be started: ") + std::strerror(code);
  }
  return "";
}

/// Starts the program in a process group of its own, with both outputs in `out`.
static int start(llvm::ArrayRef<std::string> arguments, int out, pid_t &child) {
  llvm::SmallVector<char *, 16> argv;
  for (const std::string &argument : arguments) {
    argv.push_back(const_cast<char *>(argument.c_str()));
  }
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out, 1);
  posix_spawn_file_actions_adddup2(&files, out, 2);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int error = posix_spawnp(&child, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

/// Reads until the end of the output or the deadline; false at the deadline.
static bool readOutput(int in, Clock::time_point deadline, std::string &output) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      return false;
    }
    pollfd wait = {in, POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(std::min<long long>(left, 60'000)));
    if (ready < 0 && errno != EINTR) {
      return true;
    }
    if (ready <= 0) {
      continue;
    }
    char buffer[16384];
    const ssize_t n = read(in, buffer, sizeof buffer);
    if (n == 0 || (n < 0 && errno != EINTR)) {
      return true;
    }
    if (n > 0) {
      output.append(buffer, std::min<size_t>(size_t(n), kMaxOutput - output.size()));
    }
  }
}

ToolResult runExternalTool(llvm::ArrayRef<std::string> arguments, std::chrono::milliseconds limit) {
  ToolResult result;
  result.limit = limit;
  int pipes[2];
  if (arguments.empty() || pipe2(pipes, O_CLOEXEC) != 0) {
    result.code = arguments.empty() ? EINVAL : errno;
    return result;
  }
  const Clock::time_point deadline = Clock::now() + limit;
  pid_t child = 0;
  result.code = start(arguments, pipes[1], child);
  close(pipes[1]);
  if (result.code != 0) {
    close(pipes[0]);
    return result;
  }
  bool inTime = readOutput(pipes[0], deadline, result.output);
  close(pipes[0]);
  int status = 0;
  // A program may close its output and go on.
  pid_t done = 0;
  while (inTime && (done = waitpid(child, &status, WNOHANG)) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    inTime = Clock::now() < deadline;
  }
  if (!inTime) {
    kill(-child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    result.end = ToolResult::End::TimedOut;
  } else if (WIFSIGNALED(status)) {
    result.end = ToolResult::End::Signalled;
    result.code = WTERMSIG(status);
  } else {
    result.end = ToolResult::End::Exited;
    result.code = WEXITSTATUS(status);
  }
  return result;
}

} // namespace tegula::compiler

//===- CacheFiles.cpp - Reading and writing files of the cache ------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFiles.h"
#include "tegula/Runtime/Log.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <memory>
#include <pthread.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tegula::runtime {

/// Larger files are no entries.
static constexpr off_t kLargestEntry = off_t(1) << 30;
static constexpr time_t kTouchInterval = 3600;

CacheCounts &cacheCounts() {
  // Never destroyed, since exit handlers of other libraries may still compile.
  static CacheCounts *counts = new CacheCounts;
  return *counts;
}

void reportCacheTrouble(const std::string &text) {
  cacheCounts().failed++;
  static std::atomic<bool> told = false;
  if (!told.exchange(true)) {
    logLine("cache", "warning: " + text + "; compiling goes on without");
  } else if (isLogged("cache")) {
    logLine("cache", text);
  }
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static int readOnce(const std::string &path, std::string &bytes) {
  // Without O_NONBLOCK a pipe of that name would wait for a writer.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return errno;
  }
  struct stat info;
  int error = fstat(fd, &info) == 0 ? 0 : errno;
  if (error == 0 && (!S_ISREG(info.st_mode) || info.st_size > kLargestEntry)) {
    error = S_ISREG(info.st_mode) ? EFBIG : EINVAL;
  }
  size_t got = 0;
  if (error == 0) {
    bytes.resize(size_t(info.st_size));
  }
  while (error == 0 && got < bytes.size()) {
    const ssize_t part = read(fd, bytes.data() + got, bytes.size() - got);
    if (part > 0) {
      got += size_t(part);
    } else if (part == 0) {
      break; // shorter by now; the check of its content finds it
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  bytes.resize(got);
  close(fd);
  return error;
}

int readCacheFile(const std::string &path, std::string &bytes) {
  const int error = readOnce(path, bytes);
  // A network file system may still name a file that was replaced meanwhile.
  return error == ESTALE ? readOnce(path, bytes) : error;
}

void touchCacheFile(const std::string &path) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && std::time(nullptr) - info.st_mtime > kTouchInterval) {
    utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  }
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
/// Keeps SIGXFSZ, which a write beyond the limit of file sizes raises, from ending a
/// process that did not ask for our files.
class NoSizeSignal {
public:
  NoSizeSignal() {
    sigemptyset(&signals);
    sigaddset(&signals, SIGXFSZ);
    sigset_t pending;
    wasPending = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &signals, &previous);
  }
  ~NoSizeSignal() {
    const timespec now = {0, 0};
    if (!wasPending) {
      sigtimedwait(&signals, nullptr, &now);
    }
    pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  }
  NoSizeSignal(const NoSizeSignal &) = delete;
  NoSizeSignal &operator=(const NoSizeSignal &) = delete;

private:
  sigset_t signals, previous;
  bool wasPending;
};
} // namespace

/// A name that no other process, thread or machine uses.
static std::string partOf(const std::string &path) {
  static std::atomic<uint64_t> count = 0;
  uint64_t random = 0;
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random) {
    timespec now = {};
    clock_gettime(CLOCK_REALTIME, &now);
    random = uint64_t(now.tv_nsec) << 20 ^ uint64_t(now.tv_sec);
  }
  return path + "." + std::to_string(getpid()) + "-" + std::to_string(random) + "-" +
         std::to_string(count++) + ".part";
}

/// Makes `folder` and those above it. 0 or an error number.
static int makeFolders(const std::string &folder) {
  if (mkdir(folder.c_str(), 0777) == 0 || errno == EEXIST) {
    return 0;
  }
  const size_t slash = folder.rfind('/');
  if (errno != ENOENT || slash == std::string::npos || slash == 0) {
    return errno;
  }
  if (const int error = makeFolders(folder.substr(0, slash))) {
    return error;
  }
  return mkdir(folder.c_str(), 0777) == 0 || errno == EEXIST ? 0 : errno;
}

static int writeAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      return errno;
    }
    if (written == 0) {
      return ENOSPC;
    }
    bytes.remove_prefix(written > 0 ? size_t(written) : 0);
  }
  return 0;
}

static int writeOnce(const std::string &path, std::string_view bytes, bool mayMakeFolders) {
  const std::string part = partOf(path);
  int fd = open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0 && errno == ENOENT && mayMakeFolders) {
    if (const int error = makeFolders(path.substr(0, path.rfind('/')))) {
      return error;
    }
    fd = open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  if (fd < 0) {
    return errno;
  }
  int error = writeAll(fd, bytes);
  // A network file system may find only now that its disk is full. EINTR leaves the
  // file closed on Linux.
  if (close(fd) != 0 && error == 0 && errno != EINTR) {
    error = errno;
  }
  if (error == 0 && rename(part.c_str(), path.c_str()) != 0) {
    error = errno;
  }
  if (error != 0) {
    unlink(part.c_str());
  }
  return error;
}

int writeCacheFile(const std::string &path, std::string_view bytes) {
  const NoSizeSignal guard;
  int error = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    error = writeOnce(path, bytes, true);
    // Others may remove the folder or the part, or replace the entry, at any moment.
    if (error != ENOENT && error != ESTALE && error != EBUSY) {
      break;
    }
  }
  // An entry that could not be replaced is there all the same.
  return error == EEXIST || error == EBUSY ? 0 : error;
}

/// Pipes, terminals and /dev/null are written into: to replace one would take it away
/// from everybody.
static int writeInto(const std::string &path, std::string_view bytes) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) {
    return errno;
  }
  const int error = writeAll(fd, bytes);
  return close(fd) != 0 && error == 0 && errno != EINTR ? errno : error;
}

int replaceFile(const std::string &path, std::string_view bytes) {
  const NoSizeSignal guard;
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) {
    return writeOnce(path, bytes, false);
  }
  if (!S_ISREG(info.st_mode)) {
    return writeInto(path, bytes);
  }
  // Of a link the file that it names.
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                         &std::free);
  return writeOnce(real ? real.get() : path, bytes, false);
}

} // namespace tegula::runtime

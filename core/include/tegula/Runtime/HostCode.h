//===- HostCode.h - Running machine code of the host ------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For runtime halves whose kernels are shared libraries of this processor: files in
// memory for dlopen, and the state of the processor that kernels expect.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_HOSTCODE_H
#define TEGULA_RUNTIME_HOSTCODE_H

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

namespace tegula::runtime {

/// An anonymous file that may be executed, or -1, with errno.
inline int makeCodeFile() {
  int fd = memfd_create("tegula-kernel", MFD_CLOEXEC | MFD_EXEC);
  if (fd < 0 && errno == EINVAL) { // a system that does not know MFD_EXEC yet
    fd = memfd_create("tegula-kernel", MFD_CLOEXEC);
  }
  if (fd < 0) {
    const char *folder = std::getenv("TMPDIR");
    std::string path = std::string(folder && *folder ? folder : "/tmp") + "/tegula-kernel-XXXXXX";
    fd = mkostemp(path.data(), O_CLOEXEC);
    if (fd >= 0) {
      unlink(path.c_str());
    }
  }
  return fd;
}

/// False, with errno, if not all could be written.
inline bool writeAll(int fd, const void *image, size_t size) {
  const auto *bytes = static_cast<const char *>(image);
  while (size > 0) {
    const ssize_t done = write(fd, bytes, size);
    if (done < 0 && errno == EINTR) {
      continue;
    }
    if (done <= 0) {
      return false;
    }
    bytes += done;
    size -= size_t(done);
  }
  return true;
}

/// A path for dlopen. The loader takes equal paths for one library, and numbers of
/// closed files come back, so a path through a file that will be closed gets a
/// detour that spells a serial number.
inline std::string pathOfCodeFile(int fd, bool staysOpen) {
  std::string path = "/proc/" + std::to_string(getpid()) + "/fd/";
  if (!staysOpen) {
    static std::atomic<uint64_t> serial{0};
    for (const char digit : std::to_string(serial.fetch_add(1))) {
      for (char i = '0'; i < digit; ++i) {
        path += "./";
      }
      path += "../fd/";
    }
  }
  return path + std::to_string(fd);
}

/// The floating-point environment kernels are compiled for: rounding to nearest,
/// denormals kept, no traps. Restores the caller's, who may flush denormals.
class FloatEnvironment {
public:
#if defined(__x86_64__)
  FloatEnvironment() : saved(_mm_getcsr()) {
    // Writing the register is much slower than reading it; status bits are free.
    if ((saved & ~0x3fu) != defaults) {
      _mm_setcsr(defaults);
    }
  }
  ~FloatEnvironment() { _mm_setcsr(saved); }

private:
  static constexpr unsigned defaults = 0x1f80;
  unsigned saved;
#elif defined(__aarch64__)
  FloatEnvironment() {
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved));
    __asm__ volatile("msr fpcr, %0" : : "r"(uint64_t(0)));
  }
  ~FloatEnvironment() { __asm__ volatile("msr fpcr, %0" : : "r"(saved)); }

private:
  uint64_t saved;
#endif
};

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_HOSTCODE_H

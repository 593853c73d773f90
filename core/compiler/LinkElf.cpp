//===- LinkElf.cpp - In-process ELF linking -------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Compiler/LinkElf.h"
#include "tegula/Compiler/CrashRecovery.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace tegula {

bool linkElf(llvm::StringRef object, std::string &image, std::string &log) {
  // lld reads plain text as a linker script.
  if (llvm::identify_magic(object) != llvm::file_magic::elf_relocatable) {
    log = "expected a relocatable ELF object";
    return false;
  }
  static std::mutex lock;
  std::lock_guard<std::mutex> guard(lock);
  auto systemError = [&](const char *what) {
    log = std::string(what) + ": " + std::strerror(errno);
    return false;
  };
  const int in = memfd_create("kernel.o", MFD_CLOEXEC);
  if (in < 0) {
    return systemError("memfd_create");
  }
  llvm::scope_exit closeIn([&] { close(in); });
  for (size_t done = 0; done < object.size();) {
    const ssize_t written = write(in, object.data() + done, object.size() - done);
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return systemError("write");
    }
    done += size_t(written);
  }
  // lld writes regular files aside and renames them; a pipe it writes directly.
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) {
    return systemError("pipe2");
  }
  image.clear();
  std::thread reader([&] {
    char buffer[65536];
    for (;;) {
      const ssize_t n = read(out[0], buffer, sizeof buffer);
      if (n < 0 && errno == EINTR) {
        continue;
      }
      if (n <= 0) {
        return;
      }
      image.append(buffer, size_t(n));
    }
  });
  const std::string input = "/proc/self/fd/" + std::to_string(in);
  const std::string output = "/proc/self/fd/" + std::to_string(out[1]);
  const char *args[] = {"ld.lld",          "-shared",        "--threads=1", "--no-undefined",
                        "--build-id=none", "--eh-frame-hdr", "-o",          output.c_str(),
                        input.c_str()};
  llvm::raw_string_ostream stream(log);
  int code = 1;
  // lld's fatal() would end the process without crash recovery.
  const std::optional<std::string> crash = compiler::runProtected(
      [&] { code = lld::lldMain(args, stream, stream, {{lld::Gnu, &lld::elf::link}}).retCode; });
  close(out[1]);
  reader.join();
  close(out[0]);
  if (crash && log.empty()) {
    log = "the linker crashed: " + *crash;
  }
  return !crash && code == 0;
}

} // namespace tegula

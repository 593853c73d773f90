//===- Fault.h - Which kernel a fault is of ---------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver tells of a fault at some later call, and not whose it is. What can be meant
// are the kernels that were launched since the last wait. Where TEGULA_GPU_FAULTS asks for
// it, the driver leaves a core file (CoreFile.h) that says which, and in which line.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_NVIDIA_FAULT_H
#define TEGULA_NVIDIA_FAULT_H

#include "Cuda.h"

#include <atomic>
#include <optional>
#include <string>

struct tg_context;
struct tg_driver;

namespace tegula::nvidia {

/// What remains known of a kernel, for as long as the process lives.
struct KernelNote {
  std::string name, where; ///< where: FILE:LINE of its definition, or ""
};

/// The note of a kernel; one for all equal ones. Thread-safe.
const KernelNote *keepNote(const std::string &name, const std::string &where);

/// The kernels that were launched last. Without locks, since every launch adds to it:
/// racing threads may lose an entry, which makes a message less exact.
class RecentLaunches {
public:
  void add(const KernelNote *note, Stream stream) {
    const unsigned count = next.load(std::memory_order_relaxed);
    const Slot &last = slots[(count - 1) % kSlots];
    if (last.note.load(std::memory_order_relaxed) == note &&
        last.stream.load(std::memory_order_relaxed) == stream) {
      return;
    }
    Slot &slot = slots[next.fetch_add(1, std::memory_order_relaxed) % kSlots];
    slot.stream.store(stream, std::memory_order_relaxed);
    slot.note.store(note, std::memory_order_relaxed);
  }

  /// A stream has finished what was launched on it.
  void finish(Stream stream) {
    for (Slot &slot : slots) {
      if (slot.stream.load(std::memory_order_relaxed) == stream) {
        slot.note.store(nullptr, std::memory_order_relaxed);
      }
    }
  }
  void finishAll() {
    for (Slot &slot : slots) {
      slot.note.store(nullptr, std::memory_order_relaxed);
    }
  }

  /// "kernel 'a', defined at k.py:3", "one of kernel 'b' (k.py:9) and kernel 'a' (k.py:3)",
  /// the latest first, or "".
  std::string describe() const;

private:
  static constexpr unsigned kSlots = 64;
  struct Slot {
    std::atomic<const KernelNote *> note{nullptr};
    std::atomic<Stream> stream{nullptr};
  };
  Slot slots[kSlots];
  std::atomic<unsigned> next{kSlots};
};

/// Has CUDA write a core file at a fault where TEGULA_GPU_FAULTS asks for it. To be called
/// when the driver is opened: contexts that are there already do not take part.
void watchFaults(tg_driver &driver);

/// What CUDA's core file says, if there is one that is whole and of this device: "in kernel
/// 'a' at k.py:7, block (3, 0, 0), thread 32: illegal address". Takes the file away.
std::optional<std::string> takeReport(const tg_context &context);

/// What takeReport() says, or what else is known, and "" if nothing is; waits a moment for a
/// file that is being written.
std::string describeFault(tg_context &context);

} // namespace tegula::nvidia

#endif // TEGULA_NVIDIA_FAULT_H

//===- Services.cpp - What kernels call: prints and assertions ----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A print becomes one text of whole lines, written at once, so that neither other
// threads nor other writers of the C library come between, and what a crash or an
// endless loop follows has been seen. No exception may pass a kernel.
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"
#include "tegula/Runtime/PrintText.h"

#include <cstdio>
#include <cstring>
#include <sched.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace tegula::cpu;

static uint64_t countElements(const char *extents, uint32_t rank) {
  uint64_t product = 1;
  for (uint32_t dim = 0; dim < rank; ++dim) {
    uint32_t extent;
    std::memcpy(&extent, extents + sizeof extent * dim, sizeof extent);
    product *= extent;
  }
  return product;
}

static std::string describeElement(const PrintRecord &record, const char *data) {
  uint64_t bits = 0;
  std::memcpy(&bits, data, record.bits < 8 ? 1 : record.bits / 8); // little-endian
  return tegula::runtime::describePrinted(record.kind, record.bits, record.hex, bits);
}

static std::string describePrint(const uint32_t pid[3], const char *bytes, const char *data) {
  PrintRecord record;
  std::memcpy(&record, bytes, sizeof record);
  const char *extents = bytes + sizeof record;
  const std::string prefix(extents + sizeof(uint32_t) * record.rank, record.prefixSize);
  const std::string start = "pid " + tegula::runtime::describeProgram(pid);
  if (record.kind == PrintedKind::None) {
    return start + prefix + "\n";
  }
  std::string middle = prefix;
  if (record.numOperands > 1) {
    middle += "(operand " + std::to_string(record.operand) + ") ";
  }
  const unsigned size = record.bits < 8 ? 1 : record.bits / 8;
  std::string text;
  for (uint64_t i = 0, n = countElements(extents, record.rank); i < n; ++i) {
    text += start;
    text += " idx " + tegula::runtime::describeIndices(extents, record.rank, i, /*isAligned=*/true);
    text += middle + describeElement(record, data + i * size) + "\n";
  }
  return text;
}

static void print(void *, const uint32_t pid[3], const void *record, const void *data) {
  try {
    const std::string text =
        describePrint(pid, static_cast<const char *>(record), static_cast<const char *>(data));
    flockfile(stdout);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    funlockfile(stdout);
  } catch (...) { // no memory for the text: it is lost
  }
}

void Failure::report(uint64_t program, std::string message) {
  const std::lock_guard<std::mutex> guard(lock);
  if (program < at.load(std::memory_order_relaxed)) {
    text = std::move(message);
    at.store(program, std::memory_order_relaxed);
  }
}

static std::string describeFailure(const uint32_t pid[3], const char *bytes, const char *data) {
  AssertRecord record;
  std::memcpy(&record, bytes, sizeof record);
  const char *extents = bytes + sizeof record;
  const char *place = extents + sizeof(uint32_t) * record.rank;
  const std::string message(place + record.placeSize, record.messageSize);
  std::string text(place, record.placeSize);
  text += (text.empty() ? "assertion failed in program " : ": assertion failed in program ") +
          tegula::runtime::describeProgram(pid);
  if (record.rank > 0) {
    const uint64_t count = countElements(extents, record.rank);
    uint64_t first = 0;
    while (first + 1 < count && data[first]) {
      ++first;
    }
    text += " at element " +
            tegula::runtime::describeIndices(extents, record.rank, first, /*isAligned=*/false);
  }
  return message.empty() ? text : text + ": " + message;
}

static void assertion(void *context, const uint32_t pid[3], const void *record, const void *data) {
  auto &thread = *static_cast<ThreadContext *>(static_cast<KernelContext *>(context));
  try {
    thread.failure->report(thread.program, describeFailure(pid, static_cast<const char *>(record),
                                                           static_cast<const char *>(data)));
  } catch (...) { // no memory for the text, but a failure it is
    thread.failure->report(thread.program, std::string());
  }
  std::longjmp(thread.back, 1);
}

/// What is waited for may need this processor, but a short wait is cheaper than a
/// call of the system.
static void yieldThread(void *context) {
  constexpr uint32_t patience = 64;
  auto &thread = *static_cast<ThreadContext *>(static_cast<KernelContext *>(context));
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
  if (++thread.waits % patience == 0) {
    sched_yield();
  }
}

const KernelServices tegula::cpu::kernelServices = {sizeof(KernelServices), print, assertion,
                                                    yieldThread};

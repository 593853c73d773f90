//===- Records.cpp - What kernels print and where assertions fail
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The buffer is host memory that the device writes, so that nothing must be copied to see
// whether there is anything, and what was printed outlives a kernel that crashes.
//
//===----------------------------------------------------------------------===//

#include "RecordText.h"
#include "Runtime.h"

#include <algorithm>
#include <cstring>

using namespace tegula::nvidia;

static constexpr uint32_t printWords = 4u << 20;
static constexpr size_t bufferBytes =
    sizeof(RecordsHeader) + sizeof(uint32_t) * (kFailureWords + printWords);
static constexpr unsigned portableAndMapped = 3;

static RecordsHeader *headerOf(tg_context &context) {
  return static_cast<RecordsHeader *>(context.records.load(std::memory_order_acquire));
}

static uint32_t *failuresOf(RecordsHeader *header) {
  return reinterpret_cast<uint32_t *>(header + 1);
}

tg_plugin_status *tegula::nvidia::prepareRecords(tg_context &context, Pointer &address) {
  const std::lock_guard<std::mutex> guard(context.recordsLock);
  RecordsHeader *header = headerOf(context);
  if (!header) {
    void *memory = nullptr;
    const OutsideCaptures outside(context);
    if (tg_plugin_status *status = context.check(
            context.driver->cuda.memHostAlloc(&memory, bufferBytes, portableAndMapped),
            "allocating memory for prints")) {
      return status;
    }
    std::memset(memory, 0, bufferBytes);
    header = static_cast<RecordsHeader *>(memory);
    header->capacity = printWords;
    header->firstFailure = ~uint64_t(0);
    context.records.store(header, std::memory_order_release);
  }
  address = reinterpret_cast<uintptr_t>(header);
  return nullptr;
}

void tegula::nvidia::freeRecords(tg_context &context) {
  if (RecordsHeader *header = headerOf(context)) {
    context.driver->cuda.memFreeHost(header);
    context.records.store(nullptr, std::memory_order_release);
  }
}

/// Reads texts of the loaded modules, each once.
static const std::string *readText(tg_context &context, uint64_t address) {
  const auto found = context.texts.find(address);
  if (found != context.texts.end()) {
    return &found->second;
  }
  const Cuda &cuda = context.driver->cuda;
  TextRecord record;
  const auto copy = [&](void *target, size_t size) {
    return cuda.memcpyAsync(reinterpret_cast<uintptr_t>(target), address, size, nullptr) == 0 &&
           cuda.streamSynchronize(nullptr) == 0;
  };
  if (!copy(&record, sizeof record) || record.size < sizeof record || record.size > (1u << 20)) {
    return nullptr;
  }
  std::string bytes(record.size, '\0');
  if (!copy(bytes.data(), bytes.size())) {
    return nullptr;
  }
  return &context.texts.emplace(address, std::move(bytes)).first->second;
}

/// Moves records to `printed` as text. With the lock held and no kernel running.
static void collectPrints(tg_context &context, RecordsHeader *header) {
  if (header->used == 0) {
    return;
  }
  uint32_t *words = failuresOf(header) + kFailureWords;
  const size_t count = std::min(header->used, printWords);
  context.printed +=
      describePrints(words, count, [&](uint64_t address) { return readText(context, address); });
  if (header->lost > 0) {
    context.printed += std::to_string(header->lost) + " printed elements did not fit into the " +
                       std::to_string(printWords >> 18) + " MiB that the device has for them\n";
  }
  std::memset(words, 0, count * sizeof *words);
  header->lost = 0;
  header->used = 0;
}

static void collectFailure(tg_context &context, RecordsHeader *header) {
  const uint64_t key = header->firstFailure;
  if (key == ~uint64_t(0)) {
    return;
  }
  const size_t count = std::min(header->failuresUsed, kFailureWords);
  std::string text = describeFailure(failuresOf(header), count, key,
                                     [&](uint64_t address) { return readText(context, address); });
  if (context.failure.empty()) {
    context.failure = std::move(text);
  }
  std::memset(failuresOf(header), 0, kFailureWords * sizeof(uint32_t));
  header->failuresUsed = 0;
  header->firstFailure = ~uint64_t(0);
}

/// Whether kernels have left anything. Cheap; other threads' kernels may be running.
static bool hasRecords(const RecordsHeader *header) {
  const auto *seen = static_cast<const volatile RecordsHeader *>(header);
  return seen->used != 0 || seen->firstFailure != ~uint64_t(0);
}

void tegula::nvidia::collectRecords(tg_context &context) {
  RecordsHeader *header = headerOf(context);
  if (!header || !hasRecords(header)) {
    return;
  }
  const CurrentContext current(context);
  // Writers elsewhere must have ended; after a fault the call fails, and none runs.
  context.driver->cuda.ctxSynchronize();
  collectPrints(context, header);
  collectFailure(context, header);
}

tg_plugin_status *tegula::nvidia::takeFailure(tg_context &context) {
  RecordsHeader *header = headerOf(context);
  if (!header) {
    return nullptr;
  }
  const std::lock_guard<std::mutex> guard(context.recordsLock);
  if (static_cast<volatile RecordsHeader *>(header)->firstFailure != ~uint64_t(0)) {
    collectRecords(context);
  }
  if (context.failure.empty()) {
    return nullptr;
  }
  std::string text;
  text.swap(context.failure);
  return fail(TG_ASSERTION, std::move(text));
}

tg_plugin_status *tegula::nvidia::drainPrints(tg_context *context, tg_print_sink sink, void *user) {
  return guarded([&]() -> tg_plugin_status * {
    std::string text;
    {
      const std::lock_guard<std::mutex> guard(context->recordsLock);
      collectRecords(*context);
      text.swap(context->printed);
    }
    if (!text.empty()) {
      sink(user, text.data(), text.size());
    }
    return takeFailure(*context);
  });
}

//===- Memory.cpp - Accesses that are checked, and atomic ones ------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "Floats.h"
#include "Program.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

using namespace tegula::simt;

void Machine::checkAccess(Thread &thread, const Place *place, const void *pointer, uint32_t how) {
  if (!tryAccess(thread, place, pointer, how)) {
    wait(thread, State::Ended, place);
  }
}

bool Machine::tryAccess(Thread &thread, const Place *place, const void *pointer, uint32_t how) {
  const auto refuse = [&](std::string why) {
    failAt(thread, std::move(why), place);
    return false;
  };
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  const uint32_t size = how & kAccessBytes;
  const uint64_t alignment = uint64_t(1) << (how >> kAccessAlignShift & 15);
  if (address % alignment != 0) {
    return refuse("expected " + std::to_string(size) + " bytes at a multiple of " +
                  std::to_string(alignment) + ", got a remainder of " +
                  std::to_string(address % alignment));
  }
  if (!(how & kAccessShared)) {
    if (address < 4096) {
      return refuse("expected global memory, got address " + std::to_string(address));
    }
    std::string problem = checkPieces(address, size);
    return problem.empty() || refuse(std::move(problem));
  }
  const auto own = reinterpret_cast<uintptr_t>(&thread);
  if (address >= own && address < own + sizeof(Context)) {
    return true;
  }
  const uint64_t offset = address - reinterpret_cast<uintptr_t>(shared);
  if (offset > function.sharedBytes || size > function.sharedBytes - offset) {
    return refuse("expected an access within " + std::to_string(function.sharedBytes) +
                  " bytes of shared memory, got " + std::to_string(size) + " at " +
                  std::to_string(int64_t(offset)));
  }
  if (!races) {
    return true;
  }
  const Races::Conflict conflict = races->touch(offset, size, thread.thread, how, place);
  if (conflict.place) {
    return refuse(std::string(how & kAccessWrite ? "writes" : "reads") + " byte " +
                  std::to_string(offset) + " of shared memory at " + describePlace(place) +
                  ", which thread " + std::to_string(conflict.thread) +
                  (conflict.wrote ? " has written" : " has read") + " at " +
                  describePlace(conflict.place) + " since the last barrier");
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Copies that run beside the program
//===----------------------------------------------------------------------===//

static uint32_t describeAccess(uint32_t bytes, uint32_t more) {
  const uint32_t alignment = bytes == 16 ? 4 : bytes == 8 ? 3 : 2;
  return bytes | alignment << kAccessAlignShift | more;
}

void Machine::beginCopy(Thread &thread, const Place *place, const Copy &copy) {
  checkAccess(thread, place, copy.shared, describeAccess(copy.bytes, kAccessWrite | kAccessShared));
  if (copy.global) {
    checkAccess(thread, place, copy.global, describeAccess(copy.bytes, 0));
  }
  // Whoever reads it too early must notice.
  std::memset(copy.shared, isReversed ? 0xa7 : 0xfb, copy.bytes);
  thread.copies.push_back(copy);
}

void Machine::finishCopy(Thread &thread, const Copy &copy) {
  checkAccess(thread, copy.place, copy.shared,
              describeAccess(copy.bytes, kAccessWrite | kAccessShared));
  if (copy.global) {
    std::memcpy(copy.shared, copy.global, copy.bytes);
  } else {
    std::memset(copy.shared, 0, copy.bytes);
  }
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// Nobody's bytes on both sides of a piece.
static constexpr uint64_t kMargin = 4096;

namespace {
struct Registry {
  std::mutex lock;
  std::map<uint64_t, Piece> pieces;
};
} // namespace

static Registry &registry() {
  static auto *only = new Registry; // outlives whoever releases last
  return *only;
}

std::vector<Piece> tegula::simt::listPieces() {
  Registry &all = registry();
  const std::lock_guard<std::mutex> guard(all.lock);
  std::vector<Piece> list;
  for (const auto &[begin, piece] : all.pieces) {
    list.push_back(piece);
  }
  return list;
}

void *tegula::simt::allocatePiece(uint64_t size) {
  const uint64_t total = (size + 255) / 256 * 256 + 2 * kMargin;
  char *memory = total > size ? static_cast<char *>(std::aligned_alloc(256, total)) : nullptr;
  if (!memory) {
    return nullptr;
  }
  const auto outer = uint64_t(reinterpret_cast<uintptr_t>(memory));
  const uint64_t begin = outer + kMargin;
  Registry &all = registry();
  const std::lock_guard<std::mutex> guard(all.lock);
  all.pieces[begin] = {begin, begin + size, outer, outer + total};
  return memory + kMargin;
}

void tegula::simt::releasePiece(void *memory) {
  if (!memory) {
    return;
  }
  Registry &all = registry();
  {
    const std::lock_guard<std::mutex> guard(all.lock);
    all.pieces.erase(uint64_t(reinterpret_cast<uintptr_t>(memory)));
  }
  std::free(static_cast<char *>(memory) - kMargin);
}

std::string Machine::checkPieces(uint64_t address, uint32_t size) const {
  auto after = std::upper_bound(
      pieces.begin(), pieces.end(), address,
      [](uint64_t address, const Piece &piece) { return address < piece.outerBegin; });
  if (after == pieces.begin()) {
    return "";
  }
  const Piece &piece = *std::prev(after);
  if (address >= piece.outerEnd || (address >= piece.begin && address + size <= piece.end)) {
    return ""; // memory of others is not known
  }
  return "expected an access within the " + std::to_string(piece.end - piece.begin) +
         " bytes of a piece of global memory, got " + std::to_string(size) + " at " +
         std::to_string(int64_t(address - piece.begin));
}

//===----------------------------------------------------------------------===//
// Atomic accesses
//===----------------------------------------------------------------------===//

static uint64_t floatStep(Atomic kind, Element type, uint64_t old, uint64_t value) {
  if (kind == Atomic::FAdd) {
    if (type == Element::Float64) {
      return bitsOf(asDouble(old) + asDouble(value));
    }
    if (type == Element::Float32) {
      return bitsOf(asFloat(uint32_t(old)) + asFloat(uint32_t(value)));
    }
    return encode(type, decode(type, old) + decode(type, value));
  }
  // A NaN loses against any number, -0 is less than +0.
  const double a = decode(type, old), b = decode(type, value);
  if (std::isnan(b)) {
    return old;
  }
  if (std::isnan(a)) {
    return value;
  }
  const bool less = a < b || (a == b && std::signbit(a) && !std::signbit(b));
  return (kind == Atomic::FMax) == less ? value : old;
}

static uint64_t step(Atomic kind, Element type, uint32_t bits, uint64_t old, uint64_t value) {
  const auto extend = [&](uint64_t x) { return int64_t(x << (64 - bits)) >> (64 - bits); };
  switch (kind) {
  case Atomic::Add:
    return old + value;
  case Atomic::Max:
    return extend(old) > extend(value) ? old : value;
  case Atomic::Min:
    return extend(old) < extend(value) ? old : value;
  case Atomic::UMax:
    return old > value ? old : value;
  case Atomic::UMin:
    return old < value ? old : value;
  case Atomic::And:
    return old & value;
  case Atomic::Or:
    return old | value;
  case Atomic::Xor:
    return old ^ value;
  case Atomic::Xchg:
    return value;
  case Atomic::FAdd:
  case Atomic::FMax:
  case Atomic::FMin:
    return floatStep(kind, type, old, value);
  }
  return old;
}

template <typename T>
static uint64_t change(uint32_t kind, uint32_t type, uint32_t bits, void *address, uint64_t value) {
  auto *place = static_cast<T *>(address);
  T old = __atomic_load_n(place, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(place, &old,
                                      T(step(Atomic(kind), Element(type), bits, old, T(value))),
                                      /*weak=*/false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  return old;
}

uint64_t tegula::simt::atomicRMW(uint32_t kind, uint32_t type, uint32_t bits, void *address,
                                 uint64_t value) {
  switch (bits) {
  case 8:
    return change<uint8_t>(kind, type, bits, address, value);
  case 16:
    return change<uint16_t>(kind, type, bits, address, value);
  case 32:
    return change<uint32_t>(kind, type, bits, address, value);
  default:
    return change<uint64_t>(kind, type, bits, address, value);
  }
}

template <typename T> static uint64_t swap(void *address, uint64_t expected, uint64_t value) {
  T old = T(expected);
  __atomic_compare_exchange_n(static_cast<T *>(address), &old, T(value), /*weak=*/false,
                              __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return old;
}

uint64_t tegula::simt::atomicCAS(uint32_t bits, void *address, uint64_t expected, uint64_t value) {
  switch (bits) {
  case 8:
    return swap<uint8_t>(address, expected, value);
  case 16:
    return swap<uint16_t>(address, expected, value);
  case 32:
    return swap<uint32_t>(address, expected, value);
  default:
    return swap<uint64_t>(address, expected, value);
  }
}

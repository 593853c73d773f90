//===- CoreFile.cpp - What a fault leaves behind --------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CoreFile.h"

#include <algorithm>
#include <cstdio>
#include <unordered_map>

namespace tegula::nvidia {

/// The debugger's exceptions, by number.
static std::string exceptionName(uint64_t number) {
  static const char *const names[] = {"",
                                      "illegal address",
                                      "stack overflow",
                                      "hardware stack overflow",
                                      "illegal instruction",
                                      "address out of range",
                                      "misaligned address",
                                      "address of the wrong memory space",
                                      "invalid program counter",
                                      "hardware stack overflow",
                                      "illegal address",
                                      "misaligned address",
                                      "failed assertion",
                                      "failed system call",
                                      "illegal address",
                                      "atomic on memory that cannot move",
                                      "invalid system-wide atomic",
                                      "address outside the cluster",
                                      "block of the cluster that is not there",
                                      "overwritten stack",
                                      "illegal access of tensor memory",
                                      "tensor memory that was not freed",
                                      "call that needs a newer driver"};
  return number < std::size(names) ? names[number] : "";
}

namespace {
/// Where a warp faulted, and why if that is known.
struct FaultAddress {
  uint64_t address;
  unsigned rank; ///< 0: the instruction itself; else from where its threads would go on,
                 ///< 1: for there is an exception, 2: for it was stopped
  uint64_t exception;
  std::string device, who;
};

/// What the threads of a warp tell: of the first one with an exception, or of the first one.
struct ThreadState {
  uint64_t next = 0, exception = 0, thread = 0;
};
} // namespace

/// A reader at an entry of a table that has `smallest` bytes at least; no entry, no reader.
static std::optional<ByteReader> entryAt(const Section &table, uint64_t index, uint64_t smallest) {
  const uint64_t size = std::max(table.entrySize, smallest);
  if (index >= table.bytes.size() / size) {
    return std::nullopt;
  }
  return ByteReader(table.bytes, index * size);
}

/// What a section's entries are parts of, if that is of the type expected.
static const Section *parentOf(const std::vector<Section> &sections, const Section *section,
                               uint32_t type) {
  const bool isKnown =
      section && section->link < sections.size() && sections[section->link].type == type;
  return isKnown ? &sections[section->link] : nullptr;
}

/// "block (3, 0, 1), ", or "".
static std::string blockOf(const std::vector<Section> &sections, const Section &warps) {
  const Section *blocks = parentOf(sections, &warps, kCoreBlocks);
  // The number of the grid, three indices.
  std::optional<ByteReader> reader = blocks ? entryAt(*blocks, warps.info, 20) : std::nullopt;
  if (!reader) {
    return "";
  }
  reader->skip(8);
  std::string text = "block (";
  for (int i = 0; i < 3; ++i) {
    text += (i ? ", " : "") + std::to_string(reader->number(4));
  }
  return text + "), ";
}

/// "00:06", or "".
static std::string deviceOf(const std::vector<Section> &sections, const Section &warps) {
  const Section *blocks = parentOf(sections, &warps, kCoreBlocks);
  const Section *units = parentOf(sections, blocks, kCoreMultiprocessors);
  const Section *devices = parentOf(sections, units, kCoreDevices);
  std::optional<ByteReader> reader = devices ? entryAt(*devices, units->info, 36) : std::nullopt;
  if (!reader) {
    return "";
  }
  reader->skip(28); // names of three kinds, a number
  const auto bus = unsigned(reader->number(4)), device = unsigned(reader->number(4));
  char text[24];
  std::snprintf(text, sizeof text, "%02x:%02x", bus, device);
  return text;
}

static ThreadState readThreads(const Section &threads) {
  ThreadState found;
  // The next instruction, as an address and in its section, the lane, three indices, the
  // exception.
  for (uint64_t i = 0; std::optional<ByteReader> reader = entryAt(threads, i, 48); ++i) {
    ThreadState state;
    state.next = reader->number(8);
    reader->skip(12);
    state.thread = reader->number(4);
    reader->skip(8);
    state.exception = reader->number(4);
    if (state.exception != 0) {
      return state;
    }
    if (i == 0) {
      found = state;
    }
  }
  return found;
}

static std::vector<FaultAddress> findAddresses(const std::vector<Section> &sections) {
  std::vector<FaultAddress> found;
  std::unordered_map<uint64_t, const Section *> threads; // by table of warps and number in it
  const auto keyOf = [](uint64_t table, uint64_t warp) { return table << 32 | warp; };
  for (const Section &section : sections) {
    if (section.type == kCoreThreads) {
      threads[keyOf(section.link, section.info)] = &section;
    }
  }
  for (size_t i = 0; i < sections.size(); ++i) {
    if (sections[i].type != kCoreWarps) {
      continue;
    }
    const std::string block = blockOf(sections, sections[i]);
    const std::string device = deviceOf(sections, sections[i]);
    // The failing instruction, the warp, its valid and its active lanes, whether it was
    // stopped, whether the failing instruction is known.
    for (uint64_t warp = 0; std::optional<ByteReader> reader = entryAt(sections[i], warp, 32);
         ++warp) {
      const uint64_t address = reader->number(8);
      reader->skip(12);
      const bool isStopped = reader->number(4) == 1, isKnown = reader->number(4) == 1;
      const auto own = threads.find(keyOf(i, warp));
      const ThreadState state = own == threads.end() ? ThreadState() : readThreads(*own->second);
      const std::string who = own == threads.end() || block.empty()
                                  ? ""
                                  : block + "thread " + std::to_string(state.thread);
      if (isKnown) {
        found.push_back({address, 0, state.exception, device, who});
      } else if (state.exception != 0 || (isStopped && state.next != 0)) {
        found.push_back(
            {state.next - 1, state.exception != 0 ? 1u : 2u, state.exception, device, who});
      }
    }
  }
  return found;
}

static bool hasCodeAt(std::string_view image, uint64_t address) {
  const std::vector<Section> sections = readSections(image);
  return std::any_of(sections.begin(), sections.end(), [&](const Section &section) {
    return section.name.starts_with(".text") && address - section.address < section.size;
  });
}

std::optional<CoreFault> readCoreFile(std::string_view file) {
  const std::vector<Section> sections = readSections(file);
  const std::vector<FaultAddress> found = findAddresses(sections);
  for (unsigned rank = 0; rank < 3; ++rank) {
    // Few will do: what one cannot tell, others of its kind hardly can.
    unsigned tried = 0;
    for (const FaultAddress &fault : found) {
      if (fault.rank != rank || ++tried > 8) {
        continue;
      }
      for (const Section &section : sections) {
        if (section.type != kCoreLoadedImage || !hasCodeAt(section.bytes, fault.address)) {
          continue;
        }
        if (std::optional<SourcePlace> place = findSource(section.bytes, fault.address)) {
          return CoreFault{*place, exceptionName(fault.exception), fault.device, fault.who};
        }
      }
    }
  }
  return std::nullopt;
}

} // namespace tegula::nvidia

//===- threads.cpp - A program of a GPU on the host -----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the intrinsics of AMD's chips do, with one fibre for each thread (threads.py).
// Programs of the grid run one after the other.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <ucontext.h>
#include <vector>

namespace {

constexpr int kLanes = 64;
constexpr size_t kStackBytes = 1 << 18;

/// Threads that wait for each other, and what they exchange.
struct Group {
  int arrived = 0;
  long round = 0;
  int32_t in[kLanes], choice[kLanes], out[kLanes];
};

int numThreads, thread;
uint32_t program[3];
uint32_t hidden[64]; ///< arguments that launches add: the grid comes first
std::vector<ucontext_t> fibres;
std::vector<std::vector<char>> stacks;
std::vector<bool> done;
std::vector<Group> warps;
Group everybody;
ucontext_t scheduler;
void (*entry)(const char *);
const char *arguments;

void meet(Group &group, int size, const std::function<void()> &last) {
  const long round = group.round;
  if (++group.arrived == size) {
    group.arrived = 0;
    last();
    ++group.round;
    return;
  }
  while (group.round == round) {
    const int self = thread;
    swapcontext(&fibres[self], &scheduler);
    thread = self;
  }
}

int32_t exchange(int32_t value, int32_t choice, int (*source)(int lane, int32_t choice)) {
  Group &group = warps[thread / kLanes];
  const int lane = thread % kLanes;
  group.in[lane] = value;
  group.choice[lane] = choice;
  meet(group, kLanes, [&] {
    for (int i = 0; i < kLanes; ++i) {
      group.out[i] = group.in[source(i, group.choice[i])];
    }
  });
  return group.out[lane];
}

void runFibre() {
  entry(arguments);
  done[thread] = true;
}

void runProgram(bool reverse) {
  done.assign(numThreads, false);
  warps.assign(numThreads / kLanes, Group());
  everybody = Group();
  for (int i = 0; i < numThreads; ++i) {
    getcontext(&fibres[i]);
    fibres[i].uc_stack.ss_sp = stacks[i].data();
    fibres[i].uc_stack.ss_size = kStackBytes;
    fibres[i].uc_link = &scheduler;
    makecontext(&fibres[i], runFibre, 0);
  }
  for (bool any = true; any;) {
    any = false;
    for (int k = 0; k < numThreads; ++k) {
      const int i = reverse ? numThreads - 1 - k : k;
      if (!done[i]) {
        any = true;
        thread = i;
        swapcontext(&scheduler, &fibres[i]);
      }
    }
  }
}

} // namespace

extern "C" {

int32_t tg_workitem_id_x() { return thread; }
int32_t tg_workgroup_id_x() { return program[0]; }
int32_t tg_workgroup_id_y() { return program[1]; }
int32_t tg_workgroup_id_z() { return program[2]; }
void *tg_implicitarg_ptr() { return hidden; }
int32_t tg_mbcnt_lo(int32_t, int32_t base) {
  const int lane = thread % kLanes;
  return base + (lane < 32 ? lane : 32);
}
int32_t tg_mbcnt_hi(int32_t, int32_t base) {
  const int lane = thread % kLanes;
  return base + (lane < 32 ? 0 : lane - 32);
}
void tg_s_barrier() {
  meet(everybody, numThreads, [] {});
}

/// The lane is an address in bytes and wraps.
int32_t tg_ds_bpermute(int32_t address, int32_t value) {
  return exchange(value, address,
                  [](int, int32_t choice) { return int(uint32_t(choice) >> 2) % kLanes; });
}

/// Among 32 lanes: and, or, xor with five bits each.
int32_t tg_ds_swizzle(int32_t value, int32_t pattern) {
  if (pattern & 0x8000) {
    abort(); // the other mode, which nothing uses
  }
  return exchange(value, pattern, [](int lane, int32_t choice) {
    return (lane & 32) | ((((lane & 31) & choice) | (choice >> 5 & 31)) ^ (choice >> 10 & 31)) % 32;
  });
}

/// Of the compiler's library, which is not linked.
__bf16 __truncsfbf2(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  const bool isNaN = (bits & 0x7fffffff) > 0x7f800000;
  const uint16_t half = isNaN ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  __bf16 result;
  memcpy(&result, &half, sizeof result);
  return result;
}

void tg_launch(int threads, const uint32_t *grid, void (*kernel)(const char *), const char *packed,
               int reverse) {
  numThreads = threads;
  entry = kernel;
  arguments = packed;
  memcpy(hidden, grid, 3 * sizeof *grid);
  fibres.resize(threads);
  stacks.resize(threads, std::vector<char>(kStackBytes));
  for (program[2] = 0; program[2] < grid[2]; ++program[2]) {
    for (program[1] = 0; program[1] < grid[1]; ++program[1]) {
      for (program[0] = 0; program[0] < grid[0]; ++program[0]) {
        runProgram(reverse);
      }
    }
  }
}
}

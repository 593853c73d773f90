//===- Services.cpp - The table that kernels call -------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All run on the stack of the thread that calls. What throws ends the process, which
// running out of memory in the middle of a kernel may.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "Program.h"

using namespace tegula::simt;

static Thread &threadOf(Context *context) { return static_cast<Thread &>(*context); }

static void barrier(Context *context, const Place *place) {
  Thread &thread = threadOf(context);
  thread.machine->wait(thread, State::Barrier, place);
}

static uint64_t shuffle(Context *context, const Place *place, uint32_t mode, uint64_t value,
                        int32_t argument, int32_t width) {
  Thread &thread = threadOf(context);
  thread.wish = Thread::Wish::Shuffle;
  thread.mode = mode;
  thread.value = value;
  thread.argument = argument;
  thread.width = width;
  thread.machine->wait(thread, State::Warp, place);
  return thread.value;
}

static void mma(Context *context, const Place *place, const MatrixRecord *record, const void *a,
                const void *b, const void *acc, void *result) {
  Thread &thread = threadOf(context);
  thread.wish = Thread::Wish::Mma;
  thread.record = record;
  thread.operands[0] = a;
  thread.operands[1] = b;
  thread.operands[2] = acc;
  thread.result = result;
  thread.machine->wait(thread, State::Warp, place);
}

static void loadMatrix(Context *context, const Place *place, const void *row, uint32_t count,
                       uint32_t transposed, void *result) {
  Thread &thread = threadOf(context);
  thread.wish = Thread::Wish::LoadMatrix;
  thread.operands[0] = row;
  thread.count = count;
  thread.mode = transposed;
  thread.result = result;
  thread.machine->wait(thread, State::Warp, place);
}

static void access(Context *context, const Place *place, const void *address, uint32_t how) {
  Thread &thread = threadOf(context);
  thread.machine->checkAccess(thread, place, address, how);
}

static void print(Context *context, const PrintRecord *record, const int32_t *indices,
                  uint64_t value) {
  Thread &thread = threadOf(context);
  thread.machine->print(thread, record, indices, value);
}

static void assertion(Context *context, const Place *place, const AssertRecord *record,
                      uint32_t holds, uint32_t index) {
  Thread &thread = threadOf(context);
  thread.holds = holds;
  thread.index = index;
  thread.assertion = record;
  if (record->isAlone) {
    thread.machine->assertAlone(thread, place);
  } else {
    thread.machine->wait(thread, State::Assertion, place);
  }
}

static void asyncCopy(Context *context, const Place *place, void *shared, const void *global,
                      uint32_t bytes, uint32_t isOn) {
  Thread &thread = threadOf(context);
  thread.machine->beginCopy(thread, place, {shared, isOn ? global : nullptr, bytes, place});
}

static void asyncCommit(Context *context) {
  Thread &thread = threadOf(context);
  thread.groups.push_back(std::move(thread.copies));
  thread.copies.clear();
}

static void asyncWait(Context *context, const Place *place, uint32_t pending) {
  Thread &thread = threadOf(context);
  while (thread.groups.size() > pending) {
    const std::vector<Copy> group = std::move(thread.groups.front());
    thread.groups.pop_front();
    for (const Copy &copy : group) {
      thread.machine->finishCopy(thread, copy);
    }
  }
}

const Services tegula::simt::kServices = {
    sizeof(Services), barrier, shuffle,   mma,       loadMatrix,  access,   atomicRMW,
    atomicCAS,        print,   assertion, asyncCopy, asyncCommit, asyncWait};

//===- Fiber.cpp - Stacks, and the switch between them --------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"

#include <sys/mman.h>

#if defined(__x86_64__)
// Frame, from the top down: entry address, rbp, rbx, r12 ... r15. At the first switch r12
// holds the function and r13 its argument.
__asm__(R"(
  .text
  .hidden tegula_simt_switch
  .globl tegula_simt_switch
  .type tegula_simt_switch, @function
tegula_simt_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  retq
  .size tegula_simt_switch, .-tegula_simt_switch
  .hidden tegula_simt_start
  .globl tegula_simt_start
  .type tegula_simt_start, @function
tegula_simt_start:
  movq %r13, %rdi
  callq *%r12
  ud2
  .size tegula_simt_start, .-tegula_simt_start
)");
#elif defined(__aarch64__)
// Frame of 160 bytes: x19 ... x30, d8 ... d15. At the first switch x19 holds the function
// and x20 its argument.
__asm__(R"(
  .text
  .hidden tegula_simt_switch
  .globl tegula_simt_switch
  .type tegula_simt_switch, @function
tegula_simt_switch:
  sub sp, sp, #160
  stp x19, x20, [sp]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
  .size tegula_simt_switch, .-tegula_simt_switch
  .hidden tegula_simt_start
  .globl tegula_simt_start
  .type tegula_simt_start, @function
tegula_simt_start:
  mov x0, x20
  blr x19
  brk #1
  .size tegula_simt_start, .-tegula_simt_start
)");
#else
#error "the simulator knows x86-64 and AArch64"
#endif

extern "C" void tegula_simt_start();

using namespace tegula::simt;

static constexpr size_t kGuard = 4096;

Stacks::~Stacks() {
  if (memory) {
    munmap(memory, count * kSize);
  }
}

bool Stacks::reserve(uint32_t wanted) {
  if (wanted <= count) {
    return true;
  }
  if (memory) {
    munmap(memory, count * kSize);
    memory = nullptr;
    count = 0;
  }
  void *made = mmap(nullptr, wanted * kSize, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED) {
    return false;
  }
  memory = static_cast<char *>(made);
  count = wanted;
  for (uint32_t i = 0; i < count; ++i) {
    mprotect(memory + i * kSize, kGuard, PROT_NONE);
  }
  return true;
}

void *tegula::simt::prepareFiber(char *top, void (*start)(void *), void *argument) {
#if defined(__x86_64__)
  // The start is reached by a return and calls with the stack aligned to 16 bytes.
  auto **frame = reinterpret_cast<void **>(top) - 9;
  frame[0] = nullptr;                         // r15
  frame[1] = nullptr;                         // r14
  frame[2] = argument;                        // r13
  frame[3] = reinterpret_cast<void *>(start); // r12
  frame[4] = nullptr;                         // rbx
  frame[5] = nullptr;                         // rbp
  frame[6] = reinterpret_cast<void *>(tegula_simt_start);
  frame[7] = frame[8] = nullptr;
  return frame;
#else
  auto **frame = reinterpret_cast<void **>(top) - 20;
  for (int i = 0; i < 20; ++i) {
    frame[i] = nullptr;
  }
  frame[0] = reinterpret_cast<void *>(start);
  frame[1] = argument;
  frame[11] = reinterpret_cast<void *>(tegula_simt_start);
  return frame;
#endif
}

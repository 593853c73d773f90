//===- Kernels.c - Kernels for the tests, after docs/kernel-abi.md ------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define KERNEL(name)                                                                               \
  __attribute__((visibility("default"))) void name(const struct Args *args, const uint32_t pid[3], \
                                                   const uint32_t grid[3], struct Context *ctx)

struct Context {
  void *scratch;
  uint64_t scratch_bytes;
};

struct Args {
  uint32_t *out;
  int32_t n;
};

static uint64_t number(const uint32_t pid[3], const uint32_t grid[3]) {
  return pid[0] + (uint64_t)grid[0] * (pid[1] + (uint64_t)grid[1] * pid[2]);
}

/* Counts the visits of each program. */
KERNEL(visit) {
  const uint64_t i = number(pid, grid);
  if (i < (uint64_t)args->n) {
    __atomic_fetch_add(&args->out[i], 1, __ATOMIC_RELAXED);
  }
}

/* Counts all programs. */
KERNEL(count) { __atomic_fetch_add(&args->out[0], 1, __ATOMIC_RELAXED); }

/* Fills its scratch, waits a little and checks that nobody else wrote to it. */
KERNEL(scratch) {
  const uint32_t mine = (uint32_t)number(pid, grid) + 1;
  volatile uint32_t *words = ctx->scratch;
  const uint64_t count = ctx->scratch_bytes / 4;
  if ((uint64_t)ctx->scratch % 64 != 0) {
    __atomic_fetch_add(&args->out[0], 1000000, __ATOMIC_RELAXED);
  }
  for (uint64_t i = 0; i < count; ++i) {
    words[i] = mine;
  }
  for (uint64_t i = 0; i < count; ++i) {
    if (words[i] != mine) {
      __atomic_fetch_add(&args->out[0], 1, __ATOMIC_RELAXED);
    }
  }
}

/* out[i] is 1 where denormals survive and rounding is to nearest. */
KERNEL(environment) {
  volatile float tiny = 1e-40f, half = 0.5f, one = 1.0f, small = 0x1p-25f;
  const int denormals = tiny * half != 0.0f;
  const int nearest = one + small == one && -one - small == -one;
  args->out[number(pid, grid)] = denormals && nearest;
}

/* A barrier: no program ends before all have started. */
KERNEL(barrier) {
  __atomic_fetch_add(&args->out[0], 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&args->out[0], __ATOMIC_SEQ_CST) < grid[0]) {
#if defined(__x86_64__)
    _mm_pause();
#endif
  }
}

/* Each program waits for the one before it. */
KERNEL(chain) {
  while (__atomic_load_n(&args->out[0], __ATOMIC_SEQ_CST) != pid[0]) {
  }
  __atomic_store_n(&args->out[0], pid[0] + 1, __ATOMIC_SEQ_CST);
}

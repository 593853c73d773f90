//===- Kernels.c - Kernels for the tests, after docs/kernel-abi.md ------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <stdint.h>

#define KERNEL(name)                                                                               \
  __attribute__((visibility("default"))) void name(const struct Args *args, const uint32_t pid[3], \
                                                   const uint32_t grid[3], struct Context *ctx)

struct Services {
  uint64_t size;
  void (*print)(void *ctx, const uint32_t pid[3], const void *record, const void *data);
  void (*assertion)(void *ctx, const uint32_t pid[3], const void *record, const void *data);
  void (*yield)(void *ctx);
};

struct Context {
  void *scratch;
  uint64_t scratch_bytes;
  const struct Services *services;
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
    ctx->services->yield(ctx);
  }
}

/* Each program waits for the one before it. */
KERNEL(chain) {
  while (__atomic_load_n(&args->out[0], __ATOMIC_SEQ_CST) != pid[0]) {
  }
  __atomic_store_n(&args->out[0], pid[0] + 1, __ATOMIC_SEQ_CST);
}

struct PrintRecord {
  uint32_t size;
  uint8_t kind, bits, hex, reserved;
  uint32_t operand, operands, rank, prefix_size;
};

enum { signedInt = 1, unsignedInt = 2, ieee = 3, brain = 4, pointer = 5 };

/* Prints one of each kind. */
KERNEL(print_kinds) {
  (void)args, (void)grid;
#define PRINT(prefix, kind, bits, hex, operand, operands, data)                                    \
  do {                                                                                             \
    static const struct {                                                                          \
      struct PrintRecord head;                                                                     \
      char text[sizeof prefix - 1];                                                                \
    } record = {{sizeof record, kind, bits, hex, 0, operand, operands, 0, sizeof prefix - 1},      \
                prefix};                                                                           \
    ctx->services->print(ctx, pid, &record, data);                                                 \
  } while (0)
  const int8_t small = -128;
  const uint8_t byte = 255, yes = 1;
  const int16_t shorts = -2;
  const int64_t least = INT64_MIN;
  const uint64_t most = UINT64_MAX;
  const double third = -1.0 / 3, huge = 1e22;
  const uint32_t nan = 0xffc00000u, infinity = 0xff800000u;
  const uint16_t half = 0x3e00, denormal = 0x8001, brainTwo = 0x4000;
  const uint64_t address = 0x1234;
  PRINT(" a: ", signedInt, 8, 0, 0, 1, &small);
  PRINT(" b: ", unsignedInt, 8, 0, 0, 1, &byte);
  PRINT(" c: ", unsignedInt, 1, 0, 0, 1, &yes);
  PRINT(" d: ", signedInt, 16, 1, 0, 1, &shorts);
  PRINT(" e: ", signedInt, 64, 0, 0, 1, &least);
  PRINT(" f: ", unsignedInt, 64, 0, 1, 2, &most);
  PRINT(" g: ", ieee, 64, 0, 0, 1, &third);
  PRINT(" h: ", ieee, 64, 0, 0, 1, &huge);
  PRINT(" i: ", ieee, 32, 0, 0, 1, &nan);
  PRINT(" j: ", ieee, 32, 0, 0, 1, &infinity);
  PRINT(" k: ", ieee, 16, 0, 0, 1, &half);
  PRINT(" l: ", ieee, 16, 0, 0, 1, &denormal);
  PRINT(" m: ", brain, 16, 0, 0, 1, &brainTwo);
  PRINT(" n: ", pointer, 64, 0, 0, 1, &address);
  PRINT(" nothing", 0, 0, 0, 0, 0, 0);
}

/* Prints a tile of 2 x 12. */
KERNEL(print_tile) {
  (void)args, (void)grid;
  static const struct {
    struct PrintRecord head;
    uint32_t extents[2];
    char text[4];
  } record = {{sizeof record, signedInt, 32, 0, 0, 0, 1, 2, 4}, {2, 12}, " t: "};
  int32_t data[24];
  for (int i = 0; i < 24; ++i) {
    data[i] = i - 10;
  }
  ctx->services->print(ctx, pid, &record, data);
}

struct AssertRecord {
  uint32_t size, rank, place_size, message_size;
};

/* Programs from args->n on fail; a failing program does nothing after that. */
KERNEL(assert_less) {
  static const struct {
    struct AssertRecord head;
    char text[17];
  } record = {{sizeof record, 0, 8, 9}, "k.py:7:5too large"};
  const uint8_t holds = (int32_t)number(pid, grid) < args->n;
  if (!holds) {
    ctx->services->assertion(ctx, pid, &record, &holds);
  }
  __atomic_fetch_add(&args->out[0], holds ? 1 : 1000000, __ATOMIC_RELAXED);
}

/* The third element of a tile of 2 x 2 does not hold; no place, no message. */
KERNEL(assert_tile) {
  (void)args, (void)grid;
  static const struct {
    struct AssertRecord head;
    uint32_t extents[2];
  } record = {{sizeof record, 2, 0, 0}, {2, 2}};
  const uint8_t holds[4] = {1, 1, 0, 0};
  ctx->services->assertion(ctx, pid, &record, holds);
}

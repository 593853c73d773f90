/*===- LaunchBench.c - What a launch costs from C -------------------------===*\
|*
|* Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Times launches of an empty CPU kernel on a grid of one program, by
|* tg_kernel_launch and by tg_kernel_launch_request. With --check the best round of
|* the first must stay below 2 microseconds.
|*
\*===----------------------------------------------------------------------===*/

#include "tegula/tegula.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 25, LAUNCHES = 20000 };

static const char source[] = "def empty(x, n):\n    pass\n";

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void check(tg_status *status) {
  if (status) {
    fprintf(stderr, "LaunchBench: error: %s [%s]\n", tg_status_message(status),
            tg_status_id(status));
    exit(1);
  }
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  tg_compile_request request = {0};
  request.struct_size = sizeof request;
  request.source.struct_size = sizeof request.source;
  request.source.text = source;
  request.source.text_size = sizeof source - 1;
  request.source.file = "empty.py";
  request.source.first_line = 1;
  request.kernel = "empty";
  request.signature = "*fp32:16, i32";
  tg_artifact *artifact = NULL;
  tg_device *device = NULL;
  tg_kernel *kernel = NULL;
  check(tg_compile(&request, &artifact));
  check(tg_device_get("cpu", 0, &device));
  check(tg_kernel_load(artifact, device, &kernel));

  const uint32_t grid[3] = {1, 1, 1};
  struct {
    void *x;
    int32_t n, padding;
  } args = {NULL, 7, 0};
  tg_launch_request full = {0};
  full.struct_size = sizeof full;
  full.grid[0] = full.grid[1] = full.grid[2] = 1;
  full.args = &args;
  full.args_size = sizeof args;

  double best = 0;
  for (int way = 0; way < 2; ++way) {
    double rounds[ROUNDS];
    for (int round = 0; round < ROUNDS; ++round) {
      const double start = now();
      for (int i = 0; i < LAUNCHES; ++i) {
        check(way == 0 ? tg_kernel_launch(kernel, grid, &args, sizeof args, NULL)
                       : tg_kernel_launch_request(kernel, &full));
      }
      rounds[round] = (now() - start) / LAUNCHES;
    }
    qsort(rounds, ROUNDS, sizeof *rounds, compare);
    printf("%-26s %6.0f ns median, %6.0f least, %6.0f most\n",
           way == 0 ? "tg_kernel_launch" : "tg_kernel_launch_request", rounds[ROUNDS / 2],
           rounds[0], rounds[ROUNDS - 1]);
    best = way == 0 ? rounds[0] : best;
  }
  tg_kernel_free(kernel);
  tg_artifact_free(artifact);
  if (argc > 1 && strcmp(argv[1], "--check") == 0 && best >= 2000) {
    fprintf(stderr, "LaunchBench: error: expected less than 2000 ns, got %.0f\n", best);
    return 1;
  }
  return 0;
}

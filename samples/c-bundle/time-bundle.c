/*===- time-bundle.c - How long loading and launching take ----------------===*\
|*
|* Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* usage: time-bundle FILE.tgb KERNEL
|*
|* Prints the microseconds that it takes to open the bundle, to load all of its
|* kernels (opening included), and to launch KERNEL, which has no arguments, on a grid
|* of one program: the first time, the best, and the median of processor time, which
|* other programs on the machine disturb least.
|*
\*===----------------------------------------------------------------------===*/

#define _POSIX_C_SOURCE 200809L

#include <tegula/tegula.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void check(tg_status *status) {
  if (status) {
    fprintf(stderr, "time-bundle: error: %s [%s]\n", tg_status_message(status),
            tg_status_id(status));
    tg_status_free(status);
    exit(1);
  }
}

static double read_clock(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

enum { MOST_ROUNDS = 101 };

/* Microseconds of each round, by the clock on the wall and by that of the process. */
typedef struct timer {
  double wall[MOST_ROUNDS], cpu[MOST_ROUNDS], wall_start, cpu_start;
  int rounds;
} timer;

static void start(timer *timer) {
  timer->wall_start = read_clock(CLOCK_MONOTONIC);
  timer->cpu_start = read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static void stop(timer *timer) {
  timer->cpu[timer->rounds] = read_clock(CLOCK_PROCESS_CPUTIME_ID) - timer->cpu_start;
  timer->wall[timer->rounds++] = read_clock(CLOCK_MONOTONIC) - timer->wall_start;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void report(const char *name, timer *timer, double parts) {
  const double first = timer->wall[0];
  qsort(timer->wall, (size_t)timer->rounds, sizeof(double), compare);
  qsort(timer->cpu, (size_t)timer->rounds, sizeof(double), compare);
  printf("%s_first_us %.3f\n%s_best_us %.3f\n%s_cpu_us %.3f\n", name, first / parts, name,
         timer->wall[0] / parts, name, timer->cpu[timer->rounds / 2] / parts);
}

static void time_opening(const char *path) {
  timer timer = {.rounds = 0};
  while (timer.rounds < 51) {
    tg_bundle *bundle = NULL;
    start(&timer);
    check(tg_bundle_open(path, &bundle));
    stop(&timer);
    tg_bundle_free(bundle);
  }
  report("open", &timer, 1);
}

/* From the file to kernels that can be launched. */
static void time_loading(const char *path, tg_device *device) {
  enum { MOST_KERNELS = 256 };
  static tg_kernel *kernels[MOST_KERNELS];
  timer timer = {.rounds = 0};
  size_t count = 0;
  while (timer.rounds < 21) {
    tg_bundle *bundle = NULL;
    start(&timer);
    check(tg_bundle_open(path, &bundle));
    count = tg_bundle_num_kernels(bundle);
    count = count < MOST_KERNELS ? count : MOST_KERNELS;
    for (size_t k = 0; k < count; ++k) {
      check(tg_bundle_load(bundle, tg_bundle_kernel_name(bundle, k), device, &kernels[k]));
    }
    stop(&timer);
    tg_bundle_free(bundle);
    for (size_t k = 0; k < count; ++k) {
      tg_kernel_free(kernels[k]);
    }
  }
  printf("kernels %zu\n", count);
  report("load", &timer, 1);
}

static void time_launching(tg_kernel *kernel) {
  enum { LAUNCHES = 200 };
  const uint32_t grid[3] = {1, 1, 1};
  timer timer = {.rounds = 0};
  while (timer.rounds < MOST_ROUNDS) {
    start(&timer);
    for (int k = 0; k < LAUNCHES; ++k) {
      check(tg_kernel_launch(kernel, grid, NULL, 0, NULL));
    }
    stop(&timer);
  }
  report("launch", &timer, LAUNCHES);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: time-bundle FILE.tgb KERNEL\n");
    return 2;
  }
  time_opening(argv[1]);
  tg_bundle *bundle = NULL;
  tg_kernel *kernel = NULL;
  check(tg_bundle_open(argv[1], &bundle));
  check(tg_bundle_load(bundle, argv[2], NULL, &kernel)); /* finds the devices, too */
  tg_bundle_free(bundle);
  time_loading(argv[1], tg_kernel_device(kernel));
  time_launching(kernel);
  tg_kernel_free(kernel);
  return 0;
}

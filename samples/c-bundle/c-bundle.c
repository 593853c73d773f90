/*===- c-bundle.c - Run a kernel of a bundle, from C ----------------------===*\
|*
|* Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* usage: c-bundle FILE.tgb [--libraries]
|*
|* Adds two vectors with the kernel `add` of the bundle (kernels.py tells how it is
|* made) on the best device that the bundle has code for, and checks the sum.
|* --libraries: prints the files that this process has mapped, on Linux.
|*
\*===----------------------------------------------------------------------===*/

#include <tegula/tegula.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000, BLOCK = 256 };

/* Prints an error and ends the program; a null status is success. */
static void check(tg_status *status) {
  if (status) {
    fprintf(stderr, "c-bundle: error: %s [%s]\n", tg_status_message(status), tg_status_id(status));
    if (*tg_status_hint(status)) {
      fprintf(stderr, "hint: %s\n", tg_status_hint(status));
    }
    tg_status_free(status);
    exit(1);
  }
}

static void list_devices(void) {
  tg_device *devices[16];
  size_t count = 0;
  check(tg_device_list(NULL, devices, 16, &count));
  for (size_t i = 0; i < count && i < 16; ++i) {
    printf("device %s\n", tg_device_describe(devices[i]));
  }
}

static void list_kernels(const tg_bundle *bundle) {
  for (size_t i = 0; i < tg_bundle_num_kernels(bundle); ++i) {
    printf("kernel %s\n", tg_bundle_kernel_name(bundle, i));
  }
}

/* Puts an argument where the kernel expects it. */
static void set_argument(const tg_kernel *kernel, unsigned char *block, const char *name,
                         const void *value, size_t size) {
  for (size_t i = 0; i < tg_kernel_num_args(kernel); ++i) {
    tg_arg_info info = {.struct_size = sizeof info};
    check(tg_kernel_arg_get(kernel, i, &info));
    if (strcmp(info.name, name) == 0 && info.size == size) {
      memcpy(block + info.offset, value, size);
      return;
    }
  }
  fprintf(stderr, "c-bundle: error: the kernel has no argument '%s' of %zu bytes\n", name, size);
  exit(1);
}

/* Buffers on the device that hold x, y and the sum. */
static int run(tg_kernel *kernel) {
  static float x[N], y[N], out[N];
  static const char *const names[3] = {"x", "y", "out"};
  float *const data[3] = {x, y, out};
  for (int i = 0; i < N; ++i) {
    x[i] = (float)i;
    y[i] = 0.5f * (float)i;
  }
  unsigned char *block = calloc(1, tg_kernel_args_size(kernel) + 1);
  if (!block) {
    return 1;
  }
  tg_buffer *buffers[3];
  for (int i = 0; i < 3; ++i) {
    check(tg_buffer_new(tg_kernel_device(kernel), sizeof x, TG_MEM_DEVICE, &buffers[i]));
    check(tg_buffer_write(buffers[i], 0, data[i], sizeof x, NULL));
    const uint64_t address = tg_buffer_address(buffers[i]);
    set_argument(kernel, block, names[i], &address, sizeof address);
  }
  const int32_t n = N;
  set_argument(kernel, block, "n", &n, sizeof n);

  const uint32_t grid[3] = {(N + BLOCK - 1) / BLOCK, 1, 1};
  check(tg_kernel_launch(kernel, grid, block, tg_kernel_args_size(kernel), NULL));
  check(tg_buffer_read(buffers[2], 0, out, sizeof out, NULL));
  int wrong = 0;
  for (int i = 0; i < N; ++i) {
    wrong += out[i] != 1.5f * (float)i;
  }
  printf("%s on %s: %s\n", tg_kernel_name(kernel), tg_device_kind(tg_kernel_device(kernel)),
         wrong ? "wrong" : "right");
  for (int i = 0; i < 3; ++i) {
    tg_buffer_free(buffers[i]);
  }
  free(block);
  return wrong != 0;
}

static void list_libraries(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4096];
  while (maps && fgets(line, sizeof line, maps)) {
    const char *path = strchr(line, '/');
    if (path) {
      printf("mapped %s", path);
    }
  }
  if (maps) {
    fclose(maps);
  }
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: c-bundle FILE.tgb [--libraries]\n");
    return 2;
  }
  list_devices();
  tg_bundle *bundle = NULL;
  check(tg_bundle_open(argv[1], &bundle));
  list_kernels(bundle);
  tg_kernel *kernel = NULL;
  check(tg_bundle_load(bundle, "add", NULL, &kernel));
  tg_bundle_free(bundle);
  const int result = run(kernel);
  if (argc > 2 && strcmp(argv[2], "--libraries") == 0) {
    list_libraries();
  }
  tg_kernel_free(kernel);
  return result;
}

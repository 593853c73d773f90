/*===- Module.c - Loading code and running it -----------------------------===*\
|*
|* Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*
|*
|* An image is a shared library with one function for each kernel (CWriter.cpp
|* writes it). A launch calls it once per program, one after the other.
|*
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "Runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void (*kernel_fn)(const char *args, const uint32_t program[3], const uint32_t grid[3],
                          char *scratch);

struct tg_function {
  tg_function *next;
  char *name;
  kernel_fn entry;
  size_t args_size, scratch_bytes;
};

struct tg_module {
  void *library;
  int file;               /* that the library was loaded from */
  tg_function *functions; /* those that kernel_get was asked for */
  size_t args_size, scratch_bytes, image_size;
};

/* A number among the facts of a variant. */
static size_t fact(const tg_variant *variant, const char *key) {
  for (size_t i = 0; i < variant->num_facts; ++i) {
    if (strcmp(variant->facts[i].key, key) == 0) {
      return strtoull(variant->facts[i].value, NULL, 10);
    }
  }
  return 0;
}

/* dlopen wants a file: one that lies in memory and has no name. It stays open as long
 * as the library: the loader takes equal paths for one library, and the number of a
 * closed file comes back. */
static void *open_image(const void *image, size_t size, int *result, char *problem,
                        size_t capacity) {
  void *library = NULL;
  int file = memfd_create("tegula-example", MFD_CLOEXEC);
  if (file < 0) {
    snprintf(problem, capacity, "cannot make a file in memory: %s", strerror(errno));
    return NULL;
  }
  size_t done = 0;
  while (done < size) {
    ssize_t written = write(file, (const char *)image + done, size - done);
    if (written <= 0) {
      break;
    }
    done += (size_t)written;
  }
  if (done < size) {
    snprintf(problem, capacity, "cannot write %zu bytes to a file in memory", size);
  } else {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char *reason = dlerror();
      snprintf(problem, capacity, "%s", reason ? reason : "unknown reason");
    }
  }
  if (!library) {
    close(file);
  }
  *result = file;
  return library;
}

tg_plugin_status *example_module_load(tg_context *context, const void *image, size_t size,
                                      const tg_variant *variant, tg_module **module) {
  (void)context;
  *module = NULL;
  if (!variant->format || strcmp(variant->format, "c-so") != 0) {
    return example_fail(TG_INCOMPATIBLE, "expected code of format c-so, got %s",
                        variant->format ? variant->format : "none");
  }
  if (!variant->arch || strcmp(variant->arch, example_arch()) != 0) {
    return example_fail(TG_INCOMPATIBLE, "expected code for %s, got code for %s", example_arch(),
                        variant->arch ? variant->arch : "nothing");
  }
  /* The loader trusts what it reads; a file that is cut short would crash it. */
  if (size < 64 || memcmp(image, "\177ELF", 4) != 0) {
    return example_fail(TG_INVALID, "expected an ELF image, got %zu other bytes", size);
  }
  tg_module *made = calloc(1, sizeof *made);
  if (!made) {
    return example_fail(TG_OUT_OF_MEMORY, "no memory for a module");
  }
  char problem[160];
  made->library = open_image(image, size, &made->file, problem, sizeof problem);
  if (!made->library) {
    free(made);
    return example_fail(TG_INVALID, "cannot load the code: %s", problem);
  }
  made->args_size = fact(variant, "args_size");
  made->scratch_bytes = fact(variant, "scratch_bytes");
  made->image_size = size;
  *module = made;
  return NULL;
}

void example_module_unload(tg_module *module) {
  while (module->functions) {
    tg_function *function = module->functions;
    module->functions = function->next;
    free(function->name);
    free(function);
  }
  dlclose(module->library);
  close(module->file);
  free(module);
}

tg_plugin_status *example_kernel_get(tg_module *module, const char *name, tg_function **function,
                                     tg_kernel_info *info) {
  /* The prefix that CWriter.cpp gives. */
  size_t size = strlen(name) + sizeof "kernel_";
  char *symbol = malloc(size);
  tg_function *made = calloc(1, sizeof *made);
  if (!symbol || !made) {
    free(symbol);
    free(made);
    return example_fail(TG_OUT_OF_MEMORY, "no memory for a kernel");
  }
  snprintf(symbol, size, "kernel_%s", name);
  void *entry = dlsym(module->library, symbol);
  if (!entry) {
    free(symbol);
    free(made);
    return example_fail(TG_NOT_FOUND, "no kernel '%s' in this code", name);
  }
  made->name = symbol;
  memcpy(&made->entry, &entry, sizeof entry);
  made->args_size = module->args_size;
  made->scratch_bytes = module->scratch_bytes;
  /* Functions live as long as their module. Nobody else looks at the list before. */
  do {
    made->next = __atomic_load_n(&module->functions, __ATOMIC_ACQUIRE);
  } while (!__atomic_compare_exchange_n(&module->functions, &made->next, made, 0, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
  *function = made;
  if (info) {
    /* The caller's struct may be of an older and shorter kind. */
    tg_kernel_info full = {0};
    full.max_threads_per_block = 1;
    full.code_bytes = (uint32_t)module->image_size;
    uint32_t known = info->struct_size < sizeof full ? info->struct_size : sizeof full;
    full.struct_size = info->struct_size;
    memcpy(info, &full, known);
  }
  return NULL;
}

tg_plugin_status *example_launch(tg_function *function, const tg_launch *launch,
                                 tg_stream *stream) {
  (void)stream;
  if (launch->flags & (TG_LAUNCH_COOPERATIVE | TG_LAUNCH_DEPENDENT)) {
    return example_fail(TG_UNAVAILABLE, "launch flags 0x%x: this device has none", launch->flags);
  }
  if (launch->args_size < function->args_size) {
    return example_fail(TG_INVALID, "expected %zu bytes of arguments, got %zu", function->args_size,
                        launch->args_size);
  }
  /* Each launch has memory of its own, so that many threads may launch at once. */
  char *scratch = NULL;
  if (function->scratch_bytes > 0) {
    scratch = aligned_alloc(64, (function->scratch_bytes + 63) / 64 * 64);
    if (!scratch) {
      return example_fail(TG_OUT_OF_MEMORY, "no memory for %zu bytes of tiles",
                          function->scratch_bytes);
    }
  }
  uint32_t program[3];
  for (program[2] = 0; program[2] < launch->grid[2]; ++program[2]) {
    for (program[1] = 0; program[1] < launch->grid[1]; ++program[1]) {
      for (program[0] = 0; program[0] < launch->grid[0]; ++program[0]) {
        function->entry(launch->args, program, launch->grid, scratch);
      }
    }
  }
  free(scratch);
  return NULL;
}

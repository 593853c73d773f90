/*===- Program.c - What simulated devices run -----------------------------===*\
|*
|* Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* The format `fake`: text, one instruction a line, '#' starts a comment.
|*
|*   fake-program 1                  the first line
|*   kernel NAME [registers=N] [shared=N] [threads=N]
|*   fill POINTER VALUE COUNT        COUNT 32-bit words become VALUE
|*   add POINTER VALUE COUNT         VALUE is added to each
|*   copy POINTER POINTER COUNT      to the first from the second
|*   check POINTER VALUE             fails as an assertion unless the word is VALUE
|*   print TEXT                      TEXT and a newline
|*   sleep MICROSECONDS
|*   fault                           fails, and with it the device is lost
|*
|* POINTER is the offset of a pointer in the block of arguments. Other operands are
|* numbers, or @OFFSET for the 32-bit word at that offset of the block. All programs of
|* a grid are one: an instruction is carried out once. Memory that is not the device's
|* is a fault.
|*
\*===----------------------------------------------------------------------===*/

#include "Fake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*===-- Reading -------------------------------------------------------------===*/

static const struct instruction {
  const char *name;
  fake_op op;
  int operands; /* -1: the rest of the line */
} instructions[] = {{"fill", FAKE_FILL, 3},   {"add", FAKE_ADD, 3},     {"copy", FAKE_COPY, 3},
                    {"check", FAKE_CHECK, 2}, {"sleep", FAKE_SLEEP, 1}, {"print", FAKE_PRINT, -1},
                    {"fault", FAKE_FAULT, 0}};

static tg_plugin_status *damaged(int line, const char *expected, const char *got) {
  return fake_fail(TG_INVALID, 200, "FAKE_ERROR_INVALID_IMAGE",
                   "program, line %d: expected %s, got '%.80s'", line, expected, got);
}

static tg_plugin_status *no_memory(void) {
  return fake_fail(TG_OUT_OF_MEMORY, 2, "FAKE_ERROR_OUT_OF_MEMORY", "no memory for the program");
}

static bool read_operand(const char *text, fake_operand *operand) {
  operand->is_argument = *text == '@';
  text += operand->is_argument;
  char *end = NULL;
  errno = 0;
  operand->value = (uint32_t)strtoul(text, &end, 0);
  return end != text && *end == '\0' && errno == 0;
}

static tg_function *add_function(tg_module *module, const char *name) {
  tg_function *function = calloc(1, sizeof *function);
  tg_function **more =
      function ? realloc(module->functions, (module->num_functions + 1) * sizeof *more) : NULL;
  if (!more) {
    free(function);
    return NULL;
  }
  function->module = module;
  function->threads = 1024;
  snprintf(function->name, sizeof function->name, "%s", name);
  module->functions = more;
  module->functions[module->num_functions++] = function;
  return function;
}

/* "kernel NAME [registers=N] ..." behind its first word. */
static tg_plugin_status *read_kernel(tg_module *module, int line, char *text) {
  char *rest = NULL;
  const char *name = strtok_r(text, " \t", &rest);
  if (!name || strlen(name) >= FAKE_TEXT) {
    return damaged(line, "a name", name ? name : "");
  }
  tg_function *function = add_function(module, name);
  if (!function) {
    return no_memory();
  }
  for (char *word; (word = strtok_r(NULL, " \t", &rest));) {
    if (sscanf(word, "registers=%u", &function->registers) != 1 &&
        sscanf(word, "shared=%u", &function->shared) != 1 &&
        sscanf(word, "threads=%u", &function->threads) != 1) {
      return damaged(line, "registers=, shared= or threads=", word);
    }
  }
  return NULL;
}

static tg_plugin_status *read_step(tg_function *function, int line, const char *name, char *text) {
  const struct instruction *known = NULL;
  for (size_t i = 0; i < sizeof instructions / sizeof *instructions; ++i) {
    known = strcmp(instructions[i].name, name) == 0 ? &instructions[i] : known;
  }
  if (!known) {
    return damaged(line, "an instruction", name);
  }
  fake_step *more = realloc(function->steps, (function->num_steps + 1) * sizeof *more);
  if (!more) {
    return no_memory();
  }
  function->steps = more;
  fake_step *step = &more[function->num_steps++];
  memset(step, 0, sizeof *step);
  step->op = known->op;
  if (known->operands < 0) {
    snprintf(step->text, sizeof step->text, "%s", text);
    return NULL;
  }
  char *rest = NULL;
  int count = 0;
  for (char *word = strtok_r(text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
    if (count == known->operands || !read_operand(word, &step->operands[count])) {
      return damaged(line, "as many numbers as the instruction takes", word);
    }
    ++count;
  }
  return count == known->operands
             ? NULL
             : damaged(line, "as many numbers as the instruction takes", "the end of the line");
}

static tg_plugin_status *read_line(tg_module *module, int line, char *text) {
  text[strcspn(text, "#\r")] = '\0';
  text += strspn(text, " \t");
  if (*text == '\0') {
    return NULL;
  }
  char *rest = text + strcspn(text, " \t");
  if (*rest != '\0') {
    *rest++ = '\0';
    rest += strspn(rest, " \t");
  }
  if (strcmp(text, "kernel") == 0) {
    return read_kernel(module, line, rest);
  }
  if (module->num_functions == 0) {
    return damaged(line, "'kernel NAME'", text);
  }
  return read_step(module->functions[module->num_functions - 1], line, text, rest);
}

static tg_plugin_status *read_program(tg_module *module, const char *image, size_t size) {
  static const char header[] = "fake-program 1\n";
  const size_t start = sizeof header - 1;
  if (size < start || memcmp(image, header, start) != 0) {
    return fake_fail(TG_INCOMPATIBLE, 200, "FAKE_ERROR_INVALID_IMAGE",
                     "the image is no program: expected it to start with 'fake-program 1'");
  }
  int number = 2;
  for (size_t at = start; at < size; ++number) {
    char line[256] = "";
    const char *end = memchr(image + at, '\n', size - at);
    const size_t length = end ? (size_t)(end - (image + at)) : size - at;
    memcpy(line, image + at, length < sizeof line ? length : sizeof line - 1);
    tg_plugin_status *status = length >= sizeof line
                                   ? damaged(number, "a line of at most 255 characters", line)
                                   : read_line(module, number, line);
    if (status) {
      return status;
    }
    at += length + 1;
  }
  return NULL;
}

static void delete_module(tg_module *module) {
  for (size_t i = 0; i < module->num_functions; ++i) {
    free(module->functions[i]->steps);
    free(module->functions[i]);
  }
  free(module->functions);
  free(module);
}

tg_plugin_status *fake_module_load(tg_context *context, const void *image, size_t size,
                                   const tg_variant *variant, tg_module **module) {
  fake_device *device = context->device;
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter_work(FAKE_SLOT_module_load, device);
  tg_module *made = status ? NULL : calloc(1, sizeof *made);
  if (!status && !made) {
    status = no_memory();
  }
  if (made) {
    made->device = device;
    /* Code of other formats may be chosen and launched; what it does is not known. */
    made->takes_any_name = variant && variant->format && strcmp(variant->format, "fake") != 0;
    status = made->takes_any_name ? NULL : read_program(made, image, size);
    if (status) {
      delete_module(made);
    } else {
      ++device->modules;
      *module = made;
    }
  }
  pthread_mutex_unlock(&fake_lock);
  return status;
}

void fake_module_unload(tg_module *module) {
  pthread_mutex_lock(&fake_lock);
  --module->device->modules;
  delete_module(module);
  pthread_mutex_unlock(&fake_lock);
}

tg_plugin_status *fake_kernel_get(tg_module *module, const char *name, tg_function **function,
                                  tg_kernel_info *info) {
  fake_device *device = module->device;
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter_work(FAKE_SLOT_kernel_get, device);
  tg_function *found = NULL;
  for (size_t i = 0; !status && i < module->num_functions; ++i) {
    found = strcmp(module->functions[i]->name, name) == 0 ? module->functions[i] : found;
  }
  if (!status && !found && module->takes_any_name) {
    found = add_function(module, name);
    status = found ? NULL : no_memory();
  }
  if (!status && !found) {
    status = fake_fail(TG_NOT_FOUND, 500, "FAKE_ERROR_NOT_FOUND", "there is no kernel '%s'", name);
  }
  if (!status && found->shared > device->shared) {
    status = fake_fail(TG_OUT_OF_RESOURCES, 701, "FAKE_ERROR_OUT_OF_RESOURCES",
                       "kernel '%s' needs %u bytes of shared memory, the device has %llu", name,
                       found->shared, (unsigned long long)device->shared);
  }
  if (!status) {
    *function = found;
    if (info) {
      tg_kernel_info full = {0};
      full.struct_size = info->struct_size;
      full.registers = found->registers;
      full.shared_static_bytes = found->shared;
      full.shared_dynamic_limit = (uint32_t)(device->shared - found->shared);
      full.max_threads_per_block = found->threads;
      full.max_cluster = (uint32_t)device->cluster;
      memcpy(info, &full, full.struct_size < sizeof full ? full.struct_size : sizeof full);
    }
  }
  pthread_mutex_unlock(&fake_lock);
  return status;
}

/*===-- Running -------------------------------------------------------------===*/

static bool value_of(const fake_operand *operand, const char *args, size_t size, uint32_t *value) {
  *value = operand->value;
  if (operand->is_argument) {
    if (size < sizeof *value || operand->value > size - sizeof *value) {
      return false;
    }
    memcpy(value, args + operand->value, sizeof *value);
  }
  return true;
}

/* The words that a pointer argument points to, if they are the device's. */
static char *words_at(const fake_device *device, uint32_t offset, uint32_t count, const char *args,
                      size_t size) {
  uint64_t address = 0;
  if (size < sizeof address || offset > size - sizeof address) {
    return NULL;
  }
  memcpy(&address, args + offset, sizeof address);
  return fake_owns(device, address, (uint64_t)count * 4) ? (char *)(uintptr_t)address : NULL;
}

static void print(fake_device *device, const char *text) {
  const size_t size = strlen(text);
  char *more = realloc(device->printed, device->printed_size + size + 1);
  if (more) { /* else it is lost */
    memcpy(more + device->printed_size, text, size);
    more[device->printed_size + size] = '\n';
    device->printed = more;
    device->printed_size += size + 1;
  }
}

static tg_plugin_status *fault(fake_device *device, const char *name, const char *why) {
  fake_lose(device);
  return fake_fail(TG_LAUNCH_FAILED, 700, "FAKE_ERROR_ILLEGAL_ADDRESS", "kernel '%s': %s", name,
                   why);
}

static void words(const fake_step *step, char *target, const char *source, uint32_t value,
                  uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t word = value;
    if (step->op != FAKE_FILL) {
      memcpy(&word, (source ? source : target) + 4 * (size_t)i, 4);
      word += step->op == FAKE_ADD ? value : 0;
    }
    memcpy(target + 4 * (size_t)i, &word, 4);
  }
}

tg_plugin_status *fake_run(fake_device *device, const tg_function *function, const char *args,
                           size_t args_size, const uint32_t grid[3]) {
  (void)grid;
  for (size_t i = 0; i < function->num_steps; ++i) {
    const fake_step *step = &function->steps[i];
    uint32_t value[3] = {0};
    for (int k = 0; k < 3; ++k) {
      if (!value_of(&step->operands[k], args, args_size, &value[k])) {
        return fault(device, function->name, "an argument that is not there");
      }
    }
    if (step->op == FAKE_PRINT) {
      print(device, step->text);
    } else if (step->op == FAKE_SLEEP) {
      const struct timespec time = {value[0] / 1000000, (long)(value[0] % 1000000) * 1000};
      pthread_mutex_unlock(&fake_lock);
      nanosleep(&time, NULL);
      pthread_mutex_lock(&fake_lock);
    } else if (step->op == FAKE_FAULT) {
      return fault(device, function->name, "fault");
    } else {
      const uint32_t count = step->op == FAKE_CHECK ? 1 : value[2];
      char *target = words_at(device, value[0], count, args, args_size);
      const char *source =
          step->op == FAKE_COPY ? words_at(device, value[1], count, args, args_size) : NULL;
      if (!target || (step->op == FAKE_COPY && !source)) {
        return fault(device, function->name, "an illegal address");
      }
      if (step->op == FAKE_CHECK) {
        uint32_t word;
        memcpy(&word, target, sizeof word);
        if (word != value[1]) {
          return fake_fail(TG_ASSERTION, 710, "FAKE_ERROR_ASSERT",
                           "kernel '%s': expected the word %u, got %u", function->name, value[1],
                           word);
        }
      } else {
        words(step, target, source, value[1], count);
      }
    }
  }
  return NULL;
}

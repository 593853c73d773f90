/*===- Config.c - Which devices are simulated, and what goes wrong -------===*\
|*
|* Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Statements: words and KEY=VALUE pairs, values with spaces in quotes; see Fake.h.
|*
\*===----------------------------------------------------------------------===*/

#include "Fake.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const slot_names[] = {
#define FAKE_SLOT(name) #name,
    FAKE_SLOTS(FAKE_SLOT)
#undef FAKE_SLOT
};

/*===-- Words ---------------------------------------------------------------===*/

typedef struct reader {
  const char *at;
  int line;
  char *error;
  size_t capacity;
} reader;

static bool wrong(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool wrong(reader *r, const char *format, ...) {
  int used = snprintf(r->error, r->capacity, "line %d: ", r->line);
  va_list args;
  va_start(args, format);
  vsnprintf(r->error + used, r->capacity - (size_t)used, format, args);
  va_end(args);
  return false;
}

static bool is_end(char c) { return c == '\0' || c == '\n' || c == ';' || c == '#'; }

/* The next word of the statement without quotes; "" at its end. */
static bool next_word(reader *r, char word[FAKE_TEXT]) {
  while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r') {
    ++r->at;
  }
  size_t size = 0;
  bool quoted = false;
  while (quoted ? (*r->at != '\0' && *r->at != '\n')
                : (!is_end(*r->at) && *r->at != ' ' && *r->at != '\t' && *r->at != '\r')) {
    if (*r->at == '"') {
      quoted = !quoted;
    } else if (size + 1 < FAKE_TEXT) {
      word[size++] = *r->at;
    } else {
      return wrong(r, "expected a word of at most %d characters", FAKE_TEXT - 1);
    }
    ++r->at;
  }
  word[size] = '\0';
  return quoted ? wrong(r, "expected a closing quote") : true;
}

/* "64M" */
static bool number(reader *r, const char *key, const char *text, uint64_t *value) {
  char *end = NULL;
  *value = strtoull(text, &end, 10);
  int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
  end += shift > 0;
  if (end == text || *end != '\0' || *text == '-') {
    return wrong(r, "%s: expected a number, got '%s'", key, text);
  }
  *value <<= shift;
  return true;
}

/*===-- device --------------------------------------------------------------===*/

static void defaults(fake_device *device, int index) {
  memset(device, 0, sizeof *device);
  device->index = index;
  strcpy(device->name, "Fake device");
  strcpy(device->arch, "f1");
  snprintf(device->id, sizeof device->id, "%s-%d", FAKE_ID, index);
  device->memory = (uint64_t)256 << 20;
  device->units = 1;
  device->grid = 0x7fffffff;
  device->shared = 64 << 10;
  device->peers = 1;
}

/* "fake/f1:90,cubin:40" */
static bool accepts(reader *r, fake_device *device, const char *text) {
  while (*text != '\0') {
    fake_accept *entry = &device->accepts[device->num_accepts];
    const size_t size = strcspn(text, ",");
    const char *colon = memchr(text, ':', size), *slash = memchr(text, '/', size);
    if (device->num_accepts == FAKE_MAX_ACCEPTS || !colon || (slash && slash > colon)) {
      return wrong(r, "accepts: expected at most %d of FORMAT[/ARCH]:SCORE, got '%s'",
                   FAKE_MAX_ACCEPTS, text);
    }
    memset(entry, 0, sizeof *entry);
    memcpy(entry->format, text, (size_t)((slash ? slash : colon) - text));
    if (slash) {
      memcpy(entry->arch, slash + 1, (size_t)(colon - slash - 1));
    }
    entry->score = (int32_t)strtol(colon + 1, NULL, 10);
    ++device->num_accepts;
    text += size + (text[size] == ',');
  }
  return true;
}

static bool read_device(reader *r) {
  if (fake_driver.num_devices == FAKE_MAX_DEVICES) {
    return wrong(r, "expected at most %d devices", FAKE_MAX_DEVICES);
  }
  fake_device *device = &fake_driver.devices[fake_driver.num_devices];
  defaults(device, fake_driver.num_devices);
  char word[FAKE_TEXT];
  if (!next_word(r, word)) {
    return false;
  }
  for (const char *const *kind = fake_kinds; *kind && !device->kind; ++kind) {
    device->kind = strcmp(*kind, word) == 0 ? *kind : NULL;
  }
  if (!device->kind) {
    return wrong(r, "device: expected fake, fake-cuda, fake-hip or fake-npu, got '%s'", word);
  }
  const struct {
    const char *key;
    uint64_t *value;
  } numbers[] = {{"memory", &device->memory},       {"units", &device->units},
                 {"grid", &device->grid},           {"shared", &device->shared},
                 {"cluster", &device->cluster},     {"cooperative", &device->cooperative},
                 {"dependent", &device->dependent}, {"peers", &device->peers},
                 {"delay", &device->delay},         {"lose", &device->lose}};
  const struct {
    const char *key;
    char *text;
  } texts[] = {{"name", device->name}, {"arch", device->arch}, {"id", device->id}};
  for (;;) {
    if (!next_word(r, word)) {
      return false;
    }
    if (word[0] == '\0') {
      ++fake_driver.num_devices;
      return true;
    }
    char *value = strchr(word, '=');
    if (!value) {
      return wrong(r, "device: expected KEY=VALUE, got '%s'", word);
    }
    *value++ = '\0';
    bool known = strcmp(word, "accepts") == 0;
    if (known && !accepts(r, device, value)) {
      return false;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
      if (strcmp(word, numbers[i].key) == 0) {
        known = true;
        if (!number(r, word, value, numbers[i].value)) {
          return false;
        }
      }
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
      if (strcmp(word, texts[i].key) == 0) {
        known = true;
        strcpy(texts[i].text, value); /* as long as a word at most */
      }
    }
    if (!known) {
      return wrong(r, "device: unknown key '%s'", word);
    }
  }
}

/*===-- fail ----------------------------------------------------------------===*/

static bool read_fail(reader *r) {
  char word[FAKE_TEXT];
  if (fake_driver.num_plans == FAKE_MAX_PLANS) {
    return wrong(r, "expected at most %d planned failures", FAKE_MAX_PLANS);
  }
  fake_plan *plan = &fake_driver.plans[fake_driver.num_plans];
  memset(plan, 0, sizeof *plan);
  plan->device = -1;
  plan->code = TG_LAUNCH_FAILED;
  strcpy(plan->text, "planned failure");
  if (!next_word(r, word)) {
    return false;
  }
  int slot = 0;
  while (slot < FAKE_NUM_SLOTS && strcmp(slot_names[slot], word) != 0) {
    ++slot;
  }
  if (slot == FAKE_NUM_SLOTS) {
    return wrong(r, "fail: unknown slot '%s'", word);
  }
  plan->slot = (fake_slot)slot;
  uint64_t at = 0, times = 1, device = 0;
  for (;;) {
    if (!next_word(r, word)) {
      return false;
    }
    if (word[0] == '\0') {
      break;
    }
    char *value = strchr(word, '=');
    if (!value) {
      return wrong(r, "fail: expected KEY=VALUE, got '%s'", word);
    }
    *value++ = '\0';
    if (strcmp(word, "text") == 0) {
      strcpy(plan->text, value);
    } else if (strcmp(word, "code") == 0) {
      plan->code = fake_code(value);
      if (plan->code == 0) {
        return wrong(r, "code: unknown code '%s'", value);
      }
    } else if (strcmp(word, "at") == 0) {
      if (!number(r, word, value, &at)) {
        return false;
      }
    } else if (strcmp(word, "times") == 0) {
      if (!number(r, word, value, &times)) {
        return false;
      }
    } else if (strcmp(word, "device") == 0) {
      if (!number(r, word, value, &device)) {
        return false;
      }
      if (device >= FAKE_MAX_DEVICES) {
        return wrong(r, "device: expected a number below %d", FAKE_MAX_DEVICES);
      }
      plan->device = (int)device;
    } else {
      return wrong(r, "fail: unknown key '%s'", word);
    }
  }
  if (at == 0) { /* the next call, of whichever device */
    const uint64_t *calls =
        plan->device >= 0 ? fake_driver.devices[plan->device].calls : fake_driver.calls;
    at = calls[slot] + 1;
  }
  plan->first = at;
  plan->last = at + times - 1;
  ++fake_driver.num_plans;
  return true;
}

/*===-- All -----------------------------------------------------------------===*/

static bool read_control(reader *r, const char *what) {
  char word[FAKE_TEXT];
  uint64_t index = 0;
  if (!next_word(r, word) || !number(r, what, word, &index)) {
    return false;
  }
  if (index >= (uint64_t)fake_driver.num_devices) {
    return wrong(r, "%s: there is no device %s", what, word);
  }
  fake_device *device = &fake_driver.devices[index];
  if (strcmp(what, "lose") == 0) {
    fake_lose(device);
  } else {
    device->is_lost = false;
    device->lose = 0;
  }
  return true;
}

static void clear(void) {
  fake_driver.num_plans = 0;
  memset(fake_driver.calls, 0, sizeof fake_driver.calls);
  for (int i = 0; i < fake_driver.num_devices; ++i) {
    memset(fake_driver.devices[i].calls, 0, sizeof fake_driver.devices[i].calls);
    fake_driver.devices[i].programs = 0;
  }
  fake_trace(NULL, "%s", "");
}

bool fake_configure(const char *text, bool is_control, char *error, size_t capacity) {
  reader r = {text, 1, error, capacity};
  for (;;) {
    char word[FAKE_TEXT];
    if (!next_word(&r, word)) {
      return false;
    }
    bool fine = true;
    if (strcmp(word, "fail") == 0) {
      fine = read_fail(&r);
    } else if (is_control && (strcmp(word, "lose") == 0 || strcmp(word, "revive") == 0)) {
      fine = read_control(&r, word);
    } else if (is_control && strcmp(word, "clear") == 0) {
      clear();
    } else if (!is_control && strcmp(word, "device") == 0) {
      fine = read_device(&r);
    } else if (!is_control && strcmp(word, "driver") == 0) {
      fine = next_word(&r, word) && strcmp(word, "missing") == 0;
      fake_driver.is_missing = fine;
      if (!fine) {
        return wrong(&r, "driver: expected missing, got '%s'", word);
      }
    } else if (word[0] != '\0') {
      return wrong(&r, "unknown statement '%s'", word);
    }
    if (!fine || (word[0] != '\0' && (!next_word(&r, word) || word[0] != '\0'))) {
      return fine ? wrong(&r, "expected the end of the statement, got '%s'", word) : false;
    }
    while (*r.at == '#' || (*r.at != '\0' && *r.at != '\n' && *r.at != ';')) {
      r.at += *r.at == '#' ? strcspn(r.at, "\n") : 1;
    }
    if (*r.at == '\0') {
      return true;
    }
    r.line += *r.at++ == '\n';
  }
}

/*===-- What happens at each call -------------------------------------------===*/

tg_plugin_status *fake_enter(fake_slot slot, fake_device *device) {
  const uint64_t ofDriver = ++fake_driver.calls[slot];
  const uint64_t ofDevice = device ? ++device->calls[slot] : ofDriver;
  for (int i = 0; i < fake_driver.num_plans; ++i) {
    const fake_plan *plan = &fake_driver.plans[i];
    const uint64_t call = plan->device >= 0 ? ofDevice : ofDriver;
    if (plan->slot == slot && call >= plan->first && call <= plan->last &&
        (plan->device < 0 || (device && plan->device == device->index))) {
      if (plan->code == TG_DEVICE_LOST && device) {
        fake_lose(device);
      }
      return fake_fail(plan->code, 900 + (int32_t)plan->code, "FAKE_ERROR_PLANNED", "%s",
                       plan->text);
    }
  }
  return NULL;
}

tg_plugin_status *fake_enter_work(fake_slot slot, fake_device *device) {
  tg_plugin_status *status = fake_enter(slot, device);
  return status ? status : device->is_lost ? fake_lost_status(device) : NULL;
}

/*===-- For tests -----------------------------------------------------------===*/

const char *tegula_fake_control(const char *text) {
  static __thread char error[512];
  pthread_mutex_lock(&fake_lock);
  const bool fine = fake_configure(text, true, error, sizeof error);
  pthread_mutex_unlock(&fake_lock);
  return fine ? NULL : error;
}

uint64_t tegula_fake_count(int device, const char *what) {
  uint64_t answer = ~(uint64_t)0;
  pthread_mutex_lock(&fake_lock);
  const fake_device *d =
      device >= 0 && device < fake_driver.num_devices ? &fake_driver.devices[device] : NULL;
  const uint64_t *calls = d ? d->calls : device == -1 ? fake_driver.calls : NULL;
  for (int i = 0; calls && i < FAKE_NUM_SLOTS; ++i) {
    if (strcmp(slot_names[i], what) == 0) {
      answer = calls[i];
    }
  }
  if (d && strcmp(what, "live-buffers") == 0) {
    answer = 0;
    for (const fake_piece *piece = d->pieces; piece; piece = piece->next) {
      ++answer;
    }
  } else if (d) {
    answer = strcmp(what, "live-bytes") == 0      ? d->used
             : strcmp(what, "live-contexts") == 0 ? d->contexts
             : strcmp(what, "live-modules") == 0  ? d->modules
             : strcmp(what, "live-streams") == 0  ? d->streams
             : strcmp(what, "live-events") == 0   ? d->events
             : strcmp(what, "programs") == 0      ? d->programs
                                                  : answer;
  }
  pthread_mutex_unlock(&fake_lock);
  return answer;
}

/*===- Memory.c - Memory of simulated devices -----------------------------===*\
|*
|* Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Ordinary memory, but each piece belongs to a device, which can touch no other.
|*
\*===----------------------------------------------------------------------===*/

#include "Fake.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 256 };

bool fake_owns(const fake_device *device, uint64_t address, uint64_t size) {
  for (const fake_piece *piece = device->pieces; piece; piece = piece->next) {
    const uint64_t start = (uint64_t)(uintptr_t)piece->bytes;
    if (address >= start && address - start <= piece->size &&
        size <= piece->size - (address - start)) {
      return true;
    }
  }
  return false;
}

tg_plugin_status *fake_alloc(tg_context *context, size_t size, uint32_t flags, tg_mem *mem) {
  fake_device *device = context->device;
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter_work(FAKE_SLOT_alloc, device);
  const uint64_t free_bytes = device->memory - device->used;
  fake_piece *piece = NULL;
  if (!status && size <= free_bytes) {
    /* Zero bytes too get a piece of their own. */
    const size_t rounded = (size / ALIGNMENT + 1) * ALIGNMENT;
    piece = calloc(1, sizeof *piece);
    if (piece && !(piece->bytes = aligned_alloc(ALIGNMENT, rounded))) {
      free(piece);
      piece = NULL;
    }
  }
  if (piece) {
    memset(piece->bytes, 0xcd, size); /* nobody may rely on what is there */
    piece->size = size;
    piece->kind = flags;
    piece->next = device->pieces;
    device->pieces = piece;
    device->used += size;
    const tg_mem made = {(uint64_t)(uintptr_t)piece->bytes, size, flags, device->index, piece};
    *mem = made;
  } else if (!status) {
    status =
        fake_fail(TG_OUT_OF_MEMORY, 2, "FAKE_ERROR_OUT_OF_MEMORY",
                  "no memory for %zu bytes, %llu are free", size, (unsigned long long)free_bytes);
  }
  pthread_mutex_unlock(&fake_lock);
  return status;
}

tg_plugin_status *fake_release(tg_context *context, tg_mem mem) {
  fake_device *device = context->device;
  pthread_mutex_lock(&fake_lock);
  /* A planned failure still frees: the host cannot try again. */
  tg_plugin_status *status = fake_enter(FAKE_SLOT_release, device);
  fake_piece **link = &device->pieces;
  while (*link && *link != mem.owner) {
    link = &(*link)->next;
  }
  fake_piece *piece = *link;
  if (piece) {
    *link = piece->next;
    device->used -= piece->size;
    free(piece->bytes);
    free(piece);
  } else if (!status) {
    status = fake_fail(TG_INVALID, 1, "FAKE_ERROR_INVALID", "release of what is not allocated");
  }
  pthread_mutex_unlock(&fake_lock);
  return status;
}

tg_plugin_status *fake_pointer_owner(tg_driver *driver, uint64_t address, tg_pointer_info *info) {
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter(FAKE_SLOT_pointer_owner, NULL);
  info->kind = TG_MEM_HOST;
  info->device = -1;
  info->base = info->size = 0;
  for (int i = 0; !status && i < driver->num_visible; ++i) {
    for (const fake_piece *piece = driver->visible[i]->pieces; piece; piece = piece->next) {
      const uint64_t start = (uint64_t)(uintptr_t)piece->bytes;
      if (address >= start && address - start < (piece->size ? piece->size : 1)) {
        info->kind = piece->kind;
        info->device = i;
        info->base = start;
        info->size = piece->size;
      }
    }
  }
  pthread_mutex_unlock(&fake_lock);
  return status;
}

/*===-- Copies --------------------------------------------------------------===*/

static tg_plugin_status *check_range(const char *what, const tg_mem *mem, size_t offset,
                                     size_t size) {
  if ((mem->size == 0 && !mem->owner) || (offset <= mem->size && size <= mem->size - offset)) {
    return NULL;
  }
  return fake_fail(TG_INVALID, 1, "FAKE_ERROR_INVALID",
                   "%s: expected a range within %llu bytes, got %zu bytes at offset %zu", what,
                   (unsigned long long)mem->size, size, offset);
}

static bool is_host(const tg_mem *mem) { return mem->kind == TG_MEM_HOST; }

static tg_plugin_status *illegal(const char *what) {
  return fake_fail(TG_INVALID, 700, "FAKE_ERROR_ILLEGAL_ADDRESS",
                   "%s: the memory is not the device's", what);
}

/* With the lock held. `from` owns the source. */
static tg_plugin_status *queue_copy(fake_device *device, fake_device *from, tg_mem target,
                                    size_t target_offset, tg_mem source, size_t source_offset,
                                    size_t size, tg_stream *stream) {
  const uint64_t to_address = target.address + target_offset;
  const uint64_t from_address = source.address + source_offset;
  if (!is_host(&target) && !fake_owns(device, to_address, size)) {
    return illegal("copy to");
  }
  if (!is_host(&source) && !fake_owns(from, from_address, size)) {
    return illegal("copy from");
  }
  /* The host's side may change after the call, so its bytes go along. */
  fake_work *work = fake_new_work(FAKE_WORK_COPY, is_host(&source) ? size : 0);
  if (!work) {
    return fake_fail(TG_OUT_OF_MEMORY, 2, "FAKE_ERROR_OUT_OF_MEMORY", "no memory for a copy");
  }
  work->target = (char *)(uintptr_t)to_address;
  work->source = (char *)(uintptr_t)from_address;
  work->size = size;
  if (is_host(&source)) {
    memcpy(work->bytes, work->source, size);
    work->source = work->bytes;
  }
  fake_queue(device, stream, work);
  return is_host(&target) ? fake_wait(device, stream) : NULL;
}

tg_plugin_status *fake_copy(tg_context *context, tg_mem target, size_t target_offset, tg_mem source,
                            size_t source_offset, size_t size, tg_stream *stream) {
  fake_device *device = context->device;
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter_work(FAKE_SLOT_copy, device);
  status = status ? status : check_range("copy to", &target, target_offset, size);
  status = status ? status : check_range("copy from", &source, source_offset, size);
  if (!status) {
    status = queue_copy(device, device, target, target_offset, source, source_offset, size,
                        fake_stream_or_default(device, stream));
  }
  pthread_mutex_unlock(&fake_lock);
  return status;
}

tg_plugin_status *fake_peer_copy(tg_context *target_context, tg_mem target, size_t target_offset,
                                 tg_context *source_context, tg_mem source, size_t source_offset,
                                 size_t size, tg_stream *stream) {
  fake_device *device = target_context->device, *from = source_context->device;
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter_work(FAKE_SLOT_peer_copy, device);
  if (!status && from->is_lost) {
    status = fake_lost_status(from);
  }
  if (!status && (!device->peers || !from->peers)) {
    status = fake_fail(TG_UNAVAILABLE, 217, "FAKE_ERROR_NO_PEER_ACCESS",
                       "the devices do not reach each other");
  }
  status = status ? status : check_range("copy to", &target, target_offset, size);
  status = status ? status : check_range("copy from", &source, source_offset, size);
  if (!status) {
    status = queue_copy(device, from, target, target_offset, source, source_offset, size,
                        fake_stream_or_default(device, stream));
  }
  pthread_mutex_unlock(&fake_lock);
  return status;
}

tg_plugin_status *fake_fill(tg_context *context, tg_mem mem, size_t offset, uint32_t pattern,
                            size_t size, tg_stream *stream) {
  fake_device *device = context->device;
  pthread_mutex_lock(&fake_lock);
  tg_plugin_status *status = fake_enter_work(FAKE_SLOT_fill, device);
  status = status ? status : check_range("fill", &mem, offset, size);
  if (!status && !fake_owns(device, mem.address + offset, size)) {
    status = illegal("fill");
  }
  fake_work *work = status ? NULL : fake_new_work(FAKE_WORK_FILL, 0);
  if (work) {
    work->target = (char *)(uintptr_t)(mem.address + offset);
    work->size = size;
    work->pattern = pattern;
    fake_queue(device, fake_stream_or_default(device, stream), work);
  } else if (!status) {
    status = fake_fail(TG_OUT_OF_MEMORY, 2, "FAKE_ERROR_OUT_OF_MEMORY", "no memory for a fill");
  }
  pthread_mutex_unlock(&fake_lock);
  return status;
}

//===- FakeCuda.c - A driver library without a driver ---------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of the driver API that the runtime half looks up, for one device, or
// FAKE_CUDA_DEVICES of them, that compute nothing. Each call can be made to fail:
// FAKE_CUDA_FAIL="cuMemAlloc_v2=2" makes that function return 2. Memory is the process's
// own. Launches, and what orders streams, are lines of the file that FAKE_CUDA_TRACE names.
// With FAKE_CUDA_CAPTURE=1 what a capture forbids fails but in the relaxed mode. FAKE_CUDA_CORE
// is the file that waiting leaves where core files are asked for, FAKE_CUDA_ACTIVE=1 a context that
// is there before anybody asks. FAKE_CUDA_OLD (of the build) leaves out what old drivers lack.
//
//===----------------------------------------------------------------------===//

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static int answer(const char *name) {
  const char *wanted = getenv("FAKE_CUDA_FAIL");
  const size_t length = strlen(name);
  return wanted && strncmp(wanted, name, length) == 0 && wanted[length] == '='
             ? atoi(wanted + length + 1)
             : 0;
}
#define RETURN_IF_FAILS                                                                            \
  const int failure = answer(__func__);                                                            \
  if (failure) {                                                                                   \
    return failure;                                                                                \
  }

static int numberFrom(const char *variable, int otherwise) {
  const char *text = getenv(variable);
  return text ? atoi(text) : otherwise;
}

#define TRACE(...)                                                                                 \
  do {                                                                                             \
    const char *path = getenv("FAKE_CUDA_TRACE");                                                  \
    FILE *file = path ? fopen(path, "a") : NULL;                                                   \
    if (file) {                                                                                    \
      fprintf(file, __VA_ARGS__);                                                                  \
      fclose(file);                                                                                \
    }                                                                                              \
  } while (0)

EXPORT int cuInit(unsigned flags) { return answer(__func__); }
EXPORT int cuDriverGetVersion(int *version) {
  *version = numberFrom("FAKE_CUDA_VERSION", 13000);
  return 0;
}
EXPORT int cuGetErrorName(int result, const char **name) {
  *name = result == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : result == 4242 ? NULL : "CUDA_ERROR_FAKE";
  return 0;
}
EXPORT int cuGetErrorString(int result, const char **text) {
  *text = result == 700 ? "an illegal memory access" : result == 4242 ? NULL : "a planted error";
  return 0;
}
EXPORT int cuDeviceGetCount(int *count) {
  RETURN_IF_FAILS
  *count = numberFrom("FAKE_CUDA_DEVICES", 1);
  return 0;
}
EXPORT int cuDeviceGet(int *device, int ordinal) {
  RETURN_IF_FAILS
  *device = ordinal;
  return 0;
}
EXPORT int cuDeviceGetName(char *name, int size, int device) {
  snprintf(name, (size_t)size, "Fake GPU");
  return 0;
}
EXPORT int cuDeviceGetUuid_v2(void *uuid, int device) {
  for (int i = 0; i < 16; ++i) {
    ((unsigned char *)uuid)[i] = (unsigned char)(i * 17);
  }
  return 0;
}
EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  *bytes = (size_t)1 << 30;
  return 0;
}
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
  switch (attribute) {
  case 75: // compute capability
    *value = numberFrom("FAKE_CUDA_ARCH", 90) / 10;
    return 0;
  case 76:
    *value = numberFrom("FAKE_CUDA_ARCH", 90) % 10;
    return 0;
  case 10:
    *value = 32;
    return 0;
  case 16: // multiprocessors
    *value = 2;
    return 0;
  case 97: // shared memory of a block
    *value = 232448;
    return 0;
  case 1:
    *value = 1024;
    return 0;
  case 5: // largest grid
    *value = 0x7fffffff;
    return 0;
  case 6:
  case 7:
    *value = 65535;
    return 0;
  case 41: // features
  case 83:
  case 95:
  case 120:
    *value = 1;
    return 0;
  default:
    return 1;
  }
}
EXPORT int cuDeviceGetPCIBusId(char *id, int size, int device) {
  snprintf(id, (size_t)size, "0000:00:%02x.0", 6 + device);
  return 0;
}
static int contexts[64], theModule, theFunction, theStream, theEvent;
static _Thread_local void *current;
static _Thread_local int captureMode;
/// The device of the current context.
static int currentDevice(void) { return current ? (int)((int *)current - contexts) : 0; }
/// CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED where a capture forbids the call.
static int forbidden(void) {
  return numberFrom("FAKE_CUDA_CAPTURE", 0) == 1 && captureMode != 2 ? 900 : 0;
}
#define RETURN_IF_FORBIDDEN                                                                        \
  RETURN_IF_FAILS                                                                                  \
  if (forbidden()) {                                                                               \
    return forbidden();                                                                            \
  }

EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) {
  RETURN_IF_FAILS
  *context = &contexts[device];
  return 0;
}
EXPORT int cuDevicePrimaryCtxRelease_v2(int device) { return 0; }
EXPORT int cuCtxGetCurrent(void **context) {
  *context = current;
  return 0;
}
EXPORT int cuCtxSetCurrent(void *context) {
  current = context;
  return 0;
}
static char coreFile[512];
static int writesCoreFile;
EXPORT int cuCtxSynchronize(void) {
  const char *path = getenv("FAKE_CUDA_CORE");
  FILE *from = writesCoreFile && path ? fopen(path, "rb") : NULL;
  FILE *to = from ? fopen(coreFile, "wb") : NULL;
  for (int byte; to && (byte = fgetc(from)) != EOF;) {
    fputc(byte, to);
  }
  if (from) {
    fclose(from);
  }
  if (to) {
    fclose(to);
  }
  return answer(__func__);
}
EXPORT int cuMemGetInfo_v2(size_t *freeBytes, size_t *total) {
  *freeBytes = 12345;
  *total = (size_t)1 << 30;
  return 0;
}
EXPORT int cuMemAlloc_v2(uint64_t *address, size_t size) {
  RETURN_IF_FORBIDDEN
  *address = (uint64_t)(uintptr_t)malloc(size);
  return 0;
}
EXPORT int cuMemFree_v2(uint64_t address) {
  free((void *)(uintptr_t)address);
  return answer(__func__);
}
EXPORT int cuMemHostAlloc(void **address, size_t size, unsigned flags) {
  RETURN_IF_FORBIDDEN
  *address = malloc(size);
  return 0;
}
EXPORT int cuMemFreeHost(void *address) {
  free(address);
  return 0;
}
EXPORT int cuMemAllocManaged(uint64_t *address, size_t size, unsigned flags) {
  *address = (uint64_t)(uintptr_t)malloc(size);
  return 0;
}
EXPORT int cuMemcpyAsync(uint64_t target, uint64_t source, size_t size, void *stream) {
  RETURN_IF_FAILS
  memmove((void *)(uintptr_t)target, (void *)(uintptr_t)source, size);
  return 0;
}
EXPORT int cuMemcpyPeerAsync(uint64_t target, void *to, uint64_t source, void *from, size_t size,
                             void *stream) {
  return cuMemcpyAsync(target, source, size, stream);
}
EXPORT int cuMemsetD8Async(uint64_t target, unsigned char value, size_t count, void *stream) {
  memset((void *)(uintptr_t)target, value, count);
  return 0;
}
EXPORT int cuMemsetD32Async(uint64_t target, unsigned value, size_t count, void *stream) {
  for (size_t i = 0; i < count; ++i) {
    memcpy((char *)(uintptr_t)target + 4 * i, &value, 4);
  }
  return 0;
}
EXPORT int cuPointerGetAttributes(unsigned count, int *attributes, void **values,
                                  uint64_t address) {
  return 1; // has never seen it
}
EXPORT int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options,
                              void **values) {
  const int failure = answer(__func__);
  if (failure && count > 0) {
    snprintf(values[0], 100, "ptxas: line 3: planted");
  }
  *module = &theModule;
  return failure ? failure : forbidden();
}
EXPORT int fakeUnloads; ///< for tests to read
EXPORT int cuModuleUnload(void *module) {
  ++fakeUnloads;
  return 0;
}
EXPORT int cuModuleGetFunction(void **function, void *module, const char *name) {
  *function = &theFunction;
  return strcmp(name, "missing") == 0 ? 500 : 0;
}
EXPORT int cuFuncGetAttribute(int *value, int attribute, void *function) {
  // Threads, bytes of a thread in memory, registers.
  *value = attribute == 0 ? 512 : attribute == 3 ? 24 : attribute == 4 ? 120 : 0;
  return 0;
}
EXPORT int cuFuncSetAttribute(void *function, int attribute, int value) { return answer(__func__); }
EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads,
                                                       size_t shared) {
  *blocks = 4;
  return 0;
}
EXPORT int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY, unsigned gridZ,
                          unsigned blockX, unsigned blockY, unsigned blockZ, unsigned shared,
                          void *stream, void **parameters, void **extra) {
  char device[16] = "";
  if (currentDevice() > 0) {
    snprintf(device, sizeof device, " device=%d", currentDevice());
  }
  TRACE("launch %u,%u,%u%s threads=%u shared=%u stream=%lu\n", gridX, gridY, gridZ, device, blockX,
        shared, (unsigned long)(uintptr_t)stream);
  return answer(__func__);
}

#ifndef FAKE_CUDA_OLD
struct Attribute {
  int id;
  int padding;
  unsigned values[16];
};
struct Config {
  unsigned grid[3], block[3], shared;
  void *stream;
  struct Attribute *attributes;
  unsigned count;
};
EXPORT int cuLaunchKernelEx(const struct Config *config, void *function, void **parameters,
                            void **extra) {
  char text[256] = "";
  for (unsigned i = 0; i < config->count; ++i) {
    const struct Attribute *attribute = &config->attributes[i];
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, " attribute=%d:%u,%u,%u", attribute->id,
             attribute->values[0], attribute->values[1], attribute->values[2]);
  }
  TRACE("launch %u,%u,%u threads=%u shared=%u stream=%lu%s\n", config->grid[0], config->grid[1],
        config->grid[2], config->block[0], config->shared, (unsigned long)(uintptr_t)config->stream,
        text);
  return answer(__func__);
}
EXPORT int cuThreadExchangeStreamCaptureMode(int *mode) {
  const int before = captureMode;
  captureMode = *mode;
  *mode = before;
  return 0;
}
EXPORT int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) {
  *flags = 0;
  *active = numberFrom("FAKE_CUDA_ACTIVE", 0);
  return 0;
}
EXPORT int cuCoredumpSetAttributeGlobal(int attribute, void *value, size_t *size) {
  RETURN_IF_FAILS
  if (attribute == 5) {
    snprintf(coreFile, sizeof coreFile, "%s", (const char *)value);
  } else if (attribute == 1) {
    writesCoreFile = *(char *)value;
  }
  return 0;
}
#endif
EXPORT int cuStreamCreate(void **stream, unsigned flags) {
  *stream = &theStream;
  return answer(__func__);
}
EXPORT int cuStreamDestroy_v2(void *stream) { return 0; }
EXPORT int cuStreamSynchronize(void *stream) { return answer(__func__); }
EXPORT int cuStreamQuery(void *stream) { return answer(__func__); }
EXPORT int cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
  TRACE("wait stream=%lu\n", (unsigned long)(uintptr_t)stream);
  return answer(__func__);
}
EXPORT int cuStreamIsCapturing(void *stream, int *state) {
  *state = numberFrom("FAKE_CUDA_CAPTURE", 0);
  return 0;
}
EXPORT int cuEventCreate(void **event, unsigned flags) {
  *event = &theEvent;
  return answer(__func__);
}
EXPORT int cuEventDestroy_v2(void *event) { return 0; }
EXPORT int cuEventRecord(void *event, void *stream) {
  TRACE("record stream=%lu\n", (unsigned long)(uintptr_t)stream);
  return answer(__func__);
}
EXPORT int cuEventSynchronize(void *event) { return answer(__func__); }
EXPORT int cuEventQuery(void *event) { return answer(__func__); }
EXPORT int cuEventElapsedTime(float *milliseconds, void *start, void *end) {
  *milliseconds = 1.5f;
  return answer(__func__);
}

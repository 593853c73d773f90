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
  snprintf(id, (size_t)size, "0000:00:06.0");
  return 0;
}
static int theContext, theModule, theFunction, theStream, theEvent;
static void *current;
EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) {
  RETURN_IF_FAILS
  *context = &theContext;
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
EXPORT int cuCtxSynchronize(void) { return answer(__func__); }
EXPORT int cuMemGetInfo_v2(size_t *freeBytes, size_t *total) {
  *freeBytes = 12345;
  *total = (size_t)1 << 30;
  return 0;
}
EXPORT int cuMemAlloc_v2(uint64_t *address, size_t size) {
  RETURN_IF_FAILS
  *address = (uint64_t)(uintptr_t)malloc(size);
  return 0;
}
EXPORT int cuMemFree_v2(uint64_t address) {
  free((void *)(uintptr_t)address);
  return answer(__func__);
}
EXPORT int cuMemHostAlloc(void **address, size_t size, unsigned flags) {
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
  return failure;
}
EXPORT int cuModuleUnload(void *module) { return 0; }
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
  TRACE("launch %u,%u,%u threads=%u shared=%u stream=%lu\n", gridX, gridY, gridZ, blockX, shared,
        (unsigned long)(uintptr_t)stream);
  return answer(__func__);
}
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

//===- Cuda.h - The part of CUDA's driver API that is used ------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations of our own, since neither building nor running needs the toolkit: the
// functions are looked up in the driver's library. Names and numbers are those of the
// CUDA driver API reference.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_NVIDIA_CUDA_H
#define TEGULA_NVIDIA_CUDA_H

#include <cstddef>
#include <cstdint>

namespace tegula::nvidia {

using Result = int; ///< CUresult; 0 is success
using Device = int;
using Context = struct CUctx_st *;
using Module = struct CUmod_st *;
using Function = struct CUfunc_st *;
using Stream = struct CUstream_st *;
using Event = struct CUevent_st *;
using Pointer = unsigned long long;

struct Uuid {
  unsigned char bytes[16];
};

/// CUlaunchAttribute: an id, then a union of 64 bytes.
struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    int number;
    struct {
      unsigned x, y, z;
    } cluster;
  };
};
enum : int {
  kLaunchCooperative = 2,
  kLaunchCluster = 4,
  kLaunchProgrammaticSerialization = 6,
};

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

enum : int { // CUresult
  kOutOfMemory = 2,
  kNoDevice = 100,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kEccUncorrectable = 214,
  kInvalidPtx = 218,
  kNvlinkUncorrectable = 220,
  kJitCompilerNotFound = 221,
  kUnsupportedPtxVersion = 222,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kContextIsDestroyed = 709,
  kDeviceAssert = 710,
  kHardwareStackError = 714,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kInvalidAddressSpace = 717,
  kInvalidPc = 718,
  kLaunchFailed = 719,
  kCooperativeTooLarge = 720,
};

enum : int { // CUdevice_attribute
  kMaxThreadsPerBlock = 1,
  kMaxGridX = 5,
  kMaxGridY = 6,
  kMaxGridZ = 7,
  kWarpSize = 10,
  kClockRate = 13,
  kMultiprocessorCount = 16,
  kComputeMode = 20,
  kMemoryClockRate = 36,
  kMemoryBusWidth = 37,
  kL2CacheSize = 38,
  kUnifiedAddressing = 41,
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
  kSharedPerMultiprocessor = 81,
  kRegistersPerMultiprocessor = 82,
  kManagedMemory = 83,
  kCooperativeLaunch = 95,
  kSharedPerBlockOptin = 97,
  kClusterLaunch = 120,
};

enum : int { // CUfunction_attribute
  kFunctionMaxThreads = 0,
  kFunctionSharedBytes = 1,
  kFunctionLocalBytes = 3,
  kFunctionRegisters = 4,
  kFunctionBinaryVersion = 6,
  kFunctionMaxDynamicShared = 8,
  kFunctionNonPortableCluster = 14,
};

enum : int { // CUpointer_attribute
  kPointerMemoryType = 2,
  kPointerIsManaged = 8,
  kPointerDeviceOrdinal = 9,
  kPointerRangeStart = 11,
  kPointerRangeSize = 12,
};
enum : unsigned { kMemoryTypeHost = 1, kMemoryTypeDevice = 2 };

enum : int { // CUcoredumpSettings
  kCoredumpOnException = 1,
  kCoredumpTriggerHost = 2,
  kCoredumpFile = 5,
  kCoredumpFlags = 7,
};
/// CUCoredumpGenerationFlags: no memory, no images but the relocated ones, and the process
/// goes on.
inline constexpr unsigned kCoredumpSmall = 1 | 2 | 4 | 8 | 16 | 32;

enum : int { kCaptureModeRelaxed = 2 }; // CUstreamCaptureMode

enum : int { // CUjit_option
  kJitInfoLog = 3,
  kJitInfoLogSize = 4,
  kJitErrorLog = 5,
  kJitErrorLogSize = 6,
  kJitLineInfo = 12,
  kJitLogVerbose = 14,
};

inline void *const kLaunchParamEnd = nullptr;
inline void *const kLaunchParamBuffer = reinterpret_cast<void *>(1);
inline void *const kLaunchParamSize = reinterpret_cast<void *>(2);

// member, name in the library, result and parameters. The numbers in the names are those
// of the current version of each function.
#define TEGULA_CUDA_FUNCTIONS(X)                                                                   \
  X(init, "cuInit", (unsigned))                                                                    \
  X(driverGetVersion, "cuDriverGetVersion", (int *))                                               \
  X(getErrorName, "cuGetErrorName", (Result, const char **))                                       \
  X(getErrorString, "cuGetErrorString", (Result, const char **))                                   \
  X(deviceGetCount, "cuDeviceGetCount", (int *))                                                   \
  X(deviceGet, "cuDeviceGet", (Device *, int))                                                     \
  X(deviceGetName, "cuDeviceGetName", (char *, int, Device))                                       \
  X(deviceGetUuid, "cuDeviceGetUuid_v2", (Uuid *, Device))                                         \
  X(deviceTotalMem, "cuDeviceTotalMem_v2", (size_t *, Device))                                     \
  X(deviceGetAttribute, "cuDeviceGetAttribute", (int *, int, Device))                              \
  X(deviceGetPciBusId, "cuDeviceGetPCIBusId", (char *, int, Device))                               \
  X(primaryRetain, "cuDevicePrimaryCtxRetain", (Context *, Device))                                \
  X(primaryRelease, "cuDevicePrimaryCtxRelease_v2", (Device))                                      \
  X(ctxGetCurrent, "cuCtxGetCurrent", (Context *))                                                 \
  X(ctxSetCurrent, "cuCtxSetCurrent", (Context))                                                   \
  X(ctxSynchronize, "cuCtxSynchronize", ())                                                        \
  X(memGetInfo, "cuMemGetInfo_v2", (size_t *, size_t *))                                           \
  X(memAlloc, "cuMemAlloc_v2", (Pointer *, size_t))                                                \
  X(memFree, "cuMemFree_v2", (Pointer))                                                            \
  X(memHostAlloc, "cuMemHostAlloc", (void **, size_t, unsigned))                                   \
  X(memFreeHost, "cuMemFreeHost", (void *))                                                        \
  X(memAllocManaged, "cuMemAllocManaged", (Pointer *, size_t, unsigned))                           \
  X(memcpyAsync, "cuMemcpyAsync", (Pointer, Pointer, size_t, Stream))                              \
  X(memcpyPeerAsync, "cuMemcpyPeerAsync", (Pointer, Context, Pointer, Context, size_t, Stream))    \
  X(memsetD8Async, "cuMemsetD8Async", (Pointer, unsigned char, size_t, Stream))                    \
  X(memsetD32Async, "cuMemsetD32Async", (Pointer, unsigned, size_t, Stream))                       \
  X(pointerGetAttributes, "cuPointerGetAttributes", (unsigned, int *, void **, Pointer))           \
  X(moduleLoadDataEx, "cuModuleLoadDataEx", (Module *, const void *, unsigned, int *, void **))    \
  X(moduleUnload, "cuModuleUnload", (Module))                                                      \
  X(moduleGetFunction, "cuModuleGetFunction", (Function *, Module, const char *))                  \
  X(funcGetAttribute, "cuFuncGetAttribute", (int *, int, Function))                                \
  X(funcSetAttribute, "cuFuncSetAttribute", (Function, int, int))                                  \
  X(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor", (int *, Function, int, size_t))      \
  X(launchKernel, "cuLaunchKernel",                                                                \
    (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream,       \
     void **, void **))                                                                            \
  X(streamCreate, "cuStreamCreate", (Stream *, unsigned))                                          \
  X(streamDestroy, "cuStreamDestroy_v2", (Stream))                                                 \
  X(streamSynchronize, "cuStreamSynchronize", (Stream))                                            \
  X(streamQuery, "cuStreamQuery", (Stream))                                                        \
  X(streamWaitEvent, "cuStreamWaitEvent", (Stream, Event, unsigned))                               \
  X(streamIsCapturing, "cuStreamIsCapturing", (Stream, int *))                                     \
  X(eventCreate, "cuEventCreate", (Event *, unsigned))                                             \
  X(eventDestroy, "cuEventDestroy_v2", (Event))                                                    \
  X(eventRecord, "cuEventRecord", (Event, Stream))                                                 \
  X(eventSynchronize, "cuEventSynchronize", (Event))                                               \
  X(eventQuery, "cuEventQuery", (Event))                                                           \
  X(eventElapsedTime, "cuEventElapsedTime", (float *, Event, Event))

// Those that an older driver may lack; null then.
#define TEGULA_CUDA_OPTIONAL_FUNCTIONS(X)                                                          \
  X(exchangeCaptureMode, "cuThreadExchangeStreamCaptureMode", (int *))                             \
  X(coredumpSet, "cuCoredumpSetAttributeGlobal", (int, void *, size_t *))                          \
  X(primaryState, "cuDevicePrimaryCtxGetState", (Device, unsigned *, int *))                       \
  X(launchKernelEx, "cuLaunchKernelEx", (const LaunchConfig *, Function, void **, void **))        \
  X(maxActiveClusters, "cuOccupancyMaxPotentialClusterSize",                                       \
    (int *, Function, const LaunchConfig *))

/// The functions of an opened driver.
struct Cuda {
#define X(member, name, parameters) Result(*member) parameters = nullptr;
  TEGULA_CUDA_FUNCTIONS(X)
  TEGULA_CUDA_OPTIONAL_FUNCTIONS(X)
#undef X
};

} // namespace tegula::nvidia

#endif // TEGULA_NVIDIA_CUDA_H

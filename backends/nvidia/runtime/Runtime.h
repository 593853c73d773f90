//===- Runtime.h - The runtime half of the NVIDIA backend -------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_NVIDIA_RUNTIME_H
#define TEGULA_NVIDIA_RUNTIME_H

#include "Cuda.h"
#include "Fault.h"
#include "tegula/plugin.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

struct tg_plugin_status {
  uint32_t code;
  std::string text, hint, nativeName;
  int32_t nativeCode = 0;
};

namespace tegula::nvidia {

//===----------------------------------------------------------------------===//
// Statuses
//===----------------------------------------------------------------------===//

/// Never null; a static one when there is no memory.
tg_plugin_status *fail(uint32_t code, std::string text, std::string hint = "") noexcept;
void freeStatus(tg_plugin_status *status) noexcept;

/// A status for a result of the driver, or null for success. what: "copying 16 bytes".
tg_plugin_status *check(const tg_driver &driver, Result result, const std::string &what);

/// Whether a result means that the context cannot be used any more.
bool isFatal(Result result);

/// Runs `body` and turns exceptions into statuses.
template <typename Body> tg_plugin_status *guarded(Body &&body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return fail(TG_OUT_OF_MEMORY, "out of memory"); // no test: needs a machine without memory
  } catch (const std::exception &error) {
    return fail(TG_INTERNAL, error.what());
  } catch (...) {
    return fail(TG_INTERNAL, "unknown exception"); // no test: nothing throws anything else
  }
}

//===----------------------------------------------------------------------===//
// Functions of the table, by file
//===----------------------------------------------------------------------===//

/// A fact of a variant, or null.
const char *factOf(const tg_variant &variant, const char *key);

/// The newest PTX that a driver's compiler takes, as ten times major plus minor: 90.
int newestPtx(int driverVersion);

tg_plugin_status *openDriver(const tg_kv *options, size_t count, tg_driver **driver);
void closeDriver(tg_driver *driver);
tg_plugin_status *enumerateDevices(tg_driver *driver, size_t *count);
tg_plugin_status *deviceInfo(tg_driver *driver, int device, tg_device_info *info);
tg_plugin_status *queryDevice(tg_driver *driver, int device, uint32_t key, tg_value *value);
tg_plugin_status *scoreVariant(tg_driver *driver, int device, const tg_variant *variant,
                               int32_t *score, char *why, size_t capacity);
tg_plugin_status *pointerOwner(tg_driver *driver, uint64_t address, tg_pointer_info *info);

/// A status if the driver was opened by the process that this one was forked from.
tg_plugin_status *checkProcess(const tg_driver &driver);
tg_plugin_status *adoptContext(tg_driver *driver, int device, tg_context **context);
void destroyContext(tg_context *context);
tg_plugin_status *isLost(tg_context *context, int *lost);

tg_plugin_status *allocate(tg_context *context, size_t size, uint32_t kind, tg_mem *mem);
tg_plugin_status *release(tg_context *context, tg_mem mem);
tg_plugin_status *copy(tg_context *context, tg_mem target, size_t targetOffset, tg_mem source,
                       size_t sourceOffset, size_t size, tg_stream *stream);
tg_plugin_status *fill(tg_context *context, tg_mem mem, size_t offset, uint32_t pattern,
                       size_t size, tg_stream *stream);
tg_plugin_status *peerCopy(tg_context *targetContext, tg_mem target, size_t targetOffset,
                           tg_context *sourceContext, tg_mem source, size_t sourceOffset,
                           size_t size, tg_stream *stream);

tg_plugin_status *loadModule(tg_context *context, const void *image, size_t size,
                             const tg_variant *variant, tg_module **module);
void unloadModule(tg_module *module);
tg_plugin_status *getKernel(tg_module *module, const char *name, tg_function **function,
                            tg_kernel_info *info);
tg_plugin_status *launch(tg_function *function, const tg_launch *launch, tg_stream *stream);

/// Where kernels of this context leave prints and failures; allocated at the first call.
tg_plugin_status *prepareRecords(tg_context &context, Pointer &address);
void freeRecords(tg_context &context);
/// Turns what kernels have left into text, waiting for them if there is any; with
/// `recordsLock` held.
void collectRecords(tg_context &context);
/// The first assertion that failed since the last call, as a status; null if none has.
tg_plugin_status *takeFailure(tg_context &context);
tg_plugin_status *drainPrints(tg_context *context, tg_print_sink sink, void *user);

tg_plugin_status *createStream(tg_context *context, uint32_t flags, tg_stream **stream);
tg_plugin_status *wrapStream(tg_context *context, void *native, tg_stream **stream);
tg_plugin_status *syncStream(tg_context *context, tg_stream *stream);
tg_plugin_status *queryStream(tg_context *context, tg_stream *stream, int *done);
tg_plugin_status *waitForEvent(tg_context *context, tg_stream *stream, tg_event *event);
void destroyStream(tg_stream *stream);
tg_plugin_status *captureState(tg_context *context, tg_stream *stream, void *native, int *state);

tg_plugin_status *createEvent(tg_context *context, uint32_t flags, tg_event **event);
tg_plugin_status *recordEvent(tg_context *context, tg_event *event, tg_stream *stream);
tg_plugin_status *syncEvent(tg_event *event);
tg_plugin_status *queryEvent(tg_event *event, int *done);
tg_plugin_status *elapsed(tg_event *start, tg_event *end, uint64_t *nanoseconds);
void destroyEvent(tg_event *event);

} // namespace tegula::nvidia

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

/// What is asked of a device once.
struct DeviceFacts {
  tegula::nvidia::Device device = 0;
  int major = 0, minor = 0;
  uint64_t memory = 0;
  std::string name, uuid, pci, arch;
  int threads = 0, units = 0, clock = 0, memoryClock = 0, bus = 0, l2 = 0, warp = 32;
  int sharedPerBlock = 0, sharedPerUnit = 0, registersPerUnit = 0, grid[3] = {};
};

/// The driver's library; one in a process.
struct tg_driver {
  void *library = nullptr;
  tegula::nvidia::Cuda cuda;
  int version = 0; ///< 13000 for CUDA 13.0
  std::string versionText;
  std::vector<DeviceFacts> devices;
  std::string coreFile;              ///< where CUDA writes what led to a fault; "": nowhere
  std::string notWatched;            ///< why not, where it was asked for
  std::atomic<bool> isForked{false}; ///< opened by a process that this one was forked from
};

/// The primary context of a device, which other libraries in the process use too.
struct tg_context {
  tg_driver *driver = nullptr;
  const DeviceFacts *facts = nullptr;
  int ordinal = 0;
  tegula::nvidia::Context handle = nullptr;
  std::atomic<bool> lost{false};

  std::atomic<void *> records{nullptr};            ///< RecordsHeader and what follows it
  std::mutex recordsLock;                          ///< guards the rest
  std::unordered_map<uint64_t, std::string> texts; ///< TextRecords by address
  std::string printed, failure;                    ///< not handed on yet

  tegula::nvidia::RecentLaunches recent;
  std::mutex faultLock; ///< guards the rest, and `lost` becoming true
  std::string fault;    ///< which kernel the fault is of, once lost

  /// check(), which also notes that the context is lost. After that every call of the
  /// driver fails with the same code, so the first status names the fault.
  tg_plugin_status *check(tegula::nvidia::Result result, const std::string &what);
  /// A status if the context is lost, or belongs to the process that this one was forked
  /// from.
  tg_plugin_status *checkAlive();
  /// Notes the loss, and of which kernel it is; returns that.
  std::string noteFault();
  /// A status where CUDA has left a core file: after a fault that it reports so, calls may
  /// go on succeeding for a while.
  tg_plugin_status *checkReport(const std::string &what);
};

namespace tegula::nvidia {

/// Makes a context current on this thread for a scope. Most threads have it already.
class CurrentContext {
public:
  explicit CurrentContext(const tg_context &context) : cuda(context.driver->cuda) {
    result = cuda.ctxGetCurrent(&previous);
    if (result == 0 && previous != context.handle) {
      result = cuda.ctxSetCurrent(context.handle);
      mustRestore = result == 0;
    }
  }
  ~CurrentContext() {
    if (mustRestore) {
      cuda.ctxSetCurrent(previous);
    }
  }
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;
  Result getResult() const { return result; }

private:
  const Cuda &cuda;
  Context previous = nullptr;
  Result result = 0;
  bool mustRestore = false;
};

/// For a scope, what this thread does is no part of a capture of another one: without it
/// loading a kernel at its first launch would end the capture that the launch is in.
class OutsideCaptures {
public:
  explicit OutsideCaptures(const tg_context &context) : cuda(context.driver->cuda) {
    isChanged = cuda.exchangeCaptureMode && cuda.exchangeCaptureMode(&mode) == 0;
  }
  ~OutsideCaptures() {
    if (isChanged) {
      cuda.exchangeCaptureMode(&mode);
    }
  }
  OutsideCaptures(const OutsideCaptures &) = delete;
  OutsideCaptures &operator=(const OutsideCaptures &) = delete;

private:
  const Cuda &cuda;
  int mode = kCaptureModeRelaxed;
  bool isChanged = false;
};

} // namespace tegula::nvidia

struct tg_stream {
  tg_context *context;
  tegula::nvidia::Stream handle;
  bool isOwned;
};

/// The driver's stream; null is its default one.
inline tegula::nvidia::Stream handleOf(const tg_stream *stream) {
  return stream ? stream->handle : nullptr;
}

struct tg_event {
  tg_context *context;
  tegula::nvidia::Event handle;
};

/// A kernel. Constant once made.
struct tg_function {
  tg_module *module = nullptr;
  tegula::nvidia::Function handle = nullptr;
  std::string name;
  uint32_t threads = 0;     ///< of one program
  uint32_t sharedBytes = 0; ///< dynamic, of the kernel itself
  uint32_t cluster[3] = {1, 1, 1};
  tegula::nvidia::Pointer records = 0; ///< the last argument, if the kernel has it
  const tegula::nvidia::KernelNote *note = nullptr;
};

struct tg_module {
  tg_context *context = nullptr;
  tegula::nvidia::Module handle = nullptr;
  uint32_t threads = 0, sharedBytes = 0, cluster[3] = {1, 1, 1};
  uint32_t mostPrograms = 1; ///< that a block may have
  tegula::nvidia::Pointer records = 0;
  std::string where;               ///< FILE:LINE of the kernel, or ""
  bool waitsForOthers = false;     ///< the kernel says from where on it needs earlier launches
  std::atomic<bool> isKept{false}; ///< part of a graph, which may run at any time
  std::mutex lock;
  std::vector<std::unique_ptr<tg_function>> functions;
};

#endif // TEGULA_NVIDIA_RUNTIME_H

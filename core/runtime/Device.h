//===- Device.h - Devices behind the C API ------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_DEVICE_H
#define TEGULA_RUNTIME_DEVICE_H

#include "tegula/Runtime/PluginHost.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

/// One device, made when it is first listed and never freed.
struct tg_device {
  const tegula_plugin *plugin = nullptr;
  const tegula_runtime_v1 *table = nullptr;
  tg_driver *driver = nullptr;
  int ordinal = 0; ///< among its kind
  int index = 0;   ///< among the devices of its driver
  std::string kind, description;
  tg_device_info info = {}; ///< as it was when listed; strings are the driver's

  /// Made by the first call that needs it; null until then.
  std::atomic<tg_context *> context{nullptr};
  std::atomic<bool> isLost{false};
  std::mutex lock;         ///< of making the context, and of what follows
  std::string lossMessage; ///< what led to the loss
  /// Name of the kernel that was launched last, which a fault that comes later is most
  /// likely of; of a set that is never freed.
  std::atomic<const std::string *> lastKernel{nullptr};
  /// What failed while something was freed; the next tg_device_sync tells it.
  tg_status *deferred = nullptr;
  /// Answers to queries that do not change; -1: not asked yet.
  std::atomic<int64_t> cooperative{-1}, dependentLaunch{-1}, largestCluster{-1};
};

namespace tegula::runtime {

class Variant; // Variant.h

//===----------------------------------------------------------------------===//
// Listing
//===----------------------------------------------------------------------===//

/// The devices of one kind, or of all (null), in the order of tg_device_list. What
/// cannot be listed is left out.
TG_CXX_API std::vector<tg_device *> allDevices(const char *kind);

/// "fake:0, fake:1, cpu:0", or "none".
TG_CXX_API std::string namesOf(const std::vector<tg_device *> &devices);

/// What its driver says of a device. Constant once listed; `memory_free` is stale.
inline const tg_device_info &deviceInfo(const tg_device &device) { return device.info; }

/// How well the device runs the variant (tegula_runtime_v1::score). Negative for one
/// of another backend. `why` is the reason in words.
TG_CXX_API tg_status *scoreVariant(tg_device &device, const Variant &variant, int32_t &score,
                                   std::string &why);

/// Has the driver of backend `backend` opened with this library (`runtime: library:` of
/// a descriptor). INVALID when it is open already and was opened otherwise.
TG_CXX_API tg_status *setDriverLibrary(const std::string &backend, const std::string &path);

//===----------------------------------------------------------------------===//
// Calling plugins
//===----------------------------------------------------------------------===//

/// What a plugin was asked for when it failed: decides the identifier.
enum class Moment { Open, Load, Launch, Work };

/// Turns a status of a plugin into one of ours and frees it. `slot` is the name of
/// the function that gave it.
tg_status *takePluginStatus(const tegula_plugin &plugin, tg_plugin_status *status, const char *slot,
                            Moment moment, const std::string &prefix);

/// The same for work on a device, "device fake:0: " ahead of the message unless there
/// is a prefix. Notes that the device is lost if it is.
tg_status *takeDeviceStatus(tg_device &device, tg_plugin_status *status, const char *slot,
                            Moment moment = Moment::Work, std::string prefix = "");

/// "fake:1"
std::string nameOf(const tg_device &device);

/// The error DEVICE_LOST with what has led to it.
tg_status *lostStatus(tg_device &device);

/// The error UNAVAILABLE: the plugin lacks a slot.
tg_status *notOffered(const tg_device &device, const char *slot);

/// INVALID ("other-device"): `what` ("the stream") belongs to `owner`.
tg_status *otherDevice(const tg_device &device, const char *what, const tg_device &owner);

/// The context of a device that is not lost, made if there is none.
tg_status *contextOf(tg_device &device, tg_context **context);

/// Waits for all work of the device.
tg_status *synchronize(tg_device &device);

/// The same before something is freed: what fails is kept for tg_device_sync. Does
/// nothing for a device that is lost or was never used.
void synchronizeToFree(tg_device &device) noexcept;

/// 0 for what the driver does not answer, or when there is no such slot.
tg_status *queryNumber(tg_device &device, uint32_t key, int64_t &value);

/// A slot of the table, or null for one that the plugin's smaller table lacks.
#define TG_SLOT(table, slot)                                                                       \
  (TEGULA_HAS_FIELD(tegula_runtime_v1, table, slot) ? (table)->slot : nullptr)

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_DEVICE_H

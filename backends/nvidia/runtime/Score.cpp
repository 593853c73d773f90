//===- Score.cpp - What a device can run ----------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tegula::nvidia;

int tegula::nvidia::newestPtx(int driverVersion) {
  // CUDA release notes: each release's newest PTX ISA.
  static constexpr struct {
    int driver, ptx;
  } releases[] = {{13010, 91}, {13000, 90}, {12090, 88}, {12080, 87}, {12070, 86},
                  {12050, 85}, {12040, 84}, {12030, 83}, {12020, 82}, {12010, 81},
                  {12000, 80}, {11080, 78}, {11070, 77}, {11060, 76}};
  for (const auto &release : releases) {
    if (driverVersion >= release.driver) {
      return release.ptx;
    }
  }
  return 75;
}

namespace {
/// "sm_90a": 90 and 'a'.
struct Arch {
  int number = 0;
  char suffix = '\0'; ///< 'a': this chip only; 'f': its family
};
} // namespace

static bool parseArch(const char *text, Arch &arch) {
  if (!text || std::strncmp(text, "sm_", 3) != 0) {
    return false;
  }
  char *end = nullptr;
  arch.number = int(std::strtol(text + 3, &end, 10));
  arch.suffix = *end;
  return end != text + 3 && (*end == '\0' || ((*end == 'a' || *end == 'f') && end[1] == '\0'));
}

/// The score and its reason.
static std::pair<int32_t, std::string> score(const tg_driver &driver, const DeviceFacts &device,
                                             const tg_variant &variant) {
  const std::string format = variant.format ? variant.format : "";
  if (format != "cubin" && format != "ptx") {
    return {-1, "needs format cubin or ptx"};
  }
  Arch arch;
  if (!parseArch(variant.arch, arch)) {
    return {-1, "is for '" + std::string(variant.arch ? variant.arch : "") +
                    "', which is no NVIDIA architecture"};
  }
  const int own = device.major * 10 + device.minor;
  const std::string both =
      "is for " + std::string(variant.arch) + ", this device is " + device.arch;
  if (arch.suffix == 'a' && arch.number != own) {
    return {-1, both};
  }
  if (arch.suffix == 'f' && (arch.number / 10 != device.major || arch.number > own)) {
    return {-1, both};
  }
  if (arch.number > own) {
    return {-1, both};
  }
  if (format == "cubin") {
    // Machine code runs on chips of the same generation that are not older.
    if (arch.number / 10 != device.major) {
      return {-1, both};
    }
    return arch.number == own
               ? std::pair<int32_t, std::string>(100, "made for this chip")
               : std::pair<int32_t, std::string>(70, "made for " + std::string(variant.arch));
  }
  if (const char *version = factOf(variant, "ptx_version")) {
    const int wanted = int(std::strtod(version, nullptr) * 10 + 0.5);
    const int newest = newestPtx(driver.version);
    if (wanted > newest) {
      return {-1, "needs PTX " + std::string(version) + ", the driver for CUDA " +
                      driver.versionText + " takes up to " + std::to_string(newest / 10) + "." +
                      std::to_string(newest % 10)};
    }
  }
  // Of several texts the newest architecture's, but below all machine code.
  return {40 + (arch.number == own ? 5 : 0) + (arch.suffix ? 2 : 0), "compiled by the driver"};
}

tg_plugin_status *tegula::nvidia::scoreVariant(tg_driver *driver, int device,
                                               const tg_variant *variant, int32_t *result,
                                               char *why, size_t capacity) {
  return guarded([&]() -> tg_plugin_status * {
    if (device < 0 || size_t(device) >= driver->devices.size()) {
      return fail(TG_NOT_FOUND, "no device " + std::to_string(device));
    }
    const auto [number, reason] = score(*driver, driver->devices[device], *variant);
    *result = number;
    if (capacity > 0) {
      std::snprintf(why, capacity, "%s", reason.c_str());
    }
    return nullptr;
  });
}

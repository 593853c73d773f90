//===- Select.h - Which device gets which target -----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_SELECT_H
#define TEGULA_RUNTIME_SELECT_H

#include "tegula/Runtime/Target.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tegula::runtime {

/// A device as rules see it.
struct DeviceFacts {
  std::string kind;
  int ordinal = 0;
  std::string name, arch, id;
  uint64_t memory = 0; ///< bytes
  tg_device *device = nullptr;

  std::string place() const { return kind + ":" + std::to_string(ordinal); }
};

/// What one rule, or the fallback, says of one device.
struct RuleVerdict {
  std::string rule;   ///< "select[0]: {kind: cuda} -> hopper"
  std::string target; ///< id
  bool matches = false;
  std::string why; ///< of no match what differs; of a match why the target does not fit, or ""
};

/// What a device got. The last verdict decides.
struct DeviceChoice {
  DeviceFacts device;
  std::vector<RuleVerdict> rules;
  std::string target; ///< id, or "": none
};

/// The table behind tg_target_explain.
struct Explanation {
  std::string what;                  ///< the file or name, and where it comes from
  std::vector<DeviceChoice> devices; ///< the best first
  int chosen = -1;                   ///< which of them work without arrays runs on
};

TG_CXX_API std::string toText(const Explanation &explanation);
TG_CXX_API std::string toJson(const Explanation &explanation);

/// What tg_device_problems says, as users see it: messages with identifiers.
TG_CXX_API std::vector<std::string> deviceProblems();

/// The table of tg_target_explain.
TG_CXX_API tg_status *explainTarget(const char *what, Explanation &explanation);

/// The same for a descriptor's text and made-up devices, on which nothing is asked of
/// plugins: every target serves every kind.
TG_CXX_API tg_status *explainDescriptor(const std::string &text, const std::string &file,
                                        const std::vector<DeviceFacts> &devices,
                                        Explanation &explanation);

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_SELECT_H

//===- Status.cpp - Errors of the driver as statuses ----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include <cstring>
#include <utility>

using namespace tegula::nvidia;

static tg_plugin_status noMemory{TG_OUT_OF_MEMORY, "out of memory", "", "", 0};

tg_plugin_status *tegula::nvidia::fail(uint32_t code, std::string text, std::string hint) noexcept {
  auto *status = new (std::nothrow) tg_plugin_status{code, std::move(text), std::move(hint), "", 0};
  return status ? status : &noMemory;
}

void tegula::nvidia::freeStatus(tg_plugin_status *status) noexcept {
  if (status != &noMemory) {
    delete status;
  }
}

bool tegula::nvidia::isFatal(Result result) {
  switch (result) {
  case kEccUncorrectable:
  case kNvlinkUncorrectable:
  case kIllegalAddress:
  case kLaunchTimeout:
  case kContextIsDestroyed:
  case kDeviceAssert:
  case kHardwareStackError:
  case kIllegalInstruction:
  case kMisalignedAddress:
  case kInvalidAddressSpace:
  case kInvalidPc:
  case kLaunchFailed:
    return true;
  default:
    return false;
  }
}

static uint32_t codeOf(Result result) {
  switch (result) {
  case kOutOfMemory:
    return TG_OUT_OF_MEMORY;
  case kNoDevice:
    return TG_UNAVAILABLE;
  case kInvalidImage:
  case kNoBinaryForGpu:
  case kInvalidPtx:
  case kUnsupportedPtxVersion:
    return TG_INCOMPATIBLE;
  case kNotFound:
    return TG_NOT_FOUND;
  case kLaunchOutOfResources:
  case kCooperativeTooLarge:
    return TG_OUT_OF_RESOURCES;
  case kLaunchTimeout:
    return TG_TIMEOUT;
  case kDeviceAssert:
    return TG_ASSERTION;
  default:
    return TG_LAUNCH_FAILED;
  }
}

static const char *hintOf(Result result) {
  switch (result) {
  case kIllegalAddress:
    return "a kernel that ran before accessed memory that is not its own; TEGULA_GPU_FAULTS=1 in "
           "the environment tells the line, compute-sanitizer more";
  case kMisalignedAddress:
    return "a kernel that ran before accessed an address that its type does not allow; "
           "TEGULA_GPU_FAULTS=1 in the environment tells the line";
  case kLaunchOutOfResources:
    return "the kernel needs more registers or threads than one block may have: use fewer warps "
           "or smaller tiles";
  case kCooperativeTooLarge:
    return "all blocks of a cooperative launch must fit on the device at once: use a smaller grid";
  default:
    return "";
  }
}

tg_plugin_status *tegula::nvidia::check(const tg_driver &driver, Result result,
                                        const std::string &what) {
  if (result == 0) {
    return nullptr;
  }
  const char *name = nullptr, *text = nullptr;
  driver.cuda.getErrorName(result, &name);
  driver.cuda.getErrorString(result, &text);
  tg_plugin_status *status =
      fail(codeOf(result), what + ": " + (text ? text : "unknown error"), hintOf(result));
  if (status != &noMemory) {
    status->nativeCode = result;
    status->nativeName = name ? name : "";
  }
  return status;
}

const char *tegula::nvidia::factOf(const tg_variant &variant, const char *key) {
  for (size_t i = 0; i < variant.num_facts; ++i) {
    if (std::strcmp(variant.facts[i].key, key) == 0) {
      return variant.facts[i].value;
    }
  }
  return nullptr;
}

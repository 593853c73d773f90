//===- Running.h - Cases on a device ----------------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CTS_RUNNING_H
#define TEGULA_CTS_RUNNING_H

#include "Compiling.h"

namespace tegula::cts {

using Bytes = std::vector<unsigned char>;

/// The arrays of a case, in its order.
struct Outcome {
  std::vector<Bytes> before, after;
  std::string damage; ///< an array beside which memory was written, or ""
};

/// The generated inputs of a case.
std::vector<Bytes> makeInputs(const Case &item);

/// Loads the code, launches it once and reads back all arrays, each of which lies
/// between two guards.
Status runCase(const Case &item, const tg_artifact &artifact, tg_device *device, Outcome &outcome);

} // namespace tegula::cts

#endif // TEGULA_CTS_RUNNING_H

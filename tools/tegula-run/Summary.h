//===- Summary.h - What a kernel wrote, in a line -------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUN_SUMMARY_H
#define TEGULA_RUN_SUMMARY_H

#include "Array.h"

namespace tegula::run {

/// Extremes, mean and a checksum: a line of text, or a JSON object.
std::string report(const std::string &name, const Array &array, bool json);

} // namespace tegula::run

#endif // TEGULA_RUN_SUMMARY_H

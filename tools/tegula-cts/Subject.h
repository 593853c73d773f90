//===- Subject.h - Opens the backend under test -----------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CTS_SUBJECT_H
#define TEGULA_CTS_SUBJECT_H

#include "Suite.h"

namespace tegula::cts {

struct SubjectOptions {
  std::vector<std::string> plugins; ///< files or ids
  std::string target, dataFolder;
};

/// Loads the plugins, finds target, device and conformance data. Throws what keeps a
/// plugin from loading (E1xx), target errors, file errors. A device that is missing is
/// no error.
void openSubject(const SubjectOptions &options, Subject &subject);

} // namespace tegula::cts

#endif // TEGULA_CTS_SUBJECT_H

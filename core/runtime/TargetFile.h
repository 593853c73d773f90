//===- TargetFile.h - What users name as a target ------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_TARGETFILE_H
#define TEGULA_RUNTIME_TARGETFILE_H

#include "Descriptor.h"

namespace tegula::runtime {

/// A target's name, taken apart: a built-in one has a backend, one of a file a path.
struct TargetName {
  std::string backend, arch;
  std::string path, id;
};

/// `origin` says in messages where `what` comes from.
tg_status *parseTargetName(const std::string &what, const std::string &origin, TargetName &name);

/// Reads and checks a file.
tg_status *readDescriptorFile(const std::string &path, Descriptor &descriptor);

/// Reads a file that something is to be chosen from: drivers are opened with the
/// libraries that it names from now on.
tg_status *useDescriptorFile(const std::string &path, Descriptor &descriptor);

/// The library that TEGULA_TARGET's descriptor names for a driver, or "". Asked for
/// right before a driver is opened that nothing else has named one for.
std::string libraryOfVariable(const std::string &backend);

/// The built-in target of a backend.
tg_target builtinTarget(const std::string &backend, const std::string &arch);

/// The target of a descriptor with this id.
tg_status *findTarget(const Descriptor &descriptor, const std::string &file, const std::string &id,
                      tg_target &target);

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_TARGETFILE_H

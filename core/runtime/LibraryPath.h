//===- LibraryPath.h - Where this library lies ------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_LIBRARYPATH_H
#define TEGULA_RUNTIME_LIBRARYPATH_H

#include <string>

namespace tegula::runtime {

/// Folder of libTegulaRuntime.so, without a final slash.
std::string libraryFolder();

/// What the loader says of its last failure.
std::string loaderError();

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_LIBRARYPATH_H

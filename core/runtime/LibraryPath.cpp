//===- LibraryPath.cpp - Where this library lies ----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryPath.h"

#include <climits>
#include <cstdlib>
#include <dlfcn.h>

std::string tegula::runtime::loaderError() {
  const char *reason = dlerror();
  return reason ? reason : "unknown reason";
}

std::string tegula::runtime::libraryFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&libraryFolder), &info) || !info.dli_fname) {
    return ".";
  }
  // Links are resolved, since a package may link to the library from elsewhere
  // and the plugins lie beside the file itself.
  char resolved[PATH_MAX];
  std::string path = realpath(info.dli_fname, resolved) ? resolved : info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

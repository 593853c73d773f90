//===- Bundle.cpp - Reading bundles through the C API -----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundle.h"
#include "CacheFiles.h"
#include "Guard.h"

#include <cerrno>
#include <cstring>

using namespace tegula::runtime;

static tg_status *makeBundle(std::unique_ptr<tg_bundle> made, tg_bundle **bundle) {
  if (tg_status *status = readBundle(made->bytes, made->name, made->kernels, made->manifest)) {
    return status;
  }
  *bundle = made.release();
  return nullptr;
}

tg_status *tg_bundle_open(const char *path, tg_bundle **bundle) {
  return guarded([&]() -> tg_status * {
    if (!path || !bundle) {
      return nullPointer(path ? "a place for the bundle" : "the path of a bundle");
    }
    *bundle = nullptr;
    auto made = std::make_unique<tg_bundle>();
    made->name = path;
    // Read rather than mapped: somebody who shortens the file may not end this process.
    if (const int error = readCacheFile(path, made->bytes)) {
      return makeStatus(TG_INVALID, status::FileAccess,
                        "cannot read '" + made->name + "': " +
                            (error == EINVAL ? "not a regular file" : std::strerror(error)));
    }
    return makeBundle(std::move(made), bundle);
  });
}

tg_status *tg_bundle_from_bytes(const void *bytes, size_t size, tg_bundle **bundle) {
  return guarded([&]() -> tg_status * {
    if (!bytes || !bundle) {
      return nullPointer(bytes ? "a place for the bundle" : "the bytes of a bundle");
    }
    *bundle = nullptr;
    auto made = std::make_unique<tg_bundle>();
    if (size > made->bytes.max_size()) {
      return makeStatus(TG_OUT_OF_MEMORY, status::OutOfMemory,
                        "bundle: no memory for " + std::to_string(size) + " bytes");
    }
    made->name = "bundle";
    made->bytes.assign(static_cast<const char *>(bytes), size);
    return makeBundle(std::move(made), bundle);
  });
}

size_t tg_bundle_num_kernels(const tg_bundle *bundle) {
  return bundle ? bundle->kernels.size() : 0;
}

const char *tg_bundle_kernel_name(const tg_bundle *bundle, size_t index) {
  return index < tg_bundle_num_kernels(bundle) ? bundle->kernels[index].name.c_str() : nullptr;
}

const char *tg_bundle_manifest(const tg_bundle *bundle) {
  return bundle ? bundle->manifest.c_str() : "";
}

void tg_bundle_free(tg_bundle *bundle) { delete bundle; }

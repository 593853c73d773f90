//===- Guard.h - No exception leaves a C entry ------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_GUARD_H
#define TEGULA_RUNTIME_GUARD_H

#include "tegula/Runtime/Status.h"

#include <exception>
#include <new>

namespace tegula::runtime {

/// Runs `body`, which returns a status, and turns exceptions into statuses.
template <typename Body> tg_status *guarded(Body &&body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return makeStatus(TG_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception &error) {
    return makeStatus(TG_INTERNAL, error.what());
  } catch (...) {
    return makeStatus(TG_INTERNAL, "unknown exception");
  }
}

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_GUARD_H

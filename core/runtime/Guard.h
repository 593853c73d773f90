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
    // no test: needs a machine without memory
    return makeStatus(TG_OUT_OF_MEMORY, status::OutOfMemory, "out of memory");
  } catch (const std::exception &error) {
    return makeStatus(TG_INTERNAL, status::InternalFault, error.what());
  } catch (...) {
    // no test: nothing throws anything else
    return makeStatus(TG_INTERNAL, status::InternalFault, "unknown exception");
  }
}

/// What a C entry answers to a null pointer where none is allowed.
inline tg_status *nullPointer(const char *what) {
  return makeStatus(TG_INVALID, status::NullPointer,
                    std::string("expected ") + what + ", got a null pointer");
}

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_GUARD_H

//===- Flights.h - Equal compiles at the same time ------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_DRIVER_FLIGHTS_H
#define TEGULA_DRIVER_FLIGHTS_H

#include "tegula/Runtime/Artifact.h"

#include <memory>
#include <string>

namespace tegula::driver {

/// Waits while another thread of this process makes the artifact of `key`, and
/// returns it. Null: no one does, or that compile failed; then the caller makes it,
/// and must call endFlight whatever comes of it.
std::shared_ptr<const tg_artifact> joinFlight(const std::string &key);

/// Wakes those who wait for `key`. `made` is null when there is no artifact; it is
/// copied only if somebody waits.
void endFlight(const std::string &key, const tg_artifact *made);

} // namespace tegula::driver

#endif // TEGULA_DRIVER_FLIGHTS_H

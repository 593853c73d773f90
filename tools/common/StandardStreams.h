//===- StandardStreams.h - Streams that the caller closed --------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TOOLS_STANDARDSTREAMS_H
#define TEGULA_TOOLS_STANDARDSTREAMS_H

#include <fcntl.h>

namespace tegula::tools {

/// Takes the place of standard streams that are closed: the next file that is opened would
/// get their number, and what is meant for them. Reading from and writing to the place fails
/// as before, but for standard error, whose loss stops nothing.
inline void occupyStandardStreams() {
  for (int stream = 0; stream < 3; ++stream) {
    if (fcntl(stream, F_GETFD) < 0) {
      // The lowest number that is free is this one.
      (void)open("/dev/null", stream == 0 ? O_WRONLY : stream == 1 ? O_RDONLY : O_RDWR);
    }
  }
}

} // namespace tegula::tools

#endif // TEGULA_TOOLS_STANDARDSTREAMS_H

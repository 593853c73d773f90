//===- Sha256.h - SHA-256 of FIPS 180-4 ----------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_SHA256_H
#define TEGULA_RUNTIME_SHA256_H

#include "tegula/Runtime/Status.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tegula::runtime {

/// Takes bytes in pieces and yields their digest.
class TG_CXX_API Sha256 {
public:
  using Digest = std::array<uint8_t, 32>;

  void update(std::string_view bytes);
  /// Ends the text: nothing may be added afterwards.
  Digest finish();

private:
  void compress(const uint8_t *block);

  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint64_t length = 0;
  uint8_t pending[64];
};

/// 64 hexadecimal digits in small letters.
TG_CXX_API std::string toHex(const Sha256::Digest &digest);

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_SHA256_H

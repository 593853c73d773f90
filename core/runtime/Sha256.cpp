//===- Sha256.cpp - SHA-256 of FIPS 180-4 --------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/Sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tegula::runtime {

static constexpr uint32_t kRounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t bigEndian(const uint8_t *bytes) {
  return uint32_t(bytes[0]) << 24 | uint32_t(bytes[1]) << 16 | uint32_t(bytes[2]) << 8 | bytes[3];
}

void Sha256::compress(const uint8_t *block) {
  uint32_t words[64];
  for (int i = 0; i < 16; ++i) {
    words[i] = bigEndian(block + 4 * i);
  }
  for (int i = 16; i < 64; ++i) {
    const uint32_t early = words[i - 15], late = words[i - 2];
    words[i] = words[i - 16] + words[i - 7] +
               (std::rotr(early, 7) ^ std::rotr(early, 18) ^ early >> 3) +
               (std::rotr(late, 17) ^ std::rotr(late, 19) ^ late >> 10);
  }
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
  for (int i = 0; i < 64; ++i) {
    const uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                           ((e & f) ^ (~e & g)) + kRounds[i] + words[i];
    const uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const uint32_t added[8] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) {
    state[i] += added[i];
  }
}

void Sha256::update(std::string_view bytes) {
  const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
  size_t size = bytes.size();
  if (size == 0) {
    return;
  }
  const size_t filled = length % 64;
  length += size;
  if (filled != 0) {
    const size_t taken = std::min(size, 64 - filled);
    std::memcpy(pending + filled, data, taken);
    data += taken;
    size -= taken;
    if (filled + taken < 64) {
      return;
    }
    compress(pending);
  }
  for (; size >= 64; data += 64, size -= 64) {
    compress(data);
  }
  std::memcpy(pending, data, size);
}

Sha256::Digest Sha256::finish() {
  const uint64_t bits = length * 8;
  size_t filled = length % 64;
  pending[filled++] = 0x80;
  if (filled > 56) {
    std::memset(pending + filled, 0, 64 - filled);
    compress(pending);
    filled = 0;
  }
  std::memset(pending + filled, 0, 56 - filled);
  for (int i = 0; i < 8; ++i) {
    pending[56 + i] = uint8_t(bits >> (56 - 8 * i));
  }
  compress(pending);
  Digest digest;
  for (size_t i = 0; i < digest.size(); ++i) {
    digest[i] = uint8_t(state[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

std::string toHex(const Sha256::Digest &digest) {
  std::string text;
  for (const uint8_t byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

} // namespace tegula::runtime

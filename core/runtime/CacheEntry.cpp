//===- CacheEntry.cpp - The form of one file of the cache -----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/CacheEntry.h"
#include "tegula/Runtime/Sha256.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tegula::runtime {

static constexpr std::string_view kMagic = "TEGULA-CACHE\n";
static constexpr std::string_view kVersion = "1\n";
static constexpr size_t kDigest = 32;
static constexpr size_t kKey = 64;

static bool isHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

bool isCacheKey(std::string_view key) {
  return key.size() == kKey && std::all_of(key.begin(), key.end(), isHex);
}

bool isCacheKind(std::string_view kind) {
  const auto isLetter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !kind.empty() && kind.size() <= 32 && isLetter(kind[0]) &&
         std::all_of(kind.begin(), kind.end(),
                     [&](char c) { return isLetter(c) || (c >= '0' && c <= '9') || c == '-'; });
}

/// What stands ahead of the digest: the first lines are text, so that one can see
/// what a file is.
static std::string header(std::string_view kind, std::string_view key, size_t size) {
  std::string out;
  out.append(kMagic).append(kVersion).append(kind).append("\n").append(key).append("\n");
  out.append(std::to_string(size)).append("\n");
  return out;
}

static Sha256::Digest digestOf(std::string_view head, std::string_view payload) {
  Sha256 hash;
  hash.update(head);
  hash.update(payload);
  return hash.finish();
}

std::string writeCacheEntry(std::string_view kind, std::string_view key, std::string_view payload) {
  std::string out = header(kind, key, payload.size());
  const Sha256::Digest digest = digestOf(out, payload);
  out.reserve(out.size() + kDigest + payload.size());
  out.append(reinterpret_cast<const char *>(digest.data()), digest.size());
  out.append(payload);
  return out;
}

bool readCacheEntry(std::string_view file, std::string_view kind, std::string_view key,
                    std::string_view &payload) {
  // The header of such a file is known but for its size, which follows from the file's.
  size_t least = header(kind, key, 0).size() + kDigest;
  if (file.size() < least) {
    return false;
  }
  std::string head;
  for (size_t digits = 1; digits <= 20; ++digits) {
    const size_t start = least + digits - 1;
    if (start > file.size()) {
      return false;
    }
    head = header(kind, key, file.size() - start);
    if (head.size() + kDigest == start) {
      payload = file.substr(start);
      break;
    }
    head.clear();
  }
  if (head.empty() || !file.starts_with(head)) {
    return false;
  }
  const Sha256::Digest digest = digestOf(head, payload);
  return std::memcmp(file.data() + head.size(), digest.data(), kDigest) == 0;
}

} // namespace tegula::runtime

//===- BundleCorruptionTest.cpp - No damage to a bundle goes unnoticed ------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BundleFixture.h"
#include "tegula/Runtime/Sha256.h"

#include <algorithm>
#include <cstring>
#include <random>

using namespace bundletest;

namespace {

bool isRefusal(const std::string &text) {
  return text.starts_with("wrong-bundle: ") || text.starts_with("bundle-version: ");
}

/// One random damage of the kinds that disks, networks and tools do.
std::string damage(std::string bytes, std::mt19937_64 &random) {
  const auto below = [&](size_t limit) { return size_t(random() % std::max<size_t>(limit, 1)); };
  const size_t at = below(bytes.size()), size = 1 + below(std::min<size_t>(64, bytes.size() - at));
  switch (random() % 9) {
  case 0: // a bit
    bytes[at] = char(bytes[at] ^ (1 << below(8)));
    break;
  case 1: // a byte
    bytes[at] = char(random());
    break;
  case 2: // the end is missing
    bytes.resize(at);
    break;
  case 3: // more behind the end
    bytes.append(size, char(below(2) * 65));
    break;
  case 4: // a hole of zeros
    std::fill_n(bytes.begin() + std::ptrdiff_t(at), size, '\0');
    break;
  case 5: // something is missing in the middle
    bytes.erase(at, size);
    break;
  case 6: // something is there twice
    bytes.insert(at, bytes.substr(at, size));
    break;
  case 7: { // two places have changed
    const size_t other = below(bytes.size());
    std::swap(bytes[at], bytes[other]);
    break;
  }
  default: // random bytes
    for (size_t i = at; i < at + size; ++i) {
      bytes[i] = char(random());
    }
  }
  return bytes;
}

/// The bytes with the checksum that fits their header and manifest.
std::string sealed(std::string bytes) {
  uint64_t size = 0;
  std::memcpy(&size, bytes.data() + 24, sizeof size);
  tegula::runtime::Sha256 hash;
  hash.update(std::string_view(bytes).substr(0, 64));
  hash.update(std::string_view(bytes).substr(96, std::min<uint64_t>(size, bytes.size() - 96)));
  const auto digest = hash.finish();
  std::memcpy(bytes.data() + 64, digest.data(), digest.size());
  return bytes;
}

TEST(BundleCorruption, EveryBitCounts) {
  const std::string bytes = makeBytes();
  ASSERT_EQ(open(bytes), "");
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string changed = bytes;
    changed[bit / 8] = char(changed[bit / 8] ^ (1 << (bit % 8)));
    ASSERT_TRUE(isRefusal(open(changed))) << "bit " << bit << " of " << bytes.size() << " bytes";
  }
}

TEST(BundleCorruption, EveryLengthCounts) {
  const std::string bytes = makeBytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_TRUE(isRefusal(open(bytes.substr(0, size)))) << size;
  }
  ASSERT_TRUE(isRefusal(open(bytes + '\0')));
}

TEST(BundleCorruption, TenThousandAtRandom) {
  const std::string bytes = makeBytes();
  std::mt19937_64 random(20);
  int damaged = 0;
  while (damaged < 10000) {
    const std::string changed = damage(bytes, random);
    if (changed != bytes) {
      ASSERT_TRUE(isRefusal(open(changed))) << "damage " << damaged;
      ++damaged;
    }
  }
}

// Checksums are no signatures: the reader has to get along with any file that has the
// right ones. What it takes it must be able to write again.
TEST(BundleCorruption, DamageWithRightChecksums) {
  const std::string bytes = makeBytes();
  std::mt19937_64 random(21);
  int refused = 0, taken = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string changed = bytes;
    // Some are one byte of the manifest, which most often still is JSON.
    if (i % 2) {
      changed[96 + random() % 1500] = "{}[]\",:0159aeint\\- "[random() % 19];
    } else {
      changed = damage(bytes, random);
    }
    if (changed.size() < 96) {
      continue;
    }
    changed = sealed(changed);
    tg_bundle *bundle = nullptr;
    if (tg_status *status = tg_bundle_from_bytes(changed.data(), changed.size(), &bundle)) {
      tg_status_free(status);
      ++refused;
      continue;
    }
    ++taken;
    const Owned<tg_bundle> owned(bundle);
    const Owned<tg_bundle_writer> writer = makeWriter();
    ASSERT_EQ(take(tg_bundle_writer_add_bundle(writer.get(), bundle)), "");
    ASSERT_EQ(bytesOf(*writer), changed);
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(taken, 10); // names and facts may be anything
}

} // namespace

//===- CacheFormatTest.cpp - Bytes of entries and artifacts -----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/Artifact.h"
#include "tegula/Runtime/CacheEntry.h"
#include "tegula/Runtime/Sha256.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace tegula::runtime;

namespace {
std::string sha256(const std::string &text) {
  Sha256 hash;
  hash.update(text);
  return toHex(hash.finish());
}

const std::string key = std::string(30, '0') + std::string(34, 'f');

tg_artifact fullArtifact() {
  tg_artifact artifact;
  artifact.kernel = "add";
  artifact.backend = "cpu";
  artifact.triple = "x86_64-linux-gnu";
  artifact.arch = "native";
  artifact.format = "elf-so";
  artifact.features = {"+avx2", "-fma"};
  artifact.args = {{"x", "*fp32", 0, 8, 16, "read"}, {"n", "i32", 8, 4, 1, ""}};
  artifact.argsSize = 12;
  artifact.numWarps = 8;
  artifact.numStages = 0;
  artifact.numCtas = 2;
  artifact.facts = {{"scratch_bytes", "64"}};
  artifact.options = {{"threads", "3"}, {"skip_passes", "[cse]"}};
  artifact.stages = {{"llvm", "define"}, {"object", std::string("\0ELF\xff", 5)}};
  artifact.warnings = "warning: slow\n";
  artifact.manifest = "{}";
  return artifact;
}
} // namespace

//===----------------------------------------------------------------------===//
// SHA-256
//===----------------------------------------------------------------------===//

TEST(Sha256, YieldsTheDigestsOfTheStandard) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, TakesPiecesOfAnySize) {
  const std::string text(300, 'x');
  for (size_t first = 0; first <= text.size(); ++first) {
    Sha256 hash;
    hash.update(text.substr(0, first));
    hash.update("");
    hash.update(text.substr(first));
    ASSERT_EQ(toHex(hash.finish()), sha256(text)) << first;
  }
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

TEST(CacheEntry, HoldsItsPayload) {
  for (const size_t size : {0, 1, 9, 10, 11, 99, 100, 5000}) {
    const std::string payload(size, 'p');
    const std::string file = writeCacheEntry("kernels", key, payload);
    std::string_view found;
    ASSERT_TRUE(readCacheEntry(file, "kernels", key, found)) << size;
    EXPECT_EQ(found, payload);
  }
}

TEST(CacheEntry, IsOfOneKindAndKey) {
  const std::string file = writeCacheEntry("kernels", key, "payload");
  std::string other = key;
  other[63] = '0';
  std::string_view found;
  EXPECT_FALSE(readCacheEntry(file, "kernels", other, found));
  EXPECT_FALSE(readCacheEntry(file, "kernel", key, found));
  EXPECT_FALSE(readCacheEntry(file, "tunings", key, found));
}

TEST(CacheEntry, NoticesEachMissingByte) {
  const std::string file = writeCacheEntry("kernels", key, std::string(120, 'p'));
  std::string_view found;
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(readCacheEntry(file.substr(0, size), "kernels", key, found)) << size;
  }
  EXPECT_FALSE(readCacheEntry(file + "p", "kernels", key, found));
  EXPECT_FALSE(readCacheEntry(std::string(file.size(), '\0'), "kernels", key, found));
}

TEST(CacheEntry, NoticesEachFlippedBit) {
  std::string file = writeCacheEntry("kernels", key, std::string(120, 'p'));
  std::string_view found;
  for (size_t bit = 0; bit < file.size() * 8; ++bit) {
    file[bit / 8] ^= char(1 << bit % 8);
    EXPECT_FALSE(readCacheEntry(file, "kernels", key, found)) << bit;
    file[bit / 8] ^= char(1 << bit % 8);
  }
  EXPECT_TRUE(readCacheEntry(file, "kernels", key, found));
}

TEST(CacheEntry, NamesAreWholeWords) {
  for (const char *kind : {"a", "autotune", "a-1", "a0123456789012345678901234567890"}) {
    EXPECT_TRUE(isCacheKind(kind)) << kind;
  }
  for (const char *kind :
       {"", "A", "1a", "-a", "a/b", "..", "a.b", "a b", "a01234567890123456789012345678901"}) {
    EXPECT_FALSE(isCacheKind(kind)) << kind;
  }
  EXPECT_TRUE(isCacheKey(key));
  EXPECT_FALSE(isCacheKey(key.substr(1)));
  EXPECT_FALSE(isCacheKey(key + "0"));
  EXPECT_FALSE(isCacheKey(std::string(64, 'F')));
  EXPECT_FALSE(isCacheKey("../" + std::string(61, '0')));
}

//===----------------------------------------------------------------------===//
// Artifacts
//===----------------------------------------------------------------------===//

TEST(ArtifactBytes, KeepEveryField) {
  const tg_artifact artifact = fullArtifact();
  tg_artifact copy;
  copy.kernel = "what was there before";
  ASSERT_TRUE(readArtifact(writeArtifact(artifact), copy));
  EXPECT_EQ(copy.kernel, artifact.kernel);
  EXPECT_EQ(copy.backend, artifact.backend);
  EXPECT_EQ(copy.triple, artifact.triple);
  EXPECT_EQ(copy.arch, artifact.arch);
  EXPECT_EQ(copy.format, artifact.format);
  EXPECT_EQ(copy.features, artifact.features);
  ASSERT_EQ(copy.args.size(), 2u);
  EXPECT_EQ(copy.args[0].name, "x");
  EXPECT_EQ(copy.args[0].type, "*fp32");
  EXPECT_EQ(copy.args[0].divisibility, 16u);
  EXPECT_EQ(copy.args[0].access, "read");
  EXPECT_EQ(copy.args[1].offset, 8u);
  EXPECT_EQ(copy.args[1].size, 4u);
  EXPECT_EQ(copy.argsSize, 12u);
  EXPECT_EQ(copy.numWarps, 8);
  EXPECT_EQ(copy.numStages, 0);
  EXPECT_EQ(copy.numCtas, 2);
  EXPECT_EQ(copy.facts, artifact.facts);
  EXPECT_EQ(copy.options, artifact.options);
  EXPECT_EQ(copy.stages, artifact.stages);
  EXPECT_EQ(copy.warnings, artifact.warnings);
  EXPECT_EQ(copy.manifest, artifact.manifest);
  EXPECT_EQ(writeArtifact(copy), writeArtifact(artifact));
}

TEST(ArtifactBytes, AreWholeOrRefused) {
  const std::string bytes = writeArtifact(fullArtifact());
  tg_artifact copy;
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(readArtifact(bytes.substr(0, size), copy)) << size;
  }
  EXPECT_FALSE(readArtifact(bytes + '\0', copy));
}

/// Counts and sizes that are wrong must not be followed, however large; what is
/// accepted all the same is an artifact that reads as itself.
TEST(ArtifactBytes, TakeAnyChange) {
  const std::string bytes = writeArtifact(fullArtifact());
  unsigned refused = 0, accepted = 0;
  const auto tryBytes = [&](const std::string &changed) {
    tg_artifact copy;
    if (!readArtifact(changed, copy)) {
      ++refused;
      return;
    }
    ++accepted;
    ASSERT_EQ(writeArtifact(copy), changed);
  };
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const int value : {0, 1, 0x7f, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[at] = char(value);
      tryBytes(changed);
    }
  }
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string changed = bytes;
    for (unsigned count = 1 + random() % 4; count > 0; --count) {
      const size_t at = random() % changed.size();
      const uint64_t numbers[] = {0, 1, 8, changed.size(), ~uint64_t(0), uint64_t(1) << 63};
      switch (random() % 4) {
      case 0:
        changed[at] = char(random());
        break;
      case 1:
        changed.erase(at, 1 + random() % 16);
        break;
      case 2:
        changed.insert(at, changed.substr(random() % changed.size(), random() % 16));
        break;
      case 3:
        if (at + 8 <= changed.size()) {
          std::memcpy(changed.data() + at, &numbers[random() % std::size(numbers)], 8);
        }
      }
      if (changed.empty()) {
        changed = "x";
      }
    }
    tryBytes(changed);
  }
  EXPECT_GT(refused, accepted);
  EXPECT_GT(accepted, 0u);
}

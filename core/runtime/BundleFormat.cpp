//===- BundleFormat.cpp - Bundles as bytes and back -------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundle.h"
#include "tegula/Runtime/Sha256.h"

#include <algorithm>
#include <cstring>

using namespace tegula::runtime;

// docs/bundle-format.md has the layout.
static constexpr std::string_view kMagic("\x89TGB\r\n\x1a\n", 8);
static constexpr uint64_t kVersion = 1, kHeaderSize = 96, kChecked = 64, kAlign = 64;
static constexpr uint64_t kMaxManifest = uint64_t(64) << 20;

static uint64_t align(uint64_t value) { return (value + kAlign - 1) / kAlign * kAlign; }

static void put(std::string &out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    out += char(value >> (8 * i));
  }
}

static uint64_t get(std::string_view bytes, size_t at, int count) {
  uint64_t value = 0;
  for (int i = 0; i < count; ++i) {
    value |= uint64_t(static_cast<unsigned char>(bytes[at + size_t(i)])) << (8 * i);
  }
  return value;
}

static std::string digestOf(std::string_view first, std::string_view second = {}) {
  Sha256 hash;
  hash.update(first);
  hash.update(second);
  const Sha256::Digest digest = hash.finish();
  return {reinterpret_cast<const char *>(digest.data()), digest.size()};
}

static std::string hexDigestOf(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return toHex(hash.finish());
}

std::string BundleVariant::describe() const {
  return target->backend + " " + target->arch + " " + target->format;
}

bool BundleVariant::isForSameTarget(const BundleVariant &other) const {
  const BundleTarget &a = *target, &b = *other.target;
  return &a == &b || (a.backend == b.backend && a.triple == b.triple && a.arch == b.arch &&
                      a.features == b.features && a.format == b.format);
}

std::string tegula::runtime::writeBundle(std::vector<BundleKernel> &kernels) {
  uint64_t end = 0;
  for (BundleKernel &kernel : kernels) {
    for (BundleVariant &variant : kernel.variants) {
      variant.offset = align(end);
      variant.size = variant.code.size();
      variant.sha256 = hexDigestOf(variant.code);
      end = variant.offset + variant.size;
    }
  }
  const std::string manifest = writeBundleManifest(kernels);
  const uint64_t codeStart = align(kHeaderSize + manifest.size());
  std::string out(kMagic);
  put(out, kVersion, 4);
  put(out, kHeaderSize, 4);
  put(out, codeStart + end, 8);
  put(out, manifest.size(), 8);
  put(out, codeStart, 8);
  out.resize(kChecked);
  out += digestOf(out, manifest);
  out += manifest;
  out.reserve(codeStart + end);
  for (const BundleKernel &kernel : kernels) {
    for (const BundleVariant &variant : kernel.variants) {
      out.resize(codeStart + variant.offset);
      out += variant.code;
    }
  }
  return out;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static tg_status *damaged(const std::string &name, const std::string &what) {
  return makeStatus(TG_INVALID, status::WrongBundle, name + ": damaged bundle: " + what,
                    "copy or write the bundle again");
}

/// What is wrong with the header, or nothing. The version is right.
static std::string checkHeader(std::string_view bytes) {
  const auto expected = [](const char *what, uint64_t wanted, uint64_t got) {
    return std::string("expected ") + what + " " + std::to_string(wanted) + ", got " +
           std::to_string(got);
  };
  if (const uint64_t size = get(bytes, 12, 4); size != kHeaderSize) {
    return expected("a header of size", kHeaderSize, size);
  }
  if (const uint64_t size = get(bytes, 16, 8); size != bytes.size()) {
    return expected("a file of size", size, bytes.size());
  }
  const uint64_t manifestSize = get(bytes, 24, 8);
  if (manifestSize > std::min<uint64_t>(kMaxManifest, bytes.size() - kHeaderSize)) {
    return expected("a manifest of at most",
                    std::min<uint64_t>(kMaxManifest, bytes.size() - kHeaderSize), manifestSize);
  }
  if (const uint64_t start = get(bytes, 32, 8); start != align(kHeaderSize + manifestSize)) {
    return expected("code from byte", align(kHeaderSize + manifestSize), start);
  }
  if (digestOf(bytes.substr(0, kChecked), bytes.substr(kHeaderSize, manifestSize)) !=
      bytes.substr(kChecked, kHeaderSize - kChecked)) {
    return "the checksum of header and manifest differs";
  }
  if (bytes.substr(40, kChecked - 40).find_first_not_of('\0') != std::string_view::npos) {
    return "expected zeros in bytes 40 to 63 of the header";
  }
  return "";
}

/// Whether [begin, end) lies in the bytes and holds zeros alone.
static bool isPadding(std::string_view bytes, uint64_t begin, uint64_t end) {
  return end <= bytes.size() && begin <= end &&
         bytes.substr(begin, end - begin).find_first_not_of('\0') == std::string_view::npos;
}

tg_status *tegula::runtime::readBundle(const std::string &file, const std::string &name,
                                       std::vector<BundleKernel> &kernels, std::string &manifest) {
  const std::string_view bytes = file;
  if (!bytes.starts_with(kMagic)) {
    return makeStatus(TG_INVALID, status::WrongBundle, name + ": not a bundle",
                      "bundles are written by 'tegulac --emit=bundle'");
  }
  // A later version may have another header: nothing else is looked at before.
  if (bytes.size() < 12) {
    return damaged(name, "the file ends within the header");
  }
  if (const uint64_t version = get(bytes, 8, 4); version != kVersion) {
    return makeStatus(TG_INCOMPATIBLE, status::BundleVersion,
                      name + ": expected version " + std::to_string(kVersion) +
                          " of the bundle format, got " + std::to_string(version),
                      "write the bundle with this version of Tegula, or run it with the other");
  }
  if (bytes.size() < kHeaderSize) {
    return damaged(name, "the file ends within the header");
  }
  if (const std::string problem = checkHeader(bytes); !problem.empty()) {
    return damaged(name, problem);
  }
  manifest = bytes.substr(kHeaderSize, get(bytes, 24, 8));
  if (const std::string problem = readBundleManifest(manifest, kernels); !problem.empty()) {
    return damaged(name, problem);
  }
  const uint64_t codeStart = get(bytes, 32, 8);
  uint64_t end = kHeaderSize + manifest.size(); // of what has been checked
  for (BundleKernel &kernel : kernels) {
    for (BundleVariant &variant : kernel.variants) {
      const std::string which =
          "the code of kernel '" + kernel.name + "' for " + variant.describe();
      const uint64_t begin = align(end);
      if (variant.offset != begin - codeStart || begin > bytes.size() ||
          variant.size > bytes.size() - begin) {
        return damaged(name, which + " is not where it belongs");
      }
      if (!isPadding(bytes, end, begin)) {
        return damaged(name, "expected zeros before " + which);
      }
      variant.code = bytes.substr(begin, variant.size);
      if (hexDigestOf(variant.code) != variant.sha256) {
        return damaged(name, "the checksum of " + which + " differs");
      }
      end = begin + variant.size;
    }
  }
  if (end != bytes.size()) {
    return damaged(name, "expected the end of the file at byte " + std::to_string(end));
  }
  return nullptr;
}

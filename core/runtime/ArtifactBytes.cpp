//===- ArtifactBytes.cpp - Artifacts as bytes and back --------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/Artifact.h"

#include <cstdint>
#include <cstring>

// The bytes stay on machines of one kind: the key of an entry holds the host's build
// of Tegula, so the order of bytes is this machine's and there is no older form to
// read. What is checked is that the bytes are exactly one artifact.

namespace {

class Writer {
public:
  void add(uint64_t number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    out.append(bytes, sizeof bytes);
  }
  void add(std::string_view text) {
    add(uint64_t(text.size()));
    out += text;
  }
  std::string out;
};

/// Every read checks what is left; after the first failure all yield nothing.
class Reader {
public:
  explicit Reader(std::string_view bytes) : rest(bytes) {}

  uint64_t number() {
    uint64_t value = 0;
    if (rest.size() < sizeof value) {
      return fail();
    }
    std::memcpy(&value, rest.data(), sizeof value);
    rest.remove_prefix(sizeof value);
    return value;
  }
  /// A number that fits `T` as it was written.
  template <typename T> void read(T &out) {
    const uint64_t value = number();
    out = static_cast<T>(value);
    if (static_cast<uint64_t>(out) != value) {
      fail();
    }
  }
  void read(std::string &out) {
    const uint64_t size = number();
    if (size > rest.size()) {
      fail();
      return;
    }
    out.assign(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  /// How many elements follow, each of which takes at least 8 bytes.
  uint64_t count() {
    const uint64_t value = number();
    return value > rest.size() / 8 ? fail() : value;
  }
  bool isAtEnd() const { return isGood && rest.empty(); }
  uint64_t fail() {
    isGood = false;
    rest = {};
    return 0;
  }
  bool good() const { return isGood; }

private:
  std::string_view rest;
  bool isGood = true;
};

} // namespace

/// First in the bytes, so that those of another struct are not taken for these.
static constexpr uint64_t kLayout = 0x5447415254000002; // "TGART", layout 2

std::string tegula::runtime::writeArtifact(const tg_artifact &artifact) {
  // Names every field, so that a new one does not compile until it is here.
  const auto &[kernel, backend, triple, arch, format, features, args, argsSize, numWarps, numStages,
               numCtas, facts, options, tools, stages, warnings, reports, manifest, key, targetHash,
               isCached] = artifact;
  Writer writer;
  writer.add(kLayout);
  for (const std::string *text :
       {&kernel, &backend, &triple, &arch, &format, &warnings, &manifest}) {
    writer.add(*text);
  }
  for (const unsigned number :
       {argsSize, unsigned(numWarps), unsigned(numStages), unsigned(numCtas)}) {
    writer.add(number);
  }
  writer.add(features.size());
  for (const std::string &feature : features) {
    writer.add(feature);
  }
  writer.add(args.size());
  for (const auto &[name, type, offset, size, divisibility, access] : args) {
    writer.add(name);
    writer.add(type);
    writer.add(offset);
    writer.add(size);
    writer.add(divisibility);
    writer.add(access);
  }
  for (const auto *pairs : {&facts, &options, &tools}) {
    writer.add(pairs->size());
    for (const auto &[name, value] : *pairs) {
      writer.add(name);
      writer.add(value);
    }
  }
  writer.add(stages.size());
  for (const auto &[name, bytes] : stages) {
    writer.add(name);
    writer.add(bytes);
  }
  return std::move(writer.out);
}

bool tegula::runtime::readArtifact(std::string_view bytes, tg_artifact &artifact) {
  artifact = {};
  Reader reader(bytes);
  if (reader.number() != kLayout) {
    return false;
  }
  for (std::string *text : {&artifact.kernel, &artifact.backend, &artifact.triple, &artifact.arch,
                            &artifact.format, &artifact.warnings, &artifact.manifest}) {
    reader.read(*text);
  }
  reader.read(artifact.argsSize);
  for (int *number : {&artifact.numWarps, &artifact.numStages, &artifact.numCtas}) {
    unsigned value = 0;
    reader.read(value);
    *number = int(value);
  }
  for (uint64_t left = reader.count(); left > 0 && reader.good(); --left) {
    reader.read(artifact.features.emplace_back());
  }
  for (uint64_t left = reader.count(); left > 0 && reader.good(); --left) {
    tg_artifact_arg &arg = artifact.args.emplace_back();
    reader.read(arg.name);
    reader.read(arg.type);
    reader.read(arg.offset);
    reader.read(arg.size);
    reader.read(arg.divisibility);
    reader.read(arg.access);
  }
  for (auto *pairs : {&artifact.facts, &artifact.options, &artifact.tools}) {
    for (uint64_t left = reader.count(); left > 0 && reader.good(); --left) {
      auto &[name, value] = pairs->emplace_back();
      reader.read(name);
      reader.read(value);
    }
  }
  for (uint64_t left = reader.count(); left > 0 && reader.good(); --left) {
    std::string name;
    reader.read(name);
    // In order and each once, as the map was written.
    if (!artifact.stages.empty() && name <= artifact.stages.rbegin()->first) {
      return false;
    }
    reader.read(artifact.stages[name]);
  }
  return reader.isAtEnd();
}

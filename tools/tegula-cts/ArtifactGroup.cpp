//===- ArtifactGroup.cpp - Group artifact ---------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include <algorithm>
#include <cstring>

using namespace tegula;
using namespace tegula::cts;

//===----------------------------------------------------------------------===//
// Manifests
//===----------------------------------------------------------------------===//

static bool contains(const char *const *list, const std::string &text) {
  for (; list && *list; ++list) {
    if (text == *list) {
      return true;
    }
  }
  return false;
}

/// The packed block of an artifact: natural alignment, in order, no overlaps.
static std::string checkArguments(const tg_artifact &artifact) {
  unsigned end = 0;
  for (const tg_artifact_arg &arg : artifact.args) {
    const std::string base = arg.type.substr(0, arg.type.find(':'));
    const tools::ElementType *type = tools::findElementType(base == "u1" ? "i1" : base);
    const unsigned size = base.starts_with('*') ? 8 : type ? type->size : 0;
    if (arg.name.empty() || size == 0 || arg.size != size) {
      return "argument '" + arg.name + "' of type '" + arg.type + "' has a size of " +
             std::to_string(arg.size);
    }
    if (arg.offset != (end + size - 1) / size * size) {
      return "argument '" + arg.name + "' is at " + std::to_string(arg.offset) +
             ", not at the next multiple of its size behind " + std::to_string(end);
    }
    if (base.starts_with('*') &&
        !contains((const char *const[]){"none", "read", "write", "read-write", "unknown", nullptr},
                  arg.access)) {
      return "argument '" + arg.name + "' has the access '" + arg.access + "'";
    }
    end = arg.offset + arg.size;
  }
  return artifact.argsSize == end ? ""
                                  : "args_size is " + std::to_string(artifact.argsSize) +
                                        ", the arguments take " + std::to_string(end);
}

static Verdict checkManifest(Suite &suite, const Family &family, const Case &item) {
  const Subject &subject = suite.subject;
  if (const std::string reason = item.unsupportedBy(subject.id); !reason.empty()) {
    return {State::Unsupported, reason};
  }
  ArtifactPtr artifact;
  const Status status = suite.code.get(family, item, subject.target.get(), artifact);
  if (status) {
    return Verdict::failed(firstLine(*status));
  }
  expect(artifact->kernel == item.kernel, "the kernel is called '" + artifact->kernel + "'");
  expect(artifact->backend == subject.id, "the backend is '" + artifact->backend + "'");
  expect(contains(subject.compiler->emit_formats, artifact->format),
         "'" + artifact->format + "' is no format that the plugin declares");
  expect(!artifact->arch.empty() && artifact->arch != "native",
         "expected the processor that is meant as arch, got '" + artifact->arch + "'");
  expect(artifact->key.size() == 64, "expected a key of 64 digits, got '" + artifact->key + "'");
  const auto object = artifact->stages.find("object");
  expect(object != artifact->stages.end() && !object->second.empty(), "there is no code");
  for (const ArraySpec &array : item.arrays) {
    expect(std::any_of(artifact->args.begin(), artifact->args.end(),
                       [&](const tg_artifact_arg &arg) {
                         return arg.name == array.name && arg.type.starts_with("*");
                       }),
           "the manifest has no pointer argument '" + array.name + "'");
  }
  for (const auto &[key, value] : artifact->facts) {
    expect(!key.empty() && !value.empty(), "a fact without name or value");
  }
  return Verdict::of(checkArguments(*artifact));
}

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

static WriterPtr makeWriter() {
  tg_bundle_writer *writer = nullptr;
  need(tg_bundle_writer_new(&writer), "tg_bundle_writer_new");
  return WriterPtr(writer);
}

static std::string bytesOf(tg_bundle_writer *writer) {
  const char *bytes = nullptr;
  size_t size = 0;
  need(tg_bundle_writer_bytes(writer, &bytes, &size), "tg_bundle_writer_bytes");
  return std::string(bytes, size);
}

static BundlePtr openBundle(const std::string &bytes) {
  tg_bundle *bundle = nullptr;
  need(tg_bundle_from_bytes(bytes.data(), bytes.size(), &bundle), "tg_bundle_from_bytes");
  return BundlePtr(bundle);
}

/// The probe under several names.
static std::vector<tg_artifact> namedProbes(const Subject &subject) {
  std::vector<tg_artifact> artifacts;
  for (const char *name : {"probe", "second", "third"}) {
    artifacts.push_back(*compileProbe(subject.target.get()));
    artifacts.back().kernel = name;
    runtime::writeManifest(artifacts.back());
  }
  return artifacts;
}

static std::string makeBundle(const Subject &subject) {
  const WriterPtr writer = makeWriter();
  for (const tg_artifact &artifact : namedProbes(subject)) {
    need(tg_bundle_writer_add(writer.get(), &artifact), "tg_bundle_writer_add");
  }
  return bytesOf(writer.get());
}

static Verdict roundTrip(const Subject &subject) {
  const BundlePtr bundle = openBundle(makeBundle(subject));
  expect(tg_bundle_num_kernels(bundle.get()) == 3, "expected three kernels");
  bool isThere = false;
  for (size_t i = 0; i < 3; ++i) {
    isThere |= tg_bundle_kernel_name(bundle.get(), i) == std::string("probe");
  }
  expect(isThere, "the kernel 'probe' is missing");
  expect(tg_bundle_kernel_name(bundle.get(), 3) == nullptr, "expected no fourth kernel");
  tg_kernel *kernel = nullptr;
  needError(tg_bundle_load(bundle.get(), "nowhere", subject.device, &kernel), {TG_NOT_FOUND},
            "loading a kernel that is not there");
  if (!subject.device) {
    return {};
  }
  need(tg_bundle_load(bundle.get(), "probe", subject.device, &kernel), "tg_bundle_load");
  const KernelPtr owned(kernel);
  runProbe(kernel, 1000);
  return {};
}

static Verdict sameBytes(const Subject &subject) {
  const WriterPtr writer = makeWriter();
  std::vector<tg_artifact> artifacts = namedProbes(subject);
  std::reverse(artifacts.begin(), artifacts.end());
  for (const tg_artifact &artifact : artifacts) {
    need(tg_bundle_writer_add(writer.get(), &artifact), "tg_bundle_writer_add");
  }
  expect(bytesOf(writer.get()) == makeBundle(subject),
         "the same kernels in another order give other bytes");
  return {};
}

static void needRefusal(const std::string &bytes, const std::string &what) {
  tg_bundle *bundle = nullptr;
  tg_status *const status = tg_bundle_from_bytes(bytes.data(), bytes.size(), &bundle);
  const BundlePtr owned(status ? nullptr : bundle);
  needError(status, {TG_INVALID, TG_INCOMPATIBLE}, what);
}

/// No bit may change: 1,000 places all over the file.
static Verdict damage(const Subject &subject) {
  const std::string right = makeBundle(subject);
  const size_t step = std::max<size_t>(1, right.size() / 1000);
  for (size_t at = 0; at < right.size(); at += step) {
    std::string wrong = right;
    wrong[at] = char(wrong[at] ^ (1 << at % 8));
    needRefusal(wrong, "a bundle with another bit in byte " + std::to_string(at));
  }
  openBundle(right);
  return {};
}

static Verdict truncate(const Subject &subject) {
  const std::string right = makeBundle(subject);
  for (size_t size :
       {size_t(0), size_t(1), size_t(8), size_t(63), size_t(64), size_t(95), size_t(96), size_t(97),
        right.size() / 3, right.size() / 2, right.size() - 1}) {
    size = std::min(size, right.size() - 1);
    needRefusal(right.substr(0, size), "the first " + std::to_string(size) + " bytes");
  }
  needRefusal(right + '\0', "a bundle with a byte behind its end");
  return {};
}

static Verdict otherVersions(const Subject &subject) {
  const std::string right = makeBundle(subject);
  for (const uint32_t version : {0u, 2u, 1000u, ~0u}) {
    std::string other = right;
    std::memcpy(other.data() + 8, &version, 4);
    tg_bundle *bundle = nullptr;
    const Status status(tg_bundle_from_bytes(other.data(), other.size(), &bundle));
    expect(status && status->code == TG_INCOMPATIBLE && status->id == "bundle-version",
           "expected version " + std::to_string(version) +
               " to be refused as bundle-version, got " +
               (status ? firstLine(*status) : "no error"));
  }
  return {};
}

static Verdict refuseVariants(const Subject &subject) {
  const WriterPtr writer = makeWriter();
  tg_artifact artifact = *compileProbe(subject.target.get());
  need(tg_bundle_writer_add(writer.get(), &artifact), "tg_bundle_writer_add");
  const std::string before = bytesOf(writer.get());
  needError(tg_bundle_writer_add(writer.get(), &artifact), {TG_INVALID},
            "adding a variant for the same target");
  artifact.targetHash = std::string(64, 'a');
  artifact.arch += "x";
  artifact.args.back().type = "fp32";
  runtime::writeManifest(artifact);
  needError(tg_bundle_writer_add(writer.get(), &artifact), {TG_INVALID},
            "adding a variant with other arguments");
  expect(bytesOf(writer.get()) == before, "a variant that is refused changes the bundle");
  return {};
}

void Suite::addArtifact() {
  if (lacksCompiler("artifact")) {
    return;
  }
  for (const Family &family : subject.families) {
    const auto first = std::find_if(family.cases.begin(), family.cases.end(),
                                    [](const Case &item) { return item.expectedErrors.empty(); });
    if (first != family.cases.end()) {
      add("artifact", "manifest/" + family.name,
          throwing([this, &family, first] { return checkManifest(*this, family, *first); }));
    }
  }
  const auto test = [this](const char *name, Verdict (*work)(const Subject &)) {
    add("artifact", std::string("bundle/") + name,
        throwing([this, work] { return work(subject); }));
  };
  test("round-trip", roundTrip);
  test("same-bytes", sameBytes);
  test("damaged", damage);
  test("truncated", truncate);
  test("other-versions", otherVersions);
  test("refused-variants", refuseVariants);
}

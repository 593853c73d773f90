//===- SelectGroup.cpp - Group select -------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include <algorithm>

using namespace tegula;
using namespace tegula::cts;

/// Code for the device: compiled if the plugin can, else made up, which is enough where
/// nothing is loaded.
static tg_artifact ownVariant(const Subject &subject) {
  if (subject.target) {
    return *compileProbe(subject.target.get());
  }
  tg_device_info info = {};
  info.struct_size = sizeof info;
  need(tg_device_info_get(subject.device, &info), "tg_device_info_get");
  tg_artifact artifact;
  artifact.kernel = "probe";
  artifact.backend = subject.id;
  artifact.arch = info.arch;
  artifact.triple = "none";
  artifact.format = subject.runtime->formats[0];
  artifact.stages["object"] = "made up";
  artifact.targetHash = std::string(64, '0');
  runtime::writeManifest(artifact);
  return artifact;
}

/// Variants of one kernel in one bundle, in this order.
static BundlePtr bundleOf(std::vector<tg_artifact> variants) {
  tg_bundle_writer *made = nullptr;
  need(tg_bundle_writer_new(&made), "tg_bundle_writer_new");
  const WriterPtr writer(made);
  for (size_t i = 0; i < variants.size(); ++i) {
    // Each is for a target of its own.
    variants[i].targetHash = std::string(63, '0') + char('a' + int(i));
    runtime::writeManifest(variants[i]);
    need(tg_bundle_writer_add(writer.get(), &variants[i]), "tg_bundle_writer_add");
  }
  const char *bytes = nullptr;
  size_t size = 0;
  need(tg_bundle_writer_bytes(writer.get(), &bytes, &size), "tg_bundle_writer_bytes");
  tg_bundle *bundle = nullptr;
  need(tg_bundle_from_bytes(bytes, size, &bundle), "tg_bundle_from_bytes");
  return BundlePtr(bundle);
}

static std::string explain(const tg_bundle *bundle, tg_device *device) {
  const char *text = "";
  need(tg_bundle_explain(bundle, "probe", device, &text), "tg_bundle_explain");
  return text;
}

/// Which variant is loaded for the device: 'a' is the first. 0 if none fits.
static char chosen(const Subject &subject, const tg_bundle *bundle) {
  tg_kernel *kernel = nullptr;
  const Status status(tg_bundle_load(bundle, "probe", subject.device, &kernel));
  if (status) {
    expect(status->id == "no-variant", "expected no-variant, got " + firstLine(*status));
    return 0;
  }
  const KernelPtr owned(kernel);
  const std::string manifest = tg_kernel_manifest(kernel);
  const size_t at = manifest.find(std::string(63, '0'));
  expect(at != std::string::npos, "the manifest of the loaded kernel has no target_hash");
  return manifest[at + 63];
}

static tg_artifact otherArch(tg_artifact artifact) {
  artifact.arch = "no-such-arch";
  artifact.triple = "nosuch-unknown-unknown";
  artifact.features = {"+no-such-feature"};
  return artifact;
}
static tg_artifact otherFormat(tg_artifact artifact) {
  artifact.format = "no-such-format";
  return artifact;
}
static tg_artifact otherBackend(tg_artifact artifact) {
  artifact.backend = "no-such-backend";
  return artifact;
}

/// A variant that the device cannot run is never chosen, and the error says why.
static Verdict wantRefusal(const Subject &subject, tg_artifact (*change)(tg_artifact)) {
  const tg_artifact wrong = change(ownVariant(subject));
  const BundlePtr bundle = bundleOf({wrong});
  tg_kernel *kernel = nullptr;
  const Status status(tg_bundle_load(bundle.get(), "probe", subject.device, &kernel));
  const KernelPtr owned(status ? nullptr : kernel);
  expect(status && status->code == TG_INCOMPATIBLE && status->id == "no-variant",
         "expected no-variant, got " + (status ? firstLine(*status) : "no error"));
  const std::string table = explain(bundle.get(), subject.device);
  expect(table.find(wrong.backend) != std::string::npos,
         "the table has no row for the variant: " + table);
  expect(status->message.find(wrong.backend) != std::string::npos,
         "the error does not show the table: " + status->message);
  return {};
}

static Verdict preferOwn(const Subject &subject) {
  const tg_artifact own = ownVariant(subject);
  const BundlePtr bundle = bundleOf({otherArch(own), otherFormat(own), otherBackend(own), own});
  const std::string table = explain(bundle.get(), subject.device);
  expect(table == explain(bundle.get(), subject.device), "two tables of the same choice differ");
  expect(std::count(table.begin(), table.end(), '\n') >= 4,
         "expected a row for each variant: " + table);
  expect(("\n" + table).find("\n* ") != std::string::npos,
         "no variant fits, not even the device's own:\n" + table);
  if (!subject.target) {
    return {};
  }
  const char taken = chosen(subject, bundle.get());
  expect(taken == 'd', "the variant for the device is not taken:\n" + table);
  return {};
}

/// Of equally good ones the first is taken.
static Verdict breakTies(const Subject &subject) {
  // What code does not use is no difference to a device, but one between targets.
  std::vector<tg_artifact> variants(3, ownVariant(subject));
  variants[1].features.push_back("-no-such-feature");
  variants[2].features.push_back("-no-such-feature-either");
  const BundlePtr bundle = bundleOf(variants);
  const char taken = chosen(subject, bundle.get());
  expect(taken == 'a', std::string("expected the first of equally good variants, got number ") +
                           (taken ? std::to_string(taken - 'a' + 1) : "0"));
  return {};
}

static Verdict runChosen(const Subject &subject) {
  const tg_artifact own = ownVariant(subject);
  const BundlePtr bundle = bundleOf({otherArch(own), own});
  tg_kernel *kernel = nullptr;
  need(tg_bundle_load(bundle.get(), "probe", subject.device, &kernel), "tg_bundle_load");
  const KernelPtr owned(kernel);
  runProbe(kernel, 500);
  return {};
}

void Suite::addSelect() {
  if (lacksRuntime("select")) {
    return;
  }
  const auto test = [this](const char *name, auto work) {
    add("select", name, onDevice(throwing([this, work] { return work(subject); })));
  };
  test("refuses-arch", [](const Subject &s) { return wantRefusal(s, otherArch); });
  test("refuses-format", [](const Subject &s) { return wantRefusal(s, otherFormat); });
  test("refuses-backend", [](const Subject &s) { return wantRefusal(s, otherBackend); });
  test("prefers-own", preferOwn);
  if (subject.target) {
    test("ties", breakTies);
    test("runs-chosen", runChosen);
  }
}

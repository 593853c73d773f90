//===- Target.cpp - What the CPU backend knows of processors
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Target.h"
#include "Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

using namespace mlir;

namespace tegula::cpu {

void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64AsmParser();
  });
}

bool hasFeature(StringRef features, StringRef name) {
  bool has = false;
  for (StringRef feature : llvm::split(features, ',')) {
    if (feature.drop_front(feature.empty() ? 0 : 1) == name) {
      has = feature.front() == '+';
    }
  }
  return has;
}

TargetFacts getFacts(TargetAttr target) {
  TargetFacts facts;
  StringRef features = target.getFeatures();
  if (llvm::Triple(target.getTriple()).isAArch64()) {
    facts.math = {true, true, true};
    facts.numRegisters = 32;
    return facts;
  }
  facts.math = {hasFeature(features, "fma"), hasFeature(features, "f16c"),
                hasFeature(features, "sse4.1")};
  facts.maskedAccess = hasFeature(features, "avx");
  facts.numRegisters = hasFeature(features, "avx512f") ? 32 : 16;
  return facts;
}

/// Closest of `names`, when it is close enough to be meant.
static std::string nearest(StringRef wanted, ArrayRef<StringRef> names) {
  unsigned best = std::max<size_t>(2, wanted.size() / 3) + 1;
  std::string found;
  for (StringRef name : names) {
    unsigned distance = wanted.edit_distance(name, true, best);
    if (distance < best) {
      best = distance;
      found = name.str();
    }
  }
  return found.empty() ? found : "; did you mean '" + found + "'?";
}

bool skipsPass(TargetAttr target, StringRef name) {
  ArrayAttr skipped = target ? target.getSkipPasses() : ArrayAttr();
  return skipped && llvm::any_of(skipped.getAsRange<StringAttr>(),
                                 [&](StringAttr one) { return one == name; });
}

/// The option `skip_passes`: names between commas. Null after calling `error`.
static ArrayAttr parseSkipPasses(MLIRContext &context, StringRef list,
                                 const compiler::ErrorFn &error) {
  SmallVector<StringRef> names;
  list.split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef name : names) {
    if (!llvm::is_contained(optionalPasses, name)) {
      error("expected names of optional passes for option 'skip_passes' (" +
            llvm::join(std::begin(optionalPasses), std::end(optionalPasses), ", ") + "), got '" +
            name + "'" + diagID(diag::TargetOption));
      return {};
    }
  }
  llvm::sort(names);
  names.erase(llvm::unique(names), names.end());
  return Builder(&context).getStrArrayAttr(names);
}

/// Objects are ELF, called by the System V convention, and pointers have 64 bits.
static bool isSupported(const llvm::Triple &triple) {
  switch (triple.getArch()) {
  case llvm::Triple::x86_64:
  case llvm::Triple::aarch64:
    break;
  default:
    return false;
  }
  bool has32BitPointers =
      triple.isX32() || triple.getEnvironment() == llvm::Triple::EnvironmentType::GNUILP32;
  return triple.isOSBinFormatELF() && !triple.isOSWindows() && !has32BitPointers;
}

namespace {
struct HostProcessor {
  std::string name = llvm::sys::getHostCPUName().str();
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
};
} // namespace

/// Asked once: a virtual machine answers each such question slowly.
static const HostProcessor &hostProcessor() {
  static const HostProcessor host;
  return host;
}

/// Without these, code generation fails or calls a library for plain operations.
static ArrayRef<StringRef> requiredFeatures(const llvm::Triple &triple) {
  static const StringRef arm[] = {"+fp-armv8", "+neon", "-outline-atomics"};
  static const StringRef x86[] = {"+64bit", "+sse2", "-soft-float"};
  return triple.isAArch64() ? ArrayRef<StringRef>(arm) : ArrayRef<StringRef>(x86);
}

static void refuseTriple(const llvm::Triple &triple, const compiler::ErrorFn &error) {
  error("expected a triple of x86-64 or AArch64 with 64-bit pointers and ELF files, got '" +
        triple.str() + "'" + diagID(diag::TargetTriple));
}

namespace {
struct Processor {
  std::string cpu, features;
  unsigned vectorBits = 128;
};
} // namespace

/// Nullopt after calling `error`.
static std::optional<Processor> resolveProcessor(const compiler::TargetSpec &spec,
                                                 const llvm::Triple &triple,
                                                 const llvm::Target *llvmTarget,
                                                 const compiler::ErrorFn &error) {
  const bool native = spec.arch == "native" || spec.arch.empty();
  std::string cpu = native ? hostProcessor().name : spec.arch;
  if (native && triple.getArch() != llvm::Triple(llvm::sys::getProcessTriple()).getArch()) {
    error("expected a named arch for triple '" + triple.str() + "', got 'native'" +
          diagID(diag::TargetArch));
    return std::nullopt;
  }
  llvm::SubtargetFeatures wanted;
  if (native) {
    for (const auto &[name, on] : hostProcessor().features) {
      wanted.AddFeature(name, on);
    }
  }
  // Names are checked against a subtarget that accepts everything.
  std::unique_ptr<llvm::MCSubtargetInfo> plain(llvmTarget->createMCSubtargetInfo(triple, "", ""));
  if (!plain) {
    refuseTriple(triple, error);
    return std::nullopt;
  }
  if (!plain->isCPUStringValid(cpu)) {
    if (native) {
      cpu = triple.isAArch64() ? "generic" : "x86-64";
    } else {
      SmallVector<StringRef> names;
      for (const auto &entry : plain->getAllProcessorDescriptions()) {
        names.push_back(entry.Key);
      }
      error("expected 'native' or a processor that LLVM knows for " + triple.getArchName() +
            ", got '" + cpu + "'" + nearest(cpu, names) + diagID(diag::TargetArch));
      return std::nullopt;
    }
  }
  for (const std::string &feature : spec.features) {
    StringRef name = feature;
    if (name.size() < 2 || (name.front() != '+' && name.front() != '-')) {
      error("expected a feature as '+name' or '-name', got '" + feature + "'" +
            diagID(diag::TargetFeature));
      return std::nullopt;
    }
    name = name.drop_front();
    auto known = llvm::any_of(plain->getAllProcessorFeatures(),
                              [&](const auto &entry) { return name == entry.Key; });
    if (!known) {
      SmallVector<StringRef> names;
      for (const auto &entry : plain->getAllProcessorFeatures()) {
        names.push_back(entry.Key);
      }
      error("expected a feature that LLVM knows for " + triple.getArchName() + ", got '" + feature +
            "'" + nearest(name, names) + diagID(diag::TargetFeature));
      return std::nullopt;
    }
    wanted.AddFeature(name, feature.front() == '+');
  }
  // Wide registers are wanted on every processor that has them: tiles fill them.
  if (!triple.isAArch64()) {
    wanted.AddFeature("prefer-256-bit", false);
  }
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      llvmTarget->createMCSubtargetInfo(triple, cpu, wanted.getString()));
  for (StringRef required : requiredFeatures(triple)) {
    if (!subtarget->checkFeatures(required)) {
      error("expected a processor with feature '" + required + "', got '" + cpu + "'" +
            (spec.features.empty() ? "" : " with " + llvm::join(spec.features, ", ")) +
            diagID(diag::TargetFeature));
      return std::nullopt;
    }
  }
  llvm::SubtargetFeatures resolved;
  for (const auto &entry : subtarget->getEnabledProcessorFeatures()) {
    // The list of features is lower case; a few names are not and stay implied.
    if (StringRef(entry.Key).lower() == entry.Key) {
      resolved.AddFeature(entry.Key);
    }
  }
  // What its name implies and this one lacks must be said, or whoever reads the list
  // with the name, as LLVM does, takes it for granted.
  std::unique_ptr<llvm::MCSubtargetInfo> implied(
      llvmTarget->createMCSubtargetInfo(triple, cpu, ""));
  for (const auto &entry : implied->getEnabledProcessorFeatures()) {
    if (StringRef(entry.Key).lower() == entry.Key &&
        !subtarget->checkFeatures("+" + std::string(entry.Key))) {
      resolved.AddFeature(entry.Key, false);
    }
  }
  for (const std::string &feature : spec.features) {
    StringRef name = StringRef(feature).drop_front();
    if (feature.front() == '-' && !llvm::is_contained(resolved.getFeatures(), feature)) {
      resolved.AddFeature(name, false);
    }
  }
  if (!triple.isAArch64() && !llvm::is_contained(resolved.getFeatures(), "-prefer-256-bit")) {
    resolved.AddFeature("prefer-256-bit", false);
  }
  std::string features = resolved.getString();
  unsigned bits = 128;
  if (!triple.isAArch64()) {
    bits = hasFeature(features, "avx512f") ? 512 : hasFeature(features, "avx") ? 256 : 128;
  }
  return Processor{cpu, features, bits};
}

/// The same, looked up: making LLVM's tables takes as long as parsing a kernel.
static std::optional<Processor> findProcessor(const compiler::TargetSpec &spec,
                                              const llvm::Triple &triple,
                                              const llvm::Target *llvmTarget,
                                              const compiler::ErrorFn &error) {
  static std::mutex lock;
  static llvm::StringMap<Processor> known;
  const std::string key = spec.arch + '|' + triple.str() + '|' + llvm::join(spec.features, ",");
  {
    std::lock_guard<std::mutex> guard(lock);
    auto found = known.find(key);
    if (found != known.end()) {
      return found->second;
    }
  }
  std::optional<Processor> processor = resolveProcessor(spec, triple, llvmTarget, error);
  if (processor) {
    std::lock_guard<std::mutex> guard(lock);
    known.try_emplace(key, *processor);
  }
  return processor;
}

TargetAttr parseTarget(MLIRContext &context, const compiler::TargetSpec &spec,
                       const compiler::ErrorFn &error) {
  initializeTargets();
  ArrayAttr skipPasses;
  for (const auto &[key, value] : spec.options) {
    int number;
    if (key == "skip_passes") {
      skipPasses = parseSkipPasses(context, value, error);
      if (!skipPasses) {
        return {};
      }
      continue;
    }
    if (key != "threads") {
      error("expected option 'threads' or 'skip_passes', got '" + key + "'" +
            diagID(diag::TargetOption));
      return {};
    }
    if (StringRef(value).getAsInteger(10, number) || number < 0) {
      error("expected a number of at least 0 for option 'threads', got '" + value + "'" +
            diagID(diag::TargetOption));
      return {};
    }
  }
  for (const std::string &format : spec.emit) {
    if (format != "elf-so") {
      error("expected artifact format 'elf-so', got '" + format + "'" + diagID(diag::TargetFormat));
      return {};
    }
  }
  llvm::Triple triple(llvm::Triple::normalize(
      spec.triple.empty() ? llvm::sys::getDefaultTargetTriple() : spec.triple));
  std::string message;
  const llvm::Target *llvmTarget =
      isSupported(triple) ? llvm::TargetRegistry::lookupTarget(triple, message) : nullptr;
  if (!llvmTarget) {
    refuseTriple(triple, error);
    return {};
  }
  std::optional<Processor> processor = findProcessor(spec, triple, llvmTarget, error);
  if (!processor) {
    return {};
  }
  // From here on `native` is the processor it means: artifacts run on others too.
  const bool native = spec.arch.empty() || spec.arch == "native";
  return TargetAttr::get(&context, native ? processor->cpu : spec.arch, triple.str(),
                         processor->cpu, processor->features, processor->vectorBits, spec.allowFma,
                         skipPasses && !skipPasses.empty() ? skipPasses : ArrayAttr());
}

} // namespace tegula::cpu

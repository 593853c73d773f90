//===- Targets.cpp - Targets as their backend understands them --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Targets.h"

#include "tegula/Compiler/Backends.h"
#include "tegula/Compiler/CrashRecovery.h"
#include "tegula/Compiler/Register.h"
#include "tegula/Tile/IR/Tile.h"
#include "tegula/plugin.h"
#include <memory>
#include <mutex>

using namespace mlir;
using namespace tegula::compiler;
using tegula::runtime::makeStatus;
namespace status = tegula::runtime::status;

namespace tegula::driver {

tg_status *loadTargetBackend(const tg_target &target, const BackendCompiler *&backend) {
  tg_status *status = loadBackend(target.backend, target.plugin, backend);
  if (!status) {
    status = runtime::checkPluginVersion(target, TEGULA_COMPILER);
  }
  return status ? runtime::prefixed(status, "target '" + target.id + "' needs backend '" +
                                                target.backend + "': ")
                : nullptr;
}

const DialectRegistry &registryFor(const BackendCompiler &backend) {
  static std::mutex lock;
  static llvm::DenseMap<const BackendCompiler *, std::unique_ptr<DialectRegistry>> registries;
  std::lock_guard<std::mutex> guard(lock);
  std::unique_ptr<DialectRegistry> &registry = registries[&backend];
  if (!registry) {
    registry = std::make_unique<DialectRegistry>();
    registerDialects(*registry);
    backend.registerDialects(*registry);
  }
  return *registry;
}

static TargetSpec toSpec(const tg_target &target) {
  TargetSpec spec;
  spec.id = target.id;
  spec.backend = target.backend;
  spec.arch = target.arch;
  spec.triple = target.triple;
  spec.features = target.features;
  spec.emit = target.emit;
  spec.options = target.options;
  spec.allowFma = target.allowFma;
  return spec;
}

tg_status *parseTarget(MLIRContext &context, const BackendCompiler &backend,
                       const tg_target &target, Attribute &attr) {
  std::string error;
  attr = backend.parseTarget(context, toSpec(target), [&](const llvm::Twine &text) {
    error += (error.empty() ? "" : "; ") + text.str();
  });
  if (attr) {
    return nullptr;
  }
  // Labels of the backend's checks are identifiers already.
  std::string id = status::WrongDescriptor.name;
  const size_t label = error.rfind(" [");
  if (label != std::string::npos && error.ends_with("]")) {
    id = error.substr(label + 2, error.size() - label - 3);
    error.resize(label);
  }
  return makeStatus(TG_TARGET_ERROR, runtime::StatusID{id.c_str()},
                    "target '" + target.id + "': " + error);
}

std::vector<std::string> featuresOf(Attribute attr) {
  llvm::SmallVector<llvm::StringRef> features;
  cast<tile::TargetAttrInterface>(attr).getFeatures().split(features, ',', -1, false);
  return {features.begin(), features.end()};
}

std::string hashOf(const tg_target &target, Attribute attr) {
  auto facts = cast<tile::TargetAttrInterface>(attr);
  return runtime::hashTarget(target, facts.getArch().str(), facts.getTriple().str(),
                             featuresOf(attr));
}

tg_status *freezeTarget(tg_target &target) {
  const BackendCompiler *backend = nullptr;
  if (tg_status *status = loadTargetBackend(target, backend)) {
    return status;
  }
  auto context =
      std::make_unique<MLIRContext>(registryFor(*backend), MLIRContext::Threading::DISABLED);
  Attribute attr;
  tg_status *failure = nullptr;
  if (const std::optional<std::string> crash =
          runProtected([&] { failure = parseTarget(*context, *backend, target, attr); })) {
    (void)context.release(); // whatever the crash left in it
    return makeStatus(TG_INTERNAL, status::CompilerCrash,
                      "internal error: backend '" + target.backend +
                          "' crashed in its check of target '" + target.id + "': " + *crash,
                      "this is a fault of the backend, please report it with the target");
  }
  if (failure) {
    return failure;
  }
  auto facts = cast<tile::TargetAttrInterface>(attr);
  target.arch = facts.getArch().str();
  target.triple = facts.getTriple().str();
  target.features = featuresOf(attr);
  return nullptr;
}

} // namespace tegula::driver

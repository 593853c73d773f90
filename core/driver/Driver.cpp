//===- Driver.cpp - Source to artifact --------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The compiler behind tg_compile: frontend, neutral and backend pipelines, emission.
//
//===----------------------------------------------------------------------===//

#include "MLIRDiagnostics.h"
#include "Resolver.h"

#include "mlir/IR/MLIRContext.h"
#include "tegula/Compiler/Backends.h"
#include "tegula/Compiler/CrashRecovery.h"
#include "tegula/Compiler/Pipeline.h"
#include "tegula/Compiler/Register.h"
#include "tegula/Runtime/Artifact.h"
#include "tegula/Runtime/CompilerEntry.h"
#include "tegula/Runtime/Target.h"
#include "tegula/Tile/IR/Tile.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>
#include <memory>
#include <mutex>

using namespace mlir;
using namespace tegula;
using namespace tegula::compiler;
using tegula::runtime::makeStatus;

/// Where the IR of a compile that crashed is kept, for a report.
static std::string describeCrash(llvm::StringRef kernel) {
  return ("internal error: the compiler crashed while lowering kernel '" + kernel +
          "'; this is a fault of Tegula, please report it with the kernel")
      .str();
}

static tg_status *compileErrorStatus(const frontend::DiagnosticEngine &diags) {
  return makeStatus(TG_COMPILE_ERROR, diags.str(), "", "", driver::diagnosticsToJson(diags));
}

/// Integer options of a launch; anything else is the user's error.
static tg_status *readOptions(const tg_compile_request &request, frontend::KernelRequest &kernel) {
  for (size_t i = 0; i < request.num_options; ++i) {
    llvm::StringRef key = request.options[i].key, value = request.options[i].value;
    int *slot = key == "num_warps"    ? &kernel.numWarps
                : key == "num_stages" ? &kernel.numStages
                : key == "num_ctas"   ? &kernel.numCtas
                                      : nullptr;
    if (slot) {
      const int least = key == "num_stages" ? 0 : 1;
      if (value.getAsInteger(10, *slot) || *slot < least || *slot > 1024) {
        return makeStatus(TG_INVALID, ("option '" + key + "': expected an integer from " +
                                       llvm::Twine(least) + " to 1024, got '" + value + "'")
                                          .str());
      }
    } else if (key == "debug") {
      kernel.debug = value == "1" || value.equals_insensitive("true");
    } else {
      return makeStatus(TG_INVALID, ("unknown option '" + key +
                                     "'; expected num_warps, num_stages, num_ctas or debug")
                                        .str());
    }
  }
  return nullptr;
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

/// Stages named in a comma-separated list.
static tg_status *readStages(const tg_compile_request &request, PipelineOptions &options) {
  auto unknown = [](llvm::StringRef name) {
    return makeStatus(TG_INVALID, ("unknown stage '" + name +
                                   "'; expected tile, lowered, llvm, asm, object or bundle")
                                      .str());
  };
  if (request.emit) {
    std::optional<Stage> stage = parseStage(request.emit);
    if (!stage) {
      return unknown(request.emit);
    }
    options.last = *stage;
  }
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(request.keep ? request.keep : "").split(names, ',', -1, false);
  for (llvm::StringRef name : names) {
    if (name.trim() == "all") {
      options.keepAll = true;
    } else if (std::optional<Stage> stage = parseStage(name.trim())) {
      options.keep.push_back(*stage);
    } else {
      return unknown(name.trim());
    }
  }
  return nullptr;
}

/// Everything registered that a compile with `backend` may meet.
static const DialectRegistry &registryFor(const BackendCompiler &backend) {
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

static tg_status *compile(const tg_compile_request *request, tg_artifact **artifact) {
  const tg_target *target = request->target;
  tg_target *defaultTarget = nullptr;
  if (!target) {
    if (tg_status *status = tg_target_resolve(nullptr, &defaultTarget)) {
      return status;
    }
    target = defaultTarget;
  }
  llvm::scope_exit freeTarget([&] { tg_target_free(defaultTarget); });
  PipelineOptions pipelineOptions;
  if (tg_status *status = readStages(*request, pipelineOptions)) {
    return status;
  }

  std::string error;
  const BackendCompiler *backend = loadBackend(target->backend, error);
  if (!backend) {
    return makeStatus(TG_NOT_FOUND, "target '" + target->id + "' needs backend '" +
                                        target->backend + "': " + error);
  }
  auto owned =
      std::make_unique<MLIRContext>(registryFor(*backend), MLIRContext::Threading::DISABLED);
  MLIRContext &context = *owned;
  Attribute targetAttr =
      backend->parseTarget(context, toSpec(*target), [&](const llvm::Twine &text) {
        error += (error.empty() ? "" : "; ") + text.str();
      });
  if (!targetAttr) {
    return makeStatus(TG_INVALID, "target '" + target->id + "': " + error);
  }
  auto targetInterface = cast<tile::TargetAttrInterface>(targetAttr);

  // Frontend, on the caller's thread: the resolver's callbacks belong there.
  frontend::DiagnosticEngine diags;
  frontend::KernelRequest kernel;
  kernel.source = {std::string(request->source.text, request->source.text_size),
                   request->source.file,
                   request->source.first_line ? request->source.first_line : 1};
  kernel.kernel = request->kernel;
  kernel.backend = target->backend;
  kernel.arch = targetInterface.getArch().str();
  if (tg_status *status = readOptions(*request, kernel)) {
    return status;
  }
  if (request->params) {
    for (size_t i = 0; i < request->num_params; ++i) {
      const tg_param &param = request->params[i];
      frontend::ParamSpec spec;
      spec.name = param.name ? param.name : "";
      spec.type = param.type ? param.type : "";
      if (param.value) {
        spec.value = driver::toHostValue(*param.value);
      }
      kernel.params.push_back(std::move(spec));
    }
  } else if (failed(frontend::parseSignature(request->signature ? request->signature : "",
                                             kernel.params, diags))) {
    return compileErrorStatus(diags);
  }
  std::optional<driver::CallbackResolver> resolver;
  if (request->resolver) {
    kernel.resolver = &resolver.emplace(*request->resolver);
  }
  frontend::KernelInfo info;
  OwningOpRef<ModuleOp> module = frontend::compileKernel(context, kernel, diags, info);
  if (!module || diags.hasErrors()) {
    return compileErrorStatus(diags);
  }
  (*module)->setAttr(tile::kTargetAttr, targetAttr);

  // Lowering and emission, where a crash costs only this compile.
  PipelineResult result;
  LogicalResult lowered = failure();
  const frontend::SourceFile &file =
      diags.addFile(kernel.source.file, kernel.source.text, kernel.source.firstLine);
  const bool survived = runProtected([&] {
    ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      driver::addMLIRDiagnostic(diags, file, diagnostic);
      return success();
    });
    lowered = runPipeline(*module, *backend, targetAttr, kernel.kernel, pipelineOptions, result);
  });
  if (!survived) {
    // Their memory may be half-changed: leaked rather than touched again.
    module.release();
    owned.release();
    return makeStatus(TG_INTERNAL, describeCrash(kernel.kernel));
  }
  if (failed(lowered)) {
    if (!diags.hasErrors()) {
      return makeStatus(TG_INTERNAL, "internal error: lowering of kernel '" + kernel.kernel +
                                         "' failed without a message");
    }
    return compileErrorStatus(diags);
  }

  auto out = std::make_unique<tg_artifact>();
  out->kernel = kernel.kernel;
  out->backend = target->backend;
  out->triple = targetInterface.getTriple().str();
  out->arch = kernel.arch;
  llvm::SmallVector<llvm::StringRef> features;
  targetInterface.getFeatures().split(features, ',', -1, false);
  for (llvm::StringRef feature : features) {
    out->features.push_back(feature.str());
  }
  out->options = target->options;
  out->format = result.artifact.format;
  out->facts = std::move(result.artifact.facts);
  out->argsSize = info.argsSize;
  out->numWarps = kernel.numWarps;
  out->numStages = kernel.numStages;
  out->numCtas = kernel.numCtas;
  for (frontend::RuntimeArg &arg : info.args) {
    out->args.push_back({arg.name, arg.type, arg.offset, arg.size});
  }
  for (auto &entry : result.stages) {
    out->stages[entry.getKey().str()] = std::move(entry.getValue());
  }
  out->warnings = diags.str();
  runtime::writeManifest(*out);
  *artifact = out.release();
  return nullptr;
}

static tg_status *preload() {
  frontend::preloadLibrary();
  return nullptr;
}

extern "C" __attribute__((visibility("default"))) const tegula_compiler_entry_table *
tegula_compiler_entry() {
  static const tegula_compiler_entry_table table = {tg_version(), compile, preload};
  return &table;
}

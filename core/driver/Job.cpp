//===- Job.cpp - One compile, which may crash -------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a request to an artifact: target, frontend, neutral and backend pipelines,
// emission.
//
//===----------------------------------------------------------------------===//

#include "Job.h"
#include "CacheKey.h"
#include "Flights.h"
#include "MLIRDiagnostics.h"
#include "Targets.h"
#include "TileInput.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "tegula/Runtime/Target.h"
#include "tegula/Tile/Analysis/ArgumentAccess.h"
#include "tegula/Tile/IR/Tile.h"
#include <cstring>
#include <mutex>

using namespace mlir;
using namespace tegula;
using namespace tegula::compiler;
using namespace tegula::driver;
using tegula::runtime::makeStatus;
namespace status = tegula::runtime::status;

/// Those that JobReports.cpp reads.
static bool isReportOption(llvm::StringRef key) {
  return key == "explain" || key == "print_pipeline" || key == "time_passes" || key == "save_temps";
}

namespace {
/// What of the backend runs ahead of its passes, for the report of a crash.
struct NoteSlot {
  NoteSlot(CompileProgress &progress, const char *name) : progress(progress) {
    std::strncpy(progress.pass, name, sizeof progress.pass - 1);
  }
  ~NoteSlot() { progress.pass[0] = '\0'; }
  CompileProgress &progress;
};
} // namespace

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
        return makeStatus(TG_INVALID, status::InvalidOption,
                          ("option '" + key + "': expected an integer from " + llvm::Twine(least) +
                           " to 1024, got '" + value + "'")
                              .str());
      }
    } else if (key == "debug" || key == "sanitize_overflow") {
      bool &flag = key == "debug" ? kernel.debug : kernel.sanitizeOverflow;
      flag = value == "1" || value.equals_insensitive("true");
      if (!flag && value != "0" && !value.equals_insensitive("false")) {
        return makeStatus(
            TG_INVALID, status::InvalidOption,
            ("option '" + key + "': expected true, false, 1 or 0, got '" + value + "'").str());
      }
    } else if (!isReportOption(key)) {
      return makeStatus(TG_INVALID, status::UnknownOption,
                        ("unknown option '" + key +
                         "'; expected num_warps, num_stages, num_ctas, debug or "
                         "sanitize_overflow")
                            .str());
    }
  }
  return nullptr;
}

/// Stages named in a comma-separated list.
static tg_status *readStages(const tg_compile_request &request, PipelineOptions &options) {
  auto unknown = [](llvm::StringRef name, llvm::StringRef last) {
    return makeStatus(
        TG_INVALID, status::UnknownStage,
        ("unknown stage '" + name + "'; expected tile, lowered, llvm, asm" + last).str());
  };
  if (request.emit) {
    std::optional<Stage> stage = parseStage(request.emit);
    if (!stage) {
      return unknown(request.emit, " or object");
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
      return unknown(name.trim(), ", object or all");
    }
  }
  return nullptr;
}

tg_status *Job::compileError() const {
  std::string first;
  for (const frontend::Diagnostic &diagnostic : diags.getDiagnostics()) {
    if (diagnostic.severity == frontend::Severity::Error) {
      first = diagnostic.id;
      break;
    }
  }
  return makeStatus(TG_COMPILE_ERROR, runtime::StatusID{first.c_str()}, diags.str(), "",
                    diagnosticsToJson(diags));
}

tg_status *Job::run() {
  if (tg_status *status = readReports()) {
    return status;
  }
  if (reports.any() || reports.logsTiming || reports.logsRemarks) {
    observer.emplace(reports.timing || reports.logsTiming, reports.tempFolder);
  }
  tg_status *status = runSteps();
  if (observer) {
    observer->stop();
    if (!status) {
      fillReports();
    }
    if (!status && !observer->tempError.empty()) {
      status = makeStatus(TG_INVALID, status::FileAccess, observer->tempError);
    }
    observer.reset();
  }
  return status;
}

tg_status *Job::runSteps() {
  {
    TimedStep step("load backend and target");
    if (tg_status *status = prepare()) {
      return status;
    }
  }
  {
    TimedStep step("frontend");
    if (tg_status *status = readKernel()) {
      return status;
    }
  }
  {
    TimedStep step("cache");
    if (findInCache()) {
      return nullptr;
    }
  }
  if (tg_status *status = lower()) {
    return status;
  }
  fillArtifact();
  finish();
  return nullptr;
}

/// Target, backend and options.
tg_status *Job::prepare() {
  if (tg_status *status = runtime::readCacheSettings(cache)) {
    return status;
  }
  target = request.target;
  if (!target) {
    tg_target *resolved = nullptr;
    if (tg_status *status = tg_target_resolve(nullptr, &resolved)) {
      return status;
    }
    defaultTarget.reset(resolved);
    target = resolved;
  }
  if (tg_status *status = readStages(request, options)) {
    return status;
  }
  if (tg_status *status = loadTargetBackend(*target, backend)) {
    return status;
  }
  context = std::make_unique<MLIRContext>(registryFor(*backend), MLIRContext::Threading::DISABLED);
  {
    const NoteSlot note(progress, "check of the target");
    if (tg_status *status = parseTarget(*context, *backend, *target, targetAttr)) {
      return status;
    }
  }
  return readOptions(request, kernel);
}

/// Source to tile IR.
tg_status *Job::readKernel() {
  kernel.source = {std::string(request.source.text, request.source.text_size), request.source.file,
                   request.source.first_line ? request.source.first_line : 1};
  kernel.kernel = request.kernel;
  kernel.backend = target->backend;
  kernel.arch = cast<tile::TargetAttrInterface>(targetAttr).getArch().str();
  if (isTileInput(kernel.source.file)) {
    module = readTileInput(*context, kernel, diags, info);
  } else {
    if (request.params) {
      for (size_t i = 0; i < request.num_params; ++i) {
        const tg_param &param = request.params[i];
        frontend::ParamSpec spec;
        spec.name = param.name ? param.name : "";
        spec.type = param.type ? param.type : "";
        if (param.value) {
          spec.value = toHostValue(*param.value);
        }
        kernel.params.push_back(std::move(spec));
      }
    } else if (failed(frontend::parseSignature(request.signature ? request.signature : "",
                                               kernel.params, diags))) {
      return compileError();
    }
    if (request.resolver) {
      kernel.resolver = &resolver.emplace(*request.resolver, caller);
    }
    module = frontend::compileKernel(*context, kernel, diags, info);
  }
  if (!module || diags.hasErrors()) {
    return compileError();
  }
  (*module)->setAttr(tile::kTargetAttr, targetAttr);
  divisibilities.assign(info.args.size(), 1);
  accesses.assign(info.args.size(), "");
  if (auto function = (*module).lookupSymbol<func::FuncOp>(kernel.kernel)) {
    const llvm::SmallVector<tile::ArgumentAccess> access = tile::getArgumentAccess(function);
    for (unsigned i = 0; i < info.args.size() && i < function.getNumArguments(); ++i) {
      if (llvm::StringRef(info.args[i].type).starts_with("*")) {
        accesses[i] = tile::stringifyArgumentAccess(access[i]);
      }
      if (auto promised = function.getArgAttrOfType<IntegerAttr>(i, tile::kDivisibilityAttr)) {
        divisibilities[i] = static_cast<unsigned>(promised.getInt());
      }
    }
  }
  if (options.last == Stage::Tile || reports.pipeline) {
    pipeline = describePipeline(*context, *backend, targetAttr,
                                reports.pipeline ? options.last : Stage::Object);
  }
  return nullptr;
}

void Job::leaveFlight(const tg_artifact *made) {
  if (leadsFlight) {
    leadsFlight = false;
    endFlight(key, made);
  }
}

/// Sets the key, and the artifact if there is one already.
bool Job::findInCache() {
  frontendWarnings = diags.str();
  {
    const NoteSlot note(progress, "part of the cache key");
    key = computeCacheKey(
        {*module, *target, *backend, targetAttr, kernel, info, divisibilities, accesses, options});
  }
  // Earlier stages are what one looks at to see what the compiler does.
  if (options.last != Stage::Object || !cache.mayRead() || reports.any()) {
    return false;
  }
  if (!cache.alwaysCompile) {
    if (std::shared_ptr<const tg_artifact> shared = joinFlight(key)) {
      artifact = std::make_unique<tg_artifact>(*shared);
      artifact->isCached = true;
      runtime::countSharedKernel(key);
    } else {
      leadsFlight = true;
    }
  }
  if (!artifact) {
    auto stored = std::make_unique<tg_artifact>();
    found = runtime::findKernel(cache, key, *stored);
    if (found != runtime::CacheAnswer::Found) {
      return false;
    }
    leaveFlight(stored.get());
    artifact = std::move(stored);
  }
  artifact->warnings = frontendWarnings + artifact->warnings;
  // Targets of other names share code.
  artifact->targetHash = hashOf(*target, targetAttr);
  runtime::writeManifest(*artifact);
  return true;
}

tg_status *Job::lower() {
  const frontend::SourceFile &file =
      diags.addFile(kernel.source.file, kernel.source.text, kernel.source.firstLine);
  ScopedDiagnosticHandler handler(context.get(), [&](mlir::Diagnostic &diagnostic) {
    addMLIRDiagnostic(diags, file, diagnostic);
    return success();
  });
  if (reports.remarks || reports.logsRemarks) {
    enableRemarks(*context, [&](Location where, llvm::StringRef id, llvm::StringRef text) {
      remarks.push_back({where, id.str(), text.str()});
    });
  }
  if (succeeded(
          runPipeline(*module, *backend, targetAttr, kernel.kernel, options, result, progress))) {
    return nullptr;
  }
  if (!diags.hasErrors()) {
    return makeStatus(TG_INTERNAL, status::InternalFault,
                      "internal error: lowering of kernel '" + kernel.kernel +
                          "' failed in pass '" + progress.pass + "' without a message");
  }
  return compileError();
}

void Job::fillArtifact() {
  auto targetInterface = cast<tile::TargetAttrInterface>(targetAttr);
  artifact = std::make_unique<tg_artifact>();
  artifact->kernel = kernel.kernel;
  artifact->backend = target->backend;
  artifact->triple = targetInterface.getTriple().str();
  artifact->arch = kernel.arch;
  artifact->features = featuresOf(targetAttr);
  artifact->options = target->options;
  artifact->tools = {{"llvm", LLVM_VERSION_STRING}, {"tegula", tg_version()}};
  artifact->format = result.artifact.format;
  artifact->facts = std::move(result.artifact.facts);
  artifact->argsSize = info.argsSize;
  artifact->numWarps = kernel.numWarps;
  artifact->numStages = kernel.numStages;
  artifact->numCtas = kernel.numCtas;
  for (frontend::RuntimeArg &arg : info.args) {
    const size_t i = artifact->args.size();
    artifact->args.push_back(
        {arg.name, arg.type, arg.offset, arg.size, divisibilities[i], accesses[i]});
  }
  for (auto &entry : result.stages) {
    artifact->stages[entry.getKey().str()] = std::move(entry.getValue());
  }
  artifact->key = key;
  artifact->targetHash = hashOf(*target, targetAttr);
  runtime::writeManifest(*artifact);
}

/// Hands the artifact on to the cache and to others, and gives it its warnings: those
/// of the frontend belong to each compile, the rest to the code.
void Job::finish() {
  std::string warnings = diags.str();
  const bool isSeparable = llvm::StringRef(warnings).starts_with(frontendWarnings);
  if (options.last == Stage::Object && cache.mayRead() && isSeparable && !reports.any()) {
    artifact->warnings = warnings.substr(frontendWarnings.size());
    // In this order: who comes after the flight finds it in the cache.
    runtime::storeKernel(cache, *artifact, found);
    leaveFlight(artifact.get());
  }
  artifact->warnings = std::move(warnings);
}

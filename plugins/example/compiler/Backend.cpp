//===- Backend.cpp - The compiler half of the example backend -------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backend `example`: kernels become C source, and the system's C compiler makes a
// shared library of it. From the bottom of this file up: the table that Tegula asks
// for, the backend, and its one pass.
//
//===----------------------------------------------------------------------===//

#include "Example.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "tegula/Compiler/BackendCompiler.h"
#include "tegula/Compiler/ExternalTool.h"
#include "tegula/Compiler/Observe.h"
#include "tegula/Tile/Transforms/Passes.h"
#include "tegula/plugin.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::compiler;

#include "ExampleDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ExampleAttrs.cpp.inc"

namespace example {

//===----------------------------------------------------------------------===//
// The target attribute
//===----------------------------------------------------------------------===//

void ExampleDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ExampleAttrs.cpp.inc"
      >();
}

llvm::StringRef TargetAttr::getBackendId() const { return "example"; }
llvm::StringRef TargetAttr::getFeatures() const { return ""; }
llvm::StringRef TargetAttr::getTriple() const {
  return getArch() == "aarch64" ? "aarch64-unknown-linux-gnu" : "x86_64-unknown-linux-gnu";
}
/// A product is always rounded before it is added to.
bool TargetAttr::allowsFmaContraction() const { return false; }

static llvm::StringRef hostArch() {
#if defined(__aarch64__)
  return "aarch64";
#else
  return "x86_64";
#endif
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Where the pass leaves the text of a kernel, on its function.
static constexpr llvm::StringLiteral kSourceAttr = "tile_example.source";
static constexpr llvm::StringLiteral kScratchAttr = "tile_example.scratch_bytes";

/// Puts C source beside each kernel. Expects: tile IR without views and without
/// `tile.div` and the like. Leaves: the functions as they are.
struct WriteCPass : PassWrapper<WriteCPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WriteCPass)
  StringRef getArgument() const override { return "example-write-c"; }
  StringRef getDescription() const override { return "Write kernels as C source"; }
  void runOnOperation() override {
    Builder builder(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr(tile::kKernelAttr)) {
        continue;
      }
      FailureOr<KernelText> kernel = writeC(function);
      if (failed(kernel)) {
        return signalPassFailure();
      }
      function->setAttr(kSourceAttr, builder.getStringAttr(kernel->text));
      function->setAttr(kScratchAttr, builder.getI64IntegerAttr(int64_t(kernel->scratchBytes)));
    }
  }
};

/// The passes of one phase: neutral ones first, then ours.
static void buildPhase(OpPassManager &pm, Phase phase) {
  switch (phase) {
  case Phase::Tile:
    pm.addPass(tile::createTileInlinerPass());
    pm.addPass(tile::createTileCanonicalizerPass());
    pm.addPass(tile::createTileLowerViewsPass());
    pm.addPass(tile::createTileDecomposeDotScaledPass());
    pm.addPass(tile::createTileVerifyDefinedPass());
    pm.addPass(tile::createTileExpandDefinedPass());
    pm.addPass(tile::createTileCanonicalizerPass());
    pm.addPass(createCSEPass());
    return;
  case Phase::Layout:
  case Phase::Schedule:
  case Phase::Lower:
    return;
  case Phase::LLVM:
    // No LLVM IR for this backend; the phase leaves what emission needs.
    pm.addPass(std::make_unique<WriteCPass>());
    return;
  }
}

//===----------------------------------------------------------------------===//
// The C compiler
//===----------------------------------------------------------------------===//

/// Builds a shared library from C source. Errors go to `kernel`.
static FailureOr<std::string> buildLibrary(func::FuncOp kernel, TargetAttr target,
                                           llvm::StringRef source) {
  const auto fail = [&](const llvm::Twine &text, llvm::StringRef id) {
    return kernel.emitError() << text << tile::diagID(id), failure();
  };
  // --save-temps keeps what an external tool reads, --time-passes shows its time.
  saveTemp("kernel.c", source);
  const TimedStep timed("C compiler");
  llvm::SmallString<128> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("tegula-example", folder)) {
    return fail("cannot make a temporary folder: " + error.message(), id::kCompilerFailed);
  }
  const auto remove = llvm::scope_exit([&] { llvm::sys::fs::remove_directories(folder); });
  llvm::SmallString<128> input(folder), output(folder);
  llvm::sys::path::append(input, "kernel.c");
  llvm::sys::path::append(output, "kernel.so");
  {
    std::error_code error;
    llvm::raw_fd_ostream file(input, error);
    file << source;
    file.close();
    if (error || file.has_error()) {
      file.clear_error();
      return fail("cannot write '" + input + "'", id::kCompilerFailed);
    }
  }
  // Nothing here may change what IEEE says of the operators in the source.
  const std::vector<std::string> command = {target.getCc().str(),
                                            "-std=gnu11",
                                            "-O" + std::to_string(target.getOptimize()),
                                            "-w",
                                            "-fPIC",
                                            "-shared",
                                            "-s",
                                            "-fno-strict-aliasing",
                                            "-ffp-contract=off",
                                            "-fno-math-errno",
                                            "-o",
                                            output.str().str(),
                                            input.str().str(),
                                            "-lm"};
  const ToolResult result = runExternalTool(command, std::chrono::seconds(target.getTimeoutS()));
  if (result.end == ToolResult::End::NotStarted) {
    return fail("expected a C compiler at '" + target.getCc() + "', which " + result.describe() +
                    "; option 'cc' of the target names another",
                id::kNoCompiler);
  }
  if (!result.succeeded()) {
    return fail("the C compiler '" + target.getCc() + "' " + result.describe() + ": " +
                    llvm::StringRef(result.output).rtrim(),
                id::kCompilerFailed);
  }
  auto library = llvm::MemoryBuffer::getFile(output, /*IsText=*/false,
                                             /*RequiresNullTerminator=*/false);
  if (!library) {
    return fail("the C compiler '" + target.getCc() + "' wrote no library", id::kCompilerFailed);
  }
  const llvm::StringRef bytes = (*library)->getBuffer();
  // Byte 18 of an ELF file says which machine it is for.
  const int machine = bytes.size() > 20 && bytes.starts_with("\x7f"
                                                             "ELF")
                          ? bytes[18] & 0xff
                          : 0;
  if (machine != (target.getArch() == "aarch64" ? 183 : 62)) {
    return fail("expected code for " + target.getArch() + ", but the C compiler '" +
                    target.getCc() + "' makes code for another processor",
                id::kWrongMachine);
  }
  return bytes.str();
}

//===----------------------------------------------------------------------===//
// The backend
//===----------------------------------------------------------------------===//

class ExampleBackend final : public BackendCompiler {
public:
  void registerDialects(DialectRegistry &registry) const override {
    registry.insert<ExampleDialect, tile::TileDialect, arith::ArithDialect, math::MathDialect,
                    scf::SCFDialect, func::FuncDialect>();
  }

  void registerPasses() const override {
    registerPass([] { return std::make_unique<WriteCPass>(); });
    PassPipelineRegistration<>("example-tile", "Neutral passes in this backend's order",
                               [](OpPassManager &pm) { buildPhase(pm, Phase::Tile); });
    PassPipelineRegistration<>("example-llvm", "Kernels as C source",
                               [](OpPassManager &pm) { buildPhase(pm, Phase::LLVM); });
  }

  Attribute parseTarget(MLIRContext &context, const TargetSpec &spec,
                        const ErrorFn &error) const override {
    std::string arch = spec.arch, cc = "cc";
    unsigned optimize = 1, timeout = 60;
    if (arch == "native") {
      arch = hostArch().str();
    }
    if (arch != "x86_64" && arch != "aarch64") {
      error("expected arch x86_64, aarch64 or native, got '" + arch + "'" +
            tile::diagID(id::kArch));
      return {};
    }
    if (!spec.features.empty()) {
      error("expected no features, got '" + spec.features.front() + "'" +
            tile::diagID(id::kFeature));
      return {};
    }
    // The host has checked them against the table below.
    for (const auto &[key, value] : spec.options) {
      if (key == "cc") {
        cc = value;
      } else if (key == "optimize") {
        (void)llvm::StringRef(value).getAsInteger(10, optimize);
      } else if (key == "timeout_s") {
        (void)llvm::StringRef(value).getAsInteger(10, timeout);
      }
    }
    context.loadDialect<ExampleDialect>();
    return TargetAttr::get(&context, arch, cc, optimize, timeout);
  }

  /// Nothing that a neutral pass could use.
  Capabilities getCapabilities(Attribute) const override { return {}; }

  void buildLowering(OpPassManager &pm, Attribute, Phase phase) const override {
    buildPhase(pm, phase);
  }

  FailureOr<Artifact> emit(ModuleOp module, Attribute target, Stage stage,
                           llvm::StringRef kernelName) const override {
    auto kernel = module.lookupSymbol<func::FuncOp>(kernelName);
    auto source = kernel ? kernel->getAttrOfType<StringAttr>(kSourceAttr) : StringAttr();
    if (!source) {
      return module.emitError() << "expected kernel '" << kernelName << "' in the module"
                                << tile::diagID(id::kNoKernel),
             failure();
    }
    Artifact artifact;
    artifact.facts.push_back(
        {"scratch_bytes",
         std::to_string(kernel->getAttrOfType<IntegerAttr>(kScratchAttr).getInt())});
    switch (stage) {
    case Stage::LLVM:
      artifact.format = "llvm";
      artifact.bytes = "; the example backend goes from tile IR to C: see stage asm\n";
      return artifact;
    case Stage::Asm:
      artifact.format = "asm";
      artifact.bytes = source.str();
      return artifact;
    default:
      break;
    }
    FailureOr<std::string> library = buildLibrary(kernel, cast<TargetAttr>(target), source);
    if (failed(library)) {
      return failure();
    }
    artifact.format = "c-so";
    artifact.bytes = std::move(*library);
    return artifact;
  }

  /// The version of the C compiler is part of it: another one makes other code.
  std::string getCacheKey(Attribute target) const override {
    std::string key;
    llvm::raw_string_ostream stream(key);
    stream << "example 0.1.0;" << target << ';';
    const ToolResult version = runExternalTool(
        {cast<TargetAttr>(target).getCc().str(), "--version"}, std::chrono::seconds(10));
    stream << version.output;
    return key;
  }
};

//===----------------------------------------------------------------------===//
// The plugin
//===----------------------------------------------------------------------===//

static void *getBackend() {
  static const ExampleBackend backend;
  const BackendCompiler *base = &backend;
  return const_cast<BackendCompiler *>(base);
}

/// What this library believes to be MLIR's and LLVM's: the host compares.
static void storeIdentity(const void *ids[4]) {
  ids[0] = TypeID::get<ModuleOp>().getAsOpaquePointer();
  ids[1] = FunctionOpInterface::getInterfaceID().getAsOpaquePointer();
  ids[2] = TypeID::get<OpTrait::IsTerminator>().getAsOpaquePointer();
  ids[3] = &llvm::DebugFlag;
}

static const char *const kDialects[] = {"tile_example", nullptr};
static const char *const kPasses[] = {"example-write-c", nullptr};
static const char *const kPipelines[] = {"example-tile", "example-llvm", nullptr};
static const char *const kArchExamples[] = {"native", "x86_64", "aarch64", nullptr};
static const char *const kFormats[] = {"c-so", nullptr};
static const char *const kDeviceKinds[] = {"example", nullptr};

static const tegula_option kCc = {sizeof(tegula_option),
                                  TEGULA_OPTION_STRING,
                                  "cc",
                                  "cc",
                                  "the C compiler: a path, or a name that is looked up in PATH",
                                  0,
                                  0,
                                  nullptr};
static const tegula_option kOptimize = {sizeof(tegula_option),
                                        TEGULA_OPTION_INT,
                                        "optimize",
                                        "1",
                                        "the C compiler's -O level",
                                        0,
                                        3,
                                        nullptr};
static const tegula_option kTimeout = {sizeof(tegula_option),
                                       TEGULA_OPTION_INT,
                                       "timeout_s",
                                       "60",
                                       "seconds after which the C compiler is stopped",
                                       1,
                                       3600,
                                       nullptr};
static const tegula_option *const kOptions[] = {&kCc, &kOptimize, &kTimeout, nullptr};

static const tegula_compiler_v1 kCompiler = {
    .struct_size = sizeof(tegula_compiler_v1),
    .reserved = 0,
    .dialects = kDialects,
    .passes = kPasses,
    .pipelines = kPipelines,
    .options = kOptions,
    .arch_examples = kArchExamples,
    .emit_formats = kFormats,
    .device_kinds = kDeviceKinds,
    .backend = getBackend,
    .identity = storeIdentity,
};

static const tegula_plugin kPlugin = {
    .struct_size = sizeof(tegula_plugin),
    .api_major = TEGULA_API_MAJOR,
    .api_minor = TEGULA_API_MINOR,
    .id = "example",
    .version = "0.1.0",
    .vendor = "Tegula",
    .license = "Apache-2.0 WITH LLVM-exception",
    .components = TEGULA_COMPILER,
    .sanitizers = TEGULA_SANITIZERS,
    .facts = &tegula_plugin_facts,
    .compiler = &kCompiler,
    .runtime = nullptr,
};

} // namespace example

const tegula_plugin *tegula_plugin_query(uint32_t hostMajor, uint32_t) {
  return hostMajor == TEGULA_API_MAJOR ? &example::kPlugin : nullptr;
}

//===- BackendCompiler.h - The compiler half of a backend plugin ----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a backend implements so that the compiler can lower tile IR for it. The
// object crosses the plugin boundary as C++, so it is only valid between
// libraries built against the same LLVM and the same Tegula headers; the plugin
// host checks that before it asks for the object (plugin.h, tegula_compiler_v1).
//
// Threads: one BackendCompiler serves many compiles at once; every method is
// const and must keep its state in the module or in its arguments.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_COMPILER_BACKENDCOMPILER_H
#define TEGULA_COMPILER_BACKENDCOMPILER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tegula::compiler {

/// One target as the descriptor gives it, already checked against the schema
/// but not yet against the backend's own tables.
struct TargetSpec {
  std::string id;                    ///< `targets[].id`
  std::string backend;               ///< plugin id
  std::string arch;                  ///< may be `native`
  std::string triple;                ///< empty: the backend's default
  std::vector<std::string> features; ///< `+x` or `-x`
  std::vector<std::string> emit;     ///< artifact formats, in order of preference
  std::vector<std::pair<std::string, std::string>> options; ///< `options:` of the target
  bool allowFma = true;                                     ///< numerics.fma
};

/// Facts about a target that neutral passes may use. Zero means unknown.
struct Capabilities {
  unsigned vectorBits = 0; ///< native SIMD register width
  unsigned warpSize = 1;
  unsigned maxThreads = 1;
  uint64_t sharedMemoryBytes = 0;
  bool asyncCopy = false;
  bool clusters = false;
};

/// Sub-steps of the stage `lowered`. Each is also registered as a pipeline
/// `<id>-<phase>`, so that tegula-opt can run it alone.
enum class Phase { Tile, Layout, Schedule, Lower, LLVM };

/// Stage names of tools, options and `.asm` keys.
enum class Stage { Tile, Lowered, LLVM, Asm, Object, Bundle };

/// What one emission yields. `bytes` is text for LLVM and Asm.
struct Artifact {
  std::string format; ///< `llvm`, `asm` or a descriptor format such as `elf-so`
  std::string bytes;
  /// Facts for the kernel's manifest, as (key, JSON value) pairs: for the CPU
  /// `scratch_bytes`; for GPUs registers, shared memory, warps.
  std::vector<std::pair<std::string, std::string>> facts;
};

/// Where errors without an op go: text is "expected X, got Y" style.
using ErrorFn = std::function<void(const llvm::Twine &)>;

class BackendCompiler {
public:
  virtual ~BackendCompiler() = default;

  /// Dialects and interface models that this backend's IR needs.
  virtual void registerDialects(mlir::DialectRegistry &registry) const = 0;

  /// Registers passes and pipelines with MLIR's global registry, so that
  /// tegula-opt offers them; called once per process, under the host's lock.
  virtual void registerPasses() const = 0;

  /// Checks arch, features and options against the backend's tables and yields
  /// the attribute placed on the module as `tile.target` (it implements
  /// tile::TargetAttrInterface). Null after calling `error`. Must not touch
  /// any driver or device; `native` may read the host processor.
  virtual mlir::Attribute parseTarget(mlir::MLIRContext &context, const TargetSpec &spec,
                                      const ErrorFn &error) const = 0;

  virtual Capabilities getCapabilities(mlir::Attribute target) const = 0;

  /// Appends the passes of one phase. `Phase::LLVM` ends with a module of the
  /// LLVM dialect that translateModuleToLLVMIR accepts.
  virtual void buildLowering(mlir::OpPassManager &pm, mlir::Attribute target,
                             Phase phase) const = 0;

  /// From the module after Phase::LLVM to text or object code. Errors are
  /// diagnostics on the module's context, at the location of the op at fault.
  /// `kernelName` is the entry symbol. Runs inside crash recovery.
  virtual mlir::FailureOr<Artifact> emit(mlir::ModuleOp module, mlir::Attribute target, Stage stage,
                                         llvm::StringRef kernelName) const = 0;

  /// Everything besides the IR that an artifact depends on: target text,
  /// plugin version, versions of external tools.
  virtual std::string getCacheKey(mlir::Attribute target) const = 0;
};

} // namespace tegula::compiler

#endif // TEGULA_COMPILER_BACKENDCOMPILER_H

//===- Job.h - One compile, which may crash ----------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_DRIVER_JOB_H
#define TEGULA_DRIVER_JOB_H

#include "Resolver.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "tegula/Compiler/Observe.h"
#include "tegula/Compiler/Pipeline.h"
#include "tegula/Runtime/Artifact.h"
#include "tegula/Runtime/Cache.h"

#include <memory>
#include <optional>

namespace tegula::driver {

/// What a pass says of an operation.
struct Remark {
  mlir::Location location;
  std::string id, text;
};

/// Everything that one compile owns, so that it can be left alone as a whole when
/// the compile crashes: its memory may then be half-changed.
struct Job {
  explicit Job(const tg_compile_request &request) : request(request) {}
  ~Job() { leaveFlight(nullptr); }

  /// The whole compile. Null is success, and `artifact` is set then.
  tg_status *run();

  /// Lets others go on that wait for the same kernel; `made` is what they get. Also
  /// called for a compile that crashed.
  void leaveFlight(const tg_artifact *made);

  const tg_compile_request &request;
  compiler::CallingThread caller; ///< where the callbacks of the request belong
  compiler::CompileProgress progress;
  std::string pipeline; ///< text of the passes, of a compile to tile IR only or on request
  std::unique_ptr<tg_artifact> artifact;

private:
  /// What to tell of the compile; changes nothing that it makes.
  struct Reports {
    bool remarks = false, pipeline = false, timing = false;
    bool logsTiming = false, logsRemarks = false; ///< TEGULA_LOG; the cache is used as ever
    std::string tempFolder;
    bool any() const { return remarks || pipeline || timing || !tempFolder.empty(); }
  };
  tg_status *readReports();
  void fillReports();
  tg_status *runSteps();
  tg_status *prepare();
  tg_status *readKernel();
  bool findInCache();
  tg_status *lower();
  void fillArtifact();
  void finish();
  tg_status *compileError() const;

  struct TargetDeleter {
    void operator()(tg_target *target) const { tg_target_free(target); }
  };
  std::unique_ptr<tg_target, TargetDeleter> defaultTarget;
  const tg_target *target = nullptr;
  const compiler::BackendCompiler *backend = nullptr;
  compiler::PipelineOptions options;
  Reports reports;
  std::optional<compiler::Observer> observer;
  std::vector<Remark> remarks;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::Attribute targetAttr;
  frontend::DiagnosticEngine diags;
  frontend::KernelRequest kernel;
  frontend::KernelInfo info;
  std::optional<CallbackResolver> resolver;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  compiler::PipelineResult result;
  std::vector<unsigned> divisibilities; ///< of the run-time arguments
  std::vector<std::string> accesses;    ///< of the pointers among them
  runtime::CacheSettings cache;
  runtime::CacheAnswer found = runtime::CacheAnswer::Absent;
  std::string key;              ///< of the cache, once there is tile IR
  std::string frontendWarnings; ///< of this compile, whoever made the code
  bool leadsFlight = false;     ///< others may wait for this compile
};

} // namespace tegula::driver

#endif // TEGULA_DRIVER_JOB_H

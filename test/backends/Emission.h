//===- Emission.h - Messages of a backend's emission ------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TEST_EMISSION_H
#define TEGULA_TEST_EMISSION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "tegula/Compiler/BackendCompiler.h"

namespace tegula::test {

/// The target of a descriptor with `arch` and one format; null, with messages, if it is none.
inline mlir::Attribute targetFor(const compiler::BackendCompiler &backend, llvm::StringRef id,
                                 mlir::MLIRContext &context, llvm::StringRef arch,
                                 llvm::StringRef format, std::string &messages) {
  compiler::TargetSpec spec;
  spec.id = "t";
  spec.backend = id.str();
  spec.arch = arch.str();
  spec.emit = {format.str()};
  return backend.parseTarget(context, spec,
                             [&](const llvm::Twine &text) { messages += text.str() + "\n"; });
}

using MakeTarget = llvm::function_ref<mlir::Attribute(mlir::MLIRContext &, std::string &)>;

/// The messages of emitting `kernel` of `source`.
inline std::string emissionOf(const compiler::BackendCompiler &backend, llvm::StringRef source,
                              llvm::StringRef kernel, MakeTarget make) {
  mlir::DialectRegistry registry;
  backend.registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(source, &context);
  auto artifact = backend.emit(*module, make(context, messages), compiler::Stage::Object, kernel);
  return mlir::succeeded(artifact) ? "emitted\n" : messages;
}

} // namespace tegula::test

#endif // TEGULA_TEST_EMISSION_H

//===- CodeGeneration.h - LLVM's part of an emission ------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What BackendCompiler::emit of any backend does with a module of LLVM IR.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_COMPILER_CODEGENERATION_H
#define TEGULA_COMPILER_CODEGENERATION_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/CodeGen.h"
#include <string>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir {
class Location;
} // namespace mlir

namespace tegula::compiler {

/// Errors of the context are added to `text`, which must outlive it, instead of ending the
/// process as LLVM's own handler does.
void collectErrors(llvm::LLVMContext &context, std::string &text);

/// Makes a module that was just translated one for `machine`: its triple and data layout; its
/// functions with the processor, no library functions and, but for the kernel, internal.
void prepareModule(llvm::Module &module, llvm::TargetMachine &machine, llvm::StringRef kernelName);

/// Lets code generation contract products of f32 and f64 with sums. Not in mathematical
/// functions, which compute what rounding took away.
void allowContraction(llvm::Module &module);

/// Runs the passes that `add` appends, with the analyses of `machine`.
void runPasses(llvm::Module &module, llvm::TargetMachine &machine,
               llvm::function_ref<void(llvm::ModulePassManager &)> add);

/// Runs LLVM's own passes of -O2 with those that the machine adds to them. Loops stay as the
/// compiler wrote them: nothing unrolls them or makes vectors of them.
void runStandardPasses(llvm::Module &module, llvm::TargetMachine &machine);

/// Assembly text or an object file; a step of --time-passes. False if the target has no
/// such file; errors of the module go to its context.
bool generateCode(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type,
                  llvm::SmallVectorImpl<char> &code);

/// FILE:LINE:COL of the innermost place in a file; empty when there is none.
std::string describePlace(mlir::Location loc);

} // namespace tegula::compiler

#endif // TEGULA_COMPILER_CODEGENERATION_H

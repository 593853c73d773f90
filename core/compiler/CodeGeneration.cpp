//===- CodeGeneration.cpp - LLVM's part of an emission --------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Compiler/CodeGeneration.h"
#include "mlir/IR/Location.h"
#include "tegula/Compiler/Observe.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace tegula;

namespace {
struct CollectDiagnostics : llvm::DiagnosticHandler {
  std::string &text;
  explicit CollectDiagnostics(std::string &text) : text(text) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() == llvm::DS_Error) {
      llvm::raw_string_ostream stream(text);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }
    return true;
  }
};
} // namespace

void compiler::collectErrors(llvm::LLVMContext &context, std::string &text) {
  context.setDiagnosticHandler(std::make_unique<CollectDiagnostics>(text));
}

void compiler::prepareModule(llvm::Module &module, llvm::TargetMachine &machine,
                             llvm::StringRef kernelName) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (llvm::Function &function : module) {
    if (function.isDeclaration()) {
      continue;
    }
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    function.addFnAttr("no-builtins");
    function.addFnAttr(llvm::Attribute::NoUnwind);
    if (function.getName() != kernelName) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
  }
}

void compiler::allowContraction(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.getName().starts_with("__tegula_")) {
      continue;
    }
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      const unsigned code = instruction.getOpcode();
      llvm::Type *type = instruction.getType()->getScalarType();
      if ((code == llvm::Instruction::FAdd || code == llvm::Instruction::FSub ||
           code == llvm::Instruction::FMul) &&
          (type->isFloatTy() || type->isDoubleTy())) {
        instruction.setHasAllowContract(true);
      }
    }
  }
}

/// Runs what `add` appends to a manager of passes.
static void runAll(llvm::Module &module, llvm::PassBuilder &builder,
                   llvm::function_ref<void(llvm::ModulePassManager &)> add) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::ModulePassManager passes;
  add(passes);
  passes.run(module, modules);
}

void compiler::runStandardPasses(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  tuning.LoopInterleaving = false;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  runAll(module, builder, [&](llvm::ModulePassManager &passes) {
    passes.addPass(builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2));
  });
}

void compiler::runPasses(llvm::Module &module, llvm::TargetMachine &machine,
                         llvm::function_ref<void(llvm::ModulePassManager &)> add) {
  llvm::PassBuilder builder(&machine);
  runAll(module, builder, add);
}

bool compiler::generateCode(llvm::Module &module, llvm::TargetMachine &machine,
                            llvm::CodeGenFileType type, llvm::SmallVectorImpl<char> &code) {
  TimedStep step("generate code");
  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true)) {
    return false;
  }
  passes.run(module);
  return true;
}

std::string compiler::describePlace(mlir::Location loc) {
  std::string place;
  loc->walk([&](mlir::Location inner) {
    auto file = mlir::dyn_cast<mlir::FileLineColLoc>(inner);
    if (!file) {
      return mlir::WalkResult::advance();
    }
    place = (file.getFilename().getValue() + ":" + llvm::Twine(file.getLine()) + ":" +
             llvm::Twine(file.getColumn()))
                .str();
    return mlir::WalkResult::interrupt();
  });
  return place;
}

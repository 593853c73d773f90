//===- Emit.cpp - From the LLVM dialect to a code object
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "Diagnostics.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "tegula/Compiler/CodeGeneration.h"
#include "tegula/Compiler/LinkElf.h"
#include "tegula/Compiler/Observe.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"

using namespace mlir;

namespace tegula::amd {

static std::unique_ptr<llvm::TargetMachine> makeMachine(TargetAttr target, std::string &problem) {
  llvm::Triple triple(target.getTriple());
  const llvm::Target *llvmTarget = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!llvmTarget) {
    return nullptr;
  }
  llvm::TargetOptions options;
  // Contraction is decided op by op.
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  return std::unique_ptr<llvm::TargetMachine>(llvmTarget->createTargetMachine(
      triple, target.getArch(), target.getFeatures(), options, llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

/// What the loader and its ABI ask of a module with a kernel.
static void describeKernel(llvm::Module &module, llvm::Function &kernel) {
  // Version 5 of code objects, which older drivers take too.
  module.addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", 500);
  kernel.setVisibility(llvm::GlobalValue::ProtectedVisibility);
  kernel.addFnAttr("uniform-work-group-size", "true");
}

/// Tiles are vectors of what a thread holds, which no register is as wide as: they are
/// taken apart first. Then LLVM's own passes, whose last ones for these chips find out
/// which of the launch's hidden arguments and registers a kernel needs.
static void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::FunctionPassManager passes;
  llvm::ScalarizerPassOptions scalarizer;
  scalarizer.ScalarizeVariableInsertExtract = false;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(llvm::ScalarizerPass(scalarizer));
  compiler::runPasses(module, machine, [&](llvm::ModulePassManager &pm) {
    pm.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  });
  compiler::runStandardPasses(module, machine);
}

static void addFacts(compiler::Artifact &artifact, ModuleOp module, LLVM::LLVMFuncOp kernel) {
  auto size = kernel->getAttrOfType<DenseI32ArrayAttr>(
      ROCDL::ROCDLDialect::ReqdWorkGroupSizeAttrHelper::getNameStr());
  auto shared = module->getAttrOfType<IntegerAttr>("tilegpu.shared_bytes");
  artifact.facts.push_back({"threads", std::to_string(size ? size[0] : 256)});
  artifact.facts.push_back({"shared_bytes", std::to_string(shared ? shared.getInt() : 0)});
}

FailureOr<compiler::Artifact> emitArtifact(ModuleOp module, TargetAttr target,
                                           compiler::Stage stage, StringRef kernelName) {
  initializeTargets();
  auto kernel = module.lookupSymbol<LLVM::LLVMFuncOp>(kernelName);
  if (!kernel) {
    return module.emitError() << "expected kernel '" << kernelName << "' in the module"
                              << diagID(diag::NoKernel),
           failure();
  }
  compiler::Artifact artifact;
  addFacts(artifact, module, kernel);
  llvm::LLVMContext context;
  std::string problems;
  compiler::collectErrors(context, problems);
  auto fail = [&](StringRef id, StringRef what) -> FailureOr<compiler::Artifact> {
    return kernel.emitError() << what << (problems.empty() ? "" : ": ")
                              << StringRef(problems).rtrim() << diagID(id),
           failure();
  };
  std::unique_ptr<llvm::Module> llvmModule;
  {
    compiler::TimedStep step("translate to LLVM IR");
    llvmModule = translateModuleToLLVMIR(module, context, kernelName);
  }
  if (!llvmModule || !problems.empty()) {
    return fail(diag::Translation, "translation to LLVM IR failed");
  }
  std::unique_ptr<llvm::TargetMachine> machine = makeMachine(target, problems);
  if (!machine) {
    return fail(diag::CodeGeneration, "no code generator for this chip");
  }
  compiler::prepareModule(*llvmModule, *machine, kernelName);
  describeKernel(*llvmModule, *llvmModule->getFunction(kernelName));
  {
    compiler::TimedStep step("LLVM passes");
    if (target.getContract()) {
      compiler::allowContraction(*llvmModule);
    }
    optimise(*llvmModule, *machine);
  }
  if (stage == compiler::Stage::LLVM) {
    artifact.format = "llvm";
    llvm::raw_string_ostream stream(artifact.bytes);
    llvmModule->print(stream, nullptr);
    return artifact;
  }
  const bool isText = stage == compiler::Stage::Asm;
  llvm::SmallVector<char, 0> code;
  if (!compiler::generateCode(
          *llvmModule, *machine,
          isText ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile, code) ||
      !problems.empty()) {
    return fail(diag::CodeGeneration, "code generation failed");
  }
  const StringRef bytes(code.data(), code.size());
  if (isText) {
    artifact.format = "asm";
    artifact.bytes = bytes.str();
    return artifact;
  }
  artifact.format = "hsaco";
  compiler::saveTemp((kernelName + ".o").str(), bytes);
  compiler::TimedStep step("link");
  if (!linkElf(bytes, artifact.bytes, problems)) {
    return fail(diag::Link, "linking failed");
  }
  addResources(artifact, artifact.bytes, kernelName);
  return artifact;
}

} // namespace tegula::amd

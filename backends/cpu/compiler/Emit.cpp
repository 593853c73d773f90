//===- Emit.cpp - From the LLVM dialect to text and object code
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "Diagnostics.h"
#include "Repairs.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
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
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace mlir;

namespace tegula::cpu {

/// Nothing here may turn loops into library calls (no loop-idiom pass), and the
/// vectors are already those of the machine (no vectorisers).
static void optimise(llvm::Module &module, llvm::TargetMachine &machine, bool simplifyOnly) {
  llvm::FunctionPassManager passes;
  if (simplifyOnly) {
    // Masks that are constant must be seen to be.
    passes.addPass(llvm::InstSimplifyPass());
  } else {
    passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
    passes.addPass(llvm::SimplifyCFGPass());
    passes.addPass(llvm::InstCombinePass());
    llvm::LoopPassManager loopPasses;
    loopPasses.addPass(llvm::LoopRotatePass());
    loopPasses.addPass(llvm::LICMPass(llvm::LICMOptions()));
    passes.addPass(
        llvm::createFunctionToLoopPassAdaptor(std::move(loopPasses), /*UseMemorySSA=*/true));
    passes.addPass(llvm::GVNPass());
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass());
  }
  compiler::runPasses(module, machine, [&](llvm::ModulePassManager &pm) {
    pm.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  });
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
  if (auto bytes = kernel->getAttrOfType<IntegerAttr>(kScratchBytesAttr)) {
    artifact.facts.push_back({"scratch_bytes", std::to_string(bytes.getInt())});
    artifact.facts.push_back({"waits", kernel->hasAttr(kWaitsAttr) ? "true" : "false"});
  }
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
  llvm::Triple triple(target.getTriple());
  std::string message;
  const llvm::Target *llvmTarget = llvm::TargetRegistry::lookupTarget(triple, message);
  llvm::TargetOptions options;
  options.MCOptions.AsmVerbose = stage == compiler::Stage::Asm;
  std::unique_ptr<llvm::TargetMachine> machine;
  if (llvmTarget) {
    machine.reset(llvmTarget->createTargetMachine(
        triple, target.getCpu(), target.getFeatures(), options, llvm::Reloc::PIC_,
        llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  }
  if (!machine) {
    return fail(diag::CodeGeneration, ("no code generator for " + triple.str()));
  }
  llvmModule->setTargetTriple(triple);
  llvmModule->setDataLayout(machine->createDataLayout());
  for (llvm::Function &function : *llvmModule) {
    if (function.isDeclaration()) {
      continue;
    }
    function.addFnAttr("target-cpu", target.getCpu());
    function.addFnAttr("target-features", target.getFeatures());
    function.addFnAttr("no-builtins");
    function.addFnAttr("frame-pointer", "none");
    function.addFnAttr("no-stack-arg-probe");
    function.addFnAttr(llvm::Attribute::NoUnwind);
    std::string width = std::to_string(target.getVectorBits());
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("min-legal-vector-width", width);
    if (function.getName() != kernelName) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
  }
  {
    compiler::TimedStep step("LLVM passes");
    repairBeforePasses(*llvmModule, target);
    optimise(*llvmModule, *machine, /*simplifyOnly=*/skipsPass(target, "llvm-optimize"));
    repairAfterPasses(*llvmModule, target);
  }
  if (stage == compiler::Stage::LLVM) {
    artifact.format = "llvm";
    llvm::raw_string_ostream stream(artifact.bytes);
    llvmModule->print(stream, nullptr);
    return artifact;
  }
  llvm::SmallVector<char, 0> code;
  const auto type = stage == compiler::Stage::Asm ? llvm::CodeGenFileType::AssemblyFile
                                                  : llvm::CodeGenFileType::ObjectFile;
  if (!compiler::generateCode(*llvmModule, *machine, type, code) || !problems.empty()) {
    return fail(diag::CodeGeneration, "code generation failed");
  }
  StringRef bytes(code.data(), code.size());
  if (stage == compiler::Stage::Asm) {
    artifact.format = "asm";
    artifact.bytes = bytes.str();
    return artifact;
  }
  artifact.format = "elf-so";
  compiler::saveTemp((kernelName + ".o").str(), bytes);
  compiler::TimedStep step("link");
  std::string log;
  if (!linkElf(bytes, artifact.bytes, log)) {
    // Lines of `>>>` say where in the object file, which is nobody's.
    for (StringRef line : llvm::split(log, '\n')) {
      if (!line.starts_with(">>>")) {
        problems += (problems.empty() || line.empty() ? "" : "\n") + line.str();
      }
    }
    return fail(diag::Link, "linking failed");
  }
  return artifact;
}

} // namespace tegula::cpu

//===- Emit.cpp - From the LLVM dialect to a shared library ---------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles in threads are long vectors, which code generation would spend its time on;
// they are taken apart first. The rest is kept cheap: kernels run once.
//
//===----------------------------------------------------------------------===//

#include "Simt.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "tegula/Compiler/CodeGeneration.h"
#include "tegula/Compiler/LinkElf.h"
#include "tegula/Compiler/Observe.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include <mutex>

using namespace mlir;
using namespace tegula;
using namespace tegula::simt;

llvm::StringRef tegula::simt::hostTriple() {
#if defined(__aarch64__)
  return "aarch64-unknown-linux-gnu";
#else
  return "x86_64-unknown-linux-gnu";
#endif
}
llvm::StringRef tegula::simt::hostCpu() {
#if defined(__aarch64__)
  return "generic";
#else
  return "x86-64-v3";
#endif
}
llvm::StringRef tegula::simt::hostFeatures() { return ""; }

static std::unique_ptr<llvm::TargetMachine> makeMachine(std::string &problem) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  llvm::Triple triple(hostTriple());
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target) {
    return nullptr;
  }
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, hostCpu(), hostFeatures(), llvm::TargetOptions(), llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Less));
}

static void simplify(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::FunctionPassManager passes;
  llvm::ScalarizerPassOptions scalarizer;
  scalarizer.ScalarizeVariableInsertExtract = true;
  scalarizer.ScalarizeLoadStore = true;
  passes.addPass(llvm::ScalarizerPass(scalarizer));
  passes.addPass(llvm::InstSimplifyPass());
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::ADCEPass());
  compiler::runPasses(module, machine, [&](llvm::ModulePassManager &pm) {
    pm.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  });
}

/// What the runtime half must know of the program.
static void addFacts(ModuleOp module, compiler::Artifact &artifact) {
  uint64_t shared = 0;
  // The second is for tests of threads, which no pass has planned memory for.
  for (StringRef name : {"tilegpu.shared_bytes", "tile_simt.shared_bytes"}) {
    if (auto bytes = module->getAttrOfType<IntegerAttr>(name)) {
      shared = std::max<uint64_t>(shared, bytes.getInt());
    }
  }
  artifact.facts.push_back({"shared_bytes", std::to_string(shared)});
  // Not what the launch asked for: wide tiles get more warps.
  if (auto warps = module->getAttrOfType<IntegerAttr>("tile.num_warps")) {
    artifact.facts.push_back({"warps", std::to_string(warps.getInt())});
  }
}

FailureOr<compiler::Artifact> tegula::simt::emitArtifact(ModuleOp module, TargetAttr target,
                                                         compiler::Stage stage,
                                                         StringRef kernelName) {
  auto kernel = module.lookupSymbol<LLVM::LLVMFuncOp>(kernelName);
  std::string problems;
  const auto fail = [&](StringRef what) -> FailureOr<compiler::Artifact> {
    return module.emitError() << what << (problems.empty() ? "" : ": ") << problems
                              << diagID(diag::kCode),
           failure();
  };
  if (!kernel) {
    return fail(("expected kernel '" + kernelName + "' in the module").str());
  }
  compiler::Artifact artifact;
  addFacts(module, artifact);
  llvm::LLVMContext context;
  compiler::collectErrors(context, problems);
  std::unique_ptr<llvm::Module> llvmModule;
  {
    compiler::TimedStep step("translate to LLVM IR");
    llvmModule = translateModuleToLLVMIR(module, context, kernelName);
  }
  if (!llvmModule || !problems.empty()) {
    return fail("translation to LLVM IR failed");
  }
  std::unique_ptr<llvm::TargetMachine> machine = makeMachine(problems);
  if (!machine) {
    return fail("no code generator for this processor");
  }
  llvmModule->setTargetTriple(machine->getTargetTriple());
  llvmModule->setDataLayout(machine->createDataLayout());
  for (llvm::Function &function : *llvmModule) {
    if (function.isDeclaration()) {
      continue;
    }
    function.addFnAttr("no-builtins");
    function.addFnAttr("frame-pointer", "none");
    function.addFnAttr("no-stack-arg-probe");
    function.addFnAttr(llvm::Attribute::NoUnwind);
    if (function.getName() != kernelName) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
  }
  {
    compiler::TimedStep step("LLVM passes");
    simplify(*llvmModule, *machine);
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
    return fail("code generation failed");
  }
  const StringRef bytes(code.data(), code.size());
  if (stage == compiler::Stage::Asm) {
    artifact.format = "asm";
    artifact.bytes = bytes.str();
    return artifact;
  }
  artifact.format = "simt-so";
  compiler::TimedStep step("link");
  if (!linkElf(bytes, artifact.bytes, problems)) {
    return fail("linking failed");
  }
  return artifact;
}

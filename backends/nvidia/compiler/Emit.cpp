//===- Emit.cpp - From the LLVM dialect to PTX and machine code
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
#include "tegula/Compiler/Observe.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Inliner.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Scalar/Sink.h"

using namespace mlir;

namespace tegula::nvidia {

/// Tiles are vectors of what a thread holds, which no register is as wide as: they are
/// taken apart first. Nothing unrolls or peels: loops are as the compiler wrote them.
static void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::FunctionPassManager passes;
  llvm::ScalarizerPassOptions scalarizer;
  scalarizer.ScalarizeVariableInsertExtract = false;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(llvm::ScalarizerPass(scalarizer));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::InferAddressSpacesPass());
  llvm::LoopPassManager loopPasses;
  loopPasses.addPass(llvm::LoopRotatePass());
  loopPasses.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(
      llvm::createFunctionToLoopPassAdaptor(std::move(loopPasses), /*UseMemorySSA=*/true));
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  // Addresses are made where they are used, not kept in registers over reductions and waits.
  passes.addPass(llvm::SinkingPass());
  compiler::runPasses(module, machine, [&](llvm::ModulePassManager &pm) {
    // Mathematical functions are functions of the module.
    pm.addPass(llvm::ModuleInlinerWrapperPass(llvm::getInlineParams(300)));
    pm.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
    pm.addPass(llvm::GlobalDCEPass());
  });
}

/// Instructions that a whole warp runs together must not move into branches.
static void markConvergent(llvm::Module &module) {
  for (llvm::Function &function : module) {
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      const auto *code = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
      if (code && (llvm::StringRef(code->getAsmString()).contains(".sync") ||
                   llvm::StringRef(code->getAsmString()).contains("bar."))) {
        call->setConvergent();
      }
    }
  }
}

/// The digits before `what` in the assembler's report.
static std::string numberBefore(StringRef log, StringRef what) {
  const size_t at = log.find(what);
  if (at == StringRef::npos) {
    return std::string();
  }
  StringRef before = log.take_front(at).rtrim();
  return before.take_back(before.size() - before.find_last_not_of("0123456789") - 1).str();
}

/// "Used 40 registers", "8 bytes spill stores" of the assembler's report.
static void addResources(compiler::Artifact &artifact, StringRef log) {
  const std::pair<const char *, const char *> facts[] = {{"registers", " registers"},
                                                         {"spill_stores", " bytes spill stores"},
                                                         {"spill_loads", " bytes spill loads"}};
  for (const auto &[key, what] : facts) {
    if (std::string number = numberBefore(log, what); !number.empty()) {
      artifact.facts.push_back({key, number});
    }
  }
}

/// How many programs to ask for on one multiprocessor at once, where the registers allow
/// so few now that one more is worth a second try: one or two, and threads with at most
/// twice the registers that they could have then. 0 otherwise.
static unsigned getMorePrograms(StringRef log, ModuleOp module) {
  constexpr unsigned registerFile = 65536, maxThreads = 2048, maxUsed = 128, grain = 8;
  unsigned used = 0;
  auto warps = module->getAttrOfType<IntegerAttr>("tile.num_warps");
  if (!warps || module->hasAttr(kMostProgramsAttr) ||
      StringRef(numberBefore(log, " registers")).getAsInteger(10, used) || !used ||
      used > maxUsed || numberBefore(log, " bytes spill stores") != "0") {
    return 0;
  }
  const unsigned threads = warps.getInt() * 32;
  const unsigned more = registerFile / (llvm::alignTo(used, grain) * threads) + 1;
  const unsigned fewer = registerFile / (more * threads) / grain * grain;
  return more <= 3 && more * threads <= maxThreads && fewer * 2 >= used ? more : 0;
}

/// Instructions from which on code generation, whose time grows with their square, is made
/// as short as it can be.
static constexpr unsigned hugeKernel = 20'000;

/// Whether the assembler should rather be quick than good: kernels whose tiles are far
/// larger than the registers of a program lie in memory anyway, and keep it busy longest.
static bool isHuge(const llvm::Module &module) {
  constexpr unsigned manyAddresses = 700;
  for (const llvm::Function &function : module) {
    unsigned addresses = 0;
    for (const llvm::Instruction &instruction : llvm::instructions(function)) {
      addresses += instruction.getOpcode() == llvm::Instruction::GetElementPtr;
    }
    if (addresses > manyAddresses) {
      return true;
    }
  }
  return false;
}

static void addFacts(compiler::Artifact &artifact, ModuleOp module, LLVM::LLVMFuncOp kernel,
                     TargetAttr target) {
  auto number = [&](StringRef name, int64_t otherwise) {
    auto attr = module->getAttrOfType<IntegerAttr>(name);
    return attr ? attr.getInt() : otherwise;
  };
  const int64_t warps = number("tile.num_warps", 4);
  artifact.facts.push_back({"threads", std::to_string(32 * warps)});
  artifact.facts.push_back({"shared_bytes", std::to_string(number("tilegpu.shared_bytes", 0))});
  artifact.facts.push_back({"ptx_version", "\"" + std::to_string(target.getPtx() / 10) + "." +
                                               std::to_string(target.getPtx() % 10) + "\""});
  if (const int64_t programs = number(kMostProgramsAttr, 1); programs > 1) {
    artifact.facts.push_back({"most_programs", std::to_string(programs)});
  }
  if (kernel->hasAttr(kRecordsAttr)) {
    artifact.facts.push_back({"records", "true"});
  }
  if (module->hasAttr(kWaitsForLaunchesAttr)) {
    artifact.facts.push_back({"waits_for_launches", "true"});
  }
  // What the runtime half says when the kernel faults.
  if (auto at = kernel.getLoc()->findInstanceOf<FileLineColLoc>()) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << llvm::json::Value(at.getFilename().str() + ":" + std::to_string(at.getLine()));
    artifact.facts.push_back({"defined_at", text});
  }
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
  addFacts(artifact, module, kernel, target);
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
  // Contraction is decided op by op.
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  std::unique_ptr<llvm::TargetMachine> machine;
  if (llvmTarget) {
    machine.reset(llvmTarget->createTargetMachine(triple, target.getArch(), target.getFeatures(),
                                                  options, std::nullopt, std::nullopt,
                                                  llvm::CodeGenOptLevel::Aggressive));
  }
  if (!machine) {
    return fail(diag::CodeGeneration, "no code generator for " + triple.str());
  }
  compiler::prepareModule(*llvmModule, *machine, kernelName);
  {
    compiler::TimedStep step("LLVM passes");
    markConvergent(*llvmModule);
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
  const bool quickly = isHuge(*llvmModule);
  if (llvmModule->getInstructionCount() > hugeKernel) {
    machine->setOptLevel(llvm::CodeGenOptLevel::None);
  }
  llvm::SmallVector<char, 0> code;
  if (!compiler::generateCode(*llvmModule, *machine, llvm::CodeGenFileType::AssemblyFile, code) ||
      !problems.empty()) {
    return fail(diag::CodeGeneration, "code generation failed");
  }
  const StringRef ptx(code.data(), code.size());
  if (stage == compiler::Stage::Asm) {
    artifact.format = "asm";
    artifact.bytes = ptx.str();
    return artifact;
  }
  SmallVector<StringRef> formats;
  target.getEmit().split(formats, ',', -1, /*KeepEmpty=*/false);
  if (formats.empty()) {
    formats = {"cubin", "ptx"};
  }
  const bool mayBePtx = llvm::is_contained(formats, "ptx");
  if (formats.front() == "ptx") {
    artifact.format = "ptx";
    artifact.bytes = ptx.str();
    return artifact;
  }
  const std::string ptxas = findPtxas(target);
  if (ptxas.empty() && mayBePtx) {
    artifact.format = "ptx";
    artifact.bytes = ptx.str();
    return artifact;
  }
  if (ptxas.empty()) {
    return kernel.emitError() << "expected the assembler ptxas for format 'cubin', found none in "
                                 "the option ptxas, TEGULA_PTXAS, PATH and /usr/local/cuda/bin"
                              << diagID(diag::Assembler),
           failure();
  }
  FailureOr<Assembled> assembled = assemble(kernel, target, ptxas, ptx, kernelName, quickly);
  if (failed(assembled)) {
    return failure();
  }
  // With fewer registers one more program may fit on a multiprocessor.
  if (unsigned programs = getMorePrograms(assembled->log, module)) {
    static constexpr StringLiteral one = ".minnctapersm 1\n";
    const size_t at = ptx.find(one);
    if (at != StringRef::npos) {
      std::string text = ptx.str();
      text.replace(at, one.size(), ".minnctapersm " + std::to_string(programs) + "\n");
      FailureOr<Assembled> other = assemble(kernel, target, ptxas, text, kernelName, quickly);
      if (failed(other)) {
        return failure();
      }
      if (numberBefore(other->log, " bytes spill stores") == "0") {
        assembled = std::move(other);
      }
    }
  }
  artifact.format = "cubin";
  artifact.bytes = std::move(assembled->bytes);
  addResources(artifact, assembled->log);
  Resources resources;
  (void)llvm::to_integer(numberBefore(assembled->log, " registers"), resources.registers, 10);
  (void)llvm::to_integer(numberBefore(assembled->log, " bytes spill stores"), resources.spilled,
                         10);
  explainResources(kernel, target, resources);
  return artifact;
}

} // namespace tegula::nvidia

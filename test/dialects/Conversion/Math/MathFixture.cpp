//===- MathFixture.cpp - compiles and runs one operation ------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathFixture.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "tegula/Conversion/Math/ExpandMath.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;

namespace tegula::conversion::test {

MLIRContext &testContext() {
  static MLIRContext *context = [] {
    DialectRegistry registry;
    registry.insert<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                    scf::SCFDialect, vector::VectorDialect>();
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    auto *result = new MLIRContext(registry, MLIRContext::Threading::DISABLED);
    result->loadAllAvailableDialects();
    result->allowUnregisteredDialects();
    return result;
  }();
  return *context;
}

MathOptions baselineOptions() {
  if (llvm::Triple(llvm::sys::getDefaultTargetTriple()).isX86()) {
    return MathOptions();
  }
  return {true, true, true};
}

MathOptions nativeOptions() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  if (llvm::Triple(llvm::sys::getDefaultTargetTriple()).isX86()) {
    return {features["fma"], features["f16c"], features["sse4.1"]};
  }
  return {true, true, true};
}

static std::unique_ptr<llvm::TargetMachine> targetMachine(const MathOptions &options,
                                                          std::string &error) {
  static bool initialised = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialised;
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    return nullptr;
  }
  bool native = options.hasFma;
  std::string cpu = native ? llvm::sys::getHostCPUName().str() : "x86-64";
  std::string features;
  if (native) {
    for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
      features += (features.empty() ? "" : ",") + std::string(feature.second ? "+" : "-") +
                  feature.first().str();
    }
  } else {
    features = std::string(options.hasSse41 ? "+sse4.1" : "") + (options.hasF16C ? ",+f16c" : "");
  }
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, cpu, features, {}, llvm::Reloc::PIC_));
}

static void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PassBuilder builder(&machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1).run(module, modules);
}

static std::string moduleText(const Kernel::Spec &spec) {
  auto shaped = [&](const std::string &element) {
    return spec.shape.empty() ? element : "vector<" + spec.shape + "x" + element + ">";
  };
  // Vectors of the machine level are flat; others are cast to their shape.
  std::string lanes = std::to_string(spec.lanes);
  bool flat = spec.shape.empty() || spec.shape == lanes;
  auto loaded = [&](const std::string &element) {
    return spec.shape.empty() ? element : "vector<" + lanes + "x" + element + ">";
  };
  std::string second = spec.secondType.empty() ? spec.inType : spec.secondType;
  std::string text = "func.func @kernel(%pa: !llvm.ptr, %pb: !llvm.ptr, %pc: !llvm.ptr, "
                     "%pr: !llvm.ptr, %n: i64) {\n"
                     "  %zero = arith.constant 0 : i64\n  %step = arith.constant " +
                     lanes + " : i64\n  scf.for %i = %zero to %n step %step : i64 {\n";
  auto load = [&](const std::string &name, const std::string &element) {
    text += "    %q" + name + " = llvm.getelementptr %p" + name + "[%i] : (!llvm.ptr, i64) -> " +
            "!llvm.ptr, " + element + "\n    %" + name + (flat ? "" : "flat") + " = llvm.load %q" +
            name + " {alignment = 1} : !llvm.ptr -> " + loaded(element) + "\n";
    if (!flat) {
      text += "    %" + name + " = vector.shape_cast %" + name + "flat : " + loaded(element) +
              " to " + shaped(element) + "\n";
    }
  };
  load("a", spec.inType);
  load("b", second);
  load("c", spec.inType);
  text += "    " + spec.body + "\n";
  if (!flat) {
    text += "    %rflat = vector.shape_cast %r : " + shaped(spec.outType) + " to " +
            loaded(spec.outType) + "\n";
  }
  text += "    %qr = llvm.getelementptr %pr[%i] : (!llvm.ptr, i64) -> !llvm.ptr, " + spec.outType +
          "\n    llvm.store " + (flat ? "%r" : "%rflat") +
          ", %qr {alignment = 1} : " + loaded(spec.outType) + ", !llvm.ptr\n  }\n  return\n}\n";
  return text;
}

std::unique_ptr<Kernel> Kernel::compile(const Spec &spec, std::string &error) {
  MLIRContext &context = testContext();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    error += diagnostic.str() + "\n";
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(moduleText(spec), &context);
  if (module && spec.build) {
    module->walk([&](Operation *op) {
      if (op->getName().getStringRef() == "test.build") {
        OpBuilder builder(op);
        Value built = spec.build(builder, op->getLoc(), op->getOperand(0));
        op->getResult(0).replaceAllUsesWith(built);
        op->erase();
      }
    });
  }
  if (!module || failed(expandMath(*module, spec.options)) || failed(verify(*module)) ||
      failed(verifyNoLibraryCalls(*module, spec.options))) {
    error += "does not parse or expand:\n" + moduleText(spec);
    return nullptr;
  }
  PassManager passes(&context);
  // Casts of shapes become shuffles, which may start from poison.
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createUBToLLVMConversionPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  if (failed(passes.run(*module)) || failed(verifyNoLibraryCalls(*module, spec.options))) {
    error += "does not lower";
    return nullptr;
  }
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(*module, *llvmContext);
  std::unique_ptr<llvm::TargetMachine> machine = targetMachine(spec.options, error);
  if (!code || !machine) {
    return nullptr;
  }
  code->setTargetTriple(machine->getTargetTriple());
  code->setDataLayout(machine->createDataLayout());
  optimise(*code, *machine);
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager codegen;
  machine->addPassesToEmitFile(codegen, stream, nullptr, llvm::CodeGenFileType::ObjectFile);
  codegen.run(*code);

  auto fail = [&](llvm::Error problem) {
    error += llvm::toString(std::move(problem));
    return nullptr;
  };
  auto jit = llvm::orc::LLJITBuilder()
                 .setLinkProcessSymbolsByDefault(false)
                 .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                 .create();
  if (!jit) {
    return fail(jit.takeError());
  }
  auto kernel = std::make_unique<Kernel>();
  kernel->objectSize = object.size();
  if (llvm::Error problem = (*jit)->addObjectFile(
          std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object), false))) {
    return fail(std::move(problem));
  }
  auto symbol = (*jit)->lookup("kernel");
  if (!symbol) {
    return fail(symbol.takeError());
  }
  kernel->entry = symbol->toPtr<decltype(kernel->entry)>();
  kernel->jit = std::move(*jit);
  return kernel;
}

Kernel::~Kernel() = default;

} // namespace tegula::conversion::test

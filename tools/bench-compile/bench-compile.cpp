//===- bench-compile.cpp - Where the time of a compile goes -----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles one kernel many times and prints, as JSON, the processor time of each
// stage in milliseconds: one list per stage, one number per run. It is the time of
// this thread, so that other programs on the machine disturb it little.
// tools/dev/bench-compile makes kernels and reads the lists.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "tegula/Compiler/Backends.h"
#include "tegula/Compiler/Register.h"
#include "tegula/Frontend/AST.h"
#include "tegula/Frontend/Diagnostics.h"
#include "tegula/Frontend/Frontend.h"
#include "tegula/Frontend/Parser.h"
#include "tegula/Runtime/Target.h"
#include "tegula/Tile/IR/Tile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <ctime>

using namespace mlir;
using namespace tegula;

namespace {

enum Step { Context, Parse, Frontend, Neutral, Lowering, Emission, NumSteps };
constexpr const char *kNames[] = {"context", "parse",    "frontend",
                                  "neutral", "lowering", "emission"};

struct Input {
  std::string file, text, kernel, signature;
  const tg_target *target = nullptr;
  const compiler::BackendCompiler *backend = nullptr;
  const DialectRegistry *registry = nullptr;
};

class Clock {
public:
  /// Milliseconds since the last call, or since construction.
  double lap() {
    const double now = read(), passed = now - last;
    last = now;
    return passed;
  }

private:
  static double read() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
  }
  double last = read();
};

} // namespace

[[noreturn]] static void stop(const llvm::Twine &text) {
  llvm::errs() << "bench-compile: " << text << '\n';
  std::exit(1);
}

static compiler::TargetSpec specOf(const tg_target &target) {
  return {target.id,       target.backend, target.arch,    target.triple,
          target.features, target.emit,    target.options, target.allowFma};
}

static void runPhases(ModuleOp module, const Input &input, Attribute target,
                      llvm::ArrayRef<compiler::Phase> phases) {
  PassManager passes(module->getContext());
  passes.enableVerifier(false);
  for (compiler::Phase phase : phases) {
    input.backend->buildLowering(passes, target, phase);
  }
  if (failed(passes.run(module)) || failed(verify(module))) {
    stop("the passes fail");
  }
}

static void compileOnce(const Input &input, bool isWhole, double (&times)[NumSteps]) {
  Clock clock;
  MLIRContext context(*input.registry, MLIRContext::Threading::DISABLED);
  Attribute target = input.backend->parseTarget(context, specOf(*input.target),
                                                [](const llvm::Twine &text) { stop(text); });
  times[Context] = clock.lap();
  {
    frontend::DiagnosticEngine diags;
    frontend::ASTContext tree;
    frontend::SourceFile file(input.file, input.text, 1);
    parseModule(file, tree, diags);
    times[Parse] = clock.lap();
  }
  clock.lap();
  frontend::DiagnosticEngine diags;
  frontend::KernelRequest request;
  frontend::KernelInfo info;
  request.source.text = input.text;
  request.source.file = input.file;
  request.source.firstLine = 1;
  request.kernel = input.kernel;
  if (failed(frontend::parseSignature(input.signature, request.params, diags))) {
    stop(diags.str());
  }
  OwningOpRef<ModuleOp> module = frontend::compileKernel(context, request, diags, info);
  if (!module) {
    stop(diags.str());
  }
  (*module)->setAttr(tile::kTargetAttr, target);
  times[Frontend] = clock.lap();
  runPhases(*module, input, target, {compiler::Phase::Tile});
  times[Neutral] = clock.lap();
  if (!isWhole) {
    return;
  }
  runPhases(*module, input, target,
            {compiler::Phase::Layout, compiler::Phase::Schedule, compiler::Phase::Lower});
  runPhases(*module, input, target, {compiler::Phase::LLVM});
  times[Lowering] = clock.lap();
  if (failed(input.backend->emit(*module, target, compiler::Stage::Object, input.kernel))) {
    stop("emission fails");
  }
  times[Emission] = clock.lap();
}

int main(int argc, char **argv) {
  const bool isWhole = argc == 5;
  if (!isWhole && (argc != 6 || llvm::StringRef(argv[5]) != "neutral")) {
    std::fputs("usage: tegula-bench-compile FILE KERNEL SIGNATURE RUNS [neutral]\n"
               "neutral: stops after the neutral passes, for a profiler\n",
               stderr);
    return 2;
  }
  auto buffer = llvm::MemoryBuffer::getFile(argv[1]);
  if (!buffer) {
    stop("cannot read the file");
  }
  Input input;
  input.file = argv[1];
  input.text = (*buffer)->getBuffer().str();
  input.kernel = argv[2];
  input.signature = argv[3];
  tg_target *target = nullptr;
  if (tg_status *status = tg_target_resolve(nullptr, &target)) {
    stop(tg_status_message(status));
  }
  input.target = target;
  if (tg_status *status = compiler::loadBackend(target->backend, target->plugin, input.backend)) {
    stop(tg_status_message(status));
  }
  DialectRegistry registry;
  compiler::registerDialects(registry);
  input.backend->registerDialects(registry);
  input.registry = &registry;
  frontend::preloadLibrary();
  const int runs = std::atoi(argv[4]);
  std::vector<double> lists[NumSteps];
  for (int run = -1; run < runs; ++run) {
    double times[NumSteps] = {};
    compileOnce(input, isWhole, times);
    for (int step = 0; run >= 0 && step < NumSteps; ++step) {
      lists[step].push_back(times[step]);
    }
  }
  std::printf("{");
  for (int step = 0; step < NumSteps; ++step) {
    std::printf("%s\"%s\": [", step ? ", " : "", kNames[step]);
    for (size_t i = 0; i < lists[step].size(); ++i) {
      std::printf("%s%.4f", i ? ", " : "", lists[step][i]);
    }
    std::printf("]");
  }
  std::printf("}\n");
  return 0;
}

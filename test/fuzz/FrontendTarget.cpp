//===- FrontendTarget.cpp - Fuzzing of lexer, parser and semantics --------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input is a kernel file. Comment lines `# sig: *fp32, i32, 64` give the types
// of its kernels, one a kernel in order; a kernel without one gets types that
// follow from the input alone.
//
//===----------------------------------------------------------------------===//

#include "FrontendMutator.h"
#include "Target.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "tegula/Compiler/Register.h"
#include "tegula/Frontend/AST.h"
#include "tegula/Frontend/Frontend.h"
#include "tegula/Frontend/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

using namespace tegula::frontend;

namespace tegula::fuzz {

/// Attributes and types stay in a context, so it is renewed now and then.
static mlir::MLIRContext &freshContext() {
  static std::unique_ptr<mlir::MLIRContext> context;
  static unsigned age = 0;
  if (!context || ++age % 256 == 0) {
    mlir::DialectRegistry registry;
    compiler::registerDialects(registry);
    context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  }
  return *context;
}

/// What every diagnostic promises.
static std::string checkDiagnostics(const frontend::DiagnosticEngine &diags) {
  for (const frontend::Diagnostic &diag : diags.getDiagnostics()) {
    if (diag.id.empty() || diag.message.empty()) {
      return "a diagnostic without an identifier or a text: '" + diag.message + "'";
    }
    if (diag.id == "internal") {
      return "an internal error: " + diag.message;
    }
    if (diag.range.isValid() &&
        (diag.range.begin > diag.range.end || diag.range.end > diag.range.file->getText().size())) {
      return "a diagnostic outside its file: " + diag.message;
    }
  }
  return diags.hasErrors() && diags.str().empty() ? "errors without a text" : "";
}

/// One entry for a parameter: compile-time values for constexpr ones, and for the
/// others whatever the input's hash says, pointers most of the time.
static std::string inventEntry(const Param &param, Random &random) {
  static constexpr llvm::StringLiteral runtime[] = {
      "*fp32",  "*fp32:16", "*fp16", "*i32",  "*i64", "*u8",  "*i1",  "*bf16", "*fp64",
      "i32",    "i32:16",   "i64",   "u32",   "fp32", "fp64", "i1",   "u64",   "*kfp32",
      "*fp8e5", "*i8",      "*u16",  "i32=1", "fp16", "1",    "None", "i16",   "*fp8e4nv"};
  static constexpr llvm::StringLiteral constant[] = {
      "64",   "16",  "1",          "8",      "32",         "4",  "0", "True", "False",
      "None", "1.5", "tl.float16", "\"ab\"", "tl.float32", "-1", "3", "128"};
  llvm::StringRef annotation = param.annotation ? param.annotation->range.getText() : "";
  const bool isConstexpr = annotation.contains("constexpr") || param.name.upper() == param.name;
  // The first entries are the ones that most kernels are written for.
  const size_t i = random.oneIn(4) ? SIZE_MAX : random.below(4);
  if (isConstexpr) {
    return std::string(i == SIZE_MAX ? random.pick(constant) : constant[i]);
  }
  const bool isCount = param.name.starts_with("n") || param.name.starts_with("stride");
  return std::string(i == SIZE_MAX ? random.pick(runtime) : isCount ? "i32" : runtime[i]);
}

static std::string inventSignature(const FunctionDefStmt &def, Random &random) {
  std::string text;
  for (const Param &param : def.params) {
    if (param.defaultValue && random.oneIn(2)) {
      break;
    }
    text += (text.empty() ? "" : ", ") + inventEntry(param, random);
  }
  return text;
}

/// The `# sig:` lines.
static std::vector<llvm::StringRef> readSignatures(llvm::StringRef input) {
  std::vector<llvm::StringRef> signatures;
  llvm::SmallVector<llvm::StringRef> lines;
  input.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    line = line.trim();
    if (line.consume_front("# sig:")) {
      signatures.push_back(line.trim());
    }
  }
  return signatures;
}

/// Printed IR must read back as what it was.
static std::string checkPrinted(mlir::ModuleOp module) {
  std::string text, again;
  llvm::raw_string_ostream(text) << module;
  mlir::OwningOpRef<mlir::ModuleOp> parsed =
      mlir::parseSourceString<mlir::ModuleOp>(text, module.getContext());
  if (!parsed) {
    return "the printed module does not parse:\n" + text;
  }
  llvm::raw_string_ostream(again) << *parsed;
  return text == again ? "" : "the module prints differently after parsing:\n" + text + again;
}

static std::string compile(const KernelRequest &request, bool print) {
  mlir::MLIRContext &context = freshContext();
  frontend::DiagnosticEngine diags;
  KernelInfo info;
  mlir::OwningOpRef<mlir::ModuleOp> module = compileKernel(context, request, diags, info);
  if (std::string problem = checkDiagnostics(diags); !problem.empty()) {
    return problem;
  }
  if (!module) {
    return diags.hasErrors() ? "" : "no module and no error";
  }
  if (diags.hasErrors()) {
    return "a module in spite of errors:\n" + diags.str();
  }
  if (mlir::failed(mlir::verify(module->getOperation()))) {
    return "an invalid module";
  }
  return print ? checkPrinted(*module) : "";
}

static std::string run(std::string_view input) {
  const std::string text(input);
  const uint64_t hash = hashOf(input);
  Random random(hash);
  frontend::DiagnosticEngine diags;
  ASTContext tree;
  SourceFile file("input.py", text);
  const frontend::Module *parsed = parseModule(file, tree, diags);
  if (std::string problem = checkDiagnostics(diags); !problem.empty()) {
    return problem;
  }
  KernelRequest request;
  request.source = {text, "input.py"};
  request.debug = hash % 2 == 0;
  if (diags.hasErrors()) {
    request.kernel = "kernel"; // must fail again, in the same words
    return compile(request, false);
  }
  if (hash % 8 == 0) {
    std::string dumped;
    llvm::raw_string_ostream stream(dumped);
    frontend::dump(stream, *parsed);
  }
  std::vector<std::string> kernels = listKernels(request.source);
  kernels.resize(std::min<size_t>(kernels.size(), 4));
  if (kernels.empty()) {
    request.kernel = "kernel";
    return compile(request, false);
  }
  const std::vector<llvm::StringRef> signatures = readSignatures(text);
  for (size_t i = 0; i < kernels.size(); ++i) {
    request.kernel = kernels[i];
    std::string signature;
    for (const Stmt *stmt : parsed->body) {
      auto *def = llvm::dyn_cast<FunctionDefStmt>(stmt);
      if (def && def->name == kernels[i]) {
        signature = i < signatures.size() ? signatures[i].str() : inventSignature(*def, random);
      }
    }
    frontend::DiagnosticEngine signatureDiags;
    request.params.clear();
    if (mlir::failed(parseSignature(signature, request.params, signatureDiags))) {
      if (!signatureDiags.hasErrors()) {
        return "a signature without an error was refused: " + signature;
      }
      if (std::string problem = checkDiagnostics(signatureDiags); !problem.empty()) {
        return problem;
      }
      continue;
    }
    if (std::string problem = compile(request, hash % 4 == 0); !problem.empty()) {
      return "kernel '" + kernels[i] + "' (" + signature + "): " + problem;
    }
  }
  return "";
}

const Target frontendTarget = {"frontend", ".py", 4096, run, mutateKernelFile};

} // namespace tegula::fuzz

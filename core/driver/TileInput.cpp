//===- TileInput.cpp - Kernels given as tile IR -----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileInput.h"
#include "MLIRDiagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "tegula/Tile/IR/Tile.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::driver {

bool isTileInput(llvm::StringRef file) { return file.ends_with(".mlir"); }

/// As signatures spell a type; empty for one that no kernel argument can have.
static std::string spellType(Type type) {
  if (auto pointer = dyn_cast<tile::PtrType>(type)) {
    std::string pointee = spellType(pointer.getPointeeType());
    return pointee.empty() ? "" : "*" + pointee;
  }
  if (type.isBF16()) {
    return "bf16";
  }
  if (type.isF16() || type.isF32() || type.isF64()) {
    return "fp" + std::to_string(type.getIntOrFloatBitWidth());
  }
  if (type.isInteger(1) || type.isInteger(8) || type.isInteger(16) || type.isInteger(32) ||
      type.isInteger(64)) {
    return "i" + std::to_string(type.getIntOrFloatBitWidth());
  }
  return "";
}

static unsigned byteSize(Type type) {
  return isa<tile::PtrType>(type) ? 8 : std::max(1u, type.getIntOrFloatBitWidth() / 8);
}

OwningOpRef<ModuleOp> readTileInput(MLIRContext &context, const frontend::KernelRequest &request,
                                    frontend::DiagnosticEngine &diags, frontend::KernelInfo &info) {
  const frontend::SourceFile &file =
      diags.addFile(request.source.file, request.source.text, request.source.firstLine);
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    addMLIRDiagnostic(diags, file, diagnostic);
    return success();
  });
  ParserConfig config(&context);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(request.source.text, config, request.source.file);
  if (!module) {
    return nullptr;
  }
  auto kernel = dyn_cast_or_null<func::FuncOp>(module->lookupSymbol(request.kernel));
  if (!kernel || !kernel->hasAttr(tile::kKernelAttr)) {
    std::string known;
    module->walk([&](func::FuncOp func) {
      if (func->hasAttr(tile::kKernelAttr)) {
        known += (known.empty() ? "'" : ", '") + func.getSymName().str() + "'";
      }
    });
    diags.error(frontend::diag::NoSuchKernel,
                frontend::SourceRange(frontend::SourceLocation(&file, 0)),
                "no kernel '" + request.kernel + "' in this module; " +
                    (known.empty() ? "no function in it has the attribute tile.kernel"
                                   : "it has " + known));
    return nullptr;
  }
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    frontend::RuntimeArg arg;
    auto name = kernel.getArgAttrOfType<StringAttr>(i, tile::kNameAttr);
    arg.name = name ? name.str() : "arg" + std::to_string(i);
    arg.type = spellType(type);
    if (arg.type.empty()) {
      kernel.emitError() << "expected a pointer, integer or float as argument " << i << ", got "
                         << type;
      return nullptr;
    }
    arg.size = byteSize(type);
    arg.offset = static_cast<unsigned>(llvm::alignTo(info.argsSize, arg.size));
    info.argsSize = arg.offset + arg.size;
    info.args.push_back(std::move(arg));
  }
  return module;
}

} // namespace tegula::driver
